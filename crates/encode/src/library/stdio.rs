//! Output of `stdio.h` changes nothing but must be able to read what it prints.
//!
//! A format is walked through as the interpreter does. What it prints is needed for its length only, and that only where the result is used.

use super::{Answer, Invocation};
use crate::exec::Run;
use crate::state::State;
use crate::targets::Purpose;
use crate::value::{OBJECT_BITS, OFFSET_BITS, SymbolicValue};
use cfa::library::LibFn;
use logic::TermId;

/// A conversion of a format.
#[derive(Default)]
struct Conversion {
    /// Whether the width is known.
    plain: bool,
    /// No flag, and a number of the size of `int`, or of `long` with `l`.
    usual: bool,
    width: u64,
    /// `None`: not given; otherwise the number, or the argument that holds it.
    precision: Option<Amount>,
    long: bool,
    long_double: bool,
    letter: u8,
}

#[derive(Clone, Copy)]
enum Amount {
    Known(u64),
    Argument(usize),
}

impl Run<'_, '_> {
    pub(super) fn stdio(&mut self, state: &mut State, call: &mut Invocation, meaning: LibFn) -> Option<Answer> {
        let always = self.pool().bool(true);
        let stream = match meaning {
            LibFn::Fprintf => Some(0),
            LibFn::Fputc | LibFn::Fputs => Some(1),
            LibFn::Fwrite => Some(3),
            _ => None,
        };
        if let Some(stream) = stream {
            self.stream(state, call.pointer(stream)?);
        }
        let value = match meaning {
            LibFn::Printf => self.format(state, call, 0)?,
            LibFn::Fprintf => self.format(state, call, 1)?,
            LibFn::Puts => {
                let text = self.string_at(state, call, call.pointer(0)?);
                let length = self.length(&text);
                let one = self.pool().bv(OFFSET_BITS, 1);
                Some(self.pool().bv_add(length, one))
            }
            LibFn::Putchar | LibFn::Fputc => {
                let value = call.number(0)?;
                let byte = self.pool().extract(value, 7, 0);
                Some(self.pool().zext(byte, 32))
            }
            LibFn::Fputs => {
                self.string_at(state, call, call.pointer(0)?);
                Some(self.pool().bv(32, 1))
            }
            LibFn::Fwrite => {
                let (size, count) = (self.size_argument(call, 1)?, self.size_argument(call, 2)?);
                let overflows = self.pool().umul_overflows(size, count);
                self.fault(state, cfa::Fault::OutOfBounds, overflows);
                let length = self.pool().bv_mul(size, count);
                self.range(state, call.pointer(0)?, length, Purpose::Read, always);
                let zero = self.pool().bv(OFFSET_BITS, 0);
                let nothing = self.pool().eq(size, zero);
                Some(self.pool().ite(nothing, zero, count))
            }
            LibFn::Write => {
                let length = self.size_argument(call, 2)?;
                self.range(state, call.pointer(1)?, length, Purpose::Read, always);
                Some(length)
            }
            _ => {
                let text = call.pointer(0)?;
                let null = self.is_null(text);
                let given = self.pool().not(null);
                self.text(state, call, text, None, given);
                return Some(Answer::Nothing);
            }
        };
        match value {
            Some(term) => {
                let term = if call.result.is_some() { self.result_of_output(meaning, term) } else { term };
                Some(Answer::SymbolicValue(SymbolicValue::Bits(term)))
            }
            None if call.result.is_none() => Some(Answer::Nothing),
            None => None,
        }
    }

    /// A stream is a standard one, or an object of the library's (see `fopen`), which must be there.
    fn stream(&mut self, state: &mut State, stream: SymbolicValue) {
        let mut other = self.pool().bool(true);
        for standard in 1..=3 {
            let object = self.pool().bv(OBJECT_BITS, 0);
            let standard = SymbolicValue::Pointer { object, offset: self.pool().bv(OFFSET_BITS, standard) };
            let same = self.same_pointer(stream, standard);
            let differs = self.pool().not(same);
            other = self.pool().and(other, differs);
        }
        let one = self.pool().bv(OFFSET_BITS, 1);
        self.range(state, stream, one, Purpose::Read, other);
    }

