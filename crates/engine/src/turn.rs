//! What each engine did and why it stopped, for users who ask: noted in the budget's progress.

use crate::Answer;
use base::Budget;
use evidence::{Proof, Reason, Verdict};

/// The answer of an engine, noted as its turn.
pub fn turn(engine: &'static str, budget: &Budget, work: impl FnOnce(&Budget) -> Answer) -> Answer {
    budget.turn(engine, work, |answer| outcome(answer, budget))
}

fn outcome(answer: &Answer, budget: &Budget) -> String {
    match &answer.verdict {
        Verdict::Safe(Proof::Unwound { .. }) => format!("proved: all runs end within bound {}", answer.bound),
        Verdict::Safe(_) => "proved".into(),
        Verdict::Unsafe(violation) => format!("found a violation of {}", violation.property.name()),
        Verdict::Unknown(_) if budget.cancelled() => "stopped, because another one had the answer".into(),
        Verdict::Unknown(Reason::Budget { .. }) if answer.engine == "fuzz" => {
            "no violation on the inputs it tried".into()
        }
        Verdict::Unknown(Reason::Budget { bound: 0 }) => "no answer in its time".into(),
        Verdict::Unknown(Reason::Budget { bound }) => format!("no answer in its time; it was at bound {bound}"),
        Verdict::Unknown(Reason::Bound { bound, .. }) => format!("no violation up to bound {bound}"),
        Verdict::Unknown(Reason::Unsupported { construct, .. }) => format!("not supported: {construct}"),
        Verdict::Unknown(Reason::LeftOpen { what, .. }) => format!("C leaves open what the answer depends on: {what}"),
        Verdict::Unknown(Reason::Undefined { fault, .. }) => format!("undefined behaviour: {}", fault.describe()),
        Verdict::Unknown(Reason::NotProved { .. }) => "no proof found".into(),
        Verdict::Unknown(Reason::NotReplayed { .. }) => "found a violation that does not replay".into(),
    }
}
