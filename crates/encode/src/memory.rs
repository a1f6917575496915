//! Objects and their contents. Each lane of an object's layout is one value, a short list of values, or an array term; a scalar access is
//! matched with a lane, or put together from the lanes that its bytes lie in. What cannot be matched is reported as such, never guessed.

use crate::address::{has_number, number_to_pointer, pointer_to_number};
use crate::layout::{Lane, LaneKind, Layout};
use crate::symbolic;
use crate::value::{PACKED_BITS, SymbolicValue};
use cfa::const_bits::Writes;
use cfa::types::BitRange;
use logic::{TermId, TermPool};
use std::rc::Rc;

/// Arrays up to so many elements are kept element by element.
const FEW_NUMBERS: u64 = 64;
const FEW_POINTERS: u64 = 256;
/// Width of array indices; objects have fewer scalars.
pub const INDEX_BITS: u32 = 32;

#[derive(Clone, PartialEq)]
pub struct Object {
    /// Bytes, as a term of [`OFFSET_BITS`].
    pub size: TermId,
    /// Whether the object lives, as a Boolean.
    pub alive: TermId,
    pub writes: Writes,
    pub heap: bool,
    pub contents: Contents,
}

#[derive(Clone, PartialEq)]
pub enum Contents {
    /// Allocated, not yet accessed: the first access shows what it is an array of.
    Untyped {
        zero: bool,
        name: Rc<str>,
    },
    Typed {
        layout: Rc<Layout>,
        cells: Vec<Cell>,
    },
    /// Accessed in ways that no layout fits.
    Opaque,
    /// A function, or an object that is never looked into.
    Nothing,
}

#[derive(Clone, PartialEq)]
pub enum Cell {
    One(SymbolicValue),
    Few(Rc<Vec<SymbolicValue>>),
    Array(TermId),
}

/// A scalar access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    pub size: u64,
    /// Width of the value; for a bit-field its own.
    pub width: u32,
    pub pointer: bool,
    pub bits: Option<BitRange>,
    /// Padding is copied, with whether it is unspecified.
    pub padding: bool,
}

impl Access {
    /// Bytes that hold the value: a `long double` does not use all of its own.
    pub fn used_bytes(self) -> u64 {
        match self.bits {
            None if self.width > 8 => self.size.min(self.width.div_ceil(8) as u64),
            _ => self.size,
        }
    }

    pub fn has_unused_bytes(self) -> bool {
        self.used_bytes() < self.size && !self.pointer
    }
}

/// Why an access could not be carried out.
pub struct Mismatch;

#[derive(Clone, Copy)]
pub enum Index {
    Known(u64),
    Term(TermId),
}

/// Fresh or zero contents for a layout.
pub fn fresh_cells(pool: &mut TermPool, layout: &Layout, zero: bool, name: &str) -> Vec<Cell> {
    layout
        .lanes
        .iter()
        .enumerate()
        .map(|(number, lane)| {
            let pointer = lane.kind == LaneKind::Pointer;
            let width = if pointer { PACKED_BITS } else { lane.width };
            let few = if pointer { FEW_POINTERS } else { FEW_NUMBERS };
            let one = |pool: &mut TermPool, name: &str| {
                let term = match (zero, lane.kind.padding()) {
                    (true, _) => pool.bv(width, 0),
                    (false, Some(_)) => unspecified(pool, width),
                    (false, None) => pool.bv_var(name, width),
                };
                SymbolicValue::unpack(pool, term, pointer)
            };
            match lane.count() {
                Some(1) if lane.dims.is_empty() => Cell::One(one(pool, &format!("{name}.{number}"))),
                Some(count) if count <= few => {
                    Cell::Few(Rc::new((0..count).map(|i| one(pool, &format!("{name}.{number}[{i}]"))).collect()))
                }
                _ if zero => {
                    let element = pool.bv(width, 0);
                    Cell::Array(pool.const_array(INDEX_BITS, element))
                }
                _ if lane.kind.padding().is_some() => {
                    let element = unspecified(pool, width);
                    Cell::Array(pool.const_array(INDEX_BITS, element))
                }
                _ => Cell::Array(pool.array_var(&format!("{name}.{number}"), INDEX_BITS, width)),
            }
        })
        .collect()
}

/// Padding that has no value to rely on.
fn unspecified(pool: &mut TermPool, width: u32) -> TermId {
    pool.bv(width, 1 << (width - 1))
}

/// Whether the padding that a term of a lane stands for has a value.
pub fn is_specified(pool: &mut TermPool, term: TermId) -> TermId {
    let top = pool.width(term) - 1;
    let flag = pool.extract(term, top, top);
    let flag = pool.bv_to_bool(flag);
    pool.not(flag)
}

