//! Operators that take a type: casts, `sizeof`, `_Alignof`, `_Generic`, `offsetof`.

use super::Lower;
use super::expr::Operand;
use super::qualifiers::NoChoice;
use crate::c::ast::{self, Designator};
use base::Span;
use cfa::{ExprId, ExprKind, Op, Type, TypeId};

impl Lower<'_> {
    pub(super) fn explicit_cast(&mut self, name: ast::TypeNameId, inner: ast::ExprId, span: Span) -> Operand {
        let to = self.type_of_name(name);
        if to == TypeId::VOID {
            self.effect(inner);
            return Operand::Void;
        }
        let value = self.rvalue(inner);
        let from = self.expr_type(value);
        if from == to {
            // The cast gives a bit-field the width of its declared type.
            let wide = self.is_wide_bit_field(value);
            return Operand::Value(if wide { self.push(ExprKind::Cast(value), to, span) } else { value });
        }
        if self.unsupported_name(from).is_some() || self.unsupported_name(to).is_some() {
            return Operand::Value(self.unsupported_value(from, to, span));
        }
        self.poison_disguise(from, span);
        let types = &self.program.types;
        if let Type::Record(record) = *types.get(to) {
            return self.cast_to_union(value, record, to, span);
        }
        let pointer_and_float = (types.is_pointer(from) && to.float_kind().is_some())
            || (types.is_pointer(to) && from.float_kind().is_some());
        if !types.is_scalar(from) || !types.is_scalar(to) || pointer_and_float {
            let message = format!("cast from `{}` to `{}`", self.type_name(from), self.type_name(to));
            self.error(span, message);
            return Operand::Value(self.dummy(to, span));
        }
        Operand::Value(self.cast(value, to, span))
    }

    /// GNU: a cast to a union type stores into the member of that type.
    pub(super) fn cast_to_union(&mut self, value: ExprId, record: cfa::RecordId, to: TypeId, span: Span) -> Operand {
        let from = self.expr_type(value);
        let member = self.program.types.records[record].fields.iter().position(|field| field.ty == from);
        match member {
            Some(member) if self.program.types.records[record].kind == cfa::types::RecordKind::Union => {
                let temp = self.temp(to, span);
                let place = self.var_place(temp);
                let field = self.field_place(place, member as u32);
                self.emit(Op::Assign(field, value), span);
                Operand::Value(self.read_var(temp, span))
            }
            _ => {
                let message = format!("cast from `{}` to `{}`", self.type_name(from), self.type_name(to));
                self.error(span, message);
                Operand::Value(self.dummy(to, span))
            }
        }
    }

    pub(super) fn sizeof_expr(&mut self, inner: ast::ExprId, span: Span) -> Operand {
        let operand = self.speculate(|lower| match lower.operand(inner) {
            Operand::Vla(vla) => Err(vla),
            operand => Ok(lower.operand_type(operand)),
        });
        Operand::Value(match operand {
            Ok(ty) => self.size_constant(ty, span),
            Err(vla) => self.vla_size(vla, span),
        })
    }

    pub(super) fn size_constant(&mut self, ty: TypeId, span: Span) -> ExprId {
        let size_type = TypeId::int(self.program.model().size_type());
        self.poison_layout(ty, span);
        let size = match self.program.types.get(ty) {
            // gcc says 1.
            Type::Void | Type::Function(_) => Some(1),
            _ => self.program.types.size_of(ty),
        };
        if size.is_none() {
            let message = format!("size of the incomplete type `{}`", self.type_name(ty));
            self.error(span, message);
        }
        self.int(size.unwrap_or(1) as i128, size_type, span)
    }

    pub(super) fn align_constant(&mut self, ty: TypeId, span: Span) -> ExprId {
        let size_type = TypeId::int(self.program.model().size_type());
        self.poison_layout(ty, span);
        let align = self.program.types.align_of(ty);
        self.int(align as i128, size_type, span)
    }

    pub(super) fn generic(
        &mut self,
        control: ast::ExprId,
        associations: ast::List<ast::Association>,
        span: Span,
    ) -> Operand {
        match self.chosen_association(control, associations) {
            Ok(chosen) => self.operand(chosen),
            Err(NoChoice::NoMatch(ty)) => {
                let message = format!("no association of `_Generic` matches `{}`", self.type_name(ty));
                self.error(span, message);
                Operand::Value(self.dummy(TypeId::INT, span))
            }
            Err(NoChoice::Unknown(first)) => {
                self.poison(span, "_Generic that chooses by qualifiers");
                self.operand(first)
            }
        }
    }

    pub(super) fn offsetof(
        &mut self,
        name: ast::TypeNameId,
        designators: ast::List<Designator>,
        span: Span,
    ) -> Operand {
        let size_type = TypeId::int(self.program.model().size_type());
        let mut ty = self.type_of_name(name);
        let mut offset = 0i128;
        if let Some(name) = self.unsupported_name(ty) {
            self.poison(span, &name);
        }
        for designator in self.ast.get(designators) {
            match (*designator, self.program.types.get(ty).clone()) {
                (Designator::Field(field, at), Type::Record(record)) => {
                    let Some(path) = self.find_field(record, field) else {
                        return self.no_member(field, ty, at);
                    };
                    for index in path {
                        let Type::Record(record) = *self.program.types.get(ty) else { break };
                        let field = &self.program.types.records[record].fields[index as usize];
                        offset += field.offset as i128;
                        ty = field.ty;
                    }
                }
                (Designator::Index(index), Type::Array(element, _)) => match self.constant_int(index) {
                    Some(index) => {
                        offset += index * self.program.types.size_of(element).unwrap_or(1) as i128;
                        ty = element;
                    }
                    None => {
                        self.poison(span, "offsetof with an index that is not constant");
                        return Operand::Value(self.dummy(size_type, span));
                    }
                },
                _ => {
                    self.error(span, "invalid `offsetof`");
                    break;
                }
            }
        }
        Operand::Value(self.int(offset, size_type, span))
    }
}
