//! Differential testing against gcc: a random program by csmith must print the same checksum in our interpreter as when compiled.

use crate::process::{output_within, run_within};
use anyhow::{Context, Result, bail, ensure};
use cfa::DataModel;
use cfa::interp::{self, Config, Limit, ListInputs, Outcome, ProgramArgs};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Sets of csmith options that exercise different corners.
pub const FLAVOURS: &[(&str, &[&str])] = &[
    ("plain", &[]),
    ("floats", &["--float"]),
    ("flat", &["--no-unions", "--no-bitfields", "--no-pointers"]),
    ("records", &["--max-struct-fields", "12", "--max-union-fields", "8", "--max-funcs", "4"]),
    ("expressions", &["--max-expr-complexity", "20", "--max-funcs", "3"]),
    ("control", &["--max-block-depth", "3", "--max-block-size", "8", "--max-funcs", "5"]),
    ("closed", &["--no-argc"]),
];

const HEADERS: &str = "/usr/include/csmith";
const CSMITH_LIMIT: Duration = Duration::from_secs(5);
const GCC_LIMIT: Duration = Duration::from_secs(4);
/// A program that gcc's code finishes in a second may take a while here.
const MAX_STEPS: u64 = 400_000_000;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Comparison {
    Same,
    /// The program does not end in time, so there is nothing to compare.
    Skipped,
    Different {
        expected: String,
        got: String,
    },
}

/// Generates program number `seed` of a flavour into `folder`; `None` when csmith itself does not come to an end.
pub fn generate(folder: &Path, flavour: usize, seed: u64) -> Result<Option<PathBuf>> {
    let (name, options) = FLAVOURS[flavour];
    let path = folder.join(format!("{name}-{seed}.c"));
    // csmith leaves a file about the platform where it runs, and fails if it finds one that another is just writing.
    let place = path.with_extension("csmith");
    std::fs::create_dir_all(&place)?;
    let mut command = Command::new("csmith");
    command.args(["--seed", &seed.to_string()]).args(options).current_dir(&place);
    let finished = run_within(&mut command, CSMITH_LIMIT).context("`cargo xtask setup` installs csmith")?;
    std::fs::remove_dir_all(&place)?;
    let Some(finished) = finished else { return Ok(None) };
    ensure!(finished.code == Some(0), "csmith fails on {name}-{seed}: {}", String::from_utf8_lossy(&finished.stdout));
    std::fs::write(&path, finished.stdout)?;
    Ok(Some(path))
}

/// Compares one program. Files beside it are left for a look only when the results differ.
pub fn compare(path: &Path) -> Result<Comparison> {
    let binary = path.with_extension("bin");
    let compiled = Command::new("gcc")
        .args(["-O0", "-w", "-fwrapv", "-fno-strict-aliasing", "-I", HEADERS, "-o"])
        .arg(&binary)
        .arg(path)
        .arg("-lm")
        .status()
        .context("cannot run gcc")?;
    if !compiled.success() {
        bail!("gcc rejects {}", path.display());
    }
    let expected = output_within(&mut Command::new(&binary), GCC_LIMIT)?;
    std::fs::remove_file(&binary)?;
    let Some(expected) = expected else { return Ok(Comparison::Skipped) };
    let expected = String::from_utf8_lossy(&expected).into_owned();
    let Some(got) = interpret(path)? else { return Ok(Comparison::Skipped) };
    Ok(if got == expected { Comparison::Same } else { Comparison::Different { expected, got } })
}

/// What the program prints in our interpreter, or why it prints nothing; `None` if it takes too many steps.
pub fn interpret(path: &Path) -> Result<Option<String>> {
    let preprocessed =
        Command::new("gcc").args(["-E", "-I", HEADERS]).arg(path).output().context("cannot run gcc -E")?;
    let (sources, compiled) = crate::compile(&preprocessed.stdout, DataModel::Lp64);
    if compiled.has_errors() {
        return Ok(Some(format!("rejected: {:?}", compiled.diagnostics)));
    }
    let program = &compiled.program;
    let entry = program.function_named("main").context("no main")?;
    let config = Config { max_steps: MAX_STEPS, ..Config::default() };
    let run = interp::run(program, entry, &ProgramArgs::default(), &mut ListInputs::default(), &config);
    Ok(Some(match run.outcome {
        Outcome::Limit(Limit::Steps) => return Ok(None),
        Outcome::Finished(_) => String::from_utf8_lossy(&run.stdout).into_owned(),
        other => {
            let at = run.end.and_then(|edge| sources.locate(program.edges[edge].span.lo));
            format!("{other:?} at {at:?}")
        }
    }))
}
