//! Functions of one number as tables: `n != 7 | \result == 13`. Runs see only the first values, since deep recursion takes long; the others are computed
//! from the recurrence that the first ones satisfy, `f(n) = a * f(n-1) + b * f(n-2) + c`, up to the constants of the text that may bound the argument.

use super::algebra::nullspace;
use super::{Column, Context};
use crate::scope::Recorded;
use cfa::{BinOp, eval};
use std::collections::BTreeMap;

/// Rows of a table, and how many samples in a row show the recurrence.
const MAX_ROWS: i128 = 64;
const MIN_ROWS: usize = 7;
const MAX_FACTOR: i128 = 64;

pub fn propose(context: &mut Context<'_, '_>) {
    let columns = context.columns();
    for argument in columns.iter().filter(|column| matches!(column.term.recorded, Recorded::AtCall(_))) {
        for result in columns.iter().filter(|column| column.term.recorded == Recorded::Returned) {
            table(context, argument, result);
        }
    }
}

fn table(context: &mut Context<'_, '_>, argument: &Column, result: &Column) {
    let mut known: BTreeMap<i128, i128> = BTreeMap::new();
    for (at, value) in argument.values.iter().zip(&result.values) {
        // It depends on more than this argument.
        if known.insert(*at, *value).is_some_and(|other| other != *value) {
            return;
        }
    }
    let Some((first, values)) = longest_run(&known) else { return };
    // Below, there may be base cases that do not satisfy it.
    let starts = 0..(values.len() + 1).saturating_sub(MIN_ROWS);
    let Some((start, [a, b, c])) = starts.into_iter().find_map(|start| Some((start, recurrence(&values[start..])?)))
    else {
        return;
    };
    let (first, values) = (first + start as i128, values[start..].to_vec());
    // Lines are told by linear equalities.
    if (a, b) == (2, -1) && c == 0 || (a, b) == (1, 0) {
        return;
    }
    let last_seen = first + values.len() as i128 - 1;
    let last = context.scope.constants.iter().copied().filter(|one| (last_seen..first + MAX_ROWS).contains(one)).max();
    let last = last.unwrap_or(last_seen);
    let mut values = values;
    let (types, ty) = (&context.builder.program().types, result.term.ty);
    while first + (values.len() as i128) <= last {
        let [.., before, previous] = values[..] else { return };
        let next = a * previous + b * before + c;
        values.push(eval::to_i128(types, ty, eval::from_i128(types, ty, next)));
    }
    for (row, value) in values.into_iter().enumerate() {
        let other = context.builder.compare_constant(BinOp::Ne, argument.term.read, first + row as i128);
        let equal = context.builder.compare_constant(BinOp::Eq, result.term.read, value);
        if let Some(either) = context.builder.any(&[other, equal]) {
            context.push(either);
        }
    }
}

/// The longest row of neighbouring arguments, and their values.
fn longest_run(known: &BTreeMap<i128, i128>) -> Option<(i128, Vec<i128>)> {
    let mut best: Option<(i128, Vec<i128>)> = None;
    let mut run: Option<(i128, Vec<i128>)> = None;
    for (at, value) in known {
        match &mut run {
            Some((first, values)) if *first + values.len() as i128 == *at => values.push(*value),
            _ => run = Some((*at, vec![*value])),
        }
        let length = |one: &Option<(i128, Vec<i128>)>| one.as_ref().map_or(0, |(_, values)| values.len());
        if length(&run) > length(&best) {
            best = run.clone();
        }
    }
    best
}

/// Small whole `a`, `b`, `c` with `f(n) = a * f(n-1) + b * f(n-2) + c`.
fn recurrence(values: &[i128]) -> Option<[i128; 3]> {
    let rows: Vec<Vec<i128>> = values.windows(3).map(|three| vec![three[2], three[1], three[0], 1]).collect();
    let small = |value: &i128| value.abs() < 1 << 40;
    let changes = values.iter().skip(2).any(|one| *one != values[0]);
    if !values.iter().all(small) || !changes {
        return None;
    }
    let found = nullspace(&rows);
    for vector in found {
        let [next, previous, before, one] = vector[..] else { continue };
        if next.abs() == 1 && [previous, before, one].iter().all(|factor| factor.abs() <= MAX_FACTOR) {
            return Some([-previous / next, -before / next, -one / next]);
        }
    }
    None
}
