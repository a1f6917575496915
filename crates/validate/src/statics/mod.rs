//! Violation witnesses by symbolic execution: the product of the unrolled program and the witness (Beyer et al. 2022, sections 3.3 and 4.2). Confirmed
//! is a witness when a run violates the property, the witness describes it, and the interpreter has seen it; rejected when everything the
//! witness describes is unwound and nothing of it violates the property.
//!
//! A monitor of the encoder follows the table of the witness ([`follow`]); [`reach`] prunes states that cannot reach a violation.

pub mod follow;
mod reach;

use crate::condition::Conditions;
use crate::moments::Moments;
use crate::remaining::{Remaining, not_replayed, remaining};
use crate::table::sequence::{PASSED_LATER, Reading};
use crate::table::{self, Table, ViolationContent, violation_content};
use crate::walk::{Accepted, Walker};
use crate::{Validation, ValidationResult, WitnessProgress, WitnessTask};
use cfa::interp::{self, Config, Outcome, View};
use cfa::{EdgeId, Fault, Property, Task};
use encode::{
    AtAnyAddress, Deepening, Deeper, Encoder, ModelInputs, Obligation, ObligationKind, POINTERS_APART, Prover,
    REPLAY_STEPS, Reachable, Unrolling, met_at_any_address,
};
use evidence::{Tape, TapeRecorder};
use follow::Follower;
use logic::{Model, TermId};
use witness::model::Kind;

pub const NAME: &str = "static";

const NOT_ENCODED: &str = "which memory was ever written is not encoded";

/// A run that the witness describes, violates the property, and was replayed.
#[derive(Clone, Debug)]
pub struct ConfirmedRun {
    pub tape: Tape,
    pub property: Property,
    pub fault: Option<Fault>,
    pub edge: EdgeId,
}

pub fn validate(witness_task: &WitnessTask<'_>) -> Validation {
    search(witness_task).1
}

/// As [`validate`], with the run of a confirmed witness.
pub fn search(witness_task: &WitnessTask<'_>) -> (Option<ConfirmedRun>, Validation) {
    if witness_task.witness.kind() == Some(Kind::Correctness) {
        return (None, crate::correctness::validate(witness_task));
    }
    // Which memory was ever written is not encoded. A run that violates something else that is asked for is still one that the witness describes.
    let task = witness_task.task;
    if !task.properties.contains(Property::Initialized) {
        return encode::on_large_stack(|| both_readings(witness_task));
    }
    let others = task.properties.without(Property::Initialized);
    let undecided = || verdict(ValidationResult::Undecided, NOT_ENCODED, WitnessProgress::default());
    if others.is_empty() {
        return (None, undecided());
    }
    let about_others = WitnessTask { task: Task { properties: others, ..task }, ..*witness_task };
    match encode::on_large_stack(|| both_readings(&about_others)) {
        (_, validation) if validation.result == ValidationResult::Rejected => (None, undecided()),
        decided => decided,
    }
}

/// A violation sequence is confirmed if it is in the narrower reading, and rejected if it is in the wider one.
fn both_readings(witness_task: &WitnessTask<'_>) -> (Option<ConfirmedRun>, Validation) {
    let narrow = violation(witness_task, Reading::FirstTime);
    let sequence = matches!(violation_content(witness_task.witness), Ok(ViolationContent::Sequence(_)));
    if !sequence || narrow.1.result != ValidationResult::Rejected {
        return narrow;
    }
    let (_, wide) = violation(witness_task, Reading::AnyTime);
    match wide.result {
        ValidationResult::Rejected => (None, wide),
        ValidationResult::Confirmed => {
            let (result, reason) = (ValidationResult::Undecided, PASSED_LATER.to_string());
            (None, Validation { result, reason, progress: narrow.1.progress, ..wide })
        }
        ValidationResult::Undecided | ValidationResult::OwnBug => (None, wide),
    }
}

fn verdict(result: ValidationResult, reason: impl Into<String>, progress: WitnessProgress) -> Validation {
    Validation { result, how: NAME, reason: reason.into(), progress }
}

