//! Old-style definitions: `f(x) float x; {…}`. Calls through a declaration without a prototype promote their arguments, so what is passed for a `float` is a
//! `double` (C11 6.5.2.2p6, 6.9.1p10). Such a parameter is a variable of the promoted type, and what the body names is a local variable that it is converted to
//! on entry. GNU: a prototype that was declared before says what is passed.

use super::Lower;
use super::qualifiers::Qualifiers;
use super::scope::Name;
use crate::c::ast::{self, DeclKind, List, ParamKind};
use base::{Span, Symbol};
use cfa::{FuncId, Init, Op, TypeId, VarId, VarKind};
use rustc_hash::FxHashMap;

impl Lower<'_> {
    /// The prototype that is in force where an old-style definition begins: it says how arguments are passed.
    pub(super) fn prototype_before(&self, name: Symbol, kind: ParamKind) -> Option<TypeId> {
        let ParamKind::Names(names) = kind else { return None };
        let Some(Name::Function(function)) = self.names.ordinary(name) else { return None };
        let before = self.program.functions[function].ty;
        let signature = self.function_type_of(before)?;
        let fits =
            !signature.unprototyped && !signature.variadic && signature.params.len() == self.ast.get(names).len();
        fits.then_some(before)
    }

    /// Gives parameters the types that they are passed with. What the body names becomes a local variable where that is another type.
    pub(super) fn take_as_passed(
        &mut self,
        function: FuncId,
        prototype: Option<TypeId>,
        vars: &mut [VarId],
    ) -> Vec<(VarId, VarId)> {
        let prototype = prototype.and_then(|ty| self.function_type_of(ty)).map(|ty| ty.params.clone());
        let mut converted = Vec::new();
        for (index, var) in vars.iter_mut().enumerate() {
            let declared = self.program.vars[*var].ty;
            let promoted = if declared == TypeId::FLOAT { TypeId::DOUBLE } else { declared };
            let passed = prototype.as_ref().map_or(promoted, |params| params[index]);
            if passed == declared || !self.program.types.is_scalar(passed) || !self.program.types.is_scalar(declared) {
                continue;
            }
            let (name, span) = (self.program.vars[*var].name, self.program.vars[*var].span);
            let param = self.new_var(name, passed, VarKind::Param(function), Init::None, span);
            self.program.vars[*var].kind = VarKind::Local(function);
            converted.push((param, *var));
            *var = param;
        }
        converted
    }

    /// What was passed, as the body sees it.
    pub(super) fn convert_passed(&mut self, converted: &[(VarId, VarId)]) {
        for (param, local) in converted {
            let (ty, span) = (self.program.vars[*local].ty, self.program.vars[*local].span);
            self.declare_local(*local, span);
            let passed = self.read_var(*param, span);
            let value = self.cast(passed, ty, span);
            let place = self.var_place(*local);
            self.emit(Op::Assign(place, value), span);
        }
    }

    /// The declarations between the header and the body of an old-style definition.
    pub(super) fn kr_types(&mut self, decls: List<ast::DeclId>) -> FxHashMap<Symbol, ((TypeId, Qualifiers), Span)> {
        let mut types = FxHashMap::default();
        let mut shadows = Vec::new();
        for decl in self.ast.get(decls) {
            let DeclKind::Variables { specs, declarators } = self.ast.decls[*decl].kind else { continue };
            let base = self.specs_type(specs);
            for item in self.ast.get(declarators) {
                let declared = self.declared_type(base, item.declarator);
                let ty = match declared.vla {
                    Some(_) => self.program.types.pointer_to(declared.ty),
                    None => self.adjust_param(declared.ty),
                };
                let declarator = self.ast.declarators[item.declarator];
                if let Some(name) = declarator.name {
                    let qualifiers = self.param_qualifiers(specs, item.declarator);
                    types.insert(name, ((ty, qualifiers), declarator.name_span));
                    shadows.push(self.shadow(name, Name::Param(ty)));
                }
            }
        }
        self.unshadow(shadows);
        types
    }
}
