//! Memory as library functions see it: bytes read one after the other until something is found, strings, and bytes written under conditions.

use super::Invocation;
use crate::exec::Run;
use crate::memory::Access;
use crate::state::State;
use crate::targets::Purpose;
use crate::value::{OFFSET_BITS, SymbolicValue};
use cfa::{Fault, TypeId};
use logic::TermId;

/// No function looks at or writes more bytes than this.
pub const MAX_BYTES: u64 = 1024;
/// What is done for every pair of bytes is done for so many pairs.
pub const MAX_PAIRS: usize = 1 << 14;

pub const BYTE: Access = Access { size: 1, width: 8, pointer: false, bits: None, padding: false };

/// The place that a pointer names, checked for a first byte.
pub struct Reader {
    offset: TermId,
    targets: Vec<(u32, TermId)>,
    /// When reading left the object.
    outside: Vec<TermId>,
}

/// A string as far as it was looked at: bytes, and whether each of them is part of it (those are a prefix).
pub struct Text {
    pub bytes: Vec<TermId>,
    pub inside: Vec<TermId>,
}

impl Run<'_, '_> {
    /// Begins to read where `cond` holds.
    pub fn reader(&mut self, state: &mut State, pointer: SymbolicValue, cond: TermId) -> Reader {
        let one = self.pool().bv(OFFSET_BITS, 1);
        self.range(state, pointer, one, Purpose::Read, cond)
    }

    /// A place of so many bytes, all of them accessed where `cond` holds; none if there are none.
    pub fn range(
        &mut self,
        state: &mut State,
        pointer: SymbolicValue,
        size: TermId,
        purpose: Purpose,
        cond: TermId,
    ) -> Reader {
        let SymbolicValue::Pointer { object, offset } = pointer else { panic!("a pointer is needed") };
        let zero = self.pool().bv(OFFSET_BITS, 0);
        let some = self.pool().ne(size, zero);
        let cond = self.pool().and(cond, some);
        let mut targets = Vec::new();
        if self.pool().as_bool(cond) != Some(false) {
            targets = self.check_access(state, (object, offset), size, purpose, cond);
            for (id, _) in &targets {
                self.give_type(state, *id, TypeId::CHAR);
            }
        }
        Reader { offset, targets, outside: Vec::new() }
    }

    /// The byte at a distance, and where it was really reached: the object may end before it.
    pub fn next_byte(&mut self, state: &mut State, from: &mut Reader, at: u64, reached: TermId) -> (TermId, TermId) {
        let distance = self.pool().bv(OFFSET_BITS, at as u128);
        let offset = self.pool().bv_add(from.offset, distance);
        let mut result = None;
        let mut valid = self.pool().bool(false);
        for (id, hit) in from.targets.clone() {
            let Some(target) = state.memory.get(id).cloned() else { continue };
            // The first byte is inside, so the sum cannot wrap before it is outside.
            let here = self.pool().ult(offset, target.size);
            let here = self.pool().and(here, hit);
            let here = self.pool().and(here, reached);
            if self.pool().as_bool(here) == Some(false) {
                continue;
            }
            valid = self.pool().or(valid, here);
            let byte = self.byte_of(state, id, offset, here);
            result = Some(match result {
                None => byte,
                Some(other) => self.pool().ite(hit, byte, other),
            });
        }
        let not = self.pool().not(valid);
        let outside = self.pool().and(reached, not);
        if self.pool().as_bool(outside) != Some(false) {
            from.outside.push(outside);
        }
        let zero = self.pool().bv(8, 0);
        let reached = self.pool().and(reached, valid);
        (result.unwrap_or(zero), reached)
    }

