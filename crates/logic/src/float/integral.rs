//! Rounding to an integral value, as `rint`, `trunc`, `floor`, `ceil` and `round` of C do.

use super::round::round_up;
use super::unpack::{normalize, shift_right_sticky};
use super::{Float, Rounding, first_of};
use crate::pool::TermPool;
use crate::term::TermId;

impl Float {
    pub fn round_to_integral(self, pool: &mut TermPool, mode: Rounding, a: TermId) -> TermId {
        let nan = self.nan_result(pool, &[a]);
        let x = self.unpack(pool, a);
        let bits = self.format.significand;
        // Shift the binary point to the end of the integer part; the two lowest bits are for rounding.
        let width = pool.width(x.exponent).max(super::signed_width(bits as i128)) + 1;
        let exponent = pool.sext(x.exponent, width);
        let top = pool.bv_signed(width, bits as i128 - 1);
        let integral = pool.sle(top, exponent);
        let amount = pool.bv_sub(top, exponent);
        let zero = pool.bv(width, 0);
        let amount = pool.ite(integral, zero, amount);
        let extra = pool.bv(2, 0);
        let significand = pool.concat(x.significand, extra);
        let shifted = shift_right_sticky(pool, significand, amount);
        let kept = pool.extract(shifted, bits + 1, 2);
        let (odd, half, rest) = (pool.bit(kept, 0), pool.bit(shifted, 1), pool.bit(shifted, 0));
        let up = round_up(pool, mode, x.sign, odd, half, rest);
        let kept = pool.zext(kept, bits + 1);
        let increment = pool.bool_to_bv(up, bits + 1);
        let integer = pool.bv_add(kept, increment);
        let vanishes = pool.bv_to_bool(integer);
        let vanishes = pool.not(vanishes);
        let (significand, zeros) = normalize(pool, integer);
        let width = self.format.exponent.max(pool.width(zeros)).max(super::signed_width(bits as i128)) + 2;
        let zeros = pool.zext(zeros, width);
        let field = pool.bv_signed(width, self.format.bias() + bits as i128);
        let field = pool.bv_sub(field, zeros);
        let rounded = self.round_field(pool, mode, x.sign, field, significand);
        let zero = self.zero(pool, x.sign);
        let unchanged = pool.or_all(&[x.infinite, x.zero, integral]);
        first_of(pool, &[(x.nan, nan), (unchanged, a), (vanishes, zero)], rounded)
    }
}
