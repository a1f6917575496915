//! Intervals of floating-point numbers, and whether one may be NaN. Rounding to nearest is monotonic, so the operation on the bounds gives
//! the bounds of the results. `float` is computed as `float`; `long double` is not followed.

use super::interval::Range;
use cfa::{BinOp, FloatKind};

#[derive(Clone, Copy, Debug)]
pub struct FloatRange {
    pub kind: FloatKind,
    /// The numbers, infinities included; `None`: only NaN. Zeros of both signs are one number.
    pub range: Option<(f64, f64)>,
    pub nan: bool,
}

impl PartialEq for FloatRange {
    fn eq(&self, other: &FloatRange) -> bool {
        (self.kind, self.range, self.nan) == (other.kind, other.range, other.nan)
    }
}

impl FloatRange {
    pub fn top(kind: FloatKind) -> FloatRange {
        FloatRange { kind, range: Some((f64::NEG_INFINITY, f64::INFINITY)), nan: true }
    }

    pub fn is_top(&self) -> bool {
        *self == FloatRange::top(self.kind)
    }

    pub fn constant(kind: FloatKind, value: f64) -> FloatRange {
        FloatRange { kind, range: (!value.is_nan()).then_some((value, value)), nan: value.is_nan() }
    }

    pub fn contains(&self, value: f64) -> bool {
        if value.is_nan() { self.nan } else { self.range.is_some_and(|(lo, hi)| lo <= value && value <= hi) }
    }

    pub fn join(&self, other: &FloatRange) -> FloatRange {
        let range = match (self.range, other.range) {
            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
            (a, b) => a.or(b),
        };
        FloatRange { kind: self.kind, range, nan: self.nan || other.nan }
    }

    /// `None`: there is no such number.
    pub fn meet(&self, other: &FloatRange) -> Option<FloatRange> {
        let range = match (self.range, other.range) {
            (Some(a), Some(b)) => Some((a.0.max(b.0), a.1.min(b.1))).filter(|(lo, hi)| lo <= hi),
            _ => None,
        };
        let nan = self.nan && other.nan;
        (range.is_some() || nan).then_some(FloatRange { kind: self.kind, range, nan })
    }

    pub fn includes(&self, other: &FloatRange) -> bool {
        self.join(other) == *self
    }

    /// Bounds that grow become powers of ten, then infinite.
    pub fn widen(&self, newer: &FloatRange) -> FloatRange {
        let joined = self.join(newer);
        let (Some(old), Some(new)) = (self.range, joined.range) else { return joined };
        let limit = |bound: f64| {
            let steps = [0.0, 1.0, 10.0, 100.0, 1e3, 1e6, 1e9];
            steps.into_iter().find(|step| *step >= bound).unwrap_or(f64::INFINITY)
        };
        let lo = if new.0 < old.0 { if new.0 >= 0.0 { 0.0 } else { -limit(-new.0) } } else { old.0 };
        let hi = if new.1 > old.1 { if new.1 <= 0.0 { 0.0 } else { limit(new.1) } } else { old.1 };
        FloatRange { range: Some((lo, hi)), ..joined }
    }

    fn round(&self, value: f64) -> f64 {
        if self.kind == FloatKind::Float { value as f32 as f64 } else { value }
    }

    pub fn negated(&self) -> FloatRange {
        FloatRange { range: self.range.map(|(lo, hi)| (-hi, -lo)), ..*self }
    }

    /// Arithmetic; a bound that is no number (`inf - inf`, `0 * inf`) makes everything possible.
    pub fn arithmetic(op: BinOp, a: &FloatRange, b: &FloatRange) -> FloatRange {
        let top = FloatRange::top(a.kind);
        if a.kind == FloatKind::LongDouble {
            return top;
        }
        let (Some(x), Some(y)) = (a.range, b.range) else {
            return FloatRange { kind: a.kind, range: None, nan: true };
        };
        // The host computes `double`; for `float` the operation on `float` is the correctly rounded one.
        let apply = |p: f64, q: f64| match (op, a.kind) {
            (BinOp::Add, FloatKind::Float) => (p as f32 + q as f32) as f64,
            (BinOp::Sub, FloatKind::Float) => (p as f32 - q as f32) as f64,
            (BinOp::Mul, FloatKind::Float) => (p as f32 * q as f32) as f64,
            (BinOp::Div, FloatKind::Float) => (p as f32 / q as f32) as f64,
            (BinOp::Add, _) => p + q,
            (BinOp::Sub, _) => p - q,
            (BinOp::Mul, _) => p * q,
            (BinOp::Div, _) => p / q,
            _ => f64::NAN,
        };
        if op == BinOp::Div && y.0 <= 0.0 && y.1 >= 0.0 {
            return top;
        }
        let finite = |range: (f64, f64)| range.0.is_finite() && range.1.is_finite();
        // Infinite operands and the product of 0 and infinity are left to the top.
        if !finite(y) || (!finite(x) && op != BinOp::Div && !(op == BinOp::Add || op == BinOp::Sub)) {
            return top;
        }
        let corners = [apply(x.0, y.0), apply(x.0, y.1), apply(x.1, y.0), apply(x.1, y.1)];
        if corners.iter().any(|corner| corner.is_nan()) {
            return top;
        }
        let lo = corners.iter().copied().fold(f64::INFINITY, f64::min);
        let hi = corners.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        FloatRange { kind: a.kind, range: Some((lo, hi)), nan: a.nan || b.nan }
    }

