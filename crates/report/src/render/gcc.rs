//! Diagnostics as gcc and clang print them and as editors parse them: `file:line:column: error: message [property]`, one line each, followed by `note:`
//! lines for the steps, differences or suspects. Like a compiler it prints nothing where nothing is wrong. What has no place in a file begins with the
//! name of the tool, as in `cc1: error: …`.

use super::terminal::Style;
use super::{RenderOptions, Renderer};
use crate::check::DiagnosticView;
use crate::explain::{self, ExplainReport};
use crate::failure::NoFailure;
use crate::localize::LocalizeReport;
use crate::minimize::{self, MinimizeReport};
use crate::replay::{Listed, ReplayReport, Shown, ViolationView};
use crate::verify::VerifyReport;
use crate::witness::{LintReport, ValidationReport};
use crate::{Command, Document, PlaceView, Report};
use std::fmt::Write;

pub static RENDERER: Renderer = Renderer {
    name: "gcc",
    about: "diagnostics of one line, as gcc prints them, for editors",
    // A test consists of files; there is no place to point at.
    supports: |command| command != Command::Test,
    render,
    diagnostic,
    is_for_programs: false,
};

fn render(document: &Document, options: RenderOptions) -> String {
    let mut lines = Lines::default();
    match &document.report {
        // They are on standard error, as a compiler's are.
        Report::Check(_) | Report::Error(_) => {}
        // Refused before.
        Report::Test(_) => {}
        Report::Replay(report) => lines.replay(report, options.shown),
        Report::Verify(report) => lines.verify(report, options.shown),
        Report::Minimize(report) => lines.minimize(report, options.shown),
        Report::Explain(report) => lines.explain(report),
        Report::Localize(report) => lines.localize(report),
        Report::Lint(report) => lines.lint(report),
        Report::Validation(report) => lines.validation(report),
    }
    if let Some(why) = &document.unfinished {
        lines.nowhere("warning", &format!("{why}: this is the best so far"), None);
    }
    lines.0
}

fn diagnostic(view: &DiagnosticView, _: Style) -> String {
    let mut lines = Lines::default();
    lines.at(&view.place, view.severity, &view.message, None);
    for note in &view.notes {
        lines.at(&note.place, "note", &note.message, None);
    }
    if let Some(help) = &view.help {
        lines.at(&view.place, "note", help, None);
    }
    lines.0
}

/// A message with the values that made it happen.
fn with_detail(message: &str, detail: Option<&str>) -> String {
    match detail {
        Some(detail) => format!("{message}: {detail}"),
        None => message.to_string(),
    }
}

#[derive(Default)]
struct Lines(String);

impl Lines {
    fn at(&mut self, place: &PlaceView, severity: &str, message: &str, tag: Option<&str>) {
        match place.file.is_empty() {
            true => self.nowhere(severity, message, tag),
            false => {
                let (line, column) = (place.line.max(1), place.column.max(1));
                self.push(&format!("{}:{line}:{column}", place.file), severity, message, tag);
            }
        }
    }

    fn nowhere(&mut self, severity: &str, message: &str, tag: Option<&str>) {
        self.push("whydunit", severity, message, tag);
    }

    fn push(&mut self, place: &str, severity: &str, message: &str, tag: Option<&str>) {
        // A line break would end the diagnostic.
        let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
        let tag = tag.map_or(String::new(), |tag| format!(" [{tag}]"));
        writeln!(self.0, "{place}: {severity}: {message}{tag}").expect("writing to a string");
    }

    fn violation(&mut self, violation: &ViolationView) {
        let message = with_detail(&violation.message, violation.detail.as_deref());
        self.at(&violation.place, "error", &message, Some(violation.property));
    }

    /// Nothing failed: worth a line only if it is not known why.
    fn no_failure(&mut self, why: &NoFailure) {
        if why.verdict == "unknown" {
            let tag = why.first_line.strip_prefix("verdict: ");
            self.at(&why.place.clone().unwrap_or_default(), "warning", &why.reason, tag);
        }
    }

    /// The run and the calls that it ends in.
    fn steps(&mut self, run: &ReplayReport, shown: Shown) {
        if !run.arguments.is_empty() {
            let words: Vec<String> = run.arguments.iter().map(|word| format!("\"{word}\"")).collect();
            self.nowhere("note", &format!("command line: {}", words.join(" ")), None);
        }
        for (step, listed) in run.listed(shown) {
            let text = match listed {
                Listed::Step(note) if note.is_empty() => step.text.clone(),
                Listed::Step(note) => format!("{} ({note})", step.text),
                Listed::Read(all) => format!("{all} (input)"),
                Listed::Skipped(steps) => format!("… {steps} more steps …"),
                Listed::Folded(instead) => instead.to_string(),
            };
            self.at(&step.place, "note", &text, None);
        }
        for call in run.call_stack.iter().rev() {
            self.at(call, "note", "called from here", None);
        }
    }

