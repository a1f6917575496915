//! Facts about one variable: its only value, the few values it has, and bounds. A bound is proposed if it is a constant of the text or next to one, or if
//! runs reached it often: the least number that happened to be seen is no bound.

use super::{Column, Context, one_of};
use crate::scope::Term;
use cfa::{BinOp, Bits, TypeId, eval};
use std::collections::{BTreeMap, BTreeSet};

/// Values of a variable that are listed.
const MAX_VALUES: usize = 8;
/// Constants of the text that bound one variable on one side.
const MAX_BOUNDS: usize = 2;

pub fn propose(context: &mut Context<'_, '_>) {
    let nice = nice_constants(&context.scope.constants);
    for column in context.columns().iter().filter(|column| column.term.written) {
        if column.is_constant() {
            context.compare_constant(BinOp::Eq, column.term.read, column.least);
        }
        bounds(context, column, &nice);
        values(context, column);
        if column.least < 0 && column.greatest > 0 && !column.values.contains(&0) {
            context.compare_constant(BinOp::Ne, column.term.read, 0);
        }
    }
    let types = &context.builder.program().types;
    let pointers = context.terms(|ty| types.is_pointer(ty));
    for (term, values) in pointers.into_iter().filter(|(term, _)| term.written) {
        let op = match values.iter().filter(|bits| bits.is_zero()).count() {
            0 => BinOp::Ne,
            zeros if zeros == values.len() => BinOp::Eq,
            _ => continue,
        };
        let null = context.builder.bits(term.ty, Bits::ZERO);
        context.compare(op, term.read, null);
    }
    for (term, values) in context.terms(|ty| ty.float_kind().is_some()).into_iter().filter(|(term, _)| term.written) {
        floats(context, term, &values);
    }
}

/// Numbers that the tightest bound may be: 0, 1, -1, and constants of the text with their neighbours, ascending.
fn nice_constants(constants: &[i128]) -> Vec<i128> {
    let near =
        constants.iter().flat_map(|constant| [constant.saturating_sub(1), *constant, constant.saturating_add(1)]);
    near.chain([-1, 0, 1]).collect::<BTreeSet<_>>().into_iter().collect()
}

fn bounds(context: &mut Context<'_, '_>, column: &Column, nice: &[i128]) {
    let (least, greatest) = (column.least, column.greatest);
    let types = &context.builder.program().types;
    let (width, signed) = (types.scalar_bits(column.term.ty), types.is_signed(column.term.ty));
    // Bounds that every value of the type satisfies say nothing.
    let (bottom, top) = match signed {
        true => (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1),
        false => (0, (1i128 << width) - 1),
    };
    let often = |context: &Context<'_, '_>, bound: i128| {
        column.is_constant() || context.is_often(|sample| column.values[sample] == bound)
    };
    let constants = &context.scope.constants;
    // Zero is the bound that matters most, also where the text does not mention it.
    let mut below: Vec<i128> = nice.iter().rev().find(|bound| **bound <= least).copied().into_iter().collect();
    below.extend((least >= 0).then_some(0));
    if often(context, least) {
        below.push(least);
    }
    // Where runs often get to a constant of the text, the next one says little more.
    if !(often(context, least) && below.first() == Some(&least)) {
        below.extend(constants.iter().rev().filter(|bound| **bound <= least).take(MAX_BOUNDS));
    }
    let mut above: Vec<i128> = nice.iter().find(|bound| **bound >= greatest).copied().into_iter().collect();
    above.extend((greatest <= 0).then_some(0));
    if often(context, greatest) {
        above.push(greatest);
    }
    if !(often(context, greatest) && above.first() == Some(&greatest)) {
        above.extend(constants.iter().filter(|bound| **bound >= greatest).take(MAX_BOUNDS));
    }
    for bound in below.into_iter().filter(|bound| *bound > bottom) {
        context.compare_constant(BinOp::Ge, column.term.read, bound);
    }
    for bound in above.into_iter().filter(|bound| *bound < top) {
        context.compare_constant(BinOp::Le, column.term.read, bound);
    }
}

/// `x == a | x == b | …`, where there are few values and each of them occurs often.
fn values(context: &mut Context<'_, '_>, column: &Column) {
    let mut counts: BTreeMap<i128, u32> = BTreeMap::new();
    for (value, sample) in column.values.iter().zip(&context.samples.samples) {
        *counts.entry(*value).or_insert(0) += sample.visits;
    }
    let distinct: Vec<i128> = counts.keys().copied().collect();
    // A variable that is a counter has many values with few samples each.
    let whole_run = column.values.len() <= MAX_VALUES;
    let rare = !whole_run && distinct.len() > 2 && counts.values().any(|count| *count < 2);
    if !(2..=MAX_VALUES).contains(&distinct.len()) || rare {
        return;
    }
    one_of(context, column.term.read, &distinct);
}

/// Of floats: the only value, and the sign.
fn floats(context: &mut Context<'_, '_>, term: Term, values: &[Bits]) {
    let types = &context.builder.program().types;
    let number = |bits: Bits| eval::to_f64(eval::cast(types, term.ty, TypeId::DOUBLE, bits));
    let numbers: Vec<f64> = values.iter().map(|bits| number(*bits)).collect();
    if numbers.iter().any(|number| number.is_nan()) {
        return;
    }
    let constant = |value: f64| eval::cast(types, TypeId::DOUBLE, term.ty, eval::from_f64(value));
    let mut facts = Vec::new();
    if values.iter().all(|bits| *bits == values[0]) {
        facts.push((BinOp::Eq, values[0]));
    }
    let (least, greatest) =
        numbers.iter().fold((f64::MAX, f64::MIN), |(a, b), number| (a.min(*number), b.max(*number)));
    for bound in [least.floor(), 0.0, 1.0, -1.0].into_iter().filter(|bound| *bound <= least) {
        facts.push((BinOp::Ge, constant(bound)));
    }
    for bound in [greatest.ceil(), 0.0, 1.0, -1.0].into_iter().filter(|bound| *bound >= greatest) {
        facts.push((BinOp::Le, constant(bound)));
    }
    for (op, bits) in facts {
        let constant = context.builder.bits(term.ty, bits);
        context.compare(op, term.read, constant);
    }
}
