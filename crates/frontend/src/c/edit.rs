//! Tokens of C for templates of edits, and how C spells what they put in.

use super::lex::{self, Tok};
use crate::{Token, TokenKind};
use base::Interner;
use cfa::BinOp;

/// The kinds that templates know, with their spelling.
const KINDS: &[(Tok, TokenKind)] = &[
    (Tok::Word, TokenKind::Word),
    (Tok::Number, TokenKind::Number),
    (Tok::Char, TokenKind::Character),
    (Tok::Lt, TokenKind::Binary(BinOp::Lt)),
    (Tok::Le, TokenKind::Binary(BinOp::Le)),
    (Tok::Gt, TokenKind::Binary(BinOp::Gt)),
    (Tok::Ge, TokenKind::Binary(BinOp::Ge)),
    (Tok::EqEq, TokenKind::Binary(BinOp::Eq)),
    (Tok::Ne, TokenKind::Binary(BinOp::Ne)),
    (Tok::Plus, TokenKind::Binary(BinOp::Add)),
    (Tok::Minus, TokenKind::Binary(BinOp::Sub)),
    (Tok::Star, TokenKind::Binary(BinOp::Mul)),
    (Tok::Slash, TokenKind::Binary(BinOp::Div)),
    (Tok::Percent, TokenKind::Binary(BinOp::Rem)),
    (Tok::AndAnd, TokenKind::And),
    (Tok::OrOr, TokenKind::Or),
    (Tok::Bang, TokenKind::Not),
    (Tok::Eq, TokenKind::Assign),
    (Tok::PlusEq, TokenKind::Update(BinOp::Add)),
    (Tok::MinusEq, TokenKind::Update(BinOp::Sub)),
    (Tok::StarEq, TokenKind::Update(BinOp::Mul)),
    (Tok::SlashEq, TokenKind::Update(BinOp::Div)),
    (Tok::PercentEq, TokenKind::Update(BinOp::Rem)),
    (Tok::PlusPlus, TokenKind::Increment),
    (Tok::MinusMinus, TokenKind::Decrement),
    (Tok::Return, TokenKind::Return),
    (Tok::Question, TokenKind::Question),
    (Tok::Colon, TokenKind::Colon),
    (Tok::Comma, TokenKind::Comma),
    (Tok::Semi, TokenKind::Semicolon),
    (Tok::LParen, TokenKind::LeftParen),
    (Tok::RParen, TokenKind::RightParen),
    (Tok::LBracket, TokenKind::LeftBracket),
    (Tok::RBracket, TokenKind::RightBracket),
    (Tok::LBrace, TokenKind::LeftBrace),
    (Tok::End, TokenKind::End),
];

/// The tokens of a text that begins at a position of the source map.
pub fn tokens(text: &[u8], position: u32) -> Vec<Token> {
    let kind = |tok| KINDS.iter().find(|(known, _)| *known == tok).map_or(TokenKind::Other, |(_, kind)| *kind);
    let tokens = lex::lex(text, position, &mut Interner::new()).tokens;
    let mut tokens: Vec<Token> =
        tokens.into_iter().map(|token| Token { kind: kind(token.kind), span: token.span() }).collect();
    // The parser looks ahead, so the lexer ends with several.
    tokens.dedup_by(|next, token| next.kind == TokenKind::End && token.kind == TokenKind::End);
    tokens
}

/// How an operator is written; `None` for what has no spelling of its own.
pub fn spelling(kind: TokenKind) -> Option<&'static str> {
    match kind {
        TokenKind::Word | TokenKind::Number | TokenKind::Character | TokenKind::Other | TokenKind::End => None,
        kind => KINDS.iter().find(|(_, known)| *known == kind).map(|(tok, _)| tok.text()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spelled_is_read_back() {
        for (_, kind) in KINDS {
            let Some(text) = spelling(*kind) else { continue };
            let kinds: Vec<TokenKind> = tokens(text.as_bytes(), 1).iter().map(|token| token.kind).collect();
            assert_eq!(kinds, [*kind, TokenKind::End], "{text}");
        }
        assert_eq!(spelling(TokenKind::Binary(BinOp::Shl)), None);
    }
}