    fn replay(&mut self, report: &ReplayReport, shown: Shown) {
        let end = report.end.clone().unwrap_or_default();
        match (&report.violation, report.outcome) {
            (_, "finished") => return,
            (Some(violation), _) => self.violation(violation),
            (None, "error") => self.at(&end, "error", &report.reason, None),
            (None, _) => self.at(&end, "warning", &report.reason, Some(report.outcome)),
        }
        self.steps(report, shown);
    }

    fn verify(&mut self, report: &VerifyReport, shown: Shown) {
        for (violation, run) in report.violations.iter().zip(&report.replays) {
            let message = with_detail(&violation.message, violation.detail.as_deref());
            self.at(&violation.place, "error", &message, Some(violation.property));
            self.steps(run, shown);
        }
        match (report.verdict, &report.reason) {
            ("unknown", Some(reason)) => {
                let tag = report.first_line.strip_prefix("verdict: ");
                self.at(&report.place.clone().unwrap_or_default(), "warning", reason, tag);
            }
            ("false", Some(reason)) => self.nowhere("note", reason, None),
            _ => {}
        }
        for check in report.checks.iter().filter(|check| check.verdict != "violated") {
            self.at(&check.place, "note", &check.words, Some(check.property));
        }
        for caveat in &report.caveats {
            self.nowhere("note", &format!("assumed: {caveat}"), None);
        }
    }

    fn minimize(&mut self, report: &MinimizeReport, shown: Shown) {
        let run = match &report.text {
            minimize::Text::None(why) => return self.no_failure(why),
            minimize::Text::Run(run) => run,
        };
        let Some(violation) = &report.violation else { return };
        self.violation(violation);
        self.steps(run, shown);
        if let Some(optimal) = &report.optimal {
            let (length, sum) = (optimal.result.length, &optimal.result.sum);
            let message = format!("length {length}, Σ {sum}, {}", optimal.verdict());
            self.at(&violation.place, "note", &message, None);
        }
    }

    fn explain(&mut self, report: &ExplainReport) {
        let sentences = match &report.text {
            explain::Text::None(why) => return self.no_failure(why),
            explain::Text::Said { sentences, .. } => sentences,
        };
        let Some(violation) = &report.violation else { return };
        self.violation(violation);
        for sentence in sentences {
            self.at(&violation.place, "note", sentence, None);
        }
        for change in report.changes.iter().filter(|change| change.relevant) {
            let message =
                format!("{}: {} instead of {} in the closest passing run", change.name, change.passing, change.failing);
            self.at(&change.place, "note", &message, None);
        }
    }

    fn localize(&mut self, report: &LocalizeReport) {
        if let Some(why) = &report.none {
            return self.no_failure(why);
        }
        let Some(violation) = &report.violation else { return };
        self.violation(violation);
        if let Some(reason) = &report.reason {
            self.at(&violation.place, "note", reason, None);
        }
        for suspect in &report.suspects {
            let column = suspect.text.chars().take_while(|letter| letter.is_whitespace()).count() as u32 + 1;
            let place = PlaceView { file: suspect.file.clone(), line: suspect.line, column, ..PlaceView::default() };
            let message = format!("suspect {} in {}: {}", suspect.rank, suspect.function, suspect.reason);
            self.at(&place, "note", &message, None);
        }
        for repair in &report.repairs {
            let place = PlaceView { file: repair.file.clone(), line: repair.line, ..PlaceView::default() };
            self.at(&place, "note", &format!("repair hint: {}", repair.sentence()), None);
        }
        if !report.unanswered.is_empty() {
            let message = format!("no answer from {}", report.unanswered.join(", "));
            self.at(&violation.place, "note", &message, None);
        }
    }

    fn lint(&mut self, report: &LintReport) {
        for message in &report.messages {
            let (line, column) = (message.line, message.column);
            let place = PlaceView { file: report.file.clone(), line, column, ..PlaceView::default() };
            self.at(&place, message.severity, &message.message, Some(message.rule));
        }
    }

    fn validation(&mut self, report: &ValidationReport) {
        let severity = match report.result {
            "confirmed" => "note",
            "rejected" => "error",
            _ => "warning",
        };
        let place = PlaceView { file: report.witness.clone(), ..PlaceView::default() };
        let message = format!("the witness is {}: {}", report.result, report.reason);
        self.at(&place, severity, &message, Some(report.how));
        for invariant in &report.invariants {
            let line = invariant.line.unwrap_or(0);
            let place = PlaceView { file: report.file.clone(), line, ..PlaceView::default() };
            self.at(&place, "note", &format!("invariant {}: {}", invariant.expression, invariant.result), None);
        }
    }
}
