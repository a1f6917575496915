//! `printf`'s format language, byte for byte as glibc in the C locale.

use super::*;
use crate::interp::decimal::{self, Number};
use crate::types::FloatKind;

#[derive(Clone, Copy, Default)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    length: Length,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Length {
    Char,
    Short,
    #[default]
    Int,
    Long,
    LongLong,
    /// `z`, `t`
    Size,
    LongDouble,
}

/// Longer fields are refused: they would only use memory.
const WIDEST: usize = 1 << 20;

impl Machine<'_> {
    /// The text that a format and the arguments behind it make; argument `at` is the format.
    pub(super) fn format(&mut self, call: &Invocation<'_>, at: usize) -> Result<Vec<u8>, Stop> {
        let format = self.c_string(call.arg(at)?)?;
        let mut out = Vec::new();
        let mut next = at + 1;
        let mut i = 0;
        while i < format.len() {
            if format[i] != b'%' {
                out.push(format[i]);
                i += 1;
                continue;
            }
            i += 1;
            let mut spec = Spec::default();
            i += flags(&format[i..], &mut spec);
            let mut number = |i: &mut usize| -> Result<Option<i64>, Stop> {
                if format.get(*i) == Some(&b'*') {
                    *i += 1;
                    next += 1;
                    return Ok(Some(call.int(next - 1)? as i64));
                }
                let digits = format[*i..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                let value = String::from_utf8_lossy(&format[*i..*i + digits]).parse().ok();
                *i += digits;
                Ok(value)
            };
            let width = number(&mut i)?.unwrap_or(0);
            spec.left |= width < 0;
            spec.width = width.unsigned_abs() as usize;
            if format.get(i) == Some(&b'.') {
                i += 1;
                let precision = number(&mut i)?.unwrap_or(0);
                spec.precision = usize::try_from(precision).ok();
            }
            if spec.width > WIDEST || spec.precision.is_some_and(|precision| precision > WIDEST) {
                return Err(self.unsupported(call, "a field of more than a million characters"));
            }
            i += length(&format[i..], &mut spec);
            let Some(conversion) = format.get(i).copied() else { return Err(Stop::Fault(Fault::LibraryMisuse)) };
            i += 1;
            if conversion == b'%' {
                out.push(b'%');
                continue;
            }
            let (ty, bits) = call.typed(next)?;
            next += 1;
            let text = self.convert(call, conversion, spec, ty, bits, out.len())?;
            out.extend_from_slice(&text);
        }
        Ok(out)
    }

    fn convert(
        &mut self,
        call: &Invocation<'_>,
        conversion: u8,
        spec: Spec,
        ty: TypeId,
        bits: Bits,
        written: usize,
    ) -> Result<Vec<u8>, Stop> {
        let float = ty.float_kind();
        let is_float = matches!(conversion.to_ascii_lowercase(), b'f' | b'e' | b'g' | b'a');
        if !self.program.types.is_scalar(ty) || float.is_some() != is_float {
            return Err(Stop::Fault(Fault::LibraryMisuse));
        }
        if let Some(kind) = float {
            // The length must say which type it is.
            if (kind == FloatKind::LongDouble) != (spec.length == Length::LongDouble) {
                return Err(Stop::Fault(Fault::LibraryMisuse));
            }
            if conversion.eq_ignore_ascii_case(&b'a') {
                return Err(self.unsupported(call, "`%a` in a format"));
            }
            return Ok(float_text(conversion, spec, decimal::number(kind, bits)));
        }
        let value = eval::to_i128(&self.program.types, ty, bits) as u64;
        match conversion {
            b'd' | b'i' => {
                let value = self.cut(value, spec.length, true) as i64;
                let sign = sign(value < 0, spec);
                Ok(integer_text(value.unsigned_abs().to_string(), sign, value == 0, spec))
            }
            b'u' | b'x' | b'X' | b'o' => {
                let value = self.cut(value, spec.length, false);
                let (digits, prefix) = match conversion {
                    b'u' => (value.to_string(), ""),
                    b'x' => (format!("{value:x}"), "0x"),
                    b'X' => (format!("{value:X}"), "0X"),
                    _ => (format!("{value:o}"), ""),
                };
                let mut spec = spec;
                if conversion == b'o' && spec.alternate && (value != 0 || spec.precision == Some(0)) {
                    let enough = spec.precision.unwrap_or(0).max(digits.len() + (value != 0) as usize);
                    // A leading zero is a matter of precision, but does not switch off the flag `0`.
                    if spec.precision.is_some() || !spec.zero {
                        spec.precision = Some(enough);
                    } else {
                        return Ok(integer_text(format!("0{digits}"), "", false, spec));
                    }
                }
                let prefix = if spec.alternate && value != 0 { prefix } else { "" };
                Ok(integer_text(digits, prefix, value == 0, spec))
            }
            b'c' if spec.length != Length::Long => Ok(pad(vec![value as u8], spec)),
            b's' if spec.length != Length::Long => {
                let text = match (bits.lo, spec.precision) {
                    (0, None | Some(6..)) => b"(null)".to_vec(),
                    (0, Some(_)) => Vec::new(),
                    (address, None) => self.c_string(address)?,
                    (address, Some(limit)) => self.bounded_string(address, limit as u64)?,
                };
                Ok(pad(text, spec))
            }
            b'p' if bits.lo == 0 => Ok(pad(b"(nil)".to_vec(), spec)),
            b'p' => {
                let prefix = format!("{}0x", sign(false, spec));
                Ok(integer_text(format!("{:x}", bits.lo), &prefix, false, spec))
            }
            b'n' => {
                let target = match spec.length {
                    Length::Char => TypeId::SCHAR,
                    Length::Short => TypeId::SHORT,
                    Length::Int => TypeId::INT,
                    Length::LongLong => TypeId::LONG_LONG,
                    _ => TypeId::LONG,
                };
                let count = Bits { lo: written as u64, hi: 0 };
                self.memory.store_scalar(&self.program.types, bits.lo, 0, target, count)?;
                Ok(Vec::new())
            }
            _ => Err(self.unsupported(call, "a conversion of a format")),
        }
    }

    /// An argument as the length modifier reads it, extended to 64 bits.
    fn cut(&self, value: u64, length: Length, signed: bool) -> u64 {
        let width = match length {
            Length::Char => 8,
            Length::Short => 16,
            Length::Int => 32,
            Length::Long | Length::Size => self.pointer_type_bits(),
            Length::LongLong | Length::LongDouble => 64,
        };
        let unused = 64 - width;
        if signed { ((value << unused) as i64 >> unused) as u64 } else { value << unused >> unused }
    }
}

