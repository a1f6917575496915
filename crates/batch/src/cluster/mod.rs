//! Tasks by the scheduler of a cluster, the table [`CLUSTERS`]. What is left to do is a round: `rounds/N.json` in the folder of the run, which all machines of the
//! cluster see, lists the tasks; one job array is submitted, and element E of it runs `whydunit batch worker FOLDER N E`: its share of the tasks, each under the same limits
//! as on this machine. Each result is a file of its own in `parts/`, moved there when it is complete; they are collected while the job runs. Tasks that are without
//! a result when the job is over were lost with their worker, and are submitted again.
//!
//! `job.json` says which job runs, so that a run which is resumed waits for it instead of submitting again.

mod hq;
mod slurm;

use crate::cgroup::Cgroups;
use crate::local::Machine;
use crate::outcome::not_run;
use crate::process::Limits;
use crate::results::{Row, Store, read_tasks, write_whole};
use crate::run::{ClusterSettings, Record, Settings};
use crate::task::Task;
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A scheduler, reached by its own commands.
pub struct Cluster {
    pub name: &'static str,
    pub about: &'static str,
    /// The most elements that one job array may have.
    most_elements: fn() -> usize,
    /// Submits a job array, and gives the job's id.
    submit: fn(&Submission<'_>) -> Result<String>,
    /// Whether elements of the job are waiting or running.
    is_active: fn(&str) -> Result<bool>,
    cancel: fn(&str) -> Result<()>,
}

pub static CLUSTERS: &[&Cluster] = &[&hq::HYPERQUEUE, &slurm::SLURM];

pub fn cluster(name: &str) -> Option<&'static Cluster> {
    CLUSTERS.iter().find(|cluster| cluster.name == name).copied()
}

struct Submission<'a> {
    folder: &'a Path,
    /// The command of each element; the scheduler adds the number of the element, from 0.
    worker: &'a [String],
    elements: usize,
    limits: &'a Limits,
    /// The most tasks that one element runs, one after the other.
    share: usize,
    options: &'a [String],
}

/// What workers need to know.
#[derive(Serialize, Deserialize)]
struct Round {
    tool: PathBuf,
    tasks: Vec<usize>,
    elements: usize,
    wall_s: Option<f64>,
    cpu_s: Option<f64>,
    memory_mb: Option<u64>,
    file_mb: Option<u64>,
}

#[derive(Serialize, Deserialize)]
struct SubmittedJob {
    on: String,
    id: String,
    round: usize,
}

/// How often results are looked for.
const INTERVAL: Duration = Duration::from_millis(300);

pub fn run(
    tasks: &[Task],
    settings: &Settings,
    on: &ClusterSettings,
    store: &mut Store,
    record: &mut Record<'_>,
) -> Result<()> {
    let folder = std::path::absolute(store.folder())?;
    for name in ["parts", "rounds", "logs"] {
        fs::create_dir_all(folder.join(name))
            .with_context(|| format!("cannot create {}", folder.join(name).display()))?;
    }
    if let Some(job) = earlier_job(&folder)? {
        let cluster = cluster(&job.on).context("job.json names no scheduler")?;
        // A scheduler that is gone has no jobs any more.
        let active = (cluster.is_active)(&job.id).unwrap_or(false);
        if active && cluster.name == on.cluster.name {
            wait(&job.id, on, tasks, settings, store, record)?;
        } else if active {
            (cluster.cancel)(&job.id)?;
        }
        fs::remove_file(folder.join("job.json")).ok();
    }
    collect(tasks, store, record)?;
    for attempt in 0..=on.retries {
        let pending = store.pending();
        if pending.is_empty() || settings.interrupted.load(Ordering::Relaxed) {
            return Ok(());
        }
        let round = next_round(&folder);
        submit(&pending, round, settings, on, &folder)?;
        let job = earlier_job(&folder)?.context("the job was submitted")?;
        wait(&job.id, on, tasks, settings, store, record)?;
        fs::remove_file(folder.join("job.json")).ok();
        let lost = store.pending().len();
        if lost == pending.len() && attempt == on.retries && lost == tasks.len() {
            bail!(
                "no task of job {} on {} gave a result; what its workers said is in {}",
                job.id,
                job.on,
                folder.join("logs").display()
            );
        }
    }
    if !settings.interrupted.load(Ordering::Relaxed) {
        for index in store.pending() {
            let problem = format!("its worker was lost {} times", on.retries + 1);
            record(store, index, Row::new(&tasks[index], index, not_run(&problem), None))?;
        }
    }
    Ok(())
}

fn earlier_job(folder: &Path) -> Result<Option<SubmittedJob>> {
    match fs::read_to_string(folder.join("job.json")) {
        Ok(text) => Ok(serde_json::from_str(&text).ok()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).context("cannot read job.json"),
    }
}

fn next_round(folder: &Path) -> usize {
    (1..).find(|round| !folder.join(format!("rounds/{round}.json")).exists()).unwrap_or(1)
}

