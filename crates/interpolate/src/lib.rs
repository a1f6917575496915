//! Layer 3: one run as a formula, for those who ask why it is as it is. The inputs and the steps hold together; with what should have held they
//! contradict each other.
//!
//! * [`formula`] the formula ([`pinned`] if it is too heavy)
//! * [`cores`] small contradictions, [`flow`] those that also explain why their statements are reached
//! * [`preconditions`] the shortest end of a run that contradicts its assertion
//! * [`state`] the values at a point, and the intervals around them, that the rest of a run needs; [`invariants`] error invariants made of them
//! * [`words`] what values are called in C, and where that is true to say

pub mod cores;
pub mod flow;
pub mod formula;
pub mod invariants;
mod pinned;
pub mod preconditions;
pub mod state;

pub mod words;

pub use formula::RunFormula;
