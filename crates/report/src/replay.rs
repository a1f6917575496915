//! The report of `replay`: how a concrete run went. The fields are the JSON contract.

use crate::PlaceView;
use crate::cycles::{self, CycleTable};
use crate::fold::Folder;
use crate::localize::SuspectView;
use crate::terminal::{self, Style};
use crate::value;
use crate::viewer::{Calls, Viewer};
use base::SourceMap;
use cfa::interp::{Limit, Outcome, PoisonReason, RecordedInput};
use cfa::walk::Node;
use cfa::{EdgeId, Fault, PlaceId, PlaceKind, Program, Property, Type, eval};
use evidence::{Freedom, Step, StepKind, Trace};
use serde::Serialize;
use std::fmt::Write;

/// How much of a run to print.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shown {
    /// Only how it ends.
    End,
    /// How it ends, the inputs, and the steps that matter.
    Story,
    /// The steps, without the middle of long loops.
    Folded,
    Everything,
}

#[derive(Clone, Debug, Serialize)]
pub struct ReplayReport {
    /// `violation`, `finished`, `assumption-failed`, `error` or `limit`.
    pub outcome: &'static str,
    /// In words, how the run ended.
    pub reason: String,
    pub exit_code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    pub violation: Option<ViolationView>,
    pub inputs: Vec<InputView>,
    pub steps: Vec<StepView>,
    /// Steps executed in all; `steps` leaves out `skipped` recorded ones in the middle, and what only lowering sees.
    pub step_count: u64,
    pub skipped: u64,
    pub call_stack: Vec<PlaceView>,
    /// The inputs as `--inputs` takes them.
    pub inputs_line: String,
    /// In words, what was expected of the run and is not so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// Of a program that runs in cycles: the values at the end of each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycles: Option<CycleTable>,
    #[serde(skip)]
    pub(crate) end: Option<PlaceView>,
    #[serde(skip)]
    pub(crate) detail: Option<String>,
    #[serde(skip)]
    pub(crate) skipped_at: usize,
    /// Iterations that the text leaves out, in order: these steps, and what stands in their place.
    #[serde(skip)]
    folds: Vec<(std::ops::Range<usize>, String)>,
    #[serde(skip)]
    pub(crate) arguments: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
pub struct ViolationView {
    pub property: &'static str,
    pub message: String,
    #[serde(flatten)]
    pub place: PlaceView,
    /// The values that made it happen: operands, an index and the length of the array, the size of the object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
pub struct InputView {
    pub name: Option<String>,
    pub function: Option<String>,
    #[serde(flatten)]
    pub place: PlaceView,
    #[serde(rename = "type")]
    pub ty: String,
    pub value: String,
    /// Whether any value gives the same failure on the same path; `None` if it was not checked.
    pub dont_care: Option<bool>,
    /// The first and the last of the values around this one that do, the other inputs being as they are.
    pub range: Option<(String, String)>,
}

#[derive(Clone, Debug, Serialize)]
pub struct StepView {
    #[serde(flatten)]
    pub place: PlaceView,
    pub function: String,
    /// `input`, `declaration`, `assignment`, `branch`, `assumption`, `call`, `return` or `assertion`.
    pub kind: &'static str,
    pub text: String,
    pub assigned: Option<String>,
    pub value: Option<String>,
    /// Whether the violation depends on it; `None` if that was not found out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relevant: Option<bool>,
    #[serde(skip)]
    pub(crate) depth: u32,
    /// Which step of the trace it is.
    #[serde(skip)]
    pub(crate) at: usize,
    /// Which of the inputs it is.
    #[serde(skip)]
    pub(crate) input: Option<usize>,
    /// The function of the library that reads characters, and the character; `None` is the end of what it reads.
    #[serde(skip)]
    pub(crate) character: Option<(String, Option<u8>)>,
}

/// Lines of steps in a story.
const STORY_LINES: usize = 32;

/// More inputs are not repeated on a line of their own.
const LINE_OF_INPUTS: usize = 32;

/// One line of a run.
pub(crate) enum Listed<'a> {
    /// The step, with a note on it.
    Step(String),
    /// So many steps before it were not recorded.
    Skipped(u64),
    /// It and some after it are characters of one text; the whole of it.
    Read(String),
    /// It and some after it are rounds of a loop like those before; what stands in their place.
    Folded(&'a str),
}

/// Builds the report of a run.
pub fn report(program: &Program, sources: &SourceMap, trace: &Trace) -> ReplayReport {
    let view = Viewer::new(program, sources);
    let run = &trace.run;
    // What happens in a system header happens where the user's text calls it.
    let is_own = |edge: &&EdgeId| view.is_own(**edge);
    let own_stack: Vec<EdgeId> = run.stack.iter().filter(is_own).copied().collect();
    let (end, own_stack) = match run.end {
        Some(end) if !view.is_own(end) => match own_stack.split_last() {
            Some((call, rest)) => (Some(*call), rest),
            None => (Some(end), &own_stack[..]),
        },
        end => (end, &own_stack[..]),
    };
    let end = end.and_then(|edge| view.place(program.edges[edge].span));
    let (outcome, mut reason, exit_code) = outcome_of(program, &run.outcome, run.inputs.len());
    if let Outcome::Violation { fault: Some(Fault::FixedAddress), .. } | Outcome::Undefined(Fault::FixedAddress) =
        run.outcome
        && let Some(address) = run.end.and_then(|end| fixed_address(program, end))
    {
        reason = reason.replace("a fixed address", &format!("the fixed address {address:#x}"));
    }
    let fault = match run.outcome {
        Outcome::Violation { fault, .. } => fault,
        Outcome::Undefined(fault) => Some(fault),
        _ => None,
    };
    let detail = trace.detail.as_ref().zip(fault).and_then(|(detail, fault)| view.detail(detail, fault));
    let violation = match run.outcome {
        Outcome::Violation { property, .. } => Some(ViolationView {
            property: property.name(),
            message: reason.clone(),
            place: end.clone().unwrap_or_default(),
            detail: detail.clone(),
        }),
        _ => None,
    };
    let mut steps = Vec::new();
    let mut skipped_at = 0;
    let mut folder = Folder::new(program);
    let is_input = |step: &&Step| matches!(step.kind, StepKind::Input(_));
    let mut inputs = 0;
    let mut calls = Calls::default();
    let mut input_views: Vec<InputView> = run.inputs.iter().map(|input| view.input(input)).collect();
    for (index, step) in trace.steps.iter().enumerate() {
        let known = steps.len();
        if index == trace.skipped_at && trace.skipped > 0 {
            skipped_at = steps.len();
            folder.gap();
            inputs = run.inputs.len() - trace.steps[index..].iter().filter(is_input).count();
        }
        match step.kind {
            StepKind::Enter { call: None, function } => {
                steps.extend(view.argument_count(function, trace.arguments.len()))
            }
            StepKind::Input(_) => {
                let library = view.library_input(step, &calls);
                if let (Some(shown), Some(input)) = (&library, input_views.get_mut(inputs)) {
                    (input.place, input.function) = (shown.place.clone(), calls.callee(&view));
                }
                let shown = library.or_else(|| view.step(step));
                steps.extend(shown.map(|step| StepView { input: Some(inputs), ..step }));
                inputs += 1;
            }
            _ => steps.extend(view.step(step)),
        }
        steps[known..].iter_mut().for_each(|step: &mut StepView| step.at = index);
        calls.follow(step);
        match step.kind {
            StepKind::Enter { .. } => folder.enter(step.depth),
            StepKind::Edge(edge) => folder.arrive(step.depth, program.edges[edge].to, steps.len()),
            StepKind::Input(_) | StepKind::Leave(_) => {}
        }
    }
    let folds = folder.finish().into_iter().map(|fold| {
        let head = program.locations[fold.head].loop_head.filter(|span| !sources.is_in_system_header(span.lo));
        let head = head.and_then(|span| view.place(span));
        let line = head.map_or(String::new(), |place| format!(" at line {}", place.line));
        (fold.start..fold.end, format!("… {} more iterations of the loop{line} …", fold.iterations))
    });
    ReplayReport {
        outcome,
        reason,
        exit_code,
        stdout: String::from_utf8_lossy(&run.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&run.stderr).into_owned(),
        violation,
        inputs: input_views,
        steps,
        step_count: run.steps,
        skipped: trace.skipped,
        call_stack: own_stack.iter().filter_map(|edge| view.place(program.edges[*edge].span)).collect(),
        inputs_line: inputs_line(program, &run.inputs),
        expected: None,
        cycles: CycleTable::of(program, trace),
        end,
        detail,
        skipped_at,
        folds: folds.collect(),
        arguments: match trace.arguments_chosen {
            true => trace.arguments.iter().map(|word| word.escape_ascii().to_string()).collect(),
            false => Vec::new(),
        },
    }
}

impl ReplayReport {
    /// The run as text: one line a step, then how it ended with its place in the source.
    pub fn to_text(&self, shown: Shown, style: Style) -> String {
        format!("outcome: {}\n{}", self.outcome, self.body(shown, style))
    }

