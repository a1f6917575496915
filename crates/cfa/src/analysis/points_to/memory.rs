//! What objects may contain: cells at offsets, each with what the pointers in it may point to; and the values of expressions over them.
//!
//! A cell stands for stores of some bytes at some offsets. A load sees the cells that it overlaps; where it may get only a part of a stored
//! pointer, or parts of several, the result may be anything. Memory without cells holds zeros (or was never written).

use super::super::offsets::{Offsets, TO_THE_END};
use super::{Object, Targets, in_memory};
use crate::*;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// What has contents.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Slot {
    Object(Object),
    /// The value that a function returns.
    Result(FuncId),
    /// Whether something was stored to an unknown place.
    Everywhere,
}

#[derive(Clone, Debug)]
struct Cell {
    /// The most bytes that were stored at once.
    extent: u64,
    targets: Targets,
}

/// Offset sets with an extent and what lies there.
pub type Range = Vec<(Offsets, u64, Targets)>;

/// Cells of one object; with more, the elements of an array share theirs, and what is no array has one.
const MAX_CELLS: usize = 48;

/// Deeper expressions can be anything: `p->next->next->…` of that length is no program that anybody reads.
const MAX_DEPTH: u32 = 400;

/// Addresses below are those of no object in both data models.
const FIRST_ADDRESS: u128 = 16 * 4096;

pub struct Memory {
    pointer: u64,
    contents: FxHashMap<Slot, BTreeMap<Offsets, Cell>>,
    /// Objects whose cells are folded: offsets count modulo the stride.
    folded: FxHashMap<Slot, u64>,
    /// The size of an element, of objects that are arrays.
    elements: Vec<Option<u64>>,
    /// Something was stored through a pointer that may be anything.
    stored_anywhere: bool,
    /// Slots whose contents changed since this was cleared last.
    pub changed: Vec<Slot>,
    /// Once the contents are final: what was asked before.
    memo: Option<RefCell<Memo>>,
}

#[derive(Default)]
struct Memo {
    values: FxHashMap<ExprId, Targets>,
    addresses: FxHashMap<PlaceId, Targets>,
}

impl Memory {
    pub fn new(program: &Program) -> Self {
        let element = |var: &Var| match *program.types.get(var.ty) {
            Type::Array(element, _) => program.types.size_of(element).filter(|size| *size > 0),
            _ => None,
        };
        Memory {
            pointer: program.model().pointer_bytes(),
            contents: FxHashMap::default(),
            folded: FxHashMap::default(),
            elements: program.vars.values().map(element).collect(),
            stored_anywhere: false,
            changed: Vec::new(),
            memo: None,
        }
    }

    /// The contents do not change any more.
    pub fn finish(&mut self) {
        self.memo = Some(RefCell::default());
    }

    /// Adds what a store of some bytes may leave at offsets of a slot. Bytes beyond those of one pointer are all alike.
    pub fn write(&mut self, slot: Slot, offsets: Offsets, extent: u64, targets: &Targets) {
        // A part of a pointer is overwritten.
        let piece = Targets::anything();
        let targets = if extent < self.pointer { &piece } else { targets };
        let offsets = match self.folded.get(&slot) {
            Some(stride) => offsets.steps(*stride),
            None => offsets,
        };
        let cells = self.contents.entry(slot).or_default();
        let mut changed = false;
        let cell = cells.entry(offsets).or_insert_with(|| {
            changed = true;
            Cell { extent, targets: Targets::NOTHING }
        });
        if cell.extent < extent {
            cell.extent = extent;
            changed = true;
        }
        changed |= cell.targets.add(targets);
        if changed {
            self.changed.push(slot);
        }
        if cells.len() > MAX_CELLS {
            self.fold(slot);
        }
    }

    fn fold(&mut self, slot: Slot) {
        let element = match slot {
            Slot::Object(Object::Var(var)) => self.elements[var.0 as usize],
            _ => None,
        };
        let stride = match (element, self.folded.get(&slot)) {
            (Some(element), None) => element,
            _ => 1,
        };
        self.folded.insert(slot, stride);
        for (offsets, cell) in self.contents.remove(&slot).unwrap_or_default() {
            self.write(slot, offsets.steps(stride), cell.extent, &cell.targets);
        }
    }

    pub fn store(&mut self, to: &Targets, size: u64, targets: &Targets) {
        self.anywhere(to);
        for target in &to.known {
            self.write(Slot::Object(target.object), target.offsets, size, targets);
        }
    }

