//! Where the members of a struct or union lie: gcc's System V layout with bit-fields, `packed`, `aligned` and `#pragma pack`.

use super::Lower;
use super::qualifiers::Qualifiers;
use base::Symbol;
use cfa::types::{BitRange, Field, RecordKind};
use cfa::{RecordId, TypeId};

/// A member as declared.
pub(super) struct Member {
    pub name: Option<Symbol>,
    pub ty: TypeId,
    /// Bit-field width.
    pub width: Option<u64>,
    pub packed: bool,
    /// From `aligned` and `_Alignas`.
    pub align: Option<u64>,
    /// False for an unnamed bit-field, which takes room but is no field.
    pub listed: bool,
    pub qualifiers: Qualifiers,
}

pub(super) struct RecordOptions {
    /// From `#pragma pack`, in bytes.
    pub pack: Option<u64>,
    pub align: Option<u64>,
}

impl Lower<'_> {
    /// Fills in the fields, size and alignment of a record.
    pub(super) fn lay_out(&mut self, id: RecordId, members: &[Member], options: &RecordOptions) {
        let types = &self.program.types;
        let is_union = types.records[id].kind == RecordKind::Union;
        let mut fields = Vec::with_capacity(members.len());
        // All positions are in bits: `next` is the first free bit, `size` the first bit after the largest member.
        let (mut next, mut size, mut record_align) = (0u64, 0u64, 8u64);
        for member in members {
            if is_union {
                next = 0;
            }
            let natural = types.align_of(member.ty).max(1) * 8;
            let pack = |align: u64| options.pack.map_or(align, |pack| align.min(pack * 8));
            let bits = types.size_of(member.ty).unwrap_or(0).saturating_mul(8);
            if let Some(width) = member.width {
                let type_align = match (options.pack, member.packed) {
                    (Some(_), _) => pack(natural),
                    (None, true) => 8,
                    (None, false) => natural,
                };
                if width == 0 {
                    // Packing does not concern it.
                    next = next.next_multiple_of(natural);
                    size = size.max(next);
                    continue;
                }
                if let Some(align) = member.align {
                    next = next.next_multiple_of(align * 8);
                    record_align = record_align.max(align * 8);
                }
                // A bit-field may not span more units of its type's alignment than the type itself does.
                let units = (next + width).div_ceil(natural) - next / natural;
                if options.pack.is_none() && !member.packed && units > bits / natural {
                    next = next.next_multiple_of(natural);
                }
                if member.name.is_some() {
                    record_align = record_align.max(type_align);
                }
                if member.listed {
                    let range = BitRange { start: (next % 8) as u8, width: width as u8 };
                    let Member { name, ty, qualifiers, .. } = *member;
                    let is_const = qualifiers.is_const();
                    self.qualifiers.members.insert((id, fields.len() as u32), qualifiers);
                    fields.push(Field { name, ty, offset: next / 8, bits: Some(range), is_const });
                }
                next += width;
            } else {
                let mut align = pack(if member.packed { 8 } else { natural });
                if let Some(wanted) = member.align {
                    align = pack((wanted * 8).max(if member.packed { 8 } else { align }));
                }
                next = next.next_multiple_of(align);
                record_align = record_align.max(align);
                let Member { name, ty, qualifiers, .. } = *member;
                let is_const = qualifiers.is_const();
                self.qualifiers.members.insert((id, fields.len() as u32), qualifiers);
                fields.push(Field { name, ty, offset: next / 8, bits: None, is_const });
                next = next.saturating_add(bits);
            }
            size = size.max(next);
        }
        if let Some(align) = options.align {
            record_align = record_align.max(align * 8);
        }
        let record = &mut self.program.types.records[id];
        record.fields = fields;
        record.align = record_align / 8;
        record.size = size.div_ceil(8).checked_next_multiple_of(record.align).unwrap_or(u64::MAX / 16);
        record.complete = true;
    }
}
