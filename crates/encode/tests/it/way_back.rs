//! A model of an obligation becomes inputs on which the interpreter does what the obligation says.

use crate::{compile, unroll};
use base::Budget;
use cfa::interp::{self, Config, Outcome, ProgramArgs};
use cfa::{Property, PropertySet};
use encode::ModelInputs;
use logic::{Satisfiability, Solver};
use testkit::programs;

#[test]
fn models_replay() {
    let (mut replayed, mut impossible) = (0, 0);
    for seed in 100..140 {
        let text = programs::random(seed);
        let program = compile(&text);
        let unrolled = unroll(&program, 6, &[Property::Assertion]);
        for found in unrolled.unrolling.obligations.iter() {
            let encode::ObligationKind::Violation(property, fault) = found.kind else { continue };
            let mut solver = Solver::new();
            match solver.check(&unrolled.encoder.pool, &[found.cond], &Budget::unlimited()) {
                Satisfiability::Unsat(_) => impossible += 1,
                Satisfiability::Sat(model) => {
                    let mut inputs = ModelInputs::new(&unrolled.encoder.pool, &model, &unrolled.unrolling);
                    let config = Config { properties: PropertySet::of(&[property]), ..Config::default() };
                    let args = ProgramArgs::default();
                    let run = interp::run(&program, unrolled.task.entry, &args, &mut inputs, &config);
                    assert_eq!(run.outcome, Outcome::Violation { property, fault }, "seed {seed}\n{text}");
                    assert_eq!(run.end, Some(found.edge), "seed {seed}\n{text}");
                    replayed += 1;
                }
                Satisfiability::Unknown => panic!("no limit was set"),
            }
        }
    }
    assert!(replayed > 10 && impossible > 0, "{replayed} replayed, {impossible} impossible");
}
