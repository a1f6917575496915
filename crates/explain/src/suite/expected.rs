//! A test with an expected output or result, as a run of the program with expectations in it ([`cfa::environment::expectation`]): the run that has
//! the wrong output or result violates an assertion there, the one that has the right one does not.

use super::{Test, TestResult, without_end};
use crate::Failure;
use crate::replay;
use cfa::environment::expectation::{ANY_NUMBER, ANYTHING, Expectation, Expectations, expect, first_value};
use cfa::interp::{Event, InputRequest, InputSource, Inputs, Observer, Run, View};
use cfa::{Bits, Callee, EdgeId, ExprId, FuncId, Op, Program, Property, PropertySet, Task, eval};
use evidence::Tape;
use std::collections::BTreeMap;

/// The program with expectations.
pub struct ExpectingProgram {
    pub program: Program,
    expectations: Expectations,
}

/// What a test is given besides its own inputs: the answers of expectations, in order.
type Answers = BTreeMap<Expectation, Vec<Bits>>;

impl ExpectingProgram {
    pub fn of(program: &Program, entry: FuncId) -> Self {
        let mut program = program.clone();
        let expectations = expect(&mut program, entry);
        ExpectingProgram { program, expectations }
    }

    pub fn task(&self, entry: FuncId, properties: PropertySet) -> Task<'_> {
        let asserted: Vec<Property> = properties.iter().chain([Property::Assertion]).collect();
        Task { program: &self.program, entry, properties: PropertySet::of(&asserted) }
    }

    /// The run of a test that fails in the program without expectations, as a failure; `None` if it is not one here, which happens
    /// where a run does not end.
    pub fn failure<'p>(&'p self, test: &Test, plain: Task<'_>, max_steps: u64) -> Option<Failure<'p>> {
        let task = self.task(plain.entry, plain.properties);
        let answers = answers(test, plain, max_steps);
        let mut inputs =
            Answered { own: test.inputs(&self.program), answers: &answers, program: self, next: BTreeMap::new() };
        let words = test.words(plain.program.function_name(plain.entry));
        replay::failure_within(max_steps, task, words, &mut inputs).ok()
    }

    /// The run of a test that passes; `None` if it does not end regularly.
    pub fn passing(&self, test: &Test, plain: Task<'_>, max_steps: u64) -> Option<Tape> {
        let task = self.task(plain.entry, plain.properties);
        let answers = answers(test, plain, max_steps);
        let mut inputs =
            Answered { own: test.inputs(&self.program), answers: &answers, program: self, next: BTreeMap::new() };
        let words = test.words(plain.program.function_name(plain.entry));
        let (run, tape) = replay::recorded(task, words, &mut inputs);
        matches!(run.outcome, cfa::interp::Outcome::Finished(_)).then_some(tape)
    }
}

/// Inputs of a test, and what is expected of it.
struct Answered<'p> {
    own: super::TestInputs<'p>,
    answers: &'p Answers,
    program: &'p ExpectingProgram,
    next: BTreeMap<Expectation, usize>,
}

impl Inputs for Answered<'_> {
    fn next(&mut self, request: &InputRequest) -> Option<Bits> {
        let InputSource::Edge { edge, .. } = request.source else { return self.own.next(request) };
        let Some(expectation) = self.program.expectations.get(&edge) else { return self.own.next(request) };
        let next = self.next.entry(*expectation).or_default();
        *next += 1;
        let known = self.answers.get(expectation).and_then(|all| all.get(*next - 1)).copied();
        // Further outputs are expected where it is not known which ones are.
        let number = |value| eval::from_i128(&self.program.program.types, cfa::TypeId::INT, value);
        let is_open = self.answers.get(&Expectation::Outputs).is_some_and(|count| count[0] == number(ANY_NUMBER));
        Some(known.unwrap_or(match expectation {
            Expectation::Position(_) if is_open => number(ANYTHING),
            Expectation::Position(_) | Expectation::MoreThan(_) => number(NOT_EXPECTED),
            _ => Bits::ZERO,
        }))
    }
}

/// The outputs of a run, in order.
#[derive(Default)]
struct Outputs {
    /// The call, what was written before it, and its values.
    calls: Vec<Output>,
    /// The last edge that can end the run, and its value.
    end: Option<(EdgeId, Option<(ExprId, Bits)>)>,
    written: usize,
}

