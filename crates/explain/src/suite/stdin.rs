//! The standard input of a test: the text that library functions read. They ask for it by inputs (`frontend`'s `stream.c` and `scan.c` say which
//! means what): for a character, for a number without looking at its digits, and for whether there is a number.

use super::inputs::InputNumber;
use cfa::interp::{InputRequest, InputSource};
use cfa::{Callee, Op, Program};

#[derive(Clone, Debug)]
pub struct Stdin {
    text: Vec<u8>,
    at: usize,
    /// What was found where a number was looked for.
    number: Option<InputNumber>,
}

/// What stands where a number is looked for.
enum Found {
    End,
    Number,
    Other,
}

/// The answer of `scan.c`'s functions for the end of the input.
const END: i128 = -1;

impl Stdin {
    pub fn new(text: &[u8]) -> Self {
        Stdin { text: text.to_vec(), at: 0, number: None }
    }

    /// The answer to a request of the library; `None` if it is not about the standard input.
    pub fn answer(&mut self, program: &Program, request: &InputRequest) -> Option<InputNumber> {
        let InputSource::Edge { edge, .. } = request.source else { return None };
        let Op::Call { callee: Callee::Direct(source), .. } = program.edges[edge].op else { return None };
        let asks = program.function_name(program.locations[program.edges[edge].from].function);
        Some(match (program.function_name(source), asks) {
            ("__library_input_character", "read") => return None,
            ("__library_input_character", _) => self.character(),
            ("__library_input_after_spaces", _) => {
                self.skip_spaces();
                self.character()
            }
            ("__library_input_int", "__library_scan_number") => InputNumber::Int(match self.look(false) {
                Found::End => 0,
                Found::Number => 1,
                Found::Other => -1,
            }),
            ("__library_input_int", "__library_scan") => InputNumber::Int(match self.look(true) {
                Found::End => END,
                Found::Number => 1,
                Found::Other => 0,
            }),
            ("__library_input_number", "__library_scan_number")
            | ("__library_input_double" | "__library_input_float", "__library_scan") => self.number.take()?,
            // Nothing fails that does not read.
            ("__library_input_int", "fflush" | "ferror" | "fclose") => InputNumber::Int(0),
            _ => return None,
        })
    }

    fn character(&mut self) -> InputNumber {
        let byte = self.text.get(self.at).copied();
        self.at += 1;
        InputNumber::Int(byte.map_or(END, i128::from))
    }

    fn skip_spaces(&mut self) {
        let space = |byte: &u8| *byte == b' ' || (b'\t'..=b'\r').contains(byte);
        while self.text.get(self.at).is_some_and(space) {
            self.at += 1;
        }
    }

    /// Looks for a number behind spaces, and takes it.
    fn look(&mut self, float: bool) -> Found {
        self.skip_spaces();
        let rest = self.text.get(self.at..).unwrap_or_default();
        if rest.is_empty() {
            return Found::End;
        }
        let signs = rest.iter().take_while(|byte| matches!(byte, b'+' | b'-')).count().min(1);
        let belongs = |byte: &&u8| byte.is_ascii_digit() || (float && matches!(byte, b'.' | b'e' | b'E' | b'-' | b'+'));
        let mut length = signs + rest[signs..].iter().take_while(belongs).count();
        // Of what could belong to a float, as much as is one.
        while length > signs {
            let text = String::from_utf8_lossy(&rest[..length]);
            let number = if float { text.parse().ok().map(InputNumber::Float) } else { integer(&text) };
            if let Some(number) = number {
                self.at += length;
                self.number = Some(number);
                return Found::Number;
            }
            length -= 1;
        }
        Found::Other
    }
}

/// An integer as glibc stores it: one that is too large becomes the nearest that is not.
fn integer(text: &str) -> Option<InputNumber> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() {
        return None;
    }
    let magnitude = digits.parse::<i128>().unwrap_or(i128::MAX).min(i64::MAX as i128 + 1);
    let value = if text.starts_with('-') { -magnitude } else { magnitude.min(i64::MAX as i128) };
    Some(InputNumber::Int(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_what_follows_them() {
        let mut stdin = Stdin::new(b"  12 -3x 1.5e2,");
        assert!(matches!(stdin.look(false), Found::Number));
        assert_eq!(stdin.number.take(), Some(InputNumber::Int(12)));
        assert!(matches!(stdin.look(false), Found::Number));
        assert_eq!(stdin.number.take(), Some(InputNumber::Int(-3)));
        assert!(matches!(stdin.look(false), Found::Other));
        assert_eq!(stdin.character(), InputNumber::Int(b'x'.into()));
        assert!(matches!(stdin.look(true), Found::Number));
        assert_eq!(stdin.number.take(), Some(InputNumber::Float(150.0)));
        assert_eq!(stdin.character(), InputNumber::Int(b','.into()));
        assert!(matches!(stdin.look(true), Found::End));
        assert_eq!(stdin.character(), InputNumber::Int(END));
    }
}
