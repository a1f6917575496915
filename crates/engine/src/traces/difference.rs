//! The program without the traces that the automata exclude, as far as it is needed to know whether a trace is left: the product of the graph of blocks
//! with the determinised automata, breadth first, so that the trace is a shortest one. A state with more predicates than another one of its place has no
//! traces that the other one does not have, and is left out.

use super::set::Set;
use super::triples::{Letter, Triples};
use crate::blocks::Stop;
use crate::blocks::steps::{START, Steps};
use base::Budget;

/// More states are given up: an invariant with so many parts cannot be checked in time.
const MOST_STATES: usize = 20_000;

pub enum Difference {
    /// A trace after which something may go wrong.
    Trace(Trace),
    /// No trace is left; these states are reachable.
    Empty(Vec<State>),
}

pub struct Trace {
    pub blocks: Vec<usize>,
    /// What holds before each block, and at the end.
    pub sets: Vec<Set>,
}

pub struct State {
    pub place: usize,
    pub set: Set,
    /// The state before, and the block from there.
    parent: Option<(usize, usize)>,
}

pub fn difference(steps: &mut Steps<'_>, triples: &mut Triples, budget: &Budget) -> Result<Difference, Stop> {
    let mut states = vec![State { place: START, set: Set::default(), parent: None }];
    let mut by_place: Vec<Vec<usize>> = vec![Vec::new(); steps.places.len()];
    let mut at = 0;
    while at < states.len() {
        if budget.expired() {
            return Err(Stop::OutOfBudget);
        }
        let (place, set) = (states[at].place, states[at].set.clone());
        if triples.successor(steps, (place, &set), Letter::Wrong, budget)?.is_some() {
            return Ok(Difference::Trace(trace(&states, at)));
        }
        for block in 0..steps.places[place].blocks.len() {
            let to = steps.places[place].blocks[block].to;
            let next = triples.successor(steps, (place, &set), Letter::Block(block), budget)?;
            let Some(next) = next else { continue };
            if !by_place[to].iter().any(|other| states[*other].set.is_subset(&next)) {
                by_place[to].push(states.len());
                states.push(State { place: to, set: next, parent: Some((at, block)) });
            }
        }
        if states.len() > MOST_STATES {
            return Err(Stop::Stuck);
        }
        at += 1;
    }
    Ok(Difference::Empty(states))
}

/// The way to a state.
fn trace(states: &[State], mut at: usize) -> Trace {
    let mut trace = Trace { blocks: Vec::new(), sets: vec![states[at].set.clone()] };
    while let Some((parent, block)) = states[at].parent {
        trace.blocks.push(block);
        trace.sets.push(states[parent].set.clone());
        at = parent;
    }
    trace.blocks.reverse();
    trace.sets.reverse();
    trace
}
