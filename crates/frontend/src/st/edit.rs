//! Tokens of Structured Text for templates of edits, and how it spells what they put in.

use super::lex::{self, Tok};
use crate::{Token, TokenKind};
use cfa::BinOp;

/// The kinds that templates know, with their spelling.
const KINDS: &[(&str, TokenKind)] = &[
    ("<", TokenKind::Binary(BinOp::Lt)),
    ("<=", TokenKind::Binary(BinOp::Le)),
    (">", TokenKind::Binary(BinOp::Gt)),
    (">=", TokenKind::Binary(BinOp::Ge)),
    ("=", TokenKind::Binary(BinOp::Eq)),
    ("<>", TokenKind::Binary(BinOp::Ne)),
    ("+", TokenKind::Binary(BinOp::Add)),
    ("-", TokenKind::Binary(BinOp::Sub)),
    ("*", TokenKind::Binary(BinOp::Mul)),
    ("/", TokenKind::Binary(BinOp::Div)),
    ("MOD", TokenKind::Binary(BinOp::Rem)),
    ("AND", TokenKind::And),
    ("OR", TokenKind::Or),
    ("&", TokenKind::And),
    ("NOT", TokenKind::Not),
    ("TRUE", TokenKind::Truth(true)),
    ("FALSE", TokenKind::Truth(false)),
    ("RETURN", TokenKind::Return),
    (":=", TokenKind::Assign),
    (":", TokenKind::Colon),
    (",", TokenKind::Comma),
    (";", TokenKind::Semicolon),
    ("(", TokenKind::LeftParen),
    (")", TokenKind::RightParen),
    ("[", TokenKind::LeftBracket),
    ("]", TokenKind::RightBracket),
];

/// The tokens of a text that begins at a position of the source map.
pub fn tokens(text: &[u8], position: u32) -> Vec<Token> {
    let kind = |token: &lex::Token| match token.tok {
        Tok::Number | Tok::Typed => TokenKind::Number,
        Tok::Quoted => TokenKind::Word,
        Tok::Word if token.word.is_empty() => TokenKind::Word,
        Tok::Word | Tok::Symbol => {
            KINDS.iter().find(|(word, _)| *word == token.word).map_or(TokenKind::Other, |(_, kind)| *kind)
        }
        Tok::End => TokenKind::End,
        _ => TokenKind::Other,
    };
    // Quotation marks stand around names of SCL, and around text that is not supported elsewhere.
    let scl = text.contains(&b'"');
    lex::lex(text, position, scl).tokens.iter().map(|token| Token { kind: kind(token), span: token.span }).collect()
}

pub fn spelling(kind: TokenKind) -> Option<&'static str> {
    KINDS.iter().find(|(_, known)| *known == kind).map(|(word, _)| *word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spelled_is_read_back() {
        for (text, kind) in KINDS {
            let kinds: Vec<TokenKind> = tokens(text.as_bytes(), 1).iter().map(|token| token.kind).collect();
            assert_eq!(kinds, [*kind, TokenKind::End], "{text}");
        }
        assert_eq!(spelling(TokenKind::Question), None);
    }
}
