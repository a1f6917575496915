//! Addition, subtraction and fused multiply-add.

use super::origin::Operation;
use super::unpack::{normalize, shift_left, shift_right_sticky};
use super::{Float, Rounding, first_of};
use crate::pool::TermPool;
use crate::term::TermId;

/// A summand: `± significand`, weighted by the exponent. Where exponents are equal the significands decide which is
/// larger; where they are not, the larger exponent must mean the larger number.
#[derive(Clone, Copy)]
struct Summand {
    sign: TermId,
    exponent: TermId,
    significand: TermId,
}

/// The sum before rounding.
struct Sum {
    sign: TermId,
    /// The larger exponent; the top bit of the magnitude weighs one more.
    exponent: TermId,
    /// Four bits wider than the summands; the lowest is sticky.
    magnitude: TermId,
}

/// Three extra bits suffice: if the exponents differ by more than one, cancellation is by one bit at most.
fn sum(pool: &mut TermPool, a: Summand, b: Summand) -> Sum {
    // With the exponent above the significand one comparison orders the magnitudes. Flipping the sign bit of the
    // exponent makes signed exponents compare as unsigned ones.
    let key = |pool: &mut TermPool, s: Summand| {
        let flip = pool.bits(&crate::Bits::min_signed(pool.width(s.exponent)));
        let exponent = pool.bv_xor(s.exponent, flip);
        pool.concat(exponent, s.significand)
    };
    let (key_a, key_b) = (key(pool, a), key(pool, b));
    let swap = pool.ult(key_a, key_b);
    let large_exponent = pool.ite(swap, b.exponent, a.exponent);
    let small_exponent = pool.ite(swap, a.exponent, b.exponent);
    let large = pool.ite(swap, b.significand, a.significand);
    let small = pool.ite(swap, a.significand, b.significand);
    let sign = pool.ite(swap, b.sign, a.sign);
    let (wide_large, wide_small) = {
        let width = pool.width(large_exponent) + 1;
        (pool.sext(large_exponent, width), pool.sext(small_exponent, width))
    };
    let distance = pool.bv_sub(wide_large, wide_small);
    let guard = pool.bv(3, 0);
    let small = pool.concat(small, guard);
    let small = shift_right_sticky(pool, small, distance);
    let subtract = pool.xor(a.sign, b.sign);
    // One adder for both: x - y = x + ¬y + 1, with the 1 as a carry out of an extra lowest bit.
    let width = pool.width(small) + 1;
    let ones = pool.bits(&crate::Bits::ones(width));
    let zeros = pool.bv(width, 0);
    let flips = pool.ite(subtract, ones, zeros);
    let small = pool.zext(small, width);
    let small = pool.bv_xor(small, flips);
    let carry = pool.bool_to_bv(subtract, 1);
    let small = pool.concat(small, carry);
    let low = pool.concat(guard, carry);
    let large = pool.concat(large, low);
    let large = pool.zext(large, width + 1);
    let total = pool.bv_add(large, small);
    let magnitude = pool.extract(total, width, 1);
    Sum { sign, exponent: large_exponent, magnitude }
}

/// The sign of a sum that is exactly zero.
fn sign_of_zero(pool: &mut TermPool, mode: Rounding, a: TermId, b: TermId) -> TermId {
    if mode == Rounding::TowardNegative { pool.or(a, b) } else { pool.and(a, b) }
}

