//! Layer 2: what was found out, as plain data over cfa ids. A [`Trace`] is a concrete run; a [`Verdict`] is the answer.

pub mod cause;
mod cycles;
pub mod freedom;
pub mod measure;
pub mod pointee;
pub mod shown;
pub mod tape;
pub mod trace;
pub mod verdict;

pub use cause::{Cause, Change, Operand, Predicate, Relation, Seen, Strength, Subject, ValueOf};
pub use freedom::Freedom;
pub use measure::Measure;
pub use pointee::{Ended, FaultDetail, Owner, PointedObject, Pointee};
pub use tape::{Player, Tape, TapeRecorder};
pub use trace::{LONG_RUN, Step, StepKind, Trace, TraceRecorder};
pub use verdict::{Check, CheckVerdict, Invariant, Invariants, Proof, Reason, ShapeProof, Verdict, Violation};
