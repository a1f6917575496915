//! What C says beyond the bits of an expression. Of arithmetic: what must be true, so that it has a value at all (no signed overflow,
//! shifts in range). Of assignments: what they leave in a place that is narrower than the value.
//!
//! Expressions of witnesses wrap like the machine's otherwise, and `x < y + 1` would be false where `y` is the greatest number.

use base::Span;
use cfa::walk::{Node, children};
use cfa::{BinOp, Bits, Expr, ExprId, ExprKind, IntKind, PlaceKind, Program, Type, TypeId, UnOp, eval};

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

/// For `place == value` that was written as an assignment: whether the place holds what the assignment would leave in it. `None` where
/// that is what the equation says.
pub fn assigned(program: &mut Program, expr: ExprId) -> Option<ExprId> {
    let ExprKind::Binary(BinOp::Eq, left, right) = program.exprs[expr].kind else { return None };
    let mut read = left;
    while let ExprKind::Cast(inner) = program.exprs[read].kind {
        read = inner;
    }
    let ExprKind::Read(place) = program.exprs[read].kind else { return None };
    let field = match program.places[place].kind {
        PlaceKind::Field(inner, number) => match *program.types.get(program.places[inner].ty) {
            Type::Record(record) => {
                program.types.records[record].fields[number as usize].bits.map(|bits| u32::from(bits.width))
            }
            _ => None,
        },
        _ => None,
    };
    let stored = program.exprs[read].ty;
    let width = stored.int_kind().map(|_| field.unwrap_or_else(|| program.types.scalar_bits(stored)))?;
    let ty = program.exprs[left].ty;
    if ty.int_kind().is_none() || stored == TypeId::BOOL || width >= program.types.scalar_bits(ty) {
        return None;
    }
    let mut make = Maker { program };
    let mask = make.number(ty, (1i128 << width) - 1);
    let differs = make.push(ExprKind::Binary(BinOp::Xor, left, right), ty);
    let kept = make.push(ExprKind::Binary(BinOp::And, differs, mask), ty);
    let zero = make.number(ty, 0);
    Some(make.compare(BinOp::Eq, kept, zero))
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
