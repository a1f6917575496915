//! Greedy minimization (Groce and Kroening 2005, section 4.1): guards by weight, the largest first, forced to false where that is possible; then, with the
//! control flow locked, bits of all values from the most significant down.

use super::locked::Locked;
use super::{Minimized, Objective};
use crate::Failure;
use crate::unrolled::Unrolled;
use base::Budget;
use cfa::{Type, TypeId};
use encode::EventKind;
use logic::{Model, Outcome, Solver, TermId, TermPool};
use rustc_hash::FxHashMap;

pub fn minimize<'p>(failure: &Failure<'p>, objectives: &[Objective], budget: &Budget) -> Minimized<'p> {
    let mut result = Minimized::unchanged(failure);
    for objective in objectives {
        let found = match objective {
            Objective::Values => values(&result.failure, budget),
            _ => guards(&result.failure, *objective, &mut result.bound, budget),
        };
        // The replay decides: a step that does not make the run better is not taken.
        if let Some(found) = found {
            let before = result.costs_of(objectives);
            let known = (result.failure.clone(), result.costs);
            result.take(found);
            if result.costs_of(objectives) > before {
                (result.failure, result.costs) = known;
            }
        }
    }
    result
}

/// Conditions to be made false, one after the other; `None` for a condition means "as it is in this model".
struct Wishes<'a> {
    pool: &'a mut TermPool,
    solver: &'a mut Solver,
    granted: Vec<TermId>,
    model: Model,
}

impl Wishes<'_> {
    /// Makes a term true if that is still possible; whether it is. `None` at the end of the budget.
    fn grant(&mut self, wish: TermId, budget: &Budget) -> Option<bool> {
        if self.model.bool(self.pool, wish) {
            self.granted.push(wish);
            return Some(true);
        }
        self.granted.push(wish);
        match self.solver.check(self.pool, &self.granted, budget) {
            Outcome::Sat(model) => {
                self.model = model;
                Some(true)
            }
            Outcome::Unsat(_) => {
                self.granted.pop();
                let not = self.pool.not(wish);
                self.granted.push(not);
                Some(false)
            }
            Outcome::Unknown => {
                self.granted.pop();
                None
            }
        }
    }
}

fn guards<'p>(
    failure: &Failure<'p>,
    objective: Objective,
    bound: &mut Option<u32>,
    budget: &Budget,
) -> Option<Failure<'p>> {
    let mut unrolled = Unrolled::around(failure, budget)?;
    *bound = Some(unrolled.bound);
    let mut weights: FxHashMap<TermId, u64> = FxHashMap::default();
    match objective {
        Objective::Calls => {
            for event in unrolled.unrolling.events.iter().filter(|event| event.kind == EventKind::Call) {
                *weights.entry(event.guard).or_default() += 1;
            }
        }
        Objective::Inputs => {
            let inputs: Vec<(TermId, TermId)> =
                unrolled.unrolling.inputs.iter().map(|input| (input.guard, input.term)).collect();
            for (guard, term) in inputs {
                let pool = &mut unrolled.encoder.pool;
                let width = pool.width(term);
                let zero = pool.bv(width, 0);
                let other = pool.ne(term, zero);
                let other = pool.and(guard, other);
                *weights.entry(other).or_default() += 1;
            }
        }
        Objective::Length | Objective::Values => {
            for one in unrolled.giving() {
                *weights.entry(one.event.guard).or_default() += 1;
            }
        }
    }
    let mut weights: Vec<(TermId, u64)> = weights.into_iter().collect();
    weights.sort_unstable_by_key(|(guard, weight)| (std::cmp::Reverse(*weight), *guard));
    let fails = unrolled.fails;
    let model = Model::new(unrolled.run.clone());
    let mut wishes =
        Wishes { pool: &mut unrolled.encoder.pool, solver: &mut unrolled.solver, granted: vec![fails], model };
    for (guard, _) in weights {
        let wish = wishes.pool.not(guard);
        if wishes.pool.as_bool(wish).is_none() && wishes.grant(wish, budget).is_none() {
            break;
        }
    }
    let model = wishes.model;
    unrolled.replay(&model)
}

fn values<'p>(failure: &Failure<'p>, budget: &Budget) -> Option<Failure<'p>> {
    let mut locked = Locked::of(failure, budget)?;
    let types = &failure.task.program.types;
    let mut values: Vec<(TypeId, TermId)> = locked.values.clone();
    values.retain(|(ty, _)| matches!(types.get(*ty), Type::Int(_)));
    values.sort_unstable();
    values.dedup();
    let widest = values.iter().map(|(_, value)| locked.encoder.pool.width(*value)).max()?;
    let mut solver = Solver::new();
    let model = Model::new(locked.formula.values.clone());
    let same = locked.same;
    let mut wishes = Wishes { pool: &mut locked.encoder.pool, solver: &mut solver, granted: vec![same], model };
    // Distance from the most significant bit; bits of the same significance are tried together.
    'bits: for index in (0..widest).rev() {
        for (ty, value) in &values {
            let width = wishes.pool.width(*value);
            if index >= width {
                continue;
            }
            let bit = wishes.pool.bit(*value, index);
            let wish = if types.is_signed(*ty) && index + 1 < width {
                let sign = wishes.pool.bit(*value, width - 1);
                let negative = wishes.model.bool(wishes.pool, sign);
                if negative { bit } else { wishes.pool.not(bit) }
            } else {
                wishes.pool.not(bit)
            };
            if wishes.pool.as_bool(wish).is_none() && wishes.grant(wish, budget).is_none() {
                break 'bits;
            }
        }
    }
    let model = wishes.model;
    locked.replay(failure, &model)
}
