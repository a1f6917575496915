//! The engine that chooses. A program without inputs is executed, which takes no longer than the program does. Everything else is unrolled, and soon
//! also proved by induction at the same time: the first of the two that knows the answer stops the other.
//!
//! Bounded model checking has the last word where both do not know: its reason says what is in the way.

use crate::{Answer, Task, bmc, induction, run};
use base::Budget;
use evidence::{Reason, Verdict};
use std::time::Duration;

/// What bounded model checking decides in this time needs no help.
const HEAD_START: Duration = Duration::from_millis(15);

pub fn decide(task: &Task<'_>, budget: &Budget) -> Answer {
    // Bounds, and verdicts for single assertions, are questions about all runs within bounds.
    let plain = !task.all && task.unwind.is_none() && task.limits.is_empty();
    if !plain {
        return bmc::decide(task, budget);
    }
    let answer = run::decide(task, budget);
    if !matches!(answer.verdict, Verdict::Unknown(_)) {
        return answer;
    }
    let prove = |budget: &Budget| {
        let answer = induction::decide(task, budget);
        matches!(answer.verdict, Verdict::Safe(_)).then_some(answer)
    };
    let is_decided = |answer: &Answer| !matches!(answer.verdict, Verdict::Unknown(Reason::Budget { .. }));
    base::race(budget, HEAD_START, |budget| bmc::decide(task, budget), prove, is_decided)
}
