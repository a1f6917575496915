//! `string.h`, and the number parsers of `stdlib.h`.

use super::*;
use crate::types::FloatKind;
use rustc_apfloat::Float;
use rustc_apfloat::ieee::X87DoubleExtended;

impl Machine<'_> {
    /// The bytes of a string, without its end.
    pub(super) fn c_string(&self, address: u64) -> Result<Vec<u8>, Stop> {
        self.bounded_string(address, u64::MAX)
    }

    /// At most `limit` bytes of a string; no more are looked at.
    pub(super) fn bounded_string(&self, address: u64, limit: u64) -> Result<Vec<u8>, Stop> {
        if limit == 0 {
            return Ok(Vec::new());
        }
        let tail = self.memory.tail(address)?;
        let seen = &tail[..tail.len().min(limit as usize)];
        let length = match seen.iter().position(|byte| *byte == 0) {
            Some(end) => end,
            None if seen.len() as u64 == limit => seen.len(),
            None => return Err(Stop::Fault(Fault::OutOfBounds)),
        };
        let text = seen[..length].to_vec();
        let looked_at = (length as u64 + 1).min(limit);
        self.require_written(address, looked_at)?;
        Ok(text)
    }

    fn require_written(&self, address: u64, length: u64) -> Result<(), Stop> {
        if self.memory.is_written(address, 0, length) { Ok(()) } else { Err(Stop::Fault(Fault::Uninitialized)) }
    }

    pub(super) fn bytes(&self, address: u64, length: u64) -> Result<Vec<u8>, Stop> {
        if length == 0 {
            return Ok(Vec::new());
        }
        let bytes = self.memory.read(address, 0, length)?.to_vec();
        self.require_written(address, length)?;
        Ok(bytes)
    }

    pub(super) fn put_bytes(&mut self, address: u64, bytes: &[u8]) -> Result<(), Stop> {
        if !bytes.is_empty() {
            self.memory.write(address, 0, bytes.len() as u64)?.copy_from_slice(bytes);
            self.memory.mark_written(address, 0, bytes.len() as u64);
        }
        Ok(())
    }

    /// A string and its end.
    fn put_string(&mut self, address: u64, text: &[u8]) -> Result<(), Stop> {
        let mut bytes = text.to_vec();
        bytes.push(0);
        self.put_bytes(address, &bytes)
    }

    /// Copies that must not overlap are checked for it.
    fn disjoint(&self, a: u64, a_length: u64, b: u64, b_length: u64) -> Result<(), Stop> {
        let (left, x) = self.memory.resolve(a);
        let (right, y) = self.memory.resolve(b);
        let overlap = left == right && a != b && x < y.wrapping_add(b_length) && y < x.wrapping_add(a_length);
        if overlap { Err(Stop::Fault(Fault::LibraryMisuse)) } else { Ok(()) }
    }

    fn copy_bytes(&mut self, to: u64, from: u64, length: u64) -> Result<(), Stop> {
        if length > 0 {
            self.memory.copy(to, 0, from, 0, length)?;
        }
        Ok(())
    }

    /// The address `distance` bytes further.
    fn at(&self, address: u64, distance: usize) -> u64 {
        self.memory.offset(address, distance as i64, 1)
    }

    pub(super) fn string(&mut self, library: LibFn, call: &Invocation<'_>) -> Answer {
        match library {
            LibFn::Memcpy | LibFn::Mempcpy | LibFn::Memmove => {
                let (to, from, length) = (call.arg(0)?, call.arg(1)?, call.arg(2)?);
                if library != LibFn::Memmove {
                    self.disjoint(to, length, from, length)?;
                }
                self.copy_bytes(to, from, length)?;
                word(if library == LibFn::Mempcpy { self.at(to, length as usize) } else { to })
            }
            LibFn::Bcopy => {
                self.copy_bytes(call.arg(1)?, call.arg(0)?, call.arg(2)?)?;
                Ok(None)
            }
            LibFn::Memset => {
                self.set_bytes(call.arg(0)?, call.arg(1)? as u8, call.arg(2)?)?;
                word(call.arg(0)?)
            }
            LibFn::Bzero => {
                self.set_bytes(call.arg(0)?, 0, call.arg(1)?)?;
                Ok(None)
            }
            LibFn::Memcmp => {
                let length = call.arg(2)?;
                let (a, b) = (self.bytes(call.arg(0)?, length)?, self.bytes(call.arg(1)?, length)?);
                let difference = difference(&a, &b, |byte| byte);
                self.ordering(call, difference)
            }
            LibFn::Memchr | LibFn::Memrchr => self.memchr(library, call),
            LibFn::Strlen => word(self.c_string(call.arg(0)?)?.len() as u64),
            LibFn::Strnlen => word(self.bounded_string(call.arg(0)?, call.arg(1)?)?.len() as u64),
            LibFn::Strcpy | LibFn::Stpcpy => {
                let (to, from) = (call.arg(0)?, call.arg(1)?);
                let text = self.c_string(from)?;
                self.disjoint(to, text.len() as u64 + 1, from, text.len() as u64 + 1)?;
                self.put_string(to, &text)?;
                word(if library == LibFn::Stpcpy { self.at(to, text.len()) } else { to })
            }
            LibFn::Strncpy => {
                let (to, length) = (call.arg(0)?, call.arg(2)?);
                let mut text = self.bounded_string(call.arg(1)?, length)?;
                if length > 0 {
                    self.memory.write(to, 0, length)?;
                }
                text.resize(length as usize, 0);
                self.put_bytes(to, &text)?;
                word(to)
            }
            LibFn::Strcat | LibFn::Strncat => {
                let to = call.arg(0)?;
                let limit = if library == LibFn::Strcat { u64::MAX } else { call.arg(2)? };
                let text = self.bounded_string(call.arg(1)?, limit)?;
                let end = self.at(to, self.c_string(to)?.len());
                self.put_string(end, &text)?;
                word(to)
            }
            LibFn::Strcmp | LibFn::Strncmp | LibFn::Strcasecmp | LibFn::Strncasecmp => self.strcmp(library, call),
            LibFn::Strchr | LibFn::Strchrnul | LibFn::Strrchr => self.strchr(library, call),
            LibFn::Strstr => {
                let (text, wanted) = (self.c_string(call.arg(0)?)?, self.c_string(call.arg(1)?)?);
                let found = (0..=text.len()).find(|at| text[*at..].starts_with(&wanted));
                word(found.map_or(0, |at| self.memory.offset(call.args[0].1.lo, at as i64, 1)))
            }
            LibFn::Strdup | LibFn::Strndup => {
                let limit = if library == LibFn::Strdup { u64::MAX } else { call.arg(1)? };
                let text = self.bounded_string(call.arg(0)?, limit)?;
                let address = self.new_heap(call, text.len() as u64 + 1, true)?;
                self.put_string(address, &text)?;
                word(address)
            }
            LibFn::Strspn | LibFn::Strcspn | LibFn::Strpbrk => {
                let (text, set) = (self.c_string(call.arg(0)?)?, self.c_string(call.arg(1)?)?);
                let inside = library == LibFn::Strspn;
                let length = text.iter().take_while(|byte| set.contains(byte) == inside).count();
                word(match library {
                    LibFn::Strpbrk if length == text.len() => 0,
                    LibFn::Strpbrk => self.at(call.arg(0)?, length),
                    _ => length as u64,
                })
            }
            _ => Err(self.unsupported(call, "an unknown library function")),
        }
    }

    fn set_bytes(&mut self, address: u64, value: u8, length: u64) -> Result<(), Stop> {
        if length > 0 {
            self.memory.write(address, 0, length)?.fill(value);
            self.memory.mark_written(address, 0, length);
        }
        Ok(())
    }

    fn memchr(&mut self, library: LibFn, call: &Invocation<'_>) -> Answer {
        let (start, wanted, length) = (call.arg(0)?, call.arg(1)? as u8, call.arg(2)?);
        if length == 0 {
            return word(0);
        }
        let tail = self.memory.tail(start)?;
        let seen = &tail[..tail.len().min(length as usize)];
        let found = match library {
            LibFn::Memchr => seen.iter().position(|byte| *byte == wanted),
            _ => seen.iter().rposition(|byte| *byte == wanted),
        };
        // A search that stops early need not be inside all the way.
        match found {
            Some(at) if library == LibFn::Memchr || seen.len() as u64 == length => word(self.at(start, at)),
            _ if (seen.len() as u64) < length => Err(Stop::Fault(Fault::OutOfBounds)),
            _ => word(0),
        }
    }

    fn strcmp(&mut self, library: LibFn, call: &Invocation<'_>) -> Answer {
        let limit = match library {
            LibFn::Strncmp | LibFn::Strncasecmp => call.arg(2)?,
            _ => u64::MAX,
        };
        let fold = matches!(library, LibFn::Strcasecmp | LibFn::Strncasecmp);
        let change = |byte: u8| if fold { byte.to_ascii_lowercase() } else { byte };
        let (left, right) = (call.arg(0)?, call.arg(1)?);
        // Byte by byte: the first difference ends the reading of both.
        for index in 0..limit {
            let byte = |address: u64| -> Result<u8, Stop> {
                let byte = self.memory.read(address, index as i64, 1)?[0];
                self.require_written(self.memory.offset(address, index as i64, 1), 1)?;
                Ok(change(byte))
            };
            let (a, b) = (byte(left)?, byte(right)?);
            if a != b {
                return self.ordering(call, a as i32 - b as i32);
            }
            if a == 0 {
                break;
            }
        }
        int(0)
    }

    /// The result of a comparison: C gives it a sign only (C11 7.24.4). The value is one that [`crate::interp::Inputs::fill`] offers with that
    /// sign, else the difference of the bytes, as glibc and the code that gcc makes have it.
    fn ordering(&mut self, call: &Invocation<'_>, difference: i32) -> Answer {
        let offered = if difference == 0 { 0 } else { self.offered(call) };
        int(if offered.signum() == difference.signum() { offered } else { difference })
    }

    /// The result of a question that C answers with 0 or anything else: what is offered, else what glibc answers.
    pub(super) fn nonzero(&mut self, call: &Invocation<'_>, answer: i32) -> Answer {
        let offered = if answer == 0 { 0 } else { self.offered(call) };
        int(if offered != 0 { offered } else { answer })
    }

    fn offered(&mut self, call: &Invocation<'_>) -> i32 {
        let mut offered = [0; 4];
        if call.site.result.is_some() {
            self.fill(FillRequest::Result { edge: call.site.edge }, &mut offered);
        }
        i32::from_le_bytes(offered)
    }

    fn strchr(&mut self, library: LibFn, call: &Invocation<'_>) -> Answer {
        let (start, wanted) = (call.arg(0)?, call.arg(1)? as u8);
        let mut text = self.c_string(start)?;
        text.push(0);
        let found = match library {
            LibFn::Strrchr => text.iter().rposition(|byte| *byte == wanted),
            _ => text.iter().position(|byte| *byte == wanted),
        };
        let found = found.or((library == LibFn::Strchrnul).then(|| text.len() - 1));
        word(found.map_or(0, |at| self.at(start, at)))
    }

    /// `atoi` and its relatives.
    pub(super) fn integer_in_text(&mut self, kind: IntKind, call: &Invocation<'_>) -> Answer {
        let text = self.c_string(call.arg(0)?)?;
        // As glibc: through `long`, so that `atoi` of too much truncates.
        let (value, _, overflow) = parse_integer(&text, 10, kind, self.program.model());
        // Unlike `strtol`, for which C says what it gives then.
        if overflow { Err(Stop::Fault(Fault::LibraryMisuse)) } else { word(value) }
    }

    /// `strtod` and its relatives.
    pub(super) fn float_in_text(&mut self, kind: FloatKind, call: &Invocation<'_>) -> Answer {
        let text = self.c_string(call.arg(0)?)?;
        let (value, length) = parse_float(&text, kind);
        let target = call.arg(1)?;
        if target != 0 {
            self.store_pointer(target, self.at(call.arg(0)?, length))?;
        }
        Ok(Some(value))
    }
}

