//! Expressions, with the precedence of IEC 61131-3 (third edition, table 71).

use super::super::ast::{Arg, Expr, ExprKind, Name, Operator};
use super::super::lex::Tok;
use super::Parser;

/// Operators by precedence, the weakest first; those of one level associate to the left.
const LEVELS: &[&[(&str, Operator)]] = &[
    &[("OR", Operator::Or), ("OR_ELSE", Operator::OrElse)],
    &[("XOR", Operator::Xor)],
    &[("AND", Operator::And), ("&", Operator::And), ("AND_THEN", Operator::AndThen)],
    &[("=", Operator::Eq), ("<>", Operator::Ne)],
    &[("<", Operator::Lt), ("<=", Operator::Le), (">", Operator::Gt), (">=", Operator::Ge)],
    &[("+", Operator::Add), ("-", Operator::Sub)],
    &[("*", Operator::Mul), ("/", Operator::Div), ("MOD", Operator::Mod)],
    &[("**", Operator::Power)],
];

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Expr {
        let span = self.peek().span;
        let otherwise = self.bad(span);
        self.deeper(otherwise, |parser| parser.level(0))
    }

    fn level(&mut self, level: usize) -> Expr {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.level(level + 1);
        while let Some((_, operator)) = operators.iter().find(|(word, _)| self.is(word)) {
            self.next();
            let right = self.level(level + 1);
            let span = left.span.to(right.span);
            left = Expr { kind: ExprKind::Binary(*operator, Box::new(left), Box::new(right)), span };
        }
        if self.is("!=") {
            let span = self.peek().span;
            self.error(span, "what is not equal is written `<>`");
        }
        left
    }

    fn unary(&mut self) -> Expr {
        let start = self.peek().span;
        let make: fn(Box<Expr>) -> ExprKind = match self.peek().word {
            "NOT" => ExprKind::Not,
            "-" => ExprKind::Neg,
            "+" => ExprKind::Plus,
            _ => return self.postfix(),
        };
        self.next();
        let otherwise = self.bad(start);
        let operand = self.deeper(otherwise, |parser| parser.unary());
        let span = start.to(operand.span);
        Expr { kind: make(Box::new(operand)), span }
    }

    pub(super) fn postfix(&mut self) -> Expr {
        let mut expr = self.primary();
        loop {
            let start = expr.span;
            if self.is(".") {
                self.next();
                let token = self.peek();
                if token.tok == Tok::Number || token.tok == Tok::Address {
                    self.next();
                    let Some((width, number)) = part(&self.text_of(token.span)) else {
                        self.error(token.span, "this is no number of a bit");
                        return self.bad(start.to(token.span));
                    };
                    let of = Box::new(expr);
                    let kind = if width == 1 { ExprKind::Bit(of, number) } else { ExprKind::Slice(of, width, number) };
                    expr = Expr { kind, span: start.to(token.span) };
                    continue;
                }
                // Behind a point, a keyword is a name too.
                let name = match token.tok {
                    Tok::Word | Tok::Quoted => {
                        self.next();
                        Name { text: self.text_of(token.span), span: token.span }
                    }
                    _ => {
                        self.expected("the name of a member");
                        return self.bad(start);
                    }
                };
                let span = start.to(name.span);
                expr = Expr { kind: ExprKind::Member(Box::new(expr), name), span };
            } else if self.accept("[") {
                let mut indices = vec![self.expr()];
                while self.accept(",") {
                    indices.push(self.expr());
                }
                self.expect("]");
                let span = start.to(self.end_of_last());
                expr = Expr { kind: ExprKind::Index(Box::new(expr), indices), span };
            } else if self.accept("^") {
                let span = start.to(self.end_of_last());
                expr = Expr { kind: ExprKind::Deref(Box::new(expr)), span };
            } else if self.is("(") && is_callee(&expr) {
                self.next();
                let args = self.args();
                let span = start.to(self.end_of_last());
                expr = Expr { kind: ExprKind::Call(Box::new(expr), args), span };
            } else {
                return expr;
            }
        }
    }

    /// Behind the parenthesis, up to and with the closing one.
    pub(super) fn args(&mut self) -> Vec<Arg> {
        let mut args = Vec::new();
        while !self.is(")") && self.peek().tok != Tok::End {
            let start = self.peek().span;
            let negated = self.is("NOT") && self.peek_at(2).word == "=>";
            if negated {
                self.next();
            }
            let assigns = matches!(self.peek_at(1).word, ":=" | "=>");
            let names = matches!(self.peek().tok, Tok::Word | Tok::Quoted);
            let (name, is_output) = match names && assigns {
                true => {
                    let token = self.next();
                    let name = Name { text: self.text_of(token.span), span: token.span };
                    (Some(name), self.next().word == "=>")
                }
                false => (None, false),
            };
            let value = (!self.is(",") && !self.is(")")).then(|| self.expr());
            let span = start.to(self.end_of_last());
            args.push(Arg { name, value, is_output, negated, span });
            if !self.accept(",") {
                break;
            }
        }
        if !self.expect(")") {
            // What follows is looked at again from the next statement on.
            while !matches!(self.peek().word, ")" | ";") && self.peek().tok != Tok::End && !self.ends_statements() {
                self.next();
            }
            self.accept(")");
        }
        args
    }

    fn primary(&mut self) -> Expr {
        let token = self.peek();
        let kind = match (token.tok, token.word) {
            (Tok::Symbol, "(") => {
                self.next();
                let inner = self.expr();
                self.expect(")");
                let span = token.span.to(self.end_of_last());
                return Expr { kind: inner.kind, span };
            }
            (Tok::Word, "TRUE") => ExprKind::Bool(true),
            (Tok::Word, "FALSE") => ExprKind::Bool(false),
            // Where an operand stands there is no operator: compilers in which it is a function have variables with this name.
            (Tok::Word, "" | "MOD") | (Tok::Quoted, _) => ExprKind::Name(self.text_of(token.span)),
            (Tok::Word, "AND" | "OR" | "XOR") if self.peek_at(1).word == "(" => {
                ExprKind::Name(self.text_of(token.span))
            }
            (Tok::Number, _) => self.number_kind(&self.text_of(token.span)),
            (Tok::Typed, _) => {
                let text = self.text_of(token.span);
                let (prefix, rest) = text.split_once('#').unwrap_or((&text, ""));
                ExprKind::Typed(prefix.to_ascii_uppercase(), rest.to_string())
            }
            (Tok::Text, _) => {
                let piece = &self.text[(token.span.lo - self.base) as usize..(token.span.hi - self.base) as usize];
                ExprKind::Text(unescape(piece))
            }
            (Tok::Address, _) => {
                let written = self.text_of(token.span);
                let text = if written.starts_with('%') { written } else { format!("%{written}") };
                self.addresses.push(Name { text: text.clone(), span: token.span });
                ExprKind::Address(text)
            }
            _ => {
                self.expected("an expression");
                return self.bad(token.span);
            }
        };
        self.next();
        Expr { kind, span: token.span }
    }

    fn number_kind(&self, text: &str) -> ExprKind {
        match number(text) {
            Some(Number::Int(value)) => ExprKind::Int(value),
            Some(Number::Real(value)) => ExprKind::Real(value),
            None => ExprKind::Bad,
        }
    }
}

