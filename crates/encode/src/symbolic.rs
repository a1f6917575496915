//! Accesses at offsets that are not constant: each lane that the access may lie in contributes what it holds, under the condition that it
//! does lie there. An access narrower than a lane's scalar is shifted out of it; one that is wider than all lanes is put together from bytes.

use crate::address::{has_number, number_to_pointer, pointer_to_number};
use crate::layout::{Lane, LaneKind, Layout};
use crate::memory::{Access, Cell, INDEX_BITS, Index, Mismatch, convert, convert_back, is_specified, matches};
use crate::value::{OFFSET_BITS, SymbolicValue};
use logic::{TermId, TermPool};

/// A lane that an access may hit.
struct Hit {
    lane: usize,
    index: Index,
    cond: TermId,
    /// Bytes between the start of the scalar and the access; `None`: the access is the whole scalar.
    inside: Option<TermId>,
}

/// The value, and when the access fits the layout.
pub fn read(
    pool: &mut TermPool,
    layout: &Layout,
    cells: &[Cell],
    offset: TermId,
    access: Access,
    size: Option<u64>,
) -> Result<(SymbolicValue, TermId), Mismatch> {
    let found = hits(pool, layout, offset, access, size);
    if found.is_empty() {
        return read_bytes(pool, layout, cells, offset, access, size);
    }
    let (mut value, mut fits) = (None, pool.bool(false));
    for Hit { lane, index, mut cond, inside } in found {
        let held = cells[lane].read(pool, &layout.lanes[lane], index);
        let part = match inside {
            None => convert(pool, held, &layout.lanes[lane], access),
            Some(distance) => {
                let bits = layout.lanes[lane].size as u32 * 8;
                let exact = has_number(pool, held, bits);
                cond = pool.and(cond, exact);
                if layout.lanes[lane].kind.padding().is_some() {
                    let specified = is_specified(pool, held.bits());
                    cond = pool.and(cond, specified);
                }
                let unused = unused_bytes(pool, &layout.lanes[lane], distance, access);
                let used = pool.not(unused);
                cond = pool.and(cond, used);
                let image = image(pool, held, bits);
                let shift = bit_distance(pool, distance, bits);
                let shifted = pool.bv_lshr(image, shift);
                let term = pool.extract(shifted, access.size as u32 * 8 - 1, 0);
                if access.width == 1 {
                    let last = pool.bv(pool.width(term), 1);
                    let valid = pool.ule(term, last);
                    cond = pool.and(cond, valid);
                }
                shaped(pool, term, access)
            }
        };
        value = Some(match value {
            None => part,
            Some(other) => SymbolicValue::ite(pool, cond, part, other),
        });
        fits = pool.or(fits, cond);
    }
    value.map(|value| (value, fits)).ok_or(Mismatch)
}

/// Writes where `cond` holds; when the access fits the layout.
#[allow(clippy::too_many_arguments)]
pub fn write(
    pool: &mut TermPool,
    layout: &Layout,
    cells: &mut [Cell],
    offset: TermId,
    access: Access,
    value: SymbolicValue,
    cond: TermId,
    size: Option<u64>,
) -> Result<TermId, Mismatch> {
    let found = hits(pool, layout, offset, access, size);
    if found.is_empty() {
        return write_bytes(pool, layout, cells, offset, access, value, cond, size);
    }
    let mut fits = pool.bool(false);
    for Hit { lane: number, index, cond: mut hit, inside } in found {
        let lane = &layout.lanes[number];
        let stored = match inside {
            None => convert_back(pool, value, lane),
            Some(distance) => {
                let (bits, part_bits) = (lane.size as u32 * 8, access.size as u32 * 8);
                let old = cells[number].read(pool, lane, index);
                for moved in [old, value] {
                    let exact = has_number(pool, moved, if moved == old { bits } else { part_bits });
                    hit = pool.and(hit, exact);
                }
                let shift = bit_distance(pool, distance, bits);
                let part = image(pool, value, part_bits);
                let (part, ones) = (pool.zext(part, bits), pool.bv_signed(part_bits, -1));
                let ones = pool.zext(ones, bits);
                let (part, mask) = (pool.bv_shl(part, shift), pool.bv_shl(ones, shift));
                let keep = pool.bv_not(mask);
                let old = image(pool, old, bits);
                let kept = pool.bv_and(old, keep);
                let new = pool.bv_or(kept, part);
                match lane.kind {
                    LaneKind::Pointer => number_to_pointer(pool, new),
                    _ => {
                        let narrow = pool.resize_unsigned(new, lane.width);
                        if lane.width < bits {
                            let back = pool.resize_unsigned(narrow, bits);
                            let kept = pool.eq(back, new);
                            hit = pool.and(hit, kept);
                        }
                        SymbolicValue::Bits(narrow)
                    }
                }
            }
        };
        let both = pool.and(hit, cond);
        cells[number].write(pool, lane, index, stored, both);
        fits = pool.or(fits, hit);
    }
    Ok(fits)
}

