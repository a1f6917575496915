//! Assignments, `++` and `--`.

use super::Lower;
use super::expr::Operand;
use crate::c::ast::{self, BinaryOp, UnaryOp};
use base::Span;
use cfa::{ExprId, ExprKind, Op, PlaceId, TypeId};

impl Lower<'_> {
    /// The place an assignment or `++` writes to.
    pub(super) fn target(&mut self, expr: ast::ExprId, span: Span) -> Option<PlaceId> {
        let operand = self.operand(expr);
        if let Operand::Place(place) = operand {
            let ty = self.place_type(place);
            if self.program.types.is_scalar(ty) || self.is_record(ty) {
                return Some(self.writable(place, span));
            }
        }
        let ty = self.operand_type(operand);
        match self.unsupported_name(ty) {
            Some(name) => self.poison(span, &name),
            None => self.error(span, "this cannot be assigned to"),
        }
        None
    }

    pub(super) fn assign(
        &mut self,
        op: Option<BinaryOp>,
        left: ast::ExprId,
        right: ast::ExprId,
        span: Span,
        wanted: bool,
    ) -> Operand {
        let Some(place) = self.target(left, span) else {
            self.effect(right);
            return Operand::Value(self.dummy(TypeId::INT, span));
        };
        let ty = self.place_type(place);
        let value = match op {
            None => {
                // An input that is stored as it is needs no temporary.
                if let Some(done) = self.assign_call(place, right, span, wanted) {
                    return done;
                }
                self.rvalue(right)
            }
            Some(op) => {
                let right = self.rvalue(right);
                let old = self.load(place, span);
                self.binary(op, old, right, span)
            }
        };
        let value = self.coerce(value, ty, span);
        if self.unsupported_name(ty).is_some() {
            return Operand::Value(self.dummy(ty, span));
        }
        self.store(place, value, span, wanted)
    }

    /// Writes a value; the result is the value as stored.
    pub(super) fn store(&mut self, place: PlaceId, value: ExprId, span: Span, wanted: bool) -> Operand {
        let fixed = !wanted
            || matches!(self.program.exprs[value].kind, ExprKind::Const(_))
            || self.is_record(self.place_type(place));
        if fixed {
            self.emit(Op::Assign(place, value), span);
            if !wanted {
                return Operand::Void;
            }
            return Operand::Value(match self.bit_field_width_of(place) {
                Some(_) => self.load(place, span),
                None if self.is_record(self.place_type(place)) => self.load(place, span),
                None => value,
            });
        }
        let temp = self.temp(self.place_type(place), span);
        let temp_place = self.var_place(temp);
        self.emit(Op::Assign(temp_place, value), span);
        let value = self.read_var(temp, span);
        self.emit(Op::Assign(place, value), span);
        if self.bit_field_width_of(place).is_some() {
            // Read back what fits into the bits.
            let stored = self.load(place, span);
            let ty = self.expr_type(stored);
            let kept = self.temp(ty, span);
            let kept_place = self.var_place(kept);
            self.emit(Op::Assign(kept_place, stored), span);
            return Operand::Value(self.read_var(kept, span));
        }
        Operand::Value(value)
    }

    /// `++` and `--`.
    pub(super) fn step(&mut self, op: UnaryOp, inner: ast::ExprId, span: Span, wanted: bool) -> Operand {
        let Some(place) = self.target(inner, span) else { return Operand::Value(self.dummy(TypeId::INT, span)) };
        let ty = self.place_type(place);
        if self.unsupported_name(ty).is_some() {
            return Operand::Value(self.unsupported_value(ty, ty, span));
        }
        if !self.program.types.is_scalar(ty) {
            self.error(span, "`++` and `--` need a number or a pointer");
            return Operand::Value(self.dummy(TypeId::INT, span));
        }
        let post = matches!(op, UnaryOp::PostInc | UnaryOp::PostDec);
        let mut old = self.load(place, span);
        let mut result = None;
        if post && wanted {
            let temp = self.temp(self.expr_type(old), span);
            let temp_place = self.var_place(temp);
            self.emit(Op::Assign(temp_place, old), span);
            old = self.read_var(temp, span);
            result = Some(old);
        }
        let one = self.int(1, TypeId::INT, span);
        let op = if matches!(op, UnaryOp::PreInc | UnaryOp::PostInc) { BinaryOp::Add } else { BinaryOp::Sub };
        let new = self.binary(op, old, one, span);
        let new = self.cast(new, ty, span);
        let stored = self.store(place, new, span, wanted && !post);
        result.map_or(stored, Operand::Value)
    }
}
