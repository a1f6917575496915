//! MaxSAT localization (BugAssist: Jose and Majumdar 2011; over several failing runs at once as in CFaults: Orvalho et al. 2024): the smallest
//! sets of lines such that every failing run passes if the results of those lines are unconstrained. It works on the unrolled program and not on
//! one path, so a condition that evaluates differently leads into the other branch of the program.

use super::LocalizeOptions;
use super::extent;
use super::lines::{Line, Lines};
use crate::Failure;
use crate::minimize::cycles::CycleEdges;
use crate::unrolled;
use base::Budget;
use cfa::EdgeId;
use cfa::interp::{self, Config, Event, Observer, Outcome, View};
use encode::{Encoder, InputPlace, Relaxation};
use logic::maxsat::{self, Optimization};
use logic::{Solver, TermId};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Lines that could be changed together.
#[derive(Clone, PartialEq, Debug)]
pub struct Diagnosis {
    pub lines: Vec<Line>,
    pub cost: u32,
    /// Of one line: how many of the passing runs that execute it also pass when it does something else there. A line where every change breaks
    /// what works computes the result, and is hardly where the fault is (Chandra et al. 2011).
    pub flexibility: Option<f64>,
}

const MAX_DIAGNOSES: usize = 60;
/// Sets of more lines explain nothing any more.
const MAX_COST: u32 = 3;

/// Every execution of a line may do something else: longer runs would be too large a formula.
const MAX_LENGTH: u64 = 3000;

/// How much longer than in the run a loop may go on when lines are changed, if it was not seen in any run, and how long at least.
const FURTHER_ROUNDS: u32 = 2;
const LEAST_ROUNDS: u32 = 4;

/// Whether the run is short enough.
pub fn fits(failure: &Failure<'_>) -> bool {
    let config = Config { properties: failure.task.properties, max_steps: MAX_LENGTH, ..Config::default() };
    let run =
        interp::run(failure.task.program, failure.task.entry, &failure.tape.args, &mut failure.tape.play(), &config);
    matches!(run.outcome, Outcome::Violation { .. })
}

/// Edges that a run carries out.
#[derive(Default)]
struct Covered(BTreeSet<EdgeId>);

impl Observer for Covered {
    fn step(&mut self, _: &View<'_, '_>, event: Event<'_>) {
        match event {
            Event::Edge { edge, .. } | Event::Enter { edge: Some(edge), .. } => drop(self.0.insert(edge)),
            _ => {}
        }
    }
}

/// The edges that the run of a failure carries out.
pub fn covered(failure: &Failure<'_>) -> BTreeSet<EdgeId> {
    let config = Config { properties: failure.task.properties, ..Config::default() };
    let mut covered = Covered::default();
    let mut inputs = failure.tape.play();
    interp::run_observed(
        failure.task.program,
        failure.task.entry,
        &failure.tape.args,
        &mut inputs,
        &config,
        &mut covered,
    );
    covered.0
}

pub fn diagnose(failures: &[Failure<'_>], options: &LocalizeOptions<'_>, budget: &Budget) -> Option<Vec<Diagnosis>> {
    let first = failures.first()?;
    if !failures.iter().all(fits) {
        return None;
    }
    let lines = Lines::new(options.sources, options.trusted);
    let mut by_line: BTreeMap<Line, Vec<EdgeId>> = BTreeMap::new();
    for edge in failures.iter().flat_map(covered).collect::<BTreeSet<EdgeId>>() {
        if let Some(line) = lines.suspect(first, edge) {
            // A branch is two edges, and either may be the one that was taken.
            let twins = first.task.program.successors(first.task.program.edges[edge].from);
            by_line.entry(line).or_default().extend(twins.chain([edge]));
        }
    }
    // What else stands on such a line may be what is executed when the line does something else.
    for (edge, _) in first.task.program.edges.iter() {
        if let Some(edges) = lines.suspect(first, edge).and_then(|line| by_line.get_mut(&line)) {
            edges.push(edge);
        }
    }
    let limits = extent::limits(failures, options.passing, LEAST_ROUNDS);
    let mut encoder = Encoder::new(first.task).with_limits(limits);
    let mut selectors: Vec<(Line, TermId)> = Vec::new();
    let mut by_edge = FxHashMap::default();
    for (line, edges) in by_line {
        let selector = encoder.pool.bool_var(&format!("change@{}:{}", line.file, line.line));
        by_edge.extend(edges.into_iter().map(|edge| (edge, selector)));
        selectors.push((line, selector));
    }
    let changeable = Changeable { selectors: &selectors, by_edge: &by_edge };
    let mut hard = Vec::new();
    for (copy, failure) in failures.iter().enumerate() {
        hard.push(changeable.passes(failure, &mut encoder, copy as u32, budget)?.0);
    }
    let mut found = enumerate(&mut encoder, &hard, &selectors, budget);
    flexibility(&mut found, failures, options, &mut encoder, &changeable, budget);
    Some(found)
}

/// What may be changed, by line and by edge.
struct Changeable<'a> {
    selectors: &'a [(Line, TermId)],
    by_edge: &'a FxHashMap<EdgeId, TermId>,
}

