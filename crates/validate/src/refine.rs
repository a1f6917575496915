//! Refinement: from a violation witness that leaves things open to one that says every input, for a run that the first one describes.

use crate::{Validation, ValidationResult, WitnessTask, interpret, statics};
use evidence::Tape;

/// The run to write down, or why there is none. A witness that gives all inputs already has its run.
pub fn refine(witness_task: &WitnessTask<'_>) -> Result<Tape, Validation> {
    if let Ok(followed) = interpret::follow(witness_task)
        && followed.validation.result == ValidationResult::Confirmed
    {
        return Ok(followed.tape);
    }
    match statics::search(witness_task) {
        (Some(found), _) => Ok(found.tape),
        (None, validation) => Err(validation),
    }
}
