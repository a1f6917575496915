//! How an object's bytes are divided into lanes. A lane is one scalar position of the object's type, over all indices of the arrays it lies
//! in: `struct { int a; int b[3]; } s[5]` has the lanes `a` (5 scalars) and `b` (15 scalars). A union of small size is one raw lane. Bytes between
//! members, and bits beside bit-fields, are lanes of padding.

use crate::memory::{Access, lane_start};
use cfa::types::{BitRange, Field, Record, RecordKind};
use cfa::{Type, TypeId, TypeTable};
use smallvec::SmallVec;

/// Unions up to so many bytes are one lane of raw bits.
const MAX_RAW: u64 = 32;
/// More lanes than this are not worth their bookkeeping.
const MAX_LANES: usize = 4000;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lane {
    /// Of the first scalar of the lane.
    pub offset: u64,
    /// Bytes of one scalar.
    pub size: u64,
    /// Width of the term that holds one scalar.
    pub width: u32,
    pub kind: LaneKind,
    /// Stride and count of the arrays around it, outermost first; the count of the outermost may be unknown.
    pub dims: SmallVec<[(u64, Option<u64>); 2]>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LaneKind {
    Number,
    Pointer,
    BitField(BitRange),
    /// A union: bytes, least significant first.
    Raw,
    /// A byte that belongs to no member, or the bits of a byte that belong to no bit-field. The highest bit of the term says that the value is
    /// unspecified, as it is until the padding itself is written, and after a member was.
    Padding(Option<BitRange>),
}

/// The bits of a byte.
const WHOLE_BYTE: BitRange = BitRange { start: 0, width: 8 };

impl LaneKind {
    /// The bits of a padding lane.
    pub fn padding(self) -> Option<BitRange> {
        match self {
            LaneKind::Padding(bits) => Some(bits.unwrap_or(WHOLE_BYTE)),
            _ => None,
        }
    }
}

impl Lane {
    /// Scalars in the lane, if known.
    pub fn count(&self) -> Option<u64> {
        self.dims.iter().try_fold(1u64, |product, (_, count)| product.checked_mul((*count)?))
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    pub lanes: Vec<Lane>,
    /// Whether some lanes are padding.
    pub padded: bool,
}

impl Lane {
    /// The access that reads or writes one scalar of the lane.
    fn access(&self) -> Access {
        let bits = match self.kind {
            LaneKind::BitField(range) => Some(range),
            LaneKind::Padding(bits) => bits,
            _ => None,
        };
        let padding = matches!(self.kind, LaneKind::Padding(_));
        Access { size: self.size, width: self.width, pointer: self.kind == LaneKind::Pointer, bits, padding }
    }
}

impl Layout {
    /// The scalars that begin first, at most so many, in their order.
    pub fn first_scalars(&self, most: usize) -> Vec<(u64, Access)> {
        let mut found = Vec::new();
        for lane in &self.lanes {
            let count = lane.count().unwrap_or(u64::MAX).min(most as u64);
            found.extend((0..count).map(|index| (lane_start(lane, index), lane.access())));
        }
        found.sort_by_key(|(at, _)| *at);
        found.truncate(most);
        found
    }

    pub fn count_of_scalars(&self) -> Option<u64> {
        self.lanes.iter().try_fold(0u64, |sum, lane| sum.checked_add(lane.count()?))
    }

    /// The scalars that lie in a range of bytes, if none lies partly in it and there are not too many.
    pub fn scalars(&self, from: u64, to: u64, most: usize) -> Option<Vec<(u64, Access)>> {
        if self.count_of_scalars()? > 16 * most as u64 {
            return None;
        }
        let mut found = Vec::new();
        for lane in &self.lanes {
            for index in 0..lane.count()? {
                let start = lane_start(lane, index);
                let end = start + lane.size;
                if end <= from || start >= to {
                    continue;
                }
                // The members of a union are read with different types.
                let whole = start >= from && end <= to && lane.kind != LaneKind::Raw;
                if !whole || found.len() >= most {
                    return None;
                }
                found.push((start, lane.access()));
            }
        }
        Some(found)
    }

    /// The layout of an allocation that takes over the elements of one with this layout. Sizes in bytes, if known.
    pub fn resized(&self, old: Option<u64>, new: Option<u64>) -> Option<Layout> {
        let stride = self.lanes.first()?.dims.first().map(|(stride, _)| *stride);
        // An allocation of several elements has a dimension for them around all others.
        let many = |stride: u64| {
            old.is_none_or(|old| old != stride)
                && self.lanes.iter().all(|lane| {
                    let around = lane.dims.first();
                    around.is_some_and(|(outer, count)| {
                        let whole = old.map(|old| old.div_ceil(stride));
                        *outer == stride && *count == whole && lane.offset + lane.size <= stride
                    })
                })
        };
        let count = |stride: u64| new.map(|new| new.div_ceil(stride));
        let within = |size: u64| {
            self.lanes.iter().all(|lane| match lane.count() {
                Some(0) => true,
                Some(count) => lane_start(lane, count - 1) + lane.size <= size,
                None => false,
            })
        };
        let mut lanes = self.lanes.clone();
        match (stride, old) {
            (Some(stride), _) if stride > 0 && many(stride) => {
                lanes.iter_mut().for_each(|lane| lane.dims[0].1 = count(stride));
            }
            (_, Some(size)) if size > 0 && within(size) => {
                lanes.iter_mut().for_each(|lane| lane.dims.insert(0, (size, count(size))));
            }
            _ => return None,
        }
        Some(Layout { lanes, padded: self.padded })
    }

    fn new(lanes: Vec<Lane>) -> Layout {
        let padded = lanes.iter().any(|lane| lane.kind.padding().is_some());
        Layout { lanes, padded }
    }
}

/// The lanes of a type; `None` for types that have too many or hold large unions.
pub fn of_type(types: &TypeTable, ty: TypeId) -> Option<Layout> {
    let mut lanes = Vec::new();
    collect(types, ty, 0, &mut SmallVec::new(), &mut lanes)?;
    Some(Layout::new(lanes))
}

/// The lanes of a heap object that is an array of so many elements of a type.
pub fn of_elements(types: &TypeTable, element: TypeId, count: Option<u64>) -> Option<Layout> {
    let size = types.size_of(element)?;
    let mut lanes = Vec::new();
    let mut dims = SmallVec::new();
    if count != Some(1) {
        dims.push((size, count));
    }
    collect(types, element, 0, &mut dims, &mut lanes)?;
    Some(Layout::new(lanes))
}

/// The lanes of an allocation of so many bytes (if known) that is first seen as a type: an array of it, or one record whose last member is
/// as long as there is room. An element may lie in the allocation in part only.
pub fn of_allocation(types: &TypeTable, element: TypeId, size: Option<u64>) -> Option<Layout> {
    let each = types.size_of(element)?;
    if let Some((start, member)) = flexible_member(types, element, each, size) {
        let Type::Record(record) = *types.get(element) else { return None };
        let (_, fields) = types.records[record].fields.split_last()?;
        let mut lanes = Vec::new();
        for field in fields {
            collect_field(types, field, 0, &mut SmallVec::new(), &mut lanes)?;
        }
        let stride = types.size_of(member)?;
        let room = size.map(|size| size.saturating_sub(start));
        let count = room.map(|room| if stride == 0 { 0 } else { room.div_ceil(stride) });
        collect(types, member, start, &mut SmallVec::from_iter([(stride, count)]), &mut lanes)?;
        return Some(Layout::new(lanes));
    }
    of_elements(types, element, size.filter(|_| each > 0).map(|size| size.div_ceil(each)))
}

/// Where the last member of a structure begins that is an array without a length of its own, and its elements. An array of one element is
/// the old way to write that, where the allocation is no array of the structure.
fn flexible_member(types: &TypeTable, ty: TypeId, each: u64, size: Option<u64>) -> Option<(u64, TypeId)> {
    let Type::Record(record) = *types.get(ty) else { return None };
    let record = &types.records[record];
    let last = record.fields.last()?;
    let Type::Array(element, length) = *types.get(last.ty) else { return None };
    let longer = || size.is_some_and(|size| size > each && !size.is_multiple_of(each));
    let flexible = match length {
        None | Some(0) => true,
        Some(1) => each > 0 && longer(),
        Some(_) => false,
    };
    (record.kind == RecordKind::Struct && flexible).then_some((last.offset, element))
}

fn collect_field(
    types: &TypeTable,
    field: &Field,
    offset: u64,
    dims: &mut SmallVec<[(u64, Option<u64>); 2]>,
    lanes: &mut Vec<Lane>,
) -> Option<()> {
    let offset = offset + field.offset;
    let Some(range) = field.bits else { return collect(types, field.ty, offset, dims, lanes) };
    let size = range.bytes();
    let kind = LaneKind::BitField(range);
    lanes.push(Lane { offset, size, width: range.width as u32, kind, dims: dims.clone() });
    Some(())
}

fn collect(
    types: &TypeTable,
    ty: TypeId,
    offset: u64,
    dims: &mut SmallVec<[(u64, Option<u64>); 2]>,
    lanes: &mut Vec<Lane>,
) -> Option<()> {
    if lanes.len() > MAX_LANES {
        return None;
    }
    match types.get(ty) {
        Type::Int(_) | Type::Float(_) | Type::Pointer(_) => {
            let kind = if types.is_pointer(ty) { LaneKind::Pointer } else { LaneKind::Number };
            let width = types.scalar_bits(ty);
            lanes.push(Lane { offset, size: types.size_of(ty)?, width, kind, dims: dims.clone() });
        }
        Type::Array(element, count) => {
            dims.push((types.size_of(*element)?, Some(count.unwrap_or(0))));
            collect(types, *element, offset, dims, lanes)?;
            dims.pop();
        }
        Type::Record(record) => {
            let record = &types.records[*record];
            if record.kind == RecordKind::Union {
                if record.size > MAX_RAW || record.size == 0 {
                    return None;
                }
                let width = record.size as u32 * 8;
                lanes.push(Lane { offset, size: record.size, width, kind: LaneKind::Raw, dims: dims.clone() });
                return Some(());
            }
            for field in &record.fields {
                collect_field(types, field, offset, dims, lanes)?;
            }
            collect_padding(types, record, offset, dims, lanes);
        }
        Type::Void | Type::Function(_) => return None,
    }
    Some(())
}

/// What lies between the members of a structure.
fn collect_padding(
    types: &TypeTable,
    record: &Record,
    offset: u64,
    dims: &mut SmallVec<[(u64, Option<u64>); 2]>,
    lanes: &mut Vec<Lane>,
) {
    // Which bits of each byte from `at` on belong to members.
    let mut at = 0;
    let mut shared: Vec<u8> = Vec::new();
    let mut padding = |at: u64, bits: Option<BitRange>, count: u64| {
        let width = bits.map_or(8, |range| range.width as u32) + 1;
        let mut dims = dims.clone();
        if count > 1 {
            dims.push((1, Some(count)));
        }
        lanes.push(Lane { offset: offset + at, size: 1, width, kind: LaneKind::Padding(bits), dims });
    };
    let mut flush = |at: &mut u64, shared: &mut Vec<u8>, next: u64| {
        for taken in shared.drain(..) {
            let mut bit = 0;
            while bit < 8 {
                let free = (bit..8).take_while(|bit| taken >> bit & 1 == 0).count() as u8;
                if free > 0 {
                    padding(*at, Some(BitRange { start: bit, width: free }), 1);
                }
                bit += free.max(1);
            }
            *at += 1;
        }
        if next > *at {
            padding(*at, None, next - *at);
            *at = next;
        }
    };
    for field in &record.fields {
        match field.bits {
            None => {
                flush(&mut at, &mut shared, field.offset);
                at = at.max(field.offset + types.size_of(field.ty).unwrap_or(0));
            }
            Some(range) => {
                if field.offset > at + shared.len() as u64 {
                    flush(&mut at, &mut shared, field.offset);
                }
                for bit in range.start as u64..range.start as u64 + range.width as u64 {
                    let byte = (field.offset + bit / 8).saturating_sub(at) as usize;
                    if byte >= shared.len() {
                        shared.resize(byte + 1, 0);
                    }
                    shared[byte] |= 1 << (bit % 8);
                }
            }
        }
    }
    flush(&mut at, &mut shared, record.size);
}
