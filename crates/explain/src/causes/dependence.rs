//! Causal dependence (Groce and Kroening 2005, definition 6.1): the failure depends on a predicate if the closest runs without it pass.
//!
//! If a candidate does not hold in the closest of all passing runs, that run is the closest passing one without it, and what is left to check is
//! that no run without the predicate fails at that distance or below: one question. Otherwise that distance has to be found first.

use super::candidates::CauseCandidate;
use super::distance;
use crate::unrolled::Unrolled;
use base::Budget;
use evidence::{Cause, Strength};
use logic::maxsat::{self, Optimization};
use logic::{Satisfiability, TermId};
use std::cmp::Reverse;

/// The runs that count: those that end regularly, and those that violate a property where the failing run does, or before. What happens later is
/// not compared, so a run that fails later says nothing about this failure.
#[derive(Clone, Copy)]
pub struct Executions {
    pub passing: TermId,
    pub fails_here: TermId,
    pub fails_anywhere: TermId,
}

/// More candidates are not checked, more causes not compared with each other.
const MAX_CANDIDATES: usize = 3000;
const MAX_CAUSES: usize = 500;
/// Candidates for which a distance has to be found, and causes whose strength is.
const MAX_SEARCHES: usize = 60;
const MAX_MEASURED: usize = 20;

struct Head {
    cause: Cause,
    term: TermId,
    rank: u8,
}

/// The strongest causes, and whether candidates were left out.
pub fn causes(
    unrolled: &mut Unrolled<'_, '_>,
    executions: Executions,
    soft: &[(TermId, u128)],
    distance: u64,
    candidates: Vec<CauseCandidate>,
    budget: &Budget,
) -> (Vec<Cause>, bool) {
    let points = soft.iter().flat_map(|(term, weight)| std::iter::repeat_n(*term, *weight as usize));
    let points: Vec<TermId> = points.collect();
    let close = distance::at_most_false(&mut unrolled.encoder.pool, &points, distance as usize);
    let mut more = candidates.len() > MAX_CANDIDATES;
    let mut found: Vec<CauseCandidate> = Vec::new();
    let mut searches = 0;
    for candidate in candidates.into_iter().take(MAX_CANDIDATES) {
        if found.len() == MAX_CAUSES {
            more = true;
            break;
        }
        // The same condition under another name is no other cause.
        if found.iter().any(|known| known.term == candidate.term) {
            continue;
        }
        let fails = match candidate.stays {
            false => can_hold(unrolled, &[executions.fails_here, close], candidate.term, budget),
            true if searches == MAX_SEARCHES => {
                more = true;
                continue;
            }
            true => {
                searches += 1;
                closest_fails(unrolled, executions, soft, candidate.term, budget)
            }
        };
        match fails {
            Some(false) => found.push(candidate),
            Some(true) => {}
            None => {
                more = true;
                break;
            }
        }
    }
    let any = unrolled.encoder.pool.or(executions.passing, executions.fails_here);
    let mut heads: Vec<Head> = Vec::new();
    for CauseCandidate { predicate, term, rank, .. } in found {
        // What is not known to follow stands by itself, and nothing is hidden behind what is harder to understand.
        let mut follows = |from: TermId, what: TermId| can_hold(unrolled, &[any, from], what, budget) == Some(false);
        if let Some(head) = heads.iter_mut().find(|head| follows(head.term, term)) {
            head.cause.subsumes.push(predicate);
            continue;
        }
        let mut subsumes = Vec::new();
        heads.retain_mut(|head| {
            let weaker = head.rank == rank && follows(term, head.term);
            if weaker {
                subsumes.push(head.cause.predicate);
                subsumes.append(&mut head.cause.subsumes);
            }
            !weaker
        });
        heads.push(Head { cause: Cause { predicate, strength: Strength::Unknown, subsumes }, term, rank });
    }
    for head in heads.iter_mut().take(MAX_MEASURED) {
        head.cause.strength = strength(unrolled, executions, soft, distance, head.term, budget);
    }
    heads.sort_by_key(|head| (head.cause.strength, head.rank));
    (heads.into_iter().map(|head| head.cause).collect(), more)
}

/// How much farther one has to go to fail without a predicate.
fn strength(
    unrolled: &mut Unrolled<'_, '_>,
    executions: Executions,
    soft: &[(TermId, u128)],
    distance: u64,
    predicate: TermId,
    budget: &Budget,
) -> Strength {
    let pool = &mut unrolled.encoder.pool;
    let without = pool.not(predicate);
    let hard = [executions.fails_here, without];
    match maxsat::minimize(pool, &mut unrolled.solver, &hard, soft, budget) {
        Optimization::Infeasible(_) => match can_hold(unrolled, &[executions.fails_anywhere], predicate, budget) {
            Some(false) => Strength::Necessary,
            Some(true) | None => Strength::NecessaryHere,
        },
        Optimization::Found(found) if found.proven => {
            Strength::Farther(Reverse((found.cost as u64).saturating_sub(distance)))
        }
        Optimization::Found(_) | Optimization::Unknown { .. } => Strength::Unknown,
    }
}

/// Whether one of the runs without the predicate that are closest to the failing one fails, or none passes.
fn closest_fails(
    unrolled: &mut Unrolled<'_, '_>,
    executions: Executions,
    soft: &[(TermId, u128)],
    predicate: TermId,
    budget: &Budget,
) -> Option<bool> {
    let pool = &mut unrolled.encoder.pool;
    let (any, without) = (pool.or(executions.passing, executions.fails_here), pool.not(predicate));
    let found = match maxsat::minimize(pool, &mut unrolled.solver, &[any, without], soft, budget) {
        Optimization::Found(found) if found.proven => found,
        // It always holds.
        Optimization::Infeasible(_) => return Some(true),
        Optimization::Found(_) | Optimization::Unknown { .. } => return None,
    };
    if found.model.bool(pool, executions.fails_here) {
        return Some(true);
    }
    let hard = [executions.fails_here, without];
    match maxsat::minimize_under(pool, &mut unrolled.solver, &hard, &found.optimal, &[], budget) {
        Optimization::Found(_) => Some(true),
        Optimization::Infeasible(_) => Some(false),
        Optimization::Unknown { .. } => None,
    }
}

/// Whether some run with these conditions is without the predicate.
fn can_hold(
    unrolled: &mut Unrolled<'_, '_>,
    conditions: &[TermId],
    predicate: TermId,
    budget: &Budget,
) -> Option<bool> {
    let mut assumed = conditions.to_vec();
    assumed.push(unrolled.encoder.pool.not(predicate));
    match unrolled.solver.check(&unrolled.encoder.pool, &assumed, budget) {
        Satisfiability::Sat(_) => Some(true),
        Satisfiability::Unsat(_) => Some(false),
        Satisfiability::Unknown => None,
    }
}
