//! The questions that `--dump smt2` writes mean what we say they mean: another solver gives the same answers.

use crate::support::{count, in_parallel, none_failed, scratch};
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use testkit::process::output_within;
use testkit::project::{files_below, root, smt_solver};

/// Each is asked at a bound, about these properties.
const PROPERTIES: &[&str] = &["unreach-call", "assertion", "no-overflow", "valid-deref", "div-by-zero"];
const BOUND: &str = "3";
const LIMIT: Duration = Duration::from_secs(20);

#[test]
fn another_solver_agrees() {
    let solver = smt_solver();
    assert!(solver.exists(), "{} is missing: run `cargo xtask setup`", solver.display());
    let mut files = files_below(&root().join("tests/programs/verify"), &["c"]);
    files.extend(files_below(&root().join("examples"), &["c"]));
    files.extend((0..count(6) as u64).map(random_program));
    let cases: Vec<(PathBuf, &str)> =
        files.iter().flat_map(|file| PROPERTIES.iter().map(move |property| (file.clone(), *property))).collect();
    // As many as fit in a few seconds, spread over all of them.
    let step = cases.len().div_ceil(count(60)).max(1);
    let cases: Vec<(PathBuf, &str)> = cases.into_iter().step_by(step).collect();
    let answers = std::sync::Mutex::new((0usize, 0usize));
    let failures = in_parallel(&cases, |(file, property)| match one(file, property) {
        Ok(reachable) => {
            let mut answers = answers.lock().expect("nobody panics");
            if reachable {
                answers.0 += 1
            } else {
                answers.1 += 1
            }
            Vec::new()
        }
        Err(error) => vec![format!("{} {property}: {error:#}", file.display())],
    });
    none_failed(&failures);
    let (yes, no) = answers.into_inner().expect("nobody panics");
    assert!(yes >= 3 && no >= 3, "both answers occur: {yes}, {no}");
}

/// Asks both about one program; whether a violation is reachable.
fn one(file: &Path, property: &str) -> Result<bool> {
    let whydunit = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_whydunit"));
        command.args(["verify", "--unwind", BOUND, "-p", property]).args(more).arg(file).current_dir(root());
        command.output().context("whydunit runs")
    };
    let question = whydunit(&["--dump", "smt2"])?;
    ensure!(question.status.success(), "no question: {}", String::from_utf8_lossy(&question.stderr));
    let stem = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or("question");
    let path = scratch("smt2").join(format!("{stem}-{property}.smt2"));
    std::fs::write(&path, &question.stdout)?;
    let theirs = output_within(Command::new(smt_solver()).arg(&path), LIMIT)?.context("the solver does not end")?;
    let ours = whydunit(&[])?;
    let found = match ours.status.code() {
        Some(0 | 30) => false,
        Some(10) => true,
        code => anyhow::bail!("whydunit ends with {code:?}"),
    };
    let theirs = String::from_utf8_lossy(&theirs);
    ensure!(theirs.trim() == if found { "sat" } else { "unsat" }, "we: {found}, the solver: {}", theirs.trim());
    Ok(found)
}

/// Arithmetic on inputs in a loop, with an assertion about the result.
fn random_program(seed: u64) -> PathBuf {
    let mut random = testkit::random::Random::new(seed + 1);
    let mut pick = |items: &[&str]| items[random.below(items.len())].to_string();
    let operators = ["+", "-", "*", "&", "|", "^", "<<", ">>", "/", "%"];
    let operands = ["a", "b", "i", "t[i & 3]", "3", "100", "-7"];
    let mut text = String::from(
        "extern int __VERIFIER_nondet_int(void);\nint main(void) {\n  int a = __VERIFIER_nondet_int(), b = 5, t[4] = {1, 2};\n  for (int i = 0; i < (b & 3); i++) {\n",
    );
    for _ in 0..4 {
        let (to, left, operator, right) =
            (pick(&["a", "b", "t[b & 3]"]), pick(&operands), pick(&operators), pick(&operands));
        text.push_str(&format!("    {to} = {left} {operator} {right};\n"));
    }
    let (left, right) = (pick(&["a", "b", "a + b", "t[0]", "t[1] * b"]), pick(&["7", "0", "1000", "a", "t[3]"]));
    text.push_str(&format!("  }}\n  //@ assert {left} != {right};\n  return 0;\n}}\n"));
    let path = scratch("smt2").join(format!("random{seed}.c"));
    std::fs::write(&path, text).expect("the build folder can be written");
    path
}
