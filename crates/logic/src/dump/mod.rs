//! Questions as text for other solvers.

mod dimacs;
mod smt2;

pub use dimacs::dimacs;
pub use smt2::smt2;
