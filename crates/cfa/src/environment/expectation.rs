//! What a test expects, as part of the program: before each output, and before the end of a run, stand inputs that say what is expected there, and
//! assertions that compare. Outputs are counted, so that a run that leaves one out or changes their order is not as expected. A test whose output or result is wrong is then a run that violates an assertion, and all that works on such
//! runs works on it. The expected values belong to the inputs of the run, so runs with different expectations are runs of one program.

use super::{add_expr, add_object};
use crate::edit::Edit;
use crate::library::LibFn;
use crate::{BinOp, Body, Callee, EdgeId, ExprId, ExprKind, FuncId, InputKind, Op, PlaceId, Program, Property, TypeId};
use std::collections::BTreeMap;

/// What an input that was put in says.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Expectation {
    /// How many outputs there are before the one of this call, [`ANY_NUMBER`], or [`ANYTHING`]; another negative number: it is not expected at all.
    Position(EdgeId),
    /// The value of this argument that is expected, counted from 0.
    Argument(EdgeId, usize),
    /// More outputs than this are expected before the run ends here.
    MoreThan(EdgeId),
    /// How many outputs there are when the run ends, wherever it does, or [`ANY_NUMBER`].
    Outputs,
    /// The value that the run is expected to end with here.
    Result(EdgeId),
}

/// Where it is not known how many outputs are expected.
pub const ANY_NUMBER: i128 = -2;
/// Where it is not known which values are, either.
pub const ANYTHING: i128 = -3;

/// The inputs that were put in, by their edges. The edges that they are about are those of the program before.
pub type Expectations = BTreeMap<EdgeId, Expectation>;

/// An output, or an end of the run, and the values that can be compared there.
struct Site {
    edge: EdgeId,
    is_end: bool,
    values: Vec<(usize, ExprId)>,
}

/// Puts expectations into a program whose runs begin in a function.
pub fn expect(program: &mut Program, entry: FuncId) -> Expectations {
    let sites: Vec<Site> = program.edges.ids().filter_map(|edge| site(program, entry, edge)).collect();
    let mut planned: Vec<(EdgeId, bool, Vec<(Expectation, Op, Op)>)> = Vec::new();
    let (counter, count) = object(program, "outputs so far", TypeId::INT);
    let one = add_expr(program, ExprKind::Const(crate::Bits::new(1)), TypeId::INT);
    let next = add_expr(program, ExprKind::Binary(BinOp::Add, count, one), TypeId::INT);
    for Site { edge, is_end, values } in sites {
        let mut checks = Vec::new();
        if is_end {
            let (place, read) = object(program, "outputs that do not suffice", TypeId::INT);
            let more = add_expr(program, ExprKind::Binary(BinOp::Lt, read, count), TypeId::INT);
            checks.push((Expectation::MoreThan(edge), place, more));
        }
        let number = if is_end { Expectation::Outputs } else { Expectation::Position(edge) };
        let (place, read) = object(program, "outputs expected before", TypeId::INT);
        let is = |program: &mut Program, value| {
            let value = crate::eval::from_i128(&program.types, TypeId::INT, value);
            let value = add_expr(program, ExprKind::Const(value), TypeId::INT);
            equal(program, read, value)
        };
        let either = |program: &mut Program, a, b| add_expr(program, ExprKind::Binary(BinOp::Or, a, b), TypeId::INT);
        let (any, anything, same) = (is(program, ANY_NUMBER), is(program, ANYTHING), equal(program, read, count));
        let any = either(program, any, anything);
        checks.push((number, place, either(program, any, same)));
        for (index, value) in values {
            let (place, read) = object(program, "expected value", program.exprs[value].ty);
            let what = if is_end { Expectation::Result(edge) } else { Expectation::Argument(edge, index) };
            let right = equal(program, value, read);
            checks.push((what, place, if is_end { right } else { either(program, anything, right) }));
        }
        let asserted = |cond| Op::Assert { cond, property: Property::Assertion };
        let ops = checks.into_iter();
        let ops = ops.map(|(what, place, cond)| (what, Op::Havoc(place, InputKind::Written(entry)), asserted(cond)));
        planned.push((edge, is_end, ops.collect()));
    }
    let mut edit = Edit::new(program);
    let mut inputs = Vec::new();
    for (edge, is_end, checks) in planned {
        for (what, input, check) in checks {
            inputs.extend(edit.insert_before(edge, input).map(|input| (input, what)));
            edit.insert_before(edge, check);
        }
        if !is_end {
            edit.insert_before(edge, Op::Assign(counter, next));
        }
    }
    let numbers = edit.finish().expect("nothing was removed");
    inputs.into_iter().filter_map(|(edge, what)| Some((numbers.edge(edge)?, what))).collect()
}

fn object(program: &mut Program, name: &str, ty: TypeId) -> (PlaceId, ExprId) {
    let place = add_object(program, name, ty);
    (place, add_expr(program, ExprKind::Read(place), ty))
}

fn equal(program: &mut Program, left: ExprId, right: ExprId) -> ExprId {
    add_expr(program, ExprKind::Binary(BinOp::Eq, left, right), TypeId::INT)
}

fn site(program: &Program, entry: FuncId, edge: EdgeId) -> Option<Site> {
    let data = &program.edges[edge];
    let is_integer = |value: &ExprId| matches!(program.types.get(program.exprs[*value].ty), crate::Type::Int(_));
    match data.op {
        Op::Return(value) if program.locations[data.from].function == entry => {
            let values = value.filter(is_integer).map(|value| (0, value)).into_iter().collect();
            Some(Site { edge, is_end: true, values })
        }
        Op::Halt(value) => {
            let values = value.filter(is_integer).map(|value| (0, value)).into_iter().collect();
            Some(Site { edge, is_end: true, values })
        }
        Op::Call { callee: Callee::Direct(function), args, .. } => {
            let first = first_value(program, function)?;
            let values = program.call_args(args).iter().copied().enumerate();
            let values = values.filter(|(index, value)| *index >= first && is_integer(value)).collect();
            Some(Site { edge, is_end: false, values })
        }
        _ => None,
    }
}

/// Of a function that writes: the first of its arguments that can be a value it writes. The destination and the format are none.
pub fn first_value(program: &Program, function: FuncId) -> Option<usize> {
    let Body::Library(meaning) = program.functions[function].body else { return None };
    match meaning {
        LibFn::Printf | LibFn::Puts => Some(1),
        LibFn::Fprintf => Some(2),
        LibFn::Putchar => Some(0),
        // Streams are pointers, and pointers are no integers.
        LibFn::Fputc => Some(0),
        LibFn::Fputs | LibFn::Fwrite | LibFn::Write => Some(usize::MAX),
        _ => None,
    }
}
