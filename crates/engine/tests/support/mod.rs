//! One program, decided by the engine and by enumerating its inputs.

use base::Budget;
use cfa::interp::{self, Config, Limit, ListInputs, Outcome, ProgramArgs};
use cfa::{Bits, DataModel, PropertySet, Task};
use engine::{Decide, Options, default_engine};
use evidence::{Reason, Verdict};
use std::time::Duration;

/// Inputs of a program; four bits of each matter.
const INPUTS: u32 = 3;

#[derive(Default, Debug)]
pub struct Counts {
    pub safe: u64,
    pub violated: u64,
    pub unknown: u64,
}

impl Counts {
    pub fn add(&mut self, decided: Option<bool>) {
        match decided {
            Some(true) => self.safe += 1,
            Some(false) => self.violated += 1,
            None => self.unknown += 1,
        }
    }
}

/// What a run is given.
#[derive(Debug)]
pub struct Given {
    inputs: Vec<Bits>,
    args: ProgramArgs,
}

pub struct Runs {
    given: Vec<Given>,
    /// Whether these are all runs there are.
    complete: bool,
}

/// All inputs that matter.
#[allow(dead_code, reason = "each test file has its own inputs")]
pub fn numbers() -> Runs {
    let inputs = |number: u64| (0..INPUTS).map(|index| Bits::new((number >> (4 * index) & 15) as u128)).collect();
    let given = (0..1 << (4 * INPUTS)).map(|number| Given { inputs: inputs(number), args: ProgramArgs::default() });
    Runs { given: given.collect(), complete: true }
}

/// All command lines of up to three words from a few.
#[allow(dead_code, reason = "each test file has its own inputs")]
pub fn command_lines(words: &[&str]) -> Runs {
    let mut lines: Vec<Vec<Vec<u8>>> = vec![Vec::new()];
    let mut all = Vec::new();
    for _ in 0..3 {
        let longer = |line: &Vec<Vec<u8>>| {
            let line = line.clone();
            words.iter().map(move |word| line.iter().cloned().chain([word.as_bytes().to_vec()]).collect())
        };
        lines = lines.iter().flat_map(longer).collect();
        all.extend(lines.iter().map(|line| Given { inputs: Vec::new(), args: ProgramArgs { words: line.clone() } }));
    }
    Runs { given: all, complete: false }
}

/// More programs by the environment variable, as for all differential tests.
pub fn scaled(programs: u64) -> u64 {
    programs * std::env::var("WHYDUNIT_FUZZ_SCALE").ok().and_then(|text| text.parse::<u64>().ok()).unwrap_or(1)
}

/// Whether the engine calls a program safe; `None` if it does not know. Panics if enumeration says otherwise.
#[allow(dead_code, reason = "not all test files ask the default engine")]
pub fn compare(seed: u64, text: &str, properties: PropertySet, runs: &Runs) -> Option<bool> {
    compare_by(default_engine().decide, seed, text, properties, runs)
}

/// As [`compare`], for any engine.
pub fn compare_by(decide: Decide, seed: u64, text: &str, properties: PropertySet, runs: &Runs) -> Option<bool> {
    let model = if seed.is_multiple_of(2) { DataModel::Lp64 } else { DataModel::Ilp32 };
    let (_, compiled) = testkit::compile(text.as_bytes(), model);
    assert!(!compiled.has_errors(), "seed {seed}: {:?}\n{text}", compiled.diagnostics);
    let program = &compiled.program;
    let entry = program.function_named("main").expect("main");
    let config = Config { properties, max_steps: 100_000, ..Config::default() };
    let mut failing = None;
    let mut undefined = None;
    let mut endless = false;
    for given in &runs.given {
        let mut inputs = ListInputs::new(given.inputs.clone());
        let run = interp::run(program, entry, &given.args, &mut inputs, &config);
        match run.outcome {
            Outcome::Violation { .. } => failing = Some(given),
            // A failing assertion that nobody asks about ends the run as `abort` does.
            Outcome::Finished(_) | Outcome::Aborted => {}
            // It may go on for ever without a violation, as a proof by induction says.
            Outcome::Limit(Limit::Steps) => endless = true,
            outcome => undefined = Some((given, outcome)),
        }
    }
    let task = Task { program, entry, properties };
    let answer = decide(task, &Options::default(), &Budget::for_duration(Duration::from_secs(2)));
    match answer.verdict {
        Verdict::Unsafe(_) => {
            assert!(
                failing.is_some() || !runs.complete,
                "seed {seed}: called violated, but no input violates it\n{text}"
            );
            Some(false)
        }
        Verdict::Safe(_) => {
            assert!(failing.is_none(), "seed {seed}: called safe, but inputs {failing:?} violate it\n{text}");
            assert!(undefined.is_none(), "seed {seed}: called safe in spite of {undefined:?}\n{text}");
            Some(true)
        }
        Verdict::Unknown(reason @ Reason::NotReplayed { .. }) => panic!("seed {seed}: {reason:?}\n{text}"),
        Verdict::Unknown(reason) => {
            let excused = undefined.is_some()
                || endless
                || !runs.complete
                || matches!(
                    reason,
                    Reason::Unsupported { .. }
                        | Reason::LeftOpen { .. }
                        | Reason::Budget { .. }
                        | Reason::NotProved { .. }
                );
            assert!(excused, "seed {seed}: {reason:?} without a reason\n{text}");
            None
        }
    }
}
