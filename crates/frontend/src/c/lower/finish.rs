//! What needs all units: the names that any of them defines, collected before lowering; and after it the meaning of library functions, array types
//! that a later declaration completed, and calls that came before a prototype.

use super::Lower;
use crate::c::ast::{self, DeclKind, Storage};
use base::{Span, Symbol};
use cfa::library::LibFn;
use cfa::types::FunctionType;
use cfa::{Body, Callee, ExprKind, FuncId, Init, Op, PlaceKind, Type, TypeId, Var, VarId, VarKind, library};

impl Lower<'_> {
    /// Notes which names the unit defines as functions or objects.
    pub(super) fn note_definitions(&mut self, unit: &ast::Ast) {
        for item in &unit.items {
            match unit.decls[*item].kind {
                DeclKind::Function { declarator, .. } => self.defined.extend(unit.declarators[declarator].name),
                DeclKind::Variables { specs, declarators } => {
                    let elsewhere = unit.specs[specs].storage == Some(Storage::Extern);
                    let here = unit.get(declarators).iter().filter(|item| !elsewhere || item.init.is_some());
                    self.defined_objects.extend(here.filter_map(|item| unit.declarators[item.declarator].name));
                }
                _ => {}
            }
        }
    }

    /// Poison for an object without definition whose type is incomplete: its size is unknown.
    pub(super) fn poison_unknown_size(&mut self, name: Symbol, var: VarId, declared: TypeId, span: Span) {
        if matches!(self.program.vars[var].kind, VarKind::Global)
            && self.program.types.size_of(declared).is_none()
            && !self.defined_objects.contains(&name)
        {
            let reason = format!("`{}`, whose size is not known", self.text(name));
            match self.must_fold() {
                // An address in a constant is used wherever the constant is.
                true => {
                    let reason = self.program.names.intern(&reason);
                    self.poisoned.get_or_insert((reason, span));
                }
                false => self.poison(span, &reason),
            }
        }
    }

    /// After the last unit: library functions get their meaning, tentative arrays a length.
    pub(super) fn finish(&mut self) {
        for id in self.program.functions.ids() {
            let function = &self.program.functions[id];
            // What is not supported stays so however it is declared: calling it an unknown function would be a guess.
            if function.body == Body::Undefined
                && let Some(meaning) = library::lookup(self.program.name(function.name))
            {
                let known = matches!(meaning, LibFn::Unsupported { .. })
                    || meaning != LibFn::InC && self.declared_as_library(id);
                self.program.functions[id].body =
                    Body::Library(if known { meaning } else { LibFn::DECLARED_WITH_ANOTHER_TYPE });
            }
        }
        let sound = self.errors == 0;
        for id in self.program.vars.ids() {
            if let Type::Array(element, None) = *self.program.types.get(self.program.vars[id].ty)
                && self.program.vars[id].init == Init::Zero
            {
                self.program.vars[id].ty = self.program.types.array_of(element, Some(1));
            }
            let Var { name, ty, span, .. } = self.program.vars[id];
            let defined = self.program.vars[id].init != Init::Unknown;
            if defined && sound && self.program.types.size_of(ty).is_none() {
                let (name, ty) = (self.text(name).to_string(), self.type_name(ty));
                self.error(span, format!("`{name}` has the type `{ty}`, which is never completed"));
            }
        }
        // A place of a variable made before its array type was completed learns it now.
        for index in self.program.places.ids() {
            if let PlaceKind::Var(var) = self.program.places[index].kind {
                self.program.places[index].ty = self.program.vars[var].ty;
            }
        }
        // And so does the address of a record that another file, or an initializer, completed (see `view`).
        for index in self.program.exprs.ids() {
            if let ExprKind::AddrOf(place) = self.program.exprs[index].kind
                && let PlaceKind::Var(var) = self.program.places[place].kind
                && self.is_record(self.program.vars[var].ty)
            {
                self.program.exprs[index].ty = self.program.types.pointer_to(self.program.vars[var].ty);
            }
        }
        self.align_calls();
        self.poison_errno();
    }

    /// Whether a function is declared as the library has it, so that the library's meaning is what the program means.
    fn declared_as_library(&mut self, function: FuncId) -> bool {
        let name = self.program.function_name(function).to_string();
        let Some(signature) = library::signature(&name) else { return false };
        let wanted = self.signature_type(signature);
        self.passed_alike(self.program.functions[function].ty, wanted)
    }

    /// The type that a definition in the library has for a program that declares the function: the declared one, if its values are passed alike.
    pub(super) fn declared_for_library(&mut self, function: FuncId, wanted: TypeId) -> Option<TypeId> {
        let given = self.program.functions[function].ty;
        let unprototyped = self.function_type_of(given).is_some_and(|given| given.unprototyped);
        let count = |ty| self.function_type_of(ty).map(|ty| (ty.params.len(), ty.variadic));
        match self.passed_alike(given, wanted) {
            true if unprototyped => Some(wanted),
            true if count(given) == count(wanted) => Some(given),
            _ => None,
        }
    }

    fn passed_alike(&self, given: TypeId, wanted: TypeId) -> bool {
        let (wanted, given) = (self.function_type_of(wanted), self.function_type_of(given));
        let (Some(wanted), Some(given)) = (wanted, given) else { return false };
        let class = |ty: TypeId| match self.program.types.get(ty) {
            Type::Pointer(_) => 1,
            Type::Float(kind) => 2 + *kind as u64,
            Type::Int(kind) => 10 + kind.bytes(self.program.model()),
            Type::Void => 0,
            _ => 100,
        };
        if given.unprototyped {
            return given.result == wanted.result || class(given.result) == class(wanted.result);
        }
        let fixed = given.params.len() == wanted.params.len() || wanted.variadic || wanted.params.is_empty();
        (class(given.result) == class(wanted.result) || wanted.result == TypeId::VOID || given.result == TypeId::VOID)
            && fixed
            && given.params.iter().zip(&wanted.params).all(|(a, b)| class(*a) == class(*b))
    }

    /// A call made before the callee's prototype was known (or through a compatible declaration of another file) is brought in line
    /// with the definition: its arguments are what the definition takes, or the callee is seen as unprototyped.
    fn align_calls(&mut self) {
        for index in self.program.edges.ids() {
            let Op::Call { dest, callee: Callee::Direct(function), args } = self.program.edges[index].op else {
                continue;
            };
            let Some(signature) = self.function_type_of(self.program.functions[function].ty).cloned() else { continue };
            let given: Vec<TypeId> = self.program.call_args(args).iter().map(|arg| self.expr_type(*arg)).collect();
            let exact = signature.unprototyped
                || (given.len() == signature.params.len()
                    || (signature.variadic && given.len() > signature.params.len()))
                    && given.iter().zip(&signature.params).all(|(given, param)| given == param);
            let result_fits = dest.is_none_or(|dest| self.place_type(dest) == signature.result);
            if exact && result_fits {
                continue;
            }
            // Call it through a pointer of the type that the caller believed in; the semantics checks that it fits.
            let span = self.program.edges[index].span;
            let result = dest.map_or(TypeId::VOID, |dest| self.place_type(dest));
            let believed = FunctionType { result, params: Vec::new(), variadic: false, unprototyped: true };
            let believed = self.program.types.intern(Type::Function(believed));
            let actual = self.program.types.pointer_to(self.program.functions[function].ty);
            let address = self.push(ExprKind::FuncAddr(function), actual, span);
            let pointer = self.program.types.pointer_to(believed);
            let address = self.cast(address, pointer, span);
            self.program.edges[index].op = Op::Call { dest, callee: Callee::Indirect(address), args };
        }
    }
}
