//! What is known of a machine integer: the reduced product of intervals, known bits, congruences and finite sets. `None` in place of a
//! number means that there is none: the state is unreachable.
//!
//! Concrete arithmetic is that of [`cfa::eval`]; an operation on two small sets is carried out there for each pair of values.

use super::bits::{KnownBits, mask};
use super::congruence::{Congruence, gcd};
use super::interval::{Interval, Range, view, view_of};
use super::values::{MAX_VALUES, ValueSet};
use super::{Shape, Thresholds};
use cfa::eval;
use cfa::{BinOp, Bits, UnOp};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Number {
    pub shape: Shape,
    pub interval: Interval,
    pub bits: KnownBits,
    pub congruence: Congruence,
    pub values: Option<ValueSet>,
}

/// Pairs of values that an operation is carried out for.
const MAX_PAIRS: usize = 256;

impl Number {
    pub fn top(shape: Shape) -> Number {
        let number = Number {
            shape,
            interval: Interval::top(shape.width),
            bits: KnownBits::TOP,
            congruence: Congruence::TOP,
            values: None,
        };
        // `_Bool` has two values.
        if shape.width > 4 { number } else { number.clone().reduced().unwrap_or(number) }
    }

    pub fn is_top(&self) -> bool {
        *self == Number::top(self.shape)
    }

    pub fn constant(shape: Shape, bits: u64) -> Number {
        Number::of_values(shape, [bits & mask(shape.width)]).unwrap_or_else(|| Number::top(shape))
    }

    pub fn truth(truth: Option<bool>, shape: Shape) -> Option<Number> {
        match truth {
            Some(truth) => Number::of_values(shape, [truth as u64]),
            None => Number::of_values(shape, [0, 1]),
        }
    }

    /// The smallest number that holds some bits. `None`: there are none.
    pub fn of_values(shape: Shape, values: impl IntoIterator<Item = u64>) -> Option<Number> {
        let mut values: Vec<u64> = values.into_iter().map(|bits| bits & mask(shape.width)).collect();
        values.sort_unstable();
        values.dedup();
        let typed = |bits: u64, signed: bool| eval::extend(word(bits), shape.width, signed);
        let range = |signed: bool| {
            let numbers = values.iter().map(|bits| typed(*bits, signed));
            Range::new(numbers.clone().min()?, numbers.max()?)
        };
        let interval = Interval { unsigned: range(false)?, signed: range(true)? };
        let mut bits = KnownBits::constant(*values.first()?, shape.width);
        let mut congruence = Congruence::constant(typed(*values.first()?, shape.signed));
        for value in &values {
            bits = bits.join(KnownBits::constant(*value, shape.width));
            congruence = congruence.join(Congruence::constant(typed(*value, shape.signed)));
        }
        Some(Number { shape, interval, bits, congruence, values: ValueSet::of(values) })
    }

    /// Numbers in a range, as the type reads them.
    pub fn in_range(shape: Shape, range: Range) -> Option<Number> {
        let range = range.meet(view_of(shape))?;
        Number { interval: Interval::wrapped(range, shape.width), ..Number::unreduced_top(shape) }.reduced()
    }

    fn unreduced_top(shape: Shape) -> Number {
        Number {
            shape,
            interval: Interval::top(shape.width),
            bits: KnownBits::TOP,
            congruence: Congruence::TOP,
            values: None,
        }
    }

    /// The range, as the type reads it.
    pub fn range(&self) -> Range {
        self.interval.of(self.shape.signed)
    }

    /// The only value, as the type reads it.
    pub fn single(&self) -> Option<i128> {
        let range = self.range();
        (range.lo == range.hi).then_some(range.lo)
    }

    pub fn contains(&self, bits: u64) -> bool {
        let number = |signed: bool| eval::extend(word(bits), self.shape.width, signed);
        self.interval.unsigned.contains(number(false))
            && self.interval.signed.contains(number(true))
            && self.bits.contains(bits)
            && self.congruence.contains(number(self.shape.signed))
            && self.values.as_ref().is_none_or(|values| values.contains(bits))
    }

    /// Whether it holds all that the other one holds.
    pub fn includes(&self, other: &Number) -> bool {
        if let Some(values) = &other.values {
            return values.values.iter().all(|bits| self.contains(*bits));
        }
        self.join(other) == *self
    }

    pub fn join(&self, other: &Number) -> Number {
        Number {
            shape: self.shape,
            interval: self.interval.join(other.interval),
            bits: self.bits.join(other.bits),
            congruence: self.congruence.join(other.congruence),
            values: match (&self.values, &other.values) {
                (Some(a), Some(b)) => a.join(b),
                _ => None,
            },
        }
    }

