//! Facts about one variable.

use super::{AtHead, Fact, is_named, promoted};
use crate::cells::Cell;
use crate::domains::bits::mask;
use crate::domains::interval::view_of;
use crate::domains::number::Number;
use crate::state::AbstractValue;
use cfa::types::IntKind;
use cfa::{BinOp, TypeId, VarId, eval};

/// Values of a set that is written down.
const MAX_LISTED: usize = 8;

/// An integer variable, or a pointer.
struct Known<'a> {
    number: &'a Number,
    /// The value in the type that C computes with.
    value: Fact,
    ty: TypeId,
    is_pointer: bool,
}

impl Known<'_> {
    fn compare(&self, op: BinOp, bound: i128) -> Fact {
        Fact::binary(op, self.ty, self.value.clone(), Fact::Integer(self.ty, bound))
    }

    /// Whether the values are few, and not all numbers between the least and the greatest.
    fn is_listed(&self) -> bool {
        let range = self.number.range();
        let few = |count: usize| count <= MAX_LISTED && range.hi - range.lo + 1 > count as i128;
        self.number.values.as_ref().is_some_and(|values| few(values.values.len())) || range.lo == range.hi
    }

    /// The remainder that is written down.
    fn remainder(&self) -> Option<(i128, i128)> {
        let (modulus, residue) = (self.number.congruence.modulus, self.number.congruence.residue);
        let (range, all) = (self.number.range(), view_of(self.number.shape));
        // Remainders of negative numbers are negative.
        let wanted = modulus > 1 && modulus <= all.hi && (range.lo >= 0 || residue == 0);
        wanted.then_some((modulus, residue))
    }
}

fn named<'a>(known: &'a AtHead<'_>) -> impl Iterator<Item = (&'a Cell, VarId, &'a AbstractValue)> {
    let context = &known.transfer.context;
    known.state.iter().filter_map(|(cell, value)| {
        let data = &context.cells.all[cell as usize];
        let var = data.var.filter(|var| !data.several && is_named(context.program, known.head, *var))?;
        Some((data, var, value))
    })
}

fn integers<'a>(known: &'a AtHead<'_>) -> impl Iterator<Item = Known<'a>> {
    named(known).filter_map(|(cell, var, value)| {
        let AbstractValue::Int(number) = value else { return None };
        let read = Fact::Read(var, cell.offsets.start);
        Some(match promoted(cell.ty) {
            Some(ty) => Known { number, value: read.cast(ty), ty, is_pointer: false },
            None => Known { number, value: read, ty: cell.ty, is_pointer: true },
        })
    })
}

pub fn values(known: &AtHead<'_>, facts: &mut Vec<Fact>) {
    for one in integers(known) {
        let number = one.number;
        // Of a pointer only whether it is null.
        if one.is_pointer {
            facts.extend(number.is_zero().map(|zero| one.compare(if zero { BinOp::Eq } else { BinOp::Ne }, 0)));
            continue;
        }
        if let Some(single) = number.single() {
            facts.push(one.compare(BinOp::Eq, single));
        } else if let Some(values) = number.values.as_ref().filter(|_| one.is_listed()) {
            let typed =
                |bits: &u64| eval::extend(cfa::Bits { lo: *bits, hi: 0 }, number.shape.width, number.shape.signed);
            let mut numbers: Vec<i128> = values.values.iter().map(typed).collect();
            numbers.sort_unstable();
            let each = numbers.into_iter().map(|value| one.compare(BinOp::Eq, value));
            facts.extend(each.reduce(|some, one| Fact::binary(BinOp::Or, TypeId::INT, some, one)));
        }
    }
}

pub fn intervals(known: &AtHead<'_>, facts: &mut Vec<Fact>) {
    for one in integers(known).filter(|one| !one.is_pointer && !one.is_listed()) {
        let (range, all) = (one.number.range(), view_of(one.number.shape));
        if range.lo > all.lo {
            facts.push(one.compare(BinOp::Ge, range.lo));
        }
        if range.hi < all.hi {
            facts.push(one.compare(BinOp::Le, range.hi));
        }
    }
}

pub fn congruences(known: &AtHead<'_>, facts: &mut Vec<Fact>) {
    for one in integers(known).filter(|one| !one.is_pointer && !one.is_listed()) {
        if let Some((modulus, residue)) = one.remainder() {
            let rest = Fact::binary(BinOp::Rem, one.ty, one.value.clone(), Fact::Integer(one.ty, modulus));
            facts.push(Fact::binary(BinOp::Eq, one.ty, rest, Fact::Integer(one.ty, residue)));
        }
    }
}

/// Bits that neither the bounds nor the remainder say.
pub fn bits(known: &AtHead<'_>, facts: &mut Vec<Fact>) {
    for one in integers(known).filter(|one| !one.is_pointer && !one.is_listed()) {
        let number = one.number;
        let (lo, hi) = (number.interval.unsigned.lo as u64, number.interval.unsigned.hi as u64);
        let by_bounds = !(u64::MAX.checked_shr((lo ^ hi).leading_zeros()).unwrap_or(0));
        let by_remainder = match one.remainder() {
            Some((modulus, _)) if modulus % 2 == 0 => mask(modulus.trailing_zeros().min(63)),
            _ => 0,
        };
        let open = number.bits.known() & !by_bounds & !by_remainder & mask(number.shape.width);
        if open != 0 {
            let unsigned = TypeId::int(one.ty.int_kind().map_or(IntKind::UInt, IntKind::to_unsigned));
            let value = one.value.clone().cast(unsigned);
            let bits = Fact::binary(BinOp::And, unsigned, value, Fact::Integer(unsigned, open as i128));
            let wanted = Fact::Integer(unsigned, (number.bits.ones & open) as i128);
            facts.push(Fact::binary(BinOp::Eq, unsigned, bits, wanted));
        }
    }
}

pub fn floats(known: &AtHead<'_>, facts: &mut Vec<Fact>) {
    for (cell, var, value) in named(known) {
        // With NaN every comparison is false.
        let AbstractValue::Float(range) = value else { continue };
        let (Some((lo, hi)), false) = (range.range, range.nan) else { continue };
        let read = Fact::Read(var, cell.offsets.start);
        for (op, bound) in [(BinOp::Ge, lo), (BinOp::Le, hi)] {
            if bound.is_finite() {
                facts.push(Fact::binary(op, cell.ty, read.clone(), Fact::Float(cell.ty, bound)));
            }
        }
    }
}
