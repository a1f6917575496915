//! Elements of arrays and members of records: `a[i]`, `s.m`, `p->m`.

use super::Lower;
use super::expr::Operand;
use crate::c::ast::{self};
use base::{Span, Symbol};
use cfa::walk::Node;
use cfa::{BinOp, ExprId, ExprKind, PlaceId, PlaceKind, Type, TypeId};

impl Lower<'_> {
    pub(super) fn index(&mut self, array: ast::ExprId, index: ast::ExprId, span: Span) -> Operand {
        let begin = self.edges_so_far();
        let base = self.operand(array);
        let base = self.operand_before(base, &[index]);
        if let Operand::Vla(vla) = base {
            let index = self.index_value(index, begin, Node::Expr(vla.pointer));
            return self.vla_index(vla, index, span);
        }
        let base_type = self.operand_type(base);
        if let (Operand::Place(place), Type::Array(element, _)) = (base, self.program.types.get(base_type).clone()) {
            let index = self.index_value(index, begin, Node::Place(place));
            let index_type = self.expr_type(index);
            if index_type.int_kind().is_none() {
                match self.unsupported_name(index_type) {
                    Some(name) => self.poison(span, &name),
                    None => self.error(span, "array index is not an integer"),
                }
                let zero = self.int(0, TypeId::INT, span);
                return Operand::Place(self.place(PlaceKind::Index(place, zero), element));
            }
            let index = self.promote(index);
            return Operand::Place(self.place(PlaceKind::Index(place, index), element));
        }
        let left = self.value_of(base, span);
        let left = self.before(left, &[index]);
        let right = self.index_value(index, begin, Node::Expr(left));
        // `i[a]` is `a[i]`.
        let (pointer, index) =
            if self.program.types.is_pointer(self.expr_type(left)) { (left, right) } else { (right, left) };
        let (pointer_type, index_type) = (self.expr_type(pointer), self.expr_type(index));
        if !self.program.types.is_pointer(pointer_type) || index_type.int_kind().is_none() {
            match self.unsupported_name(pointer_type).or_else(|| self.unsupported_name(index_type)) {
                Some(name) => self.poison(span, &name),
                None => {
                    self.error(
                        span,
                        "subscripted value is neither an array nor a pointer, or the index is not an integer",
                    );
                }
            }
            return self.stand_in(span);
        }
        // `"ab"[i]` and other arrays that decayed keep their shape.
        let element = self.program.types.pointee(pointer_type).expect("a pointer");
        if let ExprKind::AddrOf(place) = self.program.exprs[pointer].kind
            && matches!(*self.program.types.get(self.place_type(place)), Type::Array(inner, _) if inner == element)
        {
            let index = self.promote(index);
            return Operand::Place(self.place(PlaceKind::Index(place, index), element));
        }
        let moved = self.move_pointer(BinOp::Add, pointer, index, span);
        Operand::Place(self.deref(moved, element))
    }

    /// The value of an index whose array is lowered already.
    fn index_value(&mut self, index: ast::ExprId, begin: u32, array: Node) -> ExprId {
        let (first, begin) = (self.evaluated(begin, array), self.edges_so_far());
        let value = self.rvalue(index);
        let second = self.evaluated(begin, Node::Expr(value));
        self.unsequenced([first, second]);
        value
    }

    pub(super) fn member(&mut self, base: ast::ExprId, field: Symbol, span: Span) -> Operand {
        let place = match self.operand(base) {
            Operand::Place(place) => place,
            Operand::Value(value) => match self.program.exprs[value].kind {
                // A record value is the contents of some place: a temporary or what a comma expression named.
                ExprKind::Read(place) => place,
                _ => return self.no_member(field, self.expr_type(value), span),
            },
            other => {
                let ty = self.operand_type(other);
                return self.no_member(field, ty, span);
            }
        };
        self.field(place, field, span)
    }

    pub(super) fn arrow(&mut self, base: ast::ExprId, field: Symbol, span: Span) -> Operand {
        let pointer = self.rvalue(base);
        let ty = self.expr_type(pointer);
        match self.program.types.pointee(ty) {
            Some(target) if self.is_record(target) => {
                if let Some(name) = self.unsupported_name(target) {
                    self.poison(span, &name);
                }
                let place = self.deref(pointer, target);
                self.field(place, field, span)
            }
            None if self.unsupported_name(ty).is_none() => {
                let message = format!("`->` needs a pointer, not `{}`", self.type_name(ty));
                self.error(span, message);
                self.stand_in(span)
            }
            _ => self.no_member(field, ty, span),
        }
    }

    pub(super) fn no_member(&mut self, field: Symbol, ty: TypeId, span: Span) -> Operand {
        match self.unsupported_name(ty) {
            Some(name) => self.poison(span, &name),
            None => {
                let message = format!("`{}` has no member `{}`", self.type_name(ty), self.text(field));
                self.error(span, message);
            }
        }
        self.stand_in(span)
    }

    /// Something that can be read and written, after an error or behind poison.
    pub(super) fn stand_in(&mut self, span: Span) -> Operand {
        let temp = self.temp(TypeId::INT, span);
        Operand::Place(self.var_place(temp))
    }

    pub(super) fn field(&mut self, place: PlaceId, field: Symbol, span: Span) -> Operand {
        let ty = self.place_type(place);
        if let Type::Record(record) = *self.program.types.get(ty) {
            if !self.program.types.records[record].complete {
                let message = format!("use of the incomplete type `{}`", self.type_name(ty));
                self.error(span, message);
                return Operand::Value(self.dummy(TypeId::INT, span));
            }
            if let Some(path) = self.find_field(record, field) {
                return Operand::Place(self.follow(place, &path));
            }
        }
        self.no_member(field, ty, span)
    }

    /// The way to a member, through anonymous members.
    pub(super) fn find_field(&self, record: cfa::RecordId, name: Symbol) -> Option<Vec<u32>> {
        let fields = &self.program.types.records[record].fields;
        if let Some(index) = fields.iter().position(|field| field.name == Some(name)) {
            return Some(vec![index as u32]);
        }
        for (index, field) in fields.iter().enumerate() {
            if let (None, Type::Record(inner)) = (field.name, self.program.types.get(field.ty))
                && let Some(mut path) = self.find_field(*inner, name)
            {
                path.insert(0, index as u32);
                return Some(path);
            }
        }
        None
    }

    pub(super) fn follow(&mut self, place: PlaceId, path: &[u32]) -> PlaceId {
        path.iter().fold(place, |place, index| self.field_place(place, *index))
    }

    pub(super) fn field_place(&mut self, place: PlaceId, index: u32) -> PlaceId {
        let Type::Record(record) = *self.program.types.get(self.place_type(place)) else { return place };
        let ty = self.program.types.records[record].fields[index as usize].ty;
        self.place(PlaceKind::Field(place, index), ty)
    }
}
