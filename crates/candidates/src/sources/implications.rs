//! Facts that hold only in a part of the states: `guard | fact`, where the guard says that a flag or program counter does not have a certain value, or that
//! a branch of the text goes the other way. The facts are those that the other sources find in the samples of that part.

use super::{Column, Context, assignments, congruences, constants, linear, powers, relations};
use crate::evaluate;
use crate::import::{Arithmetic, Comparison, comparison};
use crate::sample::{Sample, Samples};
use crate::scope::{Recorded, Role};
use cfa::walk::{Node, children};
use cfa::{Anchor, BinOp, ExprId, ExprKind, PlaceId, Program};
use rustc_hash::FxHashSet;

/// Values of a variable that may be a program counter, and how many such variables are looked at.
const MAX_VALUES: usize = 8;
const MAX_COUNTERS: usize = 6;
/// Branches that are guards, each in both ways.
const MAX_BRANCHES: usize = 20;
/// How often a part was visited at least.
const MIN_VISITS: u32 = 3;
const MAX_FACTS: usize = 8;
/// Implications of all branches, and of all flags and program counters.
const MAX_BRANCHED: usize = 40;
const MAX_COUNTED: usize = 80;

pub fn propose(context: &mut Context<'_, '_>) {
    let mut branches = branches(context);
    branches.truncate(MAX_BRANCHES);
    for (guards, more) in [(counters(context), MAX_COUNTED), (branches, MAX_BRANCHED)] {
        let before = context.count();
        for guard in guards {
            if context.count() - before < more
                && let Some(part) = part(context, guard)
            {
                let facts = facts_of(context, &part);
                guarded(context, guard, &part, facts, MAX_FACTS);
            }
        }
    }
}

/// `pc == v` for the values of variables that have few.
fn counters(context: &mut Context<'_, '_>) -> Vec<Comparison> {
    let values = |column: &Column| {
        let mut values = column.values.clone();
        values.sort_unstable();
        values.dedup();
        values
    };
    let mut guards = Vec::new();
    let columns = context.columns();
    let scope = context.scope;
    let is_counter = |(column, values): &(&Column, Vec<i128>)| {
        let known = scope.term_of(column.term.place).is_some_and(|term| scope.assigned[term].is_some());
        // Of a parameter, each value may be a case of its own.
        let chooses = column.term.written || column.term.recorded != Recorded::Here;
        chooses && values.len() >= 2 && (values.len() <= MAX_VALUES || known)
    };
    let few = columns.iter().map(|column| (column, values(column)));
    for (column, values) in few.filter(is_counter).take(MAX_COUNTERS) {
        for value in values {
            let equal = context.builder.compare_constant(BinOp::Eq, column.term.read, value);
            if let ExprKind::Binary(op, left, right) = context.builder.program().exprs[equal].kind {
                guards.push(Comparison { op, left, right });
            }
        }
    }
    guards
}

/// The conditions of branches in the loop, both ways; those that the text asks most often first.
pub fn branches(context: &mut Context<'_, '_>) -> Vec<Comparison> {
    let scope = context.scope;
    let mut guards: Vec<(usize, Comparison)> = Vec::new();
    for condition in scope.conditions.iter().filter(|condition| matches!(condition.role, Role::Inside | Role::Exit)) {
        let Some(guard) = comparison(context.builder, scope, Arithmetic::Wrapping, condition.expr) else { continue };
        if context.builder.ty(guard.left).float_kind().is_some() {
            continue;
        }
        match guards.iter_mut().find(|(_, other)| (other.left, other.right) == (guard.left, guard.right)) {
            Some((count, _)) => *count += 1,
            None => guards.push((1, guard)),
        }
    }
    guards.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    guards.into_iter().flat_map(|(_, guard)| [guard, Comparison { op: guard.op.negated(), ..guard }]).collect()
}

/// The samples in which the guard is true; `None` if they are few, or all.
pub fn part(context: &mut Context<'_, '_>, guard: Comparison) -> Option<Samples> {
    let when = context.builder.compare(guard.op, guard.left, guard.right);
    let truth = evaluate::values(context.builder.program(), context.scope, context.samples, when)?;
    let samples = context.samples.samples.iter().zip(&truth).filter(|(_, truth)| !truth.is_zero());
    let samples: Vec<Sample> = samples.map(|(sample, _)| sample.clone()).collect();
    let visits: u32 = samples.iter().map(|sample| sample.visits).sum();
    let some = visits >= MIN_VISITS && samples.len() < truth.len();
    some.then(|| Samples { samples, unreadable: context.samples.unreadable.clone() })
}

/// Proposes facts that hold in the samples in which the guard is true, and not in all samples.
pub fn guarded(
    context: &mut Context<'_, '_>,
    guard: Comparison,
    part: &Samples,
    facts: Vec<(ExprId, bool)>,
    limit: usize,
) {
    let program = context.builder.program();
    let own = places(program, &[guard.left, guard.right]);
    // What holds for all calls need not be provable for all of them.
    let of_calls = matches!(context.scope.anchor, Anchor::Requires(_));
    let mut useful: Vec<ExprId> = facts
        .into_iter()
        .filter(|(fact, about_own)| *about_own || !places(program, &[*fact]).is_subset(&own))
        .map(|(fact, _)| fact)
        .filter(|fact| of_calls || !evaluate::holds(program, context.scope, context.samples, *fact))
        .filter(|fact| evaluate::holds(program, context.scope, part, *fact))
        .collect();
    // Equalities and lists of values say most.
    useful.sort_by_key(|fact| !matches!(program.exprs[*fact].kind, ExprKind::Binary(BinOp::Eq | BinOp::Or, ..)));
    // Of an order of the same two variables, the strongest is enough here.
    let mut told = FxHashSet::default();
    useful.retain(|fact| match program.exprs[*fact].kind {
        ExprKind::Binary(op, left, right) if op.is_comparison() && program.constant(right).is_none() => {
            told.insert((left, right))
        }
        _ => true,
    });
    useful.truncate(limit);
    let otherwise = context.builder.compare(guard.op.negated(), guard.left, guard.right);
    for fact in useful {
        if let Some(any) = context.builder.any(&[otherwise, fact]) {
            context.push(any);
        }
    }
}

/// Facts of a part of the samples, and whether they are worth proposing when they are about the variables of the guard alone.
fn facts_of(context: &mut Context<'_, '_>, part: &Samples) -> Vec<(ExprId, bool)> {
    let mut facts = Vec::new();
    let mut within = Context::new(context.builder, context.scope, part);
    relations::propose(&mut within);
    let mut columns = within.columns();
    columns.retain(|column| !column.is_constant());
    linear::equal_sums(&mut within, &columns);
    powers::propose(&mut within);
    assignments::propose(&mut within);
    constants::propose(&mut within);
    facts.extend(within.proposed().into_iter().map(|fact| (fact, false)));
    let mut within = Context::new(context.builder, context.scope, part);
    congruences::propose(&mut within);
    facts.extend(within.proposed().into_iter().map(|fact| (fact, true)));
    facts
}

/// The places that expressions read.
fn places(program: &Program, exprs: &[ExprId]) -> FxHashSet<PlaceId> {
    let mut found = FxHashSet::default();
    let mut open: Vec<Node> = exprs.iter().map(|expr| Node::Expr(*expr)).collect();
    while let Some(node) = open.pop() {
        if let Node::Expr(expr) = node
            && let ExprKind::Read(place) = program.exprs[expr].kind
        {
            found.insert(place);
        }
        open.extend(children(program, node).into_iter().flatten());
    }
    found
}
