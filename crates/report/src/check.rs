//! The report of `check`, and diagnostics as every command shows them.

use crate::PlaceView;
use base::{Diagnostic, Severity, SourceMap};
use serde::Serialize;

#[derive(Debug, Serialize)]
pub struct CheckReport {
    pub files: usize,
    pub errors: usize,
    pub warnings: usize,
    pub diagnostics: Vec<DiagnosticView>,
}

#[derive(Debug, Serialize)]
pub struct DiagnosticView {
    #[serde(flatten)]
    pub place: PlaceView,
    pub severity: &'static str,
    pub message: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<NoteView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

#[derive(Debug, Serialize)]
pub struct NoteView {
    #[serde(flatten)]
    pub place: PlaceView,
    pub message: String,
}

impl CheckReport {
    pub fn new(sources: &SourceMap, files: usize, diagnostics: &[Diagnostic]) -> Self {
        let count = |severity| diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity).count();
        CheckReport {
            files,
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            diagnostics: diagnostics.iter().map(|diagnostic| DiagnosticView::new(sources, diagnostic)).collect(),
        }
    }
}

impl CheckReport {
    /// The diagnostics are on standard error.
    pub fn to_text(&self) -> String {
        format!("{} file(s), {} error(s), {} warning(s)", self.files, self.errors, self.warnings)
    }
}

impl DiagnosticView {
    pub fn new(sources: &SourceMap, diagnostic: &Diagnostic) -> Self {
        let place = |span| PlaceView::of(sources, span).unwrap_or_default();
        let note = |(span, message): &(base::Span, String)| NoteView { place: place(*span), message: message.clone() };
        DiagnosticView {
            place: place(diagnostic.span),
            severity: diagnostic.severity.name(),
            message: diagnostic.message.clone(),
            notes: diagnostic.notes.iter().map(note).collect(),
            help: diagnostic.help.clone(),
        }
    }
}
