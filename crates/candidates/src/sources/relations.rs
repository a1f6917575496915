//! Facts about two variables: equality, order as C compares them, and distances. At least one of the two is written in the loop; about the others
//! the loop changes nothing.

use super::{Column, Context, except_first, is_tight, orders};
use cfa::{BinOp, TypeId, eval};

/// Integer terms that are compared with each other.
const MAX_TERMS: usize = 16;
/// A distance that is no constant of the text is at most this.
const SMALL: i128 = 8;

pub fn propose(context: &mut Context<'_, '_>) {
    let mut columns = context.columns();
    // A written variable that had one value only is told by that.
    columns.retain(|column| !(column.term.written && column.is_constant()));
    columns.truncate(MAX_TERMS);
    for (index, left) in columns.iter().enumerate() {
        for right in &columns[index + 1..] {
            // Of a constant that no condition mentions, the order with everything else says nothing.
            let is_meant = |column: &Column| !column.is_constant() || column.term.in_condition;
            let changes = (left.term.written || right.term.written) && !(left.is_constant() && right.is_constant());
            if changes && is_meant(left) && is_meant(right) {
                order(context, left, right);
            }
        }
    }
    for (index, left) in columns.iter().enumerate() {
        for right in &columns[index + 1..] {
            if (left.term.written || right.term.written) && !left.is_constant() && !right.is_constant() {
                distance(context, left, right);
            }
        }
    }
    pointers(context);
}

/// `x == y`, `x <= y`, `x < y`, compared in the type that C compares in.
fn order(context: &mut Context<'_, '_>, left: &Column, right: &Column) {
    let types = &context.builder.program().types;
    let (Some(a), Some(b)) = (left.term.ty.int_kind(), right.term.ty.int_kind()) else { return };
    let common = TypeId::int(context.builder.common(a, b));
    let converted = |value: i128| eval::to_i128(types, common, eval::from_i128(types, common, value));
    let ops = orders(left.values.iter().zip(&right.values).map(|(a, b)| (converted(*a), converted(*b))));
    // `x <= y`, but `x < y` after the first round.
    let strict = match ops[..] {
        [BinOp::Le] => Some(BinOp::Lt),
        [BinOp::Ge] => Some(BinOp::Gt),
        _ => None,
    };
    if let Some(strict) = strict.filter(|_| left.term.written && right.term.written) {
        let fact = context.builder.compare(strict, left.term.read, right.term.read);
        except_first(context, fact);
    }
    // Most variables never meet; those that the text compares are told by the text.
    for op in ops.into_iter().filter(|op| *op != BinOp::Ne) {
        context.compare(op, left.term.read, right.term.read);
    }
}

/// `x == y + c` and `x <= y + c`.
fn distance(context: &mut Context<'_, '_>, left: &Column, right: &Column) {
    let differences: Vec<i128> = left.values.iter().zip(&right.values).map(|(a, b)| a - b).collect();
    let Some((least, greatest)) = differences.iter().min().copied().zip(differences.iter().max().copied()) else {
        return;
    };
    let (x, y) = ([(1, left.term.read)], [(1, right.term.read)]);
    if least == greatest {
        if least != 0 {
            let modular = context.builder.equal_modulo(&x, &y, least);
            context.push(modular);
            if let Some(exact) = context.builder.compare_sums(BinOp::Eq, &x, &y, least) {
                context.push(exact);
            }
        }
        return;
    }
    let constants = &context.scope.constants;
    let is_meant = |bound: i128| {
        bound.abs() <= SMALL || constants.binary_search(&bound).is_ok() || constants.binary_search(&-bound).is_ok()
    };
    for (op, bound, trivial) in [(BinOp::Le, greatest, [0, -1]), (BinOp::Ge, least, [0, 1])] {
        // With 0 and 1 it is an order.
        let reached = context.is_often(|sample| differences[sample] == bound)
            && is_tight(&differences, bound, [left, right].into_iter());
        let bound = match is_meant(bound) && reached {
            true => Some(bound),
            false if [left, right].iter().all(|column| column.term.in_condition && column.term.written) => {
                // It says nothing where the constant bounds one of the two, and the other one is not negative.
                let (greater, less) = if op == BinOp::Le { (left, right) } else { (right, left) };
                next_constant(constants, op, bound).filter(|next| less.least < 0 || greater.greatest > next.abs())
            }
            false => None,
        };
        if let Some(bound) = bound.filter(|bound| !trivial.contains(bound))
            && let Some(expr) = match op {
                BinOp::Ge if bound < 0 => context.builder.compare_sums(BinOp::Le, &y, &x, -bound),
                _ => context.builder.compare_sums(op, &x, &y, bound),
            }
        {
            context.push(expr);
        }
    }
}

/// The bound that a constant of the text suggests where runs did not get as far: the nearest one, or one less for a strict comparison.
fn next_constant(constants: &[i128], op: BinOp, bound: i128) -> Option<i128> {
    let of_text = constants.iter().filter(|constant| constant.abs() > SMALL);
    match op {
        BinOp::Le => of_text.flat_map(|constant| [constant - 1, *constant]).filter(|constant| *constant >= bound).min(),
        _ => of_text.flat_map(|constant| [-constant, 1 - constant]).filter(|constant| *constant <= bound).max(),
    }
}

/// `p == q` for pointers of one type.
fn pointers(context: &mut Context<'_, '_>) {
    let types = &context.builder.program().types;
    let terms = context.terms(|ty| types.is_pointer(ty));
    for (index, (left, a)) in terms.iter().enumerate() {
        for (right, b) in &terms[index + 1..] {
            if left.ty == right.ty && (left.written || right.written) && a == b {
                context.compare(BinOp::Eq, left.read, right.read);
            }
        }
    }
}
