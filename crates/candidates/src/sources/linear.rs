//! Linear facts about several variables: equalities `a*x + b*y == c*z + d` from the nullspace of the recorded values, and inequalities with few, small
//! coefficients. The nullspace is computed modulo a prime, and its vectors are read back as small fractions; what does not hold exactly is dropped when
//! candidates are checked on the samples.

use super::algebra::nullspace;
use super::{Column, Context, is_tight};
use cfa::BinOp;

/// Variables of one equality, and of the inequalities.
const MAX_VARIABLES: usize = 10;
const MAX_PAIRED: usize = 12;
const MAX_TRIPLED: usize = 8;
/// Samples with larger values are left out when equalities are searched: they may be those that wrapped around.
const LARGE: i128 = 1 << 30;
/// Coefficients of inequalities beside the constants of the text.
const FACTORS: &[i128] = &[2, 3, 4];
/// Constants of the text that are tried as coefficients.
const MAX_TEXT_FACTORS: usize = 6;
/// Greater constants of the text are no coefficients.
const MAX_FACTOR: i128 = 1 << 16;
const SMALL: i128 = 8;
const MAX_INEQUALITIES: usize = 40;

pub fn propose(context: &mut Context<'_, '_>) {
    let mut columns = context.columns();
    columns.retain(|column| !column.is_constant());
    equal_sums(context, &columns);
    let before = context.count();
    pairs(context, &columns[..columns.len().min(MAX_PAIRED)], before);
    triples(context, &columns[..columns.len().min(MAX_TRIPLED)], before);
    accumulated(context, &columns[..columns.len().min(MAX_TRIPLED)]);
}

/// Equalities only.
pub fn equal_sums(context: &mut Context<'_, '_>, columns: &[Column]) {
    // Groups of variables: few samples determine relations of few variables only.
    for size in [MAX_VARIABLES, 5, 3] {
        let group: Vec<&Column> = columns.iter().take(size).collect();
        if equalities(context, &group) || columns.len() <= 3 {
            break;
        }
    }
}

/// False if there are too few samples to say anything about so many variables.
fn equalities(context: &mut Context<'_, '_>, columns: &[&Column]) -> bool {
    let count = columns.first().map_or(0, |column| column.values.len());
    let mut rows: Vec<Vec<i128>> = (0..count)
        .filter(|row| columns.iter().all(|column| column.values[*row].abs() < LARGE))
        .map(|row| columns.iter().map(|column| column.values[row]).chain([1]).collect())
        .collect();
    rows.sort_unstable();
    rows.dedup();
    if rows.len() < columns.len() + 2 {
        return false;
    }
    for vector in nullspace(&rows) {
        let (constant, factors) = vector.split_last().expect("there is a column of ones");
        equality(context, columns, factors, -constant);
    }
    true
}

/// `Σ factors * columns == constant`, with the negative summands on the right side.
fn equality(context: &mut Context<'_, '_>, columns: &[&Column], factors: &[i128], constant: i128) {
    let used = || factors.iter().zip(columns).filter(|(factor, _)| **factor != 0);
    if !used().any(|(_, column)| column.term.written) {
        return;
    }
    let summands = |sign: i128| -> Vec<_> {
        used()
            .filter(|(factor, _)| **factor * sign > 0)
            .map(|(factor, column)| (factor * sign, column.term.read))
            .collect()
    };
    let (left, right) = (summands(1), summands(-1));
    let (left, right, constant) = if left.is_empty() { (right, left, -constant) } else { (left, right, constant) };
    // Distances are found by the relations.
    if let ([(1, _)], [(1, _)]) = (&left[..], &right[..]) {
        return;
    }
    let modular = context.builder.equal_modulo(&left, &right, constant);
    context.push(modular);
    if let Some(exact) = context.builder.compare_sums(BinOp::Eq, &left, &right, constant) {
        context.push(exact);
    }
}

/// Factors that are tried, ascending.
fn factors(context: &Context<'_, '_>, columns: &[Column]) -> Vec<i128> {
    let constants = &context.scope.constants;
    let from_text = constants.iter().filter(|constant| (5..=MAX_FACTOR).contains(*constant)).take(MAX_TEXT_FACTORS);
    let mut factors: Vec<i128> = FACTORS.iter().chain(from_text).copied().collect();
    // What is added up may be as large as a narrow type allows.
    let types = &context.builder.program().types;
    for column in columns.iter().filter(|column| types.scalar_bits(column.term.ty) <= 16) {
        let bits = types.scalar_bits(column.term.ty) - u32::from(types.is_signed(column.term.ty));
        factors.push((1 << bits) - 1);
    }
    factors.retain(|factor| *factor > 1);
    factors.sort_unstable();
    factors.dedup();
    factors
}

