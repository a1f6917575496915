//! Negation, conjunction, exclusive or of Booleans; disjunction and the rest by De Morgan.

use crate::pool::TermPool;
use crate::term::{Sort, TermId, TermOp};

impl TermPool {
    /// Negation of a Boolean, complement of a bit-vector.
    pub fn not(&mut self, a: TermId) -> TermId {
        match a {
            TermId::FALSE => return TermId::TRUE,
            TermId::TRUE => return TermId::FALSE,
            _ => {}
        }
        if let Some(inner) = self.unary(a, TermOp::Not) {
            return inner;
        }
        match self.sort(a) {
            Sort::Bool => self.raw(TermOp::Not, 0, [a, TermId(0), TermId(0)]),
            Sort::BitVec(_) => self.bv_not(a),
            Sort::Array { .. } => panic!("not of an array"),
        }
    }

    /// Whether one Boolean (or bit-vector) is syntactically the complement of the other.
    #[inline]
    pub(super) fn opposite(&self, a: TermId, b: TermId) -> bool {
        self.unary(a, TermOp::Not) == Some(b) || self.unary(b, TermOp::Not) == Some(a)
    }

    pub fn and(&mut self, a: TermId, b: TermId) -> TermId {
        debug_assert!(self.sort(a) == Sort::Bool && self.sort(b) == Sort::Bool);
        if a == b || b == TermId::TRUE {
            return a;
        }
        if a == TermId::TRUE {
            return b;
        }
        if a == TermId::FALSE || b == TermId::FALSE || self.opposite(a, b) {
            return TermId::FALSE;
        }
        if let Some(known) = self.and_absorbs(a, b) {
            return known;
        }
        if let Some(known) = self.and_absorbs(b, a) {
            return known;
        }
        let (a, b) = self.ordered(a, b);
        self.raw(TermOp::And, 0, [a, b, TermId(0)])
    }

    /// Two-level rules with `b` a conjunction or the negation of one.
    fn and_absorbs(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        if let Some((x, y)) = self.binary(b, TermOp::And) {
            if a == x || a == y {
                return Some(b);
            }
            return (self.opposite(a, x) || self.opposite(a, y)).then_some(TermId::FALSE);
        }
        let (x, y) = self.binary(self.unary(b, TermOp::Not)?, TermOp::And)?;
        if self.opposite(a, x) || self.opposite(a, y) {
            return Some(a);
        }
        let other = if a == x {
            y
        } else if a == y {
            x
        } else {
            return None;
        };
        // a ∧ ¬(a ∧ y) = a ∧ ¬y
        self.deeper(|pool| {
            let negated = pool.not(other);
            pool.and(a, negated)
        })
    }

    pub fn or(&mut self, a: TermId, b: TermId) -> TermId {
        let (a, b) = (self.not(a), self.not(b));
        let both = self.and(a, b);
        self.not(both)
    }

    pub fn implies(&mut self, a: TermId, b: TermId) -> TermId {
        let b = self.not(b);
        let both = self.and(a, b);
        self.not(both)
    }

    pub fn iff(&mut self, a: TermId, b: TermId) -> TermId {
        let differ = self.xor(a, b);
        self.not(differ)
    }

    pub fn xor(&mut self, a: TermId, b: TermId) -> TermId {
        debug_assert!(self.sort(a) == Sort::Bool && self.sort(b) == Sort::Bool);
        let (x, a) = self.without_negation(a);
        let (y, b) = self.without_negation(b);
        let negate = x ^ y;
        let plain = if a == b {
            TermId::FALSE
        } else if a == TermId::FALSE {
            b
        } else if b == TermId::FALSE {
            a
        } else if let Some(rest) = self.xor_cancels(a, b).or_else(|| self.xor_cancels(b, a)) {
            rest
        } else {
            let (a, b) = self.ordered(a, b);
            self.raw(TermOp::Xor, 0, [a, b, TermId(0)])
        };
        if negate { self.not(plain) } else { plain }
    }

    fn xor_cancels(&self, a: TermId, b: TermId) -> Option<TermId> {
        let (x, y) = self.binary(b, TermOp::Xor)?;
        if a == x {
            Some(y)
        } else if a == y {
            Some(x)
        } else {
            None
        }
    }

    fn without_negation(&self, a: TermId) -> (bool, TermId) {
        if a == TermId::TRUE {
            return (true, TermId::FALSE);
        }
        match self.unary(a, TermOp::Not) {
            Some(inner) => (true, inner),
            None => (false, a),
        }
    }

    /// A balanced conjunction.
    pub fn and_all(&mut self, terms: &[TermId]) -> TermId {
        self.balanced(terms, TermId::TRUE, Self::and)
    }

    /// A balanced disjunction.
    pub fn or_all(&mut self, terms: &[TermId]) -> TermId {
        self.balanced(terms, TermId::FALSE, Self::or)
    }

    fn balanced(&mut self, terms: &[TermId], empty: TermId, op: fn(&mut Self, TermId, TermId) -> TermId) -> TermId {
        let mut layer = terms.to_vec();
        while layer.len() > 1 {
            layer = layer.chunks(2).map(|pair| if let [a, b] = *pair { op(self, a, b) } else { pair[0] }).collect();
        }
        layer.first().copied().unwrap_or(empty)
    }

    pub(super) fn bool_ite(&mut self, c: TermId, t: TermId, e: TermId) -> TermId {
        let t = if t == c {
            TermId::TRUE
        } else if self.opposite(t, c) {
            TermId::FALSE
        } else {
            t
        };
        let e = if e == c {
            TermId::FALSE
        } else if self.opposite(e, c) {
            TermId::TRUE
        } else {
            e
        };
        if t == e {
            return t;
        }
        match (self.as_bool(t), self.as_bool(e)) {
            (Some(true), _) => return self.or(c, e),
            (Some(false), _) => {
                let c = self.not(c);
                return self.and(c, e);
            }
            (_, Some(false)) => return self.and(c, t),
            (_, Some(true)) => return self.implies(c, t),
            _ => {}
        }
        if self.opposite(t, e) {
            return self.iff(c, t);
        }
        if self.op(t) == TermOp::Not {
            let (t, e) = (self.not(t), self.not(e));
            let plain = self.raw(TermOp::Ite, 0, [c, t, e]);
            return self.not(plain);
        }
        self.raw(TermOp::Ite, 0, [c, t, e])
    }
}
