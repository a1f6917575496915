//! Facts as C expressions: what the states at a loop head, joined over all contexts, say of variables that can be named there.
//!
//! Operands are promoted as C promotes them, and no operation can overflow, so a fact means the same to any C compiler.

use crate::cells::{Cell, Kind};
use crate::domains::affine::AffineSpace;
use crate::domains::bits::mask;
use crate::domains::float::FloatRange;
use crate::domains::interval::{Range, view, view_of};
use crate::domains::number::Number;
use crate::domains::octagon::{Octagon, Signed};
use crate::fixpoint::Fixpoint;
use crate::relations::closed_copy;
use crate::state::{State, Value};
use crate::transfer::Transfer;
use base::Span;
use cfa::types::{IntKind, Type};
use cfa::{
    BinOp, Binding, Expr, ExprId, ExprKind, LocId, Place, PlaceId, PlaceKind, Program, TypeId, VarId, VarKind, eval,
};

/// Facts at one location; more help nobody.
const MAX_FACTS: usize = 64;
/// Values of a set that is written down.
const MAX_LISTED: usize = 8;

/// An expression that is not yet part of a program.
#[derive(Clone, PartialEq, Debug)]
pub enum Fact {
    /// The scalar of a variable at an offset.
    Read(VarId, u32),
    Integer(TypeId, i128),
    Float(TypeId, f64),
    Cast(TypeId, Box<Fact>),
    Binary(BinOp, TypeId, Box<Fact>, Box<Fact>),
}

impl Fact {
    pub fn add_to(&self, program: &mut Program) -> ExprId {
        let (kind, ty) = match self {
            Fact::Read(var, offset) => {
                let place = place_of(program, *var, *offset);
                (ExprKind::Read(place), program.places[place].ty)
            }
            Fact::Integer(ty, value) => (ExprKind::Const(eval::from_i128(&program.types, *ty, *value)), *ty),
            Fact::Float(ty, value) => {
                let double = cfa::Bits { lo: value.to_bits(), hi: 0 };
                (ExprKind::Const(eval::cast(&program.types, TypeId::DOUBLE, *ty, double)), *ty)
            }
            Fact::Cast(ty, inner) => {
                let inner = inner.add_to(program);
                if program.exprs[inner].ty == *ty {
                    return inner;
                }
                (ExprKind::Cast(inner), *ty)
            }
            Fact::Binary(op, ty, left, right) => {
                let (left, right) = (left.add_to(program), right.add_to(program));
                (ExprKind::Binary(*op, left, right), *ty)
            }
        };
        program.exprs.push(Expr { kind, ty, span: Span::NONE })
    }

    pub fn cast(self, ty: TypeId) -> Fact {
        Fact::Cast(ty, Box::new(self))
    }

    /// An operation on two operands of one type.
    pub fn binary(op: BinOp, ty: TypeId, left: Fact, right: Fact) -> Fact {
        let ty = if op.is_comparison() { TypeId::INT } else { ty };
        Fact::Binary(op, ty, Box::new(left), Box::new(right))
    }
}

/// The place of a scalar, by the members that lead to it.
fn place_of(program: &mut Program, var: VarId, offset: u32) -> PlaceId {
    let ty = program.vars[var].ty;
    let mut place = program.places.push(Place { kind: PlaceKind::Var(var), ty });
    let mut left = offset as u64;
    while let Type::Record(record) = *program.types.get(program.places[place].ty) {
        let fields = &program.types.records[record].fields;
        let holds = |field: &cfa::types::Field| {
            let size = program.types.size_of(field.ty).unwrap_or(0);
            field.bits.is_none() && (field.offset..field.offset + size).contains(&left)
        };
        let Some(number) = fields.iter().position(holds) else { break };
        let (ty, start) = (fields[number].ty, fields[number].offset);
        left -= start;
        place = program.places.push(Place { kind: PlaceKind::Field(place, number as u32), ty });
    }
    place
}

