//! An expression that stands elsewhere in the program (the plastic surgery hypothesis; Barr et al. 2014).

use super::{Edit, Kind, MAX_REUSED, Place};
use frontend::TokenKind;
use std::collections::BTreeSet;

impl Place<'_> {
    /// What is returned, assigned or compared here, replaced by what is returned, assigned or compared elsewhere (the plastic surgery hypothesis;
    /// Barr et al. 2014).
    pub(super) fn reuse(&self, edits: &mut Vec<Edit>) {
        let mut known: BTreeSet<String> = BTreeSet::new();
        // Another input in place of a computation would repair by not computing.
        let given = self.lines.untouchable(self.program);
        let is_given = |span: &base::Span| given.iter().any(|own| own.lo <= span.lo && span.hi <= own.hi);
        for tokens in self.statements() {
            let values = self.values_in(&tokens).into_iter().filter(|span| !is_given(span));
            known.extend(values.map(|span| self.sources.snippet(span).into_owned()));
        }
        let known: Vec<String> = known.into_iter().filter(|text| text.len() < 80 && self.is_global(text)).collect();
        for span in self.values_in(&self.tokens) {
            let old = self.sources.snippet(span).into_owned();
            // A constant in place of a computation would repair by not computing.
            let computes = |text: &str| {
                let tokens = (self.frontend.tokens)(text.as_bytes(), 0);
                tokens.iter().any(|token| !matches!(token.kind, TokenKind::Truth(_) | TokenKind::End))
                    && text.contains(|letter: char| letter.is_ascii_alphabetic())
            };
            let fits = |text: &&String| **text != old && (computes(text) || !computes(&old));
            for text in known.iter().filter(fits).take(MAX_REUSED) {
                let what = format!("`{text}` instead of `{old}`");
                edits.push(Edit::replace(Kind::Reuse, span.lo, span.hi, format!("({text})"), what));
            }
        }
    }
}
