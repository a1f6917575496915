//! Another variable of the same type, or a variable in place of a number.

use super::{Edit, Kind, MAX_OTHERS, Place};
use cfa::{Binding, TypeId, VarId};
use frontend::TokenKind;

impl Place<'_> {
    pub(super) fn variables(&self, edits: &mut Vec<Edit>) {
        for token in self.tokens.iter().filter(|token| token.kind == TokenKind::Number) {
            let number = self.text(*token);
            for other in self.others_of_type(TypeId::INT, None, MAX_OTHERS) {
                let what = format!("`{other}` instead of {number}");
                edits.push(Edit::replace(Kind::Variable, token.span.lo, token.span.hi, other, what));
            }
        }
        for (index, token) in self.tokens.iter().enumerate().filter(|(_, token)| token.kind == TokenKind::Word) {
            let next = self.tokens.get(index + 1).map(|next| next.kind);
            let name = self.text(*token);
            let symbol = self.program.names.lookup(&name);
            let Some(Binding::Var(var)) = symbol.and_then(|symbol| self.program.lookup(self.at, symbol)) else {
                continue;
            };
            let is_local = |var: VarId| self.program.vars[var].kind.function().is_some();
            // What is called stays, and what of the file's is assigned: another target could change what the assertion reads.
            let is_target = next == Some(TokenKind::Assign);
            let stays = next == Some(TokenKind::LeftParen) || (is_target && !is_local(var));
            if stays || !self.program.types.is_scalar(self.program.vars[var].ty) {
                continue;
            }
            for other in self.others_of_type(self.program.vars[var].ty, Some(var), MAX_OTHERS) {
                let symbol = self.program.names.lookup(&other);
                let binding = symbol.and_then(|symbol| self.program.lookup(self.at, symbol));
                if is_target && !matches!(binding, Some(Binding::Var(other)) if is_local(other)) {
                    continue;
                }
                if self.is_assigned_itself(index, &other) {
                    continue;
                }
                let what = format!("`{other}` instead of `{name}`");
                edits.push(Edit::replace(Kind::Variable, token.span.lo, token.span.hi, other, what));
            }
        }
    }

    /// Whether the statement of a word would be `x = x;` with another one.
    fn is_assigned_itself(&self, index: usize, other: &str) -> bool {
        let is = |at: Option<usize>, kind: TokenKind| {
            at.and_then(|at| self.tokens.get(at)).is_some_and(|token| token.kind == kind)
        };
        let text = |at: usize| self.tokens.get(at).map(|token| self.text(*token));
        let target = is(Some(index + 1), TokenKind::Assign)
            && is(Some(index + 3), TokenKind::Semicolon)
            && text(index + 2).as_deref() == Some(other);
        let value = is(index.checked_sub(1), TokenKind::Assign)
            && is(Some(index + 1), TokenKind::Semicolon)
            && index >= 2
            && text(index - 2).as_deref() == Some(other);
        target || value
    }
}
