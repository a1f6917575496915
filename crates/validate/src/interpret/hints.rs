//! What an expression of a witness says about single values: `x == 3 && y > 4` gives two hints. Only constants count; what is not understood gives
//! no hint, and the expression itself is evaluated later anyway.

use cfa::{Bits, TypeId, TypeTable, eval};

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum HintValue {
    Int(i128),
    Float(f64),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Hint {
    /// As it is written, without blanks; `\result` for the value of a call.
    pub operand: String,
    pub relation: Comparison,
    pub number: HintValue,
}

const RELATIONS: [(&str, Comparison); 6] = [
    ("==", Comparison::Eq),
    ("!=", Comparison::Ne),
    ("<=", Comparison::Le),
    (">=", Comparison::Ge),
    ("<", Comparison::Lt),
    (">", Comparison::Gt),
];

impl Comparison {
    pub fn negated(self) -> Comparison {
        use Comparison::*;
        match self {
            Eq => Ne,
            Ne => Eq,
            Lt => Ge,
            Le => Gt,
            Gt => Le,
            Ge => Lt,
        }
    }

    fn swapped(self) -> Comparison {
        use Comparison::*;
        match self {
            Lt => Gt,
            Le => Ge,
            Gt => Lt,
            Ge => Le,
            other => other,
        }
    }
}

/// Longer texts give no hint: producers state inputs in short ones.
const MAX_TEXT: usize = 1 << 14;
/// Nor deeper ones.
const MAX_DEPTH: u32 = 64;

/// The hints of an expression, or of several with semicolons between.
pub fn hints(text: &str) -> Vec<Hint> {
    let text: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
    let mut found = Vec::new();
    if text.len() > MAX_TEXT {
        return found;
    }
    let mut open: Vec<&str> = text.split(';').collect();
    while let Some(part) = open.pop() {
        let part = unwrapped(part);
        match split_top(part, "&&") {
            Some((left, right)) => open.extend([left, right]),
            None if split_top(part, "||").is_some() || split_top(part, "?").is_some() => {}
            None => found.extend(relation(part)),
        }
    }
    found
}

fn relation(part: &str) -> Option<Hint> {
    let (left, relation, right) = RELATIONS
        .iter()
        .find_map(|(sign, relation)| split_top(part, sign).map(|(left, right)| (left, *relation, right)))
        // Old producers write an assignment.
        .or_else(|| split_top(part, "=").map(|(left, right)| (left, Comparison::Eq, right)))?;
    let (left, right) = (unwrapped(left), unwrapped(right));
    match (number(left), number(right)) {
        (None, Some(number)) => Some(Hint { operand: left.into(), relation, number }),
        (Some(number), None) => Some(Hint { operand: right.into(), relation: relation.swapped(), number }),
        // Only what is no number differs from itself.
        (None, None) if left == right && relation == Comparison::Ne => {
            Some(Hint { operand: left.into(), relation: Comparison::Eq, number: HintValue::Float(f64::NAN) })
        }
        _ => None,
    }
}

/// Without parentheses around the whole.
fn unwrapped(mut text: &str) -> &str {
    for _ in 0..MAX_DEPTH {
        match text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
            Some(inner) if witness::convert::is_closed(inner) => text = inner,
            _ => break,
        }
    }
    text
}

/// The parts before and after the first operator that stands outside of parentheses.
fn split_top<'t>(text: &'t str, operator: &str) -> Option<(&'t str, &'t str)> {
    let bytes = text.as_bytes();
    let mut depth = 0i32;
    for at in 0..bytes.len() {
        match bytes[at] {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            _ => {}
        }
        if depth == 0 && text.is_char_boundary(at) && text[at..].starts_with(operator) && at > 0 {
            let after = bytes.get(at + operator.len()).copied();
            let before = bytes[at - 1];
            // `<` is no part of `<<` or `<=`, `=` none of `==`, `->` has no `>`.
            let longer = matches!(operator, "<" | ">" | "=")
                && (matches!(after, Some(b'=' | b'<' | b'>')) || matches!(before, b'<' | b'>' | b'=' | b'!' | b'-'));
            if !longer {
                return Some((&text[..at], &text[at + operator.len()..]));
            }
        }
    }
    None
}

/// A constant expression of literals, signs, sums and casts.
pub fn number(text: &str) -> Option<HintValue> {
    let text: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
    let mut parser = Parser { rest: &text, depth: 0 };
    let value = parser.sum()?;
    parser.rest.is_empty().then_some(value)
}

