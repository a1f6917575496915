//! Operators on lowered values: arithmetic, comparison, shifts, pointer arithmetic, and what folds.

use super::Lower;
use super::types::VECTOR;
use crate::c::ast::BinaryOp;
use base::Span;
use cfa::{BinOp, ExprId, ExprKind, Fault, Type, TypeId, UnOp};

impl Lower<'_> {
    pub(super) fn unary(&mut self, op: UnOp, operand: ExprId, span: Span) -> ExprId {
        let ty = self.expr_type(operand);
        let result = if op == UnOp::Not { TypeId::INT } else { ty };
        if let Some(bits) = self.program.constant(operand) {
            let value = cfa::eval::unary(&self.program.types, op, ty, bits);
            if self.may_fold(value.fault) {
                return self.constant(value.bits, result, span);
            }
        }
        // `!(a < b)` reads better, and branches better, as `a >= b` does not: floats. Only `!!` of comparisons is simplified.
        self.push(ExprKind::Unary(op, operand), result, span)
    }

    /// Operands already have the operator's type.
    pub(super) fn arithmetic(&mut self, op: BinOp, left: ExprId, right: ExprId, span: Span) -> ExprId {
        let ty = self.expr_type(left);
        let result = if op.is_comparison() { TypeId::INT } else { ty };
        if let (Some(a), Some(b)) = (self.program.constant(left), self.program.constant(right)) {
            let right_type = self.expr_type(right);
            if let Ok(value) = cfa::eval::binary(&self.program.types, op, ty, a, b, right_type)
                && self.may_fold(value.fault)
            {
                return self.constant(value.bits, result, span);
            }
        }
        self.push(ExprKind::Binary(op, left, right), result, span)
    }

    /// Overflow must stay in the program, where engines check for it, except where C demands a constant.
    fn may_fold(&mut self, fault: Option<Fault>) -> bool {
        self.folded_fault |= fault.is_some();
        fault.is_none() || self.situation.constant_context
    }

    /// A binary operator of C on two values, `&&`, `||` and the comma aside.
    pub(super) fn binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId, span: Span) -> ExprId {
        let (a, b) = (self.expr_type(left), self.expr_type(right));
        for ty in [a, b] {
            if let Some(name) = self.unsupported_name(ty) {
                // Whole vectors are compared element by element.
                let one = cfa_operator(op).is_comparison() && name != VECTOR;
                return self.unsupported_value(ty, if one { TypeId::INT } else { ty }, span);
            }
        }
        let types = &self.program.types;
        let (a_pointer, b_pointer) = (types.is_pointer(a), types.is_pointer(b));
        let op = cfa_operator(op);
        match op {
            BinOp::Add | BinOp::Sub if a_pointer && b.int_kind().is_some() => self.move_pointer(op, left, right, span),
            BinOp::Add if b_pointer && a.int_kind().is_some() => self.move_pointer(op, right, left, span),
            BinOp::Sub if a_pointer && b_pointer => self.pointer_difference(left, right, span),
            _ if op.is_comparison() && (a_pointer || b_pointer) => self.compare_pointers(op, left, right, span),
            BinOp::Shl | BinOp::Shr if a.int_kind().is_some() && b.int_kind().is_some() => {
                let left = self.promote(left);
                let right = self.promote(right);
                self.arithmetic(op, left, right, span)
            }
            BinOp::Rem | BinOp::And | BinOp::Or | BinOp::Xor if a.int_kind().is_some() && b.int_kind().is_some() => {
                let (left, right, _) = self.usual(left, right);
                self.arithmetic(op, left, right, span)
            }
            BinOp::Rem | BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::Shr => {
                self.bad_operands(op, a, b, span)
            }
            _ if a.is_arithmetic() && b.is_arithmetic() => {
                let (left, right, _) = self.usual(left, right);
                self.arithmetic(op, left, right, span)
            }
            _ => self.bad_operands(op, a, b, span),
        }
    }

    fn bad_operands(&mut self, op: BinOp, a: TypeId, b: TypeId, span: Span) -> ExprId {
        let message =
            format!("invalid operands of `{}`: `{}` and `{}`", op.c_name(), self.type_name(a), self.type_name(b));
        self.error(span, message);
        self.dummy(TypeId::INT, span)
    }

    /// `p + i` or `p - i`.
    pub(super) fn move_pointer(&mut self, op: BinOp, pointer: ExprId, index: ExprId, span: Span) -> ExprId {
        let ty = self.expr_type(pointer);
        let target = self.program.types.pointee(ty).expect("a pointer");
        if let Some(name) = self.unsupported_name(target) {
            self.poison(span, &name);
        }
        if self.program.types.stride(target).is_none() {
            let message = format!("arithmetic on a pointer to the incomplete type `{}`", self.type_name(target));
            self.error(span, message);
            return pointer;
        }
        let index = self.promote(index);
        if self.program.constant(index).is_some_and(|bits| bits.is_zero()) {
            return pointer;
        }
        let kind = if op == BinOp::Add { ExprKind::PtrAdd(pointer, index) } else { ExprKind::PtrSub(pointer, index) };
        // A number that was cast to a pointer stays a number: `&((struct s *)0)->f`.
        if let (Some(address), Some(count)) = (self.program.constant(pointer), self.program.constant(index)) {
            let stride = self.program.types.stride(target).unwrap_or(1) as i128;
            let count = cfa::eval::to_i128(&self.program.types, self.expr_type(index), count);
            let by = if op == BinOp::Add { count * stride } else { -count * stride };
            let bits = cfa::eval::from_i128(&self.program.types, ty, address.get() as i128 + by);
            return self.constant(bits, ty, span);
        }
        self.push(kind, ty, span)
    }

    fn pointer_difference(&mut self, left: ExprId, right: ExprId, span: Span) -> ExprId {
        let ty = TypeId::int(self.program.model().difference_type());
        let target = self.program.types.pointee(self.expr_type(left)).expect("a pointer");
        let stride = self.program.types.stride(target);
        if stride.is_none_or(|stride| stride == 0) {
            let message = format!("difference of pointers to `{}`, which has no size", self.type_name(target));
            self.error(span, message);
            return self.dummy(ty, span);
        }
        let left_type = self.expr_type(left);
        let right = self.cast(right, left_type, span);
        if let (Some(a), Some(b)) = (self.program.constant(left), self.program.constant(right)) {
            let difference = (a.get() as i128 - b.get() as i128) / stride.unwrap_or(1) as i128;
            return self.int(difference, ty, span);
        }
        let difference = self.push(ExprKind::PtrDiff(left, right), ty, span);
        match self.static_value(difference) {
            Some(super::constant::StaticValue::Number(bits)) => self.constant(bits, ty, span),
            _ => difference,
        }
    }

    fn compare_pointers(&mut self, op: BinOp, left: ExprId, right: ExprId, span: Span) -> ExprId {
        let (a, b) = (self.expr_type(left), self.expr_type(right));
        if a.float_kind().is_some() || b.float_kind().is_some() || self.is_record(a) || self.is_record(b) {
            return self.bad_operands(op, a, b, span);
        }
        let null = self.is_null_constant(left) || self.is_null_constant(right);
        if (a.int_kind().is_some() || b.int_kind().is_some()) && !null {
            self.warning(span, "comparison between a pointer and an integer");
        }
        // The pointer side decides the type; two different pointer types meet at the left one.
        let ty = if self.program.types.is_pointer(a) { a } else { b };
        let left = self.cast(left, ty, span);
        let right = self.cast(right, ty, span);
        self.arithmetic(op, left, right, span)
    }

    pub(super) fn is_function_pointer(&self, ty: TypeId) -> bool {
        self.program.types.pointee(ty).is_some_and(|target| matches!(self.program.types.get(target), Type::Function(_)))
    }
}

fn cfa_operator(op: BinaryOp) -> BinOp {
    match op {
        BinaryOp::Add => BinOp::Add,
        BinaryOp::Sub => BinOp::Sub,
        BinaryOp::Mul => BinOp::Mul,
        BinaryOp::Div => BinOp::Div,
        BinaryOp::Rem => BinOp::Rem,
        BinaryOp::And => BinOp::And,
        BinaryOp::Or => BinOp::Or,
        BinaryOp::Xor => BinOp::Xor,
        BinaryOp::Shl => BinOp::Shl,
        BinaryOp::Shr => BinOp::Shr,
        BinaryOp::Eq => BinOp::Eq,
        BinaryOp::Ne => BinOp::Ne,
        BinaryOp::Lt => BinOp::Lt,
        BinaryOp::Le => BinOp::Le,
        BinaryOp::Gt => BinOp::Gt,
        BinaryOp::Ge => BinOp::Ge,
        BinaryOp::LogAnd | BinaryOp::LogOr | BinaryOp::Comma => unreachable!("control flow, not an operator on values"),
    }
}
