//! `report`: verify, and after a violation minimize, explain and localize, as one page.

use crate::args::ReportArgs;
use crate::loaded_task::TaskOptions;
use crate::output::{Output, print};
use crate::pipeline::{BAD_INPUT, INTERNAL, OK, UNKNOWN, VIOLATED};
use crate::watch::{Best, GivenUp, Waiting};
use crate::{cycle, html};
use anyhow::{Context, Result, bail};
use evidence::{Reason, Verdict};
use explain::causes::CauseOptions;
use explain::localize::{Decay, LOCALIZERS};
use explain::minimize::{Objective, default_minimizer};
use explain::replay;
use report::Report;
use report::html::RunKind;
use std::path::Path;
use workflow::failure::{FoundFailure, Origin};
use workflow::page::KeptRuns;
use workflow::{Request, explanation, localization, minimization, verification};

const DEFAULT_PAGE: &str = "report.html";
/// What each of the stages after a violation may cost at most, where the user gives no time limit.
const STAGE_EFFORT: u64 = 2_000_000;

pub fn command(args: &ReportArgs) -> Result<u8> {
    let options = &args.question;
    if options.environment.cycle.requirements()?.len() > 1 {
        bail!("a page is about one requirement; choose it with --requirement");
    }
    let output = Output::of(report::Command::Verify, &options.output, &options.source.files)?;
    let path = options.output.html.as_deref().unwrap_or(Path::new(DEFAULT_PAGE));
    html::check(Some(path))?;
    let Some(mut asked) = TaskOptions::of(options)?.about_program(options, &output)? else { return Ok(BAD_INPUT) };
    asked.kept = Some(KeptRuns::default());
    let request = asked.request();
    let question = verification::question(&request);
    let late_output = output.clone();
    let give_up = move |given_up: GivenUp<'_>| {
        html::say_not_written(true);
        late_output.print(report::verify::out_of_budget(question, given_up.reason, given_up.progress))?;
        Ok(UNKNOWN)
    };
    let waiting = Waiting::start(options, &output, request.budget, request.engine.name, give_up);
    let answer = workflow::decide(&request)?;
    drop(waiting);
    let verified = verification::report(&request, answer, default_minimizer())?;
    // Where the rest takes too long, there still is this answer.
    let best = Best::none_yet();
    best.set(verified.report);
    let mut others = Vec::new();
    if let Verdict::Unsafe(_) = verified.verdict {
        let known = best.clone();
        let late_output = output.clone();
        let give_up = move |given_up: GivenUp<'_>| {
            html::say_not_written(true);
            known.take().map_or(Ok(()), |report| late_output.print_unfinished(report, given_up.reason.to_string()))?;
            Ok(VIOLATED)
        };
        let waiting = Waiting::start(options, &output, request.budget, request.engine.name, give_up);
        others = after_violation(args, &request, output.start().elapsed().as_secs_f64() * 1000.0)?;
        drop(waiting);
    }
    let verify = output.document(best.take().context("the answer is there")?);
    let others: Vec<report::Document> =
        others.into_iter().map(|(command, report)| report::Document { command, ..output.document(report) }).collect();
    let mut documents = vec![&verify];
    documents.extend(&others);
    html::write_to(path, options, &request, &documents, Some(&verified.verdict))?;
    match output.is_for_programs() {
        true => output.print_document(&verify)?,
        false => print(&summary(&verify.report, &others, path))?,
    }
    let code = match verified.verdict {
        Verdict::Safe(_) => OK,
        Verdict::Unsafe(_) => VIOLATED,
        Verdict::Unknown(Reason::NotReplayed { .. }) => INTERNAL,
        Verdict::Unknown(_) => UNKNOWN,
    };
    match options.environment.cycle.requirements()?.first() {
        Some(requirement) => cycle::say(requirement, code, &output),
        None => Ok(code),
    }
}

/// What the other commands find out about the first violation.
fn after_violation(args: &ReportArgs, request: &Request<'_>, time_ms: f64) -> Result<Vec<(report::Command, Report)>> {
    let kept = request.kept.context("runs are kept for a page")?;
    let failing = |kind: RunKind| {
        let tape = kept.tape(kind)?;
        replay::failure(request.task, tape.args.clone(), &mut tape.play()).ok()
    };
    let found = |kind: RunKind, origin: Origin| {
        failing(kind).map(|failure| FoundFailure { failure, origin, time_ms }).context("the violation replays")
    };
    let mut reports = Vec::new();
    // One more share is left for the page.
    let budget = |stages: u32| request.budget.share(stages + 1).with_effort(STAGE_EFFORT);
    let own = budget(3);
    let stage = Request { budget: &own, ..*request };
    let original = found(RunKind::Original, Origin::Search)?;
    let minimized = minimization::minimize(
        &stage,
        &original,
        default_minimizer(),
        &Objective::completed(&[], stage.task.program),
        false,
        &|_| {},
    );
    reports.extend(minimized.map(|report| (report::Command::Minimize, report.into())));
    // What follows is about the run that the page shows first, as it is.
    let own = budget(2);
    let stage = Request { budget: &own, ..*request };
    let smallest = found(RunKind::Minimized, Origin::Inputs)?;
    let causes = CauseOptions { inputs_only: false, trusted: &args.trusted.trust };
    // Suspects are looked for thoroughly afterwards.
    let options = explanation::ExplanationOptions { causes, suspects: false };
    let explained = explanation::explain(&stage, &smallest, options, &|_| {});
    reports.push((report::Command::Explain, explained.into()));
    let own = budget(1);
    let stage = Request { budget: &own, ..*request };
    let options = localization::LocalizationOptions {
        methods: LOCALIZERS.iter().collect(),
        trusted: &args.trusted.trust,
        runs: None,
        rounds: 100,
        minimal: false,
        decay: Decay::Harmonic,
        repairs: true,
        thoroughness: localization::Thoroughness::FULL,
    };
    let smallest = FoundFailure { origin: Origin::Witness, ..smallest };
    let localized = localization::localize(&stage, &smallest, &options, &|_| {});
    reports.push((report::Command::Localize, localized.into()));
    Ok(reports)
}

/// The answer in a few lines, and where the rest is.
fn summary(verify: &Report, others: &[report::Document], path: &Path) -> String {
    let mut lines = Vec::new();
    if let Report::Verify(report) = verify {
        lines.push(report.first_line().to_string());
        for violation in &report.violations {
            let place = &violation.place;
            lines.push(format!("{}:{}: {}", place.file, place.line, violation.message));
            if !violation.trace.inputs_line.is_empty() {
                lines.push(format!("inputs: --inputs={}", violation.trace.inputs_line));
            }
        }
        if report.violations.is_empty() {
            lines.extend(report.reason.clone());
        }
    }
    for document in others {
        if let Report::Localize(report) = &document.report
            && let Some(suspect) = report.suspects.first()
        {
            lines.push(format!("first suspect: {}:{}: {}", suspect.file, suspect.line, suspect.text.trim()));
        }
    }
    lines.push(format!("page: {}", path.display()));
    lines.join("\n")
}
