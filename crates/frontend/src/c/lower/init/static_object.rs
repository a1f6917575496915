//! Initializers of objects of static lifetime: a byte image with relocations.

use super::super::Lower;
use super::super::constant::StaticValue;
use super::super::expr::Operand;
use super::{Leaf, LeafValue, MAX_IMAGE, Step};
use crate::c::ast::{self, ExprKind as Ast};
use cfa::types::BitRange;
use cfa::{Bits, Init, RecordId, Relocation, RelocationTarget, StaticInit, Type, TypeId};
use std::collections::BTreeMap;

impl Lower<'_> {
    /// The initializer of a static object.
    pub(in crate::c::lower) fn static_initializer(&mut self, ty: TypeId, init: ast::InitId) -> (TypeId, Init) {
        let (ty, leaves) = self.leaves(ty, init);
        let mut image = Image::default();
        for leaf in &leaves {
            let (offset, bits) = self.locate(ty, &leaf.path);
            self.static_leaf(&mut image, offset, bits, leaf);
        }
        let ty = self.with_flexible_elements(ty, &leaves);
        (ty, image.finish())
    }

    /// The record behind a type that ends in an array without length.
    pub(in crate::c::lower) fn flexible_record(&self, ty: TypeId) -> Option<RecordId> {
        let Type::Record(record) = *self.program.types.get(ty) else { return None };
        let last = self.program.types.records[record].fields.last()?;
        matches!(self.program.types.get(last.ty), Type::Array(_, None)).then_some(record)
    }

    /// GNU: a static object has as many elements in its flexible array as its initializer gives. It gets a type of its own, exactly as
    /// large as the object; the program goes on to see it as declared.
    pub(super) fn with_flexible_elements(&mut self, ty: TypeId, leaves: &[Leaf]) -> TypeId {
        let Some(record) = self.flexible_record(ty) else { return ty };
        let types = &self.program.types;
        let field = types.records[record].fields.len() - 1;
        let Type::Array(element, None) = *types.get(types.records[record].fields[field].ty) else { return ty };
        let inside = leaves.iter().filter(|leaf| leaf.path.first() == Some(&Step::Field(field as u32)));
        let needed = inside.map(|leaf| match (leaf.path.get(1), leaf.value) {
            (Some(Step::Index(index)), _) => index + 1,
            (_, LeafValue::String(string)) => self.string_image(string).2,
            _ => 0,
        });
        let Some(length) = needed.max().filter(|length| *length > 0) else { return ty };
        let (kind, tag) = (types.records[record].kind, types.records[record].tag);
        let mut fields = types.records[record].fields.clone();
        let declared_size = types.records[record].size;
        let array = self.program.types.array_of(element, Some(length));
        fields[field].ty = array;
        let end = fields[field].offset + self.program.types.size_of(array).unwrap_or(0);
        let (id, sized) = self.program.types.new_record(kind, tag);
        let own = &mut self.program.types.records[id];
        // An alignment of 1 lets the size be exact: the bytes after the last element are not the object's.
        (own.fields, own.size, own.align, own.complete) = (fields, end.max(declared_size), 1, true);
        self.flexible.insert(sized, ty);
        sized
    }

    pub(super) fn static_leaf(&mut self, image: &mut Image, offset: u64, bits: Option<BitRange>, leaf: &Leaf) {
        let size = self.program.types.size_of(leaf.ty).unwrap_or(0);
        if offset.saturating_add(size) > MAX_IMAGE {
            self.error(leaf.span, "the initialized object is too large");
            return;
        }
        match leaf.value {
            LeafValue::String(string) => {
                let (_, mut bytes, _) = self.string_image(string);
                if let Type::Array(_, Some(_)) = self.program.types.get(leaf.ty) {
                    bytes.truncate(size as usize);
                }
                image.write(offset, &bytes);
            }
            // An unsupported type: every use of the object is poison, so its contents do not matter.
            LeafValue::Expr(_) if self.unsupported_name(leaf.ty).is_some() => {}
            LeafValue::Expr(expr) => {
                if let (Ast::CompoundLiteral(_, inner), true) = (self.ast.exprs[expr].kind, self.is_record(leaf.ty)) {
                    let (ty, nested) = self.leaves(leaf.ty, inner);
                    for nested in &nested {
                        let (inside, bits) = self.locate(ty, &nested.path);
                        self.static_leaf(image, offset + inside, bits, nested);
                    }
                    return;
                }
                if self.is_record(leaf.ty) && self.static_copy(image, offset, expr, leaf.ty) {
                    return;
                }
                self.static_scalar(image, offset, bits, leaf.ty, expr);
            }
        }
    }

    /// A record that is given by the name of a `const` one, or as a cast to a union.
    fn static_copy(&mut self, image: &mut Image, offset: u64, expr: ast::ExprId, ty: TypeId) -> bool {
        if let Ast::Cast(name, inner) = self.ast.exprs[expr].kind {
            let to = self.type_of_name(name);
            let from = self.type_of_expr(inner);
            let Type::Record(record) = *self.program.types.get(to) else { return false };
            let fits = to == ty && self.program.types.records[record].fields.iter().any(|field| field.ty == from);
            if fits && self.is_union(to) {
                self.static_scalar(image, offset, None, from, inner);
            }
            return fits && self.is_union(to);
        }
        let given = self.type_of_expr(expr);
        if !self.compatible(given, ty) {
            return false;
        }
        match self.in_constant_context(|lower| lower.operand(expr)) {
            Operand::Place(place) => self.copy_known(image, offset, place),
            _ => false,
        }
    }

    fn static_scalar(&mut self, image: &mut Image, offset: u64, bits: Option<BitRange>, ty: TypeId, expr: ast::ExprId) {
        let span = self.ast.exprs[expr].span;
        // The initializer of a `static` inside a function must not become edges of the function.
        let wanted = self.effect_wanted.take();
        let around = self.poison_wanted.take();
        let nested = std::mem::replace(&mut self.situation.in_static_initializer, true);
        let value = self.in_constant_context(|lower| {
            let value = lower.rvalue(expr);
            lower.coerce(value, ty, span)
        });
        self.situation.in_static_initializer = nested;
        let effect = std::mem::replace(&mut self.effect_wanted, wanted);
        let poison = std::mem::replace(&mut self.poison_wanted, around);
        let known = if effect.is_some() { None } else { self.static_value(value) };
        let size = self.program.types.size_of(ty).unwrap_or(0);
        match known {
            _ if self.expr_type(value) != ty => {}
            Some(StaticValue::Number(number)) => match bits {
                Some(range) => image.write_bits(offset, range, number),
                None => image.write(offset, &number.get().to_le_bytes()[..size.min(16) as usize]),
            },
            Some(StaticValue::Address(target, addend)) if size == self.program.model().pointer_bytes() => {
                if let RelocationTarget::Var(var) = target {
                    self.program.vars[var].address_taken = true;
                }
                image.relocate(offset, target, addend, size);
            }
            _ => match poison {
                Some(reason) => drop(self.poisoned.get_or_insert((reason, span))),
                None => self.error(span, "the initializer is not constant"),
            },
        }
    }
}

