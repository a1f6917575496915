//! How well faults are localized from tests: the rank of the faulty line in the merged list, beside Ochiai and DStar on the same tests, on the
//! variants of TCAS (5 failing and 20 passing tests, or one failing test) and on mutants of the programs in `tests/faults`. What a test
//! expects is what the program without the fault prints when it is compiled and run.

use crate::{option, release, root};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use testkit::process::{output_within, run_within};
use testkit::project::{bench_data, files_below};

const LIMIT: Duration = Duration::from_secs(60);
const NATIVE_LIMIT: Duration = Duration::from_secs(2);
const SPECTRA: [&str; 2] = ["ochiai", "dstar"];
/// Mutants of one program that are measured.
const MUTANTS: usize = 8;

/// A faulty program with tests.
struct Case {
    name: String,
    file: PathBuf,
    faulty: Vec<u64>,
    tests: Vec<Value>,
}

/// How often the fault is among the first 1, 3 and 5, and listed at all.
#[derive(Default)]
struct Totals {
    cases: usize,
    found: usize,
    top: [usize; 3],
    times: Vec<f64>,
    spectra: [[usize; 3]; 2],
    repaired: usize,
    first_repair_right: usize,
}

pub fn localize_tests(args: &[String]) -> Result<()> {
    let tool = match option(args, "--tool") {
        Some(path) => PathBuf::from(path),
        None => release()?,
    };
    let work = tempfile::tempdir()?;
    let further: Vec<String> = args.iter().filter(|arg| *arg == "--no-repair").cloned().collect();
    match option(args, "--set").unwrap_or("tcas") {
        "tcas" => {
            table("TCAS, 5 failing and 20 passing tests", &tool, &tcas(work.path(), 5, 20)?, work.path(), &further)
        }
        "tcas-one" => table("TCAS, one failing test", &tool, &tcas(work.path(), 1, 0)?, work.path(), &further),
        "mutants-even" => table("mutants, even half", &tool, &mutants(work.path(), 0)?, work.path(), &further),
        "mutants-odd" => table("mutants, odd half", &tool, &mutants(work.path(), 1)?, work.path(), &further),
        other => bail!("unknown set `{other}` (tcas, tcas-one, mutants-even, mutants-odd)"),
    }
}

fn compile(source: &Path, to: &Path) -> Result<bool> {
    let status = Command::new("gcc").args(["-w", "-std=gnu17", "-o"]).arg(to).arg(source).arg("-lm").status()?;
    Ok(status.success())
}

fn tcas(work: &Path, failing: usize, passing: usize) -> Result<Vec<Case>> {
    let data = bench_data().context("there is no benchmark data beside the project")?.join("tcas");
    let original = work.join("original");
    if !compile(&data.join("original.c"), &original)? {
        bail!("original.c does not compile");
    }
    let words = |line: &str| -> Vec<String> { line.split_whitespace().map(String::from).collect() };
    let universe = std::fs::read_to_string(data.join("universe.txt"))?;
    let universe: Vec<Vec<String>> = universe.lines().map(words).filter(|words| words.len() == 12).collect();
    let faults = std::fs::read_to_string(data.join("faults.csv"))?;
    let mut cases = Vec::new();
    for row in faults.lines().skip(1) {
        let fields: Vec<&str> = row.split(',').collect();
        let name = fields[0].to_string();
        let faulty: Vec<u64> = fields[1].split_whitespace().filter_map(|line| line.parse().ok()).collect();
        let file = data.join(format!("versions/{name}.c"));
        let listed = std::fs::read_to_string(data.join(format!("failing/{name}.txt")))?;
        let fails: Vec<Vec<String>> = listed
            .lines()
            .filter(|line| !line.starts_with('#'))
            .filter_map(|line| Some(words(line.split(" : ").nth(1)?)))
            .collect();
        let known: BTreeSet<&Vec<String>> = fails.iter().collect();
        let passes: Vec<&Vec<String>> = universe.iter().filter(|test| !known.contains(test)).collect();
        // Spread over the whole list, always the same ones.
        let chosen = spread(&fails.iter().collect::<Vec<_>>(), failing).into_iter().chain(spread(&passes, passing));
        let test = |words: &Vec<String>| -> Result<Value> {
            let printed = output_within(Command::new(&original).args(words), NATIVE_LIMIT)?.unwrap_or_default();
            Ok(json!({ "args": words, "stdout": String::from_utf8_lossy(&printed) }))
        };
        let tests = chosen.map(test).collect::<Result<_>>()?;
        cases.push(Case { faulty: with_uses(&file, faulty)?, name, file, tests });
    }
    Ok(cases)
}

