//! Edits for users: the lines of the source file before and after, such that `patch` takes them. An edit is made to the text that the preprocessor left; here
//! it is carried over to the lines as they were typed, with their white space, comments and uses of macros.

use super::edits::{Edit, whole_lines};
use base::{SourceMap, Span};
use frontend::{Frontend, Token, TokenKind};
use std::collections::BTreeMap;

/// Lines that are replaced.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hunk {
    /// The first of them, from 1.
    pub line: u32,
    pub before: String,
    pub after: String,
}

/// What an edit replaces; `None` if it cannot be said by the lines as they were typed.
pub fn hunks(sources: &SourceMap, frontend: &Frontend, edit: &Edit) -> Option<Vec<Hunk>> {
    let at_definition = || edit.definition.as_ref().map(|definition| vec![definition.hunk.clone()]);
    match edit.parts.len() {
        1 => at_uses(sources, frontend, edit).or_else(at_definition),
        _ => at_definition().or_else(|| at_uses(sources, frontend, edit)),
    }
}

fn at_uses(sources: &SourceMap, frontend: &Frontend, edit: &Edit) -> Option<Vec<Hunk>> {
    let mut by_line: BTreeMap<(u32, u32), Vec<(u32, u32, &str)>> = BTreeMap::new();
    for (lo, hi, new) in &edit.parts {
        let lines = whole_lines(sources, sources.file_at(*lo)?, *lo, *hi);
        by_line.entry(lines).or_default().push((*lo, *hi, new));
    }
    let mut found = Vec::new();
    for ((from, to), parts) in by_line {
        let read = sources.snippet(Span { lo: from, hi: to }).into_owned();
        let place = sources.locate(parts.first()?.0)?;
        let count = read.split('\n').count() as u32;
        let typed = |line: u32| {
            let place = base::Location { line, ..place.clone() };
            sources.original_line(&place).map(|text| text.into_owned())
        };
        let parts: Vec<(usize, usize, &str)> =
            parts.into_iter().map(|(lo, hi, new)| ((lo - from) as usize, (hi - from) as usize, new)).collect();
        // A statement over several lines begins where its first line does.
        let first = sources.locate(from).map_or(place.line, |start| start.line);
        let original: Option<Vec<String>> = (first..first + count).map(typed).collect();
        let original = original?.join("\n");
        let after = match original == read {
            true => applied(&read, &parts),
            false if count == 1 => carried_over(frontend, &read, &original, &parts)?,
            false => return None,
        };
        found.push(Hunk { line: first, before: original, after });
    }
    Some(found)
}

/// A text with parts of it replaced, which are in ascending order.
fn applied(text: &str, parts: &[(usize, usize, &str)]) -> String {
    let mut result = String::new();
    let mut done = 0;
    for (lo, hi, new) in parts {
        result.push_str(text.get(done..*lo).unwrap_or(""));
        result.push_str(new);
        done = *hi;
    }
    result.push_str(text.get(done..).unwrap_or(""));
    result
}

/// The same replacements in the line that a line was made from. Where the text of a macro is changed, the changed text takes the place of its use.
fn carried_over(frontend: &Frontend, read: &str, original: &str, parts: &[(usize, usize, &str)]) -> Option<String> {
    let tokens = |text: &str| -> Vec<(usize, usize)> {
        let found = (frontend.tokens)(text.as_bytes(), 0);
        let is_text = |token: &&Token| token.kind != TokenKind::End;
        found.iter().filter(is_text).map(|token| (token.span.lo as usize, token.span.hi as usize)).collect()
    };
    let code = without_comments(original);
    let (left, right) = (tokens(read), tokens(&code));
    let matched = matched(&left, &right, |i, j| read.get(left[i].0..left[i].1) == code.get(right[j].0..right[j].1));
    let mut replaced: Vec<(usize, usize, String)> = Vec::new();
    for (lo, hi, new) in parts {
        let mut touched: Vec<usize> = (0..left.len()).filter(|i| left[*i].0 < *hi && *lo < left[*i].1).collect();
        if lo == hi {
            // An insertion stands before a token, or behind one.
            let before = (0..left.len()).find(|i| left[*i].0 >= *lo && matched[*i].is_some());
            let behind = (0..left.len()).rev().find(|i| left[*i].1 <= *lo && matched[*i].is_some());
            let at = match (before, behind) {
                (_, Some(i)) if left[i].1 == *lo => right[matched[i]?].1,
                (Some(i), _) if left[i].0 == *lo => right[matched[i]?].0,
                // Beside the text of a macro: its use begins or ends there.
                (before, behind) => {
                    let starts = left.iter().any(|token| token.0 == *lo);
                    match (starts, before, behind) {
                        (true, _, Some(i)) => right.get(matched[i]? + 1)?.0,
                        (true, _, None) => right.first()?.0,
                        (false, Some(i), _) => right.get(matched[i]?.checked_sub(1)?)?.1,
                        (false, None, _) => right.last()?.1,
                    }
                }
            };
            replaced.push((at, at, new.to_string()));
            continue;
        }
        let (Some(mut first), Some(mut last)) = (touched.first().copied(), touched.last().copied()) else {
            return None;
        };
        let plain = touched.iter().all(|i| matched[*i].is_some());
        while matched[first].is_none() && first > 0 && matched[first - 1].is_none() {
            first -= 1;
        }
        while matched[last].is_none() && last + 1 < left.len() && matched[last + 1].is_none() {
            last += 1;
        }
        touched.clear();
        let from = match matched[first] {
            Some(j) => j,
            None => first.checked_sub(1).map_or(Some(0), |i| matched[i].map(|j| j + 1))?,
        };
        let to = match matched[last] {
            Some(j) => j,
            None if last + 1 == left.len() => right.len().checked_sub(1)?,
            None => matched[last + 1]?.checked_sub(1)?,
        };
        if from > to {
            return None;
        }
        // Tokens of the line that became nothing here are not to be lost.
        let text = match plain {
            true if to - from == last - first => new.trim().to_string(),
            true => return None,
            false => {
                let (start, end) = (left[first].0, left[last].1);
                applied(read.get(start..end)?, &[(lo.max(&start) - start, (*hi).min(end) - start, new.trim())])
            }
        };
        replaced.push((right[from].0, right[to].1, text));
    }
    replaced.sort_by_key(|part| (part.0, part.1));
    if replaced.windows(2).any(|pair| pair[0].1 > pair[1].0) {
        return None;
    }
    let replaced: Vec<(usize, usize, &str)> = replaced.iter().map(|(lo, hi, new)| (*lo, *hi, new.as_str())).collect();
    Some(applied(original, &replaced))
}

