//! Where candidates come from. The table [`SOURCES`] lists them, the most valuable first; each looks at one loop head and its recorded states.

mod algebra;
mod arrays;
mod assignments;
mod congruences;
mod constants;
mod exclusions;
mod implications;
mod linear;
mod modes;
mod polynomials;
mod powers;
mod relations;
mod states;
mod tables;
mod text;

use crate::build::Builder;
use crate::evaluate;
use crate::sample::Samples;
use crate::scope::{ClaimScope, Term};
use cfa::walk::{Node, children};
use cfa::{BinOp, Bits, ExprId, TypeId, eval};
use std::cmp::Ordering;

/// Proposes candidates for one loop.
pub struct Source {
    pub name: &'static str,
    pub(crate) propose: fn(&mut Context<'_, '_>),
}

pub static SOURCES: &[Source] = &[
    Source { name: "constants", propose: constants::propose },
    Source { name: "assignments", propose: assignments::propose },
    Source { name: "relations", propose: relations::propose },
    Source { name: "text", propose: text::propose },
    Source { name: "linear", propose: linear::propose },
    Source { name: "congruences", propose: congruences::propose },
    Source { name: "polynomials", propose: polynomials::propose },
    Source { name: "powers", propose: powers::propose },
    Source { name: "tables", propose: tables::propose },
    Source { name: "states", propose: states::propose },
    Source { name: "exclusions", propose: exclusions::propose },
    Source { name: "implications", propose: implications::propose },
    Source { name: "modes", propose: modes::propose },
    Source { name: "arrays", propose: arrays::propose },
];

/// Two values that never were equal in fewer samples may just not have met.
const SAMPLES_FOR_DIFFERENT: usize = 8;

/// How often a bound was reached, if it looks meant.
const OFTEN: u32 = 3;

/// What a source sees, and where it puts candidates.
pub struct Context<'c, 'p> {
    pub builder: &'c mut Builder<'p>,
    pub scope: &'c ClaimScope,
    pub samples: &'c Samples,
    proposed: Vec<ExprId>,
}

/// The recorded values of an integer term, in the order of the samples.
pub struct Column {
    pub term: Term,
    pub values: Vec<i128>,
    pub least: i128,
    pub greatest: i128,
}

impl Column {
    /// Whether all values are the same.
    pub fn is_constant(&self) -> bool {
        self.least == self.greatest
    }
}

impl<'c, 'p> Context<'c, 'p> {
    pub fn new(builder: &'c mut Builder<'p>, scope: &'c ClaimScope, samples: &'c Samples) -> Self {
        Context { builder, scope, samples, proposed: Vec::new() }
    }

    pub fn proposed(self) -> Vec<ExprId> {
        self.proposed
    }

    pub fn push(&mut self, expr: ExprId) {
        self.proposed.push(expr);
    }

    /// How many candidates there are so far.
    pub fn count(&self) -> usize {
        self.proposed.len()
    }

    /// Proposes `a op b`.
    pub fn compare(&mut self, op: BinOp, a: ExprId, b: ExprId) {
        let expr = self.builder.compare(op, a, b);
        self.push(expr);
    }

    /// Proposes `a op value`.
    pub fn compare_constant(&mut self, op: BinOp, a: ExprId, value: i128) {
        let expr = self.builder.compare_constant(op, a, value);
        self.push(expr);
    }

    /// Whether one of two expressions mentions a variable that the loop writes.
    pub fn mentions_written(&self, a: ExprId, b: ExprId) -> bool {
        let program = self.builder.program();
        let mut open = vec![Node::Expr(a), Node::Expr(b)];
        while let Some(node) = open.pop() {
            if let Node::Place(place) = node
                && let Some(term) = self.scope.term_of(place)
                && self.scope.terms[term].written
            {
                return true;
            }
            open.extend(children(program, node).into_iter().flatten());
        }
        false
    }

    /// Terms of a kind whose value is known in all samples, with their values; none without samples.
    pub fn terms(&self, is_kind: impl Fn(TypeId) -> bool) -> Vec<(Term, Vec<Bits>)> {
        if self.samples.is_empty() {
            return Vec::new();
        }
        let terms = self.scope.terms.iter().enumerate();
        terms
            .filter(|(index, term)| is_kind(term.ty) && !self.samples.unreadable[*index])
            .map(|(index, term)| (*term, self.samples.states().map(|state| state[index]).collect()))
            .collect()
    }