fn spread<'a, T>(all: &[&'a T], count: usize) -> Vec<&'a T> {
    let step = (all.len() / count.max(1)).max(1);
    all.iter().step_by(step).take(count).copied().collect()
}

/// The faulty lines, and of macros those that use them.
fn with_uses(file: &Path, mut faulty: Vec<u64>) -> Result<Vec<u64>> {
    let text = String::from_utf8_lossy(&std::fs::read(file)?).into_owned();
    let lines: Vec<&str> = text.lines().collect();
    for line in faulty.clone() {
        let words: Vec<&str> =
            lines.get(line as usize - 1).map_or(Vec::new(), |line| line.split_whitespace().collect());
        let Some(name) = words.iter().position(|word| *word == "#define").and_then(|at| words.get(at + 1)) else {
            continue;
        };
        let uses = |text: &str| {
            text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').any(|word| word == *name)
        };
        faulty.extend(lines.iter().enumerate().filter(|(_, text)| uses(text)).map(|(at, _)| at as u64 + 1));
    }
    Ok(faulty)
}

/// Mutants of the programs in `tests/faults`; every second program belongs to one half.
fn mutants(work: &Path, half: usize) -> Result<Vec<Case>> {
    let programs = files_below(&root().join("tests/faults"), &["c"]);
    let mut cases = Vec::new();
    for program in programs.iter().skip(half).step_by(2) {
        let text = std::fs::read_to_string(program)?;
        let stem = program.file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned());
        let binary = work.join(&stem);
        if !compile(program, &binary)? {
            bail!("{} does not compile", program.display());
        }
        let inputs: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("//~ test: ")).collect();
        let mut tests = Vec::new();
        for stdin in inputs {
            let stdin = stdin.replace("\\n", "\n");
            let printed = native(&binary, &stdin)?.with_context(|| format!("{stem} does not end on {stdin:?}"))?;
            tests.push((stdin, printed));
        }
        let mut kept = 0;
        let all = mutations(&text);
        let step = (all.len() / (3 * MUTANTS)).max(1);
        for (number, (line, mutated)) in all.into_iter().enumerate().step_by(step) {
            let (file, mutant) = (work.join(format!("{stem}_{number}.c")), work.join(format!("{stem}_{number}")));
            std::fs::write(&file, mutated)?;
            if kept == MUTANTS || !compile(&file, &mutant)? {
                continue;
            }
            let mut failing = 0;
            for (stdin, expected) in &tests {
                failing += usize::from(native(&mutant, stdin)?.as_ref() != Some(expected));
            }
            if failing == 0 {
                continue;
            }
            kept += 1;
            let tests = tests.iter().map(|(stdin, stdout)| json!({ "stdin": stdin, "stdout": stdout })).collect();
            cases.push(Case { name: format!("{stem}:{line}#{number}"), file, faulty: vec![line], tests });
        }
    }
    Ok(cases)
}

/// What a compiled program prints and how it ends.
fn native(binary: &Path, stdin: &str) -> Result<Option<String>> {
    let text = tempfile::NamedTempFile::new()?;
    std::fs::write(text.path(), stdin)?;
    let mut command = Command::new("sh");
    command.args(["-c", "exec timeout 1 \"$0\" < \"$1\" | head -c 100000"]).arg(binary).arg(text.path());
    let run = run_within(&mut command, NATIVE_LIMIT)?;
    Ok(run.map(|run| String::from_utf8_lossy(&run.stdout).into_owned()))
}

