//! What a round of a loop changes, and the state at its head in which exactly that is arbitrary. The same for what recursive calls change in memory.
//!
//! A number becomes a fresh variable. A pointer becomes a choice among the objects that it was seen to name at the head, so that what is behind it is
//! known; one that may name an object of an earlier round, which no longer has a number, may name anything.

use crate::exec::Run;
use crate::layout::{LaneKind, Layout};
use crate::memory::{Cell, Contents, INDEX_BITS, Object, fresh_cells, lane_start};
use crate::state::{Frame, State};
use crate::value::{OBJECT_BITS, OFFSET_BITS, PACKED_BITS, SymbolicValue};
use cfa::VarId;
use cfa::const_bits::Writes;
use logic::{TermId, TermOp, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A pointer that may name more objects may name anything.
const MOST_TARGETS: usize = 64;

/// Where a cell of an arbitrary state is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CellPlace {
    /// A register of the running function.
    Register(usize),
    Memory {
        object: u32,
        offset: u64,
        size: u64,
    },
    /// Of a waiting function, or part of a pointer.
    Elsewhere,
}

/// What a round changes. Grows until a round changes nothing else.
#[derive(Clone, Default)]
pub(crate) struct Changes {
    registers: BTreeMap<usize, Targets>,
    /// Registers of waiting functions, by how many calls they are away and by their slot: only where paths begin in an arbitrary state.
    callers: BTreeMap<(usize, usize), Targets>,
    /// Variables whose object is another one after a round.
    locals: BTreeSet<usize>,
    objects: BTreeMap<u32, ObjectChanges>,
}

#[derive(Clone, Default)]
struct ObjectChanges {
    size: bool,
    alive: bool,
    /// What may be written afterwards. It is no term: the object can be written where it always can.
    writes: Option<Writes>,
    /// The contents, as nothing that can be read.
    opaque: bool,
    /// An allocation that a round looks into for the first time.
    shape: Option<Rc<Layout>>,
    /// By the number of the lane and the index in it; an array term is one.
    cells: BTreeMap<(usize, usize), Targets>,
}

/// The objects that a pointer names at the end of a round, each with its offset if that is one constant. Of a number: nothing.
#[derive(Clone, Default, PartialEq)]
pub(crate) struct Targets {
    objects: BTreeMap<u32, Option<TermId>>,
    anything: bool,
}

impl Targets {
    fn add(&mut self, pool: &TermPool, value: SymbolicValue) {
        let SymbolicValue::Pointer { object, offset } = value else { return };
        let mut seen = FxHashSet::default();
        let mut open = vec![(object, offset)];
        while let Some((object, offset)) = open.pop() {
            if self.anything || self.objects.len() > MOST_TARGETS || seen.len() > 4096 {
                self.anything = true;
                return;
            }
            if !seen.insert((object, offset)) {
                continue;
            }
            if pool.op(object) == TermOp::Ite {
                let (cond, yes, no) = (pool.arg(object, 0), pool.arg(object, 1), pool.arg(object, 2));
                let same = pool.op(offset) == TermOp::Ite && pool.arg(offset, 0) == cond;
                let offsets = if same { (pool.arg(offset, 1), pool.arg(offset, 2)) } else { (offset, offset) };
                open.extend([(yes, offsets.0), (no, offsets.1)]);
            } else if let Some(id) = pool.as_u64(object) {
                let offset = pool.as_u64(offset).is_some().then_some(offset);
                self.objects
                    .entry(id as u32)
                    .and_modify(|known| {
                        if *known != offset {
                            *known = None;
                        }
                    })
                    .or_insert(offset);
            } else {
                self.anything = true;
            }
        }
    }
}

/// Adds what a value may be to what a changed place may be; whether that is more than before.
pub(crate) fn grow<K: Ord>(
    pool: &TermPool,
    places: &mut BTreeMap<K, Targets>,
    place: K,
    values: &[SymbolicValue],
) -> bool {
    let known = places.contains_key(&place);
    let targets = places.entry(place).or_default();
    let before = targets.clone();
    for value in values {
        targets.add(pool, *value);
    }
    !known || *targets != before
}

