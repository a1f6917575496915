//! Objects that are defined `const`: writing them is undefined (C11 6.7.3p6). Types do not keep qualifiers, so declarations say here which
//! objects are `const`: a static one is marked in the program, and for an automatic one the library function [`LibFn::EndWrites`] is called
//! where its initializer has written it.
//!
//! `const` members of objects that are not `const` themselves: see [`cfa::const_bytes`].
//!
//! Not noticed: an object declared by `typeof` of a `const` member, or of an lvalue behind more than one pointer or a name for one, and an
//! automatic object whose declaration was jumped over.

use super::Lower;
use super::scope::Name;
use crate::c::ast::{self, Declarator, ExprKind as Ast, List, ParamKind, Part, Specs, TypeNameId, TypeSpec, UnaryOp};
use base::{Span, Symbol};
use cfa::const_bytes::ConstBytes;
use cfa::library::{Frozen, LibFn};
use cfa::types::FunctionType;
use cfa::{Body, Callee, ExprId, FuncId, Function, Init, Op, Type, TypeId, Var, VarId, VarKind};

impl Lower<'_> {
    /// Whether what is declared is `const` itself: an array is if its elements are.
    pub(super) fn declares_const(&self, specs: &Specs, declarator: &Declarator) -> bool {
        let outermost = self.ast.get(declarator.parts).iter().find(|part| !matches!(part, Part::Array { .. }));
        match outermost {
            Some(Part::Pointer(quals)) => quals.is_const,
            Some(_) => false,
            None => self.names_const(specs),
        }
    }

    pub(super) fn member_is_const(&self, specs: ast::SpecsId, declarator: Option<ast::DeclaratorId>) -> bool {
        let specs = &self.ast.specs[specs];
        match declarator {
            Some(declarator) => self.declares_const(specs, &self.ast.declarators[declarator]),
            None => self.names_const(specs),
        }
    }

    /// Whether specifiers name a type that is `const`, also behind a name for it.
    fn names_const(&self, specs: &Specs) -> bool {
        specs.quals.is_const
            || match specs.base {
                TypeSpec::Name(name) => matches!(self.names.ordinary(name), Some(Name::Typedef { is_const: true, .. })),
                TypeSpec::TypeofType(name) | TypeSpec::Atomic(name) => self.is_const_name(name),
                TypeSpec::TypeofExpr(expr) => self.is_const_lvalue(expr),
                _ => false,
            }
    }

    pub(super) fn is_const_name(&self, name: TypeNameId) -> bool {
        let ast::TypeName { specs, declarator, .. } = self.ast.type_names[name];
        self.declares_const(&self.ast.specs[specs], &self.ast.declarators[declarator])
    }

    fn is_const_lvalue(&self, mut expr: ast::ExprId) -> bool {
        loop {
            expr = match self.ast.exprs[expr].kind {
                Ast::Name(name) => {
                    let Some(Name::Var(var, _)) = self.names.ordinary(name) else { return false };
                    return self.outside.constant.contains(&var);
                }
                Ast::Member(base, _) => base,
                Ast::Index(base, _) if self.is_array_lvalue(base) => base,
                Ast::Index(pointer, _) | Ast::Arrow(pointer, _) | Ast::Unary(UnaryOp::Deref, pointer) => {
                    return self.points_to_const(pointer);
                }
                Ast::CompoundLiteral(name, _) => return self.is_const_name(name),
                _ => return false,
            }
        }
    }

    /// Whether an expression points to something `const`, as far as its declaration tells.
    fn points_to_const(&self, expr: ast::ExprId) -> bool {
        match self.ast.exprs[expr].kind {
            Ast::Name(name) => {
                matches!(self.names.ordinary(name), Some(Name::Var(var, _)) if self.points_to_const.contains(&var))
            }
            Ast::Cast(name, _) => {
                let ast::TypeName { specs, declarator, .. } = self.ast.type_names[name];
                self.declares_pointer_to_const(&self.ast.specs[specs], &self.ast.declarators[declarator])
            }
            Ast::Unary(UnaryOp::Addr, inner) => self.is_const_lvalue(inner),
            _ => false,
        }
    }

    pub(super) fn declares_pointer_to_const(&self, specs: &Specs, declarator: &Declarator) -> bool {
        match self.ast.get(declarator.parts) {
            [Part::Pointer(_), rest @ ..] => {
                rest.iter().all(|part| matches!(part, Part::Array { .. })) && self.names_const(specs)
            }
            _ => false,
        }
    }

    fn is_array_lvalue(&self, expr: ast::ExprId) -> bool {
        let Ast::Name(name) = self.ast.exprs[expr].kind else { return false };
        matches!(self.names.ordinary(name), Some(Name::Var(_, ty)) if matches!(self.program.types.get(ty), Type::Array(..)))
    }

    /// Notes what a declaration defines as `const`. An automatic object is marked only where a pointer to it can exist: to write it by name
    /// is an error that compilers report.
    pub(super) fn note_read_only(&mut self, name: Symbol, specs: &Specs, declarator: &Declarator) {
        let is_const = self.declares_const(specs, declarator);
        match self.names.ordinary(name) {
            Some(Name::Var(var, _)) => {
                let object = &mut self.program.vars[var];
                match object.kind {
                    VarKind::Global => {
                        object.read_only |= is_const && !matches!(object.init, Init::Unknown | Init::None);
                    }
                    _ => self.end_writes_by_pointer(var, is_const),
                }
            }
            Some(Name::Vla(array)) if is_const => {
                let span = self.program.vars[array.pointer].span;
                let address = self.read_var(array.pointer, span);
                self.end_writes(address, Frozen::Whole, span);
            }
            _ => {}
        }
    }

    /// The parameters of a function at its start. A parameter that is declared as an array is a pointer, and what it points to is another's.
    pub(super) fn note_const_params(
        &mut self,
        function: FuncId,
        params: List<ast::Param>,
        kind: ParamKind,
        kr_params: List<ast::DeclId>,
    ) {
        let mut declared: Vec<(ast::SpecsId, ast::DeclaratorId)> = Vec::new();
        match kind {
            ParamKind::Prototype { .. } | ParamKind::Empty => {
                declared.extend(self.ast.get(params).iter().map(|param| (param.specs, param.declarator)));
            }
            ParamKind::Names(_) => {
                for decl in self.ast.get(kr_params) {
                    let ast::DeclKind::Variables { specs, declarators } = self.ast.decls[*decl].kind else { continue };
                    declared.extend(self.ast.get(declarators).iter().map(|item| (specs, item.declarator)));
                }
            }
        }
        let vars = self.program.functions[function].params.clone();
        for (specs, declarator) in declared {
            let (specs, declarator) = (self.ast.specs[specs], self.ast.declarators[declarator]);
            let is_const = match self.ast.get(declarator.parts).first() {
                Some(Part::Pointer(quals)) => quals.is_const,
                Some(_) => false,
                None => self.names_const(&specs) && !self.names_array(&specs),
            };
            let var = vars.iter().find(|var| Some(self.program.vars[**var].name) == declarator.name);
            if let Some(var) = var {
                self.end_writes_by_pointer(*var, is_const);
                if self.declares_pointer_to_const(&specs, &declarator) {
                    self.points_to_const.insert(*var);
                }
            }
        }
    }

    fn names_array(&self, specs: &Specs) -> bool {
        match specs.base {
            TypeSpec::Name(name) => matches!(
                self.names.ordinary(name),
                Some(Name::Typedef { ty, .. }) if matches!(self.program.types.get(ty), Type::Array(..))
            ),
            // Too rare to look: not marked.
            TypeSpec::TypeofExpr(_) | TypeSpec::TypeofType(_) => true,
            _ => false,
        }
    }

    /// An automatic object was written for the last time, or its `const` members were, if anything can point to it.
    fn end_writes_by_pointer(&mut self, var: VarId, is_const: bool) {
        let object = &self.program.vars[var];
        if self.addressed.contains(&object.name) || self.has_array(object.ty) {
            self.end_writes_of(var, is_const);
        }
    }

    pub(super) fn end_writes_of(&mut self, var: VarId, is_const: bool) {
        let Var { ty, span, .. } = self.program.vars[var];
        let frozen = match (is_const, ConstBytes::of(&self.program.types, ty)) {
            (true, _) => Frozen::Whole,
            (false, Some(_)) => Frozen::Members,
            (false, None) => return,
        };
        let place = self.var_place(var);
        let address = self.address_of(place, ty, span);
        self.end_writes(address, frozen, span);
    }

    fn end_writes(&mut self, address: ExprId, frozen: Frozen, span: Span) {
        let function = match self.end_writes[frozen as usize] {
            Some(function) => function,
            None => {
                let name = self.program.names.intern(match frozen {
                    Frozen::Whole => "const",
                    Frozen::Members => "const members",
                });
                let params = vec![TypeId::VOID_POINTER];
                let ty = FunctionType { result: TypeId::VOID, params, variadic: false, unprototyped: false };
                let ty = self.program.types.intern(Type::Function(ty));
                let body = Body::Library(LibFn::EndWrites(frozen));
                self.program.functions.push(Function { name, ty, params: Vec::new(), body, span: Span::NONE })
            }
        };
        self.end_writes[frozen as usize] = Some(function);
        let address = self.cast(address, TypeId::VOID_POINTER, span);
        let args = self.argument_slice(&[address]);
        self.emit(Op::Call { dest: None, callee: Callee::Direct(function), args }, span);
    }
}
