//! Scalar arithmetic on [`Bits`] by type: the one reference semantics. The frontend folds constants with it, the interpreter's
//! bytecode is tested against it, the bit-blaster must agree with it.
//!
//! Invariant of all functions: bits go in and come out truncated to the type's width and zero-extended (`_Bool` has one bit).
//!
//! * Integers wrap as with gcc `-fwrapv`. What C leaves undefined is wrapped *and* flagged in [`Value::fault`]; only a division by zero, or
//!   one that overflows, has no value. As in SV-COMP's no-overflow, `+ - * / %`, unary `-` and `<<` can overflow, on signed types of at least `int`'s rank.
//! * A shift amount outside `0..width` is flagged and then masked to the width, as x86 does.
//! * `float` and `double` are the host's IEEE operations, to nearest even; `long double` is x87 extended precision in software. No operation
//!   has more precision than its type (`FLT_EVAL_METHOD` 0), also for 32-bit programs: that is gcc with `-msse2 -mfpmath=sse`, while plain
//!   `gcc -m32` computes in x87 registers and may give other results.
//! * Float to integer truncates. Out of range and NaN are undefined ([`fits`]); here they give what gcc's code on x86-64 gives: conversion goes through `int` for types
//!   narrower than `int`, through 64 bits for `unsigned`, and yields the "integer indefinite" value (only the sign bit set) on failure.

use crate::expr::{BinOp, Bits, UnOp};
use crate::property::Fault;
use crate::types::{FloatKind, IntKind, TypeId, TypeTable};
use rustc_apfloat::ieee::{Double, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert};

/// A result, and what C does not define about it. The run may go on with the bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Value {
    pub bits: Bits,
    /// `SignedOverflow` or `ShiftRange`.
    pub fault: Option<Fault>,
}

impl Value {
    fn plain(bits: Bits) -> Self {
        Value { bits, fault: None }
    }

    fn truth(truth: bool) -> Self {
        Value::plain(Bits { lo: truth as u64, hi: 0 })
    }
}

/// How the bits of a scalar are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scalar {
    /// Integers, and pointers as unsigned ones.
    Int {
        width: u32,
        signed: bool,
    },
    F32,
    F64,
    X87,
}

/// The reading of a scalar type.
#[inline]
pub fn scalar(types: &TypeTable, ty: TypeId) -> Scalar {
    match ty.float_kind() {
        None => Scalar::Int { width: types.scalar_bits(ty), signed: types.is_signed(ty) },
        Some(FloatKind::Float) => Scalar::F32,
        Some(FloatKind::Double) => Scalar::F64,
        Some(FloatKind::LongDouble) => Scalar::X87,
    }
}

/// `ty` is the operand's type; the result has that type too, except that of [`UnOp::Not`], which is `int`.
pub fn unary(types: &TypeTable, op: UnOp, ty: TypeId, a: Bits) -> Value {
    if op == UnOp::Not {
        return Value::truth(!truthy(types, ty, a));
    }
    match scalar(types, ty) {
        Scalar::Int { width, signed } => {
            let a = extend(a, width, signed);
            match op {
                UnOp::Neg => wrap(a.overflowing_neg(), width, signed && overflows(ty)),
                UnOp::BitNot | UnOp::Not => Value::plain(truncate(!a as u128, width)),
            }
        }
        Scalar::F32 => Value::plain(Bits { lo: a.lo ^ 1 << 31, hi: 0 }),
        Scalar::F64 => Value::plain(Bits { lo: a.lo ^ 1 << 63, hi: 0 }),
        Scalar::X87 => Value::plain(Bits { lo: a.lo, hi: a.hi ^ 1 << 15 }),
    }
}

