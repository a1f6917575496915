//! Control flow inside expressions: `&&`, `||`, `?:` and conditions. In a function they become branches; where C wants a constant they are
//! decided now.

use super::Lower;
use super::expr::Operand;
use super::flow::Cursor;
use crate::c::ast::{self, BinaryOp, ExprKind as Ast, UnaryOp};
use base::Span;
use cfa::{Branch, ExprId, Op, TypeId, UnOp};

impl Lower<'_> {
    /// The cursors where a condition is true and where it is false.
    pub(super) fn condition(&mut self, expr: ast::ExprId, branch: Branch, anchor: Option<u32>) -> (Cursor, Cursor) {
        let saved = match (&mut self.function, anchor) {
            (Some(function), Some(anchor)) => Some(std::mem::replace(&mut function.anchor, anchor)),
            _ => None,
        };
        let cursors = self.decide(expr, true, branch);
        if let Some(saved) = saved {
            self.state().anchor = saved;
        }
        cursors
    }

    /// The cursors where a condition has a truth and where it has not. Negations move to the operands, so that the truth of the branch that
    /// decides is the truth of the whole condition: witnesses speak of that one.
    fn decide(&mut self, expr: ast::ExprId, truth: bool, branch: Branch) -> (Cursor, Cursor) {
        let ast::Expr { kind, span } = self.ast.exprs[expr];
        match kind {
            Ast::Unary(UnaryOp::Not, inner) if self.function.is_some() => self.decide(inner, !truth, branch),
            Ast::Binary(op @ (BinaryOp::LogAnd | BinaryOp::LogOr), left, right) => {
                let stores = self.stores_so_far();
                let (first_yes, first_no) = self.decide(left, truth, branch);
                self.sequence_point(stores);
                if (op == BinaryOp::LogAnd) == truth {
                    self.set_cursor(first_yes);
                    let (yes, second_no) = self.decide(right, truth, branch);
                    self.join(&[first_no, second_no], span);
                    (yes, self.cursor())
                } else {
                    self.set_cursor(first_no);
                    let (second_yes, no) = self.decide(right, truth, branch);
                    self.join(&[first_yes, second_yes], span);
                    (self.cursor(), no)
                }
            }
            _ => {
                let value = self.rvalue(expr);
                let value = self.check_condition(value, span);
                let value = if truth { value } else { self.unary(UnOp::Not, value, span) };
                self.branch(value, branch, span)
            }
        }
    }

    /// `&&` and `||` as a value.
    pub(super) fn truth_value(&mut self, expr: ast::ExprId, span: Span) -> ExprId {
        if self.situation.pure && !self.situation.constant_context {
            return self.pure_truth(expr, span);
        }
        if self.must_fold() {
            return self.folded_truth(expr, span);
        }
        let (yes, no) = self.condition(expr, Branch::ShortCircuit, None);
        let temp = self.temp(TypeId::INT, span);
        let mut ends = [yes, no];
        for (cursor, value) in ends.iter_mut().zip([1, 0]) {
            self.set_cursor(*cursor);
            let place = self.var_place(temp);
            let value = self.int(value, TypeId::INT, span);
            self.emit(Op::Assign(place, value), span);
            *cursor = self.cursor();
        }
        self.join(&ends, span);
        self.read_var(temp, span)
    }

    pub(super) fn folded_truth(&mut self, expr: ast::ExprId, span: Span) -> ExprId {
        let Ast::Binary(op, left, right) = self.ast.exprs[expr].kind else { return self.dummy(TypeId::INT, span) };
        let is_or = op == BinaryOp::LogOr;
        let truth = |lower: &mut Self, expr| {
            let value = lower.rvalue(expr);
            let value = lower.check_condition(value, span);
            lower.known_truth(value)
        };
        let value = match truth(self, left) {
            Some(known) if known == is_or => Some(is_or),
            Some(_) => truth(self, right),
            None => None,
        };
        match value {
            Some(value) => self.int(value as i128, TypeId::INT, span),
            None => {
                self.effect_wanted.get_or_insert(span);
                let place = self.temp(TypeId::INT, span);
                self.read_var(place, span)
            }
        }
    }

    /// Whether a value is known to be zero or not: constants, and addresses of objects, which are never null.
    pub(super) fn known_truth(&self, value: ExprId) -> Option<bool> {
        match self.static_value(value)? {
            super::constant::StaticValue::Number(bits) => {
                Some(cfa::eval::truthy(&self.program.types, self.expr_type(value), bits))
            }
            super::constant::StaticValue::Address(..) => Some(true),
        }
    }

    pub(super) fn conditional(
        &mut self,
        cond: ast::ExprId,
        then: Option<ast::ExprId>,
        otherwise: ast::ExprId,
        question: u32,
        span: Span,
    ) -> Operand {
        if self.situation.pure && !self.situation.constant_context {
            return Operand::Value(self.pure_conditional(cond, then, otherwise, span));
        }
        if self.must_fold() {
            return self.folded_conditional(cond, then, otherwise, span);
        }
        // `a ?: b` uses the value of `a` once it was tested.
        let stores = self.stores_so_far();
        let (yes, no, tested) = match then {
            Some(_) => {
                let (yes, no) = self.condition(cond, Branch::Conditional, Some(question));
                (yes, no, None)
            }
            None => {
                let value = self.rvalue(cond);
                let value = self.check_condition(value, span);
                let temp = self.temp(self.expr_type(value), span);
                let place = self.var_place(temp);
                self.emit(Op::Assign(place, value), span);
                let value = self.read_var(temp, span);
                let (yes, no) = self.branch(value, Branch::Conditional, span);
                (yes, no, Some(value))
            }
        };
        self.sequence_point(stores);
        self.set_cursor(yes);
        let first = self.arm(then, tested, span);
        let yes = self.cursor();
        self.set_cursor(no);
        let second = self.arm(Some(otherwise), None, span);
        let no = self.cursor();
        let (Some(first), Some(second)) = (first, second) else {
            self.join(&[yes, no], span);
            return Operand::Void;
        };
        let ty = self.conditional_type(first, second, span);
        let temp = self.temp(ty, span);
        let mut ends = [yes, no];
        for (cursor, value) in ends.iter_mut().zip([first, second]) {
            self.set_cursor(*cursor);
            let value = self.coerce_arm(value, ty, span);
            let place = self.var_place(temp);
            self.emit(Op::Assign(place, value), span);
            *cursor = self.cursor();
        }
        self.join(&ends, span);
        Operand::Value(self.read_var(temp, span))
    }

    /// One side of `?:`; `None` for a void one.
    pub(super) fn arm(&mut self, arm: Option<ast::ExprId>, tested: Option<ExprId>, span: Span) -> Option<ExprId> {
        let Some(arm) = arm else { return tested };
        match self.operand(arm) {
            Operand::Void => None,
            // A dereferenced `void *` is void too.
            Operand::Place(place) if self.place_type(place) == TypeId::VOID => None,
            operand => Some(self.value_of(operand, span)),
        }
    }

    pub(super) fn coerce_arm(&mut self, value: ExprId, ty: TypeId, span: Span) -> ExprId {
        if self.program.types.is_scalar(ty) && self.program.types.is_scalar(self.expr_type(value)) {
            return self.cast(value, ty, span);
        }
        self.coerce(value, ty, span)
    }

    pub(super) fn conditional_type(&mut self, first: ExprId, second: ExprId, span: Span) -> TypeId {
        let (a, b) = (self.expr_type(first), self.expr_type(second));
        if a == b {
            // Narrow integers are promoted all the same.
            return if a.is_arithmetic() { self.common_type(a, b) } else { a };
        }
        if a.is_arithmetic() && b.is_arithmetic() {
            return self.common_type(a, b);
        }
        let types = &self.program.types;
        match (types.is_pointer(a), types.is_pointer(b)) {
            (true, true) if self.is_null_constant(first) => b,
            (true, true) if self.is_null_constant(second) => a,
            (true, true) if a == TypeId::VOID_POINTER || b == TypeId::VOID_POINTER => TypeId::VOID_POINTER,
            (true, true) => a,
            (true, false) if b.int_kind().is_some() => a,
            (false, true) if a.int_kind().is_some() => b,
            _ => {
                if self.unsupported_name(a).is_none() && self.unsupported_name(b).is_none() && !self.compatible(a, b) {
                    let message =
                        format!("incompatible types in `?:`: `{}` and `{}`", self.type_name(a), self.type_name(b));
                    self.error(span, message);
                }
                a
            }
        }
    }

    pub(super) fn folded_conditional(
        &mut self,
        cond: ast::ExprId,
        then: Option<ast::ExprId>,
        otherwise: ast::ExprId,
        span: Span,
    ) -> Operand {
        let tested = self.rvalue(cond);
        let tested = self.check_condition(tested, span);
        let Some(truth) = self.known_truth(tested) else {
            self.effect_wanted.get_or_insert(span);
            return match then {
                Some(then) => self.operand(then),
                None => Operand::Value(tested),
            };
        };
        // Both sides decide the type, one of them the value; what the other would do does not matter.
        let wanted = self.effect_wanted;
        let first = self.arm(then, Some(tested), span);
        let after_first = self.effect_wanted;
        self.effect_wanted = wanted;
        let second = self.arm(Some(otherwise), None, span);
        if truth {
            self.effect_wanted = after_first;
        }
        let (Some(first), Some(second)) = (first, second) else { return Operand::Void };
        let ty = self.conditional_type(first, second, span);
        Operand::Value(self.coerce_arm(if truth { first } else { second }, ty, span))
    }
}
