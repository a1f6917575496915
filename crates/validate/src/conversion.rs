//! Conversion of violation witnesses by way of the run that they describe. What the structure of one format cannot say in the other one is
//! no loss where the witness says what every input is: then it describes one run, and that run can be written in any format.

use crate::{ValidationResult, WitnessTask, interpret};
use witness::Witness;
use witness::convert::{Target, convert, with_metadata_of};
use witness::from_evidence::{Claim, Shape, violation};
use witness::model::Kind;
use witness::program::Source;

/// The witness in another format, or why there is none. `claim` is about the program of the task.
pub fn converted(witness_task: &WitnessTask<'_>, to: Target<'_>, claim: &Claim<'_>) -> Result<Witness, String> {
    let structural = convert(witness_task.witness, to, Some(claim.source));
    let shape = match (witness_task.witness, to) {
        (Witness::Automaton(_), Target::Yaml(_)) => Shape::Entries,
        (Witness::Entries(_), Target::GraphMl) => Shape::Automaton,
        _ => return structural,
    };
    if witness_task.witness.kind() != Some(Kind::Violation) {
        return structural;
    }
    let Ok(followed) = interpret::follow(witness_task) else { return structural };
    if followed.validation.result != ValidationResult::Confirmed || !followed.all_stated {
        return structural;
    }
    if let Ok(witness) = &structural
        && is_confirmed(witness_task, witness, claim.source)
    {
        return structural;
    }
    let rewritten =
        violation(claim, &followed.tape, shape).map(|rewritten| with_metadata_of(witness_task.witness, rewritten, to));
    match rewritten {
        Ok(rewritten) if is_confirmed(witness_task, &rewritten, claim.source) => Ok(rewritten),
        _ => structural.and_then(|_| Err("the converted witness would not describe the same run".into())),
    }
}

fn is_confirmed(witness_task: &WitnessTask<'_>, witness: &Witness, source: &Source<'_>) -> bool {
    let asked = WitnessTask { witness, file: source.name, ..*witness_task };
    interpret::validate(&asked).result == ValidationResult::Confirmed
}