struct Parser<'t> {
    rest: &'t str,
    depth: u32,
}

impl Parser<'_> {
    fn eat(&mut self, token: &str) -> bool {
        let found = self.rest.strip_prefix(token);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }

    fn sum(&mut self) -> Option<HintValue> {
        let mut value = self.product()?;
        loop {
            let sign = if self.eat("+") {
                1
            } else if self.eat("-") {
                -1
            } else {
                return Some(value);
            };
            value = match (value, self.product()?) {
                (HintValue::Int(left), HintValue::Int(right)) => {
                    HintValue::Int(left.checked_add(right.checked_mul(sign)?)?)
                }
                (left, right) => HintValue::Float(float(left) + float(right) * sign as f64),
            };
        }
    }

    fn product(&mut self) -> Option<HintValue> {
        let mut value = self.factor()?;
        while self.eat("*") {
            value = match (value, self.factor()?) {
                (HintValue::Int(left), HintValue::Int(right)) => HintValue::Int(left.checked_mul(right)?),
                (left, right) => HintValue::Float(float(left) * float(right)),
            };
        }
        Some(value)
    }

    fn factor(&mut self) -> Option<HintValue> {
        self.depth += 1;
        let value = if self.depth < MAX_DEPTH { self.signed() } else { None };
        self.depth -= 1;
        value
    }

    fn signed(&mut self) -> Option<HintValue> {
        if self.eat("-") {
            return Some(match self.factor()? {
                HintValue::Int(value) => HintValue::Int(value.checked_neg()?),
                HintValue::Float(value) => HintValue::Float(-value),
            });
        }
        if self.eat("+") {
            return self.factor();
        }
        if self.eat("(") {
            // A cast does not change the constants that witnesses have; conversion to the asked type does the rest.
            let close = self.rest.find(')')?;
            let inside = &self.rest[..close];
            let is_type = inside.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
                && inside.chars().all(|letter| letter.is_ascii_alphanumeric() || "_*".contains(letter));
            if is_type {
                self.rest = &self.rest[close + 1..];
                return self.factor();
            }
            let value = self.sum()?;
            return self.eat(")").then_some(value);
        }
        self.literal()
    }

    fn literal(&mut self) -> Option<HintValue> {
        if let Some(rest) = self.rest.strip_prefix('\'') {
            let letter = rest.chars().next().filter(|letter| letter.is_ascii() && *letter != '\\')?;
            self.rest = rest[1..].strip_prefix('\'')?;
            return Some(HintValue::Int(letter as i128));
        }
        let hex = self.rest.starts_with("0x") || self.rest.starts_with("0X");
        let mut end = 0;
        let bytes = self.rest.as_bytes();
        while end < bytes.len() {
            let sign = matches!(bytes[end], b'+' | b'-')
                && end > 0
                && (matches!(bytes[end - 1], b'p' | b'P') || (!hex && matches!(bytes[end - 1], b'e' | b'E')));
            if !(bytes[end].is_ascii_alphanumeric() || bytes[end] == b'.' || sign) {
                break;
            }
            end += 1;
        }
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        literal(word, hex)
    }
}

fn literal(word: &str, hex: bool) -> Option<HintValue> {
    match word {
        "true" => return Some(HintValue::Int(1)),
        "false" | "NULL" => return Some(HintValue::Int(0)),
        "NAN" => return Some(HintValue::Float(f64::NAN)),
        "INFINITY" => return Some(HintValue::Float(f64::INFINITY)),
        _ => {}
    }
    if !word.starts_with(|letter: char| letter.is_ascii_digit() || letter == '.') {
        return None;
    }
    let digits = word.trim_end_matches(['u', 'U', 'l', 'L']);
    if hex {
        return i128::from_str_radix(&digits[2..], 16).ok().map(HintValue::Int);
    }
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let radix = if digits.len() > 1 && digits.starts_with('0') { 8 } else { 10 };
        return i128::from_str_radix(digits, radix).ok().map(HintValue::Int);
    }
    word.trim_end_matches(['f', 'F', 'l', 'L']).parse().ok().map(HintValue::Float)
}

fn float(number: HintValue) -> f64 {
    match number {
        HintValue::Int(value) => value as f64,
        HintValue::Float(value) => value,
    }
}

