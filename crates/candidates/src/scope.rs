//! Which loops there are, and which variables matter at their heads. For recursive functions see [`crate::contract`].
//!
//! A *term* is a scalar variable, a member of a structure or an element of an array at a constant index that the text of the loop, of its function or of
//! the functions that the loop calls mentions. What lies behind pointers is no term.

use crate::assigned::Assigned;
use crate::build::Builder;
use crate::effects::{Effects, edges, root};
use crate::liveness::Liveness;
use base::Budget;
use cfa::analysis::recursion::functions_with_address;
use cfa::{Anchor, Callee, EdgeId, ExprId, FuncId, LocId, Op, PlaceId, Program, TypeId, VarId, VarKind, loops};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// Terms of one loop: those that are looked at one by one; relations look at fewer.
const MAX_TERMS: usize = 48;

/// Conditions of one loop.
const MAX_CONDITIONS: usize = 120;

/// A scalar whose value is recorded at a loop head, or when a function is called or returns.
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
    pub recorded: Recorded,
}

/// Which value of a term is recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recorded {
    /// The one that it has there.
    Here,
    /// The one that this expression had when the function was called.
    AtCall(ExprId),
    /// What the function returns.
    Returned,
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

/// What conditions are proposed for, and what matters there.
pub struct ClaimScope {
    pub anchor: Anchor,
    pub function: FuncId,
    /// The most important ones first.
    pub terms: Vec<Term>,
    pub by_place: FxHashMap<PlaceId, usize>,
    /// The values of each term, where the text assigns constants only.
    pub assigned: Vec<Option<Vec<i128>>>,
    /// Conditions of the function, and of the functions that the loop calls; each expression once.
    pub conditions: Vec<Condition>,
    /// Whether a product of two variables occurs in the function or in those that the loop calls.
    pub multiplies: bool,
    /// Integer constants of the function and of those that the loop calls, ascending.
    pub constants: Vec<i128>,
}

impl ClaimScope {
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
    pub targets: BTreeSet<FuncId>,
}

impl Reachable {
    pub fn from(builder: &mut Builder<'_>, entry: FuncId) -> Self {
        let targets = functions_with_address(builder.program()).into_iter().collect();
        let functions = closure(builder.program(), &targets, [entry]);
        let all: Vec<EdgeId> = functions.iter().flat_map(|function| edges(builder.program(), *function)).collect();
        let effects = Effects::of(builder, all);
        Reachable { functions, constants: effects.constants.into_iter().collect(), targets }
    }

    /// Edges of all functions.
    pub fn edges(&self, program: &Program) -> u64 {
        self.functions.iter().map(|function| edges(program, *function).count() as u64).sum()
    }
}

/// The functions with a body that may run when `first` do.
pub fn closure(
    program: &Program,
    targets: &BTreeSet<FuncId>,
    first: impl IntoIterator<Item = FuncId>,
) -> BTreeSet<FuncId> {
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

/// The loops of all reachable functions, in the order of the functions.
pub fn scopes(
    builder: &mut Builder<'_>,
    reachable: &Reachable,
    assigned: &Assigned,
    budget: &Budget,
) -> Vec<ClaimScope> {
    let mut scopes = Vec::new();
    // Many loops call the same functions.
    let mut calls: BTreeMap<Vec<FuncId>, Effects> = BTreeMap::new();
    for function in &reachable.functions {
        let found = loops::loops(builder.program(), *function);
        if found.is_empty() {
            continue;
        }
        let Some(live) = Liveness::of(builder.program(), *function) else { continue };
        let whole_edges = edges(builder.program(), *function);
        let whole = Effects::of(builder, whole_edges);
        for found in found {
            if budget.expired() {
                return scopes;
            }
            let program = builder.program();
            let inside = |location: LocId| found.body.binary_search(&location).is_ok();
            let own = found.body.iter().flat_map(|location| program.successors(*location));
            let own: Vec<EdgeId> = own.filter(|edge| inside(program.edges[*edge].to)).collect();
            let first = own.iter().flat_map(|edge| called(program, &reachable.targets, *edge));
            let first: Vec<FuncId> = first.collect::<BTreeSet<_>>().into_iter().collect();
            if !calls.contains_key(&first) {
                let callees = closure(program, &reachable.targets, first.iter().copied());
                let all: Vec<EdgeId> = callees.iter().flat_map(|callee| edges(program, *callee)).collect();
                calls.insert(first.clone(), Effects::of(builder, all));
            }
            let inside = Effects::of(builder, own);
            let parts = Parts { inside: &inside, below: &calls[&first], whole: &whole };
            scopes.push(scope(builder, *function, &live, found, &parts, assigned));
        }
    }
    scopes
}

/// What the loop itself does, the functions that it calls, and its function.
struct Parts<'e> {
    inside: &'e Effects,
    below: &'e Effects,
    whole: &'e Effects,
}

