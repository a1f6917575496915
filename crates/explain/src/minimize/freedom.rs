//! Which inputs matter: whether any value of an input gives the same failure on the same path, or else the widest interval around its value that
//! does, the other inputs being as they are. Proved with the solver, not sampled.

use super::failing_box::all_values;
use super::locked::Locked;
use crate::Failure;
use base::Budget;
use cfa::{Bits, Type, eval};
use encode::on_large_stack;
use evidence::Freedom;
use logic::{Assignment, Satisfiability, Solver, Sort, TermId, TermPool, TermValue};

/// The freedom of each input, in the order in which the run reads them.
pub fn freedom(failure: &Failure<'_>, budget: &Budget) -> Vec<Freedom> {
    on_large_stack(|| search(failure, budget))
}

fn search(failure: &Failure<'_>, budget: &Budget) -> Vec<Freedom> {
    let Some(mut locked) = Locked::of(failure, budget) else { return Vec::new() };
    let mut solver = Solver::new();
    let inputs = locked.formula.inputs.clone();
    let pool = &mut locked.encoder.pool;
    let mut values = Vec::new();
    for input in &inputs {
        let width = pool.width(input.term);
        values.push((input.term, pool.bv(width, input.bits.get())));
    }
    // Uninitialized memory is as it is in the run.
    for term in locked.formula.fills.iter().flat_map(|fill| fill.terms.clone()) {
        if let Some(value) = locked.formula.values.get(term).and_then(|value| as_term(pool, term, value)) {
            values.push((term, value));
        }
    }
    let mut freedom = Vec::new();
    for input in &inputs {
        if budget.expired() {
            freedom.push(Freedom::Unknown);
            continue;
        }
        // With the other values put in, little is left of the formula.
        let mut done = values.iter().copied().filter(|(term, _)| *term != input.term).collect();
        let same = locked.encoder.pool.substitute(locked.same, &mut done);
        let other = locked.encoder.pool.not(same);
        let values = locked.formula.values.clone();
        let search = IntervalSearch { locked: &mut locked, solver: &mut solver, same, other, values, budget };
        freedom.push(search.one(input.term, input.ty, input.bits));
    }
    freedom
}

/// A term of the same sort that has a value.
fn as_term(pool: &mut TermPool, variable: TermId, value: &TermValue) -> Option<TermId> {
    match (value, pool.sort(variable)) {
        (TermValue::Bits(bits), _) => Some(pool.bits(bits)),
        (TermValue::Array(array), Sort::Array { index, .. }) => {
            let default = pool.bits(&array.default);
            let mut all = pool.const_array(index, default);
            for (index, element) in &array.elements {
                let (index, element) = (pool.bits(index), pool.bits(element));
                all = pool.store(all, index, element);
            }
            Some(all)
        }
        _ => None,
    }
}

struct IntervalSearch<'s, 'p> {
    locked: &'s mut Locked<'p>,
    solver: &'s mut Solver,
    /// Holds where the run stays the same one; the other inputs are fixed.
    same: TermId,
    /// Holds where it becomes another one.
    other: TermId,
    /// The values of the run, but for the input.
    values: Assignment,
    budget: &'s Budget,
}

impl IntervalSearch<'_, '_> {
    /// A value of the input for which the run becomes another one, under a condition; the outer `None` if it is not known.
    fn change(&mut self, input: TermId, cond: Option<TermId>) -> Option<Option<logic::Bits>> {
        let assumed: Vec<TermId> = std::iter::once(self.other).chain(cond).collect();
        match self.solver.check(&self.locked.encoder.pool, &assumed, self.budget) {
            Satisfiability::Sat(model) => Some(Some(model.bits(&self.locked.encoder.pool, input))),
            Satisfiability::Unsat(_) => Some(None),
            Satisfiability::Unknown => None,
        }
    }

    /// Whether the run stays the same with another value of the input.
    fn is_same(&mut self, input: TermId, value: i128) -> bool {
        let pool = &self.locked.encoder.pool;
        self.values.set_bits(input, logic::Bits::from_i128(pool.width(input), value));
        logic::eval::eval(pool, &self.values, self.same).as_bool() == Some(true)
    }

    fn one(mut self, term: TermId, ty: cfa::TypeId, bits: Bits) -> Freedom {
        match self.change(term, None) {
            Some(None) => return Freedom::DontCare,
            Some(Some(_)) => {}
            None => return Freedom::Unknown,
        }
        let types = &self.locked.encoder.task.program.types;
        if !matches!(types.get(ty), Type::Int(_)) {
            return Freedom::Unknown;
        }
        let (signed, width) = (types.is_signed(ty), types.scalar_bits(ty));
        let value = eval::to_i128(types, ty, bits);
        let Some((low, high)) = all_values(signed, width) else { return Freedom::Unknown };
        match (self.reach(term, signed, value, high), self.reach(term, signed, value, low)) {
            (Some(to), Some(from)) => Freedom::Range(from, to),
            _ => Freedom::Unknown,
        }
    }

    /// The last value in a direction up to which every value gives the same run. Bisection finds where it changes, if it changes once; the solver proves
    /// that it does not change before, or knows where.
    fn reach(&mut self, term: TermId, signed: bool, from: i128, limit: i128) -> Option<i128> {
        let mut last = limit;
        if !self.is_same(term, from) {
            return None;
        }
        loop {
            if !self.is_same(term, last) {
                // `good` gives the same run, `bad` does not: somewhere between them it changes.
                let (mut good, mut bad) = (from, last);
                while (bad - good).abs() > 1 {
                    let middle = good + (bad - good) / 2;
                    match self.is_same(term, middle) {
                        true => good = middle,
                        false => bad = middle,
                    }
                }
                last = good;
            }
            let between = self.between(term, signed, from, last);
            match self.change(term, Some(between))? {
                None => return Some(last),
                Some(bits) => {
                    last = if signed { bits.to_i128()? } else { i128::try_from(bits.to_u128()?).ok()? };
                    // Then something else than this input decides.
                    if self.is_same(term, last) {
                        return None;
                    }
                }
            }
        }
    }

    fn between(&mut self, term: TermId, signed: bool, a: i128, b: i128) -> TermId {
        let pool = &mut self.locked.encoder.pool;
        let width = pool.width(term);
        let (low, high) = (pool.bv_signed(width, a.min(b)), pool.bv_signed(width, a.max(b)));
        let (above, below) = match signed {
            true => (pool.sle(low, term), pool.sle(term, high)),
            false => (pool.ule(low, term), pool.ule(term, high)),
        };
        pool.and(above, below)
    }
}
