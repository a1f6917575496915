//! Memory of a run: objects with byte arrays, and the numbers that are their addresses.
//!
//! An address carries its provenance, so casts, unions and byte-wise copies of pointers need no care. LP64: `region << 40`, plus a bias of
//! half a region, plus the offset; the region is the object's number. ILP32: flat addresses; each object has pages of 4 KiB of its own with a
//! gap on both sides of at least one page and at least its size, and the gap belongs to it. Arithmetic that leaves an object's range gives
//! [`wild`](Memory::wild), so a bad pointer can never land in another object.
//!
//! Invariant: a dead object has no bytes, so the one bounds check of an access also finds dead objects; why an access failed is worked out
//! only when it did. Numbers (LP64) of dead objects are given out again only after [`QUARANTINE`] others have died, so that dangling
//! pointers are found in bounded memory.

use crate::const_bits::Writes;
use crate::program::{FuncId, VarId};
use crate::property::Fault;
use crate::types::{BitRange, DataModel};
use std::collections::{BTreeMap, VecDeque};

/// How many dead objects are kept apart before their numbers are used again.
const QUARANTINE: usize = 1 << 20;
const REGION_SHIFT: u32 = 40;
const BIAS: u64 = 1 << 39;
/// The last region is never an object: the home of wild pointers.
const LAST_REGION: usize = (1 << 24) - 1;
const PAGE: u64 = 4096;
/// Pages that a flat address space has for objects: not the first 16 (null) and not the last 16 (wild).
const FIRST_PAGE: u32 = 16;
/// An access below is one through a null pointer, with an offset or without; above, the program means a fixed address.
pub const END_OF_NULL: u64 = FIRST_PAGE as u64 * PAGE;
const END_PAGE: u32 = ALL_PAGES as u32 - 16;
/// A power of two, so that flipping all bits of a number reverses the order.
const ALL_PAGES: usize = 1 << 20;
/// Larger allocations fail as `malloc` of an absurd size does.
const LARGEST_OBJECT: u64 = 1 << 36;
/// What the bookkeeping of one object costs, for the memory limit.
const OVERHEAD: u64 = 64;

/// Flips the order of regions; fewer objects fit then.
const REVERSED: u64 = (1 << 23) - 1;

/// Where objects lie. A run that does not look at addresses as numbers is the same in all of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Placement {
    /// Later objects have higher addresses; all are aligned alike.
    #[default]
    Ascending,
    /// Later objects have lower addresses, each a different multiple of 8 away from the places that [`Placement::Ascending`] gives.
    Descending,
}

