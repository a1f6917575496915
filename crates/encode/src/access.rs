//! Places and memory accesses: which objects a pointer may name, what must hold there, and reading and writing them.

use crate::exec::{EventKind, FillPlace, HeapContents, MadeUp, ObjectKey, ObligationKind, Run, SymbolicFill};
use crate::layout::{self, LaneKind, Layout};
use crate::memory::{Access, Cell, Contents, Object, fresh_cells, pointer_to_number};
use crate::path::Assigned;
use crate::state::{NO_OBJECT, State};
use crate::value::{OBJECT_BITS, OFFSET_BITS, Value};
use cfa::types::{BitRange, RecordKind};
use cfa::{
    ExprId, ExprKind, Fault, FuncId, Init, PlaceId, PlaceKind, RelocationTarget, StaticInit, Type, TypeId, VarId,
    VarKind, interp,
};
use logic::{Op as TermOp, TermId};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Records of more scalars are not copied one by one.
const MAX_LEAVES: usize = 256;

/// What a term may name besides the objects it mentions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rest {
    Nothing,
    /// It is the name of a pointer that was to one of them; no other object is considered.
    Others,
    Anything,
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
        Access { size: types.size_of(ty).unwrap_or(1), width, pointer: types.is_pointer(ty), bits }
    }

    /// Resolves a place. `used`: it will be read or written, so array bounds matter.
    pub fn spot(&mut self, state: &mut State, place: PlaceId, used: bool) -> Spot {
        let program = self.program;
        let ty = program.places[place].ty;
        match program.places[place].kind {
            PlaceKind::Var(var) if self.in_register(var) => Spot::Register(var),
            PlaceKind::Var(var) => {
                let id = self.object_of(state, var);
                let object = self.pool().bv(OBJECT_BITS, id as u128);
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
    fn object_of(&mut self, state: &mut State, var: VarId) -> u32 {
        if self.program.vars[var].kind.function().is_none() {
            return self.encoder.object_id(ObjectKey::Global(var));
        }
        let slot = self.slot(var);
        match state.locals[slot] {
            NO_OBJECT => self.new_local(state, var, 0, true),
            id => id,
        }
    }

    /// A fresh object for a local.
    pub fn new_local(&mut self, state: &mut State, var: VarId, salt: u64, fill: bool) -> u32 {
        let context = self.context();
        let id = self.encoder.object_id(ObjectKey::Local(context, var, salt));
        let name = format!("{var}/{context}/{salt:x}");
        let ty = self.program.vars[var].ty;
        let object = self.typed_object(ty, &name, false);
        if fill {
            self.note_fill(state, FillPlace::Local(var), &object);
        }
        state.memory.set(id, Rc::new(object));
        let slot = self.slot(var);
        Rc::make_mut(&mut state.locals)[slot] = id;
        id
    }

    fn typed_object(&mut self, ty: TypeId, name: &str, zero: bool) -> Object {
        let size = self.program.types.size_of(ty).unwrap_or(0);
        let contents = match layout::of_type(&self.program.types, ty) {
            Some(layout) => {
                let cells = fresh_cells(self.pool(), &layout, zero, name);
                Contents::Typed { layout: Rc::new(layout), cells }
            }
            None => Contents::Opaque,
        };
        let alive = self.pool().bool(true);
        Object { size: self.pool().bv(OFFSET_BITS, size as u128), alive, writable: true, heap: false, contents }
    }

    /// Notes what was made up for an object, so that a replay can use the same.
    pub fn note_fill(&mut self, state: &State, place: FillPlace, object: &Object) {
        let Contents::Typed { layout, cells } = &object.contents else { return };
        let made_up = self.made_up(layout, cells);
        let size = object.constant_size(&self.encoder.pool).unwrap_or(0);
        self.note_made_up(state, place, size, made_up);
    }

    pub fn note_made_up(&mut self, state: &State, place: FillPlace, size: u64, made_up: MadeUp) {
        if self.follows_a_run() {
            return self.fill_on_path(place, size, &made_up);
        }
        let guard = state.guard.term(self.pool());
        let inputs_before = self.out.inputs.len();
        self.out.fills.push(SymbolicFill { place, guard, inputs_before, size, made_up });
    }

    /// Notes a scalar that was made up.
    pub fn note_scalar(&mut self, state: &State, place: FillPlace, size: u64, term: TermId) {
        let made_up = MadeUp { scalars: vec![(0, size, term)], arrays: Vec::new() };
        self.note_made_up(state, place, size, made_up);
    }

    /// The terms of fresh cells, and where they are.
    fn made_up(&mut self, layout: &Layout, cells: &[Cell]) -> MadeUp {
        let (mut scalars, mut arrays) = (Vec::new(), Vec::new());
        for (lane, cell) in layout.lanes.iter().zip(cells) {
            let image = |run: &mut Self, value: Value| match (value, lane.kind) {
                (Value::Pointer { .. }, _) => pointer_to_number(run.pool(), value, lane.size as u32 * 8),
                (Value::Bits(term), LaneKind::BitField(_)) => term,
                (Value::Bits(term), _) => term,
            };
            if matches!(lane.kind, LaneKind::BitField(_)) {
                continue;
            }
            match cell {
                Cell::One(value) => {
                    let term = image(self, *value);
                    scalars.push((lane.offset, lane.size, term));
                }
                Cell::Few(values) if lane.dims.len() == 1 => {
                    for (index, value) in values.iter().enumerate() {
                        let term = image(self, *value);
                        scalars.push((lane.offset + index as u64 * lane.dims[0].0, lane.size, term));
                    }
                }
                Cell::Array(array) if lane.dims.len() == 1 && lane.kind == LaneKind::Number => {
                    arrays.push((lane.offset, lane.dims[0].0, lane.size, *array));
                }
                Cell::Few(_) | Cell::Array(_) => {}
            }
        }
        MadeUp { scalars, arrays }
    }

    pub fn declare(&mut self, state: &mut State, var: VarId) {
        self.note_event(state, EventKind::Declaration, None);
        if self.in_register(var) {
            let ty = self.program.vars[var].ty;
            let name = self.fresh_name("local");
            let width = self.program.types.scalar_bits(ty);
            let term = self.pool().bv_var(&name, width);
            let value = if self.program.types.is_pointer(ty) { self.pointer_input(term) } else { Value::Bits(term) };
            let slot = self.slot(var);
            state.registers[slot] = Some(value);
            let size = self.program.types.size_of(ty).unwrap_or(1);
            return self.note_scalar(state, FillPlace::Local(var), size, term);
        }
        // Only somebody who holds the address can tell two lifetimes apart.
        let salt = if self.program.vars[var].address_taken { self.salt() | 1 } else { 1 };
        self.kill(state, var);
        self.new_local(state, var, salt, true);
    }

    pub fn kill(&mut self, state: &mut State, var: VarId) {
        if self.in_register(var) {
            // The storage of a variable-length array ends with its name.
            if matches!(self.program.vars[var].kind, VarKind::Vla(_))
                && let Some(Value::Pointer { object, .. }) = state.registers[self.slot(var)]
                && let Some(id) = self.pool().as_u64(object)
            {
                self.end_object(state, id as u32);
            }
            return;
        }
        let id = state.locals[self.slot(var)];
        self.end_object(state, id);
    }

    fn end_object(&mut self, state: &mut State, id: u32) {
        let dead = self.pool().bool(false);
        if let Some(object) = state.memory.get_mut(id) {
            object.alive = dead;
        }
    }

    /// A function returns: its objects die.
    pub fn kill_locals(&mut self, state: &mut State) {
        let locals = state.locals.clone();
        for id in locals.iter().filter(|id| **id != NO_OBJECT) {
            self.end_object(state, *id);
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
        object.writable = data.kind != VarKind::Constant;
        state.memory.set(id, Rc::new(object));
    }

    pub fn make_function(&mut self, state: &mut State, function: FuncId) {
        let id = self.encoder.object_id(ObjectKey::Function(function));
        let size = self.pool().bv(OFFSET_BITS, 0);
        let alive = self.pool().bool(true);
        let object = Object { size, alive, writable: false, heap: false, contents: Contents::Nothing };
        state.memory.set(id, Rc::new(object));
    }

    fn initialize(&mut self, object: &mut Object, init: &StaticInit) {
        let always = self.pool().bool(true);
        let relocated = |at: u64| init.relocations.iter().any(|relocation| relocation.offset == at);
        let Contents::Typed { layout, .. } = &object.contents else { return };
        let layout = layout.clone();
        let length = init.bytes.len() as u64;
        for lane in &layout.lanes {
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
                    LaneKind::Pointer => self.pointer_input(term),
                    _ => Value::Bits(term),
                };
                let access =
                    Access { size: lane.size, width: lane.width, pointer: lane.kind == LaneKind::Pointer, bits };
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
            let access = Access { size, width: size as u32 * 8, pointer: true, bits: None };
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
            } else if let Some(targets) = self.path().and_then(|path| path.targets.get(&term).cloned()) {
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
        let (mut known, rest) = self.named_targets(object);
        let unknown = rest != Rest::Nothing;
        if rest == Rest::Anything {
            known = self.escaped(state);
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

    /// Objects whose address somebody may have.
    fn escaped(&self, state: &State) -> Vec<u32> {
        let taken = |id: &u32| match self.encoder.object_keys[*id as usize] {
            ObjectKey::Global(var) | ObjectKey::Local(_, var, _) => self.program.vars[var].address_taken,
            ObjectKey::Heap(..) => true,
            ObjectKey::Function(_) | ObjectKey::None => false,
        };
        state.memory.ids().filter(taken).collect()
    }

    /// Checks an access of so many bytes; the candidates that remain are live and large enough.
    fn check_access(
        &mut self,
        state: &mut State,
        object: TermId,
        offset: TermId,
        size: TermId,
        write: bool,
    ) -> Vec<(u32, TermId)> {
        let mut valid = Vec::new();
        for (id, hit) in self.candidates(state, object) {
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
            if write && !target.writable {
                self.fault(state, Fault::ReadOnly, hit);
                continue;
            }
            valid.push((id, hit));
        }
        valid
    }

    /// Makes an untyped allocation an array of what is first found in it.
    fn give_type(&mut self, state: &mut State, id: u32, hint: TypeId) {
        let Some(object) = state.memory.get(id) else { return };
        let Contents::Untyped { zero, name } = &object.contents else { return };
        let (zero, name) = (*zero, name.clone());
        let element = match self.program.types.get(hint) {
            Type::Array(element, _) => *element,
            Type::Void | Type::Function(_) => TypeId::CHAR,
            _ => hint,
        };
        let size = object.constant_size(self.encoder_pool());
        let element_size = self.program.types.size_of(element).filter(|size| *size > 0);
        let count = size.zip(element_size).map(|(size, each)| size / each);
        let contents = match layout::of_elements(&self.program.types, element, count) {
            Some(layout) => {
                let cells = fresh_cells(self.pool(), &layout, zero, &name);
                if !zero {
                    let made_up = self.made_up(&layout, &cells);
                    self.heap_contents_on_path(&name, &made_up);
                    let guard = state.guard.term(self.pool());
                    self.out.contents.push(HeapContents { name, guard, made_up });
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
        let bytes = access.bits.map_or(access.size, |range| (range.start as u64 + range.width as u64).div_ceil(8));
        self.pool().bv(OFFSET_BITS, bytes as u128)
    }

    fn require_fit(&mut self, state: &mut State, hit: TermId, fits: TermId) {
        let misses = self.pool().not(fits);
        let misses = self.pool().and(hit, misses);
        self.leave(state, ObligationKind::Poison("memory access across the members of an object".into()), misses);
    }

    /// Writes a scalar.
    pub fn store(&mut self, state: &mut State, spot: Spot, ty: TypeId, value: Value) {
        self.note_event(state, EventKind::Write, Some((ty, value)));
        let (object, offset, bits, hint) = match spot {
            Spot::Register(var) => {
                let slot = self.slot(var);
                self.into_register(Some(var));
                state.registers[slot] = Some(self.named(value, Some(ty)));
                return;
            }
            Spot::Memory { object, offset, bits, hint } => (object, offset, bits, hint),
        };
        let access = self.access_of(ty, bits);
        self.into_memory(object, offset);
        let value = self.named(value, Some(ty));
        let value = match (value, bits) {
            (Value::Bits(term), Some(range)) => Value::Bits(self.pool().resize_unsigned(term, range.width as u32)),
            _ => value,
        };
        self.store_at(state, object, offset, access, value, hint);
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

    /// Where a scalar variable is that the function at hand can see; `None` before its lifetime.
    pub fn settled_spot(&mut self, state: &State, var: VarId) -> Option<Spot> {
        let offset = self.pool().bv(OFFSET_BITS, 0);
        let hint = self.program.vars[var].ty;
        let id = match self.program.vars[var].kind.function() {
            None => self.encoder.object_id(ObjectKey::Global(var)),
            Some(function) if function != self.activation().function => return None,
            Some(_) if self.in_register(var) => {
                return state.registers[self.slot(var)].map(|_| Spot::Register(var));
            }
            Some(_) => state.locals[self.slot(var)],
        };
        state.memory.get(id)?;
        let object = self.pool().bv(OBJECT_BITS, id as u128);
        Some(Spot::Memory { object, offset, bits: None, hint })
    }

    pub fn assign(&mut self, state: &mut State, place: PlaceId, value: ExprId) {
        let ty = self.program.exprs[value].ty;
        if self.program.types.is_scalar(ty) {
            let value = self.value(state, value);
            return self.write_place(state, place, value);
        }
        // A run that is followed names what is copied, as long as that is not too much.
        let scalars_first = self.follows_a_run() && self.leaf_accesses(ty).is_some();
        if !scalars_first && self.copy_whole(state, place, value, ty) {
            self.note_event(state, EventKind::Write, None);
            return;
        }
        let leaves = self.leaves_of(state, value);
        self.note_event(state, EventKind::Write, None);
        self.write_leaves(state, place, ty, &leaves);
    }

    /// A record that is a whole object on both sides is copied lane by lane, whatever its size.
    fn copy_whole(&mut self, state: &mut State, place: PlaceId, value: ExprId, ty: TypeId) -> bool {
        let ExprKind::Read(from) = self.program.exprs[value].kind else { return false };
        let (PlaceKind::Var(to), PlaceKind::Var(from)) =
            (self.program.places[place].kind, self.program.places[from].kind)
        else {
            return false;
        };
        if self.program.vars[to].ty != ty || self.program.vars[from].ty != ty {
            return false;
        }
        let from = self.object_of(state, from);
        let to = self.object_of(state, to);
        let Some(contents) = state.memory.get(from).map(|object| object.contents.clone()) else { return false };
        match state.memory.get_mut(to) {
            Some(object) => {
                object.contents = contents;
                true
            }
            None => false,
        }
    }

    /// Scalar positions of a type; `None` if there are too many.
    fn leaf_accesses(&self, ty: TypeId) -> Option<Vec<(u64, Access)>> {
        let mut leaves = Vec::new();
        self.collect_leaves(ty, 0, &mut leaves)?;
        Some(leaves)
    }

    fn collect_leaves(&self, ty: TypeId, offset: u64, leaves: &mut Vec<(u64, Access)>) -> Option<()> {
        let types = &self.program.types;
        if leaves.len() > MAX_LEAVES {
            return None;
        }
        match types.get(ty) {
            Type::Array(element, count) => {
                let size = types.size_of(*element)?;
                for index in 0..count.unwrap_or(0) {
                    self.collect_leaves(*element, offset + index * size, leaves)?;
                }
            }
            Type::Record(record) => {
                let record = &types.records[*record];
                if record.kind == RecordKind::Union {
                    let mut at = 0;
                    while at < record.size {
                        let size = [8, 4, 2, 1]
                            .into_iter()
                            .find(|size| at + size <= record.size && (offset + at).is_multiple_of(*size))?;
                        let access = Access { size, width: size as u32 * 8, pointer: false, bits: None };
                        leaves.push((offset + at, access));
                        at += size;
                    }
                    return Some(());
                }
                for field in &record.fields {
                    match field.bits {
                        Some(_) => leaves.push((offset + field.offset, self.access_of(field.ty, field.bits))),
                        None => self.collect_leaves(field.ty, offset + field.offset, leaves)?,
                    }
                }
            }
            Type::Void | Type::Function(_) => return None,
            _ => leaves.push((offset, self.access_of(ty, None))),
        }
        Some(())
    }

    /// A value as its scalars: one, or the leaves of a record.
    pub fn leaves_of(&mut self, state: &mut State, value: ExprId) -> Vec<Value> {
        let ty = self.program.exprs[value].ty;
        if self.program.types.is_scalar(ty) {
            return vec![self.value(state, value)];
        }
        let ExprKind::Read(place) = self.program.exprs[value].kind else { panic!("{value} is no record value") };
        let Spot::Memory { object, offset, hint, .. } = self.spot(state, place, true) else {
            panic!("{place} is in a register")
        };
        let Some(accesses) = self.leaf_accesses(ty) else {
            self.poison(state, "copy of a large struct");
            return Vec::new();
        };
        let mut leaves = Vec::with_capacity(accesses.len());
        for (at, access) in accesses {
            let distance = self.pool().bv(OFFSET_BITS, at as u128);
            let offset = self.pool().bv_add(offset, distance);
            leaves.push(self.load_at(state, object, offset, access, hint));
        }
        leaves
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
        let targets = self.check_access(state, object, offset, size, false);
        let mut result = None;
        for (id, hit) in targets {
            self.give_type(state, id, hint);
            let Some(target) = state.memory.get(id).cloned() else { continue };
            match target.read(self.pool(), offset, access) {
                Ok((value, fits)) => {
                    self.require_fit(state, hit, fits);
                    result = Some(match result {
                        None => value,
                        Some(other) => Value::ite(self.pool(), hit, value, other),
                    });
                }
                Err(_) => self.leave(state, ObligationKind::Poison("memory access that no layout fits".into()), hit),
            }
        }
        result.unwrap_or_else(|| match access.pointer {
            true => Value::null(self.pool()),
            false => Value::Bits(self.pool().bv(access.width, 0)),
        })
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
        let targets = self.check_access(state, object, offset, size, true);
        // With one target the path condition says that it is hit.
        let single = targets.len() == 1;
        for (id, hit) in targets {
            self.give_type(state, id, hint);
            let cond = if single { self.pool().bool(true) } else { hit };
            let pool = &mut self.encoder.pool;
            let Some(target) = state.memory.get_mut(id) else { continue };
            match target.write(pool, offset, access, value, cond) {
                Ok(fits) => self.require_fit(state, hit, fits),
                Err(_) => self.leave(state, ObligationKind::Poison("memory access that no layout fits".into()), hit),
            }
        }
    }

    pub fn write_leaves(&mut self, state: &mut State, place: PlaceId, ty: TypeId, leaves: &[Value]) {
        if self.program.types.is_scalar(ty) {
            if let Some(value) = leaves.first() {
                self.write_place(state, place, *value);
            }
            return;
        }
        let Spot::Memory { object, offset, hint, .. } = self.spot(state, place, true) else {
            panic!("{place} is in a register")
        };
        let Some(accesses) = self.leaf_accesses(ty) else { return self.poison(state, "copy of a large struct") };
        for ((at, access), value) in accesses.into_iter().zip(leaves) {
            let distance = self.pool().bv(OFFSET_BITS, at as u128);
            let at = self.pool().bv_add(offset, distance);
            self.assigning(Assigned::Memory);
            self.into_memory(object, at);
            let value = self.named(*value, None);
            self.store_at(state, object, at, access, value, hint);
        }
    }

    pub fn store_leaves(&mut self, state: &mut State, id: u32, ty: TypeId, leaves: &[Value]) {
        let object = self.pool().bv(OBJECT_BITS, id as u128);
        let Some(accesses) = self.leaf_accesses(ty) else { return self.poison(state, "copy of a large struct") };
        for ((at, access), value) in accesses.into_iter().zip(leaves) {
            let offset = self.pool().bv(OFFSET_BITS, at as u128);
            self.into_memory(object, offset);
            let value = self.named(*value, self.program.types.is_scalar(ty).then_some(ty));
            self.store_at(state, object, offset, access, value, ty);
        }
    }
}