/// `ty` is the type of the operands (of the left one for shifts); `right` that of the right one, which matters to shifts only.
/// The only error is [`Fault::DivisionByZero`].
pub fn binary(types: &TypeTable, op: BinOp, ty: TypeId, a: Bits, b: Bits, right: TypeId) -> Result<Value, Fault> {
    match scalar(types, ty) {
        Scalar::Int { width, signed } => {
            let b = if matches!(op, BinOp::Shl | BinOp::Shr) {
                // Any amount beyond 127 bits is as wrong as 2^100; reading it as i128 keeps that.
                to_i128(types, right, b)
            } else {
                extend(b, width, signed)
            };
            integer(op, width, signed, overflows(ty), extend(a, width, signed), b)
        }
        Scalar::F32 => {
            let (x, y) = (to_f32(a), to_f32(b));
            Ok(match op {
                BinOp::Add => Value::plain(from_f32(x + y)),
                BinOp::Sub => Value::plain(from_f32(x - y)),
                BinOp::Mul => Value::plain(from_f32(x * y)),
                BinOp::Div => Value::plain(from_f32(x / y)),
                _ => Value::truth(compare_floats(op, x.partial_cmp(&y))),
            })
        }
        Scalar::F64 => {
            let (x, y) = (to_f64(a), to_f64(b));
            Ok(match op {
                BinOp::Add => Value::plain(from_f64(x + y)),
                BinOp::Sub => Value::plain(from_f64(x - y)),
                BinOp::Mul => Value::plain(from_f64(x * y)),
                BinOp::Div => Value::plain(from_f64(x / y)),
                _ => Value::truth(compare_floats(op, x.partial_cmp(&y))),
            })
        }
        Scalar::X87 => {
            let (x, y) = (to_x87(a), to_x87(b));
            let result = match op {
                BinOp::Add => (x + y).value,
                BinOp::Sub => (x - y).value,
                BinOp::Mul => (x * y).value,
                BinOp::Div => (x / y).value,
                _ => return Ok(Value::truth(compare_floats(op, x.partial_cmp(&y)))),
            };
            // The NaN that the hardware makes of numbers is negative; the software's is not.
            let made = result.is_nan() && !x.is_nan() && !y.is_nan();
            Ok(Value::plain(from_x87(if made && !result.is_negative() { -result } else { result })))
        }
    }
}

/// Integer arithmetic on sign- or zero-extended operands. `flag`: whether signed overflow is a fault.
pub fn integer(op: BinOp, width: u32, signed: bool, flag: bool, a: i128, b: i128) -> Result<Value, Fault> {
    let (ua, ub) = (a as u128, b as u128);
    let flag = flag && signed;
    Ok(match op {
        BinOp::Add => wrap(a.overflowing_add(b), width, flag),
        BinOp::Sub => wrap(a.overflowing_sub(b), width, flag),
        BinOp::Mul => wrap(a.overflowing_mul(b), width, flag),
        BinOp::Div | BinOp::Rem if b == 0 => return Err(Fault::DivisionByZero),
        BinOp::Div | BinOp::Rem if flag && b == -1 && a == lowest(width) => return Err(Fault::DivisionOverflow),
        BinOp::Div if signed => Value::plain(truncate(a.wrapping_div(b) as u128, width)),
        BinOp::Rem if signed => Value::plain(truncate(a.wrapping_rem(b) as u128, width)),
        BinOp::Div => Value::plain(truncate(ua / ub, width)),
        BinOp::Rem => Value::plain(truncate(ua % ub, width)),
        BinOp::And => Value::plain(truncate(ua & ub, width)),
        BinOp::Or => Value::plain(truncate(ua | ub, width)),
        BinOp::Xor => Value::plain(truncate(ua ^ ub, width)),
        BinOp::Shl | BinOp::Shr => shift(op, width, flag, signed, a, b),
        BinOp::Eq => Value::truth(a == b),
        BinOp::Ne => Value::truth(a != b),
        BinOp::Lt => Value::truth(if signed { a < b } else { ua < ub }),
        BinOp::Le => Value::truth(if signed { a <= b } else { ua <= ub }),
        BinOp::Gt => Value::truth(if signed { a > b } else { ua > ub }),
        BinOp::Ge => Value::truth(if signed { a >= b } else { ua >= ub }),
    })
}

/// A wrong amount is reported before an overflow of the same shift.
fn shift(op: BinOp, width: u32, flag: bool, signed: bool, a: i128, amount: i128) -> Value {
    let in_range = (0..width as i128).contains(&amount);
    let amount = amount as u32 & mask_of(width);
    if op == BinOp::Shr {
        let result = if signed { (a >> amount) as u128 } else { a as u128 >> amount };
        return Value { bits: truncate(result, width), fault: (!in_range).then_some(Fault::ShiftRange) };
    }
    let bits = truncate((a as u128) << amount, width);
    let fault = if !in_range {
        Some(Fault::ShiftRange)
    } else if flag && (a < 0 || a > !lowest(width) >> amount) {
        Some(Fault::SignedOverflow)
    } else {
        None
    };
    Value { bits, fault }
}

