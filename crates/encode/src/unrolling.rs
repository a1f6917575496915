//! What a symbolic execution gives: how runs can leave the model, what they are given, and what happens on them, each with its condition.

use crate::points::Point;
use cfa::types::BitRange;
use cfa::{EdgeId, Fault, Property, TypeId, VarId};
use logic::TermId;

/// What C does not define, but every machine computes with addresses: the interpreter goes on.
pub const POINTERS_APART: &str = "comparison or difference of pointers into different objects";

/// A way in which runs leave the model, and when.
#[derive(Clone, Debug)]
pub struct Obligation {
    pub kind: ObligationKind,
    pub edge: EdgeId,
    pub cond: TermId,
    /// How many events were noted before.
    pub events_before: usize,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ObligationKind {
    Violation(Property, Option<Fault>),
    /// Undefined behaviour that no property asks about.
    Undefined(Fault),
    /// Not supported; the construct.
    Poison(String),
    /// What C leaves open was decided one way. Runs go on, but nothing is proved by them.
    LeftOpen(String),
    /// The bound was too small.
    Unwind,
    /// A loop or function has used up its own bound, this one, which does not grow.
    Limit(u32),
}

impl ObligationKind {
    /// Whether an execution from an arbitrary state at a loop head may meet it although the run that it stands for does not. That state has no objects
    /// of earlier rounds: a pointer to one names nothing, and what only they point to looks lost. An object that a round makes read-only is so from the
    /// start. Rounds on which nothing goes wrong (`cut`) must not exclude such runs, so it stays an obligation there.
    pub(crate) fn may_be_spurious(&self) -> bool {
        match self {
            ObligationKind::Violation(_, Some(fault)) | ObligationKind::Undefined(fault) => matches!(
                fault,
                Fault::WildPointer
                    | Fault::ReadOnly
                    | Fault::ConstWrite
                    | Fault::InvalidFree
                    | Fault::BadCall
                    | Fault::LibraryMisuse
            ),
            ObligationKind::Violation(property, None) => {
                matches!(property, Property::ValidMemtrack | Property::ValidMemcleanup)
            }
            ObligationKind::Poison(_)
            | ObligationKind::LeftOpen(_)
            | ObligationKind::Unwind
            | ObligationKind::Limit(_) => true,
        }
    }
}

/// What one execution gives.
#[derive(Default)]
pub struct Unrolling {
    pub obligations: Vec<Obligation>,
    /// With loops cut: candidates for invariants by number, and when each does not hold where it must.
    pub broken: Vec<(u32, TermId)>,
    /// With loops cut flat: the heads at which steps begin.
    pub points: Vec<Point>,
    /// When each assertion of an asked property is reached; if asked for, also when its condition is evaluated in a branch before.
    pub assertions: Vec<(EdgeId, TermId)>,
    /// Inputs in the order of execution.
    pub inputs: Vec<SymbolicInput>,
    /// Uninitialized memory in the order of execution.
    pub fills: Vec<SymbolicFill>,
    /// If asked for: everything that gives a value or decides a branch, in the order of execution.
    pub events: Vec<SymbolicEvent>,
    /// With a relaxation: the edge, and when it really does something else.
    pub relaxed: Vec<(EdgeId, TermId)>,
    /// When runs end regularly: `main` returns, or `exit` is called.
    pub ends: Vec<TermId>,
    /// When runs end with `abort`.
    pub aborts: Vec<TermId>,
    pub steps: u64,
    /// How often a loop was entered again, or a function was called by itself, at most: the bound that suffices for all that was executed.
    pub deepest: u32,
    /// The words of the command line as far as they are modelled.
    pub words: Vec<SymbolicWord>,
    /// What must hold for a run that can be replayed, beyond what holds for every run.
    pub replayable: Option<TermId>,
    /// Some number that is not known was made a pointer, or uninitialized memory was read as one. The interpreter has other addresses, so
    /// such runs need not replay.
    pub numbers_as_pointers: bool,
    /// What a monitor noted: what, and when.
    pub sightings: Vec<(u32, TermId)>,
    /// The budget ran out: nothing can be concluded.
    pub interrupted: bool,
}

#[derive(Clone, Debug)]
pub struct SymbolicInput {
    pub source: InputPlace,
    pub ty: TypeId,
    pub guard: TermId,
    /// The value; of a pointer: the number that it is.
    pub term: TermId,
}

/// A word of the command line: its length, and its first bytes.
#[derive(Clone)]
pub struct SymbolicWord {
    pub length: TermId,
    pub bytes: Vec<TermId>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InputPlace {
    Edge(EdgeId),
    Param(VarId, u32),
}

/// Something that happens on the runs where a guard holds.
#[derive(Clone, Copy, Debug)]
pub struct SymbolicEvent {
    pub source: InputPlace,
    pub kind: EventKind,
    pub guard: TermId,
    /// Type and value of the scalar that something got; of a pointer: object and offset in one term.
    pub value: Option<(TypeId, TermId)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventKind {
    Input,
    Write,
    Declaration,
    /// The value is a Boolean: whether the condition holds.
    Branch,
    /// A function of the program is called.
    Call,
}

#[derive(Clone)]
pub struct SymbolicFill {
    pub place: FillPlace,
    pub guard: TermId,
    /// How many inputs were asked for before.
    pub inputs_before: usize,
    /// Bytes, if known.
    pub size: u64,
    /// The fresh variables of uninitialized memory, and where they are: an allocation is filled when its first use shows what it is.
    pub parts: Vec<FillPart>,
}

#[derive(Clone, Debug)]
pub struct FillPart {
    pub guard: TermId,
    /// Offset, size in bytes and value of each uninitialized scalar.
    pub scalars: Vec<(u64, u64, TermId)>,
    /// Offset, bits and value of each bit-field.
    pub bit_fields: Vec<(u64, BitRange, TermId)>,
    /// Offset of the first scalar, stride, size in bytes, and array term of each large array.
    pub arrays: Vec<(u64, u64, u64, TermId)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FillPlace {
    Local(VarId),
    Allocation(EdgeId),
    Extern(VarId),
    Result(EdgeId),
}
