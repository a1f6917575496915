//! Which variables are assigned before they are read, on every path of their function: definite assignment, forwards over the automaton.
//!
//! Asked about are scalars whose address is not taken. A variable's declaration, and the end of its lifetime, make it unassigned again.

use crate::walk::{Node, children, parts};
use crate::*;
use base::ids::Id;

/// Whether a variable is never read unassigned, by variable from the first of the function on.
pub struct AlwaysAssigned {
    first: usize,
    always: Vec<bool>,
}

impl AlwaysAssigned {
    /// Of a function with a body. Its parameters are assigned where it begins.
    pub fn of(program: &Program, function: FuncId, automaton: &Automaton) -> Self {
        let first = automaton.vars.start as usize;
        let count = automaton.vars.len();
        let is_own = |var: VarId| {
            let data = &program.vars[var];
            let own = data.kind.function() == Some(function) && program.types.is_scalar(data.ty);
            own && !data.address_taken && (first..first + count).contains(&var.index())
        };
        let mut always: Vec<bool> = automaton.vars.clone().map(|var| is_own(VarId(var))).collect();
        let own = |var: VarId| is_own(var).then(|| var.index() - first);
        let mut entry = vec![0u64; count.div_ceil(64)];
        for param in program.functions[function].params.iter().filter_map(|param| own(*param)) {
            entry[param / 64] |= 1 << (param % 64);
        }
        // `None`: no path has led there yet.
        let mut assigned: Vec<Option<Vec<u64>>> = vec![None; automaton.locations.len()];
        let at = |location: LocId| (location.0 - automaton.locations.start) as usize;
        assigned[at(automaton.entry)] = Some(entry);
        let mut work = vec![automaton.entry];
        while let Some(location) = work.pop() {
            for edge in program.locations[location].out.into_iter().flatten() {
                let mut after = assigned[at(location)].clone().expect("only locations that were reached are looked at");
                let edge = &program.edges[edge];
                if let Some((var, is_assigned)) = changed(program, &edge.op).and_then(|(var, is)| Some((own(var)?, is)))
                {
                    let bit = 1 << (var % 64);
                    after[var / 64] = if is_assigned { after[var / 64] | bit } else { after[var / 64] & !bit };
                }
                let before = &mut assigned[at(edge.to)];
                let joined: Vec<u64> = match before.as_ref() {
                    None => after,
                    Some(before) => before.iter().zip(&after).map(|(one, other)| one & other).collect(),
                };
                if before.as_ref() != Some(&joined) {
                    *before = Some(joined);
                    work.push(edge.to);
                }
            }
        }
        for edge in automaton.edges.clone().map(EdgeId) {
            let edge = &program.edges[edge];
            let Some(assigned) = &assigned[at(edge.from)] else { continue };
            read(program, &edge.op, |var| {
                if let Some(var) = own(var).filter(|var| assigned[var / 64] >> (var % 64) & 1 == 0) {
                    always[var] = false;
                }
            });
        }
        AlwaysAssigned { first, always }
    }

    pub fn contains(&self, var: VarId) -> bool {
        var.index().checked_sub(self.first).and_then(|var| self.always.get(var)).is_some_and(|always| *always)
    }
}

/// The variable that an operation assigns as a whole, or makes unassigned.
fn changed(program: &Program, op: &Op) -> Option<(VarId, bool)> {
    let whole = |place: PlaceId| match program.places[place].kind {
        PlaceKind::Var(var) => Some((var, true)),
        _ => None,
    };
    match *op {
        Op::Assign(place, _) | Op::Havoc(place, _) | Op::Call { dest: Some(place), .. } => whole(place),
        Op::Alloca(var, _) => Some((var, true)),
        Op::Declare(var) | Op::Kill(var) => Some((var, false)),
        _ => None,
    }
}

/// The variables that an operation reads, in whole or in part.
fn read(program: &Program, op: &Op, mut visit: impl FnMut(VarId)) {
    let mut pending = Vec::new();
    parts(program, op, |node| pending.push(node));
    // The place that is assigned is not read; what its address is computed from is.
    let written = match *op {
        Op::Assign(place, _) | Op::Havoc(place, _) | Op::Call { dest: Some(place), .. } => Some(Node::Place(place)),
        _ => None,
    };
    if let Some(at) = pending.iter().position(|node| Some(*node) == written) {
        pending.swap_remove(at);
        pending.extend(written.into_iter().flat_map(|node| children(program, node)).flatten());
    }
    while let Some(node) = pending.pop() {
        if let Node::Place(place) = node
            && let PlaceKind::Var(var) = program.places[place].kind
        {
            visit(var);
        }
        pending.extend(children(program, node).into_iter().flatten());
    }
}
