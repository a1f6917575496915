//! Operands or arms exchanged, a negation more or less, a condition less.

use super::text::side;
use super::{Edit, Kind, Place};
use cfa::{BinOp, ExprKind};
use frontend::{Token, TokenKind};

impl Place<'_> {
    /// `c ? a : b` with its arms exchanged.
    pub(super) fn arms(&self, edits: &mut Vec<Edit>) {
        for (index, question) in self.tokens.iter().enumerate().filter(|(_, token)| token.kind == TokenKind::Question) {
            let Some(colon) = self.matching(index + 1, &[TokenKind::Colon]) else { continue };
            let Some(end) = self.matching(
                colon + 1,
                &[TokenKind::RightParen, TokenKind::Semicolon, TokenKind::Comma, TokenKind::Colon],
            ) else {
                continue;
            };
            let (a, b) = (
                (question.span.hi, self.tokens[colon].span.lo),
                (self.tokens[colon].span.hi, self.tokens[end].span.lo),
            );
            let text =
                |(lo, hi): (u32, u32)| String::from_utf8_lossy(self.sources.bytes(base::Span { lo, hi })).into_owned();
            let parts = vec![(a.0, a.1, text(b)), (b.0, b.1, text(a))];
            edits.push(Edit {
                parts,
                what: "the arms of `?:` exchanged".into(),
                kind: Kind::Shape,
                shared_tokens: 0,
                definition: None,
            });
        }
    }

    /// The next token of some kinds at the same nesting.
    pub(super) fn matching(&self, from: usize, kinds: &[TokenKind]) -> Option<usize> {
        let mut depth = 0;
        for (index, token) in self.tokens.iter().enumerate().skip(from) {
            if depth == 0 && kinds.contains(&token.kind) {
                return Some(index);
            }
            match token.kind {
                TokenKind::LeftParen | TokenKind::LeftBracket | TokenKind::Question => depth += 1,
                TokenKind::RightParen | TokenKind::RightBracket => depth -= 1,
                TokenKind::Colon if depth > 0 => depth -= 1,
                _ => {}
            }
            if depth < 0 {
                return None;
            }
        }
        None
    }

    pub(super) fn negations(&self, edits: &mut Vec<Edit>) {
        for token in self.tokens.iter().filter(|token| token.kind == TokenKind::Not) {
            edits.push(Edit::replace(Kind::Shape, token.span.lo, token.span.hi, "", "no negation"));
        }
        for span in self.conditions_here() {
            let parts =
                vec![(span.lo, span.lo, format!("{}(", self.spelling(TokenKind::Not))), (span.hi, span.hi, ")".into())];
            edits.push(Edit {
                parts,
                what: "the condition negated".into(),
                kind: Kind::Shape,
                shared_tokens: 0,
                definition: None,
            });
        }
    }

    pub(super) fn exchanges(&self, edits: &mut Vec<Edit>) {
        for expr in self.exprs() {
            let ExprKind::Binary(BinOp::Sub | BinOp::Div | BinOp::Rem, a, b) = self.program.exprs[expr].kind else {
                continue;
            };
            let (a, b) = (self.program.exprs[a].span, self.program.exprs[b].span);
            if a.hi <= b.lo && a.lo < a.hi && b.lo < b.hi && self.is_here(a.lo) && self.is_here(b.hi) {
                let (left, right) = (self.sources.snippet(a).into_owned(), self.sources.snippet(b).into_owned());
                let what = format!("`{left}` and `{right}` exchanged");
                edits.push(Edit {
                    parts: vec![(a.lo, a.hi, right), (b.lo, b.hi, left)],
                    what,
                    kind: Kind::Shape,
                    shared_tokens: 0,
                    definition: None,
                });
            }
        }
    }

    /// A condition less: `c && d` and `c || d` without either.
    pub(super) fn omissions(&self, edits: &mut Vec<Edit>) {
        let joins = |token: &Token| matches!(token.kind, TokenKind::And | TokenKind::Or);
        for (index, token) in self.tokens.iter().enumerate().filter(|(_, token)| joins(token)) {
            let left = side(self.tokens[..index].iter().rev(), true, false).map(|left| (left.lo, token.span.hi, left));
            let right =
                side(self.tokens[index + 1..].iter(), false, false).map(|right| (token.span.lo, right.hi, right));
            for (lo, hi, operand) in left.into_iter().chain(right) {
                let what = format!("no `{}`", self.sources.snippet(operand));
                edits.push(Edit::replace(Kind::Shape, lo, hi, "", what));
            }
        }
    }
}
