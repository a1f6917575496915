//! Text to tokens, byte by byte; the text need not be UTF-8. Comments, line markers and pragmas leave no token, except that an ACSL
//! `assert` comment becomes the tokens of its content between [`Tok::AcslStart`] and [`Tok::AcslEnd`].
//!
//! Line splices (backslash, newline) may cut any token. A text that has some is lexed from a copy without them and positions are
//! mapped back at the end, so the loops here never look for them.

mod directive;
mod keyword;
pub mod literal;
mod splice;
mod token;

use base::source::LineMark;
use base::{Diagnostic, Interner, Span, Symbol};
use keyword::Keywords;
use std::borrow::Cow;
pub use token::{Tok, Token};

/// After so many errors a stage gives up.
pub const MAX_ERRORS: usize = 100;

/// Tokens that may be looked at past the current one without a check for the end.
const LOOKAHEAD: usize = 4;

pub struct Lexed<'a> {
    /// Ends with several [`Tok::End`].
    pub tokens: Vec<Token>,
    /// The text without line splices; `value` of a literal token is an offset in it.
    pub text: Cow<'a, [u8]>,
    pub marks: Vec<LineMark>,
    /// From the token of that index on, `#pragma pack` is that (0: none).
    pub packs: Vec<(u32, u8)>,
    /// `#pragma weak`, see [`crate::c::ast::Ast::weak`].
    pub weak: Vec<(Symbol, Option<Symbol>)>,
    pub diagnostics: Vec<Diagnostic>,
}

/// `base` is the global position of the first byte.
pub fn lex<'a>(text: &'a [u8], base: u32, names: &mut Interner) -> Lexed<'a> {
    let (text, splices) = splice::remove(text);
    let keywords = Keywords::intern(names);
    let mut lexer = Lexer {
        text: &text,
        utf8: std::str::from_utf8(&text).ok(),
        // A byte order mark is no part of the program.
        at: if text.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 },
        base,
        names,
        keywords,
        tokens: Vec::with_capacity(text.len() / 5 + 16),
        acsl: Acsl::Outside,
        marks: Vec::new(),
        packs: Vec::new(),
        weak: Vec::new(),
        pack_stack: Vec::new(),
        diagnostics: Vec::new(),
    };
    lexer.run();
    let Lexer { mut tokens, mut marks, packs, weak, mut diagnostics, .. } = lexer;
    if !splices.is_empty() {
        splices.restore(base, &mut tokens, &mut marks, &mut diagnostics);
    }
    Lexed { tokens, text, marks, packs, weak, diagnostics }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Acsl {
    Outside,
    /// Until the end of the line.
    Line,
    /// Until `*/`.
    Block,
}

struct Lexer<'a> {
    text: &'a [u8],
    utf8: Option<&'a str>,
    at: usize,
    base: u32,
    names: &'a mut Interner,
    keywords: Keywords,
    tokens: Vec<Token>,
    acsl: Acsl,
    marks: Vec<LineMark>,
    packs: Vec<(u32, u8)>,
    weak: Vec<(Symbol, Option<Symbol>)>,
    pack_stack: Vec<u8>,
    diagnostics: Vec<Diagnostic>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Other,
    Space,
    Newline,
    Word,
    Digit,
    Quote,
    /// A token that does not depend on the following bytes.
    Single,
    Punctuator,
    Hash,
}

static CLASSES: [Class; 256] = {
    let mut table = [Class::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'\n' => Class::Newline,
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c | 0 => Class::Space,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | 0x80.. => Class::Word,
            b'0'..=b'9' => Class::Digit,
            b'"' | b'\'' => Class::Quote,
            b';' | b',' | b'(' | b')' | b'{' | b'}' | b'[' | b']' | b'~' | b'?' => Class::Single,
            b'!' | b'%' | b'&' | b'*' | b'+' | b'-' | b'.' | b'/' | b':' | b'<' | b'=' | b'>' | b'^' | b'|' => {
                Class::Punctuator
            }
            b'#' => Class::Hash,
            _ => Class::Other,
        };
        byte += 1;
    }
    table
};

