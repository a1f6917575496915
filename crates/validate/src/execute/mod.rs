//! The inputs of the witness become a C harness; the program is compiled with it by the system's compiler and run, and the violation must be
//! observed (Beyer et al. 2022, figures 10 and 12). The data model is that of the witness: `-m32` or `-m64`.

pub mod harness;
mod library_inputs;
pub mod sandbox;

use crate::{Validation, ValidationResult, WitnessTask, interpret};
use base::{Budget, SourceMap};
use cfa::interp::{Outcome, Run};
use cfa::{Property, PropertySet, Task};
use evidence::Tape;
use harness::{ASSERTION, ASSUMPTION, BAD_ACCESS, BAD_FREE, Harness, LEAK, LOST, OVERFLOW, REACHED};
use sandbox::{Compiled, Directory, Ended, Recipe};
use std::time::Duration;

pub const NAME: &str = "execute";
pub const COMPILER: &str = "cc";

/// The longest that a compiled program may run.
const WALL: Duration = Duration::from_secs(60);

pub fn validate(witness_task: &WitnessTask<'_>) -> Validation {
    let undecided = |reason: String| Validation {
        result: ValidationResult::Undecided,
        how: NAME,
        reason,
        progress: crate::WitnessProgress::default(),
    };
    let followed = match interpret::follow(witness_task) {
        Ok(followed) => followed,
        Err(reason) => return undecided(reason),
    };
    let interpreted = followed.validation;
    let answer = |result, reason: String| Validation { result, how: NAME, reason, progress: interpreted.progress };
    if interpreted.result == ValidationResult::Rejected {
        return answer(ValidationResult::Rejected, interpreted.reason);
    }
    if followed.left || followed.doubtful {
        return answer(ValidationResult::Undecided, interpreted.reason);
    }
    let WitnessTask { sources, task, .. } = *witness_task;
    let case = Case { sources, task, tape: &followed.tape, run: &followed.run };
    match case.observe(witness_task.budget) {
        Ok(Observed::Violation(property)) => answer(
            ValidationResult::Confirmed,
            format!("the compiled program violates {} on the inputs of the witness", property.name()),
        ),
        Ok(Observed::Other(what)) => {
            let mut reason = format!("the compiled program was run on the inputs of the witness, and {what}");
            if interpreted.result == ValidationResult::Undecided {
                reason = format!("{reason}; the interpreter says: {}", interpreted.reason);
            }
            answer(ValidationResult::Undecided, reason)
        }
        Err(reason) => answer(ValidationResult::Undecided, reason),
    }
}

/// What was seen of a run.
pub enum Observed {
    Violation(Property),
    /// Nothing that was asked for; what happened instead.
    Other(String),
}

/// A run of the interpreter's, for compiled code.
#[derive(Clone, Copy)]
pub struct Case<'a> {
    pub sources: &'a SourceMap,
    pub task: Task<'a>,
    pub tape: &'a Tape,
    pub run: &'a Run,
}

impl Case<'_> {
    pub fn harness(&self) -> Result<Harness, String> {
        harness::harness(self, None)
    }

    /// Compiles and runs, not longer than it may: first without a library, which is quicker; what is then observed was observed.
    pub fn observe(&self, budget: &Budget) -> Result<Observed, String> {
        let mut harnesses = vec![self.harness()?];
        // Compilers rearrange sums before the sanitizer sees them: then the operands are looked at.
        let overflow = matches!(self.run.outcome, Outcome::Violation { property: Property::NoOverflow, .. });
        if let Some(check) = self.run.end.filter(|_| overflow).and_then(|end| harness::overflow_check(self, end)) {
            let mut checked = harness::harness(self, Some(check))?;
            checked.sanitized = false;
            harnesses.push(checked);
        }
        for harness in &harnesses {
            match observe_bare(harness, budget)? {
                Some(Observed::Other(_)) if budget.expired() => {
                    return Ok(Observed::Other("it did not end in time".into()));
                }
                Some(Observed::Violation(property)) => return Ok(Observed::Violation(property)),
                _ => {}
            }
        }
        let mut observed = observe(&harnesses[0], budget)?;
        for harness in &harnesses[1..] {
            if let (Observed::Other(_), Ok(Observed::Violation(property))) = (&observed, observe(harness, budget)) {
                observed = Observed::Violation(property);
            }
        }
        Ok(observed)
    }
}

/// What a compilation or a run may take.
fn time_left(budget: &Budget) -> Duration {
    budget.remaining().map_or(WALL, |left| left.min(WALL))
}

