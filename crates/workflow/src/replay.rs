//! The work of `replay`: one run in the interpreter, on given inputs.

use crate::Loaded;
use cfa::FuncId;
use cfa::interp::{self, Config, Inputs, ProgramArgs};
use evidence::TraceRecorder;
use report::replay::ReplayReport;

/// The run. So many of its steps are recorded, the first and the last ones; recording takes time on long runs, so `None` records nothing.
pub fn replay(
    loaded: &Loaded,
    entry: FuncId,
    words: &ProgramArgs,
    inputs: &mut dyn Inputs,
    config: &Config,
    show_steps: Option<usize>,
) -> ReplayReport {
    let program = &loaded.compiled.program;
    let mut recorder = TraceRecorder::new(show_steps.unwrap_or(0));
    let run = match show_steps {
        None => interp::run(program, entry, words, inputs, config),
        Some(_) => interp::run_observed(program, entry, words, inputs, config, &mut recorder),
    };
    report::replay::report(program, &loaded.sources, &recorder.finish(run, words))
}
