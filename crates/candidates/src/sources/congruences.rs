//! Remainders: `x % m == r`, where `m` divides all differences of the recorded values, and equal parity of two variables.

use super::algebra::gcd;
use super::{Column, Context, distinct};
use cfa::{BinOp, ExprId, TypeId};

/// Greater steps are no steps.
const MAX_MODULUS: i128 = 1 << 16;
/// Different values of a variable, before its remainder means something.
const MIN_VALUES: usize = 4;
/// Variables whose parity is compared.
const MAX_PAIRED: usize = 8;

pub fn propose(context: &mut Context<'_, '_>) {
    let columns = context.columns();
    for column in columns.iter().filter(|column| column.term.written && distinct(&column.values) >= MIN_VALUES) {
        let step = step(&column.values);
        let mut moduli: Vec<i128> = [2, 4, step].into_iter().chain(context.scope.constants.iter().copied()).collect();
        moduli.retain(|modulus| (2..=MAX_MODULUS).contains(modulus) && step % modulus == 0);
        moduli.sort_unstable();
        moduli.dedup();
        for modulus in moduli {
            remainder(context, column, modulus);
        }
    }
    let paired: Vec<&Column> = columns.iter().filter(|column| step(&column.values) % 2 == 1).take(MAX_PAIRED).collect();
    for (index, left) in paired.iter().enumerate() {
        for right in paired[index + 1..].iter().filter(|right| left.term.written || right.term.written) {
            parity(context, left, right);
        }
    }
}

/// The greatest number that divides all differences; 0 if there are none.
fn step(values: &[i128]) -> i128 {
    values.iter().fold(0, |all, value| gcd(all, value - values[0]))
}

fn remainder(context: &mut Context<'_, '_>, column: &Column, modulus: i128) {
    let rest = column.least.rem_euclid(modulus);
    let ty = promoted(context, column);
    let value = context.builder.cast(column.term.read, ty);
    // The bits of negative numbers continue those of others; C's `%` does not.
    let op = if modulus.count_ones() == 1 { BinOp::And } else { BinOp::Rem };
    if op == BinOp::Rem && rest != 0 && column.least < 0 {
        return;
    }
    let operand = if op == BinOp::And { modulus - 1 } else { modulus };
    let operand = context.builder.constant(ty, operand);
    let value = context.builder.binary(op, value, operand);
    let rest = context.builder.constant(ty, rest);
    let equal = context.builder.binary(BinOp::Eq, value, rest);
    context.push(equal);
}

fn promoted(context: &Context<'_, '_>, column: &Column) -> TypeId {
    let kind = column.term.ty.int_kind().expect("columns are integers");
    TypeId::int(context.builder.common(kind, kind))
}

/// `((x ^ y) & 1) == 0`, or 1. Samples of both parities are needed.
fn parity(context: &mut Context<'_, '_>, left: &Column, right: &Column) {
    let differences: Vec<i128> = left.values.iter().zip(&right.values).map(|(a, b)| a - b).collect();
    // A constant distance says more.
    if distinct(&differences) == 1 {
        return;
    }
    let sums: Vec<i128> = left.values.iter().zip(&right.values).map(|(a, b)| (a ^ b) & 1).collect();
    let (a, b) = (distinct(&left.values), distinct(&right.values));
    // What a function returns may be a flag: whether its argument is odd.
    let enough = if context.scope.anchor.head().is_some() { a.min(b) } else { a.max(b) };
    if enough < MIN_VALUES || distinct(&sums) != 1 {
        return;
    }
    let (a, b) = (left.term.ty.int_kind().expect("an integer"), right.term.ty.int_kind().expect("an integer"));
    let ty = TypeId::int(context.builder.common(a, b));
    let (a, b): (ExprId, ExprId) =
        (context.builder.cast(left.term.read, ty), context.builder.cast(right.term.read, ty));
    let (one, rest) = (context.builder.constant(ty, 1), context.builder.constant(ty, sums[0]));
    let both = context.builder.binary(BinOp::Xor, a, b);
    let bit = context.builder.binary(BinOp::And, both, one);
    let equal = context.builder.binary(BinOp::Eq, bit, rest);
    context.push(equal);
}
