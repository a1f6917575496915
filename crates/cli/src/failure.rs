//! Commands that start from a failing run: how they get one, and what they do with it.

use crate::args::{ExplainArgs, FailureArgs, MinimizeArgs};
use crate::decide::decide;
use crate::inputs::TextInputs;
use crate::pipeline::{BAD_INPUT, OK, OwnBug, UNKNOWN, VIOLATED, print, print_json, shown, style, trace};
use crate::question::{Asked, Question};
use crate::watch::{Best, GivenUp, Waiting};
use crate::witness;
use anyhow::{Context, Result, anyhow, bail};
use cfa::Property;
use cfa::interp::ProgramArgs;
use engine::bmc::reaches_an_assertion;
use evidence::{Proof as Evidence, Recorder, Trace, Verdict};
use explain::Failure;
use explain::causes::{self, Explained};
use explain::minimize::{MINIMIZERS, Minimized, Objective, freedom};
use report::explain::ExplainReport;
use report::failure::NoFailure;
use report::minimize::{LowerBound, MinimizeReport, Proof, Strategy};
use report::replay::{self, Shown, ViolationView};
use serde::Serialize;
use std::path::Path;
use std::time::Instant;

/// A command about failing runs, as what it does when there is one, and how it says that there is none.
pub struct Job<R> {
    pub command: &'static str,
    pub none: fn(NoFailure) -> R,
    pub to_text: fn(&R, Shown) -> String,
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

/// What there is to work on.
pub struct Found<'a, R> {
    pub asked: &'a Asked,
    pub failure: &'a Failure<'a>,
    /// How long it took to find it.
    pub time_ms: f64,
    pub best: Best<R>,
}

/// Does something with a failing run, or says why there is none.
pub fn with_failure<R: Serialize + Send + 'static>(
    args: &FailureArgs,
    job: Job<R>,
    work: impl FnOnce(Found<'_, R>) -> Result<R>,
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
    let Question { engine, ref budget, .. } = asked.question;
    let waiting = Waiting::start(options, start, budget, engine.name, give_up);
    let (report, code) = match find(args, &asked)? {
        Ok(failure) => {
            let time_ms = start.elapsed().as_secs_f64() * 1000.0;
            (work(Found { asked: &asked, failure: &failure, time_ms, best })?, VIOLATED)
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

/// The failing run: the one that the given inputs lead to, or the first that the engine finds.
fn find<'a>(args: &FailureArgs, asked: &'a Asked) -> Result<Result<Failure<'a>, NoFailure>> {
    let program = &asked.loaded.compiled.program;
    let task = asked.task();
    if let Some(texts) = &args.inputs {
        let mut inputs = TextInputs::parse(texts)?;
        inputs.bind(program);
        let words = ProgramArgs { words: vec![args.question.entry.clone().into_bytes()] };
        return match explain::replay::failure(task, words, &mut inputs) {
            Ok(failure) => Ok(Ok(failure)),
            Err(outcome) => {
                let names: Vec<&str> = task.properties.iter().map(|property| property.name()).collect();
                let end = replay::outcome(program, &outcome, texts.len());
                bail!("the run on these inputs violates none of {}: {end}", names.join(", "))
            }
        };
    }
    if let Some(path) = &args.witness {
        return of_witness(path, args, asked).map(Ok);
    }
    let (options, budget) = (asked.options(args.question.unwind, false), &asked.question.budget);
    let answer = decide(asked.question.engine, task, &options, budget)?;
    let Some((_, tape)) = answer.violations.into_iter().next() else {
        // Only assertions can be out of reach; faults are looked for everywhere.
        let asserted = task
            .properties
            .iter()
            .all(|property| matches!(property, Property::Assertion | Property::UnreachCall | Property::UnreachLabel));
        // Runs that a proof by induction is about need not be within any bound.
        let within_bound =
            matches!(answer.verdict, Verdict::Safe(Evidence::Unwound { .. } | Evidence::Executed { .. }));
        let reached =
            if within_bound && asserted { reaches_an_assertion(task, &options, answer.bound, budget) } else { None };
        let why = NoFailure::of(program, &asked.loaded.sources, &answer.verdict, reached);
        return Ok(Err(why.context("a verdict without a violation")?));
    };
    let failure = explain::replay::failure(task, tape.args.clone(), &mut tape.play());
    failure.map(Ok).map_err(|outcome| OwnBug(format!("the violation does not replay: {outcome:?}")).into())
}

/// The failing run that a witness describes.
fn of_witness<'a>(path: &Path, args: &FailureArgs, asked: &'a Asked) -> Result<Failure<'a>> {
    let name = path.display();
    let witness = witness::parse(path)?;
    let file = args.question.source.files.first().map_or(String::new(), |file| file.display().to_string());
    let (task, budget) = (asked.task(), &asked.question.budget);
    let question = validate::Question { witness: &witness, sources: &asked.loaded.sources, file: &file, task, budget };
    let tape = validate::refine::refine(&question);
    let tape =
        tape.map_err(|found| anyhow!("{name} leads to no failing run ({}): {}", found.result.name(), found.reason))?;
    let failure = explain::replay::failure(task, tape.args.clone(), &mut tape.play());
    failure.map_err(|outcome| anyhow!("the run of {name} does not fail: {outcome:?}"))
}

