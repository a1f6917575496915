//! The variants of TCAS, each with one seeded fault: the verdict and the time of each, the best of several runs.

use crate::release;
use anyhow::{Context, Result, bail};
use std::process::Command;
use std::time::Duration;
use testkit::process::run_within;
use testkit::project::{bench_data, files_below};

const RUNS: usize = 5;
const LIMIT: Duration = Duration::from_secs(60);

/// The variant whose fault is an index out of bounds.
const OUT_OF_BOUNDS: &str = "tcas_v33";

pub fn tcas() -> Result<()> {
    let data = bench_data().context("there is no benchmark data beside the project")?;
    let files = files_below(&data.join("tcas/harness"), &["c"]);
    let tool = release()?;
    let (mut sum, mut slowest, mut missed) = (0.0, 0.0f64, 0);
    println!("{:10} {:>8} {:>8}  verdict", "variant", "ms", "MB");
    for file in &files {
        let name = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or("?");
        let mut best: Option<(f64, u64, String)> = None;
        for _ in 0..RUNS {
            let mut command = Command::new(&tool);
            command.arg("verify").arg(file);
            let property = if name == OUT_OF_BOUNDS { "valid-deref" } else { "assertion" };
            command.args(["-p", "unreach-call", "-p", property]);
            let run = run_within(&mut command, LIMIT)?.with_context(|| format!("{name} takes too long"))?;
            let text = String::from_utf8_lossy(&run.stdout);
            let verdict = text.lines().next().and_then(|line| line.strip_prefix("verdict: ")).unwrap_or("crash");
            let ms = run.time.as_secs_f64() * 1e3;
            if best.as_ref().is_none_or(|best| ms < best.0) {
                best = Some((ms, run.peak_kilobytes / 1024, verdict.to_string()));
            }
        }
        let (ms, megabytes, verdict) = best.context("there are several runs")?;
        println!("{name:10} {ms:8.1} {megabytes:8}  {verdict}");
        sum += ms;
        slowest = slowest.max(ms);
        missed += usize::from(!verdict.starts_with("false"));
    }
    println!("{} variants: {:.1} ms on average, {slowest:.1} ms at most", files.len(), sum / files.len().max(1) as f64);
    if missed > 0 {
        bail!("{missed} faults were not found");
    }
    Ok(())
}
