//! Records are read, written and copied as their scalars.

use crate::access::Spot;
use crate::exec::Run;
use crate::memory::Access;
use crate::mode::{Naming, Storing};
use crate::path::Assigned;
use crate::state::State;
use crate::unrolling::EventKind;
use crate::value::{OBJECT_BITS, OFFSET_BITS, SymbolicValue};
use cfa::types::RecordKind;
use cfa::{ExprId, ExprKind, PlaceId, PlaceKind, Type, TypeId};

/// Records of more scalars are not copied one by one.
const MAX_LEAVES: usize = 256;

impl Run<'_, '_> {
    pub fn assign(&mut self, state: &mut State, place: PlaceId, value: ExprId) {
        let ty = self.program.exprs[value].ty;
        if self.program.types.is_scalar(ty) {
            let value = self.value(state, value);
            return self.write_place(state, place, value);
        }
        // Scalars are named one by one, and what may be something else is so part by part, as long as that is not too much.
        let part_by_part = self.mode.naming() != Naming::Unnamed || self.is_relaxed();
        let scalars_first = part_by_part && self.leaf_accesses(ty).is_some();
        if !scalars_first && self.copy_whole(state, place, value, ty) {
            self.note_event(state, EventKind::Write, None);
            return;
        }
        let leaves = self.leaves_of(state, value);
        let leaves: Vec<SymbolicValue> = leaves.into_iter().map(|leaf| self.relax(state, leaf)).collect();
        self.note_event(state, EventKind::Write, None);
        self.write_leaves(state, place, ty, &leaves);
    }

    /// A record that is a whole object on both sides is copied lane by lane, for any size.
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
        let (from, to) = (self.object_of(state, from), self.object_of(state, to));
        let (Some(from), Some(to)) = (self.pool().as_u64(from), self.pool().as_u64(to)) else { return false };
        let (from, to) = (from as u32, to as u32);
        let Some(contents) = state.memory.get(from).map(|object| object.contents.clone()) else { return false };
        match state.memory.get_mut(to) {
            Some(object) => {
                object.contents = contents;
                object.unspecify_padding(&mut self.encoder.pool);
                true
            }
            None => false,
        }
    }

    /// Scalar positions of a type; `None` if there are too many.
    pub fn leaf_accesses(&self, ty: TypeId) -> Option<Vec<(u64, Access)>> {
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
                        let access =
                            Access { size, width: size as u32 * 8, pointer: false, bits: None, padding: false };
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
    pub fn leaves_of(&mut self, state: &mut State, value: ExprId) -> Vec<SymbolicValue> {
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

    pub fn write_leaves(&mut self, state: &mut State, place: PlaceId, ty: TypeId, leaves: &[SymbolicValue]) {
        if self.program.types.is_scalar(ty) {
            if let Some(value) = leaves.first() {
                self.write_place(state, place, *value);
            }
            return;
        }
        self.note_padding_in_union(state, place);
        let Spot::Memory { object, offset, hint, .. } = self.spot(state, place, true) else {
            panic!("{place} is in a register")
        };
        let Some(accesses) = self.leaf_accesses(ty) else { return self.poison(state, "copy of a large struct") };
        for ((at, access), value) in accesses.into_iter().zip(leaves) {
            let distance = self.pool().bv(OFFSET_BITS, at as u128);
            let at = self.pool().bv_add(offset, distance);
            self.assigning(Assigned::Memory);
            self.storing(Storing::Memory(object, at));
            let value = self.named(*value, None);
            self.store_at(state, object, at, access, value, hint);
        }
        self.unspecify_padding(state, object);
    }

    /// A union keeps no account of which of its bytes are padding. Where a structure with padding is assigned in one, compilers copy its padding or do
    /// not, and another member sees that. Storing to one member leaves the padding as it is: so do gcc and clang.
    fn note_padding_in_union(&mut self, state: &State, place: PlaceId) {
        if !self.encoder.facts.is_padded(self.program, self.program.places[place].ty) {
            return;
        }
        let types = &self.program.types;
        let mut at = place;
        while let PlaceKind::Field(base, _) | PlaceKind::Index(base, _) = self.program.places[at].kind {
            at = base;
            let union = |record: cfa::RecordId| types.records[record].kind == RecordKind::Union;
            if matches!(*types.get(self.program.places[at].ty), Type::Record(record) if union(record)) {
                let always = self.pool().bool(true);
                return self.left_open(state, "the padding of a structure in a union", always);
            }
        }
    }

    pub fn store_leaves(&mut self, state: &mut State, id: u32, ty: TypeId, leaves: &[SymbolicValue]) {
        let object = self.pool().bv(OBJECT_BITS, id as u128);
        let Some(accesses) = self.leaf_accesses(ty) else { return self.poison(state, "copy of a large struct") };
        for ((at, access), value) in accesses.into_iter().zip(leaves) {
            let offset = self.pool().bv(OFFSET_BITS, at as u128);
            self.storing(Storing::Memory(object, offset));
            let value = self.named(*value, self.program.types.is_scalar(ty).then_some(ty));
            self.store_at(state, object, offset, access, value, ty);
        }
    }
}