struct Output {
    edge: EdgeId,
    /// Where its text begins and ends in the whole output.
    from: usize,
    to: usize,
    format: Option<Vec<u8>>,
    first: usize,
    /// Arguments by their number.
    values: BTreeMap<usize, (ExprId, Bits)>,
    strings: BTreeMap<usize, Vec<u8>>,
}

impl Observer for Outputs {
    fn step(&mut self, view: &View<'_, '_>, event: Event<'_>) {
        let Event::Edge { edge, .. } = event else { return };
        let program = view.program();
        match program.edges[edge].op {
            Op::Call { callee: Callee::Direct(function), args, .. } => {
                let Some(first) = first_value(program, function) else { return };
                let args = program.call_args(args);
                let mut output = Output {
                    edge,
                    from: self.written,
                    to: view.stdout().len(),
                    format: first.checked_sub(1).and_then(|at| text_at(view, *args.get(at)?)),
                    first,
                    values: BTreeMap::new(),
                    strings: BTreeMap::new(),
                };
                self.written = output.to;
                for (index, arg) in args.iter().enumerate().skip(first.min(args.len())) {
                    if let Ok(bits) = view.value(*arg) {
                        output.values.insert(index, (*arg, bits));
                    }
                    if program.types.is_pointer(program.exprs[*arg].ty)
                        && let Some(text) = text_at(view, *arg)
                    {
                        output.strings.insert(index, text);
                    }
                }
                self.calls.push(output);
            }
            Op::Return(value) | Op::Halt(value) => {
                self.end = Some((edge, value.and_then(|value| Some((value, view.value(value).ok()?)))));
            }
            _ => {}
        }
    }
}

/// The string that an expression points to.
fn text_at(view: &View<'_, '_>, expr: ExprId) -> Option<Vec<u8>> {
    const LONGEST: u64 = 10_000;
    let address = view.value(expr).ok()?.lo;
    let mut text = Vec::new();
    while (text.len() as u64) < LONGEST {
        match view.bytes(address.wrapping_add(text.len() as u64), 1).ok()?.first()? {
            0 => return Some(text),
            byte => text.push(*byte),
        }
    }
    None
}

/// What is expected at each output, as far as the run that the test has is as expected, and where it is not for the first time. Where it ends too early, what
/// is missing is expected of the outputs that can write it.
fn answers(test: &Test, plain: Task<'_>, max_steps: u64) -> Answers {
    let mut outputs = Outputs::default();
    let run = test.run(plain, max_steps, &mut outputs);
    let mut answers = Answers::default();
    let number = |value: i128| eval::from_i128(&plain.program.types, cfa::TypeId::INT, value);
    let wanted = test.expected.stdout.as_deref();
    let mut add = |edge: EdgeId, position: i128, values: BTreeMap<usize, Bits>| {
        answers.entry(Expectation::Position(edge)).or_default().push(number(position));
        for (index, bits) in values {
            answers.entry(Expectation::Argument(edge, index)).or_default().push(bits);
        }
    };
    let mut is_wrong = false;
    // How many outputs are expected; what follows one that should not be there is not known.
    let mut count = if wanted.is_some() { 0 } else { ANY_NUMBER };
    for output in &outputs.calls {
        let as_written: BTreeMap<usize, Bits> = output.values.iter().map(|(at, (_, bits))| (*at, *bits)).collect();
        let written = &run.stdout[output.from..output.to];
        let rest = wanted.map(|text| text.get(output.from..).unwrap_or_default());
        let starts_so = |rest: &[u8]| rest.starts_with(written) || without_end(rest) == without_end(written);
        let position = count;
        count += i128::from(count >= 0);
        match rest {
            Some(rest) if !is_wrong && !starts_so(rest) => {
                is_wrong = true;
                let scanned = scan(plain.program, output, rest).map(|found| found.0);
                match scanned.filter(|values| differ(values, &as_written)) {
                    Some(values) => add(output.edge, position, values),
                    None => {
                        add(output.edge, NOT_EXPECTED, as_written);
                        count = ANY_NUMBER;
                    }
                }
            }
            _ => add(output.edge, position, as_written),
        }
    }
    let misses_output = !is_wrong && matches!(test.result(&run), TestResult::WrongOutput);
    if let Some(mut rest) =
        wanted.filter(|_| misses_output).map(|text| text.get(run.stdout.len()..).unwrap_or_default())
    {
        let mut sites: Vec<&Output> = Vec::new();
        for output in outputs.calls.iter().rev() {
            if !sites.iter().any(|known| known.edge == output.edge) {
                sites.push(output);
            }
        }
        while !rest.is_empty() {
            let next = sites.iter().find_map(|site| Some((site.edge, scan(plain.program, site, rest)?)));
            let Some((edge, (values, left))) = next.filter(|(_, (_, left))| left.len() < rest.len()) else {
                count = ANY_NUMBER;
                break;
            };
            add(edge, count, values);
            count += 1;
            rest = left;
        }
    }
    answers.insert(Expectation::Outputs, vec![number(count)]);
    if let Some((edge, value)) = outputs.end {
        let too_few = if misses_output { outputs.calls.len() as i128 } else { -1 };
        answers.insert(Expectation::MoreThan(edge), vec![number(too_few)]);
        if let Some((expr, got)) = value {
            let types = &plain.program.types;
            let wanted =
                test.expected.result.map(|result| eval::from_i128(types, plain.program.exprs[expr].ty, result as i128));
            answers.insert(Expectation::Result(edge), vec![wanted.unwrap_or(got)]);
        }
    }
    answers
}

