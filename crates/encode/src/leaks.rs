//! The end of a run: allocations that are left (`valid-memcleanup`), and those that no pointer reaches any more (`valid-memtrack`).
//!
//! An allocation is reachable if a root or a reachable allocation holds a pointer into it; as a term, that is propagated once for each
//! allocation there is. Roots are objects of static lifetime and the variables in scope of the functions under way. That is computed twice:
//! with the pointers that surely keep an allocation, and with everything that might be one, as a number that looks like its address or a
//! pointer beyond its end. What only the latter reaches is neither lost nor kept, so the run leaves the model.

use crate::address::{number_to_pointer, pointer_to_number};
use crate::encoder::ObjectKey;
use crate::exec::Run;
use crate::layout::{LaneKind, Layout};
use crate::memory::{Cell, Contents, Object, lane_start};
use crate::state::State;
use crate::unrolling::ObligationKind;
use crate::value::{OBJECT_BITS, OFFSET_BITS, PACKED_BITS, SymbolicValue};
use cfa::{LocId, Property, VarId};
use logic::{TermId, TermOp};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Reachability of more allocations would be too large a formula.
const MAX_ALLOCATIONS: usize = 48;
/// As would the contents of a large array that was written more often.
const MAX_WRITES: usize = 1000;
/// Larger objects are not searched for numbers that look like addresses: any may be there.
const MAX_SEARCHED: u64 = 1 << 16;

/// For each allocation, when it is pointed to: by what is a pointer into it, and by what might be one.
#[derive(Clone, PartialEq)]
struct Hits {
    sure: Vec<TermId>,
    possible: Vec<TermId>,
}

type Allocations = [(u32, Rc<Object>)];

impl Run<'_, '_> {
    /// A run ends regularly: checks what is left, if that is asked for.
    pub fn check_leaks(&mut self, mut state: State) {
        let properties = self.properties;
        let objects: Vec<(u32, Rc<Object>)> =
            state.memory.ids().filter_map(|id| Some((id, state.memory.get(id)?.clone()))).collect();
        if properties.contains(Property::ValidMemtrack) {
            match self.lost(&state, &objects) {
                Some((lost, unclear)) => {
                    self.leave(&mut state, ObligationKind::Violation(Property::ValidMemtrack, None), lost);
                    let construct = "allocation that is held only as a number, by a pointer out of its bounds, or in memory of `alloca`";
                    self.leave(&mut state, ObligationKind::Poison(construct.into()), unclear);
                }
                None => self.poison(&mut state, "reachability of that much allocated memory"),
            }
        }
        if properties.contains(Property::ValidMemcleanup) {
            let alive: Vec<TermId> =
                objects.iter().filter(|(_, object)| object.heap).map(|(_, object)| object.alive).collect();
            let leaks = self.pool().or_all(&alive);
            self.leave(&mut state, ObligationKind::Violation(Property::ValidMemcleanup, None), leaks);
        }
        let guard = state.guard.term(self.pool());
        self.out.ends.push(guard);
    }

