//! Slices of failing runs of random programs against all runs: an input that no relevant step uses can have any value, and the program still fails.

use cfa::interp::{InputSource, ListInputs, ProgramArgs};
use cfa::{Bits, DataModel, Property, PropertySet, Task};
use evidence::{StepKind, TraceRecorder};
use explain::dynamic_slice::relevant_steps;
use explain::replay;
use std::fmt::Write;
use testkit::random::Random;

const INPUTS: u32 = 3;
const VALUES: u32 = 4;
const PROGRAMS: u64 = 400;

struct Generator {
    random: Random,
    text: String,
    depth: usize,
}

impl Generator {
    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.random.below(choices.len())]
    }

    fn value(&mut self) -> String {
        self.pick(&["x", "y", "z", "top", "a", "b", "c", "0", "1", "2", "5"]).to_string()
    }

    fn expression(&mut self) -> String {
        let (left, right) = (self.value(), self.value());
        let operator = self.pick(&["+", "-", "*", "<", "==", ">", "^"]);
        format!("(({left} {operator} {right}) & 7)")
    }

    fn line(&mut self, line: &str) {
        writeln!(self.text, "{}{line}", "  ".repeat(self.depth + 1)).expect("writing to a string");
    }

    fn block(&mut self, head: &str) {
        self.line(head);
        self.depth += 1;
        for _ in 0..1 + self.random.below(2) {
            self.statement();
        }
        self.depth -= 1;
        self.line("}");
    }

    fn statement(&mut self) {
        let value = self.expression();
        match self.random.below(8) {
            0..=2 => {
                let target = self.pick(&["x", "y", "z", "top"]);
                self.line(&format!("{target} = {value};"));
            }
            3 => self.line(&format!("raise({value});")),
            4 => self.line(&format!("x = add({value}, y);")),
            5 | 6 if self.depth < 2 => {
                self.block(&format!("if ({value}) {{"));
                if self.random.below(2) == 0 {
                    self.block("else {");
                }
            }
            _ if self.depth < 2 => {
                let counter = format!("i{}", self.depth);
                self.block(&format!("for (int {counter} = 0; {counter} < ({value} & 3); {counter}++) {{"));
            }
            _ => self.line(&format!("z = {value};")),
        }
    }
}

fn program(seed: u64) -> String {
    let mut generator = Generator { random: Random::new(seed), text: String::new(), depth: 0 };
    for _ in 0..3 + generator.random.below(5) {
        generator.statement();
    }
    let (condition, limit) = (generator.pick(&["x", "y", "z", "top"]), generator.random.below(4));
    format!(
        "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\nint top;\n\
         void raise(int n) {{ if (n > top) top = n; }}\nint add(int n, int m) {{ if (n > 3) m = n + m; return m & 7; }}\n\
         int main(void) {{\n  int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int();\n  \
         int x = 0, y = 1, z = 2;\n{}  if ({condition} == {limit}) reach_error();\n  return 0;\n}}\n",
        generator.text
    )
}

/// The values of the inputs: digits of a number.
fn inputs(number: u32) -> Vec<Bits> {
    (0..INPUTS).map(|index| Bits::new(u128::from(number / VALUES.pow(index) % VALUES))).collect()
}

#[test]
fn inputs_that_no_relevant_step_uses_can_have_any_value() {
    let (mut unused, mut used) = (0, 0);
    for seed in 0..PROGRAMS {
        let text = program(seed);
        let (_, compiled) = testkit::compile(text.as_bytes(), DataModel::Lp64);
        assert!(!compiled.has_errors(), "{:?}\n{text}", compiled.diagnostics);
        let program = &compiled.program;
        let entry = program.function_named("main").expect("main");
        let task = Task { program, entry, properties: PropertySet::of(&[Property::UnreachCall]) };
        let run = |number| replay::failure(task, ProgramArgs::default(), &mut ListInputs::new(inputs(number))).ok();
        let all = VALUES.pow(INPUTS);
        let fails: Vec<bool> = (0..all).map(|number| run(number).is_some()).collect();
        for number in (0..all).filter(|number| fails[*number as usize]) {
            let failure = run(number).expect("it failed before");
            let mut recorder = TraceRecorder::new(10_000);
            let run = failure.run_observed(&mut recorder);
            let trace = recorder.finish(run, &failure.tape.args);
            let relevant = relevant_steps(&failure, &trace).expect("a short run");
            let reads = trace.steps.iter().zip(relevant);
            let reads = reads.filter(|(step, _)| matches!(step.kind, StepKind::Input(InputSource::Edge { .. })));
            let is_used: Vec<bool> = reads.map(|(_, relevant)| relevant).collect();
            assert_eq!(is_used.len(), INPUTS as usize);
            for (index, is_used) in is_used.into_iter().enumerate() {
                if is_used {
                    used += 1;
                    continue;
                }
                unused += 1;
                let weight = VALUES.pow(index as u32);
                let others = (0..VALUES).map(|value| number - number / weight % VALUES * weight + value * weight);
                for other in others {
                    let (one, another) = (inputs(number), inputs(other));
                    assert!(
                        fails[other as usize],
                        "seed {seed}: input {index} is not used on {one:?}, and {another:?} does not fail\n{text}"
                    );
                }
            }
        }
    }
    assert!(unused > 1000 && used > 1000, "{unused} inputs are not used, {used} are");
}
