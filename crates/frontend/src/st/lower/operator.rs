//! Values, operators and conversions.
//!
//! Numbers have the width of their types and wrap around. Of two types of numbers, the operation has the smaller type that holds both; a literal without a type
//! takes the other operand's. A quotient that the type does not have (the least number by -1) wraps too: it is computed in the next wider type.

use super::super::ast::Operator;
use super::Lower;
use super::constant::{Const, fold, fold_real};
use super::types::{TimeKind, Ty};
use base::Span;
use cfa::{AssumeRole, BinOp, Bits, ExprId, ExprKind, IntKind, Op, PlaceId, Property, TypeId, UnOp, eval};

#[derive(Clone, Debug)]
pub enum Val {
    /// Numbers without a type.
    Int(i128),
    Real(f64),
    Text(Vec<u8>),
    Expr(ExprId, Ty),
    /// An array, structure or text.
    Whole(PlaceId, Ty),
    /// There was an error, or poison.
    Bad,
}

impl Lower<'_> {
    pub fn constant(&mut self, value: i128, ty: TypeId, span: Span) -> ExprId {
        let bits = eval::from_i128(&self.program.types, ty, value);
        self.expr(ExprKind::Const(bits), ty, span)
    }

    pub fn boolean(&mut self, value: bool, span: Span) -> Val {
        Val::Expr(self.constant(value as i128, TypeId::BOOL, span), Ty::Bool)
    }

    /// A value of type BOOL of a comparison.
    pub fn truth_value(&mut self, compared: ExprId, span: Span) -> ExprId {
        self.expr(ExprKind::Cast(compared), TypeId::BOOL, span)
    }

    /// A condition for branches: without the conversion of a comparison to BOOL.
    pub fn condition_of(&self, value: ExprId) -> ExprId {
        match self.program.exprs[value].kind {
            ExprKind::Cast(inner) if self.program.exprs[value].ty == TypeId::BOOL => {
                match self.program.exprs[inner].kind {
                    ExprKind::Binary(op, ..) if op.is_comparison() => inner,
                    ExprKind::Unary(UnOp::Not, _) => inner,
                    _ => value,
                }
            }
            _ => value,
        }
    }

    pub fn compare(&mut self, op: BinOp, left: ExprId, right: ExprId, span: Span) -> ExprId {
        self.expr(ExprKind::Binary(op, left, right), TypeId::INT, span)
    }

    pub fn negate(&mut self, value: ExprId, span: Span) -> ExprId {
        let value = self.condition_of(value);
        let not = self.expr(ExprKind::Unary(UnOp::Not, value), TypeId::INT, span);
        self.truth_value(not, span)
    }

    /// Both are BOOL.
    pub fn both(&mut self, op: BinOp, left: ExprId, right: ExprId, span: Span) -> ExprId {
        self.expr(ExprKind::Binary(op, left, right), TypeId::BOOL, span)
    }

    pub fn const_val(&mut self, value: &Const, ty: Option<&Ty>, span: Span) -> Val {
        match (value, ty) {
            (Const::Text(text), _) => Val::Text(text.clone()),
            (value, Some(ty)) => {
                let id = self.cfa_type(ty);
                let bits = self.const_bits(value, ty, id, span);
                Val::Expr(self.expr(ExprKind::Const(bits), id, span), ty.clone())
            }
            (Const::Int(value), None) => Val::Int(*value),
            (Const::Real(value), None) => Val::Real(*value),
        }
    }

    fn zero(&mut self, ty: &Ty, span: Span) -> ExprId {
        let id = self.cfa_type(ty);
        self.expr(ExprKind::Const(Bits::ZERO), id, span)
    }

    /// A value of another type, as an assignment converts it.
    pub fn convert(&mut self, value: Val, to: &Ty, span: Span) -> ExprId {
        if matches!(to, Ty::Bad) {
            return self.zero(&Ty::Int(IntKind::Int, false), span);
        }
        let id = self.cfa_type(to);
        match value {
            Val::Bad => self.zero(to, span),
            Val::Int(number) => {
                if matches!(to, Ty::Pointer(_)) {
                    if number != 0 {
                        self.poison(span, "number as address");
                    }
                    return self.zero(to, span);
                }
                let bits = self.const_bits(&Const::Int(number), to, id, span);
                self.expr(ExprKind::Const(bits), id, span)
            }
            Val::Real(number) => {
                let bits = self.const_bits(&Const::Real(number), to, id, span);
                self.expr(ExprKind::Const(bits), id, span)
            }
            Val::Text(text) if matches!(to, Ty::Int(IntKind::UChar, true)) && text.len() == 1 => {
                self.constant(text[0] as i128, id, span)
            }
            Val::Text(_) | Val::Whole(..) => {
                let message = format!("this is not a value of {}", self.ty_name(to));
                self.error(span, message);
                self.zero(to, span)
            }
            Val::Expr(value, from) => self.convert_expr(value, &from, to, id, span),
        }
    }

    fn convert_expr(&mut self, value: ExprId, from: &Ty, to: &Ty, id: TypeId, span: Span) -> ExprId {
        if from == to || matches!(from, Ty::Bad) {
            return value;
        }
        if matches!(from, Ty::Pointer(_)) != matches!(to, Ty::Pointer(_)) {
            self.poison(span, "address as a number");
            return self.zero(to, span);
        }
        if let (Ty::Time(from), Ty::Time(to)) = (from, to) {
            return self.convert_time(value, *from, *to, span);
        }
        let mixed = |lower: &Self, ty: &Ty| matches!(ty, Ty::Bool) || ty.int(lower).is_none();
        let wrong = match (from, to) {
            (Ty::Real | Ty::LReal, Ty::Real | Ty::LReal) => false,
            (from, Ty::Real | Ty::LReal) => !from.is_number(),
            (Ty::Real | Ty::LReal, _) => true,
            (Ty::Pointer(_), Ty::Pointer(_)) => false,
            // A number of two values; strict compilers want a conversion.
            (Ty::Bool, to) => mixed(self, to),
            (from, to) => mixed(self, from) || mixed(self, to),
        };
        if wrong {
            let (from, to_name) = (self.ty_name(from), self.ty_name(to));
            self.error(span, format!("a value of {from} is not a value of {to_name}: use {from}_TO_{to_name}"));
            return self.zero(to, span);
        }
        self.warn_of_loss(value, from, to, span);
        self.cast(value, id, span)
    }

    fn with_number(&mut self, op: BinOp, value: ExprId, number: i128, span: Span) -> ExprId {
        let id = self.program.exprs[value].ty;
        let number = self.constant(number, id, span);
        self.expr(ExprKind::Binary(op, value, number), id, span)
    }

    /// Times of one kind in the units of another one. A date has no time of day, and a time of day no date.
    pub fn convert_time(&mut self, value: ExprId, from: TimeKind, to: TimeKind, span: Span) -> ExprId {
        use TimeKind::{Date, Dt, LDate, LDt, LTod, Tod};
        let to_id = TypeId::int(to.int());
        let cuts = matches!(from, Dt | LDt | Date | LDate) && matches!(to, Date | LDate | Tod | LTod);
        if from.unit() == to.unit() && !cuts {
            return self.cast(value, to_id, span);
        }
        let mut value = self.cast(value, TypeId::LONG_LONG, span);
        if cuts {
            let rest = self.with_number(BinOp::Rem, value, 86_400_000_000_000 / from.unit(), span);
            value = match to {
                Date | LDate => self.expr(ExprKind::Binary(BinOp::Sub, value, rest), TypeId::LONG_LONG, span),
                _ => rest,
            };
        }
        value = match from.unit() >= to.unit() {
            true => self.with_number(BinOp::Mul, value, from.unit() / to.unit(), span),
            false => self.with_number(BinOp::Div, value, to.unit() / from.unit(), span),
        };
        self.cast(value, to_id, span)
    }

    fn warn_of_loss(&mut self, value: ExprId, from: &Ty, to: &Ty, span: Span) {
        if self.program.constant(value).is_some() {
            return;
        }
        let (from_name, to_name) = (self.ty_name(from), self.ty_name(to));
        let loses = match (from.int(self), to.int(self)) {
            (Some(a), Some(b)) => {
                let width = |kind: IntKind| kind.bits(self.program.types.model);
                width(a) > width(b)
            }
            _ => matches!((from, to), (Ty::LReal, Ty::Real)),
        };
        if loses {
            self.warning(span, format!("a {from_name} becomes a {to_name}: what does not fit is lost"));
        } else if matches!(from, Ty::Bool) {
            self.warning(span, format!("a BOOL becomes a {to_name}: 1 for TRUE"));
        }
    }

    pub fn cast(&mut self, value: ExprId, to: TypeId, span: Span) -> ExprId {
        if self.program.exprs[value].ty == to {
            return value;
        }
        if let Some(bits) = self.program.constant(value) {
            let bits = eval::cast(&self.program.types, self.program.exprs[value].ty, to, bits);
            return self.expr(ExprKind::Const(bits), to, span);
        }
        self.expr(ExprKind::Cast(value), to, span)
    }

    /// The type in which an operation on two types is done.
    fn common(&mut self, a: &Ty, b: &Ty) -> Option<Ty> {
        if a == b {
            return Some(match a {
                Ty::Subrange(kind, ..) => Ty::Int(*kind, false),
                other => other.clone(),
            });
        }
        Some(match (a, b) {
            (Ty::Time(time), other) | (other, Ty::Time(time)) if other.is_number() && !other.is_real() => {
                Ty::Time(*time)
            }
            (Ty::Time(TimeKind::UnsignedTime), Ty::Time(TimeKind::Time))
            | (Ty::Time(TimeKind::Time), Ty::Time(TimeKind::UnsignedTime)) => Ty::Time(TimeKind::UnsignedTime),
            (Ty::Time(TimeKind::Time | TimeKind::UnsignedTime), Ty::Time(TimeKind::LTime))
            | (Ty::Time(TimeKind::LTime), Ty::Time(TimeKind::Time | TimeKind::UnsignedTime)) => {
                Ty::Time(TimeKind::LTime)
            }
            // Points in time of other kinds have to be converted first.
            (Ty::Time(_), Ty::Time(_)) => return None,
            (Ty::LReal, other) | (other, Ty::LReal) if other.is_number() => Ty::LReal,
            (Ty::Real, other) | (other, Ty::Real) if other.is_number() => {
                let kind = other.int(self);
                let wide = kind.is_some_and(|kind| kind.bits(self.program.types.model) > 32);
                if wide { Ty::LReal } else { Ty::Real }
            }
            (Ty::Pointer(_), Ty::Pointer(_)) => a.clone(),
            _ => {
                let kinds = (a.int(self)?, b.int(self)?);
                if matches!(a, Ty::Bool) || matches!(b, Ty::Bool) {
                    // A BOOL among numbers is one of them.
                    let other = if matches!(a, Ty::Bool) { b } else { a };
                    return other.is_number().then(|| other.clone());
                }
                let bits = |ty: &Ty| matches!(ty, Ty::Int(_, true));
                Ty::Int(self.common_int(kinds.0, kinds.1), bits(a) && bits(b))
            }
        })
    }

    fn common_int(&self, a: IntKind, b: IntKind) -> IntKind {
        use IntKind::*;
        let model = self.program.types.model;
        let (wide, narrow) = if a.bits(model) >= b.bits(model) { (a, b) } else { (b, a) };
        if wide.is_signed() == narrow.is_signed() || wide.is_signed() && wide.bits(model) > narrow.bits(model) {
            return wide;
        }
        match wide {
            UChar | SChar => Short,
            UShort | Short => Int,
            _ if wide.bits(model) <= 32 => LongLong,
            _ => LongLong,
        }
    }

    /// Two operands of one type.
    pub fn unify(&mut self, left: Val, right: Val, span: Span) -> Option<(ExprId, ExprId, Ty)> {
        let ty = match (&left, &right) {
            (Val::Expr(_, a), Val::Expr(_, b)) => match self.common(a, b) {
                Some(ty) => ty,
                None if matches!(a, Ty::Pointer(_)) || matches!(b, Ty::Pointer(_)) => {
                    self.poison(span, "address as a number");
                    return None;
                }
                None => {
                    let message = format!("{} and {} do not go together here", self.ty_name(a), self.ty_name(b));
                    self.error(span, message);
                    return None;
                }
            },
            (Val::Expr(_, ty), Val::Int(number)) | (Val::Int(number), Val::Expr(_, ty)) => self.room_for(ty, *number),
            (Val::Expr(_, ty), Val::Real(_)) | (Val::Real(_), Val::Expr(_, ty)) => match ty.is_real() {
                true => ty.clone(),
                false => Ty::Real,
            },
            (Val::Expr(_, ty @ Ty::Int(IntKind::UChar, true)), Val::Text(text))
            | (Val::Text(text), Val::Expr(_, ty @ Ty::Int(IntKind::UChar, true)))
                if text.len() == 1 =>
            {
                ty.clone()
            }
            (Val::Int(_), Val::Int(_)) => Ty::Int(IntKind::Int, false),
            (Val::Real(_) | Val::Int(_), Val::Real(_) | Val::Int(_)) => Ty::LReal,
            (Val::Bad, _) | (_, Val::Bad) => return None,
            _ => {
                self.error(span, "this operation is not defined for these operands");
                return None;
            }
        };
        let left = self.quietly(left, &ty, span);
        let right = self.quietly(right, &ty, span);
        Some((left, right, ty))
    }

    /// A conversion to a type that was chosen to hold the value.
    pub fn quietly(&mut self, value: Val, ty: &Ty, span: Span) -> ExprId {
        match value {
            Val::Expr(value, Ty::Time(from)) if matches!(ty, Ty::Time(to) if from.unit() != to.unit()) => {
                self.convert_expr(value, &Ty::Time(from), ty, TypeId::LONG_LONG, span)
            }
            Val::Expr(value, _) => {
                let id = self.cfa_type(ty);
                self.cast(value, id, span)
            }
            literal => self.convert(literal, ty, span),
        }
    }

    /// Whether a type has a number.
    pub fn holds(&self, kind: IntKind, number: i128) -> bool {
        let width = kind.bits(self.program.types.model);
        match kind.is_signed() {
            true => number >= -(1i128 << (width - 1)) && number < 1i128 << (width - 1),
            false => number >= 0 && number < 1i128 << width,
        }
    }

    /// The type for an operation on a type and a literal: a wider one if the literal does not fit.
    fn room_for(&mut self, ty: &Ty, number: i128) -> Ty {
        let ty = match ty {
            Ty::Subrange(kind, ..) => Ty::Int(*kind, false),
            other => other.clone(),
        };
        let Ty::Int(kind, bits) = ty else { return ty };
        let model = self.program.types.model;
        if self.holds(kind, number) {
            return Ty::Int(kind, bits);
        }
        let wider = [IntKind::Short, IntKind::Int, IntKind::LongLong].into_iter();
        let mut wider = wider.filter(|wide| wide.bits(model) > kind.bits(model) && self.holds(*wide, number));
        wider.next().map_or(Ty::Int(kind, bits), |wide| Ty::Int(wide, false))
    }

    pub fn binary(&mut self, operator: Operator, left: Val, right: Val, span: Span) -> Val {
        match (&left, &right) {
            (Val::Int(a), Val::Int(b)) => {
                if let Some(value) = fold(operator, *a, *b) {
                    let compares = comparison(operator).is_some();
                    return if compares { self.boolean(value != 0, span) } else { Val::Int(value) };
                }
                self.error(span, "this operation on constants has no value");
                return Val::Bad;
            }
            (Val::Int(_) | Val::Real(_), Val::Int(_) | Val::Real(_)) => {
                let number = |value: &Val| match value {
                    Val::Int(value) => *value as f64,
                    Val::Real(value) => *value,
                    _ => 0.0,
                };
                if let Some(value) = fold_real(operator, number(&left), number(&right)) {
                    return Val::Real(value);
                }
            }
            (Val::Text(_) | Val::Whole(_, Ty::Text(_)), Val::Text(_) | Val::Whole(_, Ty::Text(_))) => {
                if let Some(op) = comparison(operator) {
                    return self.compare_text(op, left, right, span);
                }
            }
            _ => {}
        }
        if operator == Operator::Power {
            return self.power(left, right, span);
        }
        if let Some(value) = self.time_operation(operator, &left, &right, span) {
            return value;
        }
        if let Some(value) = self.pointer_operation(operator, &left, &right, span) {
            return value;
        }
        let bools = matches!((&left, &right), (Val::Expr(_, Ty::Bool), Val::Expr(_, Ty::Bool)));
        let Some((a, b, ty)) = self.unify(left, right, span) else { return Val::Bad };
        if let Some(op) = comparison(operator) {
            let compared = self.compare(op, a, b, span);
            return Val::Expr(self.truth_value(compared, span), Ty::Bool);
        }
        let arithmetic = |op| (op, false);
        let (op, bitwise) = match operator {
            Operator::Add => arithmetic(BinOp::Add),
            Operator::Sub => arithmetic(BinOp::Sub),
            Operator::Mul => arithmetic(BinOp::Mul),
            Operator::Div => arithmetic(BinOp::Div),
            Operator::Mod => arithmetic(BinOp::Rem),
            Operator::And | Operator::AndThen => (BinOp::And, true),
            Operator::Or | Operator::OrElse => (BinOp::Or, true),
            _ => (BinOp::Xor, true),
        };
        let id = self.program.exprs[a].ty;
        if bitwise {
            if ty.int(self).is_none() || matches!(ty, Ty::Time(_)) {
                let message = format!("this operation is not defined for {}", self.ty_name(&ty));
                self.error(span, message);
                return Val::Bad;
            }
            return Val::Expr(self.expr(ExprKind::Binary(op, a, b), id, span), ty);
        }
        if bools {
            // Numbers of two values: `(a + b + c) = 2` counts.
            self.warning(span, "a BOOL is taken as a number here: 1 for TRUE");
            let (a, b) = (self.cast(a, TypeId::SHORT, span), self.cast(b, TypeId::SHORT, span));
            let sum = self.expr(ExprKind::Binary(op, a, b), TypeId::SHORT, span);
            return Val::Expr(sum, Ty::Int(IntKind::Short, false));
        }
        // CoDeSys counts with enumerations, as in `state := state + 1`.
        let ty = match ty {
            Ty::Enum(number) => Ty::Int(self.enums[number].kind, false),
            other => other,
        };
        if !ty.is_number() && !matches!(ty, Ty::Time(_)) {
            let message = format!("this operation is not defined for {}", self.ty_name(&ty));
            self.error(span, message);
            return Val::Bad;
        }
        if matches!(op, BinOp::Div | BinOp::Rem) && !ty.is_real() {
            return Val::Expr(self.divide(op, a, b, span), ty);
        }
        if op == BinOp::Rem {
            self.error(span, "MOD is not defined for REAL");
            return Val::Bad;
        }
        Val::Expr(self.expr(ExprKind::Binary(op, a, b), id, span), ty)
    }

    /// Division of integers: by zero it is an error that ends the run.
    fn divide(&mut self, op: BinOp, a: ExprId, b: ExprId, span: Span) -> ExprId {
        let id = self.program.exprs[a].ty;
        let divisor = self.program.constant(b).map(|bits| eval::to_i128(&self.program.types, id, bits));
        if divisor == Some(0) {
            self.error(span, "division by zero");
        }
        if divisor.is_none() {
            let zero = self.constant(0, id, span);
            let cond = self.compare(BinOp::Ne, b, zero, span);
            self.require(cond, Property::DivByZero, span);
        }
        let signed = self.program.types.is_signed(id);
        if !signed || divisor.is_some_and(|divisor| divisor != -1) {
            return self.expr(ExprKind::Binary(op, a, b), id, span);
        }
        let wide = match self.program.types.scalar_bits(id) {
            ..32 => TypeId::INT,
            32 => TypeId::LONG_LONG,
            _ => TypeId::INT128,
        };
        let (a, b) = (self.cast(a, wide, span), self.cast(b, wide, span));
        let result = self.expr(ExprKind::Binary(op, a, b), wide, span);
        self.cast(result, id, span)
    }

    /// What has to hold for the run to go on: where it does not, the controller stops, which is a violation if it is asked for.
    pub fn require(&mut self, cond: ExprId, property: Property, span: Span) {
        self.emit(Op::Assert { cond, property }, span);
        self.flow.checks = true;
        self.emit(Op::Assume { cond, truth: true, role: AssumeRole::Assumption }, span);
        self.flow.checks = false;
    }

    /// Points in time are seconds, durations milliseconds.
    fn time_operation(&mut self, operator: Operator, left: &Val, right: &Val, span: Span) -> Option<Val> {
        use TimeKind::{Date, Dt, LDate, LDt, LTime, LTod, Time, Tod, UnsignedTime};
        let kind = |value: &Val| match value {
            Val::Expr(expr, Ty::Time(kind)) => Some((*expr, *kind)),
            _ => None,
        };
        let (left_kind, right_kind) = (kind(left), kind(right));
        let duration = if self.is_export() { UnsignedTime } else { Time };
        match (operator, left_kind, right_kind) {
            (Operator::Sub, Some((a, Dt | Date)), Some((b, Dt | Date))) => {
                let seconds = self.expr(ExprKind::Binary(BinOp::Sub, a, b), TypeId::UINT, span);
                let thousand = self.constant(1000, TypeId::UINT, span);
                let result = self.expr(ExprKind::Binary(BinOp::Mul, seconds, thousand), TypeId::UINT, span);
                let id = TypeId::int(duration.int());
                Some(Val::Expr(self.cast(result, id, span), Ty::Time(duration)))
            }
            (Operator::Sub, Some((a, Tod)), Some((b, Tod))) => {
                let result = self.expr(ExprKind::Binary(BinOp::Sub, a, b), TypeId::UINT, span);
                let id = TypeId::int(duration.int());
                Some(Val::Expr(self.cast(result, id, span), Ty::Time(duration)))
            }
            (Operator::Add | Operator::Sub, Some((a, point @ (Dt | Tod))), Some((b, Time | UnsignedTime))) => {
                let mut amount = b;
                if point == Dt {
                    let id = self.program.exprs[b].ty;
                    let thousand = self.constant(1000, id, span);
                    amount = self.expr(ExprKind::Binary(BinOp::Div, b, thousand), id, span);
                }
                let amount = self.cast(amount, TypeId::UINT, span);
                let op = if operator == Operator::Add { BinOp::Add } else { BinOp::Sub };
                Some(Val::Expr(self.expr(ExprKind::Binary(op, a, amount), TypeId::UINT, span), Ty::Time(point)))
            }
            (Operator::Sub, Some((a, one @ (LDt | LDate | LTod))), Some((b, other))) if one == other => {
                let result = self.expr(ExprKind::Binary(BinOp::Sub, a, b), TypeId::LONG_LONG, span);
                Some(Val::Expr(result, Ty::Time(LTime)))
            }
            (
                Operator::Add | Operator::Sub,
                Some((a, point @ (LDt | LTod))),
                Some((b, duration @ (Time | UnsignedTime | LTime))),
            ) => {
                let amount = self.convert_time(b, duration, LTime, span);
                let op = if operator == Operator::Add { BinOp::Add } else { BinOp::Sub };
                Some(Val::Expr(self.expr(ExprKind::Binary(op, a, amount), TypeId::LONG_LONG, span), Ty::Time(point)))
            }
            // A duration times a factor.
            (Operator::Mul | Operator::Div, Some((a, time)), None) => {
                let real = match right {
                    Val::Real(_) => Ty::LReal,
                    Val::Expr(_, ty @ (Ty::Real | Ty::LReal)) => ty.clone(),
                    _ => return None,
                };
                let id = self.cfa_type(&real);
                let a = self.cast(a, id, span);
                let b = self.convert(right.clone(), &real, span);
                let op = if operator == Operator::Mul { BinOp::Mul } else { BinOp::Div };
                let result = self.expr(ExprKind::Binary(op, a, b), id, span);
                Some(self.round_to(result, &Ty::Time(time), span))
            }
            _ => None,
        }
    }

    /// CoDeSys moves pointers by bytes.
    fn pointer_operation(&mut self, operator: Operator, left: &Val, right: &Val, span: Span) -> Option<Val> {
        let Val::Expr(pointer, ty @ Ty::Pointer(_)) = left else { return None };
        if comparison(operator).is_some() {
            return None;
        }
        let index = match right {
            Val::Int(number) => self.constant(*number, TypeId::INT, span),
            Val::Expr(value, ty) if ty.is_number() && !ty.is_real() => *value,
            _ => return None,
        };
        let bytes = self.program.types.pointer_to(TypeId::UCHAR);
        let at = self.cast(*pointer, bytes, span);
        let kind = match operator {
            Operator::Add => ExprKind::PtrAdd(at, index),
            Operator::Sub => ExprKind::PtrSub(at, index),
            _ => return None,
        };
        let moved = self.expr(kind, bytes, span);
        let id = self.cfa_type(ty);
        Some(Val::Expr(self.cast(moved, id, span), ty.clone()))
    }

    pub fn negative(&mut self, value: Val, span: Span) -> Val {
        match value {
            Val::Int(number) => Val::Int(-number),
            Val::Real(number) => Val::Real(-number),
            Val::Expr(value, ty) if ty.is_number() || matches!(ty, Ty::Time(TimeKind::Time | TimeKind::LTime)) => {
                let id = self.program.exprs[value].ty;
                let ty = match ty {
                    Ty::Subrange(kind, ..) => Ty::Int(kind, false),
                    other => other,
                };
                Val::Expr(self.expr(ExprKind::Unary(UnOp::Neg, value), id, span), ty)
            }
            Val::Bad => Val::Bad,
            _ => {
                self.error(span, "`-` needs a number");
                Val::Bad
            }
        }
    }

    pub fn complement(&mut self, value: Val, span: Span) -> Val {
        match value {
            Val::Expr(value, Ty::Bool) => Val::Expr(self.negate(value, span), Ty::Bool),
            Val::Expr(value, ty @ Ty::Int(..)) => {
                let id = self.program.exprs[value].ty;
                Val::Expr(self.expr(ExprKind::Unary(UnOp::BitNot, value), id, span), ty)
            }
            Val::Int(number @ 0..=1) => Val::Int(1 - number),
            Val::Bad => Val::Bad,
            _ => {
                self.error(span, "NOT needs a BOOL or a string of bits");
                Val::Bad
            }
        }
    }
}

pub fn comparison(operator: Operator) -> Option<BinOp> {
    Some(match operator {
        Operator::Eq => BinOp::Eq,
        Operator::Ne => BinOp::Ne,
        Operator::Lt => BinOp::Lt,
        Operator::Le => BinOp::Le,
        Operator::Gt => BinOp::Gt,
        Operator::Ge => BinOp::Ge,
        _ => return None,
    })
}
