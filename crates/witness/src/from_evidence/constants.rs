//! Values as C writes them.

use cfa::{Bits, FloatKind, Type, TypeId, TypeTable, eval};

/// `operand == value`, or what comes nearest where no constant equals the value.
pub fn equation(types: &TypeTable, operand: &str, ty: TypeId, bits: Bits) -> Option<String> {
    if let Some(kind) = ty.float_kind() {
        let (value, largest) = match kind {
            FloatKind::Float => (eval::to_f32(bits) as f64, "3.4028235e38f"),
            FloatKind::Double => (eval::to_f64(bits), "1.7976931348623157e308"),
            FloatKind::LongDouble => (eval::f64_of_x87(eval::to_x87(bits)), "1.18973149535723176502e4932L"),
        };
        // What is no number does not even equal itself.
        if value.is_nan() {
            return Some(format!("{operand} != {operand}"));
        }
        if value.is_infinite() && !eval::display(types, ty, bits).contains(|letter: char| letter.is_ascii_digit()) {
            return Some(match value > 0.0 {
                true => format!("{operand} > {largest}"),
                false => format!("{operand} < -{largest}"),
            });
        }
    }
    Some(format!("{operand} == {}", constant(types, ty, bits)?))
}

/// A constant expression of a type that has the value. `None`: C has no way to write it, as for an address.
pub fn constant(types: &TypeTable, ty: TypeId, bits: Bits) -> Option<String> {
    match types.get(ty) {
        Type::Pointer(_) => bits.is_zero().then(|| "0".to_string()),
        Type::Float(kind) => {
            let digits = eval::display(types, ty, bits);
            let suffix = match kind {
                FloatKind::Float => "f",
                FloatKind::Double => "",
                FloatKind::LongDouble => "L",
            };
            digits.contains(|letter: char| letter.is_ascii_digit()).then(|| {
                let whole = digits.contains(['.', 'e', 'E']);
                format!("{digits}{}{suffix}", if whole { "" } else { ".0" })
            })
        }
        Type::Int(_) => integer(eval::to_i128(types, ty, bits)),
        _ => None,
    }
}

/// The most negative numbers have no literal of their own.
fn integer(value: i128) -> Option<String> {
    const INT: i128 = i32::MAX as i128;
    const LONG: i128 = i64::MAX as i128;
    Some(match value {
        _ if (-INT..=INT).contains(&value) => value.to_string(),
        _ if value == -INT - 1 => format!("(-{INT} - 1)"),
        _ if (0..=u32::MAX as i128).contains(&value) => format!("{value}U"),
        _ if (-LONG..=LONG).contains(&value) => format!("{value}LL"),
        _ if value == -LONG - 1 => format!("(-{LONG}LL - 1)"),
        _ if (0..=u64::MAX as i128).contains(&value) => format!("{value}ULL"),
        _ => return None,
    })
}
