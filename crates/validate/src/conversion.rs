//! Conversion of violation witnesses by way of the run that they describe. What the structure of one format cannot say in the other one is
//! no loss where the witness says what every input is: then it tells one run, and that run can be told in any format.

use crate::{Answer, Question, interpret};
use witness::Witness;
use witness::convert::{Target, convert, with_metadata_of};
use witness::from_evidence::{Claim, Shape, violation};
use witness::model::Kind;
use witness::program::Source;

/// The witness in another format, or why there is none. `claim` is about the program of the question.
pub fn converted(question: &Question<'_>, to: Target<'_>, claim: &Claim<'_>) -> Result<Witness, String> {
    let structural = convert(question.witness, to, Some(claim.source));
    let shape = match (question.witness, to) {
        (Witness::Automaton(_), Target::Yaml(_)) => Shape::Entries,
        (Witness::Entries(_), Target::GraphMl) => Shape::Automaton,
        _ => return structural,
    };
    if question.witness.kind() != Some(Kind::Violation) {
        return structural;
    }
    let Ok(followed) = interpret::follow(question) else { return structural };
    if followed.validation.result != Answer::Confirmed || !followed.all_stated {
        return structural;
    }
    if let Ok(witness) = &structural
        && is_confirmed(question, witness, claim.source)
    {
        return structural;
    }
    let told = violation(claim, &followed.tape, shape).map(|told| with_metadata_of(question.witness, told, to));
    match told {
        Ok(told) if is_confirmed(question, &told, claim.source) => Ok(told),
        _ => structural.and_then(|_| Err("the converted witness would not describe the same run".into())),
    }
}

fn is_confirmed(question: &Question<'_>, witness: &Witness, source: &Source<'_>) -> bool {
    let asked = Question { witness, file: source.name, ..*question };
    interpret::validate(&asked).result == Answer::Confirmed
}
