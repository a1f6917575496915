//! The evidence of a verdict as a verification witness.

use crate::Loaded;
use cfa::Task;
use evidence::{Tape, Verdict};
use witness::from_evidence::{self, Claim, Shape};
use witness::program::Source;

pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
pub(crate) const IN_NO_FILE: &str = "the program is in no file";

/// The text of the witness for a verdict; the error is why there is none. `time` is ISO 8601.
pub fn text(
    loaded: &Loaded,
    task: Task<'_>,
    verdict: &Verdict,
    tape: Option<&Tape>,
    shape: Shape,
    time: &str,
) -> Result<String, String> {
    let name = loaded.file_of(task.entry).ok_or(IN_NO_FILE)?;
    let source = Source::new(&loaded.sources, name, Some(task.program)).ok_or(IN_NO_FILE)?;
    let claim = Claim { source: &source, task, time, version: VERSION };
    let witness = match (verdict, tape) {
        (Verdict::Unsafe(_), Some(tape)) => from_evidence::violation(&claim, tape, shape)?,
        (Verdict::Safe(proof), _) => from_evidence::correctness(&claim, proof, shape),
        (Verdict::Unsafe(_), None) | (Verdict::Unknown(_), _) => {
            return Err("there is no witness for this verdict".into());
        }
    };
    witness::write(&witness)
}
