//! Does the evidence travel? Each violated task of the benchmarks is verified, its witnesses are linted and validated in every way there is, and
//! what is not confirmed is listed with the reason. Writes `target/witnesses.csv`.

use crate::{batches, option, release, root};
use anyhow::{Context, Result};
use batch::Task;
use std::collections::BTreeMap;

const FORMATS: [&str; 2] = ["yml", "graphml"];

/// Results of one way, in one format.
#[derive(Default)]
struct Count {
    confirmed: usize,
    all: usize,
    /// Logarithms of the time for validation over that for verification.
    ratios: Vec<f64>,
}

pub fn witnesses(args: &[String]) -> Result<()> {
    let filter = option(args, "--filter").unwrap_or("");
    let timeout = option(args, "--timeout").unwrap_or("8");
    let seconds: f64 = timeout.parse().context("--timeout needs a number")?;
    let limit = seconds * 1.5 + 60.0;
    let tool = release()?;
    let options = [
        "--show-steps",
        "2",
        "--suspects",
        "never",
        "--timeout",
        timeout,
        "--witness",
        "%o.yml",
        "--witness",
        "%o.graphml",
    ];
    let mut tasks = batches::benchmark(&tool, &[], filter, &options)?;
    let violated = |task: &Task| task.expected.as_ref().is_some_and(|expected| !expected.holds);
    tasks.retain(|task| violated(task) && task.property != "termination");
    let (verified, folder) = batches::run("witnesses", &tool, &tasks, 1, limit)?;
    let mut ways = vec!["lint"];
    ways.extend(validate::VALIDATORS.iter().map(|validator| validator.name));
    // What each check is about: the row of the verification, the format, the way.
    let (mut about, mut checks) = (Vec::new(), Vec::new());
    for (row, task) in verified.iter().zip(&tasks).filter(|(row, _)| row.exit_code == Some(10)) {
        let file = task.args.last().context("a task has a file")?;
        for format in FORMATS {
            for way in &ways {
                let witness = folder.join(format!("files/{}.{format}", row.files)).display().to_string();
                let command: Vec<&str> = match *way {
                    "lint" => vec!["witness", "lint", "--strict"],
                    how => {
                        vec!["witness", "validate", "--undefined-functions", "pure", "--timeout", timeout, "--how", how]
                    }
                };
                let args = command.into_iter().chain([witness.as_str(), file]).map(String::from).collect();
                checks.push(batches::task(format!("{} {} {format}", row.task, row.property), way, args));
                about.push((row, format, *way));
            }
        }
    }
    let (checked, _) = batches::run("witness-checks", &tool, &checks, 1, limit)?;
    let mut counts: BTreeMap<(&str, &str), Count> = BTreeMap::new();
    let mut table = String::from("task,format,way,result,verify_s,validate_s\n");
    for (check, (row, format, way)) in checked.iter().zip(&about) {
        let good = check.exit_code == Some(0);
        let count = counts.entry((way, format)).or_default();
        count.all += 1;
        count.confirmed += usize::from(good);
        count.ratios.push((check.wall_s.max(0.001) / row.wall_s.max(0.001)).ln());
        let reason = check.reason.as_deref().unwrap_or(&check.verdict);
        let result = if good { "good" } else { reason };
        if !good {
            println!("{} {format} {way}: {result}", row.task);
        }
        let result = result.replace(',', ";");
        table += &format!("{},{format},{way},{result},{:.3},{:.3}\n", row.task, row.wall_s, check.wall_s);
    }
    let found = verified.iter().filter(|row| row.exit_code == Some(10)).count();
    println!("{found} violations found, {} tasks without", verified.len() - found);
    for ((way, format), count) in &counts {
        let mean = (count.ratios.iter().sum::<f64>() / count.ratios.len().max(1) as f64).exp();
        let share = 100.0 * count.confirmed as f64 / count.all.max(1) as f64;
        println!(
            "{way:10} {format:8} {}/{} ({share:.1} %), time {mean:.2} of verification",
            count.confirmed, count.all
        );
    }
    std::fs::write(root().join("target/witnesses.csv"), table)?;
    Ok(())
}
