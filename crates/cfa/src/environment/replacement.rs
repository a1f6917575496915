//! Statements whose values can be replaced: beside each assignment stands an input that decides whether it happens, and one that gives the value
//! otherwise. Conditions and returned values become assignments to objects of their own first, so that they can be replaced too. Calls without a result,
//! and assignments of what is no number, can be left out.

use super::{add_expr, add_object};
use crate::edit::Edit;
use crate::{AssumeRole, EdgeId, ExprId, ExprKind, InputKind, Op, PlaceId, Program, TypeId};
use std::collections::{BTreeMap, BTreeSet};

/// A program in which the values of some statements can be replaced.
pub struct Replaceable {
    pub program: Program,
    /// Inputs that decide: zero leaves the statement as it is.
    pub decisions: BTreeSet<EdgeId>,
    /// Inputs that give the value instead, and whether it is that of a condition. What gives no number has none: it happens or not.
    pub values: BTreeMap<EdgeId, bool>,
    /// The assignments themselves.
    pub assignments: BTreeSet<EdgeId>,
}

/// What becomes an assignment.
enum Planned {
    /// It is one.
    Assignment(EdgeId, PlaceId),
    /// The result of a call, assigned once more behind it.
    Result(EdgeId, PlaceId, ExprId),
    Returned(EdgeId, ExprId, PlaceId, ExprId),
    /// A call without a result, or an assignment of a pointer or a record: it is left out.
    LeftOut(EdgeId),
    /// The two edges of a branch.
    Branch(EdgeId, EdgeId, ExprId, PlaceId, ExprId),
}

/// Makes the values of these edges replaceable; edges that give nothing a value are left out.
pub fn replaceable(program: &Program, edges: &BTreeSet<EdgeId>) -> Replaceable {
    let mut program = program.clone();
    let planned: Vec<Planned> = edges.iter().filter_map(|edge| plan(&mut program, *edge)).collect();
    let decided = add_object(&mut program, "replaced", TypeId::INT);
    let decision = add_expr(&mut program, ExprKind::Read(decided), TypeId::INT);
    let entry = program.functions.ids().next().expect("there is a function");
    let input = |place| Op::Havoc(place, InputKind::Written(entry));
    let mut edit = Edit::new(&mut program);
    let mut assignments: Vec<(EdgeId, PlaceId, bool)> = Vec::new();
    let mut left_out: Vec<EdgeId> = Vec::new();
    for one in planned {
        match one {
            Planned::Assignment(edge, place) => assignments.push((edge, place, false)),
            Planned::Result(edge, place, read) => {
                let again = edit.insert_behind(edge, Op::Assign(place, read));
                assignments.extend(again.map(|edge| (edge, place, false)));
            }
            Planned::LeftOut(edge) => left_out.push(edge),
            Planned::Returned(edge, value, place, read) => {
                let kept = edit.insert_before(edge, Op::Assign(place, value));
                edit.set_op(edge, Op::Return(Some(read)));
                assignments.extend(kept.map(|edge| (edge, place, false)));
            }
            Planned::Branch(yes, no, cond, place, read) => {
                let from = edit.edge(yes).from;
                let before: Vec<EdgeId> = edit.edges_to(from);
                for edge in before {
                    let kept = edit.insert_behind(edge, Op::Assign(place, cond));
                    assignments.extend(kept.map(|edge| (edge, place, true)));
                }
                for edge in [yes, no] {
                    if let Op::Assume { truth, role, .. } = edit.edge(edge).op {
                        edit.set_op(edge, Op::Assume { cond: read, truth, role });
                    }
                }
            }
        }
    }
    let (mut decisions, mut values) = (Vec::new(), Vec::new());
    for (edge, place, is_condition) in &assignments {
        decisions.extend(edit.insert_before(*edge, input(decided)));
        values.extend(edit.replace_if(*edge, decision, input(*place)).map(|edge| (edge, *is_condition)));
    }
    for edge in &left_out {
        decisions.extend(edit.insert_before(*edge, input(decided)));
        edit.replace_if(*edge, decision, Op::Skip);
    }
    let numbers = edit.finish().expect("nothing was removed");
    Replaceable {
        decisions: decisions.into_iter().filter_map(|edge| numbers.edge(edge)).collect(),
        values: values.into_iter().filter_map(|(edge, is)| Some((numbers.edge(edge)?, is))).collect(),
        assignments: assignments.into_iter().filter_map(|(edge, ..)| numbers.edge(edge)).collect(),
        program,
    }
}

fn plan(program: &mut Program, edge: EdgeId) -> Option<Planned> {
    let data = program.edges[edge].clone();
    let is_scalar = |program: &Program, ty: TypeId| program.types.is_scalar(ty) && !program.types.is_pointer(ty);
    match data.op {
        Op::Assign(place, _) if is_scalar(program, program.places[place].ty) => Some(Planned::Assignment(edge, place)),
        Op::Call { dest: Some(place), .. } if is_scalar(program, program.places[place].ty) => {
            let read = add_expr(program, ExprKind::Read(place), program.places[place].ty);
            Some(Planned::Result(edge, place, read))
        }
        Op::Assign(..) | Op::Call { dest: None, .. } => Some(Planned::LeftOut(edge)),
        Op::Return(Some(value)) if is_scalar(program, program.exprs[value].ty) => {
            let (place, read) = object(program, "returned value", program.exprs[value].ty);
            Some(Planned::Returned(edge, value, place, read))
        }
        Op::Assume { cond, truth: true, role: AssumeRole::Branch(_) } => {
            let mut out = program.locations[data.from].out.into_iter().flatten();
            let other = out.find(|other| *other != edge)?;
            // Pointers are compared with null by their conditions; their values are left alone.
            let ty = program.exprs[cond].ty;
            if !is_scalar(program, ty) || ty.float_kind().is_some() {
                return None;
            }
            let (place, read) = object(program, "condition", ty);
            Some(Planned::Branch(edge, other, cond, place, read))
        }
        _ => None,
    }
}

fn object(program: &mut Program, name: &str, ty: TypeId) -> (PlaceId, ExprId) {
    let place = add_object(program, name, ty);
    (place, add_expr(program, ExprKind::Read(place), ty))
}