    /// One byte of an object, inside it where `cond` holds.
    fn byte_of(&mut self, state: &mut State, id: u32, offset: TermId, cond: TermId) -> TermId {
        let Some(target) = state.memory.get(id).cloned() else { return self.pool().bv(8, 0) };
        match target.read(self.pool(), offset, BYTE) {
            Ok((value, fits)) => {
                self.require_fit(state, id, cond, Ok(fits));
                value.bits()
            }
            Err(mismatch) => {
                self.require_fit(state, id, cond, Err(mismatch));
                self.pool().bv(8, 0)
            }
        }
    }

    /// Reading is over: faults where it went too far.
    pub fn finish(&mut self, state: &mut State, from: Reader) {
        let outside = self.pool().or_all(&from.outside);
        self.fault(state, Fault::OutOfBounds, outside);
    }

    /// How many bytes can be read at most, if the objects say.
    pub fn room(&mut self, state: &State, place: &Reader) -> Option<u64> {
        let known = self.pool().as_u64(place.offset).unwrap_or(0);
        let mut most = 0;
        for (id, _) in &place.targets {
            let size = state.memory.get(*id)?.constant_size(self.pool())?;
            most = most.max(size.saturating_sub(known));
        }
        Some(most)
    }

    /// The string at a pointer, of which at most `limit` bytes are looked at, where `cond` holds.
    pub fn text(
        &mut self,
        state: &mut State,
        call: &Invocation,
        pointer: SymbolicValue,
        limit: Option<TermId>,
        cond: TermId,
    ) -> Text {
        let mut text = Text { bytes: Vec::new(), inside: Vec::new() };
        let mut reached = self.below(cond, 0, limit);
        if self.pool().as_bool(reached) == Some(false) {
            return text;
        }
        let mut reader = self.reader(state, pointer, reached);
        for at in 0..MAX_BYTES {
            let (byte, here) = self.next_byte(state, &mut reader, at, reached);
            let zero = self.pool().bv(8, 0);
            let more = self.pool().ne(byte, zero);
            let inside = self.pool().and(here, more);
            text.bytes.push(byte);
            text.inside.push(inside);
            reached = self.below(inside, at + 1, limit);
            if self.pool().as_bool(reached) == Some(false) {
                break;
            }
        }
        self.finish(state, reader);
        self.beyond_limit(state, call, reached);
        text
    }

    pub fn string_at(&mut self, state: &mut State, call: &Invocation, pointer: SymbolicValue) -> Text {
        let always = self.pool().bool(true);
        self.text(state, call, pointer, None, always)
    }

    /// `cond`, and a number is below a limit.
    pub fn below(&mut self, cond: TermId, number: u64, limit: Option<TermId>) -> TermId {
        let Some(limit) = limit else { return cond };
        let number = self.pool().bv(OFFSET_BITS, number as u128);
        let below = self.pool().ult(number, limit);
        self.pool().and(cond, below)
    }

    pub fn length(&mut self, text: &Text) -> TermId {
        self.first_failing(&text.inside)
    }

    /// The position of the first condition of a list that does not hold; its length if all do.
    pub fn first_failing(&mut self, conds: &[TermId]) -> TermId {
        let mut result = self.pool().bv(OFFSET_BITS, conds.len() as u128);
        for (at, cond) in conds.iter().enumerate().rev() {
            let at = self.pool().bv(OFFSET_BITS, at as u128);
            result = self.pool().ite(*cond, result, at);
        }
        result
    }

    /// A pointer to the first position where a condition holds, and whether there is one.
    pub fn first_place(&mut self, pointer: SymbolicValue, conds: &[TermId]) -> (SymbolicValue, TermId) {
        let not: Vec<TermId> = conds.iter().map(|cond| self.pool().not(*cond)).collect();
        let at = self.first_failing(&not);
        let found = self.pool().or_all(conds);
        (self.displaced(pointer, at), found)
    }

    pub fn or_null(&mut self, (pointer, found): (SymbolicValue, TermId)) -> SymbolicValue {
        let null = SymbolicValue::null(self.pool());
        SymbolicValue::ite(self.pool(), found, pointer, null)
    }

