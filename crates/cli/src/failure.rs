//! The commands that start from a failing run: where it comes from, and how what is found out about it is printed.

use crate::args::{ExplainArgs, FailureArgs, LocalizeArgs, MinimizeArgs, OracleArgs};
use crate::loaded_task::{LoadedTask, TaskOptions};
use crate::output::Output;
use crate::pipeline::{BAD_INPUT, OK, UNKNOWN, VIOLATED};
use crate::watch::{Best, GivenUp, Waiting};
use crate::{cycle_tests, html, suite, witness};
use anyhow::{Context, Result, bail};
use explain::causes;
use explain::localize::{Decay, LOCALIZERS, Localizer};
use explain::minimize::{Objective, minimizer};
use report::explain::ExplainReport;
use report::failure::NoFailure;
use report::localize::LocalizeReport;
use report::minimize::MinimizeReport;
use report::{Command, Report};
use std::time::Instant;
use workflow::failure::{FoundFailure, Start, find};
use workflow::{Request, explanation, localization, minimization};

/// Does something with a failing run, or says why there is none.
fn with_failure<R: Into<Report> + Send + 'static>(
    command: Command,
    args: &FailureArgs,
    none: fn(NoFailure) -> R,
    work: impl FnOnce(&Request<'_>, &FoundFailure<'_>, &Best<R>) -> Result<R>,
) -> Result<u8> {
    with_task(command, args, none, |asked, best, start| {
        about_failure(args, asked, none, start, |request, found| work(request, found, best))
    })
}

fn about_failure<R>(
    args: &FailureArgs,
    asked: &LoadedTask,
    none: fn(NoFailure) -> R,
    start: Instant,
    work: impl FnOnce(&Request<'_>, &FoundFailure<'_>) -> Result<R>,
) -> Result<(R, u8)> {
    match found(args, asked)? {
        Ok(found) => {
            let found = FoundFailure { time_ms: start.elapsed().as_secs_f64() * 1000.0, ..found };
            Ok((work(&asked.request(), &found)?, VIOLATED))
        }
        Err(why) => {
            let code = if why.verdict == "true" { OK } else { UNKNOWN };
            Ok((none(why), code))
        }
    }
}

/// Does something with a program, and prints the report with the exit code.
fn with_task<R: Into<Report> + Send + 'static>(
    command: Command,
    args: &FailureArgs,
    none: fn(NoFailure) -> R,
    work: impl FnOnce(&LoadedTask, &Best<R>, Instant) -> Result<(R, u8)>,
) -> Result<u8> {
    let options = &args.question;
    let output = Output::of(command, &options.output, &options.source.files)?;
    html::check(options.output.html.as_deref())?;
    let asked = TaskOptions::of(options)?;
    let asked = match &args.test_cases {
        Some(file) => match cycle_tests::first_failing(args, file)? {
            Some(case) => asked.compiled_with(&case.options, options, &output)?,
            None => bail!("{}: all test cases pass", file.display()),
        },
        None => asked.about_program(options, &output)?,
    };
    let Some(asked) = asked else { return Ok(BAD_INPUT) };
    let wants_page = options.output.html.is_some();
    let best = Best::none_yet();
    let known = best.clone();
    let late_output = output.clone();
    let give_up = move |given_up: GivenUp<'_>| {
        html::say_not_written(wants_page);
        let why = NoFailure::given_up(given_up.reason, given_up.progress);
        match known.take() {
            Some(report) => late_output.print_unfinished(report, why.reason).map(|()| VIOLATED),
            None => late_output.print(none(why)).map(|()| UNKNOWN),
        }
    };
    let request = asked.request();
    let waiting = Waiting::start(options, &output, request.budget, request.engine.name, give_up);
    let (report, code) = work(&asked, &best, output.start())?;
    drop(waiting);
    let document = output.document(report);
    // The answer is not lost if the page cannot be written.
    output.print_document(&document)?;
    html::write(options, &request, &[&document], None)?;
    Ok(code)
}

