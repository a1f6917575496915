//! Correctness witnesses. An invariant that some run breaks, or a property that some run violates, rejects the witness. It is confirmed when everything is
//! unwound and both hold on all of it, or when both are proved by [`induction`], whichever is seen first.
//!
//! [`entries`] and [`nodes`] find the places of invariants, by the rules of their formats; [`contracts`] are those that are about calls.

mod contracts;
mod entries;
mod induction;
mod nodes;

use crate::condition::{Check, Conditions};
use crate::moments::Moments;
use crate::places::Places;
use crate::remaining::{Remaining, not_replayed, remaining};
use crate::statics::NAME;
use crate::statics::follow::{Follower, Stepped};
use crate::table::Table;
use crate::walk::{Walker, passes};
use crate::{Validation, ValidationResult, WitnessProgress, WitnessTask};
use base::Budget;
use cfa::interp::{self, Config, Outcome, View};
use cfa::{Anchor, Program};
use encode::{
    Bounds, Deepening, Deeper, Encoder, GuardedCandidate, Look, Marks, ModelInputs, Moment, Monitor, ObligationKind,
    Prover, REPLAY_STEPS, Reachable, Unrolling, met_at_any_address,
};
use frontend::Condition;
use logic::{Model, TermId, TermPool};
use std::collections::HashMap;
use std::time::Duration;
use witness::Witness;
use witness::program::Source;

/// What became of one invariant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InvariantResult {
    pub line: Option<u32>,
    pub expression: String,
    pub result: ValidationResult,
    /// Whether the proof rests on it; `None` if there is no proof by induction.
    pub used: Option<bool>,
}

/// What the stated invariants are for (Beyer et al. 2022, section 4.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Policy {
    /// They help to find a proof, and so may others.
    Candidates,
    /// They have to be the proof: inductive by themselves, and sufficient. Unwinding everything is a proof too.
    Strict,
}

pub fn validate(witness_task: &WitnessTask<'_>) -> Validation {
    check(witness_task, Policy::Candidates).0
}

/// As [`validate`], and what is known about each invariant.
pub fn check(witness_task: &WitnessTask<'_>, policy: Policy) -> (Validation, Vec<InvariantResult>) {
    let mut conditions = Conditions::new(witness_task.task.program);
    let claims = match claims(witness_task, &mut conditions) {
        Ok(claims) => claims,
        Err(reason) => return (verdict(ValidationResult::Undecided, reason, WitnessProgress::default()), Vec::new()),
    };
    let program = &conditions.program;
    let unwind =
        |budget: &Budget| encode::on_large_stack(|| refute(&WitnessTask { budget, ..*witness_task }, program, &claims));
    let induct = |budget: &Budget| {
        let (reason, used) = induction::confirm(witness_task, program, &claims, policy, budget)?;
        Some((ValidationResult::Confirmed, reason, Known::Used(used)))
    };
    let is_decided = |(answer, ..): &Decision| *answer != ValidationResult::Undecided;
    let progress = witness_task.budget.progress().clone();
    let is_late = move |worked: Duration| progress.bound() >= HELPED_BOUND || worked > HEAD_START;
    let decision = base::race(witness_task.budget, is_late, unwind, induct, is_decided);
    answered(&claims, decision)
}

/// What unwinding decides below this bound, or in this time, needs no induction.
const HELPED_BOUND: u32 = 16;
const HEAD_START: Duration = Duration::from_millis(300);

/// An invariant and the moments it holds at.
#[derive(Clone)]
struct Located {
    line: Option<u32>,
    expression: String,
    checks: Vec<(Moment, Check)>,
    /// Of a contract, what it says of calls and returns.
    clauses: Vec<(Anchor, Condition)>,
    /// Why it cannot be checked, if it cannot.
    problem: Option<String>,
    /// It is claimed only for runs on which an automaton comes to this state then.
    state: Option<u32>,
}

/// All invariants of a witness, and the automaton that says when they are claimed, if there is one.
struct Claims {
    located: Vec<Located>,
    table: Option<Table>,
    at: HashMap<Moment, Vec<usize>>,
}

