//! How long a stage may work: a deadline, a cancel flag, limits on solver conflicts and effort; and where it says how far it is. Cheap to copy and
//! to ask.

use crate::{Progress, Sizes};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A budget is shared by everything that works on one answer; the flag of a clone is the same flag.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    deadline: Option<Instant>,
    cancel: Option<Arc<Cancel>>,
    conflicts: Option<u64>,
    effort: Option<Arc<Effort>>,
    progress: Arc<Progress>,
    sizes: Option<Arc<Sizes>>,
}

/// Flags that end work: a budget's own, and those of the one that it is a part of.
#[derive(Debug)]
struct Cancel {
    flag: Arc<AtomicBool>,
    part_of: Option<Arc<Cancel>>,
}

impl Cancel {
    fn is_set(&self) -> bool {
        self.flag.load(Ordering::Relaxed) || self.part_of.as_ref().is_some_and(|whole| whole.is_set())
    }
}

/// What is left of a budget's effort, and of the one that it is a part of.
#[derive(Debug)]
struct Effort {
    left: AtomicU64,
    part_of: Option<Arc<Effort>>,
}

impl Effort {
    fn spend(&self, effort: u64) {
        let rest = self.left().saturating_sub(effort);
        self.left.store(rest, Ordering::Relaxed);
        if let Some(whole) = &self.part_of {
            whole.spend(effort);
        }
    }

    fn left(&self) -> u64 {
        let left = self.left.load(Ordering::Relaxed);
        self.part_of.as_ref().map_or(left, |whole| whole.left().min(left))
    }
}

impl Budget {
    /// No limit at all.
    pub fn unlimited() -> Self {
        Budget::default()
    }

    pub fn for_duration(time: Duration) -> Self {
        Budget::unlimited().within(time)
    }

    /// The same budget, but not past `time` from now.
    pub fn within(&self, time: Duration) -> Self {
        match Instant::now().checked_add(time) {
            Some(deadline) => self.until(deadline),
            None => self.clone(),
        }
    }

    /// The same budget, but not past `deadline`: the earlier one counts.
    pub fn until(&self, deadline: Instant) -> Self {
        let deadline = self.deadline.map_or(deadline, |old| old.min(deadline));
        Budget { deadline: Some(deadline), ..self.clone() }
    }

    /// The same budget with a fair part of the time that is left, for the first of several stages.
    pub fn share(&self, stages: u32) -> Self {
        match self.remaining() {
            Some(left) => self.within(left / stages.max(1)),
            None => self.clone(),
        }
    }

    /// The same budget, which also ends when `flag` is set.
    pub fn with_cancel(&self, flag: Arc<AtomicBool>) -> Self {
        let part_of = self.cancel.clone();
        Budget { cancel: Some(Arc::new(Cancel { flag, part_of })), ..self.clone() }
    }

    /// The same budget with at most this many conflicts for each call of a SAT solver.
    pub fn with_conflicts(&self, conflicts: u64) -> Self {
        Budget { conflicts: Some(conflicts), ..self.clone() }
    }

    /// The same budget with at most this much effort in all, which counts against what there was before. Unlike time it is the same on every machine; a unit is about five microseconds of a SAT
    /// solver's work, or of what prepares it.
    pub fn with_effort(&self, effort: u64) -> Self {
        let part_of = self.effort.clone();
        Budget { effort: Some(Arc::new(Effort { left: AtomicU64::new(effort), part_of })), ..self.clone() }
    }

    /// Takes away from the effort that is left.
    pub fn spend(&self, effort: u64) {
        if let Some(left) = &self.effort {
            left.spend(effort);
        }
    }

    /// Does the work of an engine, and notes in the progress how it ended and how large its questions were.
    pub fn turn<T>(
        &self,
        engine: &'static str,
        work: impl FnOnce(&Budget) -> T,
        outcome: impl FnOnce(&T) -> String,
    ) -> T {
        let sizes = Arc::<Sizes>::default();
        let measured = Budget { sizes: Some(sizes.clone()), ..self.clone() };
        self.progress.turn(engine, &sizes, || work(&measured), outcome)
    }

    /// Where the sizes of questions are noted, if anybody wants to know.
    pub fn sizes(&self) -> Option<&Sizes> {
        self.sizes.as_deref()
    }

    fn exhausted(&self) -> bool {
        self.effort() == Some(0)
    }

    /// Shared by all clones.
    pub fn progress(&self) -> &Arc<Progress> {
        &self.progress
    }

    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Conflicts that the next call of a SAT solver may take.
    pub fn conflicts(&self) -> Option<u64> {
        self.conflicts
    }

    /// The effort that is left.
    pub fn effort(&self) -> Option<u64> {
        self.effort.as_ref().map(|effort| effort.left())
    }

    pub fn remaining(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Only the flags: one or two atomic loads, for loops that run a million times a second.
    #[inline]
    pub fn cancelled(&self) -> bool {
        self.cancel.as_ref().is_some_and(|flag| flag.is_set())
    }

    /// Whether work must stop. Conflicts are counted by the solver, not here.
    #[inline]
    pub fn expired(&self) -> bool {
        self.cancelled() || self.exhausted() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effort_is_shared() {
        let budget = Budget::unlimited().with_effort(10).with_conflicts(7);
        let clone = budget.clone();
        budget.spend(6);
        assert_eq!((clone.conflicts(), clone.effort()), (Some(7), Some(4)));
        clone.spend(6);
        assert!(budget.expired());
    }

    #[test]
    fn a_part_counts_against_the_whole() {
        let whole = Budget::unlimited().with_effort(10);
        whole.with_effort(100).spend(4);
        let part = whole.with_effort(3);
        assert_eq!((whole.effort(), part.effort()), (Some(6), Some(3)));
        part.spend(5);
        assert!(part.expired() && !whole.expired());
        assert_eq!(whole.effort(), Some(1));
    }

    #[test]
    fn the_earlier_limit_counts() {
        let flag = Arc::new(AtomicBool::new(false));
        let budget = Budget::for_duration(Duration::from_secs(3600)).with_cancel(flag.clone());
        assert!(!budget.expired());
        assert!(budget.within(Duration::ZERO).expired());
        let longer = budget.within(Duration::from_secs(7200));
        assert_eq!(longer.deadline(), budget.deadline());
        let other = Arc::new(AtomicBool::new(false));
        let part = budget.with_cancel(other.clone());
        other.store(true, Ordering::Relaxed);
        assert!(part.expired() && !budget.expired());
        flag.store(true, Ordering::Relaxed);
        assert!(budget.expired() && longer.cancelled() && budget.with_cancel(Arc::default()).cancelled());
    }
}