pub fn at_loop_heads(transfer: &Transfer<'_>, fixpoint: &Fixpoint<'_, '_>) -> Vec<(LocId, Fact)> {
    let program = transfer.context.program;
    let mut found = Vec::new();
    for function in transfer.context.points_to.reached() {
        for one in cfa::loops::loops(program, *function) {
            let contexts = (0..fixpoint.contexts.len()).filter(|index| fixpoint.contexts[*index].function == *function);
            let states = contexts.flat_map(|context| fixpoint.states(context, one.head).iter());
            let joined = states.fold(None, |joined: Option<State>, state| {
                Some(joined.map_or_else(|| state.clone(), |joined| joined.join(state)))
            });
            let Some(state) = joined else { continue };
            let mut facts = Vec::new();
            of_cells(transfer, &state, one.head, &mut facts);
            for space in state.spaces() {
                of_space(transfer, one.head, space, &mut facts);
            }
            for octagon in state.octagons().filter_map(closed_copy) {
                of_octagon(transfer, &state, one.head, &octagon, &mut facts);
            }
            facts.truncate(MAX_FACTS);
            found.extend(facts.into_iter().map(|fact| (one.head, fact)));
        }
    }
    found
}

/// Whether a name at a location means the variable.
pub fn is_named(program: &Program, at: LocId, var: VarId) -> bool {
    let data = &program.vars[var];
    matches!(data.kind, VarKind::Global | VarKind::Local(_) | VarKind::Param(_))
        && program.lookup(at, data.name) == Some(Binding::Var(var))
}

fn of_cells(transfer: &Transfer<'_>, state: &State, at: LocId, facts: &mut Vec<Fact>) {
    let program = transfer.context.program;
    for (cell, value) in state.iter() {
        let data = &transfer.context.cells.all[cell as usize];
        let Some(var) = data.var else { continue };
        if data.several || !is_named(program, at, var) {
            continue;
        }
        match value {
            Value::Int(number) => of_number(program, data, var, number, facts),
            Value::Float(range) => of_float(data, var, range, facts),
        }
    }
}

/// The type that C computes with, for an integer type.
pub fn promoted(ty: TypeId) -> Option<TypeId> {
    let kind = ty.int_kind()?;
    Some(if kind.rank() < IntKind::Int.rank() { TypeId::INT } else { ty })
}

fn of_number(program: &Program, cell: &Cell, var: VarId, number: &Number, facts: &mut Vec<Fact>) {
    let read = Fact::Read(var, cell.offsets.start);
    let Some(ty) = promoted(cell.ty) else {
        // A pointer: null or not.
        let null = Fact::Integer(cell.ty, 0);
        match number.is_zero() {
            Some(true) => facts.push(Fact::binary(BinOp::Eq, cell.ty, read, null)),
            Some(false) => facts.push(Fact::binary(BinOp::Ne, cell.ty, read, null)),
            None => {}
        }
        return;
    };
    let value = read.clone().cast(ty);
    let compare = |op: BinOp, bound: i128| Fact::binary(op, ty, value.clone(), Fact::Integer(ty, bound));
    let typed = |bits: u64| eval::extend(cfa::Bits { lo: bits, hi: 0 }, number.shape.width, number.shape.signed);
    if let Some(single) = number.single() {
        facts.push(compare(BinOp::Eq, single));
        return;
    }
    let (range, all) = (number.range(), view_of(number.shape));
    if let Some(values) = &number.values
        && values.values.len() <= MAX_LISTED
        && range.hi - range.lo + 1 > values.values.len() as i128
    {
        let mut numbers: Vec<i128> = values.values.iter().map(|bits| typed(*bits)).collect();
        numbers.sort_unstable();
        let one_of = numbers
            .into_iter()
            .map(|value| compare(BinOp::Eq, value))
            .reduce(|some, one| Fact::binary(BinOp::Or, TypeId::INT, some, one));
        facts.extend(one_of);
        return;
    }
    if range.lo > all.lo {
        facts.push(compare(BinOp::Ge, range.lo));
    }
    if range.hi < all.hi {
        facts.push(compare(BinOp::Le, range.hi));
    }
    let (modulus, residue) = (number.congruence.modulus, number.congruence.residue);
    // Remainders of negative numbers are negative.
    let remainder = modulus > 1 && modulus <= all.hi && (range.lo >= 0 || residue == 0);
    if remainder {
        let rest = Fact::binary(BinOp::Rem, ty, value.clone(), Fact::Integer(ty, modulus));
        facts.push(Fact::binary(BinOp::Eq, ty, rest, Fact::Integer(ty, residue)));
    }
    // Bits that neither the bounds nor the remainder say.
    let (lo, hi) = (number.interval.unsigned.lo as u64, number.interval.unsigned.hi as u64);
    let by_bounds = !(u64::MAX.checked_shr((lo ^ hi).leading_zeros()).unwrap_or(0));
    let by_remainder = if remainder { mask(modulus.trailing_zeros().clamp(1, 63)) } else { 0 };
    let by_remainder = if modulus % 2 == 0 { by_remainder } else { 0 };
    let open = number.bits.known() & !by_bounds & !by_remainder & mask(number.shape.width);
    if open != 0 && program.types.scalar_bits(ty) <= 64 {
        let unsigned = TypeId::int(ty.int_kind().map_or(IntKind::UInt, IntKind::to_unsigned));
        let bits = Fact::binary(BinOp::And, unsigned, value.cast(unsigned), Fact::Integer(unsigned, open as i128));
        let wanted = Fact::Integer(unsigned, (number.bits.ones & open) as i128);
        facts.push(Fact::binary(BinOp::Eq, unsigned, bits, wanted));
    }
}

