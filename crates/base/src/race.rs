//! Two ways to an answer at the same time: the first that knows it stops the other.

use crate::Budget;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How often it is asked whether the second one should start.
const POLL: Duration = Duration::from_millis(3);

/// Starts `second` when `first` has no answer yet and `is_late` says so, given how long `first` has worked. The answer of `first` counts if it is decided, or if `second` has none;
/// both must stop when their budget is cancelled.
pub fn race<T: Send>(
    budget: &Budget,
    is_late: impl Fn(Duration) -> bool + Send,
    first: impl FnOnce(&Budget) -> T,
    second: impl FnOnce(&Budget) -> Option<T> + Send,
    is_decided: impl Fn(&T) -> bool,
) -> T {
    let stop = Arc::new(AtomicBool::new(false));
    let shared = budget.with_cancel(stop.clone());
    std::thread::scope(|scope| {
        let (working, done) = mpsc::channel::<()>();
        let other = scope.spawn({
            let (stop, shared) = (stop.clone(), shared.clone());
            move || {
                let start = Instant::now();
                while !is_late(start.elapsed()) {
                    if done.recv_timeout(POLL) != Err(RecvTimeoutError::Timeout) {
                        return None;
                    }
                }
                let answer = second(&shared);
                if answer.is_some() {
                    stop.store(true, Ordering::Relaxed);
                }
                answer
            }
        });
        let answer = first(&shared);
        drop(working);
        if is_decided(&answer) {
            stop.store(true, Ordering::Relaxed);
            // The answer is known, however the other one ends.
            let _ = other.join();
            return answer;
        }
        match other.join() {
            Ok(found) => found.unwrap_or(answer),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(budget: &Budget) {
        while !budget.expired() {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn the_first_answer_stops_the_other() {
        let budget = Budget::for_duration(Duration::from_secs(60));
        let slow_first = |budget: &Budget| {
            wait(budget);
            0
        };
        assert_eq!(race(&budget, |_| true, slow_first, |_| Some(2), |answer| *answer != 0), 2);
        let slow_second = |budget: &Budget| {
            wait(budget);
            None
        };
        let quick_first = |_: &Budget| {
            std::thread::sleep(Duration::from_millis(20));
            1
        };
        assert_eq!(race(&budget, |_| true, quick_first, slow_second, |answer| *answer != 0), 1);
        assert!(!budget.expired());
    }

    #[test]
    fn the_second_is_not_asked_when_the_first_is_quick() {
        let budget = Budget::unlimited();
        let second = |_: &Budget| -> Option<i32> { panic!("the first one knows") };
        assert_eq!(race(&budget, |_| false, |_| 1, second, |_| true), 1);
    }

    #[test]
    fn without_an_answer_the_first_says_why() {
        let budget = Budget::unlimited();
        assert_eq!(race(&budget, |_| true, |_| 7, |_| None, |_| false), 7);
    }
}
