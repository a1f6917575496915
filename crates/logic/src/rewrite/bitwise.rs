//! Complement, and, or, xor of bit-vectors.

use crate::bits::Bits;
use crate::pool::TermPool;
use crate::term::{TermId, TermOp};

impl TermPool {
    pub fn bv_not(&mut self, a: TermId) -> TermId {
        if let Some(value) = self.as_bits(a) {
            return self.bits(&value.not());
        }
        if let Some(inner) = self.unary(a, TermOp::Not) {
            return inner;
        }
        if let Some((c, t, e)) = self.constant_choice(a) {
            let (t, e) = (self.bv_not(t), self.bv_not(e));
            return self.ite(c, t, e);
        }
        let sort = self.node(a).sort;
        self.raw(TermOp::Not, sort, [a, TermId(0), TermId(0)])
    }

    pub fn bv_and(&mut self, a: TermId, b: TermId) -> TermId {
        debug_assert_eq!(self.sort(a), self.sort(b));
        if let Some(value) = self.fold(a, b, Bits::and) {
            return value;
        }
        let (a, b) = self.ordered(a, b);
        if a == b || self.is_ones(a) {
            return b;
        }
        if self.is_zero(a) {
            return a;
        }
        if self.opposite(a, b) {
            return self.bv(self.width(a), 0);
        }
        if let Some(mask) = self.as_bits(a) {
            if let Some((low, high)) = run_of_ones(&mask) {
                let kept = self.extract(b, high, low);
                return self.between_zeros(kept, mask.width(), low);
            }
            if let Some(done) = self.with_constant(a, b, TermOp::And, Self::bv_and) {
                return done;
            }
        }
        if let Some(done) = self.parts(a, b, Self::bv_and) {
            return done;
        }
        let sort = self.node(a).sort;
        self.raw(TermOp::And, sort, [a, b, TermId(0)])
    }

    pub fn bv_or(&mut self, a: TermId, b: TermId) -> TermId {
        debug_assert_eq!(self.sort(a), self.sort(b));
        if let Some(value) = self.fold(a, b, Bits::or) {
            return value;
        }
        let (a, b) = self.ordered(a, b);
        if a == b || self.is_zero(a) {
            return b;
        }
        if self.is_ones(a) {
            return a;
        }
        if self.opposite(a, b) {
            return self.bits(&Bits::ones(self.width(a)));
        }
        if let Some(mask) = self.as_bits(a) {
            if let Some((low, high)) = run_of_ones(&mask) {
                return self.with_ones(b, high, low);
            }
            if let Some(done) = self.with_constant(a, b, TermOp::Or, Self::bv_or) {
                return done;
            }
        }
        if let Some(done) = self.parts(a, b, Self::bv_or) {
            return done;
        }
        let sort = self.node(a).sort;
        self.raw(TermOp::Or, sort, [a, b, TermId(0)])
    }

    pub fn bv_xor(&mut self, a: TermId, b: TermId) -> TermId {
        debug_assert_eq!(self.sort(a), self.sort(b));
        if let Some(value) = self.fold(a, b, Bits::xor) {
            return value;
        }
        let (a, b) = self.ordered(a, b);
        if a == b {
            return self.bv(self.width(a), 0);
        }
        if self.is_zero(a) {
            return b;
        }
        if self.is_ones(a) {
            return self.bv_not(b);
        }
        match (self.unary(a, TermOp::Not), self.unary(b, TermOp::Not)) {
            (Some(x), Some(y)) => return self.bv_xor(x, y),
            (Some(x), None) => {
                let plain = self.bv_xor(x, b);
                return self.bv_not(plain);
            }
            (None, Some(y)) => {
                let plain = self.bv_xor(a, y);
                return self.bv_not(plain);
            }
            (None, None) => {}
        }
        if self.op(a) == TermOp::Const
            && let Some(done) = self.with_constant(a, b, TermOp::Xor, Self::bv_xor)
        {
            return done;
        }
        if let Some(done) = self.parts(a, b, Self::bv_xor) {
            return done;
        }
        let sort = self.node(a).sort;
        self.raw(TermOp::Xor, sort, [a, b, TermId(0)])
    }

    /// `k ∘ (k2 ∘ x)` and `k ∘ ite(c, k1, k2)`.
    fn with_constant(
        &mut self,
        k: TermId,
        b: TermId,
        op: TermOp,
        build: fn(&mut Self, TermId, TermId) -> TermId,
    ) -> Option<TermId> {
        if let Some((c, t, e)) = self.constant_choice(b) {
            let (t, e) = (build(self, k, t), build(self, k, e));
            return Some(self.ite(c, t, e));
        }
        let (inner, x) = self.binary(b, op)?;
        if self.op(inner) != TermOp::Const {
            return None;
        }
        let both = build(self, k, inner);
        Some(build(self, both, x))
    }

    /// Part by part, when both are cut at the same place and a constant part makes it worth it.
    fn parts(&mut self, a: TermId, b: TermId, build: fn(&mut Self, TermId, TermId) -> TermId) -> Option<TermId> {
        if self.op(b) != TermOp::Concat && self.op(a) != TermOp::Concat {
            return None;
        }
        let [a_high, a_low, b_high, b_low] = self.split_both(a, b)?;
        let simple = |pool: &Self, t: TermId| pool.is_zero(t) || pool.is_ones(t);
        if ![a_high, a_low, b_high, b_low].iter().any(|t| simple(self, *t)) {
            return None;
        }
        self.deeper(|pool| {
            let high = build(pool, a_high, b_high);
            let low = build(pool, a_low, b_low);
            pool.concat(high, low)
        })
    }

    /// `kept` at bit `low` of a vector that is zero elsewhere.
    fn between_zeros(&mut self, kept: TermId, width: u32, low: u32) -> TermId {
        let kept = if low > 0 {
            let zeros = self.bv(low, 0);
            self.concat(kept, zeros)
        } else {
            kept
        };
        self.zext(kept, width)
    }

    /// `b` with the bits `high..=low` set.
    fn with_ones(&mut self, b: TermId, high: u32, low: u32) -> TermId {
        let width = self.width(b);
        let mut result = self.bits(&Bits::ones(high - low + 1));
        if low > 0 {
            let rest = self.extract(b, low - 1, 0);
            result = self.concat(result, rest);
        }
        if high + 1 < width {
            let rest = self.extract(b, width - 1, high + 1);
            result = self.concat(rest, result);
        }
        result
    }
}

/// `(low, high)` if the ones of the value are one contiguous run.
fn run_of_ones(value: &Bits) -> Option<(u32, u32)> {
    let (low, length) = (value.trailing_zeros(), value.bit_length());
    (length > low && value.count_ones() == length - low).then(|| (low, length - 1))
}