/// `x + y <= c`, `x + y >= c`, and `x <= k*y + c`, `x >= k*y + c`.
fn pairs(context: &mut Context<'_, '_>, columns: &[Column], before: usize) {
    let factors = factors(context, columns);
    for (index, left) in columns.iter().enumerate() {
        for (other, right) in columns.iter().enumerate().filter(|(other, _)| *other != index) {
            if !left.term.written && !right.term.written || context.count() - before > MAX_INEQUALITIES {
                continue;
            }
            if index < other {
                let sums: Vec<i128> = left.values.iter().zip(&right.values).map(|(a, b)| a + b).collect();
                bounds(context, columns, &sums, &[(1, left), (1, right)], &[]);
            }
            for factor in &factors {
                let values: Vec<i128> = left.values.iter().zip(&right.values).map(|(a, b)| a - factor * b).collect();
                bounds(context, columns, &values, &[(1, left)], &[(*factor, right)]);
            }
        }
    }
}

/// `x <= k*y + z + c`, `x >= k*y + z + c`, where `c` is at most 1: sums of two variables, and counters of nested loops.
fn triples(context: &mut Context<'_, '_>, columns: &[Column], before: usize) {
    let factors: Vec<i128> = std::iter::once(1).chain(factors(context, columns)).collect();
    let indices = 0..columns.len();
    let all =
        indices.clone().flat_map(|x| indices.clone().flat_map(move |y| (0..columns.len()).map(move |z| [x, y, z])));
    for [x, y, z] in all.filter(|[x, y, z]| x != y && y != z && x != z) {
        let (x, y, z) = (&columns[x], &columns[y], &columns[z]);
        if !x.term.written && !y.term.written && !z.term.written {
            continue;
        }
        // The order of two summands does not matter.
        for factor in factors.iter().filter(|factor| **factor > 1 || y.term.place < z.term.place) {
            if context.count() - before > MAX_INEQUALITIES {
                return;
            }
            let values = x.values.iter().zip(&y.values).zip(&z.values).map(|((x, y), z)| x - factor * y - z);
            let values: Vec<i128> = values.collect();
            let near = |bound: Option<&i128>| bound.is_some_and(|bound| bound.abs() <= 1);
            if near(values.iter().max()) || near(values.iter().min()) {
                bounds(context, columns, &values, &[(1, x)], &[(*factor, y), (1, z)]);
            }
        }
    }
}

/// `s <= k*i + c`, where `k` is the constant of the text that seems to bound `i`: what grows by `i` in each round, or by something smaller, does not overflow.
/// Runs need not come close to the bound.
fn accumulated(context: &mut Context<'_, '_>, columns: &[Column]) {
    for (index, sum) in columns.iter().enumerate().filter(|(_, column)| column.term.written) {
        let counters = columns.iter().enumerate().filter(|(other, column)| *other != index && column.term.written);
        for (_, counter) in counters.filter(|(_, counter)| counter.least >= 0) {
            let constants = &context.scope.constants;
            let Some(factor) = constants.iter().find(|constant| **constant > SMALL && **constant >= counter.greatest)
            else {
                continue;
            };
            if *factor > MAX_FACTOR || sum.greatest <= *factor || is_linear_in(&sum.values, counter) {
                continue;
            }
            let values = sum.values.iter().zip(&counter.values).map(|(sum, counter)| sum - factor * counter);
            let Some(bound) = values.max().filter(|bound| bound.abs() <= SMALL) else { continue };
            let (left, right) = ([(1, sum.term.read)], [(*factor, counter.term.read)]);
            if let Some(expr) = context.builder.compare_sums(BinOp::Le, &left, &right, bound) {
                context.push(expr);
            }
        }
    }
}

/// Proposes the least and the greatest value of `left - right` as bounds if they look meant.
fn bounds(
    context: &mut Context<'_, '_>,
    columns: &[Column],
    values: &[i128],
    left: &[(i128, &Column)],
    right: &[(i128, &Column)],
) {
    let Some((least, greatest)) = values.iter().min().copied().zip(values.iter().max().copied()) else { return };
    if least == greatest || columns.iter().any(|column| is_linear_in(values, column)) {
        return;
    }
    for (op, bound) in [(BinOp::Le, greatest), (BinOp::Ge, least)] {
        let is_meant = bound.abs() <= SMALL || context.scope.constants.binary_search(&bound).is_ok();
        if !is_meant
            || !context.is_often(|sample| values[sample] == bound)
            || !is_tight(values, bound, left.iter().chain(right).map(|(_, column)| *column))
        {
            continue;
        }
        let summands = |side: &[(i128, &Column)]| -> Vec<_> {
            side.iter().map(|(factor, column)| (*factor, column.term.read)).collect()
        };
        if let Some(expr) = context.builder.compare_sums(op, &summands(left), &summands(right), bound) {
            context.push(expr);
        }
    }
}

/// Whether the values are those of one variable, or their negatives, moved by a constant: bounds of that variable then say the same.
fn is_linear_in(values: &[i128], column: &Column) -> bool {
    let moved = |sign: i128| {
        let mut distances = values.iter().zip(&column.values).map(|(value, own)| value - sign * own);
        let first = distances.next();
        distances.all(|distance| Some(distance) == first)
    };
    moved(1) || moved(-1)
}
