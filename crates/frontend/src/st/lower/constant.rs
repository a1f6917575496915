//! What is known before the first cycle: constants of the text, and the initial contents of variables.

use super::super::ast::{Expr, ExprKind, Operator, key};
use super::super::parse::{Number, number, unescape};
use super::Lower;
use super::types::{TimeKind, Ty, elementary};
use super::vars::Slot;
use base::Span;
use cfa::{TypeId, eval};

#[derive(Clone, Debug, PartialEq)]
pub enum Const {
    Int(i128),
    Real(f64),
    Text(Vec<u8>),
}

impl Lower<'_> {
    pub fn const_int(&mut self, expr: &Expr) -> Option<i128> {
        match self.const_value(expr)? {
            Const::Int(value) => Some(value),
            _ => None,
        }
    }

    /// The value of an expression of constants.
    pub fn const_value(&mut self, expr: &Expr) -> Option<Const> {
        use Const::{Int, Real};
        Some(match &expr.kind {
            ExprKind::Int(value) => Int(*value),
            ExprKind::Real(value) => Real(*value),
            ExprKind::Bool(value) => Int(*value as i128),
            ExprKind::Text(text) => Const::Text(text.clone()),
            ExprKind::Typed(prefix, rest) => self.typed_literal(prefix, rest, expr.span)?.0,
            ExprKind::Name(name) => self.const_name(name)?,
            ExprKind::Member(of, name) => {
                // `Type.value`
                let ExprKind::Name(ty) = &of.kind else { return None };
                Int(self.enumerator_of(ty, &name.text)?.1)
            }
            ExprKind::Plus(inner) => self.const_value(inner)?,
            ExprKind::Neg(inner) => match self.const_value(inner)? {
                Int(value) => Int(value.checked_neg()?),
                Real(value) => Real(-value),
                Const::Text(_) => return None,
            },
            ExprKind::Not(inner) => match self.const_value(inner)? {
                Int(value @ 0..=1) => Int(1 - value),
                _ => return None,
            },
            ExprKind::Binary(operator, left, right) => {
                let (left, right) = (self.const_value(left)?, self.const_value(right)?);
                match (left, right) {
                    (Int(a), Int(b)) => Int(fold(*operator, a, b)?),
                    (Real(a), Real(b)) => Real(fold_real(*operator, a, b)?),
                    (Real(a), Int(b)) => Real(fold_real(*operator, a, b as f64)?),
                    (Int(a), Real(b)) => Real(fold_real(*operator, a as f64, b)?),
                    _ => return None,
                }
            }
            _ => return None,
        })
    }

    fn const_name(&mut self, name: &str) -> Option<Const> {
        match self.lookup(name) {
            Some(Slot::Const(value, _)) => return Some(value),
            Some(_) => return None,
            None => {}
        }
        let values = self.enumerators.get(&key(name))?;
        Some(Const::Int(values.first()?.1))
    }

    /// The number of `value` in the enumeration `ty`.
    pub fn enumerator_of(&mut self, ty: &str, value: &str) -> Option<(usize, i128)> {
        if !self.named_types.contains_key(&key(ty)) {
            return None;
        }
        let Ty::Enum(number) = self.type_named(ty) else { return None };
        let found = self.enums[number].values.iter().find(|(name, _)| name.eq_ignore_ascii_case(value))?;
        Some((number, found.1))
    }

    /// A literal with its type. Reports what is wrong with it.
    pub fn typed_literal(&mut self, prefix: &str, rest: &str, span: Span) -> Option<(Const, Ty)> {
        let time = if self.is_export() { TimeKind::UnsignedTime } else { TimeKind::Time };
        let found = match prefix {
            "T" | "TIME" | "S5T" | "S5TIME" => {
                let nanoseconds = duration(rest);
                if nanoseconds.is_some_and(|nanoseconds| nanoseconds % 1_000_000 != 0) {
                    self.warning(span, "TIME counts milliseconds: the rest of this literal is left out");
                }
                // A time that wraps around would let a timer end at once.
                let milliseconds = nanoseconds.map(|nanoseconds| nanoseconds / 1_000_000);
                let milliseconds = milliseconds.filter(|number| self.holds(time.int(), *number));
                milliseconds.map(|milliseconds| (Const::Int(milliseconds), Ty::Time(time)))
            }
            "LT" | "LTIME" => duration(rest).map(|nanoseconds| (Const::Int(nanoseconds), Ty::Time(TimeKind::LTime))),
            "D" | "DATE" => point(date(rest), TimeKind::Date),
            "LD" | "LDATE" => point(date(rest), TimeKind::LDate),
            "TOD" | "TIME_OF_DAY" => point(time_of_day(rest), TimeKind::Tod),
            "LTOD" | "LTIME_OF_DAY" => point(time_of_day(rest), TimeKind::LTod),
            "DT" | "DATE_AND_TIME" => point(date_and_time(rest), TimeKind::Dt),
            "LDT" | "LDATE_AND_TIME" => point(date_and_time(rest), TimeKind::LDt),
            "STRING" => quoted(rest).map(|text| (Const::Text(text.clone()), Ty::Text(text.len().max(1) as u32))),
            "CHAR" | "WCHAR" if quoted(rest).is_some_and(|text| text.len() == 1) => {
                let code = quoted(rest).map_or(0, |text| text[0]);
                elementary(prefix).map(|ty| (Const::Int(code as i128), ty))
            }
            "BOOL" => match key(rest).as_str() {
                "TRUE" | "1" => Some((Const::Int(1), Ty::Bool)),
                "FALSE" | "0" => Some((Const::Int(0), Ty::Bool)),
                _ => None,
            },
            _ => {
                // Siemens: `W#16#FF`, `L#5`.
                let name = match prefix {
                    "B" => "BYTE",
                    "W" => "WORD",
                    "DW" => "DWORD",
                    "L" => "DINT",
                    other => other,
                };
                match elementary(name) {
                    Some(ty) => match (number(rest), ty.is_real()) {
                        (Some(Number::Int(value)), false) => Some((Const::Int(value), ty)),
                        (Some(Number::Int(value)), true) => Some((Const::Real(value as f64), ty)),
                        (Some(Number::Real(value)), true) => Some((Const::Real(value), ty)),
                        _ => None,
                    },
                    None => {
                        let value = self.enumerator_of(prefix, rest);
                        value.map(|(number, value)| (Const::Int(value), Ty::Enum(number)))
                    }
                }
            }
        };
        if found.is_none() {
            self.error(span, format!("`{prefix}#{rest}` is not a value"));
        }
        found
    }

    /// The bytes of a variable before the first cycle.
    pub fn initial_bytes(&mut self, ty: &Ty, init: Option<&Expr>) -> Vec<u8> {
        let id = self.cfa_type(ty);
        let size = self.program.types.size_of(id).unwrap_or(0) as usize;
        let mut bytes = vec![0; size];
        self.fill(&mut bytes, ty, init);
        bytes
    }

    fn fill(&mut self, bytes: &mut [u8], ty: &Ty, init: Option<&Expr>) {
        match ty {
            Ty::Array(_) => {
                let slots = self.element_offsets(ty);
                let Ty::Array(array) = ty else { return };
                let id = self.cfa_type(&array.element);
                let size = self.program.types.size_of(id).unwrap_or(0) as usize;
                let mut values = Vec::new();
                if let Some(init) = init {
                    self.flatten(init, &mut values, slots.len());
                }
                if values.len() > slots.len() {
                    let span = init.map_or(Span::NONE, |init| init.span);
                    self.error(span, format!("{} values for {} elements", values.len(), slots.len()));
                }
                let unit = self.unit;
                let otherwise = array.element_init.and_then(|number| unit.types[number].init.as_ref());
                for (index, offset) in slots.into_iter().enumerate() {
                    self.fill(&mut bytes[offset..offset + size], &array.element, values.get(index).or(otherwise));
                }
            }
            Ty::Struct(number) => self.fill_record(bytes, *number, init),
            Ty::Text(length) => {
                let Some(init) = init else { return };
                match self.const_value(init) {
                    Some(Const::Text(text)) => {
                        let count = text.len().min(*length as usize);
                        bytes[..count].copy_from_slice(&text[..count]);
                    }
                    _ => self.not_constant(init),
                }
            }
            Ty::Bad | Ty::Block(_) => {}
            Ty::Pointer(_) => {
                if let Some(init) = init
                    && self.const_int(init) != Some(0)
                {
                    self.unsupported.push((init.span, "initial value of a pointer"));
                }
            }
            _ => {
                let id = self.cfa_type(ty);
                let value = match init.map(|init| (init, self.const_value(init))) {
                    None => match ty {
                        // The first value, or the lower bound where zero is no value of the type.
                        Ty::Enum(number) => self.enums[*number].values.first().map_or(0, |(_, value)| *value).into(),
                        Ty::Subrange(_, low, high) if !(*low..=*high).contains(&0) => (*low).into(),
                        _ => Const::Int(0),
                    },
                    Some((init, Some(value))) => self.in_units_of(value, init, ty),
                    Some((init, None)) => {
                        self.not_constant(init);
                        Const::Int(0)
                    }
                };
                let span = init.map_or(Span::NONE, |init| init.span);
                let bits = self.const_bits(&value, ty, id, span).get().to_le_bytes();
                bytes.copy_from_slice(&bits[..bytes.len()]);
            }
        }
    }

    /// A literal of TIME for a variable of LTIME, and the like.
    fn in_units_of(&mut self, value: Const, init: &Expr, ty: &Ty) -> Const {
        let (Ty::Time(to), ExprKind::Typed(prefix, rest), Const::Int(number)) = (ty, &init.kind, &value) else {
            return value;
        };
        match self.typed_literal(prefix, rest, init.span) {
            Some((_, Ty::Time(from))) => Const::Int(number * from.unit() / to.unit()),
            _ => value,
        }
    }

    fn fill_record(&mut self, bytes: &mut [u8], number: usize, init: Option<&Expr>) {
        let given: &[_] = match init.map(|init| &init.kind) {
            Some(ExprKind::Record(members)) => members,
            Some(_) => {
                let span = init.map_or(Span::NONE, |init| init.span);
                self.error(span, "the members of a structure are given as (name := value)");
                &[]
            }
            None => &[],
        };
        for (name, _) in given {
            if !self.structs[number].members.iter().any(|member| member.name.eq_ignore_ascii_case(&name.text)) {
                let message = format!("`{}` has no member `{}`", self.structs[number].name, name.text);
                self.error(name.span, message);
            }
        }
        let id = self.structs[number].ty;
        let cfa::Type::Record(record) = *self.program.types.get(id) else { return };
        for index in 0..self.structs[number].members.len() {
            let member = self.structs[number].members[index].clone();
            let field = &self.program.types.records[record].fields[index];
            let (offset, ty) = (field.offset as usize, field.ty);
            let size = self.program.types.size_of(ty).unwrap_or(0) as usize;
            let own = given.iter().find(|(name, _)| name.text.eq_ignore_ascii_case(&member.name));
            let value = own.map(|(_, value)| value).or(member.init.as_ref());
            // Of members at the same place, one that has a value says what is there.
            if value.is_none() && index > 0 && self.structs[number].is_union {
                continue;
            }
            self.fill(&mut bytes[offset..offset + size], &member.ty, value);
        }
    }

    /// The elements of a list, with repetitions written out.
    fn flatten(&mut self, init: &Expr, values: &mut Vec<Expr>, most: usize) {
        let ExprKind::List(elements) = &init.kind else {
            // One element without brackets.
            return values.push(init.clone());
        };
        for (count, value) in elements {
            let count = match count {
                None => 1,
                Some(count) => match self.const_int(count) {
                    Some(times @ 0..) => times.min(most as i128 + 1) as usize,
                    _ => {
                        self.error(count.span, "how often the value is repeated must be a constant");
                        1
                    }
                },
            };
            for _ in 0..count {
                self.flatten(value, values, most);
                if values.len() > most {
                    return;
                }
            }
        }
    }

    /// The offsets of the elements that the text can name, in its order.
    pub fn element_offsets(&mut self, ty: &Ty) -> Vec<usize> {
        let Ty::Array(array) = ty else { return Vec::new() };
        let id = self.cfa_type(&array.element);
        let size = self.program.types.size_of(id).unwrap_or(0) as usize;
        let mut offsets = vec![0usize];
        for (dimension, (low, high)) in array.dimensions.iter().enumerate() {
            let length = array.length(dimension) as usize;
            let first = (low - array.shift(dimension)) as usize;
            let count = (high - low + 1) as usize;
            offsets = offsets
                .iter()
                .flat_map(|offset| (first..first + count).map(move |index| offset * length + index))
                .collect();
        }
        offsets.iter().map(|offset| offset * size).collect()
    }

    fn not_constant(&mut self, init: &Expr) {
        if !matches!(init.kind, ExprKind::Bad) {
            self.missing(init.span, "the initial value is no constant that is declared here");
        }
    }

    /// A constant as a value of a type; says when it has no such value.
    pub fn const_bits(&mut self, value: &Const, ty: &Ty, id: TypeId, span: Span) -> cfa::Bits {
        match value {
            // A character.
            Const::Text(text) if matches!(ty, Ty::Int(cfa::IntKind::UChar, true)) && text.len() == 1 => {
                eval::from_i128(&self.program.types, id, text[0] as i128)
            }
            Const::Int(value) if id.float_kind().is_some() => self.real_bits(*value as f64, id),
            Const::Real(value) if id.float_kind().is_some() => self.real_bits(*value, id),
            Const::Int(value) => {
                let bits = eval::from_i128(&self.program.types, id, *value);
                let back = eval::to_i128(&self.program.types, id, bits);
                let fits = back == *value;
                let within = match ty {
                    Ty::Subrange(_, low, high) => (low..=high).contains(&value),
                    _ => true,
                };
                if !fits {
                    let message = format!("{value} is not a value of {}: it becomes {back}", self.ty_name(ty));
                    self.warning(span, message);
                } else if !within {
                    let message = format!("{value} is not a value of {}", self.ty_name(ty));
                    self.warning(span, message);
                }
                bits
            }
            Const::Real(_) | Const::Text(_) => {
                let message = format!("this is not a value of {}", self.ty_name(ty));
                self.error(span, message);
                cfa::Bits::ZERO
            }
        }
    }

    fn real_bits(&self, value: f64, id: TypeId) -> cfa::Bits {
        match id {
            TypeId::FLOAT => eval::from_f32(value as f32),
            _ => eval::from_f64(value),
        }
    }
}

