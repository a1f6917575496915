//! Which instruction computes an operator, by type; `None` where there is none of its own. Tables, no state.

use super::code::{Instr, Slot};
use crate::expr::{BinOp, Bits};

/// How the fast instructions see an integer type.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fast {
    S32,
    U32,
    S64,
    U64,
}

pub(super) fn inverse(op: BinOp) -> BinOp {
    match op {
        BinOp::Eq => BinOp::Ne,
        BinOp::Ne => BinOp::Eq,
        BinOp::Lt => BinOp::Ge,
        BinOp::Ge => BinOp::Lt,
        BinOp::Gt => BinOp::Le,
        BinOp::Le => BinOp::Gt,
        other => other,
    }
}

/// The comparison with its operands exchanged.
pub(super) fn mirrored(op: BinOp) -> BinOp {
    match op {
        BinOp::Lt => BinOp::Gt,
        BinOp::Gt => BinOp::Lt,
        BinOp::Le => BinOp::Ge,
        BinOp::Ge => BinOp::Le,
        other => other,
    }
}

/// A comparison with a constant as a jump, where the constant fits; `>` and `<=` become `>=` and `<` of the next number.
pub(super) fn immediate_jump(op: BinOp, fast: Fast, a: Slot, bits: Bits, steps: u16) -> Option<Instr> {
    let target = 0;
    let next = matches!(op, BinOp::Gt | BinOp::Le) as i128;
    let below = matches!(op, BinOp::Lt | BinOp::Le);
    Some(match (op, fast) {
        (BinOp::Eq, _) => Instr::BrEqI { a, b: u32::try_from(bits.lo).ok()?, target, steps },
        (BinOp::Ne, _) => Instr::BrNeI { a, b: u32::try_from(bits.lo).ok()?, target, steps },
        (_, Fast::S32) => {
            let b = i32::try_from(bits.lo as u32 as i32 as i128 + next).ok()?;
            if below { Instr::BrLtS32I { a, b, target, steps } } else { Instr::BrGeS32I { a, b, target, steps } }
        }
        (_, Fast::S64) => {
            let b = i32::try_from(bits.lo as i64 as i128 + next).ok()?;
            if below { Instr::BrLtS64I { a, b, target, steps } } else { Instr::BrGeS64I { a, b, target, steps } }
        }
        (_, Fast::U32 | Fast::U64) => {
            let b = u32::try_from(bits.lo as i128 + next).ok()?;
            if below { Instr::BrLtUI { a, b, target, steps } } else { Instr::BrGeUI { a, b, target, steps } }
        }
    })
}

/// The instruction with a constant on its right, where there is one. `narrow_amount`: a shift's amount is no wide constant.
pub(super) fn immediate(op: BinOp, fast: Fast, d: Slot, a: Slot, bits: Bits, narrow_amount: bool) -> Option<Instr> {
    use Fast::*;
    let wide = matches!(fast, S64 | U64);
    let width = if wide { 64 } else { 32 };
    // Arithmetic immediates are sign-extended, those of logic are not.
    let signed = if wide { i32::try_from(bits.lo as i64).ok() } else { Some(bits.lo as u32 as i32) };
    let unsigned = u32::try_from(bits.lo).ok();
    let amount = unsigned.filter(|amount| narrow_amount && *amount < width);
    Some(match (op, fast) {
        (BinOp::Add, S32) => Instr::AddS32I { d, a, b: signed? },
        (BinOp::Add, S64) => Instr::AddS64I { d, a, b: signed? },
        (BinOp::Add, U32) => Instr::Add32I { d, a, b: signed? },
        (BinOp::Add, U64) => Instr::Add64I { d, a, b: signed? },
        (BinOp::Sub, S32) => Instr::SubS32I { d, a, b: signed? },
        (BinOp::Sub, S64) => Instr::SubS64I { d, a, b: signed? },
        (BinOp::Sub, U32) => Instr::Add32I { d, a, b: signed?.wrapping_neg() },
        (BinOp::Sub, U64) => Instr::Add64I { d, a, b: signed?.checked_neg()? },
        (BinOp::Mul, S32) => Instr::MulS32I { d, a, b: signed? },
        (BinOp::Mul, S64) => Instr::MulS64I { d, a, b: signed? },
        (BinOp::Mul, U32) => Instr::Mul32I { d, a, b: signed? },
        (BinOp::Mul, U64) => Instr::Mul64I { d, a, b: signed? },
        (BinOp::And, _) => Instr::AndI { d, a, b: unsigned? },
        (BinOp::Or, _) => Instr::OrI { d, a, b: unsigned? },
        (BinOp::Xor, _) => Instr::XorI { d, a, b: unsigned? },
        (BinOp::Shl, S32) => Instr::ShlS32I { d, a, b: amount? },
        (BinOp::Shl, S64) => Instr::ShlS64I { d, a, b: amount? },
        (BinOp::Shl, U32) => Instr::ShlU32I { d, a, b: amount? },
        (BinOp::Shl, U64) => Instr::ShlU64I { d, a, b: amount? },
        (BinOp::Shr, S32) => Instr::ShrS32I { d, a, b: amount? },
        (BinOp::Shr, S64) => Instr::ShrS64I { d, a, b: amount? },
        (BinOp::Shr, _) => Instr::ShrUI { d, a, b: amount? },
        (BinOp::Eq, _) => Instr::EqI { d, a, b: unsigned? },
        (BinOp::Ne, _) => Instr::NeI { d, a, b: unsigned? },
        _ => return None,
    })
}

