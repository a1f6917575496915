//! Expressions and places: types, order, and whose variables they mention.

use super::{Report, Roots, Sizes, Subject};
use crate::walk::{Node, children, parts};
use crate::*;
use base::ids::Id;

pub(super) fn fits(bits: Bits, width: u32) -> bool {
    width >= 128 || bits.get() >> width == 0
}

/// The variable under each place. A place whose base does not precede it (a violation) has none.
pub(super) fn roots(program: &Program) -> Vec<Option<VarId>> {
    let mut roots: Vec<Option<VarId>> = Vec::with_capacity(program.places.len());
    for place in program.places.values() {
        roots.push(match place.kind {
            PlaceKind::Var(var) => Some(var),
            PlaceKind::Deref(_) => None,
            PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => roots.get(base.index()).copied().flatten(),
        });
    }
    roots
}

pub(super) fn check(program: &Program, sizes: &Sizes, roots: &Roots, report: &mut Report) {
    let checker = Checker { program, sizes, roots };
    for (id, expr) in program.exprs.iter() {
        if let Err(message) = checker.expr(expr) {
            report.require(false, Subject::Expr(id), || message);
        }
        if let ExprKind::AddrOf(place) = expr.kind
            && let Some(var) = roots[place.index()]
        {
            report.require(program.vars[var].address_taken, Subject::Var(var), || {
                format!("{id} takes its address, but it is not marked as address_taken")
            });
        }
    }
    for (id, place) in program.places.iter() {
        if let Err(message) = checker.place(place) {
            report.require(false, Subject::Place(id), || message);
        }
    }
}

struct Checker<'a> {
    program: &'a Program,
    sizes: &'a Sizes,
    roots: &'a Roots,
}

fn ensure(holds: bool, message: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(message()) }
}

