//! Is a proof one? Shapes are checked by [`shapes::check`].
//!
//! Is a proof by invariants one? The engine that found it is not asked: the program is executed once more with its loops cut and nothing assumed but
//! the stated invariants, by a new encoder and a new solver. Every obligation and every invariant is asked about.

use base::Budget;
use cfa::{EdgeId, LocId, Task};
use encode::{Bounds, Cut, Encoder, GuardedCandidate, Monitor, Unrolling, address_was_looked_at, on_large_stack};
use evidence::{Invariants, Proof, ShapeProof};
use logic::{Satisfiability, Solver, TermId, TermPool};
use shapes::{Shapes, Trouble};

/// What is wrong with a proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// An invariant, by its number, does not hold when the loop is entered or after a round, or a clause of a contract at some call or return.
    NotInductive(usize),
    /// The invariants do not exclude that something goes wrong on this edge.
    NotSufficient(EdgeId),
    /// A run may have memory of another shape at this loop head.
    NotCovered(LocId),
    /// The check did not end in time, or addresses matter, which it does not follow.
    NotChecked,
}

/// Checks a proof that consists of more than the program.
pub fn check_proof(proof: &Proof, task: Task<'_>, budget: &Budget) -> Result<(), Flaw> {
    match proof {
        Proof::Unwound { .. } | Proof::Executed { .. } => Ok(()),
        Proof::Invariants(invariants) => check(invariants, task, budget),
        Proof::Shapes(shapes) => check_shapes(shapes, task, budget),
    }
}

fn check_shapes(proof: &ShapeProof, task: Task<'_>, budget: &Budget) -> Result<(), Flaw> {
    let Some(states) = proof.certificate.downcast_ref::<Shapes>() else { return Err(Flaw::NotChecked) };
    match shapes::check(states, task, budget) {
        Ok(()) => Ok(()),
        Err(shapes::Flaw::NotCovered(head)) => Err(Flaw::NotCovered(head)),
        Err(shapes::Flaw::OutOfTime | shapes::Flaw::Trouble(Trouble::Limit)) => Err(Flaw::NotChecked),
        Err(shapes::Flaw::Trouble(
            Trouble::MayFail(edge) | Trouble::Unsupported(edge, _) | Trouble::LeftOpen(edge, _),
        )) => Err(Flaw::NotSufficient(edge)),
    }
}

/// Checks that invariants are inductive and that nothing can go wrong where they hold. They are about the task's program with more expressions.
pub fn check(proof: &Invariants, task: Task<'_>, budget: &Budget) -> Result<(), Flaw> {
    on_large_stack(|| inductive(proof, task, budget))
}

/// Executes the program of a proof with its loops cut and its invariants assumed. Not checked if that did not end in time, or addresses matter.
pub(crate) fn cut_loops<'p>(
    proof: &'p Invariants,
    task: Task<'_>,
    monitor: Option<Box<dyn Monitor + 'p>>,
    budget: &Budget,
) -> Result<(Encoder<'p>, Unrolling), Flaw> {
    let mut encoder = Encoder::new(task.about(&proof.program));
    let mut cut = Cut { rounds: proof.rounds, unwind: proof.unwind, ..Cut::default() };
    let always = encoder.pool.bool(true);
    for (number, invariant) in proof.conditions.iter().enumerate() {
        let candidate = GuardedCandidate { number: number as u32, expr: invariant.expr, selector: always };
        if !cut.add(&proof.program, invariant.anchor, candidate) {
            return Err(Flaw::NotInductive(number));
        }
    }
    encoder.cut = Some(cut);
    encoder.monitor = monitor;
    let bounds = Bounds { unwind: proof.rounds, decided: 0, steps: 0 };
    let unrolling = encoder.unroll(bounds, budget);
    match unrolling.interrupted || address_was_looked_at(&encoder.pool) {
        true => Err(Flaw::NotChecked),
        false => Ok((encoder, unrolling)),
    }
}

/// What is asked of a solver in [`check`], for tests that ask another one: the proof is none if the term can hold.
pub fn question(proof: &Invariants, task: Task<'_>, budget: &Budget) -> Result<(TermPool, TermId), Flaw> {
    on_large_stack(|| {
        let (mut encoder, unrolling) = cut_loops(proof, task, None, budget)?;
        let (_, any) = flaws(&mut encoder, &unrolling);
        Ok((encoder.pool, any))
    })
}

/// What may be wrong, each with the term that says so, and a term for any of them.
fn flaws(encoder: &mut Encoder<'_>, unrolling: &Unrolling) -> (Vec<(Flaw, TermId)>, TermId) {
    let mut asked: Vec<(Flaw, TermId)> = Vec::new();
    asked.extend(unrolling.broken.iter().map(|(number, cond)| (Flaw::NotInductive(*number as usize), *cond)));
    asked.extend(unrolling.obligations.iter().map(|one| (Flaw::NotSufficient(one.edge), one.cond)));
    let conds: Vec<TermId> = asked.iter().map(|(_, cond)| *cond).collect();
    let any = encoder.pool.or_all(&conds);
    (asked, any)
}

fn inductive(proof: &Invariants, task: Task<'_>, budget: &Budget) -> Result<(), Flaw> {
    let (mut encoder, unrolling) = cut_loops(proof, task, None, budget)?;
    let (asked, any) = flaws(&mut encoder, &unrolling);
    if encoder.pool.as_bool(any) == Some(false) {
        return Ok(());
    }
    match Solver::new().check(&encoder.pool, &[any], budget) {
        Satisfiability::Unsat(_) => Ok(()),
        Satisfiability::Unknown => Err(Flaw::NotChecked),
        Satisfiability::Sat(model) => {
            let found = asked.into_iter().find(|(_, cond)| model.bool(&encoder.pool, *cond));
            Err(found.map_or(Flaw::NotChecked, |(flaw, _)| flaw))
        }
    }
}