impl Float {
    pub fn add(self, pool: &mut TermPool, mode: Rounding, a: TermId, b: TermId) -> TermId {
        let nan = self.nan_result(pool, &[a, b]);
        // Only NaN depends on the order; with one order for all, a + b and b + a share their gates.
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        let (x, y) = (self.raw(pool, a), self.raw(pool, b));
        // The exponent fields are unsigned: one more bit makes them signed.
        let width = self.format.exponent + 1;
        let summand = |pool: &mut TermPool, raw: super::unpack::Raw| Summand {
            sign: raw.sign,
            exponent: pool.zext(raw.field, width),
            significand: raw.significand,
        };
        let (left, right) = (summand(pool, x), summand(pool, y));
        let Sum { sign, exponent, magnitude } = sum(pool, left, right);
        // Shift to the top, but not below the least exponent: then the result is subnormal, and exact.
        let (_, zeros) = normalize(pool, magnitude);
        let width = width.max(pool.width(zeros) + 1) + 1;
        let (field, zeros) = (pool.zext(exponent, width), pool.zext(zeros, width));
        let short = pool.ult(field, zeros);
        let amount = pool.ite(short, field, zeros);
        let significand = shift_left(pool, magnitude, amount);
        let one = pool.bv(width, 1);
        let field = pool.bv_add(field, one);
        let field = pool.bv_sub(field, amount);
        let rounded = self.round_field(pool, mode, sign, field, significand);

        let exact_zero = pool.bv_to_bool(magnitude);
        let exact_zero = pool.not(exact_zero);
        let zero_sign = sign_of_zero(pool, mode, x.sign, y.sign);
        let zero = self.zero(pool, zero_sign);
        let opposite = pool.xor(x.sign, y.sign);
        let both_infinite = pool.and(x.infinite, y.infinite);
        let invalid = pool.and(both_infinite, opposite);
        let any_nan = pool.or(x.nan, y.nan);
        let invalid = pool.or(invalid, any_nan);
        let cases = [(invalid, nan), (x.infinite, a), (y.infinite, b), (exact_zero, zero)];
        let result = first_of(pool, &cases, rounded);
        self.note_rounded(pool, mode, Operation::Add, [a, b], result);
        result
    }

    /// `a + (-b)`, except that a NaN keeps its sign.
    pub fn sub(self, pool: &mut TermPool, mode: Rounding, a: TermId, b: TermId) -> TermId {
        let is_nan = self.is_nan(pool, b);
        let negated = self.neg(pool, b);
        let summand = pool.ite(is_nan, b, negated);
        let result = self.add(pool, mode, a, summand);
        self.note_rounded(pool, mode, Operation::Sub, [a, b], result);
        result
    }

    /// `a · b + c`, rounded once.
    pub fn fma(self, pool: &mut TermPool, mode: Rounding, a: TermId, b: TermId, c: TermId) -> TermId {
        let nan = self.nan_result(pool, &[a, b, c]);
        let (x, y, z) = (self.unpack(pool, a), self.unpack(pool, b), self.unpack(pool, c));
        let product_sign = pool.xor(x.sign, y.sign);
        let (exponent, product) = self.product(pool, x, y);
        let width = pool.width(exponent).max(pool.width(z.exponent));
        let exponent = pool.sext(exponent, width);
        let product_zero = pool.or(x.zero, y.zero);
        let lowest = pool.bits(&crate::Bits::min_signed(width));
        let exponent = pool.ite(product_zero, lowest, exponent);
        let left = Summand { sign: product_sign, exponent, significand: product };
        let (zeros, addend_exponent) = (pool.bv(self.format.significand, 0), pool.sext(z.exponent, width));
        let addend_exponent = pool.ite(z.zero, lowest, addend_exponent);
        let addend = pool.concat(z.significand, zeros);
        let right = Summand { sign: z.sign, exponent: addend_exponent, significand: addend };
        let Sum { sign, exponent, magnitude } = sum(pool, left, right);
        let (significand, zeros) = normalize(pool, magnitude);
        let width = width.max(pool.width(zeros) + 1) + 2;
        let (exponent, zeros) = (pool.sext(exponent, width), pool.zext(zeros, width));
        let one = pool.bv(width, 1);
        let exponent = pool.bv_add(exponent, one);
        let exponent = pool.bv_sub(exponent, zeros);
        let rounded = self.round(pool, mode, sign, exponent, significand);

        let exact_zero = pool.bv_to_bool(magnitude);
        let exact_zero = pool.not(exact_zero);
        let zero_sign = sign_of_zero(pool, mode, product_sign, z.sign);
        let zero = self.zero(pool, zero_sign);
        let product_infinite = pool.or(x.infinite, y.infinite);
        let no_product = pool.and(product_infinite, product_zero);
        let opposite = pool.xor(product_sign, z.sign);
        let both_infinite = pool.and(product_infinite, z.infinite);
        let no_sum = pool.and(both_infinite, opposite);
        let invalid = pool.or_all(&[no_product, no_sum, x.nan, y.nan, z.nan]);
        let infinity = self.infinity(pool, product_sign);
        let cases = [(invalid, nan), (product_infinite, infinity), (z.infinite, c), (exact_zero, zero)];
        first_of(pool, &cases, rounded)
    }
}
