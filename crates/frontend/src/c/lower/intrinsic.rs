//! Functions that mean something to a verifier or to the compiler, so that a call of one is not just a call.

use super::Lower;
use super::atomic::{self, Atomic};
use super::call::{Called, Into, is_reserved_builtin};
use super::expr::Operand;
use super::overflow::{self, Overflow};
use crate::c::ast::{self, List};
use base::Span;
use cfa::library::CtypeTable;
use cfa::types::FunctionType;
use cfa::walk::Node;
use cfa::{
    AssumeRole, BinOp, ExprId, FuncId, Init, InputKind, IntKind, Op, Property, Relocation, RelocationTarget,
    StaticInit, Type, TypeId,
};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Intrinsic {
    /// The result is an input.
    Nondet,
    Assume,
    /// The first argument must be true.
    Assert,
    /// Being called is the violation; with a body it is a function as well.
    Error,
    /// What a failed `assert` of the C library calls.
    AssertFail,
    Abort,
    Exit,
    /// Evaluates to its first argument.
    First,
    ConstantP,
    ObjectSize,
    /// Arguments are evaluated, nothing else happens.
    Nothing,
    Infinity(TypeId),
    Nan(TypeId),
    /// A comparison of floats that raises no exception.
    Compare(BinOp),
    LessGreater,
    Unordered,
    IsNan,
    Overflow(Overflow),
    Atomic(Atomic),
    /// The address of a pointer to a table of characters.
    Characters(CtypeTable),
    VaStart,
    VaEnd,
    VaCopy,
    /// See [`super::jump`].
    SetJump,
    /// `div` and its like: quotient and remainder as a structure.
    Divide,
    /// Understood, but not supported.
    Poison,
}

/// Names with a fixed meaning, unless the program defines them itself.
const TABLE: &[(&str, Intrinsic, &str)] = &[
    ("__VERIFIER_assume", Intrinsic::Assume, "v(.)"),
    ("__CPROVER_assume", Intrinsic::Assume, "v(.)"),
    ("__VERIFIER_assert", Intrinsic::Assert, "v(.)"),
    ("__CPROVER_assert", Intrinsic::Assert, "v(.)"),
    ("assert", Intrinsic::Assert, "v(.)"),
    ("__assert_fail", Intrinsic::AssertFail, "v(ssus)"),
    ("__assert_perror_fail", Intrinsic::AssertFail, "v(isus)"),
    ("__assert", Intrinsic::AssertFail, "v(ssi)"),
    ("__assert_func", Intrinsic::AssertFail, "v(siss)"),
    ("abort", Intrinsic::Abort, "v()"),
    ("__builtin_abort", Intrinsic::Abort, "v()"),
    ("__builtin_trap", Intrinsic::Abort, "v()"),
    ("exit", Intrinsic::Exit, "v(i)"),
    ("_exit", Intrinsic::Exit, "v(i)"),
    ("_Exit", Intrinsic::Exit, "v(i)"),
    ("quick_exit", Intrinsic::Exit, "v(i)"),
    ("__builtin_exit", Intrinsic::Exit, "v(i)"),
    ("__builtin_expect", Intrinsic::First, "l(ll)"),
    ("__builtin_expect_with_probability", Intrinsic::First, "l(lld)"),
    ("__builtin_assume_aligned", Intrinsic::First, "p(pz.)"),
    ("__builtin_constant_p", Intrinsic::ConstantP, "i(.)"),
    ("__builtin_object_size", Intrinsic::ObjectSize, "z(pi)"),
    ("__builtin_dynamic_object_size", Intrinsic::ObjectSize, "z(pi)"),
    ("__ctype_b_loc", Intrinsic::Characters(CtypeTable::Classes), "p()"),
    ("__ctype_tolower_loc", Intrinsic::Characters(CtypeTable::Lower), "p()"),
    ("__ctype_toupper_loc", Intrinsic::Characters(CtypeTable::Upper), "p()"),
    ("__builtin_prefetch", Intrinsic::Nothing, "v(p.)"),
    ("__VERIFIER_atomic_begin", Intrinsic::Nothing, "v()"),
    ("__VERIFIER_atomic_end", Intrinsic::Nothing, "v()"),
    ("__CPROVER_atomic_begin", Intrinsic::Nothing, "v()"),
    ("__CPROVER_atomic_end", Intrinsic::Nothing, "v()"),
    ("__CPROVER_input", Intrinsic::Nothing, "v(s.)"),
    ("__CPROVER_output", Intrinsic::Nothing, "v(s.)"),
    ("__builtin_huge_val", Intrinsic::Infinity(TypeId::DOUBLE), "d()"),
    ("__builtin_huge_valf", Intrinsic::Infinity(TypeId::FLOAT), "f()"),
    ("__builtin_huge_vall", Intrinsic::Infinity(TypeId::LONG_DOUBLE), "D()"),
    ("__builtin_inf", Intrinsic::Infinity(TypeId::DOUBLE), "d()"),
    ("__builtin_inff", Intrinsic::Infinity(TypeId::FLOAT), "f()"),
    ("__builtin_infl", Intrinsic::Infinity(TypeId::LONG_DOUBLE), "D()"),
    ("__builtin_nan", Intrinsic::Nan(TypeId::DOUBLE), "d(s)"),
    ("__builtin_nanf", Intrinsic::Nan(TypeId::FLOAT), "f(s)"),
    ("__builtin_nanl", Intrinsic::Nan(TypeId::LONG_DOUBLE), "D(s)"),
    ("__builtin_isgreater", Intrinsic::Compare(BinOp::Gt), "i(.)"),
    ("__builtin_isgreaterequal", Intrinsic::Compare(BinOp::Ge), "i(.)"),
    ("__builtin_isless", Intrinsic::Compare(BinOp::Lt), "i(.)"),
    ("__builtin_islessequal", Intrinsic::Compare(BinOp::Le), "i(.)"),
    ("__builtin_islessgreater", Intrinsic::LessGreater, "i(.)"),
    ("__builtin_isunordered", Intrinsic::Unordered, "i(.)"),
    ("__builtin_isnan", Intrinsic::IsNan, "i(.)"),
    ("__builtin_va_start", Intrinsic::VaStart, "v(.)"),
    ("__builtin_c23_va_start", Intrinsic::VaStart, "v(.)"),
    ("__builtin_va_end", Intrinsic::VaEnd, "v(.)"),
    ("__builtin_va_copy", Intrinsic::VaCopy, "v(.)"),
    ("div", Intrinsic::Divide, "i(ii)"),
    ("ldiv", Intrinsic::Divide, "i(ll)"),
    ("lldiv", Intrinsic::Divide, "i(LL)"),
    ("imaxdiv", Intrinsic::Divide, "i(LL)"),
    ("setjmp", Intrinsic::SetJump, "i(p)"),
    ("_setjmp", Intrinsic::SetJump, "i(p)"),
    ("sigsetjmp", Intrinsic::SetJump, "i(pi)"),
    ("__sigsetjmp", Intrinsic::SetJump, "i(pi)"),
];

