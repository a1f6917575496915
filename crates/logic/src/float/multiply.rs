//! Multiplication and division.

use super::origin::Operation;
use super::unpack::Unpacked;
use super::{Float, Rounding, first_of};
use crate::pool::TermPool;
use crate::term::TermId;

impl Float {
    /// The exact product: exponent, and a significand of twice the bits with its top bit set.
    pub(super) fn product(self, pool: &mut TermPool, x: Unpacked, y: Unpacked) -> (TermId, TermId) {
        let bits = 2 * self.format.significand;
        let (a, b) = (pool.zext(x.significand, bits), pool.zext(y.significand, bits));
        let product = pool.bv_mul(a, b);
        let width = pool.width(x.exponent) + 2;
        let (a, b) = (pool.sext(x.exponent, width), pool.sext(y.exponent, width));
        let exponent = pool.bv_add(a, b);
        let carry = pool.bit(product, bits - 1);
        let shifted = pool.shl_const(product, 1);
        let product = pool.ite(carry, product, shifted);
        let carry = pool.bool_to_bv(carry, width);
        (pool.bv_add(exponent, carry), product)
    }

    pub fn mul(self, pool: &mut TermPool, mode: Rounding, a: TermId, b: TermId) -> TermId {
        let nan = self.nan_result(pool, &[a, b]);
        let (x, y) = (self.unpack(pool, a), self.unpack(pool, b));
        let sign = pool.xor(x.sign, y.sign);
        let (exponent, significand) = self.product(pool, x, y);
        let rounded = self.round(pool, mode, sign, exponent, significand);
        let (any_zero, any_infinite) = (pool.or(x.zero, y.zero), pool.or(x.infinite, y.infinite));
        let no_product = pool.and(any_zero, any_infinite);
        let invalid = pool.or_all(&[no_product, x.nan, y.nan]);
        let (infinity, zero) = (self.infinity(pool, sign), self.zero(pool, sign));
        let result = first_of(pool, &[(invalid, nan), (any_infinite, infinity), (any_zero, zero)], rounded);
        self.note_rounded(pool, mode, Operation::Mul, [a, b], result);
        result
    }

    /// One bit of the quotient after the other: the rest stays below twice the divisor, so each step is one subtraction
    /// of the significand's width.
    pub fn div(self, pool: &mut TermPool, mode: Rounding, a: TermId, b: TermId) -> TermId {
        let nan = self.nan_result(pool, &[a, b]);
        let (x, y) = (self.unpack(pool, a), self.unpack(pool, b));
        let sign = pool.xor(x.sign, y.sign);
        let bits = self.format.significand + 2;
        let divisor = pool.zext(y.significand, bits);
        let mut rest = pool.zext(x.significand, bits);
        let mut quotient: Option<TermId> = None;
        for _ in 0..self.format.significand + 2 {
            let (fits, reduced) = subtract_if_fits(pool, rest, divisor);
            let digit = pool.bool_to_bv(fits, 1);
            quotient = Some(match quotient {
                None => digit,
                Some(high) => pool.concat(high, digit),
            });
            rest = pool.shl_const(reduced, 1);
        }
        let quotient = quotient.expect("there are digits");
        let inexact = pool.bv_to_bool(rest);
        let sticky = pool.bool_to_bv(inexact, 1);
        let quotient = pool.concat(quotient, sticky);
        // The quotient of two normalized significands is at least a half.
        let whole = pool.bit(quotient, pool.width(quotient) - 1);
        let shifted = pool.shl_const(quotient, 1);
        let significand = pool.ite(whole, quotient, shifted);
        let width = pool.width(x.exponent) + 2;
        let (ex, ey) = (pool.sext(x.exponent, width), pool.sext(y.exponent, width));
        let exponent = pool.bv_sub(ex, ey);
        let (minus_one, zero) = (pool.bv_signed(width, -1), pool.bv(width, 0));
        let correction = pool.ite(whole, zero, minus_one);
        let exponent = pool.bv_add(exponent, correction);
        let rounded = self.round(pool, mode, sign, exponent, significand);

        let (both_zero, both_infinite) = (pool.and(x.zero, y.zero), pool.and(x.infinite, y.infinite));
        let invalid = pool.or_all(&[both_zero, both_infinite, x.nan, y.nan]);
        let infinite = pool.or(x.infinite, y.zero);
        let vanishes = pool.or(x.zero, y.infinite);
        let (infinity, zero) = (self.infinity(pool, sign), self.zero(pool, sign));
        let result = first_of(pool, &[(invalid, nan), (infinite, infinity), (vanishes, zero)], rounded);
        self.note_rounded(pool, mode, Operation::Div, [a, b], result);
        result
    }
}

/// Whether `b <= a`, and `a - b` if so, else `a`. The top bit of both must be clear: it shows the borrow.
pub(super) fn subtract_if_fits(pool: &mut TermPool, a: TermId, b: TermId) -> (TermId, TermId) {
    let difference = pool.bv_sub(a, b);
    let borrow = pool.is_negative(difference);
    let fits = pool.not(borrow);
    (fits, pool.ite(fits, difference, a))
}
