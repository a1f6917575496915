//! Layer 2: what was found out, as plain data over cfa ids. A [`Trace`] is a concrete run, whoever found it.

pub mod trace;

pub use trace::{Recorder, Step, StepKind, Trace};
