//! Layer 1: THE program representation. A [`Program`] is a set of functions, each a control-flow automaton whose edges carry one
//! operation each. Side effects are edges; expressions are pure. [`verify`] lists every invariant, [`text`] prints and parses
//! programs, [`interp`] is the concrete semantics that all other stages are tested against.

pub mod acsl;
pub mod analysis;
pub mod const_bits;
pub mod contract;
pub mod display;
pub mod dot;
pub mod edit;
pub mod enumeration;
pub mod environment;
pub mod eval;
pub mod expr;
pub mod interp;
pub mod library;
pub mod loops;
pub mod program;
pub mod property;
pub mod task;
#[cfg(test)]
mod testing;
pub mod text;
pub mod types;
pub mod undefined;
pub mod verify;
pub mod walk;

pub use contract::Anchor;
pub use expr::{BinOp, Bits, Expr, ExprId, ExprKind, Place, PlaceId, PlaceKind, UnOp};
pub use program::*;
pub use property::{Fault, Property, PropertySet};
pub use task::Task;
pub use types::{DataModel, FloatKind, IntKind, RecordId, Type, TypeId, TypeTable};
