//! Facts about several variables.

use super::{AtHead, Fact, is_named, promoted};
use crate::domains::affine::AffineSpace;
use crate::domains::interval::{Range, view};
use crate::domains::octagon::{Octagon, Signed};
use crate::relations::closed_copy;
use crate::state::AbstractValue;
use cfa::{BinOp, TypeId, eval};

/// Constraints between two variables that their ranges do not imply.
pub fn octagons(known: &AtHead<'_>, facts: &mut Vec<Fact>) {
    for octagon in known.state.octagons().filter_map(closed_copy) {
        of_octagon(known, &octagon, facts);
    }
}

fn of_octagon(known: &AtHead<'_>, octagon: &Octagon, facts: &mut Vec<Fact>) {
    let (program, cells) = (known.transfer.context.program, &known.transfer.context.cells.all);
    let named: Vec<(usize, Related)> = octagon
        .variables
        .iter()
        .enumerate()
        .filter_map(|(index, cell)| {
            let data = &cells[*cell as usize];
            let var = data.var.filter(|var| is_named(program, known.head, *var))?;
            let AbstractValue::Int(number) = known.state.value(*cell, cells) else { return None };
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
pub fn equations(known: &AtHead<'_>, facts: &mut Vec<Fact>) {
    known.state.spaces().for_each(|space| of_space(known, space, facts));
}

fn of_space(known: &AtHead<'_>, space: &AffineSpace, facts: &mut Vec<Fact>) {
    let (program, cells) = (known.transfer.context.program, &known.transfer.context.cells.all);
    let ty = match space.width {
        32 => TypeId::UINT,
        64 => TypeId::ULONG_LONG,
        _ => return,
    };
    let read = |index: usize| {
        let data = &cells[space.variables[index] as usize];
        let var = data.var.filter(|var| is_named(program, known.head, *var))?;
        Some(Fact::Read(var, data.offsets.start).cast(ty))
    };
    for (dependent, sum) in space.equations() {
        let signed = |number: u64| eval::extend(cfa::Bits { lo: number, hi: 0 }, space.width, true);
        let others = (0..sum.factors.len()).filter(|index| *index != dependent && sum.factors[*index] != 0);
        let others: Vec<(usize, i128)> = others.map(|index| (index, signed(sum.factors[index]))).collect();
        // A constant is an interval's fact; large factors come from wrapping around and are of no use.
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
