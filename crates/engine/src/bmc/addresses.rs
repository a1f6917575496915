//! Verdicts must not depend on where objects lie. Where the number of an address came up, a proof is checked again with arbitrary addresses, and a
//! violation is replayed with objects placed differently.

use super::Search;
use cfa::interp::{self, Config, Outcome, Placement};
use cfa::{EdgeId, Property};
use encode::{Bounds, Encoder, Obligation, REPLAY_STEPS, address_was_looked_at};
use evidence::{Reason, Tape};
use logic::{Solver, TermId};

const ADDRESSES: &str = "the addresses of objects, on which the verdict depends";

impl Search<'_, '_> {
    /// What was just proved within bounds, for arbitrary addresses.
    pub(super) fn holds_at_any_address(&mut self, bounds: Bounds) -> Result<(), Reason> {
        if !address_was_looked_at(&self.prover.encoder.pool) {
            return Ok(());
        }
        let encoder = Encoder::new(self.task).with_limits(self.options.limits.clone());
        let mut encoder = encoder.with_arbitrary_addresses();
        let unrolling = encoder.unroll(bounds, self.prover.budget);
        let conds: Vec<TermId> = unrolling.obligations.iter().map(|obligation| obligation.cond).collect();
        let any = encoder.pool.or_all(&conds);
        let outcome = match unrolling.interrupted {
            true => logic::Outcome::Unknown,
            false => Solver::new().check(&encoder.pool, &[any], self.prover.budget),
        };
        match outcome {
            logic::Outcome::Unsat(_) => Ok(()),
            logic::Outcome::Unknown => Err(Reason::Budget { bound: bounds.unwind }),
            logic::Outcome::Sat(model) => {
                let holds = |obligation: &&Obligation| model.bool(&encoder.pool, obligation.cond);
                let edge = unrolling.obligations.iter().find(holds).map_or(EdgeId(0), |obligation| obligation.edge);
                Err(Reason::LeftOpen { what: ADDRESSES.into(), edge })
            }
        }
    }

    /// The violation that a tape leads to, with objects placed differently.
    pub(super) fn violated_at_other_addresses(
        &self,
        tape: &Tape,
        property: Property,
        end: EdgeId,
    ) -> Result<(), Reason> {
        if !address_was_looked_at(&self.prover.encoder.pool) {
            return Ok(());
        }
        let properties = self.task.properties;
        let placement = Placement::Descending;
        let config = Config { properties, max_steps: REPLAY_STEPS, placement, ..Config::default() };
        let run = interp::run(self.task.program, self.task.entry, &tape.args, &mut tape.play(), &config);
        match run.outcome {
            Outcome::Violation { property: other, .. } if other == property => Ok(()),
            _ => Err(Reason::LeftOpen { what: ADDRESSES.into(), edge: end }),
        }
    }
}
