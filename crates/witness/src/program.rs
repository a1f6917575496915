//! The program as witnesses see it: lines, columns and offsets of the file that was given to the verifier, and what of the program is there.

use crate::model::{Automaton, Guard, WaypointKind};
use base::SourceMap;
use cfa::{AssumeRole, Branch, Callee, EdgeId, FuncId, InputKind, LocId, Op, Program};
use sha2::Digest;
use std::borrow::Cow;
use std::collections::HashMap;

/// A place of the file: line and column from 1, offset in bytes from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    pub line: u32,
    pub column: u32,
    pub offset: u32,
}

/// An edge of the program that has a place in the file.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub edge: EdgeId,
    /// First and last character of the operation.
    pub start: Place,
    pub end: Place,
    /// Where YAML witnesses say it happens.
    pub anchor: Place,
}

pub struct Source<'a> {
    pub sources: &'a SourceMap,
    pub name: &'a str,
    text: &'a [u8],
    /// Absent when the program does not compile: then only the text is checked.
    pub program: Option<&'a Program>,
    line_starts: Vec<usize>,
    /// In the order of their places.
    pub steps: Vec<Step>,
    /// First and last line of each function that is defined in the file.
    functions: Vec<(FuncId, u32, u32)>,
}

impl<'a> Source<'a> {
    /// `name` is a file of the map; `None` if it is not.
    pub fn new(sources: &'a SourceMap, name: &'a str, program: Option<&'a Program>) -> Option<Source<'a>> {
        // What was read first under the name is the file itself; the preprocessor's output comes after it.
        let file = sources.file_ids().find(|file| sources.name(*file) == name)?;
        let text = sources.text(file);
        let newlines = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(index, _)| index + 1);
        let line_starts = std::iter::once(0).chain(newlines).collect();
        let mut source = Source { sources, name, text, program, line_starts, steps: Vec::new(), functions: Vec::new() };
        if let Some(program) = program {
            let step = |(edge, data): (EdgeId, &cfa::Edge)| {
                let last = data.span.hi.saturating_sub(1).max(data.span.lo);
                let (start, end) = (source.place(data.span.lo)?, source.place(last)?);
                // Macros put their parts in another order than their arguments.
                let end = source.closing(last, end).max(start);
                Some(Step { edge, start, end, anchor: source.place(data.anchor)? })
            };
            source.steps = program.edges.iter().filter_map(step).collect();
            source.steps.sort_by_key(|step| (step.anchor, step.edge));
            let lines = |id: FuncId| {
                let span = program.automaton(id)?.span;
                Some((id, source.place(span.lo)?.line, source.place(span.hi.saturating_sub(1))?.line))
            };
            source.functions = program.functions.iter().filter_map(|(id, _)| lines(id)).collect();
        }
        Some(source)
    }

    /// Where a position of the source map is in the file, through line markers if the text was preprocessed on the way.
    pub fn place(&self, position: u32) -> Option<Place> {
        let file = self.sources.file_at(position)?;
        let found = if std::ptr::eq(self.sources.text(file), self.text) {
            self.sources.physical(position)?
        } else {
            self.sources.locate(position)?
        };
        (found.file == self.name).then_some(Place { line: found.line, column: found.column, offset: found.offset? })
    }

    /// The end of an operation. A parenthesis that a macro ends with is hidden: the one that ends its arguments stands for it.
    fn closing(&self, last: u32, place: Place) -> Place {
        let ends_call = self.sources.bytes(base::Span::new(last, last + 1)) == b")";
        let rest = self.rest(place.line, place.column).unwrap_or_default();
        if !ends_call || rest.starts_with(')') {
            return place;
        }
        let name = rest.find(|letter: char| !is_word(letter)).unwrap_or(rest.len());
        if name == 0 || !rest[name..].trim_start().starts_with('(') {
            return place;
        }
        let mut depth = 0;
        for (column, (byte, letter)) in rest.char_indices().enumerate() {
            depth += i32::from(letter == '(') - i32::from(letter == ')');
            if letter == ')' && depth == 0 {
                let (column, offset) = (place.column + column as u32, place.offset + byte as u32);
                return Place { column, offset, ..place };
            }
        }
        place
    }

    /// Whether the name of a macro may stand at a place, which hides what the macro is made of.
    pub fn may_be_macro(&self, line: u32, column: u32) -> bool {
        const KEYWORDS: [&str; 6] = ["if", "while", "for", "do", "switch", "return"];
        let rest = self.rest(line, column).unwrap_or_default();
        let name = &rest[..rest.find(|letter: char| !is_word(letter)).unwrap_or(rest.len())];
        self.is_preprocessed()
            && name.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
            && !KEYWORDS.contains(&name)
    }