/// Whether a function that a program does not define is an intrinsic by its name.
pub(super) fn is_intrinsic(name: &str) -> bool {
    TABLE.iter().any(|(known, ..)| *known == name) || ERROR_FUNCTIONS.contains(&name)
}

/// The functions whose call is the error of `unreach-call`.
const ERROR_FUNCTIONS: [&str; 2] = ["__VERIFIER_error", "reach_error"];

const NONDET_PREFIXES: [&str; 2] = ["__VERIFIER_nondet_", "nondet_"];

impl Lower<'_> {
    /// What calling a function means, if it is not just a call.
    pub(super) fn intrinsic(&mut self, function: FuncId) -> Option<Intrinsic> {
        if let Some(known) = self.intrinsics.get(&function) {
            return *known;
        }
        let name = self.program.function_name(function).to_string();
        let defined = self.defined.contains(&self.program.functions[function].name);
        let intrinsic = if ERROR_FUNCTIONS.contains(&name.as_str()) {
            Some(Intrinsic::Error)
        } else if defined {
            None
        } else if let Some((.., intrinsic, _)) = TABLE.iter().find(|(known, ..)| *known == name) {
            Some(*intrinsic)
        } else if let Some(overflow) = overflow::lookup(&name) {
            Some(Intrinsic::Overflow(overflow))
        } else if let Some(atomic) = atomic::lookup(&name) {
            Some(Intrinsic::Atomic(atomic))
        } else if NONDET_PREFIXES.iter().any(|prefix| name.starts_with(prefix)) {
            Some(Intrinsic::Nondet)
        } else if is_reserved_builtin(&name) && cfa::library::lookup(&name).is_none() {
            Some(Intrinsic::Poison)
        } else {
            None
        };
        self.intrinsics.insert(function, intrinsic);
        intrinsic
    }

    /// The type of an intrinsic that is called without declaration.
    pub(super) fn intrinsic_type(&mut self, name: &str) -> Option<TypeId> {
        if let Some((_, _, signature)) = TABLE.iter().find(|(known, ..)| *known == name) {
            return Some(self.signature_type(signature));
        }
        if ERROR_FUNCTIONS.contains(&name) || overflow::lookup(name).is_some() || atomic::lookup(name).is_some() {
            return Some(self.signature_type("v(.)"));
        }
        let suffix = NONDET_PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix))?;
        let result = self.nondet_type(suffix)?;
        let ty = FunctionType { result, params: Vec::new(), variadic: false, unprototyped: true };
        Some(self.program.types.intern(Type::Function(ty)))
    }

    fn nondet_type(&mut self, suffix: &str) -> Option<TypeId> {
        Some(match suffix {
            "bool" | "_Bool" => TypeId::BOOL,
            "char" => TypeId::CHAR,
            "schar" => TypeId::SCHAR,
            "uchar" | "unsigned_char" | "u8" => TypeId::UCHAR,
            "short" => TypeId::SHORT,
            "ushort" | "unsigned_short" | "u16" => TypeId::USHORT,
            "int" | "S32" => TypeId::INT,
            "uint" | "unsigned" | "unsigned_int" | "u32" | "U32" => TypeId::UINT,
            "long" => TypeId::LONG,
            "ulong" | "unsigned_long" | "sector_t" => TypeId::ULONG,
            "longlong" => TypeId::LONG_LONG,
            "ulonglong" => TypeId::ULONG_LONG,
            "int128" => TypeId::INT128,
            "uint128" => TypeId::UINT128,
            "float" => TypeId::FLOAT,
            "double" => TypeId::DOUBLE,
            "size_t" => TypeId::int(self.program.model().size_type()),
            "loff_t" => TypeId::LONG_LONG,
            "pointer" => TypeId::VOID_POINTER,
            "pchar" | "charp" => TypeId::CHAR_POINTER,
            "const_char_pointer" => TypeId::CHAR_POINTER,
            _ => return None,
        })
    }

    /// `None`: after all it is just a call.
    pub(super) fn intrinsic_call(
        &mut self,
        intrinsic: Intrinsic,
        function: FuncId,
        args: List<ast::ExprId>,
        span: Span,
        into: Option<Into>,
    ) -> Option<Called> {
        let args = self.ast.get(args);
        let operand = match intrinsic {
            Intrinsic::Nondet => return self.nondet(function, args, span, into),
            Intrinsic::Assume => {
                let cond = self.condition_argument(function, args, span);
                self.emit(Op::Assume { cond, truth: true, role: AssumeRole::Assumption }, span);
                Operand::Void
            }
            Intrinsic::Assert => {
                let cond = self.condition_argument(function, args, span);
                self.emit(Op::Assert { cond, property: Property::Assertion }, span);
                Operand::Void
            }
            Intrinsic::Error => {
                let never = self.int(0, TypeId::INT, span);
                self.emit(Op::Assert { cond: never, property: Property::UnreachCall }, span);
                if self.defined.contains(&self.program.functions[function].name) {
                    return None;
                }
                self.evaluate(args);
                self.emit_end(Op::Halt(None), span);
                Operand::Void
            }
            Intrinsic::AssertFail => {
                let never = self.int(0, TypeId::INT, span);
                self.emit(Op::Assert { cond: never, property: Property::Assertion }, span);
                self.emit_end(Op::Halt(None), span);
                Operand::Void
            }
            Intrinsic::Abort => {
                self.emit_end(Op::Halt(None), span);
                Operand::Void
            }
            Intrinsic::Exit => {
                let code = args.first().map(|arg| self.rvalue(*arg)).unwrap_or_else(|| self.dummy(TypeId::INT, span));
                let code = self.coerce(code, TypeId::INT, span);
                let normal = matches!(self.program.function_name(function), "exit" | "__builtin_exit");
                let code = if normal { self.before_exit(code, span) } else { code };
                self.emit_end(Op::Halt(Some(code)), span);
                Operand::Void
            }
            Intrinsic::First => {
                let first = *args.first()?;
                self.evaluate(&args[1..]);
                let first = self.rvalue(first);
                let result = self.function_type_of(self.program.functions[function].ty)?.result;
                Operand::Value(self.coerce(first, result, span))
            }
            Intrinsic::ConstantP => {
                let known = self.is_constant(*args.first()?);
                Operand::Value(self.int(known as i128, TypeId::INT, span))
            }
            Intrinsic::ObjectSize => {
                // "Unknown", which gcc may always answer: all ones, or 0 for the minimum. With more optimization it may know better.
                self.left_open(span, "the result of `__builtin_object_size`");
                let kind = args.get(1).and_then(|kind| self.constant_int(*kind)).unwrap_or(0);
                let size_type = TypeId::int(self.program.model().size_type());
                Operand::Value(self.int(if kind & 2 == 0 { -1 } else { 0 }, size_type, span))
            }
            Intrinsic::Nothing => {
                self.evaluate(args);
                Operand::Void
            }
            Intrinsic::Characters(table) => {
                let address = self.characters(table, span);
                let result = self.function_type_of(self.program.functions[function].ty)?.result;
                Operand::Value(self.cast(address, result, span))
            }
            Intrinsic::Infinity(ty) => {
                let infinity = cfa::eval::from_f64(f64::INFINITY);
                let bits = cfa::eval::cast(&self.program.types, TypeId::DOUBLE, ty, infinity);
                Operand::Value(self.constant(bits, ty, span))
            }
            Intrinsic::Nan(ty) => {
                let nan = cfa::eval::from_f64(f64::from_bits(0x7ff8_0000_0000_0000));
                let bits = cfa::eval::cast(&self.program.types, TypeId::DOUBLE, ty, nan);
                Operand::Value(self.constant(bits, ty, span))
            }
            Intrinsic::Compare(op) => {
                let (left, right) = self.float_pair(args, span)?;
                Operand::Value(self.arithmetic(op, left, right, span))
            }
            Intrinsic::LessGreater => {
                let (left, right) = self.float_pair(args, span)?;
                let less = self.arithmetic(BinOp::Lt, left, right, span);
                let greater = self.arithmetic(BinOp::Gt, left, right, span);
                Operand::Value(self.arithmetic(BinOp::Or, less, greater, span))
            }
            Intrinsic::Unordered => {
                let (left, right) = self.float_pair(args, span)?;
                let left = self.arithmetic(BinOp::Ne, left, left, span);
                let right = self.arithmetic(BinOp::Ne, right, right, span);
                Operand::Value(self.arithmetic(BinOp::Or, left, right, span))
            }
            Intrinsic::IsNan => {
                let value = self.rvalue(*args.first()?);
                if self.expr_type(value).float_kind().is_none() {
                    self.error(span, "a floating-point argument is needed");
                }
                Operand::Value(self.arithmetic(BinOp::Ne, value, value, span))
            }
            Intrinsic::Overflow(overflow) => self.overflow(overflow, args, span)?,
            Intrinsic::Atomic(atomic) => {
                let name = self.program.function_name(function).to_string();
                self.atomic(atomic, &name, args, span)
            }
            Intrinsic::VaStart => {
                self.va_start(args, span)?;
                Operand::Void
            }
            Intrinsic::VaEnd => {
                self.va_end(args, span)?;
                Operand::Void
            }
            Intrinsic::VaCopy => {
                self.va_copy(args, span)?;
                Operand::Void
            }
            Intrinsic::Divide => self.divide(function, args, span)?,
            Intrinsic::SetJump => return self.set_jump(args, span),
            Intrinsic::Poison => {
                self.evaluate(args);
                let name = format!("`{}`", self.program.function_name(function));
                self.poison(span, &name);
                let result = self.function_type_of(self.program.functions[function].ty)?.result;
                if result == TypeId::VOID { Operand::Void } else { Operand::Value(self.dummy(result, span)) }
            }
        };
        Some(Called::operand(operand))
    }

    pub(super) fn evaluate(&mut self, args: &[ast::ExprId]) {
        for arg in args.iter().rev() {
            self.effect(*arg);
        }
    }

    /// The first argument as a condition: as wide as it is, unless the program declares the function with a narrower parameter.
    fn condition_argument(&mut self, function: FuncId, args: &[ast::ExprId], span: Span) -> ExprId {
        let Some((first, rest)) = args.split_first() else {
            self.error(span, "an argument is missing");
            return self.dummy(TypeId::INT, span);
        };
        self.evaluate(rest);
        let value = self.rvalue(*first);
        let declared = self.function_type_of(self.program.functions[function].ty);
        match declared.and_then(|ty| ty.params.first().copied()) {
            Some(param) => self.coerce(value, param, span),
            None => self.check_condition(value, span),
        }
    }

    fn nondet(&mut self, function: FuncId, args: &[ast::ExprId], span: Span, into: Option<Into>) -> Option<Called> {
        let result = self.function_type_of(self.program.functions[function].ty)?.result;
        if !self.program.types.is_scalar(result) {
            // Void or a record: the declared function is just undefined.
            return None;
        }
        self.evaluate(args);
        let kind = InputKind::Nondet(function);
        let place = into.and_then(|into| self.offered(into, result, None, span));
        if let (Some(into), Some((target, _))) = (into, &place)
            && self.takes_result(into, *target)
        {
            self.emit(Op::Havoc(*target, kind), span);
            self.note_store();
            return Some(Called { operand: Operand::Void, place, stored: true });
        }
        let temp = self.temp(result, span);
        let temp_place = self.var_place(temp);
        self.emit(Op::Havoc(temp_place, kind), span);
        Some(Called { operand: Operand::Value(self.read_var(temp, span)), place, stored: false })
    }

    /// `None` if the function is not declared as the library has it.
    fn divide(&mut self, function: FuncId, args: &[ast::ExprId], span: Span) -> Option<Operand> {
        let signature = self.function_type_of(self.program.functions[function].ty)?.clone();
        let (&[of, by], &[left, right]) = (&signature.params[..], args) else { return None };
        let Type::Record(record) = *self.program.types.get(signature.result) else { return None };
        of.int_kind().filter(|_| of == by)?;
        let field = |name: &str| {
            let is_it =
                |field: &cfa::types::Field| field.ty == of && field.name.is_some_and(|own| self.text(own) == name);
            self.program.types.records[record].fields.iter().position(is_it)
        };
        let (quotient, rest) = (field("quot")?, field("rem")?);
        let begin = self.edges_so_far();
        let value = self.rvalue(left);
        let value = self.coerce(value, of, span);
        let left = self.before(value, &[right]);
        let (first, begin) = (self.evaluated(begin, Node::Expr(left)), self.edges_so_far());
        let right = self.rvalue(right);
        let right = self.coerce(right, by, span);
        let second = self.evaluated(begin, Node::Expr(right));
        self.unsequenced([first, second]);
        let temp = self.temp(signature.result, span);
        let place = self.var_place(temp);
        for (field, op) in [(quotient, BinOp::Div), (rest, BinOp::Rem)] {
            let value = self.arithmetic(op, left, right, span);
            let target = self.field_place(place, field as u32);
            self.emit(Op::Assign(target, value), span);
        }
        Some(Operand::Value(self.read_var(temp, span)))
    }

    fn float_pair(&mut self, args: &[ast::ExprId], span: Span) -> Option<(ExprId, ExprId)> {
        let [left, right] = *args else {
            self.error(span, "two arguments are needed");
            return None;
        };
        let begin = self.edges_so_far();
        let value = self.rvalue(left);
        let left = self.before(value, &[right]);
        let (first, begin) = (self.evaluated(begin, Node::Expr(left)), self.edges_so_far());
        let right = self.rvalue(right);
        let second = self.evaluated(begin, Node::Expr(right));
        self.unsequenced([first, second]);
        if !self.expr_type(left).is_arithmetic() || !self.expr_type(right).is_arithmetic() {
            self.error(span, "numbers are needed");
            return None;
        }
        let (left, right, _) = self.usual(left, right);
        Some((left, right))
    }

    /// The address of a pointer to the element 0 of a table; one of each is enough.
    fn characters(&mut self, table: CtypeTable, span: Span) -> ExprId {
        let pointer = match self.character_tables.get(&table) {
            Some(pointer) => *pointer,
            None => {
                let element = if table == CtypeTable::Classes { TypeId::int(IntKind::UShort) } else { TypeId::INT };
                let (bytes, each) = (table.bytes(), table.element());
                let ty = self.program.types.array_of(element, Some(bytes.len() as u64 / each));
                let init = Init::Static(StaticInit { bytes, relocations: Vec::new() });
                let elements = self.constant_object(ty, init, span);
                let addend = -(CtypeTable::FIRST as i64) * each as i64;
                let to_zero = Relocation { offset: 0, target: RelocationTarget::Var(elements), addend };
                let init = Init::Static(StaticInit { bytes: Vec::new(), relocations: vec![to_zero] });
                let ty = self.program.types.pointer_to(element);
                let pointer = self.constant_object(ty, init, span);
                if !self.situation.speculating {
                    self.character_tables.insert(table, pointer);
                }
                pointer
            }
        };
        let place = self.var_place(pointer);
        let ty = self.program.vars[pointer].ty;
        self.address_of(place, ty, span)
    }
}