impl From<i128> for Const {
    fn from(value: i128) -> Self {
        Const::Int(value)
    }
}

pub fn fold(operator: Operator, a: i128, b: i128) -> Option<i128> {
    Some(match operator {
        Operator::Add => a.checked_add(b)?,
        Operator::Sub => a.checked_sub(b)?,
        Operator::Mul => a.checked_mul(b)?,
        Operator::Div => a.checked_div(b)?,
        Operator::Mod => a.checked_rem(b)?,
        Operator::Power => a.checked_pow(u32::try_from(b).ok()?)?,
        Operator::And | Operator::AndThen => a & b,
        Operator::Or | Operator::OrElse => a | b,
        Operator::Xor => a ^ b,
        Operator::Eq => (a == b) as i128,
        Operator::Ne => (a != b) as i128,
        Operator::Lt => (a < b) as i128,
        Operator::Le => (a <= b) as i128,
        Operator::Gt => (a > b) as i128,
        Operator::Ge => (a >= b) as i128,
    })
}

pub fn fold_real(operator: Operator, a: f64, b: f64) -> Option<f64> {
    Some(match operator {
        Operator::Add => a + b,
        Operator::Sub => a - b,
        Operator::Mul => a * b,
        Operator::Div => a / b,
        _ => return None,
    })
}