fn observe_bare(harness: &Harness, budget: &Budget) -> Result<Option<Observed>, String> {
    let folder = Directory::create()?;
    let Some(Compiled { binary, recipe }) = sandbox::compile_bare(harness, COMPILER, folder.path(), time_left(budget))?
    else {
        return Ok(None);
    };
    Ok(Some(interpretation(&sandbox::run(&binary, harness, &recipe, time_left(budget))?, harness.properties)))
}

/// The violation that some recipe shows; else what the first one that can be carried out shows.
fn observe(harness: &Harness, budget: &Budget) -> Result<Observed, String> {
    let mut first = Err("there is no way to compile the program here".to_string());
    for (index, recipe) in sandbox::recipes(harness, COMPILER).into_iter().enumerate() {
        let observed = observe_by(harness, recipe, budget);
        if let Ok(Observed::Violation(_)) = observed {
            return observed;
        }
        if index == 0 || first.is_err() && observed.is_ok() {
            first = observed;
        }
        if budget.expired() {
            break;
        }
    }
    first
}

fn observe_by(harness: &Harness, recipe: Recipe, budget: &Budget) -> Result<Observed, String> {
    let folder = Directory::create()?;
    let compiled = sandbox::compile(harness, recipe, COMPILER, folder.path(), time_left(budget))?;
    let Compiled { binary, mut recipe } = compiled;
    let ended = sandbox::run(&binary, harness, &recipe, time_left(budget))?;
    let observed = interpretation(&ended, harness.properties);
    if recipe.guarded && matches!(observed, Observed::Other(_)) && ended.code.is_some() {
        recipe.flags.push("-DWHYDUNIT_GUARDED_BEFORE".into());
        sandbox::compile_as(harness, &recipe, COMPILER, folder.path(), time_left(budget))?;
        let again = interpretation(&sandbox::run(&binary, harness, &recipe, time_left(budget))?, harness.properties);
        if matches!(again, Observed::Violation(_)) {
            return Ok(again);
        }
    }
    Ok(observed)
}

fn interpretation(ended: &Ended, properties: PropertySet) -> Observed {
    let violation_content = |(code, message): (i32, &str)| ended.code == Some(code) && ended.stderr.contains(message);
    let asked = |candidates: &[Property]| candidates.iter().copied().find(|property| properties.contains(*property));
    let leak = ended.stderr.contains("LeakSanitizer: detected memory leaks");
    let sanitizer = ended.stderr.contains("AddressSanitizer") && ended.code == Some(112) && !leak;
    let bad_free = ["attempting free", "attempting double-free", "bad-free", "not malloc"];
    let candidates: &[Property] = if !ended.in_time {
        return Observed::Other("it did not end in time".into());
    } else if violation_content(REACHED) {
        &[Property::UnreachCall]
    } else if violation_content(ASSERTION) {
        &[Property::Assertion]
    } else if violation_content(BAD_ACCESS) {
        &[Property::ValidDeref]
    } else if violation_content(OVERFLOW) {
        &[Property::NoOverflow]
    } else if violation_content(ASSUMPTION) {
        return Observed::Other("an assumption of the program failed".into());
    } else if violation_content(BAD_FREE) || (sanitizer && bad_free.iter().any(|text| ended.stderr.contains(text))) {
        &[Property::ValidFree]
    } else if sanitizer && ended.stderr.contains("AddressSanitizer: FPE") {
        // As without the sanitizer: it catches the signal.
        &[Property::DivByZero]
    } else if sanitizer {
        &[Property::ValidDeref]
    } else if violation_content(LOST) || leak {
        &[Property::ValidMemtrack, Property::ValidMemcleanup]
    } else if violation_content(LEAK) {
        &[Property::ValidMemcleanup]
    } else {
        match ended.signal {
            Some(libc::SIGILL) => &[Property::NoOverflow, Property::ValidDeref, Property::ShiftRange],
            Some(libc::SIGSEGV | libc::SIGBUS) => &[Property::ValidDeref],
            Some(libc::SIGFPE) => &[Property::DivByZero],
            _ => &[],
        }
    };
    match asked(candidates) {
        Some(property) => Observed::Violation(property),
        None => Observed::Other(match (ended.code, ended.signal) {
            (_, Some(signal)) => format!("it was ended by signal {signal}"),
            (Some(code), None) => format!("it ended with code {code}"),
            (None, None) => "it ended".into(),
        }),
    }
}
