//! Why a run fails: what is different in a run that passes, and what the failure depends on.

use cfa::{Bits, EdgeId, TypeId, VarId};

/// What gets a value or decides where a run goes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Subject {
    Edge(EdgeId),
    /// A scalar of a parameter of the entry function.
    Param(VarId, u32),
}

/// A value of the failing run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ValueOf {
    pub subject: Subject,
    /// Which of the executions of the edge, from 1; 0 if there is only one.
    pub occurrence: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seen {
    /// The run does not come by.
    Not,
    /// It does; what it gives a value to is no scalar, or gets none.
    There,
    Value(TypeId, Bits),
    Branch(bool),
}

/// A difference between the failing run and a passing one.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    pub value: ValueOf,
    pub failing: Seen,
    pub passing: Seen,
    /// Whether the violated assertion depends on it.
    pub relevant: bool,
    pub is_input: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    Eq,
    Lt,
    Gt,
    Le,
    Ge,
    Ne,
}

impl Relation {
    /// The stronger ones first.
    pub const ALL: [Relation; 6] = [Relation::Eq, Relation::Lt, Relation::Gt, Relation::Le, Relation::Ge, Relation::Ne];

    pub fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Relation::Eq => order.is_eq(),
            Relation::Lt => order.is_lt(),
            Relation::Gt => order.is_gt(),
            Relation::Le => order.is_le(),
            Relation::Ge => order.is_ge(),
            Relation::Ne => order.is_ne(),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    Value(ValueOf),
    Constant(TypeId, Bits),
}

/// Something that holds in the failing run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Predicate {
    Compare(ValueOf, Relation, Operand),
    /// The condition of a branch is so.
    Branch(ValueOf, bool),
}

/// How much a failure depends on a predicate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Strength {
    /// No run within the bound fails without it.
    Necessary,
    /// No run within the bound fails at the same time or before without it.
    NecessaryHere,
    /// The closest run that fails without it is so much farther away than the closest one that passes.
    Farther(std::cmp::Reverse<u64>),
    Unknown,
}

/// A predicate that the failure causally depends on: runs that are closest to the failing one without it pass.
#[derive(Clone, Debug)]
pub struct Cause {
    pub predicate: Predicate,
    pub strength: Strength,
    /// Causes that follow from this one.
    pub subsumes: Vec<Predicate>,
}
