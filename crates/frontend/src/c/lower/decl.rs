//! Declarations: typedefs, variables, functions; what the linker would do with several files; and the last touches on the program.

use super::Lower;
use super::flow::{Cursor, FunctionState};
use super::qualifiers::Qualifiers;
use super::scope::Name;
use super::types::Declared;
use crate::c::ast::{self, Attribute, DeclKind, List, ParamKind, Part, Storage, TypeSpec};
use base::{Diagnostic, Span, Symbol};
use cfa::library::LibFn;
use cfa::types::FunctionType;
use cfa::{
    Automaton, Body, Callee, ExprKind, FuncId, Function, Init, LocId, Op, PlaceKind, StaticInit, Type, TypeId, Var,
    VarId, VarKind, library,
};
use rustc_hash::FxHashMap;

impl Lower<'_> {
    pub(super) fn declaration(&mut self, decl: ast::DeclId) {
        let ast::Decl { kind, span } = self.ast.decls[decl];
        match kind {
            DeclKind::Variables { specs, declarators } => self.variables(specs, declarators),
            DeclKind::Function { specs, declarator, .. } if self.function.is_some() => {
                self.nested_function(specs, declarator)
            }
            DeclKind::Function { specs, declarator, kr_params, body } => {
                self.function_definition(specs, declarator, kr_params, body, span);
            }
            DeclKind::StaticAssert { cond, message } => self.static_assert(cond, message, span),
            DeclKind::Ignored | DeclKind::Error => {}
        }
    }

    fn variables(&mut self, specs_id: ast::SpecsId, declarators: List<ast::InitDeclarator>) {
        let base = self.specs_type(specs_id);
        let specs = self.ast.specs[specs_id];
        for item in self.ast.get(declarators) {
            let declarator = self.ast.declarators[item.declarator];
            let Some(name) = declarator.name else { continue };
            if matches!(specs.base, TypeSpec::Missing) && !matches!(specs.storage, Some(Storage::Typedef)) {
                let message = format!("the type of `{}` is not given, it is taken as `int`", self.text(name));
                self.warning(declarator.name_span, message);
            }
            let base = match (specs.base, item.init) {
                (TypeSpec::Auto, Some(init)) => self.type_of_init(init),
                _ => base,
            };
            let declared = self.declared_type(base, item.declarator);
            let qualifiers = self.declared_qualifiers(&specs, &declarator, item.init);
            let is_function = declared.vla.is_none() && self.function_type_of(declared.ty).is_some();
            match specs.storage {
                Some(Storage::Typedef) => {
                    self.typedef(name, declared, qualifiers, declarator.name_span);
                }
                _ if is_function => {
                    let function = self.declare_function(name, declared.ty, specs.storage, declarator.name_span);
                    let attributes = self.ast.get(specs.attributes).iter().chain(self.ast.get(declarator.attributes));
                    if specs.noreturn
                        || attributes.into_iter().any(|attribute| matches!(attribute, Attribute::Noreturn))
                    {
                        self.noreturn.insert(function);
                    }
                    self.note_unusable(function, specs_id, item.declarator);
                    self.note_parameters(function, &declarator);
                    self.qualifiers.functions.insert(function, qualifiers);
                }
                Some(Storage::Extern) => self.external_variable(name, declared, item, false),
                storage if self.at_file_scope() => {
                    if storage == Some(Storage::Static) {
                        self.static_variable(name, declared, item);
                    } else {
                        self.external_variable(name, declared, item, true);
                    }
                }
                Some(Storage::Static) => self.static_variable(name, declared, item),
                _ => {
                    if let Some(attribute) = self.unsupported_attribute(specs_id, item.declarator) {
                        self.poison(declarator.name_span, &attribute);
                    }
                    self.local_variable(name, declared, item);
                }
            }
            if let Some(Name::Var(var, _)) = self.names.ordinary(name) {
                if !matches!(specs.storage, Some(Storage::Typedef)) && !is_function {
                    self.qualifiers.vars.insert(var, qualifiers);
                    self.note_constant_object(var, qualifiers);
                    if specs.storage == Some(Storage::Extern) {
                        self.note_volatile_elsewhere(var, name, qualifiers);
                        self.note_read_only_elsewhere(var, name, qualifiers);
                    }
                }
                if let Some(init) = item.init {
                    self.note_const(var, &specs, &declarator, init);
                }
            }
            if let Some(Name::Vla(array)) = self.names.ordinary(name) {
                self.qualifiers.vars.insert(array.pointer, qualifiers);
            }
            // How another declaration sees an object does not matter.
            if item.init.is_some() || !matches!(specs.storage, Some(Storage::Extern | Storage::Typedef)) {
                self.note_read_only(name, qualifiers.is_const());
            }
        }
    }

    fn type_of_init(&mut self, init: ast::InitId) -> TypeId {
        match self.ast.inits[init].kind {
            ast::InitKind::Expr(expr) => self.type_of_value(expr),
            ast::InitKind::List(_) => TypeId::INT,
        }
    }

    fn typedef(&mut self, name: Symbol, declared: Declared, qualifiers: Qualifiers, span: Span) {
        let ty = match declared.vla {
            Some(_) => self.run_time_type("typedef of a variable-length array", span),
            None => declared.ty,
        };
        match self.local_meaning(name) {
            Some(Name::Typedef { ty: before, .. }) if self.compatible(before, ty) => {}
            None => {}
            Some(_) => {
                let message = format!("redeclaration of `{}` as another type", self.text(name));
                self.error(span, message);
            }
        }
        self.bind(name, Name::Typedef { ty, qualifiers });
    }

    fn new_var(&mut self, name: Symbol, ty: TypeId, kind: VarKind, init: Init, span: Span) -> VarId {
        self.program.vars.push(Var { name, ty, kind, init, address_taken: false, read_only: false, span })
    }

    /// A name that is a type or an enumerator here cannot be a variable too.
    fn check_kind(&mut self, name: Symbol, span: Span) {
        if matches!(self.local_meaning(name), Some(Name::Typedef { .. } | Name::Constant(..))) {
            let message = format!("`{}` is declared as another kind of symbol", self.text(name));
            self.error(span, message);
        }
    }

    /// A variable with external linkage; all its declarations are one variable.
    fn external_variable(&mut self, name: Symbol, declared: Declared, item: &ast::InitDeclarator, defines: bool) {
        let span = self.ast.declarators[item.declarator].name_span;
        self.check_kind(name, span);
        let ty = self.complete_type(declared, span, true);
        // `static int x;` before `extern int x;` in the same file: the static one goes on.
        let known = match self.names.ordinary(name) {
            Some(Name::Var(var, _))
                if self.at_file_scope() && matches!(self.program.vars[var].kind, VarKind::Global) =>
            {
                Some(Name::Var(var, ty))
            }
            _ => self.linkage.get(&name).copied(),
        };
        let var = match known {
            Some(Name::Var(var, _)) => {
                let before = self.declared(self.program.vars[var].ty);
                if !self.compatible(before, ty) {
                    let first = self.program.vars[var].span;
                    let message = format!("conflicting types for `{}`", self.text(name));
                    self.report(Diagnostic::error(span, message).note(first, "the previous declaration"));
                }
                if self.program.types.size_of(before).is_none() {
                    self.program.vars[var].ty = ty;
                }
                var
            }
            Some(_) => {
                let message = format!("`{}` is declared as another kind of symbol", self.text(name));
                self.error(span, message);
                self.new_var(name, ty, VarKind::Global, Init::Zero, span)
            }
            None => {
                let init = self.external_init(name, ty);
                self.new_var(name, ty, VarKind::Global, init, span)
            }
        };
        self.linkage.insert(name, Name::Var(var, ty));
        self.bind(name, Name::Var(var, ty));
        if let Some(init) = item.init {
            let (ty, init) = self.static_initializer(ty, init);
            let overridden = self.is_overridden(name);
            if !overridden && matches!(self.program.vars[var].init, Init::Static(_)) {
                let first = self.program.vars[var].span;
                let message = format!("redefinition of `{}`", self.text(name));
                self.report(Diagnostic::error(span, message).note(first, "the previous definition"));
            }
            // What is complete stays as it is: another file may have used it by its own, compatible type.
            let complete = self.program.types.size_of(self.program.vars[var].ty).is_some();
            if !complete || self.flexible.contains_key(&ty) {
                self.program.vars[var].ty = ty;
            }
            if !overridden {
                self.program.vars[var].init = init;
                self.program.vars[var].span = span;
            }
            self.rebind(name, var, self.declared(ty));
        } else if defines && !self.is_overridden(name) && self.program.vars[var].init == Init::Unknown {
            self.program.vars[var].init = Init::Zero;
            self.program.vars[var].span = span;
        }
    }

    /// What an undefined variable holds. The standard streams are known by their addresses 1, 2 and 3.
    fn external_init(&self, name: Symbol, ty: TypeId) -> Init {
        let stream = match self.text(name) {
            "stdin" => 1,
            "stdout" => 2,
            "stderr" => 3,
            _ => return Init::Unknown,
        };
        match self.program.types.is_pointer(ty) {
            true => Init::Static(StaticInit { bytes: vec![stream], relocations: Vec::new() }),
            false => Init::Unknown,
        }
    }

    fn static_variable(&mut self, name: Symbol, declared: Declared, item: &ast::InitDeclarator) {
        let span = self.ast.declarators[item.declarator].name_span;
        self.check_kind(name, span);
        let ty = self.complete_type(declared, span, item.init.is_some() || self.at_file_scope());
        let var = match self.names.ordinary(name) {
            // Tentative definitions of one static variable.
            Some(Name::Var(var, _))
                if self.at_file_scope() && self.compatible(self.declared(self.program.vars[var].ty), ty) =>
            {
                var
            }
            _ => self.new_var(name, ty, VarKind::Global, Init::Zero, span),
        };
        if self.program.types.size_of(self.program.vars[var].ty).is_none() {
            self.program.vars[var].ty = ty;
        }
        self.bind(name, Name::Var(var, ty));
        if let Some(init) = item.init {
            let (ty, init) = self.static_initializer(ty, init);
            self.program.vars[var].ty = ty;
            self.program.vars[var].init = init;
            self.rebind(name, var, self.declared(ty));
        }
    }

    /// A variable's type must be complete, unless it may be completed later.
    fn complete_type(&mut self, declared: Declared, span: Span, later: bool) -> TypeId {
        if declared.vla.is_some() {
            self.error(span, "an array of static lifetime needs a constant length");
            return self.program.types.array_of(declared.ty, Some(1));
        }
        let ty = declared.ty;
        if ty == TypeId::VOID {
            self.error(span, "a variable cannot be `void`");
            return TypeId::INT;
        }
        let incomplete = self.program.types.size_of(ty).is_none();
        if incomplete && !later {
            let message = format!("a variable of the incomplete type `{}`", self.type_name(ty));
            self.error(span, message);
            return TypeId::INT;
        }
        ty
    }

    fn local_variable(&mut self, name: Symbol, declared: Declared, item: &ast::InitDeclarator) {
        let span = self.ast.declarators[item.declarator].name_span;
        let function = self.state().id;
        if self.local_meaning(name).is_some() {
            let message = format!("redeclaration of `{}`", self.text(name));
            self.error(span, message);
        }
        if let Some(lengths) = &declared.vla {
            return self.variable_length_array(name, declared.ty, lengths, item);
        }
        let ty = self.complete_type(declared, span, item.init.is_some());
        let var = self.new_var(name, ty, VarKind::Local(function), Init::None, span);
        if let Some(unsupported) = self.unsupported_name(ty) {
            self.poison(span, &unsupported);
        }
        self.declare_local(var, item.span);
        self.bind(name, Name::Var(var, ty));
        if let Some(init) = item.init {
            self.automatic_initializer(var, init, item.span);
            let ty = self.program.vars[var].ty;
            self.rebind(name, var, ty);
        }
        if self.program.types.size_of(self.program.vars[var].ty).is_none() {
            self.error(span, "the size of the array is not known");
        }
    }

    /// The declared type of an object, before its initializer completed it.
    pub(super) fn declared(&self, ty: TypeId) -> TypeId {
        self.flexible.get(&ty).copied().unwrap_or(ty)
    }

    /// The initializer may have given an array its length.
    fn rebind(&mut self, name: Symbol, var: VarId, ty: TypeId) {
        if let Some(Name::Var(bound, before)) = self.names.ordinary(name)
            && bound == var
            && before != ty
        {
            self.bind(name, Name::Var(var, ty));
        }
    }

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

    /// Binds a name that is declared by its first use.
    pub(super) fn bind_at_file_scope(&mut self, name: Symbol, meaning: Name) {
        self.bind(name, meaning);
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
    fn nested_function(&mut self, specs: ast::SpecsId, declarator: ast::DeclaratorId) {
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

    fn function_definition(
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
        let declared = self.declared_type(base, declarator);
        let qualifiers = self.declared_qualifiers(&specs, &header, None);
        let Some(signature) = self.function_type_of(declared.ty).cloned() else {
            self.error(header.span, "a body for something that is not a function");
            return;
        };
        let Some(Part::Function { params: params_list, kind }) = self.ast.get(header.parts).first().copied() else {
            return;
        };
        // A definition `f() {…}` has no prototype, but its definition says that it has no parameters.
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
            anchor: span.lo,
        }));
        self.open_block(span);
        let scope = self.scope();
        let params = self.bind_params(function, &signature, params_list, kind, kr_params);
        self.program.functions[function].params = params;
        self.program.functions[function].span = header.name_span;
        // The body may call the function itself, so its type is the one of the definition from here on.
        self.program.functions[function].ty = declared.ty;
        let entry = self.new_location();
        let exit = self.new_location();
        self.state().exit = exit;
        self.set_cursor(Cursor::At(entry));
        if let Some((reason, span)) = self.poisoned {
            self.emit(Op::Poison(reason), span);
        }
        self.poison_unsupported_params(function);
        for (op, span) in before {
            self.emit(op, span);
        }
        self.end_writes_of_params(function);
        self.bind_vla_params(params_list);
        self.statement(body);
        self.state().anchor = span.hi.saturating_sub(1);
        self.fall_off_the_end(name, signature.result, exit, Span::new(span.hi.saturating_sub(1).max(span.lo), span.hi));
        self.resolve_jumps();
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
                    declare(self, name, (*ty, qualifiers), declarator.name_span);
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

    /// The declarations between the header and the body of an old-style definition.
    fn kr_types(&mut self, decls: List<ast::DeclId>) -> FxHashMap<Symbol, ((TypeId, Qualifiers), Span)> {
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
                let known = matches!(meaning, LibFn::Unsupported { .. }) || self.declared_as_library(id);
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
    }

    /// Whether a function is declared as the library has it, so that the library's meaning is what the program means.
    fn declared_as_library(&mut self, function: FuncId) -> bool {
        let name = self.program.function_name(function).to_string();
        let Some(signature) = library::signature(&name) else { return false };
        let wanted = self.signature_type(signature);
        let (wanted, given) =
            (self.function_type_of(wanted), self.function_type_of(self.program.functions[function].ty));
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