/// Texts with one operator or constant changed, and the line that was. Comments and directives stay.
fn mutations(text: &str) -> Vec<(u64, String)> {
    const OPERATORS: [(&str, &[&str]); 14] = [
        (" <= ", &[" < ", " > "]),
        (" >= ", &[" > ", " < "]),
        (" < ", &[" <= ", " > "]),
        (" > ", &[" >= ", " < "]),
        (" == ", &[" != "]),
        (" != ", &[" == "]),
        (" && ", &[" || "]),
        (" || ", &[" && "]),
        (" + ", &[" - "]),
        (" - ", &[" + "]),
        (" * ", &[" + "]),
        (" += ", &[" -= ", " = "]),
        ("++", &["--"]),
        (" = 0;", &[" = 1;"]),
    ];
    let mut found = Vec::new();
    let mut before = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let code = line.split("//").next().unwrap_or("");
        let mut put = |at: usize, old: &str, new: &str| {
            let from = before + at;
            let mutated = format!("{}{new}{}", &text[..from], &text[from + old.len()..]);
            found.push((number as u64 + 1, mutated));
        };
        if !line.trim_start().starts_with('#') {
            for (old, others) in OPERATORS {
                for (at, _) in code.match_indices(old) {
                    others.iter().for_each(|new| put(at, old, new));
                }
            }
            // Constants, but not in texts.
            if !code.contains('"') && !code.contains('\'') {
                for digit in ["1", "2", "3", "9"] {
                    for (at, _) in code.match_indices(digit) {
                        let beside = |at: usize| {
                            code.as_bytes()
                                .get(at)
                                .is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte == b'.')
                        };
                        if !(beside(at + 1) || at > 0 && beside(at - 1)) {
                            let value: u32 = digit.parse().unwrap_or(0);
                            put(at, digit, &(value + 1).to_string());
                            put(at, digit, &(value - 1).to_string());
                        }
                    }
                }
            }
        }
        before += line.len();
    }
    found
}

fn table(title: &str, tool: &Path, cases: &[Case], work: &Path, further: &[String]) -> Result<()> {
    println!("{title}: rank of the faulty line (of so many), by Ochiai and DStar, milliseconds, first repair");
    let mut totals = Totals::default();
    for case in cases {
        let tests = work.join("tests.json");
        std::fs::write(&tests, serde_json::to_vec(&case.tests)?)?;
        let start = Instant::now();
        let mut command = Command::new(tool);
        command.args(["localize", "--json", "--timeout", "30", "--tests"]).arg(&tests).arg(&case.file).args(further);
        let run = run_within(&mut command, LIMIT)?;
        let ms = start.elapsed().as_secs_f64() * 1e3;
        let report: Value = run.and_then(|run| serde_json::from_slice(&run.stdout).ok()).unwrap_or(Value::Null);
        row(case, &report, ms, &mut totals);
    }
    let Totals { cases, found, top, mut times, spectra, repaired, first_repair_right } = totals;
    times.sort_by(f64::total_cmp);
    let median = times.get(times.len() / 2).copied().unwrap_or(0.0);
    let slowest = times.last().copied().unwrap_or(0.0);
    println!(
        "{cases} cases: found {found}, top-1/3/5 {top:?}, ochiai {:?}, dstar {:?}, median {median:.0} ms, at most {slowest:.0} ms, repairs in {repaired}, first at the faulty line in {first_repair_right}",
        spectra[0], spectra[1]
    );
    Ok(())
}

fn row(case: &Case, report: &Value, ms: f64, totals: &mut Totals) {
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
    totals.first_repair_right += usize::from(repairs.first().is_some_and(|repair| faulty(&repair["line"])));
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