impl Checker<'_> {
    fn ty(&self, expr: ExprId) -> TypeId {
        self.program.exprs[expr].ty
    }

    fn expr(&self, expr: &Expr) -> Result<(), String> {
        let types = &self.program.types;
        let ty = expr.ty;
        let typed = |expected: TypeId| ensure(ty == expected, || format!("its type is {ty}, not {expected}"));
        match expr.kind {
            ExprKind::Const(bits) => {
                ensure(types.is_scalar(ty), || format!("a constant of type {ty}, which is no scalar"))?;
                ensure(fits(bits, types.scalar_bits(ty)), || format!("{bits:?} does not fit {ty}"))
            }
            ExprKind::Read(place) => {
                typed(self.program.places[place].ty)?;
                ensure(self.is_value(ty), || format!("reads a value of type {ty}, which is neither scalar nor record"))
            }
            ExprKind::AddrOf(place) => self.address(ty, place),
            ExprKind::FuncAddr(_) => {
                let target = types.pointee(ty).map(|target| types.get(target));
                ensure(matches!(target, Some(Type::Function(_))), || format!("{ty} is no pointer to a function"))
            }
            ExprKind::Unary(op, operand) => self.unary(ty, op, self.ty(operand)),
            ExprKind::Binary(op, left, right) => self.binary(ty, op, self.ty(left), self.ty(right)),
            ExprKind::Cast(operand) => {
                let from = self.ty(operand);
                ensure(types.is_scalar(from) && types.is_scalar(ty), || format!("a cast from {from} to {ty}"))
            }
            ExprKind::PtrAdd(pointer, offset) | ExprKind::PtrSub(pointer, offset) => {
                typed(self.ty(pointer))?;
                self.stride(ty)?;
                let offset = self.ty(offset);
                ensure(offset.int_kind().is_some(), || format!("the offset has type {offset}, which is no integer"))
            }
            ExprKind::PtrDiff(left, right) => {
                typed(TypeId::int(types.model.difference_type()))?;
                let (left, right) = (self.ty(left), self.ty(right));
                ensure(left == right, || format!("the difference of {left} and {right}"))?;
                self.stride(left)
            }
        }
    }

    /// Scalar or complete record.
    fn is_value(&self, ty: TypeId) -> bool {
        let types = &self.program.types;
        types.is_scalar(ty) || matches!(types.get(ty), Type::Record(record) if types.records[*record].complete)
    }

    fn stride(&self, ty: TypeId) -> Result<(), String> {
        let Some(target) = self.program.types.pointee(ty) else { return Err(format!("{ty} is no pointer")) };
        let unit = matches!(self.program.types.get(target), Type::Void | Type::Function(_));
        ensure(unit || self.sizes[target.index()].is_some(), || format!("{target} has no size to step by"))
    }

    fn address(&self, ty: TypeId, place: PlaceId) -> Result<(), String> {
        let types = &self.program.types;
        let place = &self.program.places[place];
        let Some(target) = types.pointee(ty) else {
            return Err(format!("an address of type {ty}, which is no pointer"));
        };
        let element = match types.get(place.ty) {
            Type::Array(element, _) => Some(*element),
            _ => None,
        };
        ensure(target == place.ty || element == Some(target), || {
            format!("the address of a place of type {} has type {ty}", place.ty)
        })?;
        let PlaceKind::Field(base, number) = place.kind else { return Ok(()) };
        let Type::Record(record) = types.get(self.program.places[base].ty) else { return Ok(()) };
        let field = types.records[*record].fields.get(number as usize);
        ensure(field.is_none_or(|field| field.bits.is_none()), || "the address of a bit-field".to_string())
    }

    fn unary(&self, ty: TypeId, op: UnOp, operand: TypeId) -> Result<(), String> {
        let (accepted, result) = match op {
            UnOp::Neg => (operand.is_arithmetic(), operand),
            UnOp::BitNot => (operand.int_kind().is_some(), operand),
            UnOp::Not => (self.program.types.is_scalar(operand), TypeId::INT),
        };
        ensure(accepted, || format!("{op:?} of {operand}"))?;
        ensure(ty == result, || format!("its type is {ty}, not {result}"))
    }

    fn binary(&self, ty: TypeId, op: BinOp, left: TypeId, right: TypeId) -> Result<(), String> {
        let types = &self.program.types;
        let shift = matches!(op, BinOp::Shl | BinOp::Shr);
        ensure(left == right || shift, || format!("{op:?} of {left} and {right}"))?;
        let accepted = match op {
            _ if op.is_comparison() => types.is_scalar(left),
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div => left.is_arithmetic(),
            _ => left.int_kind().is_some() && right.int_kind().is_some(),
        };
        ensure(accepted, || format!("{op:?} of {left} and {right}"))?;
        let result = if op.is_comparison() { TypeId::INT } else { left };
        ensure(ty == result, || format!("its type is {ty}, not {result}"))
    }

    fn place(&self, place: &Place) -> Result<(), String> {
        let types = &self.program.types;
        let typed =
            |expected: TypeId| ensure(place.ty == expected, || format!("its type is {}, not {expected}", place.ty));
        match place.kind {
            PlaceKind::Var(var) => typed(self.program.vars[var].ty),
            PlaceKind::Deref(pointer) => {
                let ty = self.ty(pointer);
                ensure(types.is_pointer(ty), || format!("dereferences {ty}, which is no pointer"))
            }
            PlaceKind::Field(base, number) => {
                let ty = self.program.places[base].ty;
                let Type::Record(record) = types.get(ty) else {
                    return Err(format!("a field of {ty}, which is no record"));
                };
                let record = &types.records[*record];
                ensure(record.complete, || format!("a field of {ty}, which is incomplete"))?;
                let Some(field) = record.fields.get(number as usize) else {
                    return Err(format!("field {number} of {ty}, which has {}", record.fields.len()));
                };
                typed(field.ty)
            }
            PlaceKind::Index(base, index) => {
                let (ty, index) = (self.program.places[base].ty, self.ty(index));
                let Type::Array(element, _) = types.get(ty) else {
                    return Err(format!("an element of {ty}, which is no array"));
                };
                ensure(index.int_kind().is_some(), || format!("an index of type {index}, which is no integer"))?;
                typed(*element)
            }
        }
    }

    /// Something that may be written: no part of a constant object.
    pub(super) fn is_writable(&self, place: PlaceId) -> bool {
        let constant =
            |var: VarId| self.program.vars[var].kind == VarKind::Constant || self.program.vars[var].read_only;
        self.roots[place.index()].is_none_or(|var| !constant(var))
    }
}

/// Rules for values and places in operations; `flow` asks.
pub(super) fn is_value(program: &Program, ty: TypeId) -> bool {
    Checker { program, sizes: &[], roots: &[] }.is_value(ty)
}

pub(super) fn is_writable(program: &Program, roots: &Roots, place: PlaceId) -> bool {
    Checker { program, sizes: &[], roots }.is_writable(place)
}

