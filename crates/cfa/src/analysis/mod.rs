//! Analyses of a whole program that later stages share. Each is computed once from a [`crate::Program`] and then asked.
//!
//! * [`assigned`]: which variables are assigned before they are read.
//! * [`dominators`]: which locations every run of a function passes on the way to, or after, a location.
//! * [`points_to`]: which objects a pointer can point into, and which functions a call can call.
//! * [`effects`]: what an edge, a loop or a function with its callees may read, write, free and allocate.
//! * [`recursion`]: which functions may be called while they run.
//! * [`liveness`]: which variables may still be read.
//!
//! *Invariant:* the results cover every run of [`crate::interp`], as far as `points_to` promises.

pub mod assigned;
pub mod dominators;
pub mod effects;
pub mod library;
pub mod liveness;
pub mod offsets;
pub mod points_to;
pub mod recursion;

pub use effects::{Effects, Region};
pub use points_to::{Object, PointsTo, Target, Targets};
pub use recursion::Recursion;
