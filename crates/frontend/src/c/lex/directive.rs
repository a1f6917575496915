//! What is left of the preprocessor in a preprocessed text: line markers and pragmas.

use super::{CLASSES, Class, Lexer};
use base::Diagnostic;
use base::source::LineMark;

impl Lexer<'_> {
    /// At a `#`: takes the whole line.
    #[cold]
    pub(super) fn directive(&mut self, start: usize) {
        let before = self.text[..start].iter().rev().take_while(|byte| **byte != b'\n');
        if !before.clone().all(|byte| CLASSES[*byte as usize] == Class::Space) {
            let length = if self.text[start] == b'#' { 1 } else { 2 };
            self.at = start + length;
            return self.error(start, self.at, "stray `#` in program");
        }
        let rest = &self.text[start..];
        let end = start + rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        self.at = end;
        let length = if self.text[start] == b'#' { 1 } else { 2 };
        let line = self.text[start + length..end].trim_ascii();
        let name_length = line.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        let (name, operands) = line.split_at(name_length);
        match name {
            b"" if line.is_empty() => {}
            b"pragma" => self.pragma(operands),
            b"ident" | b"sccs" => {}
            b"line" => self.line_mark(start, end, operands.trim_ascii()),
            [b'0'..=b'9', ..] => self.line_mark(start, end, line),
            _ => {
                let span = self.span(start, end);
                let message = format!("unexpected preprocessor directive `#{}`", String::from_utf8_lossy(name));
                let help = "run the file through the preprocessor first (`gcc -E`)";
                self.diagnostics.push(Diagnostic::error(span, message).help(help));
            }
        }
    }

    /// `12 "file.c" 1 3`
    fn line_mark(&mut self, start: usize, end: usize, operands: &[u8]) {
        let digits = operands.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, rest) = operands.split_at(digits);
        let number = number.iter().fold(0u64, |value, digit| (value * 10 + (digit - b'0') as u64).min(i32::MAX as u64));
        let rest = rest.trim_ascii_start();
        // What stands behind the name are flags: 3 is a system header.
        let flags = rest.iter().rposition(|byte| *byte == b'"').map_or(&rest[..0], |quote| &rest[quote + 1..]);
        let system = flags.contains(&b'3');
        let name = match rest {
            _ if digits == 0 => None,
            [b'"', quoted @ ..] => unescape(quoted),
            [] => Some(self.marks.last().map_or(String::new(), |mark| mark.name.clone())),
            _ => None,
        };
        let Some(name) = name else { return self.error(start, end, "malformed line marker") };
        // gcc numbers what comes before a file from 0; nothing but further markers stands there.
        let line = number.max(1) as u32;
        let position = self.base + (end + 1).min(self.text.len()) as u32;
        // Of several markers for the same line the last one counts.
        if self.marks.last().is_some_and(|mark| mark.position == position) {
            self.marks.pop();
        }
        self.marks.push(LineMark { position, line, name, system });
    }

    /// `_Pragma("…")`, after the word.
    #[cold]
    pub(super) fn pragma_operator(&mut self) {
        let word = self.at;
        let skip_space = |at: usize| at + self.text[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let open = skip_space(word);
        let quote = skip_space((open + 1).min(self.text.len()));
        let mut end = quote + 1;
        while !matches!(self.byte(end), b'"' | b'\n') && end < self.text.len() {
            end += if self.byte(end) == b'\\' { 2 } else { 1 };
        }
        let close = skip_space((end + 1).min(self.text.len()));
        if self.byte(open) != b'(' || self.byte(quote) != b'"' || self.byte(end) != b'"' || self.byte(close) != b')' {
            return self.error(word, word, "expected a parenthesised string literal after `_Pragma`");
        }
        self.at = close + 1;
        let text = self.text;
        self.pragma(&text[quote + 1..end]);
    }

    fn pragma(&mut self, operands: &[u8]) {
        let operands = operands.trim_ascii();
        if let Some(rest) = operands.strip_prefix(b"pack") {
            self.pack(rest);
        } else if let Some(rest) = operands.strip_prefix(b"weak") {
            self.weak(rest);
        }
    }

    /// `name` or `name = other`
    fn weak(&mut self, operands: &[u8]) {
        let mut words = operands.split(|byte| *byte == b'=').map(|word| {
            let word = word.trim_ascii();
            let is_word = |byte: &u8| matches!(CLASSES[*byte as usize], Class::Word | Class::Digit);
            let word = std::str::from_utf8(word).ok().filter(|_| !word.is_empty() && word.iter().all(is_word));
            word.map(|word| self.names.intern(word))
        });
        if let Some(Some(name)) = words.next() {
            let other = words.next().flatten();
            drop(words);
            self.weak.push((name, other));
        }
    }

    /// `(n)`, `()`, `(push)`, `(push, n)`, `(pop)`; the name that `push` and `pop` may have is not looked at.
    fn pack(&mut self, operands: &[u8]) {
        let operands = operands.trim_ascii();
        let Some(inner) = operands.strip_prefix(b"(") else { return };
        let inner = &inner[..inner.iter().position(|byte| *byte == b')').unwrap_or(inner.len())];
        let current = self.packs.last().map_or(0, |(_, pack)| *pack);
        let mut pack = if inner.trim_ascii().is_empty() { 0 } else { current };
        for operand in inner.split(|byte| *byte == b',').map(<[u8]>::trim_ascii) {
            match operand {
                b"push" => self.pack_stack.push(current),
                b"pop" => pack = self.pack_stack.pop().unwrap_or(0),
                b"0" => pack = 0,
                b"1" => pack = 1,
                b"2" => pack = 2,
                b"4" => pack = 4,
                b"8" => pack = 8,
                b"16" => pack = 16,
                _ => {}
            }
        }
        self.packs.push((self.tokens.len() as u32, pack));
    }
}

/// The text up to the closing quote, without backslashes. File names have no other escapes than octal ones.
fn unescape(quoted: &[u8]) -> Option<String> {
    let mut name = Vec::new();
    let mut at = 0;
    loop {
        match *quoted.get(at)? {
            b'"' => return Some(String::from_utf8_lossy(&name).into_owned()),
            b'\\' => {
                let rest = &quoted[at + 1..];
                let digits = rest.iter().take(3).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
                if digits == 0 {
                    name.push(*rest.first()?);
                    at += 2;
                } else {
                    name.push(rest[..digits].iter().fold(0u32, |value, digit| value * 8 + (digit - b'0') as u32) as u8);
                    at += 1 + digits;
                }
            }
            byte => {
                name.push(byte);
                at += 1;
            }
        }
    }
}
