//! Asks an engine. A proof by invariants or shapes counts only once it was checked apart from the engine that found it.

use crate::{Problem, Request};
use base::Budget;
use cfa::Task;
use engine::{Answer, Engine, Options};
use evidence::{Proof, Reason, Verdict};
use validate::proof::{Flaw, check_proof};

/// The answer of the engine that is asked, whose proof was checked. One that does not pass its check is a bug of whydunit's.
pub fn decide(request: &Request<'_>) -> Result<Answer, Problem> {
    checked(request.engine, request.task, request.options, request.budget)
}

pub(crate) fn checked(engine: &Engine, task: Task<'_>, options: &Options, budget: &Budget) -> Result<Answer, Problem> {
    let mut answer = engine.ask(task, options, budget);
    let Verdict::Safe(proof @ (Proof::Invariants(_) | Proof::Shapes(_))) = &answer.verdict else { return Ok(answer) };
    let outcome = |checked: &Result<(), Flaw>| match checked {
        Ok(()) => "the proof passes".into(),
        Err(Flaw::NotChecked) => "no answer in its time".into(),
        Err(_) => "the proof does not pass".into(),
    };
    match budget.turn("check", |budget| check_proof(proof, task, budget), outcome) {
        Ok(()) => Ok(answer),
        Err(Flaw::NotChecked) => {
            let bound = if let Proof::Invariants(proof) = proof { proof.rounds } else { answer.bound };
            answer.verdict = Verdict::Unknown(Reason::Budget { bound });
            answer.complete = false;
            Ok(answer)
        }
        Err(flaw) => Err(Problem::OwnBug(format!("a proof does not pass its check: {flaw:?}"))),
    }
}
