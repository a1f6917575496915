//! What the quotient and the remainder of one division have to do with each other: `a / b * b + a % b` is `a`, `a - a / b * b` is `a % b`, and
//! `a % b < b` unless `b` is zero. Solvers find that hard. Signed division is made of several operators, so an identity is recognized by building what
//! it speaks of: equal terms have equal ids. All of it holds for division by zero too.

use crate::pool::TermPool;
use crate::term::{TermId, TermOp};
use smallvec::SmallVec;

/// A term, and perhaps its negative: a choice does not say which of its branches is meant.
type Either = SmallVec<[TermId; 2]>;

impl TermPool {
    /// `a` of `a / b * b + a % b`; `a % b` of `a + -(a / b * b)`. The summands come in both orders.
    pub(crate) fn add_of_division(&mut self, x: TermId, y: TermId) -> Option<TermId> {
        for (one, other) in [(x, y), (y, x)] {
            if let Some((dividend, divisor)) = self.remainder(one)
                && let Some(found) = self.dividend(one, other, &dividend, &divisor)
            {
                return Some(found);
            }
            if let Some((first, second)) = self.negated_product(other)
                && let Some(found) = self.rest(one, [first, second])
            {
                return Some(found);
            }
        }
        None
    }

    /// `a % b < b`.
    pub(crate) fn ult_of_division(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        if let Some((_, divisor)) = self.binary(a, TermOp::Urem)
            && divisor == b
        {
            let zero = self.bv(self.width(b), 0);
            return Some(self.ne(zero, b));
        }
        // a < a % b
        let (dividend, _) = self.binary(b, TermOp::Urem)?;
        (dividend == a).then_some(TermId::FALSE)
    }

    /// The dividend, if these are the remainder and the product of one division.
    fn dividend(&mut self, rest: TermId, product: TermId, dividend: &Either, divisor: &Either) -> Option<TermId> {
        let width = self.width(rest);
        for a in dividend {
            for b in divisor {
                let (a, b) = (self.zext(*a, width), self.zext(*b, width));
                for is_signed in [false, true] {
                    if self.division_rest(is_signed, a, b) != rest {
                        continue;
                    }
                    let quotient = self.division_quotient(is_signed, a, b);
                    if self.bv_mul(quotient, b) == product {
                        return Some(a);
                    }
                }
            }
        }
        None
    }

    /// `a % b` if one of the factors is `a / b`, and the other one `b`.
    fn rest(&mut self, a: TermId, factors: [TermId; 2]) -> Option<TermId> {
        let [first, second] = factors;
        for (quotient, b) in [(first, second), (second, first)] {
            if !self.has_quotient(quotient) {
                continue;
            }
            for is_signed in [false, true] {
                if self.division_quotient(is_signed, a, b) == quotient {
                    return Some(self.division_rest(is_signed, a, b));
                }
            }
        }
        None
    }

    fn division_quotient(&mut self, is_signed: bool, a: TermId, b: TermId) -> TermId {
        if is_signed { self.bv_sdiv(a, b) } else { self.bv_udiv(a, b) }
    }

    fn division_rest(&mut self, is_signed: bool, a: TermId, b: TermId) -> TermId {
        if is_signed { self.bv_srem(a, b) } else { self.bv_urem(a, b) }
    }

    /// What a term that looks like a remainder may be the remainder of.
    fn remainder(&mut self, term: TermId) -> Option<(Either, Either)> {
        let plain = self.zero_extended(term).unwrap_or(term);
        if let Some((a, b)) = self.binary(plain, TermOp::Urem) {
            return Some((SmallVec::from_slice(&[a]), SmallVec::from_slice(&[b])));
        }
        let (_, yes, no) = self.ternary(plain, TermOp::Ite)?;
        let rest = match (self.unary(yes, TermOp::Neg), self.unary(no, TermOp::Neg)) {
            (Some(inner), _) if inner == no => no,
            (_, Some(inner)) if inner == yes => yes,
            _ => return None,
        };
        let (a, b) = self.binary(rest, TermOp::Urem)?;
        Some((self.without_sign(a), self.without_sign(b)))
    }

    /// What a term may be the absolute value of.
    fn without_sign(&mut self, term: TermId) -> Either {
        match self.ternary(term, TermOp::Ite) {
            Some((_, yes, no)) => SmallVec::from_slice(&[yes, no]),
            None => {
                let negated = self.bv_neg(term);
                SmallVec::from_slice(&[term, negated])
            }
        }
    }

    /// The factors of `-(x * y)`. With a constant that is one product.
    fn negated_product(&mut self, term: TermId) -> Option<(TermId, TermId)> {
        if let Some(inner) = self.unary(term, TermOp::Neg) {
            return self.binary(inner, TermOp::Mul);
        }
        let (constant, factor) = self.binary(term, TermOp::Mul)?;
        (self.op(constant) == TermOp::Const).then(|| (self.bv_neg(constant), factor))
    }

    /// Whether a term looks like a quotient.
    fn has_quotient(&self, term: TermId) -> bool {
        let is_quotient = |term: TermId| {
            let term = self.unary(term, TermOp::Neg).unwrap_or(term);
            self.op(self.zero_extended(term).unwrap_or(term)) == TermOp::Udiv
        };
        match self.ternary(term, TermOp::Ite) {
            Some((_, yes, no)) => is_quotient(yes) || is_quotient(no),
            None => is_quotient(term),
        }
    }
}
