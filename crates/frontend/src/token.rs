//! Tokens as templates for edits see them: what a piece of text is for, not how a language spells it.

use base::Span;
use cfa::BinOp;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    pub kind: TokenKind,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenKind {
    /// A name that is no keyword.
    Word,
    Number,
    Character,
    /// A comparison or an arithmetic operator; some have another meaning with one operand.
    Binary(BinOp),
    And,
    Or,
    Not,
    /// One of two constants.
    Truth(bool),
    /// The operator of an assignment that does nothing else.
    Assign,
    /// The operator of an assignment that computes with what the target is.
    Update(BinOp),
    /// One more, or one less.
    Increment,
    Decrement,
    /// The word before the value that a function returns.
    Return,
    /// Of `c ? a : b`.
    Question,
    Colon,
    Comma,
    Semicolon,
    LeftParen,
    RightParen,
    LeftBracket,
    RightBracket,
    LeftBrace,
    Other,
    /// After the last one, without text.
    End,
}
