//! The comparisons in a formula, as predicates over some variables. Choices below a comparison are resolved: `(c ? a : b) < 3` gives `c`, `a < 3` and
//! `b < 3`. These are the atoms of weakest preconditions (Dietsch et al. 2017, section 3): formulas here are steps with values put in.

use crate::system::support;
use logic::{Sort, TermId, TermOp, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

/// Ways to resolve the choices below one comparison; where there are more, it gives no atom.
const MOST_WAYS: usize = 16;
/// Atoms of one formula, and operations of one atom.
const MOST_ATOMS: usize = 300;
const MOST_OPERATIONS: usize = 24;
/// Terms of a formula that are looked at.
const MOST_TERMS: usize = 50_000;
/// Terms below a comparison that is resolved.
const MOST_DEPTH: u32 = 60;

/// The atoms of a formula that are about these variables only, each without a negation.
pub fn atoms(pool: &mut TermPool, formula: TermId, variables: &[TermId]) -> Vec<TermId> {
    let variables: FxHashSet<TermId> = variables.iter().copied().collect();
    let mut resolver = Resolver::default();
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    let mut known = FxHashSet::default();
    let mut open = vec![formula];
    while let Some(term) = open.pop() {
        if !seen.insert(term) {
            continue;
        }
        if found.len() >= MOST_ATOMS || seen.len() > MOST_TERMS {
            break;
        }
        // The conditions of choices are below comparisons.
        open.extend(pool.args(term).iter().copied());
        if pool.sort(term) != Sort::Bool {
            continue;
        }
        match pool.op(term) {
            TermOp::Eq | TermOp::Ult | TermOp::Slt | TermOp::Var => {
                for way in resolver.ways(pool, term, 0).unwrap_or_default() {
                    let atom = positive(pool, way);
                    if known.insert(atom) && is_about(pool, atom, &variables) {
                        found.push(atom);
                    }
                }
            }
            _ => {}
        }
    }
    found
}

/// A Boolean term without the negation around it.
pub fn positive(pool: &TermPool, term: TermId) -> TermId {
    if pool.op(term) == TermOp::Not { pool.arg(term, 0) } else { term }
}

/// Whether a term is a small one over these variables and nothing else.
fn is_about(pool: &TermPool, term: TermId, variables: &FxHashSet<TermId>) -> bool {
    if !matches!(pool.op(term), TermOp::Eq | TermOp::Ult | TermOp::Slt | TermOp::Var) {
        return false;
    }
    let mut seen = FxHashSet::default();
    let mut open = vec![term];
    while let Some(term) = open.pop() {
        if !seen.insert(term) {
            continue;
        }
        match pool.op(term) {
            TermOp::Var if !variables.contains(&term) => return false,
            TermOp::Select | TermOp::Store | TermOp::ConstArray | TermOp::Ite => return false,
            _ => open.extend(pool.args(term).iter().copied()),
        }
        if seen.len() > MOST_OPERATIONS {
            return false;
        }
    }
    !support(pool, &[term]).is_empty()
}

/// Terms with their choices resolved: formulas share parts, so each is resolved once.
#[derive(Default)]
struct Resolver {
    /// `None` where there are too many ways.
    done: FxHashMap<TermId, Option<Vec<TermId>>>,
}

impl Resolver {
    /// The term with its choices resolved in every way.
    fn ways(&mut self, pool: &mut TermPool, term: TermId, depth: u32) -> Option<Vec<TermId>> {
        if depth > MOST_DEPTH {
            return None;
        }
        if let Some(done) = self.done.get(&term) {
            return done.clone();
        }
        let found = self.resolve(pool, term, depth);
        self.done.insert(term, found.clone());
        found
    }

    fn resolve(&mut self, pool: &mut TermPool, term: TermId, depth: u32) -> Option<Vec<TermId>> {
        let args = pool.args(term);
        if args.is_empty() || pool.sort(term).is_array() || pool.op(term) == TermOp::Select {
            return Some(vec![term]);
        }
        if pool.op(term) == TermOp::Ite {
            let mut all = self.ways(pool, args[1], depth + 1)?;
            all.extend(self.ways(pool, args[2], depth + 1)?);
            all.sort_unstable();
            all.dedup();
            return (all.len() <= MOST_WAYS).then_some(all);
        }
        let mut ways = vec![Vec::new()];
        for arg in args.iter() {
            let resolved = self.ways(pool, *arg, depth + 1)?;
            let more = ways.iter().flat_map(|way: &Vec<TermId>| {
                resolved.iter().map(|one| way.iter().copied().chain([*one]).collect::<Vec<TermId>>())
            });
            ways = more.collect();
            if ways.len() > MOST_WAYS {
                return None;
            }
        }
        let rebuilt = ways.into_iter().map(|way| {
            let mut done = args.iter().copied().zip(way).collect();
            pool.substitute_below(term, &mut done)
        });
        Some(rebuilt.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_resolved() {
        let mut pool = TermPool::new();
        let (x, y, input) = (pool.bv_var("x", 8), pool.bv_var("y", 8), pool.bv_var("input", 8));
        let (three, five) = (pool.bv(8, 3), pool.bv(8, 5));
        let chosen = pool.slt(y, five);
        let choice = pool.ite(chosen, x, input);
        let formula = pool.slt(choice, three);
        let small = pool.slt(x, three);
        let mut found = atoms(&mut pool, formula, &[x, y]);
        found.sort_unstable();
        let mut expected = vec![chosen, small];
        expected.sort_unstable();
        assert_eq!(found, expected, "the atom about the input is left out");
    }
}
