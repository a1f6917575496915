//! Allocation. As in the interpreter, `malloc` does not fail, `realloc` always moves, and `realloc(p, 0)` frees.

use super::{Answer, Invocation};
use crate::encoder::ObjectKey;
use crate::exec::{HeapFill, Run};
use crate::memory::{Contents, Object, fresh_cells};
use crate::mode::Fill;
use crate::state::State;
use crate::unrolling::{FillPlace, ObligationKind, SymbolicFill};
use crate::value::{OBJECT_BITS, OFFSET_BITS, SymbolicValue};
use cfa::const_bits::Writes;
use cfa::library::LibFn;
use cfa::{DataModel, Fault, TypeId, interp};
use logic::TermId;
use std::rc::Rc;

/// A `realloc` moves at most so many scalars.
const MAX_MOVED: usize = 256;

/// A replay has the memory for allocations up to so many bytes; only sizes that the program computes from its inputs are looked at.
const LARGEST_REPLAYED: u128 = 1 << 24;

const TOO_MANY: &str = "allocation of too many bytes";

impl Run<'_, '_> {
    pub(super) fn allocation(&mut self, state: &mut State, call: &mut Invocation, meaning: LibFn) -> Option<Answer> {
        let value = match meaning {
            LibFn::Malloc => {
                let size = self.size_argument(call, 0)?;
                self.new_allocation(state, size, false, true)
            }
            LibFn::AlignedAlloc => {
                let size = self.size_argument(call, 1)?;
                self.new_allocation(state, size, false, true)
            }
            LibFn::Calloc => {
                let size = self.product(state, call, 0)?;
                self.new_allocation(state, size, true, true)
            }
            LibFn::Alloca => {
                let size = self.size_argument(call, 0)?;
                let value = self.new_allocation(state, size, false, false);
                let SymbolicValue::Pointer { object, .. } = value else { return None };
                let id = self.pool().as_u64(object)? as u32;
                self.activation().allocas.push(id);
                value
            }
            LibFn::NewObject => {
                let size = self.size_argument(call, 0)?;
                self.new_allocation(state, size, false, false)
            }
            LibFn::EndObject => {
                self.end_library_object(state, call.pointer(0)?);
                return Some(Answer::Nothing);
            }
            LibFn::Free => {
                let always = self.pool().bool(true);
                self.free_if(state, call.pointer(0)?, always);
                return Some(Answer::Nothing);
            }
            LibFn::Realloc => {
                let size = self.size_argument(call, 1)?;
                return self.realloc(state, call, size);
            }
            LibFn::ReallocArray => {
                let size = self.product(state, call, 1)?;
                return self.realloc(state, call, size);
            }
            _ => return self.posix_memalign(state, call),
        };
        Some(Answer::SymbolicValue(value))
    }

    /// The product of two arguments; if it is too large, allocating it fails, which is not modelled.
    fn product(&mut self, state: &mut State, call: &Invocation, first: usize) -> Option<TermId> {
        let (count, each) = (self.size_argument(call, first)?, self.size_argument(call, first + 1)?);
        let overflows = self.pool().umul_overflows(count, each);
        self.leave(state, ObligationKind::Poison(TOO_MANY.into()), overflows);
        Some(self.pool().bv_mul(count, each))
    }

    pub(crate) fn new_allocation(&mut self, state: &mut State, size: TermId, zero: bool, heap: bool) -> SymbolicValue {
        let always = self.pool().bool(true);
        self.new_allocation_if(state, size, zero, heap, always)
    }

    /// The allocation happens where `cond` holds.
    fn new_allocation_if(
        &mut self,
        state: &mut State,
        size: TermId,
        zero: bool,
        heap: bool,
        cond: TermId,
    ) -> SymbolicValue {
        self.require_room(state, size, cond);
        let name: Rc<str> = self.fresh_name("heap").into();
        if !zero {
            self.expect_fill(state, name.clone(), size, cond);
        }
        self.new_object(state, size, heap, Contents::Untyped { zero, name })
    }