fn is_callee(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Name(_) | ExprKind::Member(..) | ExprKind::Index(..) | ExprKind::Deref(_))
}

/// `3`, `%X3`, `%B1`: how many bits, and which of the parts of this width.
fn part(text: &str) -> Option<(u32, u32)> {
    let Some(rest) = text.strip_prefix('%') else { return Some((1, text.parse().ok()?)) };
    let (letter, digits) = rest.split_at_checked(1)?;
    let width = match letter {
        "X" | "x" => 1,
        "B" | "b" => 8,
        "W" | "w" => 16,
        "D" | "d" => 32,
        _ => return None,
    };
    Some((width, digits.parse().ok()?))
}

pub enum Number {
    Int(i128),
    Real(f64),
}

/// `1_000`, `16#8A04`, `1.5E3`, `-5`
pub fn number(text: &str) -> Option<Number> {
    let text: String = text.chars().filter(|letter| *letter != '_').collect();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(&text)),
    };
    let signed = |value: i128| Number::Int(if negative { -value } else { value });
    if let Some((base, digits)) = digits.split_once('#') {
        let base = base.parse().ok().filter(|base| (2..=16).contains(base))?;
        return i128::from_str_radix(digits, base).ok().map(signed);
    }
    if let Ok(value) = digits.parse::<i128>() {
        return Some(signed(value));
    }
    let value = digits.parse::<f64>().ok()?;
    digits
        .starts_with(|first: char| first.is_ascii_digit())
        .then(|| Number::Real(if negative { -value } else { value }))
}

/// The characters between quotation marks.
pub fn unescape(quoted: &[u8]) -> Vec<u8> {
    let inner = quoted.get(1..quoted.len().saturating_sub(1).max(1)).unwrap_or_default();
    let mut found = Vec::with_capacity(inner.len());
    let mut at = 0;
    while at < inner.len() {
        let byte = inner[at];
        at += 1;
        if byte != b'$' || at == inner.len() {
            found.push(byte);
            continue;
        }
        let hex =
            inner.get(at..at + 2).and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        if let Some(code) = hex {
            found.push(code);
            at += 2;
            continue;
        }
        found.extend_from_slice(match inner[at] {
            b'l' | b'L' | b'n' | b'N' => b"\n",
            b'p' | b'P' => b"\x0c",
            b'r' | b'R' => b"\r",
            b't' | b'T' => b"\t",
            _ => &inner[at..at + 1],
        });
        at += 1;
    }
    found
}