/// Whether an access goes to bytes of a scalar that are not part of its value, as `long double` has.
fn unused_bytes(pool: &mut TermPool, lane: &Lane, distance: TermId, access: Access) -> TermId {
    let used = lane.width.div_ceil(8) as u64;
    if lane.kind != LaneKind::Number || used >= lane.size {
        return pool.bool(false);
    }
    let last = pool.bv(OFFSET_BITS, used.saturating_sub(access.size) as u128);
    pool.ugt(distance, last)
}

/// A value as the bits that memory holds.
fn image(pool: &mut TermPool, value: SymbolicValue, bits: u32) -> TermId {
    match value {
        SymbolicValue::Pointer { .. } => pointer_to_number(pool, value, bits),
        SymbolicValue::Bits(term) => pool.resize_unsigned(term, bits),
    }
}

fn shaped(pool: &mut TermPool, term: TermId, access: Access) -> SymbolicValue {
    match access.pointer {
        true => number_to_pointer(pool, term),
        false => SymbolicValue::Bits(pool.resize_unsigned(term, access.width)),
    }
}

fn bit_distance(pool: &mut TermPool, bytes: TermId, width: u32) -> TermId {
    let eight = pool.bv(OFFSET_BITS, 8);
    let bits = pool.bv_mul(bytes, eight);
    pool.resize_unsigned(bits, width)
}

const BYTE: Access = Access { size: 1, width: 8, pointer: false, bits: None, padding: false };

fn is_splittable(access: Access) -> bool {
    access.bits.is_none() && (2..=16).contains(&access.size) && !access.has_unused_bytes()
}

fn byte_offset(pool: &mut TermPool, offset: TermId, byte: u64) -> TermId {
    let distance = pool.bv(OFFSET_BITS, byte as u128);
    pool.bv_add(offset, distance)
}

fn read_bytes(
    pool: &mut TermPool,
    layout: &Layout,
    cells: &[Cell],
    offset: TermId,
    access: Access,
    size: Option<u64>,
) -> Result<(SymbolicValue, TermId), Mismatch> {
    if !is_splittable(access) {
        return Err(Mismatch);
    }
    let (mut term, mut fits) = (None, pool.bool(true));
    for byte in (0..access.size).rev() {
        let at = byte_offset(pool, offset, byte);
        let (piece, fit) = read(pool, layout, cells, at, BYTE, size)?;
        fits = pool.and(fits, fit);
        term = Some(match term {
            None => piece.bits(),
            Some(high) => pool.concat(high, piece.bits()),
        });
    }
    let term = term.ok_or(Mismatch)?;
    Ok((shaped(pool, term, access), fits))
}

#[allow(clippy::too_many_arguments)]
fn write_bytes(
    pool: &mut TermPool,
    layout: &Layout,
    cells: &mut [Cell],
    offset: TermId,
    access: Access,
    value: SymbolicValue,
    cond: TermId,
    size: Option<u64>,
) -> Result<TermId, Mismatch> {
    if !is_splittable(access) {
        return Err(Mismatch);
    }
    let bits = access.size as u32 * 8;
    let mut fits = has_number(pool, value, bits);
    let term = image(pool, value, bits);
    for byte in 0..access.size {
        let at = byte_offset(pool, offset, byte);
        let piece = pool.extract(term, byte as u32 * 8 + 7, byte as u32 * 8);
        let fit = write(pool, layout, cells, at, BYTE, SymbolicValue::Bits(piece), cond, size)?;
        fits = pool.and(fits, fit);
    }
    Ok(fits)
}

