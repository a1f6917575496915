//! Which runs an execution is about. [`crate::exec::Run`] knows what edges and expressions mean; what depends on which runs are meant is asked of a
//! [`Mode`], by what the answer is needed for:
//!
//! * Is it known how a condition comes out, or which function a pointer calls ([`Mode::outcome`], [`Mode::calls`])?
//! * Runs leave the model, or an assumption holds on some only: what becomes of the state ([`Mode::leave`], [`Mode::assume`])?
//! * Who gives inputs, words of the command line and the contents of uninitialized memory ([`Mode::input`], [`Mode::argument`],
//!   [`Mode::knows_memory`], [`Mode::fill`])?
//! * May values that C leaves open differ from those of the interpreter, and are limits of a proof noted ([`Mode::explores_open`])?
//! * Do assigned values get names ([`Mode::naming`], [`Mode::storing`], [`Mode::name`], [`Mode::targets`])?
//! * Is one path executed, and which ([`Mode::route`])?
//!
//! The defaults of all methods are the execution of all runs, merged where they meet: [`AllRuns`]. [`crate::path`] follows one run, [`crate::edges`]
//! executes given edges with inputs unknown. Relaxed edges ([`crate::relax`]), monitors ([`crate::watch`]) and cut loops ([`crate::cut`]) are
//! combined with each other, so they are settings of the encoder and not modes.

use crate::path::{Assigned, Origin};
use crate::unrolling::{FillPart, FillPlace, InputPlace, ObligationKind};
use crate::value::SymbolicValue;
use cfa::{EdgeId, FuncId, LocId, Program, TypeId, VarId};
use logic::{TermId, TermPool};
use std::rc::Rc;

/// What becomes of a state at a condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Onward {
    /// It goes on where the condition allows: its path condition gets stronger.
    Restricted,
    /// The runs that are meant all go on; the path condition stays.
    Unchanged,
    /// None goes on, and the execution is over.
    Over,
}

/// Where the value of an input comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Supply {
    /// It may have any value.
    Unknown,
    /// The mode knows it.
    Known,
    /// There is none, and the execution is over.
    Exhausted,
}

/// A part of the command line that is a variable.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Argument {
    Count,
    Length(u32),
    /// Of a word, the byte at a position.
    Byte(u32, u32),
}

/// Something about the contents of uninitialized memory.
pub(crate) enum Fill<'a> {
    /// An object of so many bytes, or a part of it, is uninitialized and gets fresh variables.
    Object { place: FillPlace, edge: EdgeId, size: u64, part: FillPart },
    /// An allocation is made, and it is not known yet what it is an array of.
    Allocation { place: FillPlace, edge: EdgeId, name: Rc<str>, size: TermId },
    /// An allocation that was not looked into moves.
    Moved { from: &'a str, to: &'a Rc<str> },
    /// The first access to an allocation has shown what it is an array of.
    Shaped { name: &'a str, part: FillPart },
}

/// How assigned values appear in what is executed later.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Naming {
    /// As they are.
    Unnamed,
    /// As they are, but assignments are noted.
    Noted,
    /// As variables that equal them.
    Fresh,
}

/// What is known about the storage of the next value that is assigned.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Storing {
    /// The place in the program.
    To(Assigned),
    /// A variable in a register, or the result of the function.
    Register(Option<VarId>),
    Memory(TermId, TermId),
    /// Whether parameters of the next activation are bound.
    Params(bool),
}

pub(crate) trait Mode {
    /// How a condition comes out on all runs that are meant, if the mode knows; `None`: the term says all that is known.
    fn outcome(&mut self, _pool: &TermPool, _cond: TermId) -> Option<bool> {
        None
    }

    /// Whether a call through a pointer calls a function, `None` for something that is none, where `hit` says that the pointer names it.
    fn calls(&mut self, _program: &Program, _pool: &TermPool, _function: Option<FuncId>, _hit: TermId) -> Option<bool> {
        None
    }

