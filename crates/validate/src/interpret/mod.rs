//! The interpreter follows the witness: where the program asks for an input, the witness says which (Beyer et al. 2022, section 4.2: the extraction of the test vector);
//! the states of the witness advance with every step. Nothing is compiled or executed natively.
//!
//! [`requested_inputs`] finds what the witness says about inputs, by [`hints`]; [`crate::walk`] knows which states of the witness the run is in.

pub mod hints;
mod requested_inputs;

use crate::condition::Conditions;
use crate::moments::Moments;
use crate::table::sequence::{PASSED_LATER, Reading};
use crate::table::{self, Table, ViolationContent, violation_content};
use crate::walk::{Accepted, Walker};
use crate::{Validation, ValidationResult, WitnessProgress, WitnessTask};
use cfa::interp::{self, Config, Limit, Outcome, ProgramArgs, Run, Uninitialized, View};
use cfa::{EdgeId, Fault, Program};
use evidence::{Tape, TapeRecorder};
use requested_inputs::{Guess, Open, WitnessInputs};
use std::cell::RefCell;
use std::rc::Rc;
use witness::Kind;

pub const NAME: &str = "interpret";

/// Longer runs are given up.
const MAX_STEPS: u64 = 200_000_000;

/// What is tried before all the steps that there are: most runs are short, and a guess may lead into an endless loop.
const FEW_STEPS: u64 = 300_000;

/// How many steps a budget is good for: the interpreter does not look at the clock.
fn steps_within(budget: &base::Budget) -> u64 {
    const EACH_SECOND: f64 = 2e6;
    let affordable = budget.remaining().map(|left| (left.as_secs_f64() * EACH_SECOND) as u64);
    affordable.map_or(MAX_STEPS, |steps| steps.min(MAX_STEPS))
}

pub fn validate(witness_task: &WitnessTask<'_>) -> Validation {
    match follow(witness_task) {
        Ok(followed) => followed.validation,
        Err(reason) => {
            Validation { result: ValidationResult::Undecided, how: NAME, reason, progress: WitnessProgress::default() }
        }
    }
}

/// A run along a witness.
pub struct Followed {
    pub validation: Validation,
    pub run: Run,
    /// Everything that the run was given.
    pub tape: Tape,
    /// The witness does not describe the run: it leaves the witness, or fails where the witness does not say.
    pub left: bool,
    /// It is unknown whether the witness describes the run, however it ends.
    pub doubtful: bool,
    /// The witness says what every input is: this is the run that it describes.
    pub all_stated: bool,
}

/// Runs the program as the witness says.
pub fn follow(witness_task: &WitnessTask<'_>) -> Result<Followed, String> {
    if witness_task.witness.kind() != Some(Kind::Violation) {
        return Err("it is not a violation witness: there is no run to follow".into());
    }
    // What the format says: a place may be come to several times before its waypoint is passed.
    let mut conditions = Conditions::new(witness_task.task.program);
    let table = table::table(witness_task, &mut conditions, Reading::AnyTime)?;
    let narrow = match violation_content(witness_task.witness)? {
        ViolationContent::Sequence(_) => Some(table::table(witness_task, &mut conditions, Reading::FirstTime)?),
        ViolationContent::Automaton(_) => None,
    };
    let read = Read { program: &conditions.program, table: &table, narrow: narrow.as_ref() };
    let attempt = |guess: Guess, max_steps: u64| attempt(witness_task, &read, guess, max_steps);
    let all_steps = steps_within(witness_task.budget);
    let few_steps = all_steps.min(FEW_STEPS);
    let mut first = attempt(Guess::Zero, few_steps);
    if first.open
        && first.followed.validation.result == ValidationResult::Undecided
        && let Some(found) = search(|choices| attempt(Guess::Choices(choices), few_steps), witness_task.budget)
    {
        return Ok(found);
    }
    if few_steps < all_steps && matches!(first.followed.run.outcome, Outcome::Limit(Limit::Steps)) {
        first = attempt(Guess::Zero, all_steps);
    }
    Ok(first.followed)
}

