//! How well faults are localized: the rank of the faulty line in the merged list, beside Ochiai and DStar on the same tests, and whether repairs are
//! right.
//!
//! * [`cases`] variants of TCAS (with a reference, 5 failing and 20 passing tests, or one failing test), mutants of the programs in `tests/faults`, whole
//!   programs with seeded faults; [`mutations`] how mutants are made
//! * [`native`] compiled programs: what tests expect, and random inputs for repaired programs

mod cases;
mod mutations;
mod native;

use crate::{option, release};
use anyhow::{Result, bail};
use cases::Case;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use testkit::process::run_within;

/// Answers do not depend on how fast the machine is: this only ends what hangs.
const LIMIT: Duration = Duration::from_secs(180);
const SPECTRA: [&str; 2] = ["ochiai", "dstar"];

/// How often the fault is among the first 1, 3 and 5, and listed at all.
#[derive(Default)]
struct Totals {
    cases: usize,
    found: usize,
    top: [usize; 3],
    times: Vec<f64>,
    spectra: [[usize; 3]; 2],
    /// Cases with a repair, with the first at the faulty line, and with the first one right on random inputs.
    repaired: usize,
    first_at_fault: usize,
    first_right: usize,
    hints: Hints,
}

/// Repairs of all cases.
#[derive(Default)]
struct Hints {
    all: usize,
    /// `patch -p1` takes them, and the result compiles.
    apply: usize,
    /// Random inputs refute them: of those that are said to hold for all inputs, and of those that tests alone speak for.
    proven_refuted: usize,
    unproven_refuted: usize,
}

pub fn localize_tests(args: &[String]) -> Result<()> {
    let tool = match option(args, "--tool") {
        Some(path) => PathBuf::from(path).canonicalize()?,
        None => release()?,
    };
    let work = tempfile::tempdir()?;
    let further: Vec<String> = args.iter().filter(|arg| *arg == "--no-repair").cloned().collect();
    let every: usize = option(args, "--every").map_or(Ok(1), str::parse)?;
    let set = option(args, "--set").unwrap_or("tcas");
    let cases = match set {
        "tcas" => cases::tcas(work.path(), 5, 20)?,
        "tcas-one" => cases::tcas(work.path(), 1, 0)?,
        "reference" => cases::reference(work.path())?,
        "mutants-even" => cases::mutants(work.path(), 0)?,
        "mutants-odd" => cases::mutants(work.path(), 1)?,
        "whole" => cases::whole(work.path())?,
        other => bail!("unknown set `{other}` (tcas, tcas-one, reference, mutants-even, mutants-odd, whole)"),
    };
    let cases: Vec<Case> = cases.into_iter().step_by(every.max(1)).collect();
    table(set, &tool, &cases, work.path(), &further)
}

fn table(title: &str, tool: &Path, cases: &[Case], work: &Path, further: &[String]) -> Result<()> {
    println!("{title}: rank of the faulty line (of so many), by Ochiai and DStar, milliseconds, first repair");
    let mut totals = Totals::default();
    for case in cases {
        // A path that a diff can name.
        let name = case.file.file_name().map_or("program.c".into(), |name| name.to_string_lossy().into_owned());
        let folder = work.join("case");
        std::fs::create_dir_all(&folder)?;
        std::fs::copy(&case.file, folder.join(&name))?;
        let mut command = Command::new(tool);
        command.current_dir(&folder).args(["localize", "--json"]);
        if !case.tests.is_empty() {
            let test = |(given, stdout): &(native::Given, String)| json!({ "args": given.args, "stdin": given.stdin, "stdout": stdout });
            let tests: Vec<Value> = case.tests.iter().map(test).collect();
            std::fs::write(folder.join("tests.json"), serde_json::to_vec(&tests)?)?;
            command.args(["--tests", "tests.json"]);
        }
        command.args(&case.options).arg(&name).args(further);
        let start = Instant::now();
        let run = run_within(&mut command, LIMIT)?;
        let ms = start.elapsed().as_secs_f64() * 1e3;
        let report: Value = run.and_then(|run| serde_json::from_slice(&run.stdout).ok()).unwrap_or(Value::Null);
        let right = judge(case, &report, &folder, &name, &mut totals.hints)?;
        row(case, &report, ms, right, &mut totals);
    }
    let Totals { cases, found, top, mut times, spectra, repaired, first_at_fault, first_right, hints } = totals;
    times.sort_by(f64::total_cmp);
    let median = times.get(times.len() / 2).copied().unwrap_or(0.0);
    let slowest = times.last().copied().unwrap_or(0.0);
    println!(
        "{cases} cases: found {found}, top-1/3/5 {top:?}, ochiai {:?}, dstar {:?}, median {median:.0} ms, at most {slowest:.0} ms",
        spectra[0], spectra[1]
    );
    let Hints { all, apply, proven_refuted, unproven_refuted } = hints;
    println!(
        "repairs in {repaired} cases, the first at the faulty line in {first_at_fault} and right on random inputs in {first_right}; \
         of {all} hints {apply} apply, random inputs refute {proven_refuted} said to be proven and {unproven_refuted} not proven"
    );
    Ok(())
}

