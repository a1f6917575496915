//! Diagnostics as gcc and clang print them and as editors parse them: `file:line:column: error: message [property]`, one line each, followed by `note:`
//! lines for the steps, differences or suspects. Like a compiler it prints nothing where nothing is wrong. What has no place in a file begins with the
//! name of the tool, as in `cc1: error: …`.

use super::finding::{Finding, findings};
use super::terminal::Style;
use super::{RenderOptions, Renderer};
use crate::check::DiagnosticView;
use crate::{Command, Document, PlaceView};
use std::fmt::Write;

pub static RENDERER: Renderer = Renderer {
    name: "gcc",
    about: "diagnostics of one line, as gcc prints them, for editors",
    // A test consists of files; there is no place to point at.
    supports: |command| command != Command::Test,
    render,
    diagnostic,
    is_for_programs: false,
};

fn render(document: &Document, options: RenderOptions) -> String {
    findings(document, options.shown).iter().map(lines).collect()
}

/// A finding and its notes.
pub(super) fn lines(finding: &Finding) -> String {
    let mut lines = Lines::default();
    lines.at(&finding.place, finding.severity.name(), &finding.message, finding.rule.as_deref());
    for note in &finding.notes {
        lines.at(&note.place, "note", &note.message, None);
    }
    lines.0
}

pub(super) fn diagnostic(view: &DiagnosticView, _: Style) -> String {
    let mut lines = Lines::default();
    lines.at(&view.place, view.severity, &view.message, None);
    for note in &view.notes {
        lines.at(&note.place, "note", &note.message, None);
    }
    if let Some(help) = &view.help {
        lines.at(&view.place, "note", help, None);
    }
    lines.0
}

#[derive(Default)]
struct Lines(String);

impl Lines {
    fn at(&mut self, place: &PlaceView, severity: &str, message: &str, tag: Option<&str>) {
        let place = match place.file.is_empty() {
            true => "whydunit".to_string(),
            false => format!("{}:{}:{}", place.file, place.line.max(1), place.column.max(1)),
        };
        // A line break would end the diagnostic.
        let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
        let tag = tag.map_or(String::new(), |tag| format!(" [{tag}]"));
        writeln!(self.0, "{place}: {severity}: {message}{tag}").expect("writing to a string");
    }
}
