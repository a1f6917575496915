//! Calls: who is called, what the arguments become, where the result goes.

use super::Lower;
use super::expr::Operand;
use super::scope::Name;
use super::sequence::Evaluated;
use crate::c::ast::{self, ExprKind as Ast, List};
use base::{Span, Symbol};
use cfa::library::LibFn;
use cfa::types::FunctionType;
use cfa::walk::Node;
use cfa::{Callee, ExprId, FuncId, Op, PlaceId, PlaceKind, Type, TypeId, library};
use std::ops::Range;

/// Where the result of a call may go.
#[derive(Clone, Copy)]
pub(super) enum Into {
    Place(PlaceId),
    /// The left side of an assignment, and whether its value is used.
    Left {
        expr: ast::ExprId,
        wanted: bool,
    },
}

/// A call that was lowered.
pub(super) struct Called {
    pub operand: Operand,
    /// The left side of the assignment and its edges, if it was evaluated.
    pub place: Option<(PlaceId, Range<u32>)>,
    /// Whether the result is there already.
    pub stored: bool,
}

impl Called {
    pub(super) fn operand(operand: Operand) -> Self {
        Called { operand, place: None, stored: false }
    }

    fn value(value: ExprId) -> Self {
        Called::operand(Operand::Value(value))
    }
}

