//! Inline definitions (C11 6.7.4p7): a definition that is only for inlining in its own file and gives way to the external one, in another file
//! or, with gcc's attribute `gnu_inline`, further below. gcc without optimization calls the external one. A compiler may choose either, so a
//! call is left open if they are not written the same.

use super::Lower;
use super::attribute::attributes;
use crate::c::ast::{Ast, Attribute, DeclKind, Part, Storage};
use base::{Span, Symbol};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// Which definitions of functions count.
#[derive(Default)]
pub(super) struct Inline {
    /// Where the names of definitions stand that give way to another one.
    yielding: FxHashSet<u32>,
    /// Functions whose definitions differ.
    ambiguous: FxHashSet<Symbol>,
}

/// A definition with external linkage.
struct Definition {
    name: Span,
    /// Parameters and body.
    text: Span,
    inline: bool,
}

impl<'a> Lower<'a> {
    /// Decides which definitions of inline functions count. `same_text`: whether two pieces of source are the same but for spaces.
    pub(super) fn note_inline(&mut self, units: &[&'a Ast], same_text: &dyn Fn(Span, Span) -> bool) {
        let mut definitions: BTreeMap<Symbol, Vec<Definition>> = BTreeMap::new();
        for unit in units {
            for item in &unit.items {
                let DeclKind::Function { specs, declarator, body, .. } = unit.decls[*item].kind else { continue };
                let header = unit.declarators[declarator];
                let Some(name) = header.name else { continue };
                let gnu = attributes(unit, specs, declarator).any(|attribute| self.is_gnu_inline(attribute));
                let (is_inline, storage) = (unit.specs[specs].inline, unit.specs[specs].storage);
                let inline = match (is_inline, storage) {
                    (_, Some(Storage::Static)) => continue,
                    (true, Some(Storage::Extern)) => gnu,
                    (true, _) => !gnu && !declares_externally(unit, name),
                    (false, _) => false,
                };
                let text = Span::new(header.name_span.lo, unit.stmts[body].span.hi);
                definitions.entry(name).or_default().push(Definition { name: header.name_span, text, inline });
            }
        }
        for (name, all) in definitions {
            if all.len() < 2 || !all.iter().any(|definition| definition.inline) {
                continue;
            }
            let counts = all.iter().position(|definition| !definition.inline).unwrap_or(0);
            for (index, definition) in all.iter().enumerate().filter(|(index, _)| *index != counts) {
                if definition.inline && index != counts {
                    self.inline.yielding.insert(definition.name.lo);
                }
                if !same_text(definition.text, all[counts].text) {
                    self.inline.ambiguous.insert(name);
                }
            }
        }
    }

    fn is_gnu_inline(&self, attribute: Attribute) -> bool {
        matches!(attribute, Attribute::Other(name) if self.text(name).trim_matches('_') == "gnu_inline")
    }

    /// Whether the definition whose name stands there gives way to another one.
    pub(super) fn yields(&self, name: Span) -> bool {
        self.inline.yielding.contains(&name.lo)
    }

    /// A call of a function with two definitions.
    pub(super) fn check_ambiguous(&mut self, name: Symbol, span: Span) {
        if self.inline.ambiguous.contains(&name) {
            let what = format!("which of the definitions of the inline function `{}` is called", self.text(name));
            self.left_open(span, &what);
        }
    }
}

/// Whether a unit declares a function at file scope without `inline`, or with `extern`, which makes its definition an external one.
fn declares_externally(unit: &Ast, name: Symbol) -> bool {
    unit.items.iter().any(|item| {
        let DeclKind::Variables { specs, declarators } = unit.decls[*item].kind else { return false };
        let specs = &unit.specs[specs];
        let plain = !specs.inline || specs.storage == Some(Storage::Extern);
        plain
            && unit.get(declarators).iter().any(|item| {
                let declarator = unit.declarators[item.declarator];
                let is_function = matches!(unit.get(declarator.parts).first(), Some(Part::Function { .. }));
                declarator.name == Some(name) && is_function
            })
    })
}
