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
pub enum Value {
    Bits(TermId),
    Pointer { object: TermId, offset: TermId },
}

impl Value {
    pub fn bits(self) -> TermId {
        match self {
            Value::Bits(term) => term,
            Value::Pointer { .. } => panic!("a number is needed, this is a pointer"),
        }
    }

    pub fn null(pool: &mut TermPool) -> Value {
        Value::Pointer { object: pool.bv(OBJECT_BITS, 0), offset: pool.bv(OFFSET_BITS, 0) }
    }

    pub fn ite(pool: &mut TermPool, cond: TermId, yes: Value, no: Value) -> Value {
        match (yes, no) {
            (Value::Bits(yes), Value::Bits(no)) => Value::Bits(pool.ite(cond, yes, no)),
            (Value::Pointer { object: a, offset: m }, Value::Pointer { object: b, offset: n }) => {
                Value::Pointer { object: pool.ite(cond, a, b), offset: pool.ite(cond, m, n) }
            }
            _ => panic!("a number and a pointer cannot be merged"),
        }
    }

    /// As one term, for arrays.
    pub fn pack(self, pool: &mut TermPool) -> TermId {
        match self {
            Value::Bits(term) => term,
            Value::Pointer { object, offset } => pool.concat(object, offset),
        }
    }

    pub fn unpack(pool: &mut TermPool, term: TermId, pointer: bool) -> Value {
        if !pointer {
            return Value::Bits(term);
        }
        let object = pool.extract(term, PACKED_BITS - 1, OFFSET_BITS);
        let offset = pool.extract(term, OFFSET_BITS - 1, 0);
        Value::Pointer { object, offset }
    }
}
