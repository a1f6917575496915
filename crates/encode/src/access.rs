//! Places and memory accesses: which objects a pointer may name, what must hold there, and reading and writing them.

use crate::address::{number_to_pointer, pointer_to_number};
use crate::encoder::ObjectKey;
use crate::exec::Run;
use crate::layout::{self, LaneKind, Layout};
use crate::memory::{Access, Cell, Contents, Mismatch, Object, fresh_cells, lane_start};
use crate::mode::{Fill, Naming, Storing};
use crate::path::Assigned;
use crate::state::State;
use crate::unrolling::{EventKind, FillPart, FillPlace, ObligationKind, SymbolicFill};
use crate::value::{OBJECT_BITS, OFFSET_BITS, Value};
use cfa::const_bits::{ConstBits, Writes};
use cfa::types::BitRange;
use cfa::{
    ExprId, Fault, FuncId, Init, PlaceId, PlaceKind, RelocationTarget, StaticInit, Type, TypeId, VarId, VarKind, interp,
};
use logic::{Op as TermOp, TermId};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// What a term may name besides the objects it mentions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rest {
    Nothing,
    /// It is the name of a pointer that was to one of them; no other object is considered.
    Others,
    Anything,
}

/// What an access does with the bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    Read,
    Write,
    /// The other bits of these bytes keep their values.
    WriteBits(BitRange),
}

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
                let Value::Pointer { object, offset } = self.value(state, pointer) else {
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

    /// The object of a variable that lives in memory. One without a `Declare` gets it at first use.
    pub fn object_of(&mut self, state: &mut State, var: VarId) -> TermId {
        let id = match self.program.vars[var].kind.function() {
            None => self.encoder.object_id(ObjectKey::Global(var)),
            Some(_) => match state.locals[self.slot(var)] {
                Some(object) => return object,
                None => self.new_local(state, var, 0, true),
            },
        };
        self.pool().bv(OBJECT_BITS, id as u128)
    }

    /// A fresh object for a local.
    pub fn new_local(&mut self, state: &mut State, var: VarId, salt: u64, fill: bool) -> u32 {
        let context = self.context();
        let id = self.encoder.object_id(ObjectKey::Local(context, var, salt));
        self.fill_local(state, var, id, salt, fill);
        let slot = self.slot(var);
        Rc::make_mut(&mut state.locals)[slot] = Some(self.pool().bv(OBJECT_BITS, id as u128));
        id
    }

    /// Gives the object of a local arbitrary contents.
    fn fill_local(&mut self, state: &mut State, var: VarId, id: u32, salt: u64, fill: bool) {
        let name = format!("{var}/{}/{salt:x}", self.context());
        let ty = self.program.vars[var].ty;
        let object = self.typed_object(ty, &name, false);
        if fill {
            self.note_fill(state, FillPlace::Local(var), &object);
        }
        state.memory.set(id, Rc::new(object));
    }

    pub fn typed_object(&mut self, ty: TypeId, name: &str, zero: bool) -> Object {
        let size = self.program.types.size_of(ty).unwrap_or(0);
        let contents = match layout::of_type(&self.program.types, ty) {
            Some(layout) => {
                let cells = fresh_cells(self.pool(), &layout, zero, name);
                Contents::Typed { layout: Rc::new(layout), cells }
            }
            None => Contents::Opaque,
        };
        let alive = self.pool().bool(true);
        Object { size: self.pool().bv(OFFSET_BITS, size as u128), alive, writes: Writes::All, heap: false, contents }
    }

    /// Notes the fresh variables of an object, so that a replay can use the same.
    pub fn note_fill(&mut self, state: &State, place: FillPlace, object: &Object) {
        let Contents::Typed { layout, cells } = &object.contents else { return };
        let part = self.fill_part(state, layout, cells);
        let size = object.constant_size(&self.encoder.pool).unwrap_or(0);
        self.note_part(place, size, part);
    }

    pub fn note_part(&mut self, place: FillPlace, size: u64, part: FillPart) {
        if self.mode.knows_memory() {
            return self.fill(Fill::Object { place, edge: self.edge, size, part });
        }
        let inputs_before = self.out.inputs.len();
        self.out.fills.push(SymbolicFill { place, guard: part.guard, inputs_before, size, parts: vec![part] });
    }

    /// Notes the fresh variable of a scalar.
    pub fn note_scalar(&mut self, state: &State, place: FillPlace, size: u64, term: TermId) {
        let guard = state.guard.term(self.pool());
        let scalars = vec![(0, size, term)];
        let part = FillPart { guard, scalars, bit_fields: Vec::new(), arrays: Vec::new() };
        self.note_part(place, size, part);
    }

    /// Notes the fresh variables of an allocation when it was shaped; where it is not alive, the contents may have been moved already.
    pub fn note_heap_fill(&mut self, state: &State, name: &str, layout: &Layout, cells: &[Cell], alive: TermId) {
        if !self.happens(alive) {
            return;
        }
        if self.mode.knows_memory() {
            let part = self.fill_part(state, layout, cells);
            return self.fill(Fill::Shaped { name, part });
        }
        for fill in self.heap_fills.get(name).cloned().unwrap_or_default() {
            let mut part = self.fill_part(state, layout, cells);
            part.guard = self.pool().and_all(&[part.guard, fill.when, alive]);
            let inside = |at: u64, size: u64| at < fill.bytes.end && at + size > fill.bytes.start;
            part.scalars.retain(|(at, size, _)| inside(*at, *size));
            part.bit_fields.retain(|(at, range, _)| inside(*at, range.bytes()));
            self.out.fills[fill.index].parts.push(part);
        }
    }

    fn fill_part(&mut self, state: &State, layout: &Layout, cells: &[Cell]) -> FillPart {
        let guard = state.guard.term(self.pool());
        let mut part = FillPart { guard, scalars: Vec::new(), bit_fields: Vec::new(), arrays: Vec::new() };
        for (lane, cell) in layout.lanes.iter().zip(cells).filter(|(lane, _)| lane.kind.padding().is_none()) {
            let values: &[Value] = match cell {
                Cell::One(value) => std::slice::from_ref(value),
                Cell::Few(values) => values,
                Cell::Array(array) => {
                    if lane.dims.len() == 1 && lane.kind == LaneKind::Number {
                        part.arrays.push((lane.offset, lane.dims[0].0, lane.size, *array));
                    }
                    continue;
                }
            };
            for (index, value) in values.iter().enumerate() {
                let at = lane_start(lane, index as u64);
                match (*value, lane.kind) {
                    (Value::Pointer { .. }, _) => {
                        self.out.numbers_as_pointers = true;
                        let term = pointer_to_number(self.pool(), *value, lane.size as u32 * 8);
                        part.scalars.push((at, lane.size, term));
                    }
                    (Value::Bits(term), LaneKind::BitField(range)) => part.bit_fields.push((at, range, term)),
                    (Value::Bits(term), _) => part.scalars.push((at, lane.size, term)),
                }
            }
        }
        part
    }

    pub fn declare(&mut self, state: &mut State, var: VarId) {
        self.note_event(state, EventKind::Declaration, None);
        if self.in_register(var) {
            let ty = self.program.vars[var].ty;
            let name = self.fresh_name("local");
            let width = self.program.types.scalar_bits(ty);
            let term = self.pool().bv_var(&name, width);
            let (term, value) = self.uninitialized_value(term, self.program.types.is_pointer(ty));
            let slot = self.slot(var);
            state.registers[slot] = Some(value);
            let size = self.program.types.size_of(ty).unwrap_or(1);
            return self.note_scalar(state, FillPlace::Local(var), size, term);
        }
        // Two lifetimes can be told apart only by the address.
        let taken = self.program.vars[var].address_taken;
        let salt = if taken { self.salt() | 1 } else { 1 };
        if let Some(id) = self.living_local(state, var).filter(|_| taken) {
            return self.fill_local(state, var, id, salt, true);
        }
        self.kill(state, var);
        self.new_local(state, var, salt, true);
    }

    /// The object of a variable whose lifetime has begun and has not ended.
    fn living_local(&mut self, state: &State, var: VarId) -> Option<u32> {
        let object = state.locals[self.slot(var)]?;
        let id = self.pool().as_u64(object)? as u32;
        let alive = state.memory.get(id)?.alive;
        (self.pool().as_bool(alive) == Some(true)).then_some(id)
    }

    pub fn kill(&mut self, state: &mut State, var: VarId) {
        if self.in_register(var) {
            // The storage of a variable-length array ends with its name.
            if matches!(self.program.vars[var].kind, VarKind::Vla(_))
                && let Some(Value::Pointer { object, .. }) = state.registers[self.slot(var)]
            {
                self.end_objects(state, object);
            }
            return;
        }
        if let Some(object) = state.locals[self.slot(var)] {
            self.end_objects(state, object);
        }
    }

    /// Ends the lifetimes of all objects that a variable may name: those that it names on other paths only are dead here, or were never born.
    fn end_objects(&mut self, state: &mut State, object: TermId) {
        for id in self.named_objects(object) {
            self.end_object(state, id);
        }
    }

    fn end_object(&mut self, state: &mut State, id: u32) {
        let dead = self.pool().bool(false);
        if state.memory.get(id).is_some_and(|object| object.alive != dead)
            && let Some(object) = state.memory.get_mut(id)
        {
            object.alive = dead;
        }
    }

    /// A function returns: its objects die.
    pub fn kill_locals(&mut self, state: &mut State) {
        let locals = state.locals.clone();
        for object in locals.iter().flatten() {
            self.end_objects(state, *object);
        }
        for id in self.activation().allocas.clone() {
            self.end_object(state, id);
        }
    }

    pub fn make_global(&mut self, state: &mut State, var: VarId) {
        let data = &self.program.vars[var];
        let id = self.encoder.object_id(ObjectKey::Global(var));
        let unknown = data.init == Init::Unknown;
        let mut object = self.typed_object(data.ty, &format!("{var}"), !unknown);
        if unknown {
            self.note_fill(state, FillPlace::Extern(var), &object);
        }
        if let Init::Static(init) = &data.init {
            self.initialize(&mut object, init);
        }
        object.writes = match data.kind == VarKind::Constant || data.read_only {
            true => Writes::Nothing,
            false => Writes::of(&self.program.types, data.ty),
        };
        state.memory.set(id, Rc::new(object));
    }

    pub fn make_function(&mut self, state: &mut State, function: FuncId) {
        let id = self.encoder.object_id(ObjectKey::Function(function));
        let size = self.pool().bv(OFFSET_BITS, 0);
        let alive = self.pool().bool(true);
        let object = Object { size, alive, writes: Writes::Nothing, heap: false, contents: Contents::Nothing };
        state.memory.set(id, Rc::new(object));
    }

    fn initialize(&mut self, object: &mut Object, init: &StaticInit) {
        let always = self.pool().bool(true);
        let relocated = |at: u64| init.relocations.iter().any(|relocation| relocation.offset == at);
        let Contents::Typed { layout, .. } = &object.contents else { return };
        let layout = layout.clone();
        let length = init.bytes.len() as u64;
        // Padding of static objects is zero.
        for lane in layout.lanes.iter().filter(|lane| lane.kind.padding().is_none()) {
            let count = lane.count().unwrap_or(0);
            for index in 0..count {
                let mut rest = index;
                let mut start = lane.offset;
                for (stride, count) in lane.dims.iter().rev() {
                    let count = count.unwrap_or(1).max(1);
                    start += rest % count * stride;
                    rest /= count;
                }
                if start >= length {
                    continue;
                }
                let bytes = (0..lane.size).map(|byte| init.bytes.get((start + byte) as usize).copied().unwrap_or(0));
                let number = bytes.rev().take(32).fold(Vec::new(), |mut all, byte| {
                    all.insert(0, byte);
                    all
                });
                if lane.size > 16 || relocated(start) || number.iter().all(|byte| *byte == 0) {
                    continue;
                }
                let raw = number.iter().rev().fold(0u128, |value, byte| value << 8 | *byte as u128);
                let (bits, raw) = match lane.kind {
                    LaneKind::BitField(range) => (Some(range), raw >> range.start),
                    _ => (None, raw),
                };
                let width = lane.width.min(128);
                let masked = if width < 128 { raw & ((1 << width) - 1) } else { raw };
                let term = self.pool().bv(lane.width, masked);
                let value = match lane.kind {
                    LaneKind::Pointer => number_to_pointer(self.pool(), term),
                    _ => Value::Bits(term),
                };
                let access = Access {
                    size: lane.size,
                    width: lane.width,
                    pointer: lane.kind == LaneKind::Pointer,
                    bits,
                    padding: false,
                };
                let offset = self.pool().bv(OFFSET_BITS, start as u128);
                if object.write(self.pool(), offset, access, value, always).is_err() {
                    object.contents = Contents::Opaque;
                    return;
                }
            }
        }
        for relocation in &init.relocations {
            let id = match relocation.target {
                RelocationTarget::Var(var) => self.encoder.object_id(ObjectKey::Global(var)),
                RelocationTarget::Function(function) => self.encoder.object_id(ObjectKey::Function(function)),
            };
            let value = Value::Pointer {
                object: self.pool().bv(OBJECT_BITS, id as u128),
                offset: self.pool().bv_signed(OFFSET_BITS, relocation.addend as i128),
            };
            let size = self.program.model().pointer_bytes();
            let access = Access { size, width: size as u32 * 8, pointer: true, bits: None, padding: false };
            let offset = self.pool().bv(OFFSET_BITS, relocation.offset as u128);
            if object.write(self.pool(), offset, access, value, always).is_err() {
                object.contents = Contents::Opaque;
                return;
            }
        }
    }

    /// The objects that a term mentions, and what else it may be.
    fn named_targets(&mut self, object: TermId) -> (Vec<u32>, Rest) {
        let mut known = Vec::new();
        let mut rest = Rest::Nothing;
        let mut seen = FxHashSet::default();
        let mut open = vec![object];
        while let Some(term) = open.pop() {
            if !seen.insert(term) {
                continue;
            }
            if let Some(id) = self.pool().as_u64(term) {
                known.push(id as u32);
            } else if self.pool().op(term) == TermOp::Ite {
                open.extend([self.pool().arg(term, 1), self.pool().arg(term, 2)]);
            } else if let Some(targets) = self.mode.targets(term) {
                known.extend(targets.iter());
                rest = rest.max(Rest::Others);
            } else {
                rest = Rest::Anything;
            }
        }
        known.sort_unstable();
        known.dedup();
        (known, rest)
    }

    pub fn named_objects(&mut self, object: TermId) -> Vec<u32> {
        self.named_targets(object).0
    }

    /// The objects that a term may name, with the condition that it does. `None` stands for all others.
    pub fn candidates(&mut self, state: &State, object: TermId) -> Vec<(Option<u32>, TermId)> {
        self.candidates_among(object, |run| run.escaped(state))
    }

    /// The same for a function that is called.
    pub fn called_candidates(&mut self, object: TermId) -> Vec<(Option<u32>, TermId)> {
        self.candidates_among(object, |run| {
            let functions: Vec<FuncId> = run.encoder.facts.address_taken_functions(run.program).to_vec();
            functions.into_iter().map(|function| run.encoder.object_id(ObjectKey::Function(function))).collect()
        })
    }

    fn candidates_among(
        &mut self,
        object: TermId,
        anything: impl FnOnce(&mut Self) -> Vec<u32>,
    ) -> Vec<(Option<u32>, TermId)> {
        let (mut known, rest) = self.named_targets(object);
        let unknown = rest != Rest::Nothing;
        if rest == Rest::Anything {
            known = anything(self);
            known.push(0);
        }
        known.sort_unstable();
        known.dedup();
        let mut found = Vec::new();
        let mut none = self.pool().bool(true);
        for id in known {
            let number = self.pool().bv(OBJECT_BITS, id as u128);
            let hit = self.pool().eq(object, number);
            if self.pool().as_bool(hit) == Some(false) {
                continue;
            }
            found.push((Some(id), hit));
            let miss = self.pool().not(hit);
            none = self.pool().and(none, miss);
        }
        if unknown && self.pool().as_bool(none) != Some(false) {
            found.push((None, none));
        }
        found
    }

    /// Objects whose address may be known to other code.
    fn escaped(&self, state: &State) -> Vec<u32> {
        let taken = |id: &u32| match self.encoder.object_keys[*id as usize] {
            ObjectKey::Global(var) | ObjectKey::Local(_, var, _) => self.program.vars[var].address_taken,
            ObjectKey::Heap(..) | ObjectKey::Argument(_) => true,
            ObjectKey::Function(_) | ObjectKey::None => false,
        };
        state.memory.ids().filter(taken).collect()
    }

    /// Checks an access of so many bytes, made where `cond` holds; the candidates that remain are live and large enough.
    pub fn check_access(
        &mut self,
        state: &mut State,
        (object, offset): (TermId, TermId),
        size: TermId,
        purpose: Purpose,
        cond: TermId,
    ) -> Vec<(u32, TermId)> {
        let mut valid = Vec::new();
        for (id, hit) in self.candidates(state, object) {
            let hit = self.pool().and(hit, cond);
            let Some(id) = id else {
                self.fault(state, Fault::WildPointer, hit);
                continue;
            };
            let Some(target) = state.memory.get(id).cloned() else {
                self.fault(state, if id == 0 { Fault::NullDereference } else { Fault::WildPointer }, hit);
                continue;
            };
            let dead = self.pool().not(target.alive);
            let dangling = self.pool().and(hit, dead);
            self.fault(state, Fault::Dangling, dangling);
            let fits = self.pool().ule(size, target.size);
            let room = self.pool().bv_sub(target.size, size);
            let inside = self.pool().ule(offset, room);
            let inside = self.pool().and(fits, inside);
            let outside = self.pool().not(inside);
            let outside = self.pool().and(hit, outside);
            self.fault(state, Fault::OutOfBounds, outside);
            match &target.writes {
                Writes::Nothing if purpose != Purpose::Read => {
                    let fault = match self.encoder.object_keys[id as usize] {
                        ObjectKey::Local(..) | ObjectKey::Heap(..) => Fault::ConstWrite,
                        _ => Fault::ReadOnly,
                    };
                    self.fault(state, fault, hit);
                    continue;
                }
                Writes::Except(bits) if purpose != Purpose::Read => {
                    let alone = target.constant_size(self.encoder_pool()) == Some(bits.stride);
                    let start = match alone {
                        true => offset,
                        false => {
                            let stride = self.pool().bv(OFFSET_BITS, bits.stride as u128);
                            self.pool().bv_urem(offset, stride)
                        }
                    };
                    let touched = self.touches(bits, start, size, purpose);
                    let touched = self.pool().and(hit, touched);
                    self.fault(state, Fault::ConstWrite, touched);
                }
                _ => {}
            }
            valid.push((id, hit));
        }
        valid
    }

    /// Whether an access from a byte of the first element on is to some of these bits.
    fn touches(&mut self, bits: &ConstBits, start: TermId, size: TermId, purpose: Purpose) -> TermId {
        let pool = self.pool();
        let number = |pool: &mut logic::TermPool, number: u64| pool.bv(OFFSET_BITS, number as u128);
        let mut touched = pool.bool(false);
        for (from, to) in &bits.ranges {
            for element in [0, 8 * bits.stride] {
                let (from, to) = (element + from, element + to);
                let overlaps = match purpose {
                    // Bits of the byte at `start` and those behind it, counted from the first element on.
                    Purpose::WriteBits(field) => {
                        let (first, behind) = (field.start as u64, field.start as u64 + field.width as u64);
                        let end = number(pool, to.saturating_sub(first).div_ceil(8));
                        let before = pool.ult(start, end);
                        match from.checked_sub(behind) {
                            None => before,
                            Some(distance) => {
                                let last = number(pool, distance / 8);
                                let after = pool.ult(last, start);
                                pool.and(before, after)
                            }
                        }
                    }
                    Purpose::Read | Purpose::Write => {
                        let (first, behind) = (number(pool, from / 8), number(pool, to.div_ceil(8)));
                        let end = pool.bv_add(start, size);
                        let (before, after) = (pool.ult(start, behind), pool.ult(first, end));
                        pool.and(before, after)
                    }
                };
                touched = pool.or(touched, overlaps);
            }
        }
        let nothing = number(pool, 0);
        let some = pool.ne(size, nothing);
        pool.and(some, touched)
    }

    /// Makes an untyped allocation an array of what is first found in it.
    pub fn give_type(&mut self, state: &mut State, id: u32, hint: TypeId) {
        let Some(object) = state.memory.get(id) else { return };
        let Contents::Untyped { zero, name } = &object.contents else { return };
        let (zero, name, alive) = (*zero, name.clone(), object.alive);
        let element = match self.program.types.get(hint) {
            Type::Array(element, _) => *element,
            Type::Void | Type::Function(_) => TypeId::CHAR,
            _ => hint,
        };
        let size = object.constant_size(self.encoder_pool());
        let contents = match layout::of_allocation(&self.program.types, element, size) {
            Some(layout) => {
                let cells = fresh_cells(self.pool(), &layout, zero, &name);
                if !zero {
                    self.note_heap_fill(state, &name, &layout, &cells, alive);
                }
                Contents::Typed { layout: Rc::new(layout), cells }
            }
            None => Contents::Opaque,
        };
        if let Some(object) = state.memory.get_mut(id) {
            object.contents = contents;
        }
    }

    fn encoder_pool(&self) -> &logic::TermPool {
        &self.encoder.pool
    }

    /// Reads a scalar.
    pub fn load(&mut self, state: &mut State, spot: Spot, ty: TypeId) -> Value {
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
            (Value::Bits(term), Some(_)) => {
                let width = self.program.types.scalar_bits(ty);
                let signed = self.program.types.is_signed(ty);
                Value::Bits(if signed {
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
        let construct = match (self.encoder.object_keys[id as usize], &fit) {
            (ObjectKey::Argument(_), _) => "part of the command line that is not modelled",
            (_, Ok(_)) => "memory access across the members of an object",
            (_, Err(_)) => "memory access that no layout fits",
        };
        let fits = fit.unwrap_or(self.pool().bool(false));
        let misses = self.pool().not(fits);
        let misses = self.pool().and(hit, misses);
        self.leave(state, ObligationKind::Poison(construct.into()), misses);
    }

    /// Writes a scalar.
    pub fn store(&mut self, state: &mut State, spot: Spot, ty: TypeId, value: Value) {
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
            (Value::Bits(term), Some(range)) if self.mode.naming() != Naming::Unnamed => {
                let (narrow, width) = (self.pool().resize_unsigned(term, range.width as u32), self.pool().width(term));
                Value::Bits(match self.program.types.is_signed(ty) {
                    true => self.pool().resize_signed(narrow, width),
                    false => self.pool().resize_unsigned(narrow, width),
                })
            }
            _ => value,
        };
        let value = self.named(value, Some(ty));
        let value = match (value, bits) {
            (Value::Bits(term), Some(range)) => Value::Bits(self.pool().resize_unsigned(term, range.width as u32)),
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

    pub fn zero(&mut self, ty: TypeId) -> Value {
        if self.program.types.is_pointer(ty) {
            return Value::null(self.pool());
        }
        let width = self.program.types.scalar_bits(ty);
        Value::Bits(self.pool().bv(width, 0))
    }

    pub fn write_place(&mut self, state: &mut State, place: PlaceId, value: Value) {
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
    ) -> Value {
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
                        Some(other) => Value::ite(self.pool(), hit, value, other),
                    });
                }
                Err(mismatch) => self.require_fit(state, id, hit, Err(mismatch)),
            }
        }
        result.unwrap_or_else(|| match access.pointer {
            true => Value::null(self.pool()),
            false => Value::Bits(self.pool().bv(access.width, 0)),
        })
    }

    /// A byte of padding: arbitrary where it is unspecified. A replay has the byte that the interpreter keeps there.
    fn padding_byte(&mut self, state: &State, kept: Value, hit: TermId, specified: TermId) -> Value {
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
        Value::Bits(value)
    }

    /// Writes a scalar into whichever object a pointer names.
    pub fn store_at(
        &mut self,
        state: &mut State,
        object: TermId,
        offset: TermId,
        access: Access,
        value: Value,
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
