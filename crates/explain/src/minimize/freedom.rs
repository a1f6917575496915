//! Which inputs matter: whether any value of an input gives the same failure on the same path, or else the widest interval around its value that
//! does, the other inputs being as they are. Proved with the solver, not sampled.

use super::locked::Locked;
use crate::Failure;
use base::Budget;
use cfa::{Bits, Type, eval};
use encode::on_large_stack;
use evidence::Freedom;
use logic::{Satisfiability, Solver, TermId};

/// The freedom of each input, in the order in which the run reads them.
pub fn freedom(failure: &Failure<'_>, budget: &Budget) -> Vec<Freedom> {
    on_large_stack(|| search(failure, budget))
}

fn search(failure: &Failure<'_>, budget: &Budget) -> Vec<Freedom> {
    let Some(mut locked) = Locked::of(failure, budget) else { return Vec::new() };
    let mut solver = Solver::new();
    let inputs = locked.formula.inputs.clone();
    let mut fixed = Vec::new();
    for input in &inputs {
        let width = locked.encoder.pool.width(input.term);
        let value = locked.encoder.pool.bv(width, input.bits.get());
        fixed.push(locked.encoder.pool.eq(input.term, value));
    }
    // Uninitialized memory is as it is in the run.
    let fills: Vec<TermId> = locked.formula.fills.iter().flat_map(|fill| fill.terms.clone()).collect();
    let mut always = Vec::new();
    for term in fills {
        if let Some(logic::TermValue::Bits(bits)) = locked.formula.values.get(term).cloned() {
            let value = locked.encoder.pool.bits(&bits);
            always.push(locked.encoder.pool.eq(term, value));
        }
    }
    let other = locked.encoder.pool.not(locked.same);
    always.push(other);
    (0..inputs.len())
        .map(|index| {
            let others = fixed.iter().enumerate().filter(|(position, _)| *position != index).map(|(_, term)| *term);
            let base: Vec<TermId> = always.iter().copied().chain(others).collect();
            IntervalSearch { locked: &mut locked, solver: &mut solver, base, budget }.one(
                inputs[index].term,
                inputs[index].ty,
                inputs[index].bits,
            )
        })
        .collect()
}

struct IntervalSearch<'s, 'p> {
    locked: &'s mut Locked<'p>,
    solver: &'s mut Solver,
    /// Holds where the run becomes another one; the other inputs are fixed.
    base: Vec<TermId>,
    budget: &'s Budget,
}

impl IntervalSearch<'_, '_> {
    /// Whether the run becomes another one under a condition.
    fn changes(&mut self, cond: Option<TermId>) -> Option<bool> {
        let mut assumed = self.base.clone();
        assumed.extend(cond);
        match self.solver.check(&self.locked.encoder.pool, &assumed, self.budget) {
            Satisfiability::Sat(_) => Some(true),
            Satisfiability::Unsat(_) => Some(false),
            Satisfiability::Unknown => None,
        }
    }

    fn one(&mut self, term: TermId, ty: cfa::TypeId, bits: Bits) -> Freedom {
        match self.changes(None) {
            Some(false) => return Freedom::DontCare,
            Some(true) => {}
            None => return Freedom::Unknown,
        }
        let types = &self.locked.encoder.task.program.types;
        if !matches!(types.get(ty), Type::Int(_)) {
            return Freedom::Unknown;
        }
        let (signed, width) = (types.is_signed(ty), types.scalar_bits(ty));
        let value = eval::to_i128(types, ty, bits);
        let (low, high) = match (signed, width) {
            (true, 1..=127) => (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1),
            (false, 1..=126) => (0, (1i128 << width) - 1),
            _ => return Freedom::Unknown,
        };
        match (self.reach(term, signed, value, high), self.reach(term, signed, value, low)) {
            (Some(to), Some(from)) => Freedom::Range(from, to),
            _ => Freedom::Unknown,
        }
    }

    /// The last value in a direction up to which every value gives the same run, by bisection.
    fn reach(&mut self, term: TermId, signed: bool, from: i128, limit: i128) -> Option<i128> {
        // `good` is proved, `bad` is not: somewhere between them the run changes.
        let (mut good, mut bad) = (from, limit);
        if !self.changes_between(term, signed, from, limit)? {
            return Some(limit);
        }
        while (bad - good).abs() > 1 {
            let middle = good + (bad - good) / 2;
            if self.changes_between(term, signed, good, middle)? {
                bad = middle;
            } else {
                good = middle;
            }
        }
        Some(good)
    }

    fn changes_between(&mut self, term: TermId, signed: bool, a: i128, b: i128) -> Option<bool> {
        let pool = &mut self.locked.encoder.pool;
        let width = pool.width(term);
        let (low, high) = (pool.bv_signed(width, a.min(b)), pool.bv_signed(width, a.max(b)));
        let (above, below) = match signed {
            true => (pool.sle(low, term), pool.sle(term, high)),
            false => (pool.ule(low, term), pool.ule(term, high)),
        };
        let inside = pool.and(above, below);
        self.changes(Some(inside))
    }
}
