//! The engine that chooses. A program without inputs is executed, which takes no longer than the program does. Everything else is unrolled; soon inputs
//! are tried and a proof by shapes or induction is searched at the same time: the first that knows the answer stops the others.
//!
//! Bounded model checking has the last word where both do not know: its reason says what is in the way.

use crate::fuzz::{self, Effort};
use crate::turn::turn;
use crate::{Answer, Options, bmc, induction, run, shapes};
use base::Budget;
use cfa::analysis::Recursion;
use cfa::library::LibFn;
use cfa::loops::loops;
use cfa::{Body, Callee, Op, Program, Task};
use evidence::{Reason, Verdict};
use std::time::Duration;

/// What bounded model checking decides below this bound, or in this time, needs no help. The bound makes it the same on every machine which engine
/// answers about small programs.
const HELPED_BOUND: u32 = 16;
const HEAD_START: Duration = Duration::from_millis(300);

/// Inputs that are tried before a proof is begun: some hundredths of a second.
const FIRST_INPUTS: Effort = Effort { seed: 1, steps: 4_000_000 };
/// Inputs that are tried while a proof is searched, when that has taken a while, and for how long at least.
const MORE_INPUTS: Effort = Effort { seed: 2, steps: u64::MAX };
const TRY_MORE_AFTER: Duration = Duration::from_millis(400);
const TRYING: Duration = Duration::from_millis(1500);

/// How long the shapes of lists may be looked for before induction begins.
const LEAST_FOR_SHAPES: Duration = Duration::from_secs(3);
const MOST_FOR_SHAPES: Duration = Duration::from_secs(20);

/// Steps that the interpreter makes in a tenth of a second.
const SHORT_RUN: u64 = 20_000_000;

pub fn decide(task: Task<'_>, options: &Options, budget: &Budget) -> Answer {
    // Bounds, and verdicts for single assertions, are questions about all runs within bounds.
    if !options.is_default() {
        return turn("bmc", budget, |budget| bmc::decide(task, options, budget));
    }
    let has_loops = has_loops(task.program);
    if let Some(answer) = execute(task, options, has_loops, budget) {
        return answer;
    }
    let progress = budget.progress().clone();
    let is_late = move |worked: Duration| progress.bound() >= HELPED_BOUND || worked > HEAD_START;
    let unroll = |budget: &Budget| turn("bmc", budget, |budget| bmc::decide(task, options, budget));
    let help = |budget: &Budget| help(task, options, has_loops, budget);
    base::race(budget, is_late, unroll, help, |answer| !is_out_of_budget(answer))
}

/// Tries some inputs; then tries to prove the program, and more inputs at the same time.
fn help(task: Task<'_>, options: &Options, has_loops: bool, budget: &Budget) -> Option<Answer> {
    let try_inputs = |effort: Effort, budget: &Budget| {
        let answer = turn("fuzz", budget, |budget| fuzz::decide_within(task, effort, budget));
        (!is_out_of_budget(&answer)).then_some(answer)
    };
    if let Some(found) = try_inputs(FIRST_INPUTS, budget) {
        return Some(found);
    }
    let prove = |budget: &Budget| if has_loops { prove(task, options, budget) } else { None };
    let try_more = |budget: &Budget| {
        let time = budget.remaining().map_or(TRYING, |left| TRYING.max(left / 3));
        try_inputs(MORE_INPUTS, &budget.within(time)).map(Some)
    };
    base::race(budget, |worked| worked > TRY_MORE_AFTER, prove, try_more, Option::is_some)
}

/// Executes a program without inputs. A run that is long may never end, so a proof is tried at the same time.
fn execute(task: Task<'_>, options: &Options, has_loops: bool, budget: &Budget) -> Option<Answer> {
    let mut answer = turn("run", budget, |budget| run::decide_within(task, SHORT_RUN, budget));
    if has_loops && is_out_of_budget(&answer) {
        let run = |budget: &Budget| turn("run", budget, |budget| run::decide(task, options, budget));
        let prove = |budget: &Budget| prove(task, options, budget);
        answer = base::race(budget, |_| true, run, prove, |answer| !is_out_of_budget(answer));
    }
    (!matches!(answer.verdict, Verdict::Unknown(_))).then_some(answer)
}

fn prove(task: Task<'_>, options: &Options, budget: &Budget) -> Option<Answer> {
    // Induction knows nothing of lists of any length; whether shapes do is known soon.
    if allocates(task.program) && task.properties.iter().all(shapes::supports) {
        let time = budget.remaining().map_or(LEAST_FOR_SHAPES, |left| left / 8);
        let time = time.clamp(LEAST_FOR_SHAPES, MOST_FOR_SHAPES);
        let answer = turn("shapes", budget, |budget| shapes::decide(task, options, &budget.within(time)));
        if matches!(answer.verdict, Verdict::Safe(_)) {
            return Some(answer);
        }
    }
    let answer = turn("induction", budget, |budget| induction::decide(task, options, budget));
    matches!(answer.verdict, Verdict::Safe(_)).then_some(answer)
}

/// Whether another engine may know more. Recursion that is deeper than any bound may still be proved.
fn is_out_of_budget(answer: &Answer) -> bool {
    matches!(answer.verdict, Verdict::Unknown(Reason::Budget { .. } | Reason::Bound { .. }))
}

/// Whether memory is allocated somewhere.
fn allocates(program: &Program) -> bool {
    program.edges.values().any(|edge| match edge.op {
        Op::Call { callee: Callee::Direct(function), .. } => {
            matches!(program.functions[function].body, Body::Library(LibFn::Malloc | LibFn::Calloc))
        }
        _ => false,
    })
}

/// Whether some function has a loop, or may be called while it runs: induction has nothing to say about other programs.
fn has_loops(program: &Program) -> bool {
    let is_recursive = || !Recursion::of(program).functions().is_empty();
    program.functions.ids().any(|function| !loops(program, function).is_empty()) || is_recursive()
}
