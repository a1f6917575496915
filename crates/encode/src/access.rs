//! Places and memory accesses: where a place is, reading and writing it.

use crate::encoder::ObjectKey;
use crate::exec::Run;
use crate::memory::{Access, Contents, Mismatch, Object};
use crate::mode::{Naming, Storing};
use crate::path::Assigned;
use crate::state::State;
use crate::targets::Purpose;
use crate::unrolling::{EventKind, ObligationKind};
use crate::value::{OBJECT_BITS, OFFSET_BITS, SymbolicValue};
use cfa::types::BitRange;
use cfa::{ExprId, Fault, PlaceId, PlaceKind, Type, TypeId, VarId, interp};
use logic::TermId;
use std::rc::Rc;

/// Where a place is.
#[derive(Clone, Copy)]
pub(crate) enum Spot {
    Register(VarId),
    Memory { object: TermId, offset: TermId, bits: Option<BitRange>, hint: TypeId },
}

impl Run<'_, '_> {
    pub fn access_of(&self, ty: TypeId, bits: Option<BitRange>) -> Access {
        let types = &self.program.types;
        let width = bits.map_or_else(|| types.scalar_bits(ty), |range| range.width as u32);
        Access { size: types.size_of(ty).unwrap_or(1), width, pointer: types.is_pointer(ty), bits, padding: false }
    }

    /// Resolves a place. `used`: it will be read or written, so array bounds matter.
    pub fn spot(&mut self, state: &mut State, place: PlaceId, used: bool) -> Spot {
        let program = self.program;
        let ty = program.places[place].ty;
        match program.places[place].kind {
            PlaceKind::Var(var) if self.in_register(var) => Spot::Register(var),
            PlaceKind::Var(var) => {
                let object = self.object_of(state, var);
                let offset = self.pool().bv(OFFSET_BITS, 0);
                Spot::Memory { object, offset, bits: None, hint: ty }
            }
            PlaceKind::Deref(pointer) => {
                let SymbolicValue::Pointer { object, offset } = self.value(state, pointer) else {
                    panic!("{pointer} is no pointer")
                };
                Spot::Memory { object, offset, bits: None, hint: ty }
            }
            PlaceKind::Field(base, number) => {
                let Spot::Memory { object, offset, hint, .. } = self.spot(state, base, used) else {
                    panic!("{base} is a record in a register")
                };
                let Type::Record(record) = *program.types.get(program.places[base].ty) else {
                    panic!("{base} is no record")
                };
                let field = &program.types.records[record].fields[number as usize];
                let distance = self.pool().bv(OFFSET_BITS, field.offset as u128);
                let offset = self.pool().bv_add(offset, distance);
                Spot::Memory { object, offset, bits: field.bits, hint }
            }
            PlaceKind::Index(base, index) => {
                let Spot::Memory { object, offset, hint, .. } = self.spot(state, base, used) else {
                    panic!("{base} is an array in a register")
                };
                let index = self.wide_index(state, index);
                if let Type::Array(_, Some(length)) = *program.types.get(program.places[base].ty)
                    && used
                    && !interp::is_flexible(program, base, length)
                {
                    let limit = self.pool().bv(OFFSET_BITS, length as u128);
                    let inside = self.pool().ult(index, limit);
                    let outside = self.pool().not(inside);
                    self.fault(state, Fault::OutOfBounds, outside);
                }
                let stride = program.types.stride(ty).unwrap_or(1);
                let stride = self.pool().bv(OFFSET_BITS, stride as u128);
                let distance = self.pool().bv_mul(index, stride);
                let offset = self.pool().bv_add(offset, distance);
                Spot::Memory { object, offset, bits: None, hint }
            }
        }
    }

    /// An index or distance as a 64-bit term.
    pub fn wide_index(&mut self, state: &mut State, index: ExprId) -> TermId {
        let ty = self.program.exprs[index].ty;
        let signed = self.program.types.is_signed(ty);
        let term = self.value(state, index).bits();
        if signed {
            self.pool().resize_signed(term, OFFSET_BITS)
        } else {
            self.pool().resize_unsigned(term, OFFSET_BITS)
        }
    }