    /// When some allocation is alive and not reachable, and when that cannot be said of one; `None` if there are too many.
    fn lost(&mut self, state: &State, objects: &Allocations) -> Option<(TermId, TermId)> {
        let never = self.pool().bool(false);
        let heap: Vec<(u32, Rc<Object>)> =
            objects.iter().filter(|(_, object)| object.heap && object.alive != never).cloned().collect();
        if heap.is_empty() {
            return Some((never, never));
        }
        if heap.len() > MAX_ALLOCATIONS {
            return None;
        }
        let mut reachable = self.no_hits(&heap);
        let (registers, frames) = self.variables_in_scope(state);
        for value in registers {
            self.note_value(value, &heap, &mut reachable);
        }
        for (id, root) in objects.iter().filter(|(_, object)| !object.heap && object.alive != never) {
            // Where `alloca` was called on some paths only, its object still is on all of them.
            let sure = match self.encoder.object_keys[*id as usize] {
                ObjectKey::Function(_) | ObjectKey::None => continue,
                ObjectKey::Local(context, var, _) => {
                    let in_scope = |(frame, vars): &(u32, Vec<VarId>)| {
                        *frame == context && (self.program.vars[var].address_taken || vars.contains(&var))
                    };
                    if !frames.iter().any(in_scope) {
                        continue;
                    }
                    true
                }
                ObjectKey::Heap(..) => false,
                ObjectKey::Global(_) | ObjectKey::Argument(_) => true,
            };
            let hits = self.pointers_into(root, &heap);
            for position in 0..heap.len() {
                let possible = self.pool().and(hits.possible[position], root.alive);
                reachable.possible[position] = self.pool().or(reachable.possible[position], possible);
                if sure {
                    let hit = self.pool().and(hits.sure[position], root.alive);
                    reachable.sure[position] = self.pool().or(reachable.sure[position], hit);
                }
            }
        }
        let points: Vec<Hits> = heap.iter().map(|(_, object)| self.pointers_into(object, &heap)).collect();
        let sure: Vec<&[TermId]> = points.iter().map(|hits| &hits.sure[..]).collect();
        let kept = self.closure(&heap, reachable.sure, &sure);
        let possible: Vec<&[TermId]> = points.iter().map(|hits| &hits.possible[..]).collect();
        let maybe_kept = self.closure(&heap, reachable.possible, &possible);
        let (mut lost, mut unclear) = (never, never);
        for (position, (_, object)) in heap.iter().enumerate() {
            let out_of_reach = self.pool().not(maybe_kept[position]);
            let one = self.pool().and(object.alive, out_of_reach);
            lost = self.pool().or(lost, one);
            let not_surely = self.pool().not(kept[position]);
            let one = self.pool().and_all(&[object.alive, maybe_kept[position], not_surely]);
            unclear = self.pool().or(unclear, one);
        }
        Some((lost, unclear))
    }

    /// What is reachable through allocations, given what the roots point to and what each allocation points to.
    fn closure(&mut self, heap: &Allocations, mut reachable: Vec<TermId>, points: &[&[TermId]]) -> Vec<TermId> {
        for _ in 0..heap.len() {
            let before = reachable.clone();
            for (from, targets) in points.iter().enumerate() {
                let live = self.pool().and(before[from], heap[from].1.alive);
                for (to, hit) in targets.iter().enumerate() {
                    let through = self.pool().and(live, *hit);
                    reachable[to] = self.pool().or(reachable[to], through);
                }
            }
            if reachable == before {
                break;
            }
        }
        reachable
    }

    /// The values of the registers in scope, and of each activation the variables in scope.
    fn variables_in_scope(&self, state: &State) -> (Vec<SymbolicValue>, Vec<(u32, Vec<VarId>)>) {
        let (mut values, mut frames) = (Vec::new(), Vec::new());
        let (mut edge, mut registers, mut below) = (self.edge, &state.registers, &state.callers);
        for activation in self.stack.iter().rev() {
            let at: LocId = self.program.edges[edge].from;
            let vars = self.program.automatic_at(at);
            let slots =
                vars.iter().filter(|var| self.in_register(**var)).map(|var| (var.0 - activation.first_var) as usize);
            values.extend(slots.filter_map(|slot| registers[slot]));
            frames.push((activation.context, vars));
            let Some(waiting) = below else { break };
            (edge, registers, below) = (activation.call, &waiting.registers, &waiting.below);
        }
        (values, frames)
    }

    fn no_hits(&mut self, heap: &Allocations) -> Hits {
        let never = self.pool().bool(false);
        Hits { sure: vec![never; heap.len()], possible: vec![never; heap.len()] }
    }

    fn note_value(&mut self, value: SymbolicValue, heap: &Allocations, hits: &mut Hits) {
        let (object, offset) = match value {
            SymbolicValue::Pointer { object, offset } => (object, offset),
            SymbolicValue::Bits(term) => {
                let bytes = self.bytes_of(term);
                return self.note_numbers(&bytes, heap, hits);
            }
        };
        for (position, (id, target)) in heap.iter().enumerate() {
            let number = self.pool().bv(OBJECT_BITS, *id as u128);
            let possible = self.pool().eq(object, number);
            let inside = self.pool().ule(offset, target.size);
            let sure = self.pool().and(possible, inside);
            hits.possible[position] = self.pool().or(hits.possible[position], possible);
            hits.sure[position] = self.pool().or(hits.sure[position], sure);
        }
    }

