//! When a result does not fit. The product predicates need one multiplier one bit wider than the operands, whose low
//! bits are the product's own, not one of twice the width.
//!
//! The significance test is that of Gok et al. 2001.

use crate::pool::TermPool;
use crate::term::TermId;

impl TermPool {
    pub fn uadd_overflows(&mut self, a: TermId, b: TermId) -> TermId {
        let sum = self.bv_add(a, b);
        self.ult(sum, a)
    }

    pub fn usub_overflows(&mut self, a: TermId, b: TermId) -> TermId {
        self.ult(a, b)
    }

    pub fn sadd_overflows(&mut self, a: TermId, b: TermId) -> TermId {
        let sum = self.bv_add(a, b);
        let (x, y, z) = (self.is_negative(a), self.is_negative(b), self.is_negative(sum));
        let (same, flipped) = (self.iff(x, y), self.xor(x, z));
        self.and(same, flipped)
    }

    pub fn ssub_overflows(&mut self, a: TermId, b: TermId) -> TermId {
        let difference = self.bv_sub(a, b);
        let (x, y, z) = (self.is_negative(a), self.is_negative(b), self.is_negative(difference));
        let (differ, flipped) = (self.xor(x, y), self.xor(x, z));
        self.and(differ, flipped)
    }

    pub fn neg_overflows(&mut self, a: TermId) -> TermId {
        let min = self.bits(&crate::bits::Bits::min_signed(self.width(a)));
        self.eq(min, a)
    }

    /// Only the most negative value divided by -1.
    pub fn sdiv_overflows(&mut self, a: TermId, b: TermId) -> TermId {
        let ones = self.bits(&crate::bits::Bits::ones(self.width(a)));
        let (min, minus_one) = (self.neg_overflows(a), self.eq(ones, b));
        self.and(min, minus_one)
    }

    pub fn umul_overflows(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        if width == 1 {
            return TermId::FALSE;
        }
        let (wide_a, wide_b) = (self.zext(a, width + 1), self.zext(b, width + 1));
        let product = self.bv_mul(wide_a, wide_b);
        let carry = self.bit(product, width);
        let bits_a: Vec<TermId> = (0..width).map(|i| self.bit(a, i)).collect();
        let bits_b: Vec<TermId> = (0..width).map(|i| self.bit(b, i)).collect();
        let significant = self.significance(&bits_a[1..], &bits_b[1..]);
        self.or(carry, significant)
    }

    pub fn smul_overflows(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        if width == 1 {
            return self.bv_to_bool_both(a, b);
        }
        let (wide_a, wide_b) = (self.sext(a, width + 1), self.sext(b, width + 1));
        let product = self.bv_mul(wide_a, wide_b);
        let (top, sign) = (self.bit(product, width), self.bit(product, width - 1));
        let wrapped = self.xor(top, sign);
        let distinct = |pool: &mut Self, t: TermId| -> Vec<TermId> {
            let sign = pool.is_negative(t);
            (0..width - 1)
                .map(|i| {
                    let bit = pool.bit(t, i);
                    pool.xor(bit, sign)
                })
                .collect()
        };
        let (bits_a, bits_b) = (distinct(self, a), distinct(self, b));
        let significant = self.significance(&bits_a[1..], &bits_b[1..]);
        self.or(wrapped, significant)
    }

    /// At width 1 only -1 * -1 = 1 does not fit.
    fn bv_to_bool_both(&mut self, a: TermId, b: TermId) -> TermId {
        let (x, y) = (self.bv_to_bool(a), self.bv_to_bool(b));
        self.and(x, y)
    }

    /// Whether the highest set positions of the two, counted from 1, add up to more than the number of positions.
    fn significance(&mut self, a: &[TermId], b: &[TermId]) -> TermId {
        let count = a.len();
        let mut found = Vec::with_capacity(count);
        let mut above = TermId::FALSE;
        for i in 0..count {
            // `above` says that some bit of `a` from `count - 1 - i` up is set.
            above = self.or(above, a[count - 1 - i]);
            found.push(self.and(above, b[i]));
        }
        self.or_all(&found)
    }
}