/// Unwinds the program until a run breaks an invariant or the property, or until there is no more to unwind.
fn refute(witness_task: &WitnessTask<'_>, program: &Program, claims: &Claims) -> Decision {
    let mut with_clauses = program.clone();
    let Some(clauses) = contracts::exprs(&mut with_clauses, &claims.located) else {
        return (ValidationResult::Undecided, "a contract that cannot be evaluated".into(), Known::Nothing);
    };
    let program = &with_clauses;
    let mut encoder = Encoder::new(witness_task.task.about(program));
    encoder.monitor = Some(Box::new(Watcher { claims, program }));
    let always = encoder.pool.bool(true);
    for (number, anchor, expr) in clauses {
        let candidate = GuardedCandidate { number: number as u32, expr, selector: always };
        encoder.stated.entry(anchor).or_default().push(candidate);
    }
    let mut prover = Prover::new(encoder, witness_task.budget);
    let refutation = Refutation { witness_task, claims };
    let mut deepening = Deepening::new();
    loop {
        match deepening.deeper(&mut prover.encoder, witness_task.budget) {
            Deeper::Unrolled(unrolling, bounds) => {
                if let Some(decision) = refutation.round(&mut prover, &unrolling, bounds) {
                    return decision;
                }
            }
            Deeper::OutOfTime(bound) => return out_of_time(bound),
            Deeper::NoLargerBound(_) => return out_of_time(u32::MAX),
        }
    }
}

/// The validation, and what became of each invariant.
fn answered(claims: &Claims, (answer, reason, known): Decision) -> (Validation, Vec<InvariantResult>) {
    let results = claims.located.iter().enumerate().map(|(index, invariant)| InvariantResult {
        line: invariant.line,
        expression: invariant.expression.clone(),
        result: match answer {
            _ if matches!(known, Known::Broken(broken) if broken == index) => ValidationResult::Rejected,
            ValidationResult::Confirmed => ValidationResult::Confirmed,
            _ => ValidationResult::Undecided,
        },
        used: match &known {
            Known::Used(used) => Some(used.contains(&index)),
            Known::Nothing | Known::Broken(_) => None,
        },
    });
    let placed = claims.located.iter().filter(|invariant| invariant.problem.is_none()).count();
    (verdict(answer, reason, WitnessProgress { matched: placed, total: claims.located.len() }), results.collect())
}

fn verdict(result: ValidationResult, reason: impl Into<String>, progress: WitnessProgress) -> Validation {
    Validation { result, how: NAME, reason: reason.into(), progress }
}

/// Out of time: what the bounds before have shown.
fn out_of_time(bound: u32) -> Decision {
    let reason = match bound {
        0 => "out of time".into(),
        _ => format!("nothing is wrong up to the bound {}", bound / 2),
    };
    (ValidationResult::Undecided, reason, Known::Nothing)
}

fn described(invariant: &Located) -> String {
    let line = invariant.line.map_or(String::new(), |line| format!(" in line {line}"));
    format!("the invariant `{}`{line}", invariant.expression)
}

/// Finds the places of all invariants.
fn claims(witness_task: &WitnessTask<'_>, conditions: &mut Conditions) -> Result<Claims, String> {
    let source = Source::new(witness_task.sources, witness_task.file, Some(witness_task.task.program))
        .ok_or_else(|| format!("{} is not part of the program", witness_task.file))?;
    let places = Places::new(&source, witness_task.task.program);
    let (located, table) = match witness_task.witness {
        Witness::Entries(entries) => (entries::locate(entries, &places, conditions)?, None),
        Witness::Automaton(automaton) => {
            let (located, table) =
                nodes::locate(automaton, &places, conditions, witness_task.task.entry, witness_task.budget)?;
            (located, Some(table))
        }
    };
    let mut at: HashMap<Moment, Vec<usize>> = HashMap::new();
    for (index, invariant) in located.iter().enumerate() {
        for (moment, _) in &invariant.checks {
            at.entry(*moment).or_default().push(index);
        }
    }
    Ok(Claims { located, table, at })
}

impl Claims {
    /// The checks of a moment with their invariants.
    fn at(&self, moment: Moment) -> impl Iterator<Item = (usize, &Located, &Check)> {
        let indices = self.at.get(&moment).into_iter().flatten();
        indices.flat_map(move |index| {
            let invariant = &self.located[*index];
            let checks = invariant.checks.iter().filter(move |(at, _)| *at == moment);
            checks.map(move |(_, check)| (*index, invariant, check))
        })
    }
}

