//! Contradictions that also explain why their statements are reached (Christ et al. 2013, section 5): a statement counts only under the conditions in whose scope it lies, so
//! what makes those conditions true becomes relevant too.

use crate::cores::{Group, MAX_MINIMAL, needed_groups, relevant_groups};
use crate::formula::RunFormula;
use crate::invariants::Goal;
use base::Budget;
use logic::TermId;
use std::collections::BTreeSet;

/// A minimal set of steps, each under its conditions, that contradicts what should have held (algorithm 2, FSTF), and for each scope that one of them
/// lies in that it is not reached (definition 4).
pub fn relevant_under_conditions(trace: &mut RunFormula<'_>, budget: &Budget) -> Option<(Vec<Group>, Vec<Goal>)> {
    let under = conditions(trace);
    let groups = flow_sensitive_groups(trace, &under);
    let relevant = relevant_groups(trace, groups.clone(), trace.phi, budget)?;
    let relevant = explain_reaching(trace, groups, relevant, &under, budget)?;
    let goals = reaching(trace, &relevant, &under);
    Some((relevant, goals))
}

/// The conjunction of each condition and those around it.
fn conditions(trace: &mut RunFormula<'_>) -> Vec<TermId> {
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
fn reaching(trace: &mut RunFormula<'_>, relevant: &[Group], under: &[TermId]) -> Vec<Goal> {
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
    trace: &mut RunFormula<'_>,
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
fn flow_sensitive_groups(trace: &mut RunFormula<'_>, under: &[TermId]) -> Vec<Group> {
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