/// The largest expression inside each place, plus 1. By place.
fn depths(program: &Program) -> Vec<u32> {
    let mut depths: Vec<u32> = Vec::with_capacity(program.places.len());
    for place in program.places.values() {
        let base = |base: PlaceId| depths.get(base.index()).copied().unwrap_or(u32::MAX);
        let depth = match place.kind {
            PlaceKind::Var(_) => 0,
            PlaceKind::Deref(pointer) => pointer.0 + 1,
            PlaceKind::Field(inner, _) => base(inner),
            PlaceKind::Index(inner, index) => base(inner).max(index.0 + 1),
        };
        depths.push(depth);
    }
    depths
}

/// Whether children precede parents.
pub(super) fn is_ordered(program: &Program, report: &mut Report) -> bool {
    let mut ordered = true;
    for (id, place) in program.places.iter() {
        if let PlaceKind::Field(base, _) | PlaceKind::Index(base, _) = place.kind
            && base >= id
        {
            ordered = false;
            report.require(false, Subject::Place(id), || format!("its base {base} does not precede it"));
        }
    }
    let depths = depths(program);
    for id in program.exprs.ids() {
        for child in children(program, Node::Expr(id)).into_iter().flatten() {
            let earlier = match child {
                Node::Expr(operand) => operand < id,
                Node::Place(place) => depths[place.index()] <= id.0,
            };
            ordered &= earlier;
            report.require(earlier, Subject::Expr(id), || match child {
                Node::Expr(operand) => format!("its operand {operand} does not precede it"),
                Node::Place(place) => format!("an expression inside {place} does not precede it"),
            });
        }
    }
    ordered
}

/// Whose automatic variables are mentioned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    NoFunction,
    One(FuncId),
    Several,
}

impl Owner {
    fn of(var: &Var) -> Owner {
        match var.kind {
            // No operation may mention it.
            VarKind::Result(_) | VarKind::Old(_) | VarKind::Bound(_) => Owner::Several,
            kind => kind.function().map_or(Owner::NoFunction, Owner::One),
        }
    }

    fn and(self, other: Owner) -> Owner {
        match (self, other) {
            (Owner::NoFunction, owner) | (owner, Owner::NoFunction) => owner,
            (left, right) if left == right => left,
            _ => Owner::Several,
        }
    }
}

/// Each operation mentions variables of its own function only. Needs the order of [`is_ordered`]: a place is settled right after the
/// largest expression inside it.
pub(super) fn check_owners(program: &Program, report: &mut Report) {
    let depths = depths(program);
    let mut pending: Vec<PlaceId> = program.places.ids().collect();
    pending.sort_by_key(|place| depths[place.index()]);
    let mut pending = pending.into_iter().peekable();
    let mut exprs: Vec<Owner> = Vec::with_capacity(program.exprs.len());
    let mut places = vec![Owner::NoFunction; program.places.len()];
    for step in 0..=program.exprs.len() {
        while let Some(place) = pending.next_if(|place| depths[place.index()] as usize == step) {
            places[place.index()] = match program.places[place].kind {
                PlaceKind::Var(var) => Owner::of(&program.vars[var]),
                PlaceKind::Deref(pointer) => exprs[pointer.index()],
                PlaceKind::Field(base, _) => places[base.index()],
                PlaceKind::Index(base, index) => places[base.index()].and(exprs[index.index()]),
            };
        }
        if step < program.exprs.len() {
            let parts = children(program, Node::Expr(ExprId::from_index(step))).into_iter().flatten();
            let owners = parts.map(|part| match part {
                Node::Expr(operand) => exprs[operand.index()],
                Node::Place(place) => places[place.index()],
            });
            let owner = owners.fold(Owner::NoFunction, Owner::and);
            exprs.push(owner);
        }
    }
    for (id, edge) in program.edges.iter() {
        let function = program.locations[edge.from].function;
        let mut check = |owner: Owner, what: &dyn std::fmt::Display| {
            let own = owner == Owner::NoFunction || owner == Owner::One(function);
            report.require(own, Subject::Edge(id), || format!("{what} mentions a variable of another function"));
        };
        parts(program, &edge.op, |node| match node {
            Node::Expr(expr) => check(exprs[expr.index()], &expr),
            Node::Place(place) => check(places[place.index()], &place),
        });
    }
}
