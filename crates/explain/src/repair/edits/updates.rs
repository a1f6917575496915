//! Another way to change a variable: `+=` for `-=` or `=`, one more for one less.

use super::{Edit, Kind, Place};
use cfa::BinOp;
use frontend::TokenKind;

impl Place<'_> {
    pub(super) fn updates(&self, edits: &mut Vec<Edit>) {
        const OTHERS: [TokenKind; 3] =
            [TokenKind::Update(BinOp::Add), TokenKind::Update(BinOp::Sub), TokenKind::Assign];
        for (index, token) in self.tokens.iter().enumerate() {
            let others: &[TokenKind] = match token.kind {
                TokenKind::Increment => &[TokenKind::Decrement],
                TokenKind::Decrement => &[TokenKind::Increment],
                TokenKind::Update(_) => &OTHERS,
                // A declaration has nothing to update: before the target stands nothing of the statement.
                TokenKind::Assign if self.is_target_alone(index) => &OTHERS[..2],
                _ => &[],
            };
            let new = others.iter().filter(|new| **new != token.kind);
            edits.extend(new.filter_map(|new| self.operator(Kind::Update, *token, *new)));
        }
    }

    /// Whether the target of an assignment is one word at the beginning of a statement.
    fn is_target_alone(&self, assign: usize) -> bool {
        let Some(target) = assign.checked_sub(1) else { return false };
        let before = target.checked_sub(1).map(|before| self.tokens[before].kind);
        let begins = matches!(
            before,
            None | Some(TokenKind::Semicolon | TokenKind::LeftBrace | TokenKind::RightParen | TokenKind::LeftParen)
        );
        self.tokens[target].kind == TokenKind::Word && begins
    }
}
