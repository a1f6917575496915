//! What a round of a loop changes, and the state at its head in which exactly that is arbitrary.
//!
//! A number becomes a fresh variable. A pointer becomes a choice among the objects that it was seen to name at the head, so that what is behind it is
//! known; one that may name an object of an earlier round, which no longer has a number, may name anything.

use crate::exec::Run;
use crate::layout::{LaneKind, Layout};
use crate::memory::{Cell, Contents, INDEX_BITS, Object, fresh_cells};
use crate::state::State;
use crate::value::{OBJECT_BITS, OFFSET_BITS, PACKED_BITS, Value};
use cfa::VarId;
use logic::{Op, TermId, TermPool};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A pointer that may name more objects may name anything.
const MOST_TARGETS: usize = 64;

/// What a round changes. Grows until a round changes nothing else.
#[derive(Clone, Default)]
pub(crate) struct Changes {
    registers: BTreeMap<usize, Targets>,
    /// Variables whose object is another one after a round.
    locals: BTreeSet<usize>,
    objects: BTreeMap<u32, ObjectChanges>,
}

#[derive(Clone, Default)]
struct ObjectChanges {
    size: bool,
    alive: bool,
    /// The contents, as nothing that can be read.
    opaque: bool,
    /// An allocation that a round looks into for the first time.
    shape: Option<Rc<Layout>>,
    /// By the number of the lane and the index in it; an array term is one.
    cells: BTreeMap<(usize, usize), Targets>,
}

/// The objects that a pointer names at the end of a round, each with its offset if that is one constant. Of a number: nothing.
#[derive(Clone, Default, PartialEq)]
struct Targets {
    objects: BTreeMap<u32, Option<TermId>>,
    anything: bool,
}

impl Targets {
    fn add(&mut self, pool: &TermPool, value: Value) {
        let Value::Pointer { object, offset } = value else { return };
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
            if pool.op(object) == Op::Ite {
                let (cond, yes, no) = (pool.arg(object, 0), pool.arg(object, 1), pool.arg(object, 2));
                let same = pool.op(offset) == Op::Ite && pool.arg(offset, 0) == cond;
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
fn grow<K: Ord>(pool: &TermPool, places: &mut BTreeMap<K, Targets>, place: K, values: &[Value]) -> bool {
    let known = places.contains_key(&place);
    let targets = places.entry(place).or_default();
    let before = targets.clone();
    for value in values {
        targets.add(pool, *value);
    }
    !known || *targets != before
}

impl Changes {
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
        if !Rc::ptr_eq(&head.locals, &back.locals) {
            for (slot, (before, after)) in head.locals.iter().zip(back.locals.iter()).enumerate() {
                if before != after && before.is_some() {
                    grown |= self.locals.insert(slot);
                }
            }
        }
        for id in head.memory.ids() {
            let (Some(before), Some(after)) = (head.memory.get(id), back.memory.get(id)) else { continue };
            if !Rc::ptr_eq(before, after) && before != after {
                grown |= self.objects.entry(id).or_default().grow(pool, before, after);
            }
        }
        grown
    }
}

impl ObjectChanges {
    fn grow(&mut self, pool: &TermPool, before: &Object, after: &Object) -> bool {
        let mut grown = before.size != after.size && !std::mem::replace(&mut self.size, true);
        grown |= before.alive != after.alive && !std::mem::replace(&mut self.alive, true);
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
        self.cuts += 1;
        let mut state = entry.clone();
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
        if !changes.locals.is_empty() {
            let locals = Rc::make_mut(&mut state.locals);
            for slot in &changes.locals {
                locals[*slot] = None;
            }
        }
        for (id, changes) in &changes.objects {
            let Some(before) = entry.memory.get(*id).cloned() else { continue };
            let object = self.arbitrary_object(entry, &before, changes, &format!("cut{cut}.o{id}"));
            state.memory.set(*id, Rc::new(object));
        }
        state
    }

    fn arbitrary_object(&mut self, entry: &State, before: &Object, changes: &ObjectChanges, name: &str) -> Object {
        let mut object = before.clone();
        if changes.size {
            object.size = self.pool().bv_var(&format!("{name}.size"), OFFSET_BITS);
        }
        if changes.alive {
            object.alive = self.pool().bool_var(&format!("{name}.alive"));
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
    fn arbitrary_value(
        &mut self,
        entry: &State,
        before: Option<Value>,
        targets: &Targets,
        (pointer, width): (bool, u32),
        name: &str,
    ) -> Value {
        if !pointer {
            let width = before.map_or(width, |value| self.encoder.pool.width(value.bits()));
            return Value::Bits(self.pool().bv_var(&format!("{name}:{width}"), width));
        }
        let mut targets = targets.clone();
        if let Some(value) = before {
            targets.add(&self.encoder.pool, value);
        }
        let exists = |id: &u32| *id == 0 || entry.memory.get(*id).is_some();
        let any_offset = self.pool().bv_var(&format!("{name}.offset"), OFFSET_BITS);
        if targets.anything || !targets.objects.keys().all(exists) {
            let object = self.pool().bv_var(&format!("{name}.object"), OBJECT_BITS);
            return Value::Pointer { object, offset: any_offset };
        }
        let mut choice: Option<Value> = None;
        for (id, offset) in &targets.objects {
            let object = self.pool().bv(OBJECT_BITS, *id as u128);
            let one = Value::Pointer { object, offset: offset.unwrap_or(any_offset) };
            choice = Some(match choice {
                None => one,
                Some(others) => {
                    let names = self.pool().bool_var(&format!("{name}.is{id}"));
                    Value::ite(self.pool(), names, one, others)
                }
            });
        }
        choice.unwrap_or_else(|| Value::null(self.pool()))
    }
}
