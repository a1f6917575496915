//! What functions without a body can name, and what they promise not to write: linkage and `const`, which the program does not keep.

use super::Lower;
use super::qualifiers::Qualifiers;
use super::scope::Name;
use crate::c::ast::{Declarator, Part};
use base::Symbol;
use cfa::undefined::Outside;
use cfa::{FuncId, VarId};

impl Lower<'_> {
    /// An object that is `const` itself.
    pub(super) fn note_constant_object(&mut self, var: VarId, qualifiers: Qualifiers) {
        if qualifiers.is_surely_const() && !self.situation.speculating {
            self.outside.constant.insert(var);
        }
    }

    /// An object that others define and may write at any time.
    pub(super) fn note_volatile_elsewhere(&mut self, var: VarId, name: Symbol, qualifiers: Qualifiers) {
        if qualifiers.is_volatile() && !self.defined_objects.contains(&name) {
            self.volatile_elsewhere.insert(var);
        }
    }

    /// Which parameters of a function are pointers to `const`. Two declarations may differ only in what the parameters are themselves.
    pub(super) fn note_parameters(&mut self, function: FuncId, declarator: &Declarator) {
        let Some(Part::Function { params, .. }) = self.ast.get(declarator.parts).first() else { return };
        let reads_only = self.ast.get(*params).iter().map(|param| {
            let parts = self.ast.get(self.ast.declarators[param.declarator].parts);
            let one_level = match parts {
                [Part::Pointer(_) | Part::Array { .. }, rest @ ..] => {
                    rest.iter().all(|part| matches!(part, Part::Array { .. }))
                }
                _ => false,
            };
            one_level && self.ast.specs[param.specs].quals.is_const
        });
        let reads_only: Vec<bool> = reads_only.collect();
        if !reads_only.is_empty() && !self.situation.speculating {
            self.outside.reads_only.insert(function, reads_only);
        }
    }

    /// All of it, once every unit was lowered.
    pub(super) fn take_outside(&mut self) -> Outside {
        let mut outside = std::mem::take(&mut self.outside);
        outside.external = self
            .linkage
            .values()
            .filter_map(|name| match name {
                Name::Var(var, _) => Some(*var),
                _ => None,
            })
            .collect();
        outside
    }
}
