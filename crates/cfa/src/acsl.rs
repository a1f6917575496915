//! Which expressions mean the same in ACSL, the language of contracts in witnesses, as in C. ACSL computes with integers of any size and with real
//! numbers, where C computes modulo a power of two, rounds, and converts operands to unsigned types; and it reads `a < b < c` as two comparisons. A
//! conversion to an integer type is modulo a power of two in both.

use crate::eval::to_i128;
use crate::walk::{Node, children};
use crate::{BinOp, ExprId, ExprKind, PlaceKind, Program, TypeId, UnOp, VarKind};

/// Whether an expression means the same, as far as C defines it.
pub fn is_same_in_acsl(program: &Program, expr: ExprId) -> bool {
    let ty = |expr: ExprId| program.exprs[expr].ty;
    let compares = |mut expr: ExprId| {
        while let ExprKind::Cast(inner) = program.exprs[expr].kind {
            expr = inner;
        }
        matches!(program.exprs[expr].kind, ExprKind::Binary(op, ..) if op.is_comparison())
    };
    let same = match program.exprs[expr].kind {
        ExprKind::Binary(op, left, right) if op.is_comparison() => !compares(left) && !compares(right),
        ExprKind::Binary(..) | ExprKind::Unary(..) | ExprKind::Cast(_) if ty(expr).float_kind().is_some() => false,
        ExprKind::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Shl, ..) => !is_unsigned(program, ty(expr)),
        // The bits that a constant keeps are the same in both.
        ExprKind::Binary(BinOp::And, value, mask)
            if is_unsigned(program, ty(expr)) && program.constant(mask).is_some() =>
        {
            return is_modular(program, value, width(program, ty(expr)));
        }
        ExprKind::Unary(UnOp::Neg | UnOp::BitNot, _) => !is_unsigned(program, ty(expr)),
        ExprKind::Cast(inner) => {
            let (from, to) = (width(program, ty(inner)), width(program, ty(expr)));
            // Such a conversion is written out: C makes none like it by itself.
            let is_narrow = ty(inner).int_kind().is_some() && to <= from;
            if is_narrow && !is_unsigned(program, ty(expr)) && is_modular(program, inner, to) {
                return true;
            }
            let widens = is_unsigned(program, ty(inner)) && from <= to;
            let constant = program.constant(inner).is_some_and(|bits| to_i128(&program.types, ty(inner), bits) >= 0);
            !is_unsigned(program, ty(expr)) || widens || constant
        }
        _ => true,
    };
    let same_below = |node: Node| match node {
        Node::Expr(child) => is_same_in_acsl(program, child),
        Node::Place(_) => exprs_below(program, node).into_iter().all(|child| is_same_in_acsl(program, child)),
    };
    same && children(program, Node::Expr(expr)).into_iter().flatten().all(same_below)
}

/// An equation of unsigned values, or its opposite, that is the same in both languages once both sides are converted to the signed type: its sides, and
/// that type as it is written.
pub fn equation_by_signed(program: &Program, expr: ExprId) -> Option<(BinOp, ExprId, ExprId, &'static str)> {
    let ExprKind::Binary(op @ (BinOp::Eq | BinOp::Ne), left, right) = program.exprs[expr].kind else { return None };
    let ty = program.exprs[left].ty;
    let signed = match width(program, ty) {
        32 => "int",
        64 => "long long",
        _ => return None,
    };
    let both = is_unsigned(program, ty) && program.exprs[right].ty == ty;
    let same = |side: ExprId| is_modular(program, side, width(program, ty));
    (both && same(left) && same(right)).then_some((op, left, right, signed))
}

/// Whether a contract can state a condition in some form.
pub fn has_acsl_form(program: &Program, expr: ExprId) -> bool {
    let either = || match program.exprs[expr].kind {
        ExprKind::Binary(BinOp::Or, left, right) => has_acsl_form(program, left) && has_acsl_form(program, right),
        _ => false,
    };
    is_same_in_acsl(program, expr) || equation_by_signed(program, expr).is_some() || either()
}

/// Whether the values in both languages differ by a multiple of a power of two, as the operations of a ring allow.
fn is_modular(program: &Program, expr: ExprId, bits: u32) -> bool {
    let ty = program.exprs[expr].ty;
    let wide = ty.int_kind().is_some() && width(program, ty) >= bits;
    let below = |expr: ExprId| is_modular(program, expr, bits);
    let is_ring = match program.exprs[expr].kind {
        ExprKind::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::And | BinOp::Or | BinOp::Xor, left, right) => {
            below(left) && below(right)
        }
        ExprKind::Binary(BinOp::Shl, left, right) => below(left) && is_same_in_acsl(program, right),
        ExprKind::Unary(UnOp::Neg | UnOp::BitNot, operand) => below(operand),
        ExprKind::Cast(inner) => {
            let is_bool = program.types.scalar_bits(ty) == 1;
            program.exprs[inner].ty.int_kind().is_some() && !is_bool && below(inner)
        }
        _ => false,
    };
    (wide && is_ring) || is_same_in_acsl(program, expr)
}

fn is_unsigned(program: &Program, ty: TypeId) -> bool {
    ty.int_kind().is_some() && !program.types.is_signed(ty)
}

fn width(program: &Program, ty: TypeId) -> u32 {
    program.types.size_of(ty).map_or(0, |bytes| 8 * bytes as u32)
}

/// The expressions in a place, those in `\\old` included.
fn exprs_below(program: &Program, node: Node) -> Vec<ExprId> {
    if let Node::Place(place) = node
        && let PlaceKind::Var(var) = program.places[place].kind
        && let VarKind::Old(before) = program.vars[var].kind
    {
        return vec![before];
    }
    let below = children(program, node).into_iter().flatten();
    below
        .flat_map(|child| match child {
            Node::Expr(expr) => vec![expr],
            Node::Place(_) => exprs_below(program, child),
        })
        .collect()
}
