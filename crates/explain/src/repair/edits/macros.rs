//! The same edits in the definition of a macro, where the text that they change comes from one: at all uses of it.

use super::text::whole_lines;
use super::{Definition, Edit, Kind, Place};
use crate::localize::lines::Line;
use crate::repair::shown::{Alignment, Hunk, without_comments};
use base::{Location, Span};
use frontend::{Token, TokenKind};

/// A line of a definition: its number and text, the macro, its parameters, and the tokens of its body there.
struct Body {
    line: u32,
    text: String,
    name: String,
    parameters: Vec<String>,
    tokens: Vec<(u32, u32)>,
}

impl Body {
    fn token(&self, index: usize) -> Option<&str> {
        let (lo, hi) = *self.tokens.get(index)?;
        self.text.get(lo as usize..hi as usize)
    }

    /// Whether a token of a read line can be one of the body: the same text between the same neighbours, as far as these are no parameters.
    fn fits(&self, index: usize, read: &[&str], at: usize) -> bool {
        let same = |own: Option<&str>, other: Option<&&str>| match own {
            Some(text) if self.parameters.iter().any(|parameter| parameter == text) => true,
            // Another macro is no longer there.
            Some(text) => {
                other == Some(&text) || (text.starts_with(|c: char| c.is_ascii_alphabetic()) && !read.contains(&text))
            }
            None => true,
        };
        let before = index.checked_sub(1).and_then(|before| self.token(before));
        let read_before = at.checked_sub(1).and_then(|before| read.get(before));
        self.token(index) == read.get(at).copied()
            && same(before, read_before)
            && same(self.token(index + 1), read.get(at + 1))
    }
}

