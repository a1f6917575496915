//! Which runs remain unexplored once nothing is violated within a bound, and what it means that a run does not replay.

use crate::ValidationResult;
use cfa::interp::Outcome;
use encode::{AtAnyAddress, ObligationKind, Prover, Unrolling, address_was_looked_at};
use logic::TermPool;

pub enum Remaining {
    Nothing,
    /// There is more behind the bound.
    Deeper,
    /// Something that is not modelled.
    Unmodelled(String),
    Unknown,
}

const ADDRESSES: &str = "C does not say what happens: the addresses of objects came up as numbers";

/// What it means that the interpreter does not confirm a run: it has other addresses, or this is a bug.
pub fn not_replayed(pool: &TermPool, unrolling: &Unrolling, outcome: Outcome) -> (ValidationResult, String) {
    match unrolling.numbers_as_pointers || address_was_looked_at(pool) {
        true => (ValidationResult::Undecided, ADDRESSES.into()),
        false => (
            ValidationResult::OwnBug,
            format!("a run was found that does not replay ({outcome:?}): please report this as a bug"),
        ),
    }
}

/// Whether all runs are within the bounds and the model. `elsewhere`: whether something happens where objects lie elsewhere.
pub fn remaining(
    prover: &mut Prover<'_, '_>,
    unrolling: &Unrolling,
    elsewhere: impl FnOnce() -> AtAnyAddress,
) -> Remaining {
    let found = match prover.left(unrolling) {
        encode::Left::Nothing if address_was_looked_at(&prover.encoder.pool) => {
            return match elsewhere() {
                AtAnyAddress::Never => Remaining::Nothing,
                AtAnyAddress::Unknown => Remaining::Unknown,
                AtAnyAddress::Sometimes(_) => Remaining::Unmodelled(ADDRESSES.into()),
            };
        }
        encode::Left::Nothing => return Remaining::Nothing,
        encode::Left::Unknown => return Remaining::Unknown,
        encode::Left::Obligation(found) => found,
    };
    Remaining::Unmodelled(match &found.kind {
        ObligationKind::Unwind => return Remaining::Deeper,
        ObligationKind::Poison(construct) => format!("not supported: {construct}"),
        ObligationKind::LeftOpen(what) => format!("C does not say what happens: {what}"),
        ObligationKind::Undefined(fault) => format!("undefined behaviour comes first: {fault:?}"),
        ObligationKind::Limit(_) | ObligationKind::Violation(..) => "not all runs are known".into(),
    })
}
