//! Interned strings: equal text, equal [`Symbol`]. Symbols are dense, so they index tables.

use rustc_hash::FxHasher;
use std::hash::Hasher;

crate::define_id!(
    /// An interned string.
    Symbol,
    "name"
);

/// Open-addressing table over one text buffer: no allocation per string.
#[derive(Clone)]
pub struct Interner {
    text: String,
    ends: Vec<u32>,
    /// Symbol index + 1, or 0 for a free slot; the length is a power of two.
    slots: Vec<u32>,
}

impl Interner {
    pub fn new() -> Self {
        Interner { text: String::new(), ends: Vec::new(), slots: vec![0; 1024] }
    }

    fn hash(text: &str) -> usize {
        let mut hasher = FxHasher::default();
        hasher.write(text.as_bytes());
        let hash = hasher.finish();
        (hash ^ (hash >> 32)) as usize
    }

    pub fn intern(&mut self, text: &str) -> Symbol {
        let mask = self.slots.len() - 1;
        let mut slot = Self::hash(text) & mask;
        while self.slots[slot] != 0 {
            let symbol = Symbol(self.slots[slot] - 1);
            if self.resolve(symbol) == text {
                return symbol;
            }
            slot = (slot + 1) & mask;
        }
        let symbol = Symbol(self.ends.len() as u32);
        self.text.push_str(text);
        self.ends.push(self.text.len() as u32);
        self.slots[slot] = symbol.0 + 1;
        if self.ends.len() * 2 > self.slots.len() {
            self.grow();
        }
        symbol
    }

    /// The symbol of a text that was interned before.
    pub fn lookup(&self, text: &str) -> Option<Symbol> {
        let mask = self.slots.len() - 1;
        let mut slot = Self::hash(text) & mask;
        while self.slots[slot] != 0 {
            let symbol = Symbol(self.slots[slot] - 1);
            if self.resolve(symbol) == text {
                return Some(symbol);
            }
            slot = (slot + 1) & mask;
        }
        None
    }

    fn grow(&mut self) {
        let mut slots = vec![0; self.slots.len() * 2];
        let mask = slots.len() - 1;
        for index in 0..self.ends.len() as u32 {
            let mut slot = Self::hash(self.resolve(Symbol(index))) & mask;
            while slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            slots[slot] = index + 1;
        }
        self.slots = slots;
    }

    #[inline]
    pub fn resolve(&self, symbol: Symbol) -> &str {
        let index = symbol.0 as usize;
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        &self.text[start..self.ends[index] as usize]
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

impl Default for Interner {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_text_gives_equal_symbols_across_growth() {
        let mut interner = Interner::new();
        let symbols: Vec<Symbol> = (0..5000).map(|n| interner.intern(&format!("name{n}"))).collect();
        for (n, symbol) in symbols.iter().enumerate() {
            assert_eq!(interner.intern(&format!("name{n}")), *symbol);
            assert_eq!(interner.resolve(*symbol), format!("name{n}"));
        }
        assert_eq!(interner.lookup("absent"), None);
    }
}
