//! Unrolling a program with growing bounds: the one schedule of bounded model checking, of validators and of explanations. Each of them asks its own
//! questions about what it is given, and goes on until it has an answer or there is no larger bound.
//!
//! The encoder is kept from bound to bound, so that equal terms stay equal and a solver can use what it learnt.

use crate::encoder::Encoder;
use crate::exec::Bounds;
use crate::unrolling::Unrolling;
use base::Budget;

/// What the first bound allows without counting; each later one allows four times as much.
const FIRST_STEPS: u64 = 50_000;
const FIRST_DECIDED: u32 = 8;
const LARGEST_BOUND: u32 = 1 << 20;

impl Bounds {
    /// One bound by itself.
    pub fn only(unwind: u32) -> Bounds {
        Bounds { unwind, decided: unwind, steps: FIRST_STEPS }
    }

    /// The first bound of many. Many bugs need no loop at all, and nested loops are cheap only at the smallest bound.
    fn first() -> Bounds {
        Bounds { unwind: 0, decided: FIRST_DECIDED, steps: FIRST_STEPS }
    }

    fn next(self) -> Bounds {
        Bounds {
            unwind: self.unwind.saturating_mul(2).max(1),
            decided: self.decided.saturating_mul(4),
            steps: self.steps.saturating_mul(4),
        }
    }
}

/// What comes next.
pub enum Deeper {
    Unrolled(Box<Unrolling>, Bounds),
    /// The budget ended while this bound was unrolled.
    OutOfTime(u32),
    /// This one was the last.
    NoLargerBound(u32),
}

/// The bounds that follow each other: 0, 1, 2, 4, …
pub struct Deepening {
    next: Option<Bounds>,
    /// The bound before it.
    last: u32,
    largest: u32,
    grows: bool,
}

impl Default for Deepening {
    fn default() -> Self {
        Deepening::new()
    }
}

impl Deepening {
    pub fn new() -> Deepening {
        Deepening { next: Some(Bounds::first()), last: 0, largest: LARGEST_BOUND, grows: true }
    }

    /// One bound, if that is fixed.
    pub fn fixed(self, unwind: Option<u32>) -> Deepening {
        match unwind {
            Some(unwind) => Deepening { next: Some(Bounds::only(unwind)), largest: u32::MAX, grows: false, ..self },
            None => self,
        }
    }

    pub fn up_to(self, largest: u32) -> Deepening {
        Deepening { largest, ..self }
    }

    /// Begins at a bound, with as much uncounted work as bounds of that size have.
    pub fn beginning_at(mut self, least: u32) -> Deepening {
        while let Some(bounds) = self.next.filter(|bounds| bounds.unwind < least) {
            self.next = Some(bounds.next());
        }
        self.next = self.next.map(|bounds| Bounds { unwind: least, ..bounds });
        self
    }

    /// Unrolls at the next bound.
    pub fn deeper(&mut self, encoder: &mut Encoder<'_>, budget: &Budget) -> Deeper {
        let Some(bounds) = self.next.take().filter(|bounds| bounds.unwind <= self.largest) else {
            return Deeper::NoLargerBound(self.last);
        };
        self.last = bounds.unwind;
        budget.progress().set_bound(bounds.unwind);
        let unrolling = encoder.unroll(bounds, budget);
        if unrolling.interrupted {
            return Deeper::OutOfTime(bounds.unwind);
        }
        self.next = self.grows.then(|| bounds.next());
        Deeper::Unrolled(Box::new(unrolling), bounds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(mut deepening: Deepening) -> Vec<(u32, u32, u64)> {
        let mut seen = Vec::new();
        while let Some(bounds) = deepening.next.filter(|bounds| bounds.unwind <= deepening.largest) {
            seen.push((bounds.unwind, bounds.decided, bounds.steps));
            deepening.next = deepening.grows.then(|| bounds.next());
        }
        seen
    }

    fn deepening() -> Deepening {
        Deepening::new()
    }

    #[test]
    fn bounds_double_and_uncounted_work_grows_fourfold() {
        let all = schedule(deepening());
        assert_eq!(all[..4], [(0, 8, 50_000), (1, 32, 200_000), (2, 128, 800_000), (4, 512, 3_200_000)]);
        assert_eq!(all.last().map(|bounds| bounds.0), Some(1 << 20));
        assert_eq!(schedule(deepening().up_to(4)).len(), 4);
    }

    #[test]
    fn a_fixed_bound_is_the_only_one() {
        assert_eq!(schedule(deepening().fixed(Some(7))), [(7, 7, 50_000)]);
        assert_eq!(schedule(deepening().fixed(Some(1 << 21))), [(1 << 21, 1 << 21, 50_000)]);
        assert_eq!(schedule(deepening().fixed(None)), schedule(deepening()));
    }

    #[test]
    fn a_first_bound_has_the_work_of_its_size() {
        let all = schedule(deepening().beginning_at(3).up_to(20));
        assert_eq!(all, [(3, 512, 3_200_000), (6, 2048, 12_800_000), (12, 8192, 51_200_000)]);
        assert!(schedule(deepening().up_to(16).beginning_at(17)).is_empty());
    }
}
