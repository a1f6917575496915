//! Tokens → tree, with recovery: after an error the parser goes on at the next statement, declaration or unit, and always ends.

mod decl;
pub mod expr;
mod pou;
mod stmt;

pub use expr::{Number, number, unescape};

use super::ast::{Expr, ExprKind, Name, Unit};
use super::lex::{Lexed, Tok, Token, lex};
use base::{Diagnostic, Span};

/// Deeper than this nothing is followed; lowering recurses as deep.
const MAX_DEPTH: u32 = 400;
/// So many errors are reported of one file.
const MAX_ERRORS: usize = 50;

/// What kind of file a text comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// IEC 61131-3.
    Standard,
    /// Siemens SCL.
    Scl,
    /// An export file of CoDeSys 2.3: one object of a project.
    Export,
    /// The text of this frontend.
    Library,
}

pub struct Parsed {
    pub unit: Unit,
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a text that begins at a position of the source map.
pub fn parse(text: &[u8], base: u32, dialect: Dialect) -> Parsed {
    let Lexed { tokens, diagnostics } = lex(text, base, dialect == Dialect::Scl);
    let mut parser = Parser::new(text, base, &tokens, dialect, diagnostics);
    let mut unit = parser.unit();
    unit.addresses = std::mem::take(&mut parser.addresses);
    let mut diagnostics = parser.diagnostics;
    diagnostics.truncate(MAX_ERRORS);
    Parsed { unit, diagnostics }
}

/// Reads a text that is one expression, as requirements and tests say it. Quotation marks stand around names, as in SCL: nothing in it is a text of wide characters.
pub fn parse_expression(text: &[u8], base: u32) -> Result<Expr, Diagnostic> {
    let dialect = if text.contains(&b'"') { Dialect::Scl } else { Dialect::Standard };
    let Lexed { tokens, diagnostics } = lex(text, base, dialect == Dialect::Scl);
    let mut parser = Parser::new(text, base, &tokens, dialect, diagnostics);
    let expr = parser.expr();
    if parser.peek().tok != Tok::End {
        parser.expected("the end of the condition");
    }
    match parser.diagnostics.into_iter().next() {
        Some(error) => Err(error),
        None => Ok(expr),
    }
}

pub(super) struct Parser<'t> {
    text: &'t [u8],
    base: u32,
    tokens: &'t [Token],
    at: usize,
    dialect: Dialect,
    diagnostics: Vec<Diagnostic>,
    /// Addresses that expressions name.
    addresses: Vec<Name>,
    depth: u32,
    /// Where the last error was: there is only one at a token.
    last_error: Option<usize>,
}

impl<'t> Parser<'t> {
    fn new(
        text: &'t [u8],
        base: u32,
        tokens: &'t [Token],
        dialect: Dialect,
        diagnostics: Vec<Diagnostic>,
    ) -> Parser<'t> {
        Parser { text, base, tokens, at: 0, dialect, diagnostics, addresses: Vec::new(), depth: 0, last_error: None }
    }

    fn peek(&self) -> Token {
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn peek_at(&self, ahead: usize) -> Token {
        self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }

    fn next(&mut self) -> Token {
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// What a token says: a name without the marks that say it is one.
    fn text_of(&self, span: Span) -> String {
        let piece = &self.text[(span.lo - self.base) as usize..(span.hi - self.base) as usize];
        let piece = piece.strip_prefix(b"#").unwrap_or(piece);
        let inner = piece.strip_prefix(b"\"").map(|inner| inner.strip_suffix(b"\"").unwrap_or(inner));
        String::from_utf8_lossy(inner.unwrap_or(piece)).into_owned()
    }

    /// Whether a keyword or symbol comes next.
    fn is(&self, word: &str) -> bool {
        let token = self.peek();
        !word.is_empty() && token.word == word && token.tok != Tok::Quoted
    }

    /// Whether a word comes next that is a keyword only here.
    fn is_word(&self, word: &str) -> bool {
        let token = self.peek();
        token.tok == Tok::Word && self.text_of(token.span).eq_ignore_ascii_case(word)
    }

    fn accept(&mut self, word: &str) -> bool {
        let is = self.is(word);
        if is {
            self.next();
        }
        is
    }

    fn accept_word(&mut self, word: &str) -> bool {
        let is = self.is_word(word);
        if is {
            self.next();
        }
        is
    }

    fn expect(&mut self, word: &str) -> bool {
        let found = self.accept(word);
        if !found {
            self.expected(&format!("`{word}`"));
        }
        found
    }

    fn error(&mut self, span: Span, message: impl Into<String>) {
        if self.last_error != Some(self.at) {
            self.last_error = Some(self.at);
            self.diagnostics.push(Diagnostic::error(span, message));
        }
    }

    fn expected(&mut self, what: &str) {
        let token = self.peek();
        let found = match token.tok {
            Tok::End => "the end of the file".to_string(),
            Tok::EndAssert => "the end of the assertion".to_string(),
            _ => format!("`{}`", self.text_of(token.span)),
        };
        self.error(token.span, format!("expected {what}, found {found}"));
    }

    /// A name; keywords are none.
    fn name(&mut self) -> Option<Name> {
        let token = self.peek();
        if token.tok == Tok::Quoted || token.tok == Tok::Word && token.word.is_empty() {
            self.next();
            return Some(Name { text: self.text_of(token.span), span: token.span });
        }
        self.expected("a name");
        None
    }

    fn is_name(&self) -> bool {
        let token = self.peek();
        token.tok == Tok::Quoted || token.tok == Tok::Word && token.word.is_empty()
    }

    /// The end of the token before the next one.
    fn end_of_last(&self) -> Span {
        let span = self.tokens[self.at.saturating_sub(1)].span;
        Span::new(span.hi, span.hi)
    }

    fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|one| one.severity == base::Severity::Error)
    }

    fn bad(&self, span: Span) -> Expr {
        Expr { kind: ExprKind::Bad, span }
    }

    /// Enters one level of nesting; without room for it, the rest is skipped.
    fn deeper<T>(&mut self, otherwise: T, inner: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= MAX_DEPTH {
            let span = self.peek().span;
            self.error(span, "this is nested too deep");
            self.at = self.tokens.len() - 1;
            // What is missing at the end is missing because of this.
            self.last_error = Some(self.at);
            return otherwise;
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }
}

#[cfg(test)]
mod tests;
