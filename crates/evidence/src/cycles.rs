//! The states of a program that runs in cycles, at the end of each cycle.

use cfa::interp::View;
use cfa::{Bits, EdgeId, Op};

#[derive(Default)]
pub(crate) struct CycleRecorder {
    pub rows: Vec<Vec<Bits>>,
    /// The run is at the head of the loop: a cycle begins if it goes on.
    at_head: bool,
}

impl CycleRecorder {
    pub fn follow(&mut self, view: &View<'_, '_>, edge: EdgeId) {
        let program = view.program();
        let Some(cycle) = &program.cycle else { return };
        if std::mem::take(&mut self.at_head) {
            self.rows.push(Vec::new());
            self.look(view);
        }
        let to = program.edges[edge].to;
        let asserts = || {
            program.locations[to].out.iter().flatten().any(|edge| matches!(program.edges[*edge].op, Op::Assert { .. }))
        };
        if to == cycle.head {
            self.look(view);
            self.at_head = true;
        } else if asserts() {
            // The run may end here.
            self.look(view);
        }
    }

    /// The state as it is now, as that of the present cycle.
    pub fn look(&mut self, view: &View<'_, '_>) {
        if let (Some(cycle), Some(row)) = (&view.program().cycle, self.rows.last_mut()) {
            *row = cycle.variables.iter().map(|(value, _)| view.value(*value).unwrap_or(Bits::ZERO)).collect();
        }
    }
}