    /// Stores what [`Memory::range`] found.
    pub fn store_range(&mut self, to: &Targets, cells: &Range) {
        self.anywhere(to);
        for target in &to.known {
            for (offsets, extent, targets) in cells {
                self.write(Slot::Object(target.object), target.offsets.sum(*offsets), *extent, targets);
            }
        }
    }

    fn anywhere(&mut self, to: &Targets) {
        if to.anything && !self.stored_anywhere {
            self.stored_anywhere = true;
            self.changed.push(Slot::Everywhere);
        }
    }

    /// What a value of some bytes that is read at places may point to.
    pub fn load(&self, program: &Program, from: &Targets, size: u64, trace: &mut Vec<Slot>) -> Targets {
        trace.push(Slot::Everywhere);
        if from.anything || size < self.pointer {
            return Targets::anything();
        }
        let mut result = Targets::NOTHING;
        for target in &from.known {
            if self.stored_anywhere && in_memory(program, target.object) {
                return Targets::anything();
            }
            self.load_slot(Slot::Object(target.object), target.offsets, size, &mut result, trace);
        }
        result
    }

    fn load_slot(&self, slot: Slot, offsets: Offsets, size: u64, result: &mut Targets, trace: &mut Vec<Slot>) {
        trace.push(slot);
        for (at, cell) in self.contents.get(&slot).into_iter().flatten() {
            if !at.overlaps(cell.extent, offsets, size) {
                continue;
            }
            let whole = size == self.pointer && cell.extent == size && at.aligned(offsets, size);
            if whole {
                result.add(&cell.targets);
            } else {
                result.anything = true;
            }
        }
    }

    /// What lies in some bytes at places, by offsets from their beginning.
    pub fn range(&self, program: &Program, from: &Targets, size: u64, trace: &mut Vec<Slot>) -> Range {
        trace.push(Slot::Everywhere);
        if from.anything {
            return vec![(Offsets::ANY, self.pointer, Targets::anything())];
        }
        let mut found = Vec::new();
        for target in &from.known {
            if self.stored_anywhere && in_memory(program, target.object) {
                return vec![(Offsets::ANY, self.pointer, Targets::anything())];
            }
            self.range_of(Slot::Object(target.object), target.offsets, size, &mut found, trace);
        }
        found
    }

    pub fn slot_range(&self, slot: Slot, size: u64, trace: &mut Vec<Slot>) -> Range {
        let mut found = Vec::new();
        self.range_of(slot, Offsets::ZERO, size, &mut found, trace);
        found
    }

    fn range_of(&self, slot: Slot, offsets: Offsets, size: u64, found: &mut Range, trace: &mut Vec<Slot>) {
        trace.push(slot);
        for (at, cell) in self.contents.get(&slot).into_iter().flatten() {
            if !at.overlaps(cell.extent, offsets, size) {
                continue;
            }
            let relative = at.relative_to(offsets);
            let whole = self.is_copied_whole(relative, cell.extent, size);
            let targets = if whole { cell.targets.clone() } else { Targets::anything() };
            let extent = if whole { cell.extent } else { TO_THE_END };
            let relative = if whole { relative } else { Offsets::ANY };
            found.push((relative, extent, targets));
        }
    }

    /// Whether a copy of so many bytes takes all of a cell, or nothing, of each cell at offsets from its beginning.
    fn is_copied_whole(&self, relative: Offsets, extent: u64, size: u64) -> bool {
        let (start, stride) = (relative.start as u64, relative.stride as u64);
        match (stride, size) {
            // Of unknown length, but a multiple of a pointer's.
            (_, TO_THE_END) => extent == self.pointer && start.is_multiple_of(extent) && stride.is_multiple_of(extent),
            (0, _) => start.checked_add(extent).is_some_and(|end| end <= size),
            (_, _) => start.checked_add(extent).is_some_and(|end| end <= stride) && size.is_multiple_of(stride),
        }
    }

    /// What the value of a scalar expression may point to.
    pub fn value(&self, program: &Program, expr: ExprId, trace: &mut Vec<Slot>) -> Targets {
        self.value_at(program, expr, trace, 0)
    }

    /// Where a place may lie.
    pub fn address(&self, program: &Program, place: PlaceId, trace: &mut Vec<Slot>) -> Targets {
        self.address_at(program, place, trace, 0)
    }

    fn value_at(&self, program: &Program, expr: ExprId, trace: &mut Vec<Slot>, depth: u32) -> Targets {
        let Some(memo) = &self.memo else { return self.compute_value(program, expr, trace, depth) };
        if let Some(known) = memo.borrow().values.get(&expr) {
            return known.clone();
        }
        let targets = self.compute_value(program, expr, trace, depth);
        memo.borrow_mut().values.insert(expr, targets.clone());
        targets
    }

