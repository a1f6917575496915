//! Which words are typedef names here. Only this much of name lookup is needed to parse C.

use super::super::ast::TypeSpec;
use base::{Interner, Symbol};
use cfa::{FloatKind, IntKind};

/// What a word means in the current scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Meaning {
    Ordinary,
    Typedef,
    /// An index into [`PREDEFINED`].
    Predefined(u8),
}

/// Type names that gcc knows without a declaration. They may be declared again (glibc does for old compilers), so they are no keywords.
static PREDEFINED: &[(&str, Predefined)] = &[
    ("__int128_t", Predefined::Int(IntKind::Int128)),
    ("__uint128_t", Predefined::Int(IntKind::UInt128)),
    ("_Float32", Predefined::Float(FloatKind::Float)),
    ("_Float64", Predefined::Float(FloatKind::Double)),
    ("_Float32x", Predefined::Float(FloatKind::Double)),
    ("__float80", Predefined::Float(FloatKind::LongDouble)),
    ("_Float64x", Predefined::Unsupported),
    ("_Float128", Predefined::Unsupported),
    ("__float128", Predefined::Unsupported),
    ("_Float16", Predefined::Unsupported),
    ("__bf16", Predefined::Unsupported),
];

enum Predefined {
    Int(IntKind),
    Float(FloatKind),
    Unsupported,
}

pub struct Scopes {
    /// By symbol.
    meanings: Vec<Meaning>,
    /// What to restore when scopes close.
    undo: Vec<(Symbol, Meaning)>,
    /// Length of `undo` when each open scope was opened.
    starts: Vec<usize>,
}

impl Scopes {
    /// All words of the text must have been interned.
    pub fn new(names: &mut Interner) -> Self {
        let symbols: Vec<Symbol> = PREDEFINED.iter().map(|(name, _)| names.intern(name)).collect();
        let mut meanings = vec![Meaning::Ordinary; names.len()];
        for (index, symbol) in symbols.into_iter().enumerate() {
            meanings[symbol.0 as usize] = Meaning::Predefined(index as u8);
        }
        Scopes { meanings, undo: Vec::new(), starts: Vec::new() }
    }

    #[inline]
    pub fn is_type(&self, symbol: Symbol) -> bool {
        self.meanings[symbol.0 as usize] != Meaning::Ordinary
    }

    /// What a type name stands for: itself, or a predefined type.
    pub fn type_spec(&self, symbol: Symbol) -> TypeSpec {
        match self.meanings[symbol.0 as usize] {
            Meaning::Predefined(index) => match PREDEFINED[index as usize].1 {
                Predefined::Int(kind) => TypeSpec::Int(kind),
                Predefined::Float(kind) => TypeSpec::Float(kind),
                Predefined::Unsupported => TypeSpec::Unsupported(symbol),
            },
            _ => TypeSpec::Name(symbol),
        }
    }

    #[inline]
    pub fn declare(&mut self, symbol: Symbol, is_typedef: bool) {
        let new = if is_typedef { Meaning::Typedef } else { Meaning::Ordinary };
        let old = self.meanings[symbol.0 as usize];
        if old != new {
            self.meanings[symbol.0 as usize] = new;
            if !self.starts.is_empty() {
                self.undo.push((symbol, old));
            }
        }
    }

    /// After "unknown type name": a type everywhere, so that it is reported once.
    pub fn assume_type(&mut self, symbol: Symbol) {
        self.meanings[symbol.0 as usize] = Meaning::Typedef;
    }

    pub fn open(&mut self) {
        self.starts.push(self.undo.len());
    }

    pub fn close(&mut self) {
        let start = self.starts.pop().unwrap_or(0);
        self.undo_to(start);
    }

    /// Number of open scopes.
    pub fn level(&self) -> usize {
        self.starts.len()
    }

    /// Closes scopes that a failed construct left open.
    pub fn close_to(&mut self, level: usize) {
        while self.starts.len() > level {
            self.close();
        }
    }

    fn undo_to(&mut self, start: usize) {
        while self.undo.len() > start {
            if let Some((symbol, meaning)) = self.undo.pop() {
                self.meanings[symbol.0 as usize] = meaning;
            }
        }
    }
}
