//! Layer 2: abstract interpretation of programs. In: a program and its entry function; out: facts that hold at loop heads, as expressions
//! added to the program, and branches that no run takes.
//!
//! `cells` says what is followed, `state` what is known of it, `evaluate`, `refine` and `linear` compute with expressions, `relations` with
//! several variables, `transfer` with edges, `fixpoint` with whole programs; `domains` are the kinds of knowledge, and `facts` writes them down.
//!
//! *Invariant:* every fact holds in every run of [`cfa::interp`], under the assumptions of [`cfa::analysis::points_to`]. When the budget ends, there are fewer facts.

mod cells;
pub mod domains;
mod evaluate;
mod facts;
mod fixpoint;
mod graph;
mod linear;
mod refine;
mod relations;
mod state;
mod transfer;

pub use facts::{DOMAINS, Domain};

use base::Budget;
use cells::Cells;
use cfa::analysis::effects::EffectAnalysis;
use cfa::analysis::points_to::PointsTo;
use cfa::types::Type;
use cfa::{AssumeRole, EdgeId, ExprId, ExprKind, FuncId, LocId, Op, Program, eval};
use domains::Thresholds;
use evaluate::Context;
use fixpoint::Fixpoint;
use graph::Graph;
use rustc_hash::{FxHashMap, FxHashSet};
use transfer::Transfer;

/// Facts that hold whenever a run is at a loop head (of [`cfa::loops::loops`]), as `int` expressions added to the program. Computing one
/// never overflows in C's sense.
pub fn loop_facts(program: &mut Program, entry: FuncId, budget: &Budget) -> Vec<(LocId, ExprId)> {
    let found = analyse(program, entry, budget, facts::at_loop_heads);
    let Some(found) = found else { return Vec::new() };
    found.into_iter().map(|(location, fact)| (location, fact.add_to(program))).collect()
}

/// Branch edges that no run takes, ascending.
pub fn dead_edges(program: &Program, entry: FuncId, budget: &Budget) -> Vec<EdgeId> {
    let taken = analyse(program, entry, budget, |transfer, fixpoint| {
        let mut taken = FxHashSet::default();
        for context in 0..fixpoint.contexts.len() {
            let function = fixpoint.contexts[context].function;
            let edges = program.automaton(function).into_iter().flat_map(|automaton| automaton.edges.clone());
            for edge in edges.map(EdgeId).filter(|edge| is_branch(program, *edge)) {
                let mut before = fixpoint.states(context, program.edges[edge].from).into_iter();
                if before.any(|before| transfer.step(before, edge).is_some()) {
                    taken.insert(edge);
                }
            }
        }
        taken
    });
    let Some(taken) = taken else { return Vec::new() };
    program.edges.ids().filter(|edge| is_branch(program, *edge) && !taken.contains(edge)).collect()
}

fn is_branch(program: &Program, edge: EdgeId) -> bool {
    matches!(program.edges[edge].op, Op::Assume { role: AssumeRole::Branch(_), .. })
}

/// Runs the analysis and asks it something; `None` if the budget ended before there was anything to ask.
fn analyse<T>(
    program: &Program,
    entry: FuncId,
    budget: &Budget,
    ask: impl FnOnce(&Transfer<'_>, &Fixpoint<'_, '_>) -> T,
) -> Option<T> {
    program.automaton(entry)?;
    let points_to = PointsTo::of(program, entry);
    if budget.expired() {
        return None;
    }
    let effects = EffectAnalysis::new(&points_to);
    if budget.expired() {
        return None;
    }
    let recursive = recursive_functions(program, &points_to);
    let cells = Cells::of(program, points_to.reached(), &recursive);
    let transfer = Transfer::new(Context::new(&points_to, cells), &effects);
    let mut graphs = FxHashMap::default();
    for function in points_to.reached() {
        graphs.insert(*function, Graph::of(program, &effects, *function, entry)?);
        if budget.expired() {
            return None;
        }
    }
    let thresholds = thresholds(program, points_to.reached());
    let fixpoint = Fixpoint::compute(&transfer, graphs, &recursive, &thresholds, entry, budget).ok()?;
    Some(ask(&transfer, &fixpoint))
}

/// Functions that may be called while they run.
fn recursive_functions(program: &Program, points_to: &PointsTo<'_>) -> FxHashSet<FuncId> {
    let mut calls: FxHashMap<FuncId, FxHashSet<FuncId>> = FxHashMap::default();
    for function in points_to.reached() {
        let Some(automaton) = program.automaton(*function) else { continue };
        let called = automaton.edges.clone().flat_map(|edge| points_to.called(EdgeId(edge)).functions);
        calls.insert(*function, called.filter(|called| program.automaton(*called).is_some()).collect());
    }
    let reaches_itself = |function: &FuncId| {
        let mut seen = FxHashSet::default();
        let mut pending: Vec<FuncId> = calls[function].iter().copied().collect();
        while let Some(at) = pending.pop() {
            if at == *function {
                return true;
            }
            if seen.insert(at) {
                pending.extend(calls.get(&at).into_iter().flatten());
            }
        }
        false
    };
    points_to.reached().iter().copied().filter(|function| reaches_itself(function)).collect()
}

/// Constants in conditions, and lengths of arrays.
const MAX_THRESHOLDS: usize = 60;

fn thresholds(program: &Program, reached: &[FuncId]) -> Thresholds {
    let mut found: Vec<i128> = Vec::new();
    for function in reached {
        let Some(automaton) = program.automaton(*function) else { continue };
        for edge in automaton.edges.clone().map(EdgeId) {
            let (Op::Assume { cond, .. } | Op::Assert { cond, .. }) = program.edges[edge].op else { continue };
            let mut pending = vec![cfa::walk::Node::Expr(cond)];
            while let Some(node) = pending.pop() {
                if let cfa::walk::Node::Expr(expr) = node
                    && let ExprKind::Const(bits) = program.exprs[expr].kind
                    && program.exprs[expr].ty.int_kind().is_some()
                {
                    found.push(eval::to_i128(&program.types, program.exprs[expr].ty, bits));
                }
                pending.extend(cfa::walk::children(program, node).into_iter().flatten());
            }
        }
    }
    for var in program.vars.values() {
        if let Type::Array(_, Some(length)) = program.types.get(var.ty) {
            found.push(*length as i128);
        }
    }
    found.sort_unstable();
    found.dedup();
    // The smallest numbers are those that bounds of loops are made of.
    found.sort_by_key(|number| number.unsigned_abs());
    found.truncate(MAX_THRESHOLDS);
    Thresholds::new(found.into_iter().filter(|number| number.unsigned_abs() < 1 << 65))
}
