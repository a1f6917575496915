//! Variable-length arrays of any number of dimensions. Types do not know run-time lengths, so such an array is a pointer to its innermost
//! elements plus the variables that hold its inner lengths; indexing computes the distance itself.

use super::Lower;
use super::expr::Operand;
use super::scope::Name;
use crate::c::ast::{self, List};
use base::{Span, Symbol};
use cfa::{BinOp, ExprId, Init, Op, TypeId, Var, VarId, VarKind};

/// A variable-length array as declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Vla {
    /// Points to the first of the innermost elements.
    pub pointer: VarId,
    /// Holds the size in bytes; `None` for a parameter, which is a pointer after all.
    pub size: Option<VarId>,
    /// Index into `Lower::vla_shapes`: the variables that hold the lengths of all dimensions but the first.
    pub shape: u32,
}

/// An array or a row of it in an expression.
#[derive(Clone, Copy, Debug)]
pub(super) struct VlaOperand {
    pub pointer: ExprId,
    array: Vla,
    /// How many indices were applied.
    depth: u32,
}

impl VlaOperand {
    /// A parameter is a pointer.
    pub(super) fn is_array(&self) -> bool {
        self.depth > 0 || self.array.size.is_some()
    }
}

impl Lower<'_> {
    pub(super) fn variable_length_array(
        &mut self,
        name: Symbol,
        element: TypeId,
        lengths: &[Option<ast::ExprId>],
        item: &ast::InitDeclarator,
    ) {
        let span = self.ast.declarators[item.declarator].name_span;
        let function = self.state().id;
        let size_type = TypeId::int(self.program.model().size_type());
        if item.init.is_some() {
            self.error(item.span, "a variable-length array cannot be initialized");
        }
        let Some(dimensions) = self.length_variables(lengths, item.span) else { return };
        let bytes = self.bytes_of(element, &dimensions, span);
        let size = self.temp(size_type, span);
        let size_place = self.var_place(size);
        self.emit(Op::Assign(size_place, bytes), item.span);
        let ty = self.program.types.pointer_to(element);
        let kind = VarKind::Vla(function);
        let pointer = self.program.vars.push(Var {
            name,
            ty,
            kind,
            init: Init::None,
            address_taken: false,
            read_only: false,
            span,
        });
        if !self.situation.speculating {
            let scope = self.scope();
            self.state().locals.entry(scope).or_default().push(pointer);
        }
        let bytes = self.read_var(size, span);
        self.emit(Op::Alloca(pointer, bytes), item.span);
        let shape = self.new_shape(dimensions[1..].to_vec());
        self.bind(name, Name::Vla(Vla { pointer, size: Some(size), shape }));
    }

    /// Parameters such as `int a[n][m]` after all parameters are bound.
    pub(super) fn bind_vla_params(&mut self, params: List<ast::Param>) {
        for param in self.ast.get(params) {
            let declarator = self.ast.declarators[param.declarator];
            let Some(name) = declarator.name else { continue };
            if self.ast.get(declarator.parts).len() < 2 {
                continue;
            }
            let base = self.specs_type(param.specs);
            let Some(lengths) = self.declared_type(base, param.declarator).vla else { continue };
            let Some(Name::Var(pointer, _)) = self.names.ordinary(name) else { continue };
            if let Some(dimensions) = self.length_variables(&lengths[1..], param.span)
                && !dimensions.is_empty()
            {
                let shape = self.new_shape(dimensions);
                self.bind(name, Name::Vla(Vla { pointer, size: None, shape }));
            }
        }
    }

    fn new_shape(&mut self, inner: Vec<VarId>) -> u32 {
        self.vla_shapes.push(inner);
        self.vla_shapes.len() as u32 - 1
    }

    /// Evaluates lengths once, into variables.
    fn length_variables(&mut self, lengths: &[Option<ast::ExprId>], span: Span) -> Option<Vec<VarId>> {
        let size_type = TypeId::int(self.program.model().size_type());
        let mut variables = Vec::new();
        for length in lengths {
            let Some(length) = length else {
                self.error(span, "the length of an array dimension is missing");
                return None;
            };
            let value = self.rvalue(*length);
            if self.expr_type(value).int_kind().is_none() {
                self.error(self.ast.exprs[*length].span, "the length of an array is not an integer");
                return None;
            }
            let value = self.cast(value, size_type, span);
            let variable = self.temp(size_type, span);
            let place = self.var_place(variable);
            self.emit(Op::Assign(place, value), span);
            variables.push(variable);
        }
        Some(variables)
    }

    /// The size of an array of so many elements.
    fn bytes_of(&mut self, element: TypeId, lengths: &[VarId], span: Span) -> ExprId {
        let size_type = TypeId::int(self.program.model().size_type());
        let each = self.program.types.size_of(element).unwrap_or(1);
        let mut bytes = self.int(each as i128, size_type, span);
        for length in lengths {
            let length = self.read_var(*length, span);
            bytes = self.arithmetic(BinOp::Mul, bytes, length, span);
        }
        bytes
    }

    pub(super) fn sizeof_type(&mut self, name: ast::TypeNameId, span: Span) -> ExprId {
        let ast::TypeName { specs, declarator, .. } = self.ast.type_names[name];
        let base = self.specs_type(specs);
        let declared = self.declared_type(base, declarator);
        let dimensions = declared.vla.and_then(|lengths| self.length_variables(&lengths, span));
        match dimensions {
            Some(dimensions) => self.bytes_of(declared.ty, &dimensions, span),
            None => self.size_constant(declared.ty, span),
        }
    }

    pub(super) fn vla_operand(&mut self, array: Vla, span: Span) -> Operand {
        let pointer = self.read_var(array.pointer, span);
        Operand::Vla(VlaOperand { pointer, array, depth: 0 })
    }

    pub(super) fn vla_index(&mut self, vla: VlaOperand, index: ExprId, span: Span) -> Operand {
        if self.expr_type(index).int_kind().is_none() {
            self.error(span, "array index is not an integer");
            return Operand::Vla(vla);
        }
        let inner: Vec<VarId> = self.inner_lengths(vla).to_vec();
        // Signed arithmetic in the width of a pointer: a negative index stays one.
        let wide = TypeId::int(self.program.model().difference_type());
        let mut distance = if inner.is_empty() { index } else { self.cast(index, wide, span) };
        for length in &inner {
            let length = self.read_var(*length, span);
            let length = self.cast(length, wide, span);
            distance = self.arithmetic(BinOp::Mul, distance, length, span);
        }
        let pointer = self.move_pointer(BinOp::Add, vla.pointer, distance, span);
        if inner.is_empty() {
            let element = self.program.types.pointee(self.expr_type(pointer)).expect("a pointer");
            return Operand::Place(self.deref(pointer, element));
        }
        Operand::Vla(VlaOperand { pointer, depth: vla.depth + 1, ..vla })
    }

    /// The lengths of the dimensions inside the elements of this (part of an) array.
    fn inner_lengths(&self, vla: VlaOperand) -> &[VarId] {
        let shape = &self.vla_shapes[vla.array.shape as usize];
        &shape[(vla.depth as usize).min(shape.len())..]
    }

    /// The array as a pointer. A pointer to rows of run-time length has no type here, so computing with one is not supported.
    pub(super) fn vla_value(&mut self, vla: VlaOperand, span: Span) -> ExprId {
        if !self.inner_lengths(vla).is_empty() {
            self.poison(span, "pointer to a variable-length array");
        }
        vla.pointer
    }

    pub(super) fn vla_size(&mut self, vla: VlaOperand, span: Span) -> ExprId {
        let size_type = TypeId::int(self.program.model().size_type());
        match (vla.depth, vla.array.size) {
            (0, Some(size)) => self.read_var(size, span),
            (0, None) => self.int(self.program.model().pointer_bytes() as i128, size_type, span),
            (depth, _) => {
                let pointer = self.program.vars[vla.array.pointer].ty;
                let element = self.program.types.pointee(pointer).expect("a pointer");
                let shape = self.vla_shapes[vla.array.shape as usize].clone();
                self.bytes_of(element, &shape[depth as usize - 1..], span)
            }
        }
    }
}
