//! If-then-else, which is what merging paths builds.

use crate::pool::TermPool;
use crate::term::{Sort, TermId, TermOp};

impl TermPool {
    /// `t` where `c` holds, `e` elsewhere; of Booleans, bit-vectors or arrays.
    pub fn ite(&mut self, c: TermId, t: TermId, e: TermId) -> TermId {
        debug_assert_eq!(self.sort(t), self.sort(e));
        debug_assert_eq!(self.sort(c), Sort::Bool);
        match c {
            TermId::TRUE => return t,
            TermId::FALSE => return e,
            _ => {}
        }
        if t == e {
            return t;
        }
        let (mut c, mut t, mut e) = match self.unary(c, TermOp::Not) {
            Some(inner) => (inner, e, t),
            None => (c, t, e),
        };
        if let Some((inner, x, _)) = self.ternary(t, TermOp::Ite)
            && inner == c
        {
            t = x;
        }
        if let Some((inner, _, y)) = self.ternary(e, TermOp::Ite)
            && inner == c
        {
            e = y;
        }
        if t == e {
            return t;
        }
        // ite(c, x, ite(d, x, y)) and its three mirror images.
        if let Some((d, x, y)) = self.ternary(e, TermOp::Ite) {
            if x == t {
                (c, e) = (self.or(c, d), y);
            } else if y == t {
                let not_d = self.not(d);
                (c, e) = (self.or(c, not_d), x);
            }
        } else if let Some((d, x, y)) = self.ternary(t, TermOp::Ite) {
            if y == e {
                (c, t) = (self.and(c, d), x);
            } else if x == e {
                let not_d = self.not(d);
                (c, t) = (self.and(c, not_d), y);
            }
        }
        match c {
            TermId::TRUE => return t,
            TermId::FALSE => return e,
            _ => {}
        }
        if let Some(inner) = self.unary(c, TermOp::Not) {
            (c, t, e) = (inner, e, t);
        }
        match self.sort(t) {
            Sort::Bool => self.bool_ite(c, t, e),
            Sort::BitVec(_) => self.bv_ite(c, t, e),
            Sort::Array { .. } => self.array_ite(c, t, e),
        }
    }

    fn bv_ite(&mut self, c: TermId, t: TermId, e: TermId) -> TermId {
        if (self.op(t) == TermOp::Concat || self.op(e) == TermOp::Concat)
            && let Some([t_high, t_low, e_high, e_low]) = self.split_both(t, e)
        {
            if t_high == e_high
                && let Some(low) = self.deeper(|pool| pool.ite(c, t_low, e_low))
            {
                return self.concat(t_high, low);
            }
            if t_low == e_low
                && let Some(high) = self.deeper(|pool| pool.ite(c, t_high, e_high))
            {
                return self.concat(high, t_low);
            }
        }
        let sort = self.node(t).sort;
        self.raw(TermOp::Ite, sort, [c, t, e])
    }

    /// 1 or 0 of the given width.
    pub fn bool_to_bv(&mut self, a: TermId, width: u32) -> TermId {
        let (one, zero) = (self.bv(width, 1), self.bv(width, 0));
        self.ite(a, one, zero)
    }

    /// Whether a bit-vector is not zero: how C reads a condition.
    pub fn bv_to_bool(&mut self, a: TermId) -> TermId {
        let width = self.width(a);
        let zero = self.bv(width, 0);
        let is_zero = self.eq(a, zero);
        self.not(is_zero)
    }
}