impl Place<'_> {
    pub(super) fn definitions(&self, edits: &mut Vec<Edit>) {
        let Some(first) = self.tokens.first() else { return };
        let Some(place) = self.sources.locate(first.span.lo) else { return };
        let Some((original, from_macros)) = self.in_macros(&self.tokens, &place) else { return };
        if !from_macros.contains(&true) {
            return;
        }
        let bodies = self.bodies(&place, &original);
        let mut everywhere = Vec::new();
        for edit in edits.iter_mut().filter(|edit| edit.kind <= Kind::Number && edit.parts.len() == 1) {
            let (lo, hi, new) = edit.parts[0].clone();
            let Some(at) = self.tokens.iter().position(|token| token.span.lo == lo && token.span.hi == hi) else {
                continue;
            };
            if !from_macros[at] {
                continue;
            }
            let read = self.texts(&self.tokens);
            let read: Vec<&str> = read.iter().map(String::as_str).collect();
            let fitting = bodies.iter().flat_map(|body| (0..body.tokens.len()).map(move |index| (body, index)));
            let fitting: Vec<(&Body, usize)> = fitting.filter(|(body, index)| body.fits(*index, &read, at)).collect();
            let [(body, index)] = fitting[..] else { continue };
            let Some(spans) = self.uses(body, index, &place) else { continue };
            let (from, to) = body.tokens[index];
            let after = format!("{}{new}{}", &body.text[..from as usize], &body.text[to as usize..]);
            let hunk = Hunk { line: body.line, before: body.text.clone(), after };
            let line = Line { file: place.file.to_string().into(), line: body.line };
            let only = spans.len() == 1;
            let definition = Definition { line, hunk, has_parameters: !body.parameters.is_empty() };
            if only {
                edit.definition = Some(definition);
                continue;
            }
            let parts = spans.iter().map(|span| (span.lo, span.hi, new.clone())).collect();
            let what = format!("{} in the definition of `{}`", edit.what, body.name);
            everywhere.push(Edit { parts, what, definition: Some(definition), ..edit.clone() });
        }
        edits.extend(everywhere);
    }

    fn texts(&self, tokens: &[Token]) -> Vec<String> {
        tokens.iter().map(|token| self.sources.snippet(token.span).into_owned()).collect()
    }

    /// The line that tokens were read from as it was typed, and which of them come from macros.
    fn in_macros(&self, tokens: &[Token], place: &Location) -> Option<(String, Vec<bool>)> {
        let original = without_comments(&self.sources.original_line(place)?);
        let typed = (self.frontend.tokens)(original.as_bytes(), 0);
        let texts = self.texts(tokens);
        let left: Vec<&str> = texts.iter().map(String::as_str).collect();
        let right: Option<Vec<&str>> =
            typed.iter().map(|token| original.get(token.span.lo as usize..token.span.hi as usize)).collect();
        let from_macros = Alignment::of(&left, &right?)?.same.into_iter().map(|one| one.is_none()).collect();
        Some((original, from_macros))
    }

    /// The lines of the definitions of macros that a line names.
    fn bodies(&self, place: &Location, user: &str) -> Vec<Body> {
        let used: Vec<String> = self.words(user);
        let typed =
            |line: u32| self.sources.original_line(&Location { line, ..place.clone() }).map(|text| text.into_owned());
        let mut found: Vec<Body> = Vec::new();
        let mut current: Option<(String, Vec<String>)> = None;
        for line in 1.. {
            let Some(text) = typed(line) else { break };
            let code = without_comments(&text);
            let mut body_from = 0;
            if let Some(rest) =
                code.trim_start().strip_prefix('#').map(str::trim_start).and_then(|rest| rest.strip_prefix("define"))
            {
                let header = code.len() - rest.len();
                let name: String =
                    rest.trim_start().chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
                body_from = header + (rest.len() - rest.trim_start().len()) + name.len();
                let mut parameters = Vec::new();
                if code[body_from..].starts_with('(') {
                    let end = code[body_from..].find(')').map_or(code.len(), |at| body_from + at + 1);
                    parameters = self.words(&code[body_from..end]);
                    body_from = end;
                }
                current = used.contains(&name).then_some((name, parameters));
            }
            if let Some((name, parameters)) = &current {
                let piece = code[body_from..].trim_end().trim_end_matches('\\');
                let tokens = (self.frontend.tokens)(piece.as_bytes(), body_from as u32);
                let tokens = tokens.iter().filter(|token| token.kind != TokenKind::End);
                let tokens = tokens.map(|token| (token.span.lo, token.span.hi)).collect();
                found.push(Body {
                    line,
                    text: text.clone(),
                    name: name.clone(),
                    parameters: parameters.clone(),
                    tokens,
                });
            }
            if !code.trim_end().ends_with('\\') {
                current = None;
            }
        }
        found
    }

    fn words(&self, text: &str) -> Vec<String> {
        let tokens = (self.frontend.tokens)(text.as_bytes(), 0);
        let words = tokens.iter().filter(|token| token.kind == TokenKind::Word);
        words.map(|token| text[token.span.lo as usize..token.span.hi as usize].to_string()).collect()
    }

    /// Where a token of a macro stands in the text that was read; `None` if not all uses are understood.
    fn uses(&self, body: &Body, index: usize, place: &Location) -> Option<Vec<Span>> {
        let file = self.sources.file_at(self.tokens.first()?.span.lo)?;
        let (text, base) = (self.sources.text(file), self.sources.base(file));
        let mut found = Vec::new();
        let mut position = 0;
        for line in text.split(|byte| *byte == b'\n') {
            let lo = base + position as u32;
            position += line.len() + 1;
            let Some(here) = self.sources.locate(lo).filter(|here| here.file == place.file && !line.starts_with(b"#"))
            else {
                continue;
            };
            let Some(original) = self.sources.original_line(&here) else { continue };
            // To read tokens takes longer, and few lines use the macro.
            if line.is_empty() || !original.contains(&body.name) {
                continue;
            }
            let times = self.words(&without_comments(&original)).iter().filter(|word| **word == body.name).count();
            if times == 0 {
                continue;
            }
            let (lo, hi) = whole_lines(self.sources, file, lo, lo + line.len() as u32);
            let tokens = (self.frontend.tokens)(self.sources.bytes(Span { lo, hi }), lo);
            let (_, from_macros) = self.in_macros(&tokens, &here)?;
            let texts = self.texts(&tokens);
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let fits = |at: &usize| from_macros[*at] && body.fits(index, &texts, *at);
            let spans: Vec<Span> = (0..tokens.len()).filter(fits).map(|at| tokens[at].span).collect();
            if spans.len() != times {
                return None;
            }
            found.extend(spans);
        }
        Some(found)
    }
}