    /// Whether the program was parsed from another text than that of the file.
    fn is_preprocessed(&self) -> bool {
        self.sources.file_ids().filter(|file| self.sources.name(*file) == self.name).count() > 1
    }

    pub fn lines(&self) -> u32 {
        // A file that ends with a newline has no line after it.
        let empty_end = self.line_starts.last() == Some(&self.text.len()) && self.line_starts.len() > 1;
        self.line_starts.len() as u32 - u32::from(empty_end)
    }

    /// Length in characters, as offsets of GraphML count.
    pub fn characters(&self) -> u32 {
        String::from_utf8_lossy(self.text).chars().count() as u32
    }

    pub fn line(&self, number: u32) -> Option<String> {
        let start = *self.line_starts.get(number.checked_sub(1)? as usize)?;
        let end = self.line_starts.get(number as usize).map_or(self.text.len(), |next| next - 1);
        Some(String::from_utf8_lossy(&self.text[start..end]).trim_end_matches('\r').to_string())
    }

    /// The rest of a line from a column on.
    pub fn rest(&self, line: u32, column: u32) -> Option<String> {
        Some(self.line(line)?.chars().skip((column as usize).saturating_sub(1)).collect())
    }

    /// Whether the text shows that a waypoint of a kind cannot be at a place. Nothing is shown where a macro may stand.
    pub fn contradicts(&self, kind: WaypointKind, line: u32, column: Option<u32>) -> bool {
        if self.is_preprocessed() {
            return false;
        }
        let text = self.rest(line, column.unwrap_or(1)).unwrap_or_default();
        let stands = |word: &str| if column.is_some() { text.starts_with(word) } else { text.contains(word) };
        match kind {
            WaypointKind::Branching => !["if", "while", "for", "do", "switch", "?"].into_iter().any(stands),
            WaypointKind::FunctionEnter | WaypointKind::FunctionReturn => !stands(")"),
            WaypointKind::Assumption | WaypointKind::Target => false,
        }
    }

    /// SHA-256 of the file, or SHA-1 where a witness has one of that length.
    pub fn hash(&self, like: &str) -> String {
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        match like.len() {
            40 => hex(&sha1::Sha1::digest(self.text)),
            _ => hex(&sha2::Sha256::digest(self.text)),
        }
    }

    pub fn function(&self, name: &str) -> Option<FuncId> {
        self.program?.function_named(name)
    }

    /// The function whose definition holds a line.
    pub fn function_at(&self, line: u32) -> Option<FuncId> {
        let holds = |(_, first, last): &&(FuncId, u32, u32)| (*first..=*last).contains(&line);
        self.functions.iter().find(holds).map(|(id, ..)| *id)
    }

    /// The steps at a place: those that YAML witnesses mean by it, and without a column all of the line.
    pub fn steps_at(&self, line: u32, column: Option<u32>) -> Vec<Step> {
        let on_line = |step: &&Step| step.anchor.line == line || step.start.line == line;
        let exact = |step: &&Step| column.is_none_or(|column| step.anchor == (Place { line, column, ..step.anchor }));
        self.steps.iter().filter(on_line).filter(exact).copied().collect()
    }

    /// Locations whose scope an expression may stand in, the likeliest first.
    pub fn sites(&self, line: Option<u32>, column: Option<u32>, function: Option<&str>) -> Vec<LocId> {
        let Some(program) = self.program else { return Vec::new() };
        let function = match function {
            Some(name) => self.function(name),
            None => line.and_then(|line| self.function_at(line)),
        };
        let inside =
            |location: &LocId| function.is_none_or(|function| program.locations[*location].function == function);
        let mut found = Vec::new();
        if let Some(line) = line {
            for column in [column, None] {
                let steps = self.steps_at(line, column);
                found.extend(steps.iter().flat_map(|step| {
                    let edge = &program.edges[step.edge];
                    [edge.from, edge.to]
                }));
            }
        }
        found.retain(inside);
        // GraphML may use all variables of a function: the deepest scopes see the most.
        if let Some(automaton) = function.and_then(|function| program.automaton(function)) {
            let mut all: Vec<LocId> = automaton.locations.clone().map(LocId).collect();
            all.sort_by_key(|location| std::cmp::Reverse(program.locations[*location].visible));
            let mut scopes = std::collections::HashSet::new();
            all.retain(|location| scopes.insert(program.locations[*location].scope));
            found.extend(all);
        }
        // The last function sees the most of the file scope.
        found.extend(program.locations.iter().map(|(id, _)| id).next_back());
        let mut seen = std::collections::HashSet::new();
        found.retain(|location| seen.insert(*location));
        found
    }

