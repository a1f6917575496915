//! Line splices: a text without them, and the way back to the positions in the text as it was.

use super::Token;
use base::source::LineMark;
use base::{Diagnostic, Span};
use std::borrow::Cow;

#[derive(Default)]
pub struct Splices {
    /// From the first (offset in the clean text) on, the second many bytes were removed before. Ascending.
    removed: Vec<(u32, u32)>,
}

/// The text without backslash-newline pairs. As gcc does, blanks between the two are forgiven.
pub fn remove(text: &[u8]) -> (Cow<'_, [u8]>, Splices) {
    let mut splices = Splices::default();
    let mut clean = Vec::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = text[at..].iter().position(|byte| *byte == b'\\') {
        let backslash = at + found;
        let blanks = text[backslash + 1..].iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
        let newline = backslash + 1 + blanks;
        at = backslash + 1;
        if text.get(newline) == Some(&b'\n') {
            at = newline + 1;
            clean.extend_from_slice(&text[copied..backslash]);
            copied = at;
            splices.removed.push((clean.len() as u32, (at - clean.len()) as u32));
        }
    }
    if splices.is_empty() {
        return (Cow::Borrowed(text), splices);
    }
    clean.extend_from_slice(&text[copied..]);
    (Cow::Owned(clean), splices)
}

impl Splices {
    pub fn is_empty(&self) -> bool {
        self.removed.is_empty()
    }

    /// Turns positions in the clean text into positions in the text as it was.
    pub fn restore(&self, base: u32, tokens: &mut [Token], marks: &mut [LineMark], diagnostics: &mut [Diagnostic]) {
        // Tokens ascend, so one walk over the splices serves them all.
        let mut passed = 0;
        for token in tokens {
            let offset = token.lo - base;
            while self.removed.get(passed).is_some_and(|splice| splice.0 <= offset) {
                passed += 1;
            }
            let span = token.span();
            let lo = span.lo + passed.checked_sub(1).map_or(0, |last| self.removed[last].1);
            let hi = if span.hi == span.lo { lo } else { self.position(base, span.hi - 1) + 1 };
            *token = Token::new(token.kind, lo, hi, token.value);
        }
        for mark in marks {
            mark.position = self.position(base, mark.position);
        }
        for diagnostic in diagnostics {
            let Span { lo, hi } = diagnostic.span;
            let start = self.position(base, lo);
            let end = if hi == lo { start } else { self.position(base, hi - 1) + 1 };
            diagnostic.span = Span { lo: start, hi: end };
        }
    }

    fn position(&self, base: u32, position: u32) -> u32 {
        let passed = self.removed.partition_point(|splice| splice.0 <= position - base);
        position + passed.checked_sub(1).map_or(0, |last| self.removed[last].1)
    }
}