fn difference(a: &[u8], b: &[u8], change: impl Fn(u8) -> u8) -> i32 {
    let pairs = a.iter().zip(b).map(|(a, b)| (change(*a), change(*b)));
    pairs.map(|(a, b)| a as i32 - b as i32).find(|difference| *difference != 0).unwrap_or(0)
}

fn is_space(byte: u8) -> bool {
    byte == b' ' || (9..=13).contains(&byte)
}

pub(super) fn spaces(text: &[u8]) -> usize {
    text.iter().take_while(|byte| is_space(**byte)).count()
}

/// `strtol`: the value's bits, how much of the text it took (0: nothing), and whether it did not fit.
pub(super) fn parse_integer(
    text: &[u8],
    base: u32,
    kind: IntKind,
    model: crate::types::DataModel,
) -> (u64, usize, bool) {
    let mut at = spaces(text);
    let sign = text.get(at).copied();
    let negative = sign == Some(b'-');
    at += matches!(sign, Some(b'-' | b'+')) as usize;
    let prefixed = text.len() > at + 2
        && text[at] == b'0'
        && text[at + 1].eq_ignore_ascii_case(&b'x')
        && text[at + 2].is_ascii_hexdigit();
    let mut radix = base;
    if base == 0 {
        radix = if prefixed {
            16
        } else if text.get(at) == Some(&b'0') {
            8
        } else {
            10
        };
    }
    if radix == 16 && prefixed {
        at += 2;
    }
    let start = at;
    let mut value: u128 = 0;
    while let Some(digit) = text.get(at).and_then(|byte| (*byte as char).to_digit(radix)) {
        value = value.saturating_mul(radix as u128).saturating_add(digit as u128);
        at += 1;
    }
    if at == start {
        return (0, 0, false);
    }
    let width = kind.bits(model);
    let most: u128 = if kind.is_signed() { (1 << (width - 1)) - 1 + negative as u128 } else { (1 << width) - 1 };
    let overflow = value > most;
    let mut result = value.min(most) as u64;
    if negative && (kind.is_signed() || !overflow) {
        result = result.wrapping_neg();
    }
    (result, at, overflow)
}

