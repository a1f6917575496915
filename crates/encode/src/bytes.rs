//! What single bytes can be on a path. Programs that read text test the same characters again and again; whether a byte that is a digit can also be a comma
//! needs no solver, and a branch that no byte takes is not executed.
//!
//! A condition that depends on one variable of at most eight bits is a set of values. Each state knows the set that its path leaves to each of them.

use crate::exec::Run;
use crate::state::State;
use logic::eval::eval;
use logic::{Assignment, Bits, Sort, TermId, TermOp, TermPool, TermValue};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Conditions with more parts than this are not looked into.
const MOST_PARTS: usize = 100;

/// One bit for each value.
pub type Values = [u64; 4];

/// What variables can be; any value where nothing is said.
pub type KnownBytes = BTreeMap<TermId, Values>;

/// Conditions on single bytes: the variable, and the values for which they hold. `None`: it is not such a condition.
pub(crate) type ByteConditions = FxHashMap<TermId, Option<(TermId, Values)>>;

/// What is known where either of two paths was taken.
pub fn merge(first: &Rc<KnownBytes>, second: &Rc<KnownBytes>) -> Rc<KnownBytes> {
    if Rc::ptr_eq(first, second) {
        return first.clone();
    }
    let both = first.iter().filter_map(|(var, values)| {
        let other = second.get(var)?;
        Some((*var, std::array::from_fn(|word| values[word] | other[word])))
    });
    Rc::new(both.collect())
}

impl Run<'_, '_> {
    /// The value of a condition in a state, if the bytes that it depends on decide it; otherwise the condition.
    pub fn decided_by_bytes(&mut self, state: &State, cond: TermId) -> TermId {
        let Some((known, values)) = self.byte_condition(state, cond) else { return cond };
        let is_possible = (0..4).any(|word| known[word] & values[word] != 0);
        let is_certain = (0..4).all(|word| known[word] & !values[word] == 0);
        match (is_possible, is_certain) {
            (false, _) => TermId::FALSE,
            (true, true) => TermId::TRUE,
            (true, false) => cond,
        }
    }

    /// A condition holds on the path to a state.
    pub fn restrict_bytes(&mut self, state: &mut State, cond: TermId) {
        let Some((known, values)) = self.byte_condition(state, cond) else { return };
        let Some(Some((var, _))) = self.encoder.byte_conditions.get(&cond) else { return };
        Rc::make_mut(&mut state.bytes).insert(*var, std::array::from_fn(|word| known[word] & values[word]));
    }

    /// What the byte of a condition can be in a state, and for which values the condition holds.
    fn byte_condition(&mut self, state: &State, cond: TermId) -> Option<(Values, Values)> {
        if !self.tracks_values || self.encoder.pool.is_const(cond) {
            return None;
        }
        let pool = &self.encoder.pool;
        let (var, values) = (*self.encoder.byte_conditions.entry(cond).or_insert_with(|| condition(pool, cond)))?;
        let known = state.bytes.get(&var).copied().unwrap_or_else(|| all(pool.width(var)));
        Some((known, values))
    }
}

/// All values of a variable of a width.
fn all(width: u32) -> Values {
    let mut values = [0; 4];
    for value in 0..1usize << width {
        values[value / 64] |= 1 << (value % 64);
    }
    values
}

fn condition(pool: &TermPool, cond: TermId) -> Option<(TermId, Values)> {
    let var = only_byte(pool, cond)?;
    let mut values = [0; 4];
    for value in 0..1usize << pool.width(var) {
        let mut assignment = Assignment::new();
        assignment.set_bits(var, Bits::new(pool.width(var), value as u128));
        if eval(pool, &assignment, cond) == TermValue::Bool(true) {
            values[value / 64] |= 1 << (value % 64);
        }
    }
    Some((var, values))
}

/// The one variable that a condition depends on, if it has at most eight bits.
fn only_byte(pool: &TermPool, cond: TermId) -> Option<TermId> {
    let mut found = None;
    let (mut seen, mut next) = (vec![cond], 0);
    while let Some(term) = seen.get(next).copied() {
        next += 1;
        match (pool.op(term), pool.sort(term)) {
            (TermOp::Var, Sort::BitVec(width)) if width <= 8 => {
                if found.is_some_and(|found| found != term) {
                    return None;
                }
                found = Some(term);
            }
            (TermOp::Var | TermOp::Select, _) => return None,
            _ => {
                for arg in pool.args(term).iter() {
                    if !seen.contains(arg) {
                        seen.push(*arg);
                    }
                }
            }
        }
        if seen.len() > MOST_PARTS {
            return None;
        }
    }
    found
}
