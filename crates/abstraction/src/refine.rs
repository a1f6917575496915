//! What a condition that holds says of the cells that it reads: the value that a part of an expression must have is carried down to its
//! operands, and cells with few values are tried value by value.

use crate::cells::{CellId, Kind};
use crate::domains::bits::KnownBits;
use crate::domains::congruence::Congruence;
use crate::domains::float::FloatRange;
use crate::domains::interval::{Range, view_of};
use crate::domains::number::Number;
use crate::evaluate::{Context, Evaluated};
use crate::state::{AbstractValue, State};
use cfa::{BinOp, ExprId, ExprKind, TypeId, UnOp};

/// Deeper parts of a condition are not refined.
const MAX_DEPTH: u32 = 8;

/// Cells of one condition that are tried value by value.
const MAX_TRIED: usize = 3;

/// The part of a state in which a condition holds (or does not). `None`: it never does.
pub fn assume(context: &Context<'_>, state: &State, cond: ExprId, truth: bool) -> Option<State> {
    let mut refined = state.clone();
    refine_truth(context, &mut refined, cond, truth, 0)?;
    for cell in cells_of(context, cond).into_iter().take(MAX_TRIED) {
        try_values(context, &mut refined, cell, cond, truth)?;
    }
    Some(refined)
}

fn cells_of(context: &Context<'_>, cond: ExprId) -> Vec<CellId> {
    let mut found = Vec::new();
    let mut pending = vec![cfa::walk::Node::Expr(cond)];
    let mut left = 200;
    while let Some(node) = pending.pop() {
        left -= 1;
        if left == 0 {
            break;
        }
        if let cfa::walk::Node::Expr(expr) = node
            && let Some(cell) = context.cell_of(expr)
            && !found.contains(&cell)
        {
            found.push(cell);
        }
        pending.extend(cfa::walk::children(context.program, node).into_iter().flatten());
    }
    found
}

/// Keeps the values of a cell with which the condition can be as wanted.
fn try_values(context: &Context<'_>, state: &mut State, cell: CellId, cond: ExprId, truth: bool) -> Option<()> {
    let Some(AbstractValue::Int(number)) = state.get(cell) else { return Some(()) };
    let Some(values) = number.values.clone() else { return Some(()) };
    if values.values.len() < 2 {
        return Some(());
    }
    let shape = number.shape;
    let mut kept = Vec::new();
    for bits in values.values.iter().copied() {
        let mut tried = state.clone();
        tried.refine(cell, AbstractValue::Int(Number::constant(shape, bits)));
        let possible = match context.value(cond, &tried) {
            Evaluated::AbstractValue(AbstractValue::Int(number)) => number.is_zero() != Some(truth),
            Evaluated::Impossible => false,
            _ => true,
        };
        if possible {
            kept.push(bits);
        }
    }
    if kept.len() < values.values.len() {
        state.refine(cell, AbstractValue::Int(Number::of_values(shape, kept)?));
    }
    Some(())
}

fn refine_truth(context: &Context<'_>, state: &mut State, cond: ExprId, truth: bool, depth: u32) -> Option<()> {
    if depth > MAX_DEPTH {
        return Some(());
    }
    match context.program.exprs[cond].kind {
        ExprKind::Unary(UnOp::Not, operand) => refine_truth(context, state, operand, !truth, depth + 1),
        ExprKind::Binary(op, a, b) if op.is_comparison() => refine_comparison(context, state, op, a, b, truth, depth),
        _ => match context.value(cond, state) {
            Evaluated::Impossible => None,
            Evaluated::AbstractValue(AbstractValue::Int(number)) => {
                let wanted =
                    if truth { number.without(0)? } else { number.meet(&Number::constant(number.shape, 0))? };
                require_at(context, state, cond, &wanted, depth)
            }
            _ => Some(()),
        },
    }
}

