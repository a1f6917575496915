//! The engine that chooses. A program without inputs is executed, which takes no longer than the program does. Everything else is unrolled, and soon
//! also proved by induction at the same time: the first of the two that knows the answer stops the other.
//!
//! Bounded model checking has the last word where both do not know: its reason says what is in the way.

use crate::{Answer, Options, bmc, induction, run};
use base::Budget;
use cfa::loops::loops;
use cfa::{Program, Task};
use evidence::{Reason, Verdict};
use std::time::Duration;

/// What bounded model checking decides below this bound, or in this time, needs no help. The bound makes it the same on every machine which engine
/// answers about small programs.
const HELPED_BOUND: u32 = 16;
const HEAD_START: Duration = Duration::from_millis(300);

/// Steps that the interpreter makes in a tenth of a second.
const SHORT_RUN: u64 = 20_000_000;

pub fn decide(task: Task<'_>, options: &Options, budget: &Budget) -> Answer {
    // Bounds, and verdicts for single assertions, are questions about all runs within bounds.
    let plain = !options.all && options.unwind.is_none() && options.limits.is_empty();
    if !plain {
        return bmc::decide(task, options, budget);
    }
    let has_loops = has_loops(task.program);
    if let Some(answer) = execute(task, options, has_loops, budget) {
        return answer;
    }
    if !has_loops {
        return bmc::decide(task, options, budget);
    }
    let progress = budget.progress().clone();
    let is_late = move |worked: Duration| progress.bound() >= HELPED_BOUND || worked > HEAD_START;
    let unroll = |budget: &Budget| bmc::decide(task, options, budget);
    let prove = |budget: &Budget| prove(task, options, budget);
    base::race(budget, is_late, unroll, prove, |answer| !is_out_of_budget(answer))
}

/// Executes a program without inputs. A run that is long may never end, so a proof is tried at the same time.
fn execute(task: Task<'_>, options: &Options, has_loops: bool, budget: &Budget) -> Option<Answer> {
    let mut answer = run::decide_within(task, SHORT_RUN, budget);
    if has_loops && is_out_of_budget(&answer) {
        let run = |budget: &Budget| run::decide(task, options, budget);
        let prove = |budget: &Budget| prove(task, options, budget);
        answer = base::race(budget, |_| true, run, prove, |answer| !is_out_of_budget(answer));
    }
    (!matches!(answer.verdict, Verdict::Unknown(_))).then_some(answer)
}

fn prove(task: Task<'_>, options: &Options, budget: &Budget) -> Option<Answer> {
    let answer = induction::decide(task, options, budget);
    matches!(answer.verdict, Verdict::Safe(_)).then_some(answer)
}

fn is_out_of_budget(answer: &Answer) -> bool {
    matches!(answer.verdict, Verdict::Unknown(Reason::Budget { .. }))
}

/// Whether some function has a loop: induction has nothing to say about other programs.
fn has_loops(program: &Program) -> bool {
    program.functions.ids().any(|function| !loops(program, function).is_empty())
}
