//! Where it is decided whether what should hold does: nobody is blamed for asking.

use crate::Failure;
use crate::localize::lines::{Lines, asserting_functions};
use cfa::interp::{Event, Observer, View};
use cfa::{AssumeRole, EdgeId, FuncId, Op, Program, Property};

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
    if decides(failure.task.program, failure.edge) {
        return Some(failure.edge);
    }
    let mut last = Last(None);
    failure.run_observed(&mut last);
    last.0
}

/// The function that asks: where the failing run is when the assertion fails, but for functions that are only there to assert or are trusted.
pub fn asking(failure: &Failure<'_>, lines: &Lines<'_>) -> Option<FuncId> {
    #[derive(Default)]
    struct Stack(Vec<FuncId>);
    impl Observer for Stack {
        fn step(&mut self, _: &View<'_, '_>, event: Event<'_>) {
            match event {
                Event::Enter { function, .. } => self.0.push(function),
                Event::Leave { .. } => drop(self.0.pop()),
                Event::Edge { .. } | Event::Input(_) => {}
            }
        }
    }
    judge(failure)?;
    let mut stack = Stack::default();
    failure.run_observed(&mut stack);
    let asserting = asserting_functions(failure.task.program);
    let only_asks = |function: &FuncId| {
        asserting.contains(function) || lines.is_trusted(failure.task.program.function_name(*function))
    };
    stack.0.into_iter().rev().find(|function| !only_asks(function))
}
