//! Tasks on this machine: so many at a time, each as a process under limits.

use crate::cgroup::Cgroups;
use crate::outcome::{self, Status};
use crate::process::{self, Ended, Job, Limits, Stop};
use crate::results::{Row, Store, beginning};
use crate::run::{Record, Settings};
use crate::task::Task;
use anyhow::{Context, Result};
use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

pub fn run(tasks: &[Task], settings: &Settings, store: &mut Store, record: &mut Record<'_>) -> Result<()> {
    let pending = store.pending();
    let machine = Machine { tool: &settings.tool, limits: settings.limits, cgroups: Cgroups::of_this_process().ok() };
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel();
    let files = store.folder().join("files");
    std::thread::scope(|scope| {
        for _ in 0..settings.jobs.clamp(1, pending.len().max(1)) {
            let sender = sender.clone();
            scope.spawn(|| {
                let sender = sender;
                while !stop.load(Ordering::Relaxed) && !settings.interrupted.load(Ordering::Relaxed) {
                    let Some(index) = pending.get(next.fetch_add(1, Ordering::Relaxed)).copied() else { return };
                    let row = machine.row(&tasks[index], index, &files, &settings.interrupted, &stop);
                    if sender.send((index, row)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut failed = None;
        for (index, row) in receiver {
            let recorded = match row {
                Ok(Some(row)) if failed.is_none() => record(store, index, row),
                Err(error) => Err(error),
                Ok(_) => Ok(()),
            };
            if let Err(error) = recorded {
                // The others end at once, and are run when the user resumes.
                stop.store(true, Ordering::Relaxed);
                failed.get_or_insert(error);
            }
        }
        failed.map_or(Ok(()), Err)
    })
}

/// What runs tasks.
pub struct Machine<'a> {
    pub tool: &'a Path,
    pub limits: Limits,
    pub cgroups: Option<Cgroups>,
}

impl Machine<'_> {
    /// Runs one task; `None` if it was interrupted.
    pub fn row(
        &self,
        task: &Task,
        index: usize,
        files: &Path,
        interrupted: &AtomicBool,
        stop: &AtomicBool,
    ) -> Result<Option<Row>> {
        let stem = files.join(task.file_stem(index));
        let output = |extension: &str| {
            let path = stem.with_file_name(format!("{}.{extension}", task.file_stem(index)));
            File::create(&path).with_context(|| format!("cannot write {}", path.display())).map(|file| (path, file))
        };
        let ((stdout_path, stdout), (stderr_path, stderr)) = (output("txt")?, output("err")?);
        let own = std::path::absolute(&stem)?.display().to_string();
        let args: Vec<String> = task.args.iter().map(|arg| arg.replace("%o", &own)).collect();
        let job = Job { program: self.tool, args: &args, stdout: &stdout, stderr: &stderr };
        let both = Either(interrupted, stop);
        let ended: Ended = process::run(&job, &self.limits, self.cgroups.as_ref(), &both)
            .with_context(|| format!("cannot run {}", self.tool.display()))?;
        if ended.stopped == Some(Stop::Interrupted) {
            return Ok(None);
        }
        let complaints = beginning(&stderr_path);
        if complaints.is_empty() {
            std::fs::remove_file(&stderr_path).ok();
        }
        let outcome = outcome::of(task, &ended, &self.limits, &beginning(&stdout_path), &complaints);
        if outcome.status == Status::Error {
            check_room(files)?;
        }
        Ok(Some(Row::new(task, index, outcome, Some(&ended))))
    }
}

/// A task whose output did not fit on the disk seems to crash: that is no result of the task.
fn check_room(files: &Path) -> Result<()> {
    const ENOUGH: usize = 16 << 10;
    let path = files.join(format!(".room-{}-{:?}", std::process::id(), std::thread::current().id()));
    let written = std::fs::write(&path, [0; ENOUGH]);
    std::fs::remove_file(&path).ok();
    written.with_context(|| format!("cannot write in {}", files.display()))
}

/// Two flags, either of which ends a task.
pub struct Either<'a>(pub &'a AtomicBool, pub &'a AtomicBool);

impl process::Interruption for Either<'_> {
    fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed) || self.1.load(Ordering::Relaxed)
    }
}
