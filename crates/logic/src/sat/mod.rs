//! What the rest asks of a SAT solver, and the solvers there are.

pub mod cadical;

use base::Budget;

/// A literal as in DIMACS: a variable from 1 on, negative if negated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SatLit(pub i32);

impl std::ops::Not for SatLit {
    type Output = SatLit;
    #[inline]
    fn not(self) -> SatLit {
        SatLit(-self.0)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SatResult {
    Sat,
    Unsat,
    /// The budget is used up.
    Unknown,
}

/// Where clauses go: a solver, or a file. Variables need no declaration: using one makes it.
pub trait ClauseSink {
    fn add_clause(&mut self, clause: &[SatLit]);
}

/// An incremental SAT solver.
pub trait SatBackend: ClauseSink {
    /// Decides the clauses under assumptions, which hold for this call only.
    fn solve(&mut self, assumptions: &[SatLit], budget: &Budget) -> SatResult;

    /// After `Sat`, until the next clause.
    fn value(&mut self, lit: SatLit) -> bool;

    /// After `Unsat`: whether the assumption was used.
    fn failed(&mut self, assumption: SatLit) -> bool;

    /// Prefer this literal when deciding its variable; a hint.
    fn prefer(&mut self, lit: SatLit);

    /// Decide freely again.
    fn forget_preference(&mut self, lit: SatLit);

    /// Conflicts so far, if the solver counts them.
    fn conflicts(&self) -> u64;
}
