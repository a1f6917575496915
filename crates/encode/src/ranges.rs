//! What numbers can be on a path, as far as comparisons with constants say. Division is the largest circuit there is: of two numbers that are known to be
//! small, only the low bits are divided.
//!
//! A term that was made narrower is right only where its path is taken. Nothing looks at it elsewhere: values of other paths replace it where paths meet.

use crate::exec::Run;
use crate::state::State;
use logic::{TermId, TermOp, TermPool};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The smallest and the largest value of a term, read as signed; any value where nothing is said.
pub type KnownRanges = BTreeMap<TermId, (i128, i128)>;

/// Conditions with more parts than this are not looked into.
const MOST_PARTS: u32 = 32;

/// What is known where either of two paths was taken.
pub fn merge(first: &Rc<KnownRanges>, second: &Rc<KnownRanges>) -> Rc<KnownRanges> {
    if Rc::ptr_eq(first, second) {
        return first.clone();
    }
    let both = first.iter().filter_map(|(term, (low, high))| {
        let (other_low, other_high) = second.get(term)?;
        Some((*term, (*low.min(other_low), *high.max(other_high))))
    });
    Rc::new(both.collect())
}

impl Run<'_, '_> {
    /// A condition holds on the path to a state.
    pub fn restrict_ranges(&mut self, state: &mut State, cond: TermId) {
        if self.tracks_values {
            let mut left = MOST_PARTS;
            learn(&self.encoder.pool, &mut state.ranges, cond, true, &mut left);
        }
    }

    /// The quotient or the remainder of two numbers that are known to be small and not negative, from their low bits.
    pub fn narrow_division(&mut self, state: &State, a: TermId, b: TermId, is_quotient: bool) -> Option<TermId> {
        let pool = &mut self.encoder.pool;
        let width = pool.width(a);
        if state.ranges.is_empty() || width > 64 || pool.is_const(b) {
            return None;
        }
        let known = |term: TermId| match state.ranges.get(&term) {
            Some((low, high)) if *low >= 0 => u64::try_from(*high).ok(),
            _ => None,
        };
        let largest = pool.largest_knowing(a, &known).max(pool.largest_knowing(b, &known));
        let bits = (64 - largest.leading_zeros()).max(1);
        if bits > width / 2 {
            return None;
        }
        let (a, b) = (pool.extract(a, bits - 1, 0), pool.extract(b, bits - 1, 0));
        let result = if is_quotient { pool.bv_udiv(a, b) } else { pool.bv_urem(a, b) };
        Some(pool.zext(result, width))
    }
}

/// Notes what a condition says about terms that it compares with constants.
fn learn(pool: &TermPool, ranges: &mut Rc<KnownRanges>, cond: TermId, truth: bool, left: &mut u32) {
    if *left == 0 {
        return;
    }
    *left -= 1;
    let args = pool.args(cond);
    let signed = |term: TermId| {
        let width = pool.width(term);
        let value = pool.as_u64(term).filter(|_| width <= 64)? as i128;
        Some(if value >> (width - 1) & 1 == 1 { value - (1 << width) } else { value })
    };
    match (pool.op(cond), truth) {
        (TermOp::Not, _) => learn(pool, ranges, args[0], !truth, left),
        (TermOp::And, true) => {
            learn(pool, ranges, args[0], true, left);
            learn(pool, ranges, args[1], true, left);
        }
        (TermOp::Slt, _) => {
            let (below, above) = (signed(args[0]), signed(args[1]));
            match (below, above, truth) {
                (None, Some(limit), true) => limit_to(pool, ranges, args[0], (i128::MIN, limit - 1)),
                (Some(limit), None, true) => limit_to(pool, ranges, args[1], (limit + 1, i128::MAX)),
                (None, Some(limit), false) => limit_to(pool, ranges, args[0], (limit, i128::MAX)),
                (Some(limit), None, false) => limit_to(pool, ranges, args[1], (i128::MIN, limit)),
                _ => {}
            }
        }
        // Unsigned and below a limit that is positive as a signed number, both are the same.
        (TermOp::Ult, _) => match (signed(args[0]), signed(args[1]), truth) {
            (None, Some(limit), true) if limit > 0 => limit_to(pool, ranges, args[0], (0, limit - 1)),
            (Some(limit), None, false) if limit >= 0 => limit_to(pool, ranges, args[1], (0, limit)),
            _ => {}
        },
        _ => {}
    }
}

fn limit_to(pool: &TermPool, ranges: &mut Rc<KnownRanges>, term: TermId, (low, high): (i128, i128)) {
    let width = pool.width(term);
    if width > 64 {
        return;
    }
    let all = (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1);
    let known = ranges.get(&term).copied().unwrap_or(all);
    let now = (known.0.max(low), known.1.min(high));
    if now != known {
        Rc::make_mut(ranges).insert(term, now);
    }
}
