//! What C does with a text by itself: its type, the conversions that operators apply, and where a cast must say otherwise.
//!
//! The rule that holds for every [`Text`] made for an expression: *converted to the expression's type, it has the expression's value.*
//! The text itself may have another C type, because a conversion that C does anyway is left to C.

use super::render::{PRIMARY, UNARY};
use crate::*;

/// A piece of C.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub text: String,
    /// Binding strength of its outermost operator.
    pub level: u8,
    /// The type that C gives it.
    pub ty: TypeId,
    /// Bounds of an integer's value, where more is known than the type says.
    pub range: Option<(i128, i128)>,
    /// A plain integer constant; its value is the range.
    pub literal: bool,
}

impl Text {
    pub fn new(text: String, level: u8, ty: TypeId) -> Self {
        Text { text, level, ty, range: None, literal: false }
    }

    /// The text, in parentheses if it binds less.
    pub fn at_least(self, level: u8) -> String {
        if self.level < level { format!("({})", self.text) } else { self.text }
    }

    pub fn is_zero(&self) -> bool {
        self.literal && self.range == Some((0, 0))
    }
}

/// Values of an integer type. The largest of `unsigned __int128` does not fit and is cut; [`preserves`] knows.
pub(super) fn type_range(types: &TypeTable, ty: TypeId) -> Option<(i128, i128)> {
    let kind = ty.int_kind()?;
    let bits = kind.bits(types.model);
    Some(match types.is_signed_kind(kind) {
        true => (i128::MIN >> (128 - bits), i128::MAX >> (128 - bits)),
        false if bits == 128 => (0, i128::MAX),
        false => (0, (1 << bits) - 1),
    })
}

fn within(inner: (i128, i128), outer: (i128, i128)) -> bool {
    outer.0 <= inner.0 && inner.1 <= outer.1
}

/// Bits of precision of a floating type.
fn precision(kind: FloatKind) -> u32 {
    match kind {
        FloatKind::Float => 24,
        FloatKind::Double => 53,
        FloatKind::LongDouble => 64,
    }
}

/// Whether converting the text to the type changes no value it can have.
pub(super) fn preserves(types: &TypeTable, text: &Text, to: TypeId) -> bool {
    if text.ty == to || (types.is_pointer(text.ty) && types.is_pointer(to)) {
        return true;
    }
    if text.ty == TypeId::UINT128 && text.range.is_none() {
        return false;
    }
    let from = text.range.or_else(|| type_range(types, text.ty));
    match (from, type_range(types, to), text.ty.float_kind(), to.float_kind()) {
        (Some(from), Some(to), ..) => within(from, to),
        (Some((low, high)), None, _, Some(kind)) => {
            let limit = 1i128 << precision(kind);
            -limit <= low && high <= limit
        }
        (_, _, Some(from), Some(to)) => precision(from) <= precision(to),
        _ => false,
    }
}

/// Types whose values C treats alike: the same, or integers of one width and sign (`long` and `long long` on LP64).
pub(super) fn alike(types: &TypeTable, left: TypeId, right: TypeId) -> bool {
    let shape = |ty: TypeId| ty.int_kind().map(|kind| (kind.bits(types.model), types.is_signed_kind(kind)));
    left == right || (shape(left).is_some() && shape(left) == shape(right))
}

/// Whether integers of the type are promoted before anything is done with them.
pub(super) fn is_narrow(ty: TypeId) -> bool {
    ty.int_kind().is_some_and(|kind| kind.rank() < IntKind::Int.rank())
}

/// Integer promotion (C11 6.3.1.1); every narrower type fits `int`.
pub(super) fn promoted(ty: TypeId) -> TypeId {
    if is_narrow(ty) { TypeId::INT } else { ty }
}

/// The usual arithmetic conversions (C11 6.3.1.8); `None` for what is not arithmetic.
pub(super) fn common(types: &TypeTable, left: TypeId, right: TypeId) -> Option<TypeId> {
    if !left.is_arithmetic() || !right.is_arithmetic() {
        return None;
    }
    if left.float_kind().is_some() || right.float_kind().is_some() {
        return left.float_kind().max(right.float_kind()).map(TypeId::float);
    }
    let (left, right) = (promoted(left).int_kind()?, promoted(right).int_kind()?);
    let (high, low) = if left.rank() >= right.rank() { (left, right) } else { (right, left) };
    let kind = if high.is_signed() == low.is_signed() || !high.is_signed() {
        high
    } else if low.rank() == high.rank() {
        low
    } else if high.bits(types.model) > low.bits(types.model) {
        high
    } else {
        high.to_unsigned()
    };
    Some(TypeId::int(kind))
}

