//! Which bits of an object may be written after it was initialized. Types keep of the qualifier `const` only which members of records have it.
//!
//! C calls a write to "an object defined with a const-qualified type" undefined (C11 6.7.3p6). A `const` member of a structure that is not `const`
//! is taken for such an object, in declared objects and not in allocations, which have no declared type. No compiler is known to rely on it; who
//! writes such a member gets no verdict. The members of a union share their bits: those that another member may write are not `const`.

use crate::types::{BitRange, Field, RecordKind, Type, TypeId, TypeTable};
use std::sync::Arc;

/// Ranges in one object are listed up to so many; all that lies between those of a larger array inside a record counts as `const`.
const MOST_RANGES: usize = 4096;

/// What of an object may be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Writes {
    All,
    Except(Arc<ConstBits>),
    Nothing,
}

impl Writes {
    /// What may be written of a declared object that is not `const` itself.
    pub fn of(types: &TypeTable, ty: TypeId) -> Writes {
        ConstBits::of(types, ty).map_or(Writes::All, |bits| Writes::Except(Arc::new(bits)))
    }

    /// What both allow, for one object.
    pub fn and(&self, other: &Writes) -> Writes {
        match (self, other) {
            (Writes::All, other) | (other, Writes::All) => other.clone(),
            (Writes::Except(bits), Writes::Except(_)) => Writes::Except(bits.clone()),
            _ => Writes::Nothing,
        }
    }

    /// Whether so many bytes may be written.
    #[inline]
    pub fn allow(&self, offset: u64, length: u64) -> bool {
        match self {
            Writes::All => true,
            Writes::Except(bits) => !bits.touched(offset, 0, length.saturating_mul(8)),
            Writes::Nothing => false,
        }
    }

    /// Whether a bit-field in the byte at this offset and those behind it may be written.
    pub fn allow_bits(&self, offset: u64, field: BitRange) -> bool {
        match self {
            Writes::All => true,
            Writes::Except(bits) => !bits.touched(offset, field.start as u64, field.width as u64),
            Writes::Nothing => false,
        }
    }
}

/// The bits of `const` members: ranges that repeat after so many bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConstBits {
    /// First bit and the one behind the last, ascending.
    pub ranges: Vec<(u64, u64)>,
    /// The bytes of an element of the outermost arrays, or of the object.
    pub stride: u64,
}

impl ConstBits {
    /// `None` if there are none.
    pub fn of(types: &TypeTable, mut ty: TypeId) -> Option<ConstBits> {
        while let Type::Array(element, _) = types.get(ty) {
            ty = *element;
        }
        let stride = types.size_of(ty)?;
        let ranges = const_ranges(types, ty);
        (!ranges.is_empty()).then_some(ConstBits { ranges, stride })
    }

    /// Whether `width` bits from the bit `first` of the byte at an offset have one of these among them.
    fn touched(&self, offset: u64, first: u64, width: u64) -> bool {
        let start = (offset % self.stride) * 8 + first;
        let end = start.saturating_add(width);
        let overlaps = |(from, to): &(u64, u64)| start < *to && end > *from;
        let next = |(from, _): &(u64, u64)| end > self.stride * 8 + *from;
        width > 0 && self.ranges.iter().any(|range| overlaps(range) || next(range))
    }
}

/// In bits from the start of an object of this type.
fn const_ranges(types: &TypeTable, ty: TypeId) -> Vec<(u64, u64)> {
    match types.get(ty) {
        Type::Array(element, Some(length)) => {
            let (inner, size) = (const_ranges(types, *element), 8 * types.size_of(*element).unwrap_or(0));
            let (Some((first, _)), Some((_, behind))) = (inner.first(), inner.last()) else { return Vec::new() };
            if *length > 0 && (inner.len() as u64).saturating_mul(*length) > MOST_RANGES as u64 {
                return vec![(*first, behind + (length - 1) * size)];
            }
            let at = |index: u64| inner.iter().map(move |(from, to)| (from + index * size, to + index * size));
            (0..*length).flat_map(at).collect()
        }
        Type::Record(record) => {
            let record = &types.records[*record];
            let mut members = record.fields.iter().map(|field| ranges_of_member(types, field));
            match record.kind {
                RecordKind::Struct => {
                    let mut all: Vec<(u64, u64)> = members.flatten().collect();
                    all.sort_unstable();
                    all
                }
                RecordKind::Union => {
                    let first = members.next().unwrap_or_default();
                    members.fold(first, |common, ranges| intersection(&common, &ranges))
                }
            }
        }
        _ => Vec::new(),
    }
}

fn ranges_of_member(types: &TypeTable, field: &Field) -> Vec<(u64, u64)> {
    let start = 8 * field.offset;
    let width = match (field.is_const, field.bits) {
        (true, Some(bits)) => return vec![(start + bits.start as u64, start + bits.start as u64 + bits.width as u64)],
        (true, None) => 8 * types.size_of(field.ty).unwrap_or(0),
        (false, Some(_)) => 0,
        (false, None) => {
            let inner = const_ranges(types, field.ty).into_iter();
            return inner.map(|(from, to)| (start + from, start + to)).collect();
        }
    };
    (width > 0).then_some((start, start + width)).into_iter().collect()
}

