//! The first suspects of a violation that `verify` shows: what value replacement in the interpreter and a few edits say, on the run and on runs near it that
//! chance finds. The command `localize` does the rest.

use super::{LocalizationOptions, Thoroughness, blamed};
use crate::Request;
use crate::failure::{FoundFailure, Origin};
use explain::Failure;
use explain::localize::{Decay, LOCALIZERS};
use report::localize::Blame;

const ENGINE: &str = "bmc";
/// It needs no formula.
const METHOD: &str = "replace";
/// Failing runs that are looked for.
const RUNS: usize = 6;
/// Value replacement runs the program many times.
const STEPS: u64 = 20_000;
/// Edits are compiled, all of the text each time.
const BYTES: usize = 4_000_000;

/// `None` where it would take long, and where no line can be blamed.
pub fn suspects(request: &Request<'_>, failure: &Failure<'_>, trusted: &[String]) -> Option<Blame> {
    if failure.steps > STEPS || request.budget.expired() {
        return None;
    }
    let loaded = request.loaded;
    let bytes: usize = loaded.units.iter().map(|unit| loaded.sources.text(*unit).len()).sum();
    let edits = Thoroughness::FIRST.edits.min(BYTES / bytes.max(1));
    let options = LocalizationOptions {
        methods: LOCALIZERS.iter().filter(|method| method.name == METHOD).collect(),
        trusted,
        runs: Some(RUNS),
        rounds: 1,
        minimal: false,
        decay: Decay::Harmonic,
        repairs: edits > 0,
        thoroughness: Thoroughness { edits, ..Thoroughness::FIRST },
    };
    let start = FoundFailure { failure: failure.clone(), origin: Origin::Inputs, time_ms: 0.0 };
    // Edits are proved by unwinding or not at all, and no page keeps the runs that are looked at.
    let request = Request { engine: engine::engine(ENGINE)?, kept: None, ..*request };
    Blame::of(blamed(&request, &start, &options, &|_| {}).0)
}
