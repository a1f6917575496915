//! Qualifiers of declared types and of expressions. Types do not keep them, so declarations note them here, for `typeof`, `_Generic` and
//! for objects that are `const` (see `read_only`).
//!
//! Invariant: what cannot be followed is [`Qualifiers::UNKNOWN`], never unqualified.

use super::Lower;
use super::expr::Operand;
use super::scope::Name;
use crate::c::ast::{self, BinaryOp, Declarator, ExprKind as Ast, Part, Quals, Specs, TypeNameId, TypeSpec, UnaryOp};
use cfa::types::FunctionType;
use cfa::{FuncId, RecordId, Type, TypeId, VarId};
use rustc_hash::FxHashMap;

const CONST: u64 = 1;
const VOLATILE: u64 = 2;
const RESTRICT: u64 = 4;
const ATOMIC: u64 = 8;
/// Bits of one level.
const LEVEL: u32 = 4;

/// The qualifiers of a type, those of what it points to or returns, and so on, four bits a level. An array has those of its elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Qualifiers {
    /// All levels beyond the last one repeat the highest bit.
    may: i64,
    must: u64,
}

impl Qualifiers {
    pub const NONE: Qualifiers = Qualifiers { may: 0, must: 0 };
    pub const UNKNOWN: Qualifiers = Qualifiers { may: -1, must: 0 };

    fn with(self, quals: u64) -> Qualifiers {
        Qualifiers { may: self.may | quals as i64, must: self.must | quals }
    }

    /// Of a pointer to it, or of a function that returns it.
    fn pointer(self, quals: Quals) -> Qualifiers {
        let may = self.may << LEVEL;
        if may >> LEVEL != self.may {
            return Qualifiers::UNKNOWN;
        }
        Qualifiers { may, must: self.must << LEVEL }.with(bits(quals))
    }

    /// Of what it points to or returns.
    fn target(self) -> Qualifiers {
        Qualifiers { may: self.may >> LEVEL, must: self.must >> LEVEL }
    }

    /// Of the value of an lvalue (C11 6.3.2.1p2).
    pub fn value(self) -> Qualifiers {
        let level = (1 << LEVEL) - 1;
        Qualifiers { may: self.may & !level, must: self.must & !(level as u64) }
    }

    fn and(self, other: Qualifiers) -> Qualifiers {
        Qualifiers { may: self.may | other.may, must: self.must | other.must }
    }

    /// Of a member of something with these qualifiers (C11 6.5.2.3).
    fn of_member(self, member: Qualifiers) -> Qualifiers {
        let inherited = CONST | VOLATILE;
        Qualifiers { may: member.may | self.may & inherited as i64, must: member.must | self.must & inherited }
    }

    /// `const`, or not known.
    pub fn is_const(self) -> bool {
        self.may as u64 & CONST != 0
    }

    pub fn is_surely_const(self) -> bool {
        self.must & CONST != 0
    }

    /// `volatile`, or not known.
    pub fn is_volatile(self) -> bool {
        self.may as u64 & VOLATILE != 0
    }

    pub fn is_surely_volatile(self) -> bool {
        self.must & VOLATILE != 0
    }

    /// Without levels that a type does not have.
    fn up_to(self, levels: u32) -> Qualifiers {
        match 1u64.checked_shl(LEVEL * levels) {
            Some(end) => Qualifiers { may: self.may & (end - 1) as i64, must: self.must & (end - 1) },
            None => self,
        }
    }

    /// Whether two are the same, if that is known.
    fn same(self, other: Qualifiers) -> Option<bool> {
        let known = |quals: Qualifiers| quals.may as u64 == quals.must;
        let lacks = |a: Qualifiers, b: Qualifiers| a.must & !(b.may as u64) != 0;
        match lacks(self, other) || lacks(other, self) {
            true => Some(false),
            false => (known(self) && known(other)).then_some(true),
        }
    }
}

fn bits(quals: Quals) -> u64 {
    let flag = |is: bool, bit: u64| if is { bit } else { 0 };
    flag(quals.is_const, CONST)
        | flag(quals.is_volatile, VOLATILE)
        | flag(quals.is_restrict, RESTRICT)
        | flag(quals.is_atomic, ATOMIC)
}