    /// The automaton with offsets that can be trusted: if one of them contradicts its line, all of them count the characters of another
    /// text (some producers count in the preprocessed one), and none is left.
    pub fn with_trusted_offsets<'w>(&self, automaton: &'w Automaton) -> Cow<'w, Automaton> {
        let characters = Characters::new(self.text);
        let differs = |offset: Option<u32>, line: Option<u32>| {
            let byte = offset.map(|offset| characters.byte(offset));
            let contradicts = |(byte, line): (Option<usize>, u32)| byte.is_none_or(|byte| self.line_of(byte) != line);
            byte.zip(line).is_some_and(contradicts)
        };
        let guards = automaton.edges.iter().map(|edge| &edge.guard);
        let mut contradictions = guards.filter(|guard| {
            let backwards = guard.start_offset.zip(guard.end_offset).is_some_and(|(start, end)| end < start);
            backwards || differs(guard.start_offset, guard.start_line) || differs(guard.end_offset, guard.end_line)
        });
        if contradictions.next().is_none() {
            return Cow::Borrowed(automaton);
        }
        let mut automaton = automaton.clone();
        for edge in &mut automaton.edges {
            (edge.guard.start_offset, edge.guard.end_offset) = (None, None);
        }
        Cow::Owned(automaton)
    }

    /// The line that a byte is in, from 1.
    fn line_of(&self, byte: usize) -> u32 {
        self.line_starts.partition_point(|start| *start <= byte) as u32
    }

    /// The steps that a source-code guard matches. Its offsets are trusted, see [`Source::with_trusted_offsets`].
    pub fn matching(&self, guard: &Guard) -> Vec<Step> {
        let Some(program) = self.program else { return Vec::new() };
        let [from, to] = [guard.start_offset, guard.end_offset].map(|offset| Some(self.byte_at(offset?)));
        let matches = |step: &&Step| {
            let op = &program.edges[step.edge].op;
            let lines = guard.start_line.is_none_or(|line| step.start.line == line || step.anchor.line == line)
                && guard.end_line.is_none_or(|line| step.end.line <= line);
            let first = step.start.offset.min(step.anchor.offset);
            let offsets = from.is_none_or(|from| step.end.offset >= from) && to.is_none_or(|to| first <= to);
            let control = guard.control.is_none_or(
                |wanted| matches!(op, Op::Assume { truth, role: AssumeRole::Branch(_), .. } if *truth == wanted),
            );
            let enter = guard.enter_function.as_deref().is_none_or(|name| self.called(step.edge) == Some(name));
            let head = !guard.enter_loop_head || self.comes_to_loop(program, program.edges[step.edge].to);
            lines && offsets && control && enter && head
        };
        let mut found: Vec<Step> = self.steps.iter().filter(matches).copied().collect();
        // Offsets may be rough; a step that begins exactly there is taken.
        if found.iter().any(|step| Some(step.start.offset) == from) {
            found.retain(|step| Some(step.start.offset) == from);
        }
        found
    }

    /// The anchor of the branch at a place; without a column the leftmost of the line.
    pub fn branch_at(&self, line: u32, column: Option<u32>) -> Option<(Place, Vec<EdgeId>)> {
        let program = self.program?;
        let is_branch = |step: &&Step| matches!(program.edges[step.edge].op, Op::Assume { role: AssumeRole::Branch(kind), .. } if kind != Branch::ShortCircuit);
        let steps = self.steps.iter().filter(is_branch);
        let fits = |step: &&Step| step.anchor.line == line && column.is_none_or(|column| column == step.anchor.column);
        let place = steps.clone().filter(fits).map(|step| step.anchor).min()?;
        Some((place, steps.filter(|step| step.anchor == place).map(|step| step.edge).collect()))
    }

    /// The edges on which the condition of the branch at a place is found to be true, or false.
    pub fn decided(&self, line: u32, column: Option<u32>, truth: bool) -> Vec<EdgeId> {
        let (Some(program), Some((place, edges))) = (self.program, self.branch_at(line, column)) else {
            return Vec::new();
        };
        let anchors: HashMap<EdgeId, Place> = self.steps.iter().map(|step| (step.edge, step.anchor)).collect();
        let agrees =
            |edge: &EdgeId| matches!(program.edges[*edge].op, Op::Assume { truth: found, .. } if found == truth);
        // Whether after a branch another operand of the same condition is evaluated.
        let goes_on = |edge: EdgeId| {
            let end = program.edges[edge].span.hi;
            let last = edges.iter().map(|edge| program.edges[*edge].span.hi).max().unwrap_or(end);
            let (mut open, mut seen) = (vec![program.edges[edge].to], Vec::new());
            while let Some(location) = open.pop() {
                if seen.contains(&location) {
                    continue;
                }
                seen.push(location);
                for next in program.successors(location) {
                    let span = program.edges[next].span;
                    if edges.contains(&next) && span.lo >= end {
                        return true;
                    }
                    let inside = anchors.get(&next) == Some(&place) && !edges.contains(&next)
                        || (end <= span.lo && span.hi <= last);
                    if inside {
                        open.push(program.edges[next].to);
                    }
                }
            }
            false
        };
        edges.iter().copied().filter(agrees).filter(|edge| !goes_on(*edge)).collect()
    }

    /// Whether a branch decides its condition: no further operand of the same `&&` or `||` is evaluated after it.
    pub fn decides(program: &Program, edge: EdgeId) -> bool {
        let data = &program.edges[edge];
        let mut at = data.to;
        // Between operands there are calls, and values that are put aside.
        for _ in 0..64 {
            let Some(next) = program.locations[at].out[0] else { return true };
            let other = &program.edges[next];
            match other.op {
                Op::Assume { role: AssumeRole::Branch(_), .. } if other.anchor == data.anchor => {
                    return other.span.lo < data.span.hi;
                }
                Op::Skip | Op::Kill(_) => {}
                _ if other.anchor == data.anchor && other.span.lo >= data.span.hi => {}
                _ => return true,
            }
            at = other.to;
        }
        true
    }

    /// Whether a loop's head is the next thing: what lowering adds on the way does not count.
    fn comes_to_loop(&self, program: &Program, mut location: LocId) -> bool {
        for _ in 0..64 {
            if program.locations[location].loop_head.is_some() {
                return true;
            }
            match program.locations[location].out {
                [Some(edge), None] if matches!(program.edges[edge].op, Op::Skip | Op::Kill(_)) => {
                    location = program.edges[edge].to;
                }
                _ => return false,
            }
        }
        false
    }

    /// The byte at which a character begins.
    fn byte_at(&self, character: u32) -> u32 {
        if self.text.is_ascii() {
            return character;
        }
        let text = String::from_utf8_lossy(self.text);
        text.char_indices().nth(character as usize).map_or(self.text.len(), |(index, _)| index) as u32
    }

    /// The function that a step calls: also one that gives an input, or whose call is the error.
    pub fn called(&self, edge: EdgeId) -> Option<&'a str> {
        let program = self.program?;
        let edge = &program.edges[edge];
        match edge.op {
            Op::Call { callee: Callee::Direct(function), .. } => Some(program.function_name(function)),
            Op::Havoc(_, InputKind::Nondet(function) | InputKind::External(function)) => {
                Some(program.function_name(function))
            }
            Op::Assert { property: cfa::Property::UnreachCall, .. } => {
                let text = self.sources.bytes(edge.span);
                ["reach_error", "__VERIFIER_error"].into_iter().find(|name| text.starts_with(name.as_bytes()))
            }
            _ => None,
        }
    }

    /// Number of characters before a byte.
    pub fn characters_before(&self, offset: u32) -> u32 {
        let before = &self.text[..(offset as usize).min(self.text.len())];
        if before.is_ascii() { before.len() as u32 } else { String::from_utf8_lossy(before).chars().count() as u32 }
    }
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Where the characters of a text begin.
struct Characters<'t> {
    text: &'t [u8],
    /// The byte of each character; `None` where each character is a byte.
    starts: Option<Vec<usize>>,
}

impl<'t> Characters<'t> {
    fn new(text: &'t [u8]) -> Self {
        let starts = || String::from_utf8_lossy(text).char_indices().map(|(index, _)| index).collect();
        Characters { text, starts: (!text.is_ascii()).then(starts) }
    }

    /// `None` beyond the end.
    fn byte(&self, character: u32) -> Option<usize> {
        match &self.starts {
            Some(starts) => starts.get(character as usize).copied(),
            None => Some(character as usize).filter(|byte| *byte < self.text.len()),
        }
    }
}
