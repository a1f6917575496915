//! Sets of floats: an interval of numbers, infinities among them, and possibly NaN. Operations round to nearest as the terms do, which is monotonic: the
//! bounds of a result are results themselves. The two zeros are one number here, so what depends on the sign of a zero is not known.

/// Numbers of `float` are represented as numbers of `double`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    /// There are no numbers if the bounds are out of order. Never NaN.
    pub low: f64,
    pub high: f64,
    pub nan: bool,
}

impl Interval {
    pub const ALL: Interval = Interval { low: f64::NEG_INFINITY, high: f64::INFINITY, nan: true };
    pub const NAN: Interval = Interval { low: f64::INFINITY, high: f64::NEG_INFINITY, nan: true };

    pub const EMPTY: Interval = Interval { nan: false, ..Interval::NAN };

    pub fn point(value: f64) -> Interval {
        if value.is_nan() { Interval::NAN } else { Interval { low: value, high: value, nan: false } }
    }

    pub fn has_numbers(self) -> bool {
        self.low <= self.high
    }

    pub fn join(self, other: Interval) -> Interval {
        Interval { low: self.low.min(other.low), high: self.high.max(other.high), nan: self.nan || other.nan }
    }

    fn has_zero(self) -> bool {
        self.low <= 0.0 && self.high >= 0.0
    }

    fn has_infinity(self) -> bool {
        self.low == f64::NEG_INFINITY || self.high == f64::INFINITY
    }

    pub fn neg(self) -> Interval {
        Interval { low: -self.high, high: -self.low, nan: self.nan }
    }

    pub fn abs(self) -> Interval {
        if !self.has_numbers() {
            return self;
        }
        let (a, b) = (self.low.abs(), self.high.abs());
        let low = if self.has_zero() { 0.0 } else { a.min(b) };
        Interval { low, high: a.max(b), nan: self.nan }
    }

    pub fn add(self, other: Interval, single: bool) -> Interval {
        let nan = self.nan || other.nan;
        if !self.has_numbers() || !other.has_numbers() {
            return Interval { nan, ..Interval::NAN };
        }
        let sum = |a: f64, b: f64| rounded(single, |a, b| a + b, |a, b| a + b, a, b);
        let (low, high) = (sum(self.low, other.low), sum(self.high, other.high));
        let opposite = self.low == f64::NEG_INFINITY && other.high == f64::INFINITY
            || self.high == f64::INFINITY && other.low == f64::NEG_INFINITY;
        Interval {
            low: if low.is_nan() { f64::NEG_INFINITY } else { low },
            high: if high.is_nan() { f64::INFINITY } else { high },
            nan: nan || opposite,
        }
    }

    pub fn mul(self, other: Interval, single: bool) -> Interval {
        let nan = self.nan || other.nan;
        if !self.has_numbers() || !other.has_numbers() {
            return Interval { nan, ..Interval::NAN };
        }
        let invalid = self.has_zero() && other.has_infinity() || self.has_infinity() && other.has_zero();
        let product = |a: f64, b: f64| {
            let product = rounded(single, |a, b| a * b, |a, b| a * b, a, b);
            // Zero times infinity: products nearby are zero or have the sign of another corner.
            if product.is_nan() { 0.0 } else { product }
        };
        let corners = self.corners(other, product);
        Interval { nan: nan || invalid, ..corners }
    }

    /// The product with itself.
    pub fn square(self, single: bool) -> Interval {
        if !self.has_numbers() {
            return self;
        }
        let Interval { low, high, nan } = self.abs();
        let square = |a: f64| rounded(single, |a, b| a * b, |a, b| a * b, a, a);
        Interval { low: square(low), high: square(high), nan }
    }

    pub fn div(self, other: Interval, single: bool) -> Interval {
        let nan = self.nan || other.nan;
        if !self.has_numbers() || !other.has_numbers() {
            return Interval { nan, ..Interval::NAN };
        }
        let both_infinite = self.has_infinity() && other.has_infinity();
        if other.has_zero() || both_infinite {
            let invalid = self.has_zero() && other.has_zero() || both_infinite;
            return Interval { nan: nan || invalid, ..Interval::ALL };
        }
        let corners = self.corners(other, |a, b| rounded(single, |a, b| a / b, |a, b| a / b, a, b));
        Interval { nan, ..corners }
    }

