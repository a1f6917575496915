//! What a verdict names is so: a violation is on its tape, a proof covers all inputs.

use crate::{compile, config, essence, traced};
use base::Budget;
use cfa::interp::{self, Limit, ListInputs, Outcome, ProgramArgs};
use cfa::{Bits, Property, PropertySet, Task};
use engine::{Options, default_engine};
use evidence::{CheckVerdict, Proof, Verdict};
use std::time::Duration;
use testkit::programs;

#[test]
fn verdicts_rest_on_what_they_name() {
    let (mut safe, mut violated) = (0, 0);
    for seed in 0..30 {
        let text = programs::random(seed);
        let (program, entry) = compile(&text);
        let properties = PropertySet::of(&[Property::Assertion]);
        let task = Task { program: &program, entry, properties };
        let answer =
            (default_engine().decide)(task, &Options::default(), &Budget::for_duration(Duration::from_secs(5)));
        match &answer.verdict {
            Verdict::Unsafe(violation) => {
                let (first, tape) = &answer.violations[0];
                assert_eq!((first.edge, &first.inputs), (violation.edge, &violation.inputs), "seed {seed}\n{text}");
                let replay = traced(&program, entry, &mut tape.play(), usize::MAX);
                let (property, fault) = (violation.property, violation.fault);
                let (outcome, _, end, inputs) = essence(&replay.run);
                assert_eq!(outcome, Outcome::Violation { property, fault }, "seed {seed}\n{text}");
                assert_eq!((end, &inputs), (Some(violation.edge), &violation.inputs), "seed {seed}\n{text}");
                violated += 1;
            }
            Verdict::Safe(proof) => {
                assert!(answer.violations.is_empty() && answer.complete, "seed {seed}\n{text}");
                assert!(!matches!(proof, Proof::Executed { .. }), "it has inputs: seed {seed}\n{text}");
                let by_induction = matches!(proof, Proof::Invariants(_) | Proof::Shapes(_));
                let fails = |inputs: &Vec<Bits>| {
                    let mut inputs = ListInputs::new(inputs.clone());
                    let run = interp::run(&program, entry, &ProgramArgs::default(), &mut inputs, &config());
                    // A proof by induction is about endless runs too.
                    let endless = by_induction && matches!(run.outcome, Outcome::Limit(Limit::Steps));
                    !endless && !matches!(run.outcome, Outcome::Finished(_) | Outcome::Aborted)
                };
                assert_eq!(programs::all_inputs().find(fails), None, "seed {seed}\n{text}");
                safe += 1;
            }
            Verdict::Unknown(_) => assert!(answer.violations.is_empty(), "seed {seed}\n{text}"),
        }
    }
    assert!(safe > 3 && violated > 3, "{safe} safe, {violated} violated");
}

/// Only what holds, or is not reached, within a bound has one; the two that need none are about all runs.
#[test]
fn checks_name_their_bounds() {
    let all = [
        CheckVerdict::Violated,
        CheckVerdict::Holds,
        CheckVerdict::HoldsUpTo(3),
        CheckVerdict::NotReached(4),
        CheckVerdict::Unknown,
    ];
    assert_eq!(all.map(CheckVerdict::bound), [None, None, Some(3), Some(4), None]);
    let text = "extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  //@ assert n % 2 < 2;
  //@ assert n != 17;
  for (unsigned i = 0; i < n; i++) {
    //@ assert i < n;
    if (i > 4) { //@ assert n > 5;
    }
  }
  return 0;
}
";
    let (program, entry) = compile(text);
    let properties = PropertySet::of(&[Property::Assertion]);
    let task = Task { program: &program, entry, properties };
    let options = Options { unwind: Some(2), all: true, ..Options::default() };
    let answer = (default_engine().decide)(task, &options, &Budget::unlimited());
    let found: Vec<CheckVerdict> = answer.checks.iter().map(|check| check.verdict).collect();
    let (one, two) = (CheckVerdict::HoldsUpTo(2), CheckVerdict::NotReached(2));
    assert_eq!(found, [one, CheckVerdict::Violated, one, two]);
    assert!(!answer.complete && matches!(answer.verdict, Verdict::Unsafe(_)));
}
