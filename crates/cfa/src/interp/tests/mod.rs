//! Tests of the concrete semantics on built programs: control flow, memory faults, scalar instructions against [`crate::eval`], and
//! library functions against the machine's own C library.

mod flow;
mod library;
mod memory;
mod values;

use super::*;
use crate::testing::Builder;
use crate::{Body, Callee, ExprId, LocId, Op, PlaceId};

/// Builds `main` around a body: from the entry location to the last one, where it returns 0.
pub(super) fn main_of(b: &mut Builder, body: impl FnOnce(&mut Builder, LocId) -> LocId) -> FuncId {
    let main = b.begin("main", TypeId::INT, &[]);
    let (start, exit) = (b.loc(), b.loc());
    let last = body(b, start);
    let zero = b.int(0);
    b.edge(last, Op::Return(Some(zero)), exit);
    b.end(start, exit);
    main
}

pub(super) fn run_with(b: &Builder, main: FuncId, config: &Config) -> Run {
    crate::verify::verify(&b.program).unwrap_or_else(|wrong| panic!("{wrong:?}"));
    let plain = run(&b.program, main, &ProgramArgs::default(), &mut ListInputs::then_zero(Vec::new()), config);
    // Observing must change nothing.
    let mut no_observer = NoObserver;
    let inputs = &mut ListInputs::then_zero(Vec::new());
    let observed = run_observed(&b.program, main, &ProgramArgs::default(), inputs, config, &mut no_observer);
    assert_eq!((plain.outcome, plain.steps, plain.end), (observed.outcome, observed.steps, observed.end));
    assert_eq!((&plain.stack, &plain.stdout), (&observed.stack, &observed.stdout));
    plain
}

pub(super) fn outcome(b: &Builder, main: FuncId) -> Outcome {
    run_with(b, main, &Config::default()).outcome
}

struct NoObserver;

impl Observer for NoObserver {
    fn step(&mut self, _: &View<'_, '_>, _: Event<'_>) {}
}

/// A library function by name, with the types of its parameters.
pub(super) fn library(b: &mut Builder, name: &str, result: TypeId, params: &[TypeId], variadic: bool) -> FuncId {
    let function = crate::types::FunctionType { result, params: params.to_vec(), variadic, unprototyped: false };
    let ty = b.program.types.intern(crate::Type::Function(function));
    b.declare(name, ty, Body::Library(crate::library::lookup(name).expect("a known function")))
}

pub(super) fn assign(b: &mut Builder, at: LocId, place: PlaceId, value: ExprId) -> LocId {
    b.then(at, Op::Assign(place, value))
}

/// Ends the run with a status unless the condition holds.
pub(super) fn expect(b: &mut Builder, at: LocId, cond: ExprId) -> LocId {
    b.then(at, Op::Assert { cond, property: Property::Assertion })
}

pub(super) fn text(b: &mut Builder, text: &str) -> ExprId {
    let var = b.string(text);
    let place = b.var_place(var);
    b.address_as(place, TypeId::CHAR_POINTER)
}

pub(super) fn call(b: &mut Builder, at: LocId, dest: Option<PlaceId>, callee: FuncId, args: &[ExprId]) -> LocId {
    b.call(at, dest, Callee::Direct(callee), args)
}
