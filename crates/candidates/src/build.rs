//! Builds expressions of the program. Equal expressions get equal ids, so that candidates can be compared by id.
//!
//! Sums are computed in a type that holds every value they can have: `long long` for operands of up to 32 bits, `__int128` for wider ones. Equalities
//! may also be computed modulo a power of two, in an unsigned type.

use base::Span;
use cfa::types::Field;
use cfa::{
    BinOp, Bits, Expr, ExprId, ExprKind, FuncId, IntKind, Place, PlaceId, PlaceKind, Program, Type, TypeId, UnOp,
    VarId, VarKind, eval,
};
use rustc_hash::FxHashMap;
use std::hash::{Hash, Hasher};

pub struct Builder<'p> {
    program: &'p mut Program,
    exprs: FxHashMap<ExprKey, ExprId>,
    places: FxHashMap<PlaceKey, PlaceId>,
}

/// `a * x`: a coefficient, and an expression of integer type.
pub type Summand = (i128, ExprId);

#[derive(PartialEq, Eq)]
struct ExprKey(ExprKind, TypeId);

impl Hash for ExprKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(&self.0).hash(state);
        self.1.hash(state);
        match self.0 {
            ExprKind::Const(bits) => bits.hash(state),
            ExprKind::Read(place) | ExprKind::AddrOf(place) => place.hash(state),
            ExprKind::FuncAddr(function) => function.hash(state),
            ExprKind::Unary(op, a) => (op, a).hash(state),
            ExprKind::Binary(op, a, b) => (op, a, b).hash(state),
            ExprKind::Cast(a) => a.hash(state),
            ExprKind::PtrAdd(a, b) | ExprKind::PtrSub(a, b) | ExprKind::PtrDiff(a, b) => (a, b).hash(state),
        }
    }
}

#[derive(PartialEq, Eq, Hash)]
enum PlaceKey {
    Var(VarId),
    Field(PlaceId, u32),
    Element(PlaceId, u64),
    /// What a parameter points to.
    Behind(VarId),
    /// At an index that is no constant.
    At(PlaceId, ExprId),
    Deref(ExprId, TypeId),
}

impl<'p> Builder<'p> {
    pub fn new(program: &'p mut Program) -> Self {
        Builder { program, exprs: FxHashMap::default(), places: FxHashMap::default() }
    }

    pub fn program(&self) -> &Program {
        self.program
    }

    pub fn ty(&self, expr: ExprId) -> TypeId {
        self.program.exprs[expr].ty
    }

    pub fn expr(&mut self, kind: ExprKind, ty: TypeId) -> ExprId {
        let program = &mut *self.program;
        let make = || program.exprs.push(Expr { kind, ty, span: Span::NONE });
        *self.exprs.entry(ExprKey(kind, ty)).or_insert_with(make)
    }

    /// The same place, with one id for all its occurrences. `None` for places at indices that are no constants and behind pointers other than parameters.
    pub fn place(&mut self, place: PlaceId) -> Option<PlaceId> {
        let Place { kind, ty } = self.program.places[place];
        let (key, kind) = match kind {
            PlaceKind::Var(var) => (PlaceKey::Var(var), kind),
            PlaceKind::Field(base, number) => {
                let base = self.place(base)?;
                (PlaceKey::Field(base, number), PlaceKind::Field(base, number))
            }
            PlaceKind::Index(base, index) => {
                let value = constant_index(self.program, base, index)?;
                let base = self.place(base)?;
                let index = self.constant(TypeId::INT, i128::from(value));
                (PlaceKey::Element(base, value), PlaceKind::Index(base, index))
            }
            PlaceKind::Deref(pointer) => {
                let param = self.param_read(pointer)?;
                let pointer = self.variable(param);
                let pointer = self.read(pointer);
                (PlaceKey::Behind(param), PlaceKind::Deref(pointer))
            }
        };
        Some(self.add_place(key, kind, ty))
    }

    /// The parameter whose value an expression is.
    fn param_read(&self, expr: ExprId) -> Option<VarId> {
        let ExprKind::Read(place) = self.program.exprs[expr].kind else { return None };
        let PlaceKind::Var(var) = self.program.places[place].kind else { return None };
        matches!(self.program.vars[var].kind, VarKind::Param(_)).then_some(var)
    }

    /// The name in contracts of what a function returns, if that is a scalar.
    pub fn result_of(&mut self, function: FuncId) -> Option<PlaceId> {
        let var = self.program.result_name(function)?;
        Some(self.variable(var))
    }

    /// The name in contracts of what an expression was when the function was called.
    pub fn old(&mut self, expr: ExprId) -> PlaceId {
        let var = self.program.old_name(expr);
        self.variable(var)
    }

    /// The variable over all values of an integer type.
    pub fn bound_variable(&mut self, ty: TypeId) -> PlaceId {
        let var = self.program.bound_name(ty);
        self.variable(var)
    }

    /// A field, of this type, of a record.
    pub fn field(&mut self, base: PlaceId, number: u32, ty: TypeId) -> PlaceId {
        self.add_place(PlaceKey::Field(base, number), PlaceKind::Field(base, number), ty)
    }

