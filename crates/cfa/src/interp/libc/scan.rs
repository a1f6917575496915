//! `scanf` and `sscanf`. From a string, the format is matched for real. From a file, every conversion asks for one input of the type it stores
//! (characters and strings: one `int` per character, as `fgetc`) and succeeds: what stands between the conversions is not looked at.

use super::string::{parse_float, parse_integer, spaces};
use super::*;
use crate::types::FloatKind;

/// One conversion of a format.
struct Conversion {
    letter: u8,
    suppressed: bool,
    width: Option<usize>,
    /// The type of what it stores.
    ty: TypeId,
    /// `%[...]`: the bytes it takes.
    set: Option<Vec<bool>>,
}

enum ScanItem {
    /// White space: any amount of it.
    Space,
    Literal(u8),
    Conversion(Conversion),
}

fn parts(format: &[u8]) -> Option<Vec<ScanItem>> {
    let mut parts = Vec::new();
    let mut i = 0;
    while i < format.len() {
        let byte = format[i];
        i += 1;
        if spaces(&[byte]) == 1 {
            parts.push(ScanItem::Space);
        } else if byte != b'%' {
            parts.push(ScanItem::Literal(byte));
        } else if format.get(i) == Some(&b'%') {
            i += 1;
            parts.push(ScanItem::Space);
            parts.push(ScanItem::Literal(b'%'));
        } else {
            let (conversion, length) = conversion(&format[i..])?;
            i += length;
            parts.push(ScanItem::Conversion(conversion));
        }
    }
    Some(parts)
}