/// A position that no output has.
const NOT_EXPECTED: i128 = -1;

fn differ(values: &BTreeMap<usize, Bits>, written: &BTreeMap<usize, Bits>) -> bool {
    values.iter().any(|(index, value)| written.get(index) != Some(value))
}

/// The values with which an output would be what a text begins with, and the rest of the text; `None` if there are none.
fn scan<'t>(program: &Program, output: &Output, mut text: &'t [u8]) -> Option<(BTreeMap<usize, Bits>, &'t [u8])> {
    let mut values = BTreeMap::new();
    let is_character = |index: usize| {
        let (expr, _) = output.values.get(&index)?;
        Some(program.exprs[*expr].ty)
    };
    let as_value = |index: usize, number: i128| Some(eval::from_i128(&program.types, is_character(index)?, number));
    let Some(format) = &output.format else {
        // One character.
        let byte = *text.first()?;
        values.insert(output.first, as_value(output.first, byte.into())?);
        return Some((values, &text[1..]));
    };
    let mut next = output.first;
    let mut format = format.as_slice();
    while let Some((letter, rest)) = format.split_first() {
        format = rest;
        if *letter != b'%' || rest.first() == Some(&b'%') {
            if *letter == b'%' {
                format = &rest[1..];
            }
            // The last line end may be missing.
            match text.split_first() {
                Some((byte, rest)) if byte == letter => text = rest,
                None if *letter == b'\n' && format.is_empty() => {}
                _ => return None,
            }
            continue;
        }
        let end = format.iter().position(|byte| byte.is_ascii_alphabetic() && !b"hlzjtqL".contains(byte))?;
        let conversion = format[end];
        // Flags and widths only add spaces and zeros.
        format = &format[end + 1..];
        let index = next;
        next += 1;
        match conversion {
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' => {
                let radix = match conversion {
                    b'x' | b'X' => 16,
                    b'o' => 8,
                    _ => 10,
                };
                let spaces = text.iter().take_while(|byte| **byte == b' ').count();
                let sign = usize::from(matches!(text.get(spaces), Some(b'-' | b'+')));
                let digits = text[spaces + sign..].iter().take_while(|byte| (**byte as char).is_digit(radix)).count();
                let number = std::str::from_utf8(&text[spaces..spaces + sign + digits]).ok()?;
                values.insert(index, as_value(index, i128::from_str_radix(number, radix).ok()?)?);
                text = &text[spaces + sign + digits..];
            }
            b'c' => {
                let (byte, rest) = text.split_first()?;
                values.insert(index, as_value(index, (*byte).into())?);
                text = rest;
            }
            b's' => text = text.strip_prefix(output.strings.get(&index)?.as_slice())?,
            _ => return None,
        }
    }
    Some((values, text))
}

/// The run of a test, in a program without expectations.
pub fn run_of(test: &Test, task: Task<'_>, max_steps: u64) -> (Run, TestResult) {
    let run = test.run(task, max_steps, &mut super::Unobserved);
    let result = test.result(&run);
    (run, result)
}