    fn address_at(&self, program: &Program, place: PlaceId, trace: &mut Vec<Slot>, depth: u32) -> Targets {
        let Some(memo) = &self.memo else { return self.compute_address(program, place, trace, depth) };
        if let Some(known) = memo.borrow().addresses.get(&place) {
            return known.clone();
        }
        let targets = self.compute_address(program, place, trace, depth);
        memo.borrow_mut().addresses.insert(place, targets.clone());
        targets
    }

    fn compute_value(&self, program: &Program, expr: ExprId, trace: &mut Vec<Slot>, depth: u32) -> Targets {
        if depth > MAX_DEPTH {
            return Targets::anything();
        }
        let types = &program.types;
        let ty = program.exprs[expr].ty;
        let holds_pointer = |ty: TypeId| types.size_of(ty).is_some_and(|size| size >= self.pointer);
        match program.exprs[expr].kind {
            ExprKind::Const(bits) if bits.get() < FIRST_ADDRESS => Targets::NOTHING,
            ExprKind::Const(_) => Targets::anything(),
            ExprKind::Read(place) => {
                let from = self.address_at(program, place, trace, depth + 1);
                self.load(program, &from, access_size(program, place), trace)
            }
            ExprKind::AddrOf(place) => self.address_at(program, place, trace, depth + 1),
            ExprKind::FuncAddr(function) => Targets::one(Object::Function(function), Offsets::ZERO),
            ExprKind::Cast(operand) => {
                let from = program.exprs[operand].ty;
                let exact = |ty: TypeId| ty.float_kind().is_none() && ty != TypeId::BOOL && holds_pointer(ty);
                let constant = program.constant(operand).is_some_and(|bits| bits.get() < FIRST_ADDRESS);
                if constant && from.float_kind().is_none() && ty.float_kind().is_none() {
                    Targets::NOTHING
                } else if exact(ty) && exact(from) {
                    self.value_at(program, operand, trace, depth + 1)
                } else {
                    Targets::anything()
                }
            }
            ExprKind::PtrAdd(pointer, index) | ExprKind::PtrSub(pointer, index) => {
                let targets = self.value_at(program, pointer, trace, depth + 1);
                if program.constant(index).is_some_and(Bits::is_zero) {
                    return targets;
                }
                let stride = types.pointee(ty).and_then(|target| types.stride(target)).unwrap_or(1);
                targets.map(|offsets| offsets.steps(stride))
            }
            ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::PtrDiff(..) => Targets::anything(),
        }
    }

    fn compute_address(&self, program: &Program, place: PlaceId, trace: &mut Vec<Slot>, depth: u32) -> Targets {
        if depth > MAX_DEPTH {
            return Targets::anything();
        }
        let types = &program.types;
        match program.places[place].kind {
            PlaceKind::Var(var) => Targets::one(Object::Var(var), Offsets::ZERO),
            PlaceKind::Deref(pointer) => self.value_at(program, pointer, trace, depth + 1),
            PlaceKind::Field(base, number) => {
                let Type::Record(record) = *types.get(program.places[base].ty) else { return Targets::anything() };
                let offset = types.records[record].fields[number as usize].offset;
                self.address_at(program, base, trace, depth + 1).map(|offsets| offsets.plus(offset as i128))
            }
            PlaceKind::Index(base, index) => {
                let element = types.stride(program.places[place].ty).unwrap_or(1);
                let base = self.address_at(program, base, trace, depth + 1);
                let constant = program.constant(index).map(|bits| eval::to_i128(types, program.exprs[index].ty, bits));
                match constant.map(|index| index.saturating_mul(element as i128)) {
                    Some(bytes) if bytes.abs() < 1 << 40 => base.map(|offsets| offsets.plus(bytes)),
                    _ => base.map(|offsets| offsets.steps(element)),
                }
            }
        }
    }
}

/// Bytes that an access to a place touches; of a bit-field, all that hold a part of it.
pub fn access_size(program: &Program, place: PlaceId) -> u64 {
    if let PlaceKind::Field(base, number) = program.places[place].kind
        && let Type::Record(record) = *program.types.get(program.places[base].ty)
        && let Some(bits) = program.types.records[record].fields[number as usize].bits
    {
        return bits.bytes();
    }
    program.types.size_of(program.places[place].ty).unwrap_or(1)
}
