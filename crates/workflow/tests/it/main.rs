//! The commands' work as a library: from the text of a program to the data of a report, without files and without a command line.

use base::Budget;
use cfa::{DataModel, Property, PropertySet, Task};
use engine::{Options, default_engine};
use explain::causes::CauseOptions;
use explain::localize::{Decay, LOCALIZERS};
use explain::minimize::{MINIMIZERS, Objective, default_minimizer};
use report::Document;
use report::html::RunKind;
use std::sync::Mutex;
use workflow::explanation::ExplanationOptions;
use workflow::failure::{FoundFailure, Start, find};
use workflow::page::{KeptRuns, PageParts, page};
use workflow::{Loaded, Request, explanation, localization, minimization, verification};

const PROGRAM: &str = "\
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int a = __VERIFIER_nondet_int();
  int b = 3;
  if (a > 10)
    b = a - 7;
  if (b > 100)
    reach_error();
  return 0;
}
";

/// Asks about the text of a program.
fn with_request<R>(text: &str, ask: impl FnOnce(&Request<'_>) -> R) -> R {
    let (sources, compiled) = testkit::compile(text.as_bytes(), DataModel::Lp64);
    assert!(!compiled.has_errors(), "{:?}", compiled.diagnostics);
    let units = sources.file_ids().collect();
    let loaded = Loaded::new(sources, compiled, units, frontend::CompileOptions::of(DataModel::Lp64));
    let program = &loaded.compiled.program;
    let entry = program.function_named("main").expect("main");
    let task = Task { program, entry, properties: PropertySet::of(&[Property::UnreachCall]) };
    let (options, budget) = (Options::default(), Budget::unlimited());
    let engine = default_engine();
    ask(&Request { loaded: &loaded, task, engine, options: &options, budget: &budget, show_steps: 100, kept: None })
}

fn failure<'a>(request: &Request<'a>) -> FoundFailure<'a> {
    find(request, Start::Search).expect("no problem").expect("a run fails")
}

#[test]
fn a_violation_is_reported_with_its_smallest_run() {
    with_request(PROGRAM, |request| {
        let answer = workflow::decide(request).expect("no problem");
        let verified = verification::report(request, answer, default_minimizer()).expect("no problem");
        let [violation] = verified.report.violations.as_slice() else { panic!("one violation") };
        assert_eq!((verified.report.verdict, violation.place.line), ("false", 9));
        let inputs: Vec<&str> = violation.trace.inputs.iter().map(|input| input.value.as_str()).collect();
        assert_eq!(inputs, ["108"]);
        assert!(verified.tape.is_some());
    });
}

#[test]
fn a_property_that_holds_has_no_failure() {
    let harmless = PROGRAM.replace("b > 100", "b < 3");
    with_request(&harmless, |request| {
        let why = find(request, Start::Search).expect("no problem").err().expect("nothing fails");
        assert_eq!(why.verdict, "true");
    });
}

#[test]
fn strategies_report_what_is_known_before_the_last_one() {
    with_request(PROGRAM, |request| {
        let known = Mutex::new(0);
        let count = |_| *known.lock().expect("not poisoned") += 1;
        let found = failure(request);
        let report = minimization::minimize(
            request,
            &found,
            default_minimizer(),
            Objective::usual(request.task.program),
            false,
            &count,
        );
        let optimal = report.expect("the strategy is in the table").optimal.expect("it was asked for");
        assert!(optimal.proven);
        assert_eq!(known.into_inner().expect("not poisoned"), MINIMIZERS.len() - 1);
    });
}

#[test]
fn suspects_are_lines_of_the_text() {
    with_request(PROGRAM, |request| {
        let options = localization::LocalizationOptions {
            methods: LOCALIZERS.iter().collect(),
            trusted: &[],
            runs: Some(2),
            rounds: 10,
            minimal: false,
            decay: Decay::Harmonic,
            repairs: true,
            thoroughness: localization::Thoroughness::FULL,
        };
        let report = localization::localize(request, &failure(request), &options, &|_| {});
        let lines: Vec<u32> = report.suspects.iter().map(|suspect| suspect.line).collect();
        assert!(lines.contains(&7) && report.unanswered.is_empty(), "{lines:?}, {:?}", report.unanswered);
        assert!(!report.repairs.is_empty());
    });
}

#[test]
fn a_page_has_the_runs_that_reports_are_about() {
    with_request(PROGRAM, |request| {
        let kept = KeptRuns::default();
        let request = &Request { kept: Some(&kept), ..*request };
        let found = failure(request);
        let options = ExplanationOptions { causes: CauseOptions::default(), suspects: false };
        let explained = explanation::explain(request, &found, options, &|_| {});
        let document = Document {
            command: report::Command::Explain,
            subject: Vec::new(),
            time_ms: 0.0,
            next: Vec::new(),
            report: explained.into(),
            unfinished: None,
        };
        let parts = PageParts { documents: &[&document], verdict: None, witnesses: true, time: "1970-01-01T00:00:00Z" };
        let page = page(request, &parts);
        let [violation] = page.violations.as_slice() else { panic!("one violation") };
        let kinds: Vec<RunKind> = violation.runs.iter().map(|run| run.kind).collect();
        assert_eq!((kinds.first(), kinds.last()), (Some(&RunKind::Minimized), Some(&RunKind::Passing)));
        assert_eq!((violation.place.line, violation.runs[0].inputs_line.as_str()), (9, "108"));
        assert_eq!(page.sources[0].text.as_deref().map(|text| text.lines().count()), Some(PROGRAM.lines().count()));
        let names: Vec<&str> = page.downloads.iter().map(|one| one.name.as_str()).collect();
        for name in ["explain.json", "inputs.txt", "witness.graphml", "witness.yml", "harness.c", "testcase.xml"] {
            assert!(names.contains(&name), "{name} of {names:?}");
        }
        // The first branch is taken, and the violation depends on it; nothing is left out.
        let data = serde_json::to_value(&violation.runs[0]).expect("JSON");
        assert_eq!((&data["sliced"], &data["skipped"]), (&true.into(), &0.into()));
    });
}