/// `strtod`: the value's bits and how much of the text it took.
pub(super) fn parse_float(text: &[u8], kind: FloatKind) -> (Bits, usize) {
    let start = spaces(text);
    let mut at = start;
    let negative = text.get(at) == Some(&b'-');
    at += matches!(text.get(at), Some(b'-' | b'+')) as usize;
    let rest = &text[at..];
    let word = |word: &[u8]| rest.len() >= word.len() && rest[..word.len()].eq_ignore_ascii_case(word);
    let (value, length) = if word(b"infinity") {
        (named("Inf", kind), 8)
    } else if word(b"inf") {
        (named("Inf", kind), 3)
    } else if word(b"nan") {
        (named("NaN", kind), 3)
    } else {
        let length = float_length(rest);
        if length == 0 {
            return (Bits::ZERO, 0);
        }
        (digits_to_float(&rest[..length], kind), length)
    };
    let sign = match kind {
        FloatKind::Float => Bits::new(1 << 31),
        FloatKind::Double => Bits::new(1 << 63),
        FloatKind::LongDouble => Bits::new(1 << 79),
    };
    let bits = if negative { Bits { lo: value.lo ^ sign.lo, hi: value.hi ^ sign.hi } } else { value };
    (bits, at + length)
}

fn named(name: &str, kind: FloatKind) -> Bits {
    let value = if name == "Inf" { f64::INFINITY } else { f64::NAN };
    match kind {
        FloatKind::Float => eval::from_f32(value as f32),
        FloatKind::Double => eval::from_f64(value),
        FloatKind::LongDouble => eval::from_x87(eval::x87_of_f64(value)),
    }
}

