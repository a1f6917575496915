//! Terms over the state of a place as expressions of the program. Bit-vectors are computed in an unsigned type that is wide enough, so nothing overflows.

use candidates::build::Builder;
use cfa::{BinOp, ExprId, ExprKind, IntKind, TypeId, UnOp, VarId};
use logic::{Sort, TermId, TermOp, TermPool};
use rustc_hash::FxHashMap;

/// A part of a variable of the program: an offset and a size in bytes.
pub type Name = (VarId, u64, u64);

pub struct Writer<'w, 'p> {
    pub pool: &'w TermPool,
    pub builder: &'w mut Builder<'p>,
    /// What the variables of terms are in the program.
    pub names: &'w FxHashMap<TermId, Name>,
}

impl Writer<'_, '_> {
    /// A Boolean term as an `int`, 0 or 1. `None` if C has no words for it.
    pub fn condition(&mut self, term: TermId) -> Option<ExprId> {
        if let Some(value) = self.pool.as_bool(term) {
            return Some(self.builder.constant(TypeId::INT, value.into()));
        }
        let args = self.pool.args(term);
        match self.pool.op(term) {
            TermOp::Not => self.negated(args[0]),
            TermOp::And => self.joined(BinOp::And, args[0], args[1]),
            TermOp::Xor => self.joined(BinOp::Xor, args[0], args[1]),
            TermOp::Eq => self.equal(BinOp::Eq, args[0], args[1]),
            TermOp::Ult => self.unsigned_comparison(BinOp::Lt, args[0], args[1]),
            TermOp::Slt => self.signed_comparison(BinOp::Lt, args[0], args[1]),
            _ => None,
        }
    }

    fn negated(&mut self, term: TermId) -> Option<ExprId> {
        let args = self.pool.args(term);
        match self.pool.op(term) {
            TermOp::Eq => self.equal(BinOp::Ne, args[0], args[1]),
            TermOp::Ult => self.unsigned_comparison(BinOp::Ge, args[0], args[1]),
            TermOp::Slt => self.signed_comparison(BinOp::Ge, args[0], args[1]),
            _ => {
                let inner = self.condition(term)?;
                Some(self.builder.expr(ExprKind::Unary(UnOp::Not, inner), TypeId::INT))
            }
        }
    }

    fn joined(&mut self, op: BinOp, left: TermId, right: TermId) -> Option<ExprId> {
        let (left, right) = (self.condition(left)?, self.condition(right)?);
        Some(self.builder.binary(op, left, right))
    }

    /// An equality is the same for signed and unsigned values: with the sign of a variable it is easier to read.
    fn equal(&mut self, op: BinOp, left: TermId, right: TermId) -> Option<ExprId> {
        // A constant is written on the right.
        let (left, right) = if self.pool.is_const(left) { (right, left) } else { (left, right) };
        let is_signed = |writer: &mut Self, term: TermId| {
            let read = writer.read(term)?;
            Some(writer.builder.program().types.is_signed(writer.builder.ty(read)))
        };
        let signed = is_signed(self, left).or_else(|| is_signed(self, right)).unwrap_or(false);
        if signed { self.signed_comparison(op, left, right) } else { self.unsigned_comparison(op, left, right) }
    }

    fn unsigned_comparison(&mut self, op: BinOp, left: TermId, right: TermId) -> Option<ExprId> {
        let (left, right) = (self.unsigned(left)?, self.unsigned(right)?);
        Some(self.builder.binary(op, left, right))
    }

    fn signed_comparison(&mut self, op: BinOp, left: TermId, right: TermId) -> Option<ExprId> {
        let (left, right) = (self.signed(left)?, self.signed(right)?);
        Some(self.builder.binary(op, left, right))
    }

    /// A variable of a term as a scalar of the program; integers only.
    fn read(&mut self, term: TermId) -> Option<ExprId> {
        let (var, offset, size) = *self.names.get(&term)?;
        let place = self.builder.scalar_at(var, offset, size)?;
        let read = self.builder.read(place);
        self.builder.ty(read).int_kind()?;
        let bits = self.builder.program().types.scalar_bits(self.builder.ty(read));
        (bits == self.width(term)?).then_some(read)
    }

    fn width(&self, term: TermId) -> Option<u32> {
        match self.pool.sort(term) {
            Sort::BitVec(width) if width <= 128 => Some(width),
            _ => None,
        }
    }

