//! Expressions. An expression is lowered to an [`Operand`]; its side effects are edges before it. Values are trees over places, read when the
//! edge that uses them runs: C allows that wherever the place may change in between, except where a value is fixed by an assignment or by
//! `++`; those go through a temporary.

use super::Lower;
use super::vla::VlaOperand;
use crate::c::ast::{self, BinaryOp, ExprKind as Ast, UnaryOp};
use base::Span;
use cfa::walk::Node;
use cfa::{Branch, ExprId, ExprKind, FuncId, IntKind, Op, PlaceId, PlaceKind, Type, TypeId, UnOp, VarKind};

const WIDE_BIT_FIELD: &str = "the width in which a bit-field wider than `int` is computed with";

#[derive(Clone, Copy, Debug)]
pub(super) enum Operand {
    Value(ExprId),
    Place(PlaceId),
    Function(FuncId),
    /// A variable-length array, or a row of one.
    Vla(VlaOperand),
    Void,
}

impl Lower<'_> {
    pub(super) fn operand_type(&mut self, operand: Operand) -> TypeId {
        match operand {
            Operand::Value(value) => self.expr_type(value),
            Operand::Place(place) => self.place_type(place),
            Operand::Function(function) => self.program.functions[function].ty,
            Operand::Vla(vla) => self.expr_type(vla.pointer),
            Operand::Void => TypeId::VOID,
        }
    }

    /// The value of an expression: places are read, arrays and functions decay.
    pub(super) fn rvalue(&mut self, expr: ast::ExprId) -> ExprId {
        let operand = self.operand(expr);
        let span = self.ast.exprs[expr].span;
        self.value_of(operand, span)
    }

    pub(super) fn value_of(&mut self, operand: Operand, span: Span) -> ExprId {
        match operand {
            Operand::Value(value) => value,
            Operand::Place(place) => self.load(place, span),
            Operand::Function(function) => {
                self.poison_unusable(function, span);
                let pointer = self.program.types.pointer_to(self.program.functions[function].ty);
                if self.is_missing_function(function) {
                    return self.int(0, pointer, span);
                }
                self.push(ExprKind::FuncAddr(function), pointer, span)
            }
            Operand::Vla(vla) => self.vla_value(vla, span),
            Operand::Void => {
                self.error(span, "a void value is used");
                self.dummy(TypeId::INT, span)
            }
        }
    }

    pub(super) fn load(&mut self, place: PlaceId, span: Span) -> ExprId {
        let ty = self.place_type(place);
        match *self.program.types.get(ty) {
            Type::Array(element, _) => self.address_of(place, element, span),
            Type::Function(_) => match self.program.places[place].kind {
                PlaceKind::Deref(pointer) => pointer,
                _ => self.dummy(TypeId::INT, span),
            },
            Type::Void => {
                self.error(span, "a void value is used");
                self.dummy(TypeId::INT, span)
            }
            Type::Record(_) if self.program.types.size_of(ty).is_none() => {
                let message = format!("use of the incomplete type `{}`", self.type_name(ty));
                self.error(span, message);
                self.dummy(TypeId::INT, span)
            }
            _ => {
                if let Some(value) = self.read_from_outside(place, span) {
                    return value;
                }
                let known = if self.situation.in_static_initializer { self.known_value(place, span) } else { None };
                let value = known.unwrap_or_else(|| self.read(place, span));
                match self.bit_field_width_of(place) {
                    Some(width) => self.promote_bit_field(value, width, span),
                    None => value,
                }
            }
        }
    }

    pub(super) fn bit_field_width_of(&self, place: PlaceId) -> Option<u8> {
        let PlaceKind::Field(base, field) = self.program.places[place].kind else { return None };
        let Type::Record(record) = *self.program.types.get(self.place_type(base)) else { return None };
        self.program.types.records[record].fields[field as usize].bits.map(|bits| bits.width)
    }

    /// A bit-field is promoted by its width (C11 6.3.1.1): to `int` when all its values fit.
    pub(super) fn promote_bit_field(&mut self, value: ExprId, width: u8, span: Span) -> ExprId {
        match self.expr_type(value).int_kind() {
            Some(kind) if kind != IntKind::Bool && (width < 32 || (width == 32 && kind.is_signed())) => {
                self.cast(value, TypeId::INT, span)
            }
            Some(kind) if width == 32 && kind.rank() > IntKind::UInt.rank() => self.cast(value, TypeId::UINT, span),
            _ => value,
        }
    }

    /// Whether a value is a bit-field that is wider than `int` and narrower than its declared type. gcc computes with it in its own width,
    /// clang in the declared type; C leaves that open.
    pub(super) fn is_wide_bit_field(&self, value: ExprId) -> bool {
        let ExprKind::Read(place) = self.program.exprs[value].kind else { return false };
        let narrower = |width: u8| (width as u32) < self.program.types.scalar_bits(self.place_type(place));
        self.bit_field_width_of(place).is_some_and(|width| width > 32 && narrower(width))
    }

    /// Says so where the width of such a bit-field makes a difference: where the result may not fit, or a negative number is converted.
    fn check_wide_bit_fields(&mut self, op: BinaryOp, left: ExprId, right: ExprId, span: Span) {
        let grows = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl);
        let shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
        for (wide, other) in [(left, right), (right, left)] {
            if !self.is_wide_bit_field(wide) || (shift && wide == right) {
                continue;
            }
            let kind = self.expr_type(other).int_kind();
            let natural = self.program.constant(other).is_some_and(|bits| bits.get() < 1 << 31);
            let unsigned = self.expr_type(wide).int_kind().is_some_and(|kind| !kind.is_signed());
            let converts = !shift && unsigned && !natural && kind.is_some_and(IntKind::is_signed);
            if kind.is_some() && (grows || converts) {
                return self.left_open(span, WIDE_BIT_FIELD);
            }
        }
    }

    /// Lowers an expression for its effects only.
    pub(super) fn effect(&mut self, expr: ast::ExprId) {
        let span = self.ast.exprs[expr].span;
        match self.ast.exprs[expr].kind {
            Ast::Assign(op, left, right) => {
                self.assign(op, left, right, span, false);
            }
            Ast::Unary(op @ (UnaryOp::PreInc | UnaryOp::PreDec | UnaryOp::PostInc | UnaryOp::PostDec), inner) => {
                self.step(op, inner, span, false);
            }
            Ast::Binary(BinaryOp::Comma, left, right) => {
                let stores = self.stores_so_far();
                self.effect(left);
                self.sequence_point(stores);
                self.effect(right);
            }
            Ast::Call(callee, args) => {
                self.call(callee, args, span, false);
            }
            Ast::Cast(name, inner) if self.type_of_name(name) == TypeId::VOID => self.effect(inner),
            Ast::Conditional { cond, then, otherwise, question } => {
                let (yes, no) = self.condition(cond, Branch::Conditional, Some(question));
                self.set_cursor(yes);
                if let Some(then) = then {
                    self.effect(then);
                }
                let yes = self.cursor();
                self.set_cursor(no);
                self.effect(otherwise);
                let no = self.cursor();
                self.join(&[yes, no], span);
            }
            Ast::Binary(BinaryOp::LogAnd | BinaryOp::LogOr, ..) => {
                let (yes, no) = self.condition(expr, Branch::ShortCircuit, None);
                self.join(&[yes, no], span);
            }
            _ => {
                // The value is computed and thrown away; what it reads may still fault, which a compiler need not keep.
                match self.operand(expr) {
                    Operand::Value(value) => self.discard(value, span),
                    Operand::Place(place) if self.may_fault(place) => {
                        let value = self.load(place, span);
                        self.discard(value, span);
                    }
                    _ => {}
                }
            }
        }
    }

    /// Whether reading a scalar place can go wrong: it lies behind a pointer, or has an index.
    pub(super) fn may_fault(&self, place: PlaceId) -> bool {
        let mut at = place;
        let somewhere = loop {
            match self.program.places[at].kind {
                PlaceKind::Var(_) => break false,
                PlaceKind::Deref(_) | PlaceKind::Index(..) => break true,
                PlaceKind::Field(base, _) => at = base,
            }
        };
        somewhere && self.program.types.is_scalar(self.place_type(place))
    }

    /// A value that is not used. A dereference or division in it is undefined behaviour all the same, so it is evaluated.
    pub(super) fn discard(&mut self, value: ExprId, span: Span) {
        if matches!(
            self.program.exprs[value].kind,
            ExprKind::Binary(..) | ExprKind::Unary(..) | ExprKind::Cast(_) | ExprKind::Read(_)
        ) && self.program.types.is_scalar(self.expr_type(value))
            && self.reachable()
        {
            let temp = self.temp(self.expr_type(value), span);
            let place = self.var_place(temp);
            self.emit(Op::Assign(place, value), span);
        }
    }

    /// To mention an object of a type that is not supported is to use it: nothing is known of its bytes.
    pub(super) fn operand(&mut self, expr: ast::ExprId) -> Operand {
        let operand = self.mentioned(expr);
        if let Operand::Place(place) = operand
            && let Some(name) = self.unsupported_name(self.place_type(place))
            // In a static initializer it decays, and the pointer leads to poison where it is followed.
            && !(self.situation.in_static_initializer && matches!(self.program.types.get(self.place_type(place)), Type::Array(..)))
        {
            self.poison(self.ast.exprs[expr].span, &name);
        }
        self.note_volatile(operand, expr);
        operand
    }

    fn mentioned(&mut self, expr: ast::ExprId) -> Operand {
        let ast::Expr { kind, span } = self.ast.exprs[expr];
        match kind {
            Ast::Name(name) => self.name(name, span),
            Ast::Int(literal) => {
                let ty = self.literal_type(literal, span);
                Operand::Value(self.int(literal.value as i128, ty, span))
            }
            Ast::Float(spelling) => Operand::Value(self.float_literal(spelling, span)),
            Ast::Char(value, encoding) => {
                let ty = match encoding {
                    ast::Encoding::Plain | ast::Encoding::Wide => TypeId::INT,
                    ast::Encoding::Utf8 => TypeId::UCHAR,
                    ast::Encoding::Utf16 => TypeId::USHORT,
                    ast::Encoding::Utf32 => TypeId::UINT,
                };
                // A byte above 127 is a negative `char`, unless none is.
                let is_byte = encoding == ast::Encoding::Plain && (-128..0).contains(&value);
                let value = if is_byte && self.program.types.unsigned_char { value + 256 } else { value };
                Operand::Value(self.int(value as i128, ty, span))
            }
            Ast::String(string) => Operand::Place(self.string(string, span)),
            Ast::Call(callee, args) => self.call(callee, args, span, true),
            Ast::Index(array, index) => self.index(array, index, span),
            Ast::Member(base, field) => self.member(base, field, span),
            Ast::Arrow(base, field) => self.arrow(base, field, span),
            Ast::Unary(op, inner) => self.unary_operand(op, inner, span),
            Ast::Binary(BinaryOp::Comma, left, right) => {
                let stores = self.stores_so_far();
                self.effect(left);
                self.sequence_point(stores);
                let operand = self.operand(right);
                // The result is not an lvalue.
                match operand {
                    Operand::Place(place) if !self.is_record(self.place_type(place)) => {
                        Operand::Value(self.load(place, span))
                    }
                    other => other,
                }
            }
            Ast::Binary(BinaryOp::LogAnd | BinaryOp::LogOr, ..) => Operand::Value(self.truth_value(expr, span)),
            Ast::Binary(op, left, right) => {
                let begin = self.edges_so_far();
                let value = self.rvalue(left);
                let left = self.before(value, &[right]);
                let (first, begin) = (self.evaluated(begin, Node::Expr(left)), self.edges_so_far());
                let right = self.rvalue(right);
                let second = self.evaluated(begin, Node::Expr(right));
                self.unsequenced([first, second]);
                self.check_wide_bit_fields(op, left, right, span);
                Operand::Value(self.binary(op, left, right, span))
            }
            Ast::Assign(op, left, right) => self.assign(op, left, right, span, true),
            Ast::Conditional { cond, then, otherwise, question } => {
                self.conditional(cond, then, otherwise, question, span)
            }
            Ast::Cast(name, inner) => self.explicit_cast(name, inner, span),
            Ast::CompoundLiteral(name, init) => self.compound_literal(name, init, span),
            Ast::SizeofExpr(inner) => self.sizeof_expr(inner, span),
            Ast::SizeofType(name) => Operand::Value(self.sizeof_type(name, span)),
            Ast::AlignofExpr(inner) => {
                let ty = self.type_of_expr(inner);
                Operand::Value(self.align_constant(ty, span))
            }
            Ast::AlignofType(name) => {
                let ty = self.type_of_name(name);
                Operand::Value(self.align_constant(ty, span))
            }
            Ast::Statement(stmt) => self.statement_expression(stmt),
            Ast::LabelAddress(name) => Operand::Value(self.label_address(name, span)),
            Ast::Unsupported(name) => {
                let ty = self.unsupported_type(name);
                Operand::Value(self.unsupported_value(ty, ty, span))
            }
            Ast::Generic(control, associations) => self.generic(control, associations, span),
            Ast::VaArg(list, name) => self.va_arg(list, name, span),
            Ast::Offsetof(name, designators) => self.offsetof(name, designators, span),
            Ast::TypesCompatible(left, right) => {
                let left = (self.type_of_name(left), self.type_name_qualifiers(left).value());
                let right = (self.type_of_name(right), self.type_name_qualifiers(right).value());
                let same = self.compatible_qualified(left, right).unwrap_or_else(|| {
                    self.poison(span, "__builtin_types_compatible_p that depends on qualifiers");
                    true
                });
                Operand::Value(self.int(same as i128, TypeId::INT, span))
            }
            Ast::Choose(cond, then, otherwise) => match self.constant_int(cond) {
                Some(0) => self.operand(otherwise),
                Some(_) => self.operand(then),
                None => {
                    self.error(span, "the first argument of `__builtin_choose_expr` is not a constant");
                    self.operand(then)
                }
            },
            Ast::Error => Operand::Value(self.dummy(TypeId::INT, span)),
        }
    }

    pub(super) fn unary_operand(&mut self, op: UnaryOp, inner: ast::ExprId, span: Span) -> Operand {
        match op {
            UnaryOp::Addr => self.address(inner, span),
            UnaryOp::Deref => self.dereference(inner, span),
            UnaryOp::PreInc | UnaryOp::PreDec | UnaryOp::PostInc | UnaryOp::PostDec => self.step(op, inner, span, true),
            UnaryOp::Real | UnaryOp::Imag => self.complex_part(op, inner, span),
            UnaryOp::Not => {
                let value = self.rvalue(inner);
                let value = self.check_condition(value, span);
                Operand::Value(self.unary(UnOp::Not, value, span))
            }
            UnaryOp::Plus | UnaryOp::Minus | UnaryOp::BitNot => {
                let value = self.rvalue(inner);
                let ty = self.expr_type(value);
                if self.unsupported_name(ty).is_some() {
                    return Operand::Value(self.unsupported_value(ty, ty, span));
                }
                let wanted = if op == UnaryOp::BitNot { ty.int_kind().is_some() } else { ty.is_arithmetic() };
                if !wanted {
                    let message = format!("invalid operand type `{}`", self.type_name(ty));
                    self.error(span, message);
                    return Operand::Value(self.dummy(TypeId::INT, span));
                }
                if op != UnaryOp::Plus && self.is_wide_bit_field(value) {
                    self.left_open(span, WIDE_BIT_FIELD);
                }
                let value = self.promote(value);
                Operand::Value(match op {
                    UnaryOp::Minus => self.unary(UnOp::Neg, value, span),
                    UnaryOp::BitNot => self.unary(UnOp::BitNot, value, span),
                    _ => value,
                })
            }
        }
    }

    /// GNU `__real__ e`: a part of a complex number may be written and have its address taken too. A real number is its own real part.
    fn complex_part(&mut self, op: UnaryOp, inner: ast::ExprId, span: Span) -> Operand {
        let operand = self.operand(inner);
        let ty = self.operand_type(operand);
        if self.unsupported_name(ty).is_some() {
            self.unsupported_value(ty, ty, span);
            let temp = self.temp(ty, span);
            return Operand::Place(self.var_place(temp));
        }
        let value = self.value_of(operand, span);
        let ty = self.expr_type(value);
        if !ty.is_arithmetic() {
            let message = format!("invalid operand type `{}`", self.type_name(ty));
            self.error(span, message);
        }
        match op {
            UnaryOp::Real => Operand::Value(value),
            _ => {
                self.discard(value, span);
                Operand::Value(self.dummy(ty, span))
            }
        }
    }

    pub(super) fn address(&mut self, inner: ast::ExprId, span: Span) -> Operand {
        let operand = if self.situation.in_static_initializer { self.mentioned(inner) } else { self.operand(inner) };
        Operand::Value(match operand {
            Operand::Place(place) => {
                if self.bit_field_width_of(place).is_some() {
                    self.error(span, "address of a bit-field");
                }
                let ty = self.place_type(place);
                self.address_of(place, ty, span)
            }
            Operand::Function(_) => self.value_of(operand, span),
            Operand::Vla(vla) => self.vla_value(vla, span),
            Operand::Value(_) | Operand::Void => {
                self.error(span, "address of something that has none");
                self.dummy(TypeId::VOID_POINTER, span)
            }
        })
    }

    pub(super) fn dereference(&mut self, inner: ast::ExprId, span: Span) -> Operand {
        let operand = self.operand(inner);
        if matches!(operand, Operand::Function(_)) {
            return operand;
        }
        let pointer = self.value_of(operand, span);
        let ty = self.expr_type(pointer);
        match self.program.types.pointee(ty) {
            Some(target) => Operand::Place(self.deref(pointer, target)),
            None => {
                match self.unsupported_name(ty) {
                    Some(name) => self.poison(span, &name),
                    None => {
                        let message = format!("`*` needs a pointer, not `{}`", self.type_name(ty));
                        self.error(span, message);
                    }
                }
                self.stand_in(span)
            }
        }
    }

    /// A place that an operation may mention as written. A write to a string literal is wrong when it happens, not before, so it goes
    /// through a pointer.
    pub(super) fn writable(&mut self, place: PlaceId, span: Span) -> PlaceId {
        let mut root = place;
        while let PlaceKind::Field(base, _) | PlaceKind::Index(base, _) = self.program.places[root].kind {
            root = base;
        }
        match self.program.places[root].kind {
            PlaceKind::Var(var)
                if self.program.vars[var].kind == VarKind::Constant || self.program.vars[var].read_only =>
            {
                let ty = self.place_type(place);
                let address = self.address_of(place, ty, span);
                let other = self.place(PlaceKind::Deref(address), ty);
                self.same_volatile(place, other);
                other
            }
            _ => place,
        }
    }
}
