//! Layer 4: after a failure. Everything here works on a [`Failure`], a program and a run that violates a property, wherever the run came from.
//!
//! * [`minimize`] the shortest run with the smallest values that fails in the same place
//! * [`causes`] the closest run that passes, and what the failure depends on
//! * [`dynamic_slice`] the steps of the run that the violation depends on
//! * [`localize`] which lines to suspect
//! * [`repair`] edits that make it hold
//! * [`runs`] further failing and passing runs
//! * [`suite`] tests: what runs are given and what is expected of them
//! * [`unrolled`] the failing run within the unrolled program: all the other runs there are
//! * [`replay`] from a model back to a run of the interpreter

mod assertion_edge;
pub mod causes;
pub mod dynamic_slice;
pub mod localize;
pub mod minimize;
pub mod repair;
pub mod replay;
pub mod runs;
pub mod suite;
pub mod unrolled;
mod untaken;

use cfa::{EdgeId, Fault, Property, Task};
use evidence::Tape;

/// A run that violates a property.
#[derive(Clone)]
pub struct Failure<'p> {
    /// What was asked; the run violates it.
    pub task: Task<'p>,
    pub tape: Tape,
    pub property: Property,
    pub fault: Option<Fault>,
    /// Where the run ends.
    pub edge: EdgeId,
    /// Of the run; 0 if it was not counted.
    pub steps: u64,
}

impl<'p> Failure<'p> {
    /// What is known of this failure, with another run, which need not fail.
    pub fn with_tape(&self, tape: &Tape) -> Failure<'p> {
        Failure { tape: tape.clone(), steps: 0, ..*self }
    }
}
