//! Names and literals as operands: variables, functions, labels, numbers, strings.

use super::Lower;
use super::expr::Operand;
use super::scope::Name;
use crate::c::ast::{self};
use base::{Span, Symbol};
use cfa::{ExprId, ExprKind, Init, IntKind, PlaceId, PlaceKind, StaticInit, Type, TypeId, VarId, VarKind};

impl Lower<'_> {
    pub(super) fn name(&mut self, name: Symbol, span: Span) -> Operand {
        match self.names.ordinary(name) {
            Some(Name::Var(var, declared)) => match self.missing_variable(var, declared, span) {
                Some(place) => Operand::Place(place),
                None => {
                    self.poison_unknown_size(name, var, declared, span);
                    if self.volatile_elsewhere.contains(&var) && !self.must_fold() && !self.options.volatile_inputs {
                        self.left_open(span, "what a volatile object that is defined elsewhere holds each time");
                    }
                    Operand::Place(self.view(var, declared, span))
                }
            },
            Some(Name::Vla(vla)) => self.vla_operand(vla, span),
            Some(Name::Function(function)) => Operand::Function(function),
            Some(Name::Constant(ty, bits)) => Operand::Value(self.constant(bits, ty, span)),
            Some(Name::Value(value)) => Operand::Value(value),
            Some(Name::Param(ty)) => {
                let temp = self.temp(ty, span);
                Operand::Place(self.var_place(temp))
            }
            Some(Name::Typedef { .. }) => {
                let message = format!("`{}` is a type, a value is needed", self.text(name));
                self.error(span, message);
                Operand::Value(self.dummy(TypeId::INT, span))
            }
            None => match self.function_name_object(name, span) {
                Some(var) => Operand::Place(self.var_place(var)),
                None => {
                    let message = format!("`{}` is not declared", self.text(name));
                    self.error(span, message);
                    // Declared as an `int` from here on, so that one mistake gives one message.
                    let meaning = match self.situation.speculating {
                        false => Name::Var(self.temp(TypeId::INT, span), TypeId::INT),
                        true => Name::Constant(TypeId::INT, cfa::Bits::ZERO),
                    };
                    self.bind(name, meaning);
                    Operand::Value(self.dummy(TypeId::INT, span))
                }
            },
        }
    }

    /// A variable as a place of the type it is declared with here.
    pub(super) fn view(&mut self, var: VarId, declared: TypeId, span: Span) -> PlaceId {
        let place = self.var_place(var);
        let actual = self.program.vars[var].ty;
        // Its type may change when its initializer gives a flexible array a length, or when another file completes it.
        let open = self.flexible_record(declared).is_some() || self.program.types.size_of(actual).is_none();
        let may_grow = self.program.vars[var].kind == VarKind::Global && self.is_record(declared) && open;
        if !may_grow && (actual == declared || matches!(self.program.types.get(declared), Type::Array(_, None))) {
            return place;
        }
        // It is defined with a type of its own, in another file or by its initializer: see it as declared here.
        let address = self.address_of(place, actual, span);
        let pointer = self.program.types.pointer_to(declared);
        let address = self.push(ExprKind::Cast(address), pointer, span);
        self.place(PlaceKind::Deref(address), declared)
    }

    /// `__func__` and its spellings.
    pub(super) fn function_name_object(&mut self, name: Symbol, span: Span) -> Option<VarId> {
        if !matches!(self.text(name), "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__") {
            return None;
        }
        if let Some(var) = self.function.as_ref()?.name_object {
            return Some(var);
        }
        let mut bytes = self.text(self.function.as_ref()?.name).as_bytes().to_vec();
        bytes.push(0);
        let ty = self.program.types.array_of(TypeId::CHAR, Some(bytes.len() as u64));
        let init = Init::Static(StaticInit { bytes, relocations: Vec::new() });
        let var = self.constant_object(ty, init, span);
        if !self.situation.speculating {
            self.state().name_object = Some(var);
        }
        Some(var)
    }

    /// GNU `&&label`. Jumping to it is poison, but it may be stored and compared: it is the address of an object that stands for the label.
    pub(super) fn label_address(&mut self, name: Symbol, span: Span) -> ExprId {
        let name = self.names.label(name);
        let known = self.function.as_ref().and_then(|function| function.label_objects.get(&name).copied());
        let var = match known {
            Some(var) => var,
            None => {
                let var = self.constant_object(TypeId::CHAR, Init::Zero, span);
                if !self.situation.speculating && self.function.is_some() {
                    self.state().label_objects.insert(name, var);
                }
                var
            }
        };
        let place = self.var_place(var);
        let address = self.address_of(place, TypeId::CHAR, span);
        self.cast(address, TypeId::VOID_POINTER, span)
    }

    pub(super) fn literal_type(&mut self, literal: ast::IntLiteral, span: Span) -> TypeId {
        use IntKind::*;
        let all = [Int, UInt, Long, ULong, LongLong, ULongLong];
        let candidates = &all[literal.long.min(2) as usize * 2..];
        let allowed = |kind: &IntKind| {
            if literal.unsigned { !kind.is_signed() } else { kind.is_signed() || !literal.decimal }
        };
        let fitting = candidates.iter().find(|kind| allowed(kind) && self.fits(literal.value as i128, **kind));
        match fitting {
            Some(kind) => TypeId::int(*kind),
            None => {
                self.warning(span, "integer constant is so large that it is unsigned");
                TypeId::ULONG_LONG
            }
        }
    }

    pub(super) fn float_literal(&mut self, spelling: ast::StringId, span: Span) -> ExprId {
        let ast::Units::Bytes(bytes) = &self.ast.strings[spelling].units else {
            return self.dummy(TypeId::DOUBLE, span);
        };
        let text = String::from_utf8_lossy(bytes).into_owned();
        match crate::c::number::parse_float(&text) {
            Some((kind, bits)) => self.constant(bits, TypeId::float(kind), span),
            None => {
                self.error(span, format!("invalid floating constant `{text}`"));
                self.dummy(TypeId::DOUBLE, span)
            }
        }
    }

    /// The object of a string literal.
    pub(super) fn string(&mut self, string: ast::StringId, span: Span) -> PlaceId {
        let (element, bytes, length) = self.string_image(string);
        let ty = self.program.types.array_of(element, Some(length));
        let init = Init::Static(StaticInit { bytes, relocations: Vec::new() });
        let var = self.constant_object(ty, init, span);
        self.var_place(var)
    }

    /// Element type, bytes with the terminating zero, and number of elements of a string literal.
    pub(super) fn string_image(&self, string: ast::StringId) -> (TypeId, Vec<u8>, u64) {
        let literal = &self.ast.strings[string];
        match &literal.units {
            ast::Units::Bytes(units) => {
                let mut bytes = units.clone();
                bytes.push(0);
                let length = bytes.len() as u64;
                (TypeId::CHAR, bytes, length)
            }
            ast::Units::Wide(units) => {
                let (element, width) = match literal.encoding {
                    ast::Encoding::Utf16 => (TypeId::USHORT, 2),
                    ast::Encoding::Utf32 => (TypeId::UINT, 4),
                    _ => (TypeId::INT, 4),
                };
                let with_end = units.iter().copied().chain(std::iter::once(0));
                let bytes: Vec<u8> = with_end.flat_map(|unit| unit.to_le_bytes()[..width].to_vec()).collect();
                (element, bytes, units.len() as u64 + 1)
            }
        }
    }
}