pub(super) fn integer(op: BinOp, fast: Fast, d: Slot, a: Slot, b: Slot) -> Option<Instr> {
    use Fast::*;
    let signed = matches!(fast, S32 | S64);
    Some(match (op, fast) {
        (BinOp::Add, S32) => Instr::AddS32 { d, a, b },
        (BinOp::Add, S64) => Instr::AddS64 { d, a, b },
        (BinOp::Add, U32) => Instr::Add32 { d, a, b },
        (BinOp::Add, U64) => Instr::Add64 { d, a, b },
        (BinOp::Sub, S32) => Instr::SubS32 { d, a, b },
        (BinOp::Sub, S64) => Instr::SubS64 { d, a, b },
        (BinOp::Sub, U32) => Instr::Sub32 { d, a, b },
        (BinOp::Sub, U64) => Instr::Sub64 { d, a, b },
        (BinOp::Mul, S32) => Instr::MulS32 { d, a, b },
        (BinOp::Mul, S64) => Instr::MulS64 { d, a, b },
        (BinOp::Mul, U32) => Instr::Mul32 { d, a, b },
        (BinOp::Mul, U64) => Instr::Mul64 { d, a, b },
        (BinOp::Div, S32) => Instr::DivS32 { d, a, b },
        (BinOp::Div, S64) => Instr::DivS64 { d, a, b },
        (BinOp::Rem, S32) => Instr::RemS32 { d, a, b },
        (BinOp::Rem, S64) => Instr::RemS64 { d, a, b },
        (BinOp::Shl, S32) => Instr::ShlS32 { d, a, b },
        (BinOp::Shl, S64) => Instr::ShlS64 { d, a, b },
        (BinOp::Shl, U32) => Instr::ShlU32 { d, a, b },
        (BinOp::Shl, U64) => Instr::ShlU64 { d, a, b },
        (BinOp::Shr, S32) => Instr::ShrS32 { d, a, b },
        (BinOp::Shr, S64) => Instr::ShrS64 { d, a, b },
        (BinOp::Shr, U32) => Instr::ShrU32 { d, a, b },
        (BinOp::Shr, U64) => Instr::ShrU64 { d, a, b },
        (BinOp::Lt, S32) => Instr::LtS32 { d, a, b },
        (BinOp::Lt, S64) => Instr::LtS64 { d, a, b },
        (BinOp::Le, S32) => Instr::LeS32 { d, a, b },
        (BinOp::Le, S64) => Instr::LeS64 { d, a, b },
        (BinOp::Gt, S32) => Instr::LtS32 { d, a: b, b: a },
        (BinOp::Gt, S64) => Instr::LtS64 { d, a: b, b: a },
        (BinOp::Ge, S32) => Instr::LeS32 { d, a: b, b: a },
        (BinOp::Ge, S64) => Instr::LeS64 { d, a: b, b: a },
        _ => return sign_free(op, signed, d, a, b),
    })
}

/// What works on zero-extended slots of any width.
pub(super) fn sign_free(op: BinOp, signed: bool, d: Slot, a: Slot, b: Slot) -> Option<Instr> {
    Some(match op {
        BinOp::And => Instr::And { d, a, b },
        BinOp::Or => Instr::Or { d, a, b },
        BinOp::Xor => Instr::Xor { d, a, b },
        BinOp::Eq => Instr::Eq { d, a, b },
        BinOp::Ne => Instr::Ne { d, a, b },
        _ if signed => return None,
        BinOp::Div => Instr::DivU { d, a, b },
        BinOp::Rem => Instr::RemU { d, a, b },
        BinOp::Lt => Instr::LtU { d, a, b },
        BinOp::Le => Instr::LeU { d, a, b },
        BinOp::Gt => Instr::LtU { d, a: b, b: a },
        BinOp::Ge => Instr::LeU { d, a: b, b: a },
        _ => return None,
    })
}

pub(super) fn float32(op: BinOp, d: Slot, a: Slot, b: Slot) -> Option<Instr> {
    Some(match op {
        BinOp::Add => Instr::AddF32 { d, a, b },
        BinOp::Sub => Instr::SubF32 { d, a, b },
        BinOp::Mul => Instr::MulF32 { d, a, b },
        BinOp::Div => Instr::DivF32 { d, a, b },
        BinOp::Eq => Instr::EqF32 { d, a, b },
        BinOp::Lt => Instr::LtF32 { d, a, b },
        BinOp::Le => Instr::LeF32 { d, a, b },
        BinOp::Gt => Instr::LtF32 { d, a: b, b: a },
        BinOp::Ge => Instr::LeF32 { d, a: b, b: a },
        _ => return None,
    })
}

pub(super) fn float64(op: BinOp, d: Slot, a: Slot, b: Slot) -> Option<Instr> {
    Some(match op {
        BinOp::Add => Instr::AddF64 { d, a, b },
        BinOp::Sub => Instr::SubF64 { d, a, b },
        BinOp::Mul => Instr::MulF64 { d, a, b },
        BinOp::Div => Instr::DivF64 { d, a, b },
        BinOp::Eq => Instr::EqF64 { d, a, b },
        BinOp::Lt => Instr::LtF64 { d, a, b },
        BinOp::Le => Instr::LeF64 { d, a, b },
        BinOp::Gt => Instr::LtF64 { d, a: b, b: a },
        BinOp::Ge => Instr::LeF64 { d, a: b, b: a },
        _ => return None,
    })
}
