//! The programs of `tests/corpus`, each with and without a planted bug (the macro `BUG`): the bug is found and its run replays to the same
//! violation; the correct program is proved, or, where it says `//~ BOUNDED N`, not refuted within that bound. A line `//~ options: ARGS` holds further
//! arguments. `cargo test -p cli --test corpus NAME` runs those with the name in theirs. No expected output is kept: the corpus says what is true of
//! programs as people write them, not how it is printed.

#![allow(clippy::print_stderr, reason = "the test tells how long programs took")]

use anyhow::{Context, Result, ensure};
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use testkit::project::{files_below, root};

/// For each of the two questions about a program. Most take a hundredth of it on an idle machine.
const SECONDS: &str = "30";
const HOLDS: Option<i32> = Some(0);
const VIOLATED: Option<i32> = Some(10);

fn main() {
    let arguments = Arguments::from_args();
    let times = Arc::new(Mutex::new(Vec::new()));
    let files = files_below(&root().join("tests/corpus"), &["c"]);
    let count = files.len();
    let trial = |file: PathBuf| {
        let times = Arc::clone(&times);
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Trial::test(name, move || one(&file, &times).map_err(|error| Failed::from(format!("{error:#}"))))
    };
    let mut trials: Vec<Trial> = files.into_iter().map(trial).collect();
    trials.push(Trial::test("the_corpus_is_there", move || {
        if count >= 60 { Ok(()) } else { Err(format!("only {count} programs found").into()) }
    }));
    let conclusion = libtest_mimic::run(&arguments, trials);
    let mut times = times.lock().map(|times| times.clone()).unwrap_or_default();
    times.sort_by_key(|(time, _)| *time);
    if let (Some((median, _)), Some((longest, which))) = (times.get(times.len() / 2), times.last()) {
        eprintln!("{} answers: median {median:.2?}, longest {longest:.2?} ({which})\n", times.len());
    }
    conclusion.exit()
}

type Times = Mutex<Vec<(Duration, String)>>;

fn one(file: &Path, times: &Times) -> Result<()> {
    let text = std::fs::read_to_string(file)?;
    let mark = |name: &str| text.lines().find_map(|line| line.strip_prefix("//~ ")?.strip_prefix(name));
    ensure!(text.contains("#ifdef BUG") || text.contains("#ifndef BUG"), "no bug is planted");
    let options: Vec<&str> = mark("options:").unwrap_or_default().split_whitespace().collect();
    let bound = mark("BOUNDED ").map(str::trim);

    let unwind: Vec<&str> = bound.into_iter().flat_map(|bound| ["--unwind", bound]).collect();
    let (code, answer) = verify(file, &[&options[..], &unwind].concat(), times)?;
    let bounded = bound.is_some() && answer["reason"].as_str().is_some_and(|reason| reason.contains("up to bound"));
    ensure!(code == HOLDS || bounded, "the correct program: {}", summary(&answer));

    let (code, answer) = verify(file, &[&options[..], &["-DBUG"]].concat(), times)?;
    ensure!(code == VIOLATED, "the program with the bug: {}", summary(&answer));
    replays(file, &options, &answer["violations"][0])
}

/// The exit code and the report.
fn verify(file: &Path, options: &[&str], times: &Times) -> Result<(Option<i32>, Value)> {
    let start = Instant::now();
    let fixed = ["verify", "--json", "--minimize", "none", "--timeout", SECONDS];
    let output = whydunit(&fixed).args(options).arg(file).output()?;
    if let Ok(mut times) = times.lock() {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        times.push((start.elapsed(), format!("{name} {}", options.join(" "))));
    }
    let report = serde_json::from_slice(&output.stdout)
        .with_context(|| format!("no report: {}", String::from_utf8_lossy(&output.stderr)))?;
    Ok((output.status.code(), report))
}

/// The interpreter, given the inputs of the run alone, comes to the same violation.
fn replays(file: &Path, options: &[&str], violation: &Value) -> Result<()> {
    let inputs = violation["trace"]["inputs"].as_array().context("no inputs")?;
    let values: Vec<&str> = inputs.iter().filter_map(|input| input["value"].as_str()).collect();
    ensure!(values.len() == inputs.len(), "an input without a value");
    let mut command = whydunit(&["replay", "--json", "-DBUG"]);
    command.args(options).arg(file);
    for text in violation["trace"]["arguments"].as_array().into_iter().flatten().skip(1) {
        command.arg("--arg").arg(text.as_str().unwrap_or_default());
    }
    if !values.is_empty() {
        command.arg(format!("--inputs={}", values.join(",")));
    }
    let output = command.output()?;
    let printed = String::from_utf8_lossy(&output.stdout);
    ensure!(
        output.status.code() == VIOLATED,
        "the run does not replay on {values:?}: {printed}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let report: Value = serde_json::from_slice(&output.stdout)?;
    let found = &report["violation"]["property"];
    ensure!(found == &violation["property"], "{} was found, and {found} replayed", violation["property"]);
    Ok(())
}

fn summary(answer: &Value) -> String {
    let lines = &answer["violations"][0];
    format!("{} {} {} {}", answer["verdict"], answer["property"], answer["reason"], lines["line"])
}

fn whydunit(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_whydunit"));
    command.args(arguments).current_dir(root());
    command
}
