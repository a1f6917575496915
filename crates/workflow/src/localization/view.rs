//! From the results of the methods to the data of the report.

use crate::Loaded;
use cfa::EdgeId;
use explain::Failure;
use explain::localize::diagnosis::Diagnosis;
use explain::localize::invariants::{AbstractTrace, Item};
use explain::localize::lines::Line;
use explain::localize::rank::{MethodResult, Suspect};
use explain::localize::{Finding, Score};
use explain::repair::{AssertionReached, Hunk, Known, Repair};
use report::localize::{
    DiagnosisView, FindingView, LineView, LocalizeReport, Localized, MethodView, NoAnswer, RepairView, ScoreView,
    SuspectView, TestsView, TraceItem, TraceView,
};

use std::collections::BTreeSet;

/// Repair hints that are shown: more are no help.
const HINTS: usize = 3;
/// The same where nothing is known to pass: many edits make a failing test pass, and nearly all of them are wrong.
const HINTS_WITHOUT_PASSING: usize = 1;

pub struct Findings<'a> {
    pub runs: usize,
    pub suspects: &'a [Suspect],
    pub found: &'a [MethodResult],
    pub repairs: &'a [Repair],
    /// Why methods gave no answer.
    pub because: Vec<NoAnswer>,
    pub tests: Option<TestsView>,
}

/// Lines of which some method could not say whether a change of them alone helps, and no other did.
fn unanswered_lines(found: &[MethodResult]) -> BTreeSet<&Line> {
    let diagnoses = found.iter().filter_map(|one| match &one.finding {
        Finding::Diagnoses(diagnoses) => Some(diagnoses),
        _ => None,
    });
    let answered: BTreeSet<&Line> = diagnoses
        .clone()
        .flat_map(|diagnoses| &diagnoses.sets)
        .filter(|one| one.cost == 1)
        .flat_map(|one| &one.lines)
        .collect();
    diagnoses.flat_map(|diagnoses| &diagnoses.unanswered).filter(|line| !answered.contains(line)).collect()
}

/// From ids to names, lines and texts.
pub struct LocalizeView<'a> {
    pub loaded: &'a Loaded,
    pub failure: &'a Failure<'a>,
}

fn location(line: &Line) -> base::Location {
    base::Location { file: line.file.to_string(), line: line.line, column: 1, offset: None }
}

