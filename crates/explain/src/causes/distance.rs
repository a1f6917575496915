//! How far a run is from the failing one (Groce and Kroening 2005, section 6): the number of values and branches that differ, or that only one of the
//! two runs executes. What follows the place of the failure is not compared: the failing run never reaches it.

use crate::unrolled::Unrolled;
use cfa::{Op, Program};
use encode::{EventKind, InputPlace, Obligation, SymbolicEvent};
use evidence::shown::Gives;
use evidence::{Seen, Subject, ValueOf};
use logic::{Bits, Model, TermId, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

/// An assignment or branch of the unrolled program that a run may execute.
#[derive(Clone)]
pub struct Point {
    pub event: SymbolicEvent,
    pub is_input: bool,
    pub value: ValueOf,
    pub failing: Seen,
    /// Holds in the runs that are the same here.
    pub same: TermId,
}

/// How many events come before the failing run fails, in the order of the unrolled program.
pub fn failure_point(unrolled: &Unrolled<'_, '_>) -> usize {
    let run = Model::new(unrolled.run.clone());
    let fails = |obligation: &&Obligation| {
        unrolled.is_same_failure(obligation) && run.bool(&unrolled.encoder.pool, obligation.cond)
    };
    let failed = unrolled.unrolling.obligations.iter().find(fails);
    failed.map_or(unrolled.unrolling.events.len(), |obligation| obligation.events_before)
}

/// The points that runs may execute before the place of the failure, in the order of execution.
pub fn points(unrolled: &mut Unrolled<'_, '_>) -> Vec<Point> {
    let run = Model::new(unrolled.run.clone());
    let end = failure_point(unrolled);
    let events: Vec<SymbolicEvent> = unrolled.unrolling.events[..end].to_vec();
    let artefacts = artefacts(unrolled, &run, &events);
    let mut executions: FxHashMap<Subject, u32> = FxHashMap::default();
    let mut points = Vec::new();
    for (index, event) in events.into_iter().enumerate() {
        if artefacts.contains(&index) {
            continue;
        }
        let gives = unrolled.gives(&event);
        let counts = gives.is_some() || event.kind == EventKind::Branch;
        let result = event.kind == EventKind::Write && is_call(unrolled.failure.task.program, event.source);
        if !counts && !result {
            continue;
        }
        let pool = &mut unrolled.encoder.pool;
        let failing = seen(pool, &run, &event);
        let executed = failing != Seen::Not;
        let unchanged = match event.value {
            Some((_, value)) => equals(pool, value, &run.bits(pool, value)),
            None => pool.bool(true),
        };
        // The result of a call that is not stored anywhere is not compared, but it has a name.
        let same = match (counts, executed) {
            (false, _) => pool.bool(true),
            (true, true) => pool.and(event.guard, unchanged),
            (true, false) => pool.not(event.guard),
        };
        let subject = match event.source {
            InputPlace::Edge(edge) => Subject::Edge(edge),
            InputPlace::Param(var, leaf) => Subject::Param(var, leaf),
        };
        let count = executions.entry(subject).or_insert(0);
        *count += executed as u32;
        let value = ValueOf { subject, occurrence: *count };
        points.push(Point { event, is_input: gives == Some(Gives::Input), value, failing, same });
    }
    // What happens once needs no number.
    for point in &mut points {
        if executions.get(&point.value.subject).is_none_or(|count| *count <= 1) {
            point.value.occurrence = 0;
        }
    }
    points
}

fn is_call(program: &Program, source: InputPlace) -> bool {
    matches!(source, InputPlace::Edge(edge) if matches!(program.edges[edge].op, Op::Call { .. }))
}

/// Events that belong to the violated assertion itself: what is evaluated within it, and the branch that leads to one that always fails, as a
/// call of an error function.
fn artefacts(unrolled: &Unrolled<'_, '_>, run: &Model, events: &[SymbolicEvent]) -> FxHashSet<usize> {
    let (program, pool) = (unrolled.failure.task.program, &unrolled.encoder.pool);
    let asserted = program.edges[unrolled.failure.edge].span;
    let within = |event: &SymbolicEvent| match event.source {
        InputPlace::Edge(edge) => {
            let span = program.edges[edge].span;
            event.kind == EventKind::Branch && asserted.lo <= span.lo && span.hi <= asserted.hi
        }
        InputPlace::Param(..) => false,
    };
    let mut found: FxHashSet<usize> =
        events.iter().enumerate().filter(|(_, event)| within(event)).map(|(index, _)| index).collect();
    let always =
        matches!(program.edges[unrolled.failure.edge].op, Op::Assert { cond, .. } if program.constant(cond).is_some());
    if always {
        let last = events.iter().rposition(|event| event.kind == EventKind::Branch && run.bool(pool, event.guard));
        found.extend(last);
    }
    found
}

/// What a run shows of an event.
pub fn seen(pool: &TermPool, run: &Model, event: &SymbolicEvent) -> Seen {
    if !run.bool(pool, event.guard) {
        return Seen::Not;
    }
    match (event.kind, event.value) {
        (EventKind::Branch, Some((_, truth))) => Seen::Branch(run.bool(pool, truth)),
        (_, Some((ty, value))) => match run.bits(pool, value).to_u128() {
            Some(bits) => Seen::Value(ty, cfa::Bits::new(bits)),
            None => Seen::There,
        },
        (_, None) => Seen::There,
    }
}

pub fn equals(pool: &mut TermPool, term: TermId, bits: &Bits) -> TermId {
    match pool.sort(term) {
        logic::Sort::Bool if bits.bit(0) => term,
        logic::Sort::Bool => pool.not(term),
        _ => {
            let constant = pool.bits(bits);
            pool.eq(term, constant)
        }
    }
}

/// Whether at most so many of the conditions do not hold, as a term: a tree of sorted counts, cut off above the limit.
pub fn at_most_false(pool: &mut TermPool, conditions: &[TermId], limit: usize) -> TermId {
    let mut counts: Vec<Vec<TermId>> = conditions.iter().map(|term| vec![pool.not(*term)]).collect();
    while counts.len() > 1 {
        let pairs = counts.chunks(2).map(|pair| match pair {
            [one, other] => merged(pool, one, other, limit + 1),
            _ => pair[0].clone(),
        });
        counts = pairs.collect();
    }
    match counts.first().and_then(|count| count.get(limit)) {
        Some(exceeded) => pool.not(*exceeded),
        None => pool.bool(true),
    }
}

/// From "at least i + 1 of these" for two sets to the same for both together.
fn merged(pool: &mut TermPool, one: &[TermId], other: &[TermId], limit: usize) -> Vec<TermId> {
    let length = (one.len() + other.len()).min(limit);
    let mut sum = vec![pool.bool(false); length];
    for (i, slot) in sum.iter_mut().enumerate() {
        for first in 0..=(i + 1).min(one.len()) {
            let second = i + 1 - first;
            if second > other.len() {
                continue;
            }
            let a = if first == 0 { pool.bool(true) } else { one[first - 1] };
            let b = if second == 0 { pool.bool(true) } else { other[second - 1] };
            let both = pool.and(a, b);
            *slot = pool.or(*slot, both);
        }
    }
    sum
}
