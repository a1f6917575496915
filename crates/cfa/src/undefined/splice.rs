//! Puts operations behind edges. The locations and edges of a function are numbered without gaps, so all of them get new numbers.

use crate::{Body, Edge, EdgeId, LocId, Location, Op, Program};
use base::IdVec;
use std::collections::BTreeMap;

pub(super) fn insert_behind(program: &mut Program, behind: &BTreeMap<EdgeId, Vec<Op>>) {
    if behind.is_empty() {
        return;
    }
    let mut locations: IdVec<LocId, Location> = IdVec::new();
    let mut edges: IdVec<EdgeId, Edge> = IdVec::new();
    // In the order of their numbers: functions may be defined in another order than they were declared.
    let mut functions: Vec<_> = program
        .functions
        .iter()
        .filter_map(|(function, data)| match &data.body {
            Body::Defined(automaton) => Some((automaton.locations.start, function)),
            _ => None,
        })
        .collect();
    functions.sort_unstable();
    for (_, function) in functions {
        let Body::Defined(mut automaton) = program.functions[function].body.clone() else { continue };
        let (old_first, old_edge) = (automaton.locations.start, automaton.edges.start);
        let (first, first_edge) = (locations.len() as u32, edges.len() as u32);
        let location = |old: LocId| LocId(old.0 - old_first + first);
        let edge = |old: EdgeId| EdgeId(old.0 - old_edge + first_edge);
        for old in automaton.locations.clone() {
            let data = program.locations[LocId(old)].clone();
            locations.push(Location { out: data.out.map(|out| out.map(edge)), ..data });
        }
        for old in automaton.edges.clone() {
            let data = program.edges[EdgeId(old)].clone();
            edges.push(Edge { from: location(data.from), to: location(data.to), ..data });
        }
        for old in automaton.edges.clone() {
            for op in behind.get(&EdgeId(old)).into_iter().flatten().rev() {
                let at = edge(EdgeId(old));
                let data = edges[at].clone();
                let from = Location { out: [None, None], loop_head: None, ..locations[data.from].clone() };
                let middle = locations.push(from);
                let inserted = edges.push(Edge { from: middle, op: *op, ..data });
                locations[middle].out = [Some(inserted), None];
                edges[at].to = middle;
            }
        }
        automaton.entry = location(automaton.entry);
        automaton.exit = location(automaton.exit);
        automaton.locations = first..locations.len() as u32;
        automaton.edges = first_edge..edges.len() as u32;
        program.functions[function].body = Body::Defined(automaton);
    }
    program.locations = locations;
    program.edges = edges;
}
