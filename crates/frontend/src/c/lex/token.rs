//! Tokens: twelve bytes each, kept in one flat vector.

use base::{Span, Symbol};

#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// Global position of the first byte.
    pub lo: u32,
    /// Words and keywords: the [`Symbol`]. Literals: offset of the first byte in [`super::Lexed::text`].
    pub value: u32,
    pub kind: Tok,
    /// Little endian.
    length: [u8; 3],
}

/// Of a token, in bytes.
pub const MAX_LENGTH: u32 = (1 << 24) - 1;

impl Token {
    /// A token longer than [`MAX_LENGTH`] is cut; the lexer has reported it.
    #[inline]
    pub fn new(kind: Tok, lo: u32, hi: u32, value: u32) -> Self {
        let [a, b, c, _] = (hi - lo).min(MAX_LENGTH).to_le_bytes();
        Token { lo, value, kind, length: [a, b, c] }
    }

    /// Global position of the byte after the last.
    #[inline]
    pub fn hi(self) -> u32 {
        let [a, b, c] = self.length;
        self.lo + u32::from_le_bytes([a, b, c, 0])
    }

    #[inline]
    pub fn span(self) -> Span {
        Span { lo: self.lo, hi: self.hi() }
    }

    #[inline]
    pub fn symbol(self) -> Symbol {
        Symbol(self.value)
    }
}

macro_rules! tokens {
    ($($kind:ident $text:literal,)*) => {
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        pub enum Tok {
            $($kind,)*
        }

        impl Tok {
            /// As named in messages.
            pub fn text(self) -> &'static str {
                match self {
                    $(Tok::$kind => $text,)*
                }
            }
        }
    };
}

tokens!(
    End "end of input",
    Word "identifier",
    Number "number",
    Char "character constant",
    Text "string literal",
    // Around the tokens of an ACSL assertion; both are empty spans at the ends of the comment's content.
    AcslStart "ACSL assertion",
    AcslEnd "end of ACSL comment",
    LBrace "{",
    RBrace "}",
    LParen "(",
    RParen ")",
    LBracket "[",
    RBracket "]",
    Semi ";",
    Comma ",",
    Dot ".",
    Ellipsis "...",
    Arrow "->",
    PlusPlus "++",
    MinusMinus "--",
    Amp "&",
    Star "*",
    Plus "+",
    Minus "-",
    Tilde "~",
    Bang "!",
    Slash "/",
    Percent "%",
    Shl "<<",
    Shr ">>",
    Lt "<",
    Gt ">",
    Le "<=",
    Ge ">=",
    EqEq "==",
    Ne "!=",
    Caret "^",
    Pipe "|",
    AndAnd "&&",
    OrOr "||",
    Question "?",
    Colon ":",
    Eq "=",
    StarEq "*=",
    SlashEq "/=",
    PercentEq "%=",
    PlusEq "+=",
    MinusEq "-=",
    ShlEq "<<=",
    ShrEq ">>=",
    AmpEq "&=",
    CaretEq "^=",
    PipeEq "|=",
    Auto "auto",
    Break "break",
    Case "case",
    CharType "char",
    Const "const",
    Continue "continue",
    Default "default",
    Do "do",
    Double "double",
    Else "else",
    Enum "enum",
    Extern "extern",
    Float "float",
    For "for",
    Goto "goto",
    If "if",
    Inline "inline",
    Int "int",
    Long "long",
    Register "register",
    Restrict "restrict",
    Return "return",
    Short "short",
    Signed "signed",
    Sizeof "sizeof",
    Static "static",
    Struct "struct",
    Switch "switch",
    Typedef "typedef",
    Union "union",
    Unsigned "unsigned",
    Void "void",
    Volatile "volatile",
    While "while",
    Alignas "_Alignas",
    Alignof "_Alignof",
    Atomic "_Atomic",
    Bool "_Bool",
    Complex "_Complex",
    Generic "_Generic",
    Noreturn "_Noreturn",
    StaticAssert "_Static_assert",
    ThreadLocal "_Thread_local",
    Asm "asm",
    Attribute "__attribute__",
    Extension "__extension__",
    Typeof "typeof",
    AutoType "__auto_type",
    Int128 "__int128",
    UnsupportedType "unsupported type",
    VaList "__builtin_va_list",
    VaArg "__builtin_va_arg",
    Offsetof "__builtin_offsetof",
    TypesCompatible "__builtin_types_compatible_p",
    ChooseExpr "__builtin_choose_expr",
    ConvertVector "__builtin_convertvector",
    HasAttribute "__builtin_has_attribute",
    LabelDecl "__label__",
    Real "__real__",
    Imag "__imag__",
    Pragma "_Pragma",
);
