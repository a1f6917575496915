//! Pointers as the numbers that C sees, and back (ADR 1).
//!
//! Two numberings. The *fixed* one splits the bits of a number into object and offset, so that every number is one pointer and the way back is exact.
//! The *arbitrary* one places every object anywhere: the address of an object is an unconstrained number other than zero, so what holds with it holds
//! wherever a compiler, linker or allocator puts things (also where two objects share an address, one after the other). The way back is then
//! known only for numbers that are visibly addresses plus offsets; any other number belongs to no object.
//!
//! Executions use the fixed numbering; [`was_looked_at`] says whether a number of an address came up, and then what was proved is checked again with the
//! arbitrary one.

use crate::value::{OBJECT_BITS, OFFSET_BITS, SymbolicValue};
use logic::{TermId, TermOp, TermPool};

const FIRST_REGISTER: &str = "the first address of hardware registers";
const LAST_REGISTER: &str = "the last address of hardware registers";
const LOOKED_AT: &str = "the number of an address came up";
const PLACES: &str = "addresses of objects";
/// Bits of an address: what processors of 64 bits give to programs.
const ADDRESS_BITS: u32 = 47;
/// Stands for an address that would be zero.
const NOT_NULL: u128 = 4096;

/// Whether a pointer to an object was ever made a number.
pub fn was_looked_at(pool: &TermPool) -> bool {
    pool.shared.contains_key(LOOKED_AT)
}

/// From now on numbers of addresses are arbitrary.
pub fn place_anywhere(pool: &mut TermPool, pointer_width: u32) {
    let places = pool.array_var(PLACES, OBJECT_BITS, pointer_width.min(ADDRESS_BITS));
    pool.shared.insert(PLACES, places);
}

/// No object has an address between these.
pub fn keep_for_registers(pool: &mut TermPool, (first, last): (u64, u64)) {
    for (name, address) in [(FIRST_REGISTER, first), (LAST_REGISTER, last)] {
        let address = pool.bv(64, address.into());
        pool.shared.insert(name, address);
    }
}

/// Whether a number is an address between the first and the last register.
fn is_among_registers(pool: &mut TermPool, number: TermId) -> TermId {
    let (Some(first), Some(last)) = (pool.shared.get(FIRST_REGISTER), pool.shared.get(LAST_REGISTER)) else {
        return pool.bool(false);
    };
    let (first, last) = (*first, *last);
    let number = pool.resize_unsigned(number, 64);
    let (after, before) = (pool.ule(first, number), pool.ule(number, last));
    pool.and(after, before)
}

/// Where objects are, with the arbitrary numbering. Only whole pointers have a place.
fn placement(pool: &TermPool, width: u32) -> Option<TermId> {
    let places = *pool.shared.get(PLACES)?;
    (width >= 32).then_some(places)
}

fn placed(pool: &mut TermPool, places: TermId, object: TermId, offset: TermId, width: u32) -> TermId {
    let raw = pool.select(places, object);
    let bits = pool.width(raw);
    let (zero, other) = (pool.bv(bits, 0), pool.bv(bits, NOT_NULL));
    let is_zero = pool.eq(raw, zero);
    let start = pool.ite(is_zero, other, raw);
    let start = pool.zext(start, width);
    let distance = pool.extract(offset, width - 1, 0);
    let address = pool.bv_add(start, distance);
    // A pointer to no object is the number it was made from.
    let none = pool.bv(OBJECT_BITS, 0);
    let plain = pool.eq(object, none);
    pool.ite(plain, distance, address)
}

/// The pointer that [`placed`] made a number of, if that can be seen.
fn find_placed(pool: &mut TermPool, places: TermId, number: TermId) -> Option<SymbolicValue> {
    if let Some(object) = placed_object(pool, places, number) {
        return Some(SymbolicValue::Pointer { object, offset: pool.bv(OFFSET_BITS, 0) });
    }
    if let Some((left, right)) = pool.binary(number, TermOp::Add) {
        for (base, distance) in [(left, right), (right, left)] {
            if let Some(SymbolicValue::Pointer { object, offset }) = find_placed(pool, places, base) {
                let distance = pool.resize_signed(distance, OFFSET_BITS);
                return Some(SymbolicValue::Pointer { object, offset: pool.bv_add(offset, distance) });
            }
        }
    }
    if pool.op(number) == TermOp::Ite {
        let (cond, yes, no) = (pool.arg(number, 0), pool.arg(number, 1), pool.arg(number, 2));
        let (first, second) = (find_placed(pool, places, yes), find_placed(pool, places, no));
        if first.is_none() && second.is_none() {
            return None;
        }
        let mut itself = |number: TermId| SymbolicValue::Pointer {
            object: pool.bv(OBJECT_BITS, 0),
            offset: pool.resize_signed(number, OFFSET_BITS),
        };
        let first = first.unwrap_or_else(|| itself(yes));
        let second = second.unwrap_or_else(|| itself(no));
        return Some(SymbolicValue::ite(pool, cond, first, second));
    }
    None
}

