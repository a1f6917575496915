//! What the commands that start from a failing run have in common: the violation they are about, or why there is none.

use crate::PlaceView;
use crate::replay::ViolationView;
use crate::spent::Spent;
use crate::terminal::{self, Style};
use base::{Progress, SourceMap};
use cfa::{EdgeId, Fault, Program, Property};
use evidence::{Reason, Verdict};

/// Why there is no failing run to start from.
#[derive(Clone, Debug)]
pub struct NoFailure {
    /// As `verify` would say: `true` or `unknown`.
    pub verdict: &'static str,
    pub reason: String,
    pub(crate) first_line: String,
    pub place: Option<PlaceView>,
    /// What to do where it is not known.
    pub help: Option<String>,
}

impl NoFailure {
    /// From the engine's answer, how far it came, and whether some run reaches an assertion. A violation is none.
    pub fn of(
        program: &Program,
        sources: &SourceMap,
        verdict: &Verdict,
        progress: &Progress,
        reached: Option<bool>,
    ) -> Option<Self> {
        match verdict {
            Verdict::Unsafe(_) => None,
            Verdict::Safe(_) => {
                let reason = match reached {
                    Some(false) => "nothing fails, and no run ever reaches an assertion",
                    _ => "nothing fails: the property holds on every run",
                };
                let (reason, first_line) = (reason.to_string(), "verdict: true".to_string());
                Some(NoFailure { verdict: "true", reason, first_line, place: None, help: None })
            }
            Verdict::Unknown(reason @ Reason::Budget { bound }) => {
                let Spent { known, help } = Spent::of(progress, Some((program, sources)));
                Some(NoFailure {
                    verdict: "unknown",
                    reason: format!("no failing run was found in time, up to bound {bound}: {known}"),
                    first_line: format!("verdict: unknown({})", reason.name()),
                    place: None,
                    help: Some(help),
                })
            }
            Verdict::Unknown(reason) => {
                let (text, place) = crate::verify::unknown(program, sources, reason);
                let text = match reason {
                    Reason::Bound { .. } => format!("no failing run was found: {text}"),
                    _ => format!("no failing run was found; {text}"),
                };
                let first_line = format!("verdict: unknown({})", reason.name());
                let help = crate::verify::advice(program, sources, reason);
                Some(NoFailure { verdict: "unknown", reason: text, first_line, place, help })
            }
        }
    }

    /// Time or memory ran out.
    pub fn given_up(reason: &str, progress: &Progress) -> Self {
        let bound = progress.bound();
        let (reason, help) = match progress.stage() {
            Some(stage) => {
                (format!("{reason} while {stage}"), "allow more time or memory (--timeout, --memory)".to_string())
            }
            None => {
                (format!("{reason} at bound {bound}; no failing run was found before"), Spent::of(progress, None).help)
            }
        };
        let first_line = "verdict: unknown(budget)".to_string();
        NoFailure { verdict: "unknown", reason, first_line, place: None, help: Some(help) }
    }

    pub fn to_text(&self, style: Style) -> String {
        let first = &self.first_line;
        let help = self.help.as_ref().map_or(String::new(), |help| format!("help: {help}\n"));
        match &self.place {
            Some(place) => format!("{first}\n\n{}{help}", terminal::noted(&self.reason, place, style)),
            None => format!("{first}\n{}\n{help}", self.reason),
        }
    }
}

/// The violation at the end of a failing run.
pub fn violation(
    program: &Program,
    sources: &SourceMap,
    property: Property,
    fault: Option<Fault>,
    edge: EdgeId,
) -> ViolationView {
    ViolationView {
        property: property.name(),
        message: crate::replay::describe(property, fault),
        place: PlaceView::of_edge(program, sources, edge).unwrap_or_default(),
        detail: None,
    }
}
