//! One row of a table at a time: a harness goes over the rows of a table of inputs and expected values in a loop, and each round is a test. With this change an
//! input says which round counts; the other rounds end where their body would begin.

use super::{add_expr, add_object};
use crate::edit::Edit;
use crate::loops::{Loop, loops};
use crate::walk::{self, Node};
use crate::{
    AssumeRole, BinOp, Branch, Callee, EdgeId, ExprId, ExprKind, FuncId, InputKind, LocId, Op, PlaceId, PlaceKind,
    Program, Type, TypeId, Var, VarId, VarKind,
};
use base::Span;
use std::collections::BTreeSet;

/// A program that is asked for one row.
pub struct Rows {
    /// Edges that are taken once in each round, whether it counts or not.
    pub rounds: BTreeSet<EdgeId>,
    /// Functions with such loops.
    pub harness: BTreeSet<FuncId>,
    /// Functions that the loops call, if they are known.
    pub called: BTreeSet<FuncId>,
}

/// A loop over the rows of a table.
struct TableLoop {
    function: FuncId,
    /// The edge into its body.
    into: EdgeId,
    /// Where a round that is left goes on.
    next: LocId,
    called: BTreeSet<FuncId>,
}

/// The input that says which round counts, from 1: it is the first one that is asked for. `None` if `main`, and what it calls outside of loops, have no loop
/// over a table; then the program is as it was.
pub fn one_at_a_time(program: &mut Program) -> Option<Rows> {
    let found = table_loops(program);
    let main = program.function_named("main").filter(|_| !found.is_empty())?;
    let (row, wanted) = object(program, "row");
    let (counter, count) = object(program, "rows so far");
    let one = crate::eval::from_i128(&program.types, TypeId::INT, 1);
    let one = add_expr(program, ExprKind::Const(one), TypeId::INT);
    let more = add_expr(program, ExprKind::Binary(BinOp::Add, count, one), TypeId::INT);
    let is_other = add_expr(program, ExprKind::Binary(BinOp::Ne, count, wanted), TypeId::INT);
    let mut edit = Edit::new(program);
    let mut rounds = Vec::new();
    for one in &found {
        let round = edit.insert_behind(one.into, Op::Assign(counter, more))?;
        let goes_on = edit.insert_behind(round, Op::Skip)?;
        let skips = edit.replace_if(goes_on, is_other, Op::Skip)?;
        edit.redirect(skips, one.next);
        // No line of the program decides this.
        let branch = edit.edge(round).to;
        let added: Vec<EdgeId> =
            edit.location(branch).out.into_iter().flatten().chain([round, goes_on, skips]).collect();
        added.into_iter().for_each(|edge| edit.unplace(edge));
        rounds.push(round);
    }
    edit.insert_at_entry(main, Op::Havoc(row, InputKind::Written(main)), Span::NONE)?;
    let numbers = edit.finish().expect("nothing was removed");
    Some(Rows {
        rounds: rounds.into_iter().filter_map(|edge| numbers.edge(edge)).collect(),
        harness: found.iter().map(|one| one.function).collect(),
        called: found.into_iter().flat_map(|one| one.called).collect(),
    })
}

fn object(program: &mut Program, name: &str) -> (PlaceId, ExprId) {
    let place = add_object(program, name, TypeId::INT);
    (place, add_expr(program, ExprKind::Read(place), TypeId::INT))
}

/// Those of `main`, or of the functions that it calls.
fn table_loops(program: &Program) -> Vec<TableLoop> {
    let Some(main) = program.function_named("main") else { return Vec::new() };
    let found = of_function(program, main);
    if !found.is_empty() {
        return found;
    }
    let calls = program.edges.values().filter(|edge| program.locations[edge.from].function == main);
    let called: BTreeSet<FuncId> = calls.filter_map(|edge| callee(edge.op)).collect();
    called.into_iter().flat_map(|function| of_function(program, function)).collect()
}

fn callee(op: Op) -> Option<FuncId> {
    match op {
        Op::Call { callee: Callee::Direct(function), .. } => Some(function),
        _ => None,
    }
}

fn of_function(program: &Program, function: FuncId) -> Vec<TableLoop> {
    let all = loops(program, function);
    let outermost = (0..all.len()).filter(|index| all[*index].parent.is_none() && !all[*index].irreducible);
    outermost.filter_map(|index| table_loop(program, function, &all, index)).collect()
}

