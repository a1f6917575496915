//! Flow-sensitive localization (paper 4): a statement counts only under the conditions in whose scope it lies, so whatever makes those
//! conditions true becomes relevant too; frame conditions say what a branch that was not taken would have changed.

use super::invariants::{
    AbstractTrace, Explained, Goal, Group, abstract_trace, conditions_around, needed_groups, relevant_groups,
};
use super::lines::Line;
use super::trace::ErrorTrace;
use super::whodunit::MAX_MINIMAL;
use base::Budget;
use encode::Origin;
use logic::TermId;
use std::collections::BTreeSet;

/// The recursive variant explains at most so many conditions: each is a localization of its own.
const MAX_CONDITIONS: usize = 100;
/// … of a run that is not longer than this, with so much effort.
const MAX_STEPS: usize = 2000;
const EFFORT: u64 = 50_000;

/// Algorithm 2 (FSTF) for the abstract trace, Algorithm 1 (recursive) beside it.
pub fn flow_sensitive(trace: &mut ErrorTrace<'_>, budget: &Budget) -> Option<AbstractTrace> {
    let under = conditions(trace);
    let groups = flow_sensitive_groups(trace, &under);
    let relevant = relevant_groups(trace, groups.clone(), trace.phi, budget)?;
    let relevant = explain_reaching(trace, groups, relevant, &under, budget)?;
    let goals = reaching(trace, &relevant, &under);
    let mut result = abstract_trace(trace, &relevant, &goals, budget);
    match recursive(trace, &budget.with_effort(EFFORT)) {
        Some((lines, explained)) => (result.recursive, result.explained) = (Some(lines), explained),
        None => result.recursive_gave_up = true,
    }
    Some(result)
}

/// The conjunction of each condition and those around it.
fn conditions(trace: &mut ErrorTrace<'_>) -> Vec<TermId> {
    let mut under: Vec<TermId> = Vec::with_capacity(trace.formula.conditions.len());
    for condition in trace.formula.conditions.clone() {
        let term = match condition.parent {
            Some(parent) => trace.encoder.pool.and(under[parent as usize], condition.term),
            None => condition.term,
        };
        under.push(term);
    }
    under
}

/// That a relevant statement is not reached, for each scope where its first one stands (definition 4).
fn reaching(trace: &mut ErrorTrace<'_>, relevant: &[Group], under: &[TermId]) -> Vec<Goal> {
    let mut seen = BTreeSet::new();
    let mut goals = Vec::new();
    for group in relevant {
        if let Some(scope) = trace.formula.steps[group.step].scope.filter(|scope| seen.insert(*scope)) {
            goals.push(Goal { step: group.step, term: trace.encoder.pool.not(under[scope as usize]) });
        }
    }
    goals
}

/// Adds what explains that relevant statements are reached, where that does not follow from those before them: the assertion may fail for another
/// reason if they are not, which definition 4 does not accept and the formula (algorithm 2) does.
fn explain_reaching(
    trace: &mut ErrorTrace<'_>,
    groups: Vec<Group>,
    mut relevant: Vec<Group>,
    under: &[TermId],
    budget: &Budget,
) -> Option<Vec<Group>> {
    // Each takes a question, as making a contradiction minimal does.
    if relevant.len() > MAX_MINIMAL {
        return Some(relevant);
    }
    let mut position = 0;
    loop {
        let goals = reaching(trace, &relevant, under);
        let Some(goal) = goals.get(position) else { return Some(relevant) };
        let mut given = trace.psi.clone();
        given.push(goal.term);
        given.extend(relevant.iter().filter(|group| group.step < goal.step).flat_map(|group| &group.terms));
        let more = |group: &&Group| group.step < goal.step && relevant.iter().all(|one| one.step != group.step);
        let more: Vec<Group> = groups.iter().filter(more).cloned().collect();
        let more = needed_groups(trace, &given, more, budget)?;
        position = if more.is_empty() { position + 1 } else { 0 };
        relevant.extend(more);
        relevant.sort_by_key(|group| group.step);
    }
}

/// Each step under the conditions around it; conditions themselves vanish, assumptions stay.
fn flow_sensitive_groups(trace: &mut ErrorTrace<'_>, under: &[TermId]) -> Vec<Group> {
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

/// Algorithm 1: flow-insensitive, then again for every condition around a relevant statement. Quadratic at worst, hence the limits:
/// `None` beyond them.
fn recursive(trace: &mut ErrorTrace<'_>, budget: &Budget) -> Option<(Vec<Line>, Vec<Explained>)> {
    let mut all = Vec::new();
    let mut lines: BTreeSet<Line> = BTreeSet::new();
    let mut explained: BTreeSet<u32> = BTreeSet::new();
    let mut open: Vec<(Option<u32>, usize, TermId)> = vec![(None, trace.end, trace.phi)];
    // Each condition is a localization of its own: on a long run that would be quadratic.
    if trace.end > MAX_STEPS {
        return None;
    }
    while let Some((condition, end, phi)) = open.pop() {
        let mut groups = Vec::new();
        for step in 0..end {
            let terms = trace.equations(step);
            if !terms.is_empty() {
                groups.push(Group { step, terms });
            }
        }
        let Some(relevant) = relevant_groups(trace, groups, phi, budget) else {
            if budget.expired() {
                return None;
            }
            continue;
        };
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
    Some((lines.into_iter().collect(), all))
}
