//! Layer 2: shape analysis. Abstract states describe memories with linked lists of any length (symbolic memory graphs, Dudka et al. 2013);
//! [`analyze`] searches states at all loop heads that prove a task, [`check`] checks such a proof.
//!
//! `graph` and `facts` are the data, `state` a state with its variables; `evaluate`, `compare`, `step` and `library` say what a program does to
//! a state; `fold` and `join` abstract, `cover` is inclusion.
//!
//! Invariants: what is not followed is an unknown number or the end of the attempt, never nothing. A proof rests on the transfer functions and
//! `cover` only.

mod analyze;
mod check;
mod compare;
pub mod concrete;
mod cover;
mod evaluate;
mod facts;
mod fold;
mod graph;
mod join;
mod library;
mod state;
mod step;

pub use analyze::analyze;
pub use check::{Flaw, Place, Shapes, check};
pub use evaluate::Trouble;