/// What is seen of an invariant; the number of a sighting is made of it and of the number of the invariant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    /// It is false.
    Broken,
    /// It is false where the automaton may claim it, or may not.
    PerhapsBroken,
    /// C gives it no value, as where its arithmetic overflows.
    Undefined,
}

impl Seen {
    const COUNT: u32 = 3;

    fn number(self, index: usize) -> u32 {
        index as u32 * Seen::COUNT + self as u32
    }

    fn is_in(self, number: u32) -> bool {
        number % Seen::COUNT == self as u32
    }
}

struct Watcher<'l> {
    claims: &'l Claims,
    program: &'l cfa::Program,
}

/// The mark that keeps runs going that the automaton does not follow.
const OF_ALL_RUNS: u32 = u32::MAX;

impl Monitor for Watcher<'_> {
    fn marks(&mut self, pool: &TermPool) -> Marks {
        let always = pool.bool(true);
        let start = self.claims.table.as_ref().map(|table| (table.start, always));
        start.into_iter().chain([(OF_ALL_RUNS, always)]).collect()
    }

    fn moment(&mut self, look: &mut Look<'_, '_, '_>, moment: Moment) {
        let Some(table) = &self.claims.table else {
            for (index, _, check) in self.claims.at(moment) {
                let (broken, unsure) = violated_and_unsure(check, look);
                look.sighting(Seen::Broken.number(index), broken);
                look.sighting(Seen::Undefined.number(index), unsure);
            }
            return;
        };
        let follower = Follower { table, program: self.program, can_reach_violation: None };
        let starts = matches!(moment, Moment::Start(_));
        if starts {
            follower.silent(look);
        }
        self.step(look, moment, table, &follower);
        if starts {
            follower.silent(look);
        }
    }

    fn accepts(&mut self, look: &mut Look<'_, '_, '_>, _: cfa::EdgeId, _: cfa::Property) -> TermId {
        look.pool().bool(true)
    }
}

impl Watcher<'_> {
    /// Takes the steps of a moment, and looks at the invariants of the states that they lead to.
    fn step(&self, look: &mut Look<'_, '_, '_>, moment: Moment, table: &Table, follower: &Follower<'_>) {
        let Some(groups) = table.groups.get(&moment) else { return };
        let marks = look.marks();
        if !marks.iter().any(|(state, _)| groups.contains_key(state)) {
            return;
        }
        let Stepped { marks, entered } = follower.step(look, &marks, groups);
        let mut wrong: HashMap<u32, TermId> = HashMap::new();
        for (index, invariant, check) in self.claims.at(moment) {
            let Some(state) = invariant.state else { continue };
            let Some(goes) = entered.get(&state).copied() else { continue };
            let (not, unsure) = violated_and_unsure(check, look);
            let (broken, unsure) = (look.pool().and(goes, not), look.pool().and(goes, unsure));
            look.sighting(Seen::PerhapsBroken.number(index), broken);
            look.sighting(Seen::Undefined.number(index), unsure);
            wrong.insert(state, broken);
        }
        // The automaton may be in several states; an invariant is broken for sure where all of them have one that is.
        let excuses: Vec<TermId> = marks
            .iter()
            .filter(|(state, _)| *state != OF_ALL_RUNS)
            .map(|(state, mark)| {
                let excused = wrong.get(state).map(|broken| look.pool().not(*broken));
                excused.map_or(*mark, |excused| look.pool().and(*mark, excused))
            })
            .collect();
        let excused = look.pool().or_all(&excuses);
        let sure = look.pool().not(excused);
        for (index, invariant, _) in self.claims.at(moment) {
            if let Some(broken) = invariant.state.and_then(|state| wrong.get(&state)).copied() {
                let broken = look.pool().and(broken, sure);
                look.sighting(Seen::Broken.number(index), broken);
            }
        }
        look.set_marks(marks);
    }
}

/// When an invariant is false, and when it has no value.
fn violated_and_unsure(check: &Check, look: &mut Look<'_, '_, '_>) -> (TermId, TermId) {
    let truth = check.symbolic(look);
    let either = look.pool().or(truth.holds, truth.unsure);
    (look.pool().not(either), truth.unsure)
}

