//! Questions about all runs within a bound that no engine has to answer: the formula itself, and whether anything is asserted at all.

use crate::Request;
use base::Budget;
use encode::{Bounds, Encoder, ObligationKind, on_large_stack};
use logic::{Satisfiability, Solver, TermId, TermPool};

/// Can a property be violated within a bound? The question as text for another solver.
pub fn dump(request: &Request<'_>, bound: u32, write: fn(&TermPool, &[TermId]) -> String) -> String {
    on_large_stack(|| {
        let mut encoder = Encoder::new(request.task).with_limits(request.options.limits.clone());
        let unrolling = encoder.unroll(Bounds::only(bound), &Budget::unlimited());
        let violations =
            unrolling.obligations.iter().filter(|obligation| matches!(obligation.kind, ObligationKind::Violation(..)));
        let conds: Vec<TermId> = violations.map(|obligation| obligation.cond).collect();
        let any = encoder.pool.or_all(&conds);
        write(&encoder.pool, &[any])
    })
}

/// Whether some run within a bound reaches an assertion of an asked property; `None` if the budget ran out.
pub fn reaches_an_assertion(request: &Request<'_>, bound: u32) -> Option<bool> {
    on_large_stack(|| {
        let mut encoder = Encoder::new(request.task).with_limits(request.options.limits.clone());
        encoder.note_assertions = true;
        let unrolling = encoder.unroll(Bounds::only(bound), request.budget);
        let guards: Vec<TermId> = unrolling.assertions.iter().map(|(_, guard)| *guard).collect();
        let any = encoder.pool.or_all(&guards);
        match Solver::new().check(&encoder.pool, &[any], request.budget) {
            Satisfiability::Sat(_) => Some(true),
            Satisfiability::Unsat(_) if !unrolling.interrupted => Some(false),
            Satisfiability::Unsat(_) | Satisfiability::Unknown => None,
        }
    })
}
