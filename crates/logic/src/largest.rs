//! The largest value that a bit-vector can have by its form alone: sizes of allocations are mostly choices among few constants.

use crate::{TermId, TermOp, TermPool};
use rustc_hash::FxHashMap;

/// Terms with more parts than this can have any value.
const MOST_PARTS: usize = 1000;

impl TermPool {
    /// A bound on the unsigned value of a bit-vector of at most 64 bits; the largest number of its width if nothing better is known.
    pub fn largest(&self, term: TermId) -> u64 {
        self.largest_knowing(term, &|_| None)
    }

    /// The same where bounds on some terms are given.
    pub fn largest_knowing(&self, term: TermId, given: &dyn Fn(TermId) -> Option<u64>) -> u64 {
        self.largest_of(term, given, &mut FxHashMap::default())
    }

    fn largest_of(
        &self,
        term: TermId,
        given: &dyn Fn(TermId) -> Option<u64>,
        known: &mut FxHashMap<TermId, u64>,
    ) -> u64 {
        if let Some(largest) = known.get(&term) {
            return *largest;
        }
        let width = self.width(term);
        let all = if width >= 64 { u64::MAX } else { (1 << width) - 1 };
        if width > 64 || known.len() > MOST_PARTS {
            return all;
        }
        // Stands for the term itself until it is known; terms have no cycles.
        known.insert(term, all);
        let args = self.args(term);
        let mut of = |index: usize| self.largest_of(args[index], given, known);
        let largest = match self.op(term) {
            TermOp::Const => self.as_u64(term),
            TermOp::Ite => Some(of(1).max(of(2))),
            TermOp::Add => of(0).checked_add(of(1)),
            TermOp::Mul => of(0).checked_mul(of(1)),
            TermOp::And => Some(of(0).min(of(1))),
            TermOp::Udiv => self.as_u64(args[1]).filter(|divisor| *divisor > 0).map(|divisor| of(0) / divisor),
            // Of a division by 0, the dividend.
            TermOp::Urem => Some(match self.as_u64(args[1]) {
                Some(divisor) if divisor > 0 => of(0).min(divisor - 1),
                _ => of(0),
            }),
            TermOp::Shl => {
                let shift = self.as_u64(args[1]).and_then(|shift| u32::try_from(shift).ok());
                shift.filter(|shift| *shift < width).and_then(|shift| of(0).checked_mul(1u64.checked_shl(shift)?))
            }
            TermOp::SignExt => Some(of(0)).filter(|largest| *largest < 1 << (self.width(args[0]) - 1)),
            // The high part is not shifted out: the whole has at most 64 bits.
            TermOp::Concat => {
                let low = self.width(args[1]);
                let high = of(0);
                Some(if low >= 64 { all } else { (high << low) + of(1) })
            }
            // A value that fits into the part is unchanged by taking the lowest bits.
            TermOp::Extract if self.extract_range(term).1 == 0 && self.width(args[0]) <= 64 => Some(of(0)),
            _ => None,
        };
        // What may exceed the width wraps around.
        let largest = largest.filter(|largest| *largest <= all).unwrap_or(all);
        let largest = given(term).map_or(largest, |limit| largest.min(limit));
        known.insert(term, largest);
        largest
    }
}

#[cfg(test)]
mod tests {
    use crate::TermPool;

    #[test]
    fn choices_sums_and_products_of_constants_have_a_largest_value() {
        let mut pool = TermPool::new();
        let (cond, any) = (pool.bool_var("c"), pool.bv_var("x", 8));
        let (one, four) = (pool.bv(64, 1), pool.bv(64, 4));
        let count = pool.ite(cond, one, four);
        assert_eq!(pool.largest(count), 4);
        let eight = pool.bv(64, 8);
        let size = pool.bv_mul(count, eight);
        assert_eq!(pool.largest(size), 32);
        let byte = pool.zext(any, 64);
        assert_eq!(pool.largest(byte), 255);
        let sum = pool.bv_add(byte, size);
        assert_eq!(pool.largest(sum), 287);
    }

    #[test]
    fn what_may_wrap_around_can_be_anything() {
        let mut pool = TermPool::new();
        let x = pool.bv_var("x", 8);
        let one = pool.bv(8, 1);
        let sum = pool.bv_add(x, one);
        assert_eq!(pool.largest(sum), 255);
        let wide = pool.bv_var("y", 64);
        let low = pool.extract(wide, 7, 0);
        assert_eq!(pool.largest(low), 255);
        let low = pool.zext(low, 64);
        assert_eq!(pool.largest(low), 255);
    }
}
