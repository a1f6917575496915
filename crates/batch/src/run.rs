//! A run: tasks in, rows into a folder, by this machine or a cluster; continues what an earlier run began.

use crate::cluster::{self, Cluster};
use crate::local;
use crate::outcome::{Status, not_run};
use crate::process::Limits;
use crate::results::{Row, Store};
use crate::summary::Tally;
use crate::task::Task;
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How tasks are run.
pub struct Settings {
    /// The executable.
    pub tool: PathBuf,
    /// Tasks at the same time on this machine.
    pub jobs: usize,
    pub limits: Limits,
    pub resume: Option<Rerun>,
    /// By whom, if not by this machine.
    pub cluster: Option<ClusterSettings>,
    /// Set from outside to stop.
    pub interrupted: Arc<AtomicBool>,
}

pub struct ClusterSettings {
    pub cluster: &'static Cluster,
    /// Further arguments of the command that submits.
    pub options: Vec<String>,
    /// How often tasks that a worker lost are submitted again.
    pub retries: u32,
}

/// Rows of an earlier run that are not kept.
#[derive(Clone, Debug, Default)]
pub struct Rerun(pub Vec<Status>);

/// What happens during a run.
pub enum Event<'a> {
    /// A task has ended; what is known so far.
    Ended(&'a Row, &'a Tally),
    /// Something that the user should know.
    Note(String),
}

/// How a run ended.
pub struct Finished {
    pub tally: Tally,
    /// Whether tasks are left because the run was interrupted.
    pub interrupted: bool,
}

/// Runs what has no result yet. After an error, what ended before it is kept in the folder.
pub fn run(
    tasks: &[Task],
    settings: &Settings,
    folder: &Path,
    observer: &mut dyn FnMut(Event<'_>),
) -> Result<Finished> {
    let again = |row: &Row| settings.resume.as_ref().is_some_and(|rerun| rerun.0.contains(&row.status));
    let (mut store, kept) = Store::open(folder, tasks, settings.resume.is_some(), &again)?;
    let mut tally = Tally::of(tasks.len());
    kept.iter().for_each(|row| tally.add_kept(row));
    if !kept.is_empty() {
        observer(Event::Note(format!("{} of {} tasks have results", kept.len(), tasks.len())));
    }
    drop(kept);
    let mut record = |store: &mut Store, index: usize, row: Row| -> Result<()> {
        store.add(index, &row)?;
        tally.add(&row);
        observer(Event::Ended(&row, &tally));
        Ok(())
    };
    for index in store.pending() {
        if let Some(problem) = &tasks[index].problem {
            let row = Row::new(&tasks[index], index, not_run(problem), None);
            record(&mut store, index, row)?;
        }
    }
    match &settings.cluster {
        None => local::run(tasks, settings, &mut store, &mut record)?,
        Some(on) => cluster::run(tasks, settings, on, &mut store, &mut record)?,
    }
    let interrupted = settings.interrupted.load(Ordering::Relaxed) && !store.pending().is_empty();
    store.finish()?;
    Ok(Finished { tally, interrupted })
}

/// Takes a row, and keeps it.
pub type Record<'a> = dyn FnMut(&mut Store, usize, Row) -> Result<()> + 'a;