/// Bytes that continue a word.
static WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = matches!(CLASSES[byte], Class::Word | Class::Digit);
        byte += 1;
    }
    table
};

impl Lexer<'_> {
    fn run(&mut self) {
        while let Some(&byte) = self.text.get(self.at) {
            let start = self.at;
            match CLASSES[byte as usize] {
                Class::Space => {
                    self.at += 1;
                    while self.text.get(self.at) == Some(&b' ') {
                        self.at += 1;
                    }
                }
                Class::Newline => {
                    if self.acsl == Acsl::Line {
                        self.close_acsl();
                    }
                    self.at += 1;
                }
                Class::Word => self.word(start),
                Class::Digit => self.number(start),
                Class::Quote => self.quoted(start),
                Class::Single => {
                    self.at += 1;
                    self.push(single(byte), start, 0);
                }
                Class::Punctuator => self.punctuator(start),
                Class::Hash => self.directive(start),
                Class::Other => self.other(start),
            }
            if self.diagnostics.len() >= MAX_ERRORS {
                break;
            }
        }
        match self.acsl {
            Acsl::Outside => {}
            Acsl::Line => self.close_acsl(),
            Acsl::Block => {
                let start = self.tokens.iter().rposition(|token| token.kind == Tok::AcslStart);
                let lo = start.map_or(self.base, |index| self.tokens[index].lo);
                self.diagnostics.push(Diagnostic::error(Span { lo, hi: lo }, "unterminated comment"));
                self.close_acsl();
            }
        }
        let end = self.text.len();
        for _ in 0..LOOKAHEAD {
            self.push(Tok::End, end, 0);
        }
    }

    #[inline]
    fn byte(&self, at: usize) -> u8 {
        self.text.get(at).copied().unwrap_or(0)
    }

    #[inline]
    fn push(&mut self, kind: Tok, start: usize, value: u32) {
        let (lo, hi) = (self.base + start as u32, self.base + self.at.max(start) as u32);
        if hi - lo > token::MAX_LENGTH {
            self.error(start, start, "token is too long");
        }
        self.tokens.push(Token::new(kind, lo, hi, value));
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span { lo: self.base + start as u32, hi: self.base + end as u32 }
    }

    #[cold]
    fn error(&mut self, start: usize, end: usize, message: impl Into<String>) {
        let span = self.span(start, end);
        self.diagnostics.push(Diagnostic::error(span, message));
    }

    #[inline]
    fn word(&mut self, start: usize) {
        let rest = &self.text[start + 1..];
        let length = rest.iter().position(|byte| !WORD[*byte as usize]).unwrap_or(rest.len());
        self.at = start + 1 + length;
        let next = self.byte(self.at);
        if matches!(next, b'"' | b'\'' | b'\\') {
            if next != b'\\' && matches!(&self.text[start..self.at], b"L" | b"u" | b"U" | b"u8") {
                return self.quoted(start);
            }
            if next == b'\\' && universal(&self.text[self.at..]).is_some() {
                return self.universal_word(start);
            }
        }
        let symbol = match self.utf8 {
            Some(text) => self.names.intern(&text[start..self.at]),
            None => self.names.intern(&readable(&self.text[start..self.at])),
        };
        let kind = self.keywords.kind(symbol);
        if kind == Tok::Pragma {
            return self.pragma_operator();
        }
        self.push(kind, start, symbol.0);
    }

    /// A word with `\u00e9` in it.
    #[cold]
    fn universal_word(&mut self, start: usize) {
        let mut word = String::new();
        self.at = start;
        loop {
            let from = self.at;
            while WORD[self.byte(self.at) as usize] {
                self.at += 1;
            }
            word.push_str(&readable(&self.text[from..self.at]));
            let Some((character, length)) = universal(&self.text[self.at..]) else { break };
            word.push(character);
            self.at += length;
        }
        let symbol = self.names.intern(&word);
        self.push(Tok::Word, start, symbol.0);
    }

    /// A preprocessing number; [`literal`] checks it later.
    #[inline]
    fn number(&mut self, start: usize) {
        let length = literal::number_length(&self.text[start..]);
        self.at = start + length;
        self.push(Tok::Number, start, start as u32);
    }

    /// A string or character constant; `start` may be that of its prefix.
    fn quoted(&mut self, start: usize) {
        let mut at = start;
        while !matches!(self.byte(at), b'"' | b'\'') {
            at += 1;
        }
        let quote = self.byte(at);
        at += 1;
        let closed = loop {
            match self.text.get(at) {
                Some(byte) if *byte == quote => break true,
                Some(b'\\') => at += if self.text.get(at + 1).is_some_and(|next| *next != b'\n') { 2 } else { 1 },
                Some(b'\n') | None => break false,
                Some(_) => at += 1,
            }
        };
        self.at = at + closed as usize;
        if !closed {
            self.error(start, at, format!("missing terminating `{}`", quote as char));
        }
        self.push(if quote == b'"' { Tok::Text } else { Tok::Char }, start, start as u32);
    }

    fn punctuator(&mut self, start: usize) {
        let (first, second, third) = (self.text[start], self.byte(start + 1), self.byte(start + 2));
        let (kind, length) = match (first, second) {
            (b'/', b'/') => return self.line_comment(start),
            (b'/', b'*') => return self.block_comment(start),
            (b'*', b'/') if self.acsl == Acsl::Block => {
                self.close_acsl();
                self.at += 2;
                return;
            }
            (b'.', b'0'..=b'9') => return self.number(start),
            (b'.', b'.') if third == b'.' => (Tok::Ellipsis, 3),
            (b'-', b'>') => (Tok::Arrow, 2),
            (b'+', b'+') => (Tok::PlusPlus, 2),
            (b'-', b'-') => (Tok::MinusMinus, 2),
            (b'<', b'<') if third == b'=' => (Tok::ShlEq, 3),
            (b'<', b'<') => (Tok::Shl, 2),
            (b'>', b'>') if third == b'=' => (Tok::ShrEq, 3),
            (b'>', b'>') => (Tok::Shr, 2),
            (b'&', b'&') => (Tok::AndAnd, 2),
            (b'|', b'|') => (Tok::OrOr, 2),
            (b'<', b'=') => (Tok::Le, 2),
            (b'>', b'=') => (Tok::Ge, 2),
            (b'=', b'=') => (Tok::EqEq, 2),
            (b'!', b'=') => (Tok::Ne, 2),
            (b'*', b'=') => (Tok::StarEq, 2),
            (b'/', b'=') => (Tok::SlashEq, 2),
            (b'%', b'=') => (Tok::PercentEq, 2),
            (b'+', b'=') => (Tok::PlusEq, 2),
            (b'-', b'=') => (Tok::MinusEq, 2),
            (b'&', b'=') => (Tok::AmpEq, 2),
            (b'^', b'=') => (Tok::CaretEq, 2),
            (b'|', b'=') => (Tok::PipeEq, 2),
            (b'<', b':') => (Tok::LBracket, 2),
            (b':', b'>') => (Tok::RBracket, 2),
            (b'<', b'%') => (Tok::LBrace, 2),
            (b'%', b'>') => (Tok::RBrace, 2),
            (b'%', b':') => return self.directive(start),
            (b'!', _) => (Tok::Bang, 1),
            (b'%', _) => (Tok::Percent, 1),
            (b'&', _) => (Tok::Amp, 1),
            (b'*', _) => (Tok::Star, 1),
            (b'+', _) => (Tok::Plus, 1),
            (b'-', _) => (Tok::Minus, 1),
            (b'.', _) => (Tok::Dot, 1),
            (b'/', _) => (Tok::Slash, 1),
            (b':', _) => (Tok::Colon, 1),
            (b'<', _) => (Tok::Lt, 1),
            (b'=', _) => (Tok::Eq, 1),
            (b'>', _) => (Tok::Gt, 1),
            (b'^', _) => (Tok::Caret, 1),
            _ => (Tok::Pipe, 1),
        };
        self.at = start + length;
        self.push(kind, start, 0);
    }

    fn line_comment(&mut self, start: usize) {
        if self.open_acsl(start, Acsl::Line) {
            return;
        }
        let rest = &self.text[start..];
        self.at = start + rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    }

    fn block_comment(&mut self, start: usize) {
        if self.open_acsl(start, Acsl::Block) {
            return;
        }
        let rest = &self.text[start + 2..];
        match rest.windows(2).position(|pair| pair == b"*/") {
            Some(length) => self.at = start + length + 4,
            None => {
                self.error(start, start + 2, "unterminated comment");
                self.at = self.text.len();
            }
        }
    }

    /// Whether the comment is an ACSL assertion where a statement may begin. Anywhere else it is a plain comment, as for a compiler.
    fn open_acsl(&mut self, start: usize, kind: Acsl) -> bool {
        if self.byte(start + 2) != b'@' || self.acsl != Acsl::Outside {
            return false;
        }
        let mut at = start + 3;
        while matches!(self.byte(at), b' ' | b'\t' | b'@')
            || (kind == Acsl::Block && matches!(self.byte(at), b'\n' | b'\r'))
        {
            at += 1;
        }
        let before = self.tokens.last().map_or(Tok::Semi, |token| token.kind);
        use Tok::*;
        let statement = matches!(before, Semi | LBrace | RBrace | Colon | RParen | Else | Do | AcslEnd);
        let word = b"assert";
        if !statement || !self.text[at..].starts_with(word) || WORD[self.byte(at + word.len()) as usize] {
            return false;
        }
        self.at = at;
        self.push(Tok::AcslStart, at, 0);
        self.acsl = kind;
        true
    }

    fn close_acsl(&mut self) {
        self.acsl = Acsl::Outside;
        self.push(Tok::AcslEnd, self.at, 0);
    }

    #[cold]
    fn other(&mut self, start: usize) {
        let byte = self.text[start];
        if byte == b'@' && self.acsl != Acsl::Outside {
            self.at += 1;
            return;
        }
        if byte == b'\\' && universal(&self.text[start..]).is_some() {
            return self.universal_word(start);
        }
        // One error for a run of them.
        let rest = &self.text[start..];
        let other = |byte: &u8| CLASSES[*byte as usize] == Class::Other;
        self.at = start + 1 + rest[1..].iter().take_while(|byte| other(byte)).count();
        let shown = if byte.is_ascii_graphic() { (byte as char).to_string() } else { format!("\\x{byte:02x}") };
        self.error(start, self.at, format!("stray `{shown}` in program"));
    }
}

fn single(byte: u8) -> Tok {
    match byte {
        b';' => Tok::Semi,
        b',' => Tok::Comma,
        b'(' => Tok::LParen,
        b')' => Tok::RParen,
        b'{' => Tok::LBrace,
        b'}' => Tok::RBrace,
        b'[' => Tok::LBracket,
        b']' => Tok::RBracket,
        b'~' => Tok::Tilde,
        _ => Tok::Question,
    }
}

/// A word of a text that is not UTF-8 is read as Latin-1 unless it is UTF-8 by itself.
fn readable(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|byte| *byte as char).collect()),
    }
}

/// A `\uXXXX` or `\UXXXXXXXX` at the start: the character and its length in bytes.
fn universal(text: &[u8]) -> Option<(char, usize)> {
    let digits = match text {
        [b'\\', b'u', ..] => 4,
        [b'\\', b'U', ..] => 8,
        _ => return None,
    };
    let text = std::str::from_utf8(text.get(2..2 + digits)?).ok()?;
    if !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    Some((char::from_u32(u32::from_str_radix(text, 16).ok()?)?, digits + 2))
}

#[cfg(test)]
mod tests;
