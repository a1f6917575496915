//! Declarations of typedefs and variables; several files are linked while they are lowered, by name.

use super::Lower;
use super::qualifiers::Qualifiers;
use super::scope::Name;
use super::types::Declared;
use crate::c::ast::{self, Attribute, DeclKind, List, Storage, TypeSpec};
use base::{Diagnostic, Span, Symbol};
use cfa::{Init, StaticInit, TypeId, Var, VarId, VarKind};

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
            let enumeration = self.declared_enumeration(&specs, &declarator);
            let is_function = declared.vla.is_none() && self.function_type_of(declared.ty).is_some();
            match specs.storage {
                Some(Storage::Typedef) => {
                    self.typedef(name, declared, qualifiers, declarator.name_span);
                    self.note_typedef(name, enumeration);
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
                    if let Some(enumeration) = enumeration {
                        self.program.enumerations.of_var(var, enumeration);
                    }
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

    pub(super) fn new_var(&mut self, name: Symbol, ty: TypeId, kind: VarKind, init: Init, span: Span) -> VarId {
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

    /// Binds a name that is declared by its first use.
    pub(super) fn bind_at_file_scope(&mut self, name: Symbol, meaning: Name) {
        self.bind(name, meaning);
    }
}
