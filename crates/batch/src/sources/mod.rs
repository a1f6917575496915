//! From what was typed to tasks, in a deterministic order, the table [`SOURCES`]. What cannot be read becomes a task with a problem, so that it is named in the
//! results and the others are run.

mod compile_commands;
mod csv_list;
mod program;
mod set_file;
mod yml;

use crate::task::Task;
use anyhow::{Result, bail};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub use csv_list::records;

/// What was asked about all tasks.
#[derive(Default)]
pub struct Question {
    /// Properties to check (names as of the competition, or `.prp` files); those that task files list if there are none.
    pub properties: Vec<String>,
    /// Functions of a `compile_commands.json` to start at, as a pattern; all if there is none.
    pub functions: Option<String>,
    /// Only tasks with this text in their name.
    pub filter: String,
    /// Arguments of `verify` for every task.
    pub options: Vec<String>,
    /// The executable, which is asked for the functions of a file.
    pub tool: PathBuf,
}

/// One kind of list.
struct Source {
    /// Whether a file is such a list.
    takes: fn(&Path) -> bool,
    tasks: fn(&Path, &Named, &Question) -> Result<Vec<Task>>,
}

const SOURCES: &[Source] = &[
    Source { takes: compile_commands::takes, tasks: compile_commands::tasks },
    Source { takes: csv_list::takes, tasks: csv_list::tasks },
    Source { takes: set_file::takes, tasks: set_file::tasks },
    Source { takes: crate::task_file::is_task_file, tasks: yml::tasks },
    Source { takes: program::takes, tasks: program::tasks },
];

/// How tasks of a file are called.
struct Named {
    /// Names are relative to it.
    base: PathBuf,
}

impl Named {
    fn name(&self, path: &Path) -> String {
        path.strip_prefix(&self.base).unwrap_or(path).display().to_string()
    }
}

/// All tasks of the arguments: files, folders or patterns with `*`, `?` and `[…]`.
pub fn expand(arguments: &[String], question: &Question) -> Result<Vec<Task>> {
    let mut tasks = Vec::new();
    for argument in arguments {
        let path = Path::new(argument);
        let named = Named { base: PathBuf::new() };
        if path.is_dir() {
            tasks.extend(of_folder(path, question));
        } else if path.exists() {
            tasks.extend(of_file(path, &named, question));
        } else if argument.contains(['*', '?', '[']) {
            let found = matches(argument)?;
            if found.is_empty() {
                bail!("no file matches {argument}");
            }
            tasks.extend(found.iter().flat_map(|file| of_file(file, &named, question)));
        } else {
            bail!("there is no file or folder {argument}");
        }
    }
    let mut seen = BTreeSet::new();
    tasks.retain(|task| task.name.contains(&question.filter));
    tasks.retain(|task| seen.insert((task.name.clone(), task.property.clone())));
    Ok(tasks)
}

/// The tasks of one file; a file that cannot be read is a task with a problem.
fn of_file(path: &Path, named: &Named, question: &Question) -> Vec<Task> {
    let Some(source) = SOURCES.iter().find(|source| (source.takes)(path)) else {
        return vec![Task::unreadable(named.name(path), "this is no task file, program or list of tasks")];
    };
    let tasks = (source.tasks)(path, named, question);
    tasks.unwrap_or_else(|error| vec![Task::unreadable(named.name(path), format!("{error:#}"))])
}

/// Task files below a folder; programs, if it has no task files.
fn of_folder(folder: &Path, question: &Question) -> Vec<Task> {
    let named = Named { base: folder.to_path_buf() };
    let files = files_below(folder);
    let task_files: Vec<&PathBuf> = files.iter().filter(|file| yml::is_task(file)).collect();
    let chosen =
        if task_files.is_empty() { files.iter().filter(|file| program::takes(file)).collect() } else { task_files };
    chosen.into_iter().flat_map(|file| of_file(file, &named, question)).collect()
}

/// All files below a folder, sorted.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            // A link to a folder is not followed: it may lead back.
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => open.push(entry.path()),
                _ => found.push(entry.path()),
            }
        }
    }
    found.sort();
    found
}

fn matches(pattern: &str) -> Result<Vec<PathBuf>> {
    let found = glob::glob(pattern).map_err(|error| anyhow::anyhow!("the pattern {pattern}: {error}"))?;
    let mut found: Vec<PathBuf> = found.filter_map(|path| path.ok()).filter(|path| path.is_file()).collect();
    found.sort();
    Ok(found)
}

/// `verify` with the options of the question.
fn verify(question: &Question) -> Vec<String> {
    std::iter::once("verify".to_string()).chain(question.options.iter().cloned()).collect()
}

/// A path as an argument: in the form that a process in another folder understands.
fn argument(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()).display().to_string()
}

/// The name of a property that was asked for.
fn property_name(asked: &str) -> String {
    match asked.strip_suffix(".prp") {
        Some(path) => path.rsplit('/').next().unwrap_or(path).to_string(),
        None => asked.to_string(),
    }
}
