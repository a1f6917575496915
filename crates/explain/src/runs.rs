//! Further runs of the unrolled program: failing ones that take other paths, and passing ones.

use crate::Failure;
use crate::unrolled::Unrolled;
use base::Budget;
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

/// Runs that end regularly, each along another path.
pub fn passing(failure: &Failure<'_>, count: usize, budget: &Budget) -> Vec<Tape> {
    let Some(mut unrolled) = Unrolled::around(failure, budget) else { return Vec::new() };
    let ends = unrolled.encoder.pool.or_all(&unrolled.unrolling.ends);
    let mut blocked = vec![ends];
    blocked.extend(unrolled.unrolling.replayable);
    let mut tapes = Vec::new();
    while tapes.len() < count {
        let Satisfiability::Sat(model) = unrolled.solver.check(&unrolled.encoder.pool, &blocked, budget) else { break };
        let other = difference(&mut unrolled, &model, true);
        blocked.push(other);
        let (run, tape) = unrolled.run_of(&model);
        if matches!(run.outcome, cfa::interp::Outcome::Finished(_)) {
            tapes.push(tape);
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
