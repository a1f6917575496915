//! Violation sequences → table. A state is the number of the current segment: its waypoints count, the first one that is passed decides. A segment ends
//! where it is passed, so at one moment at most one is.
//!
//! The format can be read in two ways: a run may come to the place of a waypoint, not pass it, and pass it later; or it must pass it when it
//! first comes there. What holds in both readings is certain, so both are asked for.

use super::{Rule, Stays, TOO_LARGE, Table};
use crate::condition::{Check, Conditions, NOT_KEPT, Returned};
use crate::lifetimes::Point;
use crate::places::Places;
use base::Budget;
use cfa::{BinOp, Bits, EdgeId, Expr, ExprId, ExprKind, Op, TypeId};
use encode::Moment;
use frontend::Condition;
use std::sync::Arc;
use witness::model::{Action, Segment, Waypoint, WaypointKind};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reading {
    /// A waypoint is passed when its place is reached.
    FirstTime,
    /// It may be passed any time later.
    AnyTime,
}

/// Why a run that only one of the readings describes is neither confirmed nor rejected.
pub const PASSED_LATER: &str = "a run violates the property, but it comes to the place of a waypoint without passing it, and passes it \
                                later; whether the witness means such runs is read differently";

/// The table, or what about the sequence is not supported.
pub fn table(
    segments: &[Segment],
    places: &Places<'_>,
    conditions: &mut Conditions,
    reading: Reading,
    budget: &Budget,
) -> Result<Table, String> {
    let mut builder = Builder { places, conditions, table: Table::default(), reading };
    let total = segments.len();
    builder.table.total = total;
    builder.table.depth = (0..total).collect();
    for (index, segment) in segments.iter().enumerate() {
        if budget.expired() {
            return Err(TOO_LARGE.into());
        }
        let follows = segment.waypoints.iter().filter(|waypoint| waypoint.action != Action::Avoid).count();
        if follows != 1 {
            return Err(format!("segment {} follows {follows} waypoints", index + 1));
        }
        for waypoint in &segment.waypoints {
            builder.waypoint(index as u32, index + 1 == total, waypoint)?;
        }
    }
    Ok(builder.table)
}

struct Builder<'b, 'a> {
    places: &'b Places<'a>,
    conditions: &'b mut Conditions,
    table: Table,
    reading: Reading,
}

impl Builder<'_, '_> {
    fn waypoint(&mut self, state: u32, last: bool, waypoint: &Waypoint) -> Result<(), String> {
        let (line, column) = (waypoint.location.line, waypoint.location.column);
        if waypoint.action == Action::Cycle {
            return Err("cycles, of runs that do not end, are not supported".into());
        }
        if waypoint.thread.is_some_and(|thread| thread != 0) {
            return Err("threads are not supported".into());
        }
        let follow = waypoint.action == Action::Follow;
        if follow && last != (waypoint.kind == WaypointKind::Target) {
            return Err("a sequence that does not end with its target is not supported".into());
        }
        let place = column.map_or(format!("line {line}"), |column| format!("{line}:{column}"));
        let what = format!("{} at {place}", waypoint.kind.word());
        if follow {
            self.table.waits_for.push(what.clone());
        }
        if waypoint.kind == WaypointKind::Target {
            let edges = self.places.with_hidden(self.places.around(line, column));
            if edges.is_empty() {
                self.table.missing.push(what);
            }
            self.table.targets.entry(state).or_default().extend(edges);
            return Ok(());
        }
        let passes = self.passes(waypoint);
        if passes.is_empty() && !follow && !self.places.source.contradicts(waypoint.kind, line, column) {
            return Err(format!("nothing in the program stands for the {what}, which is to be avoided"));
        }
        if passes.is_empty() {
            let contradicted = self.places.source.contradicts(waypoint.kind, line, column);
            let list = if contradicted { &mut self.table.contradicted } else { &mut self.table.missing };
            list.push(what);
        }
        let to = follow.then_some(state + 1);
        let must = follow && self.reading == Reading::FirstTime;
        let value = waypoint.constraint.as_ref().map_or("", |constraint| constraint.value.trim());
        let says = matches!(waypoint.kind, WaypointKind::Assumption | WaypointKind::FunctionReturn);
        let text: Arc<str> = if says { value.into() } else { "".into() };
        for (moment, check) in passes {
            let stays = if must { Stays::Must } else { Stays::Otherwise };
            self.table.rule(moment, state, stays, Rule { to, check, text: text.clone(), line });
        }
        let otherwise = || Rule { to: None, check: Check::Always, text: text.clone(), line };
        if must && waypoint.kind == WaypointKind::Branching && matches!(value, "true" | "false") {
            for edge in self.places.source.decided(line, column, value == "false") {
                self.table.rule(Moment::After(edge), state, Stays::Must, otherwise());
            }
        }
        Ok(())
    }

