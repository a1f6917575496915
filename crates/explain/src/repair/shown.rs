//! Edits for users: the line of the source file before and after.

use super::edits::{Edit, whole_lines};
use crate::localize::lines::Line;
use base::SourceMap;

/// The line of the source before and after an edit; if a macro made the text, the expanded line.
pub fn as_lines(sources: &SourceMap, edit: &Edit, line: &Line) -> (String, String) {
    let Some((first, _, _)) = edit.parts.first() else { return Default::default() };
    let Some(file) = sources.file_at(*first) else { return Default::default() };
    let last = edit.parts.last().map_or(*first, |part| part.1);
    let (from, to) = whole_lines(sources, file, *first, last);
    let span = base::Span { lo: from, hi: to };
    let before = sources.snippet(span).into_owned();
    let after = String::from_utf8_lossy(&edit.apply(sources.bytes(span), from)).into_owned();
    let place = base::Location { file: line.file.to_string(), line: line.line, column: 1, offset: None };
    // The line as it was typed, if the edit can be made there too.
    match sources.original_line(&place) {
        Some(original) if original.trim() != before.trim() => {
            typed(sources, edit, &original).unwrap_or((before, after))
        }
        _ => (before, after),
    }
}

/// A single replacement carried over to the line as it was typed, where the replaced text stands there once.
fn typed(sources: &SourceMap, edit: &Edit, original: &str) -> Option<(String, String)> {
    let [(lo, hi, new)] = edit.parts.as_slice() else { return None };
    let old = sources.snippet(base::Span { lo: *lo, hi: *hi }).into_owned();
    let column = sources.locate(*lo)?.column as usize - 1;
    let at = original.char_indices().nth(column).map(|(at, _)| at)?;
    original[at..]
        .starts_with(&old)
        .then(|| (original.to_string(), format!("{}{new}{}", &original[..at], &original[at + old.len()..])))
}
