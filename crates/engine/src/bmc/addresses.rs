//! Verdicts must not depend on where objects lie. Where the number of an address came up, a proof is checked again with arbitrary addresses, and a
//! violation is replayed with objects placed differently.

use super::Search;
use cfa::interp::{self, Config, Outcome, Placement};
use cfa::{EdgeId, Property};
use encode::{AtAnyAddress, Bounds, REPLAY_STEPS, address_was_looked_at, met_at_any_address};
use evidence::{Reason, Tape};

const ADDRESSES: &str = "the addresses of objects, on which the verdict depends";

impl Search<'_, '_> {
    /// What was just proved within bounds, for arbitrary addresses.
    pub(super) fn holds_at_any_address(&mut self, bounds: Bounds) -> Result<(), Reason> {
        if !address_was_looked_at(&self.prover.encoder.pool) {
            return Ok(());
        }
        let encoder = || super::encoder(self.task, self.options, self.floats);
        match met_at_any_address(encoder, bounds, |_| false, self.prover.budget) {
            AtAnyAddress::Never => Ok(()),
            AtAnyAddress::Unknown => Err(Reason::Budget { bound: bounds.unwind }),
            AtAnyAddress::Sometimes(edge) => Err(Reason::LeftOpen { what: ADDRESSES.into(), edge }),
        }
    }

    /// The violation that a tape leads to does not depend on addresses that were looked at.
    pub(super) fn violated_at_other_addresses(
        &self,
        tape: &Tape,
        property: Property,
        end: EdgeId,
    ) -> Result<(), Reason> {
        if !address_was_looked_at(&self.prover.encoder.pool) {
            return Ok(());
        }
        self.violated_with_objects_elsewhere(tape, property, end)
    }

    pub(super) fn violated_with_objects_elsewhere(
        &self,
        tape: &Tape,
        property: Property,
        end: EdgeId,
    ) -> Result<(), Reason> {
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
