//! Blocks of memory: `memset`, `memcpy`, `memcmp`, `memchr` and their relatives.
//!
//! A block of constant size at a known place is handled scalar by scalar as its layout has them, so that pointers stay pointers; any other
//! byte by byte.

use super::bytes::{MAX_BYTES, Reader};
use super::{Answer, Invocation};
use crate::address::number_to_pointer;
use crate::exec::Run;
use crate::memory::{Access, Contents, fresh_cells};
use crate::state::State;
use crate::targets::Purpose;
use crate::unrolling::ObligationKind;
use crate::value::{OFFSET_BITS, SymbolicValue};
use cfa::TypeId;
use cfa::const_bits::Writes;
use cfa::library::LibFn;
use logic::TermId;
use std::rc::Rc;

/// Blocks of more scalars are handled only if they are whole objects.
const MAX_SCALARS: usize = 4096;

impl Run<'_, '_> {
    pub(super) fn copying(&mut self, state: &mut State, call: &mut Invocation, meaning: LibFn) -> Option<Answer> {
        let to = call.pointer(if meaning == LibFn::Bcopy { 1 } else { 0 })?;
        match meaning {
            LibFn::Memset => {
                let byte = call.number(1)?;
                let (byte, size) = (self.pool().extract(byte, 7, 0), self.size_argument(call, 2)?);
                self.memset(state, call, to, byte, size);
                Some(Answer::SymbolicValue(to))
            }
            LibFn::Bzero => {
                let (byte, size) = (self.pool().bv(8, 0), self.size_argument(call, 1)?);
                self.memset(state, call, to, byte, size);
                Some(Answer::Nothing)
            }
            _ => {
                let from = call.pointer(if meaning == LibFn::Bcopy { 0 } else { 1 })?;
                let size = self.size_argument(call, 2)?;
                if matches!(meaning, LibFn::Memcpy | LibFn::Mempcpy) {
                    let overlap = self.overlap(to, size, from, size);
                    self.misuse(state, overlap);
                }
                self.copy_block(state, call, to, from, size);
                Some(match meaning {
                    LibFn::Bcopy => Answer::Nothing,
                    LibFn::Mempcpy => Answer::SymbolicValue(self.displaced(to, size)),
                    _ => Answer::SymbolicValue(to),
                })
            }
        }
    }

    /// The one object a pointer names, and a constant offset in it.
    fn known_target(&mut self, pointer: SymbolicValue) -> Option<(u32, u64)> {
        let SymbolicValue::Pointer { object, offset } = pointer else { return None };
        Some((self.pool().as_u64(object)? as u32, self.pool().as_u64(offset)?))
    }

    /// The scalars of a block at a known place, if its layout divides it so.
    fn scalars_at(&mut self, state: &State, pointer: SymbolicValue, size: TermId) -> Option<(u64, Vec<(u64, Access)>)> {
        let (id, start) = self.known_target(pointer)?;
        let size = self.pool().as_u64(size)?;
        let Contents::Typed { layout, .. } = &state.memory.get(id)?.contents else { return None };
        Some((start, layout.scalars(start, start.checked_add(size)?, MAX_SCALARS)?))
    }

    fn memset(&mut self, state: &mut State, call: &Invocation, to: SymbolicValue, byte: TermId, size: TermId) {
        let always = self.pool().bool(true);
        if self.clear_whole(state, to, byte, size) {
            return;
        }
        let place = self.range(state, to, size, Purpose::Write, always);
        if self.is_dead(state) {
            return;
        }
        if let Some((start, scalars)) = self.scalars_at(state, to, size) {
            for (at, access) in scalars {
                let mut image = (1..access.size).fold(byte, |high, _| self.pool().concat(high, byte));
                if let Some(range) = access.bits {
                    let (low, width) = (range.start as u32, range.width as u32);
                    image = self.pool().extract(image, low + width - 1, low);
                }
                let unused = access.width < self.pool().width(image);
                let value = match access.pointer {
                    true => number_to_pointer(self.pool(), image),
                    false => SymbolicValue::Bits(self.pool().resize_unsigned(image, access.width)),
                };
                if unused {
                    // `_Bool` and `long double` do not use all of their bits.
                    let back = self.pool().resize_unsigned(value.bits(), access.size as u32 * 8);
                    let lost = self.pool().ne(back, image);
                    self.leave(state, ObligationKind::Poison("memset of bits that belong to no value".into()), lost);
                }
                self.put_scalar_at(state, &place, at - start, access, value, always);
            }
            return;
        }
        let count = self.block_limit(state, &[&place], size);
        let bytes: Vec<(TermId, TermId)> = (0..count).map(|at| (byte, self.below(always, at, Some(size)))).collect();
        self.put(state, &place, &bytes);
        let more = self.below(always, count, Some(size));
        self.beyond_limit(state, call, more);
    }