fn submit(pending: &[usize], round: usize, settings: &Settings, on: &ClusterSettings, folder: &Path) -> Result<()> {
    let elements = pending.len().min((on.cluster.most_elements)()).max(1);
    let limits = &settings.limits;
    let plan = Round {
        tool: settings.tool.clone(),
        tasks: pending.to_vec(),
        elements,
        wall_s: limits.wall_s,
        cpu_s: limits.cpu_s,
        memory_mb: limits.memory_mb,
        file_mb: limits.file_mb,
    };
    write_whole(&folder.join(format!("rounds/{round}.json")), |out| {
        Ok(write!(out, "{}", serde_json::to_string(&plan)?)?)
    })?;
    let executable = std::env::current_exe().context("the path of this program is not known")?;
    let worker =
        [&executable.display().to_string(), "batch", "worker", &folder.display().to_string(), &round.to_string()]
            .map(String::from);
    let share = pending.len().div_ceil(elements);
    let submission = Submission { folder, worker: &worker, elements, limits, share, options: &on.options };
    let id = (on.cluster.submit)(&submission)?;
    let job = SubmittedJob { on: on.cluster.name.to_string(), id, round };
    write_whole(&folder.join("job.json"), |out| Ok(write!(out, "{}", serde_json::to_string(&job)?)?))
}

/// Collects until the job is over, or the run is interrupted.
fn wait(
    id: &str,
    on: &ClusterSettings,
    tasks: &[Task],
    settings: &Settings,
    store: &mut Store,
    record: &mut Record<'_>,
) -> Result<()> {
    let mut silent = 0;
    loop {
        let active = match (on.cluster.is_active)(id) {
            Ok(active) => {
                silent = 0;
                active
            }
            // A scheduler may be restarted meanwhile.
            Err(error) => {
                silent += 1;
                if silent > 20 {
                    return Err(error);
                }
                true
            }
        };
        collect(tasks, store, record)?;
        if store.pending().is_empty() {
            return Ok(());
        }
        if settings.interrupted.load(Ordering::Relaxed) {
            return (on.cluster.cancel)(id);
        }
        if !active {
            // Files of another machine may take a moment to be seen here.
            std::thread::sleep(INTERVAL);
            return collect(tasks, store, record);
        }
        std::thread::sleep(INTERVAL);
    }
}

/// Takes over the results that lie in `parts/`, in the order of the list.
fn collect(tasks: &[Task], store: &mut Store, record: &mut Record<'_>) -> Result<()> {
    let parts = store.folder().join("parts");
    let mut found: Vec<(usize, PathBuf)> = Vec::new();
    for entry in fs::read_dir(&parts).with_context(|| format!("cannot read {}", parts.display()))? {
        let path = entry?.path();
        let is_part = path.extension().is_some_and(|extension| extension == "json");
        let index = path.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| stem.parse::<usize>().ok());
        found.extend(index.filter(|index| is_part && *index < tasks.len()).map(|index| (index, path)));
    }
    found.sort();
    for (index, path) in found {
        let row: Option<Row> = fs::read(&path).ok().and_then(|text| serde_json::from_slice(&text).ok());
        let Some(row) = row else { continue };
        let of_this_task = row.task == tasks[index].name && row.property == tasks[index].property;
        if of_this_task && !store.has(index) {
            record(store, index, row)?;
        }
        fs::remove_file(&path).ok();
    }
    Ok(())
}

/// An element of the job array: runs its share of a round. Tasks that have a result already, because the element was started before, are left out.
pub fn work(folder: &Path, round: usize, element: usize) -> Result<()> {
    let path = folder.join(format!("rounds/{round}.json"));
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let round: Round = serde_json::from_str(&text).with_context(|| format!("{} is damaged", path.display()))?;
    let tasks = read_tasks(folder)?;
    let limits =
        Limits { wall_s: round.wall_s, cpu_s: round.cpu_s, memory_mb: round.memory_mb, file_mb: round.file_mb };
    let machine = Machine { tool: &round.tool, limits, cgroups: Cgroups::of_this_process().ok() };
    let never = AtomicBool::new(false);
    for index in round.tasks.iter().copied().skip(element).step_by(round.elements) {
        let part = folder.join(format!("parts/{index}.json"));
        let Some(task) = tasks.get(index).filter(|_| !part.exists()) else { continue };
        if let Some(row) = machine.row(task, index, &folder.join("files"), &never, &never)? {
            write_whole(&part, |out| Ok(write!(out, "{}", serde_json::to_string(&row)?)?))?;
        }
    }
    Ok(())
}

/// What a command of a scheduler prints.
fn ask(program: &str, args: &[String]) -> Result<String> {
    let output = Command::new(program)
        .args(args)
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot run {program}: is it installed, and in PATH?"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).trim().to_string();
        bail!("{program} {} failed: {said}", args.join(" "));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn strings<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(String::from).to_vec()
}