impl Lower<'_> {
    pub(super) fn call(&mut self, callee: ast::ExprId, args: List<ast::ExprId>, span: Span, wanted: bool) -> Operand {
        self.call_into(callee, args, span, wanted, None).operand
    }

    /// `place = f(…)` without a temporary, where the types allow it. The place is that of an object that is being initialized.
    pub(super) fn initialize_by_call(&mut self, place: PlaceId, right: ast::ExprId, span: Span) -> bool {
        let Ast::Call(callee, args) = self.ast.exprs[right].kind else { return false };
        if matches!(self.program.places[place].kind, PlaceKind::Field(..)) {
            return false;
        }
        let call_span = self.ast.exprs[right].span;
        let called = self.call_into(callee, args, call_span, true, Some(Into::Place(place)));
        if !called.stored {
            let value = self.value_of(called.operand, span);
            let value = self.coerce(value, self.place_type(place), span);
            if self.expr_type(value) == self.place_type(place) {
                self.store(place, value, span, false);
            }
        }
        true
    }

    /// A call whose result may be put into a place that is offered for it.
    pub(super) fn call_into(
        &mut self,
        callee: ast::ExprId,
        args: List<ast::ExprId>,
        span: Span,
        wanted: bool,
        into: Option<Into>,
    ) -> Called {
        let (begin, stores) = (self.edges_so_far(), self.stores_so_far());
        let operand = match self.ast.exprs[callee].kind {
            Ast::Name(name) if self.names.ordinary(name).is_none() => {
                match self.implicit_function(name, self.ast.exprs[callee].span) {
                    Some(function) => Operand::Function(function),
                    None => {
                        self.evaluate(self.ast.get(args));
                        // Of any type: further errors about its use would be misleading.
                        let ty = self.unsupported_type(&format!("`{}`", self.text(name)));
                        return Called::value(self.unsupported_value(ty, ty, span));
                    }
                }
            }
            _ => self.operand(callee),
        };
        let (callee, ty) = match operand {
            Operand::Function(function) if !self.is_missing_function(function) => {
                if let Some(intrinsic) = self.intrinsic(function)
                    && let Some(done) = self.intrinsic_call(intrinsic, function, args, span, into)
                {
                    return done;
                }
                self.poison_unusable(function, span);
                self.check_ambiguous(self.program.functions[function].name, span);
                (Callee::Direct(function), self.program.functions[function].ty)
            }
            other => {
                let pointer = self.value_of(other, span);
                let pointer_type = self.expr_type(pointer);
                if !self.is_function_pointer(pointer_type) {
                    match self.unsupported_name(pointer_type) {
                        Some(name) => self.poison(span, &name),
                        None => {
                            let message = format!("`{}` cannot be called", self.type_name(pointer_type));
                            self.error(span, message);
                        }
                    }
                    return Called::value(self.dummy(TypeId::INT, span));
                }
                let pointer = self.before(pointer, self.ast.get(args));
                (Callee::Indirect(pointer), self.program.types.pointee(pointer_type).expect("a pointer"))
            }
        };
        let signature = self.function_type_of(ty).expect("a function").clone();
        let generic = matches!(callee, Callee::Direct(function) if self.is_type_generic(function));
        let called = match callee {
            Callee::Indirect(pointer) => self.evaluated(begin, Node::Expr(pointer)),
            Callee::Direct(_) => Evaluated::default(),
        };
        let mut args = self.arguments(&signature, args, generic, called, span);
        if signature.variadic && !generic {
            args = self.with_argument_list(callee, signature.params.len(), args, span);
        }
        self.sequence_point(stores);
        let result = signature.result;
        if let Callee::Direct(function) = callee
            && self.must_fold()
            && let Some(value) = self.folded_call(function, args, result, span)
        {
            return Called::value(value);
        }
        if self.unsupported_name(result).is_some() {
            return Called::value(self.unsupported_value(result, result, span));
        }
        let place = into.and_then(|into| self.offered(into, result, Some(args), span));
        let (dest, stored) = match (into, &place) {
            _ if result == TypeId::VOID || !wanted => (None, false),
            (Some(into), Some((place, _))) if self.takes_result(into, *place) => (Some(*place), true),
            _ => {
                if self.program.types.size_of(result).is_none() {
                    let message = format!("the function returns the incomplete type `{}`", self.type_name(result));
                    self.error(span, message);
                    return Called::value(self.dummy(TypeId::INT, span));
                }
                let temp = self.temp(result, span);
                (Some(self.var_place(temp)), false)
            }
        };
        if let Callee::Direct(function) = callee {
            self.check_library_call(function, args, span);
        }
        self.emit(Op::Call { dest, callee, args }, span);
        if stored {
            self.note_store();
        }
        if let Callee::Direct(function) = callee
            && self.noreturn.contains(&function)
        {
            self.emit_end(Op::Halt(None), span);
        }
        let operand = match dest {
            Some(place) if !stored => Operand::Value(self.read(place, span)),
            _ => Operand::Void,
        };
        Called { operand, place, stored }
    }

    /// The place that is offered for a result of this type. The left side of an assignment is evaluated now, after the arguments and before
    /// the call, unless the result must be converted first.
    pub(super) fn offered(
        &mut self,
        into: Into,
        result: TypeId,
        args: Option<(u32, u32)>,
        span: Span,
    ) -> Option<(PlaceId, Range<u32>)> {
        let begin = self.edges_so_far();
        match into {
            Into::Place(place) => (self.place_type(place) == result).then_some((place, begin..begin)),
            Into::Left { expr, .. } => {
                if result == TypeId::VOID || self.left_type(expr) != result {
                    return None;
                }
                for index in args.map_or(0..0, |args| args.0..args.1) {
                    let arg = self.program.args[index as usize];
                    self.program.args[index as usize] = self.argument_before(arg, &[expr]);
                }
                let begin = self.edges_so_far();
                let place = self.target(expr, span)?;
                let place = self.place_before_call(place);
                Some((place, begin..self.edges_so_far()))
            }
        }
    }

    /// Whether the result goes straight into the place. Members and values that are used again go through a temporary.
    pub(super) fn takes_result(&self, into: Into, place: PlaceId) -> bool {
        let is_field = matches!(self.program.places[place].kind, PlaceKind::Field(..));
        match into {
            Into::Place(_) => true,
            _ if self.may_be_register(place) => false,
            Into::Left { wanted, .. } => !wanted && !is_field,
        }
    }

    /// A built-in function of a constant, where only a constant will do.
    fn folded_call(&mut self, function: FuncId, args: (u32, u32), result: TypeId, span: Span) -> Option<ExprId> {
        let meaning = library::lookup(self.program.function_name(function))?;
        let [arg] = *self.program.call_args(args) else { return None };
        let value = library::fold(meaning, self.program.constant(arg)?.get() as u64, self.program.model())?;
        result.int_kind()?;
        Some(self.int(value as i128, result, span))
    }

    /// Whether a built-in looks at its arguments in their own types: a float stays one.
    fn is_type_generic(&self, function: FuncId) -> bool {
        let name = self.program.function_name(function);
        let about_floats =
            |meaning| matches!(meaning, LibFn::Classify(_) | LibFn::BuiltinFpclassify | LibFn::Compare(_));
        is_reserved_builtin(name) && library::lookup(name).is_some_and(about_floats)
    }

    /// Evaluates and converts arguments; the result is a slice of the program's argument pool.
    fn arguments(
        &mut self,
        signature: &FunctionType,
        args: List<ast::ExprId>,
        generic: bool,
        callee: Evaluated,
        span: Span,
    ) -> (u32, u32) {
        let given = self.ast.get(args);
        if !signature.unprototyped
            && (given.len() < signature.params.len() || (given.len() > signature.params.len() && !signature.variadic))
        {
            let message = format!(
                "{} arguments given, {}{} wanted",
                given.len(),
                if signature.variadic { "at least " } else { "" },
                signature.params.len()
            );
            self.error(span, message);
        }
        let mut values: smallvec::SmallVec<[ExprId; 8]> = smallvec::SmallVec::new();
        let mut operands: smallvec::SmallVec<[Evaluated; 2]> = smallvec::smallvec![callee];
        for (index, arg) in given.iter().enumerate().rev() {
            let begin = self.edges_so_far();
            let arg_span = self.ast.exprs[*arg].span;
            let value = match self.operand(*arg) {
                // A row of a variable-length array is passed as a pointer to its elements.
                super::expr::Operand::Vla(vla) => vla.pointer,
                operand => self.value_of(operand, arg_span),
            };
            let value = match signature.params.get(index) {
                Some(param) if !signature.unprototyped => self.argument(value, *param, arg_span),
                _ if generic => value,
                _ => self.promote_argument(value),
            };
            if self.unsupported_name(self.expr_type(value)).is_some() {
                let ty = self.expr_type(value);
                self.unsupported_value(ty, ty, arg_span);
            }
            let value = self.argument_before(value, &given[..index]);
            operands.push(self.evaluated(begin, Node::Expr(value)));
            values.push(value);
        }
        values.reverse();
        self.unsequenced(operands);
        // A missing argument was reported; the call must still be well-formed.
        for param in signature.params.iter().skip(values.len()) {
            let dummy = self.dummy(*param, span);
            values.push(dummy);
        }
        self.argument_slice(&values)
    }

    pub(super) fn argument_slice(&mut self, values: &[ExprId]) -> (u32, u32) {
        let start = self.program.args.len() as u32;
        self.program.args.extend_from_slice(values);
        (start, self.program.args.len() as u32)
    }

    /// An argument for a parameter; GNU's transparent unions take any of their members.
    fn argument(&mut self, value: ExprId, param: TypeId, span: Span) -> ExprId {
        let from = self.expr_type(value);
        if let Type::Record(record) = *self.program.types.get(param)
            && from != param
            && self.program.types.is_scalar(from)
            && self.program.types.records[record].kind == cfa::types::RecordKind::Union
        {
            let fields = &self.program.types.records[record].fields;
            let types = &self.program.types;
            let fits = |ty: TypeId| {
                ty == from || (types.is_pointer(ty) && (types.is_pointer(from) || self.is_null_constant(value)))
            };
            if let Some(member) = fields.iter().position(|field| fits(field.ty)) {
                let temp = self.temp(param, span);
                let place = self.var_place(temp);
                let field = self.field_place(place, member as u32);
                let value = self.cast(value, self.place_type(field), span);
                self.emit(Op::Assign(field, value), span);
                return self.read_var(temp, span);
            }
        }
        self.coerce(value, param, span)
    }

    /// A function called without any declaration: a library function or intrinsic with its known type, or `int f()`.
    /// `None` for a compiler built-in that is not known: treating it as a function of the user's would be wrong.
    fn implicit_function(&mut self, name: Symbol, span: Span) -> Option<FuncId> {
        let text = self.text(name).to_string();
        let ty = match self.intrinsic_type(&text) {
            Some(ty) => ty,
            None => match library::signature(&text) {
                Some(signature) => self.signature_type(signature),
                None if is_reserved_builtin(&text) => return None,
                None => {
                    let message = format!("implicit declaration of function `{text}`");
                    self.warning(span, message);
                    self.program.types.intern(Type::Function(FunctionType {
                        result: TypeId::INT,
                        params: Vec::new(),
                        variadic: false,
                        unprototyped: true,
                    }))
                }
            },
        };
        let function = self.function_with_linkage(name, ty, span);
        self.bind_at_file_scope(name, Name::Function(function));
        Some(function)
    }

    /// A type in the notation of [`library`].
    pub(super) fn signature_type(&mut self, signature: &str) -> TypeId {
        let model = self.program.model();
        let of = |letter: u8| match letter {
            b'v' => TypeId::VOID,
            b'i' => TypeId::INT,
            b'u' => TypeId::UINT,
            b'h' => TypeId::USHORT,
            b'l' => TypeId::LONG,
            b'L' => TypeId::LONG_LONG,
            b'U' => TypeId::ULONG_LONG,
            b'z' => TypeId::int(model.size_type()),
            b's' => TypeId::CHAR_POINTER,
            b'f' => TypeId::FLOAT,
            b'd' => TypeId::DOUBLE,
            b'D' => TypeId::LONG_DOUBLE,
            _ => TypeId::VOID_POINTER,
        };
        let bytes = signature.as_bytes();
        let inside = &bytes[2..bytes.len() - 1];
        let variadic = inside.ends_with(b".");
        let params = inside.iter().filter(|letter| **letter != b'.').map(|letter| of(*letter)).collect();
        let result = of(bytes[0]);
        self.program.types.intern(Type::Function(FunctionType { result, params, variadic, unprototyped: false }))
    }
}

/// Names that only the compiler can give a meaning to.
pub(super) fn is_reserved_builtin(name: &str) -> bool {
    ["__builtin_", "__sync_", "__atomic_", "__CPROVER_", "__VERIFIER_"].iter().any(|prefix| name.starts_with(prefix))
}
