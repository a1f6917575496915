//! Predicates that may be causes: they hold in the failing run and, but for relations of inputs, not in the closest passing one. Relations between
//! two values of the run that the program relates or that are inputs of the same kind, between a value and a constant that it is compared with, and the
//! conditions of branches; inputs first.

use super::CauseOptions;
use super::distance::{self, Point};
use super::related::Related;
use crate::assertion_edge::assertion_edge;
use crate::localize::lines::is_named;
use crate::unrolled::Unrolled;
use cfa::walk::{self, Node};
use cfa::{BinOp, ExprKind, Op, PlaceKind, Program, Type, TypeId, VarId, eval};
use evidence::{Operand, Predicate, Relation, Seen, Subject, ValueOf};
use logic::{Model, TermId, TermPool};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

pub struct CauseCandidate {
    pub predicate: Predicate,
    pub term: TermId,
    /// Whether it holds in the closest passing run too.
    pub stays: bool,
    /// The fewer, the easier to understand.
    pub rank: u8,
}

/// A value of the failing run that can be compared.
struct Comparable {
    value: ValueOf,
    ty: TypeId,
    guard: TermId,
    term: TermId,
    failing: i128,
    changed: bool,
    is_input: bool,
    /// What the violated assertion is about: that it does not hold is no cause.
    is_asserted: bool,
}

/// More values are not compared with each other, more constants not with values.
const MAX_VALUES: usize = 200;
const MAX_CONSTANTS: usize = 40;

/// The most promising first.
pub fn candidates(
    unrolled: &mut Unrolled<'_, '_>,
    points: &[Point],
    passing: &Model,
    roots: &[TermId],
    options: CauseOptions<'_>,
) -> Vec<CauseCandidate> {
    let program = unrolled.failure.task.program;
    let values = values(unrolled, points, passing, options);
    // A number that the program writes down is the same term wherever it stands.
    let terms = values.iter().map(|value| value.term).filter(|term| !unrolled.encoder.pool.is_const(*term)).collect();
    let parts = points.iter().filter_map(|point| point.event.value.map(|(_, term)| term));
    let related = Related::of(&unrolled.encoder.pool, &terms, parts.chain(roots.iter().copied()));
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for (j, second) in values.iter().enumerate() {
        let first = values[..j].iter().enumerate();
        let matters = |one: &Comparable| one.changed || (one.is_input && second.is_input);
        let related = |first: &Comparable| are_alike(first, second) || related.are(first.term, second.term);
        let comparable = |first: &Comparable| {
            let both_asserted = first.is_asserted && second.is_asserted;
            first.ty == second.ty && (matters(first) || second.changed) && !both_asserted && related(first)
        };
        pairs.extend(first.filter(|(_, first)| comparable(first)).map(|(i, _)| (i, j)));
    }
    pairs.sort_by_key(|(i, j)| !values[*i].is_input as u8 + !values[*j].is_input as u8);
    let mut found = Vec::new();
    let pool = &mut unrolled.encoder.pool;
    let add = |predicate: Predicate, term: TermId, rank: u8, pool: &TermPool, found: &mut Vec<CauseCandidate>| {
        let stays = passing.bool(pool, term);
        if !stays || rank == 0 {
            found.push(CauseCandidate { predicate, term, stays, rank });
        }
    };
    for (i, j) in pairs {
        // The smaller one is what one speaks about.
        let swapped = values[i].failing > values[j].failing;
        let (left, right) = if swapped { (&values[j], &values[i]) } else { (&values[i], &values[j]) };
        let both = pool.and(left.guard, right.guard);
        for relation in Relation::ALL.into_iter().filter(|one| one.holds(left.failing.cmp(&right.failing))) {
            let holds = relation_term(pool, program, relation, left.ty, left.term, right.term);
            let term = pool.and(both, holds);
            let predicate = Predicate::Compare(left.value, relation, Operand::Value(right.value));
            let rank = !left.is_input as u8 + !right.is_input as u8;
            add(predicate, term, rank, pool, &mut found);
        }
    }
    if !options.inputs_only {
        for point in points.iter().filter(|point| !is_trusted(program, point, options)) {
            if let (Seen::Branch(truth), Some((_, cond))) = (point.failing, point.event.value) {
                let so = if truth { cond } else { pool.not(cond) };
                let term = pool.and(point.event.guard, so);
                add(Predicate::Branch(point.value, truth), term, 2, pool, &mut found);
            }
        }
    }
    let constants = constants(program);
    for value in values.iter().filter(|value| value.changed && !value.is_asserted) {
        for number in
            constants.iter().filter(|number| related.is_compared_with(value.term, **number)).take(MAX_CONSTANTS)
        {
            let bits = eval::from_i128(&program.types, value.ty, *number);
            if eval::to_i128(&program.types, value.ty, bits) != *number {
                continue;
            }
            let width = pool.width(value.term);
            let constant = pool.bv_signed(width, *number);
            for relation in Relation::ALL.into_iter().filter(|one| one.holds(value.failing.cmp(number))) {
                let holds = relation_term(pool, program, relation, value.ty, value.term, constant);
                let term = pool.and(value.guard, holds);
                let predicate = Predicate::Compare(value.value, relation, Operand::Constant(value.ty, bits));
                add(predicate, term, 1 + !value.is_input as u8, pool, &mut found);
            }
        }
    }
    found.sort_by_key(|candidate| (candidate.rank, candidate.stays));
    found
}