/// The number as a value of a type.
pub fn bits(types: &TypeTable, ty: TypeId, number: HintValue) -> Bits {
    match number {
        HintValue::Int(value) if ty.float_kind().is_some() => {
            eval::cast(types, TypeId::INT128, ty, eval::from_i128(types, TypeId::INT128, value))
        }
        HintValue::Int(value) => eval::from_i128(types, ty, value),
        HintValue::Float(value) if ty.float_kind().is_none() => eval::from_i128(types, ty, value as i128),
        HintValue::Float(value) => eval::cast(types, TypeId::DOUBLE, ty, eval::from_f64(value)),
    }
}

/// A value that agrees with all hints, and whether it is the only one.
pub fn choose(types: &TypeTable, ty: TypeId, hints: &[(Comparison, HintValue)]) -> Option<(Bits, bool)> {
    if let Some((_, number)) = hints.iter().find(|(relation, _)| *relation == Comparison::Eq) {
        return Some((bits(types, ty, *number), true));
    }
    let near = |number: &HintValue| -> Vec<HintValue> {
        match *number {
            HintValue::Int(value) => [value, value + 1, value - 1].into_iter().map(HintValue::Int).collect(),
            HintValue::Float(value) => [value, value * 2.0, value / 2.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN]
                .into_iter()
                .map(HintValue::Float)
                .collect(),
        }
    };
    // Only what the type can hold is a value of it.
    let held = |bits: Bits| match ty.float_kind() {
        Some(cfa::FloatKind::Float) => HintValue::Float(eval::to_f32(bits) as f64),
        Some(cfa::FloatKind::Double) => HintValue::Float(eval::to_f64(bits)),
        Some(cfa::FloatKind::LongDouble) => HintValue::Float(eval::f64_of_x87(eval::to_x87(bits))),
        None => HintValue::Int(eval::to_i128(types, ty, bits)),
    };
    let holds = |candidate: HintValue| {
        hints.iter().all(|(relation, number)| {
            let (left, right) = (candidate, *number);
            let order = match (left, right) {
                (HintValue::Int(left), HintValue::Int(right)) => Some(left.cmp(&right)),
                _ => float(left).partial_cmp(&float(right)),
            };
            match relation {
                Comparison::Eq => order.is_some_and(|order| order.is_eq()),
                Comparison::Ne => order.is_none_or(|order| order.is_ne()),
                Comparison::Lt => order.is_some_and(|order| order.is_lt()),
                Comparison::Le => order.is_some_and(|order| order.is_le()),
                Comparison::Gt => order.is_some_and(|order| order.is_gt()),
                Comparison::Ge => order.is_some_and(|order| order.is_ge()),
            }
        })
    };
    let zero = [HintValue::Int(0)];
    let candidates = zero.into_iter().chain(hints.iter().flat_map(|(_, number)| near(number)));
    let values = candidates.map(|candidate| bits(types, ty, candidate));
    values.into_iter().find(|bits| holds(held(*bits))).map(|bits| (bits, false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_are_found_in_conjunctions() {
        let found = hints("(x == 3) && (\\result >= (-2147483647 - 1)); a[0] != 0x1F; 5 < y; p->n <= 07");
        let mut shown: Vec<String> =
            found.iter().map(|hint| format!("{} {:?} {:?}", hint.operand, hint.relation, hint.number)).collect();
        shown.sort();
        assert_eq!(
            shown,
            ["\\result Ge Int(-2147483648)", "a[0] Ne Int(31)", "p->n Le Int(7)", "x Eq Int(3)", "y Gt Int(5)"]
        );
        assert_eq!(hints("x == 1 || x == 2"), []);
        assert_eq!(hints("x == y"), []);
        assert_eq!(number("1.5e+3f"), Some(HintValue::Float(1500.0)));
        assert_eq!(number("(unsigned char)255U"), Some(HintValue::Int(255)));
        assert_eq!(number("x"), None);
    }

    #[test]
    fn chosen_values_agree_with_all_hints() {
        let types = TypeTable::new(cfa::DataModel::Lp64);
        let choose = |hints: &[(Comparison, HintValue)]| {
            choose(&types, TypeId::INT, hints).map(|(bits, only)| (eval::to_i128(&types, TypeId::INT, bits), only))
        };
        assert_eq!(choose(&[(Comparison::Eq, HintValue::Int(-4))]), Some((-4, true)));
        assert_eq!(
            choose(&[(Comparison::Gt, HintValue::Int(4)), (Comparison::Lt, HintValue::Int(6))]),
            Some((5, false))
        );
        assert_eq!(choose(&[(Comparison::Gt, HintValue::Int(4)), (Comparison::Lt, HintValue::Int(5))]), None);
    }
}
