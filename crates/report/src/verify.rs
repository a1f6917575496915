//! The report of `verify`: the verdict, and the run that shows a violation.

use crate::PlaceView;
use crate::replay::{self, InputView, ReplayReport, StepView};
use crate::terminal::{self, Style};
use base::SourceMap;
use cfa::{Program, PropertySet};
use evidence::{Reason, Trace, Verdict, Violation};
use serde::Serialize;
use std::fmt::Write;

#[derive(Debug, Serialize)]
pub struct VerifyReport {
    /// `true`, `false` or `unknown`.
    pub verdict: &'static str,
    pub property: String,
    pub reason: Option<String>,
    pub engine: &'static str,
    pub bound: u32,
    pub caveats: Vec<String>,
    pub violations: Vec<ViolationReport>,
    pub invariants: Vec<String>,
    #[serde(skip)]
    first_line: String,
    #[serde(skip)]
    place: Option<PlaceView>,
    #[serde(skip)]
    replays: Vec<ReplayReport>,
}

#[derive(Debug, Serialize)]
pub struct ViolationReport {
    pub property: &'static str,
    pub message: String,
    #[serde(flatten)]
    pub place: PlaceView,
    pub trace: TraceReport,
}

#[derive(Debug, Serialize)]
pub struct TraceReport {
    /// Steps that give something a value: inputs, declarations, assignments.
    pub length: usize,
    /// Sum of the absolute values of what they give.
    pub sum: String,
    /// The words of the command line, if it was an input; bytes that are no text are escaped.
    pub arguments: Vec<String>,
    pub inputs: Vec<InputView>,
    pub steps: Vec<StepView>,
}

/// What was asked.
#[derive(Clone, Copy)]
pub struct Question {
    pub properties: PropertySet,
    pub engine: &'static str,
    /// All violations, not only one.
    pub all: bool,
}

/// How far the engine came.
#[derive(Clone, Copy)]
pub struct Progress {
    pub bound: u32,
    pub complete: bool,
}

pub fn report(
    program: &Program,
    sources: &SourceMap,
    verdict: &Verdict,
    found: &[(Violation, Trace)],
    question: Question,
    progress: Progress,
) -> VerifyReport {
    let asked: Vec<&str> = question.properties.iter().map(|property| property.name()).collect();
    let asked = asked.join(",");
    let place = |edge: cfa::EdgeId| PlaceView::of(sources, program.edges[edge].span);
    let (name, first_line, reason, at, property) = match verdict {
        Verdict::Safe(proof) => {
            let reason = format!("everything is unwound completely at bound {}", proof.bound);
            ("true", "verdict: true".to_string(), Some(reason), None, asked)
        }
        Verdict::Unsafe(violation) => {
            let property = violation.property.name();
            let rest = match (question.all, progress.complete) {
                (false, _) => None,
                (true, true) => Some("no other place can violate the property".to_string()),
                (true, false) => {
                    Some(format!("other places are not violated up to bound {}, at least", progress.bound / 2))
                }
            };
            ("false", format!("verdict: false({property})"), rest, None, property.to_string())
        }
        Verdict::Unknown(reason) => {
            let (text, at) = unknown(reason, place);
            ("unknown", format!("verdict: unknown({})", reason.name()), Some(text), at, asked)
        }
    };
    let mut violations = Vec::new();
    let mut replays = Vec::new();
    for (violation, trace) in found {
        let view = replay::report(program, sources, trace);
        let (length, sum) = view.measure();
        violations.push(ViolationReport {
            property: violation.property.name(),
            message: view.reason.clone(),
            place: place(violation.edge).unwrap_or_default(),
            trace: TraceReport {
                length,
                sum,
                arguments: view.arguments.clone(),
                inputs: view.inputs.clone(),
                steps: view.steps.clone(),
            },
        });
        replays.push(view);
    }
    VerifyReport {
        verdict: name,
        property,
        reason,
        engine: question.engine,
        bound: progress.bound,
        caveats: Vec::new(),
        violations,
        invariants: Vec::new(),
        first_line,
        place: at,
        replays,
    }
}

/// Why there is no answer, in words, and where.
fn unknown(reason: &Reason, place: impl Fn(cfa::EdgeId) -> Option<PlaceView>) -> (String, Option<PlaceView>) {
    match reason {
        Reason::Budget { bound } => {
            (format!("out of time or stopped; nothing was found up to bound {}", bound / 2), None)
        }
        Reason::Bound { bound } => (format!("nothing is wrong up to bound {bound}, but there are longer runs"), None),
        Reason::Unsupported { construct, edge } => (format!("not supported: {construct}"), place(*edge)),
        Reason::Undefined { fault, edge } => {
            let text =
                format!("the property holds on every run without undefined behaviour; here: {}", fault.describe());
            (text, place(*edge))
        }
        Reason::NotReplayed { edge, outcome } => {
            let text = format!("a violation was found that does not replay ({outcome:?}): please report this as a bug");
            (text, place(*edge))
        }
    }
}

/// The report when time or memory ran out before anything was known.
pub fn out_of_budget(properties: PropertySet, reason: &str) -> VerifyReport {
    let asked: Vec<&str> = properties.iter().map(|property| property.name()).collect();
    VerifyReport {
        verdict: "unknown",
        property: asked.join(","),
        reason: Some(reason.into()),
        engine: "bmc",
        bound: 0,
        caveats: Vec::new(),
        violations: Vec::new(),
        invariants: Vec::new(),
        first_line: "verdict: unknown(budget)".into(),
        place: None,
        replays: Vec::new(),
    }
}

impl VerifyReport {
    pub fn to_text(&self, style: Style) -> String {
        let mut text = format!("{}\n", self.first_line);
        for replay in &self.replays {
            text.push_str(&replay.body(true, style));
        }
        if let Some(reason) = &self.reason {
            match &self.place {
                Some(place) => write!(text, "\n{}", terminal::pointed(reason, place, None, style)),
                None => writeln!(text, "{reason}"),
            }
            .expect("writing to a string");
        }
        text
    }
}
