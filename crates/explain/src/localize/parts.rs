//! Assignments to other elements or members of the arrays and records that suspects read: the target of one of them may be wrong. No change of the
//! assigned value would help, so no method on the trace names them.

use super::LocalizeOptions;
use super::diagnosis::covered;
use super::lines::{Line, Lines};
use crate::Failure;
use cfa::walk::{self, Node};
use cfa::{ExprKind, Op, PlaceId, PlaceKind, Program, VarId};
use std::collections::BTreeSet;

/// Lines of a failing run that assign parts of what suspects read parts of.
pub fn beside<'l>(
    failure: &Failure<'_>,
    suspects: impl Iterator<Item = &'l Line>,
    options: &LocalizeOptions<'_>,
) -> Vec<Line> {
    let program = failure.task.program;
    let lines = Lines::new(options.sources, options.trusted);
    let suspects: BTreeSet<&Line> = suspects.collect();
    let mut read: BTreeSet<VarId> = BTreeSet::new();
    let mut written: Vec<(Line, VarId)> = Vec::new();
    for edge in covered(failure) {
        let Some(line) = lines.suspect(failure, edge) else { continue };
        let op = &program.edges[edge].op;
        if suspects.contains(&line) {
            read.extend(wholes_read(program, op));
        }
        if let Op::Assign(place, _) = *op {
            written.extend(whole(program, place).map(|var| (line, var)));
        }
    }
    written.into_iter().filter(|(_, var)| read.contains(var)).map(|(line, _)| line).collect()
}

/// The variable that a place is a proper part of.
pub(super) fn whole(program: &Program, place: PlaceId) -> Option<VarId> {
    match program.places[place].kind {
        PlaceKind::Field(outer, _) | PlaceKind::Index(outer, _) => match program.places[outer].kind {
            PlaceKind::Var(var) => Some(var),
            _ => whole(program, outer),
        },
        PlaceKind::Var(_) | PlaceKind::Deref(_) => None,
    }
}

/// Variables of which an edge reads a part.
fn wholes_read(program: &Program, op: &Op) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    let mut open = Vec::new();
    walk::parts(program, op, |node| open.push(node));
    while let Some(node) = open.pop() {
        if let Node::Expr(expr) = node
            && let ExprKind::Read(place) = program.exprs[expr].kind
        {
            found.extend(whole(program, place));
        }
        open.extend(walk::children(program, node).into_iter().flatten());
    }
    found
}