fn violation(witness_task: &WitnessTask<'_>, reading: Reading) -> (Option<ConfirmedRun>, Validation) {
    let mut conditions = Conditions::new(witness_task.task.program);
    let table = match build(witness_task, &mut conditions, reading) {
        Ok(table) => table,
        Err(reason) => return (None, verdict(ValidationResult::Undecided, reason, WitnessProgress::default())),
    };
    let program = &conditions.program;
    let task = witness_task.task.about(program);
    let can_reach_violation = reach::can_reach_violation(task, &table, witness_task.budget);
    let followed = || {
        let mut encoder = Encoder::new(task);
        encoder.monitor =
            Some(Box::new(Follower { table: &table, program, can_reach_violation: can_reach_violation.as_ref() }));
        encoder
    };
    let mut prover = Prover::new(followed(), witness_task.budget);
    let mut search = ProductSearch { witness_task, table: &table, furthest: 0, next: None };
    let mut deepening = Deepening::new();
    loop {
        match deepening.deeper(&mut prover.encoder, witness_task.budget) {
            Deeper::Unrolled(unrolling, bounds) => {
                let elsewhere = || met_at_any_address(followed, bounds, |_| false, witness_task.budget);
                if let Some(decision) = search.round(&mut prover, &unrolling, bounds.unwind, elsewhere) {
                    return decision;
                }
            }
            Deeper::OutOfTime(bound) => return search.undecided(format!("out of time at the bound {bound}")),
            Deeper::NoLargerBound(_) => return search.undecided("not everything could be unwound"),
        }
    }
}

fn build(witness_task: &WitnessTask<'_>, conditions: &mut Conditions, reading: Reading) -> Result<Table, String> {
    table::table(witness_task, conditions, reading)
}

struct ProductSearch<'q> {
    witness_task: &'q WitnessTask<'q>,
    table: &'q Table,
    /// How far the witness was found to be feasible, and the state that got so far.
    furthest: usize,
    next: Option<u32>,
}

type Decision = (Option<ConfirmedRun>, Validation);