    /// Reads a scalar.
    pub fn load(&mut self, state: &mut State, spot: Spot, ty: TypeId) -> SymbolicValue {
        let (object, offset, bits, hint) = match spot {
            Spot::Register(var) => {
                let slot = self.slot(var);
                return match state.registers[slot] {
                    Some(value) => value,
                    None => self.zero(ty),
                };
            }
            Spot::Memory { object, offset, bits, hint } => (object, offset, bits, hint),
        };
        let access = self.access_of(ty, bits);
        let value = self.load_at(state, object, offset, access, hint);
        match (value, bits) {
            // A bit-field's value is of its declared type.
            (SymbolicValue::Bits(term), Some(_)) => {
                let width = self.program.types.scalar_bits(ty);
                let signed = self.program.types.is_signed(ty);
                SymbolicValue::Bits(if signed {
                    self.pool().resize_signed(term, width)
                } else {
                    self.pool().resize_unsigned(term, width)
                })
            }
            _ => value,
        }
    }

    /// Bytes that an access touches, as a term.
    fn access_bytes(&mut self, access: Access) -> TermId {
        let bytes = access.bits.map_or(access.size, |range| range.bytes());
        self.pool().bv(OFFSET_BITS, bytes as u128)
    }

    /// An access to an object where it is hit leaves the model where it does not fit.
    pub fn require_fit(&mut self, state: &mut State, id: u32, hit: TermId, fit: Result<TermId, Mismatch>) {
        let poison = |construct: &str| ObligationKind::Poison(construct.into());
        let kind = match (self.encoder.object_keys[id as usize], &fit) {
            (ObjectKey::Argument(_), _) if self.encoder.command_line.grows() => ObligationKind::Unwind,
            (ObjectKey::Argument(_), _) => poison("part of the command line that is not modelled"),
            (_, Ok(_)) => poison("memory access across the members of an object"),
            (_, Err(_)) => poison("memory access that no layout fits"),
        };
        let fits = fit.unwrap_or(self.pool().bool(false));
        let misses = self.pool().not(fits);
        let misses = self.pool().and(hit, misses);
        self.leave(state, kind, misses);
    }

    /// Writes a scalar.
    pub fn store(&mut self, state: &mut State, spot: Spot, ty: TypeId, value: SymbolicValue) {
        let value = self.relax(state, value);
        self.note_event(state, EventKind::Write, Some((ty, value)));
        let (object, offset, bits, hint) = match spot {
            Spot::Register(var) => {
                let slot = self.slot(var);
                self.storing(Storing::Register(Some(var)));
                state.registers[slot] = Some(self.named(value, Some(ty)));
                return;
            }
            Spot::Memory { object, offset, bits, hint } => (object, offset, bits, hint),
        };
        let access = self.access_of(ty, bits);
        self.storing(Storing::Memory(object, offset));
        // The name of what is assigned to a bit-field is what the bit-field then has.
        let value = match (value, bits) {
            (SymbolicValue::Bits(term), Some(range)) if self.mode.naming() != Naming::Unnamed => {
                let (narrow, width) = (self.pool().resize_unsigned(term, range.width as u32), self.pool().width(term));
                SymbolicValue::Bits(match self.program.types.is_signed(ty) {
                    true => self.pool().resize_signed(narrow, width),
                    false => self.pool().resize_unsigned(narrow, width),
                })
            }
            _ => value,
        };
        let value = self.named(value, Some(ty));
        let value = match (value, bits) {
            (SymbolicValue::Bits(term), Some(range)) => {
                SymbolicValue::Bits(self.pool().resize_unsigned(term, range.width as u32))
            }
            _ => value,
        };
        self.store_at(state, object, offset, access, value, hint);
        let is_byte = access.size == 1 && access.bits.is_none();
        if !is_byte || matches!(self.program.types.get(hint), Type::Record(_)) {
            self.unspecify_padding(state, object);
        }
    }

    /// Storing to a member leaves the padding of the structure unspecified (C11 6.2.6.1p6): of all structures of the objects that may be meant. The
    /// bits stay, as they do in the interpreter.
    pub fn unspecify_padding(&mut self, state: &mut State, object: TermId) {
        for id in self.named_objects(object) {
            let padded =
                |object: &Rc<Object>| matches!(&object.contents, Contents::Typed { layout, .. } if layout.padded);
            if !state.memory.get(id).is_some_and(padded) {
                continue;
            }
            let pool = &mut self.encoder.pool;
            if let Some(object) = state.memory.get_mut(id) {
                object.unspecify_padding(pool);
            }
        }
    }

    pub fn zero(&mut self, ty: TypeId) -> SymbolicValue {
        if self.program.types.is_pointer(ty) {
            return SymbolicValue::null(self.pool());
        }
        let width = self.program.types.scalar_bits(ty);
        SymbolicValue::Bits(self.pool().bv(width, 0))
    }

