//! Where it is decided whether what should hold does: nobody is blamed for asking.

use crate::Failure;
use cfa::interp::{Event, Observer, View};
use cfa::{AssumeRole, EdgeId, Op, Program, Property};

/// Whether an edge asks something; the assertion that is a call of an error function does not.
pub fn decides(program: &Program, edge: EdgeId) -> bool {
    match program.edges[edge].op {
        Op::Assert { cond, .. } => program.constant(cond).is_none(),
        Op::Assume { role, .. } => matches!(role, AssumeRole::Branch(_)),
        _ => false,
    }
}

/// The edge that decides whether the assertion of a failure holds: its own, or the last branch before an error function is called. Other
/// properties have none: what would go wrong may well be left out.
pub fn judge(failure: &Failure<'_>) -> Option<EdgeId> {
    struct Last(Option<EdgeId>);
    impl Observer for Last {
        fn step(&mut self, view: &View<'_, '_>, event: Event<'_>) {
            if let Event::Edge { edge, .. } = event
                && decides(view.program(), edge)
            {
                self.0 = Some(edge);
            }
        }
    }
    if !matches!(failure.property, Property::Assertion | Property::UnreachCall | Property::UnreachLabel) {
        return None;
    }
    if decides(failure.program, failure.edge) {
        return Some(failure.edge);
    }
    let mut last = Last(None);
    failure.run_observed(&mut last);
    last.0
}
