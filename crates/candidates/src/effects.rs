//! What a set of edges mentions, writes, compares and computes with. Places are in the builder's form.

use crate::build::Builder;
use crate::scope::Role;
use cfa::walk::{Node, children, parts};
use cfa::{BinOp, Body, Callee, EdgeId, ExprId, ExprKind, FuncId, Op, PlaceId, PlaceKind, Program, UnOp, VarId, eval};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Default)]
pub struct Effects {
    pub mentioned: FxHashSet<PlaceId>,
    pub in_condition: FxHashSet<PlaceId>,
    written: FxHashSet<PlaceId>,
    /// Variables that are written as a whole, or at an index that is no constant.
    written_roots: FxHashSet<VarId>,
    through_pointer: bool,
    /// Integer constants.
    pub constants: BTreeSet<i128>,
    /// Whether there is a product of two integers that are no constants.
    pub multiplies: bool,
    /// Conditions of branches, assumptions and assertions, and arguments of calls that are conditions.
    pub conditions: BTreeMap<ExprId, Role>,
}

impl Effects {
    pub fn of(builder: &mut Builder<'_>, edges: impl IntoIterator<Item = EdgeId>) -> Self {
        let mut effects = Effects::default();
        edges.into_iter().for_each(|edge| effects.add(builder, edge));
        effects
    }

    fn add(&mut self, builder: &mut Builder<'_>, edge: EdgeId) {
        let program = builder.program();
        let op = program.edges[edge].op;
        self.conditions_of(program, &op);
        match op {
            Op::Assign(place, _) | Op::Havoc(place, _) => self.write(builder, place),
            Op::Call { dest, callee, args } => {
                let has_body = match callee {
                    Callee::Direct(function) => matches!(program.functions[function].body, Body::Defined(_)),
                    Callee::Indirect(_) => false,
                };
                // A library function may write what its arguments point to.
                let pointers = |arg: &ExprId| program.types.is_pointer(program.exprs[*arg].ty);
                self.through_pointer |= !has_body && program.call_args(args).iter().any(pointers);
                if let Some(place) = dest {
                    self.write(builder, place);
                }
            }
            Op::Declare(var) | Op::Alloca(var, _) => drop(self.written_roots.insert(var)),
            _ => {}
        }
        let condition = matches!(op, Op::Assume { .. } | Op::Assert { .. } | Op::Call { .. });
        let mut open = Vec::new();
        parts(builder.program(), &op, |node| open.push(node));
        while let Some(node) = open.pop() {
            match node {
                Node::Place(place) => self.mention(builder, place, condition),
                Node::Expr(expr) => self.compute(builder.program(), expr),
            }
            open.extend(children(builder.program(), node).into_iter().flatten());
        }
    }

    fn mention(&mut self, builder: &mut Builder<'_>, place: PlaceId, condition: bool) {
        let scalar = builder.program().types.is_scalar(builder.program().places[place].ty);
        let Some(place) = builder.place(place).filter(|_| scalar) else { return };
        self.mentioned.insert(place);
        if condition {
            self.in_condition.insert(place);
        }
    }

    fn compute(&mut self, program: &Program, expr: ExprId) {
        let is_integer = |expr: ExprId| program.exprs[expr].ty.int_kind().is_some();
        match program.exprs[expr].kind {
            ExprKind::Const(bits) if is_integer(expr) => {
                self.constants.insert(eval::to_i128(&program.types, program.exprs[expr].ty, bits));
            }
            ExprKind::Binary(BinOp::Mul, left, right) => {
                let constant = program.constant(left).or(program.constant(right));
                self.multiplies |= constant.is_none() && is_integer(left);
            }
            _ => {}
        }
    }

    fn conditions_of(&mut self, program: &Program, op: &Op) {
        let mut add = |expr: ExprId, role: Role| {
            if program.constant(expr).is_none() {
                let old = self.conditions.entry(expr).or_insert(role);
                *old = role.min(*old);
            }
        };
        match *op {
            Op::Assume { cond, .. } => add(cond, Role::Outside),
            Op::Assert { cond, .. } => add(cond, Role::Assertion),
            Op::Call { args, .. } => {
                let is_condition = |arg: &&ExprId| match program.exprs[**arg].kind {
                    ExprKind::Binary(op, ..) => op.is_comparison(),
                    ExprKind::Unary(op, _) => op == UnOp::Not,
                    _ => false,
                };
                program.call_args(args).iter().filter(is_condition).for_each(|arg| add(*arg, Role::Assertion));
            }
            _ => {}
        }
    }

    fn write(&mut self, builder: &mut Builder<'_>, place: PlaceId) {
        let program = builder.program();
        let scalar = program.types.is_scalar(program.places[place].ty);
        let Some(root) = root(program, place) else {
            self.through_pointer = true;
            return;
        };
        let in_union = is_in_union(program, place);
        match builder.place(place).filter(|_| scalar && !in_union) {
            Some(place) => drop(self.written.insert(place)),
            None => drop(self.written_roots.insert(root)),
        }
    }

    pub fn writes(&self, program: &Program, place: PlaceId) -> bool {
        let Some(root) = root(program, place) else { return true };
        self.written.contains(&place)
            || self.written_roots.contains(&root)
            || self.through_pointer && program.vars[root].address_taken
    }
}

pub fn edges(program: &Program, function: FuncId) -> impl Iterator<Item = EdgeId> + use<> {
    program.automaton(function).map(|automaton| automaton.edges.clone()).unwrap_or_default().map(EdgeId)
}

/// The variable that a place is (a part of); `None` behind a pointer.
pub fn root(program: &Program, mut place: PlaceId) -> Option<VarId> {
    loop {
        match program.places[place].kind {
            PlaceKind::Var(var) => return Some(var),
            PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => place = base,
            PlaceKind::Deref(_) => return None,
        }
    }
}

/// A member of a union is written together with the others.
pub fn is_in_union(program: &Program, mut place: PlaceId) -> bool {
    loop {
        match program.places[place].kind {
            PlaceKind::Var(_) | PlaceKind::Deref(_) => return false,
            PlaceKind::Index(base, _) => place = base,
            PlaceKind::Field(base, _) => {
                if let cfa::Type::Record(record) = program.types.get(program.places[base].ty)
                    && program.types.records[*record].kind == cfa::types::RecordKind::Union
                {
                    return true;
                }
                place = base;
            }
        }
    }
}
