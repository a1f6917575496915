//! The reports of `witness lint` and `witness validate`.

use crate::terminal::Style;
use serde::Serialize;
use std::fmt::Write;
use witness::{Finding, Severity};

#[derive(Debug, Serialize)]
pub struct LintReport {
    pub valid: bool,
    pub messages: Vec<MessageView>,
    #[serde(skip)]
    pub(crate) file: String,
}

#[derive(Debug, Serialize)]
pub struct MessageView {
    pub rule: &'static str,
    pub severity: &'static str,
    pub line: u32,
    pub column: u32,
    pub message: String,
}

impl LintReport {
    /// With `strict` every warning is an error.
    pub fn new(file: &str, findings: &[Finding], strict: bool) -> Self {
        let severity = |finding: &Finding| if strict { Severity::Error } else { finding.rule.severity };
        let messages = findings.iter().map(|finding| MessageView {
            rule: finding.rule.id,
            severity: severity(finding).name(),
            line: finding.at.line,
            column: finding.at.column,
            message: finding.message.clone(),
        });
        LintReport {
            valid: findings.iter().all(|finding| severity(finding) != Severity::Error),
            messages: messages.collect(),
            file: file.into(),
        }
    }

    pub fn to_text(&self, style: Style) -> String {
        let mut out = String::new();
        for message in &self.messages {
            let MessageView { rule, severity, line, column, message } = message;
            let severity = match style {
                Style::Plain => (*severity).to_string(),
                Style::Coloured if *severity == "error" => format!("\x1b[1;31m{severity}\x1b[0m"),
                Style::Coloured => format!("\x1b[1;33m{severity}\x1b[0m"),
            };
            let _ = writeln!(out, "{}:{line}:{column}: {severity}: {message} [{rule}]", self.file);
        }
        let count = |severity| self.messages.iter().filter(|message| message.severity == severity).count();
        let verdict = if self.valid { "valid" } else { "invalid" };
        let _ = writeln!(out, "{verdict}: {} error(s), {} warning(s)", count("error"), count("warning"));
        out
    }
}

/// The report of `witness validate`.
#[derive(Debug, Serialize)]
pub struct ValidationReport {
    pub result: &'static str,
    pub how: &'static str,
    pub reason: String,
    /// What to do where it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<&'static str>,
    pub progress: ProgressView,
    pub invariants: Vec<InvariantView>,
    /// The names of the witness and of the file that it is about.
    #[serde(skip)]
    pub witness: String,
    #[serde(skip)]
    pub file: String,
}

#[derive(Debug, Serialize)]
pub struct ProgressView {
    pub matched: usize,
    pub total: usize,
}

#[derive(Debug, Serialize)]
pub struct InvariantView {
    pub line: Option<u32>,
    pub expression: String,
    pub result: &'static str,
    /// Whether the proof rests on it; `null` if there is no proof by induction.
    pub used: Option<bool>,
}

/// What to do about a witness that is neither confirmed nor rejected.
pub const UNDECIDED: &str = "more time (--timeout) or another way (--how) may decide; `witness refine` finds a run that a violation witness describes, and \
     without --strict other invariants may help those of a correctness witness";

impl ValidationReport {
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        let _ = writeln!(out, "result: {} ({})", self.result, self.how);
        let _ = writeln!(out, "reason: {}", self.reason);
        if let Some(help) = self.help {
            let _ = writeln!(out, "help: {help}");
        }
        let ProgressView { matched, total } = self.progress;
        if total > 0 {
            let _ = writeln!(out, "progress: {matched} of {total}");
        }
        for InvariantView { line, expression, result, used } in &self.invariants {
            let line = line.map_or(String::new(), |line| format!("line {line}: "));
            let used = match used {
                Some(true) => ", used by the proof",
                Some(false) => ", not needed by the proof",
                None => "",
            };
            let _ = writeln!(out, "invariant: {line}{expression}: {result}{used}");
        }
        out
    }
}