impl Parts<'_> {
    /// How much a place matters, and whether the loop writes it; `None` if only functions that the loop calls read it.
    fn rank(&self, program: &Program, place: PlaceId) -> Option<(u32, bool)> {
        let written = self.inside.writes(program, place) || self.below.writes(program, place);
        let rank = match written {
            true if self.inside.in_condition.contains(&place) => 0,
            true if self.is_in_condition(place) => 1,
            true if self.inside.mentioned.contains(&place) => 2,
            true => 3,
            false if self.inside.in_condition.contains(&place) => 4,
            false if self.inside.mentioned.contains(&place) => 5,
            false if self.whole.in_condition.contains(&place) => 6,
            false if self.whole.mentioned.contains(&place) => 7,
            false => return None,
        };
        Some((rank, written))
    }

    fn is_in_condition(&self, place: PlaceId) -> bool {
        self.whole.in_condition.contains(&place) || self.below.in_condition.contains(&place)
    }
}

fn scope(
    builder: &mut Builder<'_>,
    function: FuncId,
    live: &Liveness,
    found: loops::Loop,
    parts: &Parts<'_>,
    assigned: &Assigned,
) -> ClaimScope {
    let program = builder.program();
    let visible: FxHashSet<VarId> = program.automatic_at(found.head).into_iter().collect();
    let mut places: Vec<(u32, bool, PlaceId)> = Vec::new();
    let mentioned = parts.whole.mentioned.iter().chain(&parts.below.mentioned);
    for place in mentioned.copied().collect::<BTreeSet<PlaceId>>() {
        let Some(var) = root(program, place) else { continue };
        let is_visible = match program.vars[var].kind {
            VarKind::Global => true,
            VarKind::Local(_) | VarKind::Param(_) => visible.contains(&var),
            VarKind::Constant | VarKind::Temp(_) | VarKind::Vla(_) => false,
            VarKind::Result(_) | VarKind::Old(_) | VarKind::Bound(_) => false,
        };
        let Some((rank, written)) = parts.rank(program, place).filter(|_| is_visible) else { continue };
        // What is not written may be dead and still say what others began with.
        if !written || live.is_live(found.head, var) {
            places.push((rank, written, place));
        }
    }
    places.sort_unstable();
    places.truncate(MAX_TERMS);
    let term = |(_, written, place): (u32, bool, PlaceId)| {
        let in_condition = parts.is_in_condition(place);
        let (read, ty) = (builder.read(place), builder.program().places[place].ty);
        Term { place, read, ty, written, in_condition, recorded: Recorded::Here }
    };
    let terms: Vec<Term> = places.into_iter().map(term).collect();
    ClaimScope {
        anchor: Anchor::Head(found.head),
        function,
        by_place: terms.iter().enumerate().map(|(index, term)| (term.place, index)).collect(),
        assigned: terms.iter().map(|term| assigned.values(builder.program(), term.place)).collect(),
        conditions: conditions(builder.program(), &found, parts),
        multiplies: parts.whole.multiplies || parts.below.multiplies,
        constants: parts.whole.constants.union(&parts.below.constants).copied().collect(),
        terms,
    }
}

fn conditions(program: &Program, found: &loops::Loop, parts: &Parts<'_>) -> Vec<Condition> {
    let mut all = parts.whole.conditions.clone();
    for (expr, role) in &parts.below.conditions {
        all.entry(*expr).or_insert(*role);
    }
    let inside = |location: LocId| found.body.binary_search(&location).is_ok();
    for edge in found.body.iter().flat_map(|location| program.successors(*location)) {
        let edge = &program.edges[edge];
        let Op::Assume { cond, .. } = edge.op else { continue };
        let leaves = program.successors(edge.from).any(|edge| !inside(program.edges[edge].to));
        if let Some(role) = all.get_mut(&cond) {
            *role = if leaves { Role::Exit } else { Role::Inside.min(*role) };
        }
    }
    let mut all: Vec<Condition> = all.into_iter().map(|(expr, role)| Condition { expr, role }).collect();
    all.sort_by_key(|condition| condition.role);
    all.truncate(MAX_CONDITIONS);
    all
}
