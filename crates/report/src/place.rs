//! A place of the source for users: file, line, column, and the line's text to point into.

use base::{Location, SourceMap, Span};
use cfa::{Callee, EdgeId, Op, Program};
use serde::Serialize;

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct PlaceView {
    pub file: String,
    pub line: u32,
    pub column: u32,
    /// The line the place is on, and the bytes of it to underline.
    #[serde(skip)]
    pub text: Option<String>,
    #[serde(skip)]
    pub underline: (usize, usize),
    /// Where the line begins in its file.
    #[serde(skip)]
    pub offset: Option<u32>,
}

impl PlaceView {
    /// The place of an edge. That of a function in a system header is where the user's text calls it, for that is what can be changed.
    pub fn of_edge(program: &Program, sources: &SourceMap, edge: EdgeId) -> Option<PlaceView> {
        PlaceView::of(sources, program.edges[own_call(program, sources, edge)].span)
    }

    /// `None` for a span that stands for no text.
    pub fn of(sources: &SourceMap, span: Span) -> Option<PlaceView> {
        let start = sources.locate(span.lo)?;
        let text = match sources.original_line(&start) {
            Some(line) => line.into_owned(),
            None => sources.physical_line(span.lo)?.into_owned(),
        };
        let text = text.trim_end_matches('\r').to_string();
        let from = byte_of_column(&text, start.column);
        // The last character's place is asked for, because the end itself may lie on another line.
        let last = sources.locate_last(span.hi.saturating_sub(1).max(span.lo));
        let to = match last {
            // What a macro made is at the macro's name, from the first character to the last.
            Some(last) if last == start && span.hi > span.lo + 1 => from + word_length(&text[from..]),
            Some(last) if last.line == start.line && last.file == start.file && last.column >= start.column => {
                byte_of_column(&text, last.column + 1)
            }
            _ => text.trim_end().len(),
        };
        let underline = (from, to.max(from + 1).min(text.len().max(from)));
        let offset = sources.original_offset(&start);
        let Location { file, line, column, .. } = start;
        Some(PlaceView { file, line, column, text: Some(text), underline, offset })
    }
}

/// An edge outside system headers that leads to one, by the first calls that are found; the edge itself if there is none.
fn own_call(program: &Program, sources: &SourceMap, edge: EdgeId) -> EdgeId {
    let is_own = |edge: &EdgeId| !sources.is_in_system_header(program.edges[*edge].span.lo);
    if is_own(&edge) {
        return edge;
    }
    let function = |edge: EdgeId| program.locations[program.edges[edge].from].function;
    let mut callees = vec![function(edge)];
    let mut next = 0;
    while let Some(callee) = callees.get(next).copied() {
        let calls = program
            .edges
            .iter()
            .filter(|(_, data)| matches!(data.op, Op::Call { callee: Callee::Direct(called), .. } if called == callee));
        for (call, _) in calls {
            if is_own(&call) {
                return call;
            }
            if !callees.contains(&function(call)) {
                callees.push(function(call));
            }
        }
        next += 1;
    }
    edge
}

fn word_length(text: &str) -> usize {
    text.find(|letter: char| !(letter.is_alphanumeric() || letter == '_')).unwrap_or(text.len()).max(1)
}

fn byte_of_column(text: &str, column: u32) -> usize {
    text.char_indices().nth(column as usize - 1).map_or(text.len(), |(index, _)| index)
}
