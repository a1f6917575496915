//! Iterations of the cycle of a reactive program, and changes of its inputs between them: of a run, and as soft terms on the unrolled program.
//!
//! Inputs of the cycle are those that every iteration reads, once and in the same order: the edges from the head of the loop up to the first branch.

use super::weights::{Soft, cost};
use crate::unrolled::Unrolled;
use cfa::interp::{Event, InputSource, Observer, View};
use cfa::{Bits, EdgeId, LocId, Op, Program};
use encode::{EventKind, InputPlace};
use rustc_hash::FxHashMap;

/// Where the iterations of a program are seen.
pub struct CycleEdges {
    /// Every iteration passes this location once, with an event of this kind.
    at: LocId,
    kind: EventKind,
    inputs: Vec<EdgeId>,
}

impl CycleEdges {
    /// `None` for a program without cycles, or without anything to see in them.
    pub fn of(program: &Program) -> Option<Self> {
        let head = program.cycle.as_ref()?.head;
        let (mut at, mut seen, mut inputs) = (head, None, Vec::new());
        loop {
            let edges: Vec<EdgeId> = program.locations[at].out.iter().flatten().copied().collect();
            let [edge] = edges[..] else {
                if edges.len() > 1 {
                    seen = seen.or(Some((at, EventKind::Branch)));
                }
                break;
            };
            match program.edges[edge].op {
                Op::Havoc(..) => {
                    seen = seen.or(Some((at, EventKind::Input)));
                    inputs.push(edge);
                }
                Op::Assign(..) => seen = seen.or(Some((at, EventKind::Write))),
                _ => {}
            }
            at = program.edges[edge].to;
            if at == head {
                break;
            }
        }
        seen.map(|(at, kind)| CycleEdges { at, kind, inputs })
    }

    /// The input that every iteration reads first.
    pub fn first_input(&self) -> Option<EdgeId> {
        self.inputs.first().copied()
    }

    /// A cost of 1 for each iteration.
    pub fn iterations(&self, unrolled: &mut Unrolled<'_, '_>, soft: &mut Soft) {
        let program = unrolled.failure.task.program;
        let pool = &mut unrolled.encoder.pool;
        let always = pool.bool(true);
        let here = |source: InputPlace| matches!(source, InputPlace::Edge(edge) if program.edges[edge].from == self.at);
        for event in unrolled.unrolling.events.iter().filter(|event| event.kind == self.kind && here(event.source)) {
            cost(pool, event.guard, always, 1, soft);
        }
    }

    /// A cost of 1 for each input that is not what it was one iteration before.
    pub fn changes(&self, unrolled: &mut Unrolled<'_, '_>, soft: &mut Soft) {
        let pool = &mut unrolled.encoder.pool;
        for edge in &self.inputs {
            let own = unrolled.unrolling.inputs.iter().filter(|input| input.source == InputPlace::Edge(*edge));
            let own: Vec<_> = own.map(|input| (input.guard, input.term)).collect();
            for pair in own.windows(2) {
                let other = pool.ne(pair[0].1, pair[1].1);
                cost(pool, pair[1].0, other, 1, soft);
            }
        }
    }
}

/// Counts both in a run.
pub struct CycleCounter {
    edges: Option<CycleEdges>,
    last: FxHashMap<EdgeId, Bits>,
    pub iterations: u64,
    pub changes: u64,
}

impl CycleCounter {
    pub fn new(program: &Program) -> Self {
        CycleCounter { edges: CycleEdges::of(program), last: FxHashMap::default(), iterations: 0, changes: 0 }
    }
}

impl Observer for CycleCounter {
    fn step(&mut self, view: &View<'_, '_>, event: Event<'_>) {
        let Some(edges) = &self.edges else { return };
        match event {
            Event::Edge { edge, .. } => self.iterations += (view.program().edges[edge].from == edges.at) as u64,
            Event::Input(input) => {
                if let InputSource::Edge { edge, .. } = input.request.source
                    && edges.inputs.contains(&edge)
                {
                    let before = self.last.insert(edge, input.bits);
                    self.changes += before.is_some_and(|before| before != input.bits) as u64;
                }
            }
            Event::Enter { .. } | Event::Leave { .. } => {}
        }
    }
}
