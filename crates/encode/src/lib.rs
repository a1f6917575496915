//! Layer 2: automata × logic. [`Encoder::unroll`] executes a program symbolically within bounds and says under which conditions runs leave
//! the model; [`ModelInputs`] turns a model of such a condition into inputs for the interpreter.
//!
//! * [`exec`] the executor, [`limits`] bounds of single loops, [`order`] which location is next, [`guard`] path conditions, [`state`] states and their merging
//! * [`expr`] expressions, [`float`] floating point, [`access`] places and memory accesses, [`call`] calls and the library,
//!   [`leaks`] memory that is left at the end
//! * [`path`] the trace formula of one run, [`scopes`] how far its conditions reach
//! * [`stack`] where all this runs
//! * [`memory`] objects, [`layout`] their lanes, [`linear`] offsets divided by strides, [`value`] values

mod access;
mod call;
mod exec;
mod expr;
mod float;
mod guard;
mod inputs;
mod layout;
mod leaks;
mod limits;
mod linear;
mod memory;
mod order;
mod path;
mod scopes;
mod stack;
mod state;
mod value;

pub use exec::{
    Bounds, Encoder, EventKind, FillPlace, Follow, InputPlace, Obligation, ObligationKind, SymbolicEvent, Unrolling,
};
pub use inputs::ModelInputs;
pub use limits::Limits;
pub use path::{Assigned, Condition, Definition, Names, NoFormula, Origin, PathFill, PathFormula, PathInput, PathStep};
pub use stack::on_large_stack;
