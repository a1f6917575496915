//! One more or one less: sides of comparisons, indices, values that are assigned or returned, and how much is allocated.

use super::{Edit, Kind, Place};
use base::Span;
use frontend::{Token, TokenKind};

/// Functions whose last argument is a size.
const ALLOCATE: [&str; 4] = ["malloc", "calloc", "realloc", "alloca"];

impl Place<'_> {
    pub(super) fn bounds(&self, edits: &mut Vec<Edit>) {
        let mut spans = self.values_in(&self.tokens);
        spans.extend(self.indices());
        spans.extend(self.sizes());
        spans.sort_by_key(|span| (span.lo, span.hi));
        spans.dedup();
        for span in spans {
            let old = self.sources.snippet(span).into_owned();
            let is_number = old.chars().all(|letter| letter.is_ascii_digit());
            // Another number is another template, and what is not arithmetic has no neighbour.
            if is_number || old.contains(['"', '\'', '{', '\n', '=', '&', '|', '?', '<', '>', '!']) {
                continue;
            }
            for sign in ["+", "-"] {
                // `x - 1` becomes `x`.
                let opposite = if sign == "+" { "-" } else { "+" };
                let new = match old.strip_suffix('1').and_then(|rest| rest.trim_end().strip_suffix(opposite)) {
                    Some(rest) if !rest.trim_end().ends_with(opposite) => rest.trim_end().to_string(),
                    _ => format!("{old} {sign} 1"),
                };
                let what = format!("`{new}` instead of `{old}`");
                edits.push(Edit::replace(Kind::OffByOne, span.lo, span.hi, new, what));
            }
        }
    }

    /// What stands between brackets.
    fn indices(&self) -> Vec<Span> {
        let opens = self.tokens.iter().enumerate().filter(|(_, token)| token.kind == TokenKind::LeftBracket);
        let inside = opens.filter_map(|(index, _)| {
            let end = self.matching(index + 1, &[TokenKind::RightBracket])?;
            self.between(index, end)
        });
        inside.collect()
    }

    /// The last arguments of calls that allocate.
    fn sizes(&self) -> Vec<Span> {
        let allocates = |token: &Token| token.kind == TokenKind::Word && ALLOCATE.contains(&self.text(*token).as_str());
        let calls = self.tokens.iter().enumerate().filter(|(_, token)| allocates(token));
        let sizes = calls.filter_map(|(index, _)| {
            let mut from = index + 1;
            let end = self.matching(index + 2, &[TokenKind::RightParen])?;
            while let Some(comma) = self.matching(from + 1, &[TokenKind::Comma]).filter(|comma| *comma < end) {
                from = comma;
            }
            self.between(from, end)
        });
        sizes.collect()
    }

    /// The text between two tokens.
    pub(super) fn between(&self, from: usize, to: usize) -> Option<Span> {
        let (first, last) = (self.tokens.get(from + 1)?, self.tokens.get(to.checked_sub(1)?)?);
        (from + 1 < to).then(|| Span::new(first.span.lo, last.span.hi))
    }
}
