//! Abstract error traces by their definitions (Christ et al. 2013, definitions 1, 2 and 4).

use crate::formula::Formula;
use crate::oracles::Example;
use crate::spoken;
use encode::Names;
use explain::localize::Finding;
use explain::localize::invariants::{AbstractTrace, Invariant};

/// How much was checked, so that a test can say that it was something.
#[derive(Clone, Copy, Default, Debug)]
pub struct Counts {
    pub runs: u32,
    pub relevant: u32,
    pub invariants: u32,
    pub positions: u32,
    pub reached: u32,
    pub explained: u32,
    pub spoken: spoken::Counts,
}

pub fn check(example: &Example, counts: &mut Counts) {
    counts.runs += 1;
    for (method, names) in [("errinv", Names::Fresh), ("flow", Names::FreshWithFrames)] {
        let Finding::Trace(trace) = example.find(method) else { panic!("{method} gives a trace") };
        let failure = example.failure();
        let mut formula = Formula::of(&failure, names);
        let checker = Checker { example, method, trace: &trace };
        checker.error(&mut formula);
        checker.core(&mut formula, counts);
        checker.invariants(&mut formula, counts);
        checker.texts();
        if method == "flow" {
            checker.flow_sensitive(&mut formula, counts);
            checker.recursive(&mut formula, counts);
        }
        spoken::check(example, method, &trace, &formula, &mut counts.spoken);
    }
}

struct Checker<'a> {
    example: &'a Example,
    method: &'a str,
    trace: &'a AbstractTrace,
}

