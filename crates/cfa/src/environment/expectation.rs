//! What a test expects, as part of the program: when a run begins, it reads what each of its outputs is expected to be, and before each output, and before
//! the end, stand assertions that compare. A test whose output or result is wrong is then a run that violates an assertion, and all that works on such
//! runs works on it. The expected values belong to the inputs of the run, so runs with different expectations are runs of one program. Outputs are
//! counted: a run that leaves one out, writes one more or changes their order is not as expected.

use super::{add_expr, add_object};
use crate::edit::Edit;
use crate::library::LibFn;
use crate::{
    BinOp, Body, Callee, EdgeId, ExprId, ExprKind, FuncId, InputKind, Op, PlaceId, PlaceKind, Program, Property,
    TypeId, UnOp,
};
use base::Span;
use std::collections::BTreeMap;

/// What an input that was put in says. All of them are read when the run begins, so what is expected of an output is known wherever a run goes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Expectation {
    /// The position of the first output, which is smaller than 1 where the first ones are not looked at.
    Start,
    /// Which output is expected at a position: a [`site`](Expectations::sites), or one of the other numbers that [`Wanted`] stands for.
    Output(u32),
    /// The value with this number that the output at a position is expected to have.
    Value(u32, u32),
    /// The value that the run is expected to end with.
    Result,
}

/// Which output is expected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// That of a call.
    Site(u32),
    /// It is not known: any, or none.
    Unknown,
    /// None: the run ends.
    Nothing,
    /// Some output, it is not known which.
    Something,
    /// Anything but that of a call.
    NotSite(u32),
}

const NOTHING: i128 = -1;
const SOMETHING: i128 = -2;
/// Below it, and below it by the number of a site: not that site.
const NOT_SITE: i128 = -10;

impl Wanted {
    pub fn number(self) -> i128 {
        match self {
            Wanted::Site(site) => site.into(),
            Wanted::Unknown => 0,
            Wanted::Nothing => NOTHING,
            Wanted::Something => SOMETHING,
            Wanted::NotSite(site) => NOT_SITE - i128::from(site),
        }
    }
}

/// What was put in.
#[derive(Clone, Default, Debug)]
pub struct Expectations {
    /// The inputs, by their edges.
    pub inputs: BTreeMap<EdgeId, Expectation>,
    /// The numbers of calls that write, from 1. The edges are those of the program before.
    pub sites: BTreeMap<EdgeId, u32>,
    /// Positions are numbers from 1 to this; what is at 0 and at the last one is expected of all outputs before and behind.
    pub last: u32,
}

/// An output, or an end of the run, and the values that can be compared there.
struct Place {
    edge: EdgeId,
    /// `None`: an end.
    number: Option<u32>,
    values: Vec<ExprId>,
}

/// Tables that are read at the present position.
struct Tables {
    position: ExprId,
    next: ExprId,
    counter: PlaceId,
    wanted: PlaceId,
    values: Vec<PlaceId>,
}

/// Puts expectations of so many outputs into a program whose runs begin in a function.
pub fn expect(program: &mut Program, entry: FuncId, last: u32) -> Expectations {
    let places: Vec<Place> = program.edges.ids().filter_map(|edge| place(program, entry, edge)).collect();
    let mut sites = BTreeMap::new();
    let places: Vec<Place> = places
        .into_iter()
        .map(|mut place| {
            if place.number.is_some() {
                let number = sites.len() as u32 + 1;
                sites.insert(place.edge, number);
                place.number = Some(number);
            }
            place
        })
        .collect();
    let outputs = places.iter().filter(|place| place.number.is_some());
    let most = outputs.map(|place| place.values.len()).max().unwrap_or(0);
    let tables = Tables::new(program, last, most);
    let (result_place, result) = object(program, "expected result", TypeId::LONG_LONG);
    let mut inputs = vec![(Expectation::Start, tables.counter), (Expectation::Result, result_place)];
    for position in 0..=last {
        let index = constant(program, position.into());
        let mut element = |table: PlaceId| {
            let crate::Type::Array(ty, _) = *program.types.get(program.places[table].ty) else { return table };
            program.places.push(crate::Place { kind: PlaceKind::Index(table, index), ty })
        };
        inputs.push((Expectation::Output(position), element(tables.wanted)));
        for (number, table) in tables.values.iter().enumerate() {
            inputs.push((Expectation::Value(position, number as u32), element(*table)));
        }
    }
    let mut checks: Vec<(EdgeId, Vec<ExprId>, bool)> = Vec::new();
    for Place { edge, number, values } in &places {
        let mut asserted = Vec::new();
        match number {
            Some(site) => {
                let is_site = tables.is_wanted(program, Wanted::Site(*site).number());
                asserted.push(tables.allows(program, *site, is_site));
                let other = add_expr(program, ExprKind::Unary(UnOp::Not, is_site), TypeId::INT);
                for (value, table) in values.iter().zip(&tables.values) {
                    let right = tables.has_value(program, *value, *table);
                    asserted.push(either(program, other, right));
                }
            }
            None => {
                asserted.push(tables.ends(program));
                for value in values {
                    let value = add_expr(program, ExprKind::Cast(*value), TypeId::LONG_LONG);
                    asserted.push(binary(program, BinOp::Eq, value, result));
                }
            }
        }
        checks.push((*edge, asserted, number.is_some()));
    }
    let mut edit = Edit::new(program);
    for (edge, asserted, is_output) in checks {
        for cond in asserted {
            edit.insert_before(edge, Op::Assert { cond, property: Property::Assertion });
        }
        if is_output {
            // No line of the program counts.
            if let Some(count) = edit.insert_before(edge, Op::Assign(tables.counter, tables.next)) {
                edit.unplace(count);
            }
        }
    }
    // What is inserted later comes first; the order does not matter.
    let put = inputs.into_iter().filter_map(|(what, place)| {
        let input = edit.insert_at_entry(entry, Op::Havoc(place, InputKind::Written(entry)), Span::NONE)?;
        Some((input, what))
    });
    let put: Vec<(EdgeId, Expectation)> = put.collect();
    let numbers = edit.finish().expect("nothing was removed");
    let inputs = put.into_iter().filter_map(|(edge, what)| Some((numbers.edge(edge)?, what))).collect();
    Expectations { inputs, sites, last }
}

