//! What holds for all elements of an array up to a variable, or up to a bound: what the text writes into an element, and what it compares elements with.
//! `a[i] = e(i)` in a loop over `i` gives `for all k: k < 0 | k >= i | a[k] == e(k)`. Elements are not recorded, so nothing tells which are wrong.

use super::Context;
use crate::build::Builder;
use crate::effects::edges;
use crate::scope::Role;
use cfa::walk::{Node, children};
use cfa::{BinOp, ExprId, ExprKind, FuncId, Op, PlaceId, PlaceKind, Program, Type, TypeId, UnOp, VarId, VarKind};
use rustc_hash::FxHashSet;

/// Facts about elements, exceptions from them, and bounds of indices that are used.
const MAX_FACTS: usize = 12;
const MAX_EXCEPTIONS: usize = 4;
const MAX_BOUNDS: usize = 6;
const MAX_CANDIDATES: usize = 100;
/// Elements of arrays that nothing is said about all of.
const SHORT: u64 = 64;
/// Deeper expressions are refused.
const MAX_DEPTH: u32 = 16;

/// What the text says about the elements that a variable is the index of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Claim {
    /// A condition, or its negation.
    Condition { expr: ExprId, negated: bool },
    /// A value was written to a place.
    Written { place: PlaceId, value: ExprId },
}

pub fn propose(context: &mut Context<'_, '_>) {
    let Some(head) = context.scope.anchor.head() else { return };
    let program = context.builder.program();
    let texts = Texts::of(program, context);
    let visible = program.automatic_at(head).into_iter().collect();
    // What the loop does not write is a bound only if it is compared with an index.
    let written = |var: VarId| {
        let terms = context.scope.terms.iter();
        terms.filter(|term| term.written).any(|term| program.places[term.place].kind == PlaceKind::Var(var))
    };
    let counters: Vec<VarId> = texts.counters.iter().copied().filter(|counter| written(*counter)).collect();
    let mut types: Vec<TypeId> = texts.facts.iter().map(|(_, counter)| program.vars[*counter].ty).collect();
    types.sort_unstable();
    types.dedup();
    let before = context.count();
    for ty in types {
        let index = bound_read(context.builder, ty);
        let mut bind = |claims: &[(Claim, VarId)], most: usize| {
            let mut found: Vec<ExprId> = Vec::new();
            for (claim, counter) in claims {
                if context.builder.program().vars[*counter].ty != ty {
                    continue;
                }
                let mut rebuild = Rebuild { builder: context.builder, visible: &visible, bound: Some(*counter), index };
                let bound = rebuild.claim(*claim).filter(|bound| !found.contains(bound));
                found.extend(bound);
            }
            found.truncate(most);
            found
        };
        let (facts, exceptions) = (bind(&texts.facts, MAX_FACTS), bind(&texts.exceptions, MAX_EXCEPTIONS));
        let mut bounds: Vec<ExprId> = Vec::new();
        for counter in &counters {
            let place = context.builder.variable(*counter);
            bounds.push(context.builder.read(place));
        }
        for bound in &texts.bounds {
            let mut rebuild = Rebuild { builder: context.builder, visible: &visible, bound: None, index };
            let bound = rebuild.expr(*bound, 0).filter(|bound| !bounds.contains(bound));
            bounds.extend(bound);
        }
        bounds.truncate(MAX_BOUNDS);
        // Exceptions come last: they are rare.
        for exception in std::iter::once(None).chain(exceptions.into_iter().map(Some)) {
            for (fact, bound) in facts.iter().flat_map(|fact| bounds.iter().map(move |bound| (*fact, *bound))) {
                if context.count() - before < MAX_CANDIDATES {
                    up_to(context, index, bound, exception, fact);
                }
            }
        }
    }
}

/// `k < 0 | k >= bound | exception | fact`.
fn up_to(context: &mut Context<'_, '_>, index: ExprId, bound: ExprId, exception: Option<ExprId>, fact: ExprId) {
    let builder = &mut *context.builder;
    let mut parts = Vec::new();
    if builder.program().types.is_signed(builder.ty(index)) {
        parts.push(builder.compare_constant(BinOp::Lt, index, 0));
    }
    parts.push(builder.compare(BinOp::Ge, index, bound));
    parts.extend(exception);
    parts.push(fact);
    if let Some(any) = builder.any(&parts) {
        context.push(any);
    }
}

/// Reads the variable over all values of a type.
fn bound_read(builder: &mut Builder<'_>, ty: TypeId) -> ExprId {
    let place = builder.bound_variable(ty);
    builder.read(place)
}

/// What the text of a function says about elements of arrays, each with the variable that is the index.
#[derive(Default)]
struct Texts {
    facts: Vec<(Claim, VarId)>,
    /// Conditions on the indices.
    exceptions: Vec<(Claim, VarId)>,
    /// Variables that are indices.
    counters: Vec<VarId>,
    /// What they are compared with.
    bounds: Vec<ExprId>,
}

