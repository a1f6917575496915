//! Encodings taken apart.

use super::Float;
use super::origin::Operation;
use crate::pool::TermPool;
use crate::term::TermId;

/// The fields as they are stored.
#[derive(Clone, Copy)]
pub(super) struct Raw {
    pub sign: TermId,
    pub nan: TermId,
    pub infinite: TermId,
    pub zero: TermId,
    /// The exponent field, but 1 for subnormal numbers and zero.
    pub field: TermId,
    /// With its integer bit.
    pub significand: TermId,
}

/// A number as `significand · 2^(exponent - (bits - 1))` with the top bit of the significand set, unless it is zero.
#[derive(Clone, Copy)]
pub(super) struct Unpacked {
    pub sign: TermId,
    pub nan: TermId,
    pub infinite: TermId,
    pub zero: TermId,
    /// Signed, of `Format::exponent_width` bits. Of zero: not above that of any other number.
    pub exponent: TermId,
    pub significand: TermId,
}

impl Float {
    pub(super) fn fields(self, pool: &mut TermPool, a: TermId) -> (TermId, TermId, TermId) {
        let format = self.format;
        debug_assert_eq!(pool.width(a), format.width(), "not an encoding of {format:?}");
        let sign = pool.bit(a, format.width() - 1);
        let field = pool.extract(a, format.width() - 2, format.width() - 1 - format.exponent);
        let fraction = pool.extract(a, format.significand - 2, 0);
        (sign, field, fraction)
    }

    pub(super) fn raw(self, pool: &mut TermPool, a: TermId) -> Raw {
        let format = self.format;
        let (sign, field, fraction) = self.fields(pool, a);
        let (zeros, ones) = (pool.bv(format.exponent, 0), pool.bits(&crate::Bits::ones(format.exponent)));
        let tiny = pool.eq(field, zeros);
        let normal = pool.not(tiny);
        let special = pool.eq(field, ones);
        let has_fraction = pool.bv_to_bool(fraction);
        let no_fraction = pool.not(has_fraction);
        let one = pool.bv(format.exponent, 1);
        let effective = pool.ite(tiny, one, field);
        let (integer_bit, mut nan, mut infinite, mut zero);
        nan = pool.and(special, has_fraction);
        infinite = pool.and(special, no_fraction);
        zero = pool.and(tiny, no_fraction);
        if format.explicit_bit {
            integer_bit = pool.extract(a, format.significand - 1, format.significand - 1);
            let set = pool.bv_to_bool(integer_bit);
            let clear = pool.not(set);
            let unnormal = pool.and(normal, clear);
            nan = pool.or(nan, unnormal);
            infinite = pool.and(infinite, set);
            zero = pool.and(zero, clear);
        } else {
            integer_bit = pool.bool_to_bv(normal, 1);
        }
        let significand = pool.concat(integer_bit, fraction);
        for (operation, result) in
            [(Operation::IsNan, nan), (Operation::IsInfinite, infinite), (Operation::IsZero, zero)]
        {
            self.note(pool, operation, [a, a], result);
        }
        Raw { sign, nan, infinite, zero, field: effective, significand }
    }

    pub(super) fn unpack(self, pool: &mut TermPool, a: TermId) -> Unpacked {
        let Raw { sign, nan, infinite, zero, field, significand } = self.raw(pool, a);
        let (significand, zeros) = normalize(pool, significand);
        let width = self.format.exponent_width().max(pool.width(zeros) + 1);
        let field = pool.zext(field, width);
        let bias = pool.bv_signed(width, self.format.bias());
        let exponent = pool.bv_sub(field, bias);
        let zeros = pool.zext(zeros, width);
        let exponent = pool.bv_sub(exponent, zeros);
        Unpacked { sign, nan, infinite, zero, exponent, significand }
    }
}

/// The vector without its leading zeros, shifted to the top, and their number. Of zero the number is at least the width
/// minus one.
pub(super) fn normalize(pool: &mut TermPool, a: TermId) -> (TermId, TermId) {
    let width = pool.width(a);
    let stages = 32 - (width - 1).leading_zeros();
    let mut current = a;
    let mut count = None;
    for stage in (0..stages).rev() {
        let distance = 1 << stage;
        let top = pool.extract(current, width - 1, width - distance);
        let zeros = pool.bv(distance, 0);
        let empty = pool.eq(top, zeros);
        let shifted = pool.shl_const(current, distance);
        current = pool.ite(empty, shifted, current);
        let bit = pool.bool_to_bv(empty, 1);
        count = Some(match count {
            None => bit,
            Some(high) => pool.concat(high, bit),
        });
    }
    let count = count.unwrap_or_else(|| pool.bv(1, 0));
    (current, count)
}

/// `a >> amount` where the lowest bit of the result stands for all bits that were shifted out. The amount is unsigned, of
/// any width.
pub(super) fn shift_right_sticky(pool: &mut TermPool, a: TermId, amount: TermId) -> TermId {
    let width = pool.width(a);
    let stages = 32 - (width - 1).leading_zeros();
    let mut current = a;
    for stage in 0..stages.min(pool.width(amount)) {
        let distance = 1 << stage;
        let selected = pool.bit(amount, stage);
        let lost = pool.extract(current, distance.min(width) - 1, 0);
        let lost = pool.bv_to_bool(lost);
        let shifted = pool.lshr_const(current, distance);
        let shifted = with_sticky(pool, shifted, lost);
        current = pool.ite(selected, shifted, current);
    }
    if pool.width(amount) > stages {
        let high = pool.extract(amount, pool.width(amount) - 1, stages);
        let far = pool.bv_to_bool(high);
        let any = pool.bv_to_bool(a);
        let only_sticky = pool.bool_to_bv(any, width);
        current = pool.ite(far, only_sticky, current);
    }
    current
}

/// `a << amount`; the amount is unsigned, of any width, and small enough that nothing is lost.
pub(super) fn shift_left(pool: &mut TermPool, a: TermId, amount: TermId) -> TermId {
    let width = pool.width(a);
    let stages = 32 - (width - 1).leading_zeros();
    let mut current = a;
    for stage in 0..stages.min(pool.width(amount)) {
        let selected = pool.bit(amount, stage);
        let shifted = pool.shl_const(current, 1 << stage);
        current = pool.ite(selected, shifted, current);
    }
    current
}

/// The lowest bit or-ed with a Boolean.
pub(super) fn with_sticky(pool: &mut TermPool, a: TermId, sticky: TermId) -> TermId {
    let low = pool.bit(a, 0);
    let low = pool.or(low, sticky);
    let low = pool.bool_to_bv(low, 1);
    let width = pool.width(a);
    if width == 1 {
        return low;
    }
    let high = pool.extract(a, width - 1, 1);
    pool.concat(high, low)
}
