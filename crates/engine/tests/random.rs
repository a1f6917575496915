//! Bounded model checking against enumeration: small random programs with a few four-bit inputs. Whatever the engine calls violated was
//! replayed already; what it calls safe must be safe on every input, and what enumeration finds violated it must not call safe.

use base::Budget;
use cfa::interp::{self, Config, ListInputs, Outcome, ProgramArgs};
use cfa::{Bits, DataModel, Property, PropertySet};
use engine::{ENGINES, Task};
use evidence::{Reason, Verdict};
use std::time::Duration;
use testkit::programs::{self, INPUTS};

/// More by the environment variable, as for all differential tests.
const PROGRAMS: u64 = 40;

#[test]
fn engine_and_enumeration_agree() {
    let properties = PropertySet::of(&[Property::Assertion]);
    let (mut safe, mut violated, mut unknown) = (0, 0, 0);
    let scale = std::env::var("WHYDUNIT_FUZZ_SCALE").ok().and_then(|text| text.parse::<u64>().ok()).unwrap_or(1);
    let programs = PROGRAMS * scale;
    for seed in 0..programs {
        let model = if seed % 2 == 0 { DataModel::Lp64 } else { DataModel::Ilp32 };
        let text = programs::random(seed);
        let (_, compiled) = testkit::compile(text.as_bytes(), model);
        assert!(!compiled.has_errors(), "seed {seed}: {:?}\n{text}", compiled.diagnostics);
        let program = &compiled.program;
        let entry = program.function_named("main").expect("main");
        let config = Config { properties, max_steps: 100_000, ..Config::default() };
        let mut failing = None;
        let mut undefined = false;
        for number in 0..1u64 << (4 * INPUTS) {
            let values = (0..INPUTS).map(|index| Bits::new((number >> (4 * index) & 15) as u128)).collect();
            let run = interp::run(program, entry, &ProgramArgs::default(), &mut ListInputs::new(values), &config);
            match run.outcome {
                Outcome::Violation { .. } => failing = Some(number),
                Outcome::Finished(_) => {}
                _ => undefined = true,
            }
        }
        let task = Task { program, entry, properties, unwind: None, limits: &engine::Limits::default(), all: false };
        let answer = (ENGINES[0].decide)(&task, &Budget::for_duration(Duration::from_secs(2)));
        match answer.verdict {
            Verdict::Unsafe(_) => {
                assert!(failing.is_some(), "seed {seed}: called violated, but no input violates it\n{text}");
                violated += 1;
            }
            Verdict::Safe(_) => {
                assert!(failing.is_none(), "seed {seed}: called safe, but inputs {failing:?} violate it\n{text}");
                assert!(!undefined, "seed {seed}: called safe in spite of undefined behaviour\n{text}");
                safe += 1;
            }
            Verdict::Unknown(reason @ Reason::NotReplayed { .. }) => panic!("seed {seed}: {reason:?}\n{text}"),
            Verdict::Unknown(reason) => {
                let excused = undefined || matches!(reason, Reason::Unsupported { .. } | Reason::Budget { .. });
                assert!(excused, "seed {seed}: {reason:?} without a reason\n{text}");
                unknown += 1;
            }
        }
    }
    assert!(safe >= programs / 10 && violated >= programs / 10, "{safe} safe, {violated} violated, {unknown} unknown");
}
