//! Golden tests: each C file under `tests/programs` and `tests/regressions` names commands in lines `//~ run: ARGS`, and the file `.out`
//! beside it holds what they print. `%s` stands for the file; without it the file comes last.

use crate::support::{diff, in_parallel, none_failed};
use anyhow::{Context, Result, ensure};
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
    let commands: Vec<&str> =
        text.lines().filter_map(|line| line.trim().strip_prefix("//~ run:")).map(str::trim).collect();
    let relative = file.strip_prefix(root())?.display().to_string();
    if commands.is_empty() {
        ensure!(relative.contains("_part"), "no `//~ run:` line (a file for others to link with is called …_part.c)");
        return Ok(None);
    }
    let mut got = String::new();
    for command in commands {
        got.push_str(&output(command, &relative)?);
    }
    let out = file.with_extension("out");
    if std::env::var_os("WHYDUNIT_BLESS").is_some() {
        std::fs::write(&out, got)?;
        return Ok(None);
    }
    let expected = std::fs::read_to_string(&out).unwrap_or_default();
    Ok((expected != got).then(|| format!("{relative}: `cargo xtask bless` accepts this\n{}", diff(&expected, &got))))
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