    pub fn meet(&self, other: &Number) -> Option<Number> {
        let values = match (&self.values, &other.values) {
            (Some(a), _) => Some(a.clone()),
            (None, b) => b.clone(),
        };
        let met = Number {
            shape: self.shape,
            interval: self.interval.meet(other.interval)?,
            bits: self.bits.meet(other.bits)?,
            congruence: self.congruence.meet(other.congruence)?,
            values,
        };
        // Only what both sets hold.
        let met = match (&self.values, &other.values) {
            (Some(a), Some(b)) => {
                let common: Vec<u64> = a.values.iter().copied().filter(|bits| b.contains(*bits)).collect();
                Number { values: Some(ValueSet::of(common)?), ..met }
            }
            _ => met,
        };
        met.reduced()
    }

    /// An upper bound of both at which chains end: bounds that grow go to the next threshold, sets that grow are given up.
    pub fn widen(&self, newer: &Number, thresholds: &Thresholds) -> Number {
        if self.includes(newer) {
            return self.clone();
        }
        let joined = self.join(newer);
        Number {
            interval: self.interval.widen(joined.interval, self.shape.width, thresholds.numbers()),
            values: None,
            ..joined
        }
    }

    /// Each part as strong as the others allow.
    pub fn reduced(mut self) -> Option<Number> {
        let Shape { width, signed } = self.shape;
        if let Some(values) = self.values.take() {
            let kept: Vec<u64> = values.values.into_iter().filter(|bits| self.contains(*bits)).collect();
            return Number::of_values(self.shape, kept);
        }
        for _ in 0..2 {
            self.interval = self.interval.reduced(width)?;
            // Bits before the first in which the bounds differ are the same for all numbers between them.
            let (lo, hi) = (self.interval.unsigned.lo as u64, self.interval.unsigned.hi as u64);
            let same = mask(width) & !(u64::MAX.checked_shr((lo ^ hi).leading_zeros()).unwrap_or(0));
            self.bits = self.bits.meet(KnownBits { zeros: !lo & same, ones: lo & same })?;
            let range = Range { lo: self.bits.ones as i128, hi: (!self.bits.zeros & mask(width)) as i128 };
            self.interval.unsigned = self.interval.unsigned.meet(range)?;
            // Low bits that are known are a congruence modulo a power of two, in both views.
            let low = self.bits.known().trailing_ones().min(width).min(61);
            if low > 0 {
                let known = Congruence::new(1 << low, (self.bits.ones & mask(low)) as i128);
                self.congruence = self.congruence.meet(known)?;
            }
            let even = gcd(self.congruence.modulus, 1 << width.min(61));
            if self.congruence.modulus != 1 && even > 1 {
                let count = even.trailing_zeros();
                let residue = self.congruence.residue.rem_euclid(even) as u64;
                self.bits = self.bits.meet(KnownBits { zeros: !residue & mask(count), ones: residue })?;
            }
            let own = self.interval.of(signed);
            let tightened = tighten(own, self.congruence)?;
            if signed {
                self.interval.signed = tightened;
            } else {
                self.interval.unsigned = tightened;
            }
        }
        self.interval = self.interval.reduced(width)?;
        let range = self.range();
        let step = self.congruence.modulus.max(1);
        if (range.hi - range.lo) / step < MAX_VALUES as i128 {
            let candidates = (0..=(range.hi - range.lo) / step).map(|index| range.lo + index * step);
            let values: Vec<u64> = candidates
                .map(|value| eval::truncate(value as u128, width).lo)
                .filter(|bits| self.contains(*bits))
                .collect();
            return Number::of_values(self.shape, values);
        }
        Some(self)
    }

    fn pairs(&self, other: &Number) -> Option<Vec<(u64, u64)>> {
        let (a, b) = (&self.values.as_ref()?.values, &other.values.as_ref()?.values);
        (a.len() * b.len() <= MAX_PAIRS).then(|| a.iter().flat_map(|a| b.iter().map(move |b| (*a, *b))).collect())
    }

    pub fn unary(op: UnOp, a: &Number, result: Shape) -> Option<Number> {
        match op {
            UnOp::Not => Number::truth(a.is_zero(), result),
            UnOp::Neg => Number::arithmetic(BinOp::Sub, &Number::constant(a.shape, 0), a),
            UnOp::BitNot => {
                let ones = Number::constant(a.shape, mask(a.shape.width));
                Number::arithmetic(BinOp::Sub, &ones, a)
            }
        }
    }

