//! What an HTML page shows: reports, and the runs that they are about, replayed once more with what the panes of the page follow.

use crate::evidence_file::{self, VERSION};
use crate::failure::{Start, trace};
use crate::test_case::{LiveSources, make};
use crate::validation::WitnessRequest;
use crate::verification::effort;
use crate::{Loaded, Request};
use base::Budget;
use cfa::Task;
use evidence::{Freedom, LONG_RUN, Tape, Trace, TraceRecorder, Verdict, Violation};
use explain::minimize::freedom;
use explain::{Failure, dynamic_slice, replay};
use report::html::{Download, FactRecorder, Facts, FlowGraphs, Page, RunKind, RunPage, ViolationPage};
use report::replay::{ReplayReport, ViolationView};
use report::{Document, Report};
use std::sync::{Mutex, PoisonError};
use validate::ValidationResult;
use witness::Kind;
use witness::from_evidence::Shape;

/// So many steps of the run of a witness are shown.
const STEPS_OF_WITNESS: usize = 10_000;

/// The runs that reports are about.
#[derive(Default)]
pub struct KeptRuns(Mutex<Vec<KeptRun>>);

#[derive(Clone)]
struct KeptRun {
    /// Of several violations, which one it is about.
    violation: usize,
    kind: RunKind,
    tape: Tape,
    freedom: Option<Vec<Freedom>>,
}

impl KeptRuns {
    /// Keeps a run instead of the one of this kind that was kept before.
    pub fn keep(&self, violation: usize, kind: RunKind, tape: &Tape, freedom: Option<Vec<Freedom>>) {
        let mut runs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        runs.retain(|run| (run.violation, run.kind) != (violation, kind));
        runs.push(KeptRun { violation, kind, tape: tape.clone(), freedom });
    }

    fn all(&self) -> Vec<KeptRun> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What a run of the first violation is given.
    pub fn tape(&self, kind: RunKind) -> Option<Tape> {
        self.all().into_iter().find(|run| run.violation == 0 && run.kind == kind).map(|run| run.tape)
    }
}

impl Request<'_> {
    pub(crate) fn keep(&self, violation: usize, kind: RunKind, tape: &Tape) {
        if let Some(kept) = self.kept {
            kept.keep(violation, kind, tape, None);
        }
    }

    /// Keeps a run of the first violation, unless one of its kind is kept already.
    pub(crate) fn keep_unless_known(&self, kind: RunKind, tape: &Tape) {
        if self.kept.is_some_and(|kept| kept.tape(kind).is_none()) {
            self.keep(0, kind, tape);
        }
    }
}

/// What a page is made of besides the program.
pub struct PageParts<'a> {
    pub documents: &'a [&'a Document],
    /// Of a verdict; `None` if only a failing run is known.
    pub verdict: Option<&'a Verdict>,
    /// Whether witnesses have words for what was asked.
    pub witnesses: bool,
    /// ISO 8601.
    pub time: &'a str,
}

/// The page about what was found out.
pub fn page(request: &Request<'_>, parts: &PageParts<'_>) -> Page {
    let Request { loaded, task, .. } = *request;
    let graphs = FlowGraphs::of(task.program, &loaded.sources, task.entry);
    let mut page = started(loaded, parts.documents);
    page.violations = violations(parts.documents);
    for run in request.kept.map(KeptRuns::all).unwrap_or_default() {
        if let Some(violation) = page.violations.get_mut(run.violation) {
            violation.runs.extend(run_page(request, &run, &graphs));
        }
    }
    for violation in &mut page.violations {
        violation.runs.sort_by_key(|run| run.kind as u8);
        // A run that could not be made smaller is shown once.
        let smallest = violation.runs.first().map(|run| (run.kind, run.inputs_line.clone(), run.steps()));
        if let Some((RunKind::Minimized, inputs, steps)) = smallest {
            violation
                .runs
                .retain(|run| run.kind != RunKind::Original || run.inputs_line != inputs || run.steps() != steps);
        }
        if let (None, Some(run)) = (&violation.detail, violation.runs.first()) {
            violation.detail.clone_from(&run.detail);
        }
    }
    page.functions = graphs.functions;
    page.downloads = downloads(request, parts, &page);
    page.add_sources(&loaded.sources, loaded.file_of(task.entry));
    page
}