    /// An element, of this type, of an array.
    pub fn element(&mut self, base: PlaceId, index: ExprId, ty: TypeId) -> PlaceId {
        self.add_place(PlaceKey::At(base, index), PlaceKind::Index(base, index), ty)
    }

    /// What a pointer points to, as a place of this type.
    pub fn behind(&mut self, pointer: ExprId, ty: TypeId) -> PlaceId {
        self.add_place(PlaceKey::Deref(pointer, ty), PlaceKind::Deref(pointer), ty)
    }

    fn add_place(&mut self, key: PlaceKey, kind: PlaceKind, ty: TypeId) -> PlaceId {
        let program = &mut *self.program;
        *self.places.entry(key).or_insert_with(|| program.places.push(Place { kind, ty }))
    }

    /// The place that a variable is.
    pub fn variable(&mut self, var: VarId) -> PlaceId {
        let ty = self.program.vars[var].ty;
        self.add_place(PlaceKey::Var(var), PlaceKind::Var(var), ty)
    }

    /// The scalar of so many bytes at an offset of a variable. `None` if there is none, or more than one, as in a union.
    pub fn scalar_at(&mut self, var: VarId, offset: u64, size: u64) -> Option<PlaceId> {
        let mut place = self.variable(var);
        let mut rest = offset;
        loop {
            let ty = self.program.places[place].ty;
            if self.program.types.is_scalar(ty) {
                return (rest == 0 && self.program.types.size_of(ty) == Some(size)).then_some(place);
            }
            match *self.program.types.get(ty) {
                Type::Array(element, _) => {
                    let stride = self.program.types.stride(element).filter(|stride| *stride > 0)?;
                    let index = rest / stride;
                    let number = self.constant(TypeId::INT, index as i128);
                    let kind = PlaceKind::Index(place, number);
                    place = self.add_place(PlaceKey::Element(place, index), kind, element);
                    rest -= index * stride;
                }
                Type::Record(record) => {
                    let record = &self.program.types.records[record];
                    let inside = |field: &Field| {
                        let length = self.program.types.size_of(field.ty).unwrap_or(0);
                        field.offset <= rest && rest < field.offset + length
                    };
                    let mut fields = record.fields.iter().enumerate().filter(|(_, field)| inside(field));
                    let (Some((number, field)), None) = (fields.next(), fields.next()) else { return None };
                    if field.bits.is_some() {
                        return None;
                    }
                    let (ty, start) = (field.ty, field.offset);
                    let kind = PlaceKind::Field(place, number as u32);
                    place = self.add_place(PlaceKey::Field(place, number as u32), kind, ty);
                    rest -= start;
                }
                _ => return None,
            }
        }
    }

    pub fn read(&mut self, place: PlaceId) -> ExprId {
        let ty = self.program.places[place].ty;
        self.expr(ExprKind::Read(place), ty)
    }

    /// An integer or pointer constant, wrapped to the type.
    pub fn constant(&mut self, ty: TypeId, value: i128) -> ExprId {
        let bits = eval::from_i128(&self.program.types, ty, value);
        self.bits(ty, bits)
    }

    pub fn bits(&mut self, ty: TypeId, bits: Bits) -> ExprId {
        self.expr(ExprKind::Const(bits), ty)
    }

    pub fn cast(&mut self, expr: ExprId, ty: TypeId) -> ExprId {
        if self.ty(expr) == ty {
            return expr;
        }
        self.expr(ExprKind::Cast(expr), ty)
    }

    /// Operands of one type.
    pub fn binary(&mut self, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
        let ty = if op.is_comparison() { TypeId::INT } else { self.ty(a) };
        self.expr(ExprKind::Binary(op, a, b), ty)
    }

    /// A comparison of scalars as C makes it: integers of different types are converted to the common type.
    pub fn compare(&mut self, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
        let (left, right) = (self.ty(a).int_kind(), self.ty(b).int_kind());
        if let (Some(left), Some(right)) = (left, right) {
            let ty = TypeId::int(self.common(left, right));
            let (a, b) = (self.cast(a, ty), self.cast(b, ty));
            return self.binary(op, a, b);
        }
        self.binary(op, a, b)
    }

    /// A comparison of an integer with a constant, in a type that holds both if there is one.
    pub fn compare_constant(&mut self, op: BinOp, a: ExprId, value: i128) -> ExprId {
        let kind = self.ty(a).int_kind().expect("an integer is compared");
        let mut kind = promoted(kind, self.program.types.model);
        if !self.holds(kind, value) {
            kind = if self.holds(IntKind::LongLong, value) { IntKind::LongLong } else { IntKind::Int128 };
        }
        let ty = TypeId::int(kind);
        let (a, b) = (self.cast(a, ty), self.constant(ty, value));
        self.binary(op, a, b)
    }

