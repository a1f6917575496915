//! Another operator: relational, logical or arithmetic.

use super::{Edit, Kind, Place};
use cfa::BinOp;
use frontend::TokenKind;

const RELATIONS: [BinOp; 6] = [BinOp::Lt, BinOp::Le, BinOp::Gt, BinOp::Ge, BinOp::Eq, BinOp::Ne];

const ARITHMETIC: [BinOp; 5] = [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Div, BinOp::Rem];

impl Place<'_> {
    pub(super) fn operators(&self, edits: &mut Vec<Edit>) {
        for (index, token) in self.tokens.iter().enumerate() {
            if let TokenKind::Binary(old) = token.kind {
                let others = RELATIONS.into_iter().filter(|new| *new != old && old.is_comparison());
                edits.extend(others.filter_map(|new| {
                    let kind = if is_boundary(old, new) { Kind::Boundary } else { Kind::Operator };
                    self.operator(kind, *token, TokenKind::Binary(new))
                }));
            }
            let mut put = |new| edits.extend(self.operator(Kind::Operator, *token, new));
            match token.kind {
                TokenKind::And => put(TokenKind::Or),
                TokenKind::Or => put(TokenKind::And),
                TokenKind::Binary(BinOp::Add) if self.is_binary(index) => put(TokenKind::Binary(BinOp::Sub)),
                TokenKind::Binary(BinOp::Sub) if self.is_binary(index) => put(TokenKind::Binary(BinOp::Add)),
                TokenKind::Binary(BinOp::Mul) if self.is_binary(index) => put(TokenKind::Binary(BinOp::Div)),
                TokenKind::Binary(BinOp::Div) => put(TokenKind::Binary(BinOp::Mul)),
                _ => {}
            }
        }
    }

    /// Arithmetic that is not just the inverse of what stands there.
    pub(super) fn arithmetic(&self, edits: &mut Vec<Edit>) {
        let inverse = edits.iter().flat_map(|edit| edit.parts.clone()).collect::<Vec<_>>();
        for (index, token) in self.tokens.iter().enumerate() {
            let TokenKind::Binary(old) = token.kind else { continue };
            if !ARITHMETIC.contains(&old) || !self.is_binary(index) {
                continue;
            }
            for new in ARITHMETIC.into_iter().filter(|new| *new != old) {
                let edit = self.operator(Kind::Arithmetic, *token, TokenKind::Binary(new));
                edits.extend(edit.filter(|edit| !edit.parts.iter().any(|part| inverse.contains(part))));
            }
        }
    }

    pub(super) fn is_binary(&self, index: usize) -> bool {
        let before = index.checked_sub(1).and_then(|before| self.tokens.get(before));
        before.is_some_and(|token| {
            matches!(
                token.kind,
                TokenKind::Word
                    | TokenKind::Number
                    | TokenKind::Character
                    | TokenKind::RightParen
                    | TokenKind::RightBracket
            )
        })
    }
}

fn is_boundary(old: BinOp, new: BinOp) -> bool {
    matches!(
        (old, new),
        (BinOp::Lt, BinOp::Le) | (BinOp::Le, BinOp::Lt) | (BinOp::Gt, BinOp::Ge) | (BinOp::Ge, BinOp::Gt)
    )
}
