//! Edits for users: the lines of the source file before and after, such that `patch` takes them. An edit is made to the text that the preprocessor left; here
//! it is carried over to the lines as they were typed, with their white space, comments and uses of macros.

use super::edits::{Edit, whole_lines};
use base::{SourceMap, Span};
use frontend::{Frontend, Token, TokenKind};
use std::collections::BTreeMap;
use std::ops::Range;

/// Words that are followed by parentheses and are no macros: where the text that was read begins behind one, it is missing there.
const STATEMENTS: &[&str] = &["if", "while", "for", "switch", "return", "sizeof", "else", "do", "case"];

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
    let at_uses = || at_uses(sources, frontend, edit);
    let has_parameters = edit.definition.as_ref().is_some_and(|definition| definition.has_parameters);
    match edit.parts.len() {
        1 if !has_parameters => at_uses().or_else(at_definition),
        _ => at_definition().or_else(at_uses),
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
    let texts = |of: &[(usize, usize)], text| -> Option<Vec<&str>> {
        let text: &str = text;
        of.iter().map(|(lo, hi)| text.get(*lo..*hi)).collect()
    };
    let Alignment { same, uses } = Alignment::of(&texts(&left, read)?, &texts(&right, &code)?)?;
    let mut replaced: Vec<(usize, usize, String)> = Vec::new();
    for (lo, hi, new) in parts {
        let use_of = |token: usize| uses.iter().find(|one| one.left.contains(&token) && same[token].is_none());
        // An insertion stands before a token, or behind one.
        if lo == hi {
            let begins = (0..left.len()).find(|token| left[*token].0 == *lo);
            let ends = (0..left.len()).find(|token| left[*token].1 == *lo);
            let behind = |token: usize| match use_of(token) {
                None => same[token].map(|token| right[token].1),
                Some(one) => (token + 1 == one.left.end).then(|| right[one.right.end - 1].1),
            };
            let before = |token: usize| match use_of(token) {
                None => same[token].map(|token| right[token].0),
                Some(one) => (token == one.left.start).then(|| right[one.right.start].0),
            };
            let at = ends.and_then(behind).or_else(|| begins.and_then(before));
            if let Some(at) = at {
                replaced.push((at, at, new.to_string()));
                continue;
            }
        }
        let touches = |token: &usize| {
            left[*token].0 <= *hi
                && *lo <= left[*token].1
                && (lo == hi || (left[*token].0 < *hi && *lo < left[*token].1))
        };
        let touched: Vec<usize> = (0..left.len()).filter(touches).collect();
        let (mut first, mut last) = (*touched.first()?, *touched.last()?);
        let (mut from, mut to) = (same[first].unwrap_or(usize::MAX), same[last].map_or(0, |token| token + 1));
        let is_plain = touched.iter().all(|token| same[*token].is_some());
        if !is_plain && touched.iter().all(|token| use_of(*token).is_none()) {
            return None;
        }
        for one in touched.iter().filter_map(|token| use_of(*token)) {
            (first, last) = (first.min(one.left.start), last.max(one.left.end - 1));
            (from, to) = (from.min(one.right.start), to.max(one.right.end));
        }
        if from >= to || (is_plain && to - from != last + 1 - first) {
            return None;
        }
        let text = match is_plain {
            true => new.trim().to_string(),
            false => {
                let (start, end) = (left[first].0, left[last].1);
                applied(read.get(start..end)?, &[((*lo).max(start) - start, (*hi).min(end) - start, new.trim())])
            }
        };
        replaced.push((right[from].0, right[to - 1].1, text));
    }
    replaced.sort_by_key(|part| (part.0, part.1));
    if replaced.windows(2).any(|pair| pair[0].1 > pair[1].0) {
        return None;
    }
    let replaced: Vec<(usize, usize, &str)> = replaced.iter().map(|(lo, hi, new)| (*lo, *hi, new.as_str())).collect();
    Some(applied(original, &replaced))
}

/// Which tokens of a line that was read are those of the line that was typed, and what macros stand for.
pub(super) struct Alignment {
    /// For each token that was read.
    pub same: Vec<Option<usize>>,
    uses: Vec<Use>,
}

/// A use of a macro, with its arguments, and what it stands for.
struct Use {
    left: Range<usize>,
    right: Range<usize>,
}

impl Alignment {
    /// From the texts of the tokens; `None` if it is not certain what stands for what. A macro is a word that is not read.
    pub fn of(left: &[&str], right: &[&str]) -> Option<Alignment> {
        let uses = Self::uses(left, right)?;
        Self::of_line(left, right, &uses).or_else(|| Self::of_ends(left, right, &uses))
    }