    /// How many bytes of a block there can be, within the limit.
    fn block_limit(&mut self, state: &State, places: &[&Reader], size: TermId) -> u64 {
        let mut limit = self.pool().as_u64(size).unwrap_or(MAX_BYTES).min(MAX_BYTES);
        for place in places {
            limit = limit.min(self.room(state, place).unwrap_or(MAX_BYTES));
        }
        limit
    }

    /// A whole object set to zero is a fresh zero object.
    fn clear_whole(&mut self, state: &mut State, to: SymbolicValue, byte: TermId, size: TermId) -> bool {
        let Some((id, 0)) = self.known_target(to) else { return false };
        let Some(target) = state.memory.get(id).cloned() else { return false };
        let alive = self.pool().as_bool(target.alive) == Some(true);
        if self.pool().as_u64(byte) != Some(0) || target.size != size || target.writes != Writes::All || !alive {
            return false;
        }
        let contents = match &target.contents {
            Contents::Untyped { name, .. } => Contents::Untyped { zero: true, name: name.clone() },
            Contents::Typed { layout, .. } => {
                let cells = fresh_cells(self.pool(), layout, true, "");
                Contents::Typed { layout: layout.clone(), cells }
            }
            Contents::Opaque | Contents::Nothing => return false,
        };
        if let Some(target) = state.memory.get_mut(id) {
            target.contents = contents;
        }
        true
    }

    /// A whole object copied to a whole object takes its contents.
    fn copy_whole_object(&mut self, state: &mut State, to: SymbolicValue, from: SymbolicValue, size: TermId) -> bool {
        let (Some((to_id, 0)), Some((from_id, 0))) = (self.known_target(to), self.known_target(from)) else {
            return false;
        };
        let (Some(target), Some(source)) = (state.memory.get(to_id).cloned(), state.memory.get(from_id).cloned())
        else {
            return false;
        };
        let alive = [target.alive, source.alive].iter().all(|alive| self.pool().as_bool(*alive) == Some(true));
        if target.size != size || source.size != size || target.writes != Writes::All || !alive {
            return false;
        }
        let fits = match (&target.contents, &source.contents) {
            (Contents::Typed { layout: a, .. }, Contents::Typed { layout: b, .. }) => a == b,
            (Contents::Untyped { .. }, Contents::Typed { .. }) => true,
            _ => false,
        };
        if fits && let Some(target) = state.memory.get_mut(to_id) {
            target.contents = source.contents.clone();
        }
        fits
    }

    /// An allocation that was never read takes the shape of what is copied to its start.
    fn take_shape(&mut self, state: &mut State, to: SymbolicValue, from: SymbolicValue) {
        let (Some((to_id, 0)), Some((from_id, 0))) = (self.known_target(to), self.known_target(from)) else { return };
        let (Some(target), Some(source)) = (state.memory.get(to_id).cloned(), state.memory.get(from_id)) else {
            return;
        };
        let (Contents::Untyped { zero, name }, Contents::Typed { layout, .. }) = (&target.contents, &source.contents)
        else {
            return;
        };
        let (old, new) = (source.constant_size(self.pool()), target.constant_size(self.pool()));
        let Some(layout) = layout.resized(old, new) else { return };
        let cells = fresh_cells(self.pool(), &layout, *zero, name);
        if !*zero {
            self.note_heap_fill(state, name, &layout, &cells, target.alive);
        }
        if let Some(target) = state.memory.get_mut(to_id) {
            target.contents = Contents::Typed { layout: Rc::new(layout), cells };
        }
    }