/// The lanes that an access may hit, with index and condition.
fn hits(pool: &mut TermPool, layout: &Layout, offset: TermId, access: Access, size: Option<u64>) -> Vec<Hit> {
    let mut hits = Vec::new();
    for (number, lane) in layout.lanes.iter().enumerate() {
        let whole = matches(lane, access);
        let bits = matches!(lane.kind, LaneKind::BitField(_) | LaneKind::Padding(Some(_)));
        let is_part = access.bits.is_none() && !bits && access.size <= lane.size && !access.padding;
        if !whole && !is_part {
            continue;
        }
        let base = pool.bv(OFFSET_BITS, lane.offset as u128);
        let relative = pool.bv_sub(offset, base);
        let (index, cond, rest) = match lane.dims.is_empty() {
            true => (Index::Known(0), pool.bool(true), relative),
            false => {
                let (index, cond, rest) = decompose(pool, lane, relative, size);
                (Index::Term(index), cond, rest)
            }
        };
        let there = match whole {
            true => {
                let zero = pool.bv(OFFSET_BITS, 0);
                pool.eq(rest, zero)
            }
            false => {
                let last = pool.bv(OFFSET_BITS, (lane.size - access.size) as u128);
                pool.ule(rest, last)
            }
        };
        let cond = pool.and(cond, there);
        if pool.as_bool(cond) != Some(false) {
            hits.push(Hit { lane: number, index, cond, inside: (!whole).then_some(rest) });
        }
    }
    hits
}

/// Linear index of a relative offset in a lane, when it is one, and the distance from the start of the scalar there.
fn decompose(pool: &mut TermPool, lane: &Lane, relative: TermId, size: Option<u64>) -> (TermId, TermId, TermId) {
    // Nested arrays without gaps are one array.
    let mut dims: Vec<(u64, Option<u64>)> = Vec::new();
    for (stride, count) in &lane.dims {
        match dims.last_mut() {
            Some((outer, total)) if Some(*outer) == count.map(|count| count * stride) => {
                *total = total.zip(*count).map(|(a, b)| a * b);
                *outer = *stride;
            }
            _ => dims.push((*stride, *count)),
        }
    }
    let mut cond = pool.bool(true);
    let mut rest = relative;
    let mut index = pool.bv(INDEX_BITS, 0);
    for (stride, count) in dims {
        let (quotient, remainder) = divide(pool, rest, stride, size);
        if let Some(count) = count {
            let limit = pool.bv(OFFSET_BITS, count as u128);
            let inside = pool.ult(quotient, limit);
            cond = pool.and(cond, inside);
            let factor = pool.bv(INDEX_BITS, count as u128);
            index = pool.bv_mul(index, factor);
        }
        let narrow = pool.extract(quotient, INDEX_BITS - 1, 0);
        index = pool.bv_add(index, narrow);
        rest = remainder;
    }
    (index, cond, rest)
}

/// Quotient and remainder by a constant, as cheaply as the term's shape allows.
fn divide(pool: &mut TermPool, term: TermId, by: u64, size: Option<u64>) -> (TermId, TermId) {
    let zero = pool.bv(OFFSET_BITS, 0);
    if by <= 1 {
        return (term, zero);
    }
    if let Some((quotient, remainder)) = crate::linear::divide(pool, term, by) {
        return (quotient, remainder);
    }
    if by.is_power_of_two() {
        let shift = by.trailing_zeros();
        let high = pool.extract(term, OFFSET_BITS - 1, shift);
        let low = pool.extract(term, shift - 1, 0);
        return (pool.zext(high, OFFSET_BITS), pool.zext(low, OFFSET_BITS));
    }
    // Accesses lie inside the object (that was checked), so a few bits decide; one more keeps what is outside apart.
    let width = size.map_or(OFFSET_BITS, |size| (64 - size.leading_zeros() + 1).min(OFFSET_BITS));
    let narrow = pool.extract(term, width - 1, 0);
    let divisor = pool.bv(width, by as u128);
    let quotient = pool.bv_udiv(narrow, divisor);
    let remainder = pool.bv_urem(narrow, divisor);
    (pool.zext(quotient, OFFSET_BITS), pool.zext(remainder, OFFSET_BITS))
}
