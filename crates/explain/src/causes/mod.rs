//! Error explanation (Groce and Kroening 2005, section 6): the run that passes and is as close to the failing one as possible, what is different
//! there, which of it matters ([`slice`]), and the predicates that the failure causally depends on ([`candidates`], [`dependence`]).

mod candidates;
mod dependence;
pub mod distance;
mod inputs;
mod related;
mod slice;

use crate::Failure;
use crate::minimize::weights::{self, Soft};
use crate::unrolled::Unrolled;
use base::Budget;
use cfa::interp::{Limit, Outcome};
use distance::Point;
use encode::{InputPlace, ObligationKind, on_large_stack};
use evidence::{Cause, Change, Seen, Tape};
pub use inputs::InputChange;
use logic::maxsat::{self, Optimization, Optimum};
use logic::sat::SatLit;
use logic::{Model, TermId};

/// What may be a cause.
#[derive(Clone, Copy, Default)]
pub struct CauseOptions<'a> {
    /// Only relations between inputs.
    pub inputs_only: bool,
    /// Patterns of functions whose values and branches are no causes.
    pub trusted: &'a [String],
}

pub struct Explanation {
    /// How many values and branches of the closest passing run are different.
    pub distance: u64,
    /// No passing run within the bound is closer.
    pub proven: bool,
    pub lower_bound: u64,
    /// Branches first, then values, in the order of execution.
    pub changes: Vec<Change>,
    /// The strongest ones, each with those that follow from it.
    pub causes: Vec<Cause>,
    /// Not all candidates were checked.
    pub more_candidates: bool,
    /// The smallest change of inputs with which the run passes.
    pub input_change: Option<InputChange>,
    pub passing: Tape,
    pub bound: u32,
}

pub enum Explained {
    Found(Box<Explanation>),
    /// Every run within the bound fails, or ends in another way that is no good.
    NoPassingRun {
        bound: u32,
    },
    /// The budget ended first, or the run depends on what is not encoded.
    Unknown,
}

pub fn explain(failure: &Failure<'_>, options: CauseOptions<'_>, budget: &Budget) -> Explained {
    on_large_stack(|| search(failure, options, budget))
}

/// What the choice of simple numbers for the passing run may cost.
const SIMPLE_EFFORT: u64 = 40_000;

/// Runs that pass may go on for longer than the one that fails: bounds beyond its own that are tried, and what each may cost.
const WIDER: u32 = 2;
const WIDER_EFFORT: u64 = 100_000;

/// The closest passing run within one bound.
struct Closest<'f, 'p> {
    unrolled: Unrolled<'f, 'p>,
    points: Vec<Point>,
    soft: Vec<(TermId, u128)>,
    passing: TermId,
    /// The passing run is the beginning of one that goes on beyond the bound.
    is_prefix: bool,
    /// `None` if no run passes.
    found: Option<Optimum>,
}

impl<'f, 'p> Closest<'f, 'p> {
    /// `None` at the end of the budget.
    fn within(failure: &'f Failure<'p>, least: u32, budget: &Budget) -> Option<Self> {
        let mut unrolled = Unrolled::around_within(failure, least, budget)?;
        budget.progress().set_bound(unrolled.bound);
        let points = distance::points(&mut unrolled);
        let soft = softened(&unrolled, &points);
        let (ends, aborts) = (unrolled.unrolling.ends.clone(), unrolled.unrolling.aborts.clone());
        let regular = replayable(&mut unrolled, &ends);
        // A run that comes to the assertion says more than one that leaves before.
        let reached = reached(&mut unrolled);
        let judged = unrolled.encoder.pool.and(regular, reached);
        let (passing, found) = match closest(&mut unrolled, judged, &soft, budget) {
            Optimization::Infeasible(_) if judged != regular => {
                (regular, closest(&mut unrolled, regular, &soft, budget))
            }
            found => (judged, found),
        };
        let (passing, found) = match found {
            // A run that ends is preferred to an aborted one: `abort` often expresses an assumption.
            Optimization::Infeasible(_) if !aborts.is_empty() => {
                let aborted = replayable(&mut unrolled, &aborts);
                (aborted, closest(&mut unrolled, aborted, &soft, budget))
            }
            found => (passing, found),
        };
        // A program that never ends passes as long as its assertion holds.
        let (passing, found, is_prefix) = match found {
            Optimization::Infeasible(_) if unrolled.is_cut() => {
                let goes_on = unrolled.goes_on();
                let goes_on = replayable(&mut unrolled, &[goes_on]);
                (goes_on, closest(&mut unrolled, goes_on, &soft, budget), true)
            }
            found => (passing, found, false),
        };
        let found = match found {
            Optimization::Found(found) => Some(found),
            Optimization::Infeasible(_) => None,
            Optimization::Unknown { .. } => return None,
        };
        Some(Closest { unrolled, points, soft, passing, is_prefix, found })
    }