    /// A bit-vector as a number in the unsigned type of its width.
    fn unsigned(&mut self, term: TermId) -> Option<ExprId> {
        let width = self.width(term)?;
        let ty = TypeId::int(unsigned_kind(width));
        if let Some(bits) = self.pool.as_bits(term) {
            return Some(self.builder.constant(ty, bits.to_u128()? as i128));
        }
        if let Some(read) = self.read(term) {
            let kind = self.builder.ty(read).int_kind()?;
            let same = self.builder.cast(read, TypeId::int(kind.to_unsigned()));
            return Some(self.builder.cast(same, ty));
        }
        let args = self.pool.args(term);
        let whole = match self.pool.op(term) {
            TermOp::Not => {
                let inner = self.unsigned(args[0])?;
                self.builder.expr(ExprKind::Unary(UnOp::BitNot, inner), ty)
            }
            TermOp::Neg => {
                let (zero, inner) = (self.builder.constant(ty, 0), self.unsigned(args[0])?);
                self.builder.binary(BinOp::Sub, zero, inner)
            }
            TermOp::Add => self.operation(BinOp::Add, args[0], args[1])?,
            TermOp::Mul => self.operation(BinOp::Mul, args[0], args[1])?,
            TermOp::And => self.operation(BinOp::And, args[0], args[1])?,
            TermOp::Or => self.operation(BinOp::Or, args[0], args[1])?,
            TermOp::Xor => self.operation(BinOp::Xor, args[0], args[1])?,
            // C leaves division by zero and shifts by too much open: only by constants.
            TermOp::Udiv if self.pool.as_u64(args[1])? != 0 => self.operation(BinOp::Div, args[0], args[1])?,
            TermOp::Urem if self.pool.as_u64(args[1])? != 0 => self.operation(BinOp::Rem, args[0], args[1])?,
            TermOp::Shl | TermOp::Lshr => {
                let amount = self.pool.as_u64(args[1]).filter(|amount| *amount < width.into())?;
                let op = if self.pool.op(term) == TermOp::Shl { BinOp::Shl } else { BinOp::Shr };
                let value = self.unsigned(args[0])?;
                self.shifted(op, value, amount)
            }
            TermOp::Concat => {
                let low_bits = self.width(args[1])?;
                let (high, low) = (self.unsigned(args[0])?, self.unsigned(args[1])?);
                let (high, low) = (self.builder.cast(high, ty), self.builder.cast(low, ty));
                let high = self.shifted(BinOp::Shl, high, low_bits.into());
                self.builder.binary(BinOp::Or, high, low)
            }
            TermOp::Extract => {
                let (_, low) = self.pool.extract_range(term);
                let value = self.unsigned(args[0])?;
                let value = self.shifted(BinOp::Shr, value, low.into());
                self.builder.cast(value, ty)
            }
            TermOp::SignExt => {
                let value = self.signed(args[0])?;
                self.builder.cast(value, ty)
            }
            _ => return None,
        };
        let bits = unsigned_bits(width);
        if bits == width {
            return Some(whole);
        }
        let mask = self.builder.constant(ty, (1i128 << width) - 1);
        Some(self.builder.binary(BinOp::And, whole, mask))
    }

    /// A bit-vector as a number in the signed type of its width.
    fn signed(&mut self, term: TermId) -> Option<ExprId> {
        let width = self.width(term)?;
        let ty = TypeId::int(signed_kind(width));
        if let Some(bits) = self.pool.as_bits(term) {
            return Some(self.builder.constant(ty, bits.to_i128()?));
        }
        if let Some(read) = self.read(term)
            && self.builder.program().types.is_signed(self.builder.ty(read))
        {
            return Some(self.builder.cast(read, ty));
        }
        if self.pool.op(term) == TermOp::SignExt {
            let value = self.signed(self.pool.arg(term, 0))?;
            return Some(self.builder.cast(value, ty));
        }
        let value = self.unsigned(term)?;
        let value = self.builder.cast(value, ty);
        if unsigned_bits(width) == width {
            return Some(value);
        }
        let sign = self.builder.constant(ty, 1i128 << (width - 1));
        let flipped = self.builder.binary(BinOp::Xor, value, sign);
        Some(self.builder.binary(BinOp::Sub, flipped, sign))
    }

    fn operation(&mut self, op: BinOp, left: TermId, right: TermId) -> Option<ExprId> {
        let (left, right) = (self.unsigned(left)?, self.unsigned(right)?);
        Some(self.builder.binary(op, left, right))
    }

    fn shifted(&mut self, op: BinOp, value: ExprId, amount: u64) -> ExprId {
        if amount == 0 {
            return value;
        }
        let amount = self.builder.constant(TypeId::INT, amount.into());
        self.builder.binary(op, value, amount)
    }
}

/// The unsigned type of arithmetic on so many bits.
fn unsigned_kind(width: u32) -> IntKind {
    match width {
        0..=32 => IntKind::UInt,
        33..=64 => IntKind::ULongLong,
        _ => IntKind::UInt128,
    }
}

fn signed_kind(width: u32) -> IntKind {
    match width {
        0..=32 => IntKind::Int,
        33..=64 => IntKind::LongLong,
        _ => IntKind::Int128,
    }
}

fn unsigned_bits(width: u32) -> u32 {
    match width {
        0..=32 => 32,
        33..=64 => 64,
        _ => 128,
    }
}
