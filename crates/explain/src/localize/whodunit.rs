//! Whodunit, original and iterative (Dobos-Kovács 2021, sections 2.4.1 and 3.3): weakest preconditions along the trace until they contradict
//! themselves ([`interpolate::preconditions`]). Blamed are the statements that transform a conjunct of the contradiction, and the guards that share a
//! name with it.

use super::lines::Line;
use super::trace::ErrorTrace;
use super::{LocalizeOptions, Score, Scores};
use base::Budget;
use cfa::EdgeId;
use interpolate::cores::{MAX_MINIMAL, minimal_terms};
use interpolate::preconditions::{conjuncts, shortest_contradiction, transforming};
use logic::TermId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// What one round finds. Steps are those of the trace formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Round {
    /// The steps whose guards are explained together; none: the assertion.
    pub explains: std::ops::Range<usize>,
    /// The first step that it needed.
    pub start: usize,
    /// The contradiction.
    pub core: Vec<Conjunct>,
    /// Steps that are blamed.
    pub blamed: Vec<usize>,
    pub because: Because,
}

/// Why something is explained.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Because {
    /// It is the nearest guard before the last contradiction; or it is the assertion.
    Onwards,
    /// Something that an earlier round blames lies in its scope. It is blamed too.
    Around,
    /// An earlier round blames it. Only lines count that no earlier round blames.
    Blamed,
}

impl Round {
    /// All steps whose lines count.
    pub fn to_blame(&self) -> Vec<usize> {
        let itself = self.explains.clone().filter(|_| self.because == Because::Around);
        self.blamed.iter().copied().chain(itself).collect()
    }
}

/// A part of a contradiction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Conjunct {
    /// A conjunct of what is explained, counted from the left.
    Explained(usize),
    /// The condition that a step takes for granted.
    Guard(usize),
    /// What a step says in its definition of that number.
    Definition(usize, usize),
    /// What is known of the inputs: the part of `psi` of that number.
    Input(usize),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Blame {
    /// Statements that transform a conjunct.
    Transforming,
    /// Those, and guards that share a variable with it.
    WithGuards,
}

/// The original algorithm: one round, transforming statements only, the contradiction made minimal by deletion.
pub fn original(trace: &mut ErrorTrace<'_>, _: &LocalizeOptions<'_>, budget: &Budget) -> Option<Scores> {
    let mut goal = Goal { guards: 0, end: trace.run.end, term: trace.run.phi };
    let mut rounds = Vec::new();
    loop {
        let Some(round) = round(trace, goal, Blame::Transforming, true, budget) else {
            return (!budget.expired()).then(Scores::default);
        };
        let lines = lines_of(trace, &round.blamed);
        // What only evaluates the assertion is not a finding.
        let artefact = !round.blamed.is_empty() && lines.is_empty();
        let next = next_goal(trace, round.start);
        rounds.push(round);
        match next {
            Some(next) if artefact => goal = next,
            _ => {
                let lines = lines.into_iter().map(|line| Score { line, score: 1.0 }).collect();
                return Some(Scores { lines, rounds });
            }
        }
    }
}

/// The improved algorithm: guards too, the solver's core, and round after round from the nearest guard before the last contradiction. Rounds leave
/// out the guards between; those in whose scope a blamed statement lies come afterwards, and are blamed as well. Then come those that were
/// blamed for sharing a variable: what made them true adds lines that nothing else explains, and leaves the other scores as they are.
pub fn iterative(trace: &mut ErrorTrace<'_>, options: &LocalizeOptions<'_>, budget: &Budget) -> Option<Scores> {
    let mut scores: BTreeMap<Line, f64> = BTreeMap::new();
    let mut next = Some((Because::Onwards, Goal { guards: 0, end: trace.run.end, term: trace.run.phi }));
    let mut rounds: Vec<Round> = Vec::new();
    let mut number = 0;
    while number < options.rounds
        && let Some((because, goal)) = next
    {
        let blame = if because == Because::Onwards { Blame::WithGuards } else { Blame::Transforming };
        let Some(mut round) = round(trace, goal, blame, options.minimal, budget) else { break };
        round.because = because;
        let mut lines = lines_of(trace, &round.to_blame());
        if because == Because::Blamed {
            lines.retain(|line| !scores.contains_key(line));
        }
        if !lines.is_empty() {
            number += 1;
            for line in lines {
                *scores.entry(line).or_default() += options.decay.at(number);
            }
        }
        let before = (because == Because::Onwards).then(|| concluded(trace, &round, goal));
        rounds.push(round);
        let onwards = before.and_then(|before| next_goal(trace, before));
        next = onwards.map(|goal| (Because::Onwards, goal)).or_else(|| unexplained(trace, &rounds));
    }
    let mut lines: Vec<Score> = scores.into_iter().map(|(line, score)| Score { line, score }).collect();
    lines.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.line.cmp(&b.line)));
    // The rounds that there was time for.
    (!lines.is_empty() || !budget.expired()).then_some(Scores { lines, rounds })
}

