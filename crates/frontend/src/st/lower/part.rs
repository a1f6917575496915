//! Single bits and bytes of numbers: `word.3`, `word.%B1`.

use super::super::ast::Expr;
use super::Lower;
use super::expr::Target;
use super::operator::Val;
use super::types::Ty;
use base::Span;
use cfa::{BinOp, ExprId, ExprKind, IntKind, Op, PlaceId, TypeId};

impl Lower<'_> {
    pub fn bit(&mut self, of: &Expr, bit: u32, span: Span) -> Val {
        let Val::Expr(value, ty) = self.value(of) else { return Val::Bad };
        let Some((shifted, id)) = self.shifted_bit(value, &ty, bit, span) else { return Val::Bad };
        let one = self.constant(1, id, span);
        let masked = self.expr(ExprKind::Binary(BinOp::And, shifted, one), id, span);
        let zero = self.constant(0, id, span);
        let compared = self.compare(BinOp::Ne, masked, zero, span);
        Val::Expr(self.truth_value(compared, span), Ty::Bool)
    }

    /// The type of one part of a value, and how far it is shifted.
    pub fn part_type(&mut self, ty: &Ty, width: u32, number: u32, span: Span) -> Option<(Ty, u32)> {
        let part = match width {
            8 => IntKind::UChar,
            16 => IntKind::UShort,
            _ => IntKind::UInt,
        };
        let bits = ty.int(self).map_or(0, |kind| kind.bits(self.program.types.model));
        if (number + 1).saturating_mul(width) > bits || matches!(ty, Ty::Bool) {
            let message = format!("{} has no part {number} of {width} bits", self.ty_name(ty));
            self.error(span, message);
            return None;
        }
        Some((Ty::Int(part, true), number * width))
    }

    /// `word.%B1`
    pub fn slice(&mut self, of: &Expr, width: u32, number: u32, span: Span) -> Val {
        let Val::Expr(value, ty) = self.value(of) else { return Val::Bad };
        let Some((part, shift)) = self.part_type(&ty, width, number, span) else { return Val::Bad };
        let Some((shifted, _)) = self.shifted_bit(value, &ty, shift, span) else { return Val::Bad };
        let id = self.cfa_type(&part);
        Val::Expr(self.cast(shifted, id, span), part)
    }

    /// `word.%B1 := value`
    pub fn assign_slice(&mut self, of: &Expr, (width, number): (u32, u32), value: &Expr, span: Span) {
        let Target::Place(place, ty, true) = self.target(of) else {
            return self.error(of.span, "this cannot be assigned to");
        };
        let Some((part, shift)) = self.part_type(&ty, width, number, span) else { return };
        let new = self.value_as(value, &part);
        let old = self.read(place, span);
        self.replace_bits(place, &ty, old, (((1i128 << width) - 1) << shift, shift), new, span);
    }

    pub fn shifted_bit(&mut self, value: ExprId, ty: &Ty, bit: u32, span: Span) -> Option<(ExprId, TypeId)> {
        let Some(kind) = ty.int(self).filter(|kind| bit < kind.bits(self.program.types.model)) else {
            let message = format!("{} has no bit {bit}", self.ty_name(ty));
            self.error(span, message);
            return None;
        };
        let id = TypeId::int(kind.to_unsigned());
        let value = self.cast(value, id, span);
        let amount = self.constant(bit as i128, TypeId::INT, span);
        Some((self.expr(ExprKind::Binary(BinOp::Shr, value, amount), id, span), id))
    }

    /// `word.3 := value`
    pub fn assign_bit(&mut self, of: &Expr, bit: u32, value: ExprId, span: Span) {
        let Target::Place(place, ty, true) = self.target(of) else {
            return self.error(of.span, "this cannot be assigned to");
        };
        let old = self.read(place, span);
        if self.shifted_bit(old, &ty, bit, span).is_none() {
            return;
        }
        self.replace_bits(place, &ty, old, (1i128 << bit, bit), value, span);
    }

    /// Puts a value in the place of the bits of a mask, shifted to where they begin.
    pub fn replace_bits(
        &mut self,
        place: PlaceId,
        ty: &Ty,
        old: ExprId,
        (mask, shift): (i128, u32),
        value: ExprId,
        span: Span,
    ) {
        let own = self.program.places[place].ty;
        let id = ty.int(self).map_or(own, |kind| TypeId::int(kind.to_unsigned()));
        let old = self.cast(old, id, span);
        let mask = self.constant(!mask, id, span);
        let kept = self.expr(ExprKind::Binary(BinOp::And, old, mask), id, span);
        let new = self.cast(value, id, span);
        let amount = self.constant(shift as i128, TypeId::INT, span);
        let new = self.expr(ExprKind::Binary(BinOp::Shl, new, amount), id, span);
        let result = self.expr(ExprKind::Binary(BinOp::Or, kept, new), id, span);
        let result = self.cast(result, own, span);
        self.emit(Op::Assign(place, result), span);
    }
}