fn of_float(cell: &Cell, var: VarId, range: &FloatRange, facts: &mut Vec<Fact>) {
    // With NaN every comparison is false.
    let (Some((lo, hi)), false, Kind::Float(_)) = (range.range, range.nan, cell.kind) else { return };
    let compare = |op: BinOp, bound: f64| {
        Fact::binary(op, cell.ty, Fact::Read(var, cell.offsets.start), Fact::Float(cell.ty, bound))
    };
    if lo.is_finite() {
        facts.push(compare(BinOp::Ge, lo));
    }
    if hi.is_finite() {
        facts.push(compare(BinOp::Le, hi));
    }
}

/// Constraints between two variables that their ranges do not imply.
fn of_octagon(transfer: &Transfer<'_>, state: &State, at: LocId, octagon: &Octagon, facts: &mut Vec<Fact>) {
    let (program, cells) = (transfer.context.program, &transfer.context.cells.all);
    let named: Vec<(usize, Related)> = octagon
        .variables
        .iter()
        .enumerate()
        .filter_map(|(index, cell)| {
            let data = &cells[*cell as usize];
            let var = data.var.filter(|var| is_named(program, at, *var))?;
            let Value::Int(number) = state.value(*cell, cells) else { return None };
            let ty = promoted(data.ty)?;
            let bits = program.types.scalar_bits(ty);
            let signed = program.types.is_signed(ty);
            let read = Fact::Read(var, data.offsets.start).cast(ty);
            Some((index, Related { read, ty, bits, signed, range: number.range() }))
        })
        .collect();
    for (position, (first, x)) in named.iter().enumerate() {
        for (second, y) in &named[position + 1..] {
            let (plus, minus) = (Signed::plus, Signed::minus);
            let difference = (
                octagon.sum(plus(*first), Some(minus(*second))).filter(|most| *most < x.range.hi - y.range.lo),
                octagon.sum(plus(*second), Some(minus(*first))).filter(|most| *most < y.range.hi - x.range.lo),
            );
            match difference {
                (Some(a), Some(b)) if a == -b => facts.extend(differs(x, y, BinOp::Eq, a)),
                (a, b) => {
                    facts.extend(a.and_then(|most| differs(x, y, BinOp::Le, most)));
                    facts.extend(b.and_then(|most| differs(y, x, BinOp::Le, most)));
                }
            }
            let sums = (
                octagon.sum(plus(*first), Some(plus(*second))).filter(|most| *most < x.range.hi + y.range.hi),
                octagon.sum(minus(*first), Some(minus(*second))).filter(|most| *most < -x.range.lo - y.range.lo),
            );
            match sums {
                (Some(a), Some(b)) if a == -b => facts.extend(adds_up(x, y, BinOp::Eq, a)),
                (a, b) => {
                    facts.extend(a.and_then(|most| adds_up(x, y, BinOp::Le, most)));
                    facts.extend(b.and_then(|most| adds_up(x, y, BinOp::Ge, -most)));
                }
            }
        }
    }
}

/// A variable of an octagon.
struct Related {
    read: Fact,
    /// Promoted.
    ty: TypeId,
    bits: u32,
    signed: bool,
    range: Range,
}

/// Bounds of this size come from the limits of types.
const MAX_BOUND: i128 = 1 << 30;