impl Changes {
    /// Adds everything that is not constant in a state, so that the arbitrary state has nothing to do with how its place was reached.
    pub fn add_open(&mut self, pool: &TermPool, closed: &mut Closed, state: &State) {
        let mut is_open = |value: &Option<SymbolicValue>| value.is_some_and(|value| !closed.value(pool, value));
        for slot in (0..state.registers.len()).filter(|slot| is_open(&state.registers[*slot])) {
            self.registers.entry(slot).or_default();
        }
        for (depth, frame) in frames(state).enumerate() {
            for slot in (0..frame.registers.len()).filter(|slot| is_open(&frame.registers[*slot])) {
                self.callers.entry((depth, slot)).or_default();
            }
        }
        for id in state.memory.ids() {
            let Some(object) = state.memory.get(id) else { continue };
            let mut changes = ObjectChanges {
                size: !closed.term(pool, object.size),
                alive: !closed.term(pool, object.alive),
                ..ObjectChanges::default()
            };
            if let Contents::Typed { cells, .. } = &object.contents {
                for (number, cell) in cells.iter().enumerate() {
                    changes.add_open_lane(pool, closed, number, cell);
                }
            }
            if changes.size || changes.alive || !changes.cells.is_empty() {
                self.objects.entry(id).or_default().join(changes);
            }
        }
    }

    /// Adds what differs between the state at the head and the one that comes back; whether that is anything new.
    pub fn grow(&mut self, pool: &TermPool, head: &State, back: &State) -> bool {
        let mut grown = false;
        for (slot, (before, after)) in head.registers.iter().zip(&back.registers).enumerate() {
            if before != after
                && let Some(after) = after
            {
                grown |= grow(pool, &mut self.registers, slot, &[*after]);
            }
        }
        for (depth, (before, after)) in frames(head).zip(frames(back)).enumerate() {
            if std::ptr::eq(before, after) {
                break;
            }
            for (slot, (before, after)) in before.registers.iter().zip(&after.registers).enumerate() {
                if before != after
                    && let Some(after) = after
                {
                    grown |= grow(pool, &mut self.callers, (depth, slot), &[*after]);
                }
            }
        }
        if !Rc::ptr_eq(&head.locals, &back.locals) {
            for (slot, (before, after)) in head.locals.iter().zip(back.locals.iter()).enumerate() {
                if before != after && before.is_some() {
                    grown |= self.locals.insert(slot);
                }
            }
        }
        self.grow_memory(pool, head, back) || grown
    }

    /// The same, of memory only.
    pub fn grow_memory(&mut self, pool: &TermPool, head: &State, back: &State) -> bool {
        let mut grown = false;
        for id in head.memory.ids() {
            let (Some(before), Some(after)) = (head.memory.get(id), back.memory.get(id)) else { continue };
            if !Rc::ptr_eq(before, after) && before != after {
                grown |= self.objects.entry(id).or_default().grow(pool, before, after);
            }
        }
        grown
    }
}

/// The frames of the functions that wait, the last caller first.
fn frames(state: &State) -> impl Iterator<Item = &Frame> {
    std::iter::successors(state.callers.as_deref(), |frame| frame.below.as_deref())
}

/// Which terms have no variables.
#[derive(Default)]
pub(crate) struct Closed {
    known: FxHashMap<TermId, bool>,
}

impl Closed {
    fn value(&mut self, pool: &TermPool, value: SymbolicValue) -> bool {
        match value {
            SymbolicValue::Bits(term) => self.term(pool, term),
            SymbolicValue::Pointer { object, offset } => self.term(pool, object) && self.term(pool, offset),
        }
    }

    pub fn term(&mut self, pool: &TermPool, term: TermId) -> bool {
        let mut open = vec![term];
        while let Some(at) = open.last().copied() {
            if self.known.contains_key(&at) {
                open.pop();
                continue;
            }
            if pool.op(at) == TermOp::Var {
                self.known.insert(at, false);
                continue;
            }
            let args = pool.args(at);
            let missing: Vec<TermId> = args.iter().copied().filter(|arg| !self.known.contains_key(arg)).collect();
            if missing.is_empty() {
                let closed = args.iter().all(|arg| self.known[arg]);
                self.known.insert(at, closed);
            } else {
                open.extend(missing);
            }
        }
        self.known[&term]
    }
}

