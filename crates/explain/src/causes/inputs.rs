//! The smallest change of the inputs with which the run passes: the fewest inputs that change, then the least that they change by. The closest passing run is
//! another one: it also counts what the program computes.

use super::distance::{self, Point};
use super::passes;
use crate::minimize::weights::{self, Soft};
use crate::unrolled::Unrolled;
use base::Budget;
use cfa::types::TypeTable;
use cfa::{Type, eval};
use evidence::{Change, Seen};
use logic::maxsat::minimize_lexicographic;
use logic::{TermId, TermPool};

/// What the search may cost.
const EFFORT: u64 = 100_000;

pub struct InputChange {
    /// In the order in which they are read.
    pub inputs: Vec<Change>,
    /// If one input suffices: others that suffice alone, each with its smallest change; those that change less for their size first.
    pub others: Vec<Change>,
    /// No run within the bound passes with fewer inputs changed, nor with a smaller change of as many.
    pub proven: bool,
}

/// Inputs that suffice alone: more are not looked for, and not named.
const MOST_ALONE: usize = 16;
const MOST_NAMED: usize = 4;

/// `None` where no inputs are changed, and where no change was found in time.
pub fn smallest(
    unrolled: &mut Unrolled<'_, '_>,
    points: &[Point],
    passing: TermId,
    is_prefix: bool,
    budget: &Budget,
) -> Option<InputChange> {
    let points: Vec<&Point> = points.iter().filter(|point| point.is_input).collect();
    let objectives = objectives(unrolled, &points);
    let small = budget.with_effort(EFFORT);
    let mut search = Search { unrolled, points, objectives, hard: vec![passing], is_prefix, budget: &small };
    let (first, proven) = search.next()?;
    let mut all = vec![first];
    if let ([_], true) = (all[0].as_slice(), proven) {
        while all.len() < MOST_ALONE
            && let Some((other, true)) = search.next()
            && other.len() == 1
        {
            all.push(other);
        }
        let types = &search.unrolled.failure.task.program.types;
        all.sort_by_cached_key(|inputs| relative(types, &inputs[0]));
        all.truncate(MOST_NAMED);
    }
    let inputs = all.remove(0);
    (!inputs.is_empty()).then(|| InputChange { inputs, others: all.concat(), proven })
}

/// That an input changes, and the bits of how much it changes by.
fn objectives(unrolled: &mut Unrolled<'_, '_>, points: &[&Point]) -> [Vec<(TermId, u128)>; 2] {
    let types = &unrolled.failure.task.program.types;
    let pool = &mut unrolled.encoder.pool;
    let (mut fewest, mut least) = (Soft::new(), Soft::new());
    for point in points {
        if pool.as_bool(point.same) != Some(true) {
            weights::add(&mut fewest, point.same, 1);
        }
        if let (Seen::Value(ty, bits), Some((_, term))) = (point.failing, point.event.value)
            && matches!(types.get(ty), Type::Int(_))
        {
            let failing = eval::to_i128(types, ty, bits);
            let distance = distance_from(pool, types.is_signed(ty), term, failing);
            for index in 0..pool.width(distance) {
                let bit = pool.bit(distance, index);
                weights::cost(pool, point.event.guard, bit, 1 << index.min(100), &mut least);
            }
        }
    }
    [weights::list(fewest), weights::list(least)]
}

struct Search<'s, 'f, 'p> {
    unrolled: &'s mut Unrolled<'f, 'p>,
    points: Vec<&'s Point>,
    objectives: [Vec<(TermId, u128)>; 2],
    hard: Vec<TermId>,
    is_prefix: bool,
    budget: &'s Budget,
}

impl Search<'_, '_, '_> {
    /// The smallest change of inputs that did not suffice before, and whether that is proven.
    fn next(&mut self) -> Option<(Vec<Change>, bool)> {
        let Search { unrolled, points, objectives, hard, is_prefix, budget } = self;
        let pool = &unrolled.encoder.pool;
        let found = minimize_lexicographic(pool, &mut unrolled.solver, hard, &*objectives, budget).ok()??;
        let model = found.model;
        let (run, _) = if *is_prefix { unrolled.prefix_of(&model) } else { unrolled.run_of(&model) };
        // Only what the interpreter confirms is shown.
        if !passes(&run.outcome, *is_prefix) {
            return None;
        }
        let pool = &unrolled.encoder.pool;
        let changed: Vec<&Point> = points.iter().copied().filter(|point| !model.bool(pool, point.same)).collect();
        hard.extend(changed.iter().map(|point| point.same));
        let change = |point: &&Point| Change {
            value: point.value,
            failing: point.failing,
            passing: distance::seen(pool, &model, &point.event),
            relevant: true,
            is_input: true,
        };
        Some((changed.iter().map(change).collect(), found.proven))
    }
}

/// How much a value changes for its size, in thousandths.
fn relative(types: &TypeTable, change: &Change) -> u128 {
    let number = |seen: Seen| match seen {
        Seen::Value(ty, bits) => Some(eval::to_i128(types, ty, bits)),
        _ => None,
    };
    match (number(change.failing), number(change.passing)) {
        (Some(one), Some(other)) => one.abs_diff(other).saturating_mul(1000) / one.unsigned_abs().max(1),
        _ => u128::MAX,
    }
}

/// |term - number|, one bit wider so that it never overflows.
fn distance_from(pool: &mut TermPool, signed: bool, term: TermId, number: i128) -> TermId {
    let width = pool.width(term) + 1;
    let term = if signed { pool.sext(term, width) } else { pool.zext(term, width) };
    let number = pool.bv_signed(width, number);
    let (above, below) = (pool.bv_sub(term, number), pool.bv_sub(number, term));
    let less = if signed { pool.slt(term, number) } else { pool.ult(term, number) };
    pool.ite(less, below, above)
}