/// The largest allocation: `malloc` refuses what no pointer difference can measure.
pub fn largest_allocation(model: DataModel) -> u64 {
    match model {
        DataModel::Ilp32 => i32::MAX as u64,
        DataModel::Lp64 => LARGEST_OBJECT,
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ObjectKind {
    /// Number 0, and dead numbers.
    Nothing,
    Global(VarId),
    /// A string literal or the like: cannot be written.
    Constant(VarId),
    Function(FuncId),
    Local(VarId),
    Alloca,
    Heap,
    /// What `argv` refers to, and the words there.
    Arguments,
    Argument(u32),
    /// Made by the library: tables of `ctype.h`, `errno`, the environment.
    Internal,
}

impl ObjectKind {
    /// Whether pointers in it keep an allocation from being lost, as long as it lives. A local also has to be in scope.
    fn is_root(self) -> bool {
        !matches!(self, ObjectKind::Nothing | ObjectKind::Heap | ObjectKind::Function(_) | ObjectKind::Local(_))
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Object {
    pub base: u64,
    pub bytes: Vec<u8>,
    /// One flag a byte, when reads of uninitialized memory are looked for; else empty.
    pub written: Vec<bool>,
    pub kind: ObjectKind,
    pub live: bool,
    pub writes: Writes,
    /// First page and number of pages of a flat address space.
    pages: (u32, u32),
}

impl Object {
    const NONE: Object = Object {
        base: 0,
        bytes: Vec::new(),
        written: Vec::new(),
        kind: ObjectKind::Nothing,
        live: false,
        writes: Writes::Nothing,
        pages: (0, 0),
    };
}

/// The memory limit, or the address space, is used up.
#[derive(Debug)]
pub struct OutOfMemory;

pub struct Memory {
    flat: bool,
    pub objects: Vec<Object>,
    /// Flat only: the object that a page belongs to, as far as pages were in use: the whole space is 4 MB, and a search runs a program thousands of times.
    pages: Vec<u32>,
    /// Flat only: what the number of a page is combined with to get its index, so that the pages used first come first.
    page_flip: usize,
    next_page: u32,
    /// Flat only: the pages of hardware registers, as a first page and the one behind the last.
    without: Option<(u32, u32)>,
    /// Flat only: page ranges of dead objects by length.
    free_pages: BTreeMap<u32, Vec<u32>>,
    dead: VecDeque<u32>,
    used: u64,
    limit: u64,
    track_written: bool,
    placement: Placement,
    /// What the number of an object is combined with to get its region.
    flip: u64,
}

/// Whether an address is below or above all objects: a number as any other.
fn is_plain(address: u64) -> bool {
    let region = (address >> REGION_SHIFT) as usize;
    region == 0 || region >= LAST_REGION
}

impl Memory {
    pub fn new(model: DataModel, limit: u64, track_written: bool, placement: Placement) -> Self {
        let flat = model == DataModel::Ilp32;
        Memory {
            flat,
            objects: vec![Object::NONE],
            pages: Vec::new(),
            page_flip: if placement == Placement::Descending { ALL_PAGES - 1 } else { 0 },
            next_page: FIRST_PAGE,
            without: None,
            free_pages: BTreeMap::new(),
            dead: VecDeque::new(),
            used: 0,
            limit,
            track_written,
            placement,
            flip: if placement == Placement::Descending { REVERSED } else { 0 },
        }
    }

    /// The same memory, but no object gets an address between two.
    pub fn without(mut self, addresses: Option<(u64, u64)>) -> Self {
        let page = |address: u64| (address / PAGE).min(END_PAGE.into()) as u32;
        self.without = addresses.map(|(first, last)| (page(first), page(last) + 1));
        self
    }

    /// How far an object is moved from the place that it would have.
    fn shift(&self, number: usize) -> u64 {
        match self.placement {
            Placement::Ascending => 0,
            Placement::Descending => (number as u64).wrapping_mul(0x9e37_79b9) % 251 * 8 + 8,
        }
    }

    /// A pointer to no object: what arithmetic out of an object's range gives.
    pub fn wild(&self) -> u64 {
        if self.flat { 0xffff_8000 } else { (LAST_REGION as u64) << REGION_SHIFT | BIAS }
    }

    /// Whether a number is above all objects, where arithmetic out of an object's range leads.
    fn is_wild(&self, address: u64) -> bool {
        match self.flat {
            true => address >= END_PAGE as u64 * PAGE,
            false => (address >> REGION_SHIFT) as usize >= LAST_REGION,
        }
    }

    pub fn tracks_written(&self) -> bool {
        self.track_written
    }

    /// A fresh live object of zero bytes in value, not yet written as far as tracking goes.
    pub fn allocate(&mut self, size: u64, kind: ObjectKind) -> Result<usize, OutOfMemory> {
        let used = self.used.saturating_add(size).saturating_add(OVERHEAD);
        if used > self.limit || size > LARGEST_OBJECT {
            return Err(OutOfMemory);
        }
        let reuse = self.dead.len() > QUARANTINE || self.objects.len() >= LAST_REGION;
        let number = match self.dead.front() {
            Some(number) if reuse => *number as usize,
            _ => self.objects.len(),
        };
        if number >= LAST_REGION || number as u64 == self.flip {
            return Err(OutOfMemory);
        }
        let mut pages = (0, 0);
        let base = if self.flat {
            pages = self.reserve(size, number as u32)?;
            pages.0 as u64 * PAGE + pages.1 as u64 / 3 * PAGE
        } else {
            (number as u64 ^ self.flip) << REGION_SHIFT | BIAS
        };
        let base = base + self.shift(number);
        let object = Object {
            base,
            bytes: vec![0; size as usize],
            written: if self.track_written { vec![false; size as usize] } else { Vec::new() },
            kind,
            live: true,
            writes: match kind {
                ObjectKind::Constant(_) | ObjectKind::Function(_) => Writes::Nothing,
                _ => Writes::All,
            },
            pages,
        };
        if number < self.objects.len() {
            self.dead.pop_front();
            self.objects[number] = object;
        } else {
            self.objects.push(object);
        }
        self.used = used;
        Ok(number)
    }

    /// Pages of a flat address space: a gap, the object and a gap, each of the same length.
    fn reserve(&mut self, size: u64, number: u32) -> Result<(u32, u32), OutOfMemory> {
        let wanted = size.div_ceil(PAGE).max(1) * 3;
        if wanted > (END_PAGE - FIRST_PAGE) as u64 {
            return Err(OutOfMemory);
        }
        let wanted = wanted as u32;
        self.skip_registers(wanted);
        let first = if END_PAGE - self.next_page >= wanted {
            self.next_page += wanted;
            match self.placement {
                Placement::Ascending => self.next_page - wanted,
                Placement::Descending => END_PAGE - (self.next_page - FIRST_PAGE),
            }
        } else {
            let (&length, _) = self.free_pages.range(wanted..).next().ok_or(OutOfMemory)?;
            let first = self.take_free(length);
            if length > wanted {
                self.free_pages.entry(length - wanted).or_default().push(first + wanted);
            }
            first
        };
        let (one, other) = (first as usize ^ self.page_flip, (first + wanted - 1) as usize ^ self.page_flip);
        let indices = one.min(other)..one.max(other) + 1;
        if self.pages.len() < indices.end {
            self.pages.resize(indices.end, 0);
        }
        self.pages[indices].fill(number);
        Ok((first, wanted))
    }

    /// New pages begin behind those of registers, if they would overlap them.
    fn skip_registers(&mut self, wanted: u32) {
        let Some((mut first, mut behind)) = self.without else { return };
        if self.placement == Placement::Descending {
            let mirrored = |page: u32| (END_PAGE + FIRST_PAGE).saturating_sub(page);
            (first, behind) = (mirrored(behind), mirrored(first));
        }
        if self.next_page < behind && first < self.next_page.saturating_add(wanted) {
            self.next_page = behind.min(END_PAGE);
        }
    }

    fn take_free(&mut self, length: u32) -> u32 {
        let list = self.free_pages.get_mut(&length).expect("a length from the map");
        let first = list.pop().expect("no empty lists");
        if list.is_empty() {
            self.free_pages.remove(&length);
        }
        first
    }

    /// Makes a live object as it was allocated.
    pub fn clear(&mut self, number: usize) {
        self.objects[number].bytes.fill(0);
        self.objects[number].written.fill(false);
        self.objects[number].writes = Writes::All;
    }

    /// Ends the lifetime of an object.
    pub fn kill(&mut self, number: usize) {
        let object = &mut self.objects[number];
        if !object.live {
            return;
        }
        self.used -= object.bytes.len() as u64 + OVERHEAD;
        object.live = false;
        object.bytes = Vec::new();
        object.written = Vec::new();
        let (first, length) = object.pages;
        self.dead.push_back(number as u32);
        if self.flat {
            self.free_pages.entry(length).or_default().push(first);
        }
    }

    /// The object whose range holds an address (0: none), and the offset in it.
    #[inline]
    pub fn resolve(&self, address: u64) -> (usize, u64) {
        let number = if self.flat {
            self.pages.get((address >> 12) as usize ^ self.page_flip).map_or(0, |number| *number as usize)
        } else {
            (address >> REGION_SHIFT ^ self.flip) as usize
        };
        match self.objects.get(number) {
            Some(object) => (number, address.wrapping_sub(object.base)),
            None => (0, address),
        }
    }

    /// `length` bytes at `address + displacement`, in the object that `address` belongs to.
    #[inline]
    pub fn read(&self, address: u64, displacement: i64, length: u64) -> Result<&[u8], Fault> {
        let (number, offset) = self.resolve(address);
        let offset = offset.wrapping_add(displacement as u64);
        let end = offset.wrapping_add(length);
        match self.objects[number].bytes.get(offset as usize..end as usize) {
            Some(bytes) if end >= offset => Ok(bytes),
            _ => Err(self.why(address, number, false)),
        }
    }

    /// All bytes from an address to the end of its object, at least one.
    pub fn tail(&self, address: u64) -> Result<&[u8], Fault> {
        self.read(address, 0, 1)?;
        let (number, offset) = self.resolve(address);
        Ok(&self.objects[number].bytes[offset as usize..])
    }

    #[inline]
    pub fn write(&mut self, address: u64, displacement: i64, length: u64) -> Result<&mut [u8], Fault> {
        self.written(address, displacement, length, |writes, offset| writes.allow(offset, length))
    }

    /// All bytes of a bit-field, of which others may be `const`.
    pub fn write_bits(&mut self, address: u64, displacement: i64, field: BitRange) -> Result<&mut [u8], Fault> {
        let length = field.bytes();
        self.written(address, displacement, length, |writes, offset| writes.allow_bits(offset, field))
    }

    #[inline]
    fn written(
        &mut self,
        address: u64,
        displacement: i64,
        length: u64,
        allowed: impl FnOnce(&Writes, u64) -> bool,
    ) -> Result<&mut [u8], Fault> {
        let (number, offset) = self.resolve(address);
        let offset = offset.wrapping_add(displacement as u64);
        let end = offset.wrapping_add(length);
        let object = &self.objects[number];
        let inside = end >= offset && end as usize <= object.bytes.len();
        if inside && allowed(&object.writes, offset) {
            return Ok(&mut self.objects[number].bytes[offset as usize..end as usize]);
        }
        Err(self.why(address, number, inside))
    }

    #[inline]
    pub fn load<const N: usize>(&self, address: u64, displacement: i32) -> Result<u64, Fault> {
        let bytes = self.read(address, displacement as i64, N as u64)?;
        let mut value = [0; 8];
        value[..N].copy_from_slice(bytes);
        Ok(u64::from_le_bytes(value))
    }

    #[inline]
    pub fn store<const N: usize>(&mut self, address: u64, displacement: i32, value: u64) -> Result<(), Fault> {
        let bytes = self.write(address, displacement as i64, N as u64)?;
        bytes.copy_from_slice(&value.to_le_bytes()[..N]);
        Ok(())
    }

    /// The fault of a failed access; `fits` when bounds were kept.
    #[cold]
    fn why(&self, address: u64, number: usize, fits: bool) -> Fault {
        let object = &self.objects[number];
        match object.kind {
            ObjectKind::Nothing if address < END_OF_NULL => Fault::NullDereference,
            ObjectKind::Nothing if !self.is_wild(address) => Fault::FixedAddress,
            ObjectKind::Nothing | ObjectKind::Function(_) => Fault::WildPointer,
            _ if !object.live => Fault::Dangling,
            ObjectKind::Constant(_) | ObjectKind::Global(_) if fits && object.writes == Writes::Nothing => {
                Fault::ReadOnly
            }
            _ if fits => Fault::ConstWrite,
            _ => Fault::OutOfBounds,
        }
    }

    /// Copies bytes (and what is known of their initialization), as `memmove` does.
    pub fn copy(&mut self, to: u64, to_at: i64, from: u64, from_at: i64, length: u64) -> Result<(), Fault> {
        self.read(from, from_at, length)?;
        self.write(to, to_at, length)?;
        let (source, start) = self.resolve(from);
        let (target, at) = self.resolve(to);
        let start = start.wrapping_add(from_at as u64) as usize;
        let at = at.wrapping_add(to_at as u64) as usize;
        let length = length as usize;
        if source == target {
            let object = &mut self.objects[source];
            object.bytes.copy_within(start..start + length, at);
            if self.track_written {
                object.written.copy_within(start..start + length, at);
            }
        } else {
            let [source, target] = self.objects.get_disjoint_mut([source, target]).expect("two live objects");
            target.bytes[at..at + length].copy_from_slice(&source.bytes[start..start + length]);
            if self.track_written {
                target.written[at..at + length].copy_from_slice(&source.written[start..start + length]);
            }
        }
        Ok(())
    }

    /// Marks valid memory as written.
    pub fn mark_written(&mut self, address: u64, displacement: i64, length: u64) {
        if !self.track_written {
            return;
        }
        let (number, offset) = self.resolve(address);
        let start = offset.wrapping_add(displacement as u64) as usize;
        if let Some(flags) = self.objects[number].written.get_mut(start..start.wrapping_add(length as usize)) {
            flags.fill(true);
        }
    }

    /// Whether all bytes of valid memory were written. Without tracking, all memory is.
    pub fn is_written(&self, address: u64, displacement: i64, length: u64) -> bool {
        if !self.track_written {
            return true;
        }
        let (number, offset) = self.resolve(address);
        let start = offset.wrapping_add(displacement as u64) as usize;
        let flags = self.objects[number].written.get(start..start.wrapping_add(length as usize));
        flags.is_none_or(|flags| flags.iter().all(|written| *written))
    }

    /// Moves a pointer by `count` elements of `stride` bytes; [`wild`](Memory::wild) when it leaves the range of its object.
    #[inline]
    pub fn offset(&self, pointer: u64, count: i64, stride: u64) -> u64 {
        let Some(distance) = count.checked_mul(stride as i64) else { return self.wild() };
        if !self.flat {
            let moved = pointer.wrapping_add(distance as u64);
            let stays = (moved ^ pointer) >> REGION_SHIFT == 0 || (is_plain(pointer) && is_plain(moved));
            return if stays { moved } else { self.wild() };
        }
        let moved = pointer.wrapping_add(distance as u64) & 0xffff_ffff;
        let (number, offset) = self.resolve(pointer);
        if number == 0 {
            return if self.resolve(moved).0 == 0 { moved } else { self.wild() };
        }
        // The range of an object is its gap, itself, its gap: three times as long as one of them.
        let gap = self.objects[number].pages.1 as i64 / 3 * PAGE as i64;
        let at = (offset as i64).checked_add(distance);
        if at.is_some_and(|at| (-gap..2 * gap).contains(&at)) { moved } else { self.wild() }
    }

    /// Live allocations that were not freed.
    pub fn heap(&self) -> impl Iterator<Item = usize> + '_ {
        let live = |(_, object): &(usize, &Object)| object.kind == ObjectKind::Heap && object.live;
        self.objects.iter().enumerate().filter(live).map(|(number, _)| number)
    }

    /// A live allocation that nothing points into any more, not even another allocation that something points to. Roots are objects of
    /// static lifetime and of `alloca`, and what is given: numbers of variables' objects, and values of variables without one. Every
    /// value that equals an address in an allocation, or of its end, counts as a pointer.
    pub fn lost(&self, locals: &[usize], values: &[u64]) -> Option<usize> {
        let mut reached = vec![false; self.objects.len()];
        let mut work: Vec<usize> = Vec::new();
        let mut visit = |address: u64, work: &mut Vec<usize>| {
            let (number, offset) = self.resolve(address);
            let object = &self.objects[number];
            let inside = offset <= object.bytes.len() as u64;
            if object.kind == ObjectKind::Heap && object.live && inside && !reached[number] {
                reached[number] = true;
                work.push(number);
            }
        };
        values.iter().for_each(|value| visit(*value, &mut work));
        let width = if self.flat { 4 } else { 8 };
        let mut scan = |bytes: &[u8], work: &mut Vec<usize>| {
            for window in bytes.windows(width) {
                let mut value = [0; 8];
                value[..width].copy_from_slice(window);
                visit(u64::from_le_bytes(value), work);
            }
        };
        for object in self.objects.iter().filter(|object| object.live && object.kind.is_root()) {
            scan(&object.bytes, &mut work);
        }
        for number in locals {
            scan(&self.objects[*number].bytes, &mut work);
        }
        while let Some(number) = work.pop() {
            scan(&self.objects[number].bytes, &mut work);
        }
        self.heap().find(|number| !reached[*number])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_stay_with_their_object() {
        for model in [DataModel::Lp64, DataModel::Ilp32] {
            let mut memory = Memory::new(model, 1 << 30, false, Placement::Ascending);
            let one = memory.allocate(8, ObjectKind::Heap).unwrap();
            let two = memory.allocate(5000, ObjectKind::Heap).unwrap();
            let (a, b) = (memory.objects[one].base, memory.objects[two].base);
            assert_eq!((a % 16, b % 16), (0, 0));
            assert!(memory.store::<8>(a, 0, u64::MAX).is_ok());
            assert_eq!(memory.load::<4>(a, 4), Ok(0xffff_ffff));
            assert_eq!(memory.load::<4>(a, 5), Err(Fault::OutOfBounds));
            assert_eq!(memory.load::<1>(a, -1), Err(Fault::OutOfBounds));
            assert_eq!(memory.offset(a, 2, 4), a + 8);
            assert_eq!(memory.offset(a, -1, 1), a - 1);
            let away = (b.wrapping_sub(a)) as i64;
            assert_eq!(memory.offset(a, away, 1), memory.wild());
            assert_eq!(memory.offset(a, i64::MAX, 4), memory.wild());
            assert_eq!(memory.load::<1>(memory.wild(), 0), Err(Fault::WildPointer));
            assert_eq!(memory.load::<1>(0, 0), Err(Fault::NullDereference));
            assert_eq!(memory.load::<1>(memory.offset(0, 3, 8), 0), Err(Fault::NullDereference));
            memory.kill(one);
            assert_eq!(memory.load::<1>(a, 0), Err(Fault::Dangling));
        }
    }

    #[test]
    fn no_object_lies_among_registers() {
        for placement in [Placement::Ascending, Placement::Descending] {
            let registers = (0x0100_0000, 0x7fff_ffff);
            let mut memory = Memory::new(DataModel::Ilp32, 1 << 40, false, placement).without(Some(registers));
            let mut count = 0;
            while let Ok(number) = memory.allocate(3 << 20, ObjectKind::Heap) {
                let base = memory.objects[number].base;
                assert!(base + (3 << 20) <= registers.0 || base > registers.1, "{base:x}");
                count += 1;
            }
            assert!(count > 200, "{count}");
        }
    }

    #[test]
    fn flat_pages_are_used_again_only_when_exhausted() {
        let mut memory = Memory::new(DataModel::Ilp32, 1 << 40, false, Placement::Ascending);
        let first = memory.allocate(16, ObjectKind::Heap).unwrap();
        let base = memory.objects[first].base;
        memory.kill(first);
        let big = memory.allocate(1 << 30, ObjectKind::Heap).unwrap();
        assert_ne!(memory.objects[big].base, base);
        let mut count = 0;
        while memory.allocate(16, ObjectKind::Heap).is_ok() {
            count += 1;
        }
        assert!(count > 80_000, "{count}");
        assert_eq!(memory.objects.last().unwrap().base, base);
    }

    #[test]
    fn lost_allocations() {
        let mut memory = Memory::new(DataModel::Lp64, 1 << 30, false, Placement::Ascending);
        let root = memory.allocate(8, ObjectKind::Global(VarId(0))).unwrap();
        let one = memory.allocate(8, ObjectKind::Heap).unwrap();
        let two = memory.allocate(8, ObjectKind::Heap).unwrap();
        let (root, first, second) = (memory.objects[root].base, memory.objects[one].base, memory.objects[two].base);
        memory.store::<8>(root, 0, first).unwrap();
        memory.store::<8>(first, 0, second).unwrap();
        assert_eq!(memory.lost(&[], &[]), None);
        memory.store::<8>(root, 0, 0).unwrap();
        assert_eq!(memory.lost(&[], &[]), Some(one));
        assert_eq!(memory.lost(&[], &[first]), None);
        // The end is still its address, no object lies beyond.
        assert_eq!(memory.lost(&[], &[first + 8]), None);
        assert_eq!(memory.lost(&[], &[first + 9]), Some(one));
        assert_eq!(memory.lost(&[], &[first - 1]), Some(one));
        let local = memory.allocate(16, ObjectKind::Local(VarId(1))).unwrap();
        memory.store::<8>(memory.objects[local].base, 5, first).unwrap();
        assert_eq!(memory.lost(&[local], &[]), None);
        assert_eq!(memory.lost(&[], &[]), Some(one));
    }
}