/// x86 masks shift amounts to the operand's width, which after promotion is 32, 64 or (libgcc's double shifts) 128.
fn mask_of(width: u32) -> u32 {
    width.next_power_of_two() - 1
}

/// The least value of a signed type, as `i128`. Its complement is the greatest.
fn lowest(width: u32) -> i128 {
    i128::MIN >> (128 - width)
}

fn wrap((result, overflow): (i128, bool), width: u32, flag: bool) -> Value {
    let bits = truncate(result as u128, width);
    let fault = (flag && (overflow || extend(bits, width, true) != result)).then_some(Fault::SignedOverflow);
    Value { bits, fault }
}

/// Arithmetic below `int`'s rank happens only inside the semantics (bit-fields, compound steps) and never overflows in C's sense.
fn overflows(ty: TypeId) -> bool {
    ty.int_kind().is_some_and(|kind| kind.rank() >= IntKind::Int.rank())
}

fn compare_floats(op: BinOp, order: Option<std::cmp::Ordering>) -> bool {
    match op {
        BinOp::Eq => order.is_some_and(|order| order.is_eq()),
        BinOp::Ne => !order.is_some_and(|order| order.is_eq()),
        BinOp::Lt => order.is_some_and(|order| order.is_lt()),
        BinOp::Le => order.is_some_and(|order| order.is_le()),
        BinOp::Gt => order.is_some_and(|order| order.is_gt()),
        BinOp::Ge => order.is_some_and(|order| order.is_ge()),
        other => panic!("`{}` on floating-point operands", other.c_name()),
    }
}

/// Conversion between scalar types.
pub fn cast(types: &TypeTable, from: TypeId, to: TypeId, a: Bits) -> Bits {
    if to == TypeId::BOOL {
        return Bits { lo: truthy(types, from, a) as u64, hi: 0 };
    }
    match (scalar(types, from), scalar(types, to)) {
        (Scalar::Int { width, signed }, Scalar::Int { width: target, .. }) => {
            truncate(extend(a, width, signed) as u128, target)
        }
        (Scalar::Int { width, signed: true }, target) => match target {
            Scalar::F32 => from_f32(extend(a, width, true) as f32),
            Scalar::F64 => from_f64(extend(a, width, true) as f64),
            _ => from_x87(X87DoubleExtended::from_i128(extend(a, width, true)).value),
        },
        (Scalar::Int { .. }, target) => match target {
            Scalar::F32 => from_f32(a.get() as f32),
            Scalar::F64 => from_f64(a.get() as f64),
            _ => from_x87(X87DoubleExtended::from_u128(a.get()).value),
        },
        (Scalar::F32, Scalar::Int { width, signed }) => float_to_int(to_f32(a) as f64, width, signed),
        (Scalar::F64, Scalar::Int { width, signed }) => float_to_int(to_f64(a), width, signed),
        (Scalar::X87, Scalar::Int { width, signed }) => x87_to_int(to_x87(a), width, signed),
        (Scalar::F32, Scalar::F32) | (Scalar::F64, Scalar::F64) | (Scalar::X87, Scalar::X87) => a,
        (Scalar::F32, Scalar::F64) => from_f64(to_f32(a) as f64),
        (Scalar::F64, Scalar::F32) => from_f32(to_f64(a) as f32),
        (Scalar::F32, Scalar::X87) => from_x87(x87_of_f32(to_f32(a))),
        (Scalar::F64, Scalar::X87) => from_x87(x87_of_f64(to_f64(a))),
        (Scalar::X87, Scalar::F32) => from_f32(f32_of_x87(to_x87(a))),
        (Scalar::X87, Scalar::F64) => from_f64(f64_of_x87(to_x87(a))),
    }
}

