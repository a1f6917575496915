//! A report as findings: a message at a place, with notes at other places. What editors, code-scanning services and CI servers read is made of them.

use crate::entries::EntriesReport;
use crate::explain::{self, ExplainReport};
use crate::failure::NoFailure;
use crate::localize::{LocalizeReport, RepairView, SuspectView};
use crate::minimize::{self, MinimizeReport};
use crate::replay::{Listed, ReplayReport, Shown, StepView, ViolationView};
use crate::verify::VerifyReport;
use crate::witness::{LintReport, ValidationReport};
use crate::{Document, PlaceView, Report};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// Something is wrong.
    Error,
    /// It is not known whether something is wrong.
    Warning,
    /// Nothing is wrong.
    Note,
}

impl Severity {
    /// As compilers name it.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

#[derive(Debug)]
pub struct Finding {
    /// Without a file if it is about no place.
    pub place: PlaceView,
    pub severity: Severity,
    pub message: String,
    /// The property, or what else the finding belongs to.
    pub rule: Option<String>,
    pub notes: Vec<Note>,
}

#[derive(Debug)]
pub struct Note {
    pub place: PlaceView,
    pub message: String,
    pub kind: NoteKind,
}

#[derive(Debug)]
pub enum NoteKind {
    /// A step of the run, or what stands for several.
    Step {
        depth: u32,
        /// What the step gives a new value, and the value.
        assigned: Option<(String, String)>,
    },
    /// A call that was open when the run ended.
    Call,
    Suspect {
        score: f64,
    },
    Repair {
        diff: String,
    },
    Remark,
    /// What to do next.
    Help,
}

/// What the report of a command says, the most important first. Nothing where nothing is wrong.
pub fn findings(document: &Document, shown: Shown) -> Vec<Finding> {
    let mut all = Findings(Vec::new());
    match &document.report {
        // Its diagnostics are said on their own; a test consists of files.
        Report::Check(_) | Report::Error(_) | Report::Test(_) => {}
        Report::Replay(report) => all.replay(report, shown),
        Report::Verify(report) => all.verify(report, shown),
        Report::Entries(report) => all.entries(report),
        Report::Minimize(report) => all.minimize(report, shown),
        Report::Explain(report) => all.explain(report),
        Report::Localize(report) => all.localize(report),
        Report::Lint(report) => all.lint(report),
        Report::Validation(report) => all.validation(report),
    }
    if let Some(why) = &document.unfinished {
        all.nowhere(Severity::Warning, &format!("{why}: this is the best so far"));
    }
    all.0
}

impl Finding {
    /// Lines to suspect, and edits with which the property holds.
    fn blame(&mut self, suspects: &[SuspectView], repairs: &[RepairView]) {
        for suspect in suspects {
            let column = suspect.text.chars().take_while(|letter| letter.is_whitespace()).count() as u32 + 1;
            let indent = suspect.text.len() - suspect.text.trim_start().len();
            let underline = (indent, suspect.text.trim_end().len().max(indent));
            let text = Some(suspect.text.clone());
            let place = PlaceView {
                file: suspect.file.clone(),
                line: suspect.line,
                column,
                text,
                underline,
                offset: suspect.offset,
            };
            let message = format!("suspect {} in {}: {}", suspect.rank, suspect.function, suspect.reason);
            self.notes.push(Note { place, message, kind: NoteKind::Suspect { score: suspect.score } });
        }
        for repair in repairs {
            let place = PlaceView { file: repair.file.clone(), line: repair.line, ..PlaceView::default() };
            let message = format!("repair hint: {}", repair.sentence());
            self.notes.push(Note { place, message, kind: NoteKind::Repair { diff: repair.diff.clone() } });
        }
    }

    fn new(place: &PlaceView, severity: Severity, message: &str, rule: Option<&str>) -> Self {
        let rule = rule.map(str::to_string);
        Finding { place: place.clone(), severity, message: message.to_string(), rule, notes: Vec::new() }
    }