fn conversion(text: &[u8]) -> Option<(Conversion, usize)> {
    let mut i = 0;
    let suppressed = text.first() == Some(&b'*');
    i += suppressed as usize;
    let digits = text[i..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let width = String::from_utf8_lossy(&text[i..i + digits]).parse().ok();
    i += digits;
    let modifiers = text[i..].iter().take_while(|byte| b"hlLqjzt".contains(byte)).count();
    let modifier = &text[i..i + modifiers];
    i += modifiers;
    let letter = *text.get(i)?;
    i += 1;
    let mut set = None;
    let integer = |kinds: [TypeId; 5]| match modifier {
        b"hh" => kinds[0],
        b"h" => kinds[1],
        b"" => kinds[2],
        b"l" | b"z" | b"t" => kinds[3],
        _ => kinds[4],
    };
    let ty = match letter {
        b'd' | b'i' | b'n' => integer([TypeId::SCHAR, TypeId::SHORT, TypeId::INT, TypeId::LONG, TypeId::LONG_LONG]),
        b'u' | b'x' | b'X' | b'o' => {
            integer([TypeId::UCHAR, TypeId::USHORT, TypeId::UINT, TypeId::ULONG, TypeId::ULONG_LONG])
        }
        b'p' => TypeId::VOID_POINTER,
        b'f' | b'e' | b'g' | b'a' | b'F' | b'E' | b'G' => match modifier {
            b"" => TypeId::FLOAT,
            b"l" => TypeId::DOUBLE,
            _ => TypeId::LONG_DOUBLE,
        },
        b'c' | b's' if modifier.is_empty() => TypeId::CHAR,
        b'[' if modifier.is_empty() => {
            let (bytes, length) = byte_set(&text[i..])?;
            i += length;
            set = Some(bytes);
            TypeId::CHAR
        }
        _ => return None,
    };
    Some((Conversion { letter, suppressed, width, ty, set }, i))
}

/// The set of `%[...]`, from behind the bracket.
fn byte_set(text: &[u8]) -> Option<(Vec<bool>, usize)> {
    let inverted = text.first() == Some(&b'^');
    let mut i = inverted as usize;
    let mut set = vec![false; 256];
    let first = i;
    loop {
        let byte = *text.get(i)?;
        if byte == b']' && i > first {
            break;
        }
        let range = text.get(i + 1) == Some(&b'-') && text.get(i + 2).is_some_and(|end| *end != b']');
        let end = if range { text[i + 2] } else { byte };
        (byte..=end).for_each(|byte| set[byte as usize] = true);
        i += if range { 3 } else { 1 };
    }
    if inverted {
        set.iter_mut().for_each(|bit| *bit = !*bit);
    }
    Some((set, i + 1))
}

impl Conversion {
    fn takes(&self, byte: u8) -> bool {
        match &self.set {
            Some(set) => set[byte as usize],
            None => self.letter == b'c' || spaces(&[byte]) == 0,
        }
    }

    fn is_text(&self) -> bool {
        matches!(self.letter, b'c' | b's' | b'[')
    }

    fn longest(&self) -> usize {
        self.width.unwrap_or(if self.letter == b'c' { 1 } else { usize::MAX })
    }
}

impl Machine<'_> {
    fn format_parts(&self, call: &Invocation<'_>, at: usize) -> Result<Vec<ScanItem>, Stop> {
        let format = self.c_string(call.arg(at)?)?;
        parts(&format).ok_or_else(|| self.unsupported(call, "a conversion of a format"))
    }

    /// `scanf`, `fscanf`: argument `at` is the format.
    pub(super) fn scan_inputs(&mut self, call: &Invocation<'_>, at: usize) -> Answer {
        let mut next = at + 1;
        let mut stored = 0;
        for part in self.format_parts(call, at)? {
            let ScanItem::Conversion(conversion) = part else { continue };
            if conversion.suppressed {
                continue;
            }
            let target = call.arg(next)?;
            next += 1;
            if conversion.letter == b'n' {
                return Err(self.unsupported(call, "`%n` when reading inputs"));
            }
            if conversion.is_text() {
                let mut text = Vec::new();
                while text.len() < conversion.longest() {
                    match self.input_character(call)? {
                        Some(byte) if conversion.takes(byte) => text.push(byte),
                        _ => break,
                    }
                }
                if conversion.letter != b'c' {
                    text.push(0);
                }
                self.put_bytes(target, &text)?;
            } else {
                let value = self.external_input(call.function, call.site.edge, conversion.ty)?;
                self.memory.store_scalar(&self.program.types, target, 0, conversion.ty, value)?;
            }
            stored += 1;
        }
        int(stored)
    }

    pub(super) fn sscanf(&mut self, call: &Invocation<'_>) -> Answer {
        let text = self.c_string(call.arg(0)?)?;
        let mut next = 2;
        let (mut stored, mut converted, mut at) = (0, 0, 0);
        for part in self.format_parts(call, 1)? {
            let conversion = match part {
                ScanItem::Space => {
                    at += spaces(&text[at..]);
                    continue;
                }
                ScanItem::Literal(byte) => match text.get(at) {
                    Some(found) if *found == byte => {
                        at += 1;
                        continue;
                    }
                    found => return int(if found.is_none() && converted == 0 { -1 } else { stored }),
                },
                ScanItem::Conversion(conversion) => conversion,
            };
            let mut target = 0;
            if !conversion.suppressed {
                target = call.arg(next)?;
                next += 1;
            }
            if conversion.letter == b'n' {
                let count = Bits { lo: at as u64, hi: 0 };
                self.memory.store_scalar(&self.program.types, target, 0, conversion.ty, count)?;
                continue;
            }
            if !matches!(conversion.letter, b'c' | b'[') {
                at += spaces(&text[at..]);
            }
            if at >= text.len() {
                return int(if converted == 0 { -1 } else { stored });
            }
            let field = &text[at..at + (text.len() - at).min(conversion.width.unwrap_or(usize::MAX))];
            let length = if conversion.is_text() {
                self.scan_text(&conversion, field, target)?
            } else {
                self.scan_number(&conversion, field, target)?
            };
            if length == 0 {
                return int(stored);
            }
            at += length;
            converted += 1;
            stored += !conversion.suppressed as i32;
        }
        int(stored)
    }

    fn scan_text(&mut self, conversion: &Conversion, field: &[u8], target: u64) -> Result<usize, Stop> {
        let length = field.iter().take(conversion.longest()).take_while(|byte| conversion.takes(**byte)).count();
        if length == 0 || (conversion.letter == b'c' && length < conversion.longest()) {
            return Ok(0);
        }
        if !conversion.suppressed {
            let mut text = field[..length].to_vec();
            if conversion.letter != b'c' {
                text.push(0);
            }
            self.put_bytes(target, &text)?;
        }
        Ok(length)
    }

    fn scan_number(&mut self, conversion: &Conversion, field: &[u8], target: u64) -> Result<usize, Stop> {
        let model = self.program.model();
        let base = match conversion.letter {
            b'i' => 0,
            b'o' => 8,
            b'x' | b'X' | b'p' => 16,
            _ => 10,
        };
        let (bits, length) = match conversion.ty.float_kind() {
            Some(kind) => {
                let kind: FloatKind = kind;
                parse_float(field, kind)
            }
            None => {
                // glibc reads through `long` (or its unsigned twin) and stores the low part.
                let kind = match conversion.ty.int_kind() {
                    Some(kind) if kind.rank() > IntKind::Long.rank() => kind,
                    Some(kind) if kind.is_signed() => IntKind::Long,
                    _ => IntKind::ULong,
                };
                let (value, length, _) = parse_integer(field, base, kind, model);
                (eval::truncate(value as u128, self.program.types.scalar_bits(conversion.ty)), length)
            }
        };
        if length > 0 && !conversion.suppressed {
            self.memory.store_scalar(&self.program.types, target, 0, conversion.ty, bits)?;
        }
        Ok(length)
    }
}
