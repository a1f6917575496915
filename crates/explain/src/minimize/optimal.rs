//! The optimum, by MaxSAT over all runs within the bound, one objective after the other. It is anytime: what the budget does not allow to prove
//! is said to be unproven, with the lower bound that is.
//!
//! Values are first minimized on the path that the objectives before have found, which is quick; then over all runs that are as good in those.

use super::locked::Locked;
use super::{Minimized, Objective, ObjectiveResult, greedy, weights};
use crate::Failure;
use crate::unrolled::Unrolled;
use base::Budget;
use logic::maxsat::{self, Optimization};
use logic::sat::SatLit;
use logic::{Model, Solver};

/// What the bits of one event cost to be made.
const EFFORT_OF_EVENT: u64 = 4;

pub fn minimize<'p>(failure: &Failure<'p>, objectives: &[Objective], budget: &Budget) -> Minimized<'p> {
    let mut result = Minimized::unchanged(failure);
    let Some(mut unrolled) = Unrolled::around(failure, budget) else {
        return greedy::minimize(failure, objectives, budget);
    };
    result.bound = Some(unrolled.bound);
    budget.spend(unrolled.unrolling.events.len() as u64 * EFFORT_OF_EVENT);
    let mut face: Vec<SatLit> = Vec::new();
    let mut model = Model::new(unrolled.run.clone());
    for objective in objectives {
        let soft = weights::on_unrolled(&mut unrolled, *objective);
        let cost = |model: &Model, unrolled: &Unrolled<'_, '_>| {
            let false_ones = soft.iter().filter(|(term, _)| !model.bool(&unrolled.encoder.pool, *term));
            false_ones.fold(0u128, |sum, (_, weight)| sum.saturating_add(*weight))
        };
        let found = maxsat::minimize_under(
            &unrolled.encoder.pool,
            &mut unrolled.solver,
            &[unrolled.fails],
            &face,
            &soft,
            budget,
        );
        let (lower_bound, proven) = match found {
            Optimization::Found(found) => {
                // A model of an unfinished search may be worse than what is known.
                if found.proven || found.cost < cost(&model, &unrolled) {
                    model = found.model;
                }
                face.extend(found.optimal);
                (found.lower_bound, found.proven)
            }
            Optimization::Unknown { lower_bound } => (lower_bound, false),
            Optimization::Infeasible(_) => break,
        };
        let cost = cost(&model, &unrolled);
        result.reached.push(ObjectiveResult { objective: *objective, cost, lower_bound, proven });
        if !proven {
            break;
        }
    }
    result.proven = result.reached.len() == objectives.len() && result.reached.iter().all(|reached| reached.proven);
    if result.proven {
        let soft = weights::pleasant(&mut unrolled);
        let (pool, solver) = (&unrolled.encoder.pool, &mut unrolled.solver);
        if soft.iter().any(|(term, _)| !model.bool(pool, *term))
            && let Some(found) = maxsat::minimize_under(pool, solver, &[unrolled.fails], &face, &soft, budget).optimum()
        {
            model = found.model;
        }
    }
    if let Some(found) = unrolled.replay(&model) {
        result.take(found);
    }
    // What is proven is proven of the run that is shown, not of the model that led there.
    let reaches = |reached: &ObjectiveResult| reached.objective.of(&result.costs) <= reached.lower_bound;
    result.proven &= result.reached.iter().all(reaches);
    if !result.proven && objectives.contains(&Objective::Values) {
        improve_on_path(&mut result, objectives, budget);
    }
    result
}

/// Smaller values on the same path.
fn improve_on_path(result: &mut Minimized<'_>, objectives: &[Objective], budget: &Budget) {
    let Some(mut locked) = Locked::of(&result.failure, budget) else { return };
    let soft = locked.soft();
    let found = maxsat::minimize(&locked.encoder.pool, &mut Solver::new(), &[locked.same], &soft, budget);
    let Some(found) = found.optimum() else { return };
    if let Some(better) = locked.replay(&result.failure, &found.model) {
        let before = result.costs_of(objectives);
        let known = (result.failure.clone(), result.costs);
        result.take(better);
        if result.costs_of(objectives) >= before {
            (result.failure, result.costs) = known;
        }
        for reached in &mut result.reached {
            reached.cost = reached.objective.of(&result.costs);
        }
    }
}
