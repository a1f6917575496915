//! Equalities of degree two, such as `2*s == i*i + i`: the nullspace of the values of all products of two variables. They are proposed modulo the width of the
//! variables, which is how the program computes, and modulo 2^64 if the text computes with so many bits.

use super::algebra::nullspace;
use super::{Column, Context, distinct};
use crate::build::Summand;
use cfa::{BinOp, ExprId, IntKind, TypeId};

const MAX_VARIABLES: usize = 5;
/// Greater values are left out; they may have wrapped around.
const LARGE: i128 = 1 << 28;
const MAX_EQUALITIES: usize = 8;
/// Summands of an equality; longer ones are accidents of the samples.
const MAX_SUMMANDS: usize = 6;
/// Different values of a variable.
const MIN_VALUES: usize = 5;

pub fn propose(context: &mut Context<'_, '_>) {
    // Products are expensive to reason about, and a program without any rarely needs one.
    if !context.scope.multiplies {
        return;
    }
    let mut columns = context.columns();
    // The square of a flag is the flag.
    columns.retain(|column| distinct(&column.values) >= MIN_VALUES);
    let columns = independent(columns);
    // The more variables, the more samples are needed.
    for size in (1..=columns.len().min(MAX_VARIABLES)).rev() {
        if equalities(context, &columns[..size]) {
            return;
        }
    }
}

fn usable(columns: &[Column]) -> Vec<usize> {
    let count = columns.first().map_or(0, |column| column.values.len());
    (0..count).filter(|row| columns.iter().all(|column| column.values[*row].abs() < LARGE)).collect()
}

/// The columns without those that are linear in the ones before: an equality about them follows from the linear one.
fn independent(columns: Vec<Column>) -> Vec<Column> {
    let mut kept: Vec<Column> = Vec::new();
    for column in columns {
        kept.push(column);
        let rows: Vec<Vec<i128>> = usable(&kept)
            .into_iter()
            .map(|row| kept.iter().map(|column| column.values[row]).chain([1]).collect())
            .collect();
        if !nullspace(&rows).is_empty() {
            kept.pop();
        }
    }
    kept
}

/// Pairs of columns that are multiplied, by index.
fn products(count: usize) -> Vec<(usize, usize)> {
    (0..count).flat_map(|a| (a..count).map(move |b| (a, b))).collect()
}

/// False if there are too few samples for so many variables.
fn equalities(context: &mut Context<'_, '_>, columns: &[Column]) -> bool {
    let products = products(columns.len());
    let mut rows: Vec<Vec<i128>> = usable(columns)
        .into_iter()
        .map(|row| {
            let value = |index: usize| columns[index].values[row];
            let squares = products.iter().map(|(a, b)| value(*a) * value(*b));
            (0..columns.len()).map(value).chain(squares).chain([1]).collect()
        })
        .collect();
    rows.sort_unstable();
    rows.dedup();
    if rows.len() < columns.len() + products.len() + 3 {
        return false;
    }
    for vector in nullspace(&rows).into_iter().take(MAX_EQUALITIES) {
        let (constant, factors) = vector.split_last().expect("there is a column of ones");
        let (single, double) = factors.split_at(columns.len());
        let summands = factors.iter().filter(|factor| **factor != 0).count();
        let linear = double.iter().all(|factor| *factor == 0);
        if linear || summands > MAX_SUMMANDS || has_common_factor(single, &products, double, *constant) {
            continue;
        }
        let widest = columns.iter().filter_map(|column| column.term.ty.int_kind()).max_by_key(|kind| kind.rank());
        let own = context.builder.common(widest.unwrap_or(IntKind::Int), IntKind::Int).to_unsigned();
        equality(context, columns, own, single, (&products, double), -constant);
        if has_wide_arithmetic(context) {
            equality(context, columns, IntKind::ULongLong, single, (&products, double), -constant);
        }
    }
    true
}

/// Whether one variable occurs in all summands: the equality then says that it is zero or a linear equality holds.
fn has_common_factor(single: &[i128], products: &[(usize, usize)], double: &[i128], constant: i128) -> bool {
    let divides = |variable: usize| {
        let alone = single.iter().enumerate().all(|(index, factor)| *factor == 0 || index == variable);
        alone && products.iter().zip(double).all(|((a, b), factor)| *factor == 0 || *a == variable || *b == variable)
    };
    constant == 0 && (0..single.len()).any(divides)
}

fn equality(
    context: &mut Context<'_, '_>,
    columns: &[Column],
    kind: IntKind,
    single: &[i128],
    (products, double): (&[(usize, usize)], &[i128]),
    constant: i128,
) {
    let ty = TypeId::int(kind);
    let mut written = false;
    let mut summands: Vec<Summand> = Vec::new();
    for (factor, column) in single.iter().zip(columns).filter(|(factor, _)| **factor != 0) {
        written |= column.term.written;
        summands.push((*factor, context.builder.cast(column.term.read, ty)));
    }
    for (factor, (a, b)) in double.iter().zip(products).filter(|(factor, _)| **factor != 0) {
        let (left, right) = (&columns[*a].term, &columns[*b].term);
        written |= left.written || right.written;
        let operands: [ExprId; 2] = [left, right].map(|term| context.builder.cast(term.read, ty));
        summands.push((*factor, context.builder.binary(BinOp::Mul, operands[0], operands[1])));
    }
    if written {
        let side = |sign: i128| -> Vec<Summand> {
            let side = summands.iter().filter(|(factor, _)| factor * sign > 0);
            side.map(|(factor, expr)| (factor * sign, *expr)).collect()
        };
        let (left, right) = (side(1), side(-1));
        let (left, right, constant) = if left.is_empty() { (right, left, -constant) } else { (left, right, constant) };
        let equal = context.builder.equal_modulo(&left, &right, constant);
        context.push(equal);
    }
}

/// Whether a condition of the text compares integers of 64 bits.
fn has_wide_arithmetic(context: &Context<'_, '_>) -> bool {
    let program = context.builder.program();
    context.scope.conditions.iter().any(|condition| match program.exprs[condition.expr].kind {
        cfa::ExprKind::Binary(_, left, _) => {
            let kind = program.exprs[left].ty.int_kind();
            kind.is_some_and(|kind| kind.bits(program.model()) == 64)
        }
        _ => false,
    })
}
