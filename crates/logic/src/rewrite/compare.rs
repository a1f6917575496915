//! Equality and order.

use crate::bits::Bits;
use crate::pool::TermPool;
use crate::term::{Sort, TermId, TermOp};

impl TermPool {
    /// Equality of Booleans or bit-vectors; for arrays see [`TermPool::array_eq`].
    pub fn eq(&mut self, a: TermId, b: TermId) -> TermId {
        debug_assert_eq!(self.sort(a), self.sort(b));
        if a == b {
            return TermId::TRUE;
        }
        match self.sort(a) {
            Sort::Bool => return self.iff(a, b),
            Sort::BitVec(_) => {}
            Sort::Array { .. } => panic!("equality of arrays: use array_eq"),
        }
        let (a, b) = self.ordered(a, b);
        if self.op(a) == TermOp::Const {
            if self.op(b) == TermOp::Const {
                return TermId::FALSE;
            }
            if let Some(done) = self.deeper(|pool| pool.eq_const(a, b)).flatten() {
                return done;
            }
        } else if let Some(done) = self.deeper(|pool| pool.eq_shapes(a, b)).flatten() {
            return done;
        }
        self.raw(TermOp::Eq, 0, [a, b, TermId(0)])
    }

    pub fn ne(&mut self, a: TermId, b: TermId) -> TermId {
        let equal = self.eq(a, b);
        self.not(equal)
    }

    /// `k = b` for a constant `k`.
    fn eq_const(&mut self, k: TermId, b: TermId) -> Option<TermId> {
        let node = *self.node(b);
        let (x, y, z) = (TermId(node.a), TermId(node.b), TermId(node.c));
        if node.sort == 1
            && let Some(done) = self.eq_one_bit(k, b)
        {
            return Some(done);
        }
        match node.op {
            TermOp::Not => {
                let k = self.bv_not(k);
                Some(self.eq(k, x))
            }
            TermOp::Neg => {
                let k = self.bv_neg(k);
                Some(self.eq(k, x))
            }
            TermOp::Add if self.op(x) == TermOp::Const => {
                let k = self.bv_sub(k, x);
                Some(self.eq(k, y))
            }
            TermOp::Xor if self.op(x) == TermOp::Const => {
                let k = self.bv_xor(k, x);
                Some(self.eq(k, y))
            }
            TermOp::Concat => {
                let (k_high, k_low) = self.split(k, self.width(y))?;
                let (high, low) = (self.eq(k_high, x), self.eq(k_low, y));
                Some(self.and(high, low))
            }
            TermOp::SignExt => {
                let value = self.as_bits(k)?;
                let inner = value.extract(self.width(x) - 1, 0);
                if inner.sign_extend(value.width()) != value {
                    return Some(TermId::FALSE);
                }
                let k = self.bits(&inner);
                Some(self.eq(k, x))
            }
            TermOp::Ite if self.is_const(y) => {
                let rest = self.eq(k, z);
                Some(if k == y {
                    self.or(x, rest)
                } else {
                    let not_x = self.not(x);
                    self.and(not_x, rest)
                })
            }
            TermOp::Ite if self.is_const(z) => {
                let rest = self.eq(k, y);
                Some(if k == z { self.implies(x, rest) } else { self.and(x, rest) })
            }
            _ => None,
        }
    }

    /// One-bit vectors: only `1 = x` remains, and bitwise operators become Boolean ones.
    fn eq_one_bit(&mut self, k: TermId, b: TermId) -> Option<TermId> {
        let one = self.bv(1, 1);
        if k != one {
            let set = self.eq(one, b);
            return Some(self.not(set));
        }
        let op = self.op(b);
        if !matches!(op, TermOp::And | TermOp::Or | TermOp::Xor) {
            return None;
        }
        let (x, y) = self.binary(b, op)?;
        let (x, y) = (self.eq(one, x), self.eq(one, y));
        Some(match op {
            TermOp::And => self.and(x, y),
            TermOp::Or => self.or(x, y),
            _ => self.xor(x, y),
        })
    }

