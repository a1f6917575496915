//! Questions to the solver about a program that is unrolled further and further.

use crate::Answer;
use base::Budget;
use cfa::interp::Outcome;
use encode::{Bounds, Encoder, Obligation, ObligationKind, Unrolling, address_was_looked_at};
use logic::{Model, Solver, TermId, TermPool};

/// What the first round may do without counting; later rounds may do four times as much each.
const FIRST_STEPS: u64 = 50_000;
const FIRST_DECIDED: u32 = 8;
const MAX_BOUND: u32 = 1 << 20;

/// Steps of a replay: what is found within the bounds is not far away.
pub const REPLAY_STEPS: u64 = 200_000_000;

pub struct Prover<'p> {
    pub encoder: Encoder<'p>,
    pub solver: Solver,
    pub budget: &'p Budget,
}

pub enum Reachable {
    Never,
    Yes(Model),
    /// On no run that could be replayed.
    OutOfReach,
    Unknown,
}

/// What is left of the runs once nothing is violated.
pub enum Left {
    Nothing,
    /// There is more behind the bound.
    Deeper,
    /// Something that is not modelled.
    Unmodelled(String),
    Unknown,
}

const ADDRESSES: &str = "C does not say what happens: the addresses of objects came up as numbers";

/// What it means that the interpreter does not confirm a run: it has other addresses, or this is a bug.
pub fn not_replayed(pool: &TermPool, unrolling: &Unrolling, outcome: Outcome) -> (Answer, String) {
    match unrolling.numbers_as_pointers || address_was_looked_at(pool) {
        true => (Answer::Undecided, ADDRESSES.into()),
        false => {
            (Answer::OwnBug, format!("a run was found that does not replay ({outcome:?}): please report this as a bug"))
        }
    }
}

impl<'p> Prover<'p> {
    pub fn new(encoder: Encoder<'p>, budget: &'p Budget) -> Self {
        Prover { encoder, solver: Solver::new(), budget }
    }

    /// Rounds with growing bounds until one gives an answer; `None` when there is no larger bound. A round gets `None` out of time.
    pub fn deepen<T>(&mut self, mut round: impl FnMut(&mut Self, Option<&Unrolling>, u32) -> Option<T>) -> Option<T> {
        let (mut bound, mut steps, mut decided) = (0, FIRST_STEPS, FIRST_DECIDED);
        loop {
            self.budget.progress().set_bound(bound);
            let unrolling = self.encoder.unroll(Bounds { unwind: bound, decided, steps }, self.budget);
            let answer = round(self, (!unrolling.interrupted).then_some(&unrolling), bound);
            if answer.is_some() || unrolling.interrupted || bound >= MAX_BOUND {
                return answer;
            }
            bound = (bound * 2).max(1);
            steps = steps.saturating_mul(4);
            decided = decided.saturating_mul(4);
        }
    }

    fn any(&mut self, unrolling: &Unrolling, wanted: impl Fn(&Obligation) -> bool) -> TermId {
        let wanted = unrolling.obligations.iter().filter(|obligation| wanted(obligation));
        let conds: Vec<TermId> = wanted.map(|obligation| obligation.cond).collect();
        self.encoder.pool.or_all(&conds)
    }

    /// Whether a property is violated on a run that counts.
    pub fn violated(&mut self, unrolling: &Unrolling) -> Reachable {
        let violations = self.any(unrolling, |found| matches!(found.kind, ObligationKind::Violation(..)));
        self.by_replay(unrolling, violations)
    }

    /// Whether a run that can be replayed comes to a condition.
    pub fn by_replay(&mut self, unrolling: &Unrolling, cond: TermId) -> Reachable {
        let Some(replayable) = unrolling.replayable else { return self.reachable(&[cond]) };
        match self.reachable(&[cond, replayable]) {
            Reachable::Never => match self.reachable(&[cond]) {
                Reachable::Yes(_) => Reachable::OutOfReach,
                other => other,
            },
            other => other,
        }
    }

    pub fn reachable(&mut self, conds: &[TermId]) -> Reachable {
        if conds.iter().any(|cond| self.encoder.pool.as_bool(*cond) == Some(false)) {
            return Reachable::Never;
        }
        match self.solver.check(&self.encoder.pool, conds, self.budget) {
            logic::Outcome::Sat(model) => Reachable::Yes(model),
            logic::Outcome::Unsat(_) => Reachable::Never,
            logic::Outcome::Unknown => Reachable::Unknown,
        }
    }

    /// Whether all runs are within the bounds and the model.
    pub fn left(&mut self, unrolling: &Unrolling) -> Left {
        let unwind = self.any(unrolling, |found| found.kind == ObligationKind::Unwind);
        match self.reachable(&[unwind]) {
            Reachable::Yes(_) | Reachable::OutOfReach => return Left::Deeper,
            Reachable::Unknown => return Left::Unknown,
            Reachable::Never => {}
        }
        let leaves = |found: &Obligation| !matches!(found.kind, ObligationKind::Violation(..));
        let cond = self.any(unrolling, leaves);
        match self.reachable(&[cond]) {
            // With other addresses there may be other runs.
            Reachable::Never if address_was_looked_at(&self.encoder.pool) => Left::Unmodelled(ADDRESSES.into()),
            Reachable::Never => Left::Nothing,
            Reachable::Unknown | Reachable::OutOfReach => Left::Unknown,
            Reachable::Yes(model) => {
                let holds = |found: &&Obligation| leaves(found) && model.bool(&self.encoder.pool, found.cond);
                Left::Unmodelled(match unrolling.obligations.iter().find(holds).map(|found| &found.kind) {
                    Some(ObligationKind::Poison(construct)) => format!("not supported: {construct}"),
                    Some(ObligationKind::LeftOpen(what)) => format!("C does not say what happens: {what}"),
                    Some(ObligationKind::Undefined(fault)) => format!("undefined behaviour comes first: {fault:?}"),
                    _ => "not all runs are known".into(),
                })
            }
        }
    }
}