/// Whether a conversion is defined: a float, without its fraction, is a number of the integer type.
pub fn fits(types: &TypeTable, from: TypeId, to: TypeId, a: Bits) -> bool {
    let value = match scalar(types, from) {
        _ if to == TypeId::BOOL => return true,
        Scalar::F32 => x87_of_f32(to_f32(a)),
        Scalar::F64 => x87_of_f64(to_f64(a)),
        Scalar::X87 => to_x87(a),
        Scalar::Int { .. } => return true,
    };
    let (zero, mut exact) = (rustc_apfloat::Round::TowardZero, false);
    let status = match scalar(types, to) {
        Scalar::Int { width, signed: true } => value.to_i128_r(width as usize, zero, &mut exact).status,
        Scalar::Int { width, signed: false } => value.to_u128_r(width as usize, zero, &mut exact).status,
        _ => return true,
    };
    !status.contains(rustc_apfloat::Status::INVALID_OP)
}

/// The instruction width that gcc converts with: `cvttsd2si` has 32 and 64 bits.
fn conversion_width(width: u32, signed: bool) -> u32 {
    match (width, signed) {
        (..32, _) | (32, true) => 32,
        (32, false) | (64, true) => 64,
        _ => width,
    }
}

fn float_to_int(value: f64, width: u32, signed: bool) -> Bits {
    // Powers of two and comparisons with them are exact, so the range check is too.
    let through = conversion_width(width, signed);
    let value = value.trunc();
    let result = if through == 64 && width == 64 && !signed && value >= 9223372036854775808.0 {
        // gcc subtracts 2^63, converts as signed and flips the sign bit back.
        if value < 18446744073709551616.0 { value as u64 as u128 } else { 0 }
    } else {
        let limit = (2.0f64).powi(through as i32 - 1);
        let unsigned = through == 128 && !signed;
        if unsigned && (0.0..limit * 2.0).contains(&value) {
            value as u128
        } else if value >= -limit && value < limit {
            value as i128 as u128
        } else {
            1 << (through - 1)
        }
    };
    truncate(result, width)
}

fn x87_to_int(value: X87DoubleExtended, width: u32, signed: bool) -> Bits {
    let through = conversion_width(width, signed) as usize;
    let mut exact = false;
    let zero = rustc_apfloat::Round::TowardZero;
    let result = if width as usize == through && !signed {
        let converted = value.to_u128_r(through, zero, &mut exact);
        if converted.status.contains(rustc_apfloat::Status::INVALID_OP) {
            let signed = value.to_i128_r(through, zero, &mut exact);
            let invalid = signed.status.contains(rustc_apfloat::Status::INVALID_OP);
            if invalid { 1 << (through - 1) } else { signed.value as u128 }
        } else {
            converted.value
        }
    } else {
        let converted = value.to_i128_r(through, zero, &mut exact);
        let invalid = converted.status.contains(rustc_apfloat::Status::INVALID_OP);
        if invalid { 1 << (through - 1) } else { converted.value as u128 }
    };
    truncate(result, width)
}

/// Whether a scalar differs from zero. A NaN does.
pub fn truthy(types: &TypeTable, ty: TypeId, a: Bits) -> bool {
    match scalar(types, ty) {
        Scalar::Int { .. } => !a.is_zero(),
        Scalar::F32 => to_f32(a) != 0.0,
        Scalar::F64 => to_f64(a) != 0.0,
        Scalar::X87 => !to_x87(a).is_zero(),
    }
}

/// The low `width` bits.
#[inline]
pub fn truncate(value: u128, width: u32) -> Bits {
    Bits::new(if width >= 128 { value } else { value & ((1 << width) - 1) })
}

/// Sign- or zero-extends the low `width` bits.
#[inline]
pub fn extend(bits: Bits, width: u32, signed: bool) -> i128 {
    let unused = 128 - width;
    if signed { (bits.get() << unused) as i128 >> unused } else { (bits.get() << unused >> unused) as i128 }
}

/// The value of an integer or pointer. An `unsigned __int128` above `i128::MAX` comes out negative.
pub fn to_i128(types: &TypeTable, ty: TypeId, bits: Bits) -> i128 {
    extend(bits, types.scalar_bits(ty), types.is_signed(ty))
}

/// The bits of an integer or pointer, wrapped to its type.
pub fn from_i128(types: &TypeTable, ty: TypeId, value: i128) -> Bits {
    truncate(value as u128, types.scalar_bits(ty))
}

#[inline]
pub fn to_f32(bits: Bits) -> f32 {
    f32::from_bits(bits.lo as u32)
}

