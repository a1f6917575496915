//! Automaton → entries. A violation witness must be a path, with ways into sinks at its side; the state invariants of a correctness witness
//! become invariants of the places that their states are entered at.

use super::steps::*;
use crate::lint::forms;
use crate::model::*;
use crate::program::{Place, Source, Step};
use crate::specification::properties;
use cfa::{Callee, Op, Property};
use std::collections::HashMap;

pub fn content(automaton: &Automaton, source: &Source<'_>) -> Result<Content, String> {
    program(source)?;
    let automaton = &*source.with_trusted_offsets(automaton);
    let file = automaton.program_file.clone().unwrap_or_else(|| source.name.into());
    let nodes = automaton.nodes.iter().map(|node| (node.id.as_str(), node)).collect();
    let context = Context { automaton, nodes, source, file };
    match automaton.told_kind() {
        Some(Kind::Violation) => Ok(Content::Violation(context.path()?)),
        Some(Kind::Correctness) => Ok(Content::Invariants(context.invariants()?)),
        None => Err("the witness does not say of what it is evidence (witness-type)".into()),
    }
}

struct Context<'a> {
    automaton: &'a Automaton,
    nodes: HashMap<&'a str, &'a Node>,
    source: &'a Source<'a>,
    file: String,
}

impl Context<'_> {
    fn node(&self, id: &str) -> Result<&Node, String> {
        self.nodes.get(id).copied().ok_or_else(|| format!("there is no node `{id}`"))
    }

    fn path(&self) -> Result<Vec<Segment>, String> {
        if self.automaton.specifications.iter().any(|text| forms::is_termination(text)) {
            return Err("a cycle of an automaton has no counterpart as a sequence".into());
        }
        let entry = self.automaton.nodes.iter().find(|node| node.entry).ok_or("there is no entry")?;
        let leaving = self.automaton.leaving();
        let mut segments: Vec<Segment> = Vec::new();
        let mut node = entry;
        let mut left = self.automaton.nodes.len();
        while !node.violation {
            if left == 0 {
                return Err("the automaton has a loop, a sequence has none".into());
            }
            left -= 1;
            let mut onward = Vec::new();
            let mut avoided = Vec::new();
            let mut staying = Vec::new();
            for &edge in leaving.get(node.id.as_str()).into_iter().flatten() {
                if edge.guard.is_concurrent() {
                    return Err("threads are numbered differently in the two formats".into());
                }
                match self.node(&edge.target)? {
                    target if target.id == node.id => staying.push(edge),
                    target if target.sink => avoided.push(edge),
                    _ => onward.push(edge),
                }
            }
            let [edge] = onward[..] else {
                let ways = onward.len();
                return Err(match ways {
                    0 => format!("no way leads on from `{}`", node.id),
                    _ => format!("`{}` has {ways} ways on, a sequence has one", node.id),
                });
            };
            // What an edge's assumption excludes stays, if an edge says so; else no run goes on with it.
            let stays = |edge: &Edge| staying.iter().any(|other| opposite(edge, other));
            if let Some(other) =
                staying.iter().find(|other| !onward.iter().chain(&avoided).any(|edge| opposite(edge, other)))
            {
                return Err(format!("the edge from `{}` to itself has no counterpart in a sequence", other.source));
            }
            let mut avoid = Vec::new();
            for sink in avoided {
                if sink.assumption.is_some() && !stays(sink) && !opposite(edge, sink) {
                    return Err(format!(
                        "the edge to `{}` does not say what happens when its assumption is false",
                        sink.target
                    ));
                }
                let [waypoint] = &self.waypoints(sink)?[..] else {
                    return Err(format!("the edge to `{}` is not one waypoint to avoid", sink.target));
                };
                avoid.push(Waypoint { action: Action::Avoid, ..waypoint.clone() });
            }
            let loose = stays(edge);
            node = self.node(&edge.target)?;
            let mut follow = if node.violation { self.last(edge)? } else { self.waypoints(edge)? };
            let before = segments.last().and_then(|segment| segment.waypoints.last());
            match (before, follow.first()) {
                // A place is passed once: who has come to a statement need not come to it again.
                (Some(before), Some(first)) if same_visit(before, first) && is_true(first) => drop(follow.remove(0)),
                (Some(before), Some(first)) if same_visit(before, first) => {
                    let line = first.location.line;
                    return Err(format!("line {line}: two assumptions at one place, which a sequence passes once"));
                }
                _ => {}
            }
            if follow.is_empty() && !avoid.is_empty() {
                return Err(format!("the edge to `{}` restricts nothing while others are to be avoided", edge.target));
            }
            for waypoint in follow.drain(..) {
                let mut waypoints = std::mem::take(&mut avoid);
                if let Some(twin) = excluded(&waypoint).filter(|twin| !loose && !waypoints.contains(twin)) {
                    waypoints.push(twin);
                }
                waypoints.push(waypoint);
                segments.push(Segment { at: Position::default(), waypoints });
            }
        }
        Ok(segments)
    }

    fn waypoint(
        &self,
        kind: WaypointKind,
        place: Place,
        constraint: Option<(String, Option<ExpressionFormat>)>,
    ) -> Waypoint {
        Waypoint {
            at: Position::default(),
            kind,
            action: Action::Follow,
            location: location(self.source, &self.file, place),
            constraint: constraint.map(|(value, format)| Constraint { at: Position::default(), value, format }),
            thread: None,
        }
    }

    /// What an edge demands, one after the other.
    fn waypoints(&self, edge: &Edge) -> Result<Vec<Waypoint>, String> {
        let guard = &edge.guard;
        let what = format!("the edge from `{}` to `{}`", edge.source, edge.target);
        let plain = Guard { enter_function: None, return_from: None, enter_loop_head: false, ..guard.clone() };
        let is_start = guard.enter_function.as_deref() == Some("main");
        let mut waypoints = Vec::new();
        if let Some(truth) = guard.control {
            let steps = self.source.matching(&plain);
            let place = unique(anchors(&steps), &what)?;
            let decided = self.source.decided(place.line, Some(place.column), truth);
            // `&&` and `||` are several branches of an automaton, a waypoint is about all of them.
            if steps.iter().any(|step| !decided.contains(&step.edge)) || decided.len() != steps.len() {
                return Err(format!("{what} is about a part of the condition in line {}", place.line));
            }
            waypoints.push(self.waypoint(WaypointKind::Branching, place, Some((truth.to_string(), None))));
        } else if let (Some(name), false) = (&guard.enter_function, is_start) {
            let place = unique(ends(&self.calls(&plain, name)), &what)?;
            waypoints.push(self.waypoint(WaypointKind::FunctionEnter, place, None));
        }
        let mut after = Vec::new();
        for part in edge.assumption.as_deref().unwrap_or("").split(';').map(bare).filter(|part| !part.is_empty()) {
            // Old producers write assignments; a waypoint must not have effects.
            let equation = equations(part);
            let part = equation.as_deref().unwrap_or(part);
            if part.contains("\\result") {
                let function = edge.result_function.as_deref().ok_or("\\result of an unknown function")?;
                if !part.starts_with("\\result") {
                    return Err(format!("`{part}` is not \\result compared with a constant"));
                }
                let place = unique(ends(&self.calls(&plain, function)), &what)?;
                let constraint = Some((part.to_string(), Some(ExpressionFormat::Acsl)));
                waypoints.push(self.waypoint(WaypointKind::FunctionReturn, place, constraint));
            } else {
                after.push(format!("({part})"));
            }
        }
        if !after.is_empty() {
            let place = self.place_after(guard, &plain, &what)?;
            let value = match &after[..] {
                [one] => one[1..one.len() - 1].to_string(),
                several => several.join(" && "),
            };
            waypoints.push(self.waypoint(WaypointKind::Assumption, place, Some((value, Some(ExpressionFormat::C)))));
        }
        let line = guard.start_line;
        let global = line.is_some_and(|line| line <= self.source.lines() && self.source.function_at(line).is_none());
        if waypoints.is_empty() && global && guard.enter_function.is_none() && guard.return_from.is_none() {
            // A declaration of the file scope: every run passes it before it begins.
            return Ok(waypoints);
        }
        let unrestricted = Guard { origin_file: guard.origin_file.clone(), ..Guard::default() };
        if waypoints.is_empty() && !is_start && *guard != unrestricted {
            // Only that it comes here. A waypoint is passed where the statement begins, an edge where its operation ends.
            let place = unique(anchors(&self.source.matching(&plain)), &what)?;
            if self.calls_defined(place) {
                return Err(format!("{what}: the statement in line {} calls functions before it ends", place.line));
            }
            let constraint = Some(("1".to_string(), Some(ExpressionFormat::C)));
            waypoints.push(self.waypoint(WaypointKind::Assumption, place, constraint));
        }
        Ok(waypoints)
    }

    /// Whether the statement at a place calls a function with a body.
    fn calls_defined(&self, place: Place) -> bool {
        let Some(program) = self.source.program else { return false };
        let mut steps = self.source.steps.iter().filter(|step| step.anchor == place);
        steps.any(|step| match program.edges[step.edge].op {
            Op::Call { callee: Callee::Direct(function), .. } => program.automaton(function).is_some(),
            Op::Call { callee: Callee::Indirect(_), .. } => true,
            _ => false,
        })
    }

    /// The statement before which an assumption is evaluated: the one after what the guard matches, or the first of a function that is entered.
    fn place_after(&self, guard: &Guard, plain: &Guard, what: &str) -> Result<Place, String> {
        let program = program(self.source)?;
        if let Some(name) = &guard.enter_function {
            let body = self.source.function(name).and_then(|function| program.automaton(function));
            let place = body.and_then(|body| next_place(self.source, body.entry));
            return place.ok_or_else(|| format!("{what}: `{name}` has no statement to begin with"));
        }
        let steps = self.source.matching(plain);
        let calls = |step: &Step| match program.edges[step.edge].op {
            Op::Call { callee: Callee::Direct(function), .. } => program.automaton(function).is_some(),
            Op::Call { callee: Callee::Indirect(_), .. } => true,
            _ => false,
        };
        if guard.return_from.is_none() && steps.iter().any(calls) {
            return Err(format!("{what}: whether its assumption is about the begin of a call or its end is not said"));
        }
        let next = |step: &Step| next_place(self.source, program.edges[step.edge].to);
        unique(last_steps(self.source, &steps).iter().filter_map(next).collect(), what)
    }

    /// The edge into the violation state, and the place of the violation.
    fn last(&self, edge: &Edge) -> Result<Vec<Waypoint>, String> {
        let program = program(self.source)?;
        let steps = self.source.matching(&edge.guard);
        let errors: Vec<Step> = steps.iter().filter(|step| is_error(self.source, step.edge)).copied().collect();
        let claimed = self.automaton.specifications.iter().flat_map(|text| properties(text)).collect::<Vec<_>>();
        let reach = claimed.iter().all(|property| matches!(property, Property::UnreachCall | Property::Assertion));
        let what = "the violation";
        let mut waypoints = Vec::new();
        let target = if !errors.is_empty() {
            unique(anchors(&errors), what)?
        } else if reach {
            waypoints = self.waypoints(edge)?;
            // In the last state any violation counts.
            match only_error(self.source) {
                Some(place) => place,
                None => {
                    let after = steps.iter().map(|step| error_after(self.source, program.edges[step.edge].to));
                    let after: Option<Vec<Place>> = after.collect();
                    unique(after.ok_or("several calls of the error can follow the last edge")?, what)?
                }
            }
        } else {
            unique(anchors(&steps), what)?
        };
        waypoints.push(self.waypoint(WaypointKind::Target, target, None));
        Ok(waypoints)
    }

    fn calls(&self, guard: &Guard, name: &str) -> Vec<Step> {
        let guard = Guard { control: None, ..guard.clone() };
        self.source.matching(&guard).into_iter().filter(|step| self.source.called(step.edge) == Some(name)).collect()
    }

    fn invariants(&self) -> Result<Vec<Claim>, String> {
        let program = program(self.source)?;
        // Where each edge of the automaton may lead in the program.
        let mut entered: Vec<(Place, InvariantKind, &Node)> = Vec::new();
        for edge in &self.automaton.edges {
            let node = self.node(&edge.target)?;
            let steps = last_steps(self.source, &self.source.matching(&edge.guard));
            if invariant(node).is_some() && steps.is_empty() {
                return Err(format!("nothing in the program matches the edge to `{}`", node.id));
            }
            for step in steps {
                let to = program.edges[step.edge].to;
                match loop_at(self.source, to) {
                    Some((_, false)) if invariant(node).is_some() => {
                        return Err(format!("the loop that `{}` is the head of has no condition at its head", node.id));
                    }
                    Some((place, _)) => entered.push((place, InvariantKind::Loop, node)),
                    None => {
                        let place = next_place(self.source, to);
                        entered.extend(place.map(|place| (place, InvariantKind::Location, node)));
                    }
                }
            }
        }
        let mut claims: Vec<(Place, Invariant)> = Vec::new();
        for (place, kind, node) in &entered {
            let Some(value) = invariant(node) else { continue };
            let elsewhere = entered.iter().find(|(other, _, found)| other == place && invariant(found) != Some(value));
            if let Some((_, _, other)) = elsewhere {
                let (line, a, b) = (place.line, &node.id, &other.id);
                return Err(format!("line {line} belongs to `{a}` and to `{b}`, whose invariants differ"));
            }
            if !claims.iter().any(|(other, _)| other == place) {
                let location = Some(location(self.source, &self.file, *place));
                let (value, format) = (value.to_string(), Some(ExpressionFormat::C));
                let at = Position::default();
                claims.push((*place, Invariant { at, kind: *kind, location, value, format, labels: Vec::new() }));
            }
        }
        let entry = self.automaton.nodes.iter().find(|node| node.entry && invariant(node).is_some());
        let claimed = |node: &Node| entered.iter().any(|(_, _, found)| found.id == node.id);
        if let Some(entry) = entry.filter(|entry| !claimed(entry)) {
            return Err(format!("the invariant of the entry `{}` has no place in the program", entry.id));
        }
        claims.sort_by_key(|(place, _)| *place);
        Ok(claims.into_iter().map(|(_, invariant)| Claim::Invariant(invariant)).collect())
    }
}