    pub(crate) fn body(&self, shown: Shown, style: Style) -> String {
        self.body_about(None, shown, style)
    }

    /// The same where a line is suspected.
    pub(crate) fn body_about(&self, suspect: Option<&SuspectView>, shown: Shown, style: Style) -> String {
        if shown == Shown::Story {
            return self.story(suspect, style);
        }
        let mut text = String::new();
        if !self.inputs.is_empty() && self.inputs.len() <= LINE_OF_INPUTS && shown != Shown::End {
            writeln!(text, "\ninputs: --inputs={}", self.inputs_line).expect("writing to a string");
        }
        if !self.arguments.is_empty() {
            let words: Vec<String> = self.arguments.iter().map(|word| format!("\"{word}\"")).collect();
            writeln!(text, "\ncommand line: {}", words.join(" ")).expect("writing to a string");
        }
        if let Some(table) = self.cycles.as_ref().filter(|_| shown != Shown::End) {
            write!(text, "\n{}", table.to_text()).expect("writing to a string");
        }
        if shown != Shown::End && !self.steps.is_empty() {
            let title = if self.is_last_cycle(shown) { "\nthe last cycle:\n" } else { "\n" };
            text.push_str(title);
            self.list_steps(&mut text, shown);
        }
        self.write_output(&mut text);
        text.push('\n');
        self.write_end(&mut text, style);
        text
    }

