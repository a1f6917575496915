//! Runs `whydunit verify` on a list of verification tasks and counts what is decided, beside published results of other tools. Measures time
//! and memory: all tasks must stay below 2 GB, and `--timeout` must be kept within 10 % and a tenth of a second.
//!
//! The list is a CSV with the columns task, input_file, property, expected, data_model (others are ignored); a peer's results are a CSV
//! with task, verdict, seconds. By default both are looked for in the benchmark data beside the project.

use crate::{option, release, root};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use testkit::process::run_within;

struct Row {
    task: String,
    file: PathBuf,
    expected: String,
    model: String,
}

struct TaskResult {
    verdict: String,
    seconds: f64,
    megabytes: f64,
}

/// How the tasks are run.
struct Settings {
    tool: PathBuf,
    property: String,
    timeout: f64,
    jobs: usize,
}

impl Settings {
    /// When a task must have ended.
    fn latest(&self) -> f64 {
        self.timeout * 1.1 + 0.1
    }
}

pub fn tasks(args: &[String]) -> Result<()> {
    let data = testkit::project::bench_data().context("there is no benchmark data beside the project")?;
    let property = option(args, "--property").unwrap_or("unreach-call");
    let filter = option(args, "--filter").unwrap_or("");
    let settings = Settings {
        property: property.to_string(),
        timeout: option(args, "--timeout").unwrap_or("5").parse().context("--timeout needs a number")?,
        jobs: option(args, "--jobs").unwrap_or("2").parse().context("--jobs needs a number")?,
        tool: release()?,
    };
    let list = std::fs::read_to_string(data.join("sv-benchmarks/tasks.csv"))?;
    let folder = data.join("sv-benchmarks/c");
    let rows: Vec<Row> = records(&list)
        .filter(|row| row["property"] == property && row["task"].contains(filter))
        .map(|row| Row {
            file: folder.join(Path::new(&row["task"]).with_file_name(&row["input_file"])),
            task: row["task"].clone(),
            expected: row["expected"].clone(),
            model: row["data_model"].to_lowercase(),
        })
        .collect();
    let results = run_all(&rows, &settings)?;
    report(&rows, &results);
    resources(&rows, &results, &settings);
    for peer in ["cbmc", "esbmc"] {
        let path = data.join(format!("peer-{peer}.csv"));
        if property == "unreach-call" && path.exists() {
            compare(peer, &std::fs::read_to_string(path)?, &rows, &results);
        }
    }
    let text: String = rows
        .iter()
        .zip(&results)
        .map(|(row, result)| {
            let TaskResult { verdict, seconds, megabytes } = result;
            format!("{},{},{verdict},{seconds:.3},{megabytes:.0}\n", row.task, row.expected)
        })
        .collect();
    std::fs::write(root().join(format!("target/tasks-{property}.csv")), text)?;
    let wrong = rows.iter().zip(&results).filter(|(row, result)| is_wrong(row, result)).count();
    if wrong > 0 {
        bail!("{wrong} wrong verdicts");
    }
    Ok(())
}

/// The records of a simple CSV (no quoted commas) by column name.
pub fn records(text: &str) -> impl Iterator<Item = BTreeMap<String, String>> + '_ {
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap_or("").split(',').collect();
    lines.map(move |line| {
        names.iter().zip(line.split(',')).map(|(name, value)| (name.to_string(), value.to_string())).collect()
    })
}

fn run_all(rows: &[Row], settings: &Settings) -> Result<Vec<TaskResult>> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<Option<TaskResult>>> = Mutex::new(rows.iter().map(|_| None).collect());
    std::thread::scope(|scope| {
        for _ in 0..settings.jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(row) = rows.get(index) else { return };
                    let result = run_one(row, settings);
                    results.lock().expect("no worker panics")[index] = Some(result);
                }
            });
        }
    });
    results
        .into_inner()
        .expect("no worker panics")
        .into_iter()
        .map(|result| result.context("every task was run"))
        .collect()
}