    /// Whether it is 0, if that is known.
    pub fn is_zero(&self) -> Option<bool> {
        if !self.contains(0) {
            return Some(false);
        }
        (self.interval.unsigned.hi == 0).then_some(true)
    }

    /// Operands of one shape, except shifts. Of a division, the runs that do not fault.
    pub fn binary(op: BinOp, a: &Number, b: &Number, result: Shape) -> Option<Number> {
        if op.is_comparison() {
            return Number::truth(Number::compare(op, a, b), result);
        }
        Number::arithmetic(op, a, b)
    }

    fn arithmetic(op: BinOp, a: &Number, b: &Number) -> Option<Number> {
        let shape = a.shape;
        if let Some(pairs) = a.pairs(b) {
            let values = pairs.into_iter().filter_map(|(x, y)| concrete(op, a.shape, x, b.shape, y));
            return Number::of_values(shape, values);
        }
        if matches!(op, BinOp::Shl | BinOp::Shr) {
            return Number::shifted(op, a, b);
        }
        let (width, top) = (shape.width, Number::unreduced_top(shape));
        let (own, other) = (a.range(), b.range());
        let views = |change: &dyn Fn(Range, Range) -> Option<Range>| {
            let of = |signed: bool| {
                let range = change(a.interval.of(signed), b.interval.of(signed));
                range.map_or(Interval::top(width), |range| Interval::wrapped(range, width))
            };
            of(false).meet(of(true))
        };
        let fits = |range: Option<Range>| range.is_some_and(|range| view_of(shape).includes(range));
        let congruence =
            |exact: Congruence, range: Option<Range>| if fits(range) { exact } else { exact.wrapped(width) };
        let result = match op {
            BinOp::Add => Number {
                interval: views(&|x, y| Some(x.plus(y)))?,
                bits: a.bits.plus(b.bits, width),
                congruence: congruence(a.congruence.plus(b.congruence), Some(own.plus(other))),
                ..top
            },
            BinOp::Sub => Number {
                interval: views(&|x, y| Some(x.minus(y)))?,
                bits: a.bits.minus(b.bits, width),
                congruence: congruence(a.congruence.minus(b.congruence), Some(own.minus(other))),
                ..top
            },
            BinOp::Mul => Number {
                interval: views(&Range::times)?,
                bits: a.bits.times(b.bits, width),
                congruence: congruence(a.congruence.times(b.congruence), own.times(other)),
                ..top
            },
            BinOp::Div => {
                let range = own.divided_by(other)?;
                Number { interval: Interval::wrapped(range, width), ..top }
            }
            BinOp::Rem => {
                let range = own.remainder_by(other)?;
                let congruence = match b.single() {
                    Some(divisor) if divisor != 0 => a.congruence.remainder_by(divisor),
                    _ => Congruence::TOP,
                };
                Number { interval: Interval::wrapped(range, width), congruence, ..top }
            }
            BinOp::And | BinOp::Or | BinOp::Xor => {
                let (x, y) = (a.interval.unsigned, b.interval.unsigned);
                // All bits up to the highest that either may have.
                let most = mask(64 - ((x.hi | y.hi) as u64).leading_zeros().min(63)) as i128;
                let (bits, range) = match op {
                    BinOp::And => (a.bits.and(b.bits), Range { lo: 0, hi: x.hi.min(y.hi) }),
                    BinOp::Or => (a.bits.or(b.bits), Range { lo: x.lo.max(y.lo), hi: most }),
                    _ => (a.bits.xor(b.bits), Range { lo: 0, hi: most }),
                };
                let unsigned = range.meet(view(width, false))?;
                Number { bits, interval: Interval { unsigned, ..Interval::top(width) }, ..top }
            }
            _ => top,
        };
        result.reduced()
    }

    fn shifted(op: BinOp, a: &Number, b: &Number) -> Option<Number> {
        let shape = a.shape;
        let Shape { width, signed } = shape;
        let range = b.range();
        let amounts: Vec<u32> = match &b.values {
            Some(values) => {
                let amount = |bits: u64| eval::extend(word(bits), b.shape.width, b.shape.signed) as u32;
                values.values.iter().map(|bits| amount(*bits) & (width.next_power_of_two() - 1)).collect()
            }
            None if range.lo >= 0 && range.hi < width as i128 => (range.lo as u32..=range.hi as u32).collect(),
            None => (0..width.next_power_of_two()).collect(),
        };
        let mut joined: Option<Number> = None;
        for amount in amounts {
            let top = Number::unreduced_top(shape);
            let moved = match op {
                BinOp::Shl => {
                    let factor = Range::one(1i128 << amount);
                    let times = |range: Range| range.times(factor).map(|range| Interval::wrapped(range, width));
                    let interval = times(a.interval.unsigned).unwrap_or(Interval::top(width));
                    let interval = interval.meet(times(a.interval.signed).unwrap_or(Interval::top(width)))?;
                    Number { interval, bits: a.bits.shifted_left(amount, width), ..top }
                }
                _ => {
                    let own = a.range();
                    let range = Range { lo: own.lo >> amount, hi: own.hi >> amount };
                    let bits = a.bits.shifted_right(amount, width, signed);
                    Number { interval: Interval::wrapped(range, width), bits, ..top }
                }
            };
            let moved = moved.reduced()?;
            joined = Some(joined.map_or_else(|| moved.clone(), |joined| joined.join(&moved)));
        }
        joined
    }

