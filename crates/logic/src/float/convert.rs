//! Between formats, and from and to integers.

use super::origin::Operation;
use super::round::round_up;
use super::unpack::{normalize, shift_left};
use super::{Float, Format, NanPolicy, Rounding, first_of, signed_width};
use crate::bits::Bits;
use crate::pool::TermPool;
use crate::term::TermId;

/// A float as an integer.
#[derive(Clone, Copy, Debug)]
pub struct Integer {
    /// Meaningless where `invalid` holds.
    pub value: TermId,
    /// The number is a NaN or does not fit: undefined in C, "integer indefinite" (`0x80…0`) on x86.
    pub invalid: TermId,
}

impl Float {
    /// The same number in another format.
    pub fn convert(self, pool: &mut TermPool, mode: Rounding, a: TermId, target: Float) -> TermId {
        if target.format == self.format {
            // Only a signalling NaN changes.
            let (is_nan, nan) = (self.is_nan(pool, a), self.nan_result(pool, &[a]));
            return pool.ite(is_nan, nan, a);
        }
        let x = self.unpack(pool, a);
        let nan = self.converted_nan(pool, a, target);
        let exact = target.format.min_exponent() <= self.format.least_exponent();
        let rounded = if exact {
            let width = pool.width(x.exponent).max(signed_width(target.format.bias() + 1)) + 1;
            let exponent = pool.sext(x.exponent, width);
            let bias = pool.bv_signed(width, target.format.bias());
            let field = pool.bv_add(exponent, bias);
            target.round_field(pool, mode, x.sign, field, x.significand)
        } else {
            target.round(pool, mode, x.sign, x.exponent, x.significand)
        };
        let (infinity, zero) = (target.infinity(pool, x.sign), target.zero(pool, x.sign));
        let result = first_of(pool, &[(x.nan, nan), (x.infinite, infinity), (x.zero, zero)], rounded);
        if matches!(self.format, Format::F32 | Format::F64) {
            target.note_rounded(pool, mode, Operation::Convert, [a, a], result);
        }
        result
    }

    /// On x86 the high bits of the payload survive.
    fn converted_nan(self, pool: &mut TermPool, a: TermId, target: Float) -> TermId {
        if target.nan == NanPolicy::Canonical {
            return target.default_nan(pool);
        }
        let (from, to) = (self.format.significand - 1, target.format.significand - 1);
        let (sign, _, fraction) = self.fields(pool, a);
        let fraction = if from >= to {
            pool.extract(fraction, from - 1, from - to)
        } else {
            let zeros = pool.bv(to - from, 0);
            pool.concat(fraction, zeros)
        };
        let field = pool.bits(&Bits::ones(target.format.exponent));
        let body = pool.concat(field, fraction);
        let nan = target.assemble(pool, sign, body);
        target.quiet(pool, nan)
    }

    pub fn from_signed(self, pool: &mut TermPool, mode: Rounding, a: TermId) -> TermId {
        let sign = pool.is_negative(a);
        let magnitude = pool.bv_abs(a);
        let result = self.magnitude_as_float(pool, mode, sign, magnitude);
        self.note_rounded(pool, mode, Operation::FromSigned, [a, a], result);
        result
    }

    pub fn from_unsigned(self, pool: &mut TermPool, mode: Rounding, a: TermId) -> TermId {
        let result = self.magnitude_as_float(pool, mode, TermId::FALSE, a);
        self.note_rounded(pool, mode, Operation::FromUnsigned, [a, a], result);
        result
    }

    fn magnitude_as_float(self, pool: &mut TermPool, mode: Rounding, sign: TermId, a: TermId) -> TermId {
        let bits = pool.width(a);
        let (significand, zeros) = normalize(pool, a);
        let top = self.format.bias() + bits as i128 - 1;
        let width = signed_width(top).max(pool.width(zeros) + 1) + 1;
        let zeros = pool.zext(zeros, width);
        let top = pool.bv_signed(width, top);
        let field = pool.bv_sub(top, zeros);
        let rounded = self.round_field(pool, mode, sign, field, significand);
        let some = pool.bv_to_bool(a);
        let zero = self.zero(pool, TermId::FALSE);
        pool.ite(some, rounded, zero)
    }

