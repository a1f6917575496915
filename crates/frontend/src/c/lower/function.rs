//! Functions: declarations, definitions and parameters.

use super::Lower;
use super::flow::{Cursor, FunctionState};
use super::qualifiers::Qualifiers;
use super::scope::Name;
use crate::c::ast::{self, List, ParamKind, Part, Storage, TypeSpec};
use base::{Diagnostic, Span, Symbol};
use cfa::types::FunctionType;
use cfa::{Automaton, Body, FuncId, Function, Init, LocId, Op, TypeId, Var, VarId, VarKind, library};
use rustc_hash::FxHashMap;

impl Lower<'_> {
    /// The one function of that name with external linkage.
    pub(super) fn function_with_linkage(&mut self, name: Symbol, ty: TypeId, span: Span) -> FuncId {
        if let Some(Name::Function(function)) = self.linkage.get(&name) {
            return *function;
        }
        let function = Function { name, ty, params: Vec::new(), body: Body::Undefined, span };
        let function = self.program.functions.push(function);
        self.linkage.insert(name, Name::Function(function));
        function
    }

    pub(super) fn declare_function(
        &mut self,
        name: Symbol,
        ty: TypeId,
        storage: Option<Storage>,
        span: Span,
    ) -> FuncId {
        let known = match self.names.ordinary(name) {
            Some(Name::Function(function)) => Some(function),
            Some(_) if self.local_meaning(name).is_some() => {
                let message = format!("`{}` is declared as another kind of symbol", self.text(name));
                self.error(span, message);
                None
            }
            _ => None,
        };
        let function = match known {
            Some(function) => function,
            None if storage == Some(Storage::Static) => {
                let function = Function { name, ty, params: Vec::new(), body: Body::Undefined, span };
                self.program.functions.push(function)
            }
            None => match self.linkage.get(&name) {
                Some(Name::Function(function)) => *function,
                _ => self.function_with_linkage(name, ty, span),
            },
        };
        if let Some(reason) = self.other_names.get(&name) {
            self.unusable.insert(function, reason.clone());
        }
        let before = self.program.functions[function].ty;
        if before != ty {
            if !self.compatible(before, ty) && known.is_some() {
                // Library functions are often declared a little differently; a compiler only warns there.
                let first = self.program.functions[function].span;
                let builtin = library::lookup(self.text(name)).is_some();
                let message = format!("conflicting types for `{}`", self.text(name));
                let diagnostic = match builtin || first.is_none() {
                    true => Diagnostic::warning(span, message),
                    false => Diagnostic::error(span, message),
                };
                self.report(if first.is_none() {
                    diagnostic
                } else {
                    diagnostic.note(first, "the previous declaration")
                });
            }
            let old_is_better = self.function_type_of(ty).is_some_and(|new| new.unprototyped)
                && self.function_type_of(before).is_some_and(|old| !old.unprototyped)
                && self.compatible(before, ty);
            // What another file declared gives way to a definition only.
            let fixed = matches!(self.program.functions[function].body, Body::Defined(_));
            if !old_is_better && !fixed {
                self.program.functions[function].ty = ty;
            }
        }
        if self.names.ordinary(name) != Some(Name::Function(function)) {
            self.bind(name, Name::Function(function));
        }
        function
    }

    /// GNU: a function inside a function. Its body sees the other's variables, which nothing here can express, so its use is poison.
    pub(super) fn nested_function(&mut self, specs: ast::SpecsId, declarator: ast::DeclaratorId) {
        let base = self.specs_type(specs);
        let header = self.ast.declarators[declarator];
        let ty = self.declared_type(base, declarator).ty;
        if let (Some(name), Some(_)) = (header.name, self.function_type_of(ty)) {
            let function = Function { name, ty, params: Vec::new(), body: Body::Undefined, span: header.name_span };
            let function = self.program.functions.push(function);
            let reason = format!("nested function `{}`", self.program.function_name(function));
            self.unusable.insert(function, reason);
            self.bind(name, Name::Function(function));
        }
    }

    pub(super) fn poison_unusable(&mut self, function: FuncId, span: Span) {
        if let Some(reason) = self.unusable.get(&function).cloned() {
            self.poison(span, &reason);
        }
        let name = self.program.functions[function].name;
        if self.linkage.get(&name) == Some(&Name::Function(function)) {
            self.poison_elsewhere(name, span);
        }
    }

    pub(super) fn function_definition(
        &mut self,
        specs: ast::SpecsId,
        declarator: ast::DeclaratorId,
        kr_params: List<ast::DeclId>,
        body: ast::StmtId,
        span: Span,
    ) {
        let base = self.specs_type(specs);
        let specs = self.ast.specs[specs];
        let header = self.ast.declarators[declarator];
        let Some(name) = header.name else { return };
        if matches!(specs.base, TypeSpec::Missing) {
            let message = format!("the result type of `{}` is not given, it is taken as `int`", self.text(name));
            self.warning(header.name_span, message);
        }
        let mut declared = self.declared_type(base, declarator);
        if self.situation.in_library
            && let Some(Name::Function(known)) = self.linkage.get(&name).copied()
        {
            match self.declared_for_library(known, declared.ty) {
                Some(ty) => declared.ty = ty,
                // Declared otherwise, it is not the library's.
                None => return,
            }
        }
        let qualifiers = self.declared_qualifiers(&specs, &header, None);
        let Some(signature) = self.function_type_of(declared.ty).cloned() else {
            self.error(header.span, "a body for something that is not a function");
            return;
        };
        let Some(Part::Function { params: params_list, kind }) = self.ast.get(header.parts).first().copied() else {
            return;
        };
        // A definition `f() {…}` has no prototype, but its definition says that it has no parameters.
        let prototype = self.prototype_before(name, kind);
        let function = self.declare_function(name, declared.ty, specs.storage, header.name_span);
        self.qualifiers.functions.insert(function, qualifiers);
        if self.is_overridden(name) || self.yields(header.name_span) {
            return;
        }
        if self.is_defined(function) {
            let first = self.program.functions[function].span;
            let message = format!("redefinition of `{}`", self.text(name));
            self.report(Diagnostic::error(header.name_span, message).note(first, "the previous definition"));
            return;
        }
        if self.program.types.size_of(signature.result).is_none() && signature.result != TypeId::VOID {
            self.error(header.span, "the function returns an incomplete type");
        }
        let before = if self.text(name) == "main" { self.before_main(function, header.name_span) } else { Vec::new() };
        let first_var = self.program.vars.len() as u32;
        let first_location = self.program.locations.len() as u32;
        let first_edge = self.program.edges.len() as u32;
        self.function = Some(Box::new(FunctionState {
            id: function,
            name,
            result: signature.result,
            exit: LocId(0),
            cursor: Cursor::Nowhere,
            breaks: Vec::new(),
            continues: Vec::new(),
            switches: Vec::new(),
            labels: FxHashMap::default(),
            jumps: Vec::new(),
            locals: FxHashMap::default(),
            frozen: FxHashMap::default(),
            name_object: None,
            label_objects: FxHashMap::default(),
            jump_entry: None,
            anchor: span.lo,
        }));
        self.open_block(span);
        let scope = self.scope();
        let mut params = self.bind_params(function, &signature, params_list, kind, kr_params);
        let converted = match kind {
            ParamKind::Names(_) => self.take_as_passed(function, prototype, &mut params),
            _ => Vec::new(),
        };
        if signature.variadic {
            let name = self.program.names.intern(cfa::program::ARGUMENT_LIST);
            let ty = self.argument_list_type();
            params.push(self.new_var(name, ty, VarKind::Param(function), Init::None, header.name_span));
        }
        self.program.functions[function].params = params;
        self.program.functions[function].span = header.name_span;
        // The body may call the function itself, so its type is the one of the definition from here on.
        self.program.functions[function].ty = prototype.unwrap_or(declared.ty);
        let entry = self.new_location();
        let exit = self.new_location();
        self.state().exit = exit;
        self.set_cursor(Cursor::At(entry));
        if let Some((reason, span)) = self.poisoned {
            self.emit(Op::Poison(reason), span);
        }
        self.reserve_jump_entry(header.name_span);
        self.poison_unsupported_params(function);
        for (op, span) in before {
            self.emit(op, span);
        }
        self.convert_passed(&converted);
        self.end_writes_of_params(function);
        self.bind_vla_params(params_list);
        self.statement(body);
        self.state().anchor = span.hi.saturating_sub(1);
        self.fall_off_the_end(name, signature.result, exit, Span::new(span.hi.saturating_sub(1).max(span.lo), span.hi));
        self.resolve_jumps();
        self.make_jump_temporaries();
        self.close_block();
        let labels = self.labels_without_loop();
        self.function = None;
        self.program.functions[function].body = Body::Defined(Automaton {
            entry,
            exit,
            locations: first_location..self.program.locations.len() as u32,
            edges: first_edge..self.program.edges.len() as u32,
            vars: first_var..self.program.vars.len() as u32,
            scope,
            span,
        });
        // After an error an edge may lead nowhere.
        if self.errors == 0 {
            cfa::loops::mark_loop_heads(&mut self.program, function);
            for (location, span) in labels {
                self.program.locations[location].loop_head = self.program.locations[location].loop_head.and(Some(span));
            }
        }
    }

    fn fall_off_the_end(&mut self, name: Symbol, result: TypeId, exit: LocId, span: Span) {
        if !self.reachable() {
            return;
        }
        let value = match result {
            TypeId::INT if self.text(name) == "main" => Some(self.int(0, TypeId::INT, span)),
            _ => None,
        };
        let value = self.return_from_main(value, span);
        self.emit_to(Op::Return(value), span, exit);
    }

    fn poison_unsupported_params(&mut self, function: FuncId) {
        for param in self.program.functions[function].params.clone() {
            let Var { ty, span, .. } = self.program.vars[param];
            if let Some(name) = self.unsupported_name(ty) {
                self.poison(span, &name);
            }
        }
    }

    fn bind_params(
        &mut self,
        function: FuncId,
        signature: &FunctionType,
        params: List<ast::Param>,
        kind: ParamKind,
        kr_params: List<ast::DeclId>,
    ) -> Vec<VarId> {
        let mut vars = Vec::new();
        let mut declare = |lower: &mut Self, name: Symbol, (ty, qualifiers): (TypeId, Qualifiers), span: Span| {
            let ty = if lower.program.types.size_of(ty).is_none() {
                lower.error(span, "a parameter has an incomplete type");
                TypeId::INT
            } else {
                ty
            };
            if lower.local_meaning(name).is_some() && !lower.text(name).is_empty() {
                let message = format!("second parameter `{}`", lower.text(name));
                lower.error(span, message);
            }
            let var = lower.new_var(name, ty, VarKind::Param(function), Init::None, span);
            lower.bind(name, Name::Var(var, ty));
            lower.qualifiers.vars.insert(var, qualifiers);
            vars.push(var);
        };
        match kind {
            ParamKind::Prototype { .. } | ParamKind::Empty => {
                for (param, ty) in self.ast.get(params).iter().zip(&signature.params) {
                    let declarator = self.ast.declarators[param.declarator];
                    let name = declarator.name.unwrap_or_else(|| self.program.names.intern(""));
                    let qualifiers = self.param_qualifiers(param.specs, param.declarator);
                    let enumeration = self.declared_enumeration(&self.ast.specs[param.specs], &declarator);
                    declare(self, name, (*ty, qualifiers), declarator.name_span);
                    if let (Some(enumeration), Some(Name::Var(var, _))) = (enumeration, self.names.ordinary(name)) {
                        self.program.enumerations.of_var(var, enumeration);
                    }
                }
            }
            ParamKind::Names(names) => {
                let types = self.kr_types(kr_params);
                for name in self.ast.get(names) {
                    let implicit = ((TypeId::INT, Qualifiers::NONE), Span::NONE);
                    let (ty, span) = types.get(name).copied().unwrap_or(implicit);
                    declare(self, *name, ty, span);
                }
            }
        }
        vars
    }
}
