//! The answer to the user's question, with what it rests on.

use cfa::interp::Outcome;
use cfa::{Bits, EdgeId, Fault, Property};

#[derive(Clone, Debug)]
pub enum Verdict {
    Safe(Proof),
    Unsafe(Violation),
    Unknown(Reason),
}

/// Why the property holds.
#[derive(Clone, Debug)]
pub struct Proof {
    /// Every loop and recursion is unwound completely at this bound.
    pub bound: u32,
}

/// A violation that the interpreter has replayed.
#[derive(Clone, Debug)]
pub struct Violation {
    pub property: Property,
    pub fault: Option<Fault>,
    pub edge: EdgeId,
    /// The inputs of the replayed run, in order.
    pub inputs: Vec<Bits>,
}

#[derive(Clone, Debug)]
pub enum Reason {
    /// Time or memory ran out at this bound.
    Budget { bound: u32 },
    /// The bound that the user set was reached.
    Bound { bound: u32 },
    /// A reachable construct that is not supported.
    Unsupported { construct: String, edge: EdgeId },
    /// The property holds on every run without it.
    Undefined { fault: Fault, edge: EdgeId },
    /// A violation was found that the interpreter does not confirm: a bug of whydunit's.
    NotReplayed { edge: EdgeId, outcome: Outcome },
}

impl Reason {
    pub fn name(&self) -> &'static str {
        match self {
            Reason::Budget { .. } => "budget",
            Reason::Bound { .. } => "bound",
            Reason::Unsupported { .. } => "unsupported",
            Reason::Undefined { .. } => "undefined-behaviour",
            Reason::NotReplayed { .. } => "internal",
        }
    }
}
