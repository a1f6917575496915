//! Sums, products, quotients. `a - b` is `a + (-b)`, signed division goes through absolute values.

use crate::bits::Bits;
use crate::pool::TermPool;
use crate::term::{TermId, TermOp};

impl TermPool {
    pub fn bv_neg(&mut self, a: TermId) -> TermId {
        if let Some(value) = self.as_bits(a) {
            return self.bits(&value.neg());
        }
        if let Some(inner) = self.unary(a, TermOp::Neg) {
            return inner;
        }
        if let Some((c, t, e)) = self.constant_choice(a) {
            let (t, e) = (self.bv_neg(t), self.bv_neg(e));
            return self.ite(c, t, e);
        }
        for op in [TermOp::Add, TermOp::Mul] {
            if let Some((k, x)) = self.binary(a, op)
                && self.op(k) == TermOp::Const
            {
                let k = self.bv_neg(k);
                if op == TermOp::Mul {
                    return self.bv_mul(k, x);
                }
                let x = self.bv_neg(x);
                return self.bv_add(k, x);
            }
        }
        // -(x - y) = y - x
        if let Some((x, y)) = self.binary(a, TermOp::Add) {
            let flipped = match (self.unary(x, TermOp::Neg), self.unary(y, TermOp::Neg)) {
                (Some(x), _) => self.deeper(|pool| pool.bv_sub(x, y)),
                (_, Some(y)) => self.deeper(|pool| pool.bv_sub(y, x)),
                _ => None,
            };
            if let Some(flipped) = flipped {
                return flipped;
            }
        }
        let sort = self.node(a).sort;
        self.raw(TermOp::Neg, sort, [a, TermId(0), TermId(0)])
    }

    /// The constant summand, if there is one, and the rest.
    pub(crate) fn offset(&self, a: TermId) -> (Option<TermId>, TermId) {
        match self.binary(a, TermOp::Add) {
            Some((k, x)) if self.op(k) == TermOp::Const => (Some(k), x),
            _ => (None, a),
        }
    }

    pub fn bv_add(&mut self, a: TermId, b: TermId) -> TermId {
        debug_assert_eq!(self.sort(a), self.sort(b));
        if let Some(value) = self.fold(a, b, Bits::add) {
            return value;
        }
        let (a, b) = self.ordered(a, b);
        let sort = self.node(a).sort;
        if self.op(a) == TermOp::Const {
            if self.is_zero(a) {
                return b;
            }
            if let (Some(k), x) = self.offset(b) {
                let sum = self.bv_add(a, k);
                return self.bv_add(sum, x);
            }
            if let Some((c, t, e)) = self.constant_choice(b) {
                let (t, e) = (self.bv_add(a, t), self.bv_add(a, e));
                return self.ite(c, t, e);
            }
            return self.raw(TermOp::Add, sort, [a, b, TermId(0)]);
        }
        let ((k1, x), (k2, y)) = (self.offset(a), self.offset(b));
        let plain = self.add_plain(x, y);
        let constant = match (k1, k2) {
            (Some(k1), Some(k2)) => self.bv_add(k1, k2),
            (Some(k), None) | (None, Some(k)) => k,
            (None, None) => return plain,
        };
        if self.op(plain) == TermOp::Const || self.offset(plain).0.is_some() || self.constant_choice(plain).is_some() {
            return self.bv_add(constant, plain);
        }
        if self.is_zero(constant) {
            return plain;
        }
        self.raw(TermOp::Add, sort, [constant, plain, TermId(0)])
    }