impl Texts {
    fn of(program: &Program, context: &Context<'_, '_>) -> Texts {
        let function = context.scope.function;
        let stepped = stepped(program, function);
        let mut texts = Texts::default();
        // What is asserted comes first, then what is written.
        let conditions = &context.scope.conditions;
        for condition in conditions.iter().filter(|one| one.role == Role::Assertion) {
            texts.condition(program, &stepped, condition.expr, &[false]);
        }
        for edge in edges(program, function) {
            if let Op::Assign(place, value) = program.edges[edge].op {
                let counters = texts.note(program, &stepped, Node::Place(place));
                texts.note(program, &stepped, Node::Expr(value));
                if program.places[place].ty.int_kind().is_some() {
                    let written = Claim::Written { place, value };
                    texts.facts.extend(counters.into_iter().map(|counter| (written, counter)));
                }
            }
        }
        for condition in conditions.iter().filter(|one| one.role != Role::Assertion) {
            texts.condition(program, &stepped, condition.expr, &[false, true]);
        }
        for condition in conditions {
            texts.comparison(program, &stepped, condition.expr);
        }
        texts
    }

    /// The variables that are indices in a node.
    fn note(&mut self, program: &Program, stepped: &FxHashSet<VarId>, node: Node) -> Vec<VarId> {
        let found = indices(program, stepped, node);
        for counter in &found {
            if !self.counters.contains(counter) {
                self.counters.push(*counter);
            }
        }
        found
    }

    fn condition(&mut self, program: &Program, stepped: &FxHashSet<VarId>, expr: ExprId, ways: &[bool]) {
        for counter in self.note(program, stepped, Node::Expr(expr)) {
            let claims = ways.iter().map(|negated| (Claim::Condition { expr, negated: *negated }, counter));
            self.facts.extend(claims.filter(|_| is_truth(program, expr)));
        }
    }

    /// A comparison of an index with something else than an element.
    fn comparison(&mut self, program: &Program, stepped: &FxHashSet<VarId>, expr: ExprId) {
        let ExprKind::Binary(op, left, right) = program.exprs[expr].kind else { return };
        if !op.is_comparison() || !indices(program, stepped, Node::Expr(expr)).is_empty() {
            return;
        }
        for (side, other) in [(left, right), (right, left)] {
            let Some(counter) = variable(program, side).filter(|var| self.counters.contains(var)) else { continue };
            self.bounds.push(other);
            if matches!(op, BinOp::Eq | BinOp::Ne) {
                let claims = [false, true].map(|negated| (Claim::Condition { expr, negated }, counter));
                self.exceptions.extend(claims);
            }
        }
    }
}

/// Whether an expression is 0 or 1.
fn is_truth(program: &Program, expr: ExprId) -> bool {
    match program.exprs[expr].kind {
        ExprKind::Binary(op, ..) => op.is_comparison(),
        ExprKind::Unary(op, _) => op == UnOp::Not,
        _ => false,
    }
}

/// The variable that an expression reads, converted or not.
fn variable(program: &Program, mut expr: ExprId) -> Option<VarId> {
    while let ExprKind::Cast(inner) = program.exprs[expr].kind {
        expr = inner;
    }
    let ExprKind::Read(place) = program.exprs[expr].kind else { return None };
    let PlaceKind::Var(var) = program.places[place].kind else { return None };
    program.vars[var].ty.int_kind().map(|_| var)
}

/// Variables to which the function adds a constant somewhere.
fn stepped(program: &Program, function: FuncId) -> FxHashSet<VarId> {
    let mut found = FxHashSet::default();
    for edge in edges(program, function) {
        let Op::Assign(place, mut value) = program.edges[edge].op else { continue };
        let PlaceKind::Var(var) = program.places[place].kind else { continue };
        while let ExprKind::Cast(inner) = program.exprs[value].kind {
            value = inner;
        }
        if let ExprKind::Binary(BinOp::Add | BinOp::Sub, left, right) = program.exprs[value].kind
            && variable(program, left) == Some(var)
            && program.constant(right).is_some()
        {
            found.insert(var);
        }
    }
    found
}

/// The stepped variables in the indices of elements that a node mentions.
fn indices(program: &Program, stepped: &FxHashSet<VarId>, node: Node) -> Vec<VarId> {
    let mut found = Vec::new();
    let mut open = vec![(node, false)];
    while let Some((node, inside)) = open.pop() {
        let mut below = [inside; 2];
        match node {
            Node::Expr(expr) => match program.exprs[expr].kind {
                ExprKind::Read(place) if inside => {
                    if let PlaceKind::Var(var) = program.places[place].kind
                        && stepped.contains(&var)
                        && !found.contains(&var)
                    {
                        found.push(var);
                    }
                }
                ExprKind::PtrAdd(..) | ExprKind::PtrSub(..) => below[1] = true,
                _ => {}
            },
            Node::Place(place) => {
                if let PlaceKind::Index(base, _) = program.places[place].kind
                    && !is_short(program, base)
                {
                    below[1] = true;
                }
            }
        }
        let parts = children(program, node).into_iter().zip(below);
        open.extend(parts.filter_map(|(part, inside)| Some((part?, inside))));
    }
    found
}