/// A line whose comments are spaces.
pub(super) fn without_comments(line: &str) -> String {
    let mut bytes = line.as_bytes().to_vec();
    let mut at = 0;
    let mut quote = None;
    while at < bytes.len() {
        match (quote, bytes[at]) {
            (Some(_), b'\\') => at += 1,
            (Some(open), byte) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, byte @ (b'"' | b'\'')) => quote = Some(byte),
            (None, b'/') if bytes.get(at + 1) == Some(&b'/') => {
                bytes[at..].fill(b' ');
            }
            (None, b'/') if bytes.get(at + 1) == Some(&b'*') => {
                let end =
                    bytes[at + 2..].windows(2).position(|pair| pair == b"*/").map_or(bytes.len(), |to| at + to + 4);
                bytes[at..end].fill(b' ');
            }
            _ => {}
        }
        at += 1;
    }
    String::from_utf8(bytes).unwrap_or_else(|_| line.to_string())
}

/// For each token of one line, the token of the other that it is, by a longest common subsequence.
pub(super) fn matched(
    left: &[(usize, usize)],
    right: &[(usize, usize)],
    same: impl Fn(usize, usize) -> bool,
) -> Vec<Option<usize>> {
    let width = right.len() + 1;
    let mut longest = vec![0u32; (left.len() + 1) * width];
    for i in (0..left.len()).rev() {
        for j in (0..right.len()).rev() {
            longest[i * width + j] = match same(i, j) {
                true => longest[(i + 1) * width + j + 1] + 1,
                false => longest[(i + 1) * width + j].max(longest[i * width + j + 1]),
            };
        }
    }
    let mut found = vec![None; left.len()];
    let (mut i, mut j) = (0, 0);
    while i < left.len() && j < right.len() {
        if same(i, j) {
            found[i] = Some(j);
            (i, j) = (i + 1, j + 1);
        } else if longest[(i + 1) * width + j] >= longest[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_as_they_were_typed() {
        let c = frontend::for_extension("c").expect("C is a language");
        let carried = |read: &str, original: &str, old: &str, new: &str| {
            let at = read.find(old).expect("it stands there");
            carried_over(c, read, original, &[(at, at + old.len(), new)])
        };
        let text = carried(" x = a + b;", "\tx =  a + b; /* a + b */", "+", "-");
        assert_eq!(text.as_deref(), Some("\tx =  a - b; /* a + b */"));
        let text = carried(" x = 600+100;", "\tx = OLEV; // 600", "+", "-");
        assert_eq!(text.as_deref(), Some("\tx = 600-100; // 600"));
        let text = carried("if (a && f(b))", "if (a  &&\tf(b))\r", "a", "c");
        assert_eq!(text.as_deref(), Some("if (c  &&\tf(b))\r"));
        let read = "  if (x < 600)";
        let text = carried_over(c, read, "\tif (x < MAX)", &[(6, 6, "("), (13, 13, ") && (y)")]);
        assert_eq!(text.as_deref(), Some("\tif ((x < MAX) && (y))"));
    }
}