/// How long the number at the start of a text is.
fn float_length(text: &[u8]) -> usize {
    let hex = text.len() > 2
        && text[0] == b'0'
        && text[1].eq_ignore_ascii_case(&b'x')
        && (text[2].is_ascii_hexdigit() || (text[2] == b'.' && text.get(3).is_some_and(u8::is_ascii_hexdigit)));
    let digit = |byte: &u8| if hex { byte.is_ascii_hexdigit() } else { byte.is_ascii_digit() };
    let run = |from: usize| text[from.min(text.len())..].iter().take_while(|byte| digit(byte)).count();
    let mut at = if hex { 2 } else { 0 };
    let whole = run(at);
    at += whole;
    if text.get(at) == Some(&b'.') {
        let fraction = run(at + 1);
        if whole + fraction == 0 {
            return 0;
        }
        at += 1 + fraction;
    } else if whole == 0 {
        return 0;
    }
    let mark = if hex { b'p' } else { b'e' };
    if text.get(at).is_some_and(|byte| byte.eq_ignore_ascii_case(&mark)) {
        let sign = matches!(text.get(at + 1), Some(b'-' | b'+')) as usize;
        let digits = text[(at + 1 + sign).min(text.len())..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits > 0 {
            at += 1 + sign + digits;
        }
    }
    at
}

fn digits_to_float(digits: &[u8], kind: FloatKind) -> Bits {
    let text = String::from_utf8_lossy(digits);
    let hex = text.len() > 1 && text.as_bytes()[1].eq_ignore_ascii_case(&b'x');
    if !hex && kind == FloatKind::Float {
        return eval::from_f32(text.parse().unwrap_or(0.0));
    }
    if !hex && kind == FloatKind::Double {
        return eval::from_f64(text.parse().unwrap_or(0.0));
    }
    // The software reader wants an exponent behind hexadecimal digits.
    let text = if hex && !text.contains(['p', 'P']) { text.into_owned() + "p0" } else { text.into_owned() };
    match kind {
        FloatKind::Float => text.parse::<rustc_apfloat::ieee::Single>().map_or(Bits::ZERO, |v| Bits::new(v.to_bits())),
        FloatKind::Double => text.parse::<rustc_apfloat::ieee::Double>().map_or(Bits::ZERO, |v| Bits::new(v.to_bits())),
        FloatKind::LongDouble => text.parse::<X87DoubleExtended>().map_or(Bits::ZERO, eval::from_x87),
    }
}
