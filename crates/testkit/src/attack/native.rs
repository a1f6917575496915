//! The truth about programs: many of them in one C file, compiled by gcc and clang with and without optimisation and sanitizers, run on
//! every tape of inputs (`driver.c`).

use super::Attack;
use crate::process::run_within;
use anyhow::{Context, Result, ensure};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

const DRIVER: &str = include_str!("driver.c");
const COMPILE_LIMIT: Duration = Duration::from_secs(120);
const RUN_LIMIT: Duration = Duration::from_secs(300);

/// Wrap-around and no assumptions about types, as whydunit reads C.
const PLAIN: &[&str] = &["-w", "-fwrapv", "-fno-strict-aliasing"];

struct Build {
    compiler: &'static str,
    options: &'static [&'static str],
    sanitizes: bool,
}

/// Overflows and shifts are reported and the run goes on: whydunit gives them a value, too.
const SANITIZERS: &[&str] = &[
    "-O0",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
    "-fsanitize-recover=signed-integer-overflow,shift",
];

const BUILDS: &[Build] = &[
    Build { compiler: "gcc", options: &["-O0"], sanitizes: false },
    Build { compiler: "gcc", options: &["-O2"], sanitizes: false },
    Build { compiler: "clang", options: &["-O0"], sanitizes: false },
    Build { compiler: "gcc", options: SANITIZERS, sanitizes: true },
    Build { compiler: "clang", options: SANITIZERS, sanitizes: true },
    Build { compiler: "clang", options: UNINITIALIZED, sanitizes: true },
];

/// Generated programs initialize everything; a program that was made smaller may not, so only single programs are built with this.
const UNINITIALIZED: &[&str] = &["-O0", "-fsanitize=memory"];

/// What a sanitizer reports.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Report {
    Overflow,
    DivisionByZero,
    ShiftExponent,
    /// A left shift of or into the sign bit, which whydunit and the compilers define.
    ShiftedValue,
    /// An index outside the array it belongs to, perhaps inside the same object.
    Index,
    /// AddressSanitizer's.
    Memory,
    /// MemorySanitizer's: a branch that depends on memory that was never written.
    Uninitialized,
    Other,
}

/// How the runs of a program end.
#[derive(Clone, Default, Debug)]
pub struct Truth {
    /// Nothing is known: some run does not end, or there are too many inputs.
    pub unusable: Option<&'static str>,
    pub tapes: u32,
    /// Some tape calls `reach_error`, in some build.
    pub reached: bool,
    /// The builds agree.
    pub agreed: bool,
    /// The values at each check, in any build; `None` if there are too many.
    pub values: [Option<BTreeSet<i64>>; 2],
    pub reports: BTreeSet<Report>,
    /// A run of a plain build ends with a signal.
    pub dies: bool,
    pub first_report: String,
}

impl Truth {
    /// Undefined behaviour that ends a run: what happens then says nothing.
    pub fn is_undefined(&self) -> bool {
        self.dies || self.reports.iter().any(|report| !matches!(report, Report::Overflow | Report::ShiftedValue))
    }
}

pub fn has_clang() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| Command::new("clang").arg("--version").output().is_ok_and(|output| output.status.success()))
}

/// What is true of each of some programs. Their texts may contain checks, whose values are noted, and calls of `reach_error`.
pub fn truths(folder: &Path, name: &str, programs: &[Attack]) -> Result<Vec<Truth>> {
    let source = folder.join(format!("{name}.batch.c"));
    std::fs::write(&source, batch(programs))?;
    let mut truths =
        vec![
            Truth { agreed: true, values: [Some(BTreeSet::new()), Some(BTreeSet::new())], ..Truth::default() };
            programs.len()
        ];
    let mut first = None;
    let possible = |build: &&Build| {
        (build.compiler != "clang" || has_clang()) && (build.options != UNINITIALIZED || programs.len() == 1)
    };
    for build in BUILDS.iter().filter(possible) {
        let outcomes = run(&source, build, &mut truths)?;
        if build.sanitizes {
            continue;
        }
        match &first {
            None => first = Some(outcomes),
            Some(first) => {
                for (truth, same) in
                    truths.iter_mut().zip(first.iter().zip(&outcomes).map(|(left, right)| left == right))
                {
                    truth.agreed &= same;
                }
            }
        }
    }
    std::fs::remove_file(&source)?;
    Ok(truths)
}

