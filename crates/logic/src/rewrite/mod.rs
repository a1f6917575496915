//! The builders of terms. Each rewrites while it builds, so that equal things get equal ids and constants stay constant.
//!
//! Invariants of what is built: a constant argument of a commutative operator is the first one, otherwise the smaller
//! id is; `Not` is never under `Xor` of Booleans nor under `Not`; a sum has its constant at the top; concatenations nest
//! to the right. A rule looks at a bounded part of its arguments; rules that descend spend `fuel`, so no builder recurses
//! over the depth of a term.

mod arith;
mod array;
mod bitwise;
mod boolean;
mod choice;
mod compare;
mod division;
mod overflow;
mod shape;
mod store_index;

pub use array::ArrayEqError;
pub(crate) use store_index::StoreIndex;

use crate::bits::Bits;
use crate::pool::TermPool;
use crate::term::{TermId, TermOp};

impl TermPool {
    /// The order of commutative arguments.
    #[inline]
    fn ordered(&self, a: TermId, b: TermId) -> (TermId, TermId) {
        match (self.is_const(a), self.is_const(b)) {
            (false, true) => (b, a),
            (true, false) => (a, b),
            _ if a.0 <= b.0 => (a, b),
            _ => (b, a),
        }
    }

    /// Runs a rule that calls builders on subterms, unless rules have already nested too deeply.
    fn deeper<R>(&mut self, rule: impl FnOnce(&mut Self) -> R) -> Option<R> {
        if self.fuel == 0 {
            return None;
        }
        self.fuel -= 1;
        let result = rule(self);
        self.fuel += 1;
        Some(result)
    }

    #[inline]
    fn fold(&mut self, a: TermId, b: TermId, op: impl FnOnce(&Bits, &Bits) -> Bits) -> Option<TermId> {
        if self.op(a) != TermOp::Const || self.op(b) != TermOp::Const {
            return None;
        }
        let (x, y) = (self.as_bits(a)?, self.as_bits(b)?);
        Some(self.bits(&op(&x, &y)))
    }

    /// `ite(c, k1, k2)` with constant arms.
    #[inline]
    fn constant_choice(&self, term: TermId) -> Option<(TermId, TermId, TermId)> {
        let (c, t, e) = self.ternary(term, TermOp::Ite)?;
        (self.is_const(t) && self.is_const(e)).then_some((c, t, e))
    }

    /// The two parts of a concatenation, or of a constant, where the low part has the given width.
    fn split(&mut self, term: TermId, low_width: u32) -> Option<(TermId, TermId)> {
        if let Some((high, low)) = self.binary(term, TermOp::Concat) {
            return (self.width(low) == low_width).then_some((high, low));
        }
        let value = self.as_bits(term)?;
        let high = self.bits(&value.extract(value.width() - 1, low_width));
        let low = self.bits(&value.extract(low_width - 1, 0));
        Some((high, low))
    }

    /// Both terms cut at the same place: one is a concatenation, the other one too, or a constant.
    fn split_both(&mut self, a: TermId, b: TermId) -> Option<[TermId; 4]> {
        let concat = if self.op(a) == TermOp::Concat { a } else { b };
        let (_, low) = self.binary(concat, TermOp::Concat)?;
        let low_width = self.width(low);
        let (a_high, a_low) = self.split(a, low_width)?;
        let (b_high, b_low) = self.split(b, low_width)?;
        Some([a_high, a_low, b_high, b_low])
    }

    /// The narrow term and its width if the term is its zero extension.
    fn zero_extended(&self, term: TermId) -> Option<TermId> {
        let (high, low) = self.binary(term, TermOp::Concat)?;
        self.is_zero(high).then_some(low)
    }
}
