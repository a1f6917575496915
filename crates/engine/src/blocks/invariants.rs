//! What an abstraction says about loop heads, as candidates for invariants: one of the reachable abstract states holds, and so does every condition that
//! is in all of them.

use super::expression::{Name, Writer};
use super::steps::{START, Steps};
use candidates::build::Builder;
use cfa::{Anchor, BinOp, ExprId, LocId, Program, TypeId};
use evidence::Invariant;
use logic::TermId;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// A disjunction of more cubes is left out.
const MOST_CUBES: usize = 500;

/// The candidates, with their expressions added to the program. An abstract state is a place with conditions over its state that hold together.
/// What the function of a head cannot name, or C has no words for, is left out.
pub fn invariants(program: &mut Program, steps: &Steps<'_>, states: &[(usize, &[TermId])]) -> Vec<Invariant> {
    let mut builder = Builder::new(program);
    let mut heads: BTreeMap<LocId, BTreeSet<BTreeSet<ExprId>>> = BTreeMap::new();
    for place in &steps.places[START + 1..] {
        heads.entry(place.head.expect("only the start has none")).or_default();
    }
    let mut written: FxHashMap<TermId, Option<ExprId>> = FxHashMap::default();
    for (number, place) in steps.places.iter().enumerate().skip(START + 1) {
        let named = place.state.iter().zip(&place.names);
        let names: FxHashMap<TermId, Name> = named.filter_map(|(state, name)| Some((*state, (*name)?))).collect();
        let cubes = heads.entry(place.head.expect("only the start has none")).or_default();
        let mut writer = Writer { pool: &steps.system.encoder.pool, builder: &mut builder, names: &names };
        for (_, cube) in states.iter().filter(|(place, _)| *place == number) {
            let literals = cube
                .iter()
                .filter_map(|literal| *written.entry(*literal).or_insert_with(|| writer.condition(*literal)));
            cubes.insert(literals.collect());
        }
    }
    let mut found = Vec::new();
    for (head, cubes) in heads {
        let cubes = without_covered(cubes);
        let expr = |expr: ExprId| Invariant { anchor: Anchor::Head(head), expr };
        let Some(first) = cubes.first() else {
            found.push(expr(builder.constant(TypeId::INT, 0)));
            continue;
        };
        let common = first.iter().copied().filter(|literal| cubes.iter().all(|cube| cube.contains(literal)));
        found.extend(common.map(expr));
        if cubes.len() == 1 || cubes.len() > MOST_CUBES {
            continue;
        }
        let parts: Vec<ExprId> = cubes.iter().map(|cube| all(&mut builder, cube)).collect();
        found.extend(builder.any(&parts).map(expr));
    }
    found
}

/// The cubes that no other one covers.
fn without_covered(cubes: BTreeSet<BTreeSet<ExprId>>) -> Vec<BTreeSet<ExprId>> {
    let mut by_size: Vec<BTreeSet<ExprId>> = cubes.into_iter().collect();
    by_size.sort_by_key(BTreeSet::len);
    let mut kept: Vec<BTreeSet<ExprId>> = Vec::new();
    for cube in by_size {
        if !kept.iter().any(|other| other.is_subset(&cube)) {
            kept.push(cube);
        }
    }
    kept
}

fn all(builder: &mut Builder<'_>, literals: &BTreeSet<ExprId>) -> ExprId {
    let all = literals.iter().copied().reduce(|left, right| builder.binary(BinOp::And, left, right));
    all.unwrap_or_else(|| builder.constant(TypeId::INT, 1))
}
