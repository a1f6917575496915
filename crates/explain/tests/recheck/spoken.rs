//! What abstract traces say in C, against the run: the text is read at the place where it stands and evaluated by the interpreter. No term is involved.

use crate::formula::Formula;
use crate::oracles::Example;
use cfa::interp::{self, Config, Event, Observer, View};
use cfa::{EdgeId, FuncId, LocId, Op, Program};
use encode::{Origin, PathFormula};
use explain::localize::invariants::AbstractTrace;
use frontend::{Condition, Site, condition};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

#[derive(Clone, Copy, Default, Debug)]
pub struct Counts {
    pub texts: u32,
    pub evaluations: u32,
    pub results: u32,
}

/// What a text says of each value: a lower bound, an upper bound.
pub fn ranges(text: &str) -> Vec<(Option<i128>, Option<i128>)> {
    let mut found: Vec<(&str, Option<i128>, Option<i128>)> = Vec::new();
    for part in text.split(" && ").filter(|part| !part.is_empty()) {
        let mut words = part.rsplitn(3, ' ');
        let (Some(value), Some(relation), Some(subject)) = (words.next(), words.next(), words.next()) else {
            panic!("{part:?} is no comparison");
        };
        // Floats and pointers are compared by their bits, which the text does not show.
        let Ok(value) = value.parse::<i128>() else { continue };
        let (low, high) = match relation {
            "==" => (Some(value), Some(value)),
            "<=" => (None, Some(value)),
            ">=" => (Some(value), None),
            _ => panic!("{relation:?} in {part:?}"),
        };
        match found.iter_mut().find(|one| one.0 == subject && relation != "==") {
            Some(one) => (one.1, one.2) = (one.1.or(low), one.2.or(high)),
            None => found.push((subject, low, high)),
        }
    }
    found.into_iter().map(|(_, low, high)| (low, high)).collect()
}

/// A conjunct that should hold before a step.
struct Claim {
    text: String,
    step: usize,
    meaning: Meaning,
}

enum Meaning {
    State(Condition),
    /// What a function returned last.
    Result(FuncId, String),
}

pub fn check(example: &Example, method: &str, trace: &AbstractTrace, formula: &Formula<'_>, counts: &mut Counts) {
    let failure = example.failure();
    let path = &formula.path;
    let mut reader = Reader { program: failure.task.program.clone(), path, known: BTreeMap::new() };
    let mut claims: Vec<Claim> = Vec::new();
    for invariant in trace.invariants.iter().flatten() {
        for text in invariant.text.split(" && ").filter(|text| !text.is_empty()) {
            counts.texts += 1;
            let last = path.steps.len() - 1;
            let found = reader.claims(text, invariant.from.min(last)..=invariant.until.min(last));
            // A value of a caller may be said while what it calls runs; the caller itself need not run again.
            let elsewhere = trace.core.iter().any(|step| path.steps[*step].activation != path.steps[0].activation);
            assert!(
                !found.is_empty() || elsewhere,
                "{method}: {text:?} means nothing anywhere\n{trace:#?}\n{}",
                example.name
            );
            claims.extend(found);
        }
    }
    let mut claims_at: BTreeMap<usize, Vec<Claim>> = BTreeMap::new();
    claims.into_iter().for_each(|claim| claims_at.entry(claim.step).or_default().push(claim));
    let mut depths: BTreeMap<u32, usize> = BTreeMap::new();
    let mut depth = 0;
    for step in &path.steps {
        depth = *depths.entry(step.activation).or_insert(depth + 1);
    }
    let mut walker =
        Walker { path, claims_at, depths, next: 0, counts: *counts, results: BTreeMap::new(), wrong: Vec::new() };
    let config = Config { properties: failure.task.properties, ..Config::default() };
    let mut inputs = failure.tape.play();
    interp::run_observed(&reader.program, failure.task.entry, &failure.tape.args, &mut inputs, &config, &mut walker);
    // There is no event for the step that fails.
    assert!(walker.next + 1 >= path.steps.len(), "{method}: the interpreter takes another way\n{}", example.name);
    assert!(walker.wrong.is_empty(), "{method}: not true: {:?}\n{trace:#?}\n{}", walker.wrong, example.name);
    *counts = walker.counts;
}

/// Reads texts, each at each place once.
struct Reader<'a> {
    program: Program,
    path: &'a PathFormula,
    known: BTreeMap<(LocId, String), Option<Condition>>,
}

