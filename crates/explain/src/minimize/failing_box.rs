//! The widest box around the inputs of a run within which every combination of values fails in the same way on the same path: an interval for each input, such
//! that no side of one can be moved outward while the others stay. Proved with the solver.
//!
//! All sides are first moved by the same fraction of the way that each could go alone, so that no input takes all the room; then one after the other.

use super::freedom;
use super::locked::Locked;
use crate::Failure;
use base::Budget;
use cfa::{Type, eval};
use encode::on_large_stack;
use evidence::Freedom;
use logic::{Satisfiability, Solver, TermId};

/// Sides are first moved by this or that power of two of the way.
const FRACTIONS: u32 = 32;

/// What may vary together: for each input an interval, in the order in which the run reads them; [`Freedom::Unknown`] for one that keeps its value.
/// `None` if the budget ended, or the run has no formula.
pub fn widest(failure: &Failure<'_>, budget: &Budget) -> Option<Vec<Freedom>> {
    on_large_stack(|| {
        let alone = freedom::freedom(failure, budget);
        BoxSearch::of(failure, &alone, budget)?.widest()
    })
}

struct Side {
    term: TermId,
    signed: bool,
    value: i128,
    /// How far the interval reaches now, and how far it could reach alone.
    now: (i128, i128),
    alone: (i128, i128),
}

struct BoxSearch<'p, 'b> {
    locked: Locked<'p>,
    solver: Solver,
    /// Holds where the run becomes another one; what is no integer is as it is in the run.
    other: TermId,
    /// Of the inputs that are integers; the number of the input with each.
    sides: Vec<(usize, Side)>,
    inputs: usize,
    budget: &'b Budget,
}

impl<'p, 'b> BoxSearch<'p, 'b> {
    fn of(failure: &Failure<'p>, alone: &[Freedom], budget: &'b Budget) -> Option<Self> {
        let mut locked = Locked::of(failure, budget)?;
        let inputs = locked.formula.inputs.clone();
        if alone.len() != inputs.len() {
            return None;
        }
        let types = &failure.task.program.types;
        let pool = &mut locked.encoder.pool;
        let (mut sides, mut fixed) = (Vec::new(), rustc_hash::FxHashMap::default());
        for (number, (input, alone)) in inputs.iter().zip(alone).enumerate() {
            let width = pool.width(input.term);
            let range = match (types.get(input.ty), alone) {
                (Type::Int(_), Freedom::Range(from, to)) => Some((*from, *to)),
                (Type::Int(_), Freedom::DontCare) => all_values(types.is_signed(input.ty), types.scalar_bits(input.ty)),
                _ => None,
            };
            match range {
                Some(alone) => {
                    let value = eval::to_i128(types, input.ty, input.bits);
                    let signed = types.is_signed(input.ty);
                    let now = (value, value);
                    sides.push((number, Side { term: input.term, signed, value, now, alone }));
                }
                None => drop(fixed.insert(input.term, pool.bv(width, input.bits.get()))),
            }
        }
        // Uninitialized memory is as it is in the run.
        for term in locked.formula.fills.iter().flat_map(|fill| fill.terms.clone()) {
            if let Some(logic::TermValue::Bits(bits)) = locked.formula.values.get(term).cloned() {
                fixed.insert(term, pool.bits(&bits));
            }
        }
        let same = pool.substitute(locked.same, &mut fixed);
        let other = pool.not(same);
        Some(BoxSearch { locked, solver: Solver::new(), other, sides, inputs: inputs.len(), budget })
    }

    fn widest(mut self) -> Option<Vec<Freedom>> {
        // What all sides reach together: everything, or the largest fraction.
        let together = (0..=FRACTIONS).find_map(|fraction| {
            let part = |from: i128, to: i128| (to - from) >> fraction;
            let reach = |side: &Side| {
                (side.value - part(side.alone.0, side.value), side.value + part(side.value, side.alone.1))
            };
            let wide: Vec<(i128, i128)> = self.sides.iter().map(|(_, side)| reach(side)).collect();
            // The solver decides; at its limit there is no answer.
            match self.all_fail(&wide) {
                Some(true) => Some(Some(wide)),
                Some(false) => None,
                None => Some(None),
            }
        });
        // The point itself fails.
        let together = together.unwrap_or_else(|| Some(self.sides.iter().map(|(_, side)| side.now).collect()))?;
        for ((_, side), now) in self.sides.iter_mut().zip(together) {
            side.now = now;
        }
        for index in 0..self.sides.len() {
            for upper in [true, false] {
                self.move_out(index, upper)?;
            }
        }
        let mut found = vec![Freedom::Unknown; self.inputs];
        for (number, side) in &self.sides {
            found[*number] = Freedom::Range(side.now.0, side.now.1);
        }
        Some(found)
    }

    /// Moves one side as far as it goes, by bisection: what fails within a box fails within a smaller one.
    fn move_out(&mut self, index: usize, upper: bool) -> Option<()> {
        let limit = |side: &Side| if upper { side.alone.1 } else { side.alone.0 };
        let end = |side: &Side| if upper { side.now.1 } else { side.now.0 };
        let side = &self.sides[index].1;
        let (mut good, mut bad) = (end(side), limit(side));
        if good == bad {
            return Some(());
        }
        // The far end may be good itself.
        if self.reaches(index, upper, bad)? {
            good = bad;
        }
        while (bad - good).abs() > 1 {
            let middle = good + (bad - good) / 2;
            match self.reaches(index, upper, middle)? {
                true => good = middle,
                false => bad = middle,
            }
        }
        let now = &mut self.sides[index].1.now;
        if upper {
            now.1 = good
        } else {
            now.0 = good
        }
        Some(())
    }

    fn reaches(&mut self, index: usize, upper: bool, end: i128) -> Option<bool> {
        let mut wide: Vec<(i128, i128)> = self.sides.iter().map(|(_, side)| side.now).collect();
        if upper {
            wide[index].1 = end
        } else {
            wide[index].0 = end
        }
        self.all_fail(&wide)
    }

    /// Whether every run with inputs in these intervals is the same one.
    fn all_fail(&mut self, wide: &[(i128, i128)]) -> Option<bool> {
        let pool = &mut self.locked.encoder.pool;
        let mut assumed = vec![self.other];
        for ((_, side), (from, to)) in self.sides.iter().zip(wide) {
            let width = pool.width(side.term);
            let (low, high) = (pool.bv_signed(width, *from), pool.bv_signed(width, *to));
            assumed.extend(match side.signed {
                true => [pool.sle(low, side.term), pool.sle(side.term, high)],
                false => [pool.ule(low, side.term), pool.ule(side.term, high)],
            });
        }
        match self.solver.check(pool, &assumed, self.budget) {
            Satisfiability::Sat(_) => Some(false),
            Satisfiability::Unsat(_) => Some(true),
            Satisfiability::Unknown => None,
        }
    }
}

/// The smallest and the largest number of a type.
pub(super) fn all_values(signed: bool, width: u32) -> Option<(i128, i128)> {
    match (signed, width) {
        (true, 1..=127) => Some((-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1)),
        (false, 1..=126) => Some((0, (1i128 << width) - 1)),
        _ => None,
    }
}
