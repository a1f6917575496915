//! What several topics share: compiling and running in process, folders for scratch files, the scale of random tests.

use anyhow::{Context, Result, ensure};
use base::SourceMap;
use cfa::interp::{self, Config, ListInputs, Outcome, ProgramArgs, Run};
use cfa::{DataModel, Program};
use frontend::Compiled;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
pub use testkit::compile_file as compile_text;
use testkit::process::output_within;

/// How many times the usual number of random cases is wanted; 0 means the usual, small number.
pub fn scale() -> usize {
    std::env::var("WHYDUNIT_FUZZ_SCALE").ok().and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// `few` in everyday runs, that many times the scale when one is given.
pub fn count(few: usize) -> usize {
    few * scale().max(1)
}

/// A folder of its own for each user, inside the build folder.
pub fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("the build folder can be written");
    folder
}

/// Two at a time: the machines that run the tests have two cores.
pub fn in_parallel<T: Sync>(items: &[T], work: impl Fn(&T) -> Vec<String> + Sync) -> Vec<String> {
    let half = items.len().div_ceil(2);
    let (left, right) = items.split_at(half.min(items.len()));
    std::thread::scope(|scope| {
        let right = scope.spawn(|| right.iter().flat_map(&work).collect::<Vec<String>>());
        let mut all: Vec<String> = left.iter().flat_map(&work).collect();
        match right.join() {
            Ok(found) => all.extend(found),
            Err(panic) => std::panic::resume_unwind(panic),
        }
        all
    })
}

/// Fails with all that went wrong, not only the first.
#[track_caller]
pub fn none_failed(failures: &[String]) {
    assert!(failures.is_empty(), "{} failed:\n\n{}", failures.len(), failures.join("\n\n"));
}

/// The text of a C file as the tool would see it: through `gcc -E` where it has directives.
pub fn preprocessed(path: &Path, model: DataModel, options: &[String]) -> Result<Vec<u8>> {
    if path.extension().is_some_and(|extension| extension == "i") {
        return std::fs::read(path).with_context(|| format!("cannot read {}", path.display()));
    }
    let mut command = Command::new("gcc");
    command.args(["-E", "-w"]);
    if model == DataModel::Ilp32 {
        command.arg("-m32");
    }
    command.args(options).arg(path);
    let text = output_within(&mut command, Duration::from_secs(20))?.context("gcc -E does not end")?;
    ensure!(!text.is_empty(), "gcc -E fails on {}", path.display());
    Ok(text)
}

/// The diagnostics of a program that should have none, one line each.
pub fn errors(sources: &SourceMap, compiled: &Compiled) -> Vec<String> {
    let errors = compiled.diagnostics.iter().filter(|diagnostic| diagnostic.severity == base::Severity::Error);
    errors
        .map(|error| match sources.locate(error.span.lo) {
            Some(at) => format!("{}:{}:{}: {}", at.file, at.line, at.column, error.message),
            None => error.message.clone(),
        })
        .collect()
}

/// A run of `main` without inputs.
pub fn run_main(program: &Program, words: Vec<Vec<u8>>, config: &Config) -> Option<Run> {
    let entry = program.function_named("main").filter(|main| program.automaton(*main).is_some())?;
    Some(interp::run(program, entry, &ProgramArgs { words }, &mut ListInputs::default(), config))
}

/// What a program prints here, or why it does not come to its end.
pub fn printed(name: &str, text: Vec<u8>, config: &Config) -> Result<String> {
    let (sources, compiled) = compile_text(name, text, DataModel::Lp64);
    let errors = errors(&sources, &compiled);
    ensure!(errors.is_empty(), "rejected:\n{}", errors.join("\n"));
    let run = run_main(&compiled.program, vec![b"program".to_vec()], config).context("no main")?;
    let at = run.end.and_then(|edge| sources.locate(compiled.program.edges[edge].span.lo));
    ensure!(matches!(run.outcome, Outcome::Finished(_)), "{:?} at {at:?}", run.outcome);
    Ok(String::from_utf8_lossy(&run.stdout).into_owned())
}

/// What the program prints when gcc compiles it.
pub fn printed_by_gcc(path: &Path, options: &[&str]) -> Result<String> {
    let binary = path.with_extension("bin");
    let output = Command::new("gcc")
        .args(["-O0", "-w", "-fwrapv", "-fno-strict-aliasing"])
        .args(options)
        .arg("-o")
        .arg(&binary)
        .arg(path)
        .arg("-lm")
        .output()
        .context("cannot run gcc")?;
    ensure!(output.status.success(), "gcc rejects {}:\n{}", path.display(), String::from_utf8_lossy(&output.stderr));
    let printed = output_within(&mut Command::new(&binary), Duration::from_secs(10))?;
    std::fs::remove_file(&binary)?;
    Ok(String::from_utf8_lossy(&printed.context("the compiled program does not end")?).into_owned())
}
