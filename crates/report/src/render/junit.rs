//! JUnit XML, which CI servers show: with `--all` each check is a test case, with `--all-entries` each function, otherwise the command is one for each of its findings, or one that passes.

use super::finding::{NoteKind, Severity, findings};
use super::{RenderOptions, Renderer, gcc, terminal};
use crate::entries::EntryView;
use crate::verify::AssertionReport;
use crate::{Command, Document, PlaceView, Report};
use base::markup::xml as escape;
use std::fmt::Write;

pub static RENDERER: Renderer = Renderer {
    name: "junit",
    about: "JUnit XML, for CI servers",
    supports: |command| command != Command::Test,
    render,
    diagnostic: terminal::diagnostic,
    is_for_programs: true,
};

struct Case {
    name: String,
    result: CaseResult,
}

enum CaseResult {
    Passed,
    /// With a message, and a text of several lines.
    Failed(String, String),
    Skipped(String),
    Error(String),
}

fn render(document: &Document, options: RenderOptions) -> String {
    let subject = document.subject.join(" ");
    let cases = cases(document, options);
    let count = |is: fn(&CaseResult) -> bool| cases.iter().filter(|case| is(&case.result)).count();
    let failures = count(|result| matches!(result, CaseResult::Failed(..)));
    let errors = count(|result| matches!(result, CaseResult::Error(_)));
    let skipped = count(|result| matches!(result, CaseResult::Skipped(_)));
    let time = document.time_ms / 1000.0;
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let totals = format!("tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\"", cases.len());
    let _ = writeln!(out, "<testsuites {totals} time=\"{time:.3}\">");
    let name = format!("whydunit {}", document.command.name());
    let _ = writeln!(out, "<testsuite name=\"{name}\" {totals} skipped=\"{skipped}\" time=\"{time:.3}\">");
    // The time is that of all cases together.
    let each = time / cases.len() as f64;
    for Case { name, result } in &cases {
        let (class, name) = (escape(&subject), escape(name));
        let _ = write!(out, "<testcase classname=\"{class}\" name=\"{name}\" time=\"{each:.3}\">");
        let _ = match result {
            CaseResult::Passed => Ok(()),
            CaseResult::Failed(message, text) => {
                write!(out, "<failure message=\"{}\">{}</failure>", escape(message), escape(text))
            }
            CaseResult::Skipped(why) => write!(out, "<skipped message=\"{}\"/>", escape(why)),
            CaseResult::Error(message) => write!(out, "<error message=\"{}\"/>", escape(message)),
        };
        out.push_str("</testcase>\n");
    }
    out.push_str("</testsuite>\n</testsuites>\n");
    out
}

fn cases(document: &Document, options: RenderOptions) -> Vec<Case> {
    let whole = |result| vec![Case { name: document.command.name().into(), result }];
    if let Report::Error(error) = &document.report {
        return whole(CaseResult::Error(error.error.clone()));
    }
    if let Report::Check(report) = &document.report {
        let bad = report.diagnostics.iter().filter(|one| one.severity == "error");
        let lines: String = bad.map(|one| gcc::diagnostic(one, options.style)).collect();
        return whole(match report.errors {
            0 => CaseResult::Passed,
            errors => CaseResult::Failed(format!("{errors} error(s)"), lines),
        });
    }
    if let Report::Entries(report) = &document.report {
        let cases: Vec<Case> = report.entries.iter().map(entry).collect();
        return if cases.is_empty() { whole(CaseResult::Passed) } else { cases };
    }
    let mut cases: Vec<Case> = Vec::new();
    for finding in findings(document, options.shown) {
        let place = match finding.place.file.is_empty() {
            true => String::new(),
            false => format!(" at {}:{}", finding.place.file, finding.place.line.max(1)),
        };
        let rule = finding.rule.as_deref().unwrap_or(document.command.name());
        let result = match finding.severity {
            Severity::Error => CaseResult::Failed(finding.message.clone(), gcc::lines(&finding)),
            Severity::Warning => {
                let help = finding.notes.iter().find(|note| matches!(note.kind, NoteKind::Help));
                CaseResult::Skipped(with_help(&finding.message, help.map(|note| note.message.as_str())))
            }
            // Checks that are not violated are listed below.
            Severity::Note => continue,
        };
        cases.push(Case { name: format!("{rule}{place}"), result });
    }
    if let Report::Verify(report) = &document.report {
        cases.extend(report.checks.iter().filter(|check| check.verdict != "violated").map(check));
    }
    match cases.is_empty() {
        true => whole(CaseResult::Passed),
        false => cases,
    }
}

/// With `--all-entries` each function is a test case.
fn entry(entry: &EntryView) -> Case {
    let EntryView { function, place, verdict, property, reason, violation, .. } = entry;
    let reason = reason.clone().unwrap_or_default();
    let result = match verdict.as_str() {
        "true" => CaseResult::Passed,
        "false" => {
            let PlaceView { file, line, column, .. } = violation.as_ref().unwrap_or(place);
            let property = property.as_deref().unwrap_or_default();
            CaseResult::Failed(reason.clone(), format!("{file}:{line}:{column}: error: {reason} [{property}]\n"))
        }
        _ => CaseResult::Skipped(with_help(&reason, entry.help.as_deref())),
    };
    Case { name: format!("{function} at {}:{}", place.file, place.line), result }
}

fn with_help(reason: &str, help: Option<&str>) -> String {
    help.map_or(reason.to_string(), |help| format!("{reason}; help: {help}"))
}

fn check(check: &AssertionReport) -> Case {
    let name = format!("{} at {}:{}", check.property, check.place.file, check.place.line);
    let result = match check.verdict {
        "holds" => CaseResult::Passed,
        _ => CaseResult::Skipped(check.words.clone()),
    };
    Case { name, result }
}
