//! Runs full of multiplications and divisions: what such an operation gives is kept for the operands of the run only, and is anything for others.
//!
//! That says less than the run does. So what contradicts it contradicts the run, and what follows from it follows from the run; and with the
//! inputs everything still has the values of the run, so the contradiction that all methods start from is there.

use encode::{Encoder, PathFormula};
use logic::{Evaluator, Sort, TermId, TermOp};
use rustc_hash::{FxHashMap, FxHashSet};

/// Pairs of bits that are multiplied or divided by circuits; what is beyond takes the solver gigabytes.
const MAX_PAIRS: u64 = 400_000;

/// Pins the operations down if there are too many of them.
pub fn pin(encoder: &mut Encoder<'_>, formula: &mut PathFormula) {
    pin_beyond(MAX_PAIRS, encoder, formula);
}

fn pin_beyond(max_pairs: u64, encoder: &mut Encoder<'_>, formula: &mut PathFormula) {
    let operations = operations(encoder, formula);
    let pairs = |term: &TermId| u64::from(encoder.pool.width(*term)).pow(2);
    if operations.iter().map(pairs).sum::<u64>() <= max_pairs {
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
        if matches!(pool.op(term), TermOp::Mul | TermOp::Udiv | TermOp::Urem) {
            found.push(term);
        }
        open.extend(pool.args(term).iter());
    }
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Budget;
    use cfa::interp::{ListInputs, ProgramArgs};
    use cfa::{Bits, DataModel, Property, PropertySet, Task};
    use encode::{Follow, Names};
    use logic::{Satisfiability, Solver};

    const PROGRAM: &str = "int f(int a, int b) {
  int c = a * b + a / 3;
  for (int i = 1; i < 4; i++)
    if ((c + i) % 5 > 1)
      c = c * i - b;
  //@ assert c != 37;
  return c;
}
";

    fn contradicts(encoder: &Encoder<'_>, terms: &[TermId]) -> bool {
        matches!(Solver::new().check(&encoder.pool, terms, &Budget::unlimited()), Satisfiability::Unsat(_))
    }

    #[test]
    fn the_run_stays_what_it_is_and_less_is_said() {
        let (_, compiled) = testkit::compile(PROGRAM.as_bytes(), DataModel::Lp64);
        let program = &compiled.program;
        let entry = program.function_named("f").expect("it is defined");
        let properties = PropertySet::of(&[Property::Assertion]);
        let mut encoder = Encoder::new(Task { program, entry, properties });
        let follow = Follow {
            inputs: &mut ListInputs::then_zero(vec![Bits::new(7), Bits::new(3)]),
            args: &ProgramArgs::default(),
            names: Names::Fresh,
            max_steps: 1000,
        };
        let mut formula = encoder.follow(follow, &Budget::unlimited()).expect("the run fails");
        let original: Vec<TermId> = terms(&mut formula).map(|term| *term).collect();
        let first_new = encoder.pool.len();
        pin_beyond(0, &mut encoder, &mut formula);
        let pinned: Vec<TermId> = terms(&mut formula).map(|term| *term).collect();
        assert_ne!(original, pinned);
        assert!(operations(&encoder, &mut formula).is_empty());
        for (before, after) in original.iter().zip(&pinned) {
            let value = |term| logic::eval::eval(&encoder.pool, &formula.values, term);
            assert_eq!(value(*before), value(*after));
        }
        // The real results of the operations are among those that they may give now.
        let mut back: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut fresh = 0;
        while let Some(var) = find(&encoder, first_new, fresh) {
            back.insert(var, pinned_operation(&encoder, &original, fresh));
            fresh += 1;
        }
        assert!(fresh > 5);
        for (before, after) in original.iter().zip(&pinned) {
            let mut after = *after;
            // An operation may contain others.
            for _ in 0..=fresh {
                after = encoder.pool.substitute(after, &mut back.clone());
            }
            let same = match encoder.pool.sort(after) {
                Sort::Bool => {
                    let differ = encoder.pool.xor(after, *before);
                    encoder.pool.not(differ)
                }
                _ => encoder.pool.eq(after, *before),
            };
            let differ = encoder.pool.not(same);
            assert!(contradicts(&encoder, &[differ]));
        }
    }

    fn find(encoder: &Encoder<'_>, from: usize, number: usize) -> Option<TermId> {
        let wanted = format!("pinned{number}");
        (from..encoder.pool.len())
            .map(|index| TermId(index as u32))
            .find(|term| encoder.pool.name(*term) == Some(&wanted))
    }

    fn pinned_operation(encoder: &Encoder<'_>, original: &[TermId], number: usize) -> TermId {
        let mut seen: std::collections::BTreeSet<TermId> = std::collections::BTreeSet::new();
        let mut open = original.to_vec();
        while let Some(term) = open.pop() {
            if seen.insert(term) {
                open.extend(encoder.pool.args(term).iter());
            }
        }
        let is_heavy = |term: &TermId| matches!(encoder.pool.op(*term), TermOp::Mul | TermOp::Udiv | TermOp::Urem);
        seen.into_iter().filter(is_heavy).nth(number).expect("there are as many")
    }
}
