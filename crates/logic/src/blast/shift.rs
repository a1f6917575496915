//! Barrel shifters: one row of multiplexers for each bit of the amount that matters.

use crate::aig::{Aig, Lit};

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Left,
    Right,
}

/// `a` shifted by `amount`, vacated places filled with `fill`; by the width or more everything is `fill`.
pub fn shift(aig: &mut Aig, a: &[Lit], amount: &[Lit], direction: Direction, fill: Lit) -> Vec<Lit> {
    let width = a.len();
    let stages = (usize::BITS - (width - 1).leading_zeros()) as usize;
    let mut current = a.to_vec();
    for (stage, select) in amount.iter().enumerate().take(stages) {
        let distance = 1 << stage;
        current = (0..width)
            .map(|i| {
                let source = match direction {
                    Direction::Left => i.checked_sub(distance),
                    Direction::Right => Some(i + distance).filter(|source| *source < width),
                };
                let moved = source.map_or(fill, |source| current[source]);
                aig.mux(*select, moved, current[i])
            })
            .collect();
    }
    let too_far = aig.or_all(amount.get(stages..).unwrap_or(&[]));
    current.into_iter().map(|lit| aig.mux(too_far, fill, lit)).collect()
}