/// A witness that was related to the program.
struct Read<'a> {
    /// With the expressions of the witness.
    program: &'a Program,
    table: &'a Table,
    /// The narrower reading, where there is one: what is confirmed is confirmed in both.
    narrow: Option<&'a Table>,
}

struct Attempt {
    followed: Followed,
    /// Whether the witness left inputs open.
    open: bool,
    furthest: usize,
}

/// Runs that are kept in mind at a time, and tried in all.
const WIDTH: usize = 8;
const TRIALS: usize = 400;

/// A run that the witness confirms, if one is found by guessing what it leaves open: mostly that are choices between two ways, and how far the
/// witness can be followed decides between them.
fn search(attempt: impl Fn(Vec<u8>) -> Attempt, budget: &base::Budget) -> Option<Followed> {
    let mut known: Vec<Vec<u8>> = vec![Vec::new()];
    let mut trials = 0;
    while !known.is_empty() {
        let mut found: Vec<(usize, Vec<u8>)> = Vec::new();
        for choices in known.iter().flat_map(|choices| [0, 1].map(|choice| [&choices[..], &[choice]].concat())) {
            trials += 1;
            if trials > TRIALS || budget.expired() {
                return None;
            }
            let Attempt { followed, furthest, .. } = attempt(choices.clone());
            if followed.validation.result == ValidationResult::Confirmed {
                return Some(followed);
            }
            if matches!(followed.run.outcome, Outcome::Limit(Limit::Inputs)) && !followed.left {
                found.push((furthest, choices));
            }
        }
        found.sort_by_key(|(furthest, _)| std::cmp::Reverse(*furthest));
        known = found.into_iter().take(WIDTH).map(|(_, choices)| choices).collect();
    }
    None
}

/// One run along the witness.
fn attempt(witness_task: &WitnessTask<'_>, read: &Read<'_>, guess: Guess, max_steps: u64) -> Attempt {
    let program = read.program;
    let walker = Rc::new(RefCell::new(Walker::new(read.table)));
    let mut narrow = read.narrow.map(Walker::new);
    let may_wait = matches!(violation_content(witness_task.witness), Ok(ViolationContent::Sequence(_)));
    let mut witness_inputs = WitnessInputs::new(program, witness_task.task.entry, walker.clone(), may_wait, guess);
    let args = witness_inputs.command_line();
    let mut recorder = TapeRecorder::new(args.clone(), &mut witness_inputs);
    let on_moment = |view: &View<'_, '_>, moment| {
        walker.borrow_mut().moment(view, moment);
        if let Some(narrow) = &mut narrow {
            narrow.moment(view, moment);
        }
    };
    let mut observer = Moments::new(program, witness_task.budget, on_moment);
    let config = Config { properties: witness_task.task.properties, max_steps, ..Config::default() };
    let run = interp::run_observed(program, witness_task.task.entry, &args, &mut recorder, &config, &mut observer);
    let tape = recorder.tape;
    let (open, all_stated) = (witness_inputs.open, witness_inputs.all_stated);
    let walker = walker.borrow();
    let validation = FollowedRun { witness_task, program, walker: &walker, narrow: narrow.as_ref(), open }
        .validation(&run, &tape, &args);
    let end = run.end.or(run.stack.last().copied());
    let (elsewhere, later) = match run.outcome {
        Outcome::Violation { property, .. } => (
            walker.accepts(end, property) == Accepted::No,
            narrow.is_some_and(|narrow| narrow.accepts(end, property) != Accepted::Yes),
        ),
        _ => (false, false),
    };
    let doubtful = walker.unsure.is_some() || later;
    let followed = Followed { validation, run, tape, left: walker.left.is_some() || elsewhere, doubtful, all_stated };
    Attempt { followed, open: open.is_some(), furthest: walker.furthest }
}

struct FollowedRun<'a, 't> {
    witness_task: &'a WitnessTask<'a>,
    /// With the expressions of the witness.
    program: &'a Program,
    walker: &'a Walker<'t>,
    narrow: Option<&'a Walker<'t>>,
    open: Option<Open>,
}