#[inline]
pub fn from_f32(value: f32) -> Bits {
    Bits { lo: value.to_bits() as u64, hi: 0 }
}

#[inline]
pub fn to_f64(bits: Bits) -> f64 {
    f64::from_bits(bits.lo)
}

#[inline]
pub fn from_f64(value: f64) -> Bits {
    Bits { lo: value.to_bits(), hi: 0 }
}

pub fn to_x87(bits: Bits) -> X87DoubleExtended {
    X87DoubleExtended::from_bits(bits.get())
}

pub fn from_x87(value: X87DoubleExtended) -> Bits {
    Bits::new(value.to_bits())
}

pub fn x87_of_f32(value: f32) -> X87DoubleExtended {
    Single::from_bits(value.to_bits() as u128).convert(&mut false).value
}

pub fn x87_of_f64(value: f64) -> X87DoubleExtended {
    Double::from_bits(value.to_bits() as u128).convert(&mut false).value
}

pub fn f32_of_x87(value: X87DoubleExtended) -> f32 {
    let single: Single = value.convert(&mut false).value;
    f32::from_bits(single.to_bits() as u32)
}

pub fn f64_of_x87(value: X87DoubleExtended) -> f64 {
    let double: Double = value.convert(&mut false).value;
    f64::from_bits(double.to_bits() as u64)
}

/// A scalar for people: integers in decimal, floats with the fewest digits that read back the same, pointers as `NULL` or in hex.
pub fn display(types: &TypeTable, ty: TypeId, bits: Bits) -> String {
    match scalar(types, ty) {
        Scalar::Int { .. } if types.is_pointer(ty) => {
            if bits.is_zero() {
                "NULL".into()
            } else {
                format!("{:#x}", bits.get())
            }
        }
        Scalar::Int { width, signed: true } => extend(bits, width, true).to_string(),
        Scalar::Int { .. } => bits.get().to_string(),
        Scalar::F32 => named_or(to_f32(bits) as f64, || format!("{:?}", to_f32(bits))),
        Scalar::F64 => named_or(to_f64(bits), || format!("{:?}", to_f64(bits))),
        Scalar::X87 => {
            let value = to_x87(bits);
            named_or(f64_of_special(value), || shortest_x87(value))
        }
    }
}

fn f64_of_special(value: X87DoubleExtended) -> f64 {
    if value.is_finite() { 0.0 } else { f64_of_x87(value) }
}

fn named_or(value: f64, digits: impl FnOnce() -> String) -> String {
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if value.is_nan() {
        format!("{sign}nan")
    } else if value.is_infinite() {
        format!("{sign}inf")
    } else {
        digits()
    }
}