/// The nearest guard that no round explains, of those in whose scope something blamed lies, or else of those that are blamed. Of these one of each
/// branch: a loop would be explained round by round.
fn unexplained(trace: &mut ErrorTrace<'_>, rounds: &[Round]) -> Option<(Because, Goal)> {
    let explained: FxHashSet<usize> = rounds.iter().flat_map(|round| round.explains.clone()).collect();
    let all_blamed: FxHashSet<usize> = rounds.iter().flat_map(|round| round.blamed.iter().copied()).collect();
    let branches: FxHashSet<EdgeId> = explained.iter().map(|step| trace.run.edge(*step)).collect();
    let blamed = || all_blamed.iter().copied().filter(|step| trace.lines[*step].is_some());
    let constant =
        |step: usize| trace.run.formula.steps[step].guard.is_none_or(|guard| trace.run.encoder.pool.is_const(guard));
    let open = |step: &usize| !explained.contains(step) && !constant(*step) && *step < trace.run.end;
    let conditions = blamed().flat_map(|step| trace.run.conditions_around(trace.run.formula.steps[step].scope));
    let around = conditions.map(|condition| trace.run.formula.conditions[condition as usize].step as usize);
    let around = around.filter(|step| !all_blamed.contains(step) && open(step)).max();
    let itself = |step: &usize| {
        !branches.contains(&trace.run.edge(*step))
            && open(step)
            && !trace.run.is_assumption(&trace.run.formula.steps[*step])
    };
    let (because, nearest) = match around {
        Some(step) => (Because::Around, step),
        None => (Because::Blamed, blamed().filter(itself).max()?),
    };
    Some((because, next_goal(trace, nearest + 1)?))
}

/// Where a round came to its conclusion. One that needs the inputs has looked at all that is before it, but what it says of the run goes back
/// only to the first statement that it blames; guards before that are still unexplained.
fn concluded(trace: &ErrorTrace<'_>, round: &Round, goal: Goal) -> usize {
    if round.core.iter().any(|part| matches!(part, Conjunct::Input(_))) {
        let blamed = round.blamed.iter().copied().find(|step| trace.lines[*step].is_some());
        return blamed.unwrap_or(goal.end);
    }
    round.start
}

fn lines_of(trace: &ErrorTrace<'_>, steps: &[usize]) -> Vec<Line> {
    let mut lines: Vec<Line> = steps.iter().filter_map(|step| trace.lines[*step].clone()).collect();
    lines.sort();
    lines.dedup();
    lines
}

/// What a round explains: steps before `end` contradict it.
#[derive(Clone, Copy)]
struct Goal {
    /// How many steps from `end` on are the guards that it is about.
    guards: usize,
    end: usize,
    term: TermId,
}

