//! Small contradictions: an unsatisfiable core of the solver, made minimal by leaving out one part after the other.

use crate::formula::RunFormula;
use base::Budget;
use logic::TermId;
use rustc_hash::FxHashSet;

/// Longer contradictions stay as the solver found them: making one minimal takes a question for each part.
pub const MAX_MINIMAL: usize = 400;

/// What it may cost to leave out what is not relevant.
const MINIMAL_EFFORT: u64 = 50_000;

/// A step with what it says, under its conditions if that is asked for.
#[derive(Clone)]
pub struct Group {
    pub step: usize,
    pub terms: Vec<TermId>,
}

/// Each step with what it defines and the condition that it takes for granted.
pub fn groups_with_guards(trace: &mut RunFormula<'_>) -> Vec<Group> {
    let mut groups = Vec::new();
    for step in 0..trace.end {
        let mut terms = trace.equations(step);
        terms.extend(trace.formula.steps[step].guard);
        if !terms.is_empty() {
            groups.push(Group { step, terms });
        }
    }
    groups
}

/// The steps before one, with what they define.
pub fn groups_before(trace: &mut RunFormula<'_>, end: usize) -> Vec<Group> {
    let groups = (0..end).map(|step| Group { step, terms: trace.equations(step) });
    groups.filter(|group| !group.terms.is_empty()).collect()
}

/// A minimal set of groups that, with the inputs, contradicts what should have held.
pub fn relevant_groups(
    trace: &mut RunFormula<'_>,
    groups: Vec<Group>,
    phi: TermId,
    budget: &Budget,
) -> Option<Vec<Group>> {
    let mut given = trace.psi.clone();
    given.push(phi);
    needed_groups(trace, &given, groups, budget)
}

/// A minimal set of groups that contradicts what is given.
pub fn needed_groups(
    trace: &mut RunFormula<'_>,
    given: &[TermId],
    groups: Vec<Group>,
    budget: &Budget,
) -> Option<Vec<Group>> {
    let mut all = given.to_vec();
    all.extend(groups.iter().flat_map(|group| &group.terms));
    let core = trace.contradiction(&all, budget)?.ok()?;
    let core: FxHashSet<TermId> = core.into_iter().collect();
    let kept = groups.into_iter().filter(|group| group.terms.iter().any(|term| core.contains(term)));
    let kept: Vec<Group> = kept.collect();
    if kept.len() > MAX_MINIMAL {
        return Some(kept);
    }
    let budget = &budget.with_effort(MINIMAL_EFFORT);
    let contradict = |others: &[TermId]| trace.contradiction(&[given, others].concat(), budget);
    Some(minimal(kept, |group| &group.terms, contradict))
}

/// A contradiction between terms without those that it does not need.
pub fn minimal_terms(trace: &mut RunFormula<'_>, core: Vec<TermId>, budget: &Budget) -> Vec<TermId> {
    minimal(core, std::slice::from_ref, |terms| trace.contradiction(terms, budget))
}

/// Leaves out one part of a contradiction after the other, until each that is left is needed or `contradict` gives no answer. Earlier parts are tried
/// first: what is near the assertion explains it best. `contradict` says whether terms contradict each other, with those that do.
pub fn minimal<T>(
    mut parts: Vec<T>,
    terms: impl Fn(&T) -> &[TermId],
    mut contradict: impl FnMut(&[TermId]) -> Option<Result<Vec<TermId>, ()>>,
) -> Vec<T> {
    let mut position = 0;
    while position < parts.len() {
        let others = parts.iter().enumerate().filter(|(index, _)| *index != position);
        let others: Vec<TermId> = others.flat_map(|(_, part)| terms(part)).copied().collect();
        match contradict(&others) {
            None => break,
            Some(Err(())) => position += 1,
            Some(Ok(core)) => {
                let core: FxHashSet<TermId> = core.into_iter().collect();
                let in_core = |part: &T| terms(part).iter().any(|term| core.contains(term));
                parts.remove(position);
                position = parts[..position].iter().filter(|part| in_core(part)).count();
                parts.retain(in_core);
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sets contradict each other if they have what one of the reasons needs.
    fn contradicts(reasons: &[&[u32]], terms: &[TermId]) -> Result<Vec<TermId>, ()> {
        let has = |number: &u32| terms.contains(&TermId(*number));
        let reason = reasons.iter().find(|reason| reason.iter().all(has)).ok_or(())?;
        Ok(reason.iter().map(|number| TermId(*number)).collect())
    }

    fn left(parts: &[&[u32]], reasons: &[&[u32]]) -> Vec<Vec<u32>> {
        let parts = parts.iter().map(|part| part.iter().map(|number| TermId(*number)).collect()).collect();
        let kept: Vec<Vec<TermId>> = minimal(parts, |part| part, |terms| Some(contradicts(reasons, terms)));
        kept.into_iter().map(|part| part.into_iter().map(|term| term.0).collect()).collect()
    }

    #[test]
    fn only_what_is_needed_is_left() {
        assert_eq!(left(&[&[1], &[2], &[3], &[4]], &[&[1, 2, 3], &[2, 4]]), [[2], [4]]);
        assert_eq!(left(&[&[1, 5], &[2], &[3]], &[&[2, 5]]), [vec![1, 5], vec![2]]);
        assert!(left(&[&[1], &[2]], &[&[]]).is_empty());
    }

    #[test]
    fn without_an_answer_the_rest_stays() {
        let parts = vec![TermId(1), TermId(2), TermId(3)];
        let mut questions = 0;
        let kept = minimal(parts, std::slice::from_ref, |terms| {
            questions += 1;
            (questions == 1).then(|| Ok(terms.to_vec()))
        });
        assert_eq!(kept, [TermId(2), TermId(3)]);
    }
}