    pub fn write_place(&mut self, state: &mut State, place: PlaceId, value: SymbolicValue) {
        let spot = self.spot(state, place, true);
        self.assigning(match self.program.places[place].kind {
            PlaceKind::Var(var) => Assigned::Var(var),
            _ => Assigned::Place(place),
        });
        self.store(state, spot, self.program.places[place].ty, value);
    }

    /// Where a scalar variable is that the running function can see; `None` before its lifetime.
    pub fn settled_spot(&mut self, state: &State, var: VarId) -> Option<Spot> {
        let offset = self.pool().bv(OFFSET_BITS, 0);
        let hint = self.program.vars[var].ty;
        let object = match self.program.vars[var].kind.function() {
            None => {
                let id = self.encoder.object_id(ObjectKey::Global(var));
                state.memory.get(id)?;
                self.pool().bv(OBJECT_BITS, id as u128)
            }
            Some(function) if function != self.activation().function => return None,
            Some(_) if self.in_register(var) => {
                return state.registers[self.slot(var)].map(|_| Spot::Register(var));
            }
            Some(_) => state.locals[self.slot(var)]?,
        };
        Some(Spot::Memory { object, offset, bits: None, hint })
    }

    /// Reads a scalar of any object that a pointer may name.
    pub fn load_at(
        &mut self,
        state: &mut State,
        object: TermId,
        offset: TermId,
        access: Access,
        hint: TypeId,
    ) -> SymbolicValue {
        let size = self.access_bytes(access);
        let always = self.pool().bool(true);
        let targets = self.check_access(state, (object, offset), size, Purpose::Read, always);
        let mut result = None;
        for (id, hit) in targets {
            self.give_type(state, id, hint);
            let Some(target) = state.memory.get(id).cloned() else { continue };
            match target.read(self.pool(), offset, access) {
                Ok((value, fits)) => {
                    let known = self.pool().as_u64(offset);
                    let value = match known.is_some_and(|offset| access.size == 1 && target.is_padding(offset)) {
                        true => self.padding_byte(state, value, hit, fits),
                        false => {
                            self.require_fit(state, id, hit, Ok(fits));
                            value
                        }
                    };
                    result = Some(match result {
                        None => value,
                        Some(other) => SymbolicValue::ite(self.pool(), hit, value, other),
                    });
                }
                Err(mismatch) => self.require_fit(state, id, hit, Err(mismatch)),
            }
        }
        result.unwrap_or_else(|| match access.pointer {
            true => SymbolicValue::null(self.pool()),
            false => SymbolicValue::Bits(self.pool().bv(access.width, 0)),
        })
    }

    /// A byte of padding: arbitrary where it is unspecified. A replay has the byte that the interpreter keeps there.
    fn padding_byte(&mut self, state: &State, kept: SymbolicValue, hit: TermId, specified: TermId) -> SymbolicValue {
        if !self.mode.explores_open() || self.pool().as_bool(specified) == Some(true) {
            return kept;
        }
        let name = self.fresh_name("padding");
        let width = self.pool().width(kept.bits());
        let any = self.pool().bv_var(&name, width);
        let value = self.pool().ite(specified, kept.bits(), any);
        let guard = state.guard.term(self.pool());
        let (same, here) = (self.pool().eq(value, kept.bits()), self.pool().and(guard, hit));
        let as_kept = self.pool().implies(here, same);
        self.require_for_replay(as_kept);
        SymbolicValue::Bits(value)
    }

    /// Writes a scalar into whichever object a pointer names.
    pub fn store_at(
        &mut self,
        state: &mut State,
        object: TermId,
        offset: TermId,
        access: Access,
        value: SymbolicValue,
        hint: TypeId,
    ) {
        let size = self.access_bytes(access);
        let always = self.pool().bool(true);
        let purpose = access.bits.map_or(Purpose::Write, Purpose::WriteBits);
        let targets = self.check_access(state, (object, offset), size, purpose, always);
        // With one target the path condition says that it is hit.
        let single = targets.len() == 1;
        for (id, hit) in targets {
            self.give_type(state, id, hint);
            let cond = if single { self.pool().bool(true) } else { hit };
            let pool = &mut self.encoder.pool;
            let Some(target) = state.memory.get_mut(id) else { continue };
            let fit = target.write(pool, offset, access, value, cond);
            self.require_fit(state, id, hit, fit);
        }
    }
}
