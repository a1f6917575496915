//! What the fixpoint computation needs to know of a function: edges into each location, an order of locations in which loops come before
//! what follows them, and where to widen.

use base::ids::Id;
use cfa::analysis::effects::EffectAnalysis;
use cfa::analysis::liveness::Liveness;
use cfa::loops::loops;
use cfa::{EdgeId, FuncId, LocId, Op, Program};

pub struct Graph {
    pub first: usize,
    pub entry: LocId,
    pub exit: LocId,
    pub into: Vec<Vec<EdgeId>>,
    /// The place of each location in the order.
    pub order: Vec<u32>,
    /// Heads of loops: every cycle passes one.
    pub heads: Vec<bool>,
    pub liveness: Liveness,
    /// Locations whose states are kept. All others lie on straight ways, and their states follow from the one edge into them.
    pub kept: Vec<bool>,
    /// The kept locations that a kept one leads to.
    pub next: Vec<Vec<LocId>>,
}

impl Graph {
    pub fn of(program: &Program, effects: &EffectAnalysis<'_, '_>, function: FuncId, entry: FuncId) -> Option<Graph> {
        let automaton = program.automaton(function)?;
        let first = automaton.locations.start as usize;
        let count = automaton.locations.len();
        let mut into = vec![Vec::new(); count];
        for edge in automaton.edges.clone().map(EdgeId) {
            into[program.edges[edge].to.index() - first].push(edge);
        }
        let found = loops(program, function);
        let mut heads = vec![false; count];
        // The innermost loop of each location; inner loops come later.
        let mut inside = vec![usize::MAX; count];
        for (number, one) in found.iter().enumerate() {
            heads[one.head.index() - first] = true;
            for location in &one.body {
                inside[location.index() - first] = number;
            }
        }
        let depth = |location: LocId| {
            let mut depth = 0;
            let mut at = inside[location.index() - first];
            while at != usize::MAX {
                depth += 1;
                at = found[at].parent.unwrap_or(usize::MAX);
            }
            depth
        };
        let mut order = vec![u32::MAX; count];
        let mut next = count as u32;
        let mut seen = vec![false; count];
        // What leaves a loop is visited first, and so comes last in the reverse postorder.
        let successors = |location: LocId| {
            let mut targets: Vec<LocId> = program.successors(location).map(|edge| program.edges[edge].to).collect();
            targets.sort_by_key(|target| depth(*target));
            targets
        };
        let mut stack = vec![(automaton.entry, successors(automaton.entry), 0)];
        seen[automaton.entry.index() - first] = true;
        while let Some((location, targets, at)) = stack.last_mut() {
            let Some(target) = targets.get(*at).copied() else {
                next -= 1;
                order[location.index() - first] = next;
                stack.pop();
                continue;
            };
            *at += 1;
            if !std::mem::replace(&mut seen[target.index() - first], true) {
                stack.push((target, successors(target), 0));
            }
        }
        let liveness = Liveness::of(effects, function, entry)?;
        let is_call = |edge: &EdgeId| matches!(program.edges[*edge].op, Op::Call { .. });
        let kept: Vec<bool> = (0..count)
            .map(|index| {
                let location = LocId::from_index(first + index);
                let ends = location == automaton.entry || location == automaton.exit;
                let calls = program.successors(location).any(|edge| is_call(&edge)) || into[index].iter().any(is_call);
                // Branches too: what follows both ways would be computed from far before for each.
                let branches = program.successors(location).count() > 1;
                ends || calls || branches || heads[index] || into[index].len() != 1
            })
            .collect();
        let next =
            (0..count).map(|index| if kept[index] { next_kept(program, first, &kept, index) } else { Vec::new() });
        let next = next.collect();
        Some(Graph { first, entry: automaton.entry, exit: automaton.exit, into, order, heads, liveness, kept, next })
    }
}

fn next_kept(program: &Program, first: usize, kept: &[bool], from: usize) -> Vec<LocId> {
    let mut found = Vec::new();
    let targets = |location: LocId| program.successors(location).map(|edge| program.edges[edge].to);
    let mut pending: Vec<LocId> = targets(LocId::from_index(first + from)).collect();
    // A location that is not kept has one edge into it, so none is met twice; every cycle has a kept one.
    while let Some(location) = pending.pop() {
        if kept[location.index() - first] {
            found.push(location);
        } else {
            pending.extend(targets(location));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