impl ObjectChanges {
    fn add_open_lane(&mut self, pool: &TermPool, closed: &mut Closed, number: usize, cell: &Cell) {
        let values: &[SymbolicValue] = match cell {
            Cell::One(value) => std::slice::from_ref(value),
            Cell::Few(values) => values,
            Cell::Array(array) => {
                if !closed.term(pool, *array) {
                    self.cells.entry((number, 0)).or_default();
                }
                return;
            }
        };
        for (index, value) in values.iter().enumerate() {
            if !closed.value(pool, *value) {
                self.cells.entry((number, index)).or_default();
            }
        }
    }

    fn join(&mut self, other: ObjectChanges) {
        self.size |= other.size;
        self.alive |= other.alive;
        for (place, targets) in other.cells {
            self.cells.entry(place).or_insert(targets);
        }
    }

    fn grow(&mut self, pool: &TermPool, before: &Object, after: &Object) -> bool {
        let mut grown = before.size != after.size && !std::mem::replace(&mut self.size, true);
        grown |= before.alive != after.alive && !std::mem::replace(&mut self.alive, true);
        if before.writes != after.writes {
            let known = self.writes.as_ref().unwrap_or(&before.writes);
            let writes = known.and(&after.writes);
            grown |= writes != *known;
            self.writes = Some(writes);
        }
        match (&before.contents, &after.contents) {
            _ if self.opaque || before.contents == after.contents => {}
            (Contents::Untyped { .. }, Contents::Typed { layout, .. }) if self.shape.is_none() => {
                self.shape = Some(layout.clone());
                grown = true;
            }
            (Contents::Typed { layout, cells }, Contents::Typed { layout: other, cells: after }) if layout == other => {
                for (number, (before, after)) in cells.iter().zip(after).enumerate() {
                    grown |= before != after && self.grow_lane(pool, number, before, after);
                }
            }
            _ => {
                self.opaque = true;
                grown = true;
            }
        }
        grown
    }

    fn grow_lane(&mut self, pool: &TermPool, number: usize, before: &Cell, after: &Cell) -> bool {
        match (before, after) {
            (Cell::One(_), Cell::One(after)) => grow(pool, &mut self.cells, (number, 0), &[*after]),
            (Cell::Few(before), Cell::Few(after)) => {
                let changed =
                    before.iter().zip(after.iter()).enumerate().filter(|(_, (before, after))| before != after);
                changed.fold(false, |grown, (index, (_, after))| {
                    grow(pool, &mut self.cells, (number, index), &[*after]) || grown
                })
            }
            (Cell::Array(_), Cell::Array(_)) => grow(pool, &mut self.cells, (number, 0), &[]),
            _ => !std::mem::replace(&mut self.opaque, true),
        }
    }
}

impl Run<'_, '_> {
    /// The state at a loop head in which everything that a round changes is arbitrary.
    pub fn arbitrary(&mut self, entry: &State, changes: &Changes) -> State {
        let cut = self.cuts;
        let mut state = self.arbitrary_memory(entry, entry, changes);
        let first_var = self.activation().first_var;
        for (slot, targets) in &changes.registers {
            let ty = self.program.vars[VarId(first_var + *slot as u32)].ty;
            let (pointer, width) = (self.program.types.is_pointer(ty), self.program.types.scalar_bits(ty));
            let value = self.arbitrary_value(
                entry,
                entry.registers[*slot],
                targets,
                (pointer, width),
                &format!("cut{cut}.r{slot}"),
            );
            state.registers[*slot] = Some(value);
        }
        if !changes.callers.is_empty() {
            state.callers = self.arbitrary_callers(entry, changes, cut);
        }
        if !changes.locals.is_empty() {
            let locals = Rc::make_mut(&mut state.locals);
            for slot in &changes.locals {
                locals[*slot] = None;
            }
        }
        state
    }

    /// The state in which memory is arbitrary as far as it changes. Pointers that are arbitrary may name the objects of the state `known`; other objects that
    /// they were seen to name stand for many, so that such a pointer may name anything.
    pub fn arbitrary_memory(&mut self, entry: &State, known: &State, changes: &Changes) -> State {
        let cut = self.cuts;
        self.cuts += 1;
        let mut state = entry.clone();
        for (id, changes) in &changes.objects {
            let Some(before) = entry.memory.get(*id).cloned() else { continue };
            let object = self.arbitrary_object(known, &before, changes, &format!("cut{cut}.o{id}"));
            state.memory.set(*id, Rc::new(object));
        }
        state
    }

