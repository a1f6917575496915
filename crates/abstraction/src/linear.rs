//! Integer expressions as sums of variables: `2 * x - y + [lo, hi]` over mathematical integers. A part that may wrap around, or is not
//! linear, is taken for any number of its range. And modulo the width of the variables, where nothing needs a range.

use crate::cells::{CellId, Kind};
use crate::domains::affine::Sum;
use crate::domains::interval::{Range, view_of};
use crate::evaluate::Context;
use crate::state::{AbstractValue, State};
use cfa::{BinOp, ExprId, ExprKind, TypeId, UnOp};

#[derive(Clone, PartialEq, Debug)]
pub struct Linear {
    /// Variables with factors that are not 0, ascending.
    pub terms: Vec<(CellId, i128)>,
    pub rest: Range,
}

/// Larger factors are of no use to octagons.
const MAX_FACTOR: i128 = 1 << 20;
/// Variables of one sum.
const MAX_TERMS: usize = 6;

impl Linear {
    fn number(rest: Range) -> Linear {
        Linear { terms: Vec::new(), rest }
    }

    pub fn minus(&self, other: &Linear) -> Linear {
        self.plus(&other.times(-1))
    }

    fn plus(&self, other: &Linear) -> Linear {
        let mut terms = self.terms.clone();
        for (cell, factor) in &other.terms {
            match terms.binary_search_by_key(cell, |(own, _)| *own) {
                Ok(at) => terms[at].1 += factor,
                Err(at) => terms.insert(at, (*cell, *factor)),
            }
        }
        terms.retain(|(_, factor)| *factor != 0);
        Linear { terms, rest: self.rest.plus(other.rest) }
    }

    fn times(&self, factor: i128) -> Linear {
        let ends = [self.rest.lo * factor, self.rest.hi * factor];
        let rest = Range { lo: ends[0].min(ends[1]), hi: ends[0].max(ends[1]) };
        let terms = self.terms.iter().map(|(cell, own)| (*cell, own * factor)).filter(|(_, factor)| *factor != 0);
        Linear { terms: terms.collect(), rest }
    }
}

/// The range of a cell, as its type reads it.
pub fn range_of(context: &Context<'_>, state: &State, cell: CellId) -> Option<Range> {
    match state.value(cell, &context.cells.all) {
        AbstractValue::Int(number) => Some(number.range()),
        AbstractValue::Float(_) => None,
    }
}

/// Deeper parts are taken for any number of their range.
const MAX_DEPTH: u32 = 8;

/// `None` for what is no integer, or has no value in any run.
pub fn linear(context: &Context<'_>, state: &State, expr: ExprId) -> Option<Linear> {
    linear_at(context, state, expr, 0)
}

fn linear_at(context: &Context<'_>, state: &State, expr: ExprId, depth: u32) -> Option<Linear> {
    let Some(Kind::Int(shape)) = context.kind(expr) else { return None };
    let own = context.integer(expr, state)?.range();
    let opaque = Some(Linear::number(own));
    let exact = |sum: Option<Linear>, range: Option<Range>| {
        let fits = range.is_some_and(|range| view_of(shape).includes(range));
        let usable = |sum: &Linear| {
            sum.terms.len() <= MAX_TERMS && sum.terms.iter().all(|(_, factor)| factor.abs() < MAX_FACTOR)
        };
        sum.filter(|sum| fits && usable(sum)).or_else(|| opaque.clone())
    };
    if let Some(cell) = context.cell_of(expr) {
        let Kind::Int(_) = context.cells.all[cell as usize].kind else { return opaque };
        let range = range_of(context, state, cell)?;
        return exact(Some(Linear { terms: vec![(cell, 1)], rest: Range::one(0) }), Some(range));
    }
    if depth == MAX_DEPTH {
        return opaque;
    }
    let of = |expr: ExprId| linear_at(context, state, expr, depth + 1);
    let program = context.program;
    match program.exprs[expr].kind {
        ExprKind::Cast(operand) if program.exprs[expr].ty != TypeId::BOOL => {
            let Some(Kind::Int(_)) = context.kind(operand) else { return opaque };
            let range = context.integer(operand, state)?.range();
            exact(of(operand), Some(range))
        }
        ExprKind::Unary(UnOp::Neg, operand) => {
            let range = context.integer(operand, state)?.range();
            let negated = Range { lo: -range.hi, hi: -range.lo };
            exact(of(operand).map(|sum| sum.times(-1)), Some(negated))
        }
        ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), a, b) => {
            let (left, right) = (context.integer(a, state)?, context.integer(b, state)?);
            let (x, y) = (left.range(), right.range());
            let sums = of(a).zip(of(b));
            match op {
                BinOp::Add => exact(sums.map(|(a, b)| a.plus(&b)), Some(x.plus(y))),
                BinOp::Sub => exact(sums.map(|(a, b)| a.minus(&b)), Some(x.minus(y))),
                _ => {
                    let small = |factor: Option<i128>| factor.filter(|factor| factor.abs() < MAX_FACTOR);
                    let product = match (small(left.single()), small(right.single())) {
                        (_, Some(factor)) => sums.map(|(a, _)| a.times(factor)),
                        (Some(factor), _) => sums.map(|(_, b)| b.times(factor)),
                        _ => None,
                    };
                    exact(product, x.times(y))
                }
            }
        }
        _ => opaque,
    }
}

/// The bits of an expression as a sum of variables of one width, modulo that width. `None`: it is not such a sum.
pub fn modular(context: &Context<'_>, variables: &[CellId], width: u32, expr: ExprId) -> Option<Sum> {
    modular_at(context, variables, width, expr, 0)
}

fn modular_at(context: &Context<'_>, variables: &[CellId], width: u32, expr: ExprId, depth: u32) -> Option<Sum> {
    let program = context.program;
    let same = |expr: ExprId| matches!(context.kind(expr), Some(Kind::Int(shape)) if shape.width == width);
    if !same(expr) || depth > MAX_DEPTH {
        return None;
    }
    let number = |constant: u64| Sum::number_of(constant, variables.len());
    if let Some(cell) = context.cell_of(expr) {
        let index = variables.binary_search(&cell).ok()?;
        let mut sum = number(0);
        sum.factors[index] = 1;
        return Some(sum);
    }
    let of = |expr: ExprId| modular_at(context, variables, width, expr, depth + 1);
    match program.exprs[expr].kind {
        ExprKind::Const(bits) => Some(number(bits.lo)),
        ExprKind::Cast(operand) => match program.constant(operand) {
            Some(_) => {
                let value = context.integer(expr, &State::default())?.single()?;
                Some(number(value as u64))
            }
            None => of(operand),
        },
        ExprKind::Unary(UnOp::Neg, operand) => Some(of(operand)?.times(u64::MAX)),
        // -x - 1
        ExprKind::Unary(UnOp::BitNot, operand) => Some(of(operand)?.times(u64::MAX).minus(&number(1))),
        ExprKind::Binary(BinOp::Add, a, b) => Some(of(a)?.plus(&of(b)?)),
        ExprKind::Binary(BinOp::Sub, a, b) => Some(of(a)?.minus(&of(b)?)),
        ExprKind::Binary(BinOp::Mul, a, b) => {
            let (a, b) = (of(a)?, of(b)?);
            match (a.number(), b.number()) {
                (_, Some(factor)) => Some(a.times(factor)),
                (Some(factor), _) => Some(b.times(factor)),
                _ => None,
            }
        }
        _ => None,
    }
}