    fn violation(violation: &ViolationView) -> Self {
        let message = with_detail(&violation.message, violation.detail.as_deref());
        Finding::new(&violation.place, Severity::Error, &message, Some(violation.property))
    }

    fn remark(&mut self, place: &PlaceView, message: String) {
        self.notes.push(Note { place: place.clone(), message, kind: NoteKind::Remark });
    }

    /// What to do where the answer is not known.
    fn help(mut self, help: Option<&str>) -> Self {
        if let Some(help) = help {
            let place = self.place.clone();
            self.notes.push(Note { place, message: help.to_string(), kind: NoteKind::Help });
        }
        self
    }

    /// The run and the calls that it ends in.
    fn steps(&mut self, run: &ReplayReport, shown: Shown) {
        if !run.arguments.is_empty() {
            let words: Vec<String> = run.arguments.iter().map(|word| format!("\"{word}\"")).collect();
            self.remark(&PlaceView::default(), format!("command line: {}", words.join(" ")));
        }
        for (step, listed) in run.listed(shown) {
            let StepView { place, depth, assigned, value, .. } = step;
            let (message, is_step) = match listed {
                Listed::Step(note) if note.is_empty() => (step.text.clone(), true),
                Listed::Step(note) => (format!("{} ({note})", step.text), true),
                Listed::Read(all) => (format!("{all} (input)"), false),
                Listed::Skipped(steps) => (format!("… {steps} more steps …"), false),
                Listed::Folded(instead) => (instead.to_string(), false),
            };
            let assigned = assigned.clone().zip(value.clone()).filter(|_| is_step);
            self.notes.push(Note { place: place.clone(), message, kind: NoteKind::Step { depth: *depth, assigned } });
        }
        for call in run.call_stack.iter().rev() {
            self.notes.push(Note { place: call.clone(), message: "called from here".into(), kind: NoteKind::Call });
        }
    }
}

/// A message with the values that made it happen.
fn with_detail(message: &str, detail: Option<&str>) -> String {
    match detail {
        Some(detail) => format!("{message}: {detail}"),
        None => message.to_string(),
    }
}

struct Findings(Vec<Finding>);

impl Findings {
    fn at(&mut self, place: &PlaceView, severity: Severity, message: &str, rule: Option<&str>) {
        self.0.push(Finding::new(place, severity, message, rule));
    }

    fn nowhere(&mut self, severity: Severity, message: &str) {
        self.at(&PlaceView::default(), severity, message, None);
    }

    /// Nothing failed: worth a finding only if it is not known why.
    fn no_failure(&mut self, why: &NoFailure) {
        if why.verdict == "unknown" {
            let rule = why.first_line.strip_prefix("verdict: ");
            let place = why.place.clone().unwrap_or_default();
            self.0.push(Finding::new(&place, Severity::Warning, &why.reason, rule).help(why.help.as_deref()));
        }
    }

    fn replay(&mut self, report: &ReplayReport, shown: Shown) {
        let end = report.end.clone().unwrap_or_default();
        let mut finding = match (&report.violation, report.outcome) {
            (_, "finished") => return,
            (Some(violation), _) => Finding::violation(violation),
            (None, "error") => Finding::new(&end, Severity::Error, &report.reason, None),
            (None, _) => Finding::new(&end, Severity::Warning, &report.reason, Some(report.outcome)),
        };
        finding.steps(report, shown);
        self.0.push(finding.help(report.help));
    }

    fn verify(&mut self, report: &VerifyReport, shown: Shown) {
        let mut first = report.blame.as_ref();
        for (violation, run) in report.violations.iter().zip(&report.replays) {
            let message = with_detail(&violation.message, violation.detail.as_deref());
            let mut finding = Finding::new(&violation.place, Severity::Error, &message, Some(violation.property));
            finding.steps(run, shown);
            if let Some(blame) = first.take() {
                finding.blame(&blame.suspects, &blame.repairs);
            }
            self.0.push(finding);
        }
        match (report.verdict, &report.reason) {
            ("unknown", Some(reason)) => {
                let rule = report.first_line.strip_prefix("verdict: ");
                let place = report.place.clone().unwrap_or_default();
                self.0.push(Finding::new(&place, Severity::Warning, reason, rule).help(report.help.as_deref()));
            }
            ("false", Some(reason)) => self.nowhere(Severity::Note, reason),
            _ => {}
        }
        for check in report.checks.iter().filter(|check| check.verdict != "violated") {
            self.at(&check.place, Severity::Note, &check.words, Some(check.property));
        }
        for caveat in &report.caveats {
            self.nowhere(Severity::Note, &format!("assumed: {caveat}"));
        }
    }

