//! Verifies the benchmark tasks and counts what is decided, beside published results of other tools. Measures time
//! and memory: all tasks must stay below 2 GB, and `--timeout` must be kept within 10 % and a tenth of a second.
//!
//! A peer's results are a CSV with task, verdict, seconds, in the benchmark data beside the project.

use crate::{batches, option, release};
use anyhow::{Context, Result, bail};
use batch::Row;
use batch::outcome::Status;
use batch::summary::Summary;
use std::collections::BTreeMap;
use std::path::Path;

pub fn tasks(args: &[String]) -> Result<()> {
    let data = testkit::project::bench_data().context("there is no benchmark data beside the project")?;
    let property = option(args, "--property").unwrap_or("unreach-call");
    let filter = option(args, "--filter").unwrap_or("");
    let text = option(args, "--timeout").unwrap_or("5");
    let timeout: f64 = text.parse().context("--timeout needs a number")?;
    let jobs: usize = option(args, "--jobs").unwrap_or("2").parse().context("--jobs needs a number")?;
    let tool = release()?;
    let tasks = batches::benchmark(
        &tool,
        &[property],
        filter,
        &["--show-steps", "2", "--suspects", "never", "--timeout", text],
    )?;
    let (rows, folder) = batches::run(&format!("tasks-{property}"), &tool, &tasks, jobs, timeout * 1.5 + 2.0)?;
    report(&rows);
    resources(&rows, timeout);
    for peer in ["cbmc", "esbmc"] {
        let path = data.join(format!("peer-{peer}.csv"));
        if property == "unreach-call" && path.exists() {
            compare(peer, &path, &rows)?;
        }
    }
    println!("results: {}", folder.join(batch::results::RESULTS).display());
    let wrong = rows.iter().filter(|row| row.status == Status::Wrong).count();
    if wrong > 0 {
        bail!("{wrong} wrong verdicts");
    }
    Ok(())
}

/// The largest and the latest task, and whether promises are kept.
fn resources(rows: &[Row], timeout: f64) {
    let latest = timeout * 1.1 + 0.1;
    if let Some(row) = rows.iter().max_by(|one, other| one.wall_s.total_cmp(&other.wall_s)) {
        let late = rows.iter().filter(|row| row.wall_s > latest).count();
        let over = (row.wall_s - timeout).max(0.0);
        println!(
            "slowest: {:.2} s, {over:.2} s past the timeout ({}); later than allowed: {late}",
            row.wall_s, row.task
        );
    }
    if let Some(row) = rows.iter().max_by(|one, other| one.memory_mb.total_cmp(&other.memory_mb)) {
        let large = rows.iter().filter(|row| row.memory_mb > 2048.0).count();
        println!("largest: {:.0} MB ({}); over 2 GB: {large}", row.memory_mb, row.task);
    }
}

fn report(rows: &[Row]) {
    println!("{}", Summary::of(rows.iter().cloned()).table());
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.answer().is_none()) {
        *reasons.entry(&row.verdict).or_default() += 1;
    }
    println!("undecided: {reasons:?}");
    for row in rows.iter().filter(|row| row.status == Status::Wrong) {
        println!("WRONG: {} is {}, we say {}", row.task, row.expected.as_deref().unwrap_or("?"), row.verdict);
    }
}

/// Tasks that both decide, and the geometric mean of the ratio of times. The peer's are of another machine.
fn compare(peer: &str, path: &Path, rows: &[Row]) -> Result<()> {
    let theirs: BTreeMap<String, (bool, f64)> = batch::sources::records(path)?
        .into_iter()
        .map(|row| {
            let known = matches!(row["verdict"].to_lowercase().as_str(), "true" | "false");
            (row["task"].clone(), (known, row["seconds"].parse().unwrap_or(0.0)))
        })
        .collect();
    let (mut both, mut only_we, mut only_they, mut logarithms) = (0, 0, 0, 0.0f64);
    for row in rows {
        let Some((known, seconds)) = theirs.get(&row.task) else { continue };
        match (row.answer().is_some(), *known) {
            (true, true) => {
                both += 1;
                logarithms += (row.wall_s.max(0.001) / seconds.max(0.001)).ln();
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
    Ok(())
}
