//! The progress of a stage: written by engines, read by the thread that displays it.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

#[derive(Debug, Default)]
pub struct Progress {
    bound: AtomicU32,
    stage: Mutex<Option<&'static str>>,
}

impl Progress {
    /// The bound that is being looked at.
    pub fn bound(&self) -> u32 {
        self.bound.load(Ordering::Relaxed)
    }

    pub fn set_bound(&self, bound: u32) {
        self.bound.store(bound, Ordering::Relaxed);
    }

    /// What is being done, once the engine has answered.
    pub fn stage(&self) -> Option<&'static str> {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn set_stage(&self, stage: &'static str) {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = Some(stage);
    }
}
