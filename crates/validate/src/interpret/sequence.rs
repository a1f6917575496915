//! The rules of a sequence of segments (YAML): state `i` waits for segment `i`.

use super::rules::{Check, Moment, Otherwise, Rule, Rules};
use crate::statics::TOO_LARGE;
use base::Budget;
use cfa::{AssumeRole, BinOp, Branch, EdgeId, ExprKind, Op, Program};
use witness::model::{Action, Location, Segment, Waypoint, WaypointKind};
use witness::program::{Source, Step};

pub fn rules(
    segments: &[Segment],
    source: &Source<'_>,
    program: &Program,
    budget: &Budget,
) -> Result<Rules, &'static str> {
    let mut rules = Rules::new(program, Otherwise::Stay);
    rules.start = vec![0];
    rules.distance = (0..=segments.len()).map(|index| (index, segments.len() - index)).collect();
    for (index, segment) in segments.iter().enumerate() {
        if budget.expired() {
            return Err(TOO_LARGE);
        }
        for waypoint in &segment.waypoints {
            let to = (waypoint.action != Action::Avoid).then_some(index + 1);
            let places = places(source, program, waypoint);
            let line = waypoint.location.line;
            if places.is_empty() && waypoint.action != Action::Avoid {
                rules.missing.push(format!("the {} in line {line}", waypoint.kind.word()));
            }
            if waypoint.kind == WaypointKind::Target {
                let edges = places.iter().map(|(moment, _)| match *moment {
                    Moment::After(edge) | Moment::Before(edge) | Moment::Enter(edge) => edge,
                    Moment::Start => EdgeId(0),
                });
                rules.targets.entry(index).or_default().extend(edges);
                continue;
            }
            for (moment, edge) in places {
                let check = match (&waypoint.constraint, waypoint.kind) {
                    (Some(constraint), WaypointKind::Assumption) => {
                        let at = rules.program.edges[edge].from;
                        rules.check(&constraint.value, at, None)
                    }
                    (Some(constraint), WaypointKind::FunctionReturn) => {
                        let at = rules.program.edges[edge].to;
                        rules.check(&constraint.value, at, Some(edge))
                    }
                    _ => Check::Always,
                };
                let text = match waypoint.kind {
                    WaypointKind::Assumption | WaypointKind::FunctionReturn => {
                        waypoint.constraint.as_ref().map(|constraint| constraint.value.clone()).unwrap_or_default()
                    }
                    _ => String::new(),
                };
                rules.add(moment, index, Rule { to, check, text, lingers: false, line });
            }
        }
    }
    Ok(rules)
}

/// The moments at which a waypoint may be passed, with the edge each is about.
fn places(source: &Source<'_>, program: &Program, waypoint: &Waypoint) -> Vec<(Moment, EdgeId)> {
    let location = &waypoint.location;
    match waypoint.kind {
        WaypointKind::FunctionReturn => {
            calls(source, program, location).into_iter().map(|edge| (Moment::After(edge), edge)).collect()
        }
        WaypointKind::FunctionEnter => {
            let has_body = |edge: EdgeId| match program.edges[edge].op {
                Op::Call { callee: cfa::Callee::Direct(function), .. } => program.automaton(function).is_some(),
                Op::Call { .. } => true,
                _ => false,
            };
            let moment = |edge| if has_body(edge) { Moment::Enter(edge) } else { Moment::After(edge) };
            calls(source, program, location).into_iter().map(|edge| (moment(edge), edge)).collect()
        }
        WaypointKind::Assumption => {
            let leftmost = leftmost(source.steps.iter(), location, |step| step.anchor);
            let steps = source.steps.iter().filter(|step| is_at(step.anchor, location, leftmost));
            steps.map(|step| (Moment::Before(first(program, step.edge)), step.edge)).collect()
        }
        WaypointKind::Branching => {
            let value = waypoint.constraint.as_ref().map_or("", |constraint| constraint.value.trim());
            branches(source, program, location, value).into_iter().map(|edge| (Moment::After(edge), edge)).collect()
        }
        WaypointKind::Target => {
            let holds = |step: &&Step| {
                let from = step.anchor.min(step.start);
                let at = (location.line, location.column);
                let inside = |column: u32| {
                    (from.line, from.column) <= (at.0, column) && (at.0, column) <= (step.end.line, step.end.column)
                };
                location.column.map_or((from.line..=step.end.line).contains(&location.line), inside)
            };
            source.steps.iter().filter(holds).map(|step| (Moment::After(step.edge), step.edge)).collect()
        }
    }
}

/// Two branches begin together.
pub fn first(program: &Program, edge: EdgeId) -> EdgeId {
    program.locations[program.edges[edge].from].out[0].unwrap_or(edge)
}

type Place = witness::program::Place;

fn leftmost<'s>(
    steps: impl Iterator<Item = &'s Step>,
    location: &Location,
    place: impl Fn(&Step) -> Place,
) -> Option<u32> {
    steps.map(place).filter(|place| place.line == location.line).map(|place| place.column).min()
}

fn is_at(place: Place, location: &Location, leftmost: Option<u32>) -> bool {
    place.line == location.line && location.column.or(leftmost) == Some(place.column)
}

fn calls(source: &Source<'_>, program: &Program, location: &Location) -> Vec<EdgeId> {
    let is_call = |step: &&Step| match program.edges[step.edge].op {
        Op::Call { .. } | Op::Havoc(..) | Op::Halt(_) => true,
        Op::Assume { role, .. } => role == AssumeRole::Assumption,
        Op::Assert { .. } => source.called(step.edge).is_some(),
        _ => false,
    };
    let calls: Vec<&Step> = source.steps.iter().filter(is_call).collect();
    let leftmost = leftmost(calls.iter().copied(), location, |step| step.end);
    calls.into_iter().filter(|step| is_at(step.end, location, leftmost)).map(|step| step.edge).collect()
}

/// The edges on which the branch at a location is decided as a value says.
fn branches(source: &Source<'_>, program: &Program, location: &Location, value: &str) -> Vec<EdgeId> {
    let is_branch = |step: &&Step| {
        let op = &program.edges[step.edge].op;
        matches!(op, Op::Assume { role: AssumeRole::Branch(kind), .. } if *kind != Branch::ShortCircuit)
    };
    let steps: Vec<&Step> = source.steps.iter().filter(is_branch).collect();
    let leftmost = leftmost(steps.iter().copied(), location, |step| step.anchor);
    let group: Vec<EdgeId> =
        steps.into_iter().filter(|step| is_at(step.anchor, location, leftmost)).map(|step| step.edge).collect();
    let ends = |edge: &EdgeId| Source::decides(program, *edge);
    match value {
        "true" | "false" => {
            let agrees = |edge: &EdgeId| matches!(program.edges[*edge].op, Op::Assume { truth, .. } if truth == (value == "true"));
            group.iter().copied().filter(ends).filter(agrees).collect()
        }
        "default" => {
            let none = |edge: &EdgeId| matches!(program.edges[*edge].op, Op::Assume { truth: false, .. });
            group.iter().copied().filter(ends).filter(none).collect()
        }
        _ => {
            let label = |edge: &EdgeId| match program.edges[*edge].op {
                Op::Assume { cond, truth: true, .. } => match program.exprs[cond].kind {
                    ExprKind::Binary(BinOp::Eq, _, label) => program
                        .constant(label)
                        .map(|bits| cfa::eval::to_i128(&program.types, program.exprs[label].ty, bits).to_string()),
                    _ => None,
                },
                _ => None,
            };
            group.iter().copied().filter(|edge| label(edge).as_deref() == Some(value)).collect()
        }
    }
}