/// The nearest guard before a step, negated: why was it true? The parts of one condition are one guard.
fn next_goal(trace: &mut ErrorTrace<'_>, before: usize) -> Option<Goal> {
    let steps = &trace.run.formula.steps[..before];
    let branch = |step: &encode::PathStep| step.guard.filter(|_| !trace.run.is_assumption(step));
    let last =
        steps.iter().rposition(|step| branch(step).is_some_and(|guard| !trace.run.encoder.pool.is_const(guard)))?;
    let condition =
        |step: usize| (trace.run.encoder.task.program.edges[trace.run.edge(step)].anchor, steps[step].activation);
    let same = |step: &usize| branch(&steps[*step]).is_some() && condition(*step) == condition(last);
    let first = (0..=last).rev().take_while(same).last()?;
    let guards: Vec<TermId> = steps[first..=last].iter().filter_map(|step| step.guard).collect();
    let all = trace.run.encoder.pool.and_all(&guards);
    Some(Goal { guards: guards.len(), end: first, term: trace.run.encoder.pool.not(all) })
}

/// Walks back from an assertion until the weakest precondition contradicts itself, or the start is reached and the inputs contradict it.
fn round(trace: &mut ErrorTrace<'_>, goal: Goal, blame: Blame, minimal: bool, budget: &Budget) -> Option<Round> {
    let end = goal.end;
    let parts = conjuncts(&trace.run, goal.term);
    let (start, mut core) = shortest_contradiction(&mut trace.run, end, &parts, budget)?;
    if minimal && core.len() <= MAX_MINIMAL {
        core = minimal_terms(&mut trace.run, core, budget);
    }
    // The conjuncts of the proof: parts of the assertion, and guards.
    let in_core: FxHashSet<TermId> = core.iter().copied().collect();
    let mut guards: FxHashMap<TermId, Vec<usize>> = FxHashMap::default();
    for step in start..end {
        if let Some(guard) = trace.run.formula.steps[step].guard {
            guards.entry(guard).or_default().push(step);
        }
    }
    let mut blamed: Vec<usize> = Vec::new();
    let conjuncts = parts.iter().filter(|part| in_core.contains(part)).map(|part| (*part, None));
    let guarded = guards.iter().filter(|(guard, _)| in_core.contains(guard));
    let guarded = guarded.map(|(guard, steps)| (*guard, steps.last().copied()));
    for (conjunct, guard) in conjuncts.chain(guarded).collect::<Vec<_>>() {
        let before = guard.unwrap_or(end);
        let (steps, names) = transforming(&trace.run, conjunct, start..before);
        blamed.extend(steps);
        if blame == Blame::WithGuards {
            sharing(trace, &names, start, before, &mut blamed);
        }
    }
    blamed.sort_unstable();
    blamed.dedup();
    let core = described(trace, start..end, &parts, &in_core);
    Some(Round { explains: goal.end..goal.end + goal.guards, start, core, blamed, because: Because::Onwards })
}

/// Where the terms of a contradiction come from.
fn described(
    trace: &mut ErrorTrace<'_>,
    steps: std::ops::Range<usize>,
    parts: &[TermId],
    core: &FxHashSet<TermId>,
) -> Vec<Conjunct> {
    let mut found: FxHashMap<TermId, Conjunct> = FxHashMap::default();
    let mut note = |term: TermId, conjunct: Conjunct| {
        if core.contains(&term) {
            found.entry(term).or_insert(conjunct);
        }
    };
    parts.iter().enumerate().for_each(|(index, part)| note(*part, Conjunct::Explained(index)));
    for step in steps {
        if let Some(guard) = trace.run.formula.steps[step].guard {
            note(guard, Conjunct::Guard(step));
        }
        for (index, equation) in trace.run.equations(step).into_iter().enumerate() {
            note(equation, Conjunct::Definition(step, index));
        }
    }
    trace.run.psi.iter().enumerate().for_each(|(index, known)| note(*known, Conjunct::Input(index)));
    let mut found: Vec<Conjunct> = found.into_values().collect();
    found.sort();
    found
}

fn sharing(trace: &ErrorTrace<'_>, names: &FxHashSet<TermId>, start: usize, end: usize, blamed: &mut Vec<usize>) {
    for step in start..end {
        if let Some(guard) = trace.run.formula.steps[step].guard
            && trace.run.names_in(guard).iter().any(|name| names.contains(name))
        {
            blamed.push(step);
        }
    }
}
