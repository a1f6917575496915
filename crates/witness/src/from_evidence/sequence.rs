//! A violating run as a sequence of segments (YAML).

use super::Claim;
use super::constants::equation;
use super::run_events::{RunEvent, RunEvents, variable, written};
use crate::convert::steps;
use crate::model::*;
use crate::program::{Place, Source};
use cfa::{AssumeRole, BinOp, Branch, EdgeId, ExprKind, Op, Program};
use std::collections::HashMap;

/// Edges between one that does something and the next statement.
const MOST_BETWEEN: usize = 80;

pub fn segments(claim: &Claim<'_>, run_events: &RunEvents) -> Vec<Segment> {
    let ends = claim.source.steps.iter().map(|step| (step.edge, step.end)).collect();
    let mut writer = Writer { claim, program: claim.task.program, ends, segments: Vec::new() };
    if let Some(place) = writer.first_statement() {
        writer.assume(place, &run_events.start);
    }
    for event in &run_events.events {
        writer.event(event);
    }
    let calls = run_events.run.stack.iter().rev().copied();
    let target = run_events.end().into_iter().chain(calls).find_map(|edge| writer.place(edge));
    if let Some(place) = target {
        writer.push(WaypointKind::Target, place, None);
    }
    writer.segments
}

struct Writer<'a> {
    claim: &'a Claim<'a>,
    program: &'a Program,
    /// The last characters of operations: of a call, its closing parenthesis, or the name of the macro that hides it.
    ends: HashMap<EdgeId, Place>,
    segments: Vec<Segment>,
}

impl Writer<'_> {
    fn push(&mut self, kind: WaypointKind, place: Place, constraint: Option<(String, Option<ExpressionFormat>)>) {
        let source = self.claim.source;
        let constraint = constraint.map(|(value, format)| Constraint { at: Position::default(), value, format });
        let location = steps::location(source, source.name, place);
        let waypoint =
            Waypoint { at: Position::default(), kind, action: Action::Follow, location, constraint, thread: None };
        self.segments.push(Segment { at: Position::default(), waypoints: vec![waypoint] });
    }

    fn assume(&mut self, place: Place, values: &[String]) {
        if values.is_empty() {
            return;
        }
        let text = values.join(" && ");
        let location = steps::location(self.claim.source, self.claim.source.name, place);
        // A place is passed once: what is assumed there is assumed at once.
        if let Some(Waypoint {
            kind: WaypointKind::Assumption, location: before, constraint: Some(before_text), ..
        }) = self.segments.last_mut().and_then(|segment| segment.waypoints.last_mut())
            && *before == location
        {
            before_text.value = format!("{} && {text}", before_text.value);
            return;
        }
        self.push(WaypointKind::Assumption, place, Some((text, Some(ExpressionFormat::C))));
    }

    fn place(&self, edge: EdgeId) -> Option<Place> {
        self.claim.source.place(self.program.edges[edge].anchor)
    }

    /// Where the entry function's first statement begins.
    fn first_statement(&self) -> Option<Place> {
        let entry = self.program.automaton(self.claim.task.entry)?.entry;
        steps::next_place(self.claim.source, entry)
    }

    fn event(&mut self, event: &RunEvent) {
        match event {
            RunEvent::Input { edge, ty, bits } => {
                if let Some(place) = written(self.program, *edge) {
                    let value = place.and_then(|place| equation(&self.program.types, &place, *ty, *bits));
                    if let (Some(value), Some(behind)) = (value, self.statement_behind(*edge)) {
                        self.assume(behind, &[value]);
                    }
                    return;
                }
                let Some(place) = self.ends.get(edge).copied() else { return };
                if let Some(value) = equation(&self.program.types, "\\result", *ty, *bits) {
                    if value.ends_with("\\result") {
                        return self.not_a_number(*edge, place);
                    }
                    self.push(WaypointKind::FunctionReturn, place, Some((value, Some(ExpressionFormat::Acsl))));
                }
            }
            RunEvent::Branch(edge) => {
                if let (Some(place), Some(value)) = (self.place(*edge), self.branch_value(*edge)) {
                    self.push(WaypointKind::Branching, place, Some((value, None)));
                }
            }
            RunEvent::Unset { site, values, .. } => {
                if let Some(place) = self.place(*site) {
                    self.assume(place, values);
                }
            }
            RunEvent::Enter { .. } | RunEvent::Return { .. } => {}
        }
    }

    /// Where the next statement begins, which is the first to see what an edge did.
    fn statement_behind(&self, edge: EdgeId) -> Option<Place> {
        let anchor = self.program.edges[edge].anchor;
        let mut at = self.program.edges[edge].to;
        for _ in 0..MOST_BETWEEN {
            let next = self.program.successors(at).next()?;
            let data = &self.program.edges[next];
            if data.anchor != anchor && !matches!(data.op, Op::Skip | Op::Kill(_)) {
                return self.place(next);
            }
            at = data.to;
        }
        None
    }

    /// No constant equals it, so the variable that holds it must do; the next statement is the first to see it.
    fn not_a_number(&mut self, edge: EdgeId, call: Place) {
        if let (Some(name), Some(place)) = (variable(self.program, edge), self.statement_behind(edge)) {
            return self.assume(place, &[format!("{name} != {name}")]);
        }
        let constraint = ("\\result != 0".to_string(), Some(ExpressionFormat::Acsl));
        self.push(WaypointKind::FunctionReturn, call, Some(constraint));
    }

    /// What a branch as a whole was decided to; none where more of `&&` and `||` is to be evaluated.
    fn branch_value(&self, edge: EdgeId) -> Option<String> {
        let data = &self.program.edges[edge];
        let Op::Assume { cond, truth, role: AssumeRole::Branch(branch) } = data.op else { return None };
        match branch {
            Branch::ShortCircuit => None,
            Branch::Switch => match self.program.exprs[cond].kind {
                ExprKind::Binary(BinOp::Eq, _, label) if truth && self.stands(edge, &["switch"]) => {
                    let bits = self.program.constant(label)?;
                    let ty = self.program.exprs[label].ty;
                    Some(cfa::eval::to_i128(&self.program.types, ty, bits).to_string())
                }
                _ => None,
            },
            Branch::If | Branch::While | Branch::Do | Branch::For | Branch::Conditional => {
                let decided = Source::decides(self.program, edge);
                let keyword = self.stands(edge, &["if", "while", "for", "do", "?"]);
                (keyword && decided).then(|| truth.to_string())
            }
        }
    }

    /// Whether one of some words stands where an edge happens.
    fn stands(&self, edge: EdgeId, words: &[&str]) -> bool {
        let place = self.place(edge);
        let text = place.and_then(|place| self.claim.source.rest(place.line, place.column)).unwrap_or_default();
        words.iter().any(|word| text.starts_with(word))
    }
}