/// The object whose start a number is.
fn placed_object(pool: &TermPool, places: TermId, number: TermId) -> Option<TermId> {
    let start = match pool.op(number) {
        TermOp::Concat => pool.arg(number, 1),
        _ => number,
    };
    if pool.op(start) != TermOp::Ite {
        return None;
    }
    [pool.arg(start, 1), pool.arg(start, 2)].into_iter().find_map(|raw| {
        let here = pool.op(raw) == TermOp::Select && pool.arg(raw, 0) == places;
        here.then(|| pool.arg(raw, 1))
    })
}

/// A pointer as the number that C sees, and back. Bits: object above, offset below, split so that both fit the pointer's width.
pub fn pointer_to_number(pool: &mut TermPool, value: SymbolicValue, width: u32) -> TermId {
    let SymbolicValue::Pointer { object, offset } = value else { return value.bits() };
    if pool.as_u64(object) != Some(0) {
        let yes = pool.bool(true);
        pool.shared.insert(LOOKED_AT, yes);
    }
    if let Some(places) = placement(pool, width) {
        return placed(pool, places, object, offset, width);
    }
    let split = number_split(width);
    let high = pool.extract(object, width - split - 1, 0);
    let low = pool.extract(offset, split - 1, 0);
    let address = pool.concat(high, low);
    // A pointer to no object is the number it was made from.
    let none = pool.bv(OBJECT_BITS, 0);
    let plain = pool.eq(object, none);
    let number = pool.extract(offset, width - 1, 0);
    pool.ite(plain, number, address)
}

/// Every number is one pointer: the place in an object that its bits name, or itself, belonging to no object.
pub fn number_to_pointer(pool: &mut TermPool, number: TermId) -> SymbolicValue {
    let width = pool.width(number);
    if let Some(places) = placement(pool, width) {
        return find_placed(pool, places, number).unwrap_or_else(|| SymbolicValue::Pointer {
            object: pool.bv(OBJECT_BITS, 0),
            offset: pool.resize_signed(number, OFFSET_BITS),
        });
    }
    let split = number_split(width);
    let high = pool.extract(number, width - 1, split);
    let high = pool.zext(high, OBJECT_BITS);
    let low = pool.extract(number, split - 1, 0);
    let low = pool.zext(low, OFFSET_BITS);
    let none = pool.bv(OBJECT_BITS, 0);
    let whole = pool.resize_signed(number, OFFSET_BITS);
    let plain = is_plain(pool, number);
    SymbolicValue::Pointer { object: pool.ite(plain, none, high), offset: pool.ite(plain, whole, low) }
}

/// Whether a number, seen as a pointer, belongs to no object, for any set of objects: it is small, or just below zero, or far behind
/// the end of an object, where the numbers of the next one's predecessors are.
fn is_plain(pool: &mut TermPool, number: TermId) -> TermId {
    let width = pool.width(number);
    let split = number_split(width);
    let high = pool.extract(number, width - 1, split);
    let last = pool.bv(width - split, last_object(width));
    let (small, large) = (is_small(pool, number), pool.ult(last, high));
    let far = pool.extract(number, split - 1, split - 1);
    let far = pool.bv_to_bool(far);
    let register = is_among_registers(pool, number);
    pool.or_all(&[small, large, far, register])
}

/// Whether a number is below the addresses of all objects.
pub fn is_small(pool: &mut TermPool, number: TermId) -> TermId {
    let width = pool.width(number);
    let split = number_split(width);
    let high = pool.extract(number, width - 1, split);
    let none = pool.bv(width - split, 0);
    pool.eq(high, none)
}

/// The bits of a number that are not those of an address: what is left is below the addresses of all objects.
pub fn smallest(pool: &mut TermPool, number: TermId) -> TermId {
    let width = pool.width(number);
    let low = pool.extract(number, number_split(width) - 1, 0);
    pool.zext(low, width)
}

/// Whether a pointer's number stands for this pointer only: short pointers have room for so many objects and offsets.
pub fn has_number(pool: &mut TermPool, value: SymbolicValue, width: u32) -> TermId {
    let SymbolicValue::Pointer { object, offset } = value else { return pool.bool(true) };
    let split = number_split(width);
    let last = pool.bv(OBJECT_BITS, last_object(width));
    let small_object = pool.ule(object, last);
    let offset_limit = pool.bv(OFFSET_BITS, 1 << (split - 1));
    let small_offset = pool.ult(offset, offset_limit);
    let small = pool.and(small_object, small_offset);
    let none = pool.bv(OBJECT_BITS, 0);
    let number = pool.extract(offset, width - 1, 0);
    let whole = pool.resize_signed(number, OFFSET_BITS);
    let (fits, plain) = (pool.eq(whole, offset), is_plain(pool, number));
    let itself = pool.and(fits, plain);
    let of_none = pool.eq(object, none);
    pool.ite(of_none, itself, small)
}

/// How many bits of a number name the place in an object.
fn number_split(width: u32) -> u32 {
    if width >= 64 { 40 } else { 20 }
}

/// The object with the highest addresses. Above are the numbers that programs give another meaning: -1, error codes.
fn last_object(width: u32) -> u128 {
    if width >= 64 { (1 << 23) - 1 } else { 0xfef }
}
