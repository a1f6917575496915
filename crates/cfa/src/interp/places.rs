//! Places to bytecode: where a place is, reads and stores of it, and its address. What the compiler knows of an address (the object, a constant
//! displacement) stays out of the instructions; only indices that vary are computed.

use super::code::*;
use super::compile::Compiler;
use super::select::Fast;
use super::slow::stored_bytes;
use crate::const_bits::Writes;
use crate::eval;
use crate::expr::{ExprId, ExprKind, PlaceId, PlaceKind};
use crate::program::{Program, VarId, VarKind};
use crate::types::{RecordKind, Type, TypeId};

/// Where a place is.
pub(super) enum Spot {
    Slot(Slot),
    Memory(Address),
    Bits(BitAccess),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// The place is read or written: indices are checked.
    Use,
    /// Only its address is wanted: it may lie outside.
    AddressOnly,
}

impl Compiler<'_> {
    pub(super) fn read(&mut self, place: PlaceId, into: Option<Slot>) -> Slot {
        let ty = self.program.places[place].ty;
        match self.spot(place, Access::Use) {
            Spot::Slot(slot) => self.copy(slot, ty, into),
            Spot::Bits(bits) => {
                self.check_written(bits.address, bits.range.bytes());
                let d = self.target(into, ty);
                self.slow(Slow::LoadBits { d, bits });
                d
            }
            Spot::Memory(address) => {
                if !self.is_always_written(place) {
                    self.check_written(address, self.stored_bytes(ty));
                }
                let d = self.target(into, ty);
                match self.load_instr(d, address, ty) {
                    Some(instr) => self.emit(instr),
                    None => self.slow(Slow::Load { d, address, ty }),
                };
                d
            }
        }
    }

    fn stored_bytes(&self, ty: TypeId) -> u64 {
        stored_bytes(&self.program.types, ty)
    }

    /// Objects of static lifetime are initialized; only through pointers can memory that was not written be copied into them.
    fn is_always_written(&self, place: PlaceId) -> bool {
        let PlaceKind::Var(var) = self.program.places[place].kind else { return false };
        matches!(self.home(var), Home::Object(_)) && !self.program.vars[var].address_taken
    }

    fn check_written(&mut self, address: Address, length: u64) {
        if self.options.check_written {
            self.slow(Slow::CheckWritten { address, length });
        }
    }

    fn mark_written(&mut self, address: Address, length: u64) {
        if self.options.check_written {
            self.slow(Slow::MarkWritten { address, length });
        }
    }

    fn load_instr(&self, d: Slot, address: Address, ty: TypeId) -> Option<Instr> {
        let bytes = self.stored_bytes(ty);
        if ty == TypeId::BOOL {
            return None;
        }
        match address.base {
            Base::Object(object) => {
                let at = self.inside(object, address.at, bytes)?;
                Some(match bytes {
                    1 => Instr::Get8 { d, object, at },
                    2 => Instr::Get16 { d, object, at },
                    4 => Instr::Get32 { d, object, at },
                    8 => Instr::Get64 { d, object, at },
                    _ => return None,
                })
            }
            Base::Slot(a) => {
                let at = i32::try_from(address.at).ok()?;
                Some(match bytes {
                    1 => Instr::Load8 { d, a, at },
                    2 => Instr::Load16 { d, a, at },
                    4 => Instr::Load32 { d, a, at },
                    8 => Instr::Load64 { d, a, at },
                    _ => return None,
                })
            }
        }
    }

    fn store_instr(&self, s: Slot, address: Address, ty: TypeId) -> Option<Instr> {
        let bytes = self.stored_bytes(ty);
        match address.base {
            Base::Object(object) => {
                let at = self.inside(object, address.at, bytes)?;
                let var = &self.program.vars[self.static_var(object)?];
                let read_only = var.kind == VarKind::Constant || var.read_only;
                // The slow way says what is wrong with it.
                if read_only || !Writes::of(&self.program.types, var.ty).allow(at as u64, bytes) {
                    return None;
                }
                Some(match bytes {
                    1 => Instr::Put8 { s, object, at },
                    2 => Instr::Put16 { s, object, at },
                    4 => Instr::Put32 { s, object, at },
                    8 => Instr::Put64 { s, object, at },
                    _ => return None,
                })
            }
            Base::Slot(a) => {
                let at = i32::try_from(address.at).ok()?;
                Some(match bytes {
                    1 => Instr::Store8 { s, a, at },
                    2 => Instr::Store16 { s, a, at },
                    4 => Instr::Store32 { s, a, at },
                    8 => Instr::Store64 { s, a, at },
                    _ => return None,
                })
            }
        }
    }

    /// The variable of a static object; they are numbered in order.
    fn static_var(&self, object: u32) -> Option<VarId> {
        let index = self.options.objects.partition_point(|(number, _)| *number < object);
        self.options.objects.get(index).filter(|(number, _)| *number == object).map(|(_, var)| *var)
    }

    /// The offset, if the bytes are inside the declared type of a static object.
    fn inside(&self, object: u32, at: i64, bytes: u64) -> Option<u32> {
        let var = self.static_var(object)?;
        let size = self.program.types.size_of(self.program.vars[var].ty)?;
        let at = u64::try_from(at).ok()?;
        (at.checked_add(bytes)? <= size).then_some(u32::try_from(at).ok()?)
    }

    pub(super) fn store(&mut self, place: PlaceId, slot: Slot) {
        let ty = self.program.places[place].ty;
        match self.spot(place, Access::Use) {
            Spot::Slot(d) => {
                self.copy(slot, ty, Some(d));
            }
            Spot::Bits(bits) => {
                self.slow(Slow::StoreBits { s: slot, bits });
                self.mark_written(bits.address, bits.range.bytes());
            }
            Spot::Memory(address) => {
                self.store_memory(address, ty, slot);
                if !self.is_always_written(place) {
                    self.mark_written(address, self.stored_bytes(ty));
                }
            }
        }
    }

    fn store_memory(&mut self, address: Address, ty: TypeId, s: Slot) {
        match self.store_instr(s, address, ty) {
            Some(instr) => self.emit(instr),
            None => self.slow(Slow::Store { s, address, ty }),
        };
    }

    pub(super) fn store_variable(&mut self, var: VarId, slot: Slot) {
        let ty = self.program.vars[var].ty;
        match self.home(var) {
            Home::Slot(d) => {
                self.copy(slot, ty, Some(d));
            }
            Home::Local(own) => {
                let address = Address { base: Base::Slot(own), at: 0 };
                self.store_memory(address, ty, slot);
                self.mark_written(address, self.stored_bytes(ty));
            }
            Home::Object(object) => self.store_memory(Address { base: Base::Object(object), at: 0 }, ty, slot),
        }
    }

    /// The bytes of a record value.
    pub(super) fn record(&mut self, expr: ExprId) -> Address {
        match self.program.exprs[expr].kind {
            ExprKind::Read(place) => self.memory(place),
            other => panic!("{expr}: {other:?} of record type"),
        }
    }

    /// A place of record type.
    pub(super) fn memory(&mut self, place: PlaceId) -> Address {
        match self.spot(place, Access::Use) {
            Spot::Memory(address) => address,
            Spot::Slot(_) | Spot::Bits(_) => panic!("{place}: a record in a register"),
        }
    }

    pub(super) fn spot(&mut self, place: PlaceId, access: Access) -> Spot {
        let program = self.program;
        match program.places[place].kind {
            PlaceKind::Var(var) => match self.home(var) {
                Home::Slot(slot) => Spot::Slot(slot),
                Home::Local(slot) => Spot::Memory(Address { base: Base::Slot(slot), at: 0 }),
                Home::Object(object) => Spot::Memory(Address { base: Base::Object(object), at: 0 }),
            },
            PlaceKind::Deref(pointer) => {
                // `*&place` is the place: common after lowering, and free.
                if let ExprKind::AddrOf(inner) = program.exprs[pointer].kind
                    && program.places[inner].ty == program.places[place].ty
                {
                    return self.spot(inner, access);
                }
                let slot = self.value(pointer);
                Spot::Memory(Address { base: Base::Slot(slot), at: 0 })
            }
            PlaceKind::Field(inner, number) => {
                let Type::Record(record) = *program.types.get(program.places[inner].ty) else {
                    panic!("{place}: a field of what is no record");
                };
                let field = &program.types.records[record].fields[number as usize];
                let Spot::Memory(address) = self.spot(inner, access) else { panic!("{place}: a record in a register") };
                let address = address.plus(field.offset as i64);
                match field.bits {
                    None => Spot::Memory(address),
                    Some(bits) => Spot::Bits(BitAccess { address, range: bits, ty: field.ty }),
                }
            }
            PlaceKind::Index(inner, index) => {
                let Spot::Memory(address) = self.spot(inner, access) else { panic!("{place}: an array in a register") };
                Spot::Memory(self.element(inner, index, address, access))
            }
        }
    }

    fn element(&mut self, array: PlaceId, index: ExprId, address: Address, access: Access) -> Address {
        let program = self.program;
        let Type::Array(element, length) = *program.types.get(program.places[array].ty) else {
            panic!("{array}: indexed, but no array");
        };
        let stride = program.types.stride(element).unwrap_or(1);
        let length = match length {
            Some(length) if access == Access::Use && !is_flexible(program, array, length) => length,
            _ => u64::MAX,
        };
        let index_ty = program.exprs[index].ty;
        if let Some(bits) = program.constant(index) {
            let value = eval::to_i128(&program.types, index_ty, bits);
            let distance = value.checked_mul(stride as i128).and_then(|distance| i64::try_from(distance).ok());
            if let Some(distance) = distance
                && ((0..length as i128).contains(&value) || length == u64::MAX)
                && (-(1 << 31)..1 << 31).contains(&distance)
            {
                return address.plus(distance);
            }
        }
        // A checked index of 64 bits must not be cut to 32 before the check.
        let whole = length != u64::MAX && matches!(self.fast(index_ty), Some(Fast::S64 | Fast::U64));
        let slot = if whole { self.value(index) } else { self.index(index) };
        let d = self.temp(false);
        self.code.indexes.push(IndexInfo { base: address.base, displacement: address.at, stride, length });
        let table = self.code.indexes.len() as u32 - 1;
        self.emit(if !whole && self.index_is_32(index_ty) {
            Instr::Index32 { d, index: slot, table }
        } else {
            Instr::Index64 { d, index: slot, table }
        });
        Address { base: Base::Slot(d), at: 0 }
    }

    pub(super) fn materialize(&mut self, address: Address, into: Option<Slot>) -> Slot {
        let pointer = TypeId::VOID_POINTER;
        match address.base {
            Base::Object(object) => {
                let d = self.target(into, pointer);
                match (self.inside(object, address.at, 0), self.static_var(object)) {
                    (Some(at), Some(var)) => {
                        let value = self.options.statics[var.0 as usize].1 + at as u64;
                        self.emit(Instr::Const { d, value });
                    }
                    _ => {
                        self.slow(Slow::Address { d, address });
                    }
                }
                d
            }
            Base::Slot(a) if address.at == 0 && self.code.owner(a).is_none() => self.copy(a, pointer, into),
            Base::Slot(a) => {
                let d = self.target(into, pointer);
                match i32::try_from(address.at) {
                    Ok(at) => self.emit(Instr::Address { d, a, at }),
                    Err(_) => self.slow(Slow::Address { d, address }),
                };
                d
            }
        }
    }
}

/// Arrays of no or one element at the end of a structure are the old way to write flexible ones: only the object's bounds count.
pub fn is_flexible(program: &Program, array: PlaceId, length: u64) -> bool {
    let PlaceKind::Field(outer, number) = program.places[array].kind else { return false };
    let Type::Record(record) = *program.types.get(program.places[outer].ty) else { return false };
    let record = &program.types.records[record];
    length <= 1 && record.kind == RecordKind::Struct && number as usize + 1 == record.fields.len()
}