/// The bytes of a static object while its initializer is being read; later writes win.
#[derive(Default)]
pub(in crate::c::lower) struct Image {
    bytes: Vec<u8>,
    relocations: BTreeMap<u64, (RelocationTarget, i64, u64)>,
}

impl Image {
    pub(in crate::c::lower) fn write(&mut self, offset: u64, bytes: &[u8]) {
        self.clear_relocations(offset, bytes.len() as u64);
        let end = offset as usize + bytes.len();
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        self.bytes[offset as usize..end].copy_from_slice(bytes);
    }

    pub(super) fn write_bits(&mut self, offset: u64, range: BitRange, value: Bits) {
        let end = offset as usize + range.bytes() as usize;
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        for bit in 0..range.width as usize {
            let at = range.start as usize + bit;
            let byte = &mut self.bytes[offset as usize + at / 8];
            let mask = 1 << (at % 8);
            *byte = if value.get() >> bit & 1 == 1 { *byte | mask } else { *byte & !mask };
        }
    }

    pub(in crate::c::lower) fn relocate(&mut self, offset: u64, target: RelocationTarget, addend: i64, size: u64) {
        self.write(offset, &[0; 8][..size as usize]);
        self.relocations.insert(offset, (target, addend, size));
    }

    fn clear_relocations(&mut self, offset: u64, length: u64) {
        if self.relocations.is_empty() {
            return;
        }
        let from = offset.saturating_sub(7);
        let hit: Vec<u64> = self
            .relocations
            .range(from..offset + length)
            .filter(|(at, (_, _, size))| *at + size > offset)
            .map(|(at, _)| *at)
            .collect();
        for at in hit {
            self.relocations.remove(&at);
        }
    }

    pub(super) fn finish(mut self) -> Init {
        if self.relocations.is_empty() {
            while self.bytes.last() == Some(&0) {
                self.bytes.pop();
            }
            if self.bytes.is_empty() {
                return Init::Zero;
            }
        }
        let relocations = self
            .relocations
            .into_iter()
            .map(|(offset, (target, addend, _))| Relocation { offset, target, addend })
            .collect();
        Init::Static(StaticInit { bytes: self.bytes, relocations })
    }
}
