//! Layer 1: terms over Booleans, bit-vectors, arrays and floats, and the questions asked about them. Nothing of C here.
//!
//! [`TermPool`] builds and rewrites terms; [`Solver`] bit-blasts what a question reaches into an and-inverter graph, its
//! clauses into a SAT solver, and keeps all of it for the next question; [`maxsat`] optimizes; [`float`] expresses IEEE
//! arithmetic by bit-vector terms; [`eval`] is the oracle of the tests and reads models; [`dump`] writes questions for
//! other solvers; [`simulate`] runs terms as circuits on many inputs at once. `Sat` and `Unsat` are words of this crate only.

pub mod aig;
mod arrays;
pub mod bits;
mod blast;
mod cases;
mod cnf;
pub mod dump;
pub mod eval;
pub mod float;
mod largest;
pub mod maxsat;
mod model;
mod pool;
mod refute;
mod rewrite;
pub mod sat;
pub mod simulate;
mod solver;
mod substitute;
mod term;

pub use bits::Bits;
pub use eval::{ArrayValue, Assignment, Evaluator, TermValue};
pub use model::Model;
pub use pool::TermPool;
pub use rewrite::ArrayEqError;
pub use solver::{Satisfiability, Solver, Statistics};
pub use term::{Args, MAX_WIDTH, Sort, TermId, TermOp};
