//! The variants of TCAS, each with one seeded fault: the verdict and the time of each, the best of several runs.

use crate::{batches, release};
use anyhow::{Context, Result, bail};
use testkit::project::{bench_data, files_below};

const RUNS: usize = 5;
const LIMIT: f64 = 60.0;

/// The variant whose fault is an index out of bounds.
const OUT_OF_BOUNDS: &str = "tcas_v33";

pub fn tcas() -> Result<()> {
    let data = bench_data().context("there is no benchmark data beside the project")?;
    let files = files_below(&data.join("tcas/harness"), &["c"]);
    let tool = release()?;
    let mut tasks = Vec::new();
    for file in &files {
        let name = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or("?");
        let property = if name == OUT_OF_BOUNDS { "valid-deref" } else { "assertion" };
        let file = file.display().to_string();
        let args = ["verify", &file, "-p", "unreach-call", "-p", property, "--suspects", "never"].map(String::from);
        tasks.extend((0..RUNS).map(|run| batches::task(format!("{name}/{run}"), property, args.to_vec())));
    }
    // One at a time: the times are the point.
    let (rows, _) = batches::run("tcas", &tool, &tasks, 1, LIMIT)?;
    let (mut sum, mut slowest, mut missed) = (0.0, 0.0f64, 0);
    println!("{:10} {:>8} {:>8}  verdict", "variant", "ms", "MB");
    for runs in rows.chunks(RUNS) {
        let best =
            runs.iter().min_by(|one, other| one.wall_s.total_cmp(&other.wall_s)).context("there are several runs")?;
        let (name, ms) = (best.task.split('/').next().unwrap_or("?"), best.wall_s * 1e3);
        println!("{name:10} {ms:8.1} {:8.0}  {}", best.memory_mb, best.verdict);
        sum += ms;
        slowest = slowest.max(ms);
        missed += usize::from(best.answer() != Some(false));
    }
    println!("{} variants: {:.1} ms on average, {slowest:.1} ms at most", files.len(), sum / files.len().max(1) as f64);
    if missed > 0 {
        bail!("{missed} faults were not found");
    }
    Ok(())
}
