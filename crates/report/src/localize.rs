//! The report of `localize`: the ranked suspects with reasons, what each method says in its own terms, and repair hints.

use crate::failure::NoFailure;
use crate::replay::ViolationView;
use crate::terminal::{self, Style};
use serde::{Serialize, Serializer};
use std::fmt::Write;

#[derive(Debug, Serialize)]
pub struct LocalizeReport {
    /// `false` if there is a failing run; otherwise as `verify` says.
    pub verdict: &'static str,
    /// Why there is none.
    pub reason: Option<String>,
    pub violation: Option<ViolationView>,
    /// Failing runs that the answer rests on.
    pub runs: usize,
    pub suspects: Vec<SuspectView>,
    #[serde(serialize_with = "by_name")]
    pub methods: Vec<MethodView>,
    pub repairs: Vec<RepairView>,
    /// Methods that gave no answer.
    pub unanswered: Vec<String>,
    /// Lines of which no method could say whether a change of them alone helps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unanswered_lines: Vec<LineView>,
    /// Why, in words, each method once.
    #[serde(skip)]
    pub because: Vec<String>,
    /// Where tests are given: how many fail and pass, and which say nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tests: Option<TestsView>,
    #[serde(skip)]
    pub(crate) none: Option<NoFailure>,
}

#[derive(Clone, Debug, Serialize)]
pub struct LineView {
    pub file: String,
    pub line: u32,
}

#[derive(Clone, Debug, Default, Serialize)]
pub struct TestsView {
    pub failing: usize,
    pub passing: usize,
    /// Names, with the reason.
    pub left_out: Vec<String>,
    /// How the first failing test fails, if it is not by the violation of a property.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub complaint: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
pub struct SuspectView {
    pub rank: usize,
    pub file: String,
    pub line: u32,
    pub function: String,
    pub score: f64,
    pub reason: String,
    pub methods: Vec<&'static str>,
    /// The line itself.
    #[serde(skip)]
    pub text: String,
}

/// What one method finds, in its own terms. In JSON they are the fields of one object; a method that did not run, or found no time to finish, is absent.
#[derive(Clone, Debug)]
pub struct MethodView {
    pub name: &'static str,
    pub title: &'static str,
    pub finding: FindingView,
}

#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum FindingView {
    Scores(Vec<ScoreView>),
    Trace(TraceView),
    Diagnoses(Vec<DiagnosisView>),
}

fn by_name<S: Serializer>(methods: &[MethodView], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(methods.iter().map(|method| (method.name, &method.finding)))
}

#[derive(Clone, Debug, Serialize)]
pub struct ScoreView {
    pub file: String,
    pub line: u32,
    pub score: f64,
}

/// An abstract error trace.
#[derive(Clone, Debug, Serialize)]
pub struct TraceView {
    /// Lines of relevant statements.
    pub relevant: Vec<u32>,
    /// Lines of the conditions in whose scope they lie.
    pub conditions: Vec<u32>,
    /// What the recursive algorithm finds relevant, if it came to an end; only of the flow-sensitive method.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recursive: Option<Vec<u32>>,
    #[serde(skip)]
    pub recursive_gave_up: bool,
    pub trace: Vec<TraceItem>,
}

#[derive(Clone, Debug, Serialize)]
pub struct TraceItem {
    /// `invariant`, `statement` or `frame`.
    pub kind: &'static str,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub text: String,
}

#[derive(Clone, Debug, Serialize)]
pub struct DiagnosisView {
    pub lines: Vec<u32>,
    pub cost: u32,
    /// How many of the passing runs that execute the line also pass when it does something else.
    pub flexibility: Option<f64>,
}

#[derive(Clone, Debug, Serialize)]
pub struct RepairView {
    pub file: String,
    pub line: u32,
    /// What the edit does, in words.
    pub edit: String,
    pub diff: String,
    /// No violation was found up to this bound, for all inputs.
    pub verified_bound: u32,
    /// Everything is unwound at that bound.
    pub complete: bool,
    /// Whether some run that failed still comes to the assertion.
    pub still_judged: bool,
    /// It was not checked for all inputs: so many tests pass with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tests: Option<usize>,
    /// Whether the program has inputs at all.
    #[serde(skip)]
    pub has_inputs: bool,
}

impl RepairView {
    /// The edit, and what it gives.
    pub(crate) fn sentence(&self) -> String {
        match self.tests {
            Some(1) => return format!("{}; then the test passes (not proven for other inputs)", self.edit),
            Some(tests) => return format!("{}; then all {tests} tests pass (not proven for other inputs)", self.edit),
            None => {}
        }
        let reach = match (self.has_inputs, self.complete) {
            (false, _) => String::new(),
            (true, true) => " for all inputs".to_string(),
            (true, false) => format!(" for all inputs up to bound {}", self.verified_bound),
        };
        let but = if self.still_judged { "" } else { ", but the runs that failed do not come to it any more" };
        format!("{}; then the property holds{reach}{but}", self.edit)
    }
}

