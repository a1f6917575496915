//! Questions to a solver about the obligations of an unrolled program.

use crate::encoder::Encoder;
use crate::exec::Bounds;
use crate::unrolling::{Obligation, ObligationKind, Unrolling};
use base::Budget;
use cfa::EdgeId;
use logic::{Model, Satisfiability, Solver, TermId};

/// Steps of a replay: what is found within the bounds is not far away.
pub const REPLAY_STEPS: u64 = 200_000_000;

/// Who asks: the solver keeps what it learnt about the terms of the encoder.
pub struct Prover<'b, 'p> {
    pub encoder: Encoder<'p>,
    pub solver: Solver,
    pub budget: &'b Budget,
}

/// Whether a condition can hold.
pub enum Reachable {
    Never,
    Yes(Model),
    /// It can, but on no run that could be replayed.
    OutOfReach,
    Unknown,
}

/// What is left of the runs once nothing is violated.
pub enum Left<'u> {
    /// All runs are within the bounds and the model.
    Nothing,
    /// A run can come to this one.
    Obligation(&'u Obligation),
    Unknown,
}

/// Whether something is the same wherever objects lie.
pub enum AtAnyAddress {
    Never,
    /// There are addresses with which it happens; where, if it is an obligation.
    Sometimes(EdgeId),
    Unknown,
}

/// Larger bounds to try where loops do not end within the given ones at arbitrary addresses.
const LARGER_BOUNDS: u32 = 5;

/// Whether an obligation, or a sighting, can be met within bounds with arbitrary addresses of objects. To be asked where a program was found to meet none,
/// and the number of an address came up on the way. With arbitrary addresses fewer exit tests are decided without a solver (whether a pointer is null, for
/// one), so more rounds of a loop count: where only the bound is too small, larger ones are tried.
pub fn met_at_any_address<'p>(
    encoder: impl Fn() -> Encoder<'p>,
    mut bounds: Bounds,
    wanted: impl Fn(u32) -> bool,
    budget: &Budget,
) -> AtAnyAddress {
    for more in (0..LARGER_BOUNDS).map(|round| 1 << round) {
        match met_within(encoder(), bounds, &wanted, budget) {
            Met::Elsewhere(answer) => return answer,
            Met::Bound(_) => bounds.unwind = bounds.unwind.saturating_add(more),
        }
    }
    match met_within(encoder(), bounds, &wanted, budget) {
        Met::Elsewhere(answer) => answer,
        Met::Bound(edge) => AtAnyAddress::Sometimes(edge),
    }
}

/// What one unrolling with arbitrary addresses gives.
enum Met {
    /// Only the bound was met, here.
    Bound(EdgeId),
    Elsewhere(AtAnyAddress),
}

fn met_within(encoder: Encoder<'_>, bounds: Bounds, wanted: &impl Fn(u32) -> bool, budget: &Budget) -> Met {
    let mut encoder = encoder.with_arbitrary_addresses();
    let unrolling = encoder.unroll(bounds, budget);
    if unrolling.interrupted {
        return Met::Elsewhere(AtAnyAddress::Unknown);
    }
    let mut conds: Vec<TermId> = unrolling.obligations.iter().map(|obligation| obligation.cond).collect();
    let sightings: Vec<TermId> =
        unrolling.sightings.iter().filter(|(what, _)| wanted(*what)).map(|(_, cond)| *cond).collect();
    conds.extend(&sightings);
    let any = encoder.pool.or_all(&conds);
    match Solver::new().check(&encoder.pool, &[any], budget) {
        Satisfiability::Unsat(_) => Met::Elsewhere(AtAnyAddress::Never),
        Satisfiability::Unknown => Met::Elsewhere(AtAnyAddress::Unknown),
        Satisfiability::Sat(model) => {
            let holds = |cond: TermId| model.bool(&encoder.pool, cond);
            let mut met = unrolling.obligations.iter().filter(|obligation| holds(obligation.cond));
            let seen = sightings.iter().any(|cond| holds(*cond));
            match met.clone().find(|obligation| obligation.kind != ObligationKind::Unwind) {
                Some(found) => Met::Elsewhere(AtAnyAddress::Sometimes(found.edge)),
                None if seen => Met::Elsewhere(AtAnyAddress::Sometimes(EdgeId(0))),
                None => met
                    .next()
                    .map_or(Met::Elsewhere(AtAnyAddress::Sometimes(EdgeId(0))), |found| Met::Bound(found.edge)),
            }
        }
    }
}

impl<'b, 'p> Prover<'b, 'p> {
    pub fn new(encoder: Encoder<'p>, budget: &'b Budget) -> Self {
        Prover { encoder, solver: Solver::new(), budget }
    }

    /// When one of the wanted obligations holds.
    pub fn any(&mut self, unrolling: &Unrolling, wanted: impl Fn(&Obligation) -> bool) -> TermId {
        let wanted = unrolling.obligations.iter().filter(|obligation| wanted(obligation));
        let conds: Vec<TermId> = wanted.map(|obligation| obligation.cond).collect();
        self.encoder.pool.or_all(&conds)
    }

    /// The first of the wanted obligations that holds in a model.
    pub fn holding<'u>(
        &self,
        unrolling: &'u Unrolling,
        model: &Model,
        wanted: impl Fn(&Obligation) -> bool,
    ) -> Option<&'u Obligation> {
        let holds = |obligation: &&Obligation| wanted(obligation) && model.bool(&self.encoder.pool, obligation.cond);
        unrolling.obligations.iter().find(holds)
    }

    /// Whether conditions can hold together.
    pub fn reachable(&mut self, conds: &[TermId]) -> Reachable {
        if conds.iter().any(|cond| self.encoder.pool.as_bool(*cond) == Some(false)) {
            return Reachable::Never;
        }
        match self.solver.check(&self.encoder.pool, conds, self.budget) {
            Satisfiability::Sat(model) => Reachable::Yes(model),
            Satisfiability::Unsat(_) => Reachable::Never,
            Satisfiability::Unknown => Reachable::Unknown,
        }
    }

    /// Whether a run that can be replayed comes to a condition.
    pub fn reachable_by_replay(&mut self, unrolling: &Unrolling, cond: TermId) -> Reachable {
        let Some(replayable) = unrolling.replayable else { return self.reachable(&[cond]) };
        match self.reachable(&[cond, replayable]) {
            Reachable::Never => match self.reachable(&[cond]) {
                Reachable::Yes(_) => Reachable::OutOfReach,
                other => other,
            },
            other => other,
        }
    }

    /// Whether runs go on beyond the bounds or leave the model. Bounds come first: a larger one may show a violation.
    pub fn left<'u>(&mut self, unrolling: &'u Unrolling) -> Left<'u> {
        let kinds: [fn(&ObligationKind) -> bool; 5] = [
            |kind| matches!(kind, ObligationKind::Unwind),
            |kind| matches!(kind, ObligationKind::Limit(_)),
            |kind| matches!(kind, ObligationKind::Poison(_)),
            |kind| matches!(kind, ObligationKind::LeftOpen(_)),
            |kind| matches!(kind, ObligationKind::Undefined(_)),
        ];
        for wanted in kinds {
            let cond = self.any(unrolling, |obligation| wanted(&obligation.kind));
            match self.reachable(&[cond]) {
                Reachable::Never => {}
                Reachable::Unknown | Reachable::OutOfReach => return Left::Unknown,
                Reachable::Yes(model) => {
                    let found = self.holding(unrolling, &model, |obligation| wanted(&obligation.kind));
                    return found.map_or(Left::Unknown, Left::Obligation);
                }
            }
        }
        Left::Nothing
    }
}