    /// Whether a comparison holds, if that is known.
    pub fn compare(op: BinOp, a: &Number, b: &Number) -> Option<bool> {
        let (x, y) = (a.range(), b.range());
        match op {
            BinOp::Lt => decided(x.hi < y.lo, x.lo >= y.hi),
            BinOp::Le => decided(x.hi <= y.lo, x.lo > y.hi),
            BinOp::Gt => decided(x.lo > y.hi, x.hi <= y.lo),
            BinOp::Ge => decided(x.lo >= y.hi, x.hi < y.lo),
            BinOp::Eq => decided(x.lo == x.hi && x == y, a.meet(b).is_none()),
            BinOp::Ne => decided(a.meet(b).is_none(), x.lo == x.hi && x == y),
            _ => None,
        }
    }

    pub fn cast(&self, to: Shape) -> Option<Number> {
        if let Some(values) = &self.values {
            let number = |bits: &u64| eval::extend(word(*bits), self.shape.width, self.shape.signed);
            return Number::of_values(to, values.values.iter().map(|bits| number(bits) as u64));
        }
        let own = self.range();
        let mut interval = Interval::wrapped(own, to.width);
        if to.width <= self.shape.width {
            // Only bits are lost, so both views of what there was hold.
            interval = interval.meet(Interval::wrapped(self.interval.of(!self.shape.signed), to.width))?;
        }
        let congruence = if view_of(to).includes(own) { self.congruence } else { self.congruence.wrapped(to.width) };
        let bits = self.bits.cast(self.shape.width, self.shape.signed, to.width);
        Number { interval, bits, congruence, ..Number::unreduced_top(to) }.reduced()
    }

    /// Only zero is false.
    pub fn to_bool(&self, to: Shape) -> Option<Number> {
        Number::truth(self.is_zero().map(|zero| !zero), to)
    }

    /// Without one value, where that can be said.
    pub fn without(&self, bits: u64) -> Option<Number> {
        if let Some(values) = &self.values {
            return Number::of_values(self.shape, values.values.iter().copied().filter(|value| *value != bits));
        }
        let cut = |range: Range, value: i128| {
            let lo = if range.lo == value { range.lo + 1 } else { range.lo };
            let hi = if range.hi == value { range.hi - 1 } else { range.hi };
            Range::new(lo, hi)
        };
        let number = |signed: bool| eval::extend(word(bits), self.shape.width, signed);
        let interval = Interval {
            unsigned: cut(self.interval.unsigned, number(false))?,
            signed: cut(self.interval.signed, number(true))?,
        };
        Number { interval, ..self.clone() }.reduced()
    }
}

/// The result of one operation; `None` if it faults.
pub fn concrete(op: BinOp, shape: Shape, a: u64, right: Shape, b: u64) -> Option<u64> {
    let a = eval::extend(word(a), shape.width, shape.signed);
    let b = eval::extend(word(b), right.width, right.signed);
    eval::integer(op, shape.width, shape.signed, false, a, b).ok().map(|value| value.bits.lo)
}

fn word(bits: u64) -> Bits {
    Bits { lo: bits, hi: 0 }
}

fn decided(yes: bool, no: bool) -> Option<bool> {
    match (yes, no) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

/// The part of a range that a congruence allows, from the first to the last such number.
fn tighten(range: Range, congruence: Congruence) -> Option<Range> {
    match congruence.modulus {
        0 => range.contains(congruence.residue).then(|| Range::one(congruence.residue)),
        modulus => {
            let lo = range.lo + (congruence.residue - range.lo).rem_euclid(modulus);
            let hi = range.hi - (range.hi - congruence.residue).rem_euclid(modulus);
            Range::new(lo, hi)
        }
    }
}

#[cfg(test)]
#[path = "number_tests.rs"]
mod tests;
