//! MaxSAT localization (BugAssist: Jose and Majumdar 2011; over several failing runs at once as in CFaults: Orvalho et al. 2024): the smallest
//! sets of lines such that every failing run passes if the results of those lines are unconstrained. It works on the unrolled program and not on
//! one path, so a condition that evaluates differently leads into the other branch of the program.

use super::LocalizeOptions;
use super::extent;
use super::lines::{Line, Lines};
use super::replace::Replaced;
use crate::Failure;
use crate::minimize::cycles::CycleEdges;
use crate::unrolled;
use base::Budget;
use cfa::EdgeId;
use cfa::interp::{self, Config, Event, Observer, Outcome, View};
use encode::{Encoder, InputPlace, Relaxation};
use logic::maxsat::{self, Optimization};
use logic::{Satisfiability, Solver, TermId};
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

/// What the search for sets of lines gives.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Diagnoses {
    /// The smallest ones; of equal size, in the order in which they were found.
    pub sets: Vec<Diagnosis>,
    /// Lines of which it is not known whether a change of them alone helps: the budget of their question ran out.
    pub unanswered: Vec<Line>,
    /// There may be further sets.
    pub cut: bool,
    /// The runs do not pass by it, but their first wrong line of output becomes right.
    pub first_output: bool,
    /// Where no set of lines helps all failing runs: lines that help some of them, with how many, those that help most first.
    pub partial: Vec<(Line, usize)>,
    /// Of how many failing runs that was found out.
    pub runs: usize,
}

/// Passing runs that show by a formula whether a line could do something else.
const PASSING: usize = 6;
const MAX_DIAGNOSES: usize = 60;
/// Where the interpreter has not said it, formulas say how flexible fewer lines than this are.
const OPEN_LINES: usize = 4;
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
    let mut covered = Covered::default();
    failure.run_observed(&mut covered);
    covered.0
}

pub fn diagnose(failures: &[Failure<'_>], options: &LocalizeOptions<'_>, budget: &Budget) -> Option<Diagnoses> {
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
    let encoder = Encoder::new(first.task).with_limits(limits);
    let mut encoder = failures.iter().fold(encoder, |encoder, failure| encoder.with_room_for(&failure.tape.args));
    let mut selectors: Vec<(Line, TermId)> = Vec::new();
    let mut by_edge = FxHashMap::default();
    for (line, edges) in by_line {
        let selector = encoder.pool.bool_var(&format!("change@{}:{}", line.file, line.line));
        by_edge.extend(edges.into_iter().map(|edge| (edge, selector)));
        selectors.push((line, selector));
    }
    let changeable = Changeable { selectors: &selectors, by_edge: &by_edge };
    // Runs of tests are numbered otherwise there.
    let replaced = options.replaced.get().filter(|_| options.tested.is_none());
    let mut search = Search { failures, encoder, changeable, formulas: vec![None; failures.len()] };
    let mut found = search.single_lines(replaced, budget)?;
    if found.sets.is_empty() && found.unanswered.is_empty() {
        found = search.several_lines(budget);
    }
    let Search { mut encoder, changeable, .. } = search;
    for diagnosis in found.sets.iter_mut().filter(|diagnosis| diagnosis.cost == 1) {
        diagnosis.flexibility = replaced.and_then(|replaced| replaced.flexibility(&diagnosis.lines[0]));
    }
    let open: Vec<&mut Diagnosis> =
        found.sets.iter_mut().filter(|one| one.cost == 1 && one.flexibility.is_none()).collect();
    if replaced.is_none() || open.len() < OPEN_LINES {
        flexibility(open, failures, options, &mut encoder, &changeable, budget);
    }
    Some(found)
}

/// The runs as formulas, each made when it is needed.
struct Search<'a, 'p> {
    failures: &'a [Failure<'p>],
    encoder: Encoder<'p>,
    changeable: Changeable<'a>,
    formulas: Vec<Option<TermId>>,
}

impl Search<'_, '_> {
    /// The condition under which a run passes.
    fn formula(&mut self, run: usize, budget: &Budget) -> Option<TermId> {
        if self.formulas[run].is_none() {
            let passes = self.changeable.passes(&self.failures[run], &mut self.encoder, run as u32, budget)?;
            self.formulas[run] = Some(passes.0);
        }
        self.formulas[run]
    }