impl Tables {
    fn new(program: &mut Program, last: u32, most: usize) -> Self {
        let (counter, count) = object(program, "position in the output", TypeId::INT);
        let (zero, end) = (constant(program, 0), constant(program, last.into()));
        // Before the first position, nothing is looked at; behind the last one, all is alike.
        let is_inside = binary(program, BinOp::Gt, count, zero);
        let position = binary(program, BinOp::Mul, is_inside, count);
        let is_before = binary(program, BinOp::Lt, count, end);
        let next = binary(program, BinOp::Add, count, is_before);
        let table = |program: &mut Program, name: &str, ty: TypeId| {
            let ty = program.types.array_of(ty, Some(u64::from(last) + 1));
            add_object(program, name, ty)
        };
        let wanted = table(program, "expected outputs", TypeId::INT);
        let values = (0..most).map(|_| table(program, "expected values", TypeId::LONG_LONG)).collect();
        Tables { position, next, counter, wanted, values }
    }

    /// What a table has at the present position.
    fn read(&self, program: &mut Program, table: PlaceId, ty: TypeId) -> ExprId {
        let place = program.places.push(crate::Place { kind: PlaceKind::Index(table, self.position), ty });
        add_expr(program, ExprKind::Read(place), ty)
    }

    fn is_wanted(&self, program: &mut Program, number: i128) -> ExprId {
        let (wanted, number) = (self.read(program, self.wanted, TypeId::INT), constant(program, number));
        binary(program, BinOp::Eq, wanted, number)
    }

    /// Whether an output may come now.
    fn allows(&self, program: &mut Program, site: u32, is_site: ExprId) -> ExprId {
        let unknown = self.is_wanted(program, Wanted::Unknown.number());
        let something = self.is_wanted(program, SOMETHING);
        let (wanted, limit) = (self.read(program, self.wanted, TypeId::INT), constant(program, NOT_SITE));
        let excludes = binary(program, BinOp::Lt, wanted, limit);
        let this = self.is_wanted(program, Wanted::NotSite(site).number());
        let other = add_expr(program, ExprKind::Unary(UnOp::Not, this), TypeId::INT);
        let excludes_other = binary(program, BinOp::And, excludes, other);
        let open = either(program, unknown, something);
        let open = either(program, open, excludes_other);
        either(program, open, is_site)
    }

    /// Whether the run may end now.
    fn ends(&self, program: &mut Program) -> ExprId {
        let (wanted, zero) = (self.read(program, self.wanted, TypeId::INT), constant(program, 0));
        let no_site = binary(program, BinOp::Le, wanted, zero);
        let something = self.is_wanted(program, SOMETHING);
        let nothing_more = add_expr(program, ExprKind::Unary(UnOp::Not, something), TypeId::INT);
        binary(program, BinOp::And, no_site, nothing_more)
    }

    fn has_value(&self, program: &mut Program, value: ExprId, table: PlaceId) -> ExprId {
        let value = add_expr(program, ExprKind::Cast(value), TypeId::LONG_LONG);
        let expected = self.read(program, table, TypeId::LONG_LONG);
        binary(program, BinOp::Eq, value, expected)
    }
}

fn object(program: &mut Program, name: &str, ty: TypeId) -> (PlaceId, ExprId) {
    let place = add_object(program, name, ty);
    (place, add_expr(program, ExprKind::Read(place), ty))
}

fn constant(program: &mut Program, value: i128) -> ExprId {
    let bits = crate::eval::from_i128(&program.types, TypeId::INT, value);
    add_expr(program, ExprKind::Const(bits), TypeId::INT)
}

fn binary(program: &mut Program, op: BinOp, left: ExprId, right: ExprId) -> ExprId {
    add_expr(program, ExprKind::Binary(op, left, right), TypeId::INT)
}

fn either(program: &mut Program, left: ExprId, right: ExprId) -> ExprId {
    binary(program, BinOp::Or, left, right)
}

/// The arguments of a call that are compared, counted from 0.
pub fn compared(program: &Program, function: FuncId, args: &[ExprId]) -> Vec<usize> {
    let Some(first) = first_value(program, function) else { return Vec::new() };
    let is_integer = |index: &usize| matches!(program.types.get(program.exprs[args[*index]].ty), crate::Type::Int(_));
    (first.min(args.len())..args.len()).filter(is_integer).collect()
}

fn place(program: &Program, entry: FuncId, edge: EdgeId) -> Option<Place> {
    let data = &program.edges[edge];
    let is_integer = |value: &ExprId| matches!(program.types.get(program.exprs[*value].ty), crate::Type::Int(_));
    match data.op {
        Op::Return(value) if program.locations[data.from].function == entry => {
            Some(Place { edge, number: None, values: value.filter(is_integer).into_iter().collect() })
        }
        Op::Halt(value) => Some(Place { edge, number: None, values: value.filter(is_integer).into_iter().collect() }),
        Op::Call { callee: Callee::Direct(function), args, .. } => {
            first_value(program, function)?;
            let args = program.call_args(args);
            let values = compared(program, function, args).into_iter().map(|index| args[index]).collect();
            Some(Place { edge, number: Some(0), values })
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