/// An integer constant of the type. Plain where its value fits `int`, else with the suffix of its type.
pub(super) fn integer(types: &TypeTable, ty: TypeId, bits: Bits) -> Text {
    let width = types.scalar_bits(ty);
    let raw = bits.get();
    if width == 128 && i128::try_from(raw).is_err() && !types.is_signed(ty) {
        return wide(raw, ty);
    }
    let value =
        if types.is_signed(ty) && width < 128 { (raw as i128) << (128 - width) >> (128 - width) } else { raw as i128 };
    let fits_int = i32::try_from(value).is_ok();
    literal(value, if fits_int || is_narrow(ty) { TypeId::INT } else { ty })
}

/// The constant in the notation of a type of at least the rank of `int`, which it must fit.
fn literal(value: i128, ty: TypeId) -> Text {
    let suffix = match ty {
        TypeId::UINT => "U",
        TypeId::LONG => "L",
        TypeId::ULONG => "UL",
        TypeId::LONG_LONG => "LL",
        TypeId::ULONG_LONG => "ULL",
        _ => "",
    };
    let lowest = match ty {
        TypeId::INT => Some(i32::MIN.into()),
        TypeId::LONG | TypeId::LONG_LONG => Some(i128::from(i64::MIN)),
        _ => None,
    };
    let mut text = match value {
        _ if matches!(ty, TypeId::INT128 | TypeId::UINT128) => match i64::try_from(value) {
            // No constant of C has this type.
            Ok(small) if small != i64::MIN => Text::new(format!("({}){small}", type_name(ty)), UNARY, ty),
            _ => wide(value as u128, ty),
        },
        // The magnitude is no constant of the type. (32-bit `long` comes here only for values that fit.)
        _ if Some(value) == lowest || (ty == TypeId::LONG && value == i32::MIN.into()) => {
            Text::new(format!("-{}{suffix} - 1", (value + 1).unsigned_abs()), super::render::ADDITIVE, ty)
        }
        _ if value < 0 => Text::new(format!("{value}{suffix}"), UNARY, ty),
        _ => Text::new(format!("{value}{suffix}"), PRIMARY, ty),
    };
    (text.range, text.literal) = (Some((value, value)), true);
    text
}

fn type_name(ty: TypeId) -> &'static str {
    ty.int_kind().map_or("", IntKind::c_name)
}

fn wide(raw: u128, ty: TypeId) -> Text {
    let (high, low) = ((raw >> 64) as u64, raw as u64);
    let text = format!("({})((unsigned __int128){high:#x}ULL << 64 | {low:#x}ULL)", type_name(ty));
    Text::new(text, UNARY, ty)
}

/// The constant of an integer text in the notation of another type, where that says the same without a cast.
pub(super) fn literal_as(types: &TypeTable, text: &Text, ty: TypeId) -> Option<Text> {
    let (value, _) = text.range.filter(|_| text.literal)?;
    let simple = matches!(ty.0, 7..=12) && within((value, value), type_range(types, ty)?);
    simple.then(|| literal(value, ty))
}

/// A floating constant. Decimal where Rust's shortest one reads back the same, else hexadecimal, which is exact.
pub(super) fn float(kind: FloatKind, bits: Bits) -> Text {
    let ty = TypeId::float(kind);
    let raw = bits.get();
    let (text, nan, infinite, negative) = match kind {
        FloatKind::Float => {
            let value = f32::from_bits(raw as u32);
            (format!("{value:?}f"), value.is_nan(), value.is_infinite(), value.is_sign_negative())
        }
        FloatKind::Double => {
            let value = f64::from_bits(raw as u64);
            (format!("{value:?}"), value.is_nan(), value.is_infinite(), value.is_sign_negative())
        }
        FloatKind::LongDouble => {
            let (exponent, mantissa) = (raw >> 64 & 0x7fff, raw as u64);
            let special = exponent == 0x7fff;
            let sign = if raw >> 79 & 1 == 1 { "-" } else { "" };
            let text = format!("{sign}{mantissa:#x}p{}L", exponent.max(1) as i32 - 16383 - 63);
            (text, special && mantissa << 1 != 0, special && mantissa << 1 == 0, !sign.is_empty())
        }
    };
    let suffix = match kind {
        FloatKind::Float => "f",
        FloatKind::Double => "",
        FloatKind::LongDouble => "l",
    };
    let sign = if negative { "-" } else { "" };
    let text = match (nan, infinite) {
        (true, _) => format!("{sign}__builtin_nan{suffix}(\"\")"),
        (_, true) => format!("{sign}__builtin_inf{suffix}()"),
        _ => text,
    };
    Text::new(text, if negative { UNARY } else { PRIMARY }, ty)
}