fn violation_of(failure: &Failure<'_>, sources: &base::SourceMap) -> ViolationView {
    let Failure { task, property, fault, edge, .. } = *failure;
    report::failure::violation(task.program, sources, property, fault, edge)
}

pub fn minimize(args: &MinimizeArgs) -> Result<u8> {
    let objectives: Vec<Objective> = args.objective.iter().filter_map(|name| Objective::named(name)).collect();
    let objectives = Objective::completed(&objectives);
    let job = Job {
        command: "minimize",
        none: MinimizeReport::none,
        to_text: |report, shown| report.to_text(shown, style()),
    };
    with_failure(&args.failure, job, |Found { asked, failure, time_ms: found_after, best: so_far }| {
        let violation = |failure: &Failure<'_>| violation_of(failure, &asked.loaded.sources);
        let mut shown = violation(failure);
        let budget = &asked.question.budget;
        let mut strategies = Vec::new();
        let mut best: Option<Minimized<'_>> = None;
        for minimizer in MINIMIZERS {
            budget.progress().set_stage("minimizing the failing run");
            let start = Instant::now();
            let mut result = (minimizer.run)(failure, &objectives, budget);
            let time_ms = start.elapsed().as_secs_f64() * 1000.0;
            if let Some(before) = &best {
                result = result.or_better(before, &objectives);
            }
            let last = minimizer.name == args.strategy;
            let trace = trace(&result.failure, args.failure.question.output.show_steps);
            let mut run = replay::report(failure.task.program, &asked.loaded.sources, &trace);
            if last {
                budget.progress().set_stage("looking for inputs that do not matter");
                run.annotate(&freedom::freedom(&result.failure, budget));
            }
            strategies.push(Strategy {
                name: minimizer.name,
                measure: result.costs.measure,
                run,
                time_ms: if minimizer.name == "none" { found_after } else { time_ms },
                proof: (minimizer.name == "optimal").then(|| proof(&result)),
            });
            shown = violation(&result.failure);
            best = Some(result);
            if last {
                break;
            }
            if let Some(report) = MinimizeReport::new(shown.clone(), strategies.clone()) {
                so_far.set(report);
            }
        }
        MinimizeReport::new(shown, strategies).context("there is a strategy")
    })
}

fn proof(result: &Minimized<'_>) -> Proof {
    let lower_bound = LowerBound {
        length: result.lower_bound(Objective::Length).map(|bound| bound as u64),
        sum: result.lower_bound(Objective::Values).map(|bound| bound.to_string()),
    };
    Proof { proven: result.proven, lower_bound, bound: result.bound }
}

/// What `explain` may spend on making the failing run simple before it explains it.
const SIMPLIFY_EFFORT: u64 = 40_000;

const NO_PASSING_RUN_YET: &str = "No passing run was found in time.";

pub fn explain(args: &ExplainArgs) -> Result<u8> {
    let job =
        Job { command: "explain", none: ExplainReport::none, to_text: |report, shown| report.to_text(shown, style()) };
    with_failure(&args.failure, job, |Found { asked, failure, best, .. }| {
        let (budget, sources) = (&asked.question.budget, &asked.loaded.sources);
        let show_steps = args.failure.question.output.show_steps;
        let unexplained = |of: &Failure<'_>, failing: &Trace, reason: String| {
            ExplainReport::unexplained(of.task.program, sources, violation_of(of, sources), failing, reason)
        };
        best.set(unexplained(failure, &trace(failure, show_steps), NO_PASSING_RUN_YET.to_string()));
        // A given test is explained as it is.
        let simple = match (&args.failure.inputs, MINIMIZERS.last()) {
            (None, Some(optimal)) => {
                budget.progress().set_stage("minimizing the failing run");
                (optimal.run)(failure, &Objective::DEFAULT, &budget.with_effort(SIMPLIFY_EFFORT)).failure
            }
            _ => failure.clone(),
        };
        let failing = trace(&simple, show_steps);
        best.set(unexplained(&simple, &failing, NO_PASSING_RUN_YET.to_string()));
        let options = causes::Options { inputs_only: args.inputs_only };
        let reason = match causes::explain(&simple, options, budget) {
            Explained::Found(found) => {
                let mut recorder = Recorder::new(show_steps);
                let run = explain::replay::observed(simple.task, &found.passing, &mut recorder);
                let explanation = report::explain::Explanation {
                    distance: found.distance,
                    lower_bound: found.lower_bound,
                    proven: found.proven,
                    bound: found.bound,
                    changes: &found.changes,
                    causes: &found.causes,
                    more_candidates: found.more_candidates,
                    passing: &recorder.finish(run, &found.passing.args),
                };
                return Ok(ExplainReport::new(
                    simple.task.program,
                    sources,
                    violation_of(&simple, sources),
                    &failing,
                    &explanation,
                ));
            }
            Explained::NoPassingRun { bound } => report::explain::no_passing_run(bound),
            Explained::Unknown => NO_PASSING_RUN_YET.to_string(),
        };
        Ok(unexplained(&simple, &failing, reason))
    })
}
