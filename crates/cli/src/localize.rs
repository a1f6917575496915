//! The command `localize`: failing runs in, suspects out.

use crate::args::LocalizeArgs;
use crate::decide::decide;
use crate::failure::{self, Job, with_failure};
use crate::pipeline::style;
use crate::question::Asked;
use anyhow::Result;
use base::Budget;
use cfa::{EdgeId, Program, Task};
use encode::on_large_stack;
use evidence::{Reason, Verdict};
use explain::localize::diagnosis;
use explain::localize::invariants::{AbstractTrace, Item};
use explain::localize::lines::Line;
use explain::localize::rank::{Found, Suspect, rank, run_methods};
use explain::localize::spectrum::Spectrum;
use explain::localize::{Decay, Finding, LOCALIZERS, Options};
use explain::minimize::{Objective, minimizer};
use explain::repair::{Candidate, Checked, Judgement, Repair, Repairs, Workbench, repair};
use explain::{Failure, runs};
use report::localize::{
    DiagnosisView, LocalizeReport, Localized, MethodsView, RepairView, ScoreView, SuspectView, TraceItem, TraceView,
};
use std::collections::BTreeSet;
use std::time::Duration;

/// Passing runs to compare with.
const PASSING: usize = 6;
/// Suspects at which edits are tried.
const REPAIRED: usize = 24;
/// The run that everything starts from is made small first, as `verify` does.
const MINIMIZE_EFFORT: u64 = 20_000;
/// Further runs sharpen what one run says; they are not worth waiting long for.
const FURTHER_RUNS_EFFORT: u64 = 200_000;
/// For checking edits, all of them together. Effort does not count all that a SAT solver does between searches, hence the time.
const REPAIR_EFFORT: u64 = 800_000;
const REPAIR_TIME: Duration = Duration::from_secs(4);
/// For checking one: an edit that makes the question hard is no hint.
const EDIT_EFFORT: u64 = 100_000;
const EDIT_TIME: Duration = Duration::from_secs(1);

pub fn localize(args: &LocalizeArgs) -> Result<u8> {
    let job = Job {
        command: "localize",
        none: LocalizeReport::none,
        to_text: |report: &LocalizeReport, _| report.to_text(style()),
    };
    with_failure(&args.failure, job, |found| Ok(work(args, &found)))
}