/// Whether an array has so few elements that loops over it are unwound.
fn is_short(program: &Program, array: PlaceId) -> bool {
    matches!(*program.types.get(program.places[array].ty), Type::Array(_, Some(length)) if length <= SHORT)
}

fn is_visible(program: &Program, visible: &FxHashSet<VarId>, var: VarId) -> bool {
    match program.vars[var].kind {
        VarKind::Global | VarKind::Constant => true,
        VarKind::Local(_) | VarKind::Param(_) | VarKind::Vla(_) => visible.contains(&var),
        VarKind::Temp(_) | VarKind::Result(_) | VarKind::Old(_) | VarKind::Bound(_) => false,
    }
}

/// Builds expressions of the text again, with the variable over all values in place of an index. Signed arithmetic wraps around.
struct Rebuild<'r, 'p> {
    builder: &'r mut Builder<'p>,
    visible: &'r FxHashSet<VarId>,
    /// The variable that is replaced.
    bound: Option<VarId>,
    index: ExprId,
}

impl Rebuild<'_, '_> {
    fn claim(&mut self, claim: Claim) -> Option<ExprId> {
        match claim {
            Claim::Condition { expr, negated } => {
                let expr = self.expr(expr, 0)?;
                Some(match negated {
                    true => self.builder.expr(ExprKind::Unary(UnOp::Not, expr), TypeId::INT),
                    false => expr,
                })
            }
            Claim::Written { place, value } => {
                let place = self.place(place, 0)?;
                let element = self.builder.read(place);
                let value = self.expr(value, 0)?;
                (self.builder.ty(element) == self.builder.ty(value))
                    .then(|| self.builder.binary(BinOp::Eq, element, value))
            }
        }
    }

    fn expr(&mut self, expr: ExprId, depth: u32) -> Option<ExprId> {
        if depth > MAX_DEPTH {
            return None;
        }
        let program = self.builder.program();
        let cfa::Expr { kind, ty, .. } = program.exprs[expr];
        let wraps = program.types.is_signed(ty) && ty.int_kind().is_some();
        match kind {
            ExprKind::Const(bits) => Some(self.builder.bits(ty, bits)),
            ExprKind::Read(place) => match program.places[place].kind {
                PlaceKind::Var(var) if self.bound == Some(var) => Some(self.index),
                _ => {
                    let place = self.place(place, depth + 1)?;
                    Some(self.builder.read(place))
                }
            },
            ExprKind::AddrOf(place) => {
                let place = self.place(place, depth + 1)?;
                Some(self.builder.expr(ExprKind::AddrOf(place), ty))
            }
            ExprKind::FuncAddr(_) => None,
            ExprKind::Cast(inner) => {
                let inner = self.expr(inner, depth + 1)?;
                Some(self.builder.cast(inner, ty))
            }
            ExprKind::Unary(op, inner) => {
                let inner = self.expr(inner, depth + 1)?;
                Some(self.builder.expr(ExprKind::Unary(op, inner), ty))
            }
            ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), left, right) if wraps => {
                let unsigned = TypeId::int(ty.int_kind()?.to_unsigned());
                let (left, right) = (self.expr(left, depth + 1)?, self.expr(right, depth + 1)?);
                let (left, right) = (self.builder.cast(left, unsigned), self.builder.cast(right, unsigned));
                let value = self.builder.binary(op, left, right);
                Some(self.builder.cast(value, ty))
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.expr(left, depth + 1)?, self.expr(right, depth + 1)?);
                Some(self.builder.expr(ExprKind::Binary(op, left, right), ty))
            }
            ExprKind::PtrAdd(pointer, amount) => {
                let (pointer, amount) = (self.expr(pointer, depth + 1)?, self.expr(amount, depth + 1)?);
                Some(self.builder.expr(ExprKind::PtrAdd(pointer, amount), ty))
            }
            ExprKind::PtrSub(..) | ExprKind::PtrDiff(..) => None,
        }
    }

    fn place(&mut self, place: PlaceId, depth: u32) -> Option<PlaceId> {
        if depth > MAX_DEPTH {
            return None;
        }
        let cfa::Place { kind, ty } = self.builder.program().places[place];
        match kind {
            PlaceKind::Var(var) if self.bound == Some(var) => None,
            PlaceKind::Var(var) => {
                is_visible(self.builder.program(), self.visible, var).then(|| self.builder.variable(var))
            }
            PlaceKind::Field(base, number) => {
                let base = self.place(base, depth + 1)?;
                Some(self.builder.field(base, number, ty))
            }
            PlaceKind::Index(base, index) => {
                let (base, index) = (self.place(base, depth + 1)?, self.expr(index, depth + 1)?);
                Some(self.builder.element(base, index, ty))
            }
            PlaceKind::Deref(pointer) => {
                let pointer = self.expr(pointer, depth + 1)?;
                Some(self.builder.behind(pointer, ty))
            }
        }
    }
}
