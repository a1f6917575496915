//! Initializers of automatic objects and of compound literals: assignments, or for many scalars a copy or fill of memory.

use super::super::Lower;
use super::super::expr::Operand;
use super::{FEW, Image, Leaf, LeafValue, Path, Step};
use crate::c::ast::{self};
use base::Span;
use cfa::types::RecordKind;
use cfa::{Bits, Callee, ExprId, FuncId, Init, Op, PlaceId, PlaceKind, Type, TypeId, VarId, VarKind};

impl Lower<'_> {
    /// Initializes an automatic variable that was just declared.
    pub(in crate::c::lower) fn automatic_initializer(&mut self, var: VarId, init: ast::InitId, span: Span) {
        let ty = self.program.vars[var].ty;
        let (ty, leaves) = self.evaluated_leaves(ty, init);
        if self.with_flexible_elements(ty, &leaves) != ty {
            self.error(span, "a flexible array member can only be initialized in an object of static lifetime");
            return;
        }
        self.program.vars[var].ty = ty;
        let place = self.var_place(var);
        self.initialize(place, ty, &leaves, span);
    }

    fn initialize(&mut self, place: PlaceId, ty: TypeId, leaves: &[Leaf], span: Span) {
        if let [Leaf { path, value: LeafValue::Expr(expr), .. }] = leaves
            && path.is_empty()
        {
            if !self.initialize_by_call(place, *expr, span) {
                let value = self.rvalue(*expr);
                let value = self.coerce(value, ty, span);
                if self.expr_type(value) == ty && self.unsupported_name(ty).is_none() {
                    self.emit(Op::Assign(place, value), span);
                }
            }
            return;
        }
        match self.scalar_paths(ty) {
            Some(all) => self.initialize_each(place, leaves, &all, span),
            None => self.initialize_memory(place, ty, leaves, span),
        }
    }

    /// Every scalar of a small object without unions.
    fn scalar_paths(&self, ty: TypeId) -> Option<Vec<Path>> {
        let mut all = Vec::new();
        self.collect_scalars(ty, &mut Path::new(), &mut all).then_some(all)
    }

    fn collect_scalars(&self, ty: TypeId, path: &mut Path, all: &mut Vec<Path>) -> bool {
        match self.program.types.get(ty) {
            Type::Array(element, Some(length)) if *length <= FEW as u64 => (0..*length).all(|index| {
                path.push(Step::Index(index));
                let few = self.collect_scalars(*element, path, all);
                path.pop();
                few
            }),
            Type::Record(record) if self.program.types.records[*record].kind == RecordKind::Struct => {
                let fields = &self.program.types.records[*record].fields;
                fields.iter().enumerate().all(|(index, field)| {
                    path.push(Step::Field(index as u32));
                    let few = self.collect_scalars(field.ty, path, all);
                    path.pop();
                    few
                })
            }
            Type::Array(..) | Type::Record(_) => false,
            _ => {
                all.push(path.clone());
                all.len() <= FEW
            }
        }
    }

    fn initialize_each(&mut self, place: PlaceId, leaves: &[Leaf], all: &[Path], span: Span) {
        let covered = |path: &Path| leaves.iter().any(|leaf| path.starts_with(&leaf.path));
        for path in all.iter().filter(|path| !covered(path)) {
            let target = self.at(place, path);
            let zero = self.dummy(self.place_type(target), span);
            self.emit(Op::Assign(target, zero), span);
        }
        self.assign_leaves(place, leaves.iter(), span);
    }

    fn assign_leaves<'l>(&mut self, place: PlaceId, leaves: impl Iterator<Item = &'l Leaf>, span: Span) {
        let mut operands = Vec::new();
        let mut before: Option<(ast::ExprId, ExprId)> = None;
        let mut leaves = leaves.peekable();
        while let Some(leaf) = leaves.next() {
            let begin = self.edges_so_far();
            // GNU: the value for a range is computed once.
            if let LeafValue::Expr(expr) = leaf.value
                && before.is_none_or(|(known, _)| known != expr)
                && matches!(leaves.peek(), Some(Leaf { value: LeafValue::Expr(next), .. }) if *next == expr)
                && self.has_effects(&[expr])
            {
                let value = self.rvalue(expr);
                before = Some((expr, self.fixed(value, leaf.span)));
            }
            self.assign_leaf(place, leaf, before, span);
            // One edge is the assignment of the element alone.
            if self.edges_so_far() > begin + 1 || matches!(leaf.value, LeafValue::Expr(_)) {
                let target = self.at(place, &leaf.path);
                operands.push((self.edges_so_far() - begin, self.initialized(begin, target)));
            }
        }
        if operands.iter().any(|(edges, _)| *edges > 1) {
            self.unsequenced(operands.into_iter().map(|(_, operand)| operand));
        }
    }

    /// `known`: an expression whose value is computed already.
    fn assign_leaf(&mut self, place: PlaceId, leaf: &Leaf, known: Option<(ast::ExprId, ExprId)>, span: Span) {
        let target = self.at(place, &leaf.path);
        match leaf.value {
            LeafValue::Expr(expr) => {
                let known = known.filter(|(known, _)| *known == expr);
                let value = known.map_or_else(|| self.rvalue(expr), |(_, value)| value);
                let value = self.coerce(value, leaf.ty, leaf.span);
                if self.expr_type(value) == leaf.ty && self.unsupported_name(leaf.ty).is_none() {
                    self.emit(Op::Assign(target, value), span);
                }
            }
            LeafValue::String(string) => {
                let Type::Array(element, _) = *self.program.types.get(leaf.ty) else { return };
                let (_, bytes, units) = self.string_image(string);
                let width = (bytes.len() as u64 / units.max(1)).max(1) as usize;
                let length = match *self.program.types.get(self.place_type(target)) {
                    Type::Array(_, Some(length)) => length,
                    _ => units,
                };
                for index in 0..length {
                    let unit = bytes.get(index as usize * width..(index as usize + 1) * width).unwrap_or(&[]);
                    let unit = unit.iter().rev().fold(0u128, |value, byte| value << 8 | *byte as u128);
                    let index = self.int(index as i128, TypeId::INT, span);
                    let target = self.place(PlaceKind::Index(target, index), element);
                    let bits = cfa::eval::from_i128(&self.program.types, element, unit as i128);
                    let value = self.constant(bits, element, span);
                    self.emit(Op::Assign(target, value), span);
                }
            }
        }
    }

    fn at(&mut self, place: PlaceId, path: &[Step]) -> PlaceId {
        path.iter().fold(place, |place, step| match *step {
            Step::Field(index) => self.field_place(place, index),
            Step::Index(index) => {
                let Type::Array(element, _) = *self.program.types.get(self.place_type(place)) else { return place };
                let index = self.int(index as i128, TypeId::INT, Span::NONE);
                self.place(PlaceKind::Index(place, index), element)
            }
        })
    }

    /// A large object: its constant part is copied from (or filled with zeros like) an image, the rest is assigned.
    fn initialize_memory(&mut self, place: PlaceId, ty: TypeId, leaves: &[Leaf], span: Span) {
        let mut image = Image::default();
        let mut rest = Vec::new();
        for leaf in leaves {
            match self.constant_leaf(leaf) {
                Some((value, leaf_ty)) => {
                    let (offset, bits) = self.locate(ty, &leaf.path);
                    let size = self.program.types.size_of(leaf_ty).unwrap_or(0).min(16) as usize;
                    match bits {
                        Some(range) => image.write_bits(offset, range, value),
                        None => image.write(offset, &value.get().to_le_bytes()[..size]),
                    }
                }
                None => match leaf.value {
                    LeafValue::String(_) => {
                        let (offset, bits) = self.locate(ty, &leaf.path);
                        self.static_leaf(&mut image, offset, bits, leaf);
                    }
                    LeafValue::Expr(_) => rest.push(leaf),
                },
            }
        }
        let size = self.program.types.size_of(ty).unwrap_or(0);
        let size_type = TypeId::int(self.program.model().size_type());
        let to = self.address_of(place, ty, span);
        let to = self.cast(to, TypeId::VOID_POINTER, span);
        let size = self.int(size as i128, size_type, span);
        let (function, from) = match image.finish() {
            Init::Static(init) if init.bytes.iter().any(|byte| *byte != 0) => {
                let object = self.constant_object(ty, Init::Static(init), span);
                let source = self.var_place(object);
                let from = self.address_of(source, ty, span);
                (self.builtin("__builtin_memcpy", "p(ppz)"), self.cast(from, TypeId::VOID_POINTER, span))
            }
            _ => (self.builtin("__builtin_memset", "p(piz)"), self.int(0, TypeId::INT, span)),
        };
        let args = self.argument_slice(&[to, from, size]);
        self.emit(Op::Call { dest: None, callee: Callee::Direct(function), args }, span);
        self.assign_leaves(place, rest.into_iter(), span);
    }

    /// The number that a leaf is, when it is one and computing it is defined: an overflow must stay an operation of the run.
    fn constant_leaf(&mut self, leaf: &Leaf) -> Option<(Bits, TypeId)> {
        let LeafValue::Expr(expr) = leaf.value else { return None };
        let before = std::mem::replace(&mut self.folded_fault, false);
        let value = self.constant_scalar(expr, leaf.ty);
        let faulty = std::mem::replace(&mut self.folded_fault, before);
        value.filter(|_| !faulty).map(|bits| (bits, leaf.ty))
    }

    /// The number that an expression is as an initializer of a scalar, when it is one.
    pub(in crate::c::lower) fn constant_scalar(&mut self, expr: ast::ExprId, ty: TypeId) -> Option<Bits> {
        if !self.program.types.is_scalar(ty) {
            return None;
        }
        let span = self.ast.exprs[expr].span;
        self.in_constant_context(|lower| {
            lower.speculate(|lower| {
                let diagnostics = lower.diagnostics.len();
                let errors = lower.errors;
                let value = lower.rvalue(expr);
                let value = lower.coerce(value, ty, span);
                // It is lowered again where it is not constant, and says then what there is to say.
                lower.diagnostics.truncate(diagnostics);
                lower.errors = errors;
                let bits: Option<Bits> = lower.program.constant(value);
                bits.filter(|_| lower.effect_wanted.is_none())
            })
        })
    }

    pub(in super::super) fn builtin(&mut self, name: &str, signature: &str) -> FuncId {
        let symbol = self.program.names.intern(name);
        let ty = self.signature_type(signature);
        self.function_with_linkage(symbol, ty, Span::NONE)
    }

    pub(in crate::c::lower) fn compound_literal(
        &mut self,
        name: ast::TypeNameId,
        init: ast::InitId,
        span: Span,
    ) -> Operand {
        let ty = self.type_of_name(name);
        if self.unsupported_name(ty).is_some() {
            return Operand::Value(self.unsupported_value(ty, TypeId::INT, span));
        }
        let unsized_array = matches!(self.program.types.get(ty), Type::Array(element, None) if self.program.types.size_of(*element).is_some());
        if self.program.types.size_of(ty).is_none() && !unsized_array {
            let message = format!("a value of the incomplete type `{}`", self.type_name(ty));
            self.error(span, message);
            return self.stand_in(span);
        }
        if self.must_fold() {
            let (ty, init) = self.static_initializer(ty, init);
            let var = self.constant_object(ty, init, span);
            self.program.vars[var].kind = VarKind::Global;
            self.program.vars[var].read_only = self.type_name_qualifiers(name).is_const();
            self.known.insert(var, None);
            return Operand::Place(self.view(var, self.declared(ty), span));
        }
        let (ty, leaves) = self.evaluated_leaves(ty, init);
        let var = self.temp(ty, span);
        self.declare_local(var, span);
        let place = self.var_place(var);
        self.initialize(place, ty, &leaves, span);
        let is_const = self.type_name_qualifiers(name).is_const();
        self.end_writes_of(var, is_const);
        Operand::Place(self.var_place(var))
    }

    /// A local that lives until its block ends.
    pub(in crate::c::lower) fn declare_local(&mut self, var: VarId, span: Span) {
        if !self.situation.speculating {
            let scope = self.scope();
            self.state().locals.entry(scope).or_default().push(var);
        }
        self.emit(Op::Declare(var), span);
    }
}