    /// Runs leave the model where a condition holds. [`Onward::Restricted`] makes that an obligation.
    fn leave(&mut self, _pool: &mut TermPool, _edge: EdgeId, _kind: &ObligationKind, _cond: TermId) -> Onward {
        Onward::Restricted
    }

    /// Runs go on only where a condition holds.
    fn assume(&mut self, _pool: &mut TermPool, _edge: EdgeId, _cond: TermId) -> Onward {
        Onward::Restricted
    }

    /// The program asks for an input; the term is its variable.
    fn input(
        &mut self,
        _program: &Program,
        _pool: &TermPool,
        _asked: (EdgeId, InputPlace, TypeId),
        _term: TermId,
    ) -> Supply {
        Supply::Unknown
    }

    /// A variable of the command line is made.
    fn argument(&mut self, _pool: &TermPool, _part: Argument, _term: TermId) {}

    /// Whether the mode knows what uninitialized memory holds; otherwise the unrolling notes the fresh variables.
    fn knows_memory(&self) -> bool {
        false
    }

    /// Something about uninitialized memory. Asked only if the mode knows what it holds.
    fn fill(&mut self, _pool: &TermPool, _fill: Fill<'_>) {}

    /// Whether all values that C allows are meant where the interpreter has one, and what limits a proof is noted.
    fn explores_open(&self) -> bool {
        true
    }

    fn naming(&self) -> Naming {
        Naming::Unnamed
    }

    /// Something about where the next value is stored. Asked only if values are named.
    fn storing(&mut self, _pool: &TermPool, _what: Storing) {}

    /// The name of a value that is about to be stored; of a pointer with the objects that it may name. Asked only if values are named.
    fn name(
        &mut self,
        _pool: &mut TermPool,
        value: SymbolicValue,
        _ty: Option<TypeId>,
        _objects: Vec<u32>,
    ) -> SymbolicValue {
        value
    }

    /// The objects that a name of a pointer's object may stand for.
    fn targets(&self, _name: TermId) -> Option<Rc<Vec<u32>>> {
        None
    }

    /// The one path that is executed, edge by edge; `None`: all paths, merged where they meet.
    fn route(&mut self) -> Option<&mut dyn Route> {
        None
    }
}

/// What comes next on a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Next {
    /// An edge that leaves the location.
    Edge,
    /// Nothing: the path ends at the location.
    End,
    /// The path does not come here.
    Elsewhere,
}

/// Branches meet again.
pub(crate) struct Meeting {
    /// The edge of the branch that was taken.
    pub taken: EdgeId,
    /// Variables that only the other branch assigns, if they are to get new names.
    pub vars: Vec<VarId>,
}

/// One path through the program.
pub(crate) trait Route {
    /// A function begins, and …
    fn enter(&mut self) {}

    /// … ends.
    fn exit(&mut self) {}

    /// The path is at a location.
    fn next(&mut self, _location: LocId) -> Next {
        Next::Edge
    }

    /// An edge is about to be executed, the first one of a branch before it is known which it is; or what it stands for otherwise.
    fn step(&mut self, _function: FuncId, _origin: Origin) -> Onward {
        Onward::Unchanged
    }

    /// The function that an edge called has returned.
    fn returned(&mut self, _function: FuncId, _edge: EdgeId) -> Onward {
        Onward::Unchanged
    }

    /// Which of the two edges of a branch is taken, the first where `truth` holds; and what becomes of the state.
    fn choose(
        &mut self,
        pool: &mut TermPool,
        branch: LocId,
        truth: TermId,
        edges: (EdgeId, EdgeId),
    ) -> (EdgeId, Onward);

    /// The innermost branch that meets its other edge at a location; [`Route::met`] follows, then it is asked again.
    fn meeting(&mut self, _program: &Program, _location: LocId) -> Option<Meeting> {
        None
    }

    fn met(&mut self) {}

    fn out_of_time(&mut self) {}
}

/// All runs, merged where they meet.
pub(crate) struct AllRuns;

impl Mode for AllRuns {}