impl Cell {
    pub fn read(&self, pool: &mut TermPool, lane: &Lane, index: Index) -> SymbolicValue {
        let pointer = lane.kind == LaneKind::Pointer;
        match (self, index) {
            (Cell::One(value), _) => *value,
            (Cell::Few(values), Index::Known(index)) => {
                values.get(index as usize).or(values.first()).copied().unwrap_or_else(|| zero(pool, lane))
            }
            (Cell::Few(values), Index::Term(index)) => {
                let mut result = values.last().copied().unwrap_or_else(|| zero(pool, lane));
                for (number, value) in values.iter().enumerate().rev().skip(1) {
                    let number = pool.bv(INDEX_BITS, number as u128);
                    let hit = pool.eq(index, number);
                    result = SymbolicValue::ite(pool, hit, *value, result);
                }
                result
            }
            (Cell::Array(array), index) => {
                let index = index_term(pool, index);
                let packed = pool.select(*array, index);
                SymbolicValue::unpack(pool, packed, pointer)
            }
        }
    }

    pub fn write(&mut self, pool: &mut TermPool, lane: &Lane, index: Index, value: SymbolicValue, cond: TermId) {
        match self {
            Cell::One(old) => *old = SymbolicValue::ite(pool, cond, value, *old),
            Cell::Few(values) => {
                let values = Rc::make_mut(values);
                match index {
                    Index::Known(index) => {
                        if let Some(old) = values.get_mut(index as usize) {
                            *old = SymbolicValue::ite(pool, cond, value, *old);
                        }
                    }
                    Index::Term(index) => {
                        for (number, old) in values.iter_mut().enumerate() {
                            let number = pool.bv(INDEX_BITS, number as u128);
                            let hit = pool.eq(index, number);
                            let hit = pool.and(hit, cond);
                            *old = SymbolicValue::ite(pool, hit, value, *old);
                        }
                    }
                }
            }
            Cell::Array(array) => {
                let index = index_term(pool, index);
                let new = value.pack(pool);
                let stored = match pool.as_bool(cond) {
                    Some(true) => new,
                    _ => {
                        let old = pool.select(*array, index);
                        pool.ite(cond, new, old)
                    }
                };
                *array = pool.store(*array, index, stored);
            }
        }
        let _ = lane;
    }

    pub fn ite(pool: &mut TermPool, cond: TermId, yes: &Cell, no: &Cell) -> Option<Cell> {
        Some(match (yes, no) {
            (Cell::One(a), Cell::One(b)) => Cell::One(SymbolicValue::ite(pool, cond, *a, *b)),
            (Cell::Few(a), Cell::Few(b)) if a.len() == b.len() => {
                if Rc::ptr_eq(a, b) {
                    return Some(yes.clone());
                }
                let pairs = a.iter().zip(b.iter());
                Cell::Few(Rc::new(
                    pairs.map(|(a, b)| if a == b { *a } else { SymbolicValue::ite(pool, cond, *a, *b) }).collect(),
                ))
            }
            (Cell::Array(a), Cell::Array(b)) => Cell::Array(pool.ite(cond, *a, *b)),
            _ => return None,
        })
    }
}

fn zero(pool: &mut TermPool, lane: &Lane) -> SymbolicValue {
    match lane.kind {
        LaneKind::Pointer => SymbolicValue::null(pool),
        _ => SymbolicValue::Bits(pool.bv(lane.width, 0)),
    }
}

fn index_term(pool: &mut TermPool, index: Index) -> TermId {
    match index {
        Index::Known(index) => pool.bv(INDEX_BITS, index as u128),
        Index::Term(index) => index,
    }
}

impl Object {
    /// Reads a scalar at a byte offset. The Boolean says when the access fits the layout.
    pub fn read(
        &self,
        pool: &mut TermPool,
        offset: TermId,
        access: Access,
    ) -> Result<(SymbolicValue, TermId), Mismatch> {
        let Contents::Typed { layout, cells } = &self.contents else { return Err(Mismatch) };
        if let Some(known) = pool.as_u64(offset) {
            return read_known(pool, layout, cells, known, access);
        }
        symbolic::read(pool, layout, cells, offset, access, self.constant_size(pool))
    }