/// Why `_Generic` does not choose.
pub(super) enum NoChoice {
    /// No association has this type.
    NoMatch(TypeId),
    /// It depends on qualifiers that are not known whether it is this one.
    Unknown(ast::ExprId),
}

/// The qualifiers of everything declared so far.
#[derive(Default)]
pub(super) struct DeclaredQualifiers {
    pub vars: FxHashMap<VarId, Qualifiers>,
    pub functions: FxHashMap<FuncId, Qualifiers>,
    pub members: FxHashMap<(RecordId, u32), Qualifiers>,
}

impl Lower<'_> {
    /// Of the type that specifiers name. `__auto_type` is an initializer's.
    fn specs_qualifiers(&mut self, specs: &Specs) -> Qualifiers {
        let base = match specs.base {
            TypeSpec::Name(name) => match self.names.ordinary(name) {
                Some(Name::Typedef { qualifiers, .. }) => qualifiers,
                _ => Qualifiers::UNKNOWN,
            },
            TypeSpec::TypeofType(name) => self.type_name_qualifiers(name),
            TypeSpec::Atomic(name) => self.type_name_qualifiers(name).with(ATOMIC),
            TypeSpec::TypeofExpr(expr) => self.expr_qualifiers(expr),
            _ => Qualifiers::NONE,
        };
        base.with(bits(specs.quals))
    }

    /// Of what a declarator declares. To be asked before its name is bound, which may hide a name that the specifiers mean.
    pub(super) fn declared_qualifiers(
        &mut self,
        specs: &Specs,
        declarator: &Declarator,
        init: Option<ast::InitId>,
    ) -> Qualifiers {
        let base = match (specs.base, init.map(|init| self.ast.inits[init].kind)) {
            (TypeSpec::Auto, Some(ast::InitKind::Expr(expr))) => self.value_qualifiers(expr).with(bits(specs.quals)),
            _ => self.specs_qualifiers(specs),
        };
        let parts = self.ast.get(declarator.parts).iter().rev();
        parts.fold(base, |inner, part| match part {
            Part::Pointer(quals) => inner.pointer(*quals),
            Part::Array { .. } => inner,
            Part::Function { .. } => inner.pointer(Quals::default()),
        })
    }

    /// Of a parameter: an array or a function is a pointer (C11 6.7.6.3p7).
    pub(super) fn param_qualifiers(&mut self, specs: ast::SpecsId, declarator: ast::DeclaratorId) -> Qualifiers {
        let declarator = self.ast.declarators[declarator];
        let declared = self.declared_qualifiers(&self.ast.specs[specs], &declarator, None);
        match self.ast.get(declarator.parts).first() {
            Some(Part::Array { quals, .. }) => declared.pointer(*quals),
            Some(Part::Function { .. }) => declared.pointer(Quals::default()),
            Some(Part::Pointer(_)) => declared,
            None => match self.ast.specs[specs].base {
                TypeSpec::Name(_) | TypeSpec::TypeofExpr(_) | TypeSpec::TypeofType(_) => {
                    let ty = self.specs_type(specs);
                    let becomes_pointer = matches!(self.program.types.get(ty), Type::Array(..) | Type::Function(_));
                    if becomes_pointer { declared.pointer(Quals::default()) } else { declared }
                }
                _ => declared,
            },
        }
    }

    pub(super) fn member_qualifiers(
        &mut self,
        specs: ast::SpecsId,
        declarator: Option<ast::DeclaratorId>,
    ) -> Qualifiers {
        let specs = self.ast.specs[specs];
        match declarator {
            Some(declarator) => self.declared_qualifiers(&specs, &self.ast.declarators[declarator], None),
            None => self.specs_qualifiers(&specs),
        }
    }

    pub(super) fn type_name_qualifiers(&mut self, name: TypeNameId) -> Qualifiers {
        let ast::TypeName { specs, declarator, .. } = self.ast.type_names[name];
        self.declared_qualifiers(&self.ast.specs[specs], &self.ast.declarators[declarator], None)
    }

    /// Of the type of an expression as `typeof` sees it: an lvalue keeps its qualifiers, and arrays and functions are no pointers yet.
    fn expr_qualifiers(&mut self, expr: ast::ExprId) -> Qualifiers {
        match self.ast.exprs[expr].kind {
            Ast::Name(name) => self.name_qualifiers(name),
            Ast::Member(base, field) => {
                let base_qualifiers = self.expr_qualifiers(base);
                let ty = self.type_of_expr(base);
                self.field_qualifiers(base_qualifiers, ty, field)
            }
            Ast::Arrow(pointer, field) => {
                let base = self.value_qualifiers(pointer).target();
                let ty = self.type_of_value(pointer);
                match self.program.types.pointee(ty) {
                    Some(ty) => self.field_qualifiers(base, ty, field),
                    None => Qualifiers::UNKNOWN,
                }
            }
            Ast::Index(left, right) => {
                let pointer = if self.is_pointer_value(left) { left } else { right };
                self.value_qualifiers(pointer).target()
            }
            Ast::Unary(UnaryOp::Deref, pointer) => self.value_qualifiers(pointer).target(),
            Ast::Unary(UnaryOp::Addr, place) => self.expr_qualifiers(place).pointer(Quals::default()),
            Ast::Unary(UnaryOp::Real | UnaryOp::Imag, inner) => self.expr_qualifiers(inner),
            Ast::Unary(UnaryOp::PreInc | UnaryOp::PreDec | UnaryOp::PostInc | UnaryOp::PostDec, place)
            | Ast::Assign(_, place, _) => self.value_qualifiers(place),
            Ast::Binary(BinaryOp::Comma, _, right) => self.value_qualifiers(right),
            Ast::Binary(BinaryOp::Add | BinaryOp::Sub, left, right) if self.is_pointer_value(expr) => {
                let pointer = if self.is_pointer_value(left) { left } else { right };
                self.value_qualifiers(pointer)
            }
            // The pointer may point to what both may point to (C11 6.5.15p6).
            Ast::Conditional { cond, then, otherwise, .. } if self.is_pointer_value(expr) => {
                self.value_qualifiers(then.unwrap_or(cond)).and(self.value_qualifiers(otherwise))
            }
            Ast::Call(callee, _) => self.value_qualifiers(callee).target().target().value(),
            Ast::Cast(name, _) | Ast::VaArg(_, name) => self.type_name_qualifiers(name).value(),
            Ast::CompoundLiteral(name, _) => self.type_name_qualifiers(name),
            Ast::Generic(control, associations) => match self.chosen_association(control, associations) {
                Ok(chosen) => self.expr_qualifiers(chosen),
                Err(_) => Qualifiers::UNKNOWN,
            },
            Ast::Choose(cond, then, otherwise) => match self.constant_int(cond) {
                Some(0) => self.expr_qualifiers(otherwise),
                Some(_) => self.expr_qualifiers(then),
                None => Qualifiers::UNKNOWN,
            },
            // The names in the block are gone.
            Ast::Statement(_) => Qualifiers::UNKNOWN.value(),
            Ast::Error => Qualifiers::UNKNOWN,
            Ast::Unary(UnaryOp::Plus | UnaryOp::Minus | UnaryOp::Not | UnaryOp::BitNot, _)
            | Ast::Binary(..)
            | Ast::Conditional { .. }
            | Ast::Int(_)
            | Ast::Float(_)
            | Ast::Char(..)
            | Ast::String(_)
            | Ast::SizeofExpr(_)
            | Ast::SizeofType(_)
            | Ast::AlignofExpr(_)
            | Ast::AlignofType(_)
            | Ast::LabelAddress(_)
            | Ast::Unsupported(_)
            | Ast::Offsetof(..)
            | Ast::TypesCompatible(..) => Qualifiers::NONE,
        }
    }

    /// A name whose own initializer is being read is not noted yet.
    fn name_qualifiers(&mut self, name: base::Symbol) -> Qualifiers {
        let noted = match self.names.ordinary(name) {
            Some(Name::Var(var, _)) => self.qualifiers.vars.get(&var),
            Some(Name::Vla(array)) => self.qualifiers.vars.get(&array.pointer),
            Some(Name::Function(function)) => self.qualifiers.functions.get(&function),
            Some(Name::Constant(..) | Name::Value(_)) => return Qualifiers::NONE,
            Some(Name::Typedef { .. } | Name::Param(_)) | None => None,
        };
        noted.copied().unwrap_or(Qualifiers::UNKNOWN)
    }

    fn field_qualifiers(&self, base: Qualifiers, ty: TypeId, field: base::Symbol) -> Qualifiers {
        let Type::Record(mut record) = *self.program.types.get(ty) else { return Qualifiers::UNKNOWN };
        let Some(path) = self.find_field(record, field) else { return Qualifiers::UNKNOWN };
        let mut qualifiers = base;
        for index in path {
            let member = self.qualifiers.members.get(&(record, index)).copied().unwrap_or(Qualifiers::UNKNOWN);
            qualifiers = qualifiers.of_member(member);
            let ty = self.program.types.records[record].fields[index as usize].ty;
            if let Type::Record(inner) = *self.program.types.get(ty) {
                record = inner;
            }
        }
        qualifiers
    }

    /// Of the value of an expression: an array or a function is a pointer.
    fn value_qualifiers(&mut self, expr: ast::ExprId) -> Qualifiers {
        let qualifiers = self.expr_qualifiers(expr);
        let becomes_pointer = self.speculate(|lower| match lower.operand(expr) {
            Operand::Vla(array) => array.is_array(),
            operand => {
                let ty = lower.operand_type(operand);
                matches!(lower.program.types.get(ty), Type::Array(..) | Type::Function(_))
            }
        });
        if becomes_pointer { qualifiers.pointer(Quals::default()) } else { qualifiers.value() }
    }

    fn is_pointer_value(&mut self, expr: ast::ExprId) -> bool {
        let ty = self.type_of_value(expr);
        self.program.types.is_pointer(ty)
    }

    /// The expression that `_Generic` stands for (C11 6.5.1.1).
    pub(super) fn chosen_association(
        &mut self,
        control: ast::ExprId,
        associations: ast::List<ast::Association>,
    ) -> Result<ast::ExprId, NoChoice> {
        let ty = self.type_of_value(control);
        // The value of anything else has none, and to find out would read the operand once more.
        let qualifiers = match self.program.types.is_pointer(ty) {
            true => self.value_qualifiers(control),
            false => Qualifiers::NONE,
        };
        let wanted = (ty, qualifiers);
        let (mut default, mut unknown) = (None, None);
        for association in self.ast.get(associations) {
            let Some(name) = association.ty else {
                default = Some(association.value);
                continue;
            };
            let candidate = (self.type_of_name(name), self.type_name_qualifiers(name));
            match self.compatible_qualified(candidate, wanted) {
                Some(true) => return Ok(association.value),
                Some(false) => {}
                None => unknown = unknown.or(Some(association.value)),
            }
        }
        match (unknown, default) {
            (Some(first), _) => Err(NoChoice::Unknown(first)),
            (None, Some(default)) => Ok(default),
            (None, None) => Err(NoChoice::NoMatch(wanted.0)),
        }
    }

    /// Whether a type is compatible with another one (C11 6.2.7); `None` where that depends
    /// on qualifiers that are not known.
    pub(super) fn compatible_qualified(&self, a: (TypeId, Qualifiers), b: (TypeId, Qualifiers)) -> Option<bool> {
        if !self.compatible(a.0, b.0) {
            return Some(false);
        }
        let levels = self.levels(a.0);
        match a.1.up_to(levels).same(b.1.up_to(levels)) {
            Some(true) if self.has_pointer_parameters(a.0) => None,
            same => same,
        }
    }

    /// The type itself, what it points to or returns, and so on.
    fn levels(&self, ty: TypeId) -> u32 {
        match self.program.types.get(ty) {
            Type::Pointer(target) | Type::Function(FunctionType { result: target, .. }) => 1 + self.levels(*target),
            Type::Array(element, _) => self.levels(*element),
            _ => 1,
        }
    }

    /// Whether a type says what functions take pointers to, of which no qualifiers are noted.
    fn has_pointer_parameters(&self, ty: TypeId) -> bool {
        match self.program.types.get(ty) {
            Type::Pointer(target) | Type::Array(target, _) => self.has_pointer_parameters(*target),
            Type::Function(function) => {
                function.params.iter().any(|param| self.program.types.is_pointer(*param))
                    || self.has_pointer_parameters(function.result)
            }
            _ => false,
        }
    }
}