    /// The end first, then what leads to it.
    fn story(&self, suspect: Option<&SuspectView>, style: Style) -> String {
        let mut text = String::from("\n");
        self.write_end(&mut text, style);
        if let Some(table) = &self.cycles {
            write!(text, "\n{}", table.to_text()).expect("writing to a string");
            text.push_str("\nthe last cycle:\n");
            self.list_steps(&mut text, Shown::Folded);
            return text;
        }
        text.push_str(&self.inputs_of_story(usize::MAX));
        if !self.steps.is_empty() {
            text.push('\n');
            match self.steps_story(STORY_LINES, suspect) {
                Some(steps) => text.push_str(&steps),
                None => self.list_steps(&mut text, Shown::Folded),
            }
        }
        self.write_output(&mut text);
        text
    }

    /// What the run is given; which values fail on the same path only where that takes no more lines than this.
    pub(crate) fn inputs_of_story(&self, most: usize) -> String {
        let mut text = String::new();
        if !self.arguments.is_empty() {
            let words: Vec<String> = self.arguments.iter().map(|word| format!("\"{word}\"")).collect();
            writeln!(text, "\ncommand line: {}", words.join(" ")).expect("writing to a string");
        }
        if !self.inputs.is_empty() && self.inputs.len() <= LINE_OF_INPUTS {
            writeln!(text, "\ninputs: --inputs={}", self.inputs_line).expect("writing to a string");
            let story = self.inputs_story();
            if story.lines().count() <= most.saturating_add(1) {
                text.push_str(&story);
            }
        }
        text
    }

    fn write_output(&self, text: &mut String) {
        if !self.stdout.is_empty() {
            write!(text, "\noutput of the program:\n{}", self.stdout).expect("writing to a string");
            if !self.stdout.ends_with('\n') {
                text.push('\n');
            }
        }
    }

    /// How the run ends, with the place.
    fn write_end(&self, text: &mut String, style: Style) {
        if let Some(expected) = &self.expected {
            writeln!(text, "error: the run is not as expected: {expected}").expect("writing to a string");
        }
        let title = match &self.violation {
            Some(violation) => format!("{} ({})", self.reason, violation.property),
            None => self.reason.clone(),
        };
        match (&self.end, self.outcome) {
            (None, "violation") => writeln!(text, "error: {title}").expect("writing to a string"),
            (Some(place), "violation" | "error" | "assumption-failed") => {
                text.push_str(&terminal::pointed(&title, place, self.detail.as_deref(), style));
                for call in self.call_stack.iter().rev() {
                    writeln!(text, "  called from {}:{}", call.file, call.line).expect("writing to a string");
                }
            }
            _ => writeln!(text, "{} after {} steps", self.reason, self.step_count).expect("writing to a string"),
        }
    }