    /// Writes a scalar where `cond` holds. The Boolean says when the access fits the layout.
    pub fn write(
        &mut self,
        pool: &mut TermPool,
        offset: TermId,
        access: Access,
        value: SymbolicValue,
        cond: TermId,
    ) -> Result<TermId, Mismatch> {
        let size = self.constant_size(pool);
        let Contents::Typed { layout, cells } = &mut self.contents else { return Err(Mismatch) };
        let layout = layout.clone();
        if let Some(known) = pool.as_u64(offset) {
            return write_known(pool, &layout, cells, known, access, value, cond);
        }
        symbolic::write(pool, &layout, cells, offset, access, value, cond, size)
    }

    /// Whether a scalar at a known offset is one of a lane.
    pub fn has_lane(&self, offset: u64, access: Access) -> bool {
        let Contents::Typed { layout, .. } = &self.contents else { return false };
        layout.lanes.iter().any(|lane| matches(lane, access) && position(lane, offset).is_some())
    }

    /// Whether a byte at a known offset is padding.
    pub fn is_padding(&self, offset: u64) -> bool {
        let Contents::Typed { layout, .. } = &self.contents else { return false };
        let holds = |lane: &Lane| lane.kind == LaneKind::Padding(None) && position(lane, offset).is_some();
        layout.padded && layout.lanes.iter().any(holds)
    }

    /// Marks all padding as unspecified.
    pub fn unspecify_padding(&mut self, pool: &mut TermPool) {
        let Contents::Typed { layout, cells } = &mut self.contents else { return };
        for (lane, cell) in layout.lanes.iter().zip(cells).filter(|(lane, _)| lane.kind.padding().is_some()) {
            let mark = |pool: &mut TermPool, value: SymbolicValue| {
                let bits = pool.extract(value.bits(), lane.width - 2, 0);
                let one = pool.bv(1, 1);
                SymbolicValue::Bits(pool.concat(one, bits))
            };
            *cell = match cell {
                Cell::One(value) => Cell::One(mark(pool, *value)),
                Cell::Few(values) => Cell::Few(Rc::new(values.iter().map(|value| mark(pool, *value)).collect())),
                Cell::Array(_) => {
                    let element = unspecified(pool, lane.width);
                    Cell::Array(pool.const_array(INDEX_BITS, element))
                }
            };
        }
    }

    pub fn constant_size(&self, pool: &TermPool) -> Option<u64> {
        pool.as_u64(self.size)
    }
}

/// The lane and index that a byte offset is the start of.
fn position(lane: &Lane, offset: u64) -> Option<u64> {
    let mut rest = offset.checked_sub(lane.offset)?;
    let mut index = 0;
    for (stride, count) in &lane.dims {
        let here = if *stride == 0 { 0 } else { rest / stride };
        if count.is_some_and(|count| here >= count) {
            return None;
        }
        index = index * count.unwrap_or(1) + here;
        rest -= here * stride;
    }
    (rest == 0).then_some(index)
}

/// One of the two has one bit of a byte, as `_Bool` has: the other seven must be zero, which the byte-wise way looks at.
fn is_bool_beside_byte(lane: &Lane, access: Access) -> bool {
    (lane.width == 1) != (access.width == 1)
}

pub fn matches(lane: &Lane, access: Access) -> bool {
    match lane.kind {
        LaneKind::BitField(range) => access.bits == Some(range) && !access.padding,
        LaneKind::Raw => false,
        LaneKind::Number | LaneKind::Pointer => {
            access.bits.is_none() && lane.size == access.size && !access.padding && !is_bool_beside_byte(lane, access)
        }
        LaneKind::Padding(bits) => access.padding && access.bits == bits,
    }
}

/// A lane's value as the access wants it, both of the same size.
pub fn convert(pool: &mut TermPool, value: SymbolicValue, lane: &Lane, access: Access) -> SymbolicValue {
    match (value, access.pointer) {
        (SymbolicValue::Pointer { .. }, true) => value,
        (SymbolicValue::Pointer { .. }, false) => SymbolicValue::Bits(pointer_to_number(pool, value, access.width)),
        (SymbolicValue::Bits(term), true) => number_to_pointer(pool, term),
        (SymbolicValue::Bits(term), false) if lane.width == access.width => SymbolicValue::Bits(term),
        // `_Bool` seen as a byte, or a byte as `_Bool`; `long double` beside 16 raw bytes.
        (SymbolicValue::Bits(term), false) => SymbolicValue::Bits(pool.resize_unsigned(term, access.width)),
    }
}

