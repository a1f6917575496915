//! The template for what was forgotten: an assignment that stands elsewhere, once more behind one that stands here. Where variables keep their values from
//! cycle to cycle, an output that is not written in one of the cases is a fault of its own kind.

use super::{Edit, Kind, MAX_REUSED, Place};
use base::Span;
use frontend::{Token, TokenKind};
use std::collections::BTreeSet;

impl Place<'_> {
    pub(super) fn assignments(&self, edits: &mut Vec<Edit>) {
        if self.program.cycle.is_none() {
            return;
        }
        let Some(here) = whole_assignment(&self.tokens) else { return };
        let text = |span: Span| self.sources.snippet(span).into_owned();
        let own = text(here);
        let all = self.statements();
        let known: BTreeSet<String> = all.iter().filter_map(|tokens| whole_assignment(tokens)).map(text).collect();
        let beside = self.targets_beside(here);
        let fits = |other: &&String| {
            let target = other.split([':', '=', '[', ' ']).next().unwrap_or_default();
            **other != own && !other.contains('\n') && !beside.contains(target) && self.is_visible(other)
        };
        for other in known.iter().filter(fits).take(MAX_REUSED) {
            // On a line of its own, as far to the right.
            let column = self.sources.locate(here.lo).map_or(0, |place| place.column as usize - 1);
            let inserted = format!("\n{}{other}", " ".repeat(column));
            let what = format!("`{other}` added");
            let parts = vec![(here.hi, here.hi, inserted)];
            edits.push(Edit { parts, what, kind: Kind::Assignment, shared_tokens: 0, definition: None });
        }
    }
}

impl Place<'_> {
    /// What is assigned in the lines around a statement, as far as they are assignments: to write it once more would only undo that.
    fn targets_beside(&self, here: Span) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let Some(file) = self.sources.file_at(here.lo) else { return found };
        let (text, base) = (self.sources.text(file), self.sources.base(file));
        let (from, to) = ((here.lo - base) as usize, (here.hi - base) as usize);
        let start = text[..from].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let before = text[..start].split(|byte| *byte == b'\n').rev().skip(1);
        let after = text[to..].split(|byte| *byte == b'\n').skip(1);
        let mut add = |line: &[u8]| {
            let tokens = (self.frontend.tokens)(line, 0);
            let target = whole_assignment(&tokens).and(tokens.first());
            found
                .extend(target.map(|one| {
                    String::from_utf8_lossy(&line[one.span.lo as usize..one.span.hi as usize]).into_owned()
                }));
            target.is_some()
        };
        add(&text[start..to]);
        for line in before {
            if !add(line) {
                break;
            }
        }
        for line in after {
            if !add(line) {
                break;
            }
        }
        found
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
