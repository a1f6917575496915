//! What to do next: the commands that go on from an answer.

use crate::Report;

/// Longer command lines are not repeated.
const LONGEST: usize = 200;

/// A command that goes on from a violation.
pub struct Next {
    /// As it is typed, with the same program and options.
    pub line: String,
    pub what: &'static str,
}

/// The names of the commands, and what each of them gives.
pub fn commands(report: &Report) -> &'static [(&'static str, &'static str)] {
    const TEST: (&str, &str) = ("test", "a test that fails until the bug is fixed");
    const LOCALIZE: (&str, &str) = ("localize", "the lines to suspect, and repairs");
    const MORE: (&str, &str) = ("localize", "all lines to suspect, and more repairs");
    const EXPLAIN: (&str, &str) = ("explain", "what would have to be different to pass");
    const PAGE: (&str, &str) = ("report", "a page to step through the run");
    const VERIFY: (&str, &str) = ("verify", "whether it holds after the repair");
    match report {
        Report::Verify(report) if report.blame.is_some() => &[MORE, TEST, PAGE],
        Report::Verify(report) if report.verdict == "false" => &[LOCALIZE, TEST, PAGE],
        Report::Minimize(report) if report.verdict == "false" => &[LOCALIZE, TEST],
        Report::Explain(report) if report.blame.is_some() => &[MORE, TEST, PAGE],
        Report::Explain(report) if report.verdict == "false" => &[LOCALIZE, TEST, PAGE],
        Report::Localize(report) if report.verdict == "false" && report.repairs.is_empty() => &[EXPLAIN, TEST, PAGE],
        Report::Localize(report) if report.verdict == "false" => &[VERIFY, TEST, PAGE],
        _ => &[],
    }
}

/// For a terminal; empty if there is nothing to say.
pub(crate) fn text(steps: &[Next]) -> String {
    let lines: Vec<String> = steps.iter().map(|step| shortened(&step.line)).collect();
    let width = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    let lines = lines.iter().zip(steps).enumerate().map(|(index, (line, Next { what, .. }))| {
        let lead = if index == 0 { "\nnext:" } else { "" };
        format!("\n{lead:5} {line:width$}  {what}")
    });
    lines.collect()
}

/// A command about many files is its name, since the rest is what was typed.
fn shortened(line: &str) -> String {
    let rest = line.char_indices().nth(LONGEST);
    match (rest, line.split(' ').nth(1)) {
        (Some(_), Some(command)) => format!("whydunit {command} … (the same options and files)"),
        _ => line.to_string(),
    }
}