fn table_loop(program: &Program, function: FuncId, all: &[Loop], index: usize) -> Option<TableLoop> {
    let body: BTreeSet<LocId> = all[index].body.iter().copied().collect();
    let nested = all.iter().filter(|other| other.parent == Some(index));
    let nested: BTreeSet<LocId> = nested.flat_map(|other| other.body.iter().copied()).collect();
    let edges_of = |location: &LocId| program.successors(*location).collect::<Vec<EdgeId>>();
    let edges: Vec<EdgeId> = body.iter().flat_map(edges_of).collect();
    let own: Vec<EdgeId> = body.difference(&nested).flat_map(edges_of).collect();
    let goes_in = |edge: &&EdgeId| {
        let data = &program.edges[**edge];
        let role = match data.op {
            Op::Assume { truth: true, role: AssumeRole::Branch(role), .. } => Some(role),
            _ => None,
        };
        matches!(role, Some(Branch::For | Branch::While)) && body.contains(&data.to)
    };
    let into = *own.iter().find(goes_in)?;
    // What counts the rows is assigned once, from what it is.
    let steps = own.iter().filter_map(|edge| match program.edges[*edge].op {
        Op::Assign(place, value) => match program.places[place].kind {
            PlaceKind::Var(var) if is_counter(&program.vars[var]) => {
                mentions(program, [Node::Expr(value)], var).then_some((*edge, var))
            }
            _ => None,
        },
        _ => None,
    });
    let (step, _) = steps.into_iter().find(|(_, var)| reads_table(program, &edges, *var))?;
    let mut next = program.edges[step].from;
    // An update may compute in temporaries first.
    while let [before] = own.iter().filter(|edge| program.edges[**edge].to == next).collect::<Vec<_>>()[..] {
        let Op::Assign(place, _) = program.edges[*before].op else { break };
        let PlaceKind::Var(var) = program.places[place].kind else { break };
        if !matches!(program.vars[var].kind, VarKind::Temp(_)) {
            break;
        }
        next = program.edges[*before].from;
    }
    let called = edges.iter().filter_map(|edge| callee(program.edges[*edge].op)).collect();
    Some(TableLoop { function, into, next, called })
}

fn is_counter(var: &Var) -> bool {
    matches!(var.kind, VarKind::Local(_) | VarKind::Global)
}

/// Whether edges read the element of a table that a variable stands for: of an array that nothing else writes meanwhile, or by the variable as a pointer.
fn reads_table(program: &Program, edges: &[EdgeId], counter: VarId) -> bool {
    let written: BTreeSet<VarId> = edges
        .iter()
        .filter_map(|edge| match program.edges[*edge].op {
            Op::Assign(place, _) | Op::Havoc(place, _) => root(program, place),
            _ => None,
        })
        .collect();
    let is_table = |array: PlaceId| {
        root(program, array).is_some_and(|var| {
            let data = &program.vars[var];
            let is_array = matches!(program.types.get(data.ty), Type::Array(..));
            is_array && !written.contains(&var) && (data.read_only || !data.address_taken)
        })
    };
    let mut open = Vec::new();
    edges.iter().for_each(|edge| walk::parts(program, &program.edges[*edge].op, |node| open.push(node)));
    while let Some(node) = open.pop() {
        if let Node::Place(place) = node {
            match program.places[place].kind {
                PlaceKind::Index(array, index)
                    if is_table(array) && mentions(program, [Node::Expr(index)], counter) =>
                {
                    return true;
                }
                PlaceKind::Deref(pointer) if mentions(program, [Node::Expr(pointer)], counter) => return true,
                _ => {}
            }
        }
        open.extend(walk::children(program, node).into_iter().flatten());
    }
    false
}

/// The variable that a place is part of.
fn root(program: &Program, place: PlaceId) -> Option<VarId> {
    match program.places[place].kind {
        PlaceKind::Var(var) => Some(var),
        PlaceKind::Field(outer, _) | PlaceKind::Index(outer, _) => root(program, outer),
        PlaceKind::Deref(_) => None,
    }
}

fn mentions(program: &Program, nodes: impl IntoIterator<Item = Node>, var: VarId) -> bool {
    let mut open: Vec<Node> = nodes.into_iter().collect();
    while let Some(node) = open.pop() {
        if let Node::Place(place) = node
            && program.places[place].kind == PlaceKind::Var(var)
        {
            return true;
        }
        open.extend(walk::children(program, node).into_iter().flatten());
    }
    false
}