fn work(args: &LocalizeArgs, start: &failure::Found<'_, LocalizeReport>) -> LocalizeReport {
    let failure::Found { asked, failure, best, .. } = start;
    let budget = &asked.question.budget;
    let sources = &asked.loaded.sources;
    let names: Vec<&str> = match args.method.iter().any(|name| name == "all") {
        true => LOCALIZERS.iter().map(|localizer| localizer.name).collect(),
        false => args.method.iter().map(String::as_str).collect(),
    };
    let bound = args.failure.question.unwind;
    let unanswered = names.iter().map(|name| name.to_string()).collect();
    best.set(View { asked, failure }.report(Findings { runs: 1, suspects: &[], found: &[], repairs: &[] }, unanswered));
    on_large_stack(|| {
        let progress = budget.progress();
        // Inputs that somebody gave are what is to be explained; others are made small first.
        let start =
            match minimizer("optimal").filter(|_| args.failure.inputs.is_none() && args.failure.witness.is_none()) {
                Some(minimizer) => {
                    progress.set_stage("minimizing the failing run");
                    (minimizer.run)(failure, &Objective::DEFAULT, &budget.with_effort(MINIMIZE_EFFORT)).failure
                }
                None => (*failure).clone(),
            };
        progress.set_stage("looking for further runs");
        // Only diagnoses are about more than one run.
        let several = names.contains(&"maxsat") && diagnosis::fits(&start);
        // Each stage leaves time for those after it.
        let mut stages = names.len() as u32 + 3;
        let mut share = |budget: &Budget| {
            stages -= 1;
            budget.share(stages + 1)
        };
        let further = budget.with_effort(FURTHER_RUNS_EFFORT);
        let failures = runs::failing(&start, if several { args.runs } else { 1 }, &share(&further));
        let passing = if several { runs::passing(&start, PASSING, &share(&further)) } else { Vec::new() };
        let options = Options {
            sources,
            trusted: &args.trust,
            rounds: args.rounds,
            minimal: args.minimal,
            decay: if args.exponential { Decay::Exponential } else { Decay::Harmonic },
            passing: &passing,
        };
        let spectrum = Spectrum::of(&failures, &options);
        let view = View { asked, failure: &failures[0] };
        let report = |found: &[Found], repairs: &Repairs| {
            let suspects = rank(&failures, found, &spectrum, repairs, &options);
            let answered = |name: &&&str| found.iter().any(|found| found.localizer.name == **name);
            let unanswered = names.iter().filter(|name| !answered(name)).map(|name| name.to_string()).collect();
            let repairs = &repairs.verified;
            view.report(Findings { runs: failures.len(), suspects: &suspects, found, repairs }, unanswered)
        };
        let none = Repairs::default();
        let mut found = Vec::new();
        for localizer in LOCALIZERS.iter().filter(|localizer| names.contains(&localizer.name)) {
            best.set(report(&found, &none));
            progress.set_stage("localizing");
            found.extend(run_methods(&failures, &[localizer.name], &options, &share(budget)));
        }
        if !names.contains(&"maxsat") || names.len() == 1 || args.no_repair {
            return report(&found, &none);
        }
        best.set(report(&found, &none));
        progress.set_stage("trying edits");
        let suspects = rank(&failures, &found, &spectrum, &none, &options);
        let alone = alone(&found);
        let candidates = suspects.into_iter().take(REPAIRED).map(|suspect| {
            let can_help = alone.is_empty() || alone.contains(&suspect.line);
            Candidate { line: suspect.line, can_help }
        });
        let candidates: Vec<Candidate> = candidates.collect();
        let budget = budget.with_effort(REPAIR_EFFORT).within(REPAIR_TIME);
        let check = |program: &Program| check(asked, bound, program, &budget);
        let model = asked.loaded.compiled.program.model();
        let undefined = asked.loaded.undefined;
        let bench = Workbench { sources, units: &asked.loaded.units, model, undefined, check: &check };
        let repairs = repair(&failures, &candidates, &options, &bench, &budget);
        report(&found, &repairs)
    })
}

/// Lines that can make all known runs pass when nothing else is changed.
fn alone(found: &[Found]) -> BTreeSet<Line> {
    let diagnoses = found.iter().filter_map(|one| match &one.finding {
        Finding::Diagnoses(diagnoses) => Some(diagnoses),
        _ => None,
    });
    let alone = diagnoses.flatten().filter(|diagnosis| diagnosis.cost == 1);
    alone.flat_map(|diagnosis| diagnosis.lines.iter().cloned()).collect()
}

/// Whether an edited program holds, for all inputs.
fn check(asked: &Asked, unwind: Option<u32>, program: &Program, budget: &Budget) -> Checked {
    let name = asked.loaded.compiled.program.function_name(asked.entry);
    let Some(entry) = program.function_named(name) else { return Checked::Unknown };
    let task = Task { program, entry, properties: asked.question.properties };
    let options = engine::Options { unwind, ..engine::Options::default() };
    let budget = budget.with_effort(EDIT_EFFORT).within(EDIT_TIME);
    // An edit whose proof does not pass its check is not shown; the bug is found when the program itself is verified.
    let Ok(answer) = decide(asked.question.engine, task, &options, &budget) else { return Checked::Unknown };
    match answer.verdict {
        Verdict::Safe(_) => Checked::Holds { bound: answer.bound, complete: true },
        Verdict::Unsafe(violation) => Checked::Fails(violation.inputs),
        Verdict::Unknown(Reason::Bound { bound, .. }) => Checked::Holds { bound, complete: false },
        Verdict::Unknown(_) => Checked::Unknown,
    }
}