fn refine_comparison(
    context: &Context<'_>,
    state: &mut State,
    op: BinOp,
    a: ExprId,
    b: ExprId,
    truth: bool,
    depth: u32,
) -> Option<()> {
    let (left, right) = match (context.value(a, state), context.value(b, state)) {
        (Evaluated::Impossible, _) | (_, Evaluated::Impossible) => return None,
        (Evaluated::AbstractValue(left), Evaluated::AbstractValue(right)) => (left, right),
        _ => return Some(()),
    };
    match (left, right) {
        (AbstractValue::Int(left), AbstractValue::Int(right)) => {
            let op = if truth { op } else { op.negated() };
            let (new_left, new_right) = (where_holds(op, &left, &right)?, where_holds(op.mirrored(), &right, &left)?);
            require_at(context, state, a, &new_left, depth + 1)?;
            require_at(context, state, b, &new_right, depth + 1)
        }
        (AbstractValue::Float(left), AbstractValue::Float(right)) => {
            // A comparison that fails may fail because of NaN.
            let op = match truth {
                true => op,
                false if left.nan || right.nan => {
                    return (FloatRange::compare(op, &left, &right) != Some(true)).then_some(());
                }
                false => op.negated(),
            };
            if FloatRange::compare(op, &left, &right) == Some(false) {
                return None;
            }
            let (new_left, new_right) = (left.where_holds(op, &right)?, right.where_holds(op.mirrored(), &left)?);
            require_float(context, state, a, &new_left)?;
            require_float(context, state, b, &new_right)
        }
        _ => Some(()),
    }
}

/// What is left of the left operand where a comparison holds.
fn where_holds(op: BinOp, left: &Number, right: &Number) -> Option<Number> {
    let bounds = right.range();
    let all = view_of(left.shape);
    let range = match op {
        BinOp::Eq => return left.meet(right),
        BinOp::Ne => {
            return match right.single() {
                Some(value) => left.without(cfa::eval::truncate(value as u128, left.shape.width).lo),
                None => Some(left.clone()),
            };
        }
        BinOp::Lt => Range::new(all.lo, bounds.hi - 1)?,
        BinOp::Le => Range::new(all.lo, bounds.hi)?,
        BinOp::Gt => Range::new(bounds.lo + 1, all.hi)?,
        BinOp::Ge => Range::new(bounds.lo, all.hi)?,
        _ => return Some(left.clone()),
    };
    left.meet(&Number::in_range(left.shape, range)?)
}

fn require_float(context: &Context<'_>, state: &mut State, expr: ExprId, wanted: &FloatRange) -> Option<()> {
    if let Some(cell) = context.cell_of(expr)
        && let AbstractValue::Float(range) = state.value(cell, &context.cells.all)
        && range.kind == wanted.kind
    {
        state.refine(cell, AbstractValue::Float(range.meet(wanted)?));
    }
    Some(())
}

/// Carries down that an expression has one of some values. Every step is an equation that holds modulo the width, or is guarded.
pub fn require(context: &Context<'_>, state: &mut State, expr: ExprId, wanted: &Number) -> Option<()> {
    require_at(context, state, expr, wanted, 0)
}

fn require_at(context: &Context<'_>, state: &mut State, expr: ExprId, wanted: &Number, depth: u32) -> Option<()> {
    if depth > MAX_DEPTH {
        return Some(());
    }
    let program = context.program;
    if let Some(cell) = context.cell_of(expr) {
        let AbstractValue::Int(number) = state.value(cell, &context.cells.all) else { return Some(()) };
        let wanted = if wanted.shape == number.shape { wanted.clone() } else { wanted.cast(number.shape)? };
        state.refine(cell, AbstractValue::Int(number.meet(&wanted)?));
        return Some(());
    }
    match program.exprs[expr].kind {
        ExprKind::Unary(UnOp::Not, operand) => match wanted.is_zero() {
            Some(zero) => refine_truth(context, state, operand, zero, depth + 1),
            None => Some(()),
        },
        ExprKind::Unary(op @ (UnOp::Neg | UnOp::BitNot), operand) => {
            let inverse = Number::unary(op, wanted, wanted.shape)?;
            require_at(context, state, operand, &inverse, depth + 1)
        }
        ExprKind::Cast(operand) => require_cast(context, state, expr, operand, wanted, depth),
        ExprKind::Binary(op, a, b) if op.is_comparison() => match wanted.is_zero() {
            Some(zero) => refine_comparison(context, state, op, a, b, !zero, depth),
            None => Some(()),
        },
        ExprKind::Binary(op, a, b) => {
            let (Some(left), Some(right)) = (context.integer(a, state), context.integer(b, state)) else {
                return Some(());
            };
            require_operands(context, state, op, (a, &left), (b, &right), wanted, depth)
        }
        _ => Some(()),
    }
}

