//! Violation witnesses by symbolic execution: the product of the unrolled program and the witness (paper 2, sections 3.3 and 4.2). Confirmed
//! is a witness when a run violates the property, the witness describes it, and the interpreter has seen it; rejected when everything the
//! witness describes is unwound and nothing of it violates the property.
//!
//! [`sequence`] and [`automaton`] read the formats into a [`table`], which a monitor of the encoder follows; [`reach`] tells where that is
//! hopeless.

mod automaton;
mod reach;
mod sequence;
pub mod table;

use crate::condition::Conditions;
use crate::places::Places;
use crate::{Answer, Progress, Question, Validation};
use cfa::interp::{self, Config, Outcome};
use cfa::{EdgeId, Fault, Property};
use encode::{Bounds, Encoder, ModelInputs, Obligation, ObligationKind, Unrolling};
use evidence::{Tape, TapeRecorder};
use logic::{Model, Solver, TermId};
use sequence::Reading;
use table::{Follower, Table};
use witness::model::{Content, Kind, Segment};
use witness::program::Source;
use witness::{Automaton, Witness};

pub const NAME: &str = "static";

const FIRST_STEPS: u64 = 50_000;
const FIRST_DECIDED: u32 = 8;
const MAX_BOUND: u32 = 1 << 20;
const REPLAY_STEPS: u64 = 200_000_000;

/// A run that the witness describes, violates the property, and was replayed.
#[derive(Clone, Debug)]
pub struct Found {
    pub tape: Tape,
    pub property: Property,
    pub fault: Option<Fault>,
    pub edge: EdgeId,
}

pub fn validate(question: &Question<'_>) -> Validation {
    search(question).1
}

/// As [`validate`], with the run of a confirmed witness.
pub fn search(question: &Question<'_>) -> (Option<Found>, Validation) {
    if question.witness.kind() == Some(Kind::Correctness) {
        return (None, crate::correctness::validate(question));
    }
    engine::bmc::on_large_stack(|| both_readings(question))
}

/// A violation sequence is confirmed if it is in the narrower reading, and rejected if it is in the wider one.
fn both_readings(question: &Question<'_>) -> (Option<Found>, Validation) {
    let narrow = violation(question, Reading::FirstTime);
    let sequence = matches!(said(question.witness), Ok(Said::Sequence(_)));
    if !sequence || narrow.1.result != Answer::Rejected {
        return narrow;
    }
    let (_, wide) = violation(question, Reading::AnyTime);
    match wide.result {
        Answer::Rejected => (None, wide),
        Answer::Confirmed => {
            let reason = "a run violates the property, but it comes to the place of a waypoint without passing it, and passes it later; \
                          whether the witness means such runs is read differently"
                .to_string();
            (None, Validation { result: Answer::Undecided, reason, progress: narrow.1.progress, ..wide })
        }
        Answer::Undecided => (None, wide),
    }
}

/// What the witness is made of.
enum Said<'w> {
    Automaton(&'w Automaton),
    Sequence(&'w [Segment]),
}

fn said(witness: &Witness) -> Result<Said<'_>, String> {
    match witness {
        Witness::Automaton(automaton) => Ok(Said::Automaton(automaton)),
        Witness::Entries(entries) => match &entries[..] {
            [entry] => match &entry.content {
                Content::Violation(segments) => Ok(Said::Sequence(segments)),
                Content::Invariants(_) | Content::Ghosts(_) => Err("not a violation witness".into()),
            },
            _ => Err("a violation witness with several entries is not supported".into()),
        },
    }
}

fn verdict(result: Answer, reason: impl Into<String>, progress: Progress) -> Validation {
    Validation { result, how: NAME, reason: reason.into(), progress }
}