fn shortest_x87(value: X87DoubleExtended) -> String {
    let narrow = f64_of_x87(value);
    if narrow.is_finite() && x87_of_f64(narrow).bitwise_eq(value) {
        return format!("{narrow:?}");
    }
    (1..=21)
        .map(|precision| format!("{value:.precision$}"))
        .find(|text| text.parse::<X87DoubleExtended>().is_ok_and(|back| back.bitwise_eq(value)))
        .unwrap_or_else(|| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::DataModel;

    fn table() -> TypeTable {
        TypeTable::new(DataModel::Lp64)
    }

    fn int(value: i128) -> Bits {
        from_i128(&table(), TypeId::INT, value)
    }

    /// What mathematics says, for 8 bits, from `i32`.
    fn reference(op: BinOp, signed: bool, a: i32, b: i32) -> Option<(i32, Option<Fault>)> {
        let fits = |value: i32| !signed || (-128..128).contains(&value);
        let flagged = |value: i32| Some((value, (!fits(value)).then_some(Fault::SignedOverflow)));
        let in_range = (0..8).contains(&b);
        Some(match op {
            BinOp::Add => return flagged(a + b),
            BinOp::Sub => return flagged(a - b),
            BinOp::Mul => return flagged(a * b),
            BinOp::Div if b != 0 && fits(a / b) => (a / b, None),
            BinOp::Rem if b != 0 && fits(a / b) => (a % b, None),
            BinOp::Div | BinOp::Rem => return None,
            BinOp::And => (a & b, None),
            BinOp::Or => (a | b, None),
            BinOp::Xor => (a ^ b, None),
            BinOp::Shl if in_range => (a << b, (a < 0 || !fits(a << b)).then_some(Fault::SignedOverflow)),
            BinOp::Shr if in_range => (a >> b, None),
            BinOp::Shl => (a << (b & 7), Some(Fault::ShiftRange)),
            BinOp::Shr => (a >> (b & 7), Some(Fault::ShiftRange)),
            BinOp::Eq => ((a == b) as i32, None),
            BinOp::Ne => ((a != b) as i32, None),
            BinOp::Lt => ((a < b) as i32, None),
            BinOp::Le => ((a <= b) as i32, None),
            BinOp::Gt => ((a > b) as i32, None),
            BinOp::Ge => ((a >= b) as i32, None),
        })
    }

    #[test]
    fn eight_bit_arithmetic_is_exhaustively_right() {
        for (signed, range) in [(true, -128..128), (false, 0..256)] {
            for op in BinOp::ALL {
                for a in range.clone() {
                    for b in range.clone() {
                        let got = integer(op, 8, signed, signed, a as i128, b as i128);
                        match reference(op, signed, a, b) {
                            None if b == 0 => assert_eq!(got, Err(Fault::DivisionByZero)),
                            None => assert_eq!(got, Err(Fault::DivisionOverflow)),
                            Some((value, fault)) => {
                                let fault = if signed || fault == Some(Fault::ShiftRange) { fault } else { None };
                                let bits = Bits::new((value as u8) as u128);
                                assert_eq!(got, Ok(Value { bits, fault }), "{a} {} {b}", op.c_name());
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn extremes_of_wide_types() {
        let types = table();
        for ty in [TypeId::INT, TypeId::LONG, TypeId::LONG_LONG, TypeId::INT128] {
            let width = types.scalar_bits(ty);
            let low = truncate(1 << (width - 1), width);
            let minus = truncate(u128::MAX, width);
            let high = truncate(u128::MAX >> (129 - width), width);
            let one = Bits::new(1);
            let flagged = |bits| Ok(Value { bits, fault: Some(Fault::SignedOverflow) });
            let run = |op, a, b| binary(&types, op, ty, a, b, ty);
            assert_eq!(run(BinOp::Div, low, minus), Err(Fault::DivisionOverflow));
            assert_eq!(run(BinOp::Rem, low, minus), Err(Fault::DivisionOverflow));
            assert_eq!(run(BinOp::Add, high, one), flagged(low));
            assert_eq!(run(BinOp::Sub, low, one), flagged(high));
            assert_eq!(run(BinOp::Mul, low, minus), flagged(low));
            assert_eq!(run(BinOp::Add, minus, one), Ok(Value::plain(Bits::ZERO)));
            assert_eq!(run(BinOp::Div, one, Bits::ZERO), Err(Fault::DivisionByZero));
            assert_eq!(unary(&types, UnOp::Neg, ty, low), Value { bits: low, fault: Some(Fault::SignedOverflow) });
            assert_eq!(run(BinOp::Shl, one, Bits::new(width as u128 - 1)), flagged(low));
            assert_eq!(run(BinOp::Shr, low, Bits::new(width as u128 - 1)), Ok(Value::plain(minus)));
        }
        assert_eq!(
            binary(&types, BinOp::Shl, TypeId::INT, int(1), from_i128(&types, TypeId::LONG, -1), TypeId::LONG),
            Ok(Value { bits: int(i32::MIN as i128), fault: Some(Fault::ShiftRange) })
        );
        assert_eq!(
            binary(&types, BinOp::Mul, TypeId::ULONG, Bits::new(u64::MAX as u128), Bits::new(3), TypeId::ULONG),
            Ok(Value::plain(Bits::new(u64::MAX as u128 - 2)))
        );
        // Below `int` nothing overflows.
        assert_eq!(unary(&types, UnOp::Neg, TypeId::SCHAR, Bits::new(0x80)).fault, None);
    }

    #[test]
    fn integer_casts() {
        let types = table();
        let to = |from, to, value: u128| cast(&types, from, to, Bits::new(value)).get();
        assert_eq!(to(TypeId::CHAR, TypeId::INT, 0xff), 0xffff_ffff);
        assert_eq!(to(TypeId::UCHAR, TypeId::INT, 0xff), 0xff);
        assert_eq!(to(TypeId::INT, TypeId::UINT128, 0xffff_ffff), u128::MAX);
        assert_eq!(to(TypeId::INT, TypeId::BOOL, 2), 1);
        assert_eq!(to(TypeId::UINT128, TypeId::BOOL, 1 << 100), 1);
        assert_eq!(to(TypeId::ULONG, TypeId::SHORT, 0x1_8000), 0x8000);
        assert_eq!(to(TypeId::DOUBLE, TypeId::BOOL, 0.5f64.to_bits() as u128), 1);
        assert_eq!(to(TypeId::DOUBLE, TypeId::BOOL, (-0.0f64).to_bits() as u128), 0);
    }

    #[test]
    fn float_casts_follow_x86() {
        let types = table();
        let to = |value: f64, ty| to_i128(&types, ty, cast(&types, TypeId::DOUBLE, ty, from_f64(value)));
        assert_eq!(to(-1.9, TypeId::INT), -1);
        assert_eq!(to(2147483648.0, TypeId::INT), i32::MIN as i128);
        assert_eq!(to(f64::NAN, TypeId::INT), i32::MIN as i128);
        assert_eq!(to(4294967295.0, TypeId::UINT), u32::MAX as i128);
        assert_eq!(to(4294967296.0, TypeId::UINT), 0);
        assert_eq!(to(-1.0, TypeId::UINT), u32::MAX as i128);
        assert_eq!(to(300.0, TypeId::UCHAR), 44);
        assert_eq!(to(-1.0, TypeId::UCHAR), 255);
        assert_eq!(to(1e19, TypeId::ULONG), 10_000_000_000_000_000_000);
        assert_eq!(to(-1.0, TypeId::ULONG), u64::MAX as i128);
        assert_eq!(to(1e30, TypeId::ULONG), 0);
        assert_eq!(to(1e30, TypeId::LONG), i64::MIN as i128);
        assert_eq!(to(1e30, TypeId::INT128), 1e30 as i128);
        for value in [0.0, -0.0, 1.5, -1e300, 3.5e-310, f64::INFINITY] {
            let wide = cast(&types, TypeId::DOUBLE, TypeId::LONG_DOUBLE, from_f64(value));
            assert_eq!(cast(&types, TypeId::LONG_DOUBLE, TypeId::DOUBLE, wide), from_f64(value));
            assert_eq!(
                cast(&types, TypeId::LONG_DOUBLE, TypeId::LONG, wide).get() as i64,
                to(value, TypeId::LONG) as i64
            );
        }
        let big = cast(&types, TypeId::ULONG, TypeId::LONG_DOUBLE, Bits::new(u64::MAX as u128));
        assert_eq!(cast(&types, TypeId::LONG_DOUBLE, TypeId::ULONG, big).lo, u64::MAX);
        let nan = binary(&types, BinOp::Div, TypeId::LONG_DOUBLE, Bits::ZERO, Bits::ZERO, TypeId::LONG_DOUBLE).unwrap();
        assert_eq!(display(&types, TypeId::LONG_DOUBLE, nan.bits), "-nan");
    }

    #[test]
    fn display_reads_back() {
        let types = table();
        assert_eq!(display(&types, TypeId::INT, int(-5)), "-5");
        assert_eq!(display(&types, TypeId::UINT, int(-1)), "4294967295");
        assert_eq!(display(&types, TypeId::FLOAT, from_f32(0.1)), "0.1");
        assert_eq!(display(&types, TypeId::DOUBLE, from_f64(1.0)), "1.0");
        assert_eq!(display(&types, TypeId::DOUBLE, from_f64(f64::NEG_INFINITY)), "-inf");
        assert_eq!(display(&types, TypeId::VOID_POINTER, Bits::ZERO), "NULL");
        assert_eq!(display(&types, TypeId::VOID_POINTER, Bits::new(255)), "0xff");
        let third = binary(
            &types,
            BinOp::Div,
            TypeId::LONG_DOUBLE,
            from_x87(x87_of_f64(1.0)),
            from_x87(x87_of_f64(3.0)),
            TypeId::LONG_DOUBLE,
        );
        let text = display(&types, TypeId::LONG_DOUBLE, third.unwrap().bits);
        assert!(text.starts_with("0.33333333333333333"), "{text}");
    }
}
