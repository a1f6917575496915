//! Which variables are live: those whose present value a run may still read, in any type and through any pointer. Backwards over the
//! automaton of each function, with [`effects`](super::effects) for calls and pointers.
//!
//! Asked about are objects of static lifetime and the variables of the activation that runs; a variable of another function is never live.
//! Where a function returns, objects of static lifetime are live, unless the run ends there. Only assignments to whole variables, and the
//! ends of lifetimes, make a variable dead before them. That an allocation is still pointed to is not a use of the pointer.

use super::effects::EffectAnalysis;
use super::points_to::{Object, in_memory};
use crate::*;
use base::ids::Id;

/// For the locations of one function.
pub struct Liveness {
    first: usize,
    /// By location: one bit a variable of the program.
    live: Vec<Vec<u64>>,
}

impl Liveness {
    /// Of a function in runs from `entry`. `None`: it has no body.
    pub fn of(analysis: &EffectAnalysis<'_, '_>, function: FuncId, entry: FuncId) -> Option<Self> {
        let program = analysis.points_to().program();
        let automaton = program.automaton(function)?;
        let first = automaton.locations.start as usize;
        let words = program.vars.len().div_ceil(64);
        let mut live = vec![vec![0u64; words]; automaton.locations.len()];
        let edges: Vec<EdgeId> = automaton.edges.clone().map(EdgeId).collect();
        let own = |var: VarId| program.vars[var].kind.function().is_none_or(|owner| owner == function);
        let uses: Vec<Vec<u64>> = edges.iter().map(|edge| used(program, analysis, *edge, &own)).collect();
        if function != entry || analysis.is_called(entry) {
            let exit = &mut live[automaton.exit.index() - first];
            for (var, _) in program.vars.iter().filter(|(_, var)| var.kind.function().is_none()) {
                exit[var.index() / 64] |= 1 << (var.index() % 64);
            }
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (number, edge) in edges.iter().enumerate().rev() {
                let data = &program.edges[*edge];
                let mut before = match data.op {
                    Op::Halt(_) | Op::Poison(_) => vec![0; words],
                    _ => live[data.to.index() - first].clone(),
                };
                if let Some(var) = overwritten(program, *edge) {
                    before[var.index() / 64] &= !(1 << (var.index() % 64));
                }
                let into = &mut live[data.from.index() - first];
                for ((word, before), used) in into.iter_mut().zip(before).zip(&uses[number]) {
                    let joined = *word | before | used;
                    changed |= joined != *word;
                    *word = joined;
                }
            }
        }
        Some(Liveness { first, live })
    }

    pub fn is_live(&self, location: LocId, var: VarId) -> bool {
        self.live[location.index() - self.first][var.index() / 64] >> (var.index() % 64) & 1 == 1
    }

    /// Ascending.
    pub fn at(&self, location: LocId) -> impl Iterator<Item = VarId> {
        let words = self.live[location.index() - self.first].iter().enumerate();
        words.flat_map(|(index, word)| {
            let word = *word;
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| VarId::from_index(index * 64 + bit))
        })
    }
}

/// The variables that an edge may read, with all that it calls.
fn used(
    program: &Program,
    analysis: &EffectAnalysis<'_, '_>,
    edge: EdgeId,
    wanted: &dyn Fn(VarId) -> bool,
) -> Vec<u64> {
    let mut bits = vec![0; program.vars.len().div_ceil(64)];
    let reads = analysis.edge(edge).reads;
    let mut mark = |var: VarId| bits[var.index() / 64] |= 1 << (var.index() % 64);
    reads.variables().filter(|var| wanted(*var)).for_each(&mut mark);
    if reads.anywhere {
        let anywhere = |var: &VarId| in_memory(program, Object::Var(*var)) && wanted(*var);
        program.vars.ids().filter(anywhere).for_each(mark);
    }
    bits
}

/// The variable whose whole value an edge replaces.
fn overwritten(program: &Program, edge: EdgeId) -> Option<VarId> {
    let whole = |place: PlaceId| match program.places[place].kind {
        PlaceKind::Var(var) => Some(var),
        _ => None,
    };
    match program.edges[edge].op {
        Op::Assign(place, _) | Op::Havoc(place, _) => whole(place),
        Op::Alloca(var, _) | Op::Declare(var) | Op::Kill(var) => Some(var),
        _ => None,
    }
}