/// Notes for each single line how flexible it is on the passing runs.
fn flexibility(
    found: &mut [Diagnosis],
    failures: &[Failure<'_>],
    options: &LocalizeOptions<'_>,
    encoder: &mut Encoder<'_>,
    changeable: &Changeable<'_>,
    budget: &Budget,
) {
    let Some(first) = failures.first() else { return };
    let mut counts: BTreeMap<Line, (u32, u32)> = BTreeMap::new();
    // The beginning of an endless run has no end to be looked for.
    for (copy, tape) in options.passing.iter().filter(|tape| !tape.is_prefix).enumerate() {
        let run = first.with_tape(tape);
        let copy = (failures.len() + copy) as u32;
        let Some((passes, relaxed)) = changeable.passes(&run, encoder, copy, budget) else { return };
        let mut solver = Solver::new();
        solver.assert(&encoder.pool, passes);
        let executed = covered(&run);
        for diagnosis in found.iter().filter(|diagnosis| diagnosis.cost == 1) {
            let Some((line, selector)) = changeable.selectors.iter().find(|(line, _)| *line == diagnosis.lines[0])
            else {
                continue;
            };
            let here = |edge: &EdgeId| changeable.by_edge.get(edge) == Some(selector);
            if !executed.iter().any(here) {
                continue;
            }
            let differs: Vec<TermId> = relaxed.iter().filter(|(edge, _)| here(edge)).map(|(_, term)| *term).collect();
            let mut assumed = vec![encoder.pool.or_all(&differs), *selector];
            let others = changeable.selectors.iter().filter(|(other, _)| other != line);
            assumed.extend(others.map(|(_, term)| encoder.pool.not(*term)));
            let count = counts.entry(line.clone()).or_default();
            count.1 += 1;
            count.0 += solver.check(&encoder.pool, &assumed, budget).is_sat() as u32;
        }
    }
    for diagnosis in found.iter_mut().filter(|diagnosis| diagnosis.cost == 1) {
        let count = counts.get(&diagnosis.lines[0]);
        diagnosis.flexibility = count.map(|(flexible, all)| *flexible as f64 / *all as f64);
    }
}

impl Changeable<'_> {
    /// The condition under which the run of a failure, with lines changed, ends regularly.
    fn passes(
        &self,
        failure: &Failure<'_>,
        encoder: &mut Encoder<'_>,
        copy: u32,
        budget: &Budget,
    ) -> Option<(TermId, Vec<(EdgeId, TermId)>)> {
        // Once as it is, to learn which input is which; then with its inputs as constants.
        encoder.relaxation = None;
        let plain = unrolled::find(failure, encoder, budget)?;
        let known = plain.unrolling.inputs.iter().filter_map(|input| {
            let bits = plain.run.get(input.term)?.as_bits()?.to_u128()?;
            Some((input.term, bits))
        });
        let known = known.collect();
        encoder.relaxation = Some(Relaxation { selectors: self.by_edge.clone(), copy, known });
        let relaxed = unrolled::find_from(failure, encoder, (plain.bound + FURTHER_ROUNDS).max(LEAST_ROUNDS), budget)?;
        let passes = match CycleEdges::of(failure.task.program).and_then(|edges| edges.first_input()) {
            // The cycle behind the one in which the run fails begins.
            Some(edge) => {
                let mut read = relaxed.unrolling.inputs.iter().filter(|input| input.source == InputPlace::Edge(edge));
                let next = read.nth(failure.costs().cycles as usize);
                next.map_or(encoder.pool.bool(false), |input| input.guard)
            }
            None => encoder.pool.or_all(&relaxed.unrolling.ends),
        };
        // Uninitialized memory has the values that it has in the run.
        let mut conds = vec![passes];
        let fills = relaxed.unrolling.fills.iter().flat_map(|fill| &fill.parts).flat_map(|part| &part.scalars);
        for (_, _, term) in fills {
            if let Some(logic::TermValue::Bits(bits)) = relaxed.run.get(*term) {
                let value = encoder.pool.bits(bits);
                conds.push(encoder.pool.eq(*term, value));
            }
        }
        Some((encoder.pool.and_all(&conds), relaxed.unrolling.relaxed))
    }
}

/// Minimal sets in the order of their size: single lines one by one, larger sets by optimization only if there is none.
fn enumerate(
    encoder: &mut Encoder<'_>,
    hard: &[TermId],
    selectors: &[(Line, TermId)],
    budget: &Budget,
) -> Vec<Diagnosis> {
    let mut solver = Solver::new();
    for term in hard {
        solver.assert(&encoder.pool, *term);
    }
    let negated: Vec<TermId> = selectors.iter().map(|(_, term)| encoder.pool.not(*term)).collect();
    let mut found: Vec<Diagnosis> = Vec::new();
    for (index, (line, selector)) in selectors.iter().enumerate() {
        let mut assumed = negated.clone();
        assumed[index] = *selector;
        if solver.check(&encoder.pool, &assumed, budget).is_sat() {
            found.push(Diagnosis { lines: vec![line.clone()], cost: 1, flexibility: None });
        }
    }
    if !found.is_empty() {
        return found;
    }
    let soft: Vec<(TermId, u128)> = negated.iter().map(|term| (*term, 1)).collect();
    while found.len() < MAX_DIAGNOSES {
        let optimum = match maxsat::minimize(&encoder.pool, &mut solver, &[], &soft, budget) {
            Optimization::Found(optimum) if optimum.proven => optimum,
            _ => break,
        };
        let chosen: Vec<&(Line, TermId)> =
            selectors.iter().filter(|(_, term)| optimum.model.bool(&encoder.pool, *term)).collect();
        if chosen.is_empty() || chosen.len() as u32 > MAX_COST {
            break;
        }
        let block: Vec<TermId> = chosen.iter().map(|(_, term)| *term).collect();
        let all = encoder.pool.and_all(&block);
        let not_all = encoder.pool.not(all);
        solver.assert(&encoder.pool, not_all);
        let lines = chosen.iter().map(|(line, _)| line.clone()).collect();
        found.push(Diagnosis { lines, cost: block.len() as u32, flexibility: None });
    }
    found
}
