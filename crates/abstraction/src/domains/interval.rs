//! Intervals of machine integers, seen twice: as unsigned and as signed numbers. Addition, subtraction and multiplication are the same
//! operation on bits in both views, so each keeps what the other loses where it wraps around.

use super::Shape;

/// An inclusive range of numbers; never empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    pub lo: i128,
    pub hi: i128,
}

impl Range {
    pub fn new(lo: i128, hi: i128) -> Option<Range> {
        (lo <= hi).then_some(Range { lo, hi })
    }

    pub fn one(value: i128) -> Range {
        Range { lo: value, hi: value }
    }

    pub fn contains(self, value: i128) -> bool {
        (self.lo..=self.hi).contains(&value)
    }

    pub fn includes(self, other: Range) -> bool {
        self.lo <= other.lo && other.hi <= self.hi
    }

    pub fn join(self, other: Range) -> Range {
        Range { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    pub fn meet(self, other: Range) -> Option<Range> {
        Range::new(self.lo.max(other.lo), self.hi.min(other.hi))
    }

    /// All sums; sums of numbers of up to 65 bits do not overflow.
    pub fn plus(self, other: Range) -> Range {
        Range { lo: self.lo + other.lo, hi: self.hi + other.hi }
    }

    pub fn minus(self, other: Range) -> Range {
        Range { lo: self.lo - other.hi, hi: self.hi - other.lo }
    }

    pub fn times(self, other: Range) -> Option<Range> {
        let mut products = Vec::with_capacity(4);
        for a in [self.lo, self.hi] {
            for b in [other.lo, other.hi] {
                products.push(a.checked_mul(b)?);
            }
        }
        Range::new(*products.iter().min()?, *products.iter().max()?)
    }

    /// Quotients truncated towards zero; the divisor is not 0.
    pub fn divided_by(self, other: Range) -> Option<Range> {
        let negative = Range::new(other.lo, other.hi.min(-1));
        let positive = Range::new(other.lo.max(1), other.hi);
        let quotients = |part: Range| {
            let corners = [self.lo / part.lo, self.lo / part.hi, self.hi / part.lo, self.hi / part.hi];
            Range { lo: corners.into_iter().min().unwrap_or(0), hi: corners.into_iter().max().unwrap_or(0) }
        };
        match (negative.map(quotients), positive.map(quotients)) {
            (Some(a), Some(b)) => Some(a.join(b)),
            (a, b) => a.or(b),
        }
    }

    /// Remainders with the sign of the dividend; the divisor is not 0.
    pub fn remainder_by(self, other: Range) -> Option<Range> {
        let most = other.lo.abs().max(other.hi.abs()) - 1;
        if most < 0 {
            return None;
        }
        let least = if other.contains(0) { 1 } else { other.lo.abs().min(other.hi.abs()) };
        if self.lo > -least && self.hi < least {
            return Some(self);
        }
        let lo = if self.lo < 0 { self.lo.max(-most) } else { 0 };
        let hi = if self.hi > 0 { self.hi.min(most) } else { 0 };
        Range::new(lo, hi)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    pub unsigned: Range,
    pub signed: Range,
}

impl Interval {
    pub fn top(width: u32) -> Interval {
        Interval { unsigned: view(width, false), signed: view(width, true) }
    }

    /// The bits of all numbers of a range, wrapped to the width.
    pub fn wrapped(range: Range, width: u32) -> Interval {
        Interval { unsigned: wrap(range, width, false), signed: wrap(range, width, true) }
    }

    pub fn of(self, signed: bool) -> Range {
        if signed { self.signed } else { self.unsigned }
    }

    pub fn join(self, other: Interval) -> Interval {
        Interval { unsigned: self.unsigned.join(other.unsigned), signed: self.signed.join(other.signed) }
    }

    pub fn meet(self, other: Interval) -> Option<Interval> {
        Some(Interval { unsigned: self.unsigned.meet(other.unsigned)?, signed: self.signed.meet(other.signed)? })
    }

    /// Each view as narrow as the other one allows; `None`: there is no such number.
    pub fn reduced(self, width: u32) -> Option<Interval> {
        let mut result = self;
        let half = 1i128 << (width - 1);
        for _ in 0..2 {
            // Where the sign bit may be both, the two halves are looked at apart.
            let to_signed = split(result.unsigned, Range { lo: 0, hi: half - 1 }, Range { lo: half, hi: 2 * half - 1 });
            let signed = hull(to_signed.0, to_signed.1.map(|range| shift(range, -2 * half)))?;
            result.signed = result.signed.meet(signed)?;
            let to_unsigned = split(result.signed, Range { lo: 0, hi: half - 1 }, Range { lo: -half, hi: -1 });
            let unsigned = hull(to_unsigned.0, to_unsigned.1.map(|range| shift(range, 2 * half)))?;
            result.unsigned = result.unsigned.meet(unsigned)?;
        }
        Some(result)
    }

    /// Bounds that moved since the older one go to the next threshold, in each view.
    pub fn widen(self, newer: Interval, width: u32, thresholds: &[i128]) -> Interval {
        Interval {
            unsigned: widen(self.unsigned, newer.unsigned, view(width, false), thresholds),
            signed: widen(self.signed, newer.signed, view(width, true), thresholds),
        }
    }
}

/// All numbers of a width.
pub fn view(width: u32, signed: bool) -> Range {
    if signed {
        Range { lo: -(1 << (width - 1)), hi: (1 << (width - 1)) - 1 }
    } else {
        Range { lo: 0, hi: (1 << width) - 1 }
    }
}

pub fn view_of(shape: Shape) -> Range {
    view(shape.width, shape.signed)
}

fn wrap(range: Range, width: u32, signed: bool) -> Range {
    let all = view(width, signed);
    let (Some(ahead), Some(length)) = (range.lo.checked_sub(all.lo), range.hi.checked_sub(range.lo)) else {
        return all;
    };
    let lo = all.lo + ahead.rem_euclid(1 << width);
    match lo.checked_add(length) {
        Some(hi) if hi <= all.hi => Range { lo, hi },
        _ => all,
    }
}

fn shift(range: Range, by: i128) -> Range {
    Range { lo: range.lo + by, hi: range.hi + by }
}

fn split(range: Range, first: Range, second: Range) -> (Option<Range>, Option<Range>) {
    (range.meet(first), range.meet(second))
}

fn hull(a: Option<Range>, b: Option<Range>) -> Option<Range> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.join(b)),
        (a, b) => a.or(b),
    }
}

fn widen(older: Range, newer: Range, all: Range, thresholds: &[i128]) -> Range {
    let newer = older.join(newer);
    let lo = if newer.lo < older.lo {
        let below = thresholds.partition_point(|threshold| *threshold <= newer.lo);
        thresholds[..below].last().copied().filter(|threshold| *threshold >= all.lo).unwrap_or(all.lo)
    } else {
        older.lo
    };
    let hi = if newer.hi > older.hi {
        let above = thresholds.partition_point(|threshold| *threshold < newer.hi);
        thresholds.get(above).copied().filter(|threshold| *threshold <= all.hi).unwrap_or(all.hi)
    } else {
        older.hi
    };
    Range { lo, hi }
}
