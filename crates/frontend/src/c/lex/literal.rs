//! The values of numbers, character constants and strings, from their spelling.

use crate::c::ast::{Encoding, IntLiteral, Units};

#[derive(Clone, Debug)]
pub enum Number {
    Int(IntLiteral),
    /// The spelling, with suffix `f`, `l` or none.
    Float(String),
    /// A number of a kind that exists but is not supported, by the name of the kind.
    Unsupported(&'static str),
}

/// Length of the preprocessing number at the start: digits, letters, dots, and signs after an exponent letter.
#[inline]
pub fn number_length(text: &[u8]) -> usize {
    let mut at = 1;
    while let Some(byte) = text.get(at) {
        let sign = matches!(byte, b'+' | b'-') && matches!(text[at - 1], b'e' | b'E' | b'p' | b'P');
        if !(byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_') || sign) {
            break;
        }
        at += 1;
    }
    at
}

/// The number that starts a text.
pub fn number(text: &[u8]) -> Result<Number, String> {
    let text = &text[..number_length(text)];
    // Nearly all numbers are small and plain.
    if text.len() < 19 && text[0] != b'0' && text.iter().all(u8::is_ascii_digit) {
        let value = text.iter().fold(0, |value, byte| value * 10 + (byte - b'0') as u64);
        return Ok(Number::Int(IntLiteral { value, decimal: true, unsigned: false, long: 0 }));
    }
    let (radix, digits) = match text {
        [b'0', b'x' | b'X', rest @ ..] => (16, rest),
        [b'0', b'b' | b'B', rest @ ..] => (2, rest),
        [b'0', rest @ ..] if !rest.is_empty() => (8, rest),
        _ => (10, text),
    };
    let exponent: &[u8] = if radix == 16 { b"pP" } else { b"eE" };
    if radix != 2 && digits.iter().any(|byte| *byte == b'.' || exponent.contains(byte)) {
        return float(text, radix == 16);
    }
    let length =
        digits.iter().take_while(|byte| (**byte as char).is_digit(if radix == 8 { 10 } else { radix })).count();
    let (digits, suffix) = digits.split_at(length);
    if digits.is_empty() && radix != 8 {
        return Err(format!("invalid number `{}`", String::from_utf8_lossy(text)));
    }
    let real: Vec<u8> = suffix.iter().copied().filter(|byte| !b"iIjJ".contains(byte)).collect();
    let imaginary = real.len() + 1 == suffix.len();
    let (unsigned, long) = int_suffix(if imaginary { &real } else { suffix })?;
    if imaginary {
        return Ok(Number::Unsupported("complex number"));
    }
    let mut value = 0u64;
    for byte in digits {
        let digit = (*byte as char)
            .to_digit(radix)
            .ok_or_else(|| format!("invalid digit `{}` in octal constant", *byte as char))?;
        let next = value.checked_mul(radix as u64).and_then(|value| value.checked_add(digit as u64));
        value = next.ok_or("integer constant is too large for any supported type")?;
    }
    Ok(Number::Int(IntLiteral { value, decimal: radix == 10, unsigned, long }))
}

/// Whether unsigned, and the number of `l`s.
fn int_suffix(suffix: &[u8]) -> Result<(bool, u8), String> {
    if suffix.is_empty() {
        return Ok((false, 0));
    }
    let mut rest = suffix;
    let (mut unsigned, mut long) = (false, 0);
    loop {
        rest = match rest {
            [] => return Ok((unsigned, long)),
            [b'u' | b'U', rest @ ..] if !unsigned => {
                unsigned = true;
                rest
            }
            [b'l', b'l', rest @ ..] | [b'L', b'L', rest @ ..] if long == 0 => {
                long = 2;
                rest
            }
            [b'l' | b'L', rest @ ..] if long == 0 => {
                long = 1;
                rest
            }
            _ => return Err(format!("invalid suffix `{}` on integer constant", String::from_utf8_lossy(suffix))),
        };
    }
}

fn float(text: &[u8], hex: bool) -> Result<Number, String> {
    let shown = || String::from_utf8_lossy(text).into_owned();
    let mut at = if hex { 2 } else { 0 };
    let mut digits = 0;
    let mut dots = 0;
    while let Some(byte) = text.get(at) {
        match byte {
            b'.' => dots += 1,
            _ if (if hex { byte.is_ascii_hexdigit() } else { byte.is_ascii_digit() }) => digits += 1,
            _ => break,
        }
        at += 1;
    }
    let has_exponent = text.get(at).is_some_and(|byte| byte.eq_ignore_ascii_case(if hex { &b'p' } else { &b'e' }));
    if dots > 1 || digits == 0 || (hex && !has_exponent) {
        return Err(format!("invalid floating constant `{}`", shown()));
    }
    if has_exponent {
        at += 1;
        at += matches!(text.get(at), Some(b'+' | b'-')) as usize;
        let length = text[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if length == 0 {
            return Err(format!("exponent has no digits in `{}`", shown()));
        }
        at += length;
    }
    let suffix = match text[at..].to_ascii_lowercase().as_slice() {
        b"" | b"f64" | b"f32x" | b"d" => "",
        b"f" | b"f32" => "f",
        b"l" => "l",
        b"q" | b"f128" | b"f64x" | b"w" => return Ok(Number::Unsupported("128-bit floating constant")),
        b"i" | b"j" | b"fi" | b"if" | b"li" | b"il" | b"fj" | b"jf" | b"lj" | b"jl" => {
            return Ok(Number::Unsupported("complex number"));
        }
        b"df" | b"dd" | b"dl" => return Ok(Number::Unsupported("decimal floating constant")),
        _ => return Err(format!("invalid suffix `{}` on floating constant", String::from_utf8_lossy(&text[at..]))),
    };
    Ok(Number::Float(format!("{}{suffix}", String::from_utf8_lossy(&text[..at]))))
}

/// The prefix, and the text after the opening quote.
pub fn prefix(text: &[u8]) -> (Encoding, &[u8]) {
    match text {
        [b'u', b'8', _, rest @ ..] => (Encoding::Utf8, rest),
        [b'u', _, rest @ ..] => (Encoding::Utf16, rest),
        [b'U', _, rest @ ..] => (Encoding::Utf32, rest),
        [b'L', _, rest @ ..] => (Encoding::Wide, rest),
        [_, rest @ ..] => (Encoding::Plain, rest),
        [] => (Encoding::Plain, text),
    }
}

/// What a literal is made of.
enum Piece {
    /// A code unit, by number: `\xff`, `\377`.
    Unit(u32),
    /// A character to be encoded: any other, also `\u00e9`.
    Character(u32),
    /// A byte that is not part of any UTF-8 sequence.
    Byte(u8),
}

/// Something about a literal that a compiler only warns about.
pub type Warnings = Vec<String>;

struct Pieces<'a> {
    text: &'a [u8],
    quote: u8,
    warnings: &'a mut Warnings,
}

impl Iterator for Pieces<'_> {
    type Item = Piece;

