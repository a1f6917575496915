//! Golden tests: each C file under `tests/programs` and `tests/regressions` names commands in lines `//~ run: ARGS`, and the file `.out`
//! beside it holds what they print. `%s` stands for the file; without it the file comes last.
//!
//! A line `//~ SAFE`, `//~ UNSAFE` or `//~ UNKNOWN!` is the truth about the `verify` commands after it, up to the next such line: no run violates the
//! property; some run does; or it depends on what C leaves open or is not modelled. Blessing does not change it: a verdict that contradicts it fails.

use crate::support::{diff, in_parallel, none_failed};
use anyhow::{Context, Result, bail, ensure};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use testkit::project::{files_below, root};

#[test]
fn programs_print_what_stands_beside_them() {
    let tests = root().join("tests");
    let mut files = files_below(&tests.join("programs"), &["c"]);
    files.extend(files_below(&tests.join("regressions"), &["c"]));
    // Files without commands are parts of others' programs.
    assert!(files.len() > 40, "only {} programs found", files.len());
    let failures = in_parallel(&files, |file| match one(file) {
        Ok(failure) => failure.into_iter().collect(),
        Err(error) => vec![format!("{}: {error:#}", file.display())],
    });
    none_failed(&failures);
}

/// Every expectation belongs to a program.
#[test]
fn no_expectation_is_left_over() {
    for out in files_below(&root().join("tests"), &["out"]) {
        assert!(out.with_extension("c").exists(), "{} has no program beside it", out.display());
    }
}

fn one(file: &Path) -> Result<Option<String>> {
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
                let printed = output(command.trim(), &relative)?;
                if let Some(truth) = truth.filter(|_| command.trim_start().starts_with("verify")) {
                    ensure!(
                        truth.allows(&printed),
                        "the truth is {truth:?}, and the verdict contradicts it:\n{printed}"
                    );
                }
                got.push_str(&printed);
            }
        }
    }
    if commands == 0 {
        ensure!(relative.contains("_part"), "no `//~ run:` line (a file for others to link with is called …_part.c)");
        return Ok(None);
    }
    let out = file.with_extension("out");
    if std::env::var_os("WHYDUNIT_BLESS").is_some() {
        std::fs::write(&out, got)?;
        return Ok(None);
    }
    let expected = std::fs::read_to_string(&out).unwrap_or_default();
    Ok((expected != got).then(|| format!("{relative}: `cargo xtask bless` accepts this\n{}", diff(&expected, &got))))
}

/// What is true of a program and a property, whatever whydunit says.
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

    /// Whether what `verify` printed does not contradict it.
    fn allows(self, printed: &str) -> bool {
        let says = |verdict: &str| {
            let (text, json) = (format!("verdict: {verdict}"), format!("\"verdict\": \"{verdict}"));
            printed.lines().any(|line| line.starts_with(&text) || line.trim_start().starts_with(&json))
        };
        match self {
            Truth::Safe => !says("false"),
            Truth::Unsafe => !says("true"),
            Truth::Unknown => !says("false") && !says("true"),
        }
    }
}

fn output(command: &str, file: &str) -> Result<String> {
    let mut args: Vec<String> = command.split_whitespace().map(|word| word.replace("%s", file)).collect();
    if !command.contains("%s") {
        args.push(file.to_string());
    }
    let output = Command::new(env!("CARGO_BIN_EXE_whydunit"))
        .args(&args)
        .current_dir(root())
        .output()
        .with_context(|| format!("cannot run {args:?}"))?;
    let code = output.status.code().map_or("a signal".to_string(), |code| code.to_string());
    let mut text = format!("$ whydunit {}\n", args.join(" "));
    for (stream, bytes) in [("", &output.stdout), ("--- stderr\n", &output.stderr)] {
        let shown = without_times(&String::from_utf8_lossy(bytes));
        if !shown.is_empty() {
            writeln!(text, "{stream}{}", shown.trim_end())?;
        }
    }
    writeln!(text, "--- exit {code}\n")?;
    Ok(text)
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
