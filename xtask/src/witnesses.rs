//! Does the evidence travel? Each violated task of the benchmarks is verified, its witnesses are linted and validated in every way there is, and
//! what is not confirmed is listed with the reason. Writes `target/witnesses.csv`.

use crate::tasks::records;
use crate::{option, release, root};
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use testkit::process::{Finished, run_within};

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
    let data = testkit::project::bench_data().context("there is no benchmark data beside the project")?;
    let filter = option(args, "--filter").unwrap_or("");
    let timeout = option(args, "--timeout").unwrap_or("8");
    let seconds: f64 = timeout.parse().context("--timeout needs a number")?;
    let limit = Duration::from_secs_f64(seconds * 1.5 + 60.0);
    let tool = release()?;
    let list = std::fs::read_to_string(data.join("sv-benchmarks/tasks.csv"))?;
    let folder = root().join("target/witnesses");
    std::fs::create_dir_all(&folder)?;
    let mut ways = vec!["lint"];
    ways.extend(validate::VALIDATORS.iter().map(|validator| validator.name));
    let mut counts: BTreeMap<(&str, &str), Count> = BTreeMap::new();
    let (mut found, mut missed, mut table) = (0, 0, String::from("task,format,way,result,verify_s,validate_s\n"));
    let violated = |row: &BTreeMap<String, String>| row["expected"] == "false" && row["property"] != "termination";
    for row in records(&list).filter(violated).filter(|row| row["task"].contains(filter)) {
        let task = &row["task"];
        let file = data.join("sv-benchmarks/c").join(Path::new(task).with_file_name(&row["input_file"]));
        let paths: Vec<PathBuf> =
            FORMATS.iter().map(|format| folder.join(format!("{}.{format}", task.replace('/', "_")))).collect();
        let mut command = Command::new(&tool);
        command.args(["verify", "-p", &row["property"], "--data-model", &row["data_model"].to_lowercase()]);
        command.args(["--undefined-functions", "pure", "--show-steps", "2", "--timeout", timeout]);
        for path in &paths {
            command.arg("--witness").arg(path);
        }
        let Some(verified) = run_within(command.arg(&file), limit)? else { continue };
        if verified.code != Some(10) {
            missed += 1;
            continue;
        }
        found += 1;
        for (format, path) in FORMATS.iter().zip(&paths) {
            for way in &ways {
                let mut command = Command::new(&tool);
                command.arg("witness");
                match *way {
                    "lint" => command.args(["lint", "--strict"]),
                    how => {
                        command.args(["validate", "--undefined-functions", "pure", "--timeout", timeout, "--how", how])
                    }
                };
                let finished = run_within(command.arg(path).arg(&file), limit)?;
                let good = finished.as_ref().is_some_and(|finished| finished.code == Some(0));
                let count = counts.entry((way, format)).or_default();
                count.all += 1;
                count.confirmed += usize::from(good);
                let spent = finished.as_ref().map_or(limit, |finished| finished.time).as_secs_f64();
                count.ratios.push((spent / verified.time.as_secs_f64()).ln());
                let result = if good { "good".to_string() } else { reason(finished.as_ref()) };
                if !good {
                    println!("{task} {format} {way}: {result}");
                }
                let result = result.replace(',', ";");
                table += &format!("{task},{format},{way},{result},{:.3},{spent:.3}\n", verified.time.as_secs_f64());
            }
        }
    }
    println!("{found} violations found, {missed} tasks without");
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

fn reason(finished: Option<&Finished>) -> String {
    let Some(finished) = finished else { return "hangs".into() };
    let text = String::from_utf8_lossy(&finished.stdout).into_owned();
    let line = text.lines().find_map(|line| line.strip_prefix("reason: ")).or(text.lines().next());
    line.map_or(format!("exit code {:?}", finished.code), String::from)
}