    /// Lines that alone can make each run pass. What they do in one run does not depend on another one, so each run is a question of its own, about
    /// the lines that are left; where a run is known that passes, there is nothing to ask. `None` if there is no formula of the first run.
    fn single_lines(&mut self, replaced: Option<&Replaced>, budget: &Budget) -> Option<Diagnoses> {
        let mut left: Vec<usize> = (0..self.changeable.selectors.len()).collect();
        let mut found = Diagnoses::default();
        for run in 0..self.failures.len() {
            let line = |index: usize| &self.changeable.selectors[index].0;
            let known = |index: &usize| replaced.is_some_and(|replaced| replaced.helps(line(*index), run));
            let open: Vec<usize> = left.iter().copied().filter(|index| !known(index)).collect();
            if open.is_empty() {
                continue;
            }
            let Some(formula) = self.formula(run, budget) else {
                if run == 0 {
                    return None;
                }
                left.retain(|index| !open.contains(index));
                found.unanswered.extend(open.into_iter().map(|index| self.changeable.selectors[index].0.clone()));
                continue;
            };
            let mut solver = Solver::new();
            solver.assert(&self.encoder.pool, formula);
            let negated = self.negated();
            for index in open {
                let (line, selector) = &self.changeable.selectors[index];
                let mut assumed = negated.clone();
                assumed[index] = *selector;
                match solver.check(&self.encoder.pool, &assumed, budget) {
                    Satisfiability::Sat(_) => continue,
                    Satisfiability::Unsat(_) => {}
                    Satisfiability::Unknown => found.unanswered.push(line.clone()),
                }
                left.retain(|other| *other != index);
            }
        }
        let single = |index: usize| vec![self.changeable.selectors[index].0.clone()];
        found.sets =
            left.into_iter().map(|index| Diagnosis { lines: single(index), cost: 1, flexibility: None }).collect();
        Some(found)
    }

    fn negated(&mut self) -> Vec<TermId> {
        self.changeable.selectors.iter().map(|(_, term)| self.encoder.pool.not(*term)).collect()
    }

    /// Minimal sets of several lines, for all runs at once, the smallest first.
    fn several_lines(&mut self, budget: &Budget) -> Diagnoses {
        let mut found = Diagnoses { cut: true, ..Diagnoses::default() };
        let mut solver = Solver::new();
        for run in 0..self.failures.len() {
            let Some(formula) = self.formula(run, budget) else { return found };
            solver.assert(&self.encoder.pool, formula);
        }
        let soft: Vec<(TermId, u128)> = self.negated().into_iter().map(|term| (term, 1)).collect();
        let pool = &mut self.encoder.pool;
        while found.sets.len() < MAX_DIAGNOSES {
            let optimum = match maxsat::minimize(pool, &mut solver, &[], &soft, budget) {
                Optimization::Found(optimum) if optimum.proven => optimum,
                Optimization::Infeasible(_) => {
                    found.cut = false;
                    break;
                }
                _ => break,
            };
            let chosen: Vec<&(Line, TermId)> =
                self.changeable.selectors.iter().filter(|(_, term)| optimum.model.bool(pool, *term)).collect();
            if chosen.is_empty() || chosen.len() as u32 > MAX_COST {
                found.cut = false;
                break;
            }
            let block: Vec<TermId> = chosen.iter().map(|(_, term)| *term).collect();
            let all = pool.and_all(&block);
            let not_all = pool.not(all);
            solver.assert(pool, not_all);
            let lines = chosen.iter().map(|(line, _)| line.clone()).collect();
            found.sets.push(Diagnosis { lines, cost: block.len() as u32, flexibility: None });
        }
        found
    }
}

/// What may be changed, by line and by edge.
struct Changeable<'a> {
    selectors: &'a [(Line, TermId)],
    by_edge: &'a FxHashMap<EdgeId, TermId>,
}

/// Notes for each single line how flexible it is on the passing runs.
fn flexibility(
    found: Vec<&mut Diagnosis>,
    failures: &[Failure<'_>],
    options: &LocalizeOptions<'_>,
    encoder: &mut Encoder<'_>,
    changeable: &Changeable<'_>,
    budget: &Budget,
) {
    let Some(first) = failures.first() else { return };
    let mut counts: BTreeMap<Line, (u32, u32)> = BTreeMap::new();
    // The beginning of an endless run has no end to be looked for.
    for (copy, tape) in options.passing.iter().filter(|tape| !tape.is_prefix).take(PASSING).enumerate() {
        let run = first.with_tape(tape);
        let copy = (failures.len() + copy) as u32;
        let Some((passes, relaxed)) = changeable.passes(&run, encoder, copy, budget) else { return };
        let mut solver = Solver::new();
        solver.assert(&encoder.pool, passes);
        let executed = covered(&run);
        for diagnosis in &found {
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
    for diagnosis in found {
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
        // The command line is that of the run, and uninitialized memory has the values that it has there.
        let mut conds = vec![passes];
        let words = relaxed.unrolling.words.iter().flat_map(|word| word.bytes.iter().chain([&word.length]));
        for term in words {
            if let Some(logic::TermValue::Bits(bits)) = relaxed.run.get(*term) {
                let value = encoder.pool.bits(bits);
                conds.push(encoder.pool.eq(*term, value));
            }
        }
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
