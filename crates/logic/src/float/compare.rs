//! Signs, classes, order, minimum and maximum: directly on encodings.

use super::Float;
use super::origin::Operation;
use crate::pool::TermPool;
use crate::term::TermId;

impl Float {
    pub fn neg(self, pool: &mut TermPool, a: TermId) -> TermId {
        let sign = pool.bits(&crate::Bits::min_signed(self.format.width()));
        let result = pool.bv_xor(a, sign);
        self.note(pool, Operation::Neg, [a, a], result);
        result
    }

    pub fn abs(self, pool: &mut TermPool, a: TermId) -> TermId {
        let magnitude = pool.extract(a, self.format.width() - 2, 0);
        let result = pool.zext(magnitude, self.format.width());
        self.note(pool, Operation::Abs, [a, a], result);
        result
    }

    /// The magnitude of `a` with the sign of `b`.
    pub fn copysign(self, pool: &mut TermPool, a: TermId, b: TermId) -> TermId {
        let top = self.format.width() - 1;
        let (sign, magnitude) = (pool.extract(b, top, top), pool.extract(a, top - 1, 0));
        pool.concat(sign, magnitude)
    }

    pub fn is_negative(self, pool: &mut TermPool, a: TermId) -> TermId {
        pool.bit(a, self.format.width() - 1)
    }

    pub fn is_nan(self, pool: &mut TermPool, a: TermId) -> TermId {
        self.raw(pool, a).nan
    }

    pub fn is_infinite(self, pool: &mut TermPool, a: TermId) -> TermId {
        self.raw(pool, a).infinite
    }

    pub fn is_zero(self, pool: &mut TermPool, a: TermId) -> TermId {
        self.raw(pool, a).zero
    }

    pub fn is_finite(self, pool: &mut TermPool, a: TermId) -> TermId {
        let raw = self.raw(pool, a);
        let not_finite = pool.or(raw.nan, raw.infinite);
        pool.not(not_finite)
    }

    /// Not zero, and smaller than every normal number.
    pub fn is_subnormal(self, pool: &mut TermPool, a: TermId) -> TermId {
        let (_, field, _) = self.fields(pool, a);
        let zero = self.is_zero(pool, a);
        let (normal, not_zero) = (pool.bv_to_bool(field), pool.not(zero));
        let tiny = pool.not(normal);
        pool.and(tiny, not_zero)
    }

    pub fn is_normal(self, pool: &mut TermPool, a: TermId) -> TermId {
        let (_, field, _) = self.fields(pool, a);
        let (large, finite) = (pool.bv_to_bool(field), self.is_finite(pool, a));
        pool.and(large, finite)
    }

    /// C's `==`: false for NaN, true for both zeros.
    pub fn eq(self, pool: &mut TermPool, a: TermId, b: TermId) -> TermId {
        let (x, y) = (self.raw(pool, a), self.raw(pool, b));
        let nan = pool.or(x.nan, y.nan);
        let ordered = pool.not(nan);
        let (zeros, same) = (pool.and(x.zero, y.zero), pool.eq(a, b));
        let equal = pool.or(zeros, same);
        let result = pool.and(ordered, equal);
        self.note(pool, Operation::Equal, [a, b], result);
        result
    }

    /// C's `<`: false for NaN.
    pub fn lt(self, pool: &mut TermPool, a: TermId, b: TermId) -> TermId {
        self.ordered_before(pool, a, b, false)
    }

    /// C's `<=`: false for NaN.
    pub fn le(self, pool: &mut TermPool, a: TermId, b: TermId) -> TermId {
        self.ordered_before(pool, a, b, true)
    }

    /// Encodings compare as sign and magnitude, apart from NaN and the two zeros.
    fn ordered_before(self, pool: &mut TermPool, a: TermId, b: TermId, or_equal: bool) -> TermId {
        let (x, y) = (self.raw(pool, a), self.raw(pool, b));
        let nan = pool.or(x.nan, y.nan);
        let ordered = pool.not(nan);
        let zeros = pool.and(x.zero, y.zero);
        let top = self.format.width() - 2;
        let (m, n) = (pool.extract(a, top, 0), pool.extract(b, top, 0));
        let (up, down) = match or_equal {
            true => (pool.ule(m, n), pool.ule(n, m)),
            false => (pool.ult(m, n), pool.ult(n, m)),
        };
        let same_sign = pool.ite(x.sign, down, up);
        let differ = pool.xor(x.sign, y.sign);
        let by_sign = match or_equal {
            true => pool.or(x.sign, zeros),
            false => {
                let not_zeros = pool.not(zeros);
                pool.and(x.sign, not_zeros)
            }
        };
        let before = pool.ite(differ, by_sign, same_sign);
        let result = pool.and(ordered, before);
        let operation = if or_equal { Operation::LessEqual } else { Operation::Less };
        self.note(pool, operation, [a, b], result);
        result
    }

    /// C's `fmin`: a number is preferred to a NaN; of two zeros, as `minsd`, the second.
    pub fn min(self, pool: &mut TermPool, a: TermId, b: TermId) -> TermId {
        let before = self.lt(pool, a, b);
        self.preferred(pool, before, a, b)
    }

    /// C's `fmax`: a number is preferred to a NaN; of two zeros, as `maxsd`, the second.
    pub fn max(self, pool: &mut TermPool, a: TermId, b: TermId) -> TermId {
        let after = self.lt(pool, b, a);
        self.preferred(pool, after, a, b)
    }

    fn preferred(self, pool: &mut TermPool, first: TermId, a: TermId, b: TermId) -> TermId {
        let (x, y) = (self.is_nan(pool, a), self.is_nan(pool, b));
        let both = pool.and(x, y);
        let nan = self.nan_result(pool, &[a, b]);
        let take_a = pool.or(first, y);
        let number = pool.ite(take_a, a, b);
        pool.ite(both, nan, number)
    }
}
