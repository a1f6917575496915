//! Which declarations name an enumeration: types do not keep it, and people want to read the names of its constants.
//!
//! Invariant: a name that means different enumerations in different scopes or units means none here.

use super::Lower;
use crate::c::ast::{self, Declarator, Part, Specs, TypeSpec};
use base::{Span, Symbol};
use cfa::enumeration::Constants;
use rustc_hash::FxHashMap;

#[derive(Default)]
pub(super) struct EnumerationNames {
    definitions: FxHashMap<Span, usize>,
    tags: FxHashMap<Symbol, Option<usize>>,
    typedefs: FxHashMap<Symbol, Option<usize>>,
}

fn note(names: &mut FxHashMap<Symbol, Option<usize>>, name: Symbol, enumeration: Option<usize>) {
    let known = names.entry(name).or_insert(enumeration);
    if *known != enumeration {
        *known = None;
    }
}

impl Lower<'_> {
    pub(super) fn note_enumeration(&mut self, spec: &ast::EnumSpec, values: &[i128]) {
        let Some(enumerators) = spec.enumerators else { return };
        let mut constants = Constants::new();
        for (enumerator, value) in self.ast.get(enumerators).iter().zip(values) {
            constants.entry(*value).or_insert(enumerator.name);
        }
        let number = self.program.enumerations.add(constants);
        self.enumerations.definitions.insert(spec.span, number);
        if let Some(tag) = spec.tag {
            note(&mut self.enumerations.tags, tag, Some(number));
        }
    }

    /// The enumeration of what a declarator declares, or of its elements.
    pub(super) fn declared_enumeration(&self, specs: &Specs, declarator: &Declarator) -> Option<usize> {
        let parts = self.ast.get(declarator.parts);
        if !parts.iter().all(|part| matches!(part, Part::Array { .. })) {
            return None;
        }
        let names = &self.enumerations;
        match specs.base {
            TypeSpec::Enum(spec) if spec.enumerators.is_some() => names.definitions.get(&spec.span).copied(),
            TypeSpec::Enum(spec) => names.tags.get(&spec.tag?).copied().flatten(),
            TypeSpec::Name(name) => names.typedefs.get(&name).copied().flatten(),
            _ => None,
        }
    }

    pub(super) fn note_typedef(&mut self, name: Symbol, enumeration: Option<usize>) {
        note(&mut self.enumerations.typedefs, name, enumeration);
    }
}
