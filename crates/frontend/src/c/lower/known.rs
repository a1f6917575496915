//! What a `const` object holds. In the initializer of a static object gcc takes a `const` object, an element of one or a compound literal
//! for its value; nowhere else does that make a constant expression.

use super::Lower;
use super::init::Image;
use crate::c::ast::{self, Declarator, Part, Quals, Specs, TypeSpec};
use base::Span;
use cfa::types::BitRange;
use cfa::{Bits, ExprId, ExprKind, Init, PlaceId, PlaceKind, RelocationTarget, Type, TypeId, VarId, VarKind};

impl Lower<'_> {
    /// Notes a variable that keeps the value of its initializer. A type behind a name may be `const` too; if it is not, gcc has rejected
    /// the program, and the value is right all the same.
    pub(super) fn note_const(&mut self, var: VarId, specs: &Specs, declarator: &Declarator, init: ast::InitId) {
        let outermost = self.ast.get(declarator.parts).iter().find(|part| !matches!(part, Part::Array { .. }));
        let quals = match outermost {
            Some(Part::Pointer(quals)) => *quals,
            Some(_) => return,
            None => {
                let named = matches!(specs.base, TypeSpec::Name(_) | TypeSpec::TypeofExpr(_) | TypeSpec::TypeofType(_));
                Quals { is_const: specs.quals.is_const || named, ..specs.quals }
            }
        };
        let weak = declarator.name.is_some_and(|name| self.is_weak(name));
        if !quals.is_const || quals.is_volatile || weak {
            return;
        }
        let local = !matches!(self.program.vars[var].kind, VarKind::Global);
        match self.ast.inits[init].kind {
            _ if !local => drop(self.known.insert(var, None)),
            ast::InitKind::Expr(expr) => {
                let ty = self.program.vars[var].ty;
                if let Some(bits) = self.constant_scalar(expr, ty) {
                    self.known.insert(var, Some(bits));
                }
            }
            ast::InitKind::List(_) => {}
        }
    }

    /// The value of a scalar place, as an expression that is constant.
    pub(super) fn known_value(&mut self, place: PlaceId, span: Span) -> Option<ExprId> {
        let ty = self.place_type(place);
        if let PlaceKind::Var(var) = self.program.places[place].kind
            && let Some(Some(bits)) = self.known.get(&var)
        {
            return Some(self.constant(*bits, ty, span));
        }
        if !self.program.types.is_scalar(ty) {
            return None;
        }
        let (var, offset) = self.known_place(place)?;
        let image = Contents::of(&self.program.vars[var].init)?;
        if let Some(range) = self.bit_field_of(place) {
            let bits = image.bits(offset, range)?;
            let signed = self.program.types.is_signed(ty);
            let unused = 128 - range.width as u32;
            let value = if signed { (bits << unused) as i128 >> unused } else { bits as i128 };
            return Some(self.int(value, ty, span));
        }
        let size = self.program.types.size_of(ty)?;
        if let Some((target, addend)) = image.address(offset) {
            return (size == self.program.model().pointer_bytes())
                .then(|| self.address_constant(target, addend, ty, span));
        }
        let bits = Bits::new(image.number(offset, size)?);
        Some(self.constant(bits, ty, span))
    }

    /// The object with a known value that a place is in, and where in it.
    fn known_place(&self, place: PlaceId) -> Option<(VarId, u64)> {
        let (var, offset) = self.static_place(place)?;
        let offset = u64::try_from(offset).ok()?;
        let object = &self.program.vars[var];
        let known = (object.kind == VarKind::Constant || self.known.contains_key(&var))
            && self.unsupported_name(object.ty).is_none();
        let size = |ty: TypeId| self.program.types.size_of(ty);
        (known && offset.checked_add(size(self.place_type(place))?)? <= size(object.ty)?).then_some((var, offset))
    }

    fn bit_field_of(&self, place: PlaceId) -> Option<BitRange> {
        let PlaceKind::Field(base, field) = self.program.places[place].kind else { return None };
        let Type::Record(record) = *self.program.types.get(self.place_type(base)) else { return None };
        self.program.types.records[record].fields[field as usize].bits
    }

    fn address_constant(&mut self, target: RelocationTarget, addend: i64, ty: TypeId, span: Span) -> ExprId {
        let address = match target {
            RelocationTarget::Function(function) => {
                let pointer = self.program.types.pointer_to(self.program.functions[function].ty);
                self.push(ExprKind::FuncAddr(function), pointer, span)
            }
            RelocationTarget::Var(var) => {
                let place = self.var_place(var);
                self.address_of(place, self.program.vars[var].ty, span)
            }
        };
        let address = self.cast(address, TypeId::CHAR_POINTER, span);
        let addend = self.int(addend as i128, TypeId::LONG_LONG, span);
        let address = self.move_pointer(cfa::BinOp::Add, address, addend, span);
        self.cast(address, ty, span)
    }

    /// Copies a record that is known into the image of another; `false` if it is not known.
    pub(super) fn copy_known(&mut self, image: &mut Image, offset: u64, place: PlaceId) -> bool {
        let Some((var, from)) = self.known_place(place) else { return false };
        let Some(size) = self.program.types.size_of(self.place_type(place)) else { return false };
        let pointer = self.program.model().pointer_bytes();
        let Some(contents) = Contents::of(&self.program.vars[var].init) else { return false };
        let at = |index: u64| contents.bytes.get((from + index) as usize).copied().unwrap_or(0);
        image.write(offset, &(0..size).map(at).collect::<Vec<u8>>());
        for relocation in contents.relocations {
            if (from..from + size).contains(&relocation.offset) {
                image.relocate(offset + relocation.offset - from, relocation.target, relocation.addend, pointer);
            }
        }
        true
    }
}

/// A static image as it is read.
struct Contents<'a> {
    bytes: &'a [u8],
    relocations: &'a [cfa::Relocation],
}

impl<'a> Contents<'a> {
    fn of(init: &'a Init) -> Option<Self> {
        match init {
            Init::Zero => Some(Contents { bytes: &[], relocations: &[] }),
            Init::Static(init) => Some(Contents { bytes: &init.bytes, relocations: &init.relocations }),
            _ => None,
        }
    }

    fn address(&self, offset: u64) -> Option<(RelocationTarget, i64)> {
        let relocation = self.relocations.iter().find(|relocation| relocation.offset == offset)?;
        Some((relocation.target, relocation.addend))
    }

    /// `None` where part of an address is.
    fn number(&self, offset: u64, size: u64) -> Option<u128> {
        if size > 16 || self.relocations.iter().any(|relocation| (offset..offset + size).contains(&relocation.offset)) {
            return None;
        }
        let byte = |index: u64| self.bytes.get((offset + index) as usize).copied().unwrap_or(0) as u128;
        Some((0..size).fold(0, |value, index| value | byte(index) << (8 * index)))
    }

    fn bits(&self, offset: u64, range: BitRange) -> Option<u128> {
        let end = range.start as u64 + range.width as u64;
        let value = self.number(offset, end.div_ceil(8))? >> range.start;
        Some(value & (u128::MAX >> (128 - range.width as u32)))
    }
}
