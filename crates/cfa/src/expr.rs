//! Expressions and places. Both are pure: evaluating one changes nothing and may only raise a [`crate::Fault`].
//!
//! A *place* is a piece of memory (an lvalue); an *expression* is a value. Conversions are explicit: both operands of an arithmetic
//! operator have the operator's type, and nothing is ever promoted silently.

use crate::program::{FuncId, VarId};
use crate::types::TypeId;
use base::{Span, define_id};

define_id!(ExprId, "x");
define_id!(PlaceId, "p");

/// The bits of a scalar value, zero-extended to 128. How to read them is the type's business.
/// Two words instead of a `u128` keep [`Expr`] small.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Bits {
    pub lo: u64,
    pub hi: u64,
}

impl Bits {
    pub const ZERO: Bits = Bits { lo: 0, hi: 0 };

    #[inline]
    pub fn new(value: u128) -> Self {
        Bits { lo: value as u64, hi: (value >> 64) as u64 }
    }

    #[inline]
    pub fn get(self) -> u128 {
        (self.hi as u128) << 64 | self.lo as u128
    }

    #[inline]
    pub fn is_zero(self) -> bool {
        self.lo | self.hi == 0
    }
}

impl std::fmt::Debug for Bits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:#x}", self.get())
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: TypeId,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExprKind {
    /// A constant of scalar type; of pointer type: null or an integer that was cast.
    Const(Bits),
    /// The value of a place. Of record type only as a whole: right side of an assignment, argument, returned value.
    Read(PlaceId),
    /// The address of a place; the type is a pointer to the place's type (an array's address may be typed as a pointer to its element).
    AddrOf(PlaceId),
    FuncAddr(FuncId),
    Unary(UnOp, ExprId),
    Binary(BinOp, ExprId, ExprId),
    /// Conversion between scalar types. To `_Bool`: comparison with zero.
    Cast(ExprId),
    /// Pointer plus integer: moves by the integer (signed or unsigned as typed) times the size of the pointee.
    PtrAdd(ExprId, ExprId),
    /// Pointer minus integer.
    PtrSub(ExprId, ExprId),
    /// Pointer minus pointer, in elements; `ptrdiff_t`.
    PtrDiff(ExprId, ExprId),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnOp {
    Neg,
    /// Bitwise complement, integers only.
    BitNot,
    /// `!e`: an `int`, 1 if the operand (any scalar) equals zero.
    Not,
}

/// Arithmetic and comparison. Operands have one and the same type, except shifts, whose right operand keeps its own promoted type.
/// Comparisons give an `int`, 0 or 1, and compare also pointers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    /// Arithmetic for signed, logical for unsigned left operands.
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl BinOp {
    pub const ALL: [BinOp; 16] = [
        BinOp::Add,
        BinOp::Sub,
        BinOp::Mul,
        BinOp::Div,
        BinOp::Rem,
        BinOp::And,
        BinOp::Or,
        BinOp::Xor,
        BinOp::Shl,
        BinOp::Shr,
        BinOp::Eq,
        BinOp::Ne,
        BinOp::Lt,
        BinOp::Le,
        BinOp::Gt,
        BinOp::Ge,
    ];

    /// The comparison that holds where this one does not: of numbers, since none but `!=` holds of a NaN. Other operators stay.
    pub fn negated(self) -> BinOp {
        match self {
            BinOp::Eq => BinOp::Ne,
            BinOp::Ne => BinOp::Eq,
            BinOp::Lt => BinOp::Ge,
            BinOp::Le => BinOp::Gt,
            BinOp::Gt => BinOp::Le,
            BinOp::Ge => BinOp::Lt,
            other => other,
        }
    }

    /// The comparison with its operands exchanged. Other operators stay.
    pub fn mirrored(self) -> BinOp {
        match self {
            BinOp::Lt => BinOp::Gt,
            BinOp::Le => BinOp::Ge,
            BinOp::Gt => BinOp::Lt,
            BinOp::Ge => BinOp::Le,
            other => other,
        }
    }

    pub fn is_comparison(self) -> bool {
        matches!(self, BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge)
    }

    pub fn c_name(self) -> &'static str {
        match self {
            BinOp::Add => "+",
            BinOp::Sub => "-",
            BinOp::Mul => "*",
            BinOp::Div => "/",
            BinOp::Rem => "%",
            BinOp::And => "&",
            BinOp::Or => "|",
            BinOp::Xor => "^",
            BinOp::Shl => "<<",
            BinOp::Shr => ">>",
            BinOp::Eq => "==",
            BinOp::Ne => "!=",
            BinOp::Lt => "<",
            BinOp::Le => "<=",
            BinOp::Gt => ">",
            BinOp::Ge => ">=",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    pub kind: PlaceKind,
    pub ty: TypeId,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlaceKind {
    Var(VarId),
    /// What a pointer points to. The place's type says how the memory is read; it may differ from the pointee's type.
    Deref(ExprId),
    /// Field number `1` of a record place.
    Field(PlaceId, u32),
    /// Element of an array place; the index is an integer of any type.
    Index(PlaceId, ExprId),
}