    /// The interpreter will ask how to fill an allocation; its contents are known later.
    fn expect_fill(&mut self, state: &State, name: Rc<str>, size: TermId, cond: TermId) {
        let place = FillPlace::Allocation(self.edge);
        if !self.happens(cond) {
            return;
        }
        if self.mode.knows_memory() {
            return self.fill(Fill::Allocation { place, edge: self.edge, name, size });
        }
        let guard = state.guard.term(self.pool());
        let guard = self.pool().and(guard, cond);
        let when = self.pool().bool(true);
        self.heap_fills.insert(name, vec![HeapFill { index: self.out.fills.len(), when, bytes: 0..u64::MAX }]);
        let inputs_before = self.out.inputs.len();
        let size = self.pool().as_u64(size).unwrap_or(0);
        self.out.fills.push(SymbolicFill { place, guard, inputs_before, size, parts: Vec::new() });
    }

    /// An allocation for a string of at most so many bytes, its end included.
    pub(super) fn new_text_allocation(&mut self, state: &mut State, size: TermId, most: u64) -> SymbolicValue {
        let name = self.fresh_name("heap");
        let always = self.pool().bool(true);
        self.require_room(state, size, always);
        self.expect_fill(state, name.as_str().into(), size, always);
        let contents = match crate::layout::of_elements(&self.program.types, TypeId::CHAR, Some(most)) {
            Some(layout) => {
                let cells = fresh_cells(self.pool(), &layout, false, &name);
                self.note_heap_fill(state, &name, &layout, &cells, always);
                Contents::Typed { layout: Rc::new(layout), cells }
            }
            None => Contents::Untyped { zero: false, name: name.into() },
        };
        self.new_object(state, size, true, contents)
    }

    /// Where an allocation cannot succeed, it fails, which is not modelled.
    fn require_room(&mut self, state: &mut State, size: TermId, cond: TermId) {
        let model = self.program.model();
        let most = self.pool().bv(OFFSET_BITS, interp::largest_allocation(model) as u128);
        let mut too_large = self.pool().ugt(size, most);
        // Sizes that are inputs are small on runs that are replayed; what is known to be large has to fit a short address space.
        if let Some(size) = self.pool().as_u64(size)
            && model == DataModel::Ilp32
            && size as u128 > LARGEST_REPLAYED
        {
            let never = self.pool().bool(false);
            let objects = state.memory.ids().filter_map(|id| state.memory.get(id));
            let sizes = objects
                .filter(|object| object.alive != never)
                .filter_map(|object| self.encoder.pool.as_u64(object.size));
            let total = sizes.fold(size, u64::saturating_add);
            if total > u32::MAX as u64 {
                too_large = self.pool().bool(true);
            }
        }
        let cond = self.pool().and(too_large, cond);
        self.leave(state, ObligationKind::Poison(TOO_MANY.into()), cond);
    }

    fn new_object(&mut self, state: &mut State, size: TermId, heap: bool, contents: Contents) -> SymbolicValue {
        if self.pool().as_u64(size).is_none() && self.mode.explores_open() {
            let most = self.pool().bv(OFFSET_BITS, LARGEST_REPLAYED);
            let small = self.pool().ule(size, most);
            let guard = state.guard.term(self.pool());
            let small = self.pool().implies(guard, small);
            self.require_for_replay(small);
        }
        let (context, edge, salt) = (self.context(), self.edge, self.salt());
        let id = self.encoder.object_id(ObjectKey::Heap(context, edge, salt));
        self.allocated.push(id);
        let alive = self.pool().bool(true);
        state.memory.set(id, Rc::new(Object { size, alive, writes: Writes::All, heap, contents }));
        let object = self.pool().bv(OBJECT_BITS, id as u128);
        SymbolicValue::Pointer { object, offset: self.pool().bv(OFFSET_BITS, 0) }
    }

    /// Ends the allocation that a pointer names, where `cond` holds; nothing happens to null. The allocations that it may be.
    fn free_if(&mut self, state: &mut State, pointer: SymbolicValue, cond: TermId) -> Vec<(u32, TermId)> {
        let SymbolicValue::Pointer { object, offset } = pointer else { return Vec::new() };
        let zero = self.pool().bv(OFFSET_BITS, 0);
        let displaced = self.pool().ne(offset, zero);
        let candidates = self.candidates(state, object);
        let mut freed = Vec::new();
        for (id, hit) in candidates {
            let hit = self.pool().and(hit, cond);
            let misplaced = self.pool().and(hit, displaced);
            let target = id.and_then(|id| state.memory.get(id).cloned());
            match (id, target) {
                (Some(0), None) => self.fault(state, Fault::InvalidFree, misplaced),
                (Some(id), Some(target)) if target.heap => {
                    let dead = self.pool().not(target.alive);
                    let twice = self.pool().and(hit, dead);
                    self.fault(state, Fault::DoubleFree, twice);
                    self.fault(state, Fault::InvalidFree, misplaced);
                    freed.push((id, hit));
                }
                _ => self.fault(state, Fault::InvalidFree, hit),
            }
        }
        for (id, hit) in &freed {
            let not = self.pool().not(*hit);
            let pool = &mut self.encoder.pool;
            if let Some(target) = state.memory.get_mut(*id) {
                target.alive = pool.and(target.alive, not);
            }
        }
        freed
    }

