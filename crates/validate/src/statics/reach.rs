//! From which pairs of a location and a state of the witness the violation can still be reached, by control flow alone. All other
//! pairs are pruned, so that loops become finite which the witness leaves.

use crate::condition::Check;
use crate::table::{Rule, Stays, Table};
use base::Budget;
use cfa::{Body, Callee, EdgeId, FuncId, LocId, Op, Property, Task};
use encode::Moment;

/// Beyond so many pairs it is not worth its time.
const MAX_PAIRS: usize = 50_000_000;

pub struct CanReachViolation {
    words: usize,
    bits: Vec<u64>,
}

impl CanReachViolation {
    pub fn at(&self, location: LocId, state: u32) -> bool {
        let word = self.bits[location.0 as usize * self.words + state as usize / 64];
        word >> (state % 64) & 1 == 1
    }

    fn row(&self, location: LocId) -> Vec<u64> {
        let from = location.0 as usize * self.words;
        self.bits[from..from + self.words].to_vec()
    }

    /// Adds to a location; whether anything is new.
    fn add(&mut self, location: LocId, states: &[u64]) -> bool {
        let from = location.0 as usize * self.words;
        let mut new = false;
        for (mine, other) in self.bits[from..from + self.words].iter_mut().zip(states) {
            new |= *other & !*mine != 0;
            *mine |= other;
        }
        new
    }
}

pub fn can_reach_violation(task: Task<'_>, table: &Table, budget: &Budget) -> Option<CanReachViolation> {
    let Task { program, entry, properties } = task;
    let states = table.depth.len();
    let words = states.div_ceil(64).max(1);
    if program.locations.len().saturating_mul(states) > MAX_PAIRS {
        return None;
    }
    let mut found = CanReachViolation { words, bits: vec![0; words * program.locations.len()] };
    let defined: Vec<FuncId> =
        program.functions.iter().filter(|(_, data)| matches!(data.body, Body::Defined(_))).map(|(id, _)| id).collect();
    let everywhere = properties.iter().any(|property| !matches!(property, Property::UnreachCall | Property::Assertion));
    let violates = |edge: EdgeId| match program.edges[edge].op {
        Op::Assert { property, .. } => everywhere || properties.contains(property),
        _ => everywhere,
    };
    let may_accept = |state, edge| properties.iter().any(|property| table.may_accept(state, edge, property));
    if everywhere && let Some(automaton) = program.automaton(entry) {
        let end: Vec<u64> = set(words, (0..states as u32).filter(|state| ends(table, *state)));
        found.add(automaton.exit, &end);
    }
    loop {
        if budget.expired() {
            return None;
        }
        let mut changed = false;
        for index in (0..program.edges.len() as u32).rev() {
            let edge = EdgeId(index);
            let data = &program.edges[edge];
            let after = before(table, Moment::After(edge), &found.row(data.to), states);
            let callees: Vec<FuncId> = match data.op {
                Op::Call { callee: Callee::Direct(function), .. } if program.automaton(function).is_some() => {
                    vec![function]
                }
                Op::Call { callee: Callee::Indirect(_), .. } => defined.clone(),
                _ => Vec::new(),
            };
            let mut inside = if matches!(data.op, Op::Call { callee: Callee::Direct(_), .. }) && !callees.is_empty() {
                vec![0; words]
            } else {
                after.clone()
            };
            for function in callees {
                let Some(automaton) = program.automaton(function) else { continue };
                changed |= found.add(automaton.exit, &after);
                let entered = before(table, Moment::Enter(edge, function), &found.row(automaton.entry), states);
                inside.iter_mut().zip(&entered).for_each(|(mine, other)| *mine |= other);
            }
            if violates(edge) {
                let accepted = set(words, (0..states as u32).filter(|state| may_accept(*state, edge)));
                inside.iter_mut().zip(&accepted).for_each(|(mine, other)| *mine |= other);
            }
            // Of two branches the moment before is that of the first.
            let first = program.locations[data.from].out[0].unwrap_or(edge);
            let start = before(table, Moment::Before(first), &inside, states);
            changed |= found.add(data.from, &start);
        }
        if !changed {
            return Some(found);
        }
    }
}

/// Whether a violation at the end of the run counts.
fn ends(table: &Table, state: u32) -> bool {
    table.accepting.contains(&state)
        || table.targets.contains_key(&state)
        || table.groups.iter().any(|(moment, groups)| {
            matches!(moment, Moment::After(_) | Moment::Enter(..))
                && groups.get(&state).is_some_and(|group| {
                    group.rules.iter().any(|rule| rule.to.is_some_and(|to| table.accepting.contains(&to)))
                })
        })
}

fn set(words: usize, states: impl Iterator<Item = u32>) -> Vec<u64> {
    let mut bits = vec![0; words];
    states.for_each(|state| bits[state as usize / 64] |= 1 << (state % 64));
    bits
}

/// The states that can be in one of a set after a moment.
fn before(table: &Table, moment: Moment, after: &[u64], states: usize) -> Vec<u64> {
    let mut result = after.to_vec();
    let Some(groups) = table.groups.get(&moment) else { return result };
    let holds = |state: u32| after[state as usize / 64] >> (state % 64) & 1 == 1;
    for (state, group) in groups.range(0..states as u32) {
        let certain = |rule: &&Rule| rule.check == Check::Always;
        let forbidden = group.stays.forbids() && group.rules.iter().filter(certain).any(|rule| rule.to.is_none());
        let leaves = matches!(group.stays, Stays::Never | Stays::Must) || group.rules.iter().any(|rule| certain(&rule));
        let stays = group.stays == Stays::Always || !leaves;
        let goes = group.rules.iter().any(|rule| rule.to.is_some_and(holds));
        let keep = !forbidden && (goes || stays && holds(*state));
        let bit = 1u64 << (state % 64);
        let word = &mut result[*state as usize / 64];
        *word = if keep { *word | bit } else { *word & !bit };
    }
    result
}
