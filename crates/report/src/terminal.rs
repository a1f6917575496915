//! Drawing for the terminal, in the manner of a good compiler.

use crate::PlaceView;
use crate::check::DiagnosticView;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

/// Whether to use colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    Plain,
    Coloured,
}

fn renderer(style: Style) -> Renderer {
    match style {
        Style::Plain => Renderer::plain(),
        Style::Coloured => Renderer::styled(),
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
    render(group, style)
}

/// A titled source snippet, e.g. the violated assertion.
pub fn pointed(title: &str, place: &PlaceView, label: Option<&str>, style: Style) -> String {
    render(Level::ERROR.primary_title(title).element(snippet(place, AnnotationKind::Primary, label)), style)
}

/// As [`pointed`], where nothing is wrong.
pub fn noted(title: &str, place: &PlaceView, style: Style) -> String {
    render(Level::NOTE.primary_title(title).element(snippet(place, AnnotationKind::Primary, None)), style)
}

fn render(group: Group<'_>, style: Style) -> String {
    let mut text = renderer(style).render(&[group]);
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
