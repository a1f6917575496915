//! The order in which the operands of one expression are evaluated, and the values they have.
//!
//! C leaves the order of most operands open (C11 6.5p3). Here it is the order of gcc on x86-64, where gcc has one:
//!
//! * operands of an operator, of an index and of an initializer: left to right, elements of an initializer by their position in the object;
//! * a call: the called function first, then the arguments from right to left; an argument of record type is read when the call happens;
//! * `a = b`: `b`, then the place `a`. If `b` is only a call or a read without conversion, then that call or read comes after the place `a`;
//! * `a op= b`: `b` if it has side effects, then the place `a`, then their values.
//!
//! gcc differs where it swaps the operands of a commutative operator or of a comparison because the left one is a plain variable: `g + f()`
//! reads `g` after the call. Here, as with clang, it is read before.
//!
//! A value is a tree over places that is read by the edge that uses it. When an operand that is evaluated in between may change one of these
//! places, the value is taken into a temporary before. What may change is found in the syntax, since the later operand is not lowered yet.

use super::Lower;
use super::expr::Operand;
use super::intrinsic::Intrinsic;
use super::scope::Name;
use crate::c::ast::{self, Ast as Unit, BinaryOp, ExprKind as Ast, InitKind, UnaryOp};
use base::Symbol;
use cfa::{ExprId, ExprKind, PlaceId, PlaceKind, Type, TypeId, VarId, VarKind, library};
use smallvec::SmallVec;

/// What the evaluation of an expression may write.
#[derive(Default)]
pub(super) struct Writes {
    /// Whether anything happens at all: also a call that only reads an input.
    effects: bool,
    /// Objects in memory: everything but locals whose address is never taken.
    memory: bool,
    /// Variables that are assigned by name.
    names: SmallVec<[Symbol; 4]>,
    /// A statement expression: any variable.
    anything: bool,
}

impl Writes {
    fn is_empty(&self) -> bool {
        !self.memory && !self.anything && self.names.is_empty()
    }
}

