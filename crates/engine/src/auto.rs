//! The engine that chooses: a program without inputs is executed, which takes no longer than the program does; everything else is unrolled.

use crate::{Answer, Task, bmc, run};
use base::Budget;
use evidence::Verdict;

pub fn decide(task: &Task<'_>, budget: &Budget) -> Answer {
    // Bounds, and verdicts for single assertions, are questions about all runs within bounds.
    let plain = !task.all && task.unwind.is_none() && task.limits.is_empty();
    if plain {
        let answer = run::decide(task, budget);
        if !matches!(answer.verdict, Verdict::Unknown(_)) {
            return answer;
        }
    }
    bmc::decide(task, budget)
}
