//! Layer 4: verification witnesses, the evidence that verifiers exchange.
//!
//! [`Witness`] is what a witness says in any format; [`formats`] reads and writes the formats; [`lint`] checks a witness, alone or against
//! its program; [`from_evidence`] makes witnesses of what was found; [`convert`] translates where the meaning is kept; [`show`] draws. Nothing here touches a file or needs a solver.

pub mod convert;
pub mod formats;
pub mod from_evidence;
pub mod lint;
pub mod model;
pub mod program;
pub mod show;
pub mod specification;
pub mod testcase;

pub use formats::{FORMATS, Format, Limits, Read, parse, read, write};
pub use lint::{Finding, RULES, Rule, Severity};
pub use model::{Automaton, Content, Entry, Kind, Position, Witness};
