//! `verify --witness FILE`: evidence for other tools.

use anyhow::{Context, Result, bail};
use evidence::Verdict;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use witness::FORMATS;
use witness::from_evidence::Shape;
use workflow::verification::Verified;
use workflow::{Request, evidence_file};

/// Refuses names whose extension says nothing, before any work is done.
pub fn check(files: &[PathBuf]) -> Result<()> {
    files.iter().try_for_each(|file| shape(file).map(|_| ()))
}

pub fn shape(file: &Path) -> Result<Shape> {
    let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or("");
    let format = FORMATS.iter().find(|format| format.extensions.contains(&extension));
    match format {
        Some(format) => Ok(format.shape),
        None => {
            let known: Vec<String> =
                FORMATS.iter().flat_map(|format| format.extensions).map(|extension| format!(".{extension}")).collect();
            bail!("--witness {}: the extension must name the format (known: {})", file.display(), known.join(", "))
        }
    }
}

/// Writes the witnesses of a verdict; nothing for one that is unknown.
pub fn write(files: &[PathBuf], request: &Request<'_>, verified: &Verified) -> Result<()> {
    let Verified { verdict, tape, .. } = verified;
    if files.is_empty() || matches!(verdict, Verdict::Unknown(_)) {
        return Ok(());
    }
    let time = creation_time()?;
    for file in files {
        let text = evidence_file::text(request.loaded, request.task, verdict, tape.as_ref(), shape(file)?, &time);
        let text = text.map_err(|reason| anyhow::anyhow!("--witness {}: {reason}", file.display()))?;
        std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(())
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