    /// Neither is a constant.
    fn eq_shapes(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        let ((k1, x), (k2, y)) = (self.offset(a), self.offset(b));
        if k1.is_some() || k2.is_some() {
            // Equal bases: the constants differ, or it would be one term.
            if x == y {
                return Some(TermId::FALSE);
            }
            if let (Some(k1), Some(k2)) = (k1, k2) {
                let difference = self.bv_sub(k2, k1);
                let right = self.bv_add(difference, y);
                return Some(self.eq(x, right));
            }
        }
        match (self.op(a), self.op(b)) {
            (TermOp::Not, TermOp::Not) | (TermOp::Neg, TermOp::Neg) => {
                let (x, y) = (self.arg(a, 0), self.arg(b, 0));
                return Some(self.eq(x, y));
            }
            (TermOp::SignExt, TermOp::SignExt) => {
                let (x, y) = (self.arg(a, 0), self.arg(b, 0));
                return (self.width(x) == self.width(y)).then(|| self.eq(x, y));
            }
            (TermOp::Add, TermOp::Add) if k1.is_none() && k2.is_none() => {
                let ((p, q), (r, s)) = (self.binary(a, TermOp::Add)?, self.binary(b, TermOp::Add)?);
                for (one, rest) in [(p, q), (q, p)] {
                    for (other, rest2) in [(r, s), (s, r)] {
                        if one == other {
                            return Some(self.eq(rest, rest2));
                        }
                    }
                }
            }
            (TermOp::Concat, TermOp::Concat) => {
                let [a_high, a_low, b_high, b_low] = self.split_both(a, b)?;
                let (high, low) = (self.eq(a_high, b_high), self.eq(a_low, b_low));
                return Some(self.and(high, low));
            }
            _ => {}
        }
        for (choice, other) in [(a, b), (b, a)] {
            let Some((c, t, e)) = self.ternary(choice, TermOp::Ite) else { continue };
            if t == other {
                let rest = self.eq(e, other);
                return Some(self.or(c, rest));
            }
            if e == other {
                let rest = self.eq(t, other);
                return Some(self.implies(c, rest));
            }
            if let (true, Some((d, t2, e2))) = (self.constant_choice(choice).is_some(), self.constant_choice(other)) {
                if c == d {
                    let (t, e) = (self.eq(t, t2), self.eq(e, e2));
                    return Some(self.ite(c, t, e));
                }
                let (then, otherwise) = (self.eq(t, other), self.eq(e, other));
                return Some(self.ite(c, then, otherwise));
            }
        }
        // x = -x and the like stay: they say something about the top bit.
        None
    }

    pub fn ult(&mut self, a: TermId, b: TermId) -> TermId {
        debug_assert_eq!(self.sort(a), self.sort(b));
        if a == b {
            return TermId::FALSE;
        }
        let (left, right) = (self.as_bits(a), self.as_bits(b));
        if let (Some(left), Some(right)) = (&left, &right) {
            return self.bool(left.ult(right));
        }
        if let Some(k) = &right {
            if k.is_zero() {
                return TermId::FALSE;
            }
            if k.is_one() {
                let zero = self.bv(k.width(), 0);
                return self.eq(zero, a);
            }
            if k.is_ones() {
                return self.ne(b, a);
            }
        }
        if let Some(k) = &left {
            if k.is_ones() {
                return TermId::FALSE;
            }
            if k.is_zero() {
                return self.ne(a, b);
            }
            let next = k.add(&Bits::one(k.width()));
            if next.is_ones() {
                let ones = self.bits(&next);
                return self.eq(ones, b);
            }
        }
        if let Some(done) = self.deeper(|pool| pool.ult_shapes(a, b)).flatten() {
            return done;
        }
        self.raw(TermOp::Ult, 0, [a, b, TermId(0)])
    }

    fn ult_shapes(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        if let Some(done) = self.compare_choices(a, b, Self::ult) {
            return Some(done);
        }
        if let Some(done) = self.ult_of_division(a, b) {
            return Some(done);
        }
        match (self.op(a), self.op(b)) {
            (TermOp::Not, TermOp::Not) => {
                let (x, y) = (self.arg(a, 0), self.arg(b, 0));
                return Some(self.ult(y, x));
            }
            (TermOp::SignExt, TermOp::SignExt) => {
                let (x, y) = (self.arg(a, 0), self.arg(b, 0));
                return (self.width(x) == self.width(y)).then(|| self.ult(x, y));
            }
            (TermOp::Concat, _) | (_, TermOp::Concat) => {}
            _ => return None,
        }
        let [a_high, a_low, b_high, b_low] = self.split_both(a, b)?;
        if a_high == b_high {
            return Some(self.ult(a_low, b_low));
        }
        if a_low == b_low {
            return Some(self.ult(a_high, b_high));
        }
        match (self.as_bits(a_high), self.as_bits(b_high)) {
            // Both high parts are constants, and not equal.
            (Some(x), Some(y)) => Some(self.bool(x.ult(&y))),
            _ => None,
        }
    }

