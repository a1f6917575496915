//! Flow-sensitive localization (Christ et al. 2013, section 5): see [`interpolate::flow`]. Frame conditions say what a branch that was not taken
//! would have changed.

use super::invariants::{AbstractTrace, Explained, abstract_trace};
use super::lines::Line;
use super::trace::ErrorTrace;
use base::Budget;
use encode::Origin;
use interpolate::cores::{groups_before, relevant_groups};
use interpolate::flow::relevant_under_conditions;
use logic::TermId;
use std::collections::BTreeSet;

/// The recursive variant explains at most so many conditions: each is a localization of its own.
const MAX_CONDITIONS: usize = 100;
/// … of a run that is not longer than this, with so much effort.
const MAX_STEPS: usize = 2000;
const EFFORT: u64 = 50_000;

/// Algorithm 2 (FSTF) for the abstract trace, Algorithm 1 (recursive) beside it.
pub fn flow_sensitive(trace: &mut ErrorTrace<'_>, budget: &Budget) -> Option<AbstractTrace> {
    let (relevant, goals) = relevant_under_conditions(&mut trace.run, budget)?;
    let mut result = abstract_trace(trace, &relevant, &goals, budget);
    match recursive(trace, &budget.with_effort(EFFORT)) {
        Some((lines, explained)) => (result.recursive, result.explained) = (Some(lines), explained),
        None => result.recursive_gave_up = true,
    }
    Some(result)
}

/// Algorithm 1: flow-insensitive, then again for every condition around a relevant statement. Quadratic at worst, hence the limits:
/// `None` beyond them.
fn recursive(trace: &mut ErrorTrace<'_>, budget: &Budget) -> Option<(Vec<Line>, Vec<Explained>)> {
    let mut all = Vec::new();
    let mut lines: BTreeSet<Line> = BTreeSet::new();
    let mut explained: BTreeSet<u32> = BTreeSet::new();
    let mut open: Vec<(Option<u32>, usize, TermId)> = vec![(None, trace.run.end, trace.run.phi)];
    // Each condition is a localization of its own: on a long run that would be quadratic.
    if trace.run.end > MAX_STEPS {
        return None;
    }
    while let Some((condition, end, phi)) = open.pop() {
        let groups = groups_before(&mut trace.run, end);
        let Some(relevant) = relevant_groups(&mut trace.run, groups, phi, budget) else {
            if budget.expired() {
                return None;
            }
            continue;
        };
        all.push(Explained { condition, end, core: relevant.iter().map(|group| group.step).collect() });
        for group in relevant {
            if matches!(trace.run.formula.steps[group.step].origin, Origin::Edge(_)) {
                lines.extend(trace.lines[group.step].clone());
            }
            for number in trace.run.conditions_around(trace.run.formula.steps[group.step].scope) {
                if explained.len() < MAX_CONDITIONS && explained.insert(number) {
                    let condition = trace.run.formula.conditions[number as usize];
                    open.push((Some(number), condition.step as usize, trace.run.encoder.pool.not(condition.term)));
                }
            }
        }
    }
    Some((lines.into_iter().collect(), all))
}