    /// For each allocation, whether an object holds a pointer into it.
    fn pointers_into(&mut self, object: &Object, heap: &Allocations) -> Hits {
        let mut hits = self.no_hits(heap);
        let always = self.pool().bool(true);
        let (layout, cells) = match &object.contents {
            Contents::Typed { layout, cells } => (layout, cells),
            Contents::Untyped { .. } | Contents::Nothing => return hits,
            // Pointers that are stored there are not seen.
            Contents::Opaque => return Hits { possible: vec![always; heap.len()], ..hits },
        };
        for (lane, cell) in layout.lanes.iter().zip(cells).filter(|(lane, _)| lane.kind.padding().is_none()) {
            let values: Vec<SymbolicValue> = match cell {
                Cell::One(value) => vec![*value],
                Cell::Few(values) => values.to_vec(),
                Cell::Array(array) => match (lane.kind, self.stored(*array)) {
                    (LaneKind::Pointer, Some((values, true))) => values,
                    (LaneKind::Pointer, _) | (_, None) => return Hits { possible: vec![always; heap.len()], ..hits },
                    (_, Some((values, _))) => {
                        self.note_elements(&values, lane.size, heap, &mut hits);
                        continue;
                    }
                },
            };
            for value in values.into_iter().filter(|value| matches!(value, SymbolicValue::Pointer { .. })) {
                self.note_value(value, heap, &mut hits);
            }
        }
        match self.bytes_in(layout, cells) {
            Some(bytes) => self.note_numbers(&bytes, heap, &mut hits),
            None => hits.possible = vec![always; heap.len()],
        }
        hits
    }

    /// The bytes of a number, least significant first.
    fn bytes_of(&mut self, term: TermId) -> Vec<Option<TermId>> {
        let width = self.pool().width(term);
        (0..width / 8).map(|byte| Some(self.pool().extract(term, byte * 8 + 7, byte * 8))).collect()
    }

    /// The bytes of an object that are (parts of) numbers and lie in no large array; `None` if there are too many.
    fn bytes_in(&mut self, layout: &Layout, cells: &[Cell]) -> Option<Vec<Option<TermId>>> {
        let mut bytes: Vec<Option<TermId>> = Vec::new();
        for (lane, cell) in layout.lanes.iter().zip(cells) {
            let values: &[SymbolicValue] = match cell {
                Cell::One(value) => std::slice::from_ref(value),
                Cell::Few(values) => values,
                Cell::Array(_) => continue,
            };
            if lane.kind.padding().is_some() {
                continue;
            }
            for (index, value) in values.iter().enumerate() {
                let SymbolicValue::Bits(term) = value else { continue };
                let start = lane_start(lane, index as u64);
                if start + lane.size > MAX_SEARCHED {
                    return None;
                }
                let width = lane.size as u32 * 8;
                let mut image = self.pool().resize_unsigned(*term, width);
                if let LaneKind::BitField(range) = lane.kind {
                    let shift = self.pool().bv(width, range.start as u128);
                    image = self.pool().bv_shl(image, shift);
                }
                let end = (start + lane.size) as usize;
                bytes.resize(bytes.len().max(end), None);
                for (slot, byte) in bytes[start as usize..end].iter_mut().zip(self.bytes_of(image)) {
                    *slot = match (*slot, byte) {
                        (Some(a), Some(b)) => Some(self.pool().bv_or(a, b)),
                        (a, b) => a.or(b),
                    };
                }
            }
        }
        Some(bytes)
    }

