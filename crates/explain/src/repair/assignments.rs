//! The template for what was forgotten: an assignment that stands elsewhere, once more behind one that stands here. Where variables keep their values from
//! cycle to cycle, an output that is not written in one of the cases is a fault of its own kind.

use super::edits::{Edit, Kind, MAX_REUSED, Place};
use base::Span;
use frontend::{Token, TokenKind};
use std::collections::BTreeSet;

impl Place<'_> {
    pub(super) fn assignments(&self, edits: &mut Vec<Edit>) {
        let Some(here) = whole_assignment(&self.tokens) else { return };
        let text = |span: Span| self.sources.snippet(span).into_owned();
        let own = text(here);
        let all = self.statements();
        let known: BTreeSet<String> = all.iter().filter_map(|tokens| whole_assignment(tokens)).map(text).collect();
        let fits = |other: &&String| **other != own && !other.contains('\n') && self.is_visible(other);
        for other in known.iter().filter(fits).take(MAX_REUSED) {
            // On a line of its own, as far to the right.
            let column = self.sources.locate(here.lo).map_or(0, |place| place.column as usize - 1);
            let inserted = format!("\n{}{other}", " ".repeat(column));
            let what = format!("`{other}` added");
            let parts = vec![(here.hi, here.hi, inserted)];
            edits.push(Edit { parts, what, kind: Kind::Assignment, shared_tokens: 0 });
        }
    }
}

/// The assignment that tokens are, with its semicolon; `None` if they are something else.
fn whole_assignment(tokens: &[Token]) -> Option<Span> {
    let ends = |token: &&Token| token.kind != TokenKind::End;
    let tokens: Vec<&Token> = tokens.iter().filter(ends).collect();
    let is = |token: &&&Token, kind| token.kind == kind;
    let [first, .., last] = tokens[..] else { return None };
    let semicolons = tokens.iter().filter(|token| is(token, TokenKind::Semicolon)).count();
    let assigns = tokens.iter().filter(|token| is(token, TokenKind::Assign)).count();
    let whole = first.kind == TokenKind::Word && last.kind == TokenKind::Semicolon;
    (whole && semicolons == 1 && assigns == 1).then(|| Span::new(first.span.lo, last.span.hi))
}
