//! SHL, SHR, ROL and ROR: places beyond the width of the type shift everything out, and go round.

use super::Lower;
use super::operator::Val;
use super::types::Ty;
use base::Span;
use cfa::{BinOp, Branch, ExprId, ExprKind, IntKind, Op, TypeId};

impl Lower<'_> {
    pub fn shift(&mut self, name: &str, value: Val, amount: Val, span: Span) -> Val {
        let (value, ty) = match value {
            Val::Expr(value, ty @ Ty::Int(..)) => (value, ty),
            Val::Int(number) => {
                let ty = Ty::Int(IntKind::UInt, true);
                (self.convert(Val::Int(number), &ty, span), ty)
            }
            _ => {
                self.error(span, format!("`{name}` needs a string of bits"));
                return Val::Bad;
            }
        };
        let own = self.program.exprs[value].ty;
        let Some(kind) = ty.int(self) else { return Val::Bad };
        let id = TypeId::int(kind.to_unsigned());
        let width = kind.bits(self.program.types.model) as i128;
        let bits = self.cast(value, id, span);
        let rotates = name.starts_with("RO");
        let known = match amount {
            Val::Int(number) => Some(number),
            _ => None,
        };
        if known.is_some_and(|number| number < 0) {
            self.error(span, "the number of places is negative");
            return Val::Bad;
        }
        let ulong = TypeId::ULONG_LONG;
        let result = if let Some(number) = known {
            let number = if rotates { number % width } else { number };
            if number >= width {
                self.constant(0, id, span)
            } else {
                let places = self.constant(number, TypeId::INT, span);
                let rest = self.constant((width - number) % width, TypeId::INT, span);
                self.shifted(name, bits, places, rest, id, span)
            }
        } else {
            let Val::Expr(amount, amount_ty) = amount else { return Val::Bad };
            if amount_ty.int(self).is_none() {
                self.error(span, "the number of places is a whole number");
                return Val::Bad;
            }
            // A negative number of places is a large one.
            let amount = self.cast(amount, ulong, span);
            let limit = self.constant(width, ulong, span);
            let result = self.temp(id);
            if rotates {
                let places = self.expr(ExprKind::Binary(BinOp::Rem, amount, limit), ulong, span);
                let back = self.expr(ExprKind::Binary(BinOp::Sub, limit, places), ulong, span);
                let rest = self.expr(ExprKind::Binary(BinOp::Rem, back, limit), ulong, span);
                let value = self.shifted(name, bits, places, rest, id, span);
                self.emit(Op::Assign(result, value), span);
            } else {
                let within = self.compare(BinOp::Lt, amount, limit, span);
                let (yes, no) = self.branch(within, Branch::Conditional, span);
                self.flow.cursor = yes;
                let value = self.shifted(name, bits, amount, amount, id, span);
                self.emit(Op::Assign(result, value), span);
                let done = self.flow.cursor;
                self.flow.cursor = no;
                let zero = self.constant(0, id, span);
                self.emit(Op::Assign(result, zero), span);
                let other = self.flow.cursor;
                self.join(&[done, other], span);
            }
            self.read(result, span)
        };
        Val::Expr(self.cast(result, own, span), ty)
    }

    fn shifted(&mut self, name: &str, bits: ExprId, places: ExprId, rest: ExprId, id: TypeId, span: Span) -> ExprId {
        let (op, back) = if name.ends_with('L') { (BinOp::Shl, BinOp::Shr) } else { (BinOp::Shr, BinOp::Shl) };
        let first = self.expr(ExprKind::Binary(op, bits, places), id, span);
        if !name.starts_with("RO") {
            return first;
        }
        let second = self.expr(ExprKind::Binary(back, bits, rest), id, span);
        self.expr(ExprKind::Binary(BinOp::Or, first, second), id, span)
    }
}
