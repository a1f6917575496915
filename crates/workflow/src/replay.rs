//! The work of `replay`: one run in the interpreter, on given inputs.

use crate::Loaded;
use cfa::FuncId;
use cfa::interp::{self, Config};
use evidence::TraceRecorder;
use explain::suite::{Test, TestResult};
use report::replay::ReplayReport;

/// The run of a test; `name` is that of the program. So many of its steps are recorded, the first and the last ones; recording takes time on long
/// runs, so `None` records nothing.
pub fn replay(
    loaded: &Loaded,
    entry: FuncId,
    name: &str,
    test: &Test,
    config: &Config,
    show_steps: Option<usize>,
) -> ReplayReport {
    let program = &loaded.compiled.program;
    let (words, mut inputs) = (test.words(name), test.inputs(program));
    let mut recorder = TraceRecorder::new(show_steps.unwrap_or(0));
    let run = match show_steps {
        None => interp::run(program, entry, &words, &mut inputs, config),
        Some(_) => interp::run_observed(program, entry, &words, &mut inputs, config, &mut recorder),
    };
    let result = test.result(&run);
    let mut report = report::replay::report(program, &loaded.sources, &recorder.finish(run, &words));
    report.expected = not_as_expected(test, &result);
    report
}

/// What was expected of a run that ended otherwise, in words.
pub(crate) fn not_as_expected(test: &Test, result: &TestResult) -> Option<String> {
    match result {
        TestResult::WrongOutput => {
            let text = String::from_utf8_lossy(test.expected.stdout.as_deref().unwrap_or_default()).into_owned();
            Some(format!("the expected output is {text:?}"))
        }
        TestResult::WrongResult { got } => {
            Some(format!("the expected result is {}, and it is {got}", test.expected.result.unwrap_or_default()))
        }
        _ => None,
    }
}
