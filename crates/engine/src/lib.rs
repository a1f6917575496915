//! Layer 4: engines decide. Each is one folder and one line in [`ENGINES`].

mod auto;
pub mod bmc;
pub mod induction;
mod pdr;
mod run;

use base::Budget;
use cfa::{FuncId, Program, Property, PropertySet};
pub use encode::Limits;
use evidence::{Check, Tape, Verdict, Violation};

/// A question.
#[derive(Clone, Copy)]
pub struct Task<'p> {
    pub program: &'p Program,
    pub entry: FuncId,
    pub properties: PropertySet,
    /// A fixed bound on loops and recursion; without one, bounds grow until the question is decided.
    pub unwind: Option<u32>,
    /// Bounds of single loops and functions, in place of that one.
    pub limits: &'p Limits,
    /// Look for every place where a property is violated, not only for one.
    pub all: bool,
}

/// An answer, and how far the engine went.
pub struct Answer {
    /// Which engine gave it.
    pub engine: &'static str,
    pub verdict: Verdict,
    pub bound: u32,
    /// The violations, each with what its replayed run was given. With `all`, one for each place; the verdict is that of the first.
    pub violations: Vec<(Violation, Tape)>,
    /// Whether there is nothing more to be found: everything is unwound, and all of it was looked at.
    pub complete: bool,
    /// With `all`, the largest bound at which nothing more was found, if any.
    pub explored: Option<u32>,
    /// With `all`, what is known about each assertion of an asked property, and about the other places of violations.
    pub checks: Vec<Check>,
}

pub struct Engine {
    pub name: &'static str,
    pub about: &'static str,
    /// What it can be asked about; anything else must be refused before.
    pub supports: fn(Property) -> bool,
    pub decide: fn(&Task<'_>, &Budget) -> Answer,
}

pub static ENGINES: &[Engine] = &[
    Engine {
        name: "auto",
        about: "run where there are no inputs, otherwise bmc and induction at the same time",
        supports: bmc::supports,
        decide: auto::decide,
    },
    Engine {
        name: "bmc",
        about: "bounded model checking with growing bounds",
        supports: bmc::supports,
        decide: bmc::decide,
    },
    Engine {
        name: "induction",
        about: "k-induction with invariants: proves only",
        supports: bmc::supports,
        decide: induction::decide,
    },
    Engine {
        name: "run",
        about: "executes a program without inputs in the interpreter",
        supports: |_| true,
        decide: run::decide,
    },
];

/// The engine that is used unless another one is chosen.
pub fn default_engine() -> &'static Engine {
    &ENGINES[0]
}

pub fn engine(name: &str) -> Option<&'static Engine> {
    ENGINES.iter().find(|engine| engine.name == name)
}
