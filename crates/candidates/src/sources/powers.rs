//! Powers of two: what a recursive function doubles with each level is `a * 2^n + b`, or the difference to what it was before is. Computed modulo the width of
//! the result, as the program does.

use super::algebra::nullspace;
use super::{Column, Context, distinct};
use crate::build::Summand;
use crate::scope::Recorded;
use cfa::{BinOp, ExprId, IntKind, TypeId};

/// Exponents that are looked at: a greater one is no number of levels.
const MAX_EXPONENT: i128 = 62;
/// Different exponents; fewer say nothing.
const MIN_EXPONENTS: usize = 4;
const MAX_FACTOR: i128 = 1 << 16;

pub fn propose(context: &mut Context<'_, '_>) {
    let columns = context.columns();
    let levels = |column: &&Column| {
        let at_call = matches!(column.term.recorded, Recorded::AtCall(_));
        at_call && column.least >= 0 && column.greatest <= MAX_EXPONENT && distinct(&column.values) >= MIN_EXPONENTS
    };
    for exponent in columns.iter().filter(levels) {
        for result in columns.iter().filter(|column| column.term.written && !column.is_constant()) {
            if !relation(context, exponent, result, None) {
                let before = columns.iter().filter(|other| matches!(other.term.recorded, Recorded::AtCall(_)));
                for before in before.filter(|other| other.term.ty == result.term.ty) {
                    relation(context, exponent, result, Some(before));
                }
            }
        }
    }
}

/// Proposes `a * result + b * before + c * 2^exponent + d == 0`, if the samples say so; whether they do.
fn relation(context: &mut Context<'_, '_>, exponent: &Column, result: &Column, before: Option<&Column>) -> bool {
    let mut rows: Vec<Vec<i128>> = Vec::new();
    for row in 0..exponent.values.len() {
        let before = before.map(|before| before.values[row]);
        rows.push([result.values[row]].into_iter().chain(before).chain([1 << exponent.values[row], 1]).collect());
    }
    rows.sort_unstable();
    rows.dedup();
    if rows.len() < MIN_EXPONENTS {
        return false;
    }
    let vectors = nullspace(&rows);
    let [vector] = &vectors[..] else { return false };
    let (constant, factors) = vector.split_last().expect("there is a column of ones");
    let power_factor = factors[factors.len() - 1];
    if factors[0] == 0 || power_factor == 0 || factors.iter().any(|factor| factor.abs() > MAX_FACTOR) {
        return false;
    }
    let Some(kind) = result.term.ty.int_kind() else { return false };
    let ty = TypeId::int(context.builder.common(kind, IntKind::Int).to_unsigned());
    let mut summands: Vec<Summand> = vec![(factors[0], context.builder.cast(result.term.read, ty))];
    if let Some(before) = before {
        summands.push((factors[1], context.builder.cast(before.term.read, ty)));
    }
    summands.push((power_factor, power(context, exponent, ty)));
    let side = |sign: i128| -> Vec<Summand> {
        let side = summands.iter().filter(|(factor, _)| factor * sign > 0);
        side.map(|(factor, expr)| (factor * sign, *expr)).collect()
    };
    let (left, right) = (side(1), side(-1));
    let (left, right, constant) = if left.is_empty() { (right, left, *constant) } else { (left, right, -constant) };
    let equal = context.builder.equal_modulo(&left, &right, constant);
    context.push(equal);
    true
}

/// `1ULL << (n & 63)`, in a type: it has a value for every `n`.
fn power(context: &mut Context<'_, '_>, exponent: &Column, ty: TypeId) -> ExprId {
    let wide = TypeId::int(IntKind::ULongLong);
    let amount = context.builder.cast(exponent.term.read, wide);
    let mask = context.builder.constant(wide, 63);
    let amount = context.builder.binary(BinOp::And, amount, mask);
    let one = context.builder.constant(wide, 1);
    let power = context.builder.binary(BinOp::Shl, one, amount);
    context.builder.cast(power, ty)
}