impl Checker<'_> {
    fn fail(&self, what: &str) -> ! {
        panic!("{}: {what}\n{:#?}\n{}", self.method, self.trace, self.example.name)
    }

    /// Definition 1: the run is possible, and what should have held is not.
    fn error(&self, formula: &mut Formula<'_>) {
        let (end, phi) = (formula.end, formula.phi);
        let run = formula.prefix(end);
        if formula.is_contradiction(&[&run]) || !formula.is_contradiction(&[&run, &[phi]]) {
            self.fail("not an error");
        }
    }

    /// The relevant statements contradict the assertion and, of the flow-sensitive ones, that those are not reached that lie under conditions;
    /// no fewer of them do.
    fn core(&self, formula: &mut Formula<'_>, counts: &mut Counts) {
        let core = &self.trace.core;
        if !core.is_sorted_by(|a, b| a < b) || core.last().is_some_and(|last| *last >= formula.end) {
            self.fail("no order of the relevant steps");
        }
        for left_out in std::iter::once(None).chain(core.iter().map(Some)) {
            let kept: Vec<usize> = core.iter().copied().filter(|step| Some(step) != left_out).collect();
            if self.suffices(formula, &kept) != left_out.is_none() {
                self.fail(&format!("without {left_out:?} the core is (no) contradiction"));
            }
        }
        counts.relevant += core.len() as u32;
    }

    fn suffices(&self, formula: &mut Formula<'_>, core: &[usize]) -> bool {
        let (psi, phi) = (formula.all_inputs(), formula.phi);
        let terms: Vec<_> = core.iter().flat_map(|step| formula.step(*step)).collect();
        let reached = |formula: &mut Formula<'_>, step: usize| {
            let before: Vec<_> = core.iter().filter(|one| **one < step).flat_map(|one| formula.step(*one)).collect();
            let reached = formula.reached(step);
            let not = formula.encoder.pool.not(reached);
            formula.is_contradiction(&[&psi, &before, &[not]])
        };
        let flow = self.method == "flow";
        formula.is_contradiction(&[&psi, &terms, &[phi]]) && (!flow || core.iter().all(|step| reached(formula, *step)))
    }

    /// Definition 2: between two relevant statements there is one formula that is an error invariant all the way.
    fn invariants(&self, formula: &mut Formula<'_>, counts: &mut Counts) {
        let (core, phi, end) = (&self.trace.core, formula.phi, formula.end);
        if self.trace.invariants.len() != core.len() + 1 {
            self.fail("not one invariant between two statements");
        }
        for (number, invariant) in self.trace.invariants.iter().enumerate() {
            let Some(invariant) = invariant else { self.fail(&format!("no invariant {number}")) };
            let first = number.checked_sub(1).map_or(0, |before| core[before] + 1);
            let last = core.get(number).copied().unwrap_or(end);
            if invariant.from < first || invariant.to != last || invariant.from > invariant.to {
                self.fail(&format!("invariant {number} is not about the steps {first}..{last}"));
            }
            counts.invariants += 1;
            let term = formula.invariant(invariant);
            let not = formula.encoder.pool.not(term);
            for position in positions(invariant) {
                counts.positions += 1;
                let prefix = formula.prefix(position);
                if !formula.is_contradiction(&[&prefix, &[not]]) {
                    self.fail(&format!("invariant {number} does not hold at {position}"));
                }
                if !formula.contradicts(term, position, end, phi, core) {
                    self.fail(&format!("invariant {number} does not suffice at {position}"));
                }
            }
        }
    }

    /// What is said is what is meant: the texts of a complete invariant say its ranges, the others say some of them.
    fn texts(&self) {
        for invariant in self.trace.invariants.iter().flatten() {
            let said = spoken::ranges(&invariant.text);
            let mut meant: Vec<(i128, i128)> = invariant.ranges.iter().map(|range| (range.low, range.high)).collect();
            for (low, high) in said {
                // A side that nothing is said of is as wide as the type.
                let limit = |end: i128| match end {
                    ..0 => (-end).count_ones() == 1,
                    _ => end == 0 || end >= 127 && (end + 1).count_ones() == 1,
                };
                let open = |side: Option<i128>, end: i128| side.map_or(limit(end), |side| side == end);
                let fits = |range: &(i128, i128)| {
                    open(low, range.0) && open(high, range.1) && (low == high) == (range.0 == range.1)
                };
                match meant.iter().position(fits) {
                    Some(index) => drop(meant.remove(index)),
                    None => self.fail(&format!("{:?} is not meant", invariant.text)),
                }
            }
            if invariant.complete && !meant.is_empty() {
                self.fail(&format!("{:?} is not complete", invariant.text));
            }
        }
    }

    /// Definition 4: for each relevant statement a prefix of the abstract trace explains why it is reached.
    fn flow_sensitive(&self, formula: &mut Formula<'_>, counts: &mut Counts) {
        for (index, step) in self.trace.core.iter().enumerate() {
            if formula.conditions(*step).is_empty() {
                continue;
            }
            counts.reached += 1;
            let reached = formula.reached(*step);
            let not = formula.encoder.pool.not(reached);
            let explains = (0..=index).rev().any(|last| self.explains(formula, last, *step, not));
            if !explains {
                self.fail(&format!("nothing explains why step {step} is reached"));
            }
        }
    }

    /// Whether the invariants up to one are error invariants for a step's not being reached, the last one up to that step.
    fn explains(&self, formula: &mut Formula<'_>, last: usize, step: usize, not_reached: logic::TermId) -> bool {
        let before = self.trace.invariants[..=last].iter().enumerate();
        before.into_iter().all(|(number, invariant)| {
            let Some(invariant) = invariant else { return false };
            let term = formula.invariant(invariant);
            let to = if number == last { step } else { invariant.to };
            let mut ends = [invariant.from, to].into_iter();
            ends.all(|position| formula.contradicts(term, position, step, not_reached, &self.trace.core))
        })
    }

    /// Algorithm 1: what it finds for the assertion and for each condition explains that one, and every condition around a relevant statement
    /// is explained.
    fn recursive(&self, formula: &mut Formula<'_>, counts: &mut Counts) {
        let explained = &self.trace.explained;
        if explained.first().is_none_or(|first| first.condition.is_some() || first.end != formula.end) {
            self.fail("the recursive variant begins with the assertion");
        }
        let psi = formula.all_inputs();
        for one in explained {
            counts.explained += 1;
            let goal = match one.condition {
                None => formula.phi,
                Some(number) => {
                    let condition = formula.path.conditions[number as usize];
                    if condition.step as usize != one.end {
                        self.fail("a condition is explained where it stands");
                    }
                    formula.encoder.pool.not(condition.term)
                }
            };
            for left_out in std::iter::once(None).chain(one.core.iter().map(Some)) {
                let kept = one.core.iter().filter(|step| Some(*step) != left_out);
                let terms: Vec<_> = kept.flat_map(|step| formula.definitions(*step)).collect();
                if formula.is_contradiction(&[&psi, &terms, &[goal]]) != left_out.is_none() {
                    self.fail(&format!("without {left_out:?} {one:?} is (no) explanation"));
                }
            }
            for number in one.core.iter().flat_map(|step| formula.conditions(*step)) {
                if !explained.iter().any(|other| other.condition == Some(number)) {
                    self.fail(&format!("nothing explains condition {number}"));
                }
            }
        }
    }
}

/// The ends of the interval of an invariant, and some positions between them.
fn positions(invariant: &Invariant) -> Vec<usize> {
    let length = invariant.to - invariant.from;
    let mut positions: Vec<usize> = (invariant.from..=invariant.to).step_by(length / 4 + 1).collect();
    positions.push(invariant.to);
    positions.dedup();
    positions
}
