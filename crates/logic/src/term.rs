//! What a term is: an operator, a sort and at most three arguments. Terms live in a [`crate::TermPool`].

base::define_id!(
    /// A hash-consed term: equal ids, equal terms. An argument's id is always smaller than its user's.
    TermId,
    "t"
);

impl TermId {
    pub const FALSE: TermId = TermId(0);
    pub const TRUE: TermId = TermId(1);
}

/// The widest bit-vector. Array indices and elements have 15 and 16 bits for their width.
pub const MAX_WIDTH: u32 = (1 << 24) - 1;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Sort {
    Bool,
    BitVec(u32),
    Array { index: u32, element: u32 },
}

impl Sort {
    const ARRAY: u32 = 1 << 31;

    pub(crate) fn pack(self) -> u32 {
        match self {
            Sort::Bool => 0,
            Sort::BitVec(width) => {
                assert!((1..=MAX_WIDTH).contains(&width), "bit-vector of width {width}");
                width
            }
            Sort::Array { index, element } => {
                assert!((1..1 << 15).contains(&index) && (1..1 << 16).contains(&element), "array of {index}/{element}");
                Sort::ARRAY | index << 16 | element
            }
        }
    }

    pub(crate) fn unpack(code: u32) -> Sort {
        match code {
            0 => Sort::Bool,
            _ if code & Sort::ARRAY != 0 => Sort::Array { index: code >> 16 & 0x7fff, element: code & 0xffff },
            _ => Sort::BitVec(code),
        }
    }

    pub fn is_array(self) -> bool {
        matches!(self, Sort::Array { .. })
    }
}

/// What remains after construction; everything else (`or` of Booleans, `<=`, `-`, signed division, zero extension,
/// rotation, overflow predicates) is expressed by these.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum TermOp {
    /// `false` and `true`, which are [`TermId::FALSE`] and [`TermId::TRUE`].
    Bool,
    /// A bit-vector constant; see [`crate::TermPool::as_bits`].
    Const,
    /// A variable; see [`crate::TermPool::name`].
    Var,
    /// Of a Boolean or bitwise.
    Not,
    /// Of Booleans or bitwise.
    And,
    /// Bitwise only.
    Or,
    /// Of Booleans or bitwise.
    Xor,
    /// Of bit-vectors.
    Eq,
    Ult,
    Slt,
    Neg,
    Add,
    Mul,
    Udiv,
    Urem,
    Shl,
    Lshr,
    Ashr,
    /// High part first.
    Concat,
    /// See [`crate::TermPool::extract_range`].
    Extract,
    SignExt,
    /// Of Booleans, bit-vectors or arrays.
    Ite,
    ConstArray,
    Select,
    Store,
}

impl TermOp {
    pub(crate) fn arity(self) -> usize {
        use TermOp::*;
        match self {
            Bool | Const | Var => 0,
            Not | Neg | Extract | SignExt | ConstArray => 1,
            And | Or | Xor | Eq | Ult | Slt | Add | Mul | Udiv | Urem | Shl | Lshr | Ashr | Concat | Select => 2,
            Ite | Store => 3,
        }
    }
}

/// Twenty bytes. What `a`, `b`, `c` mean is the operator's business: arguments first, then plain numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Node {
    pub op: TermOp,
    /// [`Sort::pack`].
    pub sort: u32,
    pub a: u32,
    pub b: u32,
    pub c: u32,
}

impl Node {
    #[inline]
    pub fn hash(&self) -> u64 {
        let x = (self.a as u64 | (self.b as u64) << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let y = (self.c as u64 | (self.sort as u64) << 32).wrapping_add(self.op as u64 * 0x51_7cc1);
        let z = (x ^ x >> 32 ^ y).wrapping_mul(0xd6e8_feb8_6659_fd93);
        z ^ z >> 32
    }
}

/// The arguments of a term, by value.
#[derive(Clone, Copy)]
pub struct Args {
    items: [TermId; 3],
    len: u8,
}

impl Args {
    #[inline]
    pub(crate) fn of(node: &Node) -> Args {
        Args { items: [TermId(node.a), TermId(node.b), TermId(node.c)], len: node.op.arity() as u8 }
    }
}

impl std::ops::Deref for Args {
    type Target = [TermId];
    #[inline]
    fn deref(&self) -> &[TermId] {
        &self.items[..self.len as usize]
    }
}
