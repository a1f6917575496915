//! Weakest preconditions along a run (Dobos-Kovács 2021, section 3.3), until they contradict themselves. On SSA names a substitution is following a definition, so no formula
//! is ever copied: the conjuncts are what should have held and the guards, and each knows the statements that transform it.

use crate::formula::RunFormula;
use base::Budget;
use logic::{TermId, TermOp};
use rustc_hash::FxHashSet;
use std::ops::Range;

/// What a question about a window of the run may cost.
const WINDOW_EFFORT: u64 = 40_000;

/// Conjuncts of a term, as the assertion is taken apart.
pub fn conjuncts(trace: &RunFormula<'_>, term: TermId) -> Vec<TermId> {
    let mut parts = Vec::new();
    let mut open = vec![term];
    while let Some(term) = open.pop() {
        match trace.encoder.pool.binary(term, TermOp::And) {
            Some((a, b)) => open.extend([b, a]),
            None => parts.push(term),
        }
    }
    parts
}

/// The shortest suffix of the steps before `end` that contradicts the assertion, and a core of it. Windows grow from the end, so a round
/// costs what it looks at and not the length of the trace.
pub fn shortest_contradiction(
    trace: &mut RunFormula<'_>,
    end: usize,
    parts: &[TermId],
    budget: &Budget,
) -> Option<(usize, Vec<TermId>)> {
    let mut holds = end;
    let mut size = 8;
    let mut failing = loop {
        let start = end.saturating_sub(size);
        match check_window(trace, start..end, parts, budget)? {
            Ok(core) => break Some((start, core)),
            Err(()) => holds = start,
        }
        if start == 0 {
            break None;
        }
        size *= 2;
    };
    if failing.is_none() {
        let mut terms = window(trace, 0..end, parts);
        terms.extend(&trace.psi);
        let core = trace.contradiction(&terms, budget)?;
        return core.ok().map(|core| (0, core));
    }
    // The window from `holds` does not contradict it, the one from `start` does.
    while let Some((start, _)) = &failing
        && holds - start > 1
    {
        let middle = start + (holds - start) / 2;
        match check_window(trace, middle..end, parts, budget)? {
            Ok(core) => failing = Some((middle, core)),
            Err(()) => holds = middle,
        }
    }
    failing
}

/// What steps say, with what should have held.
fn window(trace: &mut RunFormula<'_>, steps: Range<usize>, parts: &[TermId]) -> Vec<TermId> {
    let mut terms: Vec<TermId> = parts.to_vec();
    for step in steps {
        terms.extend(trace.formula.steps[step].guard);
        terms.extend(trace.equations(step));
    }
    terms
}

/// Without the inputs the question can be as hard as a proof; a window that is not understood soon is taken for one that is too short.
fn check_window(
    trace: &mut RunFormula<'_>,
    steps: Range<usize>,
    parts: &[TermId],
    budget: &Budget,
) -> Option<Result<Vec<TermId>, ()>> {
    let terms = window(trace, steps, parts);
    let answer = trace.contradiction(&terms, &budget.with_effort(WINDOW_EFFORT));
    answer.or_else(|| (!budget.expired()).then_some(Err(())))
}

/// The statements among steps that transform a conjunct, and the names that it ever mentions.
pub fn transforming(trace: &RunFormula<'_>, conjunct: TermId, steps: Range<usize>) -> (Vec<usize>, FxHashSet<TermId>) {
    let mut found = Vec::new();
    let mut names = FxHashSet::default();
    let mut open = trace.names_in(conjunct);
    while let Some(name) = open.pop() {
        if !names.insert(name) {
            continue;
        }
        if let Some(step) = trace.defined_by.get(&name).copied()
            && steps.contains(&step)
        {
            found.push(step);
            let values = trace.formula.steps[step].definitions.iter().filter(|one| one.name == name);
            open.extend(values.flat_map(|one| trace.names_in(one.value)));
        }
    }
    (found, names)
}
