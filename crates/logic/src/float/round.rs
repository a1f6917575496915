//! Rounding to a format: the only place where precision is lost and where overflow is decided.

use super::unpack::shift_right_sticky;
use super::{Float, Rounding, signed_width};
use crate::pool::TermPool;
use crate::term::TermId;

impl Float {
    /// The number `± significand · 2^(exponent - (bits - 1))` rounded to the format. The exponent is signed, of any
    /// width. The top bit of the significand must be set and its lowest bit may be sticky if it has at least two bits
    /// more than the format's.
    pub(super) fn round(
        self,
        pool: &mut TermPool,
        mode: Rounding,
        sign: TermId,
        exponent: TermId,
        significand: TermId,
    ) -> TermId {
        let significand = self.padded(pool, significand);
        let least = self.format.min_exponent();
        let width = pool.width(exponent).max(signed_width(least)).max(signed_width(self.format.bias() + 1)) + 2;
        let exponent = pool.sext(exponent, width);
        let least = pool.bv_signed(width, least);
        let distance = pool.bv_sub(least, exponent);
        let subnormal = pool.slt(exponent, least);
        let zero = pool.bv(width, 0);
        let amount = pool.ite(subnormal, distance, zero);
        let significand = shift_right_sticky(pool, significand, amount);
        let bias = pool.bv_signed(width, self.format.bias());
        let field = pool.bv_add(exponent, bias);
        let one = pool.bv(width, 1);
        let field = pool.ite(subnormal, one, field);
        self.round_field(pool, mode, sign, field, significand)
    }

    /// At least two bits more than the format: one to round by and one for all the others.
    fn padded(self, pool: &mut TermPool, significand: TermId) -> TermId {
        let missing = (self.format.significand + 2).saturating_sub(pool.width(significand));
        if missing == 0 {
            return significand;
        }
        let zeros = pool.bv(missing, 0);
        pool.concat(significand, zeros)
    }

    /// As [`Float::round`], with the biased exponent (signed, positive); where it is 1 the significand's top bit may be
    /// clear, which means a subnormal number or zero.
    pub(super) fn round_field(
        self,
        pool: &mut TermPool,
        mode: Rounding,
        sign: TermId,
        field: TermId,
        significand: TermId,
    ) -> TermId {
        let format = self.format;
        let significand = self.padded(pool, significand);
        let width = pool.width(significand);
        let kept = pool.extract(significand, width - 1, width - format.significand);
        let half = pool.bit(significand, width - format.significand - 1);
        let rest = pool.extract(significand, width - format.significand - 2, 0);
        let rest = pool.bv_to_bool(rest);
        let odd = pool.bit(kept, 0);
        let up = round_up(pool, mode, sign, odd, half, rest);

        let field_width = pool.width(field).max(format.exponent + 2);
        let field = pool.sext(field, field_width);
        let limit = pool.bv_signed(field_width, 2 * format.bias() + 1);
        let overflow = pool.sle(limit, field);
        let normal = pool.bit(kept, format.significand - 1);
        let zero = pool.bv(field_width, 0);
        let field = pool.ite(normal, field, zero);
        let field = pool.extract(field, format.exponent - 1, 0);
        let fraction = pool.extract(kept, format.significand - 2, 0);
        let body = pool.concat(field, fraction);
        // A carry goes on into the exponent, from subnormal to normal and from the largest number to infinity.
        let increment = pool.bool_to_bv(up, format.exponent + format.significand - 1);
        let body = pool.bv_add(body, increment);
        let (infinite, largest) = (self.infinite_body(pool), self.largest_body(pool));
        let too_large = match mode {
            Rounding::NearestEven | Rounding::NearestAway => infinite,
            Rounding::TowardZero => largest,
            Rounding::TowardPositive => pool.ite(sign, largest, infinite),
            Rounding::TowardNegative => pool.ite(sign, infinite, largest),
        };
        let body = pool.ite(overflow, too_large, body);
        self.assemble(pool, sign, body)
    }
}

/// Whether the magnitude is rounded up, given its last kept bit, the next one, and whether any later one is set.
pub(super) fn round_up(
    pool: &mut TermPool,
    mode: Rounding,
    sign: TermId,
    odd: TermId,
    half: TermId,
    rest: TermId,
) -> TermId {
    match mode {
        Rounding::NearestEven => {
            let not_a_tie = pool.or(rest, odd);
            pool.and(half, not_a_tie)
        }
        Rounding::NearestAway => half,
        Rounding::TowardZero => TermId::FALSE,
        Rounding::TowardPositive | Rounding::TowardNegative => {
            let inexact = pool.or(half, rest);
            let away = if mode == Rounding::TowardPositive { pool.not(sign) } else { sign };
            pool.and(inexact, away)
        }
    }
}