pub fn convert_back(pool: &mut TermPool, value: SymbolicValue, lane: &Lane) -> SymbolicValue {
    match (value, lane.kind) {
        (SymbolicValue::Pointer { .. }, LaneKind::Pointer) => value,
        (SymbolicValue::Pointer { .. }, _) => SymbolicValue::Bits(pointer_to_number(pool, value, lane.width)),
        (SymbolicValue::Bits(term), LaneKind::Pointer) => number_to_pointer(pool, term),
        (SymbolicValue::Bits(term), _) if pool.width(term) == lane.width => value,
        (SymbolicValue::Bits(term), _) => SymbolicValue::Bits(pool.resize_unsigned(term, lane.width)),
    }
}

fn read_known(
    pool: &mut TermPool,
    layout: &Layout,
    cells: &[Cell],
    offset: u64,
    access: Access,
) -> Result<(SymbolicValue, TermId), Mismatch> {
    let mut exact = pool.bool(true);
    for (number, lane) in layout.lanes.iter().enumerate() {
        if matches(lane, access)
            && let Some(index) = position(lane, offset)
        {
            let value = cells[number].read(pool, lane, Index::Known(index));
            return Ok((convert(pool, value, lane, access), exact));
        }
    }
    // Put together byte by byte; a bit-field is cut out of its bytes.
    let bytes = access.bits.map_or(access.size, |range| range.bytes());
    let mut term = None;
    for byte in (0..bytes).rev() {
        let (piece, is_number) = read_byte(pool, layout, cells, offset + byte)?;
        exact = pool.and(exact, is_number);
        term = Some(match term {
            None => piece,
            Some(high) => pool.concat(high, piece),
        });
    }
    let mut term = term.ok_or(Mismatch)?;
    if let Some(range) = access.bits {
        term = pool.extract(term, range.start as u32 + range.width as u32 - 1, range.start as u32);
    }
    if access.pointer {
        return Ok((number_to_pointer(pool, term), exact));
    }
    let value = pool.resize_unsigned(term, access.width);
    if access.width == 1 && access.bits.is_none() {
        // Another byte than 0 or 1 is no value of `_Bool`.
        let back = pool.resize_unsigned(value, pool.width(term));
        let valid = pool.eq(back, term);
        exact = pool.and(exact, valid);
    }
    Ok((SymbolicValue::Bits(value), exact))
}

/// The lanes that hold (a part of) a byte: lane, index, the byte's number in the scalar.
fn holders(layout: &Layout, offset: u64) -> Vec<(usize, u64, u64)> {
    let mut found = Vec::new();
    for (number, lane) in layout.lanes.iter().enumerate() {
        for byte in 0..lane.size {
            if let Some(start) = offset.checked_sub(byte)
                && let Some(index) = position(lane, start)
            {
                found.push((number, index, byte));
                break;
            }
        }
    }
    found
}

/// A byte, and when it is exactly that. What lies between the lanes has no value.
fn read_byte(pool: &mut TermPool, layout: &Layout, cells: &[Cell], offset: u64) -> Result<(TermId, TermId), Mismatch> {
    let (mut result, mut exact) = (pool.bv(8, 0), pool.bool(true));
    let holders = holders(layout, offset);
    if holders.is_empty() {
        return Err(Mismatch);
    }
    for (number, index, byte) in holders {
        let lane = &layout.lanes[number];
        let value = cells[number].read(pool, lane, Index::Known(index));
        let image = match lane.kind {
            LaneKind::Pointer => {
                let fits = has_number(pool, value, lane.size as u32 * 8);
                exact = pool.and(exact, fits);
                pointer_to_number(pool, value, lane.size as u32 * 8)
            }
            LaneKind::BitField(range) => {
                let wide = pool.zext(value.bits(), lane.size as u32 * 8);
                let shift = pool.bv(lane.size as u32 * 8, range.start as u128);
                pool.bv_shl(wide, shift)
            }
            LaneKind::Padding(_) => {
                let specified = is_specified(pool, value.bits());
                exact = pool.and(exact, specified);
                let range = lane.kind.padding().unwrap_or(BitRange { start: 0, width: 8 });
                let bits = pool.extract(value.bits(), range.width as u32 - 1, 0);
                let wide = pool.zext(bits, 8);
                let shift = pool.bv(8, range.start as u128);
                pool.bv_shl(wide, shift)
            }
            // The bytes of a `long double` beyond its value have none.
            LaneKind::Number if lane.width > 8 && byte * 8 >= lane.width as u64 => return Err(Mismatch),
            LaneKind::Number | LaneKind::Raw => pool.resize_unsigned(value.bits(), lane.size as u32 * 8),
        };
        let piece = pool.extract(image, byte as u32 * 8 + 7, byte as u32 * 8);
        result = pool.bv_or(result, piece);
    }
    Ok((result, exact))
}