fn violation(question: &Question<'_>, reading: Reading) -> (Option<Found>, Validation) {
    let mut conditions = Conditions::new(question.program);
    let table = match build(question, &mut conditions, reading) {
        Ok(table) => table,
        Err(reason) => return (None, verdict(Answer::Undecided, reason, Progress::default())),
    };
    let program = &conditions.program;
    let hopeful = reach::hopeful(program, &table, question.entry, question.properties);
    let mut encoder = Encoder::new(program);
    encoder.monitor = Some(Box::new(Follower { table: &table, program, hopeful: hopeful.as_ref() }));
    let mut search = Search { question, table: &table, encoder, solver: Solver::new(), furthest: 0, next: None };
    let (mut bound, mut steps, mut decided) = (0, FIRST_STEPS, FIRST_DECIDED);
    loop {
        question.budget.progress().set_bound(bound);
        let bounds = Bounds { unwind: bound, decided, steps, properties: question.properties };
        if let Some(decision) = search.round(bounds) {
            return decision;
        }
        if bound >= MAX_BOUND {
            let reason = format!("not everything is unwound at the bound {bound}");
            return (None, search.verdict(Answer::Undecided, reason));
        }
        bound = (bound * 2).max(1);
        steps = steps.saturating_mul(4);
        decided = decided.saturating_mul(4);
    }
}

fn build(question: &Question<'_>, conditions: &mut Conditions, reading: Reading) -> Result<Table, String> {
    let said = said(question.witness)?;
    if question.properties.contains(Property::Initialized) {
        return Err("which memory was ever written is not encoded".into());
    }
    let source = Source::new(question.sources, question.file, Some(question.program))
        .ok_or_else(|| format!("{} is not part of the program", question.file))?;
    let places = Places::new(&source, question.program);
    match said {
        Said::Automaton(automaton) => automaton::table(automaton, &places, conditions, question.entry),
        Said::Sequence(segments) => sequence::table(segments, &places, conditions, question.properties, reading),
    }
}

struct Search<'q, 'p> {
    question: &'q Question<'q>,
    table: &'q Table,
    encoder: Encoder<'p>,
    solver: Solver,
    /// How far the witness was found to be feasible, and the state that got so far.
    furthest: usize,
    next: Option<u32>,
}

enum Reachable {
    Never,
    Yes(Model),
    Unknown,
}

type Decision = (Option<Found>, Validation);

impl Search<'_, '_> {
    fn verdict(&self, result: Answer, reason: impl Into<String>) -> Validation {
        let matched = if result == Answer::Confirmed { self.table.total } else { self.furthest };
        verdict(result, reason, Progress { matched, total: self.table.total })
    }

    fn undecided(&self, reason: impl Into<String>) -> Option<Decision> {
        Some((None, self.verdict(Answer::Undecided, reason)))
    }

    /// `None`: a larger bound is needed.
    fn round(&mut self, bounds: Bounds) -> Option<Decision> {
        let out_of_budget = format!("out of time at the bound {}", bounds.unwind);
        let unrolling = self.encoder.unroll(self.question.entry, bounds, self.question.budget);
        if unrolling.interrupted {
            return self.undecided(out_of_budget);
        }
        let is_violation = |obligation: &Obligation| matches!(obligation.kind, ObligationKind::Violation(..));
        let violations = self.any(&unrolling, is_violation);
        let mut wanted = vec![violations];
        wanted.extend(unrolling.replayable);
        match self.reachable(&wanted) {
            Reachable::Yes(model) => return Some(self.confirm(&unrolling, &model)),
            Reachable::Unknown => return self.undecided(out_of_budget),
            Reachable::Never => {}
        }
        if unrolling.replayable.is_some() && !matches!(self.reachable(&[violations]), Reachable::Never) {
            return self.undecided("only a run with a very long command line could show it");
        }
        let unwind = self.any(&unrolling, |obligation| obligation.kind == ObligationKind::Unwind);
        match self.reachable(&[unwind]) {
            Reachable::Yes(_) => {
                // A round that runs out of time still says how far it was before.
                return None;
            }
            Reachable::Unknown => return self.undecided(out_of_budget),
            Reachable::Never => {}
        }
        self.measure(&unrolling);
        let left = |obligation: &Obligation| !is_violation(obligation);
        let leaves = self.any(&unrolling, left);
        match self.reachable(&[leaves]) {
            Reachable::Unknown => self.undecided(out_of_budget),
            Reachable::Yes(model) => {
                let holds =
                    |obligation: &&Obligation| left(obligation) && model.bool(&self.encoder.pool, obligation.cond);
                let reason = match unrolling.obligations.iter().find(holds).map(|obligation| &obligation.kind) {
                    Some(ObligationKind::Poison(construct)) => format!("not supported: {construct}"),
                    Some(ObligationKind::Undefined(fault)) => format!("undefined behaviour comes first: {fault:?}"),
                    _ => "the runs are not all known".into(),
                };
                self.undecided(reason)
            }
            Reachable::Never => Some((None, self.verdict(Answer::Rejected, self.why_not()))),
        }
    }

