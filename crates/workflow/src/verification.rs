//! The report of a verdict: violations are replayed, made small, and shown step by step.

use crate::failure::trace;
use crate::{Problem, Request};
use engine::Answer;
use evidence::{Tape, Verdict};
use explain::minimize::{Minimizer, Objective};
use explain::replay;
use report::verify::{Exploration, VerifyReport, VerifyRequest};

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

/// The report of an engine's answer.
pub fn report(request: &Request<'_>, answer: Answer, minimizer: &Minimizer) -> Result<Verified, Problem> {
    let Request { task, loaded, budget, .. } = *request;
    let small = budget.with_effort(MINIMIZE_EFFORT);
    let (mut found, mut tapes) = (Vec::new(), Vec::new());
    for (violation, tape) in answer.violations {
        let failure = replay::failure(task, tape.args.clone(), &mut tape.play());
        let failure =
            failure.map_err(|outcome| Problem::OwnBug(format!("a violation does not replay: {outcome:?}")))?;
        let failure = match budget.expired() || failure.steps > evidence::LONG_RUN {
            true => failure,
            false => (minimizer.run)(&failure, &Objective::DEFAULT, &small).failure,
        };
        // The runs that are shown are the interpreter's, and so are those of witnesses.
        found.push((violation, trace(&failure, request.show_steps)));
        tapes.push(failure.tape);
    }
    let question = VerifyRequest { engine: answer.engine, ..question(request) };
    let reached = Exploration {
        bound: answer.bound,
        complete: answer.complete,
        explored: answer.explored,
        checks: &answer.checks,
    };
    let mut report = report::verify::report(task.program, &loaded.sources, &answer.verdict, &found, question, reached);
    report.caveats.clone_from(&loaded.caveats);
    Ok(Verified { report, verdict: answer.verdict, tape: tapes.into_iter().next() })
}