    fn arbitrary_callers(&mut self, entry: &State, changes: &Changes, cut: u32) -> Option<Rc<Frame>> {
        let mut frames: Vec<Frame> = frames(entry).cloned().collect();
        for ((depth, slot), targets) in &changes.callers {
            let Some(frame) = frames.get_mut(*depth) else { continue };
            let Some(activation) = self.stack.len().checked_sub(depth + 2).and_then(|at| self.stack.get(at)) else {
                continue;
            };
            let ty = self.program.vars[VarId(activation.first_var + *slot as u32)].ty;
            let (pointer, width) = (self.program.types.is_pointer(ty), self.program.types.scalar_bits(ty));
            let name = format!("cut{cut}.f{depth}.r{slot}");
            let value = self.arbitrary_value(entry, frame.registers[*slot], targets, (pointer, width), &name);
            frame.registers[*slot] = Some(value);
        }
        let link = |below: Option<Rc<Frame>>, frame: Frame| Some(Rc::new(Frame { below, ..frame }));
        frames.into_iter().rev().fold(None, link)
    }

    /// What a state has in the places that are arbitrary at the head: numbers, which objects pointers name and where, and what lives. Arrays are left out.
    pub fn cells_of(&mut self, head: &State, state: &State, changes: &Changes) -> Vec<(CellPlace, TermId)> {
        let mut cells = Vec::new();
        for slot in changes.registers.keys() {
            self.cells_of_value(&mut cells, CellPlace::Register(*slot), head.registers[*slot], state.registers[*slot]);
        }
        for (depth, slot) in changes.callers.keys() {
            let (Some(at), Some(here)) = (frames(head).nth(*depth), frames(state).nth(*depth)) else { continue };
            self.cells_of_value(&mut cells, CellPlace::Elsewhere, at.registers[*slot], here.registers[*slot]);
        }
        for (id, changed) in &changes.objects {
            let (Some(at), Some(here)) = (head.memory.get(*id).cloned(), state.memory.get(*id).cloned()) else {
                continue;
            };
            if changed.alive {
                cells.push((CellPlace::Elsewhere, here.alive));
            }
            let Contents::Typed { layout, cells: at } = &at.contents else { continue };
            let here = match &here.contents {
                Contents::Typed { layout: other, cells } if layout == other => Some(cells),
                _ => None,
            };
            for (number, index) in changed.cells.keys() {
                let (Some(lane), Some(at)) = (layout.lanes.get(*number), at.get(*number)) else { continue };
                let place = match lane.kind {
                    LaneKind::Number | LaneKind::Pointer => {
                        CellPlace::Memory { object: *id, offset: lane_start(lane, *index as u64), size: lane.size }
                    }
                    _ => CellPlace::Elsewhere,
                };
                let value = |cell: &Cell| match cell {
                    Cell::One(value) => Some(*value),
                    Cell::Few(values) => values.get(*index).copied(),
                    Cell::Array(_) => None,
                };
                let Some(at) = value(at) else { continue };
                let here = here.and_then(|here| value(here.get(*number)?));
                let here = here.unwrap_or_else(|| self.unknown_like(at));
                self.cells_of_value(&mut cells, place, Some(at), Some(here));
            }
        }
        cells
    }

    /// A value of which nothing is known.
    fn unknown_like(&mut self, value: SymbolicValue) -> SymbolicValue {
        self.cuts += 1;
        let name = format!("unknown{}", self.cuts);
        match value {
            SymbolicValue::Bits(term) => {
                let width = self.encoder.pool.width(term);
                SymbolicValue::Bits(self.pool().bv_var(&format!("{name}:{width}"), width))
            }
            SymbolicValue::Pointer { .. } => SymbolicValue::Pointer {
                object: self.pool().bv_var(&format!("{name}.object"), OBJECT_BITS),
                offset: self.pool().bv_var(&format!("{name}.offset"), OFFSET_BITS),
            },
        }
    }