    /// Writes bytes, each under its condition, to a place that was checked for them.
    pub fn put(&mut self, state: &mut State, to: &Reader, bytes: &[(TermId, TermId)]) {
        for (at, (byte, cond)) in bytes.iter().enumerate() {
            self.put_scalar_at(state, to, at as u64, BYTE, SymbolicValue::Bits(*byte), *cond);
        }
    }

    /// Writes a scalar at a distance in a place that was checked for it.
    pub fn put_scalar_at(
        &mut self,
        state: &mut State,
        to: &Reader,
        at: u64,
        access: Access,
        value: SymbolicValue,
        cond: TermId,
    ) {
        let distance = self.pool().bv(OFFSET_BITS, at as u128);
        let offset = self.pool().bv_add(to.offset, distance);
        self.put_scalar(state, to, offset, access, value, cond);
    }

    fn put_scalar(
        &mut self,
        state: &mut State,
        to: &Reader,
        offset: TermId,
        access: Access,
        value: SymbolicValue,
        cond: TermId,
    ) {
        if self.pool().as_bool(cond) == Some(false) {
            return;
        }
        let size = self.pool().bv(OFFSET_BITS, access.size as u128);
        for (id, hit) in &to.targets {
            let end = self.pool().bv_add(offset, size);
            let here = self.pool().and(*hit, cond);
            let pool = &mut self.encoder.pool;
            let Some(target) = state.memory.get_mut(*id) else { continue };
            let inside = pool.ule(end, target.size);
            let here = pool.and(here, inside);
            if pool.as_bool(here) == Some(false) {
                continue;
            }
            let known = pool.as_u64(offset);
            if access.has_unused_bytes() && !known.is_some_and(|offset| target.has_lane(offset, access)) {
                self.left_open(state, "the value of bytes that hold no part of a number, which are copied", here);
            }
            let pool = &mut self.encoder.pool;
            let Some(target) = state.memory.get_mut(*id) else { continue };
            match target.write(pool, offset, access, value, here) {
                // Unspecified padding that becomes the value of something: runs go on with the value that it happens to have.
                Ok(fits) if access.padding => {
                    let open = self.pool().not(fits);
                    let open = self.pool().and(here, open);
                    self.left_open(state, "the value of padding, which is copied", open);
                }
                fit => self.require_fit(state, *id, here, fit),
            }
        }
    }

    /// Stores a scalar where `cond` holds.
    pub fn store_scalar_if(
        &mut self,
        state: &mut State,
        to: SymbolicValue,
        access: Access,
        value: SymbolicValue,
        hint: TypeId,
        cond: TermId,
    ) {
        if self.pool().as_bool(cond) == Some(false) {
            return;
        }
        let SymbolicValue::Pointer { object, offset } = to else { panic!("a pointer is needed") };
        let size = self.pool().bv(OFFSET_BITS, access.size as u128);
        let targets = self.check_access(state, (object, offset), size, Purpose::Write, cond);
        for (id, _) in &targets {
            self.give_type(state, *id, hint);
        }
        let place = Reader { offset, targets, outside: Vec::new() };
        self.put_scalar(state, &place, place.offset, access, value, cond);
    }

    /// Where two places of so many bytes overlap without being the same.
    pub fn overlap(&mut self, a: SymbolicValue, a_size: TermId, b: SymbolicValue, b_size: TermId) -> TermId {
        let (SymbolicValue::Pointer { object: left, offset: x }, SymbolicValue::Pointer { object: right, offset: y }) =
            (a, b)
        else {
            panic!("pointers are needed")
        };
        let pool = self.pool();
        let (same, apart) = (pool.eq(left, right), pool.ne(x, y));
        let (a_end, b_end) = (pool.bv_add(x, a_size), pool.bv_add(y, b_size));
        let (one, other) = (pool.ult(x, b_end), pool.ult(y, a_end));
        pool.and_all(&[same, apart, one, other])
    }
}
