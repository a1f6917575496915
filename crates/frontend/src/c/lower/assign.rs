//! Assignments, `++` and `--`.

use super::Lower;
use super::call::{Called, Into};
use super::expr::Operand;
use super::scope::Name;
use crate::c::ast::{self, BinaryOp, UnaryOp};
use base::Span;
use cfa::walk::Node;
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

    /// The order of evaluation is that of [`super::order`].
    pub(super) fn assign(
        &mut self,
        op: Option<BinaryOp>,
        left: ast::ExprId,
        right: ast::ExprId,
        span: Span,
        wanted: bool,
    ) -> Operand {
        let Some(op) = op else { return self.plain_assign(left, right, span, wanted) };
        let (begin, stores) = (self.edges_so_far(), self.stores_so_far());
        // No call may happen between the reading and the writing of the left side (C11 6.5.16.2p3), so the right side comes first.
        let early = !self.must_fold() && self.has_effects(&[right]);
        let early = early.then(|| self.rvalue(right)).map(|value| self.before(value, &[left]));
        let first = early.map(|value| self.evaluated(begin, Node::Expr(value)));
        let (begin, right_stores) = (self.edges_so_far(), self.stores_so_far());
        let Some(place) = self.target(left, span) else {
            if early.is_none() {
                self.effect(right);
            }
            return Operand::Value(self.dummy(TypeId::INT, span));
        };
        let left_edges = begin..self.edges_so_far();
        let value = early.unwrap_or_else(|| self.rvalue(right));
        let first = first.unwrap_or_else(|| self.evaluated(left_edges.end, Node::Expr(value)));
        let old = self.load(place, span);
        // A call on the right comes before the left side is read, a store need not.
        let second = match right_stores > stores {
            true => self.evaluated_value_in(left_edges, old),
            false => self.evaluated_in(left_edges, place),
        };
        let value = self.binary(op, old, value, span);
        let result = self.store_converted(place, value, span, wanted);
        self.assigned([first, second], place, stores, right);
        result
    }

    fn plain_assign(&mut self, left: ast::ExprId, mut right: ast::ExprId, span: Span, wanted: bool) -> Operand {
        let mut stores = self.stores_so_far();
        while let ast::ExprKind::Binary(BinaryOp::Comma, first, last) = self.ast.exprs[right].kind {
            self.effect(first);
            self.sequence_point(stores);
            right = last;
        }
        stores = self.stores_so_far();
        let begin = self.edges_so_far();
        let (value, place) = match self.ast.exprs[right].kind {
            ast::ExprKind::Call(callee, args) => {
                let call_span = self.ast.exprs[right].span;
                let into = Into::Left { expr: left, wanted };
                match self.call_into(callee, args, call_span, true, Some(into)) {
                    Called { stored: true, place: Some((place, edges)), .. } => {
                        let first = self.evaluated_around(begin, edges.clone(), Node::Place(place), true);
                        let second = self.evaluated_in(edges, place);
                        self.assigned([first, second], place, stores, right);
                        return Operand::Void;
                    }
                    Called { operand, place, .. } => (self.value_of(operand, span), place),
                }
            }
            _ => (self.rvalue(right), None),
        };
        let (value, place, first, second) = match place {
            Some((place, edges)) => {
                let first = self.evaluated_around(begin, edges.clone(), Node::Expr(value), false);
                (value, place, first, self.evaluated_in(edges, place))
            }
            None => {
                let is_read = matches!(self.program.exprs[value].kind, ExprKind::Read(_));
                // A copy reads when it writes.
                let value = match is_read && self.has_effects(&[left]) && self.left_type(left) == self.expr_type(value)
                {
                    true => self.read_before(value, &[left]),
                    false => self.before(value, &[left]),
                };
                let (first, begin) = (self.evaluated(begin, Node::Expr(value)), self.edges_so_far());
                let Some(place) = self.target(left, span) else {
                    return Operand::Value(self.dummy(TypeId::INT, span));
                };
                (value, place, first, self.evaluated(begin, Node::Place(place)))
            }
        };
        let result = self.store_converted(place, value, span, wanted);
        self.assigned([first, second], place, stores, right);
        result
    }

    /// The type of the left side of an assignment, which is not lowered yet.
    pub(super) fn left_type(&mut self, left: ast::ExprId) -> TypeId {
        if let ast::ExprKind::Name(name) = self.ast.exprs[left].kind
            && let Some(Name::Var(_, ty)) = self.names.ordinary(name)
        {
            return ty;
        }
        // What is wrong with it is said when it is lowered.
        let (diagnostics, errors) = (self.diagnostics.len(), self.errors);
        let ty = self.type_of_expr(left);
        self.diagnostics.truncate(diagnostics);
        self.errors = errors;
        ty
    }

    fn store_converted(&mut self, place: PlaceId, value: ExprId, span: Span, wanted: bool) -> Operand {
        let ty = self.place_type(place);
        let value = self.coerce(value, ty, span);
        if self.unsupported_name(ty).is_some() {
            return Operand::Value(self.dummy(ty, span));
        }
        self.store(place, value, span, wanted)
    }

    fn write(&mut self, place: PlaceId, value: ExprId, span: Span) {
        let whole = self.program.types.is_scalar(self.place_type(place)) && self.bit_field_width_of(place).is_none();
        if whole && self.may_be_register(place) {
            self.write_if_register(place, value, span);
        } else {
            self.emit(Op::Assign(place, value), span);
        }
    }

    /// Writes a value; the result is the value as stored.
    pub(super) fn store(&mut self, place: PlaceId, value: ExprId, span: Span, wanted: bool) -> Operand {
        let place = self.register_of(place).unwrap_or(place);
        let fixed = !wanted
            || matches!(self.program.exprs[value].kind, ExprKind::Const(_))
            || self.is_record(self.place_type(place));
        if fixed {
            self.write(place, value, span);
            self.note_store();
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
        self.write(place, value, span);
        self.note_store();
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