    fn entries(&mut self, report: &EntriesReport) {
        for entry in &report.entries {
            let severity = match entry.verdict.as_str() {
                "false" => Severity::Error,
                "unknown" => Severity::Warning,
                _ => continue,
            };
            let place = entry.violation.as_ref().unwrap_or(&entry.place);
            let message = entry.reason.as_deref().unwrap_or("not known");
            let mut finding = Finding::new(place, severity, message, entry.property.as_deref());
            finding.remark(&entry.place, format!("when runs start at {}", entry.function));
            self.0.push(finding.help(entry.help.as_deref()));
        }
    }

    fn minimize(&mut self, report: &MinimizeReport, shown: Shown) {
        let run = match &report.text {
            minimize::Text::None(why) => return self.no_failure(why),
            minimize::Text::Run(run) => run,
        };
        let Some(violation) = &report.violation else { return };
        let mut finding = Finding::violation(violation);
        finding.steps(run, shown);
        if let Some(optimal) = &report.optimal {
            let (length, sum) = (optimal.result.length, &optimal.result.sum);
            finding.remark(&violation.place, format!("length {length}, Σ {sum}, {}", optimal.verdict()));
        }
        self.0.push(finding);
    }

    fn explain(&mut self, report: &ExplainReport) {
        let sentences = match &report.text {
            explain::Text::None(why) => return self.no_failure(why),
            explain::Text::Said { sentences, .. } => sentences,
        };
        let Some(violation) = &report.violation else { return };
        let mut finding = Finding::violation(violation);
        for sentence in sentences {
            finding.remark(&violation.place, sentence.clone());
        }
        for change in report.changes.iter().filter(|change| change.relevant) {
            let message =
                format!("{}: {} instead of {} in the closest passing run", change.name, change.passing, change.failing);
            finding.remark(&change.place, message);
        }
        self.0.push(finding);
    }

    fn localize(&mut self, report: &LocalizeReport) {
        if let Some(why) = &report.none {
            return self.no_failure(why);
        }
        let Some(violation) = &report.violation else { return };
        let mut finding = Finding::violation(violation);
        if let Some(reason) = &report.reason {
            finding.remark(&violation.place, reason.clone());
        }
        finding.blame(&report.suspects, &report.repairs);
        if !report.unanswered.is_empty() {
            finding.remark(&violation.place, format!("no answer from {}", report.unanswered.join(", ")));
        }
        self.0.push(finding);
    }

    fn lint(&mut self, report: &LintReport) {
        for message in &report.messages {
            let (line, column) = (message.line, message.column);
            let place = PlaceView { file: report.file.clone(), line, column, ..PlaceView::default() };
            let severity = if message.severity == "error" { Severity::Error } else { Severity::Warning };
            self.at(&place, severity, &message.message, Some(message.rule));
        }
    }

    fn validation(&mut self, report: &ValidationReport) {
        let severity = match report.result {
            "confirmed" => Severity::Note,
            "rejected" => Severity::Error,
            _ => Severity::Warning,
        };
        let place = PlaceView { file: report.witness.clone(), ..PlaceView::default() };
        let message = format!("the witness is {}: {}", report.result, report.reason);
        let mut finding = Finding::new(&place, severity, &message, Some(report.how));
        for invariant in &report.invariants {
            let line = invariant.line.unwrap_or(0);
            let place = PlaceView { file: report.file.clone(), line, ..PlaceView::default() };
            finding.remark(&place, format!("invariant {}: {}", invariant.expression, invariant.result));
        }
        self.0.push(finding.help(report.help));
    }
}