    /// `None` at the closing quote, or where the lexer has complained that it is missing.
    #[inline]
    fn next(&mut self) -> Option<Piece> {
        let byte = *self.text.first()?;
        if byte == self.quote || byte == b'\n' {
            return None;
        }
        if byte == b'\\' {
            return Some(self.escape());
        }
        if byte < 0x80 {
            self.text = &self.text[1..];
            return Some(Piece::Character(byte as u32));
        }
        let length =
            (2..=4).find(|length| self.text.get(..*length).is_some_and(|text| std::str::from_utf8(text).is_ok()));
        let Some(length) = length else {
            self.text = &self.text[1..];
            return Some(Piece::Byte(byte));
        };
        let (character, rest) = self.text.split_at(length);
        self.text = rest;
        std::str::from_utf8(character).ok()?.chars().next().map(|character| Piece::Character(character as u32))
    }
}

impl Pieces<'_> {
    fn escape(&mut self) -> Piece {
        let text = &self.text[1..];
        let mut length = 1;
        let piece = match text.first().copied().unwrap_or(b'\n') {
            b'n' => Piece::Unit(10),
            b't' => Piece::Unit(9),
            b'b' => Piece::Unit(8),
            b'r' => Piece::Unit(13),
            b'f' => Piece::Unit(12),
            b'v' => Piece::Unit(11),
            b'a' => Piece::Unit(7),
            b'e' | b'E' => Piece::Unit(27),
            byte @ (b'\\' | b'\'' | b'"' | b'?' | b'(' | b'{' | b'[' | b'%') => Piece::Unit(byte as u32),
            b'0'..=b'7' => {
                length = text.iter().take(3).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
                Piece::Unit(text[..length].iter().fold(0, |value, byte| value * 8 + (byte - b'0') as u32))
            }
            b'x' => {
                let digits = text[1..].iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
                if digits == 0 {
                    self.warnings.push("`\\x` used with no following hex digits".into());
                }
                length = 1 + digits;
                let digit = |byte: &u8| (*byte as char).to_digit(16).unwrap_or(0);
                Piece::Unit(text[1..length].iter().fold(0u32, |value, byte| value << 4 | digit(byte)))
            }
            byte @ (b'u' | b'U') => match super::universal(self.text) {
                Some((character, whole)) => {
                    length = whole - 1;
                    Piece::Character(character as u32)
                }
                None => {
                    self.warnings.push("incomplete universal character name".into());
                    Piece::Unit(byte as u32)
                }
            },
            b'\n' => {
                length = 0;
                Piece::Unit(b'\\' as u32)
            }
            byte => {
                self.warnings.push(format!("unknown escape sequence `\\{}`", byte.escape_ascii()));
                Piece::Unit(byte as u32)
            }
        };
        self.text = &text[length..];
        piece
    }
}