impl ProductSearch<'_> {
    fn verdict(&self, result: ValidationResult, reason: impl Into<String>) -> Validation {
        let matched = if result == ValidationResult::Confirmed { self.table.total } else { self.furthest };
        verdict(result, reason, WitnessProgress { matched, total: self.table.total })
    }

    fn undecided(&self, reason: impl Into<String>) -> Decision {
        (None, self.verdict(ValidationResult::Undecided, reason))
    }

    /// `None`: a larger bound is needed.
    fn round(
        &mut self,
        prover: &mut Prover<'_, '_>,
        unrolling: &Unrolling,
        bound: u32,
        elsewhere: impl FnOnce() -> AtAnyAddress,
    ) -> Option<Decision> {
        let out_of_budget = format!("out of time at the bound {bound}");
        let violated = prover.any(unrolling, |found| matches!(found.kind, ObligationKind::Violation(..)));
        match prover.reachable_by_replay(unrolling, violated) {
            Reachable::Yes(model) => return Some(self.confirm(prover, unrolling, &model)),
            Reachable::Unknown => return Some(self.undecided(out_of_budget)),
            Reachable::OutOfReach => {
                let reason = "only a run with a very long command line or a very large allocation could show it";
                return Some(self.undecided(reason));
            }
            Reachable::Never => {}
        }
        // Machines go on there, and so does the interpreter: the run may come to the violation.
        let apart = |found: &Obligation| matches!(&found.kind, ObligationKind::Poison(what) if what == POINTERS_APART);
        let apart = prover.any(unrolling, apart);
        if let Reachable::Yes(model) = prover.reachable_by_replay(unrolling, apart)
            && let (Some(run), confirmed) = self.confirm(prover, unrolling, &model)
        {
            return Some((Some(run), confirmed));
        }
        let left = remaining(prover, unrolling, elsewhere);
        if let Remaining::Deeper = left {
            return None;
        }
        self.measure(prover, unrolling);
        Some(match left {
            Remaining::Deeper | Remaining::Unknown => self.undecided(out_of_budget),
            Remaining::Unmodelled(reason) => self.undecided(reason),
            // Something may happen where nothing of ours stands, as at a jump.
            Remaining::Nothing if !self.table.missing.is_empty() => self.undecided(self.why_not()),
            Remaining::Nothing => (None, self.verdict(ValidationResult::Rejected, self.why_not())),
        })
    }

    fn why_not(&self) -> String {
        let waits = self.next.and_then(|state| self.table.waits_for.get(state as usize));
        let waits = waits.or(self.table.waits_for.get(self.table.start as usize)).filter(|text| !text.is_empty());
        let mut reason = match waits {
            Some(place) if self.furthest + 1 < self.table.total => {
                format!("no run that follows the witness to the violation passes {place}")
            }
            Some(place) => format!("no run that follows the witness violates the property: {place}"),
            None => "no run that follows the witness violates the property".into(),
        };
        if let Some(missing) = self.table.nothing_at() {
            reason.push_str(&format!("; nothing in the program stands for the {missing}"));
        }
        reason
    }

    /// Finds out how far the witness can be followed.
    fn measure(&mut self, prover: &mut Prover<'_, '_>, unrolling: &Unrolling) {
        let mut states: Vec<u32> = unrolling.sightings.iter().map(|(state, _)| *state).collect();
        states.sort_by_key(|state| std::cmp::Reverse((self.table.depth.get(*state as usize).copied(), *state)));
        states.dedup();
        for state in states {
            let depth = self.table.depth.get(state as usize).copied().unwrap_or(0);
            let seen = unrolling.sightings.iter().filter(|(found, _)| *found == state).map(|(_, cond)| *cond);
            let seen: Vec<TermId> = seen.collect();
            let any = prover.encoder.pool.or_all(&seen);
            match prover.reachable(&[any]) {
                Reachable::Yes(_) => {
                    (self.furthest, self.next) = (depth, Some(state));
                    return;
                }
                Reachable::Never => {}
                Reachable::Unknown | Reachable::OutOfReach => return,
            }
        }
    }

    /// A violation counts only once the interpreter has seen it too.
    fn confirm(&self, prover: &Prover<'_, '_>, unrolling: &Unrolling, model: &Model) -> Decision {
        let witness_task = self.witness_task;
        let program = prover.encoder.task.program;
        let mut inputs = ModelInputs::new(&prover.encoder.pool, model, unrolling);
        let args = inputs.program_args(witness_task.task);
        let mut recorder = TapeRecorder::new(args.clone(), &mut inputs);
        let config = Config { properties: witness_task.task.properties, max_steps: REPLAY_STEPS, ..Config::default() };
        let mut walker = Walker::new(self.table);
        let on_moment = |view: &View<'_, '_>, moment| drop(walker.moment(view, moment));
        let unlimited = base::Budget::unlimited();
        let mut observer = Moments::new(program, &unlimited, on_moment);
        let run = interp::run_observed(program, witness_task.task.entry, &args, &mut recorder, &config, &mut observer);
        let Outcome::Violation { property, fault } = run.outcome else {
            let (answer, reason) = not_replayed(&prover.encoder.pool, unrolling, run.outcome);
            return (None, self.verdict(answer, reason));
        };
        let edge = run.end.unwrap_or(EdgeId(0));
        if walker.accepts(run.end, property) == Accepted::No {
            let (answer, reason) = match &walker.unsure {
                Some(why) => (ValidationResult::Undecided, format!("an expression could not be evaluated: {why}")),
                None => not_replayed(&prover.encoder.pool, unrolling, run.outcome),
            };
            return (None, self.verdict(answer, reason));
        }
        let line = witness_task.sources.locate(witness_task.task.program.edges[edge].span.lo).map(|place| place.line);
        let line = line.map_or(String::new(), |line| format!(" in line {line}"));
        let reason = format!("a run that follows the witness violates {}{line}", property.name());
        let found = ConfirmedRun { tape: recorder.tape, property, fault, edge };
        (Some(found), self.verdict(ValidationResult::Confirmed, reason))
    }
}
