//! Symbolic values. A number is one bit-vector term; a pointer is two, the object it belongs to and the byte offset in it, so that a
//! dereference sees which objects are possible without arithmetic.

use logic::{TermId, TermPool};

/// Width of object numbers. 0 is no object: null and numbers made into pointers.
pub const OBJECT_BITS: u32 = 32;
/// Offsets are signed and wide enough never to wrap.
pub const OFFSET_BITS: u32 = 64;
/// Width of a pointer packed into one term, as arrays of pointers hold it.
pub const PACKED_BITS: u32 = OBJECT_BITS + OFFSET_BITS;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SymbolicValue {
    Bits(TermId),
    Pointer { object: TermId, offset: TermId },
}

impl SymbolicValue {
    pub fn bits(self) -> TermId {
        match self {
            SymbolicValue::Bits(term) => term,
            SymbolicValue::Pointer { .. } => panic!("a number is needed, this is a pointer"),
        }
    }

    pub fn null(pool: &mut TermPool) -> SymbolicValue {
        SymbolicValue::Pointer { object: pool.bv(OBJECT_BITS, 0), offset: pool.bv(OFFSET_BITS, 0) }
    }

    pub fn ite(pool: &mut TermPool, cond: TermId, yes: SymbolicValue, no: SymbolicValue) -> SymbolicValue {
        match (yes, no) {
            (SymbolicValue::Bits(yes), SymbolicValue::Bits(no)) => SymbolicValue::Bits(pool.ite(cond, yes, no)),
            (SymbolicValue::Pointer { object: a, offset: m }, SymbolicValue::Pointer { object: b, offset: n }) => {
                SymbolicValue::Pointer { object: pool.ite(cond, a, b), offset: pool.ite(cond, m, n) }
            }
            _ => panic!("a number and a pointer cannot be merged"),
        }
    }

    /// As one term, for arrays.
    pub fn pack(self, pool: &mut TermPool) -> TermId {
        match self {
            SymbolicValue::Bits(term) => term,
            SymbolicValue::Pointer { object, offset } => pool.concat(object, offset),
        }
    }

    pub fn unpack(pool: &mut TermPool, term: TermId, pointer: bool) -> SymbolicValue {
        if !pointer {
            return SymbolicValue::Bits(term);
        }
        let object = pool.extract(term, PACKED_BITS - 1, OFFSET_BITS);
        let offset = pool.extract(term, OFFSET_BITS - 1, 0);
        SymbolicValue::Pointer { object, offset }
    }
}
