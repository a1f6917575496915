//! Text for users, in the style of compiler diagnostics. The text of each report is made beside its data; here is what reports share.

use super::{RenderOptions, Renderer};
use crate::check::DiagnosticView;
use crate::next;
use crate::{Document, PlaceView, Report};
use annotate_snippets::{AnnotationKind, Group, Level, Snippet};

pub static RENDERER: Renderer = Renderer {
    name: "terminal",
    about: "text for people",
    supports: |_| true,
    render,
    diagnostic,
    is_for_programs: false,
};

fn render(document: &Document, options: RenderOptions) -> String {
    let RenderOptions { shown, style, verbose, width } = options;
    let text = match &document.report {
        Report::Check(report) => report.to_text(),
        Report::Replay(report) => report.to_text(shown, style),
        Report::Verify(report) => report.to_text(shown, style),
        Report::Entries(report) => report.to_text(),
        Report::Minimize(report) => report.to_text(shown, style),
        Report::Explain(report) => report.to_text(shown, style),
        Report::Localize(report) => report.to_text(shown, verbose, style),
        Report::Test(report) => report.to_text(),
        Report::Lint(report) => report.to_text(style),
        Report::Validation(report) => report.to_text(),
        Report::Error(_) => String::new(),
    };
    let mut text = text.trim_end().to_string();
    if let Some(why) = &document.unfinished {
        text.push_str(&format!("\n\n{why}: this is the best so far"));
    }
    text.push_str(&next::text(&document.next));
    match width {
        Some(width) => wrapped(&text, width),
        None => text,
    }
}

/// Breaks long lines of prose between words. Source text, its frames and diffs stay as they are.
fn wrapped(text: &str, width: usize) -> String {
    let mut in_diff = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        in_diff = line.starts_with("--- a/") || (in_diff && line.starts_with(['+', '-', '@', ' ', '\\']));
        let start = line.trim_start_matches(|letter: char| letter.is_whitespace() || letter.is_ascii_digit());
        let is_source = start.starts_with('|') || start.starts_with("-->") || line.contains('\u{1b}');
        if in_diff || is_source || line.chars().count() <= width {
            lines.push(line.to_string());
            continue;
        }
        let indent = " ".repeat((line.len() - line.trim_start().len() + 4).min(width / 2));
        let options = textwrap::Options::new(width).subsequent_indent(&indent).break_words(false);
        lines.extend(
            textwrap::wrap(line, options.word_splitter(textwrap::WordSplitter::NoHyphenation))
                .into_iter()
                .map(String::from),
        );
    }
    lines.join("\n")
}

/// Whether to use colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    Plain,
    Coloured,
}

fn snippets(style: Style) -> annotate_snippets::Renderer {
    match style {
        Style::Plain => annotate_snippets::Renderer::plain(),
        Style::Coloured => annotate_snippets::Renderer::styled(),
    }
}

pub fn diagnostic(view: &DiagnosticView, style: Style) -> String {
    let level = if view.severity == "error" { Level::ERROR } else { Level::WARNING };
    let mut group = level.primary_title(&view.message).element(snippet(&view.place, AnnotationKind::Primary, None));
    for note in view.notes.iter().filter(|note| note.place.file == view.place.file) {
        group = group.element(snippet(&note.place, AnnotationKind::Context, Some(&note.message)));
    }
    if let Some(help) = &view.help {
        group = group.element(Level::HELP.message(help));
    }
    drawn(group, style)
}

/// A titled source snippet, e.g. the violated assertion.
pub fn pointed(title: &str, place: &PlaceView, label: Option<&str>, style: Style) -> String {
    drawn(Level::ERROR.primary_title(title).element(snippet(place, AnnotationKind::Primary, label)), style)
}

/// As [`pointed`], where nothing is wrong.
pub fn noted(title: &str, place: &PlaceView, style: Style) -> String {
    drawn(Level::NOTE.primary_title(title).element(snippet(place, AnnotationKind::Primary, None)), style)
}

fn drawn(group: Group<'_>, style: Style) -> String {
    let mut text = snippets(style).render(&[group]);
    text.push('\n');
    text
}

fn snippet<'a>(
    place: &'a PlaceView,
    kind: AnnotationKind,
    label: Option<&'a str>,
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let text = place.text.as_deref().unwrap_or("");
    let (from, to) = (place.underline.0.min(text.len()), place.underline.1.min(text.len()));
    Snippet::source(text)
        .path(place.file.as_str())
        .line_start(place.line.max(1) as usize)
        .annotation(kind.span(from..to).label(label))
}
