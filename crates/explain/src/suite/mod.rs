//! Tests: what a run is given, and what is expected of it.
//!
//! * [`inputs`] numbers and the standard input, [`stdin`] how library functions read it
//! * [`expected`] a test whose output or result is wrong as a run that violates an assertion

pub mod expected;
pub mod inputs;
pub mod stdin;

use cfa::interp::{self, Config, Observer, Outcome, ProgramArgs, Run};
use cfa::{EdgeId, Fault, Program, Property, Task};
pub use inputs::{InputNumber, TestInputs};
use stdin::Stdin;

/// One test.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Test {
    /// For messages.
    pub name: String,
    /// The command line, without the name of the program.
    pub args: Vec<Vec<u8>>,
    /// The text of the standard input; without it, characters that are read are among the inputs.
    pub stdin: Option<Vec<u8>>,
    pub inputs: Vec<InputNumber>,
    /// What each byte of memory is that was never written.
    pub unwritten: u8,
    pub expected: Expected,
}

/// What is expected of a run; nothing of this: that it violates no property.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Expected {
    pub stdout: Option<Vec<u8>>,
    /// What the program, or the function that the run begins in, returns.
    pub result: Option<i32>,
    /// What is known of the test without looking at its run.
    pub stated: Option<Stated>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stated {
    Passes,
    Fails,
}

/// How a test ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TestResult {
    Passes,
    Violates {
        property: Property,
        fault: Option<Fault>,
        edge: EdgeId,
    },
    /// The run ends, and the output is another one.
    WrongOutput,
    /// The run ends, and the result is another one.
    WrongResult {
        got: i32,
    },
    /// The run ends by `abort`, or does not end within the limit of steps.
    NoEnd(Outcome),
    /// Nothing can be said: the run reads more inputs than the test has, or does something that is not modelled.
    Unknown(Outcome),
}

impl TestResult {
    pub fn fails(&self) -> bool {
        !matches!(self, TestResult::Passes | TestResult::Unknown(_))
    }
}

impl Test {
    /// The command line of a program.
    pub fn words(&self, name: &str) -> ProgramArgs {
        ProgramArgs { words: std::iter::once(name.as_bytes().to_vec()).chain(self.args.iter().cloned()).collect() }
    }

    pub fn inputs<'p>(&self, program: &'p Program) -> TestInputs<'p> {
        let stdin = self.stdin.as_deref().map(Stdin::new);
        TestInputs { program, values: self.inputs.clone(), next: 0, stdin, unwritten: self.unwritten }
    }

    /// The integers that it is made of.
    pub fn numbers(&self) -> Vec<i128> {
        let texts = self.args.iter().chain(&self.stdin).chain(&self.expected.stdout);
        let mut numbers: Vec<i128> = texts.flat_map(|text| numbers_in(text)).collect();
        numbers.extend(self.inputs.iter().filter_map(|input| match input {
            InputNumber::Int(value) => Some(*value),
            InputNumber::Float(_) => None,
        }));
        numbers.extend(self.expected.result.map(i128::from));
        numbers
    }

    /// The run of a task on this test.
    pub fn run(&self, task: Task<'_>, max_steps: u64, observer: &mut dyn Observer) -> Run {
        let config = Config { properties: task.properties, max_steps, ..Config::default() };
        let words = self.words(task.program.function_name(task.entry));
        interp::run_observed(task.program, task.entry, &words, &mut self.inputs(task.program), &config, observer)
    }

    /// Whether a run is as expected.
    pub fn result(&self, run: &Run) -> TestResult {
        let Expected { stdout, result, .. } = &self.expected;
        match run.outcome {
            Outcome::Violation { property, fault } => {
                TestResult::Violates { property, fault, edge: run.end.unwrap_or(EdgeId(0)) }
            }
            Outcome::Finished(_) if stdout.as_deref().is_some_and(|text| !same_text(text, &run.stdout)) => {
                TestResult::WrongOutput
            }
            Outcome::Finished(got) if result.is_some_and(|result| result != got) => TestResult::WrongResult { got },
            Outcome::Finished(_) => TestResult::Passes,
            Outcome::Aborted | Outcome::Limit(interp::Limit::Steps | interp::Limit::Depth | interp::Limit::Memory) => {
                TestResult::NoEnd(run.outcome)
            }
            outcome => TestResult::Unknown(outcome),
        }
    }
}

/// Whether two outputs are the same but for what ends them: a file is often written with one line end more or less.
fn same_text(a: &[u8], b: &[u8]) -> bool {
    without_end(a) == without_end(b)
}

fn without_end(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r')).map_or(0, |last| last + 1);
    &text[..end]
}

fn numbers_in(text: &[u8]) -> Vec<i128> {
    let text = String::from_utf8_lossy(text);
    text.split(|letter: char| !letter.is_ascii_digit() && letter != '-').filter_map(|word| word.parse().ok()).collect()
}

/// An observer that sees nothing.
pub struct Unobserved;

impl Observer for Unobserved {
    fn step(&mut self, _: &interp::View<'_, '_>, _: interp::Event<'_>) {}
}
