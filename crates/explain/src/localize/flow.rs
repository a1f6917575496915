//! Flow-sensitive localization (paper 4): a statement counts only under the conditions in whose scope it lies, so whatever makes those
//! conditions true becomes relevant too; frame conditions say what a branch that was not taken would have changed.

use super::invariants::{AbstractTrace, Explained, Group, abstract_trace, conditions_around, relevant_groups};
use super::lines::Line;
use super::trace::ErrorTrace;
use base::Budget;
use encode::Origin;
use logic::TermId;
use std::collections::BTreeSet;

/// The recursive variant explains at most so many conditions: each is a localization of its own.
const MAX_CONDITIONS: usize = 100;
/// … of a run that is not longer than this.
const MAX_STEPS: usize = 2000;

/// Algorithm 2 (FSTF) for the abstract trace, Algorithm 1 (recursive) beside it.
pub fn flow_sensitive(trace: &mut ErrorTrace<'_>, budget: &Budget) -> Option<AbstractTrace> {
    let groups = flow_sensitive_groups(trace);
    let relevant = relevant_groups(trace, groups, trace.phi, budget)?;
    let mut result = abstract_trace(trace, &relevant, trace.phi, budget);
    (result.recursive, result.explained) = recursive(trace, budget);
    Some(result)
}

/// Each step under the conditions around it; conditions themselves vanish, assumptions stay.
fn flow_sensitive_groups(trace: &mut ErrorTrace<'_>) -> Vec<Group> {
    // The conjunction of the conditions around each, built once.
    let mut under: Vec<TermId> = Vec::with_capacity(trace.formula.conditions.len());
    for condition in trace.formula.conditions.clone() {
        let term = match condition.parent {
            Some(parent) => trace.encoder.pool.and(under[parent as usize], condition.term),
            None => condition.term,
        };
        under.push(term);
    }
    let mut groups = Vec::new();
    for step in 0..trace.end {
        let scope = trace.formula.steps[step].scope;
        let mut terms = trace.equations(step);
        if let Some(scope) = scope {
            let premise = under[scope as usize];
            terms = terms.into_iter().map(|term| trace.encoder.pool.implies(premise, term)).collect();
        }
        if trace.is_assumption(&trace.formula.steps[step]) {
            terms.extend(trace.formula.steps[step].guard);
        }
        if !terms.is_empty() {
            groups.push(Group { step, terms });
        }
    }
    groups
}

/// Algorithm 1: flow-insensitive, then again for every condition around a relevant statement. Quadratic at worst, hence the limit.
fn recursive(trace: &mut ErrorTrace<'_>, budget: &Budget) -> (Vec<Line>, Vec<Explained>) {
    let mut all = Vec::new();
    let mut lines: BTreeSet<Line> = BTreeSet::new();
    let mut explained: BTreeSet<u32> = BTreeSet::new();
    let mut open: Vec<(Option<u32>, usize, TermId)> = vec![(None, trace.end, trace.phi)];
    // Each condition is a localization of its own: on a long run that would be quadratic.
    if trace.end > MAX_STEPS {
        return Default::default();
    }
    while let Some((condition, end, phi)) = open.pop() {
        let mut groups = Vec::new();
        for step in 0..end {
            let terms = trace.equations(step);
            if !terms.is_empty() {
                groups.push(Group { step, terms });
            }
        }
        let Some(relevant) = relevant_groups(trace, groups, phi, budget) else { continue };
        all.push(Explained { condition, end, core: relevant.iter().map(|group| group.step).collect() });
        for group in relevant {
            if matches!(trace.formula.steps[group.step].origin, Origin::Edge(_)) {
                lines.extend(trace.lines[group.step].clone());
            }
            for number in conditions_around(trace, trace.formula.steps[group.step].scope) {
                if explained.len() < MAX_CONDITIONS && explained.insert(number) {
                    let condition = trace.formula.conditions[number as usize];
                    open.push((Some(number), condition.step as usize, trace.encoder.pool.not(condition.term)));
                }
            }
        }
    }
    (lines.into_iter().collect(), all)
}
