//! Which objects a pointer may name, and what must hold where one of them is accessed: it lives, it is large enough, and it may be written.

use crate::encoder::ObjectKey;
use crate::exec::Run;
use crate::state::State;
use crate::value::{OBJECT_BITS, OFFSET_BITS};
use cfa::const_bits::{ConstBits, Writes};
use cfa::interp::END_OF_NULL;
use cfa::types::BitRange;
use cfa::{Fault, FuncId};
use logic::{TermId, TermOp};
use rustc_hash::FxHashSet;

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

impl Run<'_, '_> {
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
                if id == 0 {
                    self.fault_at_number(state, offset, hit);
                } else {
                    self.fault(state, Fault::WildPointer, hit);
                }
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
                    let alone = target.constant_size(&self.encoder.pool) == Some(bits.stride);
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

    /// An access through a pointer that is a number: null, with an offset or without, or a fixed address.
    fn fault_at_number(&mut self, state: &mut State, address: TermId, hit: TermId) {
        let end_of_null = self.pool().bv(OFFSET_BITS, END_OF_NULL as u128);
        let near = self.pool().ult(address, end_of_null);
        let null = self.pool().and(hit, near);
        self.fault(state, Fault::NullDereference, null);
        let far = self.pool().not(near);
        let fixed = self.pool().and(hit, far);
        self.fault(state, Fault::FixedAddress, fixed);
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
}
