//! Layer 3: engines decide. Each is one folder and one line in [`ENGINES`].

pub mod bmc;

use base::Budget;
use cfa::{FuncId, Program, Property, PropertySet};
use encode::ModelInputs;
use evidence::{Verdict, Violation};

/// A question.
#[derive(Clone, Copy)]
pub struct Task<'p> {
    pub program: &'p Program,
    pub entry: FuncId,
    pub properties: PropertySet,
    /// A fixed bound on loops and recursion; without one, bounds grow until the question is decided.
    pub unwind: Option<u32>,
    /// Look for every place where a property is violated, not only for one.
    pub all: bool,
}

/// An answer, and how far the engine went.
pub struct Answer {
    pub verdict: Verdict,
    pub bound: u32,
    /// The violations, each with what leads a run there. With `all`, one for each place; the verdict is that of the first.
    pub violations: Vec<(Violation, ModelInputs)>,
    /// Whether there is nothing more to be found: everything is unwound, and all of it was looked at.
    pub complete: bool,
}

pub struct Engine {
    pub name: &'static str,
    pub about: &'static str,
    /// What it can be asked about; anything else must be refused before.
    pub supports: fn(Property) -> bool,
    pub decide: fn(&Task<'_>, &Budget) -> Answer,
}

pub static ENGINES: &[Engine] = &[Engine {
    name: "bmc",
    about: "bounded model checking with growing bounds",
    supports: bmc::supports,
    decide: bmc::decide,
}];
