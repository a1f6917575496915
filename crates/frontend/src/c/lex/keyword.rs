//! Keywords, recognized by their symbol: they are interned first, so that in the usual case the test is one comparison.

use super::token::Tok;
use base::{Interner, Symbol};

static KEYWORDS: &[(&str, Tok)] = &[
    ("auto", Tok::Auto),
    ("break", Tok::Break),
    ("case", Tok::Case),
    ("char", Tok::CharType),
    ("const", Tok::Const),
    ("__const", Tok::Const),
    ("__const__", Tok::Const),
    ("continue", Tok::Continue),
    ("default", Tok::Default),
    ("do", Tok::Do),
    ("double", Tok::Double),
    ("else", Tok::Else),
    ("enum", Tok::Enum),
    ("extern", Tok::Extern),
    ("float", Tok::Float),
    ("for", Tok::For),
    ("goto", Tok::Goto),
    ("if", Tok::If),
    ("inline", Tok::Inline),
    ("__inline", Tok::Inline),
    ("__inline__", Tok::Inline),
    ("int", Tok::Int),
    ("long", Tok::Long),
    ("register", Tok::Register),
    ("restrict", Tok::Restrict),
    ("__restrict", Tok::Restrict),
    ("__restrict__", Tok::Restrict),
    ("return", Tok::Return),
    ("short", Tok::Short),
    ("signed", Tok::Signed),
    ("__signed", Tok::Signed),
    ("__signed__", Tok::Signed),
    ("sizeof", Tok::Sizeof),
    ("static", Tok::Static),
    ("struct", Tok::Struct),
    ("switch", Tok::Switch),
    ("typedef", Tok::Typedef),
    ("union", Tok::Union),
    ("unsigned", Tok::Unsigned),
    ("void", Tok::Void),
    ("volatile", Tok::Volatile),
    ("__volatile", Tok::Volatile),
    ("__volatile__", Tok::Volatile),
    ("while", Tok::While),
    ("_Alignas", Tok::Alignas),
    ("_Alignof", Tok::Alignof),
    ("__alignof", Tok::Alignof),
    ("__alignof__", Tok::Alignof),
    ("alignof", Tok::Alignof),
    ("_Atomic", Tok::Atomic),
    ("_Bool", Tok::Bool),
    ("_Complex", Tok::Complex),
    ("__complex", Tok::Complex),
    ("__complex__", Tok::Complex),
    ("_Imaginary", Tok::Complex),
    ("_Generic", Tok::Generic),
    ("_Noreturn", Tok::Noreturn),
    ("_Static_assert", Tok::StaticAssert),
    ("_Thread_local", Tok::ThreadLocal),
    ("__thread", Tok::ThreadLocal),
    ("asm", Tok::Asm),
    ("__asm", Tok::Asm),
    ("__asm__", Tok::Asm),
    ("__attribute", Tok::Attribute),
    ("__attribute__", Tok::Attribute),
    ("__extension__", Tok::Extension),
    ("typeof", Tok::Typeof),
    ("__typeof", Tok::Typeof),
    ("__typeof__", Tok::Typeof),
    ("__auto_type", Tok::AutoType),
    ("__int128", Tok::Int128),
    ("_Decimal32", Tok::UnsupportedType),
    ("_Decimal64", Tok::UnsupportedType),
    ("_Decimal128", Tok::UnsupportedType),
    ("__builtin_va_list", Tok::VaList),
    ("__builtin_va_arg", Tok::VaArg),
    ("__builtin_offsetof", Tok::Offsetof),
    ("__builtin_types_compatible_p", Tok::TypesCompatible),
    ("__builtin_choose_expr", Tok::ChooseExpr),
    ("__builtin_convertvector", Tok::ConvertVector),
    ("__builtin_has_attribute", Tok::HasAttribute),
    ("__label__", Tok::LabelDecl),
    ("__real", Tok::Real),
    ("__real__", Tok::Real),
    ("__imag", Tok::Imag),
    ("__imag__", Tok::Imag),
    ("_Pragma", Tok::Pragma),
];

/// Symbol to token kind; symbols past the end are plain words.
pub struct Keywords {
    kinds: Vec<Tok>,
}

impl Keywords {
    /// Interns the keywords. An interner that had other words first makes the table longer, not the test slower.
    pub fn intern(names: &mut Interner) -> Self {
        let mut kinds = Vec::with_capacity(KEYWORDS.len());
        for (text, kind) in KEYWORDS {
            let symbol = names.intern(text).0 as usize;
            if symbol >= kinds.len() {
                kinds.resize(symbol + 1, Tok::Word);
            }
            kinds[symbol] = *kind;
        }
        Keywords { kinds }
    }

    #[inline]
    pub fn kind(&self, symbol: Symbol) -> Tok {
        self.kinds.get(symbol.0 as usize).copied().unwrap_or(Tok::Word)
    }
}