impl FollowedRun<'_, '_> {
    fn validation(&self, run: &Run, tape: &Tape, args: &ProgramArgs) -> Validation {
        let FollowedRun { witness_task, walker, .. } = *self;
        let table = walker.table;
        let place = |edge: EdgeId| {
            let found = witness_task.sources.locate(witness_task.task.program.edges[edge].anchor);
            found.map_or("an unknown place".to_string(), |found| format!("line {}", found.line))
        };
        let end = run.end.or(run.stack.last().copied());
        let violated = matches!(run.outcome, Outcome::Violation { .. });
        let accepted = match run.outcome {
            Outcome::Violation { property, .. } => walker.accepts(end, property),
            _ => Accepted::No,
        };
        let passed_later = match run.outcome {
            Outcome::Violation { property, .. } => {
                self.narrow.is_some_and(|narrow| narrow.accepts(end, property) != Accepted::Yes)
            }
            _ => false,
        };
        let unsure = accepted == Accepted::Unsure;
        let accepted = accepted == Accepted::Yes;
        let matched = if accepted { table.total } else { walker.furthest };
        let progress = WitnessProgress { matched, total: table.total };
        let answer = |result, reason: String| Validation { result, how: NAME, reason, progress };
        let how_far = format!("{matched} of {} steps of the witness were followed", table.total);
        if accepted {
            return match &walker.unsure {
                Some(why) => {
                    answer(ValidationResult::Undecided, format!("an expression could not be evaluated: {why}"))
                }
                None if passed_later => answer(ValidationResult::Undecided, PASSED_LATER.into()),
                None => answer(
                    ValidationResult::Confirmed,
                    "the run that the witness describes violates the property".into(),
                ),
            };
        }
        // Nothing is certain if another choice of inputs is possible.
        let certain = !unsure
            && self.open.is_none()
            && walker.unsure.is_none()
            && table.missing.is_empty()
            && self.reads_only_written(tape, args);
        let ended = match run.outcome {
            Outcome::Violation { property, .. } => {
                format!("it violates {} in {}", property.name(), end.map_or("no line".into(), place))
            }
            Outcome::Finished(code) => format!("it ends with code {code}"),
            Outcome::Aborted => "it is aborted".into(),
            Outcome::AssumptionFailed => "an assumption of the program fails".into(),
            Outcome::Undefined(fault) => format!("its behaviour is undefined: {}", fault.describe()),
            Outcome::Poison(_) => "it meets a construct that is not supported".into(),
            Outcome::Limit(limit) => format!("a limit was reached ({limit:?})"),
        };
        let reason = match (&walker.left, self.open, table.nothing_at()) {
            (Some(dead), ..) => format!("the run leaves the witness in {dead}; {how_far}"),
            (None, Some(open), _) => {
                let what = match open {
                    Open::At(edge) => format!("the input in {}", place(edge)),
                    Open::Parameter => "a parameter of the entry function".into(),
                };
                format!("the witness leaves {what} open, and with the value that was tried {ended}; {how_far}")
            }
            (None, None, Some(missing)) => {
                format!(
                    "nothing in the program stands for the {missing}; with the inputs of the witness {ended}; {how_far}"
                )
            }
            (None, None, None) => format!("with the inputs of the witness {ended}; {how_far}"),
        };
        let limited = matches!(
            run.outcome,
            Outcome::Limit(Limit::Steps | Limit::Memory | Limit::Depth) | Outcome::Poison(_) | Outcome::Undefined(_)
        );
        let rejected = certain && !limited && (!violated || walker.left.is_some());
        answer(if rejected { ValidationResult::Rejected } else { ValidationResult::Undecided }, reason)
    }

    /// Whether the run depends on the inputs alone, and not on uninitialized memory.
    fn reads_only_written(&self, tape: &Tape, args: &ProgramArgs) -> bool {
        let witness_task = self.witness_task;
        let config = Config {
            properties: witness_task.task.properties,
            max_steps: steps_within(witness_task.budget),
            uninitialized: Uninitialized::Error,
            ..Config::default()
        };
        let run = interp::run(self.program, witness_task.task.entry, args, &mut tape.play(), &config);
        !matches!(
            run.outcome,
            Outcome::Undefined(Fault::Uninitialized | Fault::MissingReturn)
                | Outcome::Violation { fault: Some(Fault::Uninitialized | Fault::MissingReturn), .. }
        )
    }
}