/// `x - y` compared with a number.
fn differs(x: &Related, y: &Related, op: BinOp, bound: i128) -> Option<Fact> {
    if bound.abs() > MAX_BOUND {
        return None;
    }
    let plain = |op: BinOp| Some(Fact::binary(op, x.ty, x.read.clone(), y.read.clone()));
    if x.ty == y.ty && bound == 0 {
        return plain(op);
    }
    if x.ty == y.ty && bound == -1 && op == BinOp::Le {
        return plain(BinOp::Lt);
    }
    let ty = wide_enough(x, y, x.range.minus(y.range), bound)?;
    let difference = Fact::binary(BinOp::Sub, ty, x.read.clone().cast(ty), y.read.clone().cast(ty));
    Some(Fact::binary(op, ty, difference, Fact::Integer(ty, bound)))
}

/// `x + y` compared with a number.
fn adds_up(x: &Related, y: &Related, op: BinOp, bound: i128) -> Option<Fact> {
    if bound.abs() > MAX_BOUND {
        return None;
    }
    let ty = wide_enough(x, y, x.range.plus(y.range), bound)?;
    let sum = Fact::binary(BinOp::Add, ty, x.read.clone().cast(ty), y.read.clone().cast(ty));
    Some(Fact::binary(op, ty, sum, Fact::Integer(ty, bound)))
}

/// A type in which both variables, the result and the number are what they are.
fn wide_enough(x: &Related, y: &Related, result: Range, bound: i128) -> Option<TypeId> {
    let fits = |bits: u32, signed: bool| {
        let all = view(bits, signed);
        [x.range, y.range, result].iter().all(|range| all.includes(*range)) && all.contains(bound)
    };
    if x.ty == y.ty && fits(x.bits, x.signed) {
        return Some(x.ty);
    }
    fits(64, true).then_some(TypeId::LONG_LONG)
}

/// Equations modulo the width: `n == i + 2 * j + 7` in unsigned arithmetic.
fn of_space(transfer: &Transfer<'_>, at: LocId, space: &AffineSpace, facts: &mut Vec<Fact>) {
    let (program, cells) = (transfer.context.program, &transfer.context.cells.all);
    let ty = match space.width {
        32 => TypeId::UINT,
        64 => TypeId::ULONG_LONG,
        _ => return,
    };
    let read = |index: usize| {
        let data = &cells[space.variables[index] as usize];
        let var = data.var.filter(|var| is_named(program, at, *var))?;
        Some(Fact::Read(var, data.offsets.start).cast(ty))
    };
    for (dependent, sum) in space.equations() {
        let signed = |number: u64| eval::extend(cfa::Bits { lo: number, hi: 0 }, space.width, true);
        let others = (0..sum.factors.len()).filter(|index| *index != dependent && sum.factors[*index] != 0);
        let others: Vec<(usize, i128)> = others.map(|index| (index, signed(sum.factors[index]))).collect();
        // A constant is an interval's fact; large factors come from wrapping around and help nobody.
        if others.is_empty() || others.len() > 3 || others.iter().any(|(_, factor)| factor.abs() > 1 << 12) {
            continue;
        }
        let constant = signed(sum.constant);
        let mut total: Option<Fact> = (constant > 0).then_some(Fact::Integer(ty, constant));
        let mut named = true;
        // Positive terms first, so that the text needs no unary minus.
        let mut ordered = others;
        ordered.sort_by_key(|(index, factor)| (*factor < 0, *index));
        for (index, factor) in ordered {
            let Some(value) = read(index) else {
                named = false;
                break;
            };
            let term = match factor.abs() {
                1 => value,
                factor => Fact::binary(BinOp::Mul, ty, Fact::Integer(ty, factor), value),
            };
            total = Some(match (total, factor < 0) {
                (None, false) => term,
                (None, true) => Fact::binary(BinOp::Sub, ty, Fact::Integer(ty, 0), term),
                (Some(total), false) => Fact::binary(BinOp::Add, ty, term, total),
                (Some(total), true) => Fact::binary(BinOp::Sub, ty, total, term),
            });
        }
        if constant < 0 {
            let number = Fact::Integer(ty, -constant);
            total = Some(match total {
                Some(total) => Fact::binary(BinOp::Sub, ty, total, number),
                None => Fact::Integer(ty, sum.constant as i128),
            });
        }
        if let (true, Some(total), Some(own)) = (named, total, read(dependent)) {
            facts.push(Fact::binary(BinOp::Eq, ty, own, total));
        }
    }
}
