//! How far a stage is, for whoever shows it: written by engines, read by another thread.

use std::sync::atomic::{AtomicU32, Ordering};

#[derive(Debug, Default)]
pub struct Progress {
    bound: AtomicU32,
}

impl Progress {
    /// The bound that is being looked at.
    pub fn bound(&self) -> u32 {
        self.bound.load(Ordering::Relaxed)
    }

    pub fn set_bound(&self, bound: u32) {
        self.bound.store(bound, Ordering::Relaxed);
    }
}