/// Runs one build; for each program, what must be the same in all builds.
fn run(source: &Path, build: &Build, truths: &mut [Truth]) -> Result<Vec<String>> {
    let binary = source.with_extension("bin");
    let mut compile = Command::new(build.compiler);
    compile.args(build.options).args(if build.sanitizes { &["-w"] } else { PLAIN }).arg("-o").arg(&binary).arg(source);
    let compiled = run_within(&mut compile, COMPILE_LIMIT)?.context("the compiler does not end")?;
    ensure!(compiled.code == Some(0), "{} rejects {}", build.compiler, source.display());
    let mut command = Command::new(&binary);
    command.env(
        "ASAN_OPTIONS",
        "detect_leaks=0:detect_stack_use_after_return=1:allocator_may_return_null=1:handle_abort=0",
    );
    let ran = run_within(&mut command, RUN_LIMIT)?.context("the programs do not end")?;
    std::fs::remove_file(&binary)?;
    ensure!(ran.code == Some(0), "{}: the driver fails", source.display());
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    let mut outcomes = vec![String::new(); truths.len()];
    let mut current = None;
    for line in text.lines() {
        if let Some(report) = line.strip_prefix("report ") {
            let truth: &mut Truth = &mut truths[current.context("a report before a program")?];
            truth.reports.insert(classify(report));
            if truth.first_report.is_empty() {
                truth.first_report = report.to_string();
            }
            continue;
        }
        let rest = line.strip_prefix("program ").with_context(|| format!("unexpected line {line:?}"))?;
        let (index, rest) = rest.split_once(' ').context("a program's number")?;
        let index: usize = index.parse()?;
        note(&mut truths[index], rest, build.sanitizes)?;
        outcomes[index] = rest.to_string();
        current = Some(index);
    }
    ensure!(outcomes.iter().all(|outcome| !outcome.is_empty()), "the driver misses a program");
    Ok(outcomes)
}

/// `FLAGS TAPES HASH | COUNT VALUES | COUNT VALUES`
fn note(truth: &mut Truth, line: &str, sanitizes: bool) -> Result<()> {
    let mut parts = line.split(" | ");
    let mut head = parts.next().context("flags")?.split(' ').map(str::parse::<u64>);
    let flags = head.next().context("flags")??;
    truth.tapes = truth.tapes.max(head.next().context("tapes")?? as u32);
    if flags & 1 != 0 {
        truth.unusable = Some("too many inputs");
    }
    if flags & 2 != 0 {
        truth.unusable = Some("does not end");
    }
    if sanitizes {
        return Ok(());
    }
    truth.dies |= flags & 4 != 0;
    truth.reached |= flags & 8 != 0;
    for (values, part) in truth.values.iter_mut().zip(parts) {
        let mut numbers = part.split(' ').map(str::parse::<i64>);
        let count = numbers.next().context("a number of values")?? as usize;
        let found: Vec<i64> = numbers.collect::<std::result::Result<_, _>>()?;
        match values {
            Some(values) if found.len() == count => values.extend(found),
            values => *values = None,
        }
    }
    Ok(())
}

fn classify(report: &str) -> Report {
    let patterns = [
        ("MemorySanitizer", Report::Uninitialized),
        ("AddressSanitizer: FPE", Report::Overflow),
        ("AddressSanitizer", Report::Memory),
        ("signed integer overflow", Report::Overflow),
        ("negation of", Report::Overflow),
        ("division by zero", Report::DivisionByZero),
        ("division of", Report::Overflow),
        ("shift exponent", Report::ShiftExponent),
        ("left shift of", Report::ShiftedValue),
        ("out of bounds", Report::Index),
        ("null pointer", Report::Memory),
    ];
    patterns.iter().find(|(text, _)| report.contains(text)).map_or(Report::Other, |(_, kind)| *kind)
}

/// All programs in one text, with names of their own, in front of the table that the driver runs through.
fn batch(programs: &[Attack]) -> String {
    let mut text = format!("{DRIVER}\n");
    let mut table = String::new();
    for (index, program) in programs.iter().enumerate() {
        let defined = program.defined_names();
        for name in defined.iter().chain(&["main", "save", "restore"]) {
            writeln!(text, "#undef {name}\n#define {name} {name}_{index}").expect("writing to a string");
        }
        writeln!(text, "{}", program.with_checks()).expect("writing to a string");
        let globals = program.global_objects();
        for name in &globals {
            writeln!(text, "static unsigned char {name}_saved_{index}[sizeof {name}];").expect("writing to a string");
        }
        for (function, to_saved) in [("save", true), ("restore", false)] {
            write!(text, "static void {function}(void) {{").expect("writing to a string");
            for name in &globals {
                let saved = format!("{name}_saved_{index}");
                let (to, from) = match to_saved {
                    true => (saved, format!("&{name}")),
                    false => (format!("(void *)&{name}"), saved),
                };
                write!(text, " memcpy({to}, {from}, sizeof {name});").expect("writing to a string");
            }
            writeln!(text, " }}").expect("writing to a string");
        }
        for name in defined.iter().chain(&["main", "save", "restore"]) {
            writeln!(text, "#undef {name}").expect("writing to a string");
        }
        let fork_each = u8::from(program.has_static_locals());
        writeln!(table, "  {{ {index}, main_{index}, save_{index}, restore_{index}, {fork_each} }},")
            .expect("writing to a string");
    }
    writeln!(
        text,
        "static const struct program PROGRAMS[] = {{\n{table}}};\n\
         int main(void) {{ return run_all(PROGRAMS, {}); }}",
        programs.len()
    )
    .expect("writing to a string");
    text
}