/// Applies the repairs as a user would, and runs the results on random inputs; whether the first one is right.
fn judge(case: &Case, report: &Value, folder: &Path, name: &str, hints: &mut Hints) -> Result<bool> {
    let mut first_right = false;
    for (index, repair) in report["repairs"].as_array().into_iter().flatten().enumerate() {
        hints.all += 1;
        let patched = folder.join("patched");
        std::fs::create_dir_all(&patched)?;
        std::fs::copy(folder.join(name), patched.join(name))?;
        std::fs::write(folder.join("hint.diff"), repair["diff"].as_str().unwrap_or(""))?;
        let mut patch = Command::new("patch");
        patch.args(["-p1", "-s", "-f", "-r", "-", "-F0", "-d"]).arg(&patched).arg("-i").arg(folder.join("hint.diff"));
        if !patch.output()?.status.success() {
            println!("does not apply: {}", repair["diff"]);
            continue;
        }
        // A program with a reference has functions without a body.
        if case.tests.is_empty() {
            hints.apply += 1;
            continue;
        }
        let binary = patched.join("binary");
        if !native::compile(&patched.join(name), &binary)? {
            println!("does not compile: {}", repair["diff"]);
            continue;
        }
        hints.apply += 1;
        let different = case.original.differs(&binary)?;
        let proven = ["tests", "runs", "part"].iter().all(|known| repair[*known].is_null());
        if let Some(given) = &different {
            *(if proven { &mut hints.proven_refuted } else { &mut hints.unproven_refuted }) += 1;
            if proven {
                println!("refuted on {given:?}: {}", repair["diff"]);
            }
        }
        first_right |= index == 0 && different.is_none();
    }
    Ok(first_right)
}

fn row(case: &Case, report: &Value, ms: f64, right: bool, totals: &mut Totals) {
    let faulty = |line: &Value| line.as_u64().is_some_and(|line| case.faulty.contains(&line));
    let suspects = report["suspects"].as_array().cloned().unwrap_or_default();
    let rank = suspects.iter().position(|suspect| faulty(&suspect["line"])).map(|index| index + 1);
    totals.cases += 1;
    totals.times.push(ms);
    totals.found += usize::from(rank.is_some());
    let count = |top: &mut [usize; 3], rank: f64| {
        top.iter_mut().zip([1.0, 3.0, 5.0]).for_each(|(count, limit)| *count += usize::from(rank <= limit));
    };
    count(&mut totals.top, rank.map_or(f64::INFINITY, |rank| rank as f64));
    let mut by_spectrum = Vec::new();
    for (name, top) in SPECTRA.iter().zip(&mut totals.spectra) {
        let scores = report["methods"][name].as_array().cloned().unwrap_or_default();
        let score = |one: &Value| one["score"].as_f64().unwrap_or(0.0);
        let best = scores.iter().filter(|one| faulty(&one["line"])).map(score).fold(f64::NEG_INFINITY, f64::max);
        let higher = scores.iter().filter(|one| score(one) > best + 1e-9).count() as f64;
        // Lines with the same score are read in any order: the middle counts.
        let same = scores.iter().filter(|one| (score(one) - best).abs() <= 1e-9).count() as f64;
        let rank = if best.is_finite() { higher + (same + 1.0) / 2.0 } else { f64::INFINITY };
        count(top, rank);
        by_spectrum.push(rank);
    }
    let repairs = report["repairs"].as_array().cloned().unwrap_or_default();
    let first = repairs
        .first()
        .map_or(String::new(), |repair| format!("{}: {}", repair["line"], repair["edit"].as_str().unwrap_or("")));
    totals.repaired += usize::from(!repairs.is_empty());
    totals.first_at_fault += usize::from(repairs.first().is_some_and(|repair| faulty(&repair["line"])));
    totals.first_right += usize::from(right);
    let first = if right { format!("{first} (right)") } else { first };
    let rank = rank.map_or("-".to_string(), |rank| rank.to_string());
    let reason = report["reason"].as_str().unwrap_or("");
    println!(
        "{:28} {:>7} {:>6.1} {:>6.1} {ms:7.0}  {first}{reason}",
        case.name,
        format!("{rank}/{}", suspects.len()),
        by_spectrum[0],
        by_spectrum[1]
    );
}
