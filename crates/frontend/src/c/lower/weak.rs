//! Weak symbols: of several definitions the first strong one is linked, else the first; without any, the address is null.

use super::Lower;
use super::attribute::attributes;
use super::scope::Name;
use crate::c::ast::{Ast, Attribute, DeclKind, Part, Storage};
use base::{Span, Symbol};
use cfa::{FuncId, PlaceId, PlaceKind, TypeId, VarId, library};
use rustc_hash::{FxHashMap, FxHashSet};

/// What the linker makes of weak symbols.
#[derive(Default)]
pub(super) struct Weak {
    /// Of every symbol that some unit calls weak the unit whose definition counts.
    linked: FxHashMap<Symbol, Option<usize>>,
    /// The weak symbols of each unit.
    by_unit: Vec<FxHashSet<Symbol>>,
    /// Symbols without a definition in any unit, which a system library may define.
    elsewhere: FxHashSet<Symbol>,
    /// The current unit.
    pub unit: usize,
}

/// What one unit has to say about its external symbols.
#[derive(Default)]
struct Symbols {
    weak: FxHashSet<Symbol>,
    internal: FxHashSet<Symbol>,
    /// Declared by a header of the system.
    system: FxHashSet<Symbol>,
    functions: FxHashSet<Symbol>,
    variables: FxHashSet<Symbol>,
}

impl Symbols {
    fn of(unit: &Ast, is_system: &dyn Fn(u32) -> bool) -> Self {
        let mut symbols = Symbols { weak: unit.weak.iter().map(|(name, _)| *name).collect(), ..Symbols::default() };
        for id in unit.decls.ids() {
            let DeclKind::Variables { specs, declarators } = unit.decls[id].kind else { continue };
            for item in unit.get(declarators) {
                let is_weak = attributes(unit, specs, item.declarator).any(|one| matches!(one, Attribute::Weak));
                symbols.weak.extend(unit.declarators[item.declarator].name.filter(|_| is_weak));
            }
        }
        for item in &unit.items {
            match unit.decls[*item].kind {
                DeclKind::Function { specs, declarator, .. } => {
                    let Some(name) = unit.declarators[declarator].name else { continue };
                    symbols.functions.insert(name);
                    if attributes(unit, specs, declarator).any(|one| matches!(one, Attribute::Weak)) {
                        symbols.weak.insert(name);
                    }
                    if unit.specs[specs].storage == Some(Storage::Static) {
                        symbols.internal.insert(name);
                    }
                }
                DeclKind::Variables { specs, declarators } => {
                    for item in unit.get(declarators) {
                        let declarator = unit.declarators[item.declarator];
                        let Some(name) = declarator.name else { continue };
                        if is_system(declarator.name_span.lo) {
                            symbols.system.insert(name);
                        }
                        let is_function = matches!(unit.get(declarator.parts).first(), Some(Part::Function { .. }));
                        match unit.specs[specs].storage {
                            Some(Storage::Static) => drop(symbols.internal.insert(name)),
                            Some(Storage::Typedef) => {}
                            Some(Storage::Extern) if item.init.is_none() => {}
                            _ if is_function => {}
                            _ => drop(symbols.variables.insert(name)),
                        }
                    }
                }
                _ => {}
            }
        }
        let Symbols { weak, internal, functions, variables, .. } = &mut symbols;
        for names in [weak, functions, variables] {
            names.retain(|name| !internal.contains(name));
        }
        symbols
    }
}

impl<'a> Lower<'a> {
    /// Decides which definitions are linked.
    pub(super) fn note_weak(&mut self, units: &[&'a Ast], is_system: &dyn Fn(u32) -> bool) {
        let symbols: Vec<Symbols> = units.iter().map(|unit| Symbols::of(unit, is_system)).collect();
        for name in symbols.iter().flat_map(|unit| &unit.weak) {
            // A declaration by a typedef of a function type looks like a variable's.
            let is_function = symbols.iter().any(|unit| unit.functions.contains(name));
            let defines = |unit: &Symbols| match is_function {
                true => unit.functions.contains(name),
                false => unit.variables.contains(name),
            };
            let strong = symbols.iter().position(|unit| defines(unit) && !unit.weak.contains(name));
            let linked = strong.or_else(|| symbols.iter().position(defines));
            self.weak.linked.insert(*name, linked);
            let of_system = self.text(*name).starts_with('_') || symbols.iter().any(|unit| unit.system.contains(name));
            if linked.is_none() && of_system {
                self.weak.elsewhere.insert(*name);
            }
        }
        self.weak.by_unit = symbols.into_iter().map(|unit| unit.weak).collect();
    }

    pub(super) fn is_weak(&self, name: Symbol) -> bool {
        self.weak.by_unit.get(self.weak.unit).is_some_and(|weak| weak.contains(&name))
    }

    /// Whether the definition of a symbol in the current unit gives way to another one.
    pub(super) fn is_overridden(&self, name: Symbol) -> bool {
        self.is_weak(name) && self.weak.linked.get(&name).is_some_and(|unit| *unit != Some(self.weak.unit))
    }

    /// Whether no unit defines a symbol, which is allowed if it is weak.
    fn is_missing(&self, name: Symbol) -> bool {
        self.weak.linked.get(&name) == Some(&None) && library::lookup(self.text(name)).is_none()
    }

    /// A weak symbol that is not defined here may be there all the same.
    pub(super) fn poison_elsewhere(&mut self, name: Symbol, span: Span) {
        if self.weak.elsewhere.contains(&name) && library::lookup(self.text(name)).is_none() {
            let reason = format!("weak symbol `{}` that the system may define", self.text(name));
            self.poison(span, &reason);
        }
    }

    pub(super) fn is_missing_function(&mut self, function: FuncId) -> bool {
        let name = self.program.functions[function].name;
        self.is_missing(name)
            && !self.weak.elsewhere.contains(&name)
            && self.linkage.get(&name) == Some(&Name::Function(function))
            && self.intrinsic(function).is_none()
            && !self.unusable.contains_key(&function)
    }

    /// The place of a weak variable without definition: its address is null.
    pub(super) fn missing_variable(&mut self, var: VarId, declared: TypeId, span: Span) -> Option<PlaceId> {
        let name = self.program.vars[var].name;
        let external = matches!(self.linkage.get(&name), Some(Name::Var(linked, _)) if *linked == var);
        if !external || !self.is_missing(name) || self.program.vars[var].init != cfa::Init::Unknown {
            return None;
        }
        self.poison_elsewhere(name, span);
        let pointer = self.program.types.pointer_to(declared);
        let null = self.int(0, pointer, span);
        Some(self.place(PlaceKind::Deref(null), declared))
    }
}
