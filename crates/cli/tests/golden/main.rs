//! Golden tests, one for each C file and PLC program under `tests` (but `tests/corpus`, which has a target of its own, and `tests/faults`, of which mutants are made, and `tests/plc`, whose runs are compared with those of another compiler): the file names commands in lines `//~ run: ARGS`, and the file `.out` beside it holds what they
//! print. `%s` stands for the file; without it the file comes last. `cargo test -p cli --test golden NAME` runs those with the name in their path;
//! with `WHYDUNIT_BLESS` the expectations are rewritten.
//!
//! A line `//~ SAFE`, `//~ UNSAFE` or `//~ UNKNOWN!` is the truth about the commands after it that decide something ([`DECIDING`]), up to the next
//! such line: no run violates the property; some run does; or it depends on what C leaves open or is not modelled. It was judged from the program,
//! not from the answer, and blessing does not change it: an answer that contradicts it fails. What comes after the word is a comment. Each of these
//! commands needs one; other commands (`check`, `show`, `replay`) claim nothing about all runs and need none.

use anyhow::{Context, Result, bail, ensure};
use libtest_mimic::{Arguments, Failed, Trial};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use testkit::diff;
use testkit::project::{files_below, root};

/// Commands whose answer is about all runs of the program.
const DECIDING: &[&str] = &["verify", "explain", "localize", "minimize", "report", "test"];

fn main() {
    let tests = root().join("tests");
    let trial = |file: PathBuf| {
        let name = file.strip_prefix(&tests).unwrap_or(&file).with_extension("").display().to_string();
        Trial::test(name, move || one(&file).map_err(|error| Failed::from(format!("{error:#}"))))
    };
    let others = [tests.join("corpus"), tests.join("faults"), tests.join("plc")];
    let files = files_below(&tests, &["c", "st", "scl"])
        .into_iter()
        .filter(|file| !others.iter().any(|other| file.starts_with(other)));
    let mut trials: Vec<Trial> = files.map(trial).collect();
    trials.push(Trial::test("all_programs_are_there", {
        let found = trials.len();
        move || if found > 270 { Ok(()) } else { Err(format!("only {found} programs found").into()) }
    }));
    trials.push(Trial::test("no_expectation_is_left_over", no_expectation_is_left_over));
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// Every expectation belongs to a program.
fn no_expectation_is_left_over() -> Result<(), Failed> {
    let alone = |out: &PathBuf| !["c", "st", "scl"].iter().any(|extension| out.with_extension(extension).exists());
    let outs = files_below(&root().join("tests"), &["out"]);
    let alone: Vec<String> = outs.into_iter().filter(alone).map(|out| out.display().to_string()).collect();
    if alone.is_empty() { Ok(()) } else { Err(format!("no program beside {}", alone.join(", ")).into()) }
}

fn one(file: &Path) -> Result<()> {
    let text = String::from_utf8_lossy(&std::fs::read(file)?).into_owned();
    let relative = file.strip_prefix(root())?.display().to_string();
    let mut got = String::new();
    let (mut commands, mut truth) = (0, None);
    for mark in text.lines().filter_map(|line| line.trim().strip_prefix("//~ ")) {
        match mark.strip_prefix("run:") {
            // For the comparison with gcc.
            None if mark == "gcc" => {}
            None => truth = Some(Truth::of(mark)?),
            Some(command) => {
                commands += 1;
                let (printed, code) = output(command.trim(), &relative)?;
                if DECIDING.iter().any(|name| command.split_whitespace().next() == Some(name)) {
                    let truth = truth.with_context(|| format!("no `//~` mark says what is true of `{command}`"))?;
                    ensure!(truth.allows(code), "the truth is {truth:?}, and this contradicts it:\n{printed}");
                }
                got.push_str(&printed);
            }
        }
    }
    if commands == 0 {
        let part = relative.contains("_part") || relative.starts_with("tests/witnesses/");
        ensure!(part, "no `//~ run:` line (a file for others to link with is called …_part.c)");
        return Ok(());
    }
    let out = file.with_extension("out");
    if std::env::var_os("WHYDUNIT_BLESS").is_some() {
        return Ok(std::fs::write(&out, got)?);
    }
    let expected = std::fs::read_to_string(&out).unwrap_or_default();
    ensure!(expected == got, "{relative}: `cargo xtask bless` accepts this\n{}", diff(&expected, &got));
    Ok(())
}

/// What is true of a program and a property, independent of the answer of whydunit.
#[derive(Clone, Copy, Debug)]
enum Truth {
    Safe,
    Unsafe,
    Unknown,
}

impl Truth {
    fn of(mark: &str) -> Result<Truth> {
        Ok(match mark.split_whitespace().next() {
            Some("SAFE") => Truth::Safe,
            Some("UNSAFE") => Truth::Unsafe,
            Some("UNKNOWN!") => Truth::Unknown,
            _ => bail!("`//~ {mark}` is no mark"),
        })
    }

    /// Whether the exit code of a command does not contradict it.
    fn allows(self, code: Option<i32>) -> bool {
        let (holds, violated) = (code == Some(0), code == Some(10));
        match self {
            Truth::Safe => !violated,
            Truth::Unsafe => !holds,
            Truth::Unknown => !holds && !violated,
        }
    }
}

/// What a command prints, and its exit code.
fn output(command: &str, file: &str) -> Result<(String, Option<i32>)> {
    let mut args: Vec<String> = command.split_whitespace().map(|word| word.replace("%s", file)).collect();
    if !command.contains("%s") {
        args.push(file.to_string());
    }
    let output = Command::new(env!("CARGO_BIN_EXE_whydunit"))
        .args(&args)
        .current_dir(root())
        .output()
        .with_context(|| format!("cannot run {args:?}"))?;
    let code = output.status.code();
    let mut text = format!("$ whydunit {}\n", args.join(" "));
    for (stream, bytes) in [("", &output.stdout), ("--- stderr\n", &output.stderr)] {
        let shown = without_times(&String::from_utf8_lossy(bytes));
        if !shown.is_empty() {
            writeln!(text, "{stream}{}", shown.trim_end())?;
        }
    }
    writeln!(text, "--- exit {}\n", code.map_or("a signal".to_string(), |code| code.to_string()))?;
    Ok((text, code))
}

/// How long it took is different every time: in JSON, and in tables, where a number stands before `ms`.
fn without_times(text: &str) -> String {
    let lines =
        text.lines().map(|line| match (line.trim_start().starts_with("\"time_ms\":"), line.split_once(" ms")) {
            (true, _) => "  \"time_ms\": 0,".to_string(),
            (false, Some((before, after))) => {
                let column = before.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
                format!("{} … ms{after}", column.trim_end())
            }
            (false, None) => line.to_string(),
        });
    lines.collect::<Vec<String>>().join("\n")
}
