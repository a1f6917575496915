//! The benchmark programs beside the project: everything that gcc accepts we accept, in both data models, and TCAS gives what the compiled original
//! gives. A sample in everyday runs, everything when `WHYDUNIT_FUZZ_SCALE` is set. Where the data is absent, all are listed as ignored.

#![allow(clippy::print_stderr, reason = "tests tell how much they compared")]

#[allow(dead_code, reason = "shared with the target `it`, which uses all of it")]
#[path = "../it/support.rs"]
mod support;

use anyhow::{Context, Result, ensure};
use cfa::DataModel;
use cfa::interp::{Config, Outcome};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use support::{compile_text, errors, in_parallel, none_failed, preprocessed, run_main, scale, scratch};
use testkit::project::files_below;
use testkit::round_trip;

fn main() {
    testkit::data::main(&[
        ("benchmarks_that_gcc_accepts_are_accepted", benchmarks_that_gcc_accepts_are_accepted),
        ("tcas_gives_what_the_original_gives", tcas_gives_what_the_original_gives),
        ("causes_of_tcas", causes_of_tcas),
    ])
}

/// Everything, or every so-manieth.
fn sample<T: Clone>(all: &[T], few: usize) -> Vec<T> {
    let step = if scale() > 0 { 1 } else { all.len().div_ceil(few).max(1) };
    all.iter().step_by(step).cloned().collect()
}

fn includes(file: &Path) -> Vec<String> {
    let folder = file.parent().unwrap_or(Path::new("."));
    let mut options = vec![format!("-I{}", folder.display())];
    // The headers of one program lie beside its sources.
    let beside = folder.join("../inc");
    if beside.is_dir() {
        options.push(format!("-I{}", beside.display()));
    }
    options
}

/// Options with which gcc accepts a file, if it does.
fn accepted_by_gcc(file: &Path, model: DataModel, stubs: &Path) -> Option<Vec<String>> {
    let mut options = includes(file);
    if model == DataModel::Ilp32 {
        // 32-bit headers are those of the system but for one that only lists what is missing.
        options.extend(["-m32".into(), "-isystem".into(), stubs.display().to_string()]);
        options.extend(["-idirafter".into(), "/usr/include/x86_64-linux-gnu".into()]);
    }
    let status =
        Command::new("gcc").args(["-fsyntax-only", "-w"]).args(&options).arg(file).stderr(Stdio::null()).status();
    status.ok()?.success().then_some(options)
}

fn check(file: &Path, model: DataModel, options: &[String]) -> Result<()> {
    let text = preprocessed(file, model, options)?;
    let (sources, compiled) = compile_text(&file.display().to_string(), text, model);
    let errors = errors(&sources, &compiled);
    ensure!(errors.is_empty(), "{model:?}: {}", errors.join("; "));
    let failures = round_trip(&compiled.program);
    ensure!(failures.is_empty(), "{model:?}: {}", failures.join("; "));
    Ok(())
}

fn benchmarks_that_gcc_accepts_are_accepted(data: &Path) {
    let stubs = scratch("stubs");
    std::fs::create_dir_all(stubs.join("gnu")).expect("the build folder can be written");
    std::fs::write(stubs.join("gnu/stubs-32.h"), "").expect("the build folder can be written");
    let files = sample(&files_below(data, &["c", "i"]), 60);
    let (asked, refused) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let failures = in_parallel(&files, |file| {
        let mut failures = Vec::new();
        for model in [DataModel::Lp64, DataModel::Ilp32] {
            asked.fetch_add(1, Ordering::Relaxed);
            let Some(options) = accepted_by_gcc(file, model, &stubs) else {
                refused.fetch_add(1, Ordering::Relaxed);
                continue;
            };
            failures.extend(check(file, model, &options).err().map(|error| format!("{}: {error:#}", file.display())));
        }
        failures
    });
    let (asked, refused) = (asked.into_inner(), refused.into_inner());
    eprintln!(
        "{} of {} (file, data model) accepted; gcc refuses {refused} more",
        asked - refused - failures.len(),
        asked - refused
    );
    none_failed(&failures);
}

/// Field number of the index into a table of four, in the command line of TCAS.
const ALT_LAYER_VALUE: usize = 6;

fn tcas_gives_what_the_original_gives(data: &Path) {
    let folder = data.join("tcas");
    let universe = std::fs::read_to_string(folder.join("universe.txt")).expect("the tests are beside the program");
    let lines: Vec<Vec<String>> =
        universe.lines().map(|line| line.split_whitespace().map(String::from).collect()).collect();
    assert_eq!(lines.len(), 1608);
    let original = folder.join("original.c");
    let binary = scratch("tcas").join("original");
    let compiled =
        Command::new("gcc").args(["-w", "-O0", "-o"]).arg(&binary).arg(&original).status().expect("gcc can be run");
    assert!(compiled.success(), "gcc refuses the original");
    let text = preprocessed(&original, DataModel::Lp64, &[]).expect("gcc can preprocess the original");
    let (sources, compiled) = compile_text("original.c", text, DataModel::Lp64);
    none_failed(&errors(&sources, &compiled));
    let (equal, outside) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let compare = |words: &Vec<String>| -> Result<()> {
        let argv = std::iter::once("tcas")
            .chain(words.iter().map(String::as_str))
            .map(|word| word.as_bytes().to_vec())
            .collect();
        let config = Config { properties: cfa::PropertySet::of(&[cfa::Property::ValidDeref]), ..Config::default() };
        let run = run_main(&compiled.program, argv, &config).context("no main")?;
        let layer: i64 = words.get(ALT_LAYER_VALUE).and_then(|word| word.parse().ok()).unwrap_or(0);
        if words.len() >= 12 && !(0..4).contains(&layer) {
            outside.fetch_add(1, Ordering::Relaxed);
            // The original reads beyond its table there; we say so.
            ensure!(matches!(run.outcome, Outcome::Violation { .. } | Outcome::Finished(_)), "{:?}", run.outcome);
            return Ok(());
        }
        let native = Command::new(&binary).args(words).output()?;
        ensure!(run.stdout == native.stdout, "gcc: {:?}, we: {:?}", String::from_utf8_lossy(&native.stdout), run);
        let code = native.status.code();
        ensure!(
            matches!(run.outcome, Outcome::Finished(ours) if Some(ours & 0xff) == code),
            "{code:?} but {:?}",
            run.outcome
        );
        equal.fetch_add(1, Ordering::Relaxed);
        Ok(())
    };
    let lines = sample(&lines, 400);
    let failures = in_parallel(&lines, |words| {
        compare(words).err().map(|error| format!("{}: {error:#}", words.join(" "))).into_iter().collect()
    });
    eprintln!("{} of {} tests equal, {} index out of bounds", equal.into_inner(), lines.len(), outside.into_inner());
    none_failed(&failures);
}

/// As in Groce and Kroening 2005, figure 7: the fault is `>` in place of `>=` between these two.
fn causes_of_tcas(data: &Path) {
    let output = Command::new(env!("CARGO_BIN_EXE_whydunit"))
        .args(["explain", "--json"])
        .arg(data.join("tcas/harness/tcas_v1.c"))
        .output()
        .expect("whydunit runs");
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let causes = value["causes"].as_array().expect("a list");
    let named = |cause: &serde_json::Value| {
        let subsumed = cause["subsumes"].as_array().cloned().unwrap_or_default();
        subsumed.iter().chain([&cause["predicate"]]).any(|predicate| predicate == "Down_Separation == ALIM()")
    };
    assert!(causes.iter().any(named), "{causes:?}");
}
