//! Variable arguments. The caller puts them into a structure of its own, each behind a number that says of which kind it is, and a zero behind the
//! last; the function gets the address as one more parameter (see [`Program::is_argument_list`](cfa::Program::is_argument_list)). `va_list` is a
//! pointer that goes through that structure, so `va_arg` with another type than that of the argument, and behind the last one, is noticed.

use super::Lower;
use super::expr::Operand;
use super::intrinsic::is_intrinsic;
use crate::c::ast;
use base::Span;
use cfa::library::LibFn;
use cfa::program::ARGUMENT_LIST;
use cfa::types::{Field, RecordKind};
use cfa::{BinOp, Body, Callee, DataModel, ExprId, FuncId, Function, Op, PlaceId, Type, TypeId, VarId};

/// Where the value lies behind the number that says what it is.
const VALUE: u64 = 16;

/// Bytes from one argument to the next.
fn step(size: u64) -> u64 {
    VALUE + size.max(1).next_multiple_of(16)
}

impl Lower<'_> {
    pub(super) fn va_list_type(&mut self) -> TypeId {
        if let Some(ty) = self.va_list {
            return ty;
        }
        let tag = self.program.names.intern("__va_list_tag");
        let (id, tag_type) = self.program.types.new_record(RecordKind::Struct, Some(tag));
        let next = self.new_field("next", TypeId::CHAR_POINTER, 0);
        let record = &mut self.program.types.records[id];
        (record.size, record.align, record.complete, record.fields) = (24, 8, true, vec![next]);
        let ty = match self.program.model() {
            DataModel::Lp64 => self.program.types.array_of(tag_type, Some(1)),
            DataModel::Ilp32 => TypeId::CHAR_POINTER,
        };
        self.va_list = Some(ty);
        ty
    }

    fn new_field(&mut self, name: &str, ty: TypeId, offset: u64) -> Field {
        Field { name: Some(self.program.names.intern(name)), ty, offset, bits: None, is_const: false }
    }

    /// The type of the pointer to variable arguments.
    pub(super) fn argument_list_type(&mut self) -> TypeId {
        if let Some(ty) = self.argument_list {
            return ty;
        }
        let tag = self.program.names.intern(ARGUMENT_LIST);
        let (_, record) = self.program.types.new_record(RecordKind::Struct, Some(tag));
        let ty = self.program.types.pointer_to(record);
        self.argument_list = Some(ty);
        ty
    }

    /// The arguments of a call of a variadic function that has, or may have, a body.
    pub(super) fn with_argument_list(
        &mut self,
        callee: Callee,
        fixed: usize,
        args: (u32, u32),
        span: Span,
    ) -> (u32, u32) {
        let with_body = match callee {
            // The type of an intrinsic takes anything; a definition that comes later says what it takes.
            Callee::Direct(function) => {
                let name = self.program.functions[function].name;
                self.defined.contains(&name) && !is_intrinsic(self.program.name(name))
            }
            Callee::Indirect(_) => true,
        };
        if !with_body || self.must_fold() || self.situation.pure {
            return args;
        }
        let mut values = self.program.call_args(args).to_vec();
        let variable = values.split_off(fixed.min(values.len()));
        let list = self.argument_list(&variable, span);
        values.push(list);
        // A library function that a pointer names has no use for the list.
        if let Callee::Indirect(_) = callee {
            values.extend(variable);
        }
        self.argument_slice(&values)
    }

    /// The address of a structure with some values.
    fn argument_list(&mut self, values: &[ExprId], span: Span) -> ExprId {
        let ty = self.argument_list_type();
        let types: Vec<TypeId> = values.iter().map(|value| self.expr_type(*value)).collect();
        let mut fields = Vec::new();
        let mut offset = 0;
        for ty in &types {
            fields.push(self.new_field("kind", TypeId::UINT, offset));
            fields.push(self.new_field("value", *ty, offset + VALUE));
            offset += step(self.program.types.size_of(*ty).unwrap_or(1));
        }
        fields.push(self.new_field("end", TypeId::UINT, offset));
        let (id, record_type) = self.program.types.new_record(RecordKind::Struct, None);
        let record = &mut self.program.types.records[id];
        (record.size, record.align, record.complete, record.fields) = (offset + 16, 16, true, fields);
        let var = self.temp(record_type, span);
        let place = self.var_place(var);
        for (index, (value, ty)) in values.iter().zip(&types).enumerate() {
            let kind = self.argument_kind(*ty);
            self.set_field(place, 2 * index as u32, kind, span);
            let target = self.field_place(place, 2 * index as u32 + 1);
            self.emit(Op::Assign(target, *value), span);
        }
        self.set_field(place, 2 * values.len() as u32, 0, span);
        let address = self.address_of(place, record_type, span);
        self.cast(address, ty, span)
    }

    fn set_field(&mut self, place: PlaceId, field: u32, value: i128, span: Span) {
        let target = self.field_place(place, field);
        let value = self.int(value, TypeId::UINT, span);
        self.emit(Op::Assign(target, value), span);
    }

    /// What says of which kind an argument is. Types of the same kind are passed in the same way: integers of one size, all pointers.
    fn argument_kind(&self, ty: TypeId) -> i128 {
        let size = self.program.types.size_of(ty).unwrap_or(0) as i128;
        match self.program.types.get(ty) {
            Type::Int(_) => size,
            Type::Float(_) => 100 + size,
            Type::Pointer(_) => 200,
            _ => 1000 + size,
        }
    }

    /// Where a list keeps what comes next.
    fn list_place(&mut self, list: ast::ExprId, span: Span) -> Option<PlaceId> {
        let ty = self.va_list_type();
        let place = match *self.program.types.get(ty) {
            Type::Array(tag, _) => {
                let pointer = self.rvalue(list);
                let fits = self.program.types.pointee(self.expr_type(pointer)) == Some(tag);
                fits.then(|| self.deref(pointer, tag)).map(|place| self.field_place(place, 0))
            }
            _ => match self.operand(list) {
                Operand::Place(place) if self.place_type(place) == ty => Some(place),
                _ => None,
            },
        };
        if place.is_none() {
            self.error(span, "a `va_list` is needed");
        }
        place
    }

    /// `None`: an argument is missing.
    pub(super) fn va_start(&mut self, args: &[ast::ExprId], span: Span) -> Option<()> {
        let place = self.list_place(*args.first()?, span)?;
        let Some(list) = self.own_argument_list() else {
            self.error(span, "`va_start` in a function without variable arguments");
            return Some(());
        };
        let list = self.read_var(list, span);
        let start = self.cast(list, TypeId::CHAR_POINTER, span);
        self.emit(Op::Assign(place, start), span);
        Some(())
    }

    /// The parameter of the running function that leads to its variable arguments.
    fn own_argument_list(&self) -> Option<VarId> {
        let last = *self.program.functions[self.function.as_ref()?.id].params.last()?;
        self.program.is_argument_list(self.program.vars[last].ty).then_some(last)
    }

    pub(super) fn va_end(&mut self, args: &[ast::ExprId], span: Span) -> Option<()> {
        let place = self.list_place(*args.first()?, span)?;
        let null = self.int(0, TypeId::CHAR_POINTER, span);
        self.emit(Op::Assign(place, null), span);
        Some(())
    }

    pub(super) fn va_copy(&mut self, args: &[ast::ExprId], span: Span) -> Option<()> {
        let [to, from] = *args else { return None };
        let to = self.list_place(to, span)?;
        let from = self.list_place(from, span)?;
        let value = self.read(from, span);
        self.emit(Op::Assign(to, value), span);
        Some(())
    }

    /// `va_arg(list, ty)`.
    pub(super) fn va_arg(&mut self, list: ast::ExprId, name: ast::TypeNameId, span: Span) -> Operand {
        let ty = self.type_of_name(name);
        let Some(size) = self.program.types.size_of(ty) else {
            self.error(span, "`va_arg` of an incomplete type");
            return Operand::Value(self.dummy(TypeId::INT, span));
        };
        let Some(place) = self.list_place(list, span) else { return Operand::Value(self.dummy(ty, span)) };
        let now = self.temp(TypeId::CHAR_POINTER, span);
        let (now_place, value) = (self.var_place(now), self.read(place, span));
        self.emit(Op::Assign(now_place, value), span);
        let kind = self.argument_part(now, 0, TypeId::UINT, span);
        let wanted = self.argument_kind(ty);
        let wanted = self.int(wanted, TypeId::UINT, span);
        let same = self.arithmetic(BinOp::Eq, kind, wanted, span);
        self.require(same, span);
        let value = self.argument_part(now, VALUE, ty, span);
        let result = self.temp(ty, span);
        let result_place = self.var_place(result);
        self.emit(Op::Assign(result_place, value), span);
        let next = self.moved(now, step(size), span);
        self.emit(Op::Assign(place, next), span);
        match self.program.types.is_scalar(ty) {
            true => Operand::Value(self.read_var(result, span)),
            false => Operand::Place(result_place),
        }
    }

    fn argument_part(&mut self, now: VarId, offset: u64, ty: TypeId, span: Span) -> ExprId {
        let address = self.moved(now, offset, span);
        let pointer = self.program.types.pointer_to(ty);
        let address = self.cast(address, pointer, span);
        let place = self.deref(address, ty);
        self.read(place, span)
    }

    fn moved(&mut self, now: VarId, distance: u64, span: Span) -> ExprId {
        let now = self.read_var(now, span);
        let distance = self.int(distance as i128, TypeId::LONG_LONG, span);
        self.move_pointer(BinOp::Add, now, distance, span)
    }

    /// What must hold for the run to be defined.
    fn require(&mut self, cond: ExprId, span: Span) {
        let function = match self.require_function {
            Some(function) => function,
            None => self.new_require_function(),
        };
        self.require_function = Some(function);
        let cond = self.coerce(cond, TypeId::INT, span);
        let args = self.argument_slice(&[cond]);
        self.emit(Op::Call { dest: None, callee: Callee::Direct(function), args }, span);
    }

    fn new_require_function(&mut self) -> FuncId {
        let name = self.program.names.intern("__library_require");
        let ty = self.signature_type("v(i)");
        let body = Body::Library(LibFn::Require);
        self.program.functions.push(Function { name, ty, params: Vec::new(), body, span: Span::NONE })
    }
}
