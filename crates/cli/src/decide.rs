//! Asks an engine. A proof by invariants counts only once it was checked apart from the engine that found it.

use crate::pipeline::OwnBug;
use anyhow::Result;
use base::Budget;
use cfa::Task;
use engine::{Answer, Engine, Options};
use evidence::{Proof, Reason, Verdict};
use validate::proof::{Flaw, check};

/// The answer of an engine, whose proof was checked. One that does not pass its check is a bug of whydunit's.
pub fn decide(engine: &Engine, task: Task<'_>, options: &Options, budget: &Budget) -> Result<Answer> {
    let mut answer = (engine.decide)(task, options, budget);
    let Verdict::Safe(Proof::Invariants(proof)) = &answer.verdict else { return Ok(answer) };
    match check(proof, task, budget) {
        Ok(()) => Ok(answer),
        Err(Flaw::NotChecked) => {
            answer.verdict = Verdict::Unknown(Reason::Budget { bound: proof.rounds });
            answer.complete = false;
            Ok(answer)
        }
        Err(flaw) => Err(OwnBug(format!("a proof does not pass its check: {flaw:?}")).into()),
    }
}