    fn why_not(&self) -> String {
        let waits = self.next.and_then(|state| self.table.waits_for.get(state as usize));
        let waits = waits.or(self.table.waits_for.get(self.table.start as usize)).filter(|text| !text.is_empty());
        let mut reason = match waits {
            Some(place) if self.furthest + 1 < self.table.total => {
                format!("no run that follows the witness passes {place}")
            }
            Some(place) => format!("no run that follows the witness violates the property: {place}"),
            None => "no run that follows the witness violates the property".into(),
        };
        if let Some(missing) = self.table.missing.first() {
            reason.push_str(&format!("; nothing in the program stands for the {missing}"));
        }
        reason
    }

    /// Finds out how far the witness can be followed.
    fn measure(&mut self, unrolling: &Unrolling) {
        let mut states: Vec<u32> = unrolling.sightings.iter().map(|(state, _)| *state).collect();
        states.sort_by_key(|state| std::cmp::Reverse((self.table.depth.get(*state as usize).copied(), *state)));
        states.dedup();
        for state in states {
            let depth = self.table.depth.get(state as usize).copied().unwrap_or(0);
            let seen = unrolling.sightings.iter().filter(|(found, _)| *found == state).map(|(_, cond)| *cond);
            let seen: Vec<TermId> = seen.collect();
            let any = self.encoder.pool.or_all(&seen);
            match self.reachable(&[any]) {
                Reachable::Yes(_) => {
                    (self.furthest, self.next) = (depth, Some(state));
                    return;
                }
                Reachable::Never => {}
                Reachable::Unknown => return,
            }
        }
    }

    fn any(&mut self, unrolling: &Unrolling, wanted: impl Fn(&Obligation) -> bool) -> TermId {
        let wanted = unrolling.obligations.iter().filter(|obligation| wanted(obligation));
        let conds: Vec<TermId> = wanted.map(|obligation| obligation.cond).collect();
        self.encoder.pool.or_all(&conds)
    }

    fn reachable(&mut self, conds: &[TermId]) -> Reachable {
        if conds.iter().any(|cond| self.encoder.pool.as_bool(*cond) == Some(false)) {
            return Reachable::Never;
        }
        match self.solver.check(&self.encoder.pool, conds, self.question.budget) {
            logic::Outcome::Sat(model) => Reachable::Yes(model),
            logic::Outcome::Unsat(_) => Reachable::Never,
            logic::Outcome::Unknown => Reachable::Unknown,
        }
    }

    /// A violation counts only once the interpreter has seen it too.
    fn confirm(&mut self, unrolling: &Unrolling, model: &Model) -> Decision {
        let question = self.question;
        let mut inputs = ModelInputs::new(&self.encoder.pool, model, unrolling);
        let args = inputs.program_args(self.encoder.program, question.entry);
        let mut recorder = TapeRecorder::new(args.clone(), &mut inputs);
        let config = Config { properties: question.properties, max_steps: REPLAY_STEPS, ..Config::default() };
        let run = interp::run(self.encoder.program, question.entry, &args, &mut recorder, &config);
        let Outcome::Violation { property, fault } = run.outcome else {
            let reason = format!("internal: the run does not replay: {:?}", run.outcome);
            return (None, self.verdict(Answer::Undecided, reason));
        };
        let edge = run.end.unwrap_or(EdgeId(0));
        let line = question.sources.locate(question.program.edges[edge].span.lo).map(|place| place.line);
        let line = line.map_or(String::new(), |line| format!(" in line {line}"));
        let reason = format!("a run that follows the witness violates {}{line}", property.name());
        let found = Found { tape: recorder.tape, property, fault, edge };
        (Some(found), self.verdict(Answer::Confirmed, reason))
    }
}
