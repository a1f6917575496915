//! Which operation on floats a term is the result of. The terms of floats are bit-vector arithmetic; who reasons about numbers instead ([`crate::refute`])
//! needs the operation that was meant.
//!
//! Invariant: a term has the value of the operation that is noted for it, and is younger than its operands, so following notes ends.

use super::{Float, Format, Rounding};
use crate::pool::TermPool;
use crate::term::TermId;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operation {
    Add,
    Sub,
    Mul,
    Div,
    Sqrt,
    Neg,
    Abs,
    /// From the other one of the two formats.
    Convert,
    FromSigned,
    FromUnsigned,
    Less,
    LessEqual,
    Equal,
    IsNan,
    IsInfinite,
    IsZero,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    pub operation: Operation,
    /// Of the operands, or of the result of a conversion: `float` rather than `double`.
    pub single: bool,
    /// Operations on one operand have it twice.
    pub operands: [TermId; 2],
}

impl Float {
    /// Notes what a term is, if that is one of the operations that are kept apart.
    pub(super) fn note(self, pool: &mut TermPool, operation: Operation, operands: [TermId; 2], result: TermId) {
        let single = match self.format {
            Format::F32 => true,
            Format::F64 => false,
            _ => return,
        };
        if !pool.is_const(result) && operands.iter().all(|operand| *operand < result) {
            pool.floats.insert(result, Origin { operation, single, operands });
        }
    }

    /// As [`Float::note`], of operations that round.
    pub(super) fn note_rounded(
        self,
        pool: &mut TermPool,
        mode: Rounding,
        operation: Operation,
        operands: [TermId; 2],
        result: TermId,
    ) {
        if mode == Rounding::NearestEven {
            self.note(pool, operation, operands, result);
        }
    }
}