/// The invariant of a state, if it says anything.
fn invariant(node: &Node) -> Option<&str> {
    node.invariant.as_deref().map(bare).filter(|text| !matches!(*text, "true" | "1"))
}

/// Whether two edges match the same operations under opposite assumptions.
fn opposite(a: &Edge, b: &Edge) -> bool {
    let (Some(left), Some(right)) = (&a.assumption, &b.assumption) else { return false };
    a.guard == b.guard && (negated(bare(left)) == bare(right) || negated(bare(right)) == bare(left))
}

/// What an automaton excludes when its one edge for an operation has an assumption: the opposite, as a waypoint to avoid.
fn excluded(waypoint: &Waypoint) -> Option<Waypoint> {
    let constraint = waypoint.constraint.as_ref()?;
    let restricts = matches!(waypoint.kind, WaypointKind::Assumption | WaypointKind::FunctionReturn);
    if !restricts || matches!(constraint.value.as_str(), "1" | "true") {
        return None;
    }
    let constraint = Some(Constraint { value: negated(&constraint.value), ..constraint.clone() });
    Some(Waypoint { action: Action::Avoid, constraint, ..waypoint.clone() })
}

fn is_true(waypoint: &Waypoint) -> bool {
    waypoint.constraint.as_ref().is_some_and(|constraint| constraint.value == "1")
}

/// Whether two assumptions in a row are about one visit of one place.
fn same_visit(before: &Waypoint, next: &Waypoint) -> bool {
    let assumption = |waypoint: &Waypoint| waypoint.kind == WaypointKind::Assumption;
    assumption(before) && assumption(next) && before.location == next.location && !is_true(before)
}

fn anchors(steps: &[Step]) -> Vec<Place> {
    steps.iter().map(|step| step.anchor).collect()
}

fn ends(steps: &[Step]) -> Vec<Place> {
    steps.iter().map(|step| step.end).collect()
}

/// Without blanks and parentheses around.
fn bare(text: &str) -> &str {
    let mut text = text.trim();
    while let Some(inner) =
        text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).filter(|inner| is_closed(inner))
    {
        text = inner.trim();
    }
    text
}