fn require_cast(
    context: &Context<'_>,
    state: &mut State,
    expr: ExprId,
    operand: ExprId,
    wanted: &Number,
    depth: u32,
) -> Option<()> {
    let Some(number) = context.integer(operand, state) else { return Some(()) };
    if context.program.exprs[expr].ty == TypeId::BOOL {
        return match wanted.is_zero() {
            Some(true) => {
                require_at(context, state, operand, &number.meet(&Number::constant(number.shape, 0))?, depth + 1)
            }
            Some(false) => require_at(context, state, operand, &number.without(0)?, depth + 1),
            None => Some(()),
        };
    }
    let Some(Kind::Int(to)) = context.kind(expr) else { return Some(()) };
    let kept = view_of(to).includes(number.range());
    let inverse = if kept {
        // The number is the same in both types.
        let range = wanted.range().meet(view_of(number.shape))?;
        let mut inverse = Number::in_range(number.shape, range)?;
        if let Some(values) = &wanted.values {
            let read = |bits: &u64| cfa::eval::extend(cfa::Bits { lo: *bits, hi: 0 }, to.width, to.signed);
            let own = values.values.iter().map(read).filter(|value| view_of(number.shape).contains(*value));
            inverse = Number::of_values(number.shape, own.map(|value| value as u64))?;
        } else {
            inverse.congruence = inverse.congruence.meet(wanted.congruence)?;
            inverse = inverse.reduced()?;
        }
        inverse
    } else if to.width == number.shape.width {
        wanted.cast(number.shape)?
    } else {
        return Some(());
    };
    require_at(context, state, operand, &number.meet(&inverse)?, depth + 1)
}

fn require_operands(
    context: &Context<'_>,
    state: &mut State,
    op: BinOp,
    (a, left): (ExprId, &Number),
    (b, right): (ExprId, &Number),
    wanted: &Number,
    depth: u32,
) -> Option<()> {
    let shape = left.shape;
    match op {
        BinOp::Add => {
            require_at(context, state, a, &left.meet(&Number::binary(BinOp::Sub, wanted, right, shape)?)?, depth + 1)?;
            require_at(context, state, b, &right.meet(&Number::binary(BinOp::Sub, wanted, left, shape)?)?, depth + 1)
        }
        BinOp::Sub => {
            require_at(context, state, a, &left.meet(&Number::binary(BinOp::Add, wanted, right, shape)?)?, depth + 1)?;
            require_at(context, state, b, &right.meet(&Number::binary(BinOp::Sub, left, wanted, shape)?)?, depth + 1)
        }
        BinOp::Xor => {
            require_at(context, state, a, &left.meet(&Number::binary(BinOp::Xor, wanted, right, shape)?)?, depth + 1)?;
            require_at(context, state, b, &right.meet(&Number::binary(BinOp::Xor, wanted, left, shape)?)?, depth + 1)
        }
        BinOp::Mul => {
            let (Some(factor), Some(range)) = (right.single(), left.range().times(right.range())) else {
                return Some(());
            };
            if factor <= 0 || !view_of(shape).includes(range) {
                return Some(());
            }
            let bounds = wanted.range();
            let range = Range::new(-(-bounds.lo).div_euclid(factor), bounds.hi.div_euclid(factor))?;
            require_at(context, state, a, &left.meet(&Number::in_range(shape, range)?)?, depth + 1)
        }
        BinOp::And => {
            let Some(mask) = right.single() else { return Some(()) };
            let mask = cfa::eval::truncate(mask as u128, shape.width).lo;
            let bits = KnownBits { zeros: wanted.bits.zeros & mask, ones: wanted.bits.ones & mask };
            let inverse = Number { bits, ..Number::top(shape) };
            require_at(context, state, a, &left.meet(&Number { values: None, ..inverse })?, depth + 1)
        }
        BinOp::Rem => {
            let (Some(divisor), Some(rest)) = (right.single(), wanted.single()) else { return Some(()) };
            if divisor == 0 {
                return None;
            }
            let inverse = Number { congruence: Congruence::new(divisor, rest), values: None, ..Number::top(shape) };
            require_at(context, state, a, &left.meet(&inverse)?, depth + 1)
        }
        BinOp::Div => {
            let Some(divisor) = right.single().filter(|divisor| *divisor > 0) else { return Some(()) };
            let bounds = wanted.range();
            // Quotient 0 has dividends of both signs.
            let lo = if bounds.lo > 0 { bounds.lo * divisor } else { (bounds.lo - 1) * divisor + 1 };
            let hi = if bounds.hi < 0 { bounds.hi * divisor } else { (bounds.hi + 1) * divisor - 1 };
            let range = Range { lo, hi }.meet(view_of(shape))?;
            require_at(context, state, a, &left.meet(&Number::in_range(shape, range)?)?, depth + 1)
        }
        _ => Some(()),
    }
}
