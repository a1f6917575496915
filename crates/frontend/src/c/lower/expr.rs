//! Expressions. An expression is lowered to an [`Operand`]; its side effects are edges before it. Values are trees over places, read when the
//! edge that uses them runs: C allows that wherever the place may change in between, except where a value is fixed by an assignment or by
//! `++`; those go through a temporary.

use super::Lower;
use super::qualifiers::NoChoice;
use super::scope::Name;
use super::vla::VlaOperand;
use crate::c::ast::{self, BinaryOp, Designator, ExprKind as Ast, UnaryOp};
use base::{Span, Symbol};
use cfa::walk::Node;
use cfa::{
    BinOp, Branch, ExprId, ExprKind, FuncId, Init, IntKind, Op, PlaceId, PlaceKind, StaticInit, Type, TypeId, UnOp,
    VarId, VarKind,
};

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
                let known = if self.in_static_initializer { self.known_value(place, span) } else { None };
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
    fn is_wide_bit_field(&self, value: ExprId) -> bool {
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
            && !(self.in_static_initializer && matches!(self.program.types.get(self.place_type(place)), Type::Array(..)))
        {
            self.poison(self.ast.exprs[expr].span, &name);
        }
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
            Ast::VaArg(list, name) => {
                self.effect(list);
                let ty = self.type_of_name(name);
                self.poison(span, "va_arg");
                Operand::Value(self.dummy(ty, span))
            }
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

    pub(super) fn name(&mut self, name: Symbol, span: Span) -> Operand {
        match self.names.ordinary(name) {
            Some(Name::Var(var, declared)) => match self.missing_variable(var, declared, span) {
                Some(place) => Operand::Place(place),
                None => {
                    self.poison_unknown_size(name, var, declared, span);
                    if self.volatile_elsewhere.contains(&var) && !self.must_fold() {
                        self.left_open(span, "what a volatile object that is defined elsewhere holds each time");
                    }
                    Operand::Place(self.view(var, declared, span))
                }
            },
            Some(Name::Vla(vla)) => self.vla_operand(vla, span),
            Some(Name::Function(function)) => Operand::Function(function),
            Some(Name::Constant(ty, bits)) => Operand::Value(self.constant(bits, ty, span)),
            Some(Name::Value(value)) => Operand::Value(value),
            Some(Name::Param(ty)) => {
                let temp = self.temp(ty, span);
                Operand::Place(self.var_place(temp))
            }
            Some(Name::Typedef { .. }) => {
                let message = format!("`{}` is a type, a value is needed", self.text(name));
                self.error(span, message);
                Operand::Value(self.dummy(TypeId::INT, span))
            }
            None => match self.function_name_object(name, span) {
                Some(var) => Operand::Place(self.var_place(var)),
                None => {
                    let message = format!("`{}` is not declared", self.text(name));
                    self.error(span, message);
                    // Declared as an `int` from here on, so that one mistake gives one message.
                    let meaning = match self.speculating {
                        false => Name::Var(self.temp(TypeId::INT, span), TypeId::INT),
                        true => Name::Constant(TypeId::INT, cfa::Bits::ZERO),
                    };
                    self.bind(name, meaning);
                    Operand::Value(self.dummy(TypeId::INT, span))
                }
            },
        }
    }

    /// A variable as a place of the type it is declared with here.
    pub(super) fn view(&mut self, var: VarId, declared: TypeId, span: Span) -> PlaceId {
        let place = self.var_place(var);
        let actual = self.program.vars[var].ty;
        // Its type may change when its initializer gives a flexible array a length, or when another file completes it.
        let open = self.flexible_record(declared).is_some() || self.program.types.size_of(actual).is_none();
        let may_grow = self.program.vars[var].kind == VarKind::Global && self.is_record(declared) && open;
        if !may_grow && (actual == declared || matches!(self.program.types.get(declared), Type::Array(_, None))) {
            return place;
        }
        // It is defined with a type of its own, in another file or by its initializer: see it as declared here.
        let address = self.address_of(place, actual, span);
        let pointer = self.program.types.pointer_to(declared);
        let address = self.push(ExprKind::Cast(address), pointer, span);
        self.place(PlaceKind::Deref(address), declared)
    }

    /// `__func__` and its spellings.
    pub(super) fn function_name_object(&mut self, name: Symbol, span: Span) -> Option<VarId> {
        if !matches!(self.text(name), "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__") {
            return None;
        }
        if let Some(var) = self.function.as_ref()?.name_object {
            return Some(var);
        }
        let mut bytes = self.text(self.function.as_ref()?.name).as_bytes().to_vec();
        bytes.push(0);
        let ty = self.program.types.array_of(TypeId::CHAR, Some(bytes.len() as u64));
        let init = Init::Static(StaticInit { bytes, relocations: Vec::new() });
        let var = self.constant_object(ty, init, span);
        if !self.speculating {
            self.state().name_object = Some(var);
        }
        Some(var)
    }

    /// GNU `&&label`. Jumping to it is poison, but it may be stored and compared: it is the address of an object that stands for the label.
    pub(super) fn label_address(&mut self, name: Symbol, span: Span) -> ExprId {
        let name = self.names.label(name);
        let known = self.function.as_ref().and_then(|function| function.label_objects.get(&name).copied());
        let var = match known {
            Some(var) => var,
            None => {
                let var = self.constant_object(TypeId::CHAR, Init::Zero, span);
                if !self.speculating && self.function.is_some() {
                    self.state().label_objects.insert(name, var);
                }
                var
            }
        };
        let place = self.var_place(var);
        let address = self.address_of(place, TypeId::CHAR, span);
        self.cast(address, TypeId::VOID_POINTER, span)
    }

    pub(super) fn literal_type(&mut self, literal: ast::IntLiteral, span: Span) -> TypeId {
        use IntKind::*;
        let all = [Int, UInt, Long, ULong, LongLong, ULongLong];
        let candidates = &all[literal.long.min(2) as usize * 2..];
        let allowed = |kind: &IntKind| {
            if literal.unsigned { !kind.is_signed() } else { kind.is_signed() || !literal.decimal }
        };
        let fitting = candidates.iter().find(|kind| allowed(kind) && self.fits(literal.value as i128, **kind));
        match fitting {
            Some(kind) => TypeId::int(*kind),
            None => {
                self.warning(span, "integer constant is so large that it is unsigned");
                TypeId::ULONG_LONG
            }
        }
    }

    pub(super) fn float_literal(&mut self, spelling: ast::StringId, span: Span) -> ExprId {
        let ast::Units::Bytes(bytes) = &self.ast.strings[spelling].units else {
            return self.dummy(TypeId::DOUBLE, span);
        };
        let text = String::from_utf8_lossy(bytes).into_owned();
        match crate::c::number::parse_float(&text) {
            Some((kind, bits)) => self.constant(bits, TypeId::float(kind), span),
            None => {
                self.error(span, format!("invalid floating constant `{text}`"));
                self.dummy(TypeId::DOUBLE, span)
            }
        }
    }

    /// The object of a string literal.
    pub(super) fn string(&mut self, string: ast::StringId, span: Span) -> PlaceId {
        let (element, bytes, length) = self.string_image(string);
        let ty = self.program.types.array_of(element, Some(length));
        let init = Init::Static(StaticInit { bytes, relocations: Vec::new() });
        let var = self.constant_object(ty, init, span);
        self.var_place(var)
    }

    /// Element type, bytes with the terminating zero, and number of elements of a string literal.
    pub(super) fn string_image(&self, string: ast::StringId) -> (TypeId, Vec<u8>, u64) {
        let literal = &self.ast.strings[string];
        match &literal.units {
            ast::Units::Bytes(units) => {
                let mut bytes = units.clone();
                bytes.push(0);
                let length = bytes.len() as u64;
                (TypeId::CHAR, bytes, length)
            }
            ast::Units::Wide(units) => {
                let (element, width) = match literal.encoding {
                    ast::Encoding::Utf16 => (TypeId::USHORT, 2),
                    ast::Encoding::Utf32 => (TypeId::UINT, 4),
                    _ => (TypeId::INT, 4),
                };
                let with_end = units.iter().copied().chain(std::iter::once(0));
                let bytes: Vec<u8> = with_end.flat_map(|unit| unit.to_le_bytes()[..width].to_vec()).collect();
                (element, bytes, units.len() as u64 + 1)
            }
        }
    }

    pub(super) fn index(&mut self, array: ast::ExprId, index: ast::ExprId, span: Span) -> Operand {
        let begin = self.edges_so_far();
        let base = self.operand(array);
        let base = self.operand_before(base, &[index]);
        if let Operand::Vla(vla) = base {
            let index = self.index_value(index, begin, Node::Expr(vla.pointer));
            return self.vla_index(vla, index, span);
        }
        let base_type = self.operand_type(base);
        if let (Operand::Place(place), Type::Array(element, _)) = (base, self.program.types.get(base_type).clone()) {
            let index = self.index_value(index, begin, Node::Place(place));
            let index_type = self.expr_type(index);
            if index_type.int_kind().is_none() {
                match self.unsupported_name(index_type) {
                    Some(name) => self.poison(span, &name),
                    None => self.error(span, "array index is not an integer"),
                }
                let zero = self.int(0, TypeId::INT, span);
                return Operand::Place(self.place(PlaceKind::Index(place, zero), element));
            }
            let index = self.promote(index);
            return Operand::Place(self.place(PlaceKind::Index(place, index), element));
        }
        let left = self.value_of(base, span);
        let left = self.before(left, &[index]);
        let right = self.index_value(index, begin, Node::Expr(left));
        // `i[a]` is `a[i]`.
        let (pointer, index) =
            if self.program.types.is_pointer(self.expr_type(left)) { (left, right) } else { (right, left) };
        let (pointer_type, index_type) = (self.expr_type(pointer), self.expr_type(index));
        if !self.program.types.is_pointer(pointer_type) || index_type.int_kind().is_none() {
            match self.unsupported_name(pointer_type).or_else(|| self.unsupported_name(index_type)) {
                Some(name) => self.poison(span, &name),
                None => {
                    self.error(
                        span,
                        "subscripted value is neither an array nor a pointer, or the index is not an integer",
                    );
                }
            }
            return self.stand_in(span);
        }
        // `"ab"[i]` and other arrays that decayed keep their shape.
        let element = self.program.types.pointee(pointer_type).expect("a pointer");
        if let ExprKind::AddrOf(place) = self.program.exprs[pointer].kind
            && matches!(*self.program.types.get(self.place_type(place)), Type::Array(inner, _) if inner == element)
        {
            let index = self.promote(index);
            return Operand::Place(self.place(PlaceKind::Index(place, index), element));
        }
        let moved = self.move_pointer(BinOp::Add, pointer, index, span);
        Operand::Place(self.deref(moved, element))
    }

    /// The value of an index whose array is lowered already.
    fn index_value(&mut self, index: ast::ExprId, begin: u32, array: Node) -> ExprId {
        let (first, begin) = (self.evaluated(begin, array), self.edges_so_far());
        let value = self.rvalue(index);
        let second = self.evaluated(begin, Node::Expr(value));
        self.unsequenced([first, second]);
        value
    }

    pub(super) fn member(&mut self, base: ast::ExprId, field: Symbol, span: Span) -> Operand {
        let place = match self.operand(base) {
            Operand::Place(place) => place,
            Operand::Value(value) => match self.program.exprs[value].kind {
                // A record value is the contents of some place: a temporary or what a comma expression named.
                ExprKind::Read(place) => place,
                _ => return self.no_member(field, self.expr_type(value), span),
            },
            other => {
                let ty = self.operand_type(other);
                return self.no_member(field, ty, span);
            }
        };
        self.field(place, field, span)
    }

    pub(super) fn arrow(&mut self, base: ast::ExprId, field: Symbol, span: Span) -> Operand {
        let pointer = self.rvalue(base);
        let ty = self.expr_type(pointer);
        match self.program.types.pointee(ty) {
            Some(target) if self.is_record(target) => {
                if let Some(name) = self.unsupported_name(target) {
                    self.poison(span, &name);
                }
                let place = self.deref(pointer, target);
                self.field(place, field, span)
            }
            None if self.unsupported_name(ty).is_none() => {
                let message = format!("`->` needs a pointer, not `{}`", self.type_name(ty));
                self.error(span, message);
                self.stand_in(span)
            }
            _ => self.no_member(field, ty, span),
        }
    }

    pub(super) fn no_member(&mut self, field: Symbol, ty: TypeId, span: Span) -> Operand {
        match self.unsupported_name(ty) {
            Some(name) => self.poison(span, &name),
            None => {
                let message = format!("`{}` has no member `{}`", self.type_name(ty), self.text(field));
                self.error(span, message);
            }
        }
        self.stand_in(span)
    }

    /// Something that can be read and written, after an error or behind poison.
    pub(super) fn stand_in(&mut self, span: Span) -> Operand {
        let temp = self.temp(TypeId::INT, span);
        Operand::Place(self.var_place(temp))
    }

    pub(super) fn field(&mut self, place: PlaceId, field: Symbol, span: Span) -> Operand {
        let ty = self.place_type(place);
        if let Type::Record(record) = *self.program.types.get(ty) {
            if !self.program.types.records[record].complete {
                let message = format!("use of the incomplete type `{}`", self.type_name(ty));
                self.error(span, message);
                return Operand::Value(self.dummy(TypeId::INT, span));
            }
            if let Some(path) = self.find_field(record, field) {
                return Operand::Place(self.follow(place, &path));
            }
        }
        self.no_member(field, ty, span)
    }

    /// The way to a member, through anonymous members.
    pub(super) fn find_field(&self, record: cfa::RecordId, name: Symbol) -> Option<Vec<u32>> {
        let fields = &self.program.types.records[record].fields;
        if let Some(index) = fields.iter().position(|field| field.name == Some(name)) {
            return Some(vec![index as u32]);
        }
        for (index, field) in fields.iter().enumerate() {
            if let (None, Type::Record(inner)) = (field.name, self.program.types.get(field.ty))
                && let Some(mut path) = self.find_field(*inner, name)
            {
                path.insert(0, index as u32);
                return Some(path);
            }
        }
        None
    }

    pub(super) fn follow(&mut self, place: PlaceId, path: &[u32]) -> PlaceId {
        path.iter().fold(place, |place, index| self.field_place(place, *index))
    }

    pub(super) fn field_place(&mut self, place: PlaceId, index: u32) -> PlaceId {
        let Type::Record(record) = *self.program.types.get(self.place_type(place)) else { return place };
        let ty = self.program.types.records[record].fields[index as usize].ty;
        self.place(PlaceKind::Field(place, index), ty)
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
        let operand = if self.in_static_initializer { self.mentioned(inner) } else { self.operand(inner) };
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
                self.place(PlaceKind::Deref(address), ty)
            }
            _ => place,
        }
    }

    pub(super) fn explicit_cast(&mut self, name: ast::TypeNameId, inner: ast::ExprId, span: Span) -> Operand {
        let to = self.type_of_name(name);
        if to == TypeId::VOID {
            self.effect(inner);
            return Operand::Void;
        }
        let value = self.rvalue(inner);
        let from = self.expr_type(value);
        if from == to {
            // The cast gives a bit-field the width of its declared type.
            let wide = self.is_wide_bit_field(value);
            return Operand::Value(if wide { self.push(ExprKind::Cast(value), to, span) } else { value });
        }
        if self.unsupported_name(from).is_some() || self.unsupported_name(to).is_some() {
            return Operand::Value(self.unsupported_value(from, to, span));
        }
        self.poison_disguise(from, span);
        let types = &self.program.types;
        if let Type::Record(record) = *types.get(to) {
            return self.cast_to_union(value, record, to, span);
        }
        let pointer_and_float = (types.is_pointer(from) && to.float_kind().is_some())
            || (types.is_pointer(to) && from.float_kind().is_some());
        if !types.is_scalar(from) || !types.is_scalar(to) || pointer_and_float {
            let message = format!("cast from `{}` to `{}`", self.type_name(from), self.type_name(to));
            self.error(span, message);
            return Operand::Value(self.dummy(to, span));
        }
        Operand::Value(self.cast(value, to, span))
    }

    /// GNU: a cast to a union type stores into the member of that type.
    pub(super) fn cast_to_union(&mut self, value: ExprId, record: cfa::RecordId, to: TypeId, span: Span) -> Operand {
        let from = self.expr_type(value);
        let member = self.program.types.records[record].fields.iter().position(|field| field.ty == from);
        match member {
            Some(member) if self.program.types.records[record].kind == cfa::types::RecordKind::Union => {
                let temp = self.temp(to, span);
                let place = self.var_place(temp);
                let field = self.field_place(place, member as u32);
                self.emit(Op::Assign(field, value), span);
                Operand::Value(self.read_var(temp, span))
            }
            _ => {
                let message = format!("cast from `{}` to `{}`", self.type_name(from), self.type_name(to));
                self.error(span, message);
                Operand::Value(self.dummy(to, span))
            }
        }
    }

    pub(super) fn sizeof_expr(&mut self, inner: ast::ExprId, span: Span) -> Operand {
        let operand = self.speculate(|lower| match lower.operand(inner) {
            Operand::Vla(vla) => Err(vla),
            operand => Ok(lower.operand_type(operand)),
        });
        Operand::Value(match operand {
            Ok(ty) => self.size_constant(ty, span),
            Err(vla) => self.vla_size(vla, span),
        })
    }

    pub(super) fn size_constant(&mut self, ty: TypeId, span: Span) -> ExprId {
        let size_type = TypeId::int(self.program.model().size_type());
        self.poison_layout(ty, span);
        let size = match self.program.types.get(ty) {
            // gcc says 1.
            Type::Void | Type::Function(_) => Some(1),
            _ => self.program.types.size_of(ty),
        };
        if size.is_none() {
            let message = format!("size of the incomplete type `{}`", self.type_name(ty));
            self.error(span, message);
        }
        self.int(size.unwrap_or(1) as i128, size_type, span)
    }

    pub(super) fn align_constant(&mut self, ty: TypeId, span: Span) -> ExprId {
        let size_type = TypeId::int(self.program.model().size_type());
        self.poison_layout(ty, span);
        let align = self.program.types.align_of(ty);
        self.int(align as i128, size_type, span)
    }

    pub(super) fn generic(
        &mut self,
        control: ast::ExprId,
        associations: ast::List<ast::Association>,
        span: Span,
    ) -> Operand {
        match self.chosen_association(control, associations) {
            Ok(chosen) => self.operand(chosen),
            Err(NoChoice::NoMatch(ty)) => {
                let message = format!("no association of `_Generic` matches `{}`", self.type_name(ty));
                self.error(span, message);
                Operand::Value(self.dummy(TypeId::INT, span))
            }
            Err(NoChoice::Unknown(first)) => {
                self.poison(span, "_Generic that chooses by qualifiers");
                self.operand(first)
            }
        }
    }

    pub(super) fn offsetof(
        &mut self,
        name: ast::TypeNameId,
        designators: ast::List<Designator>,
        span: Span,
    ) -> Operand {
        let size_type = TypeId::int(self.program.model().size_type());
        let mut ty = self.type_of_name(name);
        let mut offset = 0i128;
        if let Some(name) = self.unsupported_name(ty) {
            self.poison(span, &name);
        }
        for designator in self.ast.get(designators) {
            match (*designator, self.program.types.get(ty).clone()) {
                (Designator::Field(field, at), Type::Record(record)) => {
                    let Some(path) = self.find_field(record, field) else {
                        return self.no_member(field, ty, at);
                    };
                    for index in path {
                        let Type::Record(record) = *self.program.types.get(ty) else { break };
                        let field = &self.program.types.records[record].fields[index as usize];
                        offset += field.offset as i128;
                        ty = field.ty;
                    }
                }
                (Designator::Index(index), Type::Array(element, _)) => match self.constant_int(index) {
                    Some(index) => {
                        offset += index * self.program.types.size_of(element).unwrap_or(1) as i128;
                        ty = element;
                    }
                    None => {
                        self.poison(span, "offsetof with an index that is not constant");
                        return Operand::Value(self.dummy(size_type, span));
                    }
                },
                _ => {
                    self.error(span, "invalid `offsetof`");
                    break;
                }
            }
        }
        Operand::Value(self.int(offset, size_type, span))
    }
}
