//! Entries → automaton. A sequence becomes a path with sinks at its side; invariants become states that are entered where the invariant's place is
//! reached and left with the next step.

use super::steps::*;
use crate::model::*;
use crate::program::{Source, Step};
use cfa::LocId;

pub fn automaton(entry: &Entry, source: &Source<'_>) -> Result<Automaton, String> {
    program(source)?;
    let mut builder = Builder { source, automaton: Automaton::default() };
    builder.node("q0").entry = true;
    match &entry.content {
        Content::Violation(segments) => {
            builder.automaton.kind = Some(Kind::Violation);
            builder.path(segments)?;
        }
        Content::Invariants(claims) => {
            builder.automaton.kind = Some(Kind::Correctness);
            builder.invariants(claims)?;
        }
        Content::Ghosts(_) => return Err("automata have no ghost variables".into()),
    }
    Ok(builder.automaton)
}

struct Builder<'a> {
    source: &'a Source<'a>,
    automaton: Automaton,
}

impl Builder<'_> {
    fn node(&mut self, id: &str) -> &mut Node {
        let index = match self.automaton.nodes.iter().position(|node| node.id == id) {
            Some(index) => index,
            None => {
                self.automaton.nodes.push(Node { id: id.into(), ..Node::default() });
                self.automaton.nodes.len() - 1
            }
        };
        &mut self.automaton.nodes[index]
    }

    fn path(&mut self, segments: &[Segment]) -> Result<(), String> {
        for (index, segment) in segments.iter().enumerate() {
            let from = format!("q{index}");
            let mut follows = segment.waypoints.iter().filter(|waypoint| waypoint.action != Action::Avoid);
            let (Some(follow), None) = (follows.next(), follows.next()) else {
                return Err(format!("segment {} does not follow exactly one waypoint", index + 1));
            };
            let last = index + 1 == segments.len();
            let to = if last { "violation".to_string() } else { format!("q{}", index + 1) };
            self.node(&to).violation = last;
            if last != (follow.kind == WaypointKind::Target) {
                return Err("only a sequence that ends with its target is an automaton".into());
            }
            for waypoint in &segment.waypoints {
                let avoid = waypoint.action == Action::Avoid;
                let target = if avoid { "sink" } else { to.as_str() };
                if avoid {
                    self.node("sink").sink = true;
                }
                for edge in self.edges(waypoint)? {
                    let (source, target) = (from.clone(), target.to_string());
                    self.automaton.edges.push(Edge { source, target, ..edge });
                }
            }
            self.stay(&from);
        }
        Ok(())
    }

    /// An automaton goes nowhere when the assumption of the only edge for an operation is false; a sequence goes on waiting.
    fn stay(&mut self, state: &str) {
        let leaving = self.automaton.edges.iter().filter(|edge| edge.source == state);
        let loops: Vec<Edge> = leaving
            .clone()
            .filter_map(|edge| {
                let assumption = Some(negated(edge.assumption.as_ref()?));
                let stays = Edge { target: state.into(), assumption, ..edge.clone() };
                let known =
                    leaving.clone().any(|other| other.guard == stays.guard && other.assumption == stays.assumption);
                (!known).then_some(stays)
            })
            .collect();
        self.automaton.edges.extend(loops);
    }

    /// The transitions that a waypoint is; several where the place can be reached in several ways.
    fn edges(&self, waypoint: &Waypoint) -> Result<Vec<Edge>, String> {
        if waypoint.action == Action::Cycle || waypoint.thread.is_some_and(|thread| thread != 0) {
            return Err("cycles and threads have no counterpart in an automaton".into());
        }
        let source = self.source;
        let place = &waypoint.location;
        let what = format!("the waypoint in line {}", place.line);
        let value = waypoint.constraint.as_ref().map_or("", |constraint| constraint.value.as_str());
        match waypoint.kind {
            WaypointKind::Branching => {
                let truth = match value {
                    "true" => true,
                    "false" => false,
                    _ => return Err(format!("{what}: an automaton cannot say which case of a switch is taken")),
                };
                // The operand of `&&` or `||` that decides is a branch of its own in an automaton.
                let decided = source.decided(place.line, place.column, truth);
                let steps: Option<Vec<&Step>> = decided.iter().map(|edge| step_of(source, *edge)).collect();
                let steps = steps.filter(|steps| !steps.is_empty());
                let steps = steps.ok_or_else(|| format!("{what}: nothing in the program matches"))?;
                let guards = steps.into_iter().map(|step| (step.edge, guard(source, step))).collect::<Vec<_>>();
                for (edge, guard) in &guards {
                    if source.matching(guard).iter().any(|step| step.edge != *edge) {
                        return Err(format!("{what}: an automaton cannot tell the parts of its condition apart"));
                    }
                }
                Ok(guards.into_iter().map(|(_, guard)| Edge { guard, ..Edge::default() }).collect())
            }
            WaypointKind::FunctionEnter | WaypointKind::FunctionReturn => {
                let at = |step: &&Step| {
                    step.end.line == place.line && place.column.is_none_or(|column| step.end.column == column)
                };
                let steps: Vec<&Step> =
                    source.steps.iter().filter(at).filter(|step| source.called(step.edge).is_some()).collect();
                unique(steps.iter().map(|step| step.end).collect(), &what)?;
                let step = steps[0];
                let name = source.called(step.edge).unwrap_or_default().to_string();
                let mut edge = Edge { guard: guard(source, step), ..Edge::default() };
                if waypoint.kind == WaypointKind::FunctionEnter {
                    edge.guard.enter_function = Some(name);
                    return Ok(vec![edge]);
                }
                edge.assumption = Some(value.into());
                edge.assumption_scope = self.function(step.edge);
                edge.result_function = Some(name);
                Ok(vec![edge])
            }
            WaypointKind::Assumption => {
                let steps = source.steps_at(place.line, place.column);
                let Some(first) = steps.iter().min_by_key(|step| (step.anchor, step.edge)) else {
                    return Err(format!("{what}: no statement begins there"));
                };
                if matches!(value.trim(), "1" | "true") {
                    return Ok(vec![Edge { guard: guard(source, first), ..Edge::default() }]);
                }
                let at = program(source)?.edges[first.edge].from;
                let into =
                    self.steps_into(at).ok_or_else(|| format!("{what}: nothing comes before it in its function"))?;
                let with = |step: &Step| Edge {
                    guard: guard(source, step),
                    assumption: Some(value.into()),
                    assumption_scope: self.function(step.edge),
                    ..Edge::default()
                };
                Ok(into.iter().map(with).collect())
            }
            WaypointKind::Target => {
                let steps = source.steps_at(place.line, place.column);
                let errors: Vec<&Step> = steps.iter().filter(|step| is_error(source, step.edge)).collect();
                let step =
                    errors.first().copied().or(steps.last()).ok_or_else(|| format!("{what}: nothing is there"))?;
                let mut edge = Edge { guard: guard(source, step), ..Edge::default() };
                edge.guard.enter_function = source.called(step.edge).map(String::from).filter(|_| !errors.is_empty());
                Ok(vec![edge])
            }
        }
    }

    fn function(&self, edge: cfa::EdgeId) -> Option<String> {
        let program = self.source.program?;
        let function = program.locations[program.edges[edge].from].function;
        Some(program.function_name(function).into())
    }

    /// The steps that lead to a location; `None` if one of them has no place in the file, or there are none.
    fn steps_into(&self, location: LocId) -> Option<Vec<Step>> {
        let program = self.source.program?;
        let into = program.edges.iter().filter(|(_, edge)| edge.to == location).map(|(id, _)| id);
        let steps: Option<Vec<Step>> = into.map(|edge| step_of(self.source, edge).copied()).collect();
        steps.filter(|steps| !steps.is_empty())
    }

    fn invariants(&mut self, claims: &[Claim]) -> Result<(), String> {
        let program = program(self.source)?;
        let mut places: Vec<(LocId, String)> = Vec::new();
        for claim in claims {
            let Claim::Invariant(invariant) = claim else { return Err("automata have no function contracts".into()) };
            let at = self.location_of(invariant)?;
            if !matches!(invariant.format, None | Some(ExpressionFormat::C)) {
                return Err("an invariant of an automaton is plain C".into());
            }
            let function = program.function_name(program.locations[at].function).to_string();
            let known = places.iter().find(|(place, _)| *place == at).map(|(_, id)| id.clone());
            let id = known.unwrap_or_else(|| format!("inv{}", places.len()));
            places.retain(|(place, _)| *place != at);
            places.push((at, id.clone()));
            let node = self.node(&id);
            node.invariant = Some(match node.invariant.take() {
                Some(other) => format!("({other}) && ({})", invariant.value),
                None => invariant.value.clone(),
            });
            node.invariant_scope = Some(function);
        }
        let state =
            |location: LocId| places.iter().find(|(place, _)| *place == location).map_or("q0", |(_, id)| id.as_str());
        let mut edges = Vec::new();
        for (at, id) in &places {
            let line = self
                .source
                .steps
                .iter()
                .find(|step| program.edges[step.edge].from == *at)
                .map_or(0, |step| step.anchor.line);
            let into = self
                .steps_into(*at)
                .ok_or_else(|| format!("line {line}: how its invariant's place is reached has no words"))?;
            for step in into {
                let source = state(program.edges[step.edge].from).to_string();
                let mut guard = guard(self.source, &step);
                guard.enter_loop_head = program.locations[*at].loop_head.is_some();
                edges.push(Edge { source, target: id.clone(), guard, ..Edge::default() });
            }
            for edge in program.successors(*at) {
                let to = program.edges[edge].to;
                // An edge between two of the places was made already.
                if places.iter().any(|(place, _)| *place == to) {
                    continue;
                }
                let step = step_of(self.source, edge).ok_or("a step after the invariant has no place in the file")?;
                let guard = guard(self.source, step);
                edges.push(Edge { source: id.clone(), target: "q0".into(), guard, ..Edge::default() });
            }
        }
        self.automaton.edges = edges;
        Ok(())
    }

    fn location_of(&self, invariant: &Invariant) -> Result<LocId, String> {
        let program = program(self.source)?;
        let Some(location) = &invariant.location else {
            return Err("an invariant of the whole program has no state".into());
        };
        let what = format!("the invariant in line {}", location.line);
        let here =
            |line: u32, column: u32| line == location.line && location.column.is_none_or(|wanted| wanted == column);
        match invariant.kind {
            InvariantKind::Loop => {
                let mut heads = program.locations.iter().filter_map(|(id, _)| {
                    let (place, first) = loop_at(self.source, id)?;
                    here(place.line, place.column).then_some((id, first))
                });
                match (heads.next(), heads.next()) {
                    (Some((id, true)), None) => Ok(id),
                    (Some((_, false)), None) => Err(format!("{what}: the loop's condition is not at its head")),
                    (Some(_), Some(_)) => Err(format!("{what}: several loops are there")),
                    (None, _) => Err(format!("{what}: no loop is there")),
                }
            }
            InvariantKind::Location => {
                let steps = self.source.steps_at(location.line, location.column);
                let first = steps.iter().min_by_key(|step| (step.anchor, step.edge));
                let step = first.ok_or_else(|| format!("{what}: no statement is there"))?;
                Ok(program.edges[step.edge].from)
            }
            _ => Err(format!("{what}: automata have no {}", invariant.kind.word())),
        }
    }
}
