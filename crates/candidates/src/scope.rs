//! Which loops there are, and which variables matter at their heads.
//!
//! A *term* is a scalar variable, a member of a structure or an element of an array at a constant index that the text of the loop, of its function or of
//! the functions that the loop calls mentions. What lies behind pointers is no term.

use crate::assigned::Assigned;
use crate::build::Builder;
use crate::liveness::Liveness;
use cfa::walk::{Node, children, parts};
use cfa::{
    BinOp, Body, Callee, EdgeId, ExprId, ExprKind, FuncId, Init, LocId, Op, PlaceId, PlaceKind, Program,
    RelocationTarget, TypeId, VarId, VarKind, eval, loops,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// Terms of one loop: those that are looked at one by one; relations look at fewer.
const MAX_TERMS: usize = 48;

/// Conditions of one loop.
const MAX_CONDITIONS: usize = 120;

/// A scalar whose value is recorded at a loop head.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Term {
    pub place: PlaceId,
    /// Reads the place.
    pub read: ExprId,
    pub ty: TypeId,
    /// Whether the loop, or a function that it calls, may write it.
    pub written: bool,
    /// Whether a condition of the function mentions it.
    pub in_condition: bool,
}

/// A condition of the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Condition {
    pub expr: ExprId,
    pub role: Role,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Role {
    /// Decides whether the loop goes on: one branch leaves the loop, the other one does not.
    Exit,
    /// Of an assertion, or an argument of a call, as `__VERIFIER_assert` has it.
    Assertion,
    /// Another branch or assumption in the loop.
    Inside,
    /// Elsewhere.
    Outside,
}

/// A loop and what matters there.
pub struct LoopScope {
    pub head: LocId,
    pub function: FuncId,
    /// The most important ones first.
    pub terms: Vec<Term>,
    by_place: FxHashMap<PlaceId, usize>,
    /// The values of each term, where the text assigns constants only.
    pub assigned: Vec<Option<Vec<i128>>>,
    /// Conditions of the function, and of the functions that the loop calls; each expression once.
    pub conditions: Vec<Condition>,
    /// Whether a product of two variables occurs in the function or in those that the loop calls.
    pub multiplies: bool,
    /// Integer constants of the function and of those that the loop calls, ascending.
    pub constants: Vec<i128>,
}

impl LoopScope {
    /// The index of the term that a place, in the builder's form, is.
    pub fn term_of(&self, place: PlaceId) -> Option<usize> {
        self.by_place.get(&place).copied()
    }
}

/// The functions that may run, and the integer constants of their text.
pub struct Reachable {
    /// Functions with a body.
    pub functions: BTreeSet<FuncId>,
    pub constants: Vec<i128>,
    /// What a call through a pointer may call.
    targets: BTreeSet<FuncId>,
}

impl Reachable {
    pub fn from(program: &Program, entry: FuncId) -> Self {
        let targets = functions_with_address(program);
        let functions = closure(program, &targets, [entry]);
        let mut numbers = Numbers::default();
        for function in &functions {
            edges(program, *function).for_each(|edge| numbers.add(program, edge));
        }
        Reachable { functions, constants: numbers.constants.into_iter().collect(), targets }
    }

    /// Edges of all functions.
    pub fn edges(&self, program: &Program) -> u64 {
        self.functions.iter().map(|function| edges(program, *function).count() as u64).sum()
    }
}

pub fn edges(program: &Program, function: FuncId) -> impl Iterator<Item = EdgeId> + use<> {
    program.automaton(function).map(|automaton| automaton.edges.clone()).unwrap_or_default().map(EdgeId)
}

fn functions_with_address(program: &Program) -> BTreeSet<FuncId> {
    let in_exprs = program.exprs.iter().filter_map(|(_, expr)| match expr.kind {
        ExprKind::FuncAddr(function) => Some(function),
        _ => None,
    });
    let in_objects = program.vars.iter().flat_map(|(_, var)| match &var.init {
        Init::Static(init) => init.relocations.as_slice(),
        _ => &[],
    });
    let in_objects = in_objects.filter_map(|relocation| match relocation.target {
        RelocationTarget::Function(function) => Some(function),
        RelocationTarget::Var(_) => None,
    });
    in_exprs.chain(in_objects).filter(|function| program.automaton(*function).is_some()).collect()
}

/// The functions with a body that may run when `first` do.
fn closure(program: &Program, targets: &BTreeSet<FuncId>, first: impl IntoIterator<Item = FuncId>) -> BTreeSet<FuncId> {
    let mut open: Vec<FuncId> = first.into_iter().collect();
    let mut found = BTreeSet::new();
    while let Some(function) = open.pop() {
        if program.automaton(function).is_none() || !found.insert(function) {
            continue;
        }
        edges(program, function).for_each(|edge| open.extend(called(program, targets, edge)));
    }
    found
}