    /// Ends the lifetime of an object of the library's.
    fn end_library_object(&mut self, state: &mut State, pointer: SymbolicValue) {
        let SymbolicValue::Pointer { object, offset } = pointer else { return };
        let zero = self.pool().bv(OFFSET_BITS, 0);
        let displaced = self.pool().ne(offset, zero);
        for (id, hit) in self.candidates(state, object) {
            let target = id.and_then(|id| Some((id, state.memory.get(id).cloned()?)));
            let is_library = |id: u32| matches!(self.encoder.object_keys[id as usize], ObjectKey::Heap(..));
            match target.filter(|(id, target)| !target.heap && is_library(*id)) {
                Some((id, target)) => {
                    let dead = self.pool().not(target.alive);
                    let twice = self.pool().and(hit, dead);
                    self.fault(state, Fault::DoubleFree, twice);
                    let misplaced = self.pool().and(hit, displaced);
                    self.fault(state, Fault::InvalidFree, misplaced);
                    let not = self.pool().not(hit);
                    let pool = &mut self.encoder.pool;
                    if let Some(target) = state.memory.get_mut(id) {
                        target.alive = pool.and(target.alive, not);
                    }
                }
                None => self.fault(state, Fault::InvalidFree, hit),
            }
        }
    }

    fn realloc(&mut self, state: &mut State, call: &Invocation, size: TermId) -> Option<Answer> {
        let old = call.pointer(0)?;
        let null = self.is_null(old);
        let real = self.pool().not(null);
        let freed = self.free_if(state, old, real);
        if self.is_dead(state) {
            return Some(Answer::End);
        }
        // Of nothing, the result is null, and there is no new allocation; but of null it is `malloc(0)`.
        let zero = self.pool().bv(OFFSET_BITS, 0);
        let nothing = self.pool().eq(size, zero);
        let nothing = self.pool().and(nothing, real);
        let some = self.pool().not(nothing);
        let new = self.new_allocation_if(state, size, false, true, some);
        let SymbolicValue::Pointer { object, .. } = new else { return None };
        let new_id = self.pool().as_u64(object)? as u32;
        self.move_contents(state, new_id, size, &freed);
        if let Some(target) = state.memory.get_mut(new_id) {
            target.alive = some;
        }
        let result = SymbolicValue::Pointer { object, offset: zero };
        Some(Answer::SymbolicValue(self.or_null((result, some))))
    }

