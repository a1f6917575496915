//! Inputs as typed on the command line: numbers whose type is known only when the program asks.

use anyhow::{Context, Result, bail};
use cfa::interp::{InputRequest, Inputs};
use cfa::{Bits, DataModel, TypeId, TypeTable, eval};
use std::path::Path;

pub struct TextInputs {
    values: Vec<InputNumber>,
    next: usize,
    types: TypeTable,
}

#[derive(Clone, Copy)]
enum InputNumber {
    Int(i128),
    Float(f64),
}

impl TextInputs {
    pub fn parse(texts: &[String]) -> Result<Self> {
        let values = texts.iter().map(|text| number(text.trim())).collect::<Result<_>>()?;
        Ok(TextInputs { values, next: 0, types: TypeTable::new(DataModel::Lp64) })
    }

    /// The inputs of a test case of Test-Comp.
    pub fn of_test_case(file: &Path) -> Result<Self> {
        let text = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
        let values = witness::testcase::read(&text, &witness::Limits::default())
            .map_err(|reason| anyhow::anyhow!("{}: {reason}", file.display()))?;
        TextInputs::parse(&values).with_context(|| file.display().to_string())
    }

    /// Uses the program's types for conversion.
    pub fn bind(&mut self, program: &cfa::Program) {
        self.types = program.types.clone();
    }
}

fn number(text: &str) -> Result<InputNumber> {
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
        _ => bail!(
            "`{text}` is not a number: inputs are decimal or 0x numbers, floats or characters like 'A', separated by commas"
        ),
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

impl Inputs for TextInputs {
    fn next(&mut self, request: &InputRequest) -> Option<Bits> {
        let value = *self.values.get(self.next)?;
        self.next += 1;
        Some(match value {
            InputNumber::Int(value) if request.ty.float_kind().is_some() => {
                let wide = eval::from_i128(&self.types, TypeId::INT128, value);
                eval::cast(&self.types, TypeId::INT128, request.ty, wide)
            }
            InputNumber::Int(value) => eval::from_i128(&self.types, request.ty, value),
            InputNumber::Float(value) => eval::cast(&self.types, TypeId::DOUBLE, request.ty, eval::from_f64(value)),
        })
    }
}
