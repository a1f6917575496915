//! Texts: arrays of bytes that end with a zero, as long as their types say. What does not fit is cut off.

use super::Lower;
use super::operator::Val;
use super::types::Ty;
use base::Span;
use cfa::{BinOp, Branch, ExprId, ExprKind, Op, PlaceId, PlaceKind, TypeId};

impl Lower<'_> {
    fn byte(&mut self, text: PlaceId, index: ExprId) -> PlaceId {
        self.new_place(PlaceKind::Index(text, index), TypeId::UCHAR)
    }

    fn set_byte(&mut self, text: PlaceId, index: ExprId, value: ExprId, span: Span) {
        let place = self.byte(text, index);
        self.emit(Op::Assign(place, value), span);
    }

    pub fn assign_text(&mut self, to: PlaceId, length: u32, value: Val, span: Span) {
        match value {
            Val::Text(text) => {
                let count = text.len().min(length as usize);
                for (index, byte) in text[..count].iter().copied().chain([0]).enumerate() {
                    let index = self.constant(index as i128, TypeId::INT, span);
                    let byte = self.constant(byte as i128, TypeId::UCHAR, span);
                    self.set_byte(to, index, byte, span);
                }
            }
            Val::Whole(from, Ty::Text(other)) => self.copy_text(to, from, length.min(other), span),
            Val::Bad => {}
            _ => self.error(span, "this is no text"),
        }
    }

    /// Copies up to the zero, at most so many bytes.
    fn copy_text(&mut self, to: PlaceId, from: PlaceId, most: u32, span: Span) {
        let counter = self.temp(TypeId::INT);
        let zero = self.constant(0, TypeId::INT, span);
        self.emit(Op::Assign(counter, zero), span);
        let head = self.loop_head(span);
        let index = self.read(counter, span);
        let limit = self.constant(most as i128, TypeId::INT, span);
        let within = self.compare(BinOp::Lt, index, limit, span);
        let (yes, done) = self.branch(within, Branch::While, span);
        self.flow.cursor = yes;
        let place = self.byte(from, index);
        let byte = self.read(place, span);
        let end = self.constant(0, TypeId::UCHAR, span);
        let more = self.compare(BinOp::Ne, byte, end, span);
        let (yes, ended) = self.branch(more, Branch::While, span);
        self.flow.cursor = yes;
        self.set_byte(to, index, byte, span);
        self.count_up(counter, span);
        if let Some(head) = head {
            self.go_to(head, span);
        }
        self.join(&[done, ended], span);
        self.set_byte(to, index, end, span);
    }

    fn count_up(&mut self, counter: PlaceId, span: Span) {
        let index = self.read(counter, span);
        let one = self.constant(1, TypeId::INT, span);
        let next = self.expr(ExprKind::Binary(BinOp::Add, index, one), TypeId::INT, span);
        self.emit(Op::Assign(counter, next), span);
    }

    /// A text that has a place.
    fn placed(&mut self, value: Val, span: Span) -> Option<(PlaceId, u32)> {
        match value {
            Val::Whole(place, Ty::Text(length)) => Some((place, length)),
            Val::Text(text) => {
                let length = text.len().max(1) as u32;
                let ty = self.cfa_type(&Ty::Text(length));
                let place = self.temp(ty);
                if let PlaceKind::Var(var) = self.program.places[place].kind {
                    self.emit(Op::Declare(var), span);
                }
                self.assign_text(place, length, Val::Text(text), span);
                Some((place, length))
            }
            _ => None,
        }
    }

    /// Compares the first bytes that differ.
    pub fn compare_text(&mut self, op: BinOp, left: Val, right: Val, span: Span) -> Val {
        let (Some((a, first)), Some((b, second))) = (self.placed(left, span), self.placed(right, span)) else {
            return Val::Bad;
        };
        let counter = self.temp(TypeId::INT);
        let zero = self.constant(0, TypeId::INT, span);
        self.emit(Op::Assign(counter, zero), span);
        let head = self.loop_head(span);
        let index = self.read(counter, span);
        let limit = self.constant(first.min(second) as i128, TypeId::INT, span);
        let within = self.compare(BinOp::Lt, index, limit, span);
        let (yes, done) = self.branch(within, Branch::While, span);
        self.flow.cursor = yes;
        let (a, b) = (self.byte(a, index), self.byte(b, index));
        let (left, right) = (self.read(a, span), self.read(b, span));
        let same = self.compare(BinOp::Eq, left, right, span);
        let (yes, differ) = self.branch(same, Branch::While, span);
        self.flow.cursor = yes;
        let end = self.constant(0, TypeId::UCHAR, span);
        let more = self.compare(BinOp::Ne, left, end, span);
        let (yes, ended) = self.branch(more, Branch::While, span);
        self.flow.cursor = yes;
        self.count_up(counter, span);
        if let Some(head) = head {
            self.go_to(head, span);
        }
        self.join(&[done, differ, ended], span);
        let result = self.compare(op, left, right, span);
        let kept = self.temp(TypeId::BOOL);
        let result = self.truth_value(result, span);
        self.emit(Op::Assign(kept, result), span);
        Val::Expr(self.read(kept, span), Ty::Bool)
    }
}
