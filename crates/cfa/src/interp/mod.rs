//! The concrete semantics: runs a [`Program`] on given inputs. All other stages are tested against it.
//!
//! Functions are compiled to register bytecode when they are first called (`compile`, `lower`, `places`, `select`, `code`), memory is objects of bytes (`memory`),
//! one loop runs the code (`machine`, `dispatch`), library functions are in `libc`. An observer sees every edge; without one, edges cost nothing but
//! their own work.
//!
//! What the language leaves open is decided here once: integers wrap; a shift amount is masked to the width; contents of uninitialized memory
//! and values that functions fail to return come from [`Inputs::fill`]; a call's destination is evaluated after the call; the operands of one C
//! expression are evaluated in the order of the edges, which is the order of gcc on x86-64 where it has one (documented in the frontend,
//! `lower/order.rs`: arguments from right to left, other operands from left to right); padding is copied with records, and stays when a
//! member is stored; differences of pointers into different objects are differences of addresses. Computing an address outside an array
//! (`&a[-1]`) is no fault, using it is.

mod code;
mod compile;
mod coverage;
mod decimal;
mod dispatch;
mod entry;
mod libc;
mod lower;
mod machine;
mod memory;
mod places;
mod select;
mod slow;
mod view;

#[cfg(test)]
mod tests;

pub use coverage::Coverage;
pub use memory::{END_OF_NULL, Object, ObjectKind, Placement, largest_allocation};
pub use places::is_flexible;
pub use view::View;

use crate::expr::Bits;
use crate::program::{EdgeId, FuncId, InputKind, Program, VarId};
use crate::property::{Fault, Property, PropertySet};
use crate::types::TypeId;
use base::{Budget, Symbol};
use std::ops::Range;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Uninitialized {
    /// Reading memory that was never written gives what [`Inputs::fill`] said.
    Arbitrary,
    /// It is [`Fault::Uninitialized`], and using the value of a function that returned none is [`Fault::MissingReturn`]. Runs are slower.
    Error,
}

#[derive(Clone, Debug)]
pub struct Config {
    pub properties: PropertySet,
    /// Edges; the limit is noticed at the end of straight-line code.
    pub max_steps: u64,
    /// Bytes of live objects.
    pub max_memory: u64,
    /// Nested calls.
    pub max_depth: u32,
    pub uninitialized: Uninitialized,
    pub placement: Placement,
    /// Ends the run as if its limit of steps were reached; asked now and then.
    pub budget: Budget,
    /// Between these numbers of steps an observer gets no events, which is faster.
    pub unobserved: Range<u64>,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            properties: PropertySet::of(&[Property::UnreachCall, Property::Assertion]),
            max_steps: u64::MAX,
            max_memory: 1 << 32,
            max_depth: 1 << 20,
            uninitialized: Uninitialized::Arbitrary,
            placement: Placement::default(),
            budget: Budget::unlimited(),
            unobserved: 0..0,
        }
    }
}

/// The command line of `main`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramArgs {
    /// `argv[0]` and what follows.
    pub words: Vec<Vec<u8>>,
}

impl Default for ProgramArgs {
    fn default() -> Self {
        ProgramArgs { words: vec![b"program".to_vec()] }
    }
}

/// Where an input comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InputSource {
    /// A `Havoc` edge, or a call of a function whose result is an input (undefined, or a library function that reads input).
    Edge { edge: EdgeId, kind: InputKind },
    /// A parameter of the entry function; of record type: its scalar number `leaf`, in order.
    Param { var: VarId, leaf: u32 },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InputRequest {
    pub source: InputSource,
    /// Of the value that is asked for.
    pub ty: TypeId,
}

/// Memory that begins with arbitrary contents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FillRequest {
    /// A local at its declaration (`None`: at its first use), or a parameter that was not passed.
    Local { var: VarId, edge: Option<EdgeId> },
    /// `malloc` and the like, or `alloca`.
    Allocation { edge: EdgeId },
    /// An `extern` variable that is never defined.
    Extern { var: VarId },
    /// A value that a function failed to return, or the record that an undefined function returned.
    Result { edge: EdgeId },
}

/// Gives a run its inputs.
pub trait Inputs {
    /// The next input; `None`: there are no more, and the run ends with [`Limit::Inputs`]. Bits beyond the type's width are ignored.
    fn next(&mut self, request: &InputRequest) -> Option<Bits>;

    /// Contents of uninitialized memory; `bytes` are zero before.
    fn fill(&mut self, request: &FillRequest, bytes: &mut [u8]) {
        let _ = (request, bytes);
    }
}

/// Inputs from a list. After its end: zeros, or none.
#[derive(Clone, Debug, Default)]
pub struct ListInputs {
    pub values: Vec<Bits>,
    pub next: usize,
    pub then_zero: bool,
}

