//! A program as a transition system over its loop heads ([`encode::Point`]): what property-directed reachability and the abstraction engines search in.
//! A step begins at the start of the program or at a loop head and ends at the next one; `bad` is that something goes wrong on it.
//!
//! Invariant: the conditions that are called known hold whenever a run is at their head; nothing here proves that.

use base::Budget;
use cfa::{Anchor, Task};
use encode::{Bounds, Cut, Encoder, GuardedCandidate, Point, address_was_looked_at};
use evidence::Invariant;
use logic::{TermId, TermOp, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

/// Programs with more variables at their heads are given up.
const MOST_CELLS: usize = 4000;

/// What is said about loop heads before the search begins.
#[derive(Clone, Copy, Default)]
pub struct Told<'t> {
    /// Conditions that hold in every run.
    pub known: &'t [Invariant],
    /// Conditions that may be worth looking at.
    pub seeds: &'t [Invariant],
}

pub struct System<'p> {
    pub encoder: Encoder<'p>,
    pub points: Vec<Point>,
    /// By point: that a step ends there, and the values of its cells then.
    pub next: Vec<(TermId, Vec<TermId>)>,
    pub bad: TermId,
    /// By point: how many of the conditions in [`Point::known`] are known; the rest are seeds.
    pub known: Vec<usize>,
}

impl<'p> System<'p> {
    /// `None` if the program cannot be made a transition system, or has no loops.
    pub fn new(task: Task<'p>, told: Told<'_>, unwind: u32, budget: &Budget) -> Option<Self> {
        let mut encoder = Encoder::new(task);
        let mut cut = Cut { flat: true, unwind, ..Cut::default() };
        let always = encoder.pool.bool(true);
        let mut known_at: FxHashMap<Anchor, usize> = FxHashMap::default();
        for (number, one) in told.known.iter().chain(told.seeds).enumerate() {
            let candidate = GuardedCandidate { number: number as u32, expr: one.expr, selector: always };
            if cut.add(task.program, one.anchor, candidate) && number < told.known.len() {
                *known_at.entry(one.anchor).or_default() += 1;
            }
        }
        encoder.cut = Some(cut);
        let bounds = Bounds { unwind: 0, decided: 0, steps: 0 };
        let unrolling = encoder.unroll(bounds, budget);
        let cells: usize = unrolling.points.iter().map(|point| point.cells.len()).sum();
        if unrolling.interrupted
            || unrolling.points.is_empty()
            || cells > MOST_CELLS
            || address_was_looked_at(&encoder.pool)
        {
            return None;
        }
        let conds: Vec<TermId> = unrolling.obligations.iter().map(|obligation| obligation.cond).collect();
        let bad = encoder.pool.or_all(&conds);
        let next = unrolling.points.iter().map(|point| arrival(&mut encoder.pool, point)).collect();
        let count = |point: &Point| known_at.get(&Anchor::Head(point.head)).copied().unwrap_or(0);
        let known = unrolling.points.iter().map(count).collect();
        Some(System { encoder, points: unrolling.points, next, bad, known })
    }
}

/// That a step ends at a point, and the values of its cells then: steps that end there in different ways exclude each other.
fn arrival(pool: &mut TermPool, point: &Point) -> (TermId, Vec<TermId>) {
    let mut arrivals = point.arrivals.iter();
    let Some((guard, values)) = arrivals.next() else { return (pool.bool(false), Vec::new()) };
    let (mut guard, mut values) = (*guard, values.clone());
    for (other, more) in arrivals {
        for (value, more) in values.iter_mut().zip(more) {
            *value = pool.ite(*other, *more, *value);
        }
        guard = pool.or(guard, *other);
    }
    (guard, values)
}

/// The variables of some terms.
pub fn support(pool: &TermPool, terms: &[TermId]) -> Vec<TermId> {
    let mut seen = FxHashSet::default();
    let mut open = terms.to_vec();
    let mut found = Vec::new();
    while let Some(term) = open.pop() {
        if !seen.insert(term) {
            continue;
        }
        match pool.op(term) {
            TermOp::Var => found.push(term),
            _ => open.extend(pool.args(term).iter().copied()),
        }
    }
    found
}