    fn cells_of_value(
        &mut self,
        cells: &mut Vec<(CellPlace, TermId)>,
        place: CellPlace,
        head: Option<SymbolicValue>,
        value: Option<SymbolicValue>,
    ) {
        match (head, value) {
            (Some(SymbolicValue::Bits(_)), Some(SymbolicValue::Bits(term))) => cells.push((place, term)),
            // A variable that does not exist yet reads as zero.
            (Some(SymbolicValue::Bits(head)), None) => {
                let width = self.encoder.pool.width(head);
                let zero = self.pool().bv(width, 0);
                cells.push((place, zero));
            }
            (Some(head @ SymbolicValue::Pointer { .. }), value) => {
                let value = value.unwrap_or_else(|| SymbolicValue::null(self.pool()));
                let SymbolicValue::Pointer { object, offset } = value else { return };
                let mut targets = Targets::default();
                targets.add(&self.encoder.pool, head);
                for id in targets.objects.keys() {
                    let number = self.pool().bv(OBJECT_BITS, *id as u128);
                    let names = self.pool().eq(object, number);
                    cells.push((CellPlace::Elsewhere, names));
                }
                cells.push((CellPlace::Elsewhere, offset));
            }
            _ => {}
        }
    }

    fn arbitrary_object(&mut self, entry: &State, before: &Object, changes: &ObjectChanges, name: &str) -> Object {
        let mut object = before.clone();
        if changes.size {
            object.size = self.pool().bv_var(&format!("{name}.size"), OFFSET_BITS);
        }
        if changes.alive {
            object.alive = self.pool().bool_var(&format!("{name}.alive"));
        }
        if let Some(writes) = &changes.writes {
            object.writes = writes.clone();
        }
        if changes.opaque {
            object.contents = Contents::Opaque;
            return object;
        }
        if let (Contents::Untyped { zero, name }, Some(layout)) = (&object.contents, &changes.shape) {
            let cells = fresh_cells(self.pool(), layout, *zero, name);
            object.contents = Contents::Typed { layout: layout.clone(), cells };
        }
        let Contents::Typed { layout, cells } = &mut object.contents else { return object };
        for ((number, index), targets) in &changes.cells {
            let (Some(lane), Some(cell)) = (layout.lanes.get(*number), cells.get_mut(*number)) else { continue };
            let pointer = lane.kind == LaneKind::Pointer;
            let name = format!("{name}.{number}.{index}");
            match cell {
                Cell::One(value) => {
                    *value = self.arbitrary_value(entry, Some(*value), targets, (pointer, lane.width), &name);
                }
                Cell::Few(values) => {
                    let Some(value) = Rc::make_mut(values).get_mut(*index) else { continue };
                    *value = self.arbitrary_value(entry, Some(*value), targets, (pointer, lane.width), &name);
                }
                Cell::Array(array) => {
                    let width = if pointer { PACKED_BITS } else { lane.width };
                    *array = self.pool().array_var(&format!("{name}:{width}"), INDEX_BITS, width);
                }
            }
        }
        object
    }

    /// A value that may be what it was when the loop was entered, or what a round left.
    pub fn arbitrary_value(
        &mut self,
        entry: &State,
        before: Option<SymbolicValue>,
        targets: &Targets,
        (pointer, width): (bool, u32),
        name: &str,
    ) -> SymbolicValue {
        if !pointer {
            let width = before.map_or(width, |value| self.encoder.pool.width(value.bits()));
            return SymbolicValue::Bits(self.pool().bv_var(&format!("{name}:{width}"), width));
        }
        let mut targets = targets.clone();
        if let Some(value) = before {
            targets.add(&self.encoder.pool, value);
        }
        let exists = |id: &u32| *id == 0 || entry.memory.get(*id).is_some();
        let any_offset = self.pool().bv_var(&format!("{name}.offset"), OFFSET_BITS);
        if targets.anything || !targets.objects.keys().all(exists) {
            let object = self.pool().bv_var(&format!("{name}.object"), OBJECT_BITS);
            return SymbolicValue::Pointer { object, offset: any_offset };
        }
        let mut choice: Option<SymbolicValue> = None;
        for (id, offset) in &targets.objects {
            let object = self.pool().bv(OBJECT_BITS, *id as u128);
            let one = SymbolicValue::Pointer { object, offset: offset.unwrap_or(any_offset) };
            choice = Some(match choice {
                None => one,
                Some(others) => {
                    let names = self.pool().bool_var(&format!("{name}.is{id}"));
                    SymbolicValue::ite(self.pool(), names, one, others)
                }
            });
        }
        choice.unwrap_or_else(|| SymbolicValue::null(self.pool()))
    }
}
