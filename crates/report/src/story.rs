//! A failing run as a short story: the inputs that matter, and the few steps that the violation depends on. Steps of one line that lead to one result are
//! one line; calls are folded, the innermost first, until it is short.

use crate::localize::SuspectView;
use crate::replay::{InputView, Listed, ReplayReport, Shown, StepView};
use std::fmt::Write;

/// More inputs are only on the line that `--inputs` takes.
const INPUTS: usize = 16;
/// Inputs that cannot change are one line if they are so many.
const FIXED: usize = 3;

impl ReplayReport {
    /// Each input that matters with what else it could be; the others on one line.
    pub(crate) fn inputs_story(&self) -> String {
        let mut text = String::new();
        let mut matter: Vec<(String, String)> = Vec::new();
        let (mut fixed, mut any, mut unused) = (Vec::new(), Vec::new(), Vec::new());
        for (step, listed) in self.listed(Shown::Everything) {
            if let Listed::Read(all) = listed {
                matter.push((all, String::new()));
                continue;
            }
            let Some(input) = step.input.map(|index| &self.inputs[index]) else { continue };
            let name = step.assigned.clone().or(input.name.clone()).unwrap_or_else(|| step.text.clone());
            match (input.dont_care, step.relevant) {
                (Some(true), _) => any.push(name),
                (_, Some(false)) => unused.push(name),
                _ => {
                    fixed.extend(is_fixed(input).then(|| step.text.clone()));
                    matter.push((step.text.clone(), freedom(input)));
                }
            }
        }
        if matter.len() + any.len() + unused.len() > INPUTS {
            return text;
        }
        match fixed.len() < FIXED {
            true => fixed.clear(),
            false => matter.retain(|(input, _)| !fixed.contains(input)),
        }
        if !fixed.is_empty() || matter.iter().any(|(_, note)| !note.is_empty()) {
            text.push_str("inputs that matter, and the values of each that fail on the same path:\n");
        }
        let width = matter.iter().map(|(text, _)| text.chars().count()).max().unwrap_or(0);
        for (input, note) in &matter {
            let line = format!("  {input:width$}    {note}");
            writeln!(text, "{}", line.trim_end()).expect("writing to a string");
        }
        // With another value of an unused input the run may take another path, and another path may not fail.
        for (names, what) in [(fixed, "only"), (any, "any value"), (unused, "the steps that matter do not use")] {
            if !names.is_empty() {
                writeln!(text, "  {what}: {}", names.join(", ")).expect("writing to a string");
            }
        }
        text
    }

