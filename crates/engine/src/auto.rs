//! The engine that chooses. A program without inputs is executed, which takes no longer than the program does. Everything else is unrolled, and soon
//! also proved by induction at the same time: the first of the two that knows the answer stops the other.
//!
//! Bounded model checking has the last word where both do not know: its reason says what is in the way.

use crate::{Answer, Task, bmc, induction, run};
use base::Budget;
use evidence::{Reason, Verdict};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, mpsc::Receiver};
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
    race(task, budget)
}

fn race(task: &Task<'_>, budget: &Budget) -> Answer {
    let stop = Arc::new(AtomicBool::new(false));
    let shared = budget.with_cancel(stop.clone());
    std::thread::scope(|scope| {
        let (unrolled, done) = mpsc::channel::<()>();
        let prover = scope.spawn({
            let (stop, budget) = (stop.clone(), shared.clone());
            move || prove(task, &budget, &stop, &done)
        });
        let answer = bmc::decide(task, &shared);
        drop(unrolled);
        // Out of time, or stopped because there is a proof.
        if !matches!(answer.verdict, Verdict::Unknown(Reason::Budget { .. })) {
            stop.store(true, Ordering::Relaxed);
            // The answer is known, however the prover ends.
            let _ = prover.join();
            return answer;
        }
        match prover.join() {
            Ok(Some(proof)) => proof,
            Ok(None) => answer,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// A proof, unless bounded model checking is done first.
fn prove(task: &Task<'_>, budget: &Budget, stop: &AtomicBool, done: &Receiver<()>) -> Option<Answer> {
    if done.recv_timeout(HEAD_START) != Err(RecvTimeoutError::Timeout) {
        return None;
    }
    let answer = induction::decide(task, budget);
    matches!(answer.verdict, Verdict::Safe(_)).then(|| {
        stop.store(true, Ordering::Relaxed);
        answer
    })
}