impl Reader<'_> {
    /// Where a step stands; frame conditions stand where the next edge does.
    fn location(&self, step: usize) -> LocId {
        let mut edges = self.path.steps[step..].iter().filter_map(|step| match step.origin {
            Origin::Edge(edge) => Some(edge),
            Origin::Frame(_) => None,
        });
        self.program.edges[edges.next().expect("a run ends with an edge")].from
    }

    fn condition(&mut self, step: usize, text: &str) -> Option<Condition> {
        let at = self.location(step);
        let known = self.known.entry((at, text.to_string()));
        known.or_insert_with(|| condition(&mut self.program, Site { at, result: None }, text).ok()).clone()
    }

    /// A text as a claim before each of some steps. It is about the innermost activation in which it means something, and says nothing inside
    /// of others.
    fn claims(&mut self, text: &str, steps: RangeInclusive<usize>) -> Vec<Claim> {
        let claim = |step, meaning| Claim { text: text.into(), step, meaning };
        let subject = text.rsplitn(3, ' ').nth(2).unwrap_or_default();
        if let Some(function) = subject.strip_suffix("()").and_then(|name| self.program.function_named(name)) {
            return steps.map(|step| claim(step, Meaning::Result(function, text.into()))).collect();
        }
        let mut owner = *steps.start();
        while self.condition(owner, text).is_none() {
            let activation = self.path.steps[owner].activation;
            let first = self.path.steps.iter().position(|step| step.activation == activation);
            match first.and_then(|first| first.checked_sub(1)) {
                Some(caller) => owner = caller,
                None => return Vec::new(),
            }
        }
        let activation = self.path.steps[owner].activation;
        let mine: Vec<usize> = steps.filter(|step| self.path.steps[*step].activation == activation).collect();
        let read = |step: usize| Some(claim(step, Meaning::State(self.condition(step, text)?)));
        mine.into_iter().filter_map(read).collect()
    }
}

/// Follows the steps of the formula along the run.
struct Walker<'a> {
    path: &'a PathFormula,
    claims_at: BTreeMap<usize, Vec<Claim>>,
    /// Calls under way in each activation, itself included.
    depths: BTreeMap<u32, usize>,
    /// The step that is carried out next.
    next: usize,
    counts: Counts,
    results: BTreeMap<FuncId, String>,
    wrong: Vec<(usize, String)>,
}

impl Observer for Walker<'_> {
    fn step(&mut self, view: &View<'_, '_>, event: Event<'_>) {
        match event {
            Event::Edge { edge, value } => {
                let program = view.program();
                if let (Op::Return(_), Some((ty, bits))) = (&program.edges[edge].op, value) {
                    let function = program.locations[program.edges[edge].from].function;
                    self.results.insert(function, cfa::eval::display(&program.types, ty, bits));
                }
                self.carried_out(edge);
            }
            Event::Enter { edge: Some(edge), .. } => self.carried_out(edge),
            Event::Enter { edge: None, .. } => {}
            Event::Input(_) | Event::Leave { .. } => return,
        }
        loop {
            self.evaluate(view);
            // Frame conditions are no edges.
            match self.path.steps.get(self.next).map(|step| step.origin) {
                Some(Origin::Frame(_)) => self.next += 1,
                _ => break,
            }
        }
    }
}

impl Walker<'_> {
    fn carried_out(&mut self, edge: EdgeId) {
        let step = self.path.steps.get(self.next).unwrap_or_else(|| panic!("{edge:?} after the last step"));
        assert_eq!(step.origin, Origin::Edge(edge), "step {}", self.next);
        self.next += 1;
    }

    fn evaluate(&mut self, view: &View<'_, '_>) {
        let Some(step) = self.path.steps.get(self.next) else { return };
        let Some(claims) = self.claims_at.remove(&self.next) else { return };
        for claim in claims {
            let holds = match &claim.meaning {
                // After a return the caller runs again only when the event of its call's edge comes.
                Meaning::State(_) if view.depth() != self.depths[&step.activation] => continue,
                Meaning::State(condition) => {
                    self.counts.evaluations += 1;
                    truth(view, condition) == Some(true)
                }
                Meaning::Result(function, text) => {
                    self.counts.results += 1;
                    holds_of(self.results.get(function).map(String::as_str), text)
                }
            };
            if !holds {
                self.wrong.push((claim.step, claim.text));
            }
        }
    }
}

fn truth(view: &View<'_, '_>, condition: &Condition) -> Option<bool> {
    match condition {
        Condition::Atom(expr) => view.value(*expr).ok().map(|bits| !bits.is_zero()),
        Condition::Not(inner) => truth(view, inner).map(|truth| !truth),
        Condition::All(parts) => {
            parts.iter().map(|part| truth(view, part)).try_fold(true, |all, part| Some(all && part?))
        }
        Condition::Any(_) | Condition::If(_) => None,
    }
}

/// Whether a comparison with a number holds of a value.
fn holds_of(value: Option<&str>, text: &str) -> bool {
    let Some(value) = value else { return false };
    match (ranges(text).as_slice(), value.parse::<i128>()) {
        ([(low, high)], Ok(value)) => low.is_none_or(|low| low <= value) && high.is_none_or(|high| value <= high),
        _ => text.ends_with(value),
    }
}
