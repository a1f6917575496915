//! The interpreter on every tape of inputs, as the driver of compiled programs does it. It knows lifetimes that no sanitizer sees: an object
//! of a block is another one in each round of a loop.

use cfa::interp::{self, Config, InputRequest, Inputs, Outcome, ProgramArgs};
use cfa::{Bits, Task, TypeId};

const MAX_INPUTS: usize = 12;
const MAX_TAPES: u32 = 3000;
const MAX_STEPS: u64 = 100_000;

/// Values with the number of values that an input can have, and how many were asked for.
#[derive(Default)]
struct Tape {
    values: Vec<(u64, u64)>,
    used: usize,
}

impl Inputs for Tape {
    fn next(&mut self, request: &InputRequest) -> Option<Bits> {
        let domain = if request.ty == TypeId::BOOL { 2 } else { 4 };
        if self.used == self.values.len() {
            self.values.push((0, domain));
        }
        let (value, _) = self.values[self.used];
        self.used += 1;
        (self.used <= MAX_INPUTS).then(|| Bits::new(value as u128))
    }
}

impl Tape {
    /// Whether there is another tape, which it is then.
    fn advance(&mut self) -> bool {
        self.values.truncate(self.used);
        self.used = 0;
        while let Some((value, domain)) = self.values.pop() {
            if value + 1 < domain {
                self.values.push((value + 1, domain));
                return true;
            }
        }
        false
    }
}

/// The first run that violates a property or is undefined, in words.
pub fn first_bad_run(task: Task<'_>) -> Option<String> {
    let Task { program, entry, properties } = task;
    let config = Config { properties, max_steps: MAX_STEPS, ..Config::default() };
    let mut tape = Tape::default();
    for _ in 0..MAX_TAPES {
        let run = interp::run(program, entry, &ProgramArgs::default(), &mut tape, &config);
        match run.outcome {
            Outcome::Violation { .. } | Outcome::Undefined(_) => {
                let values: Vec<u64> = tape.values.iter().map(|(value, _)| *value).collect();
                return Some(format!("{:?} on inputs {values:?}", run.outcome));
            }
            _ => {}
        }
        if !tape.advance() {
            return None;
        }
    }
    None
}
