//! Text → tokens. Comments, pragmas and the metadata of export files disappear; assertion comments (`//#ASSERT e : name`, `(*#ASSERT e*)`) become tokens
//! between [`Tok::Assert`] and [`Tok::EndAssert`]. Never a panic: what is no token is [`Tok::Bad`] with a diagnostic.

use base::{Diagnostic, Span};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tok {
    Word,
    /// A name in quotation marks or behind `#`, with them: never a keyword.
    Quoted,
    Number,
    /// `INT#5`, `T#1s`
    Typed,
    /// `'…'`
    Text,
    /// `%IX0.0`
    Address,
    Symbol,
    Assert,
    EndAssert,
    Bad,
    End,
}

#[derive(Clone, Copy, Debug)]
pub struct Token {
    pub tok: Tok,
    /// A keyword in capitals, or the text of a symbol; else empty.
    pub word: &'static str,
    pub span: Span,
}

/// Words that are no names. Others, such as `STEP` or `TASK`, are words of the grammar only where they can stand.
const KEYWORDS: &[&str] = &[
    "ACTION",
    "ACTIONS",
    "AND",
    "AND_THEN",
    "ARRAY",
    "AT",
    "BEGIN",
    "BY",
    "CASE",
    "CLASS",
    "CONFIGURATION",
    "CONST",
    "CONSTANT",
    "CONTINUE",
    "DATA_BLOCK",
    "DO",
    "ELSE",
    "ELSEIF",
    "ELSIF",
    "END_ACTION",
    "END_ACTIONS",
    "END_CASE",
    "END_CLASS",
    "END_CONFIGURATION",
    "END_CONST",
    "END_DATA_BLOCK",
    "END_FOR",
    "END_FUNCTION",
    "END_FUNCTION_BLOCK",
    "END_IF",
    "END_INTERFACE",
    "END_LABEL",
    "END_METHOD",
    "END_NAMESPACE",
    "END_ORGANIZATION_BLOCK",
    "END_PROGRAM",
    "END_PROPERTY",
    "END_REGION",
    "END_REPEAT",
    "END_RESOURCE",
    "END_STEP",
    "END_STRUCT",
    "END_TRANSITION",
    "END_TYPE",
    "END_UNION",
    "END_VAR",
    "END_WHILE",
    "EXIT",
    "EXTENDS",
    "FALSE",
    "FOR",
    "FUNCTION",
    "FUNCTION_BLOCK",
    "GOTO",
    "IF",
    "IMPLEMENTS",
    "INITIAL_STEP",
    "INTERFACE",
    "JMP",
    "LABEL",
    "METHOD",
    "MOD",
    "NAMESPACE",
    "NOT",
    "OF",
    "OR",
    "ORGANIZATION_BLOCK",
    "OR_ELSE",
    "POINTER",
    "PROGRAM",
    "PROPERTY",
    "REFERENCE",
    "REF_TO",
    "REGION",
    "REPEAT",
    "RESOURCE",
    "RETURN",
    "STEP",
    "STRUCT",
    "THEN",
    "TO",
    "TRANSITION",
    "TRUE",
    "TYPE",
    "UNION",
    "UNTIL",
    "VAR",
    "VAR_ACCESS",
    "VAR_CONFIG",
    "VAR_EXTERNAL",
    "VAR_GLOBAL",
    "VAR_INPUT",
    "VAR_INST",
    "VAR_IN_OUT",
    "VAR_OUTPUT",
    "VAR_STAT",
    "VAR_TEMP",
    "WHILE",
    "XOR",
];

/// Keywords that export files write otherwise as well.
const OTHER_SPELLINGS: &[(&str, &str)] =
    &[("FUNCTIONBLOCK", "FUNCTION_BLOCK"), ("END_FUNCTIONBLOCK", "END_FUNCTION_BLOCK")];

/// Longer ones first.
const SYMBOLS: &[&str] = &[
    "**", ":=", "=>", "<=", ">=", "<>", "!=", "..", "+=", "-=", "*=", "/=", "?=", "(", ")", "[", "]", ",", ";", ":",
    ".", "+", "-", "*", "/", "=", "<", ">", "&", "^", "|",
];

pub struct Lexed {
    pub tokens: Vec<Token>,
    pub diagnostics: Vec<Diagnostic>,
}