    /// A choice between constants compared with a constant.
    fn compare_choices(
        &mut self,
        a: TermId,
        b: TermId,
        compare: fn(&mut Self, TermId, TermId) -> TermId,
    ) -> Option<TermId> {
        if let (TermOp::Const, Some((c, t, e))) = (self.op(a), self.constant_choice(b)) {
            let (t, e) = (compare(self, a, t), compare(self, a, e));
            return Some(self.ite(c, t, e));
        }
        if let (Some((c, t, e)), TermOp::Const) = (self.constant_choice(a), self.op(b)) {
            let (t, e) = (compare(self, t, b), compare(self, e, b));
            return Some(self.ite(c, t, e));
        }
        None
    }

    pub fn ule(&mut self, a: TermId, b: TermId) -> TermId {
        let greater = self.ult(b, a);
        self.not(greater)
    }

    pub fn ugt(&mut self, a: TermId, b: TermId) -> TermId {
        self.ult(b, a)
    }

    pub fn uge(&mut self, a: TermId, b: TermId) -> TermId {
        self.ule(b, a)
    }

    pub fn slt(&mut self, a: TermId, b: TermId) -> TermId {
        debug_assert_eq!(self.sort(a), self.sort(b));
        if a == b {
            return TermId::FALSE;
        }
        let (left, right) = (self.as_bits(a), self.as_bits(b));
        if let (Some(left), Some(right)) = (&left, &right) {
            return self.bool(left.slt(right));
        }
        let width = self.width(a);
        if width == 1 {
            // As signed numbers the two values are -1 and 0.
            return self.ult(b, a);
        }
        let (min, max) = (Bits::min_signed(width), Bits::min_signed(width).not());
        if let Some(k) = &right {
            if *k == min {
                return TermId::FALSE;
            }
            if k.is_zero() {
                return self.is_negative(a);
            }
            if *k == max {
                return self.ne(b, a);
            }
            if k.sub(&Bits::one(width)) == min {
                let min = self.bits(&min);
                return self.eq(min, a);
            }
        }
        if let Some(k) = &left {
            if *k == max {
                return TermId::FALSE;
            }
            if k.is_ones() {
                let negative = self.is_negative(b);
                return self.not(negative);
            }
            if *k == min {
                return self.ne(a, b);
            }
            if k.add(&Bits::one(width)) == max {
                let max = self.bits(&max);
                return self.eq(max, b);
            }
        }
        match (self.known_sign(a), self.known_sign(b)) {
            (Some(x), Some(y)) if x == y => return self.ult(a, b),
            (Some(x), Some(_)) => return self.bool(x),
            _ => {}
        }
        if let Some(done) = self.deeper(|pool| pool.slt_shapes(a, b)).flatten() {
            return done;
        }
        self.raw(TermOp::Slt, 0, [a, b, TermId(0)])
    }

    fn slt_shapes(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        if let Some(done) = self.compare_choices(a, b, Self::slt) {
            return Some(done);
        }
        let narrow = self.unary(a, TermOp::SignExt).or_else(|| self.unary(b, TermOp::SignExt))?;
        let width = self.width(narrow);
        // The narrow term, or the sign of a constant that does not fit into its width.
        let inner = |pool: &mut Self, t: TermId| -> Result<TermId, bool> {
            let Some(value) = pool.as_bits(t) else {
                return Ok(pool.unary(t, TermOp::SignExt).filter(|x| pool.width(*x) == width).unwrap_or(t));
            };
            let low = value.extract(width - 1, 0);
            if low.sign_extend(value.width()) == value { Ok(pool.bits(&low)) } else { Err(value.sign()) }
        };
        let full = self.width(a);
        match (inner(self, a), inner(self, b)) {
            // A constant outside the range of the narrow term.
            (Err(negative), _) => Some(self.bool(negative)),
            (_, Err(negative)) => Some(self.bool(!negative)),
            (Ok(x), Ok(y)) => {
                (self.width(x) == width && self.width(y) == width && width < full).then(|| self.slt(x, y))
            }
        }
    }

    pub fn sle(&mut self, a: TermId, b: TermId) -> TermId {
        let greater = self.slt(b, a);
        self.not(greater)
    }

    pub fn sgt(&mut self, a: TermId, b: TermId) -> TermId {
        self.slt(b, a)
    }

    pub fn sge(&mut self, a: TermId, b: TermId) -> TermId {
        self.sle(b, a)
    }

    /// Whether two bit-vectors are known to differ: constants, or the same base with another constant offset.
    pub(crate) fn known_different(&self, a: TermId, b: TermId) -> bool {
        if self.op(a) == TermOp::Const && self.op(b) == TermOp::Const {
            return a != b;
        }
        let ((k1, x), (k2, y)) = (self.offset(a), self.offset(b));
        x == y && k1 != k2
    }
}
