//! A cursor over one line of text.

use base::Span;

/// Where and why a text is not a program. Line and column count from 1; columns count characters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    pub line: u32,
    pub column: u32,
    pub message: String,
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

pub(super) type Parsed<T> = Result<T, ParseError>;

/// A position that survives its cursor: cheap to take, so that errors can name it later.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    line: u32,
    /// Bytes before it on the line.
    at: u32,
}

impl Mark {
    /// The column is in bytes until [`in_characters`].
    pub fn error(self, message: impl Into<String>) -> ParseError {
        ParseError { line: self.line, column: self.at + 1, message: message.into() }
    }
}

pub(super) fn in_characters(mut error: ParseError, text: &str) -> ParseError {
    let line = text.lines().nth(error.line as usize - 1).unwrap_or("");
    let before = line.char_indices().take_while(|(at, _)| (*at as u32) < error.column - 1);
    error.column = before.count() as u32 + 1;
    error
}

#[derive(Clone)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    line: u32,
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str, line: u32) -> Self {
        Cursor { text, at: 0, line }
    }

    /// Where the next token starts.
    pub fn mark(&self) -> Mark {
        let at = self.text.len() - self.rest().trim_start_matches([' ', '\t']).len();
        Mark { line: self.line, at: at as u32 }
    }

    pub fn error<T>(&self, message: impl Into<String>) -> Parsed<T> {
        Err(self.mark().error(message))
    }

    pub fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// The next byte, spaces included.
    pub fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub fn byte_after(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at + 1).copied()
    }

    pub fn space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start_matches([' ', '\t']).len();
    }

    /// Takes the text if it comes next, after spaces.
    pub fn eat(&mut self, expected: &str) -> bool {
        self.space();
        let found = self.rest().starts_with(expected);
        if found {
            self.at += expected.len();
        }
        found
    }

    pub fn expect(&mut self, expected: &str) -> Parsed<()> {
        if self.eat(expected) { Ok(()) } else { self.error(format!("expected `{expected}`")) }
    }

    /// Takes the word if it comes next as a whole.
    pub fn eat_word(&mut self, expected: &str) -> bool {
        self.space();
        let found = self.peek_word() == expected;
        if found {
            self.at += expected.len();
        }
        found
    }

    /// The letters, digits, `_`, `$` and inner `-` (of `unreach-call`) that come next; a minus counts only before a letter.
    pub fn peek_word(&self) -> &'a str {
        let rest = self.rest().trim_start_matches([' ', '\t']);
        let bytes = rest.as_bytes();
        let letter =
            |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte == b'$');
        let inner = |end: usize| {
            bytes.get(end) == Some(&b'-') && end > 0 && bytes.get(end + 1).is_some_and(u8::is_ascii_lowercase)
        };
        let mut end = 0;
        while letter(bytes.get(end)) || inner(end) {
            end += 1;
        }
        &rest[..end]
    }

    pub fn word(&mut self) -> Parsed<&'a str> {
        self.space();
        let word = self.peek_word();
        if word.is_empty() {
            return self.error("expected a word");
        }
        self.at += word.len();
        Ok(word)
    }

    pub fn end(&mut self) -> Parsed<()> {
        self.space();
        if self.rest().is_empty() { Ok(()) } else { self.error("expected the end of the line") }
    }

    pub fn digits(&mut self, radix: u32) -> &'a str {
        let rest = self.rest();
        let digits = &rest[..rest.find(|c: char| !c.is_digit(radix)).unwrap_or(rest.len())];
        self.at += digits.len();
        digits
    }

    pub fn number<T: TryFrom<u64>>(&mut self) -> Parsed<T> {
        self.space();
        let start = self.clone();
        let value = self.digits(10).parse::<u64>().ok().and_then(|value| T::try_from(value).ok());
        value.ok_or_else(|| start.mark().error("expected a number in range"))
    }

    /// The number of an id such as `v12`.
    pub fn id(&mut self, prefix: &str) -> Parsed<u32> {
        self.space();
        let start = self.clone();
        let number = self.word()?.strip_prefix(prefix).and_then(|digits| digits.parse::<u32>().ok());
        number
            .filter(|number| *number < u32::MAX)
            .ok_or_else(|| start.mark().error(format!("expected an id such as `{prefix}0`")))
    }

    /// ` @3..9`, or nothing.
    pub fn span(&mut self) -> Parsed<Span> {
        if !self.eat("@") {
            return Ok(Span::NONE);
        }
        let lo = self.number()?;
        self.expect("..")?;
        let hi = self.number()?;
        if hi < lo {
            return self.error("the span ends before it starts");
        }
        Ok(Span { lo, hi })
    }

    /// An identifier or a quoted name.
    pub fn name(&mut self) -> Parsed<String> {
        self.space();
        if self.byte() != Some(b'"') {
            let rest = self.rest();
            let identifier = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
            let end = rest.find(|c: char| !identifier(c)).unwrap_or(rest.len());
            if end == 0 {
                return self.error("expected a name");
            }
            self.at += end;
            return Ok(rest[..end].to_string());
        }
        self.at += 1;
        let mut name = String::new();
        loop {
            let Some(c) = self.rest().chars().next() else { return self.error("the quote is not closed") };
            self.at += c.len_utf8();
            match c {
                '"' => return Ok(name),
                '\\' => name.push(self.escape()?),
                c => name.push(c),
            }
        }
    }

    fn escape(&mut self) -> Parsed<char> {
        match self.byte() {
            Some(byte @ (b'"' | b'\\')) => {
                self.at += 1;
                Ok(byte as char)
            }
            Some(b'u') => {
                self.at += 1;
                self.expect("{")?;
                let digits = self.digits(16);
                let c = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
                let Some(c) = c else { return self.error("no such character") };
                self.expect("}")?;
                Ok(c)
            }
            _ => self.error("unknown escape"),
        }
    }

    /// A name, or `-` for none.
    pub fn name_or_dash(&mut self) -> Parsed<Option<String>> {
        if self.eat("-") { Ok(None) } else { self.name().map(Some) }
    }
}
