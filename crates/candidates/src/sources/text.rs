//! Conditions of the text: what branches, assumptions and assertions compare. Each pair of compared values is ordered as the samples have it; exit conditions
//! also hold in a weaker form (`i < n` in the loop, `i <= n` at its head), possibly only after the first round. An assertion behind the loop has to hold
//! when the loop is left, one in the loop while it goes on.

use super::{Context, except_first, orders};
use crate::evaluate;
use crate::import::{Arithmetic, Comparison, comparison};
use crate::scope::Role;
use cfa::{Anchor, BinOp, ExprKind, eval};

/// Candidates without samples: nothing tells which are wrong.
const MAX_UNFILTERED: usize = 30;
/// Pairs of an exit condition and an assertion.
const MAX_IMPLICATIONS: usize = 40;

pub fn propose(context: &mut Context<'_, '_>) {
    let scope = context.scope;
    let mut found: Vec<(Comparison, Role)> = Vec::new();
    let ways = [Arithmetic::Exact, Arithmetic::Wrapping];
    for (condition, way) in scope.conditions.iter().flat_map(|condition| ways.map(|way| (condition, way))) {
        if let Some(comparison) = comparison(context.builder, scope, way, condition.expr)
            && !found.iter().any(|(other, _)| other.left == comparison.left && other.right == comparison.right)
            && context.mentions_written(comparison.left, comparison.right)
            && !compares_flag(context, comparison)
        {
            found.push((comparison, condition.role));
        }
    }
    if context.samples.is_empty() {
        found.iter().take(MAX_UNFILTERED / 2).for_each(|(comparison, role)| unfiltered(context, *comparison, *role));
        return;
    }
    for (comparison, role) in &found {
        let ops = order(context, *comparison);
        for op in &ops {
            context.compare(*op, comparison.left, comparison.right);
        }
        if ops.is_empty() && *role == Role::Exit {
            for op in weakened(comparison.op) {
                let fact = context.builder.compare(*op, comparison.left, comparison.right);
                except_first(context, fact);
            }
        }
    }
    let exits: Vec<Comparison> = found.iter().filter(|(_, role)| *role == Role::Exit).map(|(exit, _)| *exit).collect();
    let before = context.count();
    for (goal, _) in found.iter().filter(|(_, role)| *role == Role::Assertion) {
        for exit in &exits {
            for op in [exit.op, exit.op.negated()] {
                if context.count() - before < MAX_IMPLICATIONS {
                    either(context, Comparison { op, ..*exit }, *goal);
                }
            }
        }
    }
}

/// Whether a variable that only gets constants is compared with one: its possible values are known.
fn compares_flag(context: &Context<'_, '_>, comparison: Comparison) -> bool {
    let program = context.builder.program();
    let mut left = comparison.left;
    while let ExprKind::Cast(inner) = program.exprs[left].kind {
        left = inner;
    }
    let ExprKind::Read(place) = program.exprs[left].kind else { return false };
    let term = context.scope.term_of(place);
    program.constant(comparison.right).is_some() && term.is_some_and(|term| context.scope.assigned[term].is_some())
}

fn unfiltered(context: &mut Context<'_, '_>, comparison: Comparison, role: Role) {
    let mut ops = weakened(comparison.op).to_vec();
    match context.scope.anchor {
        // A function returns where it does not go on to call itself.
        Anchor::Ensures(_) => ops = vec![comparison.op, comparison.op.negated()],
        _ if role == Role::Assertion => ops.push(comparison.op),
        _ => {}
    }
    for op in ops {
        context.compare(op, comparison.left, comparison.right);
    }
}

/// What holds at the head of a loop whose condition is this, if the step is 1.
fn weakened(op: BinOp) -> &'static [BinOp] {
    match op {
        BinOp::Lt | BinOp::Le => &[BinOp::Le],
        BinOp::Gt | BinOp::Ge => &[BinOp::Ge],
        BinOp::Ne => &[BinOp::Le, BinOp::Ge],
        _ => &[BinOp::Eq],
    }
}

/// How the compared values are ordered in all samples.
fn order(context: &Context<'_, '_>, comparison: Comparison) -> Vec<BinOp> {
    let program = context.builder.program();
    let ty = program.exprs[comparison.left].ty;
    let values = |expr| evaluate::values(program, context.scope, context.samples, expr);
    let (Some(left), Some(right)) = (values(comparison.left), values(comparison.right)) else { return Vec::new() };
    if ty.int_kind().is_none() {
        // Of floats and pointers: the condition itself, or its negation.
        let ops = [comparison.op, comparison.op.negated()];
        let holds = |op: BinOp| {
            let truth = |(a, b): (&cfa::Bits, &cfa::Bits)| eval::binary(&program.types, op, ty, *a, *b, ty);
            left.iter().zip(&right).all(|pair| truth(pair).is_ok_and(|value| !value.bits.is_zero()))
        };
        return ops.into_iter().filter(|op| holds(*op)).collect();
    }
    let number = |bits: &cfa::Bits| eval::to_i128(&program.types, ty, *bits);
    orders(left.iter().map(number).zip(right.iter().map(number)))
}

/// `a | b`, if neither holds alone.
fn either(context: &mut Context<'_, '_>, a: Comparison, b: Comparison) {
    let parts = [a, b].map(|part| context.builder.compare(part.op, part.left, part.right));
    let program = context.builder.program();
    let alone = parts.iter().any(|part| evaluate::holds(program, context.scope, context.samples, *part));
    if !alone && let Some(any) = context.builder.any(&parts) {
        context.push(any);
    }
}
