//! The report of a verdict: violations are replayed, made small, and shown step by step.

use crate::failure::{mark, on_zeroed_memory, trace};
use crate::{Problem, Request};
use cfa::interp::{self, Config, Outcome};
use cfa::{Fault, Op, Property};
use engine::Answer;
use evidence::{Reason, Tape, Trace, TraceRecorder, Verdict};
use explain::minimize::{Minimizer, NO_MINIMIZER, Objective};
use explain::{Failure, replay};
use report::html::RunKind;
use report::verify::{Exploration, ShownRun, VerifyReport, VerifyRequest};

/// What may be spent on simpler runs, all of them together: below a quarter of a second, the same on every machine.
const MINIMIZE_EFFORT: u64 = 40_000;

pub struct Verified {
    pub report: VerifyReport,
    pub verdict: Verdict,
    /// What the run of the first violation is given.
    pub tape: Option<Tape>,
}

/// What is asked, as the report says it.
pub fn question(request: &Request<'_>) -> VerifyRequest {
    VerifyRequest { properties: request.task.properties, engine: request.engine.name, all: request.options.all }
}

/// The run that comes to undefined behaviour that no property asks about; `None` if it does not replay.
fn undefined_trace(request: &Request<'_>, tape: &Tape) -> Option<Trace> {
    let task = request.task;
    let mut recorder = TraceRecorder::new(request.show_steps);
    let config = Config { properties: task.properties, ..Config::default() };
    let run = interp::run_observed(task.program, task.entry, &tape.args, &mut tape.play(), &config, &mut recorder);
    let is_undefined = matches!(run.outcome, Outcome::Undefined(_));
    let arguments_chosen = encode::reads_arguments(task);
    is_undefined.then(|| Trace { arguments_chosen, ..recorder.finish(run, &tape.args) })
}

/// What a user should know besides the verdict.
pub fn notes(request: &Request<'_>, verdict: &Verdict) -> Vec<String> {
    let program = request.task.program;
    let asked = |property: Property| property.is_asserted() && request.task.properties.contains(property);
    let mut notes = Vec::new();
    if request.task.properties.iter().any(asked) {
        let asserts = |op: &Op| matches!(op, Op::Assert { property, .. } if asked(*property));
        if !program.edges.values().any(|edge| asserts(&edge.op)) {
            let mut rest = cfa::PropertySet::EMPTY;
            for property in request.task.properties.iter().filter(|property| !asked(*property)) {
                rest = rest.with(property);
            }
            notes.push(match rest.is_empty() {
                true => "the program has no assertion; -p chooses what else to check".to_string(),
                false => format!("the program has no assertion; checked is {}", report::verify::words(program, rest)),
            });
        }
    }
    let fault = match verdict {
        Verdict::Unsafe(violation) => violation.fault.map(|fault| (fault, violation.edge)),
        Verdict::Unknown(Reason::Undefined { fault, edge, .. }) => Some((*fault, *edge)),
        _ => None,
    };
    if let Some((Fault::FixedAddress, edge)) = fault {
        let range = match report::replay::fixed_address(program, edge) {
            Some(address) => format!("{:#x}..{:#x}", address & !0xfff, address | 0xfff),
            None => "FIRST..LAST".into(),
        };
        notes.push(format!("if there are hardware registers, --mmio {range} makes every read of them an input"));
    }
    notes
}

/// What may be spent on simpler runs.
pub(crate) fn effort(budget: &base::Budget) -> base::Budget {
    budget.with_effort(MINIMIZE_EFFORT)
}

/// A simpler run with the same violation.
pub(crate) fn minimized<'a>(failure: Failure<'a>, minimizer: &Minimizer, small: &base::Budget) -> Failure<'a> {
    match small.expired() || failure.steps > evidence::LONG_RUN {
        true => failure,
        false => (minimizer.run)(&failure, Objective::usual(failure.task.program), small).failure,
    }
}

/// The report of an engine's answer.
pub fn report(request: &Request<'_>, answer: Answer, minimizer: &Minimizer) -> Result<Verified, Problem> {
    let Request { task, loaded, budget, .. } = *request;
    let small = effort(budget);
    let (mut found, mut tapes, mut needs_memory) = (Vec::new(), Vec::new(), false);
    for (number, (violation, tape)) in answer.violations.into_iter().enumerate() {
        let failure = replay::failure(task, tape.args.clone(), &mut tape.play());
        let failure =
            failure.map_err(|outcome| Problem::OwnBug(format!("a violation does not replay: {outcome:?}")))?;
        request.keep(number, RunKind::Original, &failure.tape);
        let failure = minimized(failure, minimizer, &small);
        request.keep(number, RunKind::Minimized, &failure.tape);
        needs_memory |= failure.steps <= evidence::LONG_RUN && on_zeroed_memory(&failure).is_none();
        // The runs that are shown are the interpreter's, and so are those of witnesses.
        let trace = trace(&failure, request.show_steps);
        let mut run = report::replay::report(task.program, &loaded.sources, &trace);
        // Who wants the run as it was found wants no more work on it either.
        if minimizer.name != NO_MINIMIZER {
            mark(&mut run, &failure, &trace, &small);
        }
        found.push(ShownRun { violation, measure: trace.measure, run });
        tapes.push(failure.tape);
    }
    let question = VerifyRequest { engine: answer.engine, ..question(request) };
    let reached = Exploration {
        bound: answer.bound,
        complete: answer.complete,
        explored: answer.explored,
        checks: &answer.checks,
        progress: request.budget.progress(),
    };
    let mut report = report::verify::report(task.program, &loaded.sources, &answer.verdict, found, question, reached);
    if let Verdict::Unknown(Reason::Undefined { tape: Some(tape), .. }) = &answer.verdict
        && let Some(trace) = undefined_trace(request, tape)
    {
        report.show_undefined(task.program, &loaded.sources, &trace);
    }
    report.caveats.clone_from(&loaded.caveats);
    report.assumptions = loaded.assumptions();
    report.notes = notes(request, &answer.verdict);
    if needs_memory {
        report
            .notes
            .push("the run also depends on what uninitialized memory holds, which --inputs does not give".into());
    }
    Ok(Verified { report, verdict: answer.verdict, tape: tapes.into_iter().next() })
}