    /// Iterations that can be left out: these steps, and what stands in their place.
    pub(crate) fn folds(&self) -> &[(std::ops::Range<usize>, String)] {
        &self.folds
    }

    /// Says of each step whether the violation depends on it, given that for each step of the trace.
    pub fn mark_relevant(&mut self, relevant: &[bool]) {
        for step in &mut self.steps {
            step.relevant = relevant.get(step.at).copied();
        }
    }

    /// Says of each input what else it could be.
    pub fn annotate(&mut self, freedom: &[Freedom]) {
        for (input, freedom) in self.inputs.iter_mut().zip(freedom) {
            (input.dont_care, input.range) = match *freedom {
                Freedom::DontCare => (Some(true), None),
                Freedom::Range(from, to) => (Some(false), Some((from.to_string(), to.to_string()))),
                Freedom::Unknown => (None, None),
            };
        }
    }

    /// What an input is called, by the step that reads it.
    pub(crate) fn input_name(&self, number: usize) -> Option<String> {
        let read = self.steps.iter().find(|step| step.input == Some(number));
        read.and_then(|step| step.assigned.clone()).or_else(|| self.inputs[number].name.clone())
    }

    fn list_steps(&self, text: &mut String, shown: Shown) {
        let width = self.steps.iter().map(|step| place_width(&step.place)).max().unwrap_or(0);
        for (step, listed) in self.listed(shown) {
            let indent = "  ".repeat(step.depth.min(20) as usize);
            match listed {
                Listed::Skipped(steps) => writeln!(text, "  … {steps} more steps …"),
                Listed::Folded(instead) => writeln!(text, "  {:width$}  {indent}{instead}", ""),
                Listed::Read(all) => {
                    let place = format!("{}:{}", step.place.file, step.place.line);
                    writeln!(text, "  {place:width$}  {indent}{all}    (input)")
                }
                Listed::Step(note) => {
                    let place = format!("{}:{}", step.place.file, step.place.line);
                    let note = if note.is_empty() { note } else { format!("    ({note})") };
                    writeln!(text, "  {place:width$}  {indent}{}{note}", step.text)
                }
            }
            .expect("writing to a string");
        }
    }

    /// Whether the steps before the last cycle are left out: the table says what they did.
    fn is_last_cycle(&self, shown: Shown) -> bool {
        shown == Shown::Folded && self.cycles.as_ref().is_some_and(|table| table.cycles > 1)
    }

    /// The steps that are shown, and at which steps others are left out.
    pub(crate) fn listed(&self, shown: Shown) -> Vec<(&StepView, Listed<'_>)> {
        let mut listed = Vec::new();
        if shown == Shown::End {
            return listed;
        }
        let mut folds = if matches!(shown, Shown::Folded | Shown::Story) {
            self.folds.iter().peekable()
        } else {
            [].iter().peekable()
        };
        let mut index = if self.is_last_cycle(shown) { cycles::last_cycle(&self.steps) } else { 0 };
        while index < self.steps.len() {
            let step = &self.steps[index];
            if index == self.skipped_at && self.skipped > 0 {
                listed.push((step, Listed::Skipped(self.skipped)));
            }
            // The loop of a function that reads a text is shown as the text.
            while folds.next_if(|(range, _)| range.start < index).is_some() {}
            if let Some((range, instead)) = folds.next_if(|(range, _)| range.start == index) {
                listed.push((step, Listed::Folded(instead)));
                index = range.end;
                continue;
            }
            let read = self.read_together(index);
            if let (Some((function, _)), true) = (&step.character, read.len() > 1) {
                let bytes: Vec<u8> = read.iter().filter_map(|step| step.character.as_ref()?.1).collect();
                let end = if bytes.len() < read.len() { ", then EOF" } else { "" };
                listed.push((step, Listed::Read(format!("{function}() reads {}{end}", value::string(&bytes)))));
                index += read.len();
                continue;
            }
            listed.push((step, Listed::Step(self.note_of(step))));
            index += 1;
        }
        listed
    }

    /// The characters that one call reads, from this step on, up to the end of what there is.
    fn read_together(&self, start: usize) -> &[StepView] {
        let is_end = |step: &StepView| matches!(step.character, Some((_, None)));
        let pairs = self.steps[start..].windows(2);
        let more =
            pairs.take_while(|pair| pair[1].character.is_some() && !is_end(&pair[0]) && pair[0].place == pair[1].place);
        &self.steps[start..start + 1 + more.count()]
    }