    fn is_closer_than(&self, other: &Self) -> bool {
        match (&self.found, &other.found) {
            (Some(one), Some(other)) => one.proven && one.cost < other.cost,
            (Some(_), None) => true,
            (None, _) => false,
        }
    }
}

fn search(failure: &Failure<'_>, options: CauseOptions<'_>, budget: &Budget) -> Explained {
    budget.progress().set_stage("looking for the closest passing run");
    let Some(mut closest) = Closest::within(failure, 0, budget) else { return Explained::Unknown };
    let (mut bound, mut cut) = (closest.unrolled.bound, closest.unrolled.is_cut());
    for _ in 0..WIDER {
        if !cut {
            break;
        }
        bound = (bound * 2).max(1);
        let Some(wider) = Closest::within(failure, bound, &budget.with_effort(WIDER_EFFORT)) else { break };
        cut = wider.unrolled.is_cut();
        if wider.is_closer_than(&closest) {
            closest = wider;
        }
    }
    let Closest { mut unrolled, points, soft, passing, is_prefix, found } = closest;
    let Some(found) = found else { return Explained::NoPassingRun { bound: unrolled.bound } };
    let (distance, lower_bound, proven) = (found.cost as u64, found.lower_bound as u64, found.proven);
    let model = match proven {
        true => simplest(&mut unrolled, passing, &found.optimal, budget).unwrap_or(found.model),
        false => found.model,
    };
    let (run, tape) = if is_prefix { unrolled.prefix_of(&model) } else { unrolled.run_of(&model) };
    // Only what the interpreter confirms is shown.
    if !passes(&run.outcome, is_prefix) {
        return Explained::Unknown;
    }
    let changed: Vec<Point> =
        points.iter().filter(|point| !model.bool(&unrolled.encoder.pool, point.same)).cloned().collect();
    budget.progress().set_stage("looking for the differences that matter");
    let relevant = slice::relevant(&mut unrolled, &changed, passing, &model, budget);
    let changes = changes(&unrolled, &changed, relevant, &model);
    budget.progress().set_stage("looking for the smallest change of inputs");
    let input_change = inputs::smallest(&mut unrolled, &points, passing, is_prefix, budget);
    budget.progress().set_stage("looking for causes");
    let point = distance::failure_point(&unrolled);
    let executions = dependence::Executions {
        passing,
        fails_here: violates(&mut unrolled, point),
        fails_anywhere: violates(&mut unrolled, usize::MAX),
    };
    let roots = [executions.passing, executions.fails_here];
    let candidates = candidates::candidates(&mut unrolled, &points, &model, &roots, options);
    let (causes, more_candidates) = dependence::causes(&mut unrolled, executions, &soft, distance, candidates, budget);
    let bound = unrolled.bound;
    let passing = tape;
    let explanation =
        Explanation { distance, proven, lower_bound, changes, causes, more_candidates, input_change, passing, bound };
    Explained::Found(Box::new(explanation))
}

/// Whether a run is one that passes.
fn passes(outcome: &Outcome, is_prefix: bool) -> bool {
    match outcome {
        Outcome::Finished(_) | Outcome::Aborted => true,
        Outcome::Limit(Limit::Inputs | Limit::Steps) => is_prefix,
        _ => false,
    }
}