    pub fn sqrt(self, single: bool) -> Interval {
        if !self.has_numbers() {
            return self;
        }
        let nan = self.nan || self.low < 0.0;
        if self.high < 0.0 {
            return Interval { nan, ..Interval::NAN };
        }
        let root = |a: f64| rounded(single, |a, _| a.sqrt(), |a, _| a.sqrt(), a, a);
        Interval { low: root(self.low.max(0.0)), high: root(self.high), nan }
    }

    pub fn to_single(self) -> Interval {
        Interval { low: f64::from(self.low as f32), high: f64::from(self.high as f32), nan: self.nan }
    }

    fn corners(self, other: Interval, operation: impl Fn(f64, f64) -> f64) -> Interval {
        let all = [
            operation(self.low, other.low),
            operation(self.low, other.high),
            operation(self.high, other.low),
            operation(self.high, other.high),
        ];
        let [a, b, c, d] = all;
        Interval { low: a.min(b).min(c.min(d)), high: a.max(b).max(c.max(d)), nan: false }
    }

    pub fn less(self, other: Interval) -> Truth {
        self.compare(other, self.low < other.high, self.high < other.low)
    }

    pub fn less_equal(self, other: Interval) -> Truth {
        self.compare(other, self.low <= other.high, self.high <= other.low)
    }

    pub fn equal(self, other: Interval) -> Truth {
        let overlap = self.low <= other.high && other.low <= self.high;
        let same = self.low == self.high && other.low == other.high && self.low == other.low;
        self.compare(other, overlap, same)
    }

    /// A comparison that holds of some, or of all pairs of numbers; it holds of no NaN.
    fn compare(self, other: Interval, some: bool, all: bool) -> Truth {
        let numbers = self.has_numbers() && other.has_numbers();
        Truth { can_hold: numbers && some, can_fail: self.nan || other.nan || numbers && !all }
    }

    pub fn is_nan(self) -> Truth {
        Truth { can_hold: self.nan, can_fail: self.has_numbers() }
    }

    pub fn is_infinite(self) -> Truth {
        let finite = self.low < f64::INFINITY && self.high > f64::NEG_INFINITY && self.has_numbers();
        Truth { can_hold: self.has_numbers() && self.has_infinity(), can_fail: self.nan || finite }
    }

    pub fn is_zero(self) -> Truth {
        let only = self.low == 0.0 && self.high == 0.0;
        Truth { can_hold: self.has_numbers() && self.has_zero(), can_fail: self.nan || self.has_numbers() && !only }
    }
}

/// An operation in the format of its operands.
fn rounded(single: bool, in_single: fn(f32, f32) -> f32, in_double: fn(f64, f64) -> f64, a: f64, b: f64) -> f64 {
    if single { f64::from(in_single(a as f32, b as f32)) } else { in_double(a, b) }
}

/// What is known of a condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Truth {
    pub can_hold: bool,
    pub can_fail: bool,
}

impl Truth {
    pub const OPEN: Truth = Truth { can_hold: true, can_fail: true };

    pub fn is(value: bool) -> Truth {
        Truth { can_hold: value, can_fail: !value }
    }

    pub fn not(self) -> Truth {
        Truth { can_hold: self.can_fail, can_fail: self.can_hold }
    }

    pub fn and(self, other: Truth) -> Truth {
        Truth { can_hold: self.can_hold && other.can_hold, can_fail: self.can_fail || other.can_fail }
    }

    pub fn xor(self, other: Truth) -> Truth {
        Truth {
            can_hold: self.can_hold && other.can_fail || self.can_fail && other.can_hold,
            can_fail: self.can_hold && other.can_hold || self.can_fail && other.can_fail,
        }
    }

    pub fn join(self, other: Truth) -> Truth {
        Truth { can_hold: self.can_hold || other.can_hold, can_fail: self.can_fail || other.can_fail }
    }
}