    /// When a waypoint is passed.
    fn passes(&mut self, waypoint: &Waypoint) -> Vec<(Moment, Check)> {
        let (line, column) = (waypoint.location.line, waypoint.location.column);
        let value = waypoint.constraint.as_ref().map_or("", |constraint| constraint.value.trim());
        let places = self.places;
        match waypoint.kind {
            WaypointKind::Assumption => {
                let with_check = |edge| (Moment::Before(edge), self.assumption(value, edge, waypoint));
                places.statement(line, column).into_iter().map(with_check).collect()
            }
            WaypointKind::Branching => match value {
                "true" | "false" => {
                    let edges = places.source.decided(line, column, value == "true");
                    edges.into_iter().map(|edge| (Moment::After(edge), Check::Always)).collect()
                }
                _ => match places.switch_at(line, column) {
                    Some((edge, tests)) => vec![(Moment::After(edge), self.case(edge, &tests, value))],
                    None => Vec::new(),
                },
            },
            WaypointKind::FunctionEnter => {
                // A call of the error function is an edge of its own before the call.
                let mut edges = places.calls(line, column);
                edges.truncate(1);
                let moments = |edge| match places.entered(edge) {
                    functions if functions.is_empty() => vec![Moment::Before(edge)],
                    functions => functions.into_iter().map(|function| Moment::Enter(edge, function)).collect(),
                };
                edges.into_iter().flat_map(moments).map(|moment| (moment, Check::Always)).collect()
            }
            WaypointKind::FunctionReturn => {
                let mut passes = Vec::new();
                for edge in places.calls(line, column) {
                    let at = places.program.edges[edge].to;
                    let check = match self.conditions.result_of(edge) {
                        _ if value.is_empty() => Check::Always,
                        Returned::Value(result) => self.conditions.check(value, at, Some(result), Point::After(edge)),
                        Returned::Any => Check::Always,
                        Returned::Unknown => Check::Unknown(NOT_KEPT.into()),
                        Returned::Nothing => continue,
                    };
                    passes.push((Moment::After(edge), check));
                }
                passes
            }
            WaypointKind::Target => Vec::new(),
        }
    }

    fn assumption(&mut self, text: &str, edge: EdgeId, waypoint: &Waypoint) -> Check {
        let location = &waypoint.location;
        let from = self.places.program.edges[edge].from;
        let check = self.conditions.check(text, from, None, Point::At(from));
        if !matches!(check, Check::Unknown(_)) {
            return check;
        }
        let sites = self.places.source.sites(Some(location.line), location.column, location.function.as_deref());
        let others = sites.into_iter().take(10).map(|at| self.conditions.check(text, at, None, Point::At(from)));
        others.into_iter().find(|check| !matches!(check, Check::Unknown(_))).unwrap_or(check)
    }

    /// Whether the value of a `switch` is a number, or in none of its cases.
    fn case(&mut self, edge: EdgeId, tests: &[EdgeId], value: &str) -> Check {
        let program = &mut self.conditions.program;
        let Op::Assign(place, _) = program.edges[edge].op else { return Check::Unknown("a strange switch".into()) };
        let ty = program.places[place].ty;
        if value == "default" {
            let conds = tests.iter().filter_map(|test| match program.edges[*test].op {
                Op::Assume { cond, .. } => Some(cond),
                _ => None,
            });
            let conds: Vec<ExprId> = conds.collect();
            return default(&conds, self.conditions);
        }
        let number = value.trim_matches(|letter| matches!(letter, '(' | ')')).parse::<i128>();
        let Ok(number) = number else { return Check::Unknown(format!("`{value}` is not a number")) };
        let width = program.types.scalar_bits(ty);
        let fits = match program.types.is_signed(ty) {
            true => number >> (width - 1) == 0 || number >> (width - 1) == -1,
            false => number >= 0 && number.checked_shr(width).is_none_or(|rest| rest == 0),
        };
        if !fits {
            return Check::never();
        }
        let bits = Bits::new(number as u128 & (u128::MAX >> (128 - width)));
        let mut push = |kind, ty| program.exprs.push(Expr { kind, ty, span: base::Span::NONE });
        let read = push(ExprKind::Read(place), ty);
        let constant = push(ExprKind::Const(bits), ty);
        let equal = push(ExprKind::Binary(BinOp::Eq, read, constant), TypeId::INT);
        self.conditions.when(Condition::Atom(equal))
    }
}

/// None of the tests of a `switch` is passed. A range is tested by its lower end, then by its upper one.
fn default(tests: &[ExprId], conditions: &mut Conditions) -> Check {
    let operator = |test: ExprId| match conditions.program.exprs[test].kind {
        ExprKind::Binary(op, ..) => Some(op),
        _ => None,
    };
    let mut parts = Vec::new();
    let mut rest = tests.iter().copied();
    while let Some(test) = rest.next() {
        let mut part = vec![Condition::Atom(test)];
        if operator(test) == Some(BinOp::Ge) {
            part.extend(rest.next().map(Condition::Atom));
        }
        parts.push(Condition::Not(Box::new(Condition::All(part))));
    }
    conditions.when(Condition::All(parts))
}
