//! A violating run as an automaton that is one path (GraphML).

use super::Claim;
use super::constants::equation;
use super::run_events::{RunEvent, RunEvents, variable, written};
use crate::convert::steps;
use crate::model::*;
use cfa::{EdgeId, Op, Program, display};
use std::collections::HashMap;

pub fn fill(claim: &Claim<'_>, run_events: &RunEvents, automaton: &mut Automaton) {
    let steps = claim.source.steps.iter().map(|step| (step.edge, steps::guard(claim.source, step))).collect();
    let mut writer = Writer { claim, program: claim.task.program, guards: steps, automaton, input: None };
    writer.automaton.nodes.push(Node { id: "q0".into(), entry: true, ..Node::default() });
    writer.start(run_events);
    for event in &run_events.events {
        writer.event(event);
    }
    writer.end(run_events);
}

struct Writer<'a> {
    claim: &'a Claim<'a>,
    program: &'a Program,
    guards: HashMap<EdgeId, Guard>,
    automaton: &'a mut Automaton,
    /// The last input that was written down, if nothing was since.
    input: Option<EdgeId>,
}

impl Writer<'_> {
    fn push(&mut self, edge: Edge) {
        let (from, to) = (self.automaton.nodes.len() - 1, self.automaton.nodes.len());
        let (source, target) = (format!("q{from}"), format!("q{to}"));
        let mut guard = edge.guard;
        guard.origin_file = Some(self.claim.source.name.into());
        self.automaton.nodes.push(Node { id: target.clone(), ..Node::default() });
        self.automaton.edges.push(Edge { source, target, guard, ..edge });
    }

    /// The text of a step, as a comment, when it is short.
    fn code(&self, edge: EdgeId) -> Option<String> {
        let text = self.claim.source.sources.snippet(self.program.edges[edge].span).to_string();
        (!text.is_empty() && text.len() < 100 && !text.contains(|letter: char| letter.is_control())).then_some(text)
    }

    fn function(&self, edge: EdgeId) -> String {
        let location = self.program.edges[edge].from;
        self.program.function_name(self.program.locations[location].function).to_string()
    }

    fn start(&mut self, run_events: &RunEvents) {
        let name = self.program.function_name(self.claim.task.entry).to_string();
        let span = self.program.automaton(self.claim.task.entry).map(|automaton| automaton.span);
        let line = span.and_then(|span| self.claim.source.place(span.lo)).map(|place| place.line);
        let guard = Guard { start_line: line, end_line: line, enter_function: Some(name.clone()), ..Guard::default() };
        let assumption = (!run_events.start.is_empty()).then(|| run_events.start.join(" && "));
        let assumption_scope = assumption.as_ref().map(|_| name);
        self.push(Edge { guard, assumption, assumption_scope, ..Edge::default() });
    }

    fn event(&mut self, event: &RunEvent) {
        let input = match event {
            RunEvent::Input { edge, .. } => Some(*edge),
            _ => None,
        };
        let input_before = std::mem::replace(&mut self.input, input);
        match event {
            RunEvent::Input { edge, ty, bits } => {
                let Some(guard) = self.guards.get(edge).cloned() else { return };
                let variable = match written(self.program, *edge) {
                    Some(None) => return,
                    Some(place) => place,
                    None => variable(self.program, *edge),
                };
                let operand = variable.as_deref().unwrap_or("\\result");
                let assumption = equation(&self.program.types, operand, *ty, *bits);
                let follows = |before: EdgeId| self.program.edges[before].to == self.program.edges[*edge].from;
                // One call writes several places: one step, behind which all of it holds.
                if written(self.program, *edge).is_some()
                    && input_before.is_some_and(follows)
                    && let Some(Edge { assumption: Some(more), .. }) = self.automaton.edges.last_mut()
                    && let Some(assumption) = &assumption
                {
                    more.push_str(&format!(" && {assumption}"));
                    return;
                }
                let called = self.claim.source.called(*edge).map(String::from);
                let result_function = called.filter(|_| variable.is_none() && assumption.is_some());
                let assumption_scope = assumption.as_ref().map(|_| self.function(*edge));
                let source_code = self.code(*edge);
                self.push(Edge {
                    guard,
                    assumption,
                    assumption_scope,
                    result_function,
                    source_code,
                    ..Edge::default()
                });
            }
            RunEvent::Branch(edge) => {
                let Some(guard) = self.guards.get(edge).cloned().filter(|guard| guard.control.is_some()) else {
                    return;
                };
                let negated = match self.program.edges[*edge].op {
                    Op::Assume { cond, truth, .. } => truth == display::negates_text(self.program, cond),
                    _ => false,
                };
                let source_code =
                    self.code(*edge).map(|text| if negated { format!("[!({text})]") } else { format!("[{text}]") });
                self.push(Edge { guard, source_code, ..Edge::default() });
            }
            RunEvent::Enter { call, function } => {
                let Some(guard) = self.guards.get(call).cloned() else { return };
                let name = self.program.function_name(*function).to_string();
                let guard = Guard { enter_function: Some(name), ..guard };
                self.push(Edge { guard, source_code: self.code(*call), ..Edge::default() });
            }
            RunEvent::Return { edge, function } => {
                let Some(guard) = self.guards.get(edge).cloned() else { return };
                let name = self.program.function_name(*function).to_string();
                let guard = Guard { return_from: Some(name), ..guard };
                self.push(Edge { guard, source_code: self.code(*edge), ..Edge::default() });
            }
            RunEvent::Unset { declaration, values, .. } => {
                let Some(guard) = self.guards.get(declaration).cloned() else { return };
                let assumption = Some(values.join(" && "));
                let assumption_scope = Some(self.function(*declaration));
                self.push(Edge { guard, assumption, assumption_scope, ..Edge::default() });
            }
        }
    }

    /// The violation itself.
    fn end(&mut self, run_events: &RunEvents) {
        let end = run_events.end();
        // What happens in another file, as in a system header, belongs to the last operation in this one.
        if end.is_some_and(|edge| !self.guards.contains_key(&edge))
            && self.automaton.nodes.len() > 1
            && let Some(node) = self.automaton.nodes.last_mut()
        {
            node.violation = true;
            return;
        }
        let mut guard = end.and_then(|edge| self.guards.get(&edge).cloned()).unwrap_or_default();
        guard.enter_function = end
            .and_then(|edge| self.claim.source.called(edge))
            .filter(|_| end.is_some_and(|e| self.is_error(e)))
            .map(String::from);
        let source_code = end.and_then(|edge| self.code(edge));
        self.push(Edge { guard, source_code, ..Edge::default() });
        if let Some(node) = self.automaton.nodes.last_mut() {
            node.violation = true;
        }
    }

    fn is_error(&self, edge: EdgeId) -> bool {
        steps::is_error(self.claim.source, edge)
    }
}
