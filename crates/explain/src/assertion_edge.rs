//! Finds the edge that evaluates the violated assertion, and the function that it stands in. That edge is never a suspect.

use crate::Failure;
use crate::localize::lines::{Lines, asserting_functions};
use cfa::interp::{Event, Observer, View};
use cfa::{AssumeRole, EdgeId, FuncId, Op, Program, Property};

/// Whether an edge evaluates a condition: a branch, or an assertion that is not the call of an error function.
pub fn is_condition(program: &Program, edge: EdgeId) -> bool {
    match program.edges[edge].op {
        Op::Assert { cond, .. } => program.constant(cond).is_none(),
        Op::Assume { role, .. } => matches!(role, AssumeRole::Branch(_)),
        _ => false,
    }
}

/// The edge that evaluates the violated assertion: the failing edge itself, or the last branch before an error function is called. Other
/// properties (overflow, memory safety, …) have none: there the failing operation itself may be the fault.
pub fn assertion_edge(failure: &Failure<'_>) -> Option<EdgeId> {
    struct Last(Option<EdgeId>);
    impl Observer for Last {
        fn step(&mut self, view: &View<'_, '_>, event: Event<'_>) {
            if let Event::Edge { edge, .. } = event
                && is_condition(view.program(), edge)
            {
                self.0 = Some(edge);
            }
        }
    }
    if !matches!(failure.property, Property::Assertion | Property::UnreachCall | Property::UnreachLabel) {
        return None;
    }
    if is_condition(failure.task.program, failure.edge) {
        return Some(failure.edge);
    }
    let mut last = Last(None);
    failure.run_observed(&mut last);
    last.0
}

/// The innermost function on the stack when the assertion fails that is neither trusted nor consists of an assertion only.
pub fn asserting_function(failure: &Failure<'_>, lines: &Lines<'_>) -> Option<FuncId> {
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
    assertion_edge(failure)?;
    let mut stack = Stack::default();
    failure.run_observed(&mut stack);
    let asserting = asserting_functions(failure.task.program);
    let only_asserts = |function: &FuncId| {
        asserting.contains(function) || lines.is_trusted(failure.task.program.function_name(*function))
    };
    stack.0.into_iter().rev().find(|function| !only_asserts(function))
}
