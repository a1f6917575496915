//! Jumps that go elsewhere: another label, `continue` for `break`. No edge of the program is a jump, so the lines of jumps are places of their own.

use super::{Edit, Kind, Place};
use crate::localize::lines::{Line, Lines};
use crate::repair::Workbench;
use base::Span;
use cfa::{EdgeId, FuncId, Program};
use frontend::{Token, TokenKind};
use std::collections::BTreeSet;

const WORDS: [&str; 3] = ["goto", "break", "continue"];

/// Lines that begin with a jump, in some functions.
pub(in crate::repair) fn places<'a>(
    program: &'a Program,
    bench: &'a Workbench<'_>,
    lines: &'a Lines<'a>,
    functions: &BTreeSet<FuncId>,
) -> Vec<(Line, Place<'a>)> {
    let mut found = Vec::new();
    for function in functions {
        let Some(automaton) = program.automaton(*function) else { continue };
        let Some(file) = bench.sources.file_at(automaton.span.lo) else { continue };
        let (text, base) = (bench.sources.text(file), bench.sources.base(file));
        let mut from = automaton.span.lo;
        for line in
            text[(automaton.span.lo - base) as usize..(automaton.span.hi - base) as usize].split(|byte| *byte == b'\n')
        {
            let (lo, hi) = (from, from + line.len() as u32);
            from = hi + 1;
            let begins = |word: &&str| line.trim_ascii_start().starts_with(word.as_bytes());
            if !WORDS.iter().any(begins) {
                continue;
            }
            // What is visible before it.
            let edges = automaton.edges.clone().map(EdgeId);
            let before = edges.filter(|edge| program.edges[*edge].span.hi <= lo);
            let Some(edge) = before.max_by_key(|edge| program.edges[*edge].span.lo) else { continue };
            let (Some(at), Some(_)) = (bench.sources.locate(lo), lines.of(program, edge)) else { continue };
            let place = Place {
                frontend: bench.frontend,
                program,
                sources: bench.sources,
                edges: Vec::new(),
                at: program.edges[edge].to,
                tokens: (bench.frontend.tokens)(line, lo),
                constants: Vec::new(),
                lines,
                fault: None,
            };
            found.push((Line { file: at.file.into(), line: at.line }, place));
        }
    }
    found
}

impl Place<'_> {
    pub(super) fn jumps(&self, edits: &mut Vec<Edit>) {
        for (index, token) in self.tokens.iter().enumerate() {
            let other = match self.text(*token).as_str() {
                "break" => "continue",
                "continue" => "break",
                "goto" => {
                    let Some(label) = self.tokens.get(index + 1).filter(|next| next.kind == TokenKind::Word) else {
                        continue;
                    };
                    let own = self.text(*label);
                    for other in self.labels().into_iter().filter(|other| *other != own) {
                        let what = format!("`goto {other}` instead of `goto {own}`");
                        edits.push(Edit::replace(Kind::Jump, label.span.lo, label.span.hi, other, what));
                    }
                    continue;
                }
                _ => continue,
            };
            let what = format!("`{other}` instead of `{}`", self.text(*token));
            edits.push(Edit::replace(Kind::Jump, token.span.lo, token.span.hi, other, what));
        }
    }

    /// The labels of the function.
    fn labels(&self) -> Vec<String> {
        let function = self.program.locations[self.at].function;
        let Some(automaton) = self.program.automaton(function) else { return Vec::new() };
        let Span { lo, hi } = automaton.span;
        let tokens: Vec<Token> = (self.frontend.tokens)(self.sources.bytes(Span { lo, hi }), lo);
        let begins = |before: Option<&Token>| {
            before.is_none_or(|before| {
                matches!(before.kind, TokenKind::Semicolon | TokenKind::LeftBrace | TokenKind::RightParen)
                    || self.text(*before) == "}"
            })
        };
        let labels = tokens.windows(2).enumerate().filter(|(index, pair)| {
            pair[0].kind == TokenKind::Word
                && pair[1].kind == TokenKind::Colon
                && begins(index.checked_sub(1).map(|before| &tokens[before]))
        });
        labels.map(|(_, pair)| self.text(pair[0])).collect()
    }
}