    /// `a | b` of conditions that are 0 or 1. C's `||` is control flow, and these conditions have no side effects.
    pub fn any(&mut self, conditions: &[ExprId]) -> Option<ExprId> {
        let (first, rest) = conditions.split_first()?;
        Some(rest.iter().fold(*first, |all, next| self.binary(BinOp::Or, all, *next)))
    }

    /// The type after C's usual arithmetic conversions.
    pub fn common(&self, a: IntKind, b: IntKind) -> IntKind {
        let model = self.program.types.model;
        let (a, b) = (promoted(a, model), promoted(b, model));
        if a.is_signed() == b.is_signed() {
            return if a.rank() >= b.rank() { a } else { b };
        }
        let (signed, unsigned) = if a.is_signed() { (a, b) } else { (b, a) };
        if unsigned.rank() >= signed.rank() {
            unsigned
        } else if signed.bits(model) > unsigned.bits(model) {
            signed
        } else {
            signed.to_unsigned()
        }
    }

    pub fn holds(&self, kind: IntKind, value: i128) -> bool {
        let ty = TypeId::int(kind);
        let types = &self.program.types;
        eval::to_i128(types, ty, eval::from_i128(types, ty, value)) == value
    }

    fn width(&self, expr: ExprId) -> u32 {
        self.program.types.scalar_bits(self.ty(expr))
    }

    /// Compares `sum` with `constant + other`, without any overflow. `None` if no type is wide enough.
    pub fn compare_sums(&mut self, op: BinOp, sum: &[Summand], other: &[Summand], constant: i128) -> Option<ExprId> {
        let bits = |builder: &Self, sum: &[Summand]| {
            let part = |(factor, expr): &Summand| builder.width(*expr) + 128 - factor.unsigned_abs().leading_zeros();
            sum.iter().map(part).max().unwrap_or(0) + sum.len().next_power_of_two().trailing_zeros() + 1
        };
        let constant_bits = 130 - constant.unsigned_abs().leading_zeros();
        let needed = bits(self, sum).max(bits(self, other)).max(constant_bits) + 1;
        let kind = match needed {
            0..=64 => IntKind::LongLong,
            65..=128 => IntKind::Int128,
            _ => return None,
        };
        Some(self.sums_in(kind, op, sum, other, constant))
    }

    /// Whether `sum` equals `constant + other` modulo the width of the widest operand, computed in its unsigned type.
    pub fn equal_modulo(&mut self, sum: &[Summand], other: &[Summand], constant: i128) -> ExprId {
        let widest = sum.iter().chain(other).filter_map(|(_, expr)| self.ty(*expr).int_kind());
        let widest = widest.max_by_key(|kind| kind.rank()).unwrap_or(IntKind::Int);
        let kind = promoted(widest, self.program.types.model).to_unsigned();
        self.sums_in(kind, BinOp::Eq, sum, other, constant)
    }

    fn sums_in(&mut self, kind: IntKind, op: BinOp, sum: &[Summand], other: &[Summand], constant: i128) -> ExprId {
        let ty = TypeId::int(kind);
        let left = self.sum(ty, sum, 0);
        let right = self.sum(ty, other, constant);
        self.binary(op, left, right)
    }

    /// `constant + Σ factor * expr`, computed in the type.
    fn sum(&mut self, ty: TypeId, sum: &[Summand], constant: i128) -> ExprId {
        // A positive summand comes first, so that no sign is needed in front.
        let mut order: Vec<&Summand> = sum.iter().collect();
        order.sort_by_key(|(factor, _)| *factor < 0);
        let mut total = None;
        for (factor, expr) in order {
            let value = self.cast(*expr, ty);
            let size = factor.unsigned_abs() as i128;
            let part = if size == 1 {
                value
            } else {
                let size = self.constant(ty, size);
                self.binary(BinOp::Mul, size, value)
            };
            total = Some(match (total, *factor < 0) {
                (None, false) => part,
                (None, true) => self.expr(ExprKind::Unary(UnOp::Neg, part), ty),
                (Some(total), negative) => self.binary(if negative { BinOp::Sub } else { BinOp::Add }, total, part),
            });
        }
        match total {
            None => self.constant(ty, constant),
            Some(total) if constant == 0 => total,
            Some(total) => {
                let op = if constant < 0 { BinOp::Sub } else { BinOp::Add };
                let constant = self.constant(ty, constant.unsigned_abs() as i128);
                self.binary(op, total, constant)
            }
        }
    }
}

/// The type after C's integer promotions.
pub fn promoted(kind: IntKind, model: cfa::DataModel) -> IntKind {
    if kind.rank() < IntKind::Int.rank() && kind.bits(model) < IntKind::Int.bits(model) { IntKind::Int } else { kind }
}

/// The value of an index that is a constant inside the array.
pub fn constant_index(program: &Program, array: PlaceId, index: ExprId) -> Option<u64> {
    let value = eval::to_i128(&program.types, program.exprs[index].ty, program.constant(index)?);
    let cfa::Type::Array(_, Some(length)) = *program.types.get(program.places[array].ty) else { return None };
    u64::try_from(value).ok().filter(|value| *value < length)
}
