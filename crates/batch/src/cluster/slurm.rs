//! Slurm: an array job. Starting an element costs a cluster up to a second, and their number is limited, so elements run several tasks each where there are many.

use super::{Cluster, Submission, ask, strings};
use crate::results::write_whole;
use anyhow::{Context, Result};
use std::io::Write;

pub static SLURM: Cluster =
    Cluster { name: "slurm", about: "Slurm: an array job by sbatch", most_elements, submit, is_active, cancel };

/// Where the cluster does not say.
const USUAL_ARRAY: usize = 1001;

/// Minutes that an element may need beside its tasks.
const MARGIN: f64 = 2.0;

fn most_elements() -> usize {
    let config = ask("scontrol", &strings(["show", "config"])).unwrap_or_default();
    let size = config
        .lines()
        .filter_map(|line| line.strip_prefix("MaxArraySize"))
        .find_map(|rest| rest.trim_matches([' ', '=']).parse::<usize>().ok());
    // The largest number is one less than the size.
    size.unwrap_or(USUAL_ARRAY).saturating_sub(1).max(1)
}

fn submit(submission: &Submission<'_>) -> Result<String> {
    let Submission { folder, limits, .. } = submission;
    let quoted = submission.worker.iter().map(|word| shlex::try_quote(word).map(|word| word.into_owned()));
    let command =
        quoted.collect::<std::result::Result<Vec<String>, _>>().context("a path holds a zero byte")?.join(" ");
    let mut lines = vec![
        "#!/bin/sh".to_string(),
        "#SBATCH --job-name=whydunit-batch".to_string(),
        format!("#SBATCH --array=0-{}", submission.elements - 1),
        "#SBATCH --ntasks=1".to_string(),
        // An element whose node fails is started again.
        "#SBATCH --requeue".to_string(),
    ];
    if let Some(wall) = limits.wall_s {
        let minutes = (wall * submission.share as f64 / 60.0 + MARGIN).ceil();
        lines.push(format!("#SBATCH --time={minutes}"));
    }
    if let Some(memory) = limits.memory_mb {
        // Room for the worker itself; the limit of the task ends it before that of Slurm does.
        lines.push(format!("#SBATCH --mem={}M", memory + 64));
    }
    lines.push(format!("exec {command} \"$SLURM_ARRAY_TASK_ID\""));
    let script = folder.join("job.sh");
    write_whole(&script, |out| Ok(writeln!(out, "{}", lines.join("\n"))?))?;
    let mut args = strings(["--parsable", "--output", &format!("{}/slurm-%A-%a.log", folder.join("logs").display())]);
    args.extend(["--chdir".to_string(), folder.display().to_string()]);
    args.extend(submission.options.iter().cloned());
    args.push(script.display().to_string());
    let printed = ask("sbatch", &args)?;
    // With several clusters, their name follows.
    let id = printed.trim().split(';').next().unwrap_or("");
    Ok(id.to_string())
}

fn is_active(id: &str) -> Result<bool> {
    match ask("squeue", &strings(["--noheader", "--jobs", id, "--format", "%T"])) {
        Ok(printed) => Ok(!printed.trim().is_empty()),
        // Jobs that ended a while ago are forgotten.
        Err(error) if error.to_string().contains("Invalid job id") => Ok(false),
        Err(error) => Err(error),
    }
}

fn cancel(id: &str) -> Result<()> {
    ask("scancel", &strings([id])).map(drop)
}
