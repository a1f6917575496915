//! The failing run that a command starts from: found by the engine, given as inputs, or described by a witness.

use crate::{Problem, Request, bounded, decide, verification};
use base::Budget;
use cfa::interp::{InputRequest, Inputs, ProgramArgs};
use cfa::{Bits, Property};
use evidence::{Freedom, LONG_RUN, Player, Proof, Trace, TraceRecorder, Verdict};
use explain::minimize::freedom;
use explain::{Failure, dynamic_slice, replay};
use report::failure::NoFailure;
use report::replay::{ReplayReport, ViolationView};
use std::time::Instant;
use validate::{WitnessTask, refine};
use witness::Witness;

/// Where the failing run comes from.
pub enum Start<'a> {
    /// The first that the engine finds.
    Search,
    /// A test, with so many values.
    Inputs { args: ProgramArgs, inputs: &'a mut dyn Inputs, count: usize },
    /// A run that a violation witness describes.
    Witness {
        witness: &'a Witness,
        /// For messages.
        name: &'a str,
        /// The file of the program that the witness is about.
        file: &'a str,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    Search,
    Inputs,
    Witness,
}

/// A failing run to work on.
pub struct FoundFailure<'a> {
    pub failure: Failure<'a>,
    pub origin: Origin,
    /// How long it took to find it.
    pub time_ms: f64,
}

/// The failing run, or why there is none.
pub fn find<'a>(request: &Request<'a>, start: Start<'_>) -> Result<Result<FoundFailure<'a>, NoFailure>, Problem> {
    let began = Instant::now();
    let (failure, origin) = match start {
        Start::Search => match search(request)? {
            Ok(failure) => (failure, Origin::Search),
            Err(why) => return Ok(Err(why)),
        },
        Start::Inputs { args, inputs, count } => (of_inputs(request, args, inputs, count)?, Origin::Inputs),
        Start::Witness { witness, name, file } => (of_witness(request, witness, name, file)?, Origin::Witness),
    };
    Ok(Ok(FoundFailure { failure, origin, time_ms: began.elapsed().as_secs_f64() * 1000.0 }))
}

fn search<'a>(request: &Request<'a>) -> Result<Result<Failure<'a>, NoFailure>, Problem> {
    let Request { task, loaded, .. } = *request;
    let answer = decide(request)?;
    let Some((_, tape)) = answer.violations.into_iter().next() else {
        // Only assertions can be out of reach; faults are looked for everywhere.
        let asserted = task.properties.iter().any(Property::is_asserted);
        // Runs that a proof by induction is about need not be within any bound.
        let within_bound = matches!(answer.verdict, Verdict::Safe(Proof::Unwound { .. } | Proof::Executed { .. }));
        let reached =
            if within_bound && asserted { bounded::reaches_an_assertion(request, answer.bound) } else { None };
        let why = NoFailure::of(task.program, &loaded.sources, &answer.verdict, request.budget.progress(), reached);
        return why.map(Err).ok_or_else(|| Problem::OwnBug("a verdict without a violation".into()));
    };
    let failure = replay::failure(task, tape.args.clone(), &mut tape.play());
    failure.map(Ok).map_err(|outcome| Problem::OwnBug(format!("the violation does not replay: {outcome:?}")))
}

fn of_inputs<'a>(
    request: &Request<'a>,
    args: ProgramArgs,
    inputs: &mut dyn Inputs,
    count: usize,
) -> Result<Failure<'a>, Problem> {
    let task = request.task;
    replay::failure(task, args, inputs).map_err(|outcome| {
        let names: Vec<&str> = task.properties.iter().map(|property| property.name()).collect();
        let end = report::replay::outcome(task.program, &outcome, count);
        Problem::Refused(format!(
            "the run on these inputs violates none of {} (-p asks for other properties): {end}",
            names.join(", ")
        ))
    })
}

fn of_witness<'a>(request: &Request<'a>, witness: &Witness, name: &str, file: &str) -> Result<Failure<'a>, Problem> {
    let Request { task, loaded, budget, .. } = *request;
    let tape =
        refine::refine(&WitnessTask { witness, sources: &loaded.sources, file, task, budget }).map_err(|found| {
            Problem::Refused(format!("{name} leads to no failing run ({}): {}", found.result.name(), found.reason))
        })?;
    let failure = replay::failure(task, tape.args.clone(), &mut tape.play());
    failure.map_err(|outcome| Problem::Refused(format!("the run of {name} does not fail: {outcome:?}")))
}

/// The run of a failure, step by step.
pub fn trace(failure: &Failure<'_>, show_steps: usize) -> Trace {
    let mut recorder = TraceRecorder::new(show_steps);
    let run = failure.run_observed_without(recorder.leave_out_middle(failure.steps), &mut recorder);
    let arguments_chosen = encode::reads_arguments(failure.task);
    Trace { arguments_chosen, ..recorder.finish(run, &failure.tape.args) }
}

/// The run of a failure as it is shown, with what of it matters and what else its inputs could be.
pub(crate) fn shown_run(request: &Request<'_>, failure: &Failure<'_>) -> ReplayReport {
    let trace = trace(failure, request.show_steps);
    let mut run = report::replay::report(failure.task.program, &request.loaded.sources, &trace);
    mark(&mut run, failure, &trace, &verification::effort(request.budget));
    run
}

fn mark_relevant(run: &mut ReplayReport, failure: &Failure<'_>, trace: &Trace) {
    if failure.steps <= LONG_RUN
        && let Some(relevant) = dynamic_slice::relevant_steps(failure, trace)
    {
        run.mark_relevant(&relevant);
    }
}

/// Says which steps of a run matter, and what else its inputs could be.
pub(crate) fn mark(run: &mut ReplayReport, failure: &Failure<'_>, trace: &Trace, budget: &Budget) -> Vec<Freedom> {
    if failure.steps > LONG_RUN {
        return Vec::new();
    }
    mark_relevant(run, failure, trace);
    let freedom = freedom::freedom(failure, budget);
    run.annotate(&freedom);
    freedom
}

/// The violation at the end of the run.
pub(crate) fn violation(request: &Request<'_>, failure: &Failure<'_>) -> ViolationView {
    let Failure { task, property, fault, edge, .. } = *failure;
    report::failure::violation(task.program, &request.loaded.sources, property, fault, edge)
}

/// Gives the inputs of a run, and leaves memory without contents zero.
struct Zeroed<'t>(Player<'t>);

impl Inputs for Zeroed<'_> {
    fn next(&mut self, request: &InputRequest) -> Option<Bits> {
        self.0.next(request)
    }
}

/// The same violation where memory that the program does not initialize is zero, as it is for `--inputs` and for
/// compiled tests.
pub(crate) fn on_zeroed_memory<'a>(failure: &Failure<'a>) -> Option<Failure<'a>> {
    if failure.steps > LONG_RUN {
        return None;
    }
    let mut inputs = Zeroed(failure.tape.play());
    // Without the contents that it had, the run may be much longer, or never end.
    let most = 4 * failure.steps + 10_000;
    let zeroed = replay::failure_within(most, failure.task, failure.tape.args.clone(), &mut inputs).ok()?;
    (zeroed.edge == failure.edge && zeroed.property == failure.property).then_some(zeroed)
}
