//! Between operations and places.

use crate::model::{Guard, Location, Position};
use crate::program::{Place, Source, Step};
use cfa::{AssumeRole, Branch, EdgeId, LocId, Op, Program, Property};

pub fn program<'a>(source: &Source<'a>) -> Result<&'a Program, String> {
    source.program.ok_or_else(|| "the program does not compile".into())
}

/// The guard that names one step as exactly as GraphML can.
pub fn guard(source: &Source<'_>, step: &Step) -> Guard {
    let control = source.program.and_then(|program| match program.edges[step.edge].op {
        Op::Assume { truth, role: AssumeRole::Branch(_), .. } => Some(truth),
        _ => None,
    });
    Guard {
        start_line: Some(step.start.line),
        end_line: Some(step.end.line),
        start_offset: Some(source.characters_before(step.start.offset)),
        end_offset: Some(source.characters_before(step.end.offset)),
        control,
        ..Guard::default()
    }
}

pub fn location(source: &Source<'_>, file: &str, place: Place) -> Location {
    let function = source.function_at(place.line).zip(source.program);
    Location {
        at: Position::default(),
        file_name: file.into(),
        file_hash: None,
        line: place.line,
        column: Some(place.column),
        function: function.map(|(function, program)| program.function_name(function).to_string()),
    }
}

/// The one place of a list, or why there is none.
pub fn unique(mut places: Vec<Place>, what: &str) -> Result<Place, String> {
    places.sort();
    places.dedup();
    match places[..] {
        [place] => Ok(place),
        [] => Err(format!("{what}: nothing in the program matches")),
        [first, ..] => Err(format!("{what}: several places match, the first in line {}", first.line)),
    }
}

pub fn step_of<'s>(source: &'s Source<'_>, edge: EdgeId) -> Option<&'s Step> {
    source.steps.iter().find(|step| step.edge == edge)
}

/// Where the statement after a location begins.
pub fn next_place(source: &Source<'_>, location: LocId) -> Option<Place> {
    let program = source.program?;
    let mut at = location;
    for _ in 0..64 {
        let edge = program.successors(at).next()?;
        // What lowering adds has no statement of its own.
        if !matches!(program.edges[edge].op, Op::Skip | Op::Kill(_))
            && let Some(step) = step_of(source, edge)
        {
            return Some(step.anchor);
        }
        at = program.edges[edge].to;
    }
    None
}

/// The last steps of the statements that steps are of: what comes after them is another statement.
pub fn last_steps(source: &Source<'_>, steps: &[Step]) -> Vec<Step> {
    let Some(program) = source.program else { return Vec::new() };
    let leaves =
        |step: &&Step| next_place(source, program.edges[step.edge].to) != Some(step.anchor) || is_branch(program, step);
    steps.iter().filter(leaves).copied().collect()
}

fn is_branch(program: &Program, step: &Step) -> bool {
    matches!(program.edges[step.edge].op, Op::Assume { .. })
}

pub fn is_error(source: &Source<'_>, edge: EdgeId) -> bool {
    let violates = |program: &Program| {
        matches!(program.edges[edge].op, Op::Assert { property: Property::UnreachCall | Property::Assertion, .. })
    };
    source.program.is_some_and(violates) || matches!(source.called(edge), Some("reach_error" | "__VERIFIER_error"))
}

/// The one place in the program where the error is called, if there is only one.
pub fn only_error(source: &Source<'_>) -> Option<Place> {
    let errors = source.steps.iter().filter(|step| is_error(source, step.edge)).map(|step| step.anchor);
    unique(errors.collect(), "the error").ok()
}

/// The error that comes after a location before the next branch.
pub fn error_after(source: &Source<'_>, location: LocId) -> Option<Place> {
    let program = source.program?;
    let mut at = location;
    for _ in 0..1000 {
        let mut edges = program.successors(at);
        let (Some(edge), None) = (edges.next(), edges.next()) else { return None };
        if is_error(source, edge) {
            return Some(step_of(source, edge)?.anchor);
        }
        at = program.edges[edge].to;
    }
    None
}

/// The loop whose head a location is: where it begins, and whether the condition comes first.
pub fn loop_at(source: &Source<'_>, location: LocId) -> Option<(Place, bool)> {
    let program = source.program?;
    let place = source.place(program.locations[location].loop_head?.lo)?;
    let edge = program.successors(location).next()?;
    let first =
        matches!(program.edges[edge].op, Op::Assume { role: AssumeRole::Branch(Branch::While | Branch::For), .. });
    Some((place, first && step_of(source, edge).is_some_and(|step| step.anchor == place)))
}

/// The opposite of a constraint. Twice gives the constraint itself.
pub fn negated(text: &str) -> String {
    const OPPOSITES: [(&str, &str); 6] =
        [("==", "!="), ("!=", "=="), ("<=", ">"), (">=", "<"), ("<", ">="), (">", "<=")];
    if let Some(rest) = text.strip_prefix("\\result ") {
        let found = OPPOSITES.iter().find_map(|(operator, opposite)| Some((opposite, rest.strip_prefix(operator)?)));
        if let Some((opposite, constant)) = found {
            return format!("\\result {opposite}{constant}");
        }
    }
    match text.strip_prefix("!(").and_then(|rest| rest.strip_suffix(')')) {
        Some(inner) if is_closed(inner) => inner.into(),
        _ => format!("!({text})"),
    }
}

/// Whether every parenthesis that closes in a text was opened in it.
pub fn is_closed(text: &str) -> bool {
    let mut depth = 0i32;
    text.chars().all(|letter| {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        depth >= 0
    })
}

/// A text of assignments as equations.
pub fn equations(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let single = |index: usize| {
        let before = index.checked_sub(1).and_then(|index| bytes.get(index));
        bytes[index] == b'='
            && bytes.get(index + 1) != Some(&b'=')
            && !before.is_some_and(|byte| b"=!<>+-*/%&|^".contains(byte))
    };
    let mut equations_text = String::new();
    for (index, letter) in text.char_indices() {
        equations_text.push(letter);
        if single(index) {
            equations_text.push('=');
        }
    }
    (equations_text != text).then_some(equations_text)
}