fn write_known(
    pool: &mut TermPool,
    layout: &Layout,
    cells: &mut [Cell],
    offset: u64,
    access: Access,
    value: SymbolicValue,
    cond: TermId,
) -> Result<TermId, Mismatch> {
    let mut exact = pool.bool(true);
    for (number, lane) in layout.lanes.iter().enumerate() {
        if matches(lane, access)
            && let Some(index) = position(lane, offset)
        {
            let stored = convert_back(pool, value, lane);
            cells[number].write(pool, lane, Index::Known(index), stored, cond);
            return Ok(exact);
        }
    }
    // Change the bytes in every lane that holds them.
    let bytes = access.bits.map_or(access.used_bytes(), |range| range.bytes());
    let (first_bit, bit_count) = match access.bits {
        Some(range) => (range.start as u64, range.width as u64),
        None => (0, bytes * 8),
    };
    let image = match value {
        SymbolicValue::Pointer { .. } => {
            exact = has_number(pool, value, access.size as u32 * 8);
            pointer_to_number(pool, value, access.size as u32 * 8)
        }
        SymbolicValue::Bits(term) => pool.resize_unsigned(term, bit_count as u32),
    };
    let mut touched: Vec<(usize, u64)> = Vec::new();
    for byte in 0..bytes {
        for (number, index, _) in holders(layout, offset + byte) {
            if !touched.contains(&(number, index)) {
                touched.push((number, index));
            }
        }
    }
    for (number, index) in touched {
        let lane = &layout.lanes[number];
        let old = cells[number].read(pool, lane, Index::Known(index));
        let start = lane_start(lane, index);
        // Bit positions relative to the object: the lane's own bits, and those that are written.
        let (lane_low, lane_bits) = match lane.kind {
            LaneKind::BitField(range) | LaneKind::Padding(Some(range)) => {
                (start * 8 + range.start as u64, range.width as u64)
            }
            _ => (start * 8, lane.size * 8),
        };
        let write_low = offset * 8 + first_bit;
        let low = lane_low.max(write_low);
        let high = (lane_low + lane_bits).min(write_low + bit_count);
        if low >= high {
            continue;
        }
        let old_image = match lane.kind {
            LaneKind::Pointer => {
                let fits = has_number(pool, old, lane_bits as u32);
                exact = pool.and(exact, fits);
                pointer_to_number(pool, old, lane_bits as u32)
            }
            _ => pool.resize_unsigned(old.bits(), lane_bits as u32),
        };
        let piece = pool.extract(image, (high - write_low - 1) as u32, (low - write_low) as u32);
        let mut parts = Vec::new();
        if high < lane_low + lane_bits {
            parts.push(pool.extract(old_image, lane_bits as u32 - 1, (high - lane_low) as u32));
        }
        parts.push(piece);
        if low > lane_low {
            parts.push(pool.extract(old_image, (low - lane_low - 1) as u32, 0));
        }
        let new = parts.into_iter().reduce(|high, low| pool.concat(high, low)).ok_or(Mismatch)?;
        let stored = match lane.kind {
            LaneKind::Pointer => number_to_pointer(pool, new),
            LaneKind::Padding(_) => {
                // Bits that are not written stay unspecified, and with them all of these.
                let whole = low == lane_low && high == lane_low + lane_bits;
                let top = lane.width - 1;
                let flag = if whole { pool.bv(1, 0) } else { pool.extract(old.bits(), top, top) };
                let flag = match access.padding {
                    true => pool.extract(value.bits(), access.width - 1, access.width - 1),
                    false => flag,
                };
                SymbolicValue::Bits(pool.concat(flag, new))
            }
            _ => {
                let narrow = pool.resize_unsigned(new, lane.width);
                // `_Bool` and `long double` do not use all of their bits.
                let back = pool.resize_unsigned(narrow, lane_bits as u32);
                let kept = pool.eq(back, new);
                exact = pool.and(exact, kept);
                SymbolicValue::Bits(narrow)
            }
        };
        cells[number].write(pool, lane, Index::Known(index), stored, cond);
    }
    if access.padding {
        // Where other layouts have members, unspecified bits are no value.
        let specified = is_specified(pool, value.bits());
        exact = pool.and(exact, specified);
    }
    Ok(exact)
}

/// Byte offset of a scalar of a lane.
pub fn lane_start(lane: &Lane, index: u64) -> u64 {
    let mut rest = index;
    let mut offset = lane.offset;
    for (stride, count) in lane.dims.iter().rev() {
        let count = count.unwrap_or(u64::MAX);
        offset += rest % count * stride;
        rest /= count;
    }
    offset
}
