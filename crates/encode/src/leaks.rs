//! The end of a run: allocations that are left (`valid-memcleanup`), and those that nobody can reach any more (`valid-memtrack`).
//!
//! An allocation is reachable if a live object outside the heap, or a reachable allocation, holds a pointer into it; as a term, that is
//! propagated once for each allocation there is.

use crate::exec::Run;
use crate::memory::{Cell, Contents, Object};
use crate::state::State;
use crate::unrolling::ObligationKind;
use crate::value::{OBJECT_BITS, PACKED_BITS, Value};
use cfa::Property;
use logic::{Op, TermId};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Reachability of more allocations would be too large a formula.
const MAX_ALLOCATIONS: usize = 48;
/// As would the contents of a large array that was written more often.
const MAX_WRITES: usize = 1000;

impl Run<'_, '_> {
    /// A run ends regularly: checks what is left, if that is asked for.
    pub fn check_leaks(&mut self, mut state: State) {
        let properties = self.bounds.properties;
        let objects: Vec<(u32, Rc<Object>)> =
            state.memory.ids().filter_map(|id| Some((id, state.memory.get(id)?.clone()))).collect();
        if properties.contains(Property::ValidMemcleanup) {
            let alive: Vec<TermId> =
                objects.iter().filter(|(_, object)| object.heap).map(|(_, object)| object.alive).collect();
            let leaks = self.pool().or_all(&alive);
            self.leave(&mut state, ObligationKind::Violation(Property::ValidMemcleanup, None), leaks);
        }
        if properties.contains(Property::ValidMemtrack) {
            match self.lost(&objects) {
                Some(lost) => self.leave(&mut state, ObligationKind::Violation(Property::ValidMemtrack, None), lost),
                None => self.poison(&mut state, "reachability of that much allocated memory"),
            }
        }
        let guard = state.guard.term(self.pool());
        self.out.ends.push(guard);
    }

    /// Whether some allocation is alive and not reachable; `None` if that cannot be said.
    fn lost(&mut self, objects: &[(u32, Rc<Object>)]) -> Option<TermId> {
        let never = self.pool().bool(false);
        let heap: Vec<&(u32, Rc<Object>)> =
            objects.iter().filter(|(_, object)| object.heap && object.alive != never).collect();
        if heap.is_empty() {
            return Some(never);
        }
        if heap.len() > MAX_ALLOCATIONS {
            return None;
        }
        // points[from][to]: whether an allocation holds a pointer to another; the roots come first.
        let mut reachable = vec![never; heap.len()];
        for (_, root) in objects.iter().filter(|(_, object)| !object.heap) {
            for (position, hit) in self.pointers_into(root, &heap)?.into_iter().enumerate() {
                let hit = self.pool().and(hit, root.alive);
                reachable[position] = self.pool().or(reachable[position], hit);
            }
        }
        let mut points = Vec::new();
        for (_, object) in &heap {
            points.push(self.pointers_into(object, &heap)?);
        }
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
        let mut lost = never;
        for ((_, object), reached) in heap.iter().zip(&reachable) {
            let out_of_reach = self.pool().not(*reached);
            let one = self.pool().and(object.alive, out_of_reach);
            lost = self.pool().or(lost, one);
        }
        Some(lost)
    }

    /// For each allocation, whether an object holds a pointer into it; `None` if its contents are not known well enough.
    fn pointers_into(&mut self, object: &Object, heap: &[&(u32, Rc<Object>)]) -> Option<Vec<TermId>> {
        let mut hits = vec![self.pool().bool(false); heap.len()];
        let cells = match &object.contents {
            Contents::Typed { cells, .. } => cells,
            Contents::Untyped { .. } | Contents::Nothing => return Some(hits),
            // Whatever holds pointers there is not seen.
            Contents::Opaque => return None,
        };
        for cell in cells {
            let values: Vec<Value> = match cell {
                Cell::One(value) => vec![*value],
                Cell::Few(values) => values.to_vec(),
                // Large arrays of numbers hold no pointers.
                Cell::Array(array) => match self.pool().sort(*array) {
                    logic::Sort::Array { element, .. } if element == PACKED_BITS => self.stored_pointers(*array)?,
                    _ => Vec::new(),
                },
            };
            for value in values {
                let Value::Pointer { object, .. } = value else { continue };
                for (position, (id, _)) in heap.iter().enumerate() {
                    let number = self.pool().bv(OBJECT_BITS, *id as u128);
                    let hit = self.pool().eq(object, number);
                    hits[position] = self.pool().or(hits[position], hit);
                }
            }
        }
        Some(hits)
    }

    /// The pointers that an array holds besides null: what it has at the indices that were ever written. `None` if it did not begin with
    /// null pointers, or was written too often.
    fn stored_pointers(&mut self, array: TermId) -> Option<Vec<Value>> {
        let mut indices = Vec::new();
        let (mut open, mut seen) = (vec![array], FxHashSet::default());
        while let Some(term) = open.pop() {
            if !seen.insert(term) {
                continue;
            }
            let pool = self.pool();
            match pool.op(term) {
                Op::Store => {
                    let index = pool.arg(term, 1);
                    open.push(pool.arg(term, 0));
                    if !indices.contains(&index) {
                        indices.push(index);
                    }
                }
                Op::Ite => open.extend([pool.arg(term, 1), pool.arg(term, 2)]),
                Op::ConstArray if pool.as_bits(pool.arg(term, 0))?.is_zero() => {}
                _ => return None,
            }
            if seen.len() > MAX_WRITES {
                return None;
            }
        }
        let pool = self.pool();
        Some(
            indices
                .into_iter()
                .map(|index| {
                    let packed = pool.select(array, index);
                    Value::unpack(pool, packed, true)
                })
                .collect(),
        )
    }
}
