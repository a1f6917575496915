//! Workflow commands of GitHub Actions: `::error file=…,line=…::message`. The runner shows each beside the line of the change that it is about. A finding
//! is one annotation; the run and the reasons are in its text, and the first suspects are annotations of their own.

use super::finding::{Finding, NoteKind, Severity, findings};
use super::gcc;
use super::terminal::Style;
use super::{RenderOptions, Renderer};
use crate::check::DiagnosticView;
use crate::{Command, Document, PlaceView, Report};
use std::fmt::Write;

pub static RENDERER: Renderer = Renderer {
    name: "github",
    about: "annotations of GitHub Actions",
    supports: |command| command != Command::Test,
    render,
    diagnostic,
    is_for_programs: false,
};

/// GitHub shows at most ten annotations of each kind in a step.
const SUSPECTS: usize = 3;

fn render(document: &Document, options: RenderOptions) -> String {
    let mut out = String::new();
    if let Report::Error(error) = &document.report {
        command(&mut out, "error", &PlaceView::default(), "whydunit", &error.error);
    }
    for finding in findings(document, options.shown) {
        annotations(&mut out, &finding);
    }
    out
}

fn annotations(out: &mut String, finding: &Finding) {
    let name = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let title = finding.rule.as_deref().unwrap_or("whydunit");
    let text: Vec<String> = std::iter::once(finding.message.clone())
        .chain(finding.notes.iter().map(|note| match note.place.file.is_empty() {
            true => note.message.clone(),
            false => format!("{}:{}: {}", note.place.file, note.place.line, note.message),
        }))
        .collect();
    command(out, name, &finding.place, title, &text.join("\n"));
    let suspects = finding.notes.iter().filter(|note| matches!(note.kind, NoteKind::Suspect { .. }));
    for note in suspects.take(SUSPECTS) {
        command(out, "notice", &note.place, "suspect", &note.message);
    }
}

fn diagnostic(view: &DiagnosticView, style: Style) -> String {
    let mut out = String::new();
    let name = if view.severity == "error" { "error" } else { "warning" };
    command(&mut out, name, &view.place, "C", &view.message);
    // The log itself is read too.
    out + &gcc::diagnostic(view, style)
}

fn command(out: &mut String, name: &str, place: &PlaceView, title: &str, message: &str) {
    let mut properties = Vec::new();
    if !place.file.is_empty() {
        properties.push(format!("file={}", property(&place.file)));
        properties.push(format!("line={}", place.line.max(1)));
        if place.column > 0 {
            properties.push(format!("col={}", place.column));
        }
    }
    properties.push(format!("title={}", property(title)));
    writeln!(out, "::{name} {}::{}", properties.join(","), data(message)).expect("writing to a string");
}

/// Line breaks end a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