/// The tokens of a text that begins at a position of the source map. In SCL, quotation marks stand around names; else around text of wide characters.
pub fn lex(text: &[u8], base: u32, scl: bool) -> Lexed {
    let mut lexer = Lexer { text, base, scl, at: 0, tokens: Vec::new(), diagnostics: Vec::new() };
    lexer.run(text.len());
    let end = Span::new(base + text.len() as u32, base + text.len() as u32);
    lexer.tokens.push(Token { tok: Tok::End, word: "", span: end });
    let mut tokens = lexer.tokens;
    // Words that are keywords only before a name.
    const BEFORE_NAMES: &[&str] = &[
        "STEP",
        "ACTION",
        "ACTIONS",
        "TRANSITION",
        "METHOD",
        "NAMESPACE",
        "PROPERTY",
        "CLASS",
        "INTERFACE",
        "CONST",
        "LABEL",
    ];
    for index in 0..tokens.len() - 1 {
        let next = tokens[index + 1];
        let before_name = next.tok == Tok::Quoted || next.tok == Tok::Word && next.word.is_empty();
        if !before_name && BEFORE_NAMES.contains(&tokens[index].word) {
            tokens[index].word = "";
        }
    }
    if scl {
        tokens = absolute_addresses(tokens, text, base);
    }
    Lexed { tokens, diagnostics: lexer.diagnostics }
}

/// Siemens: `M0.1`, `IW4` are addresses, unless the text declares such a name.
fn absolute_addresses(tokens: Vec<Token>, text: &[u8], base: u32) -> Vec<Token> {
    let piece = |span: Span| text[(span.lo - base) as usize..(span.hi - base) as usize].to_ascii_uppercase();
    let declared: Vec<Vec<u8>> = tokens
        .windows(2)
        .filter(|pair| pair[0].tok == Tok::Word && matches!(pair[1].word, ":" | ","))
        .map(|pair| piece(pair[0].span))
        .collect();
    // Whether it is one of a bit, whose number follows.
    let kind = |token: &Token| -> Option<bool> {
        let word = piece(token.span);
        let (first, rest) = word.split_first()?;
        let (second, digits) = rest.split_first()?;
        let all_digits = |digits: &[u8]| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
        let known = token.tok == Tok::Word && b"IQM".contains(first) && !declared.contains(&word);
        match known {
            true if all_digits(rest) => Some(true),
            true if b"BWD".contains(second) && all_digits(digits) => Some(false),
            _ => None,
        }
    };
    let mut found = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let token = tokens[at];
        let behind = |ahead: usize| tokens.get(at + ahead);
        let follows_point = found.last().is_some_and(|last: &Token| last.word == ".");
        let bit = behind(1).is_some_and(|one| one.word == ".") && behind(2).is_some_and(|one| one.tok == Tok::Number);
        match kind(&token).filter(|_| !follows_point) {
            Some(true) if bit => {
                found.push(Token { tok: Tok::Address, word: "", span: token.span.to(tokens[at + 2].span) });
                at += 3;
            }
            Some(false) => {
                found.push(Token { tok: Tok::Address, ..token });
                at += 1;
            }
            _ => {
                found.push(token);
                at += 1;
            }
        }
    }
    found
}

struct Lexer<'t> {
    text: &'t [u8],
    base: u32,
    scl: bool,
    at: usize,
    tokens: Vec<Token>,
    diagnostics: Vec<Diagnostic>,
}

fn begins_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