    /// The steps that matter, on at most so many lines, if they are known. Those at the first suspect are told however deep they are.
    pub(crate) fn steps_story(&self, most: usize, suspect: Option<&SuspectView>) -> Option<String> {
        if self.skipped > 0 || self.steps.iter().any(|step| step.relevant.is_none()) {
            return None;
        }
        let deepest = self.steps.iter().map(|step| step.depth).max().unwrap_or(0);
        let with_suspect = Some(self.story_lines(0, suspect)).filter(|lines| lines.len() <= most);
        let suspect = suspect.filter(|_| with_suspect.is_some());
        let mut lines = with_suspect.unwrap_or_else(|| self.story_lines(0, None));
        for depth in 1..=deepest {
            let more = self.story_lines(depth, suspect);
            if more.len() > most {
                break;
            }
            lines = more;
        }
        if lines.is_empty() {
            // The end of the run is shown already, and it depends on nothing before it.
            return Some(format!("no step before it matters (--full shows all {} steps)\n", self.steps.len()));
        }
        let one_file = lines.iter().all(|line| line.file == lines[0].file);
        let place = |line: &Line<'_>| match one_file {
            true => line.line.to_string(),
            false => format!("{}:{}", line.file, line.line),
        };
        let width = lines.iter().map(|line| place(line).len()).max().unwrap_or(0);
        let mut text = match one_file {
            true => format!("steps that matter, in {}:\n", lines[0].file),
            false => "steps that matter:\n".to_string(),
        };
        // Too many even so: the end is nearer to the violation.
        let hidden = lines.len().saturating_sub(most);
        let first = if hidden == 0 { lines.len() } else { most / 3 };
        for (index, line) in lines.iter().enumerate() {
            if hidden > 0 && index == first {
                writeln!(text, "  {:width$}  … {hidden} more …", "").expect("writing to a string");
            }
            if (first..first + hidden).contains(&index) {
                continue;
            }
            let indent = "  ".repeat(line.depth.min(20) as usize);
            match one_file {
                true => writeln!(text, "  {:>width$}  {indent}{}", place(line), line.text),
                false => writeln!(text, "  {:width$}  {indent}{}", place(line), line.text),
            }
            .expect("writing to a string");
        }
        if lines.len() - hidden < self.steps.len() {
            writeln!(text, "(--full shows all {} steps)", self.steps.len()).expect("writing to a string");
        }
        Some(text)
    }

    /// The story in which calls deeper than `depth` are folded; of those that come to the suspect, only the way there is told.
    fn story_lines(&self, depth: u32, suspect: Option<&SuspectView>) -> Vec<Line<'_>> {
        let at_suspect = |step: &StepView| {
            is_told(step)
                && suspect.is_some_and(|suspect| suspect.line == step.place.line && suspect.file == step.place.file)
        };
        let mut lines: Vec<Line<'_>> = Vec::new();
        let mut folds = self.folds().iter().peekable();
        let mut index = 0;
        while index < self.steps.len() {
            let step = &self.steps[index];
            while folds.next_if(|(range, _)| range.start < index).is_some() {}
            if let Some((range, instead)) = folds.next_if(|(range, _)| range.start == index) {
                if self.steps[range.clone()].iter().any(is_told) {
                    lines.push(Line::new(step, instead.clone(), Weight::Call));
                }
                index = range.end;
                continue;
            }
            if step.kind == "call" && step.depth > depth {
                let end = self.end_of_call(index);
                let inside = &self.steps[index..end];
                if inside.iter().any(at_suspect) {
                    lines.push(Line { is_closed: true, ..Line::new(step, step.text.clone(), Weight::Result) });
                    index += 1;
                    continue;
                }
                let is_on_the_way = step.depth > depth + 1;
                if !is_on_the_way && inside.iter().any(is_told) {
                    let value = inside.iter().rev().find(|inner| inner.kind == "return" && inner.depth == step.depth);
                    let name = step.text.strip_prefix("call ").unwrap_or(&step.text);
                    let text = match value.and_then(|value| value.text.strip_prefix("return ")) {
                        Some(value) => format!("{name} returns {value}"),
                        None => step.text.clone(),
                    };
                    let caller = step.depth.saturating_sub(1);
                    push(&mut lines, Line { depth: caller, ..Line::new(step, text, Weight::Call) });
                }
                index = end;
                continue;
            }
            if step.kind == "call" {
                if self.steps[index..self.end_of_call(index)].iter().any(is_told) {
                    lines.push(Line { is_closed: true, ..Line::new(step, step.text.clone(), Weight::Result) });
                }
            } else if is_told(step) && (step.depth <= depth || at_suspect(step)) {
                let weight = if step.kind == "branch" { Weight::Branch } else { Weight::Result };
                push(&mut lines, Line::new(step, step.text.clone(), weight));
            }
            index += 1;
        }
        lines
    }

    /// The first step behind a call.
    fn end_of_call(&self, call: usize) -> usize {
        let depth = self.steps[call].depth;
        let behind = self.steps[call + 1..]
            .iter()
            .position(|step| step.depth < depth || (step.depth == depth && step.kind == "call"));
        behind.map_or(self.steps.len(), |behind| call + 1 + behind)
    }
}

/// Whether a step is worth a line: inputs stand before the story, and declarations and assumptions change nothing.
fn is_told(step: &StepView) -> bool {
    let changes = match step.kind {
        "input" | "assumption" | "call" => false,
        "declaration" => step.value.is_some(),
        _ => true,
    };
    changes && step.relevant == Some(true)
}

fn is_fixed(input: &InputView) -> bool {
    input.range.as_ref().is_some_and(|(from, to)| from == to)
}

fn freedom(input: &InputView) -> String {
    match &input.range {
        Some((from, to)) if from == to => format!("only {from}"),
        Some((from, to)) => format!("{from} to {to}"),
        None => String::new(),
    }
}

/// How much a part of a line says: a result tells what its operands were good for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    Call,
    Branch,
    Result,
}

struct Line<'a> {
    file: &'a str,
    line: u32,
    depth: u32,
    text: String,
    weight: Weight,
    /// Nothing is added to it.
    is_closed: bool,
}

impl<'a> Line<'a> {
    fn new(step: &'a StepView, text: String, weight: Weight) -> Self {
        let StepView { place, depth, .. } = step;
        Line { file: &place.file, line: place.line, depth: *depth, text, weight, is_closed: false }
    }
}

/// Adds a part to the line before it, if that is of the same line of the program.
fn push<'a>(lines: &mut Vec<Line<'a>>, next: Line<'a>) {
    let Some(last) = lines.last_mut() else { return lines.push(next) };
    let same = (last.file, last.line, last.depth) == (next.file, next.line, next.depth) && !last.is_closed;
    match (same, next.weight.cmp(&last.weight)) {
        (false, _) => lines.push(next),
        (true, std::cmp::Ordering::Greater) => *last = next,
        (true, std::cmp::Ordering::Less) => {}
        (true, std::cmp::Ordering::Equal) => {
            let target = |text: &str| text.split_once(" = ").map(|(target, _)| target.to_string());
            let mut parts = last.text.split(", ");
            // What gets a value again does so in another iteration.
            if next.weight == Weight::Result && parts.any(|part| target(part) == target(&next.text)) {
                lines.push(next);
            } else if !last.text.split(", ").any(|part| part == next.text) {
                last.text = format!("{}, {}", last.text, next.text);
            }
        }
    }
}
