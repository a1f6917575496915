//! Layer 5: is what a witness claims true? Each way to find out is one folder and one line in [`VALIDATORS`].

mod condition;
pub mod conversion;
pub mod correctness;
pub mod execute;
pub mod interpret;
mod lifetimes;
mod moments;
mod places;
pub mod proof;
pub mod refine;
mod remaining;
mod spelling;
pub mod statics;
mod table;
mod walk;

use base::{Budget, SourceMap};
use cfa::Task;
use witness::Witness;

/// A witness, and the program it is about.
#[derive(Clone, Copy)]
pub struct WitnessTask<'a> {
    pub witness: &'a Witness,
    pub sources: &'a SourceMap,
    /// The file of the map that the witness is about.
    pub file: &'a str,
    /// What the witness claims to be violated, or to hold.
    pub task: Task<'a>,
    pub budget: &'a Budget,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValidationResult {
    Confirmed,
    /// It is certain that the witness does not show what it claims.
    Rejected,
    Undecided,
    /// What was found does not replay: a bug of whydunit's, and no answer.
    OwnBug,
}

impl ValidationResult {
    pub fn name(self) -> &'static str {
        match self {
            ValidationResult::Confirmed => "confirmed",
            ValidationResult::Rejected => "rejected",
            ValidationResult::Undecided | ValidationResult::OwnBug => "undecided",
        }
    }
}

/// How far a run followed the witness: segments of a sequence, or edges on the way to the violation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct WitnessProgress {
    pub matched: usize,
    pub total: usize,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Validation {
    pub result: ValidationResult,
    /// The validator that answered.
    pub how: &'static str,
    /// One sentence for the report.
    pub reason: String,
    pub progress: WitnessProgress,
}

pub struct Validator {
    pub name: &'static str,
    pub about: &'static str,
    /// Whether it can also say something about all runs, as a correctness witness needs.
    pub all_runs: bool,
    pub validate: fn(&WitnessTask<'_>) -> Validation,
}

pub static VALIDATORS: &[Validator] = &[
    Validator {
        name: statics::NAME,
        about: "symbolic execution of what the witness describes",
        all_runs: true,
        validate: statics::validate,
    },
    Validator {
        name: interpret::NAME,
        about: "the interpreter follows the witness",
        all_runs: false,
        validate: interpret::validate,
    },
    Validator {
        name: execute::NAME,
        about: "the program is compiled and run on the inputs of the witness",
        all_runs: false,
        validate: execute::validate,
    },
];

/// The validator of a name.
pub fn validator(name: &str) -> Option<&'static Validator> {
    VALIDATORS.iter().find(|validator| validator.name == name)
}

/// Interprets a witness that gives the inputs; what the interpreter does not find true is asked of the solver, which knows all runs.
pub fn validate(witness_task: &WitnessTask<'_>) -> Validation {
    if witness_task.witness.kind() == Some(witness::Kind::Correctness) {
        return correctness::validate(witness_task);
    }
    let part = witness_task.budget.remaining().map(|left| witness_task.budget.within(left / 4));
    let followed =
        interpret::validate(&WitnessTask { budget: part.as_ref().unwrap_or(witness_task.budget), ..*witness_task });
    if followed.result == ValidationResult::Confirmed {
        return followed;
    }
    let searched = statics::validate(witness_task);
    match (searched.result, followed.result) {
        (ValidationResult::Undecided, ValidationResult::Rejected) => followed,
        _ => searched,
    }
}