struct Findings<'a> {
    runs: usize,
    suspects: &'a [Suspect],
    found: &'a [Found],
    repairs: &'a [Repair],
}

/// From ids to what people see.
struct View<'a> {
    asked: &'a Asked,
    failure: &'a Failure<'a>,
}

impl View<'_> {
    fn report(&self, findings: Findings<'_>, unanswered: Vec<String>) -> LocalizeReport {
        let Findings { runs, suspects, found, repairs } = findings;
        let Failure { task, property, fault, edge, .. } = *self.failure;
        let violation = report::failure::violation(task.program, &self.asked.loaded.sources, property, fault, edge);
        let suspects = suspects.iter().enumerate().map(|(index, suspect)| SuspectView {
            rank: index + 1,
            file: suspect.line.file.to_string(),
            line: suspect.line.line,
            function: suspect.function.clone(),
            score: suspect.score,
            reason: suspect.reason.clone(),
            methods: suspect.methods.clone(),
            text: self.text_of(&suspect.line),
        });
        let repairs = repairs.iter().map(|repair| self.repair(repair)).collect();
        let (suspects, methods) = (suspects.collect(), self.methods(found));
        LocalizeReport::new(Localized { violation, runs, suspects, methods, repairs, unanswered })
    }

    fn text_of(&self, line: &Line) -> String {
        let place = base::Location { file: line.file.to_string(), line: line.line, column: 1, offset: None };
        let sources = &self.asked.loaded.sources;
        sources.original_line(&place).map_or(String::new(), |text| text.into_owned())
    }

    fn methods(&self, found: &[Found]) -> MethodsView {
        let mut methods = MethodsView::default();
        for one in found {
            match (&one.finding, one.localizer.name) {
                (Finding::Scores(scores), name) => {
                    let view = |score: &explain::localize::Score| ScoreView {
                        file: score.line.file.to_string(),
                        line: score.line.line,
                        score: score.score,
                    };
                    let scores = Some(scores.lines.iter().map(view).collect());
                    if name == "whodunit" { methods.whodunit = scores } else { methods.iterative = scores }
                }
                (Finding::Trace(trace), name) => {
                    let trace = Some(self.trace(trace));
                    if name == "flow" { methods.flow = trace } else { methods.errinv = trace }
                }
                (Finding::Diagnoses(diagnoses), _) => {
                    let view = |diagnosis: &explain::localize::diagnosis::Diagnosis| DiagnosisView {
                        lines: diagnosis.lines.iter().map(|line| line.line).collect(),
                        cost: diagnosis.cost,
                        flexibility: diagnosis.flexibility,
                    };
                    methods.maxsat = Some(diagnoses.iter().map(view).collect());
                }
            }
        }
        methods
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
            trace: trace.items.iter().map(item).collect(),
        }
    }

    fn item(&self, kind: &'static str, line: &Line, text: String) -> TraceItem {
        TraceItem { kind, file: Some(line.file.to_string()), line: Some(line.line), text }
    }

    /// The text of an edge, on one line.
    fn source_of(&self, edge: EdgeId) -> String {
        let text = self.asked.loaded.sources.snippet(self.failure.task.program.edges[edge].span).into_owned();
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
    }

    fn repair(&self, repair: &Repair) -> RepairView {
        let (file, line) = (repair.line.file.to_string(), repair.line.line);
        let count = repair.before.lines().count().max(1);
        let path = file.trim_start_matches('/');
        let mut diff = format!("--- a/{path}\n+++ b/{path}\n@@ -{line},{count} +{line},{count} @@\n");
        repair.before.lines().for_each(|text| diff.push_str(&format!("-{text}\n")));
        repair.after.lines().for_each(|text| diff.push_str(&format!("+{text}\n")));
        let Repair { bound: verified_bound, complete, judged, .. } = *repair;
        let still_judged = judged != Judgement::Never;
        RepairView { file, line, edit: repair.edit.what.clone(), diff, verified_bound, complete, still_judged }
    }
}