impl Lower<'_> {
    /// Notes the names whose address the unit takes.
    pub(super) fn note_addressed(&mut self, unit: &Unit) {
        for expr in unit.exprs.values() {
            let Ast::Unary(UnaryOp::Addr, inner) = expr.kind else { continue };
            let mut roots = vec![inner];
            while let Some(root) = roots.pop() {
                match unit.exprs[root].kind {
                    Ast::Name(name) => drop(self.addressed.insert(name)),
                    Ast::Member(base, _) | Ast::Unary(UnaryOp::Real | UnaryOp::Imag, base) => roots.push(base),
                    Ast::Index(left, right) => roots.extend([left, right]),
                    _ => {}
                }
            }
        }
    }

    pub(super) fn has_effects(&mut self, exprs: &[ast::ExprId]) -> bool {
        self.writes(exprs).effects
    }

    /// What evaluating some expressions may write.
    fn writes(&mut self, exprs: &[ast::ExprId]) -> Writes {
        let mut writes = Writes::default();
        let mut pending: SmallVec<[ast::ExprId; 16]> = SmallVec::from_slice(exprs);
        while let Some(expr) = pending.pop() {
            match self.ast.exprs[expr].kind {
                Ast::Assign(_, left, right) => {
                    writes.effects = true;
                    self.note_target(left, &mut writes);
                    pending.extend([left, right]);
                }
                Ast::Unary(op, inner) => {
                    if let UnaryOp::PreInc | UnaryOp::PreDec | UnaryOp::PostInc | UnaryOp::PostDec = op {
                        writes.effects = true;
                        self.note_target(inner, &mut writes);
                    }
                    pending.push(inner);
                }
                Ast::Call(callee, args) => {
                    writes.effects = true;
                    writes.memory |= self.call_may_write(callee);
                    pending.push(callee);
                    pending.extend(self.ast.get(args).iter().copied());
                }
                Ast::Statement(_) | Ast::VaArg(..) => (writes.effects, writes.anything) = (true, true),
                Ast::Index(left, right) | Ast::Binary(_, left, right) => pending.extend([left, right]),
                Ast::Conditional { cond, then, otherwise, .. } => {
                    pending.extend([cond, otherwise]);
                    pending.extend(then);
                }
                Ast::Member(inner, _) | Ast::Arrow(inner, _) | Ast::Cast(_, inner) => pending.push(inner),
                Ast::CompoundLiteral(_, init) => self.initializers(init, &mut pending),
                Ast::Generic(_, associations) => {
                    pending.extend(self.ast.get(associations).iter().map(|association| association.value));
                }
                Ast::Choose(_, then, otherwise) => pending.extend([then, otherwise]),
                // Their operands are not evaluated, except for the length of a variable-length array.
                Ast::SizeofExpr(inner) => pending.push(inner),
                Ast::SizeofType(_) | Ast::AlignofExpr(_) | Ast::AlignofType(_) | Ast::Offsetof(..) => {}
                Ast::Name(_) | Ast::Int(_) | Ast::Float(_) | Ast::Char(..) | Ast::String(_) => {}
                Ast::LabelAddress(_) | Ast::Unsupported(_) | Ast::TypesCompatible(..) | Ast::Error => {}
            }
        }
        writes
    }

    /// The expressions of an initializer.
    fn initializers(&self, init: ast::InitId, out: &mut SmallVec<[ast::ExprId; 16]>) {
        let mut pending = vec![init];
        while let Some(init) = pending.pop() {
            match self.ast.inits[init].kind {
                InitKind::Expr(expr) => out.push(expr),
                InitKind::List(items) => pending.extend(self.ast.get(items).iter().map(|item| item.init)),
            }
        }
    }

    fn note_target(&self, mut target: ast::ExprId, writes: &mut Writes) {
        loop {
            match self.ast.exprs[target].kind {
                Ast::Name(name) => {
                    writes.names.push(name);
                    // Also through a pointer to it.
                    writes.memory |= self.addressed.contains(&name);
                    return;
                }
                Ast::Member(base, _) | Ast::Binary(BinaryOp::Comma, _, base) => target = base,
                Ast::Unary(UnaryOp::Real | UnaryOp::Imag, base) => target = base,
                _ => {
                    writes.memory = true;
                    return;
                }
            }
        }
    }

    /// Whether calling a function may write what the program can see.
    fn call_may_write(&mut self, callee: ast::ExprId) -> bool {
        let Ast::Name(name) = self.ast.exprs[callee].kind else { return true };
        let function = match self.names.ordinary(name) {
            Some(Name::Function(function)) => function,
            _ => return true,
        };
        match self.intrinsic(function) {
            Some(Intrinsic::Overflow(_) | Intrinsic::Atomic(_) | Intrinsic::Poison | Intrinsic::Error) => true,
            Some(Intrinsic::VaStart | Intrinsic::VaEnd | Intrinsic::VaCopy) => true,
            Some(_) => false,
            // The result of a function that is only declared is an input.
            None => self.defined.contains(&name) || library::lookup(self.text(name)).is_some(),
        }
    }

    /// Whether values must be kept at all: where no edges are made nothing can change.
    fn changes_matter(&self) -> bool {
        !self.must_fold() && !self.situation.pure && self.reachable()
    }

    /// A value as it is before some expressions are evaluated.
    pub(super) fn before(&mut self, value: ExprId, next: &[ast::ExprId]) -> ExprId {
        if !self.changes_matter() || matches!(self.program.exprs[value].kind, ExprKind::Const(_)) {
            return value;
        }
        let writes = self.writes(next);
        self.kept(value, &writes)
    }

    /// A place whose address is computed before some expressions are evaluated.
    pub(super) fn place_before(&mut self, place: PlaceId, next: &[ast::ExprId]) -> PlaceId {
        if !self.changes_matter() {
            return place;
        }
        let writes = self.writes(next);
        self.kept_place(place, &writes)
    }

    /// The same for any operand; what it holds is read later.
    pub(super) fn operand_before(&mut self, operand: Operand, next: &[ast::ExprId]) -> Operand {
        match operand {
            Operand::Value(value) => Operand::Value(self.before(value, next)),
            Operand::Place(place) => Operand::Place(self.place_before(place, next)),
            Operand::Vla(mut vla) => {
                vla.pointer = self.before(vla.pointer, next);
                Operand::Vla(vla)
            }
            Operand::Function(_) | Operand::Void => operand,
        }
    }

    /// The value of a place that is chosen before some expressions are evaluated, and read after them.
    pub(super) fn read_before(&mut self, value: ExprId, next: &[ast::ExprId]) -> ExprId {
        let ExprKind::Read(place) = self.program.exprs[value].kind else { return self.before(value, next) };
        let kept = self.place_before(place, next);
        if kept == place { value } else { self.read(kept, self.span_of(value)) }
    }

    /// An argument before other arguments are evaluated: a record is copied when the call happens.
    pub(super) fn argument_before(&mut self, value: ExprId, next: &[ast::ExprId]) -> ExprId {
        match self.is_record(self.expr_type(value)) {
            true => self.read_before(value, next),
            false => self.before(value, next),
        }
    }

    /// A place whose address is computed before a function is called.
    pub(super) fn place_before_call(&mut self, place: PlaceId) -> PlaceId {
        match self.changes_matter() {
            true => self.kept_place(place, &Writes { memory: true, ..Writes::default() }),
            false => place,
        }
    }

    fn kept(&mut self, value: ExprId, writes: &Writes) -> ExprId {
        if writes.is_empty() || !self.may_change(value, writes) {
            return value;
        }
        self.fixed(value, self.span_of(value))
    }

    fn kept_place(&mut self, place: PlaceId, writes: &Writes) -> PlaceId {
        if writes.is_empty() {
            return place;
        }
        let ty = self.place_type(place);
        match self.program.places[place].kind {
            PlaceKind::Var(_) => place,
            PlaceKind::Deref(pointer) => {
                let kept = self.kept(pointer, writes);
                if kept == pointer { place } else { self.place(PlaceKind::Deref(kept), ty) }
            }
            PlaceKind::Field(base, field) => {
                let kept = self.kept_place(base, writes);
                if kept == base { place } else { self.place(PlaceKind::Field(kept, field), ty) }
            }
            PlaceKind::Index(base, index) => {
                let (kept_base, kept) = (self.kept_place(base, writes), self.kept(index, writes));
                if (kept_base, kept) == (base, index) {
                    return place;
                }
                self.place(PlaceKind::Index(kept_base, kept), ty)
            }
        }
    }

    /// Whether writing changes a value.
    fn may_change(&self, value: ExprId, writes: &Writes) -> bool {
        match self.program.exprs[value].kind {
            ExprKind::Const(_) | ExprKind::FuncAddr(_) => false,
            ExprKind::Read(place) => self.contents_may_change(place, writes) || self.place_may_move(place, writes),
            ExprKind::AddrOf(place) => self.place_may_move(place, writes),
            ExprKind::Unary(_, inner) | ExprKind::Cast(inner) => self.may_change(inner, writes),
            ExprKind::Binary(_, left, right)
            | ExprKind::PtrAdd(left, right)
            | ExprKind::PtrSub(left, right)
            | ExprKind::PtrDiff(left, right) => self.may_change(left, writes) || self.may_change(right, writes),
        }
    }

    fn place_may_move(&self, place: PlaceId, writes: &Writes) -> bool {
        match self.program.places[place].kind {
            PlaceKind::Var(_) => false,
            PlaceKind::Deref(pointer) => self.may_change(pointer, writes),
            PlaceKind::Field(base, _) => self.place_may_move(base, writes),
            PlaceKind::Index(base, index) => self.place_may_move(base, writes) || self.may_change(index, writes),
        }
    }

    fn contents_may_change(&self, place: PlaceId, writes: &Writes) -> bool {
        let mut root = place;
        while let PlaceKind::Field(base, _) | PlaceKind::Index(base, _) = self.program.places[root].kind {
            root = base;
        }
        match self.program.places[root].kind {
            PlaceKind::Var(var) => self.variable_may_change(var, writes),
            _ => writes.memory || writes.anything,
        }
    }

    fn variable_may_change(&self, var: VarId, writes: &Writes) -> bool {
        let data = &self.program.vars[var];
        let by_name = writes.anything || writes.names.contains(&data.name);
        match data.kind {
            // No code mentions the names of contracts.
            VarKind::Constant | VarKind::Result(_) | VarKind::Old(_) | VarKind::Bound(_) => false,
            VarKind::Global => by_name || writes.memory,
            VarKind::Temp(_) | VarKind::Vla(_) => writes.memory && data.address_taken,
            VarKind::Param(_) | VarKind::Local(_) => {
                let shared = || self.addressed.contains(&data.name) || self.has_array(data.ty);
                by_name || (writes.memory && shared())
            }
        }
    }

    /// An array gives its address away without `&`.
    pub(super) fn has_array(&self, ty: TypeId) -> bool {
        match self.program.types.get(ty) {
            Type::Array(..) => true,
            Type::Record(record) => {
                self.program.types.records[*record].fields.iter().any(|field| self.has_array(field.ty))
            }
            _ => false,
        }
    }
}
