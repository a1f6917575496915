//! Further runs of the unrolled program: failing ones that take other paths, and passing ones.

use crate::Failure;
use crate::unrolled::Unrolled;
use base::Budget;
use cfa::interp::{Limit, Outcome};
use encode::EventKind;
use evidence::Tape;
use logic::{Model, Satisfiability, TermId};

/// Failures in the same place, each along another path than those before while there are any, then with other inputs. The first is the one given.
pub fn failing<'p>(failure: &Failure<'p>, count: usize, budget: &Budget) -> Vec<Failure<'p>> {
    let mut found = vec![failure.clone()];
    if count < 2 {
        return found;
    }
    let Some(mut unrolled) = Unrolled::around(failure, budget) else { return found };
    let mut models = vec![Model::new(unrolled.run.clone())];
    let mut blocked = vec![unrolled.fails];
    for by_path in [true, false] {
        blocked.truncate(1);
        for model in &models {
            let other = difference(&mut unrolled, model, by_path);
            blocked.push(other);
        }
        while found.len() < count {
            let Satisfiability::Sat(model) = unrolled.solver.check(&unrolled.encoder.pool, &blocked, budget) else {
                break;
            };
            let other = difference(&mut unrolled, &model, by_path);
            blocked.push(other);
            found.extend(unrolled.replay(&model));
            models.push(model);
        }
    }
    found
}

/// Runs that end regularly, each along another path; of a program that runs in cycles, beginnings of runs that violate nothing.
pub fn passing(failure: &Failure<'_>, count: usize, budget: &Budget) -> Vec<Tape> {
    let Some(mut unrolled) = Unrolled::around(failure, budget) else { return Vec::new() };
    let endless = failure.task.program.cycle.is_some();
    let ends = if endless { unrolled.goes_on() } else { unrolled.encoder.pool.or_all(&unrolled.unrolling.ends) };
    let mut blocked = vec![ends];
    blocked.extend(unrolled.unrolling.replayable);
    let mut tapes = Vec::new();
    while tapes.len() < count {
        let Satisfiability::Sat(model) = unrolled.solver.check(&unrolled.encoder.pool, &blocked, budget) else { break };
        let other = difference(&mut unrolled, &model, true);
        blocked.push(other);
        let (run, tape) = if endless { unrolled.prefix_of(&model) } else { unrolled.run_of(&model) };
        match run.outcome {
            Outcome::Finished(_) => tapes.push(tape),
            Outcome::Limit(Limit::Inputs | Limit::Steps) if endless => tapes.push(tape),
            _ => {}
        }
    }
    tapes
}

/// Another path, or other inputs, than in a model.
fn difference(unrolled: &mut Unrolled<'_, '_>, model: &Model, by_path: bool) -> TermId {
    let pool = &mut unrolled.encoder.pool;
    let mut changes = Vec::new();
    if by_path {
        for event in unrolled.unrolling.events.iter().filter(|event| event.kind == EventKind::Branch) {
            let Some((_, truth)) = event.value else { continue };
            if model.bool(pool, event.guard) {
                let held = model.bool(pool, truth);
                let other = if held { pool.not(truth) } else { truth };
                changes.push(pool.and(event.guard, other));
            }
        }
    } else {
        for input in unrolled.unrolling.inputs.iter() {
            let value = model.bits(pool, input.term);
            let value = pool.bits(&value);
            changes.push(pool.ne(input.term, value));
        }
    }
    pool.or_all(&changes)
}