impl ListInputs {
    pub fn new(values: Vec<Bits>) -> Self {
        ListInputs { values, next: 0, then_zero: false }
    }

    /// The list, and zeros after it.
    pub fn then_zero(values: Vec<Bits>) -> Self {
        ListInputs { values, next: 0, then_zero: true }
    }
}

impl Inputs for ListInputs {
    fn next(&mut self, _: &InputRequest) -> Option<Bits> {
        let value = self.values.get(self.next).copied();
        self.next += 1;
        value.or(self.then_zero.then_some(Bits::ZERO))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecordedInput {
    pub request: InputRequest,
    pub bits: Bits,
}

/// The events that an observer gets, in the order of the run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event<'a> {
    /// An edge was carried out. Of two `Assume` edges, the one that was taken; a call's edge, after the call came back. `value`: the scalar
    /// that the edge assigned or returned.
    Edge { edge: EdgeId, value: Option<(TypeId, Bits)> },
    /// An input was read, by the edge that follows.
    Input(&'a RecordedInput),
    /// A function with a body was entered; `None` for the entry of the run.
    Enter { edge: Option<EdgeId>, function: FuncId },
    /// It is about to be left.
    Leave { function: FuncId },
}

pub trait Observer {
    fn step(&mut self, view: &View<'_, '_>, event: Event<'_>);

    /// The run ends within this edge because of a fault; the state is the one in which it happened.
    fn stopped(&mut self, view: &View<'_, '_>, edge: EdgeId, fault: Fault) {
        let _ = (view, edge, fault);
    }

    /// Asked after each step: whether the run is to end as if its limit of steps were reached, where it has one.
    fn gives_up(&mut self) -> bool {
        false
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    Steps,
    Memory,
    Depth,
    Inputs,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// `main` returned, or `exit` was called.
    Finished(i32),
    /// `abort`, or a failed assertion that is not asked about.
    Aborted,
    /// `fault`: what happened, unless it was an assertion or a leak.
    Violation {
        property: Property,
        fault: Option<Fault>,
    },
    /// A run of no interest.
    AssumptionFailed,
    /// Undefined behaviour that no property asks about.
    Undefined(Fault),
    /// A construct that is not supported; the library's reasons are static text.
    Poison(PoisonReason),
    Limit(Limit),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PoisonReason {
    Construct(Symbol),
    Library(FuncId, &'static str),
}

#[derive(Clone, Debug)]
pub struct Run {
    pub outcome: Outcome,
    /// Edges carried out, the last one included.
    pub steps: u64,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub inputs: Vec<RecordedInput>,
    /// The edge at which the run ended; `None` if it was over before the first, or `main` returned and
    /// all is well.
    pub end: Option<EdgeId>,
    /// The calls that were under way, outermost first.
    pub stack: Vec<EdgeId>,
    /// Faults that did not end the run, the first few, each place once.
    pub noticed: Vec<(EdgeId, Fault)>,
}

/// Runs the program from `entry`.
pub fn run(program: &Program, entry: FuncId, args: &ProgramArgs, inputs: &mut dyn Inputs, config: &Config) -> Run {
    machine::Machine::new(program, inputs, None, config).run(entry, args)
}

/// Runs one program many times: functions are compiled once. Everything but the inputs must be the same in all runs.
pub struct Runner<'p> {
    program: &'p Program,
    entry: FuncId,
    args: ProgramArgs,
    codes: machine::Codes,
}

impl<'p> Runner<'p> {
    pub fn new(program: &'p Program, entry: FuncId, args: ProgramArgs) -> Self {
        Runner { program, entry, args, codes: machine::Codes::default() }
    }

    /// A run before an observer; of the configuration, only limits may differ from run to run.
    pub fn run_observed(&mut self, inputs: &mut dyn Inputs, config: &Config, observer: &mut dyn Observer) -> Run {
        let listener = Some(machine::Listener::Observer(observer));
        let machine = machine::Machine::new(self.program, inputs, listener, config);
        machine.run_keeping(self.entry, &self.args, &mut self.codes)
    }

    /// A run whose edges are noted.
    pub fn run_covered(&mut self, inputs: &mut dyn Inputs, config: &Config, coverage: &mut Coverage) -> Run {
        coverage.begin();
        let listener = Some(machine::Listener::Coverage(coverage));
        let machine = machine::Machine::new(self.program, inputs, listener, config);
        machine.run_keeping(self.entry, &self.args, &mut self.codes)
    }
}

/// The same run, step by step before an observer.
pub fn run_observed(
    program: &Program,
    entry: FuncId,
    args: &ProgramArgs,
    inputs: &mut dyn Inputs,
    config: &Config,
    observer: &mut dyn Observer,
) -> Run {
    let listener = Some(machine::Listener::Observer(observer));
    machine::Machine::new(program, inputs, listener, config).run(entry, args)
}
