//! The progress of a stage: written by engines, read by the thread that displays it.

use crate::{Size, Sizes};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

#[derive(Debug)]
pub struct Progress {
    start: Instant,
    bound: AtomicU32,
    stage: Mutex<Option<&'static str>>,
    turns: Mutex<Vec<(Turn, Arc<Sizes>)>>,
    explored: Mutex<Option<Explored>>,
}

/// The last bound within which everything was looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Explored {
    pub bound: u32,
    /// When that was, counted from the beginning of all work.
    pub done: Duration,
    /// The number of the edge behind which runs go on.
    pub goes_on: usize,
}

/// One engine's attempt at an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Turn {
    pub engine: &'static str,
    /// When it began, counted from the beginning of all work.
    pub began: Duration,
    /// How long it took and how it ended, in words; of one that still works, nothing.
    pub ended: Option<(Duration, String)>,
    /// How large its questions became.
    pub size: Size,
}

impl Default for Progress {
    fn default() -> Self {
        Progress {
            start: Instant::now(),
            bound: AtomicU32::new(0),
            stage: Mutex::default(),
            turns: Mutex::default(),
            explored: Mutex::default(),
        }
    }
}

impl Progress {
    /// The bound that is being looked at.
    pub fn bound(&self) -> u32 {
        self.bound.load(Ordering::Relaxed)
    }

    pub fn set_bound(&self, bound: u32) {
        self.bound.store(bound, Ordering::Relaxed);
    }

    /// How far the search with growing bounds is.
    pub fn explored(&self) -> Option<Explored> {
        *self.explored.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Everything within the bound was looked at, and runs go on behind an edge.
    pub fn set_explored(&self, bound: u32, goes_on: usize) {
        let done = self.start.elapsed();
        *self.explored.lock().unwrap_or_else(PoisonError::into_inner) = Some(Explored { bound, done, goes_on });
    }

    /// Since the beginning of all work.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// What is being done, once the engine has answered.
    pub fn stage(&self) -> Option<&'static str> {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn set_stage(&self, stage: &'static str) {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = Some(stage);
    }

    /// Does the work of an engine, and notes how it ended; see [`crate::Budget::turn`].
    pub(crate) fn turn<T>(
        &self,
        engine: &'static str,
        sizes: &Arc<Sizes>,
        work: impl FnOnce() -> T,
        outcome: impl FnOnce(&T) -> String,
    ) -> T {
        let turns = || self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        let began = self.start.elapsed();
        let number = {
            let mut turns = turns();
            turns.push((Turn { engine, began, ended: None, size: Size::default() }, sizes.clone()));
            turns.len() - 1
        };
        let result = work();
        turns()[number].0.ended = Some((self.start.elapsed() - began, outcome(&result)));
        result
    }

    /// In the order in which they began.
    pub fn turns(&self) -> Vec<Turn> {
        let turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        turns.iter().map(|(turn, sizes)| Turn { size: sizes.get(), ..turn.clone() }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_listed_as_they_began() {
        let progress = Progress::default();
        let sizes = Arc::default();
        let inner = || progress.turn("inner", &sizes, || 1, |result| format!("gave {result}"));
        let during = progress.turn("outer", &sizes, || (inner(), progress.turns()[0].clone()), |_| "ended".into()).1;
        assert_eq!((during.engine, during.ended), ("outer", None));
        let outcomes: Vec<(&str, String)> =
            progress.turns().into_iter().map(|turn| (turn.engine, turn.ended.expect("all ended").1)).collect();
        assert_eq!(outcomes, [("outer", "ended".to_string()), ("inner", "gave 1".to_string())]);
    }
}
