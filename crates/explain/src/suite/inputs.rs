//! The inputs of a test as people give them: numbers whose type is known only when the program asks, and the text of the standard input.

use super::stdin::Stdin;
use cfa::interp::{FillRequest, InputRequest, Inputs};
use cfa::{Bits, Program, TypeId, TypeTable, eval};

/// A number as it was typed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum InputNumber {
    Int(i128),
    Float(f64),
}

impl InputNumber {
    /// Decimal and hexadecimal numbers, floats, characters as reports show them, and a few words. The error says what is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let magnitude = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
            Some(hex) => u128::from_str_radix(hex, 16).ok(),
            None => digits.parse::<u128>().ok(),
        };
        if let Some(magnitude) = magnitude {
            let value = magnitude as i128;
            return Ok(InputNumber::Int(if negative { value.wrapping_neg() } else { value }));
        }
        if let Some(character) = character(text) {
            return Ok(InputNumber::Int(character.into()));
        }
        match (text, text.parse::<f64>()) {
            ("EOF", _) => Ok(InputNumber::Int(-1)),
            ("true", _) => Ok(InputNumber::Int(1)),
            ("false" | "NULL" | "null", _) => Ok(InputNumber::Int(0)),
            (_, Ok(value)) => Ok(InputNumber::Float(value)),
            _ => Err(format!(
                "`{text}` is not a number: inputs are decimal or 0x numbers, floats or characters like 'A', separated by commas"
            )),
        }
    }

    fn as_type(self, types: &TypeTable, ty: TypeId) -> Bits {
        match self {
            InputNumber::Int(value) if ty.float_kind().is_some() => {
                let wide = eval::from_i128(types, TypeId::INT128, value);
                eval::cast(types, TypeId::INT128, ty, wide)
            }
            InputNumber::Int(value) => eval::from_i128(types, ty, value),
            InputNumber::Float(value) => eval::cast(types, TypeId::DOUBLE, ty, eval::from_f64(value)),
        }
    }
}

/// A character as reports show it: `'A'`, `'\n'`.
fn character(text: &str) -> Option<u8> {
    let inner = text.strip_prefix('\'')?.strip_suffix('\'')?;
    match *inner.as_bytes() {
        [byte] => Some(byte),
        [b'\\', b't'] => Some(b'\t'),
        [b'\\', b'n'] => Some(b'\n'),
        [b'\\', b'r'] => Some(b'\r'),
        [b'\\', b'0'] => Some(0),
        [b'\\', byte @ (b'\\' | b'\'')] => Some(byte),
        _ => None,
    }
}

/// The inputs of one run: what the library reads comes from the standard input where there is a text for it, the rest from the list.
pub struct TestInputs<'p> {
    pub program: &'p Program,
    pub values: Vec<InputNumber>,
    pub next: usize,
    pub stdin: Option<Stdin>,
    /// What each byte of memory is that was never written.
    pub unwritten: u8,
}

impl Inputs for TestInputs<'_> {
    fn next(&mut self, request: &InputRequest) -> Option<Bits> {
        if let Some(stdin) = &mut self.stdin
            && let Some(number) = stdin.answer(self.program, request)
        {
            return Some(number.as_type(&self.program.types, request.ty));
        }
        let value = *self.values.get(self.next)?;
        self.next += 1;
        Some(value.as_type(&self.program.types, request.ty))
    }

    fn fill(&mut self, _: &FillRequest, bytes: &mut [u8]) {
        bytes.fill(self.unwritten);
    }
}