    /// The sum of two terms without constant summands.
    fn add_plain(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        if a == b {
            return self.shl_const(a, 1);
        }
        if self.unary(a, TermOp::Neg) == Some(b) || self.unary(b, TermOp::Neg) == Some(a) {
            return self.bv(width, 0);
        }
        if self.opposite(a, b) {
            return self.bits(&Bits::ones(width));
        }
        if let Some(rest) = self.add_cancels(a, b) {
            return rest;
        }
        if let Some(rest) = self.add_cancels(b, a) {
            return rest;
        }
        if let Some(found) = self.deeper(|pool| pool.add_of_division(a, b)).flatten() {
            return found;
        }
        // Disjoint low parts need no adder.
        if self.op(a) == TermOp::Concat
            && self.op(b) == TermOp::Concat
            && let Some([a_high, a_low, b_high, b_low]) = self.split_both(a, b)
            && (self.is_zero(a_low) || self.is_zero(b_low))
            && let Some(high) = self.deeper(|pool| pool.bv_add(a_high, b_high))
        {
            let low = if self.is_zero(a_low) { b_low } else { a_low };
            return self.concat(high, low);
        }
        let (a, b) = if a.0 <= b.0 { (a, b) } else { (b, a) };
        let sort = self.node(a).sort;
        self.raw(TermOp::Add, sort, [a, b, TermId(0)])
    }

    /// `(x + y) + (-y)`, `(x + (-y)) + y`, `x + (-(x + y))`, where `a` is one summand and `b` the other.
    fn add_cancels(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        let negated = self.unary(a, TermOp::Neg);
        if let Some((x, y)) = self.binary(b, TermOp::Add) {
            for (one, other) in [(x, y), (y, x)] {
                if negated == Some(one) || self.unary(one, TermOp::Neg) == Some(a) {
                    return Some(other);
                }
            }
            // (x + y) - (x + z)
            if let Some((p, q)) = negated.and_then(|sum| self.binary(sum, TermOp::Add)) {
                for (one, other) in [(x, y), (y, x)] {
                    for (minus, rest) in [(p, q), (q, p)] {
                        if one == minus {
                            return self.deeper(|pool| pool.bv_sub(other, rest));
                        }
                    }
                }
            }
        }
        if let Some((p, q)) = negated.and_then(|sum| self.binary(sum, TermOp::Add)) {
            for (one, other) in [(p, q), (q, p)] {
                if one == b {
                    return self.deeper(|pool| pool.bv_neg(other));
                }
            }
        }
        None
    }

    pub fn bv_sub(&mut self, a: TermId, b: TermId) -> TermId {
        if a == b {
            return self.bv(self.width(a), 0);
        }
        if let Some(value) = self.fold(a, b, Bits::sub) {
            return value;
        }
        let negated = self.bv_neg(b);
        self.bv_add(a, negated)
    }

    pub fn bv_mul(&mut self, a: TermId, b: TermId) -> TermId {
        debug_assert_eq!(self.sort(a), self.sort(b));
        if let Some(value) = self.fold(a, b, Bits::mul) {
            return value;
        }
        let (a, b) = self.ordered(a, b);
        if let Some(k) = self.as_bits(a) {
            if k.is_zero() {
                return a;
            }
            if k.is_ones() {
                return self.bv_neg(b);
            }
            if let Some(exponent) = k.power_of_two() {
                return self.shl_const(b, exponent);
            }
            if let Some(inner) = self.unary(b, TermOp::Neg) {
                let k = self.bv_neg(a);
                return self.bv_mul(k, inner);
            }
            if let Some((k2, x)) = self.binary(b, TermOp::Mul)
                && self.op(k2) == TermOp::Const
            {
                let k = self.bv_mul(a, k2);
                return self.bv_mul(k, x);
            }
            if let (Some(k2), x) = self.offset(b) {
                let (constant, product) = (self.bv_mul(a, k2), self.bv_mul(a, x));
                return self.bv_add(constant, product);
            }
            if let Some((c, t, e)) = self.constant_choice(b) {
                let (t, e) = (self.bv_mul(a, t), self.bv_mul(a, e));
                return self.ite(c, t, e);
            }
        }
        match (self.unary(a, TermOp::Neg), self.unary(b, TermOp::Neg)) {
            (Some(x), Some(y)) => return self.bv_mul(x, y),
            (Some(x), None) => {
                let product = self.bv_mul(x, b);
                return self.bv_neg(product);
            }
            (None, Some(y)) => {
                let product = self.bv_mul(a, y);
                return self.bv_neg(product);
            }
            (None, None) => {}
        }
        let sort = self.node(a).sort;
        self.raw(TermOp::Mul, sort, [a, b, TermId(0)])
    }