    fn move_contents(&mut self, state: &mut State, new: u32, size: TermId, old: &[(u32, TermId)]) {
        for (id, hit) in old {
            let Some(object) = state.memory.get(*id).cloned() else { continue };
            match &object.contents {
                // Zeros must be moved.
                Contents::Untyped { zero: true, .. } => self.give_type(state, *id, TypeId::CHAR),
                // What was never written or read is as arbitrary as what comes.
                Contents::Untyped { zero: false, name } => self.move_fill(state, (name, object.size), new, *hit),
                _ => {}
            }
        }
        let shaped = old.iter().find_map(|(id, _)| {
            let object = state.memory.get(*id)?.clone();
            let Contents::Typed { layout, .. } = &object.contents else { return None };
            Some((layout.clone(), object.clone()))
        });
        let construct = "`realloc` of memory that is not known well enough";
        for (id, hit) in old {
            let contents = state.memory.get(*id).map(|object| object.contents.clone());
            if !matches!(contents, Some(Contents::Typed { .. } | Contents::Untyped { zero: false, .. })) {
                self.leave(state, ObligationKind::Poison(construct.into()), *hit);
            }
        }
        let Some((layout, first)) = shaped else { return };
        let (old_size, new_size) = (first.constant_size(self.pool()), self.pool().as_u64(size));
        let Some(layout) = layout.resized(old_size, new_size) else {
            let any: Vec<TermId> = old.iter().map(|(_, hit)| *hit).collect();
            let any = self.pool().or_all(&any);
            return self.leave(state, ObligationKind::Poison(construct.into()), any);
        };
        let name = self.fresh_name("heap");
        let cells = fresh_cells(self.pool(), &layout, false, &name);
        let always = self.pool().bool(true);
        self.note_heap_fill(state, &name, &layout, &cells, always);
        let scalars = layout.first_scalars(MAX_MOVED);
        let covered = scalars.iter().map(|(at, access)| at + access.size).max().unwrap_or(0);
        let mut target = match state.memory.get(new) {
            Some(object) => Object::clone(object),
            None => return,
        };
        target.contents = Contents::Typed { layout: Rc::new(layout.clone()), cells };
        let complete = layout.count_of_scalars().is_some_and(|count| count <= scalars.len() as u64);
        for (id, hit) in old {
            let Some(source) = state.memory.get(*id).cloned() else { continue };
            if !matches!(source.contents, Contents::Typed { .. }) {
                continue;
            }
            let largest = self.encoder.pool.largest(source.size).min(self.encoder.pool.largest(size));
            for (at, access) in scalars.iter().filter(|(at, access)| at + access.size <= largest) {
                let end = self.pool().bv(OFFSET_BITS, (at + access.size) as u128);
                let (there, here) = (self.pool().ule(end, source.size), self.pool().ule(end, size));
                let moved = self.pool().and_all(&[*hit, there, here]);
                if self.pool().as_bool(moved) == Some(false) {
                    continue;
                }
                let offset = self.pool().bv(OFFSET_BITS, *at as u128);
                let written = source.read(self.pool(), offset, *access).and_then(|(value, fits)| {
                    let pool = &mut self.encoder.pool;
                    let also = target.write(pool, offset, *access, value, moved)?;
                    Ok(pool.and(fits, also))
                });
                self.require_fit(state, *id, moved, written);
            }
            if !complete && covered < largest {
                let limit = self.pool().bv(OFFSET_BITS, covered as u128);
                let (more_there, more_here) = (self.pool().ult(limit, source.size), self.pool().ult(limit, size));
                let more = self.pool().and_all(&[*hit, more_there, more_here]);
                self.leave(state, ObligationKind::Poison(construct.into()), more);
            }
        }
        state.memory.set(new, Rc::new(target));
    }

    /// An allocation that was never read is moved where `cond` holds: the fresh variables of the new one are its contents.
    fn move_fill(&mut self, state: &State, from: (&str, TermId), new: u32, cond: TermId) {
        let Some(Contents::Untyped { name, .. }) = state.memory.get(new).map(|object| object.contents.clone()) else {
            return;
        };
        let (from, size) = (from.0, self.pool().as_u64(from.1));
        if !self.happens(cond) {
            return;
        }
        if self.mode.knows_memory() {
            return self.fill(Fill::Moved { from, to: &name });
        }
        let sure = self.pool().as_bool(cond) == Some(true);
        let mut fills = self.heap_fills.get(&name).cloned().unwrap_or_default();
        if let Some(size) = size.filter(|_| sure) {
            fills.iter_mut().for_each(|fill| fill.bytes.start = fill.bytes.start.max(size));
        }
        for mut fill in self.heap_fills.get(from).cloned().unwrap_or_default() {
            fill.when = self.pool().and(fill.when, cond);
            fill.bytes.end = fill.bytes.end.min(size.unwrap_or(u64::MAX));
            fills.push(fill);
        }
        self.heap_fills.insert(name, fills);
    }

    fn posix_memalign(&mut self, state: &mut State, call: &Invocation) -> Option<Answer> {
        const EINVAL: u128 = 22;
        let (target, alignment) = (call.pointer(0)?, call.number(1)?);
        let alignment = self.pool().as_u64(alignment)?;
        if !alignment.is_power_of_two() || !alignment.is_multiple_of(self.program.model().pointer_bytes()) {
            return Some(Answer::SymbolicValue(SymbolicValue::Bits(self.pool().bv(32, EINVAL))));
        }
        let size = self.size_argument(call, 2)?;
        let value = self.new_allocation(state, size, false, true);
        let access = self.access_of(TypeId::VOID_POINTER, None);
        let always = self.pool().bool(true);
        self.store_scalar_if(state, target, access, value, TypeId::VOID_POINTER, always);
        Some(Answer::SymbolicValue(SymbolicValue::Bits(self.pool().bv(32, 0))))
    }
}
