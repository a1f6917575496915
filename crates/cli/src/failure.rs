//! The commands that start from a failing run: where it comes from, and how what is found out about it is printed.

use crate::args::{ExplainArgs, FailureArgs, LocalizeArgs, MinimizeArgs};
use crate::inputs::TextInputs;
use crate::pipeline::{BAD_INPUT, OK, UNKNOWN, VIOLATED, print, print_json, shown, style};
use crate::question::{Asked, Question};
use crate::watch::{Best, GivenUp, Waiting};
use crate::witness;
use anyhow::{Context, Result};
use cfa::interp::ProgramArgs;
use explain::causes;
use explain::localize::{Decay, LOCALIZERS, Localizer};
use explain::minimize::{Objective, minimizer};
use report::explain::ExplainReport;
use report::failure::NoFailure;
use report::localize::LocalizeReport;
use report::minimize::MinimizeReport;
use report::replay::Shown;
use serde::Serialize;
use std::time::Instant;
use workflow::failure::{Found, Start, find};
use workflow::{Request, explanation, localization, minimization};

/// A command about failing runs, as what it does when there is one, and how it says that there is none.
struct Job<R> {
    command: &'static str,
    none: fn(NoFailure) -> R,
    to_text: fn(&R, Shown) -> String,
}

impl<R> Copy for Job<R> {}

impl<R> Clone for Job<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: Serialize> Job<R> {
    fn print(&self, report: &R, unfinished: Option<String>, output: Output) -> Result<()> {
        if output.json {
            return print_json(self.command, output.start, Report { report, unfinished });
        }
        let mut text = (self.to_text)(report, output.shown).trim_end().to_string();
        if let Some(why) = unfinished {
            text.push_str(&format!("\n\n{why}: this is the best so far"));
        }
        print(&text)
    }
}

/// How an answer is printed.
#[derive(Clone, Copy)]
struct Output {
    json: bool,
    shown: Shown,
    start: Instant,
}

/// A report, and why it is not the last word.
#[derive(Serialize)]
struct Report<'a, R> {
    #[serde(flatten)]
    report: &'a R,
    #[serde(skip_serializing_if = "Option::is_none")]
    unfinished: Option<String>,
}

/// Does something with a failing run, or says why there is none.
fn with_failure<R: Serialize + Send + 'static>(
    args: &FailureArgs,
    job: Job<R>,
    work: impl FnOnce(&Request<'_>, &Found<'_>, &Best<R>) -> Result<R>,
) -> Result<u8> {
    let start = Instant::now();
    let options = &args.question;
    let Some(asked) = Question::of(options)?.about_program(options)? else { return Ok(BAD_INPUT) };
    let output = Output { json: options.output.json, shown: shown(options.output.full), start };
    let best = Best::none_yet();
    let known = best.clone();
    let give_up = move |given_up: GivenUp| {
        let why = NoFailure::given_up(given_up.reason, given_up.bound, given_up.stage);
        match known.take() {
            Some(report) => job.print(&report, Some(why.reason), output).map(|()| VIOLATED),
            None => job.print(&(job.none)(why), None, output).map(|()| UNKNOWN),
        }
    };
    let request = asked.request();
    let waiting = Waiting::start(options, start, request.budget, request.engine.name, give_up);
    let (report, code) = match found(args, &asked)? {
        Ok(found) => {
            let found = Found { time_ms: start.elapsed().as_secs_f64() * 1000.0, ..found };
            (work(&request, &found, &best)?, VIOLATED)
        }
        Err(why) => {
            let code = if why.verdict == "true" { OK } else { UNKNOWN };
            ((job.none)(why), code)
        }
    };
    drop(waiting);
    job.print(&report, None, output)?;
    Ok(code)
}

/// The failing run that was asked for.
fn found<'a>(args: &FailureArgs, asked: &'a Asked) -> Result<Result<Found<'a>, NoFailure>> {
    let request = asked.request();
    if let Some(texts) = &args.inputs {
        let mut inputs = TextInputs::parse(texts)?;
        inputs.bind(request.task.program);
        let words = ProgramArgs { words: vec![args.question.entry.clone().into_bytes()] };
        return Ok(find(&request, Start::Inputs { args: words, inputs: &mut inputs, count: texts.len() })?);
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
    let objectives = Objective::completed(&objectives);
    let last = minimizer(&args.strategy).context("the strategy is in the table")?;
    let job = Job {
        command: "minimize",
        none: MinimizeReport::none,
        to_text: |report, shown| report.to_text(shown, style()),
    };
    with_failure(&args.failure, job, |request, found, best| {
        let report = minimization::minimize(request, found, last, &objectives, &|report| best.set(report));
        report.context("there is a strategy")
    })
}

pub fn explain(args: &ExplainArgs) -> Result<u8> {
    let job =
        Job { command: "explain", none: ExplainReport::none, to_text: |report, shown| report.to_text(shown, style()) };
    let options = causes::Options { inputs_only: args.inputs_only };
    with_failure(&args.failure, job, |request, found, best| {
        Ok(explanation::explain(request, found, options, &|report| best.set(report)))
    })
}

pub fn localize(args: &LocalizeArgs) -> Result<u8> {
    let job = Job {
        command: "localize",
        none: LocalizeReport::none,
        to_text: |report: &LocalizeReport, _| report.to_text(style()),
    };
    let all = args.method.iter().any(|name| name == "all");
    let wanted = |method: &&Localizer| all || args.method.iter().any(|name| name == method.name);
    let options = localization::Options {
        methods: LOCALIZERS.iter().filter(wanted).collect(),
        trusted: &args.trust,
        runs: args.runs,
        rounds: args.rounds,
        minimal: args.minimal,
        decay: if args.exponential { Decay::Exponential } else { Decay::Harmonic },
        repairs: !args.no_repair,
    };
    with_failure(&args.failure, job, |request, found, best| {
        Ok(localization::localize(request, found, &options, &|report| best.set(report)))
    })
}
