//! The life of objects: variables are declared, filled, initialized and end; allocations get the layout of what is first found in them.

use crate::address::{number_to_pointer, pointer_to_number};
use crate::encoder::ObjectKey;
use crate::exec::Run;
use crate::layout::{self, LaneKind, Layout};
use crate::memory::{Access, Cell, Contents, Object, fresh_cells, lane_start};
use crate::mode::Fill;
use crate::state::State;
use crate::unrolling::{EventKind, FillPart, FillPlace, SymbolicFill};
use crate::value::{OBJECT_BITS, OFFSET_BITS, SymbolicValue};
use cfa::const_bits::Writes;
use cfa::{FuncId, Init, RelocationTarget, StaticInit, Type, TypeId, VarId, VarKind};
use logic::TermId;
use std::rc::Rc;

impl Run<'_, '_> {
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
            let values: &[SymbolicValue] = match cell {
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
                    (SymbolicValue::Pointer { .. }, _) => {
                        self.out.numbers_as_pointers = true;
                        let term = pointer_to_number(self.pool(), *value, lane.size as u32 * 8);
                        part.scalars.push((at, lane.size, term));
                    }
                    (SymbolicValue::Bits(term), LaneKind::BitField(range)) => part.bit_fields.push((at, range, term)),
                    (SymbolicValue::Bits(term), _) => part.scalars.push((at, lane.size, term)),
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
                && let Some(SymbolicValue::Pointer { object, .. }) = state.registers[self.slot(var)]
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
                    _ => SymbolicValue::Bits(term),
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
            let value = SymbolicValue::Pointer {
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
        let size = object.constant_size(&self.encoder.pool);
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
}