/// The failing run that was asked for.
fn found<'a>(args: &FailureArgs, asked: &'a LoadedTask) -> Result<Result<FoundFailure<'a>, NoFailure>> {
    let request = asked.request();
    if let Some(file) = &args.test_cases
        && let Some(case) = cycle_tests::first_failing(args, file)?
    {
        let mut inputs = case.test.inputs(request.task.program);
        let count = case.test.inputs.len();
        return Ok(find(&request, Start::Inputs { args: Default::default(), inputs: &mut inputs, count })?);
    }
    if let Some(test) = args.given.test(&OracleArgs::default())? {
        let (words, count) = (test.words(&args.question.entry.entry), test.inputs.len());
        let mut inputs = test.inputs(request.task.program);
        return Ok(find(&request, Start::Inputs { args: words, inputs: &mut inputs, count })?);
    }
    if let Some(path) = &args.witness {
        let witness = witness::parse(path)?;
        let file = args.question.source.files.first().map_or(String::new(), |file| file.display().to_string());
        let name = path.display().to_string();
        return Ok(find(&request, Start::Witness { witness: &witness, name: &name, file: &file })?);
    }
    Ok(find(&request, Start::Search)?)
}

pub fn minimize(args: &MinimizeArgs) -> Result<u8> {
    let objectives: Vec<Objective> = args.objective.iter().filter_map(|name| Objective::named(name)).collect();
    let last = minimizer(&args.strategy).context("the strategy is in the table")?;
    with_failure(Command::Minimize, &args.failure, MinimizeReport::none, |request, found, best| {
        let program = request.task.program;
        if program.cycle.is_none()
            && let Some(one) = objectives.iter().find(|one| matches!(one, Objective::Cycles | Objective::Changes))
        {
            bail!("--objective {}: only a PLC program runs in cycles", one.name());
        }
        let objectives = Objective::completed(&objectives, program);
        let report =
            minimization::minimize(request, found, last, &objectives, args.failing_box, &|report| best.set(report));
        report.context("there is a strategy")
    })
}

pub fn explain(args: &ExplainArgs) -> Result<u8> {
    let causes = causes::CauseOptions { inputs_only: args.inputs_only, trusted: &args.trusted.trust };
    let output = &args.failure.question.output;
    let suspects = Output::of(Command::Explain, output, &args.failure.question.source.files)?.tells_story();
    let options = explanation::ExplanationOptions { causes, suspects };
    with_failure(Command::Explain, &args.failure, ExplainReport::none, |request, found, best| {
        Ok(explanation::explain(request, found, options, &|report| best.set(report)))
    })
}

pub fn localize(args: &LocalizeArgs) -> Result<u8> {
    let all = args.method.iter().any(|name| name == "all");
    let wanted = |method: &&Localizer| all || args.method.iter().any(|name| name == method.name);
    let methods: Vec<&Localizer> = LOCALIZERS.iter().filter(wanted).collect();
    // Who asks for one method wants to see what that one says.
    let several = methods.len() > 1;
    let options = localization::LocalizationOptions {
        trusted: &args.trusted.trust,
        runs: args.runs,
        rounds: args.rounds,
        minimal: args.minimal,
        decay: if args.exponential { Decay::Exponential } else { Decay::Harmonic },
        // What a test case expects holds on its inputs only, so edits cannot be checked for all inputs.
        repairs: several && !args.no_repair && args.failure.test_cases.is_none(),
        methods,
        thoroughness: localization::Thoroughness::FULL,
    };
    let harness = args.tests.as_deref().is_some_and(suite::is_harness);
    let tests = match &args.tests {
        Some(_) if harness => Vec::new(),
        Some(path) => suite::read(path)?,
        // A test that expects something is a suite of one.
        None if args.oracle.expects() => args.failure.given.test(&args.oracle)?.into_iter().collect(),
        None => Vec::new(),
    };
    if !tests.is_empty() {
        return with_task(Command::Localize, &args.failure, LocalizeReport::none, |asked, best, _| {
            let report = localization::localize_tests(&asked.request(), &tests, &options, &|report| best.set(report))?;
            Ok((report, VIOLATED))
        });
    }
    let FailureArgs { given, witness, test_cases, .. } = &args.failure;
    let is_given = witness.is_some() || test_cases.is_some() || given.test(&OracleArgs::default())?.is_some();
    with_task(Command::Localize, &args.failure, LocalizeReport::none, |asked, best, start| {
        let so_far = |report| best.set(report);
        if !is_given && let Some(report) = localization::localize_rows(&asked.request(), &options, harness, &so_far)? {
            return Ok((report, VIOLATED));
        }
        about_failure(&args.failure, asked, LocalizeReport::none, start, |request, found| {
            Ok(localization::localize(request, found, &options, &so_far))
        })
    })
}