fn run_one(row: &Row, settings: &Settings) -> TaskResult {
    let timeout = settings.timeout.to_string();
    let mut command = Command::new(&settings.tool);
    command.args(["verify", "-p", &settings.property, "--data-model", &row.model, "--show-steps", "2"]);
    // The tasks are those of the competition.
    command.args(["--undefined-functions", "pure", "--timeout", &timeout]).arg(&row.file);
    let limit = Duration::from_secs_f64(settings.timeout * 1.5 + 2.0);
    let Some(finished) = run_within(&mut command, limit).ok().flatten() else {
        return TaskResult { verdict: "hangs".into(), seconds: limit.as_secs_f64(), megabytes: f64::NAN };
    };
    let text = String::from_utf8_lossy(&finished.stdout);
    let verdict = text.lines().next().and_then(|line| line.strip_prefix("verdict: ")).unwrap_or("crash");
    TaskResult {
        verdict: verdict.to_string(),
        seconds: finished.time.as_secs_f64(),
        megabytes: finished.peak_kilobytes as f64 / 1024.0,
    }
}

/// The largest and the latest task, and whether promises are kept.
fn resources(rows: &[Row], results: &[TaskResult], settings: &Settings) {
    let worst = |what: &dyn Fn(&TaskResult) -> f64| {
        rows.iter().zip(results).map(|(row, result)| (what(result), row)).max_by(|a, b| a.0.total_cmp(&b.0))
    };
    let count = |is: &dyn Fn(&TaskResult) -> bool| results.iter().filter(|result| is(result)).count();
    if let Some((seconds, row)) = worst(&|result| result.seconds) {
        let late = count(&|result| result.seconds > settings.latest());
        let over = (seconds - settings.timeout).max(0.0);
        println!("slowest: {seconds:.2} s, {over:.2} s past the timeout ({}); later than allowed: {late}", row.task);
    }
    if let Some((megabytes, row)) = worst(&|result| result.megabytes) {
        let large = count(&|result| result.megabytes > 2048.0);
        println!("largest: {megabytes:.0} MB ({}); over 2 GB: {large}", row.task);
    }
}

fn decided(result: &TaskResult) -> Option<&'static str> {
    match result.verdict.as_str() {
        "true" => Some("true"),
        verdict if verdict.starts_with("false") => Some("false"),
        _ => None,
    }
}

fn is_wrong(row: &Row, result: &TaskResult) -> bool {
    decided(result).is_some_and(|verdict| verdict != row.expected)
}

fn report(rows: &[Row], results: &[TaskResult]) {
    let count = |expected: &str| {
        let of = rows.iter().filter(|row| row.expected == expected).count();
        let right = rows
            .iter()
            .zip(results)
            .filter(|(row, result)| row.expected == expected && decided(result) == Some(expected));
        (right.count(), of)
    };
    let ((right_true, all_true), (right_false, all_false)) = (count("true"), count("false"));
    println!("{} tasks: {right_true} of {all_true} true, {right_false} of {all_false} false", rows.len());
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for result in results.iter().filter(|result| decided(result).is_none()) {
        *reasons.entry(&result.verdict).or_default() += 1;
    }
    println!("undecided: {reasons:?}");
    for (row, result) in rows.iter().zip(results).filter(|(row, result)| is_wrong(row, result)) {
        println!("WRONG: {} is {}, we say {}", row.task, row.expected, result.verdict);
    }
}

/// Tasks that both decide, and the geometric mean of the ratio of times. The peer's are of another machine.
fn compare(peer: &str, text: &str, rows: &[Row], results: &[TaskResult]) {
    let theirs: BTreeMap<String, (bool, f64)> = records(text)
        .map(|row| {
            let known = matches!(row["verdict"].to_lowercase().as_str(), "true" | "false");
            (row["task"].clone(), (known, row["seconds"].parse().unwrap_or(0.0)))
        })
        .collect();
    let (mut both, mut only_we, mut only_they, mut logarithms) = (0, 0, 0, 0.0f64);
    for (row, result) in rows.iter().zip(results) {
        let Some((known, seconds)) = theirs.get(&row.task) else { continue };
        match (decided(result).is_some(), *known) {
            (true, true) => {
                both += 1;
                logarithms += (result.seconds.max(0.001) / seconds.max(0.001)).ln();
            }
            (true, false) => only_we += 1,
            (false, true) => only_they += 1,
            (false, false) => {}
        }
    }
    let ratio = (logarithms / f64::from(both.max(1))).exp();
    println!(
        "{peer}: both decide {both}, only we {only_we}, only they {only_they}; our time is {ratio:.3} of theirs (geometric mean)"
    );
}