/// `1m30s`, `-1d_2h`, `1.5s`: nanoseconds.
pub fn duration(text: &str) -> Option<i128> {
    let text: String = text.chars().filter(|letter| *letter != '_').collect::<String>().to_ascii_lowercase();
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(&text)),
    };
    let mut all: i128 = 0;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.')?;
        let (number, behind) = rest.split_at(digits);
        let letters = behind.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(behind.len());
        let (unit, behind) = behind.split_at(letters);
        let nanoseconds: i128 = match unit {
            "d" => 86_400_000_000_000,
            "h" => 3_600_000_000_000,
            "m" => 60_000_000_000,
            "s" => 1_000_000_000,
            "ms" => 1_000_000,
            "us" => 1_000,
            "ns" => 1,
            _ => return None,
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        all += whole.parse::<i128>().ok().filter(|whole| *whole < 1 << 60)? * nanoseconds;
        if !fraction.is_empty() {
            let digits = fraction.parse::<i128>().ok().filter(|_| fraction.len() < 18)?;
            all += digits * nanoseconds / 10i128.pow(fraction.len() as u32);
        }
        rest = behind;
    }
    Some(sign * all)
}

fn point(nanoseconds: Option<i128>, kind: TimeKind) -> Option<(Const, Ty)> {
    Some((Const::Int(nanoseconds? / kind.unit()), Ty::Time(kind)))
}

