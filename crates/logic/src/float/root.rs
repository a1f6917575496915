//! Square root, digit by digit.

use super::multiply::subtract_if_fits;
use super::origin::Operation;
use super::{Float, Rounding, first_of};
use crate::pool::TermPool;
use crate::term::TermId;

impl Float {
    pub fn sqrt(self, pool: &mut TermPool, mode: Rounding, a: TermId) -> TermId {
        let nan = self.nan_result(pool, &[a]);
        let x = self.unpack(pool, a);
        // With an even exponent the radicand is in [1, 4) and the root in [1, 2).
        let odd = pool.bit(x.exponent, 0);
        let one_integer_bit = pool.zext(x.significand, self.format.significand + 1);
        let two_integer_bits = pool.shl_const(one_integer_bit, 1);
        let radicand = pool.ite(odd, two_integer_bits, one_integer_bit);
        let digits = self.format.significand + 1;
        let padding = pool.bv(2 * digits - pool.width(radicand), 0);
        let radicand = pool.concat(radicand, padding);

        // The rest after j digits is at most twice the root so far, hence below 2^(j + 1).
        let mut root: Option<TermId> = None;
        let mut rest: Option<TermId> = None;
        for j in 0..digits {
            let pair = pool.extract(radicand, 2 * (digits - j) - 1, 2 * (digits - j) - 2);
            let rest_now = match rest {
                None => pair,
                Some(rest) => pool.concat(rest, pair),
            };
            let one = pool.bv(2, 1);
            let trial = match root {
                None => one,
                Some(root) => pool.concat(root, one),
            };
            let width = j + 4;
            let (rest_now, trial) = (pool.zext(rest_now, width), pool.zext(trial, width));
            let (fits, reduced) = subtract_if_fits(pool, rest_now, trial);
            let digit = pool.bool_to_bv(fits, 1);
            root = Some(match root {
                None => digit,
                Some(root) => pool.concat(root, digit),
            });
            rest = Some(pool.extract(reduced, j + 1, 0));
        }
        let (root, rest) = (root.expect("there are digits"), rest.expect("there are digits"));
        let inexact = pool.bv_to_bool(rest);
        let sticky = pool.bool_to_bv(inexact, 1);
        let significand = pool.concat(root, sticky);

        // Half the exponent, rounded down. Only in toy formats can a root be subnormal.
        let width = pool.width(x.exponent);
        let half = pool.extract(x.exponent, width - 1, 1);
        let field_width = width.max(self.format.exponent) + 2;
        let half = pool.sext(half, field_width);
        let rounded = if self.format.least_exponent().div_euclid(2) >= self.format.min_exponent() {
            let bias = pool.bv_signed(field_width, self.format.bias());
            let field = pool.bv_add(half, bias);
            self.round_field(pool, mode, TermId::FALSE, field, significand)
        } else {
            self.round(pool, mode, TermId::FALSE, half, significand)
        };

        let negative = pool.not(x.zero);
        let negative = pool.and(negative, x.sign);
        let invalid = pool.or(x.nan, negative);
        let result = first_of(pool, &[(invalid, nan), (x.infinite, a), (x.zero, a)], rounded);
        self.note_rounded(pool, mode, Operation::Sqrt, [a, a], result);
        result
    }
}