fn called(program: &Program, targets: &BTreeSet<FuncId>, edge: EdgeId) -> Vec<FuncId> {
    match program.edges[edge].op {
        Op::Call { callee: Callee::Direct(function), .. } => vec![function],
        Op::Call { callee: Callee::Indirect(_), .. } => targets.iter().copied().collect(),
        _ => Vec::new(),
    }
}

/// The arithmetic of the text.
#[derive(Default)]
struct Numbers {
    constants: BTreeSet<i128>,
    multiplies: bool,
}

impl Numbers {
    fn add(&mut self, program: &Program, edge: EdgeId) {
        let mut open = Vec::new();
        parts(program, &program.edges[edge].op, |node| open.push(node));
        while let Some(node) = open.pop() {
            if let Node::Expr(expr) = node {
                match program.exprs[expr].kind {
                    ExprKind::Const(bits) if program.exprs[expr].ty.int_kind().is_some() => {
                        self.constants.insert(eval::to_i128(&program.types, program.exprs[expr].ty, bits));
                    }
                    ExprKind::Binary(BinOp::Mul, left, right) => {
                        let constant = program.constant(left).or(program.constant(right));
                        self.multiplies |= constant.is_none() && program.exprs[left].ty.int_kind().is_some();
                    }
                    _ => {}
                }
            }
            open.extend(children(program, node).into_iter().flatten());
        }
    }
}

/// What a set of edges mentions and writes. Places are in the builder's form.
#[derive(Default)]
struct Effects {
    mentioned: FxHashSet<PlaceId>,
    in_condition: FxHashSet<PlaceId>,
    written: FxHashSet<PlaceId>,
    /// Variables that are written as a whole, or at an index that is no constant.
    written_roots: FxHashSet<VarId>,
    through_pointer: bool,
}

impl Effects {
    fn add(&mut self, builder: &mut Builder<'_>, edge: EdgeId) {
        let program = builder.program();
        let op = program.edges[edge].op;
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
        let condition = matches!(op, Op::Assume { .. } | Op::Assert { .. }) || matches!(op, Op::Call { .. });
        let mut open = Vec::new();
        parts(builder.program(), &op, |node| open.push(node));
        while let Some(node) = open.pop() {
            if let Node::Place(place) = node
                && builder.program().types.is_scalar(builder.program().places[place].ty)
                && let Some(place) = builder.place(place)
            {
                self.mentioned.insert(place);
                if condition {
                    self.in_condition.insert(place);
                }
            }
            open.extend(children(builder.program(), node).into_iter().flatten());
        }
    }

    fn write(&mut self, builder: &mut Builder<'_>, place: PlaceId) {
        let program = builder.program();
        let scalar = program.types.is_scalar(program.places[place].ty);
        let Some(root) = root(program, place) else {
            self.through_pointer = true;
            return;
        };
        let in_union = |program: &Program| is_in_union(program, place);
        match builder.place(place).filter(|_| scalar && !in_union(builder.program())) {
            Some(place) => drop(self.written.insert(place)),
            None => drop(self.written_roots.insert(root)),
        }
    }

