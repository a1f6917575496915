//! How an object's bytes are divided into lanes. A lane is one scalar position of the object's type, over all indices of the arrays it lies
//! in: `struct { int a; int b[3]; } s[5]` has the lanes `a` (5 scalars) and `b` (15 scalars). A union of small size is one raw lane.

use cfa::types::{BitRange, RecordKind};
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
}

/// The lanes of a type; `None` for types that have too many or hold large unions.
pub fn of_type(types: &TypeTable, ty: TypeId) -> Option<Layout> {
    let mut lanes = Vec::new();
    collect(types, ty, 0, &mut SmallVec::new(), &mut lanes)?;
    Some(Layout { lanes })
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
    Some(Layout { lanes })
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
                match field.bits {
                    Some(range) => lanes.push(Lane {
                        offset: offset + field.offset,
                        size: (range.start as u64 + range.width as u64).div_ceil(8),
                        width: range.width as u32,
                        kind: LaneKind::BitField(range),
                        dims: dims.clone(),
                    }),
                    None => collect(types, field.ty, offset + field.offset, dims, lanes)?,
                }
            }
        }
        Type::Void | Type::Function(_) => return None,
    }
    Some(())
}
