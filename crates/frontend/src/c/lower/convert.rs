//! Conversions (C11 6.3): every one becomes an explicit `Cast`, or is folded away.

use super::Lower;
use base::Span;
use cfa::{ExprId, ExprKind, IntKind, PlaceKind, Type, TypeId};

impl Lower<'_> {
    /// Conversion between scalars, folded when constant.
    pub(super) fn cast(&mut self, expr: ExprId, to: TypeId, span: Span) -> ExprId {
        let from = self.expr_type(expr);
        if from == to {
            return expr;
        }
        if let ExprKind::Const(bits) = self.program.exprs[expr].kind
            && self.may_fold_conversion(from, to, bits, span)
        {
            let bits = cfa::eval::cast(&self.program.types, from, to, bits);
            return self.constant(bits, to, span);
        }
        self.push(ExprKind::Cast(expr), to, span)
    }

    /// A conversion that is not defined stays in the run, or where C demands a constant makes it unsupported.
    fn may_fold_conversion(&mut self, from: TypeId, to: TypeId, bits: cfa::Bits, span: Span) -> bool {
        let fits = cfa::eval::fits(&self.program.types, from, to, bits);
        self.folded_fault |= !fits;
        if !fits && self.situation.constant_context {
            self.poison(span, cfa::Fault::FloatConversion.describe());
        }
        fits || self.situation.constant_context
    }

    /// Integer promotion of a value.
    pub(super) fn promote(&mut self, expr: ExprId) -> ExprId {
        let ty = self.expr_type(expr);
        match ty.int_kind() {
            Some(kind) if kind.rank() < IntKind::Int.rank() => self.cast(expr, TypeId::INT, self.span_of(expr)),
            _ => expr,
        }
    }

    /// The default argument promotions: what an argument without a prototype becomes.
    pub(super) fn promote_argument(&mut self, expr: ExprId) -> ExprId {
        if self.expr_type(expr) == TypeId::FLOAT {
            return self.cast(expr, TypeId::DOUBLE, self.span_of(expr));
        }
        self.promote(expr)
    }

    /// The usual arithmetic conversions of two arithmetic values.
    pub(super) fn usual(&mut self, left: ExprId, right: ExprId) -> (ExprId, ExprId, TypeId) {
        let ty = self.common_type(self.expr_type(left), self.expr_type(right));
        let left_span = self.span_of(left);
        let right_span = self.span_of(right);
        (self.cast(left, ty, left_span), self.cast(right, ty, right_span), ty)
    }

    pub(super) fn common_type(&self, a: TypeId, b: TypeId) -> TypeId {
        if let Some(float) = a.float_kind().max(b.float_kind()) {
            return TypeId::float(float);
        }
        let promoted = |ty: TypeId| {
            let kind = ty.int_kind().unwrap_or(IntKind::Int);
            if kind.rank() < IntKind::Int.rank() { IntKind::Int } else { kind }
        };
        let (a, b) = (promoted(a), promoted(b));
        if a == b {
            return TypeId::int(a);
        }
        if a.is_signed() == b.is_signed() {
            return TypeId::int(if a.rank() >= b.rank() { a } else { b });
        }
        let (signed, unsigned) = if a.is_signed() { (a, b) } else { (b, a) };
        let model = self.program.model();
        TypeId::int(if unsigned.rank() >= signed.rank() {
            unsigned
        } else if signed.bits(model) > unsigned.bits(model) {
            signed
        } else {
            signed.to_unsigned()
        })
    }

    /// Conversion as if by assignment, with what a compiler has to say about it.
    pub(super) fn coerce(&mut self, expr: ExprId, to: TypeId, span: Span) -> ExprId {
        let from = self.expr_type(expr);
        if from == to {
            return expr;
        }
        if self.unsupported_name(from).is_some() || self.unsupported_name(to).is_some() {
            return self.unsupported_value(from, to, span);
        }
        let types = &self.program.types;
        match (types.get(from), types.get(to)) {
            (Type::Void, _) => {
                self.error(span, "a void value is used");
                self.dummy(to, span)
            }
            (Type::Record(_), Type::Record(_)) if self.compatible(from, to) => self.view_record(expr, to, span),
            (_, Type::Void) => {
                self.error(span, "a value is converted to void");
                self.dummy(TypeId::INT, span)
            }
            _ if types.is_scalar(from) && types.is_scalar(to) => {
                if to != TypeId::BOOL {
                    self.poison_disguise(from, span);
                }
                self.check_scalar_conversion(expr, to, span);
                self.cast(expr, to, span)
            }
            _ => {
                let message =
                    format!("incompatible types: `{}` where `{}` is wanted", self.type_name(from), self.type_name(to));
                self.error(span, message);
                self.dummy(to, span)
            }
        }
    }

    fn check_scalar_conversion(&mut self, expr: ExprId, to: TypeId, span: Span) {
        let from = self.expr_type(expr);
        let types = &self.program.types;
        let (from_pointer, to_pointer) = (types.is_pointer(from), types.is_pointer(to));
        if from_pointer == to_pointer {
            return;
        }
        if from.float_kind().is_some() || to.float_kind().is_some() {
            let message =
                format!("incompatible types: `{}` where `{}` is wanted", self.type_name(from), self.type_name(to));
            self.error(span, message);
        } else if to_pointer && !self.is_null_constant(expr) {
            self.warning(span, "a pointer is made from an integer without a cast");
        } else if from_pointer && to != TypeId::BOOL {
            self.warning(span, "an integer is made from a pointer without a cast");
        }
    }

    pub(super) fn is_null_constant(&self, expr: ExprId) -> bool {
        let node = &self.program.exprs[expr];
        let plain = node.ty.int_kind().is_some() || node.ty == TypeId::VOID_POINTER;
        plain && matches!(node.kind, ExprKind::Const(bits) if bits.is_zero())
    }

    /// A record value of a compatible type that another file declared.
    fn view_record(&mut self, expr: ExprId, to: TypeId, span: Span) -> ExprId {
        let ExprKind::Read(place) = self.program.exprs[expr].kind else { return expr };
        let from = self.expr_type(expr);
        let address = self.address_of(place, from, span);
        let pointer = self.program.types.pointer_to(to);
        let address = self.cast(address, pointer, span);
        let viewed = self.place(PlaceKind::Deref(address), to);
        self.read(viewed, span)
    }

    /// A pointer to something that is not supported must not be converted to another pointer type: its use would not be poison there.
    pub(super) fn poison_disguise(&mut self, pointer: TypeId, span: Span) {
        let target = self.program.types.pointee(pointer);
        if let Some(name) = target.and_then(|target| self.unsupported_name(target)) {
            self.poison(span, &name);
        }
    }

    /// The value of something that is not supported: a poison edge stands before its use.
    pub(super) fn unsupported_value(&mut self, from: TypeId, to: TypeId, span: Span) -> ExprId {
        let name = self.unsupported_name(from).or_else(|| self.unsupported_name(to)).unwrap_or_default();
        self.poison(span, &name);
        self.dummy(to, span)
    }

    /// Some value of a type, after an error or behind poison.
    pub(super) fn dummy(&mut self, ty: TypeId, span: Span) -> ExprId {
        if self.program.types.is_scalar(ty) {
            return self.constant(cfa::Bits::ZERO, ty, span);
        }
        if self.is_record(ty) && self.program.types.size_of(ty).is_some() {
            let temp = self.temp(ty, span);
            return self.read_var(temp, span);
        }
        self.constant(cfa::Bits::ZERO, TypeId::INT, span)
    }

    /// A scalar that can be a condition.
    pub(super) fn check_condition(&mut self, expr: ExprId, span: Span) -> ExprId {
        let ty = self.expr_type(expr);
        if self.program.types.is_scalar(ty) {
            return expr;
        }
        if self.unsupported_name(ty).is_some() {
            return self.unsupported_value(ty, TypeId::INT, span);
        }
        let message = format!("a scalar is needed here, not `{}`", self.type_name(ty));
        self.error(span, message);
        self.dummy(TypeId::INT, span)
    }
}
