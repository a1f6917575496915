//! Layer 4: engines decide. Each is one folder and one line in [`ENGINES`].

mod auto;
mod blocks;
pub mod bmc;
pub mod cegar;
mod fuzz;
pub mod induction;
mod pdr;
mod run;
mod shapes;
mod system;
pub mod traces;
mod turn;

use base::Budget;
use cfa::{Property, Task};
pub use encode::Limits;
use evidence::{Check, Tape, Verdict, Violation};

/// How an engine is to go about a task.
#[derive(Clone, Default)]
pub struct Options {
    /// A fixed bound on loops and recursion; without one, bounds grow until the question is decided.
    pub unwind: Option<u32>,
    /// Bounds of single loops and functions, in place of that one.
    pub limits: Limits,
    /// Look for every place where a property is violated, not only for one.
    pub all: bool,
}

impl Options {
    pub fn is_default(&self) -> bool {
        self.unwind.is_none() && self.limits.is_empty() && !self.all
    }
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

pub type Decide = fn(Task<'_>, &Options, &Budget) -> Answer;

pub struct Engine {
    pub name: &'static str,
    pub about: &'static str,
    /// What it can be asked about; anything else must be refused before.
    pub supports: fn(Property) -> bool,
    /// Whether it obeys [`Options`]; other engines must be given none.
    pub takes_options: bool,
    pub decide: Decide,
}

/// The engine that is used unless another one is chosen.
pub const DEFAULT_ENGINE: &str = "auto";

pub static ENGINES: &[Engine] = &[
    Engine {
        name: DEFAULT_ENGINE,
        about: "run where there are no inputs, otherwise bmc, fuzz, shapes and induction at the same time",
        supports: bmc::supports,
        takes_options: true,
        decide: auto::decide,
    },
    Engine {
        name: "bmc",
        about: "bounded model checking with growing bounds",
        supports: bmc::supports,
        takes_options: true,
        decide: bmc::decide,
    },
    Engine {
        name: "induction",
        about: "k-induction with invariants: proves only",
        supports: bmc::supports,
        takes_options: false,
        decide: induction::decide,
    },
    Engine {
        name: "predicates",
        about: "predicate abstraction with refinement by interpolants: proves only",
        supports: bmc::supports,
        takes_options: false,
        decide: cegar::decide_predicates,
    },
    Engine {
        name: "values",
        about: "explicit values of some variables with refinement: proves only",
        supports: bmc::supports,
        takes_options: false,
        decide: cegar::decide_values,
    },
    Engine {
        name: "traces",
        about: "trace abstraction with Floyd-Hoare automata: proves only",
        supports: bmc::supports,
        takes_options: false,
        decide: traces::decide,
    },
    Engine {
        name: "shapes",
        about: "shapes of linked lists at loop heads: proves only",
        supports: shapes::supports,
        takes_options: false,
        decide: shapes::decide,
    },
    Engine {
        name: "fuzz",
        about: "runs on chosen inputs: finds violations only",
        supports: |_| true,
        takes_options: false,
        decide: fuzz::decide,
    },
    Engine {
        name: "run",
        about: "executes a program without inputs in the interpreter",
        supports: |_| true,
        takes_options: false,
        decide: run::decide,
    },
];

impl Engine {
    /// Its answer; what it did is noted in the budget's progress.
    pub fn ask(&self, task: Task<'_>, options: &Options, budget: &Budget) -> Answer {
        // The engine that chooses notes the turns of the others.
        match self.name == DEFAULT_ENGINE {
            true => (self.decide)(task, options, budget),
            false => turn::turn(self.name, budget, |budget| (self.decide)(task, options, budget)),
        }
    }
}

pub fn default_engine() -> &'static Engine {
    engine(DEFAULT_ENGINE).expect("the default is in the table")
}

pub fn engine(name: &str) -> Option<&'static Engine> {
    ENGINES.iter().find(|engine| engine.name == name)
}