/// The value of a character constant in its type, by gcc's rules for several characters in one.
pub fn character(text: &[u8], warnings: &mut Warnings) -> Result<(i64, Encoding), String> {
    let (encoding, text) = prefix(text);
    let mut units = Units::Wide(Vec::new());
    if matches!(encoding, Encoding::Plain | Encoding::Utf8) {
        units = Units::Bytes(Vec::new());
    }
    for piece in (Pieces { text, quote: b'\'', warnings }) {
        push(&mut units, piece, encoding);
    }
    match units {
        Units::Bytes(bytes) => {
            if bytes.len() > 4 {
                warnings.push("character constant too long for its type".into());
            }
            match bytes.as_slice() {
                [] => Err("empty character constant".into()),
                [byte] if encoding == Encoding::Utf8 => Ok((*byte as i64, encoding)),
                [byte] => Ok((*byte as i8 as i64, encoding)),
                bytes => {
                    let value = bytes.iter().fold(0u32, |value, byte| value << 8 | *byte as u32);
                    Ok((value as i32 as i64, encoding))
                }
            }
        }
        Units::Wide(wide) => {
            if wide.len() > 1 {
                warnings.push("character constant too long for its type".into());
            }
            let unit = *wide.last().ok_or("empty character constant")?;
            Ok((if encoding == Encoding::Wide { unit as i32 as i64 } else { unit as i64 }, encoding))
        }
    }
}

/// Appends the string that starts `text`; `encoding` is that of the whole concatenation.
pub fn string(text: &[u8], encoding: Encoding, units: &mut Units, warnings: &mut Warnings) {
    let (_, text) = prefix(text);
    for piece in (Pieces { text, quote: b'"', warnings }) {
        push(units, piece, encoding);
    }
}

#[inline]
fn push(units: &mut Units, piece: Piece, encoding: Encoding) {
    match (units, piece) {
        (Units::Bytes(bytes), Piece::Character(value @ 0..=0x7f) | Piece::Unit(value)) => bytes.push(value as u8),
        (Units::Bytes(bytes), Piece::Byte(byte)) => bytes.push(byte),
        (Units::Bytes(bytes), Piece::Character(value)) => {
            let character = char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER);
            bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
        (Units::Wide(wide), Piece::Byte(byte)) => wide.push(byte as u32),
        (Units::Wide(wide), Piece::Unit(value)) => {
            wide.push(if encoding == Encoding::Utf16 { value & 0xffff } else { value });
        }
        (Units::Wide(wide), Piece::Character(value @ 0x10000..)) if encoding == Encoding::Utf16 => {
            let above = value - 0x10000;
            wide.extend([0xd800 + (above >> 10), 0xdc00 + (above & 0x3ff)]);
        }
        (Units::Wide(wide), Piece::Character(value)) => wide.push(value),
    }
}

/// The encoding of two adjacent strings, when they may be adjacent.
pub fn join(left: Encoding, right: Encoding) -> Option<Encoding> {
    match (left, right) {
        (Encoding::Plain, other) | (other, Encoding::Plain) => Some(other),
        _ => (left == right).then_some(left),
    }
}
