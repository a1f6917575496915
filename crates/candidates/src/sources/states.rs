//! All states of a finite machine: where variables with few values have few combinations, the disjunction of these. If the runs saw all of them, it is
//! inductive by itself; if not, it is wrong, and nothing is lost.

use super::{Column, Context, distinct};
use cfa::{BinOp, ExprId};
use std::collections::BTreeSet;

/// Values of one variable, variables, and combinations.
const MAX_VALUES: usize = 10;
const MAX_VARIABLES: usize = 12;
const MAX_STATES: usize = 64;

pub fn propose(context: &mut Context<'_, '_>) {
    let mut columns = context.columns();
    columns.retain(|column| column.term.written && (2..=MAX_VALUES).contains(&distinct(&column.values)));
    columns.truncate(MAX_VARIABLES);
    if !table(context, &columns) {
        columns.retain(|column| column.term.in_condition);
        table(context, &columns);
    }
}

/// False if there are too many combinations.
fn table(context: &mut Context<'_, '_>, columns: &[Column]) -> bool {
    let rows = columns.first().map_or(0, |column| column.values.len());
    let state = |row: usize| -> Vec<i128> { columns.iter().map(|column| column.values[row]).collect() };
    let states: BTreeSet<Vec<i128>> = (0..rows).map(state).collect();
    let all: usize = columns.iter().map(|column| distinct(&column.values)).fold(1, usize::saturating_mul);
    if states.len() > MAX_STATES {
        return false;
    }
    // One variable alone, and variables that have nothing to do with each other, are told by their values.
    if columns.len() < 2 || states.len() == all {
        return true;
    }
    let each: Vec<ExprId> = states.iter().map(|state| conjunction(context, columns, state)).collect();
    if let Some(any) = context.builder.any(&each) {
        context.push(any);
    }
    true
}

/// `x == a & y == b & …`
fn conjunction(context: &mut Context<'_, '_>, columns: &[Column], state: &[i128]) -> ExprId {
    let mut parts = columns.iter().zip(state);
    let first = parts.next().expect("a table has columns");
    let equal = |context: &mut Context<'_, '_>, (column, value): (&Column, &i128)| {
        context.builder.compare_constant(BinOp::Eq, column.term.read, *value)
    };
    let first = equal(context, first);
    parts.fold(first, |all, part| {
        let part = equal(context, part);
        context.builder.binary(BinOp::And, all, part)
    })
}
