//! The work of `minimize`: one strategy after the other, each with what it gives.

use crate::Request;
use crate::failure::{FoundFailure, mark, trace, violation};
use explain::minimize::{MINIMIZERS, Minimized, Minimizer, NO_MINIMIZER, Objective, failing_box};
use report::html::RunKind;
use report::minimize::{CycleCosts, LowerBound, MinimalityProof, MinimizeReport, Strategy};
use report::replay;
use std::time::Instant;

/// Runs the strategies up to the last one, and finds out within which bounds all inputs fail, if asked for; `so_far` gets what is known after each. `None` if that one is not in the table.
pub fn minimize(
    request: &Request<'_>,
    found: &FoundFailure<'_>,
    last: &Minimizer,
    objectives: &[Objective],
    wants_box: bool,
    so_far: &dyn Fn(MinimizeReport),
) -> Option<MinimizeReport> {
    let Request { loaded, budget, .. } = *request;
    let failure = &found.failure;
    let mut strategies = Vec::new();
    let mut best: Option<Minimized<'_>> = None;
    for minimizer in MINIMIZERS {
        budget.progress().set_stage("minimizing the failing run");
        let start = Instant::now();
        let mut result = (minimizer.run)(failure, objectives, budget);
        let time_ms = start.elapsed().as_secs_f64() * 1000.0;
        if let Some(before) = &best {
            result = result.or_better(before, objectives);
        }
        let is_last = minimizer.name == last.name;
        let trace = trace(&result.failure, request.show_steps);
        let mut run = replay::report(failure.task.program, &loaded.sources, &trace);
        if is_last {
            budget.progress().set_stage("looking for inputs that do not matter");
            let free = mark(&mut run, &result.failure, &trace, budget);
            if let Some(kept) = request.kept {
                kept.keep(0, RunKind::Original, &failure.tape, None);
                kept.keep(0, RunKind::Minimized, &result.failure.tape, Some(free));
            }
        }
        strategies.push(Strategy {
            name: minimizer.name,
            measure: result.costs.measure,
            cycles: failure
                .task
                .program
                .cycle
                .is_some()
                .then_some(CycleCosts { cycles: result.costs.cycles, input_changes: result.costs.changes }),
            run,
            time_ms: if minimizer.name == NO_MINIMIZER { found.time_ms } else { time_ms },
            proof: minimizer.proves.then(|| proof(&result)),
        });
        let shown = violation(request, &result.failure);
        best = Some(result);
        if is_last {
            let mut report = MinimizeReport::new(shown, strategies)?;
            if wants_box && let Some(best) = &best {
                budget.progress().set_stage("looking for the widest box of failing inputs");
                report.show_box(&failing_box::widest(&best.failure, budget).unwrap_or_default());
            }
            return Some(report);
        }
        if let Some(report) = MinimizeReport::new(shown, strategies.clone()) {
            so_far(report);
        }
    }
    None
}

fn proof(result: &Minimized<'_>) -> MinimalityProof {
    let lower_bound = LowerBound {
        length: result.lower_bound(Objective::Length).map(|bound| bound as u64),
        sum: result.lower_bound(Objective::Values).map(|bound| bound.to_string()),
        cycles: result.lower_bound(Objective::Cycles).map(|bound| bound as u64),
        input_changes: result.lower_bound(Objective::Changes).map(|bound| bound as u64),
    };
    MinimalityProof { proven: result.proven, lower_bound, bound: result.bound }
}