    /// Wherever bytes in a row are the address of an allocation, something may point to it.
    fn note_numbers(&mut self, bytes: &[Option<TermId>], heap: &Allocations, hits: &mut Hits) {
        let length = self.program.model().pointer_bytes() as usize;
        for window in bytes.windows(length) {
            let Some(window) = window.iter().copied().collect::<Option<Vec<TermId>>>() else { continue };
            // Small numbers are no addresses.
            let zero = self.pool().bv(8, 0);
            if window[length - 3..].iter().all(|byte| *byte == zero) {
                continue;
            }
            let number = window.into_iter().reduce(|low, high| self.pool().concat(high, low)).expect("not empty");
            let SymbolicValue::Pointer { object, offset } = number_to_pointer(self.pool(), number) else { continue };
            let known = self.pool().as_u64(object);
            if known.is_some_and(|known| heap.iter().all(|(id, _)| *id as u64 != known)) {
                continue;
            }
            for (position, (id, target)) in heap.iter().enumerate() {
                let id = self.pool().bv(OBJECT_BITS, *id as u128);
                let (same, inside) = (self.pool().eq(object, id), self.pool().ule(offset, target.size));
                let hit = self.pool().and(same, inside);
                hits.possible[position] = self.pool().or(hits.possible[position], hit);
            }
        }
    }

    /// Elements of a large array of numbers may be addresses, or the parts of one: then one of them is the part that tells the object.
    fn note_elements(&mut self, values: &[SymbolicValue], size: u64, heap: &Allocations, hits: &mut Hits) {
        let width = self.program.model().pointer_bytes() as u32 * 8;
        let part = size as u32 * 8;
        if part >= width {
            for value in values {
                let bytes = self.bytes_of(value.bits());
                self.note_numbers(&bytes, heap, hits);
            }
            return;
        }
        for (position, (id, _)) in heap.iter().enumerate() {
            let (telling, mask) = self.telling_part(*id, part, width);
            for value in values {
                let element = self.pool().resize_unsigned(value.bits(), part);
                let (mask, telling) = (self.pool().bv(part, mask), self.pool().bv(part, telling));
                let masked = self.pool().bv_and(element, mask);
                let hit = self.pool().eq(masked, telling);
                hits.possible[position] = self.pool().or(hits.possible[position], hit);
            }
        }
    }

    /// Of an address cut into parts of so many bits, the highest that is not zero for any offset; and which of its bits matter.
    fn telling_part(&mut self, id: u32, part: u32, width: u32) -> (u128, u128) {
        let mut number = |object: u128, offset: u128| {
            let (object, offset) = (self.pool().bv(OBJECT_BITS, object), self.pool().bv(OFFSET_BITS, offset));
            let term = pointer_to_number(self.pool(), SymbolicValue::Pointer { object, offset }, width);
            self.pool().as_u64(term).unwrap_or(0) as u128
        };
        let (address, offsets) = (number(id as u128, 0), number(1, u64::MAX as u128) ^ number(1, 0));
        let all = (1u128 << part) - 1;
        let parts =
            (0..width / part).rev().map(|index| (address >> (index * part) & all, !(offsets >> (index * part)) & all));
        parts.into_iter().find(|(telling, _)| *telling != 0).unwrap_or((0, 0))
    }

    /// What an array has at the indices that were ever written, and whether it began with zeros. `None` if it was written too often.
    fn stored(&mut self, array: TermId) -> Option<(Vec<SymbolicValue>, bool)> {
        let (mut indices, mut zeros) = (Vec::new(), true);
        let (mut open, mut seen) = (vec![array], FxHashSet::default());
        while let Some(term) = open.pop() {
            if !seen.insert(term) {
                continue;
            }
            let pool = self.pool();
            match pool.op(term) {
                TermOp::Store => {
                    let index = pool.arg(term, 1);
                    open.push(pool.arg(term, 0));
                    if !indices.contains(&index) {
                        indices.push(index);
                    }
                }
                TermOp::Ite => open.extend([pool.arg(term, 1), pool.arg(term, 2)]),
                TermOp::ConstArray if pool.as_bits(pool.arg(term, 0)).is_some_and(|bits| bits.is_zero()) => {}
                _ => zeros = false,
            }
            if seen.len() > MAX_WRITES {
                return None;
            }
        }
        let pool = self.pool();
        let pointer = matches!(pool.sort(array), logic::Sort::Array { element, .. } if element == PACKED_BITS);
        let values = indices.into_iter().map(|index| {
            let packed = pool.select(array, index);
            SymbolicValue::unpack(pool, packed, pointer)
        });
        Some((values.collect(), zeros))
    }
}