    /// Where a macro is that of a system header, the text that was read is cut there: what stands before or behind all macros is certain.
    fn of_ends(left: &[&str], right: &[&str], uses: &[Range<usize>]) -> Option<Alignment> {
        let before = &right[..uses.first().map_or(right.len(), |first| first.start)];
        let behind = &right[uses.last().map_or(0, |last| last.end)..];
        let ends = (1..=behind.len().min(left.len())).rev().find(|count| {
            (*count == behind.len() || *count == left.len()) && left.ends_with(&behind[behind.len() - count..])
        });
        let begins = (1..=before.len().min(left.len()))
            .rev()
            .find(|count| (*count == before.len() || *count == left.len()) && left.starts_with(&before[..*count]));
        let mut same = vec![None; left.len()];
        match (ends, begins) {
            (Some(count), _) => {
                (1..=count).for_each(|token| same[left.len() - token] = Some(right.len() - token));
            }
            (None, Some(count)) => (0..count).for_each(|token| same[token] = Some(token)),
            (None, None) => return None,
        }
        Some(Alignment { same, uses: Vec::new() })
    }

    /// Macros with their arguments.
    fn uses(left: &[&str], right: &[&str]) -> Option<Vec<Range<usize>>> {
        let is_word = |text: &str| {
            text.starts_with(|letter: char| letter.is_alphabetic() || letter == '_') && !STATEMENTS.contains(&text)
        };
        let mut uses: Vec<Range<usize>> = Vec::new();
        let mut at = 0;
        while at < right.len() {
            let from = at;
            at += 1;
            if is_word(right[from]) && !left.contains(&right[from]) {
                if right.get(at) == Some(&"(") {
                    let mut depth = 0;
                    let closes = |text: &&str| {
                        depth += i32::from(*text == "(") - i32::from(*text == ")");
                        depth == 0
                    };
                    at += right[at..].iter().position(closes)? + 1;
                }
                match uses.last_mut() {
                    Some(last) if last.end == from => last.end = at,
                    _ => uses.push(from..at),
                }
            }
        }
        Some(uses)
    }

    fn of_line(left: &[&str], right: &[&str], uses: &[Range<usize>]) -> Option<Alignment> {
        let mut same = vec![None; left.len()];
        let mut found: Vec<Use> = Vec::new();
        let (mut done, mut typed) = (0, 0);
        for (index, one) in uses.iter().enumerate() {
            // What stands before the use, and what stands behind it up to the next one, or to the end.
            let before = &right[typed..one.start];
            if left.get(done..done + before.len())? != before {
                return None;
            }
            (0..before.len()).for_each(|token| same[done + token] = Some(typed + token));
            let start = done + before.len();
            let next = uses.get(index + 1).map_or(right.len(), |next| next.start);
            let behind = &right[one.end..next];
            let end = match next == right.len() {
                true => left.len().checked_sub(behind.len()).filter(|end| *end >= start && &left[*end..] == behind)?,
                false => {
                    let fits = |end: &usize| left[*end..].starts_with(behind);
                    let mut ends = (start..left.len()).filter(fits);
                    let end = ends.next().filter(|_| !behind.is_empty())?;
                    ends.next().is_none().then_some(end)?
                }
            };
            // An argument that stands there once is what was typed.
            for argument in arguments(right, one) {
                let text = &right[argument.clone()];
                let places: Vec<usize> = (start..end).filter(|at| left[*at..end].starts_with(text)).collect();
                if let [place] = places[..] {
                    (0..text.len()).for_each(|token| same[place + token] = Some(argument.start + token));
                }
            }
            found.push(Use { left: start..end, right: one.clone() });
            (done, typed) = (end, one.end);
        }
        if left.get(done..)? != &right[typed..] {
            return None;
        }
        (done..left.len()).zip(typed..).for_each(|(token, typed)| same[token] = Some(typed));
        Some(Alignment { same, uses: found })
    }
}

/// The arguments of a macro, where they are no macros themselves.
fn arguments(right: &[&str], one: &Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut depth, mut from) = (0, 0);
    for at in one.clone().skip(1) {
        match right[at] {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        let ends = (depth == 1 && right[at] == ",") || (depth == 0 && right[at] == ")");
        if ends && from > 0 && from < at {
            found.push(from..at);
        }
        if ends || (depth == 1 && right[at] == "(") {
            from = at + 1;
        }
    }
    found
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
        // Macros in the arguments of macros: the whole use is replaced, and what stands around it stays.
        let read = "f(((( a * a )) < (b) ? (( a * a )) : (b)) );";
        let text = carried(read, "f(MAX(SQUARE(a), b) ); // f", "<", ">");
        assert_eq!(text.as_deref(), Some("f(((( a * a )) > (b) ? (( a * a )) : (b)) ); // f"));
        let text = carried("x = ((y + 1) * 2) + 3;", "x = TWICE(y + 1) + 3;", "y + 1", "y - 1");
        assert_eq!(text.as_deref(), Some("x = TWICE(y - 1) + 3;"));
        let text = carried("; n = 1; }", "{ assert(n == 0); n = 1; }", "=", "-=");
        assert_eq!(text.as_deref(), Some("{ assert(n == 0); n -= 1; }"));
        // Behind a macro of a system header, what was read begins anew.
        let text = carried("  && c != d && n < 3) {", "while (c == EOF && c != d && n < 3) {", "&& c", "|| c");
        assert_eq!(text.as_deref(), Some("while (c == EOF || c != d && n < 3) {"));
        let text = carried("x = (y * 2) - (z * 2);", "x = TWICE(y) - TWICE(z);", "-", "+");
        assert_eq!(text.as_deref(), Some("x = TWICE(y) + TWICE(z);"));
    }
}