    /// Whether a comparison holds, if that is known.
    pub fn compare(op: BinOp, a: &FloatRange, b: &FloatRange) -> Option<bool> {
        let nan = a.nan || b.nan;
        let (Some(x), Some(y)) = (a.range, b.range) else { return Some(op == BinOp::Ne) };
        let (yes, no) = match op {
            BinOp::Lt => (x.1 < y.0, x.0 >= y.1),
            BinOp::Le => (x.1 <= y.0, x.0 > y.1),
            BinOp::Gt => (x.0 > y.1, x.1 <= y.0),
            BinOp::Ge => (x.0 >= y.1, x.1 < y.0),
            BinOp::Eq => (x.0 == x.1 && x == y, x.1 < y.0 || y.1 < x.0),
            BinOp::Ne => (x.1 < y.0 || y.1 < x.0, x.0 == x.1 && x == y),
            _ => return None,
        };
        // With NaN, every comparison but `!=` is false.
        let (yes, no) = if op == BinOp::Ne { (yes, no && !nan) } else { (yes && !nan, no) };
        if yes {
            Some(true)
        } else if no {
            Some(false)
        } else {
            None
        }
    }

    /// The numbers on one side of a bound: what a comparison that holds says of its left operand.
    pub fn where_holds(&self, op: BinOp, other: &FloatRange) -> Option<FloatRange> {
        let (lo, hi) = other.range?;
        let bounds = match op {
            BinOp::Lt | BinOp::Le => (f64::NEG_INFINITY, hi),
            BinOp::Gt | BinOp::Ge => (lo, f64::INFINITY),
            BinOp::Eq => (lo, hi),
            _ => return Some(*self),
        };
        self.meet(&FloatRange { kind: self.kind, range: Some(bounds), nan: false })
    }

    pub fn from_integers(kind: FloatKind, range: Range) -> FloatRange {
        let made = FloatRange::top(kind);
        let convert = |value: i128| match kind {
            FloatKind::Float => value as f32 as f64,
            _ => value as f64,
        };
        FloatRange { range: Some((convert(range.lo), convert(range.hi))), nan: false, ..made }
    }

    pub fn cast(&self, kind: FloatKind) -> FloatRange {
        let result = FloatRange { kind, ..*self };
        match (self.kind, kind) {
            (FloatKind::LongDouble, _) | (_, FloatKind::LongDouble) => FloatRange::top(kind),
            _ => FloatRange { range: self.range.map(|(lo, hi)| (result.round(lo), result.round(hi))), ..result },
        }
    }

    /// The integers that truncation gives, where all of them lie in a range; `None` where it may not.
    pub fn to_integers(&self, all: Range) -> Option<Range> {
        let (lo, hi) = self.range.filter(|_| !self.nan && self.kind != FloatKind::LongDouble)?;
        let limit = 2f64.powi(62);
        if lo < -limit || hi > limit {
            return None;
        }
        Range::new(lo.trunc() as i128, hi.trunc() as i128).filter(|range| all.includes(*range))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOME: [f64; 15] = [
        f64::NEG_INFINITY,
        -1e308,
        -7.5,
        -1.0,
        -1e-310,
        -0.0,
        0.0,
        1e-310,
        0.1,
        1.0,
        2.5,
        1e9,
        1e308,
        f64::INFINITY,
        f64::NAN,
    ];

    fn all() -> Vec<FloatRange> {
        let one = |value: f64| FloatRange::constant(FloatKind::Double, value);
        let mut found = Vec::new();
        for a in SOME {
            for b in SOME {
                found.push(one(a).join(&one(b)));
            }
        }
        found
    }

    #[test]
    fn operations_cover_all_results() {
        let held = |range: &FloatRange| SOME.into_iter().filter(|value| range.contains(*value)).collect::<Vec<_>>();
        for a in all() {
            for b in all() {
                let (in_a, in_b) = (held(&a), held(&b));
                for op in [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Div] {
                    let result = FloatRange::arithmetic(op, &a, &b);
                    for x in &in_a {
                        for y in &in_b {
                            let value = match op {
                                BinOp::Add => x + y,
                                BinOp::Sub => x - y,
                                BinOp::Mul => x * y,
                                _ => x / y,
                            };
                            assert!(result.contains(value), "{x} {op:?} {y}: {a:?} {b:?} {result:?}");
                        }
                    }
                }
                for op in [BinOp::Lt, BinOp::Le, BinOp::Gt, BinOp::Ge, BinOp::Eq, BinOp::Ne] {
                    let decided = FloatRange::compare(op, &a, &b);
                    let kept = a.where_holds(op, &b);
                    for x in &in_a {
                        for y in &in_b {
                            let holds = match op {
                                BinOp::Lt => x < y,
                                BinOp::Le => x <= y,
                                BinOp::Gt => x > y,
                                BinOp::Ge => x >= y,
                                BinOp::Eq => x == y,
                                _ => x != y,
                            };
                            assert!(decided.is_none_or(|decided| decided == holds), "{x} {op:?} {y}: {a:?} {b:?}");
                            if holds && op != BinOp::Ne {
                                assert!(kept.is_some_and(|kept| kept.contains(*x)), "{x} {op:?} {y}: {a:?} {b:?}");
                            }
                        }
                    }
                }
                let (joined, met, widened) = (a.join(&b), a.meet(&b), a.widen(&b));
                for value in SOME {
                    let (x, y) = (a.contains(value), b.contains(value));
                    assert!(!(x || y) || (joined.contains(value) && widened.contains(value)));
                    assert!(!(x && y) || met.is_some_and(|met| met.contains(value)));
                }
            }
            assert!(held(&a).iter().all(|value| a.negated().contains(-value)));
            assert!(held(&a).iter().all(|value| a.cast(FloatKind::Float).contains(*value as f32 as f64)));
        }
    }
}