/// Inputs of the same kind: read at the same place of the text, or parameters.
fn are_alike(one: &Comparable, other: &Comparable) -> bool {
    let same = match (one.value.subject, other.value.subject) {
        (Subject::Edge(one), Subject::Edge(other)) => one == other,
        (Subject::Param(..), Subject::Param(..)) => true,
        _ => false,
    };
    same && one.is_input && other.is_input
}

/// What happens in a trusted function is no cause.
fn is_trusted(program: &Program, point: &Point, options: CauseOptions<'_>) -> bool {
    let Subject::Edge(edge) = point.value.subject else { return false };
    let function = program.locations[program.edges[edge].from].function;
    !point.is_input && is_named(options.trusted, program.function_name(function))
}

/// Integers that the failing run gives something. A copy is the value it copies.
fn values(
    unrolled: &Unrolled<'_, '_>,
    points: &[Point],
    passing: &Model,
    options: CauseOptions<'_>,
) -> Vec<Comparable> {
    let program = unrolled.failure.task.program;
    let types = &unrolled.failure.task.program.types;
    let pool = &unrolled.encoder.pool;
    let mut known: FxHashSet<(TermId, TypeId)> = FxHashSet::default();
    let mut values = Vec::new();
    let asserted = asserted(unrolled);
    let wanted = |point: &&Point| point.is_input || !(options.inputs_only || is_trusted(program, point, options));
    for point in points.iter().filter(wanted) {
        let (Seen::Value(ty, bits), Some((_, term))) = (point.failing, point.event.value) else { continue };
        if !matches!(types.get(ty), Type::Int(_)) || !known.insert((term, ty)) || values.len() >= MAX_VALUES {
            continue;
        }
        values.push(Comparable {
            value: point.value,
            ty,
            guard: point.event.guard,
            term,
            failing: eval::to_i128(types, ty, bits),
            changed: distance::seen(pool, passing, &point.event) != point.failing,
            is_input: point.is_input,
            is_asserted: !point.is_input && assigned(program, point).is_some_and(|var| asserted.contains(&var)),
        });
    }
    values
}

/// The variables that the violated assertion reads.
fn asserted(unrolled: &Unrolled<'_, '_>) -> FxHashSet<VarId> {
    let program = unrolled.failure.task.program;
    let Some(edge) = assertion_edge(unrolled.failure) else { return FxHashSet::default() };
    let anchor = program.edges[edge].anchor;
    let mut found = FxHashSet::default();
    for data in program.edges.values().filter(|data| data.anchor == anchor) {
        let mut todo = Vec::new();
        walk::parts(program, &data.op, |node| todo.push(node));
        while let Some(node) = todo.pop() {
            if let Node::Place(place) = node
                && let PlaceKind::Var(var) = program.places[place].kind
            {
                found.insert(var);
            }
            todo.extend(walk::children(program, node).into_iter().flatten());
        }
    }
    found
}

/// The variable that gets a value.
fn assigned(program: &Program, point: &Point) -> Option<VarId> {
    let Subject::Edge(edge) = point.value.subject else { return None };
    let place = match program.edges[edge].op {
        Op::Assign(place, _) => place,
        Op::Call { dest, .. } => dest?,
        _ => return None,
    };
    match program.places[place].kind {
        PlaceKind::Var(var) => Some(var),
        _ => None,
    }
}

fn relation_term(
    pool: &mut TermPool,
    program: &Program,
    relation: Relation,
    ty: TypeId,
    left: TermId,
    right: TermId,
) -> TermId {
    let signed = program.types.is_signed(ty);
    let less = |pool: &mut TermPool, a, b| if signed { pool.slt(a, b) } else { pool.ult(a, b) };
    match relation {
        Relation::Eq => pool.eq(left, right),
        Relation::Ne => pool.ne(left, right),
        Relation::Lt => less(pool, left, right),
        Relation::Gt => less(pool, right, left),
        Relation::Le => {
            let above = less(pool, right, left);
            pool.not(above)
        }
        Relation::Ge => {
            let below = less(pool, left, right);
            pool.not(below)
        }
    }
}

/// Integers that the program compares something with.
fn constants(program: &Program) -> BTreeSet<i128> {
    let mut constants = BTreeSet::new();
    for expr in program.exprs.values() {
        let ExprKind::Binary(op, left, right) = expr.kind else { continue };
        if !matches!(op, BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge) {
            continue;
        }
        for side in [left, right] {
            let ty = program.exprs[side].ty;
            if let (Some(bits), Type::Int(_)) = (program.constant(side), program.types.get(ty)) {
                constants.insert(eval::to_i128(&program.types, ty, bits));
            }
        }
    }
    constants
}