    /// By zero: all ones.
    pub fn bv_udiv(&mut self, a: TermId, b: TermId) -> TermId {
        debug_assert_eq!(self.sort(a), self.sort(b));
        if let Some(value) = self.fold(a, b, Bits::udiv) {
            return value;
        }
        let width = self.width(a);
        if let Some(divisor) = self.as_bits(b) {
            if divisor.is_zero() {
                return self.bits(&Bits::ones(width));
            }
            if let Some(exponent) = divisor.power_of_two() {
                return self.lshr_const(a, exponent);
            }
        }
        if let Some((x, y)) = self.narrower(a, b)
            && let Some(quotient) = self.deeper(|pool| pool.bv_udiv(x, y))
        {
            let quotient = self.zext(quotient, width);
            let (zero, ones) = (self.bv(self.width(y), 0), self.bits(&Bits::ones(width)));
            let by_zero = self.eq(y, zero);
            return self.ite(by_zero, ones, quotient);
        }
        let sort = self.node(a).sort;
        self.raw(TermOp::Udiv, sort, [a, b, TermId(0)])
    }

    /// By zero: the dividend.
    pub fn bv_urem(&mut self, a: TermId, b: TermId) -> TermId {
        debug_assert_eq!(self.sort(a), self.sort(b));
        if let Some(value) = self.fold(a, b, Bits::urem) {
            return value;
        }
        let width = self.width(a);
        if a == b {
            return self.bv(width, 0);
        }
        if let Some(divisor) = self.as_bits(b) {
            match divisor.power_of_two() {
                _ if divisor.is_zero() => return a,
                Some(0) => return self.bv(width, 0),
                Some(exponent) => {
                    let low = self.extract(a, exponent - 1, 0);
                    return self.zext(low, width);
                }
                None => {}
            }
        }
        if let Some((x, y)) = self.narrower(a, b)
            && let Some(rest) = self.deeper(|pool| pool.bv_urem(x, y))
        {
            return self.zext(rest, width);
        }
        let sort = self.node(a).sort;
        self.raw(TermOp::Urem, sort, [a, b, TermId(0)])
    }

    /// Both without their leading zeros, when both are known to have some.
    fn narrower(&mut self, a: TermId, b: TermId) -> Option<(TermId, TermId)> {
        let significant = |pool: &Self, t: TermId| match pool.as_bits(t) {
            Some(value) => value.bit_length().max(1),
            None => pool.zero_extended(t).map_or(pool.width(t), |low| pool.width(low)),
        };
        let width = significant(self, a).max(significant(self, b));
        if width == self.width(a) {
            return None;
        }
        Some((self.extract(a, width - 1, 0), self.extract(b, width - 1, 0)))
    }

    /// `a < 0` as a Boolean.
    pub fn is_negative(&mut self, a: TermId) -> TermId {
        self.bit(a, self.width(a) - 1)
    }

    /// The absolute value; the most negative value is its own.
    pub fn bv_abs(&mut self, a: TermId) -> TermId {
        let (negative, negated) = (self.is_negative(a), self.bv_neg(a));
        self.ite(negative, negated, a)
    }

    /// Towards zero; by zero: 1 for a negative dividend, otherwise -1.
    pub fn bv_sdiv(&mut self, a: TermId, b: TermId) -> TermId {
        if let Some(value) = self.fold(a, b, Bits::sdiv) {
            return value;
        }
        let (x, y) = (self.bv_abs(a), self.bv_abs(b));
        let quotient = self.bv_udiv(x, y);
        let (a_negative, b_negative) = (self.is_negative(a), self.is_negative(b));
        let (differ, negated) = (self.xor(a_negative, b_negative), self.bv_neg(quotient));
        self.ite(differ, negated, quotient)
    }

    /// The sign follows the dividend, as in C; by zero: the dividend.
    pub fn bv_srem(&mut self, a: TermId, b: TermId) -> TermId {
        if let Some(value) = self.fold(a, b, Bits::srem) {
            return value;
        }
        let (x, y) = (self.bv_abs(a), self.bv_abs(b));
        let rest = self.bv_urem(x, y);
        let (negative, negated) = (self.is_negative(a), self.bv_neg(rest));
        self.ite(negative, negated, rest)
    }
}
