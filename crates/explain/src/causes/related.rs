//! Which values the program relates: it compares them, combines them or computes one from the other, directly or by way of copies. That two other values
//! happen to be equal explains nothing to a person.

use logic::{TermId, TermOp, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

#[derive(Default)]
pub struct Related {
    pairs: FxHashSet<(TermId, TermId)>,
    /// The numbers that a value is compared with.
    numbers: FxHashMap<TermId, BTreeSet<i128>>,
}

/// A value that is chosen among more others is a copy of none of them.
const MOST_COPIES: usize = 16;

impl Related {
    /// Relations of some values in all that some terms are made of.
    pub fn of(pool: &TermPool, values: &FxHashSet<TermId>, roots: impl IntoIterator<Item = TermId>) -> Self {
        let mut related = Related::default();
        let mut todo: Vec<TermId> = roots.into_iter().collect();
        let mut seen: FxHashSet<TermId> = todo.iter().copied().collect();
        while let Some(term) = todo.pop() {
            related.add(pool, values, term);
            todo.extend(pool.args(term).iter().copied().filter(|arg| seen.insert(*arg)));
        }
        related
    }

    pub fn are(&self, one: TermId, other: TermId) -> bool {
        self.pairs.contains(&ordered(one, other))
    }

    /// Whether the program compares it with this number, or with a neighbour as `<` and `<=` do.
    pub fn is_compared_with(&self, value: TermId, number: i128) -> bool {
        self.numbers.get(&value).is_some_and(|all| all.range(number - 1..=number + 1).next().is_some())
    }

    fn add(&mut self, pool: &TermPool, values: &FxHashSet<TermId>, term: TermId) {
        use TermOp::{Add, Ashr, Eq, Lshr, Mul, Or, Shl, Slt, Udiv, Ult, Urem};
        let op = pool.op(term);
        if values.contains(&term) {
            let from = pool.args(term).iter().flat_map(|arg| copies(pool, values, *arg)).collect::<Vec<TermId>>();
            self.pairs.extend(from.into_iter().map(|other| ordered(term, other)));
        }
        if !matches!(op, Eq | Slt | Ult | Add | Mul | Udiv | Urem | Or | Shl | Lshr | Ashr) {
            return;
        }
        let (left, right) = (pool.arg(term, 0), pool.arg(term, 1));
        let (lefts, rights) = (copies(pool, values, left), copies(pool, values, right));
        for one in &lefts {
            self.pairs.extend(rights.iter().filter(|other| *other != one).map(|other| ordered(*one, *other)));
        }
        if matches!(op, Eq | Slt | Ult) {
            for (side, compared) in [(left, &rights), (right, &lefts)] {
                let Some(bits) = pool.as_bits(side) else { continue };
                for value in compared {
                    let numbers = self.numbers.entry(*value).or_default();
                    numbers.extend(bits.to_i128());
                    numbers.extend(bits.to_u128().and_then(|bits| i128::try_from(bits).ok()));
                }
            }
        }
    }
}

fn ordered(one: TermId, other: TermId) -> (TermId, TermId) {
    if one < other { (one, other) } else { (other, one) }
}

/// The values that a term is, or is a copy of on some path, or is made of by addition and conversion.
fn copies(pool: &TermPool, values: &FxHashSet<TermId>, term: TermId) -> Vec<TermId> {
    let mut found = Vec::new();
    let (mut todo, mut looked_at) = (vec![term], 0);
    while let Some(term) = todo.pop() {
        looked_at += 1;
        if looked_at > 4 * MOST_COPIES || found.len() >= MOST_COPIES {
            break;
        }
        if values.contains(&term) && !found.contains(&term) {
            found.push(term);
        }
        match pool.op(term) {
            TermOp::Ite => todo.extend([pool.arg(term, 2), pool.arg(term, 1)]),
            TermOp::Add | TermOp::Concat | TermOp::SignExt | TermOp::Extract | TermOp::Neg => {
                todo.extend(pool.args(term).iter().copied());
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_compared_combined_or_copied_is_related() {
        let mut pool = TermPool::new();
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| pool.bv_var(name, 32));
        let cond = pool.bool_var("cond");
        let copy = pool.ite(cond, a, b);
        let less = pool.slt(copy, c);
        let limit = pool.bv(32, 600);
        let low = pool.slt(d, limit);
        let values = FxHashSet::from_iter([a, b, c, d, copy]);
        let related = Related::of(&pool, &values, [less, low]);
        assert!(related.are(a, c) && related.are(c, b) && related.are(copy, a) && related.are(c, copy));
        assert!(!related.are(a, b) && !related.are(a, d) && !related.are(c, d));
        assert!(related.is_compared_with(d, 599) && related.is_compared_with(d, 600));
        assert!(!related.is_compared_with(d, 5) && !related.is_compared_with(a, 600));
    }
}