fn flags(text: &[u8], spec: &mut Spec) -> usize {
    let mut count = 0;
    while let Some(byte) = text.get(count) {
        match byte {
            b'-' => spec.left = true,
            b'+' => spec.plus = true,
            b' ' => spec.space = true,
            b'#' => spec.alternate = true,
            b'0' => spec.zero = true,
            // Groups of thousands: the C locale has none.
            b'\'' => {}
            _ => break,
        }
        count += 1;
    }
    count
}

fn length(text: &[u8], spec: &mut Spec) -> usize {
    let (length, size) = match text {
        [b'h', b'h', ..] => (Length::Char, 2),
        [b'h', ..] => (Length::Short, 1),
        [b'l', b'l', ..] => (Length::LongLong, 2),
        [b'l', ..] => (Length::Long, 1),
        [b'q' | b'j', ..] => (Length::LongLong, 1),
        [b'z' | b't' | b'Z', ..] => (Length::Size, 1),
        [b'L', ..] => (Length::LongDouble, 1),
        _ => (Length::Int, 0),
    };
    spec.length = length;
    size
}

fn sign(negative: bool, spec: Spec) -> &'static str {
    if negative {
        "-"
    } else if spec.plus {
        "+"
    } else if spec.space {
        " "
    } else {
        ""
    }
}

/// Spaces to the width.
fn pad(mut text: Vec<u8>, spec: Spec) -> Vec<u8> {
    let missing = spec.width.saturating_sub(text.len());
    if spec.left {
        text.resize(text.len() + missing, b' ');
        text
    } else {
        let mut padded = vec![b' '; missing];
        padded.extend_from_slice(&text);
        padded
    }
}

/// Zeros between the prefix and the digits, up to the width.
fn pad_zero(prefix: &str, digits: &str, spec: Spec) -> Vec<u8> {
    let missing = spec.width.saturating_sub(prefix.len() + digits.len());
    format!("{prefix}{}{digits}", "0".repeat(missing)).into_bytes()
}

fn integer_text(digits: String, prefix: &str, is_zero: bool, spec: Spec) -> Vec<u8> {
    let digits = match spec.precision {
        Some(0) if is_zero => String::new(),
        Some(precision) => "0".repeat(precision.saturating_sub(digits.len())) + &digits,
        None if spec.zero && !spec.left => return pad_zero(prefix, &digits, spec),
        None => digits,
    };
    pad(format!("{prefix}{digits}").into_bytes(), spec)
}

fn float_text(conversion: u8, spec: Spec, number: Number) -> Vec<u8> {
    let upper = conversion.is_ascii_uppercase();
    let cased = |text: String| if upper { text.to_ascii_uppercase() } else { text };
    let (negative, value) = match number {
        Number::Finite { negative, value } => (negative, value),
        Number::Infinite { negative } => {
            return pad(cased(format!("{}inf", sign(negative, spec))).into_bytes(), spec);
        }
        Number::Nan { negative } => return pad(cased(format!("{}nan", sign(negative, spec))).into_bytes(), spec),
    };
    let precision = spec.precision.unwrap_or(6);
    let mut text = match conversion.to_ascii_lowercase() {
        b'f' => value.fixed(precision),
        b'e' => value.scientific(precision),
        _ => value.general(precision, spec.alternate),
    };
    if spec.alternate && !text.contains('.') {
        text.insert(text.find('e').unwrap_or(text.len()), '.');
    }
    let text = cased(text);
    let sign = sign(negative, spec);
    if spec.zero && !spec.left { pad_zero(sign, &text, spec) } else { pad(format!("{sign}{text}").into_bytes(), spec) }
}
