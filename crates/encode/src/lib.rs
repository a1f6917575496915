//! Layer 2: automata × logic. [`Encoder::unroll`] executes a program symbolically within bounds and says under which conditions runs leave
//! the model; [`ModelInputs`] turns a model of such a condition into inputs for the interpreter.
//!
//! * [`encoder`] what stays, [`exec`] the executor, [`region`] the regions it executes, [`cut`] loops that are cut instead of unwound, [`changes`] what their rounds change, [`contract`] recursive calls that are replaced by contracts, [`points`] heads where executions begin, [`unrolling`] what it gives, [`relax`] edges that may do something else, [`limits`] bounds of single loops, [`facts`] about the program, [`order`] which location is next, [`rounds`] through loops, [`guard`] path conditions, [`state`] states and their merging, [`apart`] states that are not merged, [`bytes`] what bytes can be on a path, [`outside`] inputs
//! * [`expr`] expressions, [`float`] floating point, [`access`] places and memory accesses, [`address`] pointers as numbers, [`record`] structures, [`call`] calls,
//!   [`entry`] what the first function is given, [`library`] library functions, [`leaks`] memory that is left at the end
//! * [`watch`] automata that read along
//! * [`deepen`] growing bounds, [`questions`] what solvers are asked about them
//! * [`mode`] which runs are meant, [`route`] executes one path, [`edges`] given edges with unknown inputs
//! * [`path`] the trace formula of one run, [`scopes`] how far its conditions reach
//! * [`stack`] where all this runs
//! * [`memory`] objects, [`symbolic`] accesses to them at unknown offsets, [`layout`] their lanes, [`linear`] offsets divided by strides,
//!   [`value`] values

mod access;
mod address;
mod apart;
mod bytes;
mod call;
mod changes;
mod contract;
mod cut;
mod deepen;
mod edges;
mod encoder;
mod entry;
mod exec;
mod expr;
mod facts;
mod float;
mod guard;
mod inputs;
mod layout;
mod leaks;
mod library;
mod limits;
mod linear;
mod memory;
mod mode;
mod order;
mod outside;
mod path;
mod points;
mod quantified;
mod questions;
mod ranges;
mod record;
mod region;
mod relax;
mod rounds;
mod route;
mod scopes;
mod stack;
mod state;
mod storage;
mod symbolic;
mod targets;
mod unrolling;
mod value;
mod watch;

pub use address::was_looked_at as address_was_looked_at;
pub use cut::{Cut, GuardedCandidate};
pub use deepen::{Deepening, Deeper};
pub use edges::{EdgePath, NoPath, PathState};
pub use encoder::{Encoder, Follow};
pub use entry::reads_arguments;
pub use exec::Bounds;
pub use facts::sees_float_bits;
pub use float::computes_floats;
pub use inputs::ModelInputs;
pub use limits::Limits;
pub use path::{
    Assigned, Condition, Definition, Names, NoFormula, Origin, PathFill, PathFormula, PathInput, PathStep, Slot,
};
pub use points::{Point, PointCell};
pub use questions::{AtAnyAddress, Left, Prover, REPLAY_STEPS, Reachable, met_at_any_address};
pub use relax::Relaxation;
pub use stack::on_large_stack;
pub use unrolling::{
    EventKind, FillPlace, InputPlace, Obligation, ObligationKind, POINTERS_APART, SymbolicEvent, Unrolling,
};
pub use watch::{Look, Marks, Moment, Monitor};
