//! The engine that chooses. A program without inputs is executed, which takes no longer than the program does. Everything else is unrolled, and soon
//! also proved by induction at the same time: the first of the two that knows the answer stops the other.
//!
//! Bounded model checking has the last word where both do not know: its reason says what is in the way.

use crate::{Answer, Task, bmc, induction, run};
use base::Budget;
use cfa::Program;
use cfa::analysis::Recursion;
use cfa::loops::loops;
use evidence::{Reason, Verdict};
use std::time::Duration;

/// What bounded model checking decides below this bound, or in this time, needs no help. The bound makes it the same on every machine which engine
/// answers about small programs.
const HELPED_BOUND: u32 = 16;
const HEAD_START: Duration = Duration::from_millis(300);

/// Steps that the interpreter makes in a tenth of a second.
const SHORT_RUN: u64 = 3_000_000;
const SHORT_PROOF: Duration = Duration::from_millis(500);

pub fn decide(task: &Task<'_>, budget: &Budget) -> Answer {
    // Bounds, and verdicts for single assertions, are questions about all runs within bounds.
    let plain = !task.all && task.unwind.is_none() && task.limits.is_empty();
    if !plain {
        return bmc::decide(task, budget);
    }
    let has_loops = has_loops(task.program);
    if let Some(answer) = execute(task, has_loops, budget) {
        return answer;
    }
    if !has_loops {
        return bmc::decide(task, budget);
    }
    let progress = budget.progress().clone();
    let is_late = move |worked: Duration| progress.bound() >= HELPED_BOUND || worked > HEAD_START;
    let prove = |budget: &Budget| {
        let answer = induction::decide(task, budget);
        matches!(answer.verdict, Verdict::Safe(_)).then_some(answer)
    };
    // Recursion that is deeper than any bound may still be proved.
    let is_decided =
        |answer: &Answer| !matches!(answer.verdict, Verdict::Unknown(Reason::Budget { .. } | Reason::Bound { .. }));
    base::race(budget, is_late, |budget| bmc::decide(task, budget), prove, is_decided)
}

/// Executes a program without inputs. A run that is long may never end, so a proof is tried before it is executed further.
fn execute(task: &Task<'_>, has_loops: bool, budget: &Budget) -> Option<Answer> {
    let is_decided = |answer: &Answer| !matches!(answer.verdict, Verdict::Unknown(_));
    let answer = run::decide_within(task, SHORT_RUN);
    match &answer.verdict {
        Verdict::Unknown(Reason::Budget { .. }) => {}
        Verdict::Unknown(_) => return None,
        _ => return Some(answer),
    }
    if has_loops {
        let proof = induction::decide(task, &budget.within(SHORT_PROOF));
        if is_decided(&proof) {
            return Some(proof);
        }
    }
    Some(run::decide(task, budget)).filter(is_decided)
}

/// Whether some function has a loop, or may be called while it runs: induction has nothing to say about other programs.
fn has_loops(program: &Program) -> bool {
    let is_recursive = || !Recursion::of(program).functions().is_empty();
    program.functions.ids().any(|function| !loops(program, function).is_empty()) || is_recursive()
}