fn in_name(byte: u8) -> bool {
    // `$` is no letter of the standard; tools make names with it.
    begins_name(byte) || byte.is_ascii_digit() || byte == b'$'
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn span(&self, from: usize) -> Span {
        Span::new(self.base + from as u32, self.base + self.at as u32)
    }

    fn push(&mut self, tok: Tok, word: &'static str, from: usize) {
        let span = self.span(from);
        self.tokens.push(Token { tok, word, span });
    }

    fn error(&mut self, from: usize, message: &str) {
        let span = self.span(from);
        self.diagnostics.push(Diagnostic::error(span, message));
    }

    fn take_while(&mut self, end: usize, wanted: impl Fn(u8) -> bool) {
        while self.at < end && wanted(self.text[self.at]) {
            self.at += 1;
        }
    }

    /// Tokens up to a position.
    fn run(&mut self, end: usize) {
        while self.at < end {
            let from = self.at;
            let byte = self.text[from];
            match byte {
                _ if byte.is_ascii_whitespace() || byte == 0xef || byte == 0xbb || byte == 0xbf || byte == 0x0c => {
                    self.at += 1
                }
                b'/' if self.peek(1) == b'/' => self.line_comment(end),
                b'/' if self.peek(1) == b'*' => self.block_comment(end, *b"/*", *b"*/"),
                b'(' if self.peek(1) == b'*' => self.block_comment(end, *b"(*", *b"*)"),
                // Siemens: a comment in several languages.
                b'(' if self.scl && self.peek(1) == b'/' && self.peek(2) == b'*' => {
                    let close = self.text[from..end].windows(3).position(|three| three == b"*/)");
                    match close {
                        Some(close) => self.at = from + close + 3,
                        None => {
                            self.at = end;
                            self.error(from, "this comment has no end");
                        }
                    }
                }
                b'{' => {
                    self.take_while(end, |byte| byte != b'}');
                    if self.at == end {
                        self.at = from + 1;
                        self.error(from, "this pragma has no end");
                        self.at = end;
                    } else {
                        self.at += 1;
                    }
                }
                b'#' if begins_name(self.peek(1)) => {
                    self.at += 1;
                    self.take_while(end, in_name);
                    self.push(Tok::Quoted, "", from);
                }
                // A constant, as some tools write it.
                b'#' if self.peek(1).is_ascii_digit() => self.at += 1,
                b'"' | b'#' if self.scl && (byte == b'"' || self.peek(1) == b'"') => {
                    self.at += if byte == b'"' { 1 } else { 2 };
                    self.take_while(end, |byte| byte != b'"' && byte != b'\n');
                    if self.at < end && self.text[self.at] == b'"' {
                        self.at += 1;
                    } else {
                        self.error(from, "this name has no closing quotation mark");
                    }
                    self.push(Tok::Quoted, "", from);
                }
                b'\'' | b'"' => self.string(end, byte),
                b'%' => {
                    self.at += 1;
                    // Behind `%MW4` can be `.%B1`.
                    while self.at < end
                        && (matches!(self.text[self.at], b'*' | b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9')
                            || self.text[self.at] == b'.' && self.peek(1).is_ascii_digit())
                    {
                        self.at += 1;
                    }
                    self.push(Tok::Address, "", from);
                }
                b'0'..=b'9' => self.number(end),
                _ if begins_name(byte) => self.word(end),
                _ => self.symbol(),
            }
        }
    }

    fn word(&mut self, end: usize) {
        let from = self.at;
        self.take_while(end, in_name);
        if self.peek(0) == b'#' && self.at < end {
            return self.typed(from, end);
        }
        let text = &self.text[from..self.at];
        let mut capitals = [0u8; 24];
        let word = match capitals.get_mut(..text.len()) {
            Some(capitals) => {
                capitals.copy_from_slice(text);
                capitals.make_ascii_uppercase();
                let found = KEYWORDS.binary_search_by(|word| word.as_bytes().cmp(capitals));
                let other = || OTHER_SPELLINGS.iter().find(|(other, _)| other.as_bytes() == capitals);
                found.map_or_else(|_| other().map_or("", |(_, word)| *word), |index| KEYWORDS[index])
            }
            None => "",
        };
        self.push(Tok::Word, word, from);
    }

    /// A literal whose type stands before it.
    fn typed(&mut self, from: usize, end: usize) {
        let prefix = self.text[from..self.at].to_ascii_uppercase();
        self.at += 1;
        if let quote @ (b'\'' | b'"') = self.peek(0)
            && self.at < end
        {
            // `STRING#'abc'`
            self.text_up_to(end, quote);
            return self.push(Tok::Typed, "", from);
        }
        let kind = |words: &[&str]| words.iter().any(|word| word.as_bytes() == prefix);
        if kind(&["D", "DATE", "LD", "LDATE", "TOD", "TIME_OF_DAY", "LTOD", "DT", "DATE_AND_TIME", "LDT", "DTL"]) {
            self.take_while(end, |byte| byte.is_ascii_digit() || matches!(byte, b'-' | b':' | b'.' | b'_'));
        } else {
            if matches!(self.peek(0), b'-' | b'+') {
                self.at += 1;
            }
            let is_time = kind(&["T", "TIME", "LT", "LTIME", "S5T", "S5TIME"]);
            while self.at < end {
                let byte = self.text[self.at];
                let point = byte == b'.' && self.peek(1) != b'.';
                let exponent = !is_time
                    && matches!(byte, b'-' | b'+')
                    && matches!(self.text[self.at - 1], b'e' | b'E')
                    && kind(&["REAL", "LREAL"]);
                if !(in_name(byte) || byte == b'#' || point || exponent) {
                    break;
                }
                self.at += 1;
            }
        }
        self.push(Tok::Typed, "", from);
    }

    fn number(&mut self, end: usize) {
        let from = self.at;
        let digit = |byte: u8| byte.is_ascii_digit() || byte == b'_';
        self.take_while(end, digit);
        if self.peek(0) == b'#' && self.at < end {
            self.at += 1;
            self.take_while(end, |byte| byte.is_ascii_hexdigit() || byte == b'_');
            return self.push(Tok::Number, "", from);
        }
        if self.peek(0) == b'.' && self.peek(1).is_ascii_digit() && self.at + 1 < end {
            self.at += 1;
            self.take_while(end, digit);
        }
        if matches!(self.peek(0), b'e' | b'E') && self.at < end {
            let sign = matches!(self.peek(1), b'+' | b'-') as usize;
            if self.peek(1 + sign).is_ascii_digit() {
                self.at += 1 + sign;
                self.take_while(end, digit);
            }
        }
        self.push(Tok::Number, "", from);
    }

    fn string(&mut self, end: usize, quote: u8) {
        let from = self.at;
        self.text_up_to(end, quote);
        self.push(Tok::Text, "", from);
    }

    /// At a quotation mark: up to the closing one.
    fn text_up_to(&mut self, end: usize, quote: u8) {
        let from = self.at;
        self.at += 1;
        while self.at < end && self.text[self.at] != quote && self.text[self.at] != b'\n' {
            self.at += if self.text[self.at] == b'$' { 2 } else { 1 };
        }
        self.at = self.at.min(end);
        let closed = self.at < end && self.text[self.at] == quote;
        self.at += closed as usize;
        if !closed {
            self.error(from, "this text has no end");
        }
    }

    fn symbol(&mut self) {
        let from = self.at;
        let rest = &self.text[from..];
        match SYMBOLS.iter().find(|symbol| rest.starts_with(symbol.as_bytes())) {
            Some(symbol) => {
                self.at += symbol.len();
                self.push(Tok::Symbol, symbol, from);
            }
            None => {
                self.at += 1;
                self.push(Tok::Bad, "", from);
                self.error(from, "this character means nothing here");
            }
        }
    }

    /// The condition of an assertion, if a comment is one.
    fn assertion(&mut self, end: usize) -> bool {
        let text = &self.text[self.at..end];
        let spaces = text.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        const WORD: &[u8] = b"#ASSERT";
        let found = text[spaces..].get(..WORD.len()).is_some_and(|word| word.eq_ignore_ascii_case(WORD))
            && text.get(spaces + WORD.len()).is_none_or(|next| !in_name(*next));
        if found {
            let from = self.at + spaces;
            self.at = from + WORD.len();
            self.push(Tok::Assert, "", from);
            self.run(end);
            self.push(Tok::EndAssert, "", end);
        }
        found
    }

    fn line_comment(&mut self, end: usize) {
        let rest = &self.text[self.at..end];
        let line = self.at + rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        self.at += 2;
        self.assertion(line);
        self.at = line;
    }

    fn block_comment(&mut self, end: usize, open: [u8; 2], close: [u8; 2]) {
        let from = self.at;
        let mut at = from + 2;
        let mut depth = 1;
        while at < end && depth > 0 {
            let two = self.text.get(at..(at + 2).min(end)).unwrap_or_default();
            if two == close {
                (depth, at) = (depth - 1, at + 2);
            } else if two == open {
                (depth, at) = (depth + 1, at + 2);
            } else {
                at += 1;
            }
        }
        if depth > 0 {
            self.at = from + 2;
            self.error(from, "this comment has no end");
        } else {
            self.at = from + 2;
            self.assertion(at - 2);
        }
        self.at = at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<(Tok, String)> {
        let lexed = lex(text.as_bytes(), 1, false);
        let piece = |span: Span| text[span.lo as usize - 1..span.hi as usize - 1].to_string();
        lexed.tokens.iter().map(|token| (token.tok, piece(token.span))).collect()
    }

    #[test]
    fn keywords_are_sorted() {
        assert!(KEYWORDS.is_sorted());
    }

    #[test]
    fn literals_are_single_tokens() {
        for text in
            ["16#8A04", "1_000", "T#1m30s", "TIME#-5s_3ms", "D#2020-01-31", "TOD#12:30:00.5", "INT#16#7F", "1.5E-3"]
        {
            let found = words(text);
            assert_eq!(found.len(), 2, "{text}: {found:?}");
            assert_eq!(found[0].1, text);
        }
        assert_eq!(words("1..5").len(), 4);
        assert_eq!(words("a(* b (* c *) d *)e").len(), 3);
    }

    #[test]
    fn assertion_comments_are_kept() {
        let found = words("x;//#ASSERT a : id\ny(*#ASSERT b*)");
        let kinds: Vec<Tok> = found.iter().map(|(tok, _)| *tok).collect();
        use Tok::*;
        assert_eq!(kinds, [Word, Symbol, Assert, Word, Symbol, Word, EndAssert, Word, Assert, Word, EndAssert, End]);
    }
}