    /// Integer terms.
    pub fn columns(&self) -> Vec<Column> {
        let types = &self.builder.program().types;
        let column = |(term, bits): (Term, Vec<Bits>)| {
            let values: Vec<i128> = bits.into_iter().map(|bits| eval::to_i128(types, term.ty, bits)).collect();
            let (least, greatest) = (values.iter().min().copied(), values.iter().max().copied());
            Column { term, least: least.unwrap_or(0), greatest: greatest.unwrap_or(0), values }
        };
        // Wider integers than 64 bits do not fit the arithmetic of the sources.
        let narrow = |ty: TypeId| ty.int_kind().is_some_and(|kind| kind.rank() < cfa::IntKind::Int128.rank());
        self.terms(narrow).into_iter().map(column).collect()
    }

    /// Whether the test is true of several samples, or of one that was recorded several times: not by accident.
    pub fn is_often(&self, test: impl Fn(usize) -> bool) -> bool {
        let samples = self.samples.samples.iter().enumerate().filter(|(index, _)| test(*index));
        samples.map(|(_, sample)| sample.visits).sum::<u32>() >= OFTEN
    }
}

/// Which comparisons hold for all pairs. Weaker ones come with the strongest: if that turns out to be wrong, they may still be true.
fn orders(pairs: impl Iterator<Item = (i128, i128)>) -> Vec<BinOp> {
    let (mut less, mut equal, mut greater) = (0usize, 0usize, 0usize);
    for (a, b) in pairs {
        match a.cmp(&b) {
            Ordering::Less => less += 1,
            Ordering::Equal => equal += 1,
            Ordering::Greater => greater += 1,
        }
    }
    match (less, equal, greater) {
        (0, _, 0) => vec![BinOp::Eq, BinOp::Le, BinOp::Ge],
        (_, 0, 0) => vec![BinOp::Lt, BinOp::Le],
        (0, 0, _) => vec![BinOp::Gt, BinOp::Ge],
        (_, _, 0) => vec![BinOp::Le],
        (0, _, _) => vec![BinOp::Ge],
        (less, 0, greater) if less + greater >= SAMPLES_FOR_DIFFERENT => vec![BinOp::Ne],
        _ => Vec::new(),
    }
}

/// How many different values there are.
fn distinct(values: &[i128]) -> usize {
    let mut values = values.to_vec();
    values.sort_unstable();
    values.dedup();
    values.len()
}

/// Whether a bound of `values` is reached with different values of each variable. If not, it follows from bounds of fewer variables, or it is only true where a
/// variable is zero that a factor makes larger.
fn is_tight<'a>(values: &[i128], bound: i128, mut columns: impl Iterator<Item = &'a Column>) -> bool {
    columns.all(|column| {
        let mut reached = column.values.iter().zip(values).filter(|(_, value)| **value == bound).map(|(own, _)| own);
        let first = reached.next();
        reached.any(|other| Some(other) != first)
    })
}

/// Proposes that an integer has one of these values, which are ascending: `x == a | x == b | …`, or two bounds.
fn one_of(context: &mut Context<'_, '_>, read: ExprId, values: &[i128]) {
    let (Some(least), Some(greatest)) = (values.first(), values.last()) else { return };
    if values.len() > 1 && greatest - least == values.len() as i128 - 1 {
        context.compare_constant(BinOp::Ge, read, *least);
        context.compare_constant(BinOp::Le, read, *greatest);
        return;
    }
    let each: Vec<ExprId> =
        values.iter().map(|value| context.builder.compare_constant(BinOp::Eq, read, *value)).collect();
    if let Some(any) = context.builder.any(&each) {
        context.push(any);
    }
}

/// Proposes `fact | x == c`: the fact holds but in states where a variable still has one certain value, as it has before the first round.
fn except_first(context: &mut Context<'_, '_>, fact: ExprId) {
    let program = context.builder.program();
    let Some(truth) = evaluate::values(program, context.scope, context.samples, fact) else { return };
    let exceptions: Vec<usize> = (0..truth.len()).filter(|sample| truth[*sample].is_zero()).collect();
    let [first, _, ..] = exceptions[..] else { return };
    for column in context.columns().into_iter().filter(|column| column.term.written && !column.is_constant()) {
        let value = column.values[first];
        let is_meant = value.abs() <= 1 || context.scope.constants.binary_search(&value).is_ok();
        if is_meant && exceptions.iter().all(|sample| column.values[*sample] == value) {
            let start = context.builder.compare_constant(BinOp::Eq, column.term.read, value);
            if let Some(any) = context.builder.any(&[fact, start]) {
                context.push(any);
            }
        }
    }
}
