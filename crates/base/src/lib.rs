//! Layer 0: what every other crate stands on. No knowledge of C, of automata or of solvers.

mod align;
pub mod budget;
pub mod diagnostic;
pub mod ids;
pub mod intern;
pub mod markup;
pub mod progress;
pub mod race;
pub mod sizes;
pub mod source;
pub mod span;

pub use budget::Budget;
pub use diagnostic::{Diagnostic, Severity};
pub use ids::IdVec;
pub use intern::{Interner, Symbol};
pub use progress::{Explored, Progress, Turn};
pub use race::race;
pub use sizes::{Size, Sizes};
pub use source::{FileId, Location, SourceMap};
pub use span::Span;
