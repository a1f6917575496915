//! How well faults are localized: the rank of the known faulty line in the merged list and by each method, on the variants of TCAS and on small
//! programs whose faulty lines are known (`xtask/faults.csv`).

use crate::{release, root};
use anyhow::{Context, Result};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use testkit::process::run_within;
use testkit::project::{bench_data, files_below};

const LIMIT: Duration = Duration::from_secs(60);
const METHODS: [&str; 5] = ["whodunit", "iterative", "errinv", "flow", "maxsat"];

struct Case {
    name: String,
    file: PathBuf,
    faulty: Vec<u64>,
    options: Vec<&'static str>,
}

#[derive(Default)]
struct Totals {
    cases: usize,
    found: usize,
    top: [usize; 3],
    before: usize,
    slowest: f64,
}

pub fn localize() -> Result<()> {
    let data = bench_data().context("there is no benchmark data beside the project")?;
    let tool = release()?;
    table("TCAS", &tool, &tcas(&data)?)?;
    table("small programs", &tool, &small(&data)?)
}

fn numbers(text: &str) -> Vec<u64> {
    text.split_whitespace().filter_map(|word| word.parse().ok()).collect()
}

fn tcas(data: &Path) -> Result<Vec<Case>> {
    let faults = std::fs::read_to_string(data.join("tcas/faults.csv"))?;
    let case = |row: &str| {
        let fields: Vec<&str> = row.split(',').collect();
        let (name, lines) = (*fields.first()?, *fields.get(2)?);
        let mut options = vec!["--trust", "AllRepair_correct_*"];
        // Its fault is an index out of bounds.
        if name == "v33" {
            options.extend(["-p", "valid-deref"]);
        }
        let file = data.join(format!("tcas/harness/tcas_{name}.c"));
        Some(Case { name: name.to_string(), file, faulty: numbers(lines), options })
    };
    Ok(faults.lines().skip(1).filter_map(case).collect())
}

fn small(data: &Path) -> Result<Vec<Case>> {
    let faults = std::fs::read_to_string(root().join("xtask/faults.csv"))?;
    let files = files_below(&data.join("fault-localization"), &["c"]);
    let case = |row: &str| {
        let (name, lines) = row.split_once(',')?;
        let file = files.iter().find(|file| file.file_name().is_some_and(|found| found == name))?;
        Some(Case {
            name: name.to_string(),
            file: file.clone(),
            faulty: numbers(lines),
            options: vec!["-p", "unreach-label", "-p", "unreach-call", "-p", "assertion"],
        })
    };
    Ok(faults.lines().skip(1).filter_map(case).collect())
}

fn table(title: &str, tool: &Path, cases: &[Case]) -> Result<()> {
    println!("\n{title}: rank of the faulty line (of so many), by method whether it is named, time");
    print!("{:30} {:>9}", "", "merged");
    METHODS.iter().for_each(|method| print!(" {method:>9}"));
    println!(" {:>7} {:>8}", "repairs", "ms");
    let mut totals = Totals::default();
    for case in cases {
        let start = Instant::now();
        let mut command = Command::new(tool);
        command.args(["localize", "--json", "--timeout", "20"]).args(&case.options).arg(&case.file);
        let run = run_within(&mut command, LIMIT)?;
        let ms = start.elapsed().as_secs_f64() * 1e3;
        let report: Value = run.and_then(|run| serde_json::from_slice(&run.stdout).ok()).unwrap_or(Value::Null);
        row(case, &report, ms, &mut totals);
    }
    let Totals { cases, found, top: [one, three, five], before, slowest } = totals;
    let mean = before as f64 / found.max(1) as f64;
    println!(
        "{cases} failing: found {found}, top-1 {one}, top-3 {three}, top-5 {five}, {mean:.1} lines before it on average, {slowest:.0} ms at most"
    );
    Ok(())
}

fn row(case: &Case, report: &Value, ms: f64, totals: &mut Totals) {
    print!("{:30}", case.name);
    if report["verdict"] != "false" {
        println!(" {}", report["reason"].as_str().unwrap_or("no answer"));
        return;
    }
    let faulty = |line: &Value| line.as_u64().is_some_and(|line| case.faulty.contains(&line));
    let suspects = report["suspects"].as_array().cloned().unwrap_or_default();
    let rank = suspects.iter().position(|suspect| faulty(&suspect["line"])).map(|index| index + 1);
    totals.cases += 1;
    totals.slowest = totals.slowest.max(ms);
    if let Some(rank) = rank {
        totals.found += 1;
        totals.before += rank - 1;
        for (count, limit) in totals.top.iter_mut().zip([1, 3, 5]) {
            *count += usize::from(rank <= limit);
        }
    }
    let rank = rank.map_or("-".to_string(), |rank| rank.to_string());
    print!(" {:>9}", format!("{rank}/{}", suspects.len()));
    for method in METHODS {
        let found = &report["methods"][method];
        let (names, count) = match method {
            "whodunit" | "iterative" => {
                let scores = found.as_array().cloned().unwrap_or_default();
                (scores.iter().any(|score| faulty(&score["line"])), scores.len())
            }
            "maxsat" => {
                let all: Vec<Value> = found
                    .as_array()
                    .into_iter()
                    .flatten()
                    .flat_map(|one| one["lines"].as_array().cloned().unwrap_or_default())
                    .collect();
                (all.iter().any(faulty), all.len())
            }
            _ => {
                let lines = found["relevant"].as_array().cloned().unwrap_or_default();
                (lines.iter().any(faulty), lines.len())
            }
        };
        print!(" {:>9}", format!("{}/{count}", if names { "yes" } else { "no" }));
    }
    println!(" {:>7} {ms:8.0}", report["repairs"].as_array().map_or(0, Vec::len));
}
