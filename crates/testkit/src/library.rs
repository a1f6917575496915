//! Library functions against the system's C library: one program calls them with random contents and prints what they do, in our interpreter and
//! compiled by gcc. Its standard input is random too.

use crate::csmith::Comparison;
use crate::process::output_within;
use crate::random::Random;
use anyhow::{Context, Result, ensure};
use cfa::interp::{self, Config, ListInputs, Outcome, ProgramArgs};
use cfa::{Bits, DataModel};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const PROGRAM: &str = include_str!("library.c");

/// Calls of library functions in one program, about.
pub const CALLS: u64 = 24_000;

const GCC_LIMIT: Duration = Duration::from_secs(20);

/// Compares the program with a seed. Its files stay in the folder when the results differ.
pub fn compare(folder: &Path, seed: u64) -> Result<Comparison> {
    let text = PROGRAM.replace("0 /* SEED */", &format!("{seed}ULL * 0x9e3779b97f4a7c15ULL"));
    ensure!(text != PROGRAM, "the program has no place for its seed");
    let text = if seed % 2 == 1 { format!("#define REAL 1\n{text}") } else { text };
    let mut random = Random::new(seed);
    let input: Vec<u8> = (0..1200).map(|_| b"0123456789ab,,\n\n"[random.below(16)]).collect();
    let path = |extension: &str| folder.join(format!("library-{seed}.{extension}"));
    std::fs::write(path("c"), &text)?;
    std::fs::write(path("txt"), &input)?;
    let compiled = Command::new("gcc")
        .args(["-O0", "-w", "-fno-builtin", "-o"])
        .arg(path("bin"))
        .arg(path("c"))
        .arg("-lm")
        .status()?;
    ensure!(compiled.success(), "gcc rejects {}", path("c").display());
    let mut native = Command::new("sh");
    native.args(["-c", "\"$0\" < \"$1\""]).arg(path("bin")).arg(path("txt"));
    let expected = output_within(&mut native, GCC_LIMIT)?.context("the compiled program does not end")?;
    let expected = String::from_utf8_lossy(&expected).into_owned();
    let got = interpret(&path("c"), &input)?;
    if got != expected {
        return Ok(Comparison::Different { expected, got });
    }
    for extension in ["c", "txt", "bin"] {
        std::fs::remove_file(path(extension))?;
    }
    Ok(Comparison::Same)
}

/// Kinds of calls that one program can make instead of all of them.
pub const KINDS: u32 = 10;

/// Writes a program that makes one kind of calls, and ends in an error if what they do is not what the compiled program does: its file, and the
/// options that it is to be preprocessed with.
pub fn asserting(folder: &Path, seed: u64, kind: u32) -> Result<(PathBuf, Vec<String>)> {
    let text = PROGRAM.replace("0 /* SEED */", &format!("{seed}ULL * 0x9e3779b97f4a7c15ULL"));
    let path = |extension: &str| folder.join(format!("library-{seed}-{kind}.{extension}"));
    std::fs::write(path("c"), text)?;
    let kind = format!("-DKIND={kind}");
    let mut gcc = Command::new("gcc");
    gcc.args(["-O0", "-w", "-fno-builtin", &kind, "-o"]).arg(path("bin")).arg(path("c")).arg("-lm");
    ensure!(gcc.status()?.success(), "gcc rejects {}", path("c").display());
    let expected = output_within(&mut Command::new(path("bin")), GCC_LIMIT)?.context("the program does not end")?;
    Ok((path("c"), vec![kind, format!("-DEXPECTED={}", String::from_utf8_lossy(&expected))]))
}

/// What the program prints in our interpreter, where each character is an input.
fn interpret(path: &Path, input: &[u8]) -> Result<String> {
    let preprocessed = Command::new("gcc").arg("-E").arg(path).output().context("cannot run gcc -E")?;
    let (sources, compiled) = crate::compile(&preprocessed.stdout, DataModel::Lp64);
    if compiled.has_errors() {
        return Ok(format!("rejected: {:?}", compiled.diagnostics));
    }
    let program = &compiled.program;
    let entry = program.function_named("main").context("no main")?;
    let end = Bits::new(u32::MAX as u128);
    let values = input.iter().map(|byte| Bits::new(*byte as u128)).chain(std::iter::repeat_n(end, 1000)).collect();
    let mut inputs = ListInputs::new(values);
    let run = interp::run(program, entry, &ProgramArgs::default(), &mut inputs, &Config::default());
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    Ok(match run.outcome {
        Outcome::Finished(_) => text,
        other => {
            let at = run.end.and_then(|edge| sources.locate(program.edges[edge].span.lo));
            format!("{text}{other:?} at {at:?}")
        }
    })
}
