//! Values of two variables that do not occur together: `pc != a | flag != b`, for variables that the text assigns constants to. Unlike implications they also speak
//! about values that no run reached, and each of them can be wrong alone.

use super::{Column, Context};
use cfa::BinOp;
use rustc_hash::FxHashSet;

/// Variables that are combined, and combinations of their values.
const MAX_VARIABLES: usize = 8;
const MAX_COMBINATIONS: usize = 200;
const MAX_EXCLUSIONS: usize = 120;

pub fn propose(context: &mut Context<'_, '_>) {
    let scope = context.scope;
    let columns = context.columns();
    let mut machines: Vec<(&Column, &[i128])> = Vec::new();
    for column in columns.iter().filter(|column| column.term.written && column.term.in_condition) {
        let known = scope.term_of(column.term.place).and_then(|term| scope.assigned[term].as_deref());
        // A value that the text does not assign is one of an uninitialized variable.
        let values = known.filter(|values| column.values.iter().all(|value| values.binary_search(value).is_ok()));
        machines.extend(values.filter(|values| values.len() > 1).map(|values| (column, values)));
    }
    // Program counters first.
    machines.sort_by_key(|(_, values)| std::cmp::Reverse(values.len()));
    machines.truncate(MAX_VARIABLES);
    for (index, (left, left_values)) in machines.iter().enumerate() {
        for (right, right_values) in &machines[index + 1..] {
            if left_values.len() * right_values.len() <= MAX_COMBINATIONS {
                exclude(context, (left, left_values), (right, right_values));
            }
        }
    }
}

fn exclude(
    context: &mut Context<'_, '_>,
    (left, left_values): (&Column, &[i128]),
    (right, right_values): (&Column, &[i128]),
) {
    let seen: FxHashSet<(i128, i128)> = left.values.iter().copied().zip(right.values.iter().copied()).collect();
    for a in left_values {
        for b in right_values.iter().filter(|b| !seen.contains(&(*a, **b))) {
            if context.count() >= MAX_EXCLUSIONS {
                return;
            }
            let parts = [(left, a), (right, b)]
                .map(|(column, value)| context.builder.compare_constant(BinOp::Ne, column.term.read, *value));
            if let Some(any) = context.builder.any(&parts) {
                context.push(any);
            }
        }
    }
}