fn intersection(a: &[(u64, u64)], b: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let pairs = a.iter().flat_map(|(from, to)| b.iter().map(move |(f, t)| (*from.max(f), *to.min(t))));
    let mut common: Vec<(u64, u64)> = pairs.filter(|(from, to)| from < to).collect();
    common.sort_unstable();
    common
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::DataModel;

    fn member(ty: TypeId, offset: u64, is_const: bool) -> Field {
        Field { name: None, ty, offset, bits: None, is_const }
    }

    fn record(types: &mut TypeTable, kind: RecordKind, size: u64, fields: Vec<Field>) -> TypeId {
        let (id, ty) = types.new_record(kind, None);
        let record = &mut types.records[id];
        (record.fields, record.size, record.align, record.complete) = (fields, size, 4, true);
        ty
    }

    #[test]
    fn arrays_repeat_the_ranges_of_their_elements() {
        let mut types = TypeTable::new(DataModel::Lp64);
        let pair = vec![member(TypeId::INT, 0, false), member(TypeId::INT, 4, true)];
        let pair = record(&mut types, RecordKind::Struct, 8, pair);
        let array = types.array_of(pair, Some(3));
        let nested = record(&mut types, RecordKind::Struct, 28, vec![member(array, 4, false)]);
        let Writes::Except(bits) = Writes::of(&types, array) else { panic!() };
        assert_eq!(*bits, ConstBits { ranges: vec![(32, 64)], stride: 8 });
        assert_eq!(ConstBits::of(&types, nested).unwrap().ranges, [(64, 96), (128, 160), (192, 224)]);
        let writes = Writes::of(&types, array);
        assert!(writes.allow(16, 4) && writes.allow(8, 0) && writes.allow(6, 0));
        assert!(!writes.allow(20, 1) && !writes.allow(0, 5) && !writes.allow(2, 9));
        // From one element into the next.
        let first = vec![member(TypeId::INT, 0, true), member(TypeId::INT, 4, false)];
        let first = record(&mut types, RecordKind::Struct, 8, first);
        let array = types.array_of(first, Some(3));
        assert!(Writes::of(&types, array).allow(4, 4) && !Writes::of(&types, array).allow(4, 5));
    }

    #[test]
    fn members_of_a_union_must_agree() {
        let mut types = TypeTable::new(DataModel::Lp64);
        let fields = vec![member(TypeId::INT, 0, true), member(TypeId::LONG, 0, false)];
        let some = record(&mut types, RecordKind::Union, 8, fields);
        assert_eq!(Writes::of(&types, some), Writes::All);
        let fields = vec![member(TypeId::INT, 0, true), member(TypeId::LONG, 0, true)];
        let all = record(&mut types, RecordKind::Union, 8, fields);
        assert_eq!(ConstBits::of(&types, all).unwrap().ranges, [(0, 32)]);
    }

    #[test]
    fn bit_fields_beside_const_ones_are_written_alone() {
        let mut types = TypeTable::new(DataModel::Lp64);
        let range = |start, width| BitRange { start, width };
        let bits = |offset, start, width, is_const| {
            let bits = Some(range(start, width));
            Field { name: None, ty: TypeId::INT, offset, bits, is_const }
        };
        let fields = vec![bits(0, 6, 6, false), bits(1, 4, 14, true)];
        let shared = record(&mut types, RecordKind::Struct, 4, fields);
        assert_eq!(ConstBits::of(&types, shared).unwrap().ranges, [(12, 26)]);
        let writes = Writes::of(&types, shared);
        assert!(writes.allow_bits(0, range(6, 6)) && !writes.allow_bits(0, range(6, 7)));
        assert!(!writes.allow_bits(3, range(1, 3)) && writes.allow_bits(3, range(2, 3)));
        assert!(writes.allow(0, 1) && !writes.allow(1, 1) && !writes.allow(3, 1));
        // Into the next element of an array.
        let array = types.array_of(shared, Some(2));
        assert!(
            Writes::of(&types, array).allow_bits(3, range(2, 18))
                && !Writes::of(&types, array).allow_bits(3, range(2, 19))
        );
    }

    #[test]
    fn long_arrays_in_records_are_read_only_between_their_const_members() {
        let mut types = TypeTable::new(DataModel::Lp64);
        let pair = vec![member(TypeId::INT, 0, false), member(TypeId::INT, 4, true)];
        let pair = record(&mut types, RecordKind::Struct, 8, pair);
        let array = types.array_of(pair, Some(5000));
        let outer = record(&mut types, RecordKind::Struct, 40004, vec![member(array, 4, false)]);
        assert_eq!(ConstBits::of(&types, outer).unwrap().ranges, [(64, 8 * 40004)]);
    }
}
