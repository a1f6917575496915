//! Programs as large blocks between loop heads, for searches that refine an abstraction by infeasible paths: `steps` are the blocks, `path` executes
//! sequences of them, `interpolants` (made of the `atoms` of steps) say why a path is infeasible, and `invariants` makes what is reachable in an abstraction
//! candidates for [`crate::induction`], written in C by `expression`.

pub mod atoms;
pub mod expression;
pub mod interpolants;
pub mod invariants;
pub mod path;
pub mod steps;

/// Why a search ends without an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    OutOfBudget,
    /// A path on which something goes wrong is feasible, as far as the points show.
    Feasible,
    /// No precision excludes a path.
    Stuck,
}