/// The page about a witness.
pub fn witness_page(request: &WitnessRequest<'_>, answer: ValidationResult, document: &Document) -> Page {
    let WitnessRequest { witness, loaded, task, budget, .. } = *request;
    let graphs = FlowGraphs::of(task.program, &loaded.sources, task.entry);
    let mut page = started(loaded, &[document]);
    let confirmed = answer == ValidationResult::Confirmed;
    let tape = (confirmed && witness.kind() != Some(Kind::Correctness)).then(|| request.tape()).flatten();
    if let Some(tape) = tape
        && let Ok(failure) = replay::failure(task, tape.args.clone(), &mut tape.play())
    {
        let Failure { property, fault, edge, .. } = failure;
        let shown = report::failure::violation(task.program, &loaded.sources, property, fault, edge);
        let mut violation = violation_page(&shown);
        let small = effort(budget);
        violation.runs.push(failing_run(loaded, &failure, RunKind::Original, None, STEPS_OF_WITNESS, &graphs, &small));
        violation.detail.clone_from(&violation.runs[0].detail);
        page.violations.push(violation);
    }
    page.functions = graphs.functions;
    page.witness = report::html::draw_witness(witness);
    page.downloads = vec![json(document)];
    page.add_sources(&loaded.sources, loaded.file_of(task.entry));
    page
}

fn started(loaded: &Loaded, documents: &[&Document]) -> Page {
    let names: Vec<&str> = loaded.units.iter().map(|unit| loaded.sources.name(*unit)).collect();
    let command = documents.last().map_or("", |document| document.command.name());
    let mut page = Page { tool: format!("whydunit {VERSION}"), command, name: names.join(", "), ..Page::default() };
    documents.iter().for_each(|document| page.add(&document.report));
    page.notes.extend(documents.iter().filter_map(|document| document.unfinished.clone()));
    page
}

fn violation_page(view: &ViolationView) -> ViolationPage {
    let ViolationView { property, message, place, detail } = view.clone();
    ViolationPage { property: property.to_string(), message, detail, place, runs: Vec::new() }
}

/// What is violated, as the first report says that says so.
fn violations(documents: &[&Document]) -> Vec<ViolationPage> {
    let of_report = |report: &Report| match report {
        Report::Verify(report) => {
            let page = |one: &report::verify::ViolationReport| ViolationPage {
                property: one.property.to_string(),
                message: one.message.clone(),
                detail: one.detail.clone(),
                place: one.place.clone(),
                runs: Vec::new(),
            };
            report.violations.iter().map(page).collect()
        }
        Report::Minimize(report) => report.violation.iter().map(violation_page).collect(),
        Report::Explain(report) => report.violation.iter().map(violation_page).collect(),
        Report::Localize(report) => report.violation.iter().map(violation_page).collect(),
        _ => Vec::new(),
    };
    documents
        .iter()
        .map(|document| of_report(&document.report))
        .find(|found: &Vec<_>| !found.is_empty())
        .unwrap_or_default()
}

/// A kept run; `None` if it is none of this program.
fn run_page(request: &Request<'_>, kept: &KeptRun, graphs: &FlowGraphs) -> Option<RunPage> {
    let Request { loaded, task, budget, show_steps, .. } = *request;
    if kept.kind == RunKind::Passing {
        let mut recorder = TraceRecorder::new(show_steps);
        let run = replay::observed(task, &kept.tape, &mut recorder);
        let trace = recorder.finish(run, &kept.tape.args);
        let report = report::replay::report(task.program, &loaded.sources, &trace);
        let facts = facts(loaded, task, &kept.tape, &trace);
        return Some(RunPage::new(kept.kind, task.program, &loaded.sources, &trace, &report, &facts, graphs));
    }
    let failure = replay::failure(task, kept.tape.args.clone(), &mut kept.tape.play()).ok()?;
    let freedom = kept.freedom.clone();
    Some(failing_run(loaded, &failure, kept.kind, freedom, show_steps, graphs, &effort(budget)))
}

