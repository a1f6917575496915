//! Which edges runs take: what an observer of many runs most often wants to know, without the cost of one.

use crate::loops::loops;
use crate::program::{EdgeId, LocId, Program};
use base::ids::Id;
use rustc_hash::FxHashSet;

pub struct Coverage {
    /// What is known of each edge.
    edges: Vec<u8>,
    /// Inputs that the present run read so far.
    inputs: usize,
    /// How many inputs the run had read when it took, for the last time, an edge that no run had taken before.
    pub news: Option<usize>,
    /// How many inputs the run had read when it came to a loop head for the last time.
    pub accepted: usize,
}

/// Bits of an edge: some run took it; it leads to a loop head.
const TAKEN: u8 = 1;
const TO_HEAD: u8 = 2;

impl Coverage {
    pub fn of(program: &Program) -> Self {
        let heads = program.functions.ids().flat_map(|function| loops(program, function));
        let heads: FxHashSet<LocId> = heads.map(|one| one.head).collect();
        let bits = |to: LocId| if heads.contains(&to) { TO_HEAD } else { 0 };
        let edges = program.edges.values().map(|edge| bits(edge.to)).collect();
        Coverage { edges, inputs: 0, news: None, accepted: 0 }
    }

    /// Before a run.
    pub(super) fn begin(&mut self) {
        (self.inputs, self.news, self.accepted) = (0, None, 0);
    }

    pub(super) fn input(&mut self) {
        self.inputs += 1;
    }

    pub(super) fn edge(&mut self, edge: EdgeId) {
        let bits = &mut self.edges[edge.index()];
        if *bits & TO_HEAD != 0 {
            self.accepted = self.inputs;
        }
        if *bits & TAKEN == 0 {
            *bits |= TAKEN;
            self.news = Some(self.inputs);
        }
    }
}
