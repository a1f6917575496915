//! Is a proof by invariants one? The engine that found it is not asked: the program is executed once more with its loops cut and nothing assumed but
//! the stated invariants, by a new encoder and a new solver. Every obligation and every invariant is asked about.

use base::Budget;
use cfa::{EdgeId, FuncId, PropertySet};
use encode::{Bounds, Candidate, Cut, Encoder, address_was_looked_at, on_large_stack};
use evidence::Invariants;
use logic::{Outcome, Solver, TermId};

/// What is wrong with a proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// An invariant, by its number, does not hold when the loop is entered or after a round, or a clause of a contract at some call or return.
    NotInductive(usize),
    /// The invariants do not exclude that something goes wrong on this edge.
    NotSufficient(EdgeId),
    /// The check did not end in time, or addresses matter, which it does not follow.
    NotChecked,
}

/// Checks that invariants are inductive and that nothing can go wrong where they hold.
pub fn check(proof: &Invariants, entry: FuncId, properties: PropertySet, budget: &Budget) -> Result<(), Flaw> {
    on_large_stack(|| inductive(proof, entry, properties, budget))
}

fn inductive(proof: &Invariants, entry: FuncId, properties: PropertySet, budget: &Budget) -> Result<(), Flaw> {
    let mut encoder = Encoder::new(&proof.program);
    let mut cut = Cut { rounds: proof.rounds, unwind: proof.unwind, ..Cut::default() };
    let always = encoder.pool.bool(true);
    for (number, invariant) in proof.conditions.iter().enumerate() {
        let candidate = Candidate { number: number as u32, expr: invariant.expr, selector: always };
        if !cut.add(&proof.program, invariant.anchor, candidate) {
            return Err(Flaw::NotInductive(number));
        }
    }
    encoder.cut = Some(cut);
    let bounds = Bounds { unwind: proof.rounds, decided: 0, steps: 0, properties };
    let unrolling = encoder.unroll(entry, bounds, budget);
    if unrolling.interrupted || address_was_looked_at(&encoder.pool) {
        return Err(Flaw::NotChecked);
    }
    let mut asked: Vec<(Flaw, TermId)> = Vec::new();
    asked.extend(unrolling.broken.iter().map(|(number, cond)| (Flaw::NotInductive(*number as usize), *cond)));
    asked.extend(unrolling.obligations.iter().map(|one| (Flaw::NotSufficient(one.edge), one.cond)));
    let conds: Vec<TermId> = asked.iter().map(|(_, cond)| *cond).collect();
    let any = encoder.pool.or_all(&conds);
    if encoder.pool.as_bool(any) == Some(false) {
        return Ok(());
    }
    match Solver::new().check(&encoder.pool, &[any], budget) {
        Outcome::Unsat(_) => Ok(()),
        Outcome::Unknown => Err(Flaw::NotChecked),
        Outcome::Sat(model) => {
            let found = asked.into_iter().find(|(_, cond)| model.bool(&encoder.pool, *cond));
            Err(found.map_or(Flaw::NotChecked, |(flaw, _)| flaw))
        }
    }
}