fn failing_run(
    loaded: &Loaded,
    failure: &Failure<'_>,
    kind: RunKind,
    freedom: Option<Vec<Freedom>>,
    show_steps: usize,
    graphs: &FlowGraphs,
    budget: &Budget,
) -> RunPage {
    let program = failure.task.program;
    let trace = trace(failure, show_steps);
    let mut report: ReplayReport = report::replay::report(program, &loaded.sources, &trace);
    if let Some(relevant) = dynamic_slice::relevant_steps(failure, &trace) {
        report.mark_relevant(&relevant);
    }
    match freedom {
        Some(freedom) => report.annotate(&freedom),
        None if failure.steps <= LONG_RUN => report.annotate(&freedom::freedom(failure, budget)),
        None => {}
    }
    let facts = facts(loaded, failure.task, &failure.tape, &trace);
    RunPage::new(kind, program, &loaded.sources, &trace, &report, &facts, graphs)
}

/// What the values pane follows; nothing for a run that is too long to be followed throughout.
fn facts(loaded: &Loaded, task: Task<'_>, tape: &Tape, trace: &Trace) -> Facts {
    if trace.measure.is_none() {
        return Facts::default();
    }
    let gap = trace.skipped_at..trace.skipped_at + trace.skipped as usize;
    let mut recorder = FactRecorder::new(task.program, &loaded.sources, gap);
    replay::observed(task, tape, &mut recorder);
    recorder.finish()
}

fn json(document: &Document) -> Download {
    let name = format!("{}.json", document.command.name().replace(' ', "-"));
    Download { name, about: "the report as JSON", text: report::render::json::text(document) }
}

fn downloads(request: &Request<'_>, parts: &PageParts<'_>, page: &Page) -> Vec<Download> {
    let Request { loaded, task, budget, .. } = *request;
    let mut all: Vec<Download> = parts.documents.iter().map(|document| json(document)).collect();
    let kept = request.kept.map(KeptRuns::all).unwrap_or_default();
    let tape = |kind| kept.iter().find(|run| run.violation == 0 && run.kind == kind).map(|run| &run.tape);
    let tape = tape(RunKind::Minimized).or_else(|| tape(RunKind::Original));
    if let Some(run) = page.violations.first().and_then(|violation| violation.runs.first()) {
        all.push(Download {
            name: "inputs.txt".into(),
            about: "the inputs, for --inputs",
            text: run.inputs_line.clone(),
        });
    }
    let found = tape.and_then(|tape| replay::failure(task, tape.args.clone(), &mut tape.play()).ok());
    let violated = found.map(|failure| {
        let Failure { property, fault, edge, .. } = failure;
        Verdict::Unsafe(Violation { property, fault, edge, inputs: Vec::new() })
    });
    let verdict = violated.as_ref().or(parts.verdict);
    if let Some(verdict) = verdict.filter(|_| parts.witnesses) {
        for (name, shape) in [("witness.graphml", Shape::Automaton), ("witness.yml", Shape::Entries)] {
            if let Ok(text) = evidence_file::text(loaded, task, verdict, tape, shape, parts.time) {
                all.push(Download { name: name.into(), about: "verification witness, for other tools", text });
            }
        }
    }
    if let (Some(tape), None) = (tape, &loaded.compiled.entry) {
        let live = LiveSources {
            files: loaded.units.iter().map(|unit| loaded.sources.name(*unit).to_string()).collect(),
            flags: Vec::new(),
            unusable: Some("only the files of the page are known"),
        };
        let (mut inputs, count) = (tape.play(), 0);
        let start = Start::Inputs { args: tape.args.clone(), inputs: &mut inputs, count };
        let own = Request { budget: &budget.clone(), ..*request };
        if let Ok(test) = make(&own, start, &live, false, parts.time) {
            let about = |name: &str| match name {
                "harness.c" => Some("C harness that gives the program these inputs (`whydunit test` writes all files)"),
                "testcase.xml" => Some("test case of Test-Comp"),
                _ => None,
            };
            for (name, text) in test.files {
                if let Some(about) = about(&name) {
                    all.push(Download { name, about, text: String::from_utf8_lossy(&text).into_owned() });
                }
            }
        }
    }
    all
}
