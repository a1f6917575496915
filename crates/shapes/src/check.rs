//! Is a proof by shapes one? The states are taken as given: the state in which the program begins, and every state that a run from one of
//! them has at the next loop head, must be covered by a given state of that head; and nothing may go wrong on the way.

use crate::cover::covers;
use crate::evaluate::{Machine, Trouble};
use crate::graph::{End, Graph, GraphValue, Kind};
use crate::state::State;
use base::Budget;
use cfa::{EdgeId, LocId, Program, Property, Task};
use std::collections::BTreeMap;

/// A loop head, and the calls under way there, outermost first.
pub type Place = (Vec<EdgeId>, LocId);

/// What memory looks like whenever a run is at a loop head.
#[derive(Clone, Default, Debug)]
pub struct Shapes {
    pub states: BTreeMap<Place, Vec<State>>,
}

/// What is wrong with a proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// No given state covers one that is reached at this head.
    NotCovered(LocId),
    /// Something may go wrong, or is not followed.
    Trouble(Trouble),
    OutOfTime,
}

/// Whether lost allocations violate a property.
pub fn follows_leaks(task: Task<'_>) -> bool {
    [Property::ValidMemtrack, Property::ValidMemcleanup].into_iter().any(|property| task.properties.contains(property))
}

/// Leaves what no name leads to at a loop head out of a state; trouble if that is a leak.
pub fn without_lost(program: &Program, head: LocId, state: &mut State, leaks: bool) -> Result<(), Trouble> {
    let lost = state.lost();
    if leaks && lost.iter().any(|id| state.graph.objects[id].kind == Kind::Heap) {
        // Which edge lost it is not known; the loop says when.
        let edge = program.locations[head].out[0].unwrap_or(EdgeId(0));
        return Err(Trouble::MayFail(edge));
    }
    state.drop_lost();
    Ok(())
}

/// Whether nothing leads to the last node of a singly linked list: taking its first node out could not say which node that is.
fn is_well_formed(graph: &Graph) -> bool {
    let known = |value: GraphValue| match value {
        GraphValue::Address(id, End::Last, _) => {
            graph.segment(id).is_some_and(|segment| segment.links.previous.is_some())
        }
        _ => true,
    };
    graph.objects.values().all(|object| {
        let patterns = object.segment.iter().flat_map(|segment| &segment.nodes);
        object.values().all(known) && patterns.into_iter().all(|node| is_well_formed(node))
    })
}

pub fn check(shapes: &Shapes, task: Task<'_>, budget: &Budget) -> Result<(), Flaw> {
    let leaks = follows_leaks(task);
    let mut machine = Machine::new(task);
    let begun = machine.start(task.entry).map_err(Flaw::Trouble)?;
    let is_head = |location: LocId| task.program.locations[location].loop_head.is_some();
    let mut work: Vec<(LocId, State, bool)> = vec![(begun.0, begun.1, true)];
    for ((_, head), states) in &shapes.states {
        if !states.iter().all(|state| is_well_formed(&state.graph)) {
            return Err(Flaw::NotCovered(*head));
        }
        work.extend(states.iter().map(|state| (*head, state.clone(), false)));
    }
    // The flag says that the state was reached, not given.
    while let Some((location, mut state, reached)) = work.pop() {
        if budget.expired() {
            return Err(Flaw::OutOfTime);
        }
        if reached && is_head(location) {
            without_lost(task.program, location, &mut state, leaks).map_err(Flaw::Trouble)?;
            let given = shapes.states.get(&(state.calls(), location));
            if !given.is_some_and(|given| given.iter().any(|one| covers(one, &state, leaks))) {
                return Err(Flaw::NotCovered(location));
            }
            continue;
        }
        let onward = machine.step(location, state).map_err(Flaw::Trouble)?;
        work.extend(onward.into_iter().map(|(location, state)| (location, state, true)));
    }
    Ok(())
}
