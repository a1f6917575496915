//! Attributes that change what a run does. What is not supported is poison where it would matter: at the declaration of a local variable,
//! at the use of a function, at the start of `main` for all else.

use super::Lower;
use crate::c::ast::{Ast, Attribute, DeclKind, DeclaratorId, Part, SpecsId};
use base::{Span, Symbol};
use cfa::{Callee, FuncId, Op};

/// What `main` does before its body.
#[derive(Clone, Copy)]
pub(super) enum BeforeMain<'a> {
    /// Calls a function of this unit.
    Constructor(&'a Ast, Symbol),
    Unsupported(Symbol, Span),
}

impl<'a> Lower<'a> {
    /// Notes what a unit wants to be done around `main`.
    pub(super) fn note_attributes(&mut self, unit: &'a Ast) {
        let mut constructors = Vec::new();
        for item in &unit.items {
            let declared: Vec<(SpecsId, DeclaratorId)> = match unit.decls[*item].kind {
                DeclKind::Function { specs, declarator, .. } => vec![(specs, declarator)],
                DeclKind::Variables { specs, declarators } => {
                    unit.get(declarators).iter().map(|item| (specs, item.declarator)).collect()
                }
                _ => continue,
            };
            for (specs, declarator) in declared {
                let header = unit.declarators[declarator];
                let is_function = matches!(unit.get(header.parts).first(), Some(Part::Function { .. }));
                let renamed = |(weak, other): &&(Symbol, Option<Symbol>)| header.name == Some(*weak) && other.is_some();
                let pragma = unit.weak.iter().find(renamed).map(|_| self.program.names.intern("alias"));
                let pragma = pragma.map(Attribute::Unsupported);
                for attribute in attributes(unit, specs, declarator).chain(pragma) {
                    match attribute {
                        Attribute::Constructor => constructors.extend(header.name),
                        Attribute::Unsupported(name) if is_function && self.is_another_name(name) => {
                            let reason = self.attribute_name(name);
                            self.other_names.extend(header.name.map(|function| (function, reason)));
                        }
                        Attribute::Unsupported(name) => {
                            self.before_main.push(BeforeMain::Unsupported(name, header.name_span));
                        }
                        _ => {}
                    }
                }
            }
        }
        if constructors.is_empty() {
            return;
        }
        // They run in the order of their definitions.
        for item in &unit.items {
            if let DeclKind::Function { declarator, .. } = unit.decls[*item].kind
                && let Some(name) = unit.declarators[declarator].name
                && constructors.contains(&name)
            {
                self.before_main.push(BeforeMain::Constructor(unit, name));
            }
        }
    }

    /// Whether an attribute says that a function is another one under a new name.
    fn is_another_name(&self, attribute: Symbol) -> bool {
        matches!(self.text(attribute).trim_matches('_'), "alias" | "ifunc" | "weakref")
    }

    /// The function's use is poison if its attributes are.
    pub(super) fn note_unusable(&mut self, function: FuncId, specs: SpecsId, declarator: DeclaratorId) {
        if let Some(attribute) = self.unsupported_attribute(specs, declarator) {
            self.unusable.insert(function, attribute);
        }
    }

    /// The first attribute of a declaration that is not supported.
    pub(super) fn unsupported_attribute(&self, specs: SpecsId, declarator: DeclaratorId) -> Option<String> {
        attributes(self.ast, specs, declarator).find_map(|attribute| match attribute {
            Attribute::Unsupported(name) => Some(self.attribute_name(name)),
            _ => None,
        })
    }

    pub(super) fn attribute_name(&self, name: Symbol) -> String {
        format!("attribute `{}`", self.text(name).trim_matches('_'))
    }

    /// What `main` starts with, before anything of it is made: a function that is defined later must be declared at file scope.
    pub(super) fn before_main(&mut self, main: FuncId, span: Span) -> Vec<(Op, Span)> {
        let steps = std::mem::take(&mut self.before_main);
        if !steps.is_empty() {
            self.unusable.insert(main, "a call of `main` in a program with constructors".into());
        }
        let poison = |lower: &mut Self, reason: &str| Op::Poison(lower.program.names.intern(reason));
        let mut edges = Vec::new();
        for step in steps {
            edges.push(match step {
                BeforeMain::Unsupported(name, at) => {
                    let reason = self.attribute_name(name);
                    (poison(self, &reason), at)
                }
                BeforeMain::Constructor(unit, name) => match self.constructor(unit, name) {
                    Some((function, at)) => {
                        let args = self.argument_slice(&[]);
                        (Op::Call { dest: None, callee: Callee::Direct(function), args }, at)
                    }
                    None => {
                        (poison(self, "attribute `constructor` of a function in another file or with parameters"), span)
                    }
                },
            });
        }
        edges
    }

    /// The function of this unit that runs before `main`, if it can be called: it takes nothing.
    fn constructor(&mut self, unit: &Ast, name: Symbol) -> Option<(FuncId, Span)> {
        if !std::ptr::eq(unit, self.ast) {
            return None;
        }
        let (specs, declarator) = unit.items.iter().find_map(|item| {
            match unit.decls[*item].kind {
                DeclKind::Function { specs, declarator, .. } => Some((specs, declarator)),
                _ => None,
            }
            .filter(|(_, declarator)| unit.declarators[*declarator].name == Some(name))
        })?;
        let base = self.specs_type(specs);
        let ty = self.declared_type(base, declarator).ty;
        if !self.function_type_of(ty)?.params.is_empty() {
            return None;
        }
        let span = unit.declarators[declarator].name_span;
        Some((self.declare_function(name, ty, unit.specs[specs].storage, span), span))
    }
}

/// Those of the specifiers and those of the declarator.
pub(super) fn attributes(unit: &Ast, specs: SpecsId, declarator: DeclaratorId) -> impl Iterator<Item = Attribute> + '_ {
    let (before, after) = (unit.specs[specs].attributes, unit.declarators[declarator].attributes);
    unit.get(before).iter().chain(unit.get(after)).copied()
}