impl LocalizeView<'_> {
    pub fn report(&self, findings: Findings<'_>, unanswered: Vec<String>) -> LocalizeReport {
        let Findings { runs, suspects, found, repairs, because, tests } = findings;
        let Failure { task, property, fault, edge, .. } = *self.failure;
        let violation = report::failure::violation(task.program, &self.loaded.sources, property, fault, edge);
        let suspects = suspects.iter().enumerate().map(|(index, suspect)| SuspectView {
            rank: index + 1,
            file: suspect.line.file.to_string(),
            line: suspect.line.line,
            function: suspect.function.clone(),
            score: suspect.score,
            reason: suspect.reason.clone(),
            methods: suspect.methods.clone(),
            text: self.text_of(&suspect.line),
            offset: self.loaded.sources.original_offset(&location(&suspect.line)),
        });
        // An edit that cannot be said in the lines of the user is a hint only where there is no other.
        let has_diff = |repair: &&Repair| !repair.hunks.is_empty();
        let none_has = !repairs.iter().any(|repair| has_diff(&repair));
        let hints = repairs.iter().filter(|repair| !repair.is_doubtful && (none_has || has_diff(repair)));
        let most = match &tests {
            Some(tests) if tests.passing == 0 => HINTS_WITHOUT_PASSING,
            _ => HINTS,
        };
        let repairs = hints.take(most).map(|repair| self.repair(repair)).collect();
        let (suspects, methods) = (suspects.collect(), found.iter().map(|one| self.method(one)).collect());
        let unanswered_lines = unanswered_lines(found);
        let unanswered_lines =
            unanswered_lines.into_iter().map(|line| LineView { file: line.file.to_string(), line: line.line });
        let unanswered_lines = unanswered_lines.collect();
        LocalizeReport::new(Localized {
            violation,
            runs,
            suspects,
            methods,
            repairs,
            unanswered,
            unanswered_lines,
            because,
            tests,
        })
    }

    fn text_of(&self, line: &Line) -> String {
        let sources = &self.loaded.sources;
        sources.original_line(&location(line)).map_or(String::new(), |text| text.into_owned())
    }

    fn method(&self, found: &MethodResult) -> MethodView {
        let finding = match &found.finding {
            Finding::Scores(scores) => {
                let view = |score: &Score| ScoreView {
                    file: score.line.file.to_string(),
                    line: score.line.line,
                    score: score.score,
                };
                FindingView::Scores(scores.lines.iter().map(view).collect())
            }
            Finding::Trace(trace) => FindingView::Trace(self.trace(trace)),
            Finding::Diagnoses(diagnoses) => {
                let view = |diagnosis: &Diagnosis| DiagnosisView {
                    lines: diagnosis.lines.iter().map(|line| line.line).collect(),
                    cost: diagnosis.cost,
                    flexibility: diagnosis.flexibility,
                };
                FindingView::Diagnoses(diagnoses.sets.iter().map(view).collect())
            }
        };
        MethodView { name: found.localizer.name, title: found.localizer.title, finding }
    }

    fn trace(&self, trace: &AbstractTrace) -> TraceView {
        let lines = |lines: &[Line]| {
            let mut lines: Vec<u32> = lines.iter().map(|line| line.line).collect();
            lines.sort_unstable();
            lines.dedup();
            lines
        };
        let item = |item: &Item| match item {
            Item::Invariant(text) => TraceItem { kind: "invariant", file: None, line: None, text: text.clone() },
            Item::Statement { edge, line } => self.item("statement", line, self.source_of(*edge)),
            Item::Frame { line, text, .. } => self.item("frame", line, text.clone()),
        };
        TraceView {
            relevant: lines(&trace.relevant),
            conditions: lines(&trace.conditions),
            recursive: trace.recursive.as_deref().map(lines),
            recursive_gave_up: trace.recursive_gave_up,
            trace: trace.items.iter().map(item).collect(),
        }
    }

    fn item(&self, kind: &'static str, line: &Line, text: String) -> TraceItem {
        TraceItem { kind, file: Some(line.file.to_string()), line: Some(line.line), text }
    }

    /// The text of an edge, on one line.
    fn source_of(&self, edge: EdgeId) -> String {
        let text = self.loaded.sources.snippet(self.failure.task.program.edges[edge].span).into_owned();
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
    }

    fn repair(&self, repair: &Repair) -> RepairView {
        let (file, line) = (repair.line.file.to_string(), repair.line.line);
        let path = file.trim_start_matches('/');
        let mut diff = String::new();
        if !repair.hunks.is_empty() {
            diff = format!("--- a/{path}\n+++ b/{path}\n");
        }
        let mut shift = 0;
        for Hunk { line, before, after } in &repair.hunks {
            // `lines` would drop the carriage return that the file has.
            let (old, new) = (before.split('\n').count() as i64, after.split('\n').count() as i64);
            diff.push_str(&format!("@@ -{line},{old} +{},{new} @@\n", i64::from(*line) + shift));
            before.split('\n').for_each(|text| diff.push_str(&format!("-{text}\n")));
            after.split('\n').for_each(|text| diff.push_str(&format!("+{text}\n")));
            shift += new - old;
        }
        let Repair { known, assertion, has_inputs, changes, rivals, .. } = *repair;
        let (verified_bound, complete) = match known {
            Known::Holds { bound, complete } => (bound, complete),
            Known::Tests(_) | Known::Runs(_) | Known::Part(..) => (0, false),
        };
        let tests = if let Known::Tests(tests) = known { Some(tests) } else { None };
        let runs = if let Known::Runs(runs) = known { Some(runs) } else { None };
        let part = if let Known::Part(fixed, failing) = known { Some((fixed, failing)) } else { None };
        let still_judged = assertion != AssertionReached::Never;
        RepairView {
            file,
            line,
            edit: repair.edit.what.clone(),
            diff,
            verified_bound,
            complete,
            still_judged,
            tests,
            runs,
            part,
            has_inputs,
            changes,
            rivals,
        }
    }
}
