//! Objects that are defined `const`: writing them is undefined (C11 6.7.3p6). Types do not keep qualifiers, so declarations say here which
//! objects are `const`: a static one is marked in the program, and for an automatic one the library function [`LibFn::EndWrites`] is called
//! where its initializer has written it.
//!
//! `const` members of objects that are not `const` themselves: see [`cfa::const_bits`]. A variable-length array is never initialized, so
//! its allocation makes them read-only.

use super::Lower;
use super::qualifiers::Qualifiers;
use super::scope::Name;
use base::{Span, Symbol};
use cfa::const_bits::ConstBits;
use cfa::library::{Frozen, LibFn};
use cfa::types::FunctionType;
use cfa::{Body, Callee, ExprId, FuncId, Function, Init, Op, Type, TypeId, Var, VarId, VarKind};

impl Lower<'_> {
    /// An object that no unit defines: all its declarations have to agree (C11 6.2.7).
    pub(super) fn note_read_only_elsewhere(&mut self, var: VarId, name: Symbol, qualifiers: Qualifiers) {
        if qualifiers.is_const() && !self.defined_objects.contains(&name) {
            self.program.vars[var].read_only = true;
        }
    }

    /// Notes what a declaration defines as `const`. An automatic object is marked only where a pointer to it can exist: to write it by name
    /// is an error that compilers report.
    pub(super) fn note_read_only(&mut self, name: Symbol, is_const: bool) {
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

    /// The parameters of a function at its start.
    pub(super) fn end_writes_of_params(&mut self, function: FuncId) {
        for var in self.program.functions[function].params.clone() {
            let is_const = self.qualifiers.vars.get(&var).is_some_and(|qualifiers| qualifiers.is_const());
            self.end_writes_by_pointer(var, is_const);
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
        let frozen = match (is_const, ConstBits::of(&self.program.types, ty)) {
            (true, _) => Frozen::Whole,
            (false, Some(_)) => Frozen::Members,
            (false, None) => return,
        };
        if !self.situation.speculating {
            self.state().frozen.insert(var, frozen);
        }
        self.freeze(var, frozen, span);
    }

    /// The declaration of an automatic object was jumped over, and its lifetime begins: nothing will initialize it.
    pub(super) fn end_writes_of_skipped(&mut self, var: VarId, span: Span) {
        if let Some(frozen) = self.state().frozen.get(&var).copied() {
            self.freeze(var, frozen, span);
        }
    }

    fn freeze(&mut self, var: VarId, frozen: Frozen, span: Span) {
        let place = self.var_place(var);
        let address = self.address_of(place, self.program.vars[var].ty, span);
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