    /// What a function that prints returns. Which number `puts` and `fputs` give is open: a replay has what the interpreter gives. That output fails is
    /// a matter of the environment ([`cfa::environment`]).
    fn result_of_output(&mut self, meaning: LibFn, done: TermId) -> TermId {
        if matches!(meaning, LibFn::Fwrite | LibFn::Write) {
            return done;
        }
        let done = self.pool().resize_unsigned(done, 32);
        if !matches!(meaning, LibFn::Puts | LibFn::Fputs) || !self.mode.explores_open() {
            return done;
        }
        let name = self.fresh_name("printed");
        let (any, zero) = (self.pool().bv_var(&name, 32), self.pool().bv(32, 0));
        let allowed = self.pool().sle(zero, any);
        let result = self.pool().ite(allowed, any, done);
        let same = self.pool().eq(result, done);
        self.require_for_replay(same);
        result
    }

    /// Walks through a format; the length of what is printed, if it is known. The outer `None`: not modelled.
    fn format(&mut self, state: &mut State, call: &Invocation, at: usize) -> Option<Option<TermId>> {
        let text = self.string_at(state, call, call.pointer(at)?);
        let end = self.length(&text);
        let end = self.pool().as_u64(end)? as usize;
        let format: Vec<u8> =
            text.bytes[..end].iter().map(|byte| Some(self.pool().as_u64(*byte)? as u8)).collect::<Option<_>>()?;
        let mut next = at + 1;
        let mut total = Some(self.pool().bv(OFFSET_BITS, 0));
        let mut i = 0;
        while i < format.len() {
            let mut printed = Some(self.pool().bv(OFFSET_BITS, 1));
            if format[i] != b'%' {
                i += 1;
            } else {
                let conversion = conversion(&format, &mut i, &mut next).filter(|_| next <= call.values.len());
                let Some(conversion) = conversion else {
                    let always = self.pool().bool(true);
                    self.misuse(state, always);
                    return Some(total);
                };
                if conversion.letter != b'%' {
                    printed = self.convert(state, call, &conversion, next)?;
                    next += 1;
                }
            }
            total = total.zip(printed).map(|(total, printed)| self.pool().bv_add(total, printed));
        }
        Some(total)
    }

    fn convert(
        &mut self,
        state: &mut State,
        call: &Invocation,
        conversion: &Conversion,
        index: usize,
    ) -> Option<Option<TermId>> {
        let always = self.pool().bool(true);
        let (Some(value), Some(ty)) = (call.values.get(index), call.types.get(index)) else {
            self.misuse(state, always);
            return Some(None);
        };
        let float = ty.float_kind();
        let wants_float = matches!(conversion.letter.to_ascii_lowercase(), b'f' | b'e' | b'g' | b'a');
        let is_long_double = float == Some(cfa::FloatKind::LongDouble);
        if float.is_some() != wants_float || (float.is_some() && is_long_double != conversion.long_double) {
            self.misuse(state, always);
            return Some(None);
        }
        match conversion.letter {
            b'd' | b'i' | b'u' if conversion.usual && conversion.plain && conversion.precision.is_none() => {
                let SymbolicValue::Bits(value) = *value else { return Some(None) };
                let bits = if conversion.long { self.program.model().pointer_bytes() as u32 * 8 } else { 32 };
                let fits = self.pool().width(value) == bits;
                Some(fits.then(|| self.length_of_decimal(value, conversion.letter != b'u', conversion.width)))
            }
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'p' | b'f' | b'F' | b'e' | b'E' | b'g' | b'G' => Some(None),
            b'c' if !conversion.long => {
                Some(conversion.plain.then(|| self.pool().bv(OFFSET_BITS, conversion.width.max(1) as u128)))
            }
            b's' if !conversion.long => {
                let SymbolicValue::Pointer { .. } = value else { return None };
                let null = self.is_null(*value);
                let given = self.pool().not(null);
                let limit = match conversion.precision {
                    None => None,
                    Some(Amount::Known(limit)) => Some(self.pool().bv(OFFSET_BITS, limit as u128)),
                    Some(Amount::Argument(index)) => {
                        let limit = call.number(index)?;
                        let limit = self.pool().as_u64(limit)? as i32;
                        // A negative precision is none.
                        u64::try_from(limit).ok().map(|limit| self.pool().bv(OFFSET_BITS, limit as u128))
                    }
                };
                let text = self.text(state, call, *value, limit, given);
                let known = conversion.plain && conversion.width == 0 && self.pool().as_bool(null) == Some(false);
                Some(known.then(|| self.length(&text)))
            }
            // `%n`, `%a` and what the interpreter does not know either.
            _ => None,
        }
    }
}