    /// Rounded to an integral value, as a two's complement number of the given width.
    pub fn to_signed(self, pool: &mut TermPool, mode: Rounding, a: TermId, width: u32) -> Integer {
        let (sign, magnitude, mut invalid) = self.to_magnitude(pool, mode, a, width);
        let limit = Bits::one(pool.width(magnitude)).shl_by(width - 1);
        let limit = pool.bits(&limit);
        let (at_least, more) = (pool.ule(limit, magnitude), pool.ult(limit, magnitude));
        let outside = pool.ite(sign, more, at_least);
        invalid = pool.or(invalid, outside);
        let low = pool.extract(magnitude, width - 1, 0);
        let negated = pool.bv_neg(low);
        Integer { value: pool.ite(sign, negated, low), invalid }
    }

    /// Rounded to an integral value, as an unsigned number of the given width.
    pub fn to_unsigned(self, pool: &mut TermPool, mode: Rounding, a: TermId, width: u32) -> Integer {
        let (sign, magnitude, mut invalid) = self.to_magnitude(pool, mode, a, width);
        let high = pool.extract(magnitude, pool.width(magnitude) - 1, width);
        let some = pool.bv_to_bool(magnitude);
        let (outside, negative) = (pool.bv_to_bool(high), pool.and(sign, some));
        invalid = pool.or_all(&[invalid, outside, negative]);
        Integer { value: pool.extract(magnitude, width - 1, 0), invalid }
    }

    /// Sign, magnitude in `width + 2` bits, and whether it is not a number or too large for that.
    fn to_magnitude(self, pool: &mut TermPool, mode: Rounding, a: TermId, width: u32) -> (TermId, TermId, TermId) {
        let x = self.unpack(pool, a);
        let bits = self.format.significand;
        // A register with `width + 1` bits before the binary point and `bits` after it; the number enters with its top
        // bit just after the point, which is where it belongs if its exponent is -1.
        let exponent_width = pool.width(x.exponent).max(signed_width(width as i128 + 2)) + 1;
        let exponent = pool.sext(x.exponent, exponent_width);
        let (one, zero) = (pool.bv(exponent_width, 1), pool.bv(exponent_width, 0));
        let amount = pool.bv_add(exponent, one);
        let tiny = pool.slt(amount, zero);
        let limit = pool.bv(exponent_width, width as u128 + 1);
        let huge = pool.slt(limit, amount);
        let no_shift = pool.or(tiny, huge);
        let amount = pool.ite(no_shift, zero, amount);
        let register = pool.zext(x.significand, width + 1 + bits);
        let register = shift_left(pool, register, amount);
        let register_zero = pool.bv(width + 1 + bits, 0);
        // Below a half: nothing before the point, nothing to the nearest, but something in directed modes.
        let least = pool.bv(width + 1 + bits, 1);
        let below = if bits >= 2 { least } else { register_zero };
        let register = pool.ite(tiny, below, register);
        let register = pool.ite(x.zero, register_zero, register);
        let kept = pool.extract(register, width + bits, bits);
        let half = pool.bit(register, bits - 1);
        let rest = pool.extract(register, bits - 2, 0);
        let rest = pool.bv_to_bool(rest);
        let odd = pool.bit(kept, 0);
        let up = round_up(pool, mode, x.sign, odd, half, rest);
        let kept = pool.zext(kept, width + 2);
        let increment = pool.bool_to_bv(up, width + 2);
        let magnitude = pool.bv_add(kept, increment);
        let not_zero = pool.not(x.zero);
        let huge = pool.and(huge, not_zero);
        let invalid = pool.or_all(&[huge, x.nan, x.infinite]);
        (x.sign, magnitude, invalid)
    }
}
