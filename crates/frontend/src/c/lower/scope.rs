//! Names: what an identifier or a tag means here. Tables are indexed by symbol and undone block by block, so a lookup is one load.
//! The same bindings are written into the program's scopes, where witnesses and reports look names up later.

use super::Lower;
use super::qualifiers::Qualifiers;
use super::vla::Vla;
use base::{Span, Symbol};
use cfa::{Binding, Bits, ExprId, FuncId, Scope, ScopeId, TypeId, VarId};
use rustc_hash::FxHashMap;

/// An ordinary identifier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Name {
    /// The variable and the type it is declared with here (another file may know it by another, compatible type).
    Var(VarId, TypeId),
    /// A variable-length array.
    Vla(Vla),
    Function(FuncId),
    Typedef {
        ty: TypeId,
        qualifiers: Qualifiers,
    },
    Constant(TypeId, Bits),
    /// A value that a witness names: `\\result`. Never bound, only [`Lower::shadow`]ed.
    Value(ExprId),
    /// A parameter while its prototype is read: it has a type, but there is no object yet. Never bound, only [`Lower::shadow`]ed.
    Param(TypeId),
}

#[derive(Default)]
pub(super) struct Names {
    ordinary: Vec<Option<Name>>,
    tags: Vec<Option<TypeId>>,
    /// GNU labels of a block, by the name that is theirs alone in the function.
    labels: FxHashMap<Symbol, Symbol>,
    undo: Vec<Undo>,
    /// Innermost last. The first is the file scope of the current unit.
    pub blocks: Vec<Block>,
}

enum Undo {
    Ordinary(Symbol, Option<Name>),
    Tag(Symbol, Option<TypeId>),
    Label(Symbol, Option<Symbol>),
}

pub(super) struct Block {
    pub scope: ScopeId,
    undo_from: usize,
    tags_from: Vec<Symbol>,
}

impl Names {
    pub fn ordinary(&self, name: Symbol) -> Option<Name> {
        self.ordinary.get(name.0 as usize).copied().flatten()
    }

    pub fn tag(&self, tag: Symbol) -> Option<TypeId> {
        self.tags.get(tag.0 as usize).copied().flatten()
    }

    /// The label that a name means here.
    pub fn label(&self, name: Symbol) -> Symbol {
        self.labels.get(&name).copied().unwrap_or(name)
    }

    /// Whether the tag was declared in the innermost block.
    pub fn tag_is_local(&self, tag: Symbol) -> bool {
        self.blocks.last().is_some_and(|block| block.tags_from.contains(&tag)) || self.blocks.len() == 1
    }

    fn set<T>(table: &mut Vec<Option<T>>, name: Symbol, value: Option<T>) -> Option<T> {
        let index = name.0 as usize;
        if index >= table.len() {
            table.resize_with(index + 1, || None);
        }
        std::mem::replace(&mut table[index], value)
    }

    /// Forgets everything: a new translation unit begins.
    pub fn clear(&mut self) {
        self.ordinary.clear();
        self.tags.clear();
        self.undo.clear();
        self.blocks.clear();
    }
}

impl Lower<'_> {
    /// Opens the file scope of the next unit.
    pub(super) fn open_unit(&mut self, first: bool) {
        self.names.clear();
        let scope = if first {
            ScopeId(0)
        } else {
            // Inside the first unit's, where no name of that one is visible yet: so there is one root.
            self.program.scopes.push(Scope { parent: Some((ScopeId(0), 0)), names: Vec::new(), span: Span::NONE })
        };
        self.names.blocks.push(Block { scope, undo_from: 0, tags_from: Vec::new() });
    }

    pub(super) fn open_block(&mut self, span: Span) {
        let parent = self.scope();
        let visible = self.program.scopes[parent].names.len() as u32;
        let scope = self.program.scopes.push(Scope { parent: Some((parent, visible)), names: Vec::new(), span });
        let undo_from = self.names.undo.len();
        self.names.blocks.push(Block { scope, undo_from, tags_from: Vec::new() });
    }

    pub(super) fn close_block(&mut self) {
        let block = self.names.blocks.pop().expect("a block is open");
        while self.names.undo.len() > block.undo_from {
            match self.names.undo.pop() {
                Some(Undo::Ordinary(name, old)) => drop(Names::set(&mut self.names.ordinary, name, old)),
                Some(Undo::Tag(tag, old)) => drop(Names::set(&mut self.names.tags, tag, old)),
                Some(Undo::Label(name, Some(old))) => drop(self.names.labels.insert(name, old)),
                Some(Undo::Label(name, None)) => drop(self.names.labels.remove(&name)),
                None => break,
            }
        }
    }

    /// A label that only the innermost block knows.
    pub(super) fn bind_label(&mut self, name: Symbol) {
        let own = format!("{} of block {}", self.text(name), self.scope().0);
        let own = self.program.names.intern(&own);
        let old = self.names.labels.insert(name, own);
        self.names.undo.push(Undo::Label(name, old));
    }

    pub(super) fn scope(&self) -> ScopeId {
        self.names.blocks.last().expect("a scope is open").scope
    }

    pub(super) fn at_file_scope(&self) -> bool {
        self.names.blocks.len() == 1
    }

    pub(super) fn bind(&mut self, name: Symbol, meaning: Name) {
        let old = Names::set(&mut self.names.ordinary, name, Some(meaning));
        if !self.at_file_scope() {
            self.names.undo.push(Undo::Ordinary(name, old));
        }
        let binding = match meaning {
            Name::Var(var, _) | Name::Vla(Vla { pointer: var, .. }) => Binding::Var(var),
            Name::Function(function) => Binding::Function(function),
            Name::Typedef { ty, .. } => Binding::Type(ty),
            Name::Constant(ty, bits) => Binding::Constant(ty, bits),
            Name::Param(_) | Name::Value(_) => return,
        };
        let scope = self.scope();
        self.program.scopes[scope].names.push((name, binding));
    }

    /// Binds a name temporarily; returns the old binding, which must be restored by [`Lower::unshadow`].
    pub(super) fn shadow(&mut self, name: Symbol, meaning: Name) -> (Symbol, Option<Name>) {
        (name, Names::set(&mut self.names.ordinary, name, Some(meaning)))
    }

    /// Takes shadows back, the last one first.
    pub(super) fn unshadow(&mut self, shadows: Vec<(Symbol, Option<Name>)>) {
        for (name, meaning) in shadows.into_iter().rev() {
            Names::set(&mut self.names.ordinary, name, meaning);
        }
    }

    pub(super) fn bind_tag(&mut self, tag: Symbol, ty: TypeId) {
        let old = Names::set(&mut self.names.tags, tag, Some(ty));
        if !self.at_file_scope() {
            self.names.undo.push(Undo::Tag(tag, old));
        }
        self.names.blocks.last_mut().expect("a scope is open").tags_from.push(tag);
    }

    /// The meaning of a name in the innermost scope only.
    pub(super) fn local_meaning(&self, name: Symbol) -> Option<Name> {
        let meaning = self.names.ordinary(name)?;
        if self.at_file_scope() {
            return Some(meaning);
        }
        let names = &self.program.scopes[self.scope()].names;
        names.iter().any(|(bound, _)| *bound == name).then_some(meaning)
    }
}