    fn copy_block(
        &mut self,
        state: &mut State,
        call: &Invocation,
        to: SymbolicValue,
        from: SymbolicValue,
        size: TermId,
    ) {
        let always = self.pool().bool(true);
        if self.copy_whole_object(state, to, from, size) {
            return;
        }
        if self.pool().as_u64(size) != Some(0) {
            self.take_shape(state, to, from);
        }
        let mut source = self.range(state, from, size, Purpose::Read, always);
        let target = self.range(state, to, size, Purpose::Write, always);
        if self.is_dead(state) {
            return;
        }
        if let Some((start, scalars)) = self.scalars_at(state, from, size) {
            let mut values = Vec::new();
            for (at, access) in &scalars {
                values.push(self.scalar_of(state, from, *at, *access));
            }
            for ((at, access), value) in scalars.iter().zip(values) {
                self.put_scalar_at(state, &target, at - start, *access, value, always);
            }
            return;
        }
        let count = self.block_limit(state, &[&source, &target], size);
        let mut bytes = Vec::new();
        for at in 0..count {
            let cond = self.below(always, at, Some(size));
            let (byte, cond) = self.next_byte(state, &mut source, at, cond);
            bytes.push((byte, cond));
        }
        self.put(state, &target, &bytes);
        let more = self.below(always, count, Some(size));
        self.beyond_limit(state, call, more);
    }

    /// A scalar of the object that a pointer surely names.
    fn scalar_of(&mut self, state: &mut State, pointer: SymbolicValue, at: u64, access: Access) -> SymbolicValue {
        let SymbolicValue::Pointer { object, .. } = pointer else { panic!("a pointer is needed") };
        let offset = self.pool().bv(OFFSET_BITS, at as u128);
        self.load_at(state, object, offset, access, TypeId::CHAR)
    }

    pub(super) fn searching(&mut self, state: &mut State, call: &mut Invocation, meaning: LibFn) -> Option<Answer> {
        let always = self.pool().bool(true);
        let (first, size) = (call.pointer(0)?, self.size_argument(call, 2)?);
        if meaning == LibFn::Memcmp {
            let second = call.pointer(1)?;
            let mut a = self.range(state, first, size, Purpose::Read, always);
            let mut b = self.range(state, second, size, Purpose::Read, always);
            let count = self.block_limit(state, &[&a, &b], size);
            let mut differences = Vec::new();
            for at in 0..count {
                let cond = self.below(always, at, Some(size));
                let (x, here) = self.next_byte(state, &mut a, at, cond);
                let (y, here) = self.next_byte(state, &mut b, at, here);
                let differ = self.pool().ne(x, y);
                let differ = self.pool().and(here, differ);
                let (x, y) = (self.pool().zext(x, 32), self.pool().zext(y, 32));
                differences.push((differ, self.pool().bv_sub(x, y)));
            }
            let more = self.below(always, count, Some(size));
            self.beyond_limit(state, call, more);
            let difference = self.first_difference(&differences);
            return Some(Answer::SymbolicValue(SymbolicValue::Bits(self.ordering(state, call, difference))));
        }
        let wanted = call.number(1)?;
        let wanted = self.pool().extract(wanted, 7, 0);
        let backwards = meaning == LibFn::Memrchr;
        let mut reached = self.below(always, 0, Some(size));
        // Backwards, all bytes are looked at; forwards, those up to the first hit.
        let mut reader = match backwards {
            true => self.range(state, first, size, Purpose::Read, always),
            false => self.reader(state, first, reached),
        };
        let mut hits = Vec::new();
        for at in 0..MAX_BYTES {
            if self.pool().as_bool(reached) == Some(false) {
                break;
            }
            let (byte, here) = self.next_byte(state, &mut reader, at, reached);
            let equal = self.pool().eq(byte, wanted);
            hits.push(self.pool().and(here, equal));
            let differs = self.pool().not(equal);
            let on = if backwards { here } else { self.pool().and(here, differs) };
            reached = self.below(on, at + 1, Some(size));
        }
        self.finish(state, reader);
        self.beyond_limit(state, call, reached);
        if !backwards {
            let found = self.first_place(first, &hits);
            return Some(Answer::SymbolicValue(self.or_null(found)));
        }
        let mut result = SymbolicValue::null(self.pool());
        for (at, hit) in hits.iter().enumerate() {
            let at = self.pool().bv(OFFSET_BITS, at as u128);
            let place = self.displaced(first, at);
            result = SymbolicValue::ite(self.pool(), *hit, place, result);
        }
        Some(Answer::SymbolicValue(result))
    }
}
