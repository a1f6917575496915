//! A comparison that stands elsewhere and has one side in common with the one that stands here.

use super::text::{is_relation, side};
use super::{Edit, Kind, Place};
use frontend::Token;
use std::collections::BTreeSet;

impl Place<'_> {
    /// A comparison replaced by one that stands elsewhere and has a side in common with it.
    pub(super) fn comparisons(&self, edits: &mut Vec<Edit>) {
        let mut known: BTreeSet<[String; 3]> = BTreeSet::new();
        for tokens in self.statements() {
            known.extend(self.comparisons_in(&tokens).into_iter().map(|(parts, _)| parts));
        }
        for ([left, op, right], span) in self.comparisons_in(&self.tokens) {
            let beside = |other: &&[String; 3]| (other[0] == left) != (other[2] == right) && other[1] == op;
            for [new_left, _, new_right] in known.iter().filter(beside) {
                let text = format!("{new_left} {op} {new_right}");
                if self.is_global(&text) {
                    let what = format!("`{text}` instead of `{}`", self.sources.snippet(span));
                    edits.push(Edit::replace(Kind::Comparison, span.lo, span.hi, text, what));
                }
            }
        }
    }

    pub(super) fn comparisons_in(&self, tokens: &[Token]) -> Vec<([String; 3], base::Span)> {
        let mut found = Vec::new();
        for (index, token) in tokens.iter().enumerate().filter(|(_, token)| is_relation(token.kind)) {
            let left = side(tokens[..index].iter().rev(), true, true);
            let right = side(tokens[index + 1..].iter(), false, true);
            if let Some((left, right)) =
                left.zip(right).filter(|(left, right)| left.lo < left.hi && right.lo < right.hi)
            {
                let text = |span: base::Span| self.sources.snippet(span).into_owned();
                let span = base::Span { lo: left.lo, hi: right.hi };
                found.push(([text(left), self.text(*token), text(right)], span));
            }
        }
        found
    }
}
