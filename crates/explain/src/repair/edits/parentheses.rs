//! Parentheses more or less, where they change what belongs together: `(a + b) * c`, `a && (b || c)`, `!(a == b)`.

use super::{Edit, Kind, Place};
use base::Span;
use cfa::BinOp;
use frontend::TokenKind;

/// How tight an operator binds; `None` for what is no operator of two operands.
fn strength(kind: TokenKind) -> Option<u32> {
    Some(match kind {
        TokenKind::Or => 1,
        TokenKind::And => 2,
        TokenKind::Binary(BinOp::Eq | BinOp::Ne) => 3,
        TokenKind::Binary(op) if op.is_comparison() => 4,
        TokenKind::Binary(BinOp::Add | BinOp::Sub) => 5,
        TokenKind::Binary(BinOp::Mul | BinOp::Div | BinOp::Rem) => 6,
        _ => return None,
    })
}

impl Place<'_> {
    pub(super) fn parentheses(&self, edits: &mut Vec<Edit>) {
        let operators: Vec<(usize, u32)> = self.operators_of_two();
        // Two operators side by side, with one operand between them.
        for pair in operators.windows(2) {
            let [(first, looser), (second, tighter)] = [pair[0], pair[1]];
            let Some(between) = self.between(first, second) else { continue };
            if looser == tighter || !self.is_operand(first + 1, second) {
                continue;
            }
            let around = match looser < tighter {
                true => self.operand_before(first).map(|operand| Span::new(operand.lo, between.hi)),
                false => self.operand_behind(second).map(|operand| Span::new(between.lo, operand.hi)),
            };
            edits.extend(around.map(|span| self.enclosed(span)));
        }
        for (index, token) in self.tokens.iter().enumerate() {
            let next_is_open = self.tokens.get(index + 1).is_some_and(|next| next.kind == TokenKind::LeftParen);
            if token.kind == TokenKind::Not && !next_is_open {
                let whole = self.operand_behind(index).and_then(|operand| {
                    let (operator, _) = *operators.iter().find(|(at, _)| self.tokens[*at].span.lo >= operand.hi)?;
                    let behind = self.operand_behind(operator)?;
                    Some(Span::new(operand.lo, behind.hi))
                });
                edits.extend(whole.map(|span| self.enclosed(span)));
            }
            edits.extend(self.without_parentheses(index));
        }
    }

    /// Operators of two operands, with how tight they bind.
    fn operators_of_two(&self) -> Vec<(usize, u32)> {
        let found = self.tokens.iter().enumerate().filter_map(|(index, token)| Some((index, strength(token.kind)?)));
        found.filter(|(index, _)| self.is_binary(*index)).collect()
    }

    fn enclosed(&self, span: Span) -> Edit {
        let what = format!("parentheses around `{}`", self.sources.snippet(span));
        let parts = vec![(span.lo, span.lo, "(".into()), (span.hi, span.hi, ")".into())];
        Edit { parts, what, kind: Kind::Parentheses, shared_tokens: 0, definition: None }
    }

    /// Whether the tokens of a range are one operand: nothing in it that belongs to something else.
    fn is_operand(&self, from: usize, to: usize) -> bool {
        let mut depth = 0;
        for token in &self.tokens[from..to] {
            match token.kind {
                TokenKind::LeftParen | TokenKind::LeftBracket => depth += 1,
                TokenKind::RightParen | TokenKind::RightBracket => depth -= 1,
                TokenKind::Semicolon | TokenKind::Comma | TokenKind::Question | TokenKind::Colon if depth == 0 => {
                    return false;
                }
                _ => {}
            }
            if depth < 0 {
                return false;
            }
        }
        depth == 0
    }

    /// The operand that ends before a token.
    fn operand_before(&self, at: usize) -> Option<Span> {
        let mut depth = 0;
        let mut from = at;
        while from > 0 {
            let kind = self.tokens[from - 1].kind;
            match kind {
                TokenKind::RightParen | TokenKind::RightBracket => depth += 1,
                TokenKind::LeftParen | TokenKind::LeftBracket if depth == 0 => break,
                TokenKind::LeftParen | TokenKind::LeftBracket => depth -= 1,
                _ if depth == 0 && self.ends_operand(kind) => break,
                _ => {}
            }
            from -= 1;
        }
        (from < at).then(|| Span::new(self.tokens[from].span.lo, self.tokens[at - 1].span.hi))
    }

    /// The operand that begins behind a token.
    fn operand_behind(&self, at: usize) -> Option<Span> {
        let mut depth = 0;
        let mut to = at + 1;
        while let Some(token) = self.tokens.get(to) {
            match token.kind {
                TokenKind::LeftParen | TokenKind::LeftBracket => depth += 1,
                TokenKind::RightParen | TokenKind::RightBracket if depth == 0 => break,
                TokenKind::RightParen | TokenKind::RightBracket => depth -= 1,
                kind if depth == 0 && self.ends_operand(kind) => break,
                _ => {}
            }
            to += 1;
        }
        (to > at + 1).then(|| Span::new(self.tokens[at + 1].span.lo, self.tokens[to - 1].span.hi))
    }

    fn ends_operand(&self, kind: TokenKind) -> bool {
        strength(kind).is_some()
            || matches!(
                kind,
                TokenKind::Semicolon
                    | TokenKind::Comma
                    | TokenKind::Question
                    | TokenKind::Colon
                    | TokenKind::Assign
                    | TokenKind::Update(_)
                    | TokenKind::Return
                    | TokenKind::LeftBrace
                    | TokenKind::Not
                    | TokenKind::End
            )
    }

    /// Parentheses around an operation that stand beside an operator that binds tighter.
    fn without_parentheses(&self, open: usize) -> Option<Edit> {
        if self.tokens[open].kind != TokenKind::LeftParen {
            return None;
        }
        let close = self.matching(open + 1, &[TokenKind::RightParen])?;
        let operators = self.operators_of_two();
        let weakest =
            operators.iter().filter(|(at, _)| open < *at && *at < close).map(|(_, strength)| *strength).min()?;
        let beside = |at: Option<usize>| at.and_then(|at| operators.iter().find(|(other, _)| *other == at));
        let tighter = |at: Option<usize>| beside(at).is_some_and(|(_, strength)| *strength > weakest);
        let negated = open.checked_sub(1).is_some_and(|before| self.tokens[before].kind == TokenKind::Not);
        if !(negated || tighter(open.checked_sub(1)) || tighter(Some(close + 1))) {
            return None;
        }
        let (open, close) = (self.tokens[open].span, self.tokens[close].span);
        let what = format!("no parentheses around `{}`", self.sources.snippet(Span::new(open.hi, close.lo)));
        let parts = vec![(open.lo, open.hi, String::new()), (close.lo, close.hi, String::new())];
        Some(Edit { parts, what, kind: Kind::Parentheses, shared_tokens: 0, definition: None })
    }
}
