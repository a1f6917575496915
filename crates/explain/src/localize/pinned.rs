//! Runs full of multiplications and divisions: what such an operation gives is kept for the operands of the run only, and is anything for others.
//!
//! That says less than the run does. So whatever contradicts it contradicts the run, and what follows from it follows from the run; and with the
//! inputs everything still has the values of the run, so the contradiction that all methods start from is there.

use encode::{Encoder, PathFormula};
use logic::{Evaluator, Op, Sort, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Pairs of bits that are multiplied or divided by circuits; what is beyond takes the solver gigabytes.
const MAX_PAIRS: u64 = 400_000;

/// Pins the operations down if there are too many of them.
pub fn pin(encoder: &mut Encoder<'_>, formula: &mut PathFormula) {
    let operations = operations(encoder, formula);
    let pairs = |term: &TermId| u64::from(encoder.pool.width(*term)).pow(2);
    if operations.iter().map(pairs).sum::<u64>() <= MAX_PAIRS {
        return;
    }
    let pool = &mut encoder.pool;
    let mut evaluator = Evaluator::default();
    let mut replaced: FxHashMap<TermId, TermId> = FxHashMap::default();
    // Arguments are older than what is made of them, so they are replaced before.
    for (number, term) in operations.into_iter().enumerate() {
        let mut as_in_the_run = pool.bool(true);
        for arg in pool.args(term).iter().copied().collect::<Vec<_>>() {
            let value = evaluator.scalar(pool, &formula.values, arg);
            let (arg, value) = (pool.substitute(arg, &mut replaced), pool.bits(&value));
            let same = pool.eq(arg, value);
            as_in_the_run = pool.and(as_in_the_run, same);
        }
        let result = evaluator.scalar(pool, &formula.values, term);
        let result = pool.bits(&result);
        let anything = pool.var(&format!("pinned{number}"), Sort::BitVec(pool.width(term)));
        let pinned = pool.ite(as_in_the_run, result, anything);
        replaced.insert(term, pinned);
    }
    for term in terms(formula) {
        *term = pool.substitute(*term, &mut replaced);
    }
}

/// Everything that a formula says.
fn terms(formula: &mut PathFormula) -> impl Iterator<Item = &mut TermId> {
    let steps = formula.steps.iter_mut().flat_map(|step| {
        step.definitions.iter_mut().map(|one| &mut one.value).chain(&mut step.guard).chain(&mut step.checks)
    });
    let conditions = formula.conditions.iter_mut().map(|condition| &mut condition.term);
    steps.chain(conditions).chain(std::iter::once(&mut formula.assertion))
}

/// Multiplications and divisions, the oldest first.
fn operations(encoder: &Encoder<'_>, formula: &mut PathFormula) -> Vec<TermId> {
    let pool = &encoder.pool;
    let mut seen: FxHashSet<TermId> = FxHashSet::default();
    let mut found = Vec::new();
    let mut open: Vec<TermId> = terms(formula).map(|term| *term).collect();
    while let Some(term) = open.pop() {
        if !seen.insert(term) {
            continue;
        }
        if matches!(pool.op(term), Op::Mul | Op::Udiv | Op::Urem) {
            found.push(term);
        }
        open.extend(pool.args(term).iter());
    }
    found.sort_unstable();
    found
}
