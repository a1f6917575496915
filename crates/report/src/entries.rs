//! The report of `verify --all-entries`: one line for each function.

use crate::PlaceView;
use serde::Serialize;
use std::fmt::Write;

#[derive(Debug, Serialize)]
pub struct EntriesReport {
    /// In the order of the files and lines.
    pub entries: Vec<EntryView>,
}

#[derive(Debug, Serialize)]
pub struct EntryView {
    pub function: String,
    #[serde(flatten)]
    pub place: PlaceView,
    /// `true`, `false`, `unknown`, or `skipped` if the function cannot be called without a harness.
    pub verdict: String,
    /// What is violated, or was asked.
    pub property: Option<String>,
    pub reason: Option<String>,
    /// What to do where the answer is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// Where the violation is.
    pub violation: Option<PlaceView>,
    pub time_ms: f64,
}

impl EntriesReport {
    pub fn count(&self, verdict: &str) -> usize {
        self.entries.iter().filter(|entry| entry.verdict == verdict).count()
    }

    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let place = |entry: &EntryView| format!("{}:{}", entry.place.file, entry.place.line);
        let places = self.entries.iter().map(|entry| place(entry).len()).max().unwrap_or(0);
        let names = self.entries.iter().map(|entry| entry.function.len()).max().unwrap_or(0);
        for entry in &self.entries {
            let (at, EntryView { function, verdict, .. }) = (place(entry), entry);
            let _ = write!(text, "{at:places$}  {function:names$}  {verdict}");
            if let (Some(property), "false") = (&entry.property, verdict.as_str()) {
                let _ = write!(text, "({property})");
            }
            if let Some(violation) = &entry.violation {
                let _ = write!(text, " at {}:{}", violation.file, violation.line);
            }
            if let (Some(reason), true) = (&entry.reason, verdict != "true") {
                let _ = write!(text, ": {reason}");
            }
            if let Some(help) = &entry.help {
                let _ = write!(text, "; {help}");
            }
            text.push('\n');
        }
        let all = self.entries.len();
        let counts = [("true", "hold"), ("false", "violated"), ("unknown", "unknown"), ("skipped", "skipped")];
        let counts = counts.map(|(verdict, word)| format!("{} {word}", self.count(verdict)));
        let _ = writeln!(text, "{all} function{}: {}", if all == 1 { "" } else { "s" }, counts.join(", "));
        text
    }
}