/// What was found.
pub struct Localized {
    pub violation: ViolationView,
    pub runs: usize,
    pub suspects: Vec<SuspectView>,
    pub methods: Vec<MethodView>,
    pub repairs: Vec<RepairView>,
    pub unanswered: Vec<String>,
    pub unanswered_lines: Vec<LineView>,
    pub because: Vec<String>,
    pub tests: Option<TestsView>,
}

/// Items printed at each end of an abstract trace.
const TRACE_ENDS: usize = 40;
/// Suspects printed in full; the rest are one line.
const IN_FULL: usize = 10;

impl LocalizeReport {
    pub fn none(why: NoFailure) -> Self {
        LocalizeReport {
            verdict: why.verdict,
            reason: Some(why.reason.clone()),
            violation: None,
            runs: 0,
            suspects: Vec::new(),
            methods: Vec::new(),
            repairs: Vec::new(),
            unanswered: Vec::new(),
            unanswered_lines: Vec::new(),
            because: Vec::new(),
            tests: None,
            none: Some(why),
        }
    }

    pub fn new(found: Localized) -> Self {
        let Localized { violation, runs, suspects, methods, repairs, unanswered, unanswered_lines, because, tests } =
            found;
        let reason = match (suspects.is_empty(), unanswered.is_empty() && unanswered_lines.is_empty()) {
            (false, _) => None,
            (true, true) => Some("no line can be blamed: the failure depends on none that is not trusted".into()),
            (true, false) => Some("no line was blamed".into()),
        };
        let violation = Some(violation);
        LocalizeReport {
            verdict: "false",
            reason,
            violation,
            runs,
            suspects,
            methods,
            repairs,
            unanswered,
            unanswered_lines,
            because,
            tests,
            none: None,
        }
    }

    pub fn to_text(&self, style: Style) -> String {
        let (Some(violation), None) = (&self.violation, &self.none) else {
            return self.none.as_ref().map_or(String::new(), |none| none.to_text(style));
        };
        let complaint = self.tests.as_ref().and_then(|tests| tests.complaint.as_deref());
        let what = if complaint.is_some() { "test" } else { violation.property };
        let mut text = format!("verdict: false({what})\n\n");
        let message = complaint.unwrap_or(&violation.message);
        text.push_str(&terminal::pointed(message, &violation.place, None, style));
        if let Some(tests) = &self.tests {
            let _ = writeln!(text, "{} failing and {} passing tests", tests.failing, tests.passing);
            for test in &tests.left_out {
                let _ = writeln!(text, "left out: {test}");
            }
        }
        self.write(&mut text).expect("writing to a string");
        text
    }

    fn write(&self, text: &mut String) -> std::fmt::Result {
        if let Some(reason) = &self.reason {
            writeln!(text, "{reason}")?;
        }
        if !self.unanswered.is_empty() {
            match self.because.is_empty() {
                true => writeln!(text, "no answer yet from {}", self.unanswered.join(", "))?,
                false => self.because.iter().try_for_each(|line| writeln!(text, "no answer from {line}"))?,
            }
        }
        if !self.unanswered_lines.is_empty() {
            let lines: Vec<String> = self.unanswered_lines.iter().map(|line| line.line.to_string()).collect();
            writeln!(text, "not answered for lines {}: they may be to blame as well", lines.join(", "))?;
        }
        let runs = if self.runs == 1 { "one failing run".into() } else { format!("{} failing runs", self.runs) };
        if !self.suspects.is_empty() {
            writeln!(text, "\nsuspects, from {runs}:")?;
        }
        for suspect in self.suspects.iter().take(IN_FULL) {
            let SuspectView { rank, file, line, function, reason, .. } = suspect;
            writeln!(text, "\n{rank:3}. {file}:{line} in {function}: {reason}")?;
            writeln!(text, "       {}", suspect.text.trim())?;
        }
        if self.suspects.len() > IN_FULL {
            let rest: Vec<String> = self.suspects[IN_FULL..].iter().map(|suspect| suspect.line.to_string()).collect();
            writeln!(text, "\n     also lines {}", rest.join(", "))?;
        }
        for repair in &self.repairs {
            writeln!(text, "\nrepair hint: {}\n{}", repair.sentence(), repair.diff.trim_end())?;
        }
        for method in &self.methods {
            let FindingView::Trace(trace) = &method.finding else { continue };
            if trace.trace.is_empty() {
                continue;
            }
            writeln!(text, "\n{}:", method.title)?;
            let middle = TRACE_ENDS..trace.trace.len().saturating_sub(TRACE_ENDS);
            for (index, item) in trace.trace.iter().enumerate() {
                if middle.contains(&index) {
                    if index == middle.start {
                        writeln!(text, "       … {} more …", middle.len())?;
                    }
                    continue;
                }
                match (item.kind, item.line) {
                    ("invariant", _) => writeln!(text, "       {{ {} }}", item.text)?,
                    (_, Some(line)) => writeln!(text, "{line:5}: {}", item.text.trim())?,
                    (_, None) => writeln!(text, "       {}", item.text.trim())?,
                }
            }
            if trace.recursive_gave_up {
                writeln!(text, "       (the recursive variant gave up: the run is too long for it)")?;
            }
        }
        Ok(())
    }
}