impl Run<'_, '_> {
    /// How many characters a number has, padded to a width.
    fn length_of_decimal(&mut self, value: TermId, signed: bool, least: u64) -> TermId {
        let bits = self.pool().width(value);
        let sign = if signed { self.pool().is_negative(value) } else { self.pool().bool(false) };
        let magnitude = if signed { self.pool().bv_abs(value) } else { value };
        let mut length = self.pool().bv(OFFSET_BITS, 1);
        let mut power: u128 = 10;
        let mut more = vec![sign];
        while power < 1 << bits {
            let power_term = self.pool().bv(bits, power);
            more.push(self.pool().ule(power_term, magnitude));
            power *= 10;
        }
        for one in more {
            let one = self.pool().bool_to_bv(one, OFFSET_BITS);
            length = self.pool().bv_add(length, one);
        }
        let least = self.pool().bv(OFFSET_BITS, least as u128);
        let short = self.pool().ult(length, least);
        self.pool().ite(short, least, length)
    }
}

/// The conversion behind a `%`; `None` if the format ends in it.
fn conversion(format: &[u8], i: &mut usize, next: &mut usize) -> Option<Conversion> {
    *i += 1;
    let mut found = Conversion { plain: true, usual: true, ..Conversion::default() };
    while let Some(b'-' | b'+' | b' ' | b'#' | b'0' | b'\'') = format.get(*i) {
        found.usual = false;
        *i += 1;
    }
    match amount(format, i, next) {
        Some(Amount::Known(width)) => found.width = width,
        Some(Amount::Argument(_)) => found.plain = false,
        None => {}
    }
    if format.get(*i) == Some(&b'.') {
        *i += 1;
        found.precision = Some(amount(format, i, next).unwrap_or(Amount::Known(0)));
    }
    let (long, long_double, size) = match format.get(*i..)? {
        [b'h', b'h', ..] | [b'l', b'l', ..] => (false, false, 2),
        [b'l', ..] => (true, false, 1),
        [b'L', ..] => (false, true, 1),
        [b'h' | b'q' | b'j' | b'z' | b't' | b'Z', ..] => (false, false, 1),
        _ => (false, false, 0),
    };
    (found.long, found.long_double) = (long, long_double);
    found.usual &= size == 0 || long;
    *i += size;
    found.letter = *format.get(*i)?;
    *i += 1;
    Some(found)
}

fn amount(format: &[u8], i: &mut usize, next: &mut usize) -> Option<Amount> {
    if format.get(*i) == Some(&b'*') {
        *i += 1;
        *next += 1;
        return Some(Amount::Argument(*next - 1));
    }
    let mut value = None;
    while let Some(digit) = format.get(*i).filter(|byte| byte.is_ascii_digit()) {
        let before = value.unwrap_or(0u64);
        value = Some(before.saturating_mul(10).saturating_add((*digit - b'0') as u64));
        *i += 1;
    }
    value.map(Amount::Known)
}
