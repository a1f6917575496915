//! The work of `explain`: the failing run is made simple, then the closest passing run and the causes are looked for.

use crate::Request;
use crate::failure::{FoundFailure, Origin, mark, trace, violation};
use evidence::{Measure, Trace, TraceRecorder};
use explain::causes::{self, CauseOptions, Explained};
use explain::minimize::{Objective, default_minimizer};
use explain::{Failure, replay};
use report::explain::{ExplainReport, Explanation, InputChange};
use report::html::RunKind;
use report::replay::ReplayReport;

/// What may be spent on making the failing run simple before it is explained.
const SIMPLIFY_EFFORT: u64 = 40_000;

const NO_PASSING_RUN_YET: &str = "No passing run was found in time.";

#[derive(Clone, Copy)]
pub struct ExplanationOptions<'a> {
    pub causes: CauseOptions<'a>,
    /// Whether the first lines to suspect are named.
    pub suspects: bool,
}

/// `so_far` gets what is known before the end.
pub fn explain(
    request: &Request<'_>,
    found: &FoundFailure<'_>,
    options: ExplanationOptions<'_>,
    so_far: &dyn Fn(ExplainReport),
) -> ExplainReport {
    let Request { loaded, budget, show_steps, .. } = *request;
    let sources = &loaded.sources;
    let unexplained = |of: &Failure<'_>, failing: (Option<Measure>, ReplayReport), reason: String| {
        ExplainReport::unexplained(violation(request, of), failing, reason)
    };
    // As it is shown.
    let run = |of: &Failure<'_>, trace: &Trace| {
        let mut run = report::replay::report(of.task.program, sources, trace);
        mark(&mut run, of, trace, &budget.with_effort(SIMPLIFY_EFFORT));
        (trace.measure, run)
    };
    let first = trace(&found.failure, show_steps);
    so_far(unexplained(&found.failure, run(&found.failure, &first), NO_PASSING_RUN_YET.to_string()));
    // A given test is explained as it is.
    let simple = match found.origin {
        Origin::Inputs => found.failure.clone(),
        Origin::Search | Origin::Witness => {
            budget.progress().set_stage("minimizing the failing run");
            let small = budget.with_effort(SIMPLIFY_EFFORT);
            (default_minimizer().run)(&found.failure, Objective::usual(found.failure.task.program), &small).failure
        }
    };
    request.keep_unless_known(RunKind::Original, &found.failure.tape);
    if found.origin != Origin::Inputs {
        request.keep_unless_known(RunKind::Minimized, &simple.tape);
    }
    let failing = run(&simple, &trace(&simple, show_steps));
    so_far(unexplained(&simple, failing.clone(), NO_PASSING_RUN_YET.to_string()));
    let blame = || match options.suspects {
        true => crate::localization::first::suspects(request, &simple, options.causes.trusted),
        false => None,
    };
    let reason = match causes::explain(&simple, options.causes, budget) {
        Explained::Found(found) => {
            request.keep(0, RunKind::Passing, &found.passing);
            let mut recorder = TraceRecorder::new(show_steps);
            let run = replay::observed(simple.task, &found.passing, &mut recorder);
            let explanation = Explanation {
                distance: found.distance,
                lower_bound: found.lower_bound,
                proven: found.proven,
                bound: found.bound,
                changes: &found.changes,
                causes: &found.causes,
                more_candidates: found.more_candidates,
                input_change: found.input_change.as_ref().map(|change| InputChange {
                    inputs: &change.inputs,
                    others: &change.others,
                    proven: change.proven,
                }),
                passing: &recorder.finish(run, &found.passing.args),
            };
            let violation = violation(request, &simple);
            let mut report = ExplainReport::new(simple.task.program, sources, violation, failing, &explanation);
            report.blame = blame();
            return report;
        }
        Explained::NoPassingRun { bound } => report::explain::no_passing_run(bound),
        Explained::Unknown => NO_PASSING_RUN_YET.to_string(),
    };
    let mut report = unexplained(&simple, failing, reason);
    report.blame = blame();
    report
}