    fn writes(&self, program: &Program, place: PlaceId) -> bool {
        let Some(root) = root(program, place) else { return true };
        self.written.contains(&place)
            || self.written_roots.contains(&root)
            || self.through_pointer && program.vars[root].address_taken
    }
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

/// The loops of all reachable functions, in the order of the functions.
pub fn scopes(builder: &mut Builder<'_>, reachable: &Reachable, assigned: &Assigned) -> Vec<LoopScope> {
    let mut scopes = Vec::new();
    let mut calls: BTreeMap<Vec<FuncId>, BTreeSet<FuncId>> = BTreeMap::new();
    for function in &reachable.functions {
        let found = loops::loops(builder.program(), *function);
        if found.is_empty() {
            continue;
        }
        let Some(live) = Liveness::of(builder.program(), *function) else { continue };
        let mut whole = Effects::default();
        edges(builder.program(), *function).for_each(|edge| whole.add(builder, edge));
        for found in found {
            let body: FxHashSet<LocId> = found.body.iter().copied().collect();
            let program = builder.program();
            let inside = |edge: &EdgeId| {
                let edge = &program.edges[*edge];
                body.contains(&edge.from) && body.contains(&edge.to)
            };
            let own: Vec<EdgeId> = edges(program, *function).filter(inside).collect();
            let mut first: Vec<FuncId> =
                own.iter().flat_map(|edge| called(program, &reachable.targets, *edge)).collect();
            first.sort_unstable();
            first.dedup();
            let callees =
                calls.entry(first.clone()).or_insert_with(|| closure(program, &reachable.targets, first)).clone();
            let mut scope = scope(builder, (*function, &live), found, &own, &callees, &whole);
            let values = |term: &Term| assigned.values(builder.program(), term.place);
            scope.assigned = scope.terms.iter().map(values).collect();
            scopes.push(scope);
        }
    }
    scopes
}

fn scope(
    builder: &mut Builder<'_>,
    (function, live): (FuncId, &Liveness),
    found: loops::Loop,
    own: &[EdgeId],
    callees: &BTreeSet<FuncId>,
    whole: &Effects,
) -> LoopScope {
    let (mut inside, mut below) = (Effects::default(), Effects::default());
    own.iter().for_each(|edge| inside.add(builder, *edge));
    let mut numbers = Numbers::default();
    edges(builder.program(), function).for_each(|edge| numbers.add(builder.program(), edge));
    for callee in callees {
        for edge in edges(builder.program(), *callee) {
            below.add(builder, edge);
            numbers.add(builder.program(), edge);
        }
    }
    let program = builder.program();
    let visible: FxHashSet<VarId> = program.automatic_at(found.head).into_iter().collect();
    let is_visible = |place: &PlaceId| match root(program, *place).map(|var| (var, program.vars[var].kind)) {
        Some((_, VarKind::Global)) => true,
        Some((var, VarKind::Local(_) | VarKind::Param(_))) => visible.contains(&var),
        _ => false,
    };
    let mut places: Vec<(u32, PlaceId)> = Vec::new();
    let mentioned: BTreeSet<PlaceId> =
        inside.mentioned.iter().chain(&whole.mentioned).chain(&below.mentioned).copied().collect();
    for place in mentioned.into_iter().filter(is_visible) {
        let written = inside.writes(program, place) || below.writes(program, place);
        // What is not written may be dead and still say what others began with.
        if written && root(program, place).is_some_and(|var| !live.is_live(found.head, var)) {
            continue;
        }
        let rank = match written {
            true if inside.in_condition.contains(&place) => 0,
            true if whole.in_condition.contains(&place) => 1,
            true if inside.mentioned.contains(&place) => 2,
            true => 3,
            false if inside.in_condition.contains(&place) => 4,
            false if inside.mentioned.contains(&place) => 5,
            false if whole.in_condition.contains(&place) => 6,
            false if whole.mentioned.contains(&place) => 7,
            // Only functions that the loop calls read it.
            false => continue,
        };
        places.push((rank, place));
    }
    places.sort_unstable();
    places.truncate(MAX_TERMS);
    let terms: Vec<Term> = places
        .into_iter()
        .map(|(rank, place)| {
            let in_condition = whole.in_condition.contains(&place);
            Term {
                place,
                read: builder.read(place),
                ty: builder.program().places[place].ty,
                written: rank < 4,
                in_condition,
            }
        })
        .collect();
    let by_place = terms.iter().enumerate().map(|(index, term)| (term.place, index)).collect();
    let conditions = conditions(builder.program(), &found, function, callees);
    LoopScope {
        head: found.head,
        function,
        terms,
        by_place,
        assigned: Vec::new(),
        conditions,
        multiplies: numbers.multiplies,
        constants: numbers.constants.into_iter().collect(),
    }
}

fn conditions(program: &Program, found: &loops::Loop, function: FuncId, callees: &BTreeSet<FuncId>) -> Vec<Condition> {
    let inside = |location: LocId| found.body.binary_search(&location).is_ok();
    let mut all: BTreeMap<ExprId, Role> = BTreeMap::new();
    for edge in [function].iter().chain(callees).flat_map(|function| edges(program, *function)) {
        let edge = &program.edges[edge];
        let mut add = |expr: ExprId, role: Role| {
            let old = all.entry(expr).or_insert(role);
            *old = role.min(*old);
        };
        match edge.op {
            Op::Assume { cond, .. } => {
                let leaves = program.successors(edge.from).any(|edge| !inside(program.edges[edge].to));
                let role = match inside(edge.from) {
                    true if leaves => Role::Exit,
                    true => Role::Inside,
                    false => Role::Outside,
                };
                add(cond, role);
            }
            Op::Assert { cond, .. } => add(cond, Role::Assertion),
            Op::Call { args, .. } => {
                let is_condition = |arg: &&ExprId| match program.exprs[**arg].kind {
                    ExprKind::Binary(op, ..) => op.is_comparison(),
                    ExprKind::Unary(op, _) => op == cfa::UnOp::Not,
                    _ => false,
                };
                program.call_args(args).iter().filter(is_condition).for_each(|arg| add(*arg, Role::Assertion));
            }
            _ => {}
        }
    }
    let mut all: Vec<Condition> = all.into_iter().map(|(expr, role)| Condition { expr, role }).collect();
    all.retain(|condition| program.constant(condition.expr).is_none());
    all.sort_by_key(|condition| condition.role);
    all.truncate(MAX_CONDITIONS);
    all
}