    /// What is said about an input besides its value; empty for other steps.
    fn note_of(&self, step: &StepView) -> String {
        match (step.kind, step.input.map(|index| &self.inputs[index])) {
            ("input", Some(InputView { dont_care: Some(true), .. })) => "input, any value".to_string(),
            ("input", Some(InputView { range: Some((from, to)), .. })) if from != to => {
                format!("input, any value from {from} to {to}")
            }
            ("input", _) => "input".to_string(),
            _ => String::new(),
        }
    }
}

/// How a run on so many inputs ended, in words.
pub fn outcome(program: &Program, outcome: &Outcome, inputs: usize) -> String {
    outcome_of(program, outcome, inputs).1
}

fn outcome_of(program: &Program, outcome: &Outcome, inputs: usize) -> (&'static str, String, Option<i32>) {
    match *outcome {
        Outcome::Finished(code) => ("finished", format!("the program ended with exit code {code}"), Some(code)),
        Outcome::Aborted => ("finished", "the program called abort".into(), Some(134)),
        Outcome::Violation { property, fault } => ("violation", describe(property, fault), None),
        Outcome::AssumptionFailed => {
            ("assumption-failed", "an assumption of the program does not hold on these inputs".into(), None)
        }
        Outcome::Undefined(fault) => ("error", format!("undefined behaviour: {}", fault.describe()), None),
        Outcome::Poison(reason) => ("error", format!("not supported: {}", poison(program, reason)), None),
        Outcome::Limit(limit) => {
            let reason = match limit {
                Limit::Steps => "the limit of steps was reached".into(),
                Limit::Memory => "the limit of memory was reached".into(),
                Limit::Depth => "the limit of nested calls was reached".into(),
                Limit::Inputs => {
                    format!("the program asks for more than the {} inputs given", inputs)
                }
            };
            ("limit", reason, None)
        }
    }
}

fn poison(program: &Program, reason: PoisonReason) -> String {
    match reason {
        PoisonReason::Construct(symbol) => program.name(symbol).to_string(),
        PoisonReason::Library(function, why) if program.function_name(function).starts_with("__library_") => why.into(),
        PoisonReason::Library(function, why) => format!("`{}` ({why})", program.function_name(function)),
    }
}

/// What went wrong, in words.
pub fn describe(property: Property, fault: Option<Fault>) -> String {
    match (property, fault) {
        (_, Some(fault)) => fault.describe().to_string(),
        (Property::UnreachCall, _) => "an error function is called".into(),
        (Property::UnreachLabel, _) => "the label ERROR is reached".into(),
        (Property::StackLimit, _) => "the calls need more stack than the limit".into(),
        (Property::ValidMemtrack | Property::ValidMemcleanup, _) => "allocated memory is never freed".into(),
        _ => "the assertion does not hold".into(),
    }
}

/// The values in order, as they are read back: plain numbers.
pub fn inputs_line(program: &Program, inputs: &[RecordedInput]) -> String {
    let number = |input: &RecordedInput| match eval::display(&program.types, input.request.ty, input.bits) {
        text if text == "NULL" => "0".into(),
        text => text,
    };
    inputs.iter().map(number).collect::<Vec<_>>().join(",")
}

/// The constant address of the first access of an edge at one.
pub fn fixed_address(program: &Program, edge: EdgeId) -> Option<u64> {
    let mut open = Vec::new();
    cfa::walk::parts(program, &program.edges[edge].op, |node| open.push(node));
    while let Some(node) = open.pop() {
        if let Node::Place(place) = node
            && let Some(address) = constant_address(program, place)
        {
            return Some(address);
        }
        open.extend(cfa::walk::children(program, node).into_iter().flatten());
    }
    None
}

fn constant_address(program: &Program, place: PlaceId) -> Option<u64> {
    match program.places[place].kind {
        PlaceKind::Deref(pointer) => program.constant(pointer).map(|bits| bits.lo),
        PlaceKind::Field(base, field) => {
            let Type::Record(record) = *program.types.get(program.places[base].ty) else { return None };
            Some(constant_address(program, base)? + program.types.records[record].fields[field as usize].offset)
        }
        PlaceKind::Var(_) | PlaceKind::Index(..) => None,
    }
}

fn place_width(place: &PlaceView) -> usize {
    place.file.len() + 1 + place.line.to_string().len()
}
