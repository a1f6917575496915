//! Objectives as soft terms: a term that does not hold costs its weight.

use super::Objective;
use super::cycles::CycleEdges;
use crate::unrolled::Unrolled;
use cfa::types::TypeTable;
use cfa::{Type, TypeId};
use encode::{EventKind, InputPlace};
use logic::{TermId, TermPool};
use std::collections::BTreeMap;

/// Equal terms are one term with the sum of their weights; ordered, so that the search is the same every time.
pub type Soft = BTreeMap<TermId, u128>;

pub fn add(soft: &mut Soft, term: TermId, weight: u128) {
    let entry = soft.entry(term).or_insert(0);
    *entry = entry.saturating_add(weight);
}

pub fn list(soft: Soft) -> Vec<(TermId, u128)> {
    soft.into_iter().collect()
}

/// |value| where a guard holds. Signed: the bits of `x xor sign(x)` below the sign bit, and 1 for the sign itself; unsigned: all bits.
pub fn absolute(pool: &mut TermPool, types: &TypeTable, guard: TermId, ty: TypeId, value: TermId, soft: &mut Soft) {
    if !matches!(types.get(ty), Type::Int(_)) {
        return;
    }
    let width = pool.width(value);
    let sign = types.is_signed(ty).then(|| pool.bit(value, width - 1));
    let magnitude = if sign.is_some() { width - 1 } else { width };
    for index in 0..magnitude {
        let bit = pool.bit(value, index);
        let bit = match sign {
            Some(sign) => pool.xor(bit, sign),
            None => bit,
        };
        // Weights must not add up to 2^128: the largest 128-bit values all get the same weight.
        cost(pool, guard, bit, 1 << index.min(100), soft);
    }
    if let Some(sign) = sign {
        cost(pool, guard, sign, 1, soft);
    }
}

/// Costs a weight where a guard and a condition hold.
pub fn cost(pool: &mut TermPool, guard: TermId, cond: TermId, weight: u128, soft: &mut Soft) {
    let both = pool.and(guard, cond);
    let free = pool.not(both);
    if pool.as_bool(free) != Some(true) {
        add(soft, free, weight);
    }
}

/// What an objective costs on the unrolled program.
pub fn on_unrolled(unrolled: &mut Unrolled<'_, '_>, objective: Objective) -> Vec<(TermId, u128)> {
    let mut soft = Soft::new();
    if let (Objective::Cycles | Objective::Changes, Some(edges)) =
        (objective, CycleEdges::of(unrolled.failure.task.program))
    {
        match objective {
            Objective::Cycles => edges.iterations(unrolled, &mut soft),
            _ => edges.changes(unrolled, &mut soft),
        }
        return list(soft);
    }
    let giving = unrolled.giving();
    let program = unrolled.failure.task.program;
    let pool = &mut unrolled.encoder.pool;
    let always = pool.bool(true);
    match objective {
        Objective::Length => giving.iter().for_each(|one| cost(pool, one.event.guard, always, 1, &mut soft)),
        Objective::Values => {
            for one in &giving {
                if let Some((ty, value)) = one.event.value {
                    absolute(pool, &program.types, one.event.guard, ty, value, &mut soft);
                }
            }
        }
        Objective::Inputs => {
            for input in unrolled.unrolling.inputs.iter() {
                let width = pool.width(input.term);
                let zero = pool.bv(width, 0);
                let other = pool.ne(input.term, zero);
                cost(pool, input.guard, other, 1, &mut soft);
            }
        }
        Objective::Calls => {
            for event in unrolled.unrolling.events.iter().filter(|event| event.kind == EventKind::Call) {
                cost(pool, event.guard, always, 1, &mut soft);
            }
        }
        Objective::Cycles | Objective::Changes => {}
    }
    list(soft)
}

/// Preferences beyond the objectives, for readable runs: a short command line, few words first, then short ones; and inputs that are not negative.
pub fn pleasant(unrolled: &mut Unrolled<'_, '_>) -> Vec<(TermId, u128)> {
    let mut soft = Soft::new();
    if encode::reads_arguments(unrolled.failure.task) {
        command_line(unrolled, &mut soft);
    }
    let types = &unrolled.failure.task.program.types;
    for input in unrolled.unrolling.inputs.iter().filter(|input| types.is_signed(input.ty)) {
        let pool = &mut unrolled.encoder.pool;
        let sign = pool.bit(input.term, pool.width(input.term) - 1);
        cost(pool, input.guard, sign, 1, &mut soft);
    }
    list(soft)
}

fn command_line(unrolled: &mut Unrolled<'_, '_>, soft: &mut Soft) {
    let program = unrolled.failure.task.program;
    let pool = &mut unrolled.encoder.pool;
    let always = pool.bool(true);
    let is_main = program.function_name(unrolled.failure.task.entry) == "main";
    let counts =
        unrolled.unrolling.inputs.iter().filter(|input| is_main && matches!(input.source, InputPlace::Param(..)));
    let counts: Vec<TermId> = counts.map(|input| input.term).collect();
    let lengths: Vec<TermId> = unrolled.unrolling.words.iter().map(|word| word.length).collect();
    for (terms, scale) in [(counts, 16), (lengths, 0)] {
        for term in terms {
            for index in 0..pool.width(term).min(32) {
                let bit = pool.bit(term, index);
                cost(pool, always, bit, 1 << (index + scale), soft);
            }
        }
    }
}
