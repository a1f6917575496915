//! State cores: what must be known of the state at a point of a run for the rest of the run to contradict what should have held. First a minimal set of
//! values, then for each of them the widest bound or interval.

use crate::cores::minimal;
use crate::formula::RunFormula;
use base::Budget;
use cfa::{Type, TypeId};
use logic::{Satisfiability, Solver, TermId};

/// A name and the interval that its value lies in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    pub name: TermId,
    pub signed: bool,
    pub low: i128,
    pub high: i128,
}

impl Interval {
    /// A name with its value on the run; numbers of C by their value, everything else by its bits.
    pub fn exactly(trace: &RunFormula<'_>, name: TermId, ty: Option<TypeId>) -> Option<Interval> {
        let logic::TermValue::Bits(bits) = trace.formula.values.get(name)? else { return None };
        let types = &trace.encoder.task.program.types;
        let signed = ty.is_some_and(|ty| matches!(types.get(ty), Type::Int(_)) && types.is_signed(ty));
        let value = if signed { bits.to_i128()? } else { bits.to_u128()? as i128 };
        Some(Interval { name, signed, low: value, high: value })
    }

    /// The least and the largest value that there are.
    pub fn limits(&self, trace: &RunFormula<'_>) -> (i128, i128) {
        let width = trace.encoder.pool.width(self.name);
        match self.signed {
            true => (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1),
            false => (0, (1i128 << width) - 1),
        }
    }

    /// That the value lies in it.
    pub fn term(&self, trace: &mut RunFormula<'_>) -> TermId {
        let pool = &mut trace.encoder.pool;
        let width = pool.width(self.name);
        let (low, high) = (pool.bv_signed(width, self.low), pool.bv_signed(width, self.high));
        let (above, below) = match self.signed {
            true => (pool.sle(low, self.name), pool.sle(self.name, high)),
            false => (pool.ule(low, self.name), pool.ule(self.name, high)),
        };
        pool.and(above, below)
    }
}

/// The rest of a run, asserted.
pub struct Suffix<'b> {
    solver: Solver,
    budget: &'b Budget,
}

impl<'b> Suffix<'b> {
    pub fn new(trace: &RunFormula<'_>, rest: &[TermId], budget: &'b Budget) -> Self {
        let mut solver = Solver::new();
        for term in rest {
            solver.assert(&trace.encoder.pool, *term);
        }
        Suffix { solver, budget }
    }

    /// Which of some terms about the state contradict the rest, if they do.
    pub fn core(&mut self, trace: &RunFormula<'_>, terms: &[TermId]) -> Option<Vec<TermId>> {
        match self.solver.check(&trace.encoder.pool, terms, self.budget) {
            Satisfiability::Unsat(core) => Some(core),
            Satisfiability::Sat(_) | Satisfiability::Unknown => None,
        }
    }

    /// A minimal set of the terms that contradicts the rest; a question without an answer keeps its term.
    pub fn minimal_core(&mut self, trace: &RunFormula<'_>, terms: &[TermId]) -> Option<Vec<TermId>> {
        let core = self.core(trace, terms)?;
        let core = terms.iter().copied().filter(|term| core.contains(term)).collect();
        Some(minimal(core, std::slice::from_ref, |terms| Some(self.core(trace, terms).ok_or(()))))
    }

    /// The widest bound or interval around one value that still suffices together with other terms; `None` if there is none, or at the end of the
    /// budget.
    pub fn widest(&mut self, trace: &mut RunFormula<'_>, exact: Interval, others: &[TermId]) -> Option<Interval> {
        let (least, most) = exact.limits(trace);
        let value = exact.low;
        let high = self.reach(trace, exact, others, most)?;
        let low = self.reach(trace, exact, others, least)?;
        // Both sides together may be too much, since each was tried alone.
        let both = self.escapes(trace, Interval { low, high, ..exact }, others)?.is_none();
        let (low, high) = match both {
            true => (low, high),
            false if high == most || high - value >= value - low => (value, high),
            false => (low, value),
        };
        ((low, high) != (least, most)).then_some(Interval { low, high, ..exact })
    }

    /// A value in an interval for which the rest is no longer contradicted, if there is one; `None` at the end of the budget.
    fn escapes(&mut self, trace: &mut RunFormula<'_>, interval: Interval, others: &[TermId]) -> Option<Option<i128>> {
        let mut terms = others.to_vec();
        terms.push(interval.term(trace));
        match self.solver.check(&trace.encoder.pool, &terms, self.budget) {
            Satisfiability::Unsat(_) => Some(None),
            Satisfiability::Sat(model) => {
                let bits = model.bits(&trace.encoder.pool, interval.name);
                let value = if interval.signed { bits.to_i128() } else { bits.to_u128().map(|value| value as i128) };
                Some(Some(value?))
            }
            Satisfiability::Unknown => None,
        }
    }

    /// How far a value may move in one direction: bisection, helped by the values that escape.
    fn reach(&mut self, trace: &mut RunFormula<'_>, exact: Interval, others: &[TermId], limit: i128) -> Option<i128> {
        let value = exact.low;
        let up_to = |to: i128| Interval { low: to.min(value), high: to.max(value), ..exact };
        let towards = if limit < value { 1 } else { -1 };
        let Some(mut bad) = self.escapes(trace, up_to(limit), others)? else { return Some(limit) };
        // Everything up to `good` suffices, `bad` does not.
        let mut good = value;
        while (bad - good).abs() > 1 {
            // Perhaps what escaped is the first that does; if not, the middle is next.
            for probe in [bad + towards, good + (bad - good) / 2] {
                match self.escapes(trace, up_to(probe), others)? {
                    None if probe == bad + towards => return Some(probe),
                    None => good = probe,
                    Some(escaped) => bad = escaped,
                }
                if (bad - good).abs() <= 1 {
                    break;
                }
            }
        }
        Some(good)
    }
}