/// Runs that come to where the run fails: they evaluate the assertion, or execute the operation that fails.
fn reached(unrolled: &mut Unrolled<'_, '_>) -> TermId {
    let edge = unrolled.failure.edge;
    let here = |source: InputPlace| source == InputPlace::Edge(edge);
    let asserted = unrolled.unrolling.assertions.iter().filter(|(at, _)| *at == edge).map(|one| one.1);
    let executed = unrolled.unrolling.events.iter().filter(|event| here(event.source)).map(|event| event.guard);
    let mut guards: Vec<TermId> = asserted.chain(executed).collect();
    guards.sort_unstable();
    guards.dedup();
    let pool = &mut unrolled.encoder.pool;
    if guards.is_empty() { pool.bool(true) } else { pool.or_all(&guards) }
}

fn softened(unrolled: &Unrolled<'_, '_>, points: &[Point]) -> Vec<(TermId, u128)> {
    let mut soft = Soft::new();
    for point in points.iter().filter(|point| unrolled.encoder.pool.as_bool(point.same) != Some(true)) {
        weights::add(&mut soft, point.same, 1);
    }
    weights::list(soft)
}

/// One of the ends, on a run that can be replayed.
fn replayable(unrolled: &mut Unrolled<'_, '_>, ends: &[TermId]) -> TermId {
    let pool = &mut unrolled.encoder.pool;
    let any = pool.or_all(ends);
    match unrolled.unrolling.replayable {
        Some(replayable) => pool.and(any, replayable),
        None => any,
    }
}

/// A violation, of those that are noted before so many events.
fn violates(unrolled: &mut Unrolled<'_, '_>, before: usize) -> TermId {
    let violations = unrolled.unrolling.obligations.iter().filter(|obligation| obligation.events_before <= before);
    let violations = violations.filter(|obligation| matches!(obligation.kind, ObligationKind::Violation(..)));
    let conds: Vec<TermId> = violations.map(|obligation| obligation.cond).collect();
    replayable(unrolled, &conds)
}

fn closest(unrolled: &mut Unrolled<'_, '_>, passing: TermId, soft: &[(TermId, u128)], budget: &Budget) -> Optimization {
    maxsat::minimize(&unrolled.encoder.pool, &mut unrolled.solver, &[passing], soft, budget)
}

/// Of the closest runs one with small inputs.
fn simplest(unrolled: &mut Unrolled<'_, '_>, passing: TermId, face: &[SatLit], budget: &Budget) -> Option<Model> {
    let mut soft = Soft::new();
    let types = &unrolled.failure.task.program.types;
    for input in &unrolled.unrolling.inputs {
        weights::absolute(&mut unrolled.encoder.pool, types, input.guard, input.ty, input.term, &mut soft);
    }
    let (soft, small) = (weights::list(soft), budget.with_effort(SIMPLE_EFFORT));
    let pool = &unrolled.encoder.pool;
    let found = maxsat::minimize_under(pool, &mut unrolled.solver, &[passing], face, &soft, &small);
    found.optimum().map(|found| found.model)
}

fn changes(unrolled: &Unrolled<'_, '_>, changed: &[Point], relevant: Option<Vec<bool>>, model: &Model) -> Vec<Change> {
    let pool = &unrolled.encoder.pool;
    let relevant = |index: usize| relevant.as_ref().is_none_or(|relevant| relevant[index]);
    let mut changes: Vec<Change> = changed
        .iter()
        .enumerate()
        .map(|(index, point)| Change {
            value: point.value,
            failing: point.failing,
            passing: distance::seen(pool, model, &point.event),
            relevant: relevant(index),
            is_input: point.is_input,
        })
        .collect();
    let is_branch = |seen: Seen| matches!(seen, Seen::Branch(_));
    changes.sort_by_key(|change| !(is_branch(change.failing) || is_branch(change.passing)));
    changes
}
