//! Which of the differences matter (Δ-slicing; Groce et al. 2004): each value that changed may also stay as it was in the
//! failing run, as if nothing had been assigned; the fewest changes with which the run still passes are the relevant ones.

use super::distance::{self, Point};
use crate::unrolled::Unrolled;
use base::Budget;
use logic::maxsat::{self, Optimization};
use logic::{Model, Solver, Sort, TermId, TermOp, TermPool};
use rustc_hash::FxHashMap;

/// For each point that changed: whether it is needed. `None` if the budget ended.
pub fn relevant(
    unrolled: &mut Unrolled<'_, '_>,
    changed: &[Point],
    passing: TermId,
    model: &Model,
    budget: &Budget,
) -> Option<Vec<bool>> {
    let run = Model::new(unrolled.run.clone());
    let pool = &mut unrolled.encoder.pool;
    // One variable for each term that has another value; copies share it.
    let mut cuts: Vec<(TermId, TermId, TermId)> = Vec::new();
    let mut instead: FxHashMap<TermId, TermId> = FxHashMap::default();
    for point in changed {
        let Some(term) = point.event.value.map(|(_, term)| unnegated(pool, term)) else { continue };
        if pool.is_const(term) || instead.contains_key(&term) || model.bits(pool, term) == run.bits(pool, term) {
            continue;
        }
        let index = cuts.len();
        let cut = match pool.sort(term) {
            Sort::Bool => pool.bool_var(&format!("cut@{index}")),
            _ => {
                let width = pool.width(term);
                pool.bv_var(&format!("cut@{index}"), width)
            }
        };
        let keep = pool.bool_var(&format!("keep@{index}"));
        cuts.push((term, cut, keep));
        instead.insert(term, cut);
    }
    // Everything else is as in the passing run.
    let inputs = unrolled.unrolling.inputs.iter().map(|input| input.term);
    let uninitialized_values = unrolled
        .unrolling
        .fills
        .iter()
        .flat_map(|fill| &fill.parts)
        .flat_map(|part| part.scalars.iter().map(|scalar| scalar.2));
    for term in inputs.chain(uninitialized_values).filter(|term| pool.name(*term).is_some()).collect::<Vec<TermId>>() {
        instead.entry(term).or_insert_with(|| pool.bits(&model.bits(pool, term)));
    }
    let mut hard = vec![pool.substitute(passing, &mut instead)];
    let mut soft = Vec::new();
    for (term, cut, keep) in &cuts {
        let given = match pool.args(*term).is_empty() {
            // An input has the value of the passing run.
            true => distance::equals(pool, *cut, &model.bits(pool, *term)),
            false => {
                let computed = pool.substitute_below(*term, &mut instead);
                pool.eq(*cut, computed)
            }
        };
        let as_before = distance::equals(pool, *cut, &run.bits(pool, *term));
        hard.push(pool.ite(*keep, given, as_before));
        soft.push((pool.not(*keep), 1));
    }
    let found = match maxsat::minimize(pool, &mut Solver::new(), &hard, &soft, budget) {
        Optimization::Found(found) => found,
        Optimization::Infeasible(_) | Optimization::Unknown { .. } => return None,
    };
    let kept: FxHashMap<TermId, bool> =
        cuts.iter().map(|(term, _, keep)| (*term, found.model.bool(pool, *keep))).collect();
    let is_kept = |point: &Point| {
        let term = point.event.value.map(|(_, term)| unnegated(pool, term));
        term.and_then(|term| kept.get(&term)).copied().unwrap_or(false)
    };
    Some(changed.iter().map(is_kept).collect())
}

/// A condition and its negation change together.
fn unnegated(pool: &TermPool, term: TermId) -> TermId {
    match (pool.sort(term), pool.op(term)) {
        (Sort::Bool, TermOp::Not) => pool.arg(term, 0),
        _ => term,
    }
}
