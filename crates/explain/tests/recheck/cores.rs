//! The contradictions of the weakest-precondition methods (Dobos-Kovács 2021, section 2.4.1): each is one, none of its parts can be left out, what is blamed
//! suffices for it, and the scores are those of the rounds.

use crate::formula::Formula;
use crate::oracles::Example;
use encode::{Names, Origin};
use explain::localize::lines::{Line, Lines};
use explain::localize::whodunit::{Because, Conjunct, Round};
use explain::localize::{Finding, Scores};
use logic::{TermId, TermOp};
use std::collections::BTreeMap;

#[derive(Clone, Copy, Default, Debug)]
pub struct Counts {
    pub runs: u32,
    pub rounds: u32,
    pub conjuncts: u32,
    pub blamed: u32,
}

pub fn check(example: &Example, counts: &mut Counts) {
    counts.runs += 1;
    for method in ["whodunit", "iterative"] {
        let Finding::Scores(scores) = example.find(method) else { panic!("{method} gives scores") };
        let failure = example.failure();
        let mut formula = Formula::of(&failure, Names::Fresh);
        for round in &scores.rounds {
            counts.rounds += 1;
            counts.conjuncts += round.core.len() as u32;
            counts.blamed += round.blamed.len() as u32;
            let wrong = |what: &str| panic!("{method}: {what}: {round:?}\n{}", example.name);
            check_round(&mut formula, round, &wrong);
        }
        check_scores(example, method, &formula, &scores);
    }
}

/// What is explained, taken apart, and the position where it should have held.
fn goal(formula: &mut Formula<'_>, round: &Round) -> (Vec<TermId>, usize) {
    let (term, end) = match round.explains.is_empty() {
        true => (formula.phi, formula.end),
        false => {
            let guard = |step: usize| formula.path.steps[step].guard.expect("conditions are explained");
            let guards: Vec<TermId> = round.explains.clone().map(guard).collect();
            let all = formula.encoder.pool.and_all(&guards);
            (formula.encoder.pool.not(all), round.explains.start)
        }
    };
    let mut parts = Vec::new();
    take_apart(formula, term, &mut parts);
    (parts, end)
}

fn take_apart(formula: &Formula<'_>, term: TermId, parts: &mut Vec<TermId>) {
    match formula.encoder.pool.binary(term, TermOp::And) {
        Some((a, b)) => [a, b].into_iter().for_each(|part| take_apart(formula, part, parts)),
        None => parts.push(term),
    }
}

fn check_round(formula: &mut Formula<'_>, round: &Round, wrong: &dyn Fn(&str)) {
    let (parts, end) = goal(formula, round);
    let inside = |step: usize| (round.start..end).contains(&step);
    let mut terms = Vec::new();
    for conjunct in &round.core {
        terms.push(match *conjunct {
            Conjunct::Explained(index) => parts[index],
            Conjunct::Guard(step) if inside(step) => formula.path.steps[step].guard.expect("a guard"),
            Conjunct::Definition(step, index) if inside(step) => formula.definitions(step)[index],
            Conjunct::Input(index) if round.start == 0 => formula.psi[index].1,
            _ => return wrong("a part that is not there"),
        });
    }
    if !formula.is_contradiction(&[&terms]) {
        wrong("no contradiction");
    }
    for left_out in 0..terms.len() {
        let (before, after) = (&terms[..left_out], &terms[left_out + 1..]);
        if formula.is_contradiction(&[before, after]) {
            wrong(&format!("not minimal: {:?}", round.core[left_out]));
        }
    }
    // What is blamed, with the guards that the contradiction needs, is one too.
    let mut blamed: Vec<TermId> = Vec::new();
    for (conjunct, term) in round.core.iter().zip(&terms) {
        match conjunct {
            Conjunct::Explained(_) | Conjunct::Guard(_) | Conjunct::Input(_) => blamed.push(*term),
            Conjunct::Definition(..) => {}
        }
    }
    if !round.blamed.iter().all(|step| inside(*step)) {
        wrong("a step that the round did not reach is blamed");
    }
    blamed.extend(round.blamed.iter().flat_map(|step| formula.definitions(*step)));
    if !formula.is_contradiction(&[&blamed]) {
        wrong("what is blamed does not suffice");
    }
}

/// A line counts in the rounds that blame it, and rounds that blame none do not count; a round about a guard that was blamed only adds lines.
fn check_scores(example: &Example, method: &str, formula: &Formula<'_>, scores: &Scores) {
    let failure = example.failure();
    let lines = Lines::new(&example.sources, &[]);
    let mut expected: BTreeMap<Line, f64> = BTreeMap::new();
    let mut number = 0.0;
    for round in &scores.rounds {
        let line = |step: &usize| match formula.path.steps[*step].origin {
            Origin::Edge(edge) | Origin::Frame(edge) => lines.suspect(&failure, edge),
        };
        let mut blamed: Vec<Line> = round.to_blame().iter().filter_map(line).collect();
        blamed.sort();
        blamed.dedup();
        if round.because == Because::Blamed {
            blamed.retain(|line| !expected.contains_key(line));
        }
        number += !blamed.is_empty() as u32 as f64;
        for line in blamed {
            *expected.entry(line).or_default() += 1.0 / number;
        }
    }
    let found: BTreeMap<Line, f64> = scores.lines.iter().map(|score| (score.line.clone(), score.score)).collect();
    let same = expected.len() == found.len()
        && expected.iter().all(|(line, score)| found.get(line).is_some_and(|found| (found - score).abs() < 1e-9));
    assert!(same, "{method}: {found:?} instead of {expected:?}\n{:#?}\n{}", scores.rounds, example.name);
}
