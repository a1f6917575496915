//! The answer to the user's question, with what it rests on.

use crate::Tape;
use cfa::interp::Outcome;
use cfa::{Anchor, Bits, EdgeId, ExprId, Fault, Program, Property};
use std::any::Any;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub enum Verdict {
    Safe(Proof),
    Unsafe(Violation),
    Unknown(Reason),
}

/// Why the property holds.
#[derive(Clone, Debug)]
pub enum Proof {
    /// Every loop and recursion is unwound completely at this bound.
    Unwound { bound: u32 },
    /// The program has no inputs, and its only run was executed to its end.
    Executed { steps: u64 },
    /// Loops were cut at their heads, recursive calls replaced by contracts.
    Invariants(Invariants),
    /// Memory has one of some shapes whenever a run is at a loop head.
    Shapes(ShapeProof),
}

/// Abstract states at all loop heads that cover each other and exclude every violation. They are data of the crate `shapes`, which makes and checks them.
#[derive(Clone)]
pub struct ShapeProof {
    /// The loop heads, those of one function once for each way to call it.
    pub heads: usize,
    /// The abstract states of all heads.
    pub states: usize,
    pub certificate: Arc<dyn Any + Send + Sync>,
}

impl std::fmt::Debug for ShapeProof {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ShapeProof").field("heads", &self.heads).field("states", &self.states).finish()
    }
}

/// Conditions that hold whenever a run is at a loop head, and that together with the property hold after one more round if they held for some
/// rounds before; and conditions that hold whenever a recursive function is called or returns, if they held for the calls in it.
#[derive(Clone)]
pub struct Invariants {
    /// The program with the expressions of the conditions added to it; everything else is as it was.
    pub program: Arc<Program>,
    pub conditions: Vec<Invariant>,
    /// How many rounds before are needed: the `k` of k-induction, 0 for plain induction.
    pub rounds: u32,
    /// Loops that end by tests of constants within so many rounds need no invariants: they are unwound.
    pub unwind: u32,
}

impl std::fmt::Debug for Invariants {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Invariants").field("conditions", &self.conditions).field("rounds", &self.rounds).finish()
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Invariant {
    /// A head that `cfa::loops` gives, or a clause of the contract of a recursive function.
    pub anchor: Anchor,
    /// Not zero whenever a run is there.
    pub expr: ExprId,
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
    /// The bound that the user set was reached, on this edge: a call, or the way back to the head of a loop.
    Bound { bound: u32, edge: EdgeId },
    /// A reachable construct that is not supported.
    Unsupported { construct: String, edge: EdgeId },
    /// The property holds if what C leaves open is decided as gcc does.
    LeftOpen { what: String, edge: EdgeId },
    /// The property holds on every run without it. With a run that shows it, if one replays.
    Undefined { fault: Fault, edge: EdgeId, tape: Option<Tape> },
    /// No violation was looked for, and no proof was found; with loops cut, this is what could go wrong last.
    NotProved { edge: EdgeId },
    /// A violation was found that the interpreter does not confirm: a bug of whydunit's.
    NotReplayed { edge: EdgeId, outcome: Outcome },
}

/// What is known about one assertion, or one other place where a property was found violated.
#[derive(Clone, Debug)]
pub struct Check {
    pub property: Property,
    pub edge: EdgeId,
    pub verdict: CheckVerdict,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CheckVerdict {
    Violated,
    /// On every run.
    Holds,
    /// On every run within the bound; some run gets there.
    HoldsUpTo(u32),
    /// No run within the bound gets there.
    NotReached(u32),
    /// Out of time, or runs may get there in ways that are not modelled.
    Unknown,
}

impl CheckVerdict {
    pub fn name(self) -> &'static str {
        match self {
            CheckVerdict::Violated => "violated",
            CheckVerdict::Holds => "holds",
            CheckVerdict::HoldsUpTo(_) => "holds-up-to-bound",
            CheckVerdict::NotReached(_) => "not-reached",
            CheckVerdict::Unknown => "unknown",
        }
    }

    pub fn bound(self) -> Option<u32> {
        match self {
            CheckVerdict::HoldsUpTo(bound) | CheckVerdict::NotReached(bound) => Some(bound),
            CheckVerdict::Violated | CheckVerdict::Holds | CheckVerdict::Unknown => None,
        }
    }
}

impl Reason {
    pub fn name(&self) -> &'static str {
        match self {
            Reason::Budget { .. } => "budget",
            Reason::Bound { .. } => "bound",
            Reason::Unsupported { .. } => "unsupported",
            Reason::LeftOpen { .. } => "left-open",
            Reason::Undefined { .. } => "undefined-behaviour",
            Reason::NotProved { .. } => "not-proved",
            Reason::NotReplayed { .. } => "internal",
        }
    }
}
