//! Layer 3: engines decide. Each is one folder and one line in [`ENGINES`].

pub mod bmc;

use base::Budget;
use cfa::{FuncId, Program, PropertySet};
use encode::ModelInputs;
use evidence::Verdict;

/// A question.
#[derive(Clone, Copy)]
pub struct Task<'p> {
    pub program: &'p Program,
    pub entry: FuncId,
    pub properties: PropertySet,
    /// A fixed bound on loops and recursion; without one, bounds grow until the question is decided.
    pub unwind: Option<u32>,
}

/// An answer, and how far the engine went.
pub struct Answer {
    pub verdict: Verdict,
    pub bound: u32,
    /// For a violation: what leads a run there.
    pub inputs: Option<ModelInputs>,
}

pub struct Engine {
    pub name: &'static str,
    pub about: &'static str,
    pub decide: fn(&Task<'_>, &Budget) -> Answer,
}

pub static ENGINES: &[Engine] =
    &[Engine { name: "bmc", about: "bounded model checking with growing bounds", decide: bmc::decide }];