/// `'abc'`
fn quoted(text: &str) -> Option<Vec<u8>> {
    text.starts_with(['\'', '"']).then(|| unescape(text.as_bytes()))
}

/// `2020-01-31-12:30:00`: nanoseconds since 1970.
fn date_and_time(text: &str) -> Option<i128> {
    let (at, _) = text.match_indices('-').nth(2)?;
    Some(date(&text[..at])? + time_of_day(&text[at + 1..])?)
}

/// `2020-01-31`: nanoseconds since 1970.
fn date(text: &str) -> Option<i128> {
    let mut parts = text.split('-').map(|part| part.parse::<i128>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    if parts.next().is_some()
        || !(1970..=2200).contains(&year)
        || !(1..=12).contains(&month)
        || !(1..=31).contains(&day)
    {
        return None;
    }
    // Howard Hinnant's days_from_civil: years begin in March.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year / 400;
    let of_era = year - era * 400;
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
    Some(days * 86_400_000_000_000)
}

/// `12:30:15.5`: nanoseconds.
fn time_of_day(text: &str) -> Option<i128> {
    let mut parts = text.split(':');
    let (hours, minutes) = (parts.next()?.parse::<i128>().ok()?, parts.next()?.parse::<i128>().ok()?);
    let seconds = parts.next().map_or(Some(0), |seconds| duration(&format!("{seconds}s")))?;
    let valid = (0..24).contains(&hours) && (0..60).contains(&minutes) && (0..60_000_000_000).contains(&seconds);
    (valid && parts.next().is_none()).then(|| (hours * 60 + minutes) * 60_000_000_000 + seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_of_time() {
        let milliseconds = |text| duration(text).map(|nanoseconds| nanoseconds / 1_000_000);
        assert_eq!(milliseconds("1m30s"), Some(90_000));
        assert_eq!(milliseconds("-1d_2h"), Some(-26 * 3_600_000));
        assert_eq!(milliseconds("1.5s"), Some(1500));
        assert_eq!(milliseconds("5"), None);
        assert_eq!(date("1970-01-01"), Some(0));
        assert_eq!(date("2000-03-01"), Some(11_017 * 86_400_000_000_000));
        assert_eq!(time_of_day("01:02:03.5"), Some(3_723_500_000_000));
        assert_eq!(date_and_time("1970-01-02-00:00:00.000000001"), Some(86_400_000_000_001));
    }
}
