//! `verify --witness FILE`: evidence for other tools.

use crate::load::Loaded;
use anyhow::{Context, Result, bail};
use cfa::{FuncId, Task};
use evidence::{Tape, Verdict};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use witness::FORMATS;
use witness::from_evidence::{self, Claim, Shape};
use witness::program::Source;

/// Refuses names whose extension says nothing, before any work is done.
pub fn check(files: &[PathBuf]) -> Result<()> {
    files.iter().try_for_each(|file| shape(file).map(|_| ()))
}

pub fn shape(file: &Path) -> Result<Shape> {
    let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or("");
    let format = FORMATS.iter().find(|format| format.extensions.contains(&extension));
    match format.map(|format| format.name) {
        Some("graphml") => Ok(Shape::Automaton),
        Some(_) => Ok(Shape::Entries),
        None => {
            let known: Vec<String> =
                FORMATS.iter().flat_map(|format| format.extensions).map(|extension| format!(".{extension}")).collect();
            bail!("--witness {}: the extension must name the format (known: {})", file.display(), known.join(", "))
        }
    }
}

/// Writes the witnesses of a verdict; nothing for one that is unknown.
pub fn write(files: &[PathBuf], loaded: &Loaded, task: Task<'_>, verdict: &Verdict, tape: Option<&Tape>) -> Result<()> {
    if files.is_empty() || matches!(verdict, Verdict::Unknown(_)) {
        return Ok(());
    }
    let name = main_file(loaded, task.entry).context("--witness: the program is in no file")?;
    let source =
        Source::new(&loaded.sources, &name, Some(task.program)).context("--witness: the program is in no file")?;
    let time = creation_time()?;
    let claim = Claim { source: &source, task, time: &time, version: env!("CARGO_PKG_VERSION") };
    for file in files {
        let shape = shape(file)?;
        let witness = match (verdict, tape) {
            (Verdict::Unsafe(_), Some(tape)) => from_evidence::violation(&claim, tape, shape),
            (Verdict::Safe(proof), _) => Ok(from_evidence::correctness(&claim, proof, shape)),
            (Verdict::Unsafe(_), None) | (Verdict::Unknown(_), _) => Err("there is nothing to tell".into()),
        };
        let text = witness.and_then(|witness| witness::write(&witness));
        let text = text.map_err(|reason| anyhow::anyhow!("--witness {}: {reason}", file.display()))?;
        std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(())
}

/// The name of the file that the run begins in, as it was given. Line markers of a file that came preprocessed name others.
pub fn main_file(loaded: &Loaded, entry: FuncId) -> Option<String> {
    let span = loaded.compiled.program.automaton(entry)?.span;
    Some(loaded.sources.name(loaded.sources.file_at(span.lo)?).to_string())
}

/// Now, or what SOURCE_DATE_EPOCH says, so that the same input can give the same file.
pub fn creation_time() -> Result<String> {
    let seconds = match std::env::var("SOURCE_DATE_EPOCH") {
        Ok(text) => text.trim().parse().with_context(|| format!("SOURCE_DATE_EPOCH={text} is no number of seconds"))?,
        Err(_) => SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs()),
    };
    Ok(timestamp(seconds))
}

/// Seconds since 1970 as ISO 8601, in UTC.
fn timestamp(seconds: u64) -> String {
    let (mut days, time) = (seconds / 86_400, seconds % 86_400);
    let mut year = 1970;
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    loop {
        let length = if leap(year) { 366 } else { 365 };
        if days < length {
            break;
        }
        days -= length;
        year += 1;
    }
    let february = if leap(year) { 29 } else { 28 };
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    let (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60);
    format!("{year:04}-{month:02}-{:02}T{hour:02}:{minute:02}:{second:02}Z", days + 1)
}

#[cfg(test)]
mod tests {
    #[test]
    fn timestamps() {
        assert_eq!(super::timestamp(0), "1970-01-01T00:00:00Z");
        assert_eq!(super::timestamp(951_827_696), "2000-02-29T12:34:56Z");
        assert_eq!(super::timestamp(1_798_761_599), "2026-12-31T23:59:59Z");
    }
}
