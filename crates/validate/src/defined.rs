//! What C demands of the arithmetic in an expression, as further expressions that must be true: no signed overflow, shifts in range.
//! Expressions of witnesses wrap like the machine's otherwise, and `x < y + 1` would be false where `y` is the greatest number.

use base::Span;
use cfa::walk::{Node, children};
use cfa::{BinOp, Bits, Expr, ExprId, ExprKind, IntKind, Program, TypeId, UnOp, eval};

/// The expressions that must be true for an expression to have a value, those of its operands first. Division by zero and wrong
/// accesses are noticed when it is evaluated.
pub fn requirements(program: &mut Program, expr: ExprId) -> Vec<ExprId> {
    let (mut found, mut open) = (Vec::new(), vec![Node::Expr(expr)]);
    while let Some(node) = open.pop() {
        open.extend(children(program, node).into_iter().flatten());
        if let Node::Expr(expr) = node {
            found.extend(requirement(program, expr));
        }
    }
    found.reverse();
    found
}

fn requirement(program: &mut Program, expr: ExprId) -> Option<ExprId> {
    let Expr { kind, ty, .. } = program.exprs[expr];
    let overflows = ty.int_kind().is_some_and(|kind| kind.is_signed() && kind.rank() >= IntKind::Int.rank());
    let width = ty.int_kind().map(|_| program.types.scalar_bits(ty))?;
    let mut make = Maker { program };
    match kind {
        ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), left, right) if overflows => {
            // Twice the width holds every result.
            let wide = match width {
                32 => TypeId::LONG_LONG,
                64 => TypeId::INT128,
                _ => return None,
            };
            let [left, right, wrapped] = [left, right, expr].map(|part| make.push(ExprKind::Cast(part), wide));
            let exact = make.push(ExprKind::Binary(op, left, right), wide);
            Some(make.compare(BinOp::Eq, exact, wrapped))
        }
        ExprKind::Binary(BinOp::Div | BinOp::Rem, left, right) if overflows => {
            let (least, minus_one) = (make.number(ty, i128::MIN >> (128 - width)), make.number(ty, -1));
            let (left, right) = (make.compare(BinOp::Ne, left, least), make.compare(BinOp::Ne, right, minus_one));
            Some(make.push(ExprKind::Binary(BinOp::Or, left, right), TypeId::INT))
        }
        ExprKind::Unary(UnOp::Neg, operand) if overflows => {
            let least = make.number(ty, i128::MIN >> (128 - width));
            Some(make.compare(BinOp::Ne, operand, least))
        }
        ExprKind::Binary(op @ (BinOp::Shl | BinOp::Shr), left, amount) => {
            let amount_type = make.program.exprs[amount].ty;
            let (zero, most) = (make.number(amount_type, 0), make.number(amount_type, width as i128 - 1));
            let (low, high) = (make.compare(BinOp::Ge, amount, zero), make.compare(BinOp::Le, amount, most));
            let mut fine = make.push(ExprKind::Binary(BinOp::And, low, high), TypeId::INT);
            if op == BinOp::Shl && overflows {
                // No negative operand, and shifting back gives the operand again.
                let back = make.push(ExprKind::Binary(BinOp::Shr, expr, amount), ty);
                let zero = make.number(ty, 0);
                let (positive, kept) = (make.compare(BinOp::Ge, left, zero), make.compare(BinOp::Eq, back, left));
                for part in [positive, kept] {
                    fine = make.push(ExprKind::Binary(BinOp::And, fine, part), TypeId::INT);
                }
            }
            Some(fine)
        }
        _ => None,
    }
}

struct Maker<'p> {
    program: &'p mut Program,
}

impl Maker<'_> {
    fn push(&mut self, kind: ExprKind, ty: TypeId) -> ExprId {
        self.program.exprs.push(Expr { kind, ty, span: Span::NONE })
    }

    fn compare(&mut self, op: BinOp, left: ExprId, right: ExprId) -> ExprId {
        self.push(ExprKind::Binary(op, left, right), TypeId::INT)
    }

    fn number(&mut self, ty: TypeId, value: i128) -> ExprId {
        let bits: Bits = eval::from_i128(&self.program.types, ty, value);
        self.push(ExprKind::Const(bits), ty)
    }
}
