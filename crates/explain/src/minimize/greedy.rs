//! Greedy minimization (Groce and Kroening 2005, section 4.1): guards by weight, the largest first, forced to false where that is possible; then,
//! with the control flow locked, bits of all values from the most significant down.

use super::locked::Locked;
use super::{Minimized, Objective, weights};
use crate::Failure;
use crate::unrolled::Unrolled;
use base::Budget;
use cfa::{Type, TypeId};
use encode::EventKind;
use logic::{Model, Satisfiability, Solver, TermId, TermPool};
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

/// Literals assumed so far, all of which hold in the model.
struct Assumptions<'a> {
    pool: &'a mut TermPool,
    solver: &'a mut Solver,
    assumed: Vec<TermId>,
    model: Model,
}

impl Assumptions<'_> {
    /// Assumes a term if it is consistent with the assumptions so far, else its negation; returns whether it was. `None` at the end of the budget.
    fn try_assume(&mut self, wanted: TermId, budget: &Budget) -> Option<bool> {
        if self.model.bool(self.pool, wanted) {
            self.assumed.push(wanted);
            return Some(true);
        }
        self.assumed.push(wanted);
        match self.solver.check(self.pool, &self.assumed, budget) {
            Satisfiability::Sat(model) => {
                self.model = model;
                Some(true)
            }
            Satisfiability::Unsat(_) => {
                self.assumed.pop();
                let not = self.pool.not(wanted);
                self.assumed.push(not);
                Some(false)
            }
            Satisfiability::Unknown => {
                self.assumed.pop();
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
    let mut costs: FxHashMap<TermId, u64> = FxHashMap::default();
    match objective {
        Objective::Calls => {
            for event in unrolled.unrolling.events.iter().filter(|event| event.kind == EventKind::Call) {
                *costs.entry(event.guard).or_default() += 1;
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
                *costs.entry(other).or_default() += 1;
            }
        }
        Objective::Cycles | Objective::Changes => {
            for (wanted, weight) in weights::on_unrolled(&mut unrolled, objective) {
                *costs.entry(unrolled.encoder.pool.not(wanted)).or_default() += weight as u64;
            }
        }
        Objective::Length | Objective::Values => {
            for one in unrolled.giving() {
                *costs.entry(one.event.guard).or_default() += 1;
            }
        }
    }
    let mut costs: Vec<(TermId, u64)> = costs.into_iter().collect();
    costs.sort_unstable_by_key(|(guard, weight)| (std::cmp::Reverse(*weight), *guard));
    let fails = unrolled.fails;
    let model = Model::new(unrolled.run.clone());
    let mut assumptions =
        Assumptions { pool: &mut unrolled.encoder.pool, solver: &mut unrolled.solver, assumed: vec![fails], model };
    for (guard, _) in costs {
        let wanted = assumptions.pool.not(guard);
        if assumptions.pool.as_bool(wanted).is_none() && assumptions.try_assume(wanted, budget).is_none() {
            break;
        }
    }
    let model = assumptions.model;
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
    let mut assumptions =
        Assumptions { pool: &mut locked.encoder.pool, solver: &mut solver, assumed: vec![same], model };
    // Distance from the most significant bit; bits of the same significance are tried together.
    'bits: for index in (0..widest).rev() {
        for (ty, value) in &values {
            let width = assumptions.pool.width(*value);
            if index >= width {
                continue;
            }
            let bit = assumptions.pool.bit(*value, index);
            let wanted = if types.is_signed(*ty) && index + 1 < width {
                let sign = assumptions.pool.bit(*value, width - 1);
                let negative = assumptions.model.bool(assumptions.pool, sign);
                if negative { bit } else { assumptions.pool.not(bit) }
            } else {
                assumptions.pool.not(bit)
            };
            if assumptions.pool.as_bool(wanted).is_none() && assumptions.try_assume(wanted, budget).is_none() {
                break 'bits;
            }
        }
    }
    let model = assumptions.model;
    locked.replay(failure, &model)
}
