//! C's `fmod` and IEEE's `remainder`: long division, one step for each difference of exponents.
//!
//! For symbolic operands that is 277 steps for `float` and 2098 for `double`, each a subtraction: correct, not cheap.
//! Known exponents need only as many steps as they differ.

use super::multiply::subtract_if_fits;
use super::unpack::normalize;
use super::{Float, Rounding, first_of, signed_width};
use crate::pool::TermPool;
use crate::term::TermId;

impl Float {
    /// `a - n·b` with `n = a/b` rounded towards zero; exact.
    pub fn fmod(self, pool: &mut TermPool, a: TermId, b: TermId) -> TermId {
        self.remainder_by(pool, a, b, false)
    }

    /// `a - n·b` with `n = a/b` rounded to nearest, ties to even; exact.
    pub fn remainder(self, pool: &mut TermPool, a: TermId, b: TermId) -> TermId {
        self.remainder_by(pool, a, b, true)
    }

    fn remainder_by(self, pool: &mut TermPool, a: TermId, b: TermId, nearest: bool) -> TermId {
        let nan = self.nan_result(pool, &[a, b]);
        let (x, y) = (self.unpack(pool, a), self.unpack(pool, b));
        let bits = self.format.significand;
        let most = self.format.bias() - self.format.least_exponent();
        let width = pool.width(x.exponent).max(signed_width(most)) + 1;
        let (ex, ey) = (pool.sext(x.exponent, width), pool.sext(y.exponent, width));
        let distance = pool.bv_sub(ex, ey);
        let (zero, minus_one) = (pool.bv(width, 0), pool.bv_signed(width, -1));
        let below = pool.slt(distance, zero);

        // In units of half the divisor's last place, so that the case of distance -1 can be rounded as well. One bit
        // more for shifting the rest and one for the borrow.
        let register = bits + 3;
        let divisor = pool.zext(y.significand, register);
        let divisor = pool.shl_const(divisor, 1);
        let single = pool.zext(x.significand, register);
        let double = pool.shl_const(single, 1);
        let mut rest = pool.ite(below, single, double);
        let mut odd = TermId::FALSE;
        let steps = match pool.as_bits(distance) {
            Some(known) => known.to_i128().unwrap_or(0).clamp(-1, most),
            None => most,
        };
        for step in (0..=steps).rev() {
            let k = pool.bv_signed(width, step);
            let active = pool.sle(k, distance);
            let (fits, reduced) = subtract_if_fits(pool, rest, divisor);
            let next = if step > 0 { pool.shl_const(reduced, 1) } else { reduced };
            rest = pool.ite(active, next, rest);
            odd = if step == 0 { pool.and(active, fits) } else { odd };
        }

        let mut sign = x.sign;
        if nearest {
            let half = pool.zext(y.significand, register);
            let (more, tie) = (pool.ult(half, rest), pool.eq(half, rest));
            let tie_up = pool.and(tie, odd);
            let up = pool.or(more, tie_up);
            let complement = pool.bv_sub(divisor, rest);
            rest = pool.ite(up, complement, rest);
            sign = pool.xor(sign, up);
        }
        let vanishes = pool.bv_to_bool(rest);
        let vanishes = pool.not(vanishes);
        let magnitude = pool.extract(rest, bits, 0);
        let (significand, zeros) = normalize(pool, magnitude);
        let width = width.max(pool.width(zeros) + 1) + 1;
        let (ey, zeros) = (pool.sext(ey, width), pool.zext(zeros, width));
        let exponent = pool.bv_sub(ey, zeros);
        let rounded = self.round(pool, Rounding::NearestEven, sign, exponent, significand);

        let invalid = pool.or_all(&[x.nan, y.nan, x.infinite, y.zero]);
        let small = if nearest { pool.slt(distance, minus_one) } else { below };
        let unchanged = pool.or_all(&[y.infinite, x.zero, small]);
        let zero = self.zero(pool, x.sign);
        first_of(pool, &[(invalid, nan), (unchanged, a), (vanishes, zero)], rounded)
    }
}
