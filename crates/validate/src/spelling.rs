//! What producers write in conditions that is not C where it stands: assignments for equations, and macros that the preprocessor has
//! replaced in the program (`NULL`, `INFINITY`, `NAN`).

use base::Span;
use cfa::{BinOp, Expr, ExprId, ExprKind, PlaceKind, Program, Type, TypeId, eval};
use witness::convert::equations;

/// The C condition for a text of a witness that cannot be read as it is; `None` if there is nothing to replace.
pub fn as_c_condition(text: &str) -> Option<String> {
    let equation = equations(text).unwrap_or_else(|| text.to_string());
    let compared = not_a_number(&equation);
    let replaced = words(&compared);
    (replaced != text).then_some(replaced)
}

/// Macros with a value that C can write without a header. The product is infinite: its exact value is out of range.
const MACROS: [(&str, &str); 2] = [("NULL", "((void *)0)"), ("INFINITY", "(1e308 * 1e308)")];

fn words(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|letter: char| !is_part(letter)).unwrap_or(rest.len()).max(first.len_utf8());
        let (word, behind) = rest.split_at(end);
        out.push_str(MACROS.iter().find(|(name, _)| *name == word).map_or(word, |(_, value)| value));
        rest = behind;
    }
    out
}

fn is_part(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// `x == NAN` as `x != x`: C finds the first one false for every `x`, so the producer cannot intend the C meaning.
fn not_a_number(text: &str) -> String {
    const EQUAL: &str = "==";
    let mut out = text.to_string();
    // From the right, so that what comes before keeps its place.
    let mut until = out.len();
    while let Some(at) = out[..until].rfind(EQUAL) {
        until = at;
        let behind = &out[at + EQUAL.len()..];
        let sign = behind.trim_start();
        let value = sign.strip_prefix(['+', '-']).unwrap_or(sign);
        let Some(after) = value.strip_prefix("NAN").filter(|after| !after.starts_with(is_part)) else { continue };
        let start = operand_start(&out[..at]);
        let operand = out[start..at].trim();
        if operand.is_empty() {
            continue;
        }
        out = format!("{}{operand} != {operand}{after}", &out[..start]);
        until = start;
    }
    out
}

/// Where the operand that ends a text begins: behind the last `&&`, `||` or open parenthesis.
fn operand_start(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut depth = 0;
    for at in (0..bytes.len()).rev() {
        match bytes[at] {
            b')' | b']' => depth += 1,
            b'(' | b'[' if depth == 0 => return at + 1,
            b'(' | b'[' => depth -= 1,
            b'&' | b'|' if depth == 0 && at > 0 && bytes[at - 1] == bytes[at] => return at + 1,
            b'!' | b'?' | b':' | b',' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    0
}

/// For `place == value` that was written as an assignment: whether the place holds what the assignment would leave in it. `None` where
/// that is what the equation says.
pub fn assigned(program: &mut Program, expr: ExprId) -> Option<ExprId> {
    let ExprKind::Binary(BinOp::Eq, left, right) = program.exprs[expr].kind else { return None };
    let mut read = left;
    while let ExprKind::Cast(inner) = program.exprs[read].kind {
        read = inner;
    }
    let ExprKind::Read(place) = program.exprs[read].kind else { return None };
    let field = match program.places[place].kind {
        PlaceKind::Field(inner, number) => match *program.types.get(program.places[inner].ty) {
            Type::Record(record) => {
                program.types.records[record].fields[number as usize].bits.map(|bits| u32::from(bits.width))
            }
            _ => None,
        },
        _ => None,
    };
    let stored = program.exprs[read].ty;
    let width = stored.int_kind().map(|_| field.unwrap_or_else(|| program.types.scalar_bits(stored)))?;
    let ty = program.exprs[left].ty;
    if ty.int_kind().is_none() || stored == TypeId::BOOL || width >= program.types.scalar_bits(ty) {
        return None;
    }
    let mut make = Maker { program };
    let mask = make.number(ty, (1i128 << width) - 1);
    let differs = make.push(ExprKind::Binary(BinOp::Xor, left, right), ty);
    let kept = make.push(ExprKind::Binary(BinOp::And, differs, mask), ty);
    let zero = make.number(ty, 0);
    Some(make.compare(BinOp::Eq, kept, zero))
}

struct Maker<'p> {
    program: &'p mut Program,
}

impl Maker<'_> {
    fn push(&mut self, kind: ExprKind, ty: TypeId) -> ExprId {
        self.program.exprs.push(Expr { kind, ty, span: Span::NONE })
    }

    fn compare(&mut self, op: BinOp, left: ExprId, right: ExprId) -> ExprId {
        self.push(ExprKind::Binary(op, left, right), TypeId::INT)
    }

    fn number(&mut self, ty: TypeId, value: i128) -> ExprId {
        let bits = eval::from_i128(&self.program.types, ty, value);
        self.push(ExprKind::Const(bits), ty)
    }
}

#[cfg(test)]
mod tests {
    use super::as_c_condition;

    #[test]
    fn spellings_become_c() {
        for (text, expected) in [
            ("x = 3", Some("x == 3")),
            ("x == 3", None),
            ("p == NULL", Some("p == ((void *)0)")),
            ("NULLS == 1", None),
            ("x = NAN", Some("x != x")),
            ("(f[i] == -NAN) && y == 2", Some("(f[i] != f[i]) && y == 2")),
            ("y == 1 && x == NAN || z == NAN", Some("y == 1 &&x != x ||z != z")),
            ("x == NANO", None),
        ] {
            let found = as_c_condition(text);
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