/// The inputs of a run, for messages.
fn given(program: &Program, inputs: &[interp::RecordedInput]) -> String {
    let values = inputs.iter().map(|input| cfa::eval::display(&program.types, input.request.ty, input.bits));
    let values: Vec<String> = values.collect();
    if values.is_empty() { String::new() } else { format!(" (inputs {})", values.join(", ")) }
}

struct Refutation<'q> {
    witness_task: &'q WitnessTask<'q>,
    claims: &'q Claims,
}

type Decision = (ValidationResult, String, Known);

/// What is known about single invariants.
enum Known {
    Nothing,
    /// A run breaks this one.
    Broken(usize),
    /// The proof rests on these alone.
    Used(Vec<usize>),
}

impl Refutation<'_> {
    fn round(&self, prover: &mut Prover<'_, '_>, unrolling: &Unrolling, bounds: Bounds) -> Option<Decision> {
        let bound = bounds.unwind;
        let sightings = |seen: Seen| -> Vec<TermId> {
            let wanted = unrolling.sightings.iter().filter(|(what, _)| seen.is_in(*what));
            wanted.map(|(_, cond)| *cond).collect()
        };
        let broken = prover.encoder.pool.or_all(&sightings(Seen::Broken));
        let violated = prover.any(unrolling, |found| matches!(found.kind, ObligationKind::Violation(..)));
        for cond in [violated, broken] {
            match prover.reachable_by_replay(unrolling, cond) {
                Reachable::Yes(model) => return Some(self.rejected(prover, unrolling, &model)),
                Reachable::Unknown => return Some(out_of_time(bound)),
                Reachable::OutOfReach => {
                    let reason = "only a run with a very long command line or a very large allocation could refute it"
                        .to_string();
                    return Some((ValidationResult::Undecided, reason, Known::Nothing));
                }
                Reachable::Never => {}
            }
        }
        let conds: Vec<TermId> = unrolling.broken.iter().map(|(_, cond)| *cond).collect();
        let broken_contract = prover.encoder.pool.or_all(&conds);
        let contract = prover.reachable_by_replay(unrolling, broken_contract);
        if let Reachable::Yes(model) = &contract
            && let Some(decision) = self.breaks_contract(prover, unrolling, model)
        {
            return Some(decision);
        }
        let (task, claims) = (prover.encoder.task, self.claims);
        let watched = || {
            let mut encoder = Encoder::new(task);
            encoder.monitor = Some(Box::new(Watcher { claims, program: task.program }));
            encoder
        };
        let elsewhere = || met_at_any_address(watched, bounds, |_| true, self.witness_task.budget);
        match remaining(prover, unrolling, elsewhere) {
            Remaining::Deeper => return None,
            Remaining::Unknown => return Some(out_of_time(bound)),
            Remaining::Unmodelled(reason) => return Some((ValidationResult::Undecided, reason, Known::Nothing)),
            Remaining::Nothing => {}
        }
        let undecided = |reason: String| {
            Some((ValidationResult::Undecided, format!("the property holds, but {reason}"), Known::Nothing))
        };
        match contract {
            Reachable::Never => {}
            Reachable::Unknown => return Some(out_of_time(bound)),
            Reachable::Yes(_) | Reachable::OutOfReach => {
                return undecided("a contract may be broken, or its evaluation is undefined".into());
            }
        }
        if let Some(problem) = self.claims.located.iter().find_map(|invariant| invariant.problem.clone()) {
            return undecided(format!("not all invariants were looked at: {problem}"));
        }
        for (index, invariant) in self.claims.located.iter().enumerate() {
            let number = Seen::Undefined.number(index);
            let seen = unrolling.sightings.iter().filter(|(what, _)| *what == number).map(|(_, cond)| *cond);
            let undefined = prover.encoder.pool.or_all(&seen.collect::<Vec<_>>());
            match prover.reachable(&[undefined]) {
                Reachable::Never => {}
                Reachable::Unknown => return Some(out_of_time(bound)),
                Reachable::Yes(_) | Reachable::OutOfReach => {
                    let what = described(invariant);
                    return undecided(format!("evaluating {what} is undefined on some runs, as by an overflow"));
                }
            }
        }
        let doubtful = prover.encoder.pool.or_all(&sightings(Seen::PerhapsBroken));
        match prover.reachable(&[doubtful]) {
            Reachable::Never => {
                let reason = format!("all is unwound at the bound {bound}, and the property and the invariants hold");
                Some((ValidationResult::Confirmed, reason, Known::Nothing))
            }
            Reachable::Yes(_) | Reachable::OutOfReach => {
                undecided("an invariant may be claimed where it does not hold".into())
            }
            Reachable::Unknown => Some(out_of_time(bound)),
        }
    }

    /// The contract that the run of a model breaks, if the interpreter sees it too.
    fn breaks_contract(&self, prover: &Prover<'_, '_>, unrolling: &Unrolling, model: &Model) -> Option<Decision> {
        let witness_task = self.witness_task;
        let program = prover.encoder.task.program;
        let mut inputs = ModelInputs::new(&prover.encoder.pool, model, unrolling);
        let args = inputs.program_args(witness_task.task);
        let max_steps = REPLAY_STEPS.min(unrolling.steps.saturating_mul(4) + 10_000);
        let config = Config { properties: witness_task.task.properties, max_steps, ..Config::default() };
        let mut observer = contracts::Calls::new(&self.claims.located);
        let run = interp::run_observed(program, witness_task.task.entry, &args, &mut inputs, &config, &mut observer);
        let index = observer.broken?;
        let reason = format!("a run breaks {}{}", described(&self.claims.located[index]), given(program, &run.inputs));
        Some((ValidationResult::Rejected, reason, Known::Broken(index)))
    }

    /// What the run of a model does wrong, as the interpreter sees it.
    fn rejected(&self, prover: &Prover<'_, '_>, unrolling: &Unrolling, model: &Model) -> Decision {
        let witness_task = self.witness_task;
        let program = prover.encoder.task.program;
        let mut inputs = ModelInputs::new(&prover.encoder.pool, model, unrolling);
        let args = inputs.program_args(witness_task.task);
        // A run may go on for long after it broke an invariant; up to there it is not longer than what was unrolled.
        let max_steps = REPLAY_STEPS.min(unrolling.steps.saturating_mul(4) + 10_000);
        let config = Config { properties: witness_task.task.properties, max_steps, ..Config::default() };
        let mut walker = self.claims.table.as_ref().map(Walker::new);
        let mut broken = None;
        let on_moment = |view: &View<'_, '_>, moment: Moment| {
            let found = self.broken(walker.as_mut(), view, moment);
            broken = broken.or(found);
        };
        let unlimited = base::Budget::unlimited();
        let mut observer = Moments::new(program, &unlimited, on_moment);
        let run = interp::run_observed(program, witness_task.task.entry, &args, &mut inputs, &config, &mut observer);
        let with = given(program, &run.inputs);
        if let Some(index) = broken {
            let reason = format!("a run breaks {}{with}", described(&self.claims.located[index]));
            return (ValidationResult::Rejected, reason, Known::Broken(index));
        }
        match run.outcome {
            Outcome::Violation { property, .. } => {
                (ValidationResult::Rejected, format!("a run violates {}{with}", property.name()), Known::Nothing)
            }
            outcome => {
                let (answer, reason) = not_replayed(&prover.encoder.pool, unrolling, outcome);
                (answer, reason, Known::Nothing)
            }
        }
    }

    /// The invariant that a run breaks at a moment.
    fn broken(&self, walker: Option<&mut Walker<'_>>, view: &View<'_, '_>, moment: Moment) -> Option<usize> {
        let fails = |check: &Check| passes(check, view) == Ok(false);
        let Some(walker) = walker else {
            return self.claims.at(moment).find(|(_, _, check)| fails(check)).map(|(index, ..)| index);
        };
        let entered = walker.moment(view, moment);
        let failing = |state: &u32| {
            let mut claims = self.claims.at(moment);
            claims
                .find(|(_, invariant, check)| invariant.state == Some(*state) && fails(check))
                .map(|(index, ..)| index)
        };
        let all = walker.unsure.is_none()
            && walker.states.iter().all(|state| entered.contains(state) && failing(state).is_some());
        entered.iter().find_map(failing).filter(|_| all)
    }
}
