//! From what was typed to tasks, in a deterministic order, the table [`SOURCES`]. What cannot be read becomes a task with a problem, so that it is named in the
//! results and the others are run.

mod compile_commands;
mod csv_list;
mod plc;
mod program;
mod set_file;
mod yml;

use crate::task::Task;
use anyhow::{Context, Result, bail};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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
    /// What is required of PLC programs, as `--require` of `verify`; `%s` in it stands for the path of the program without its extension.
    pub requirements: Vec<String>,
    /// Arguments of `verify` for every task.
    pub options: Vec<String>,
    /// The executable, which is asked for the functions of a file, and the requirements of one.
    pub tool: PathBuf,
}

/// One kind of list.
struct Source {
    /// Whether a file is such a list.
    takes: fn(&Path) -> bool,
    tasks: fn(&Path, &Named, &Question) -> Result<Vec<Task>>,
    /// Whether names of its tasks are relative to its folder.
    is_list: bool,
}

const SOURCES: &[Source] = &[
    Source { takes: compile_commands::takes, tasks: compile_commands::tasks, is_list: true },
    Source { takes: csv_list::takes, tasks: csv_list::tasks, is_list: true },
    Source { takes: set_file::takes, tasks: set_file::tasks, is_list: true },
    Source { takes: crate::task_file::is_task_file, tasks: yml::tasks, is_list: false },
    Source { takes: plc::takes, tasks: plc::tasks, is_list: false },
    Source { takes: program::takes, tasks: program::tasks, is_list: false },
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
        let mut add = |file: &Path| {
            let found = of_file(file, &named, question);
            tasks.extend(found.into_iter().map(|task| (folder_of_names(file), task)));
        };
        if path.is_dir() {
            tasks.extend(of_folder(path, question).into_iter().map(|task| (path.to_path_buf(), task)));
        } else if path.exists() {
            add(path);
        } else if argument.contains(['*', '?', '[']) {
            let found = matches(argument)?;
            if found.is_empty() {
                bail!("no file matches {argument}");
            }
            found.iter().for_each(|file| add(file));
        } else {
            bail!("there is no file or folder {argument}");
        }
    }
    tasks.retain(|(_, task)| task.name.contains(&question.filter));
    Ok(distinct(tasks))
}

/// What names of tasks from a file are relative to.
fn folder_of_names(file: &Path) -> PathBuf {
    let is_list = SOURCES.iter().any(|source| (source.takes)(file) && source.is_list);
    file.parent().filter(|_| is_list).map_or(PathBuf::new(), Path::to_path_buf)
}

/// What is named twice is run once. Different tasks of the same name get the folder before it, and if that does not help, a number behind it.
fn distinct(mut tasks: Vec<(PathBuf, Task)>) -> Vec<Task> {
    let whole = |folder: &Path, task: &Task| folder.join(&task.name).display().to_string();
    let key = |task: &Task| (task.name.clone(), task.property.clone());
    let mut seen = HashSet::new();
    tasks.retain(|(folder, task)| {
        seen.insert((whole(folder, task), task.property.clone(), task.args.clone(), task.problem.clone()))
    });
    let mut count: HashMap<(String, String), usize> = HashMap::new();
    tasks.iter().for_each(|(_, task)| *count.entry(key(task)).or_default() += 1);
    for (folder, task) in &mut tasks {
        if count[&key(task)] > 1 {
            task.name = whole(folder, task);
        }
    }
    let mut taken: HashSet<(String, String)> = HashSet::new();
    for (_, task) in &mut tasks {
        let name = task.name.clone();
        let mut number = 2;
        while !taken.insert(key(task)) {
            task.name = format!("{name} ({number})");
            number += 1;
        }
    }
    tasks.into_iter().map(|(_, task)| task).collect()
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
    let chosen = if task_files.is_empty() {
        files.iter().filter(|file| program::takes(file) || plc::takes(file)).collect()
    } else {
        task_files
    };
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

/// The lines that the tool prints.
fn ask(question: &Question, args: &[String]) -> Result<Vec<String>> {
    let mut command = Command::new(&question.tool);
    command.args(args).stdin(Stdio::null());
    let output = command.output().with_context(|| format!("cannot run {}", question.tool.display()))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let error = said.lines().find(|line| line.contains("error")).unwrap_or("it cannot be read");
        bail!("{}", error.trim().trim_start_matches("error: "));
    }
    Ok(String::from_utf8_lossy(&output.stdout).lines().map(String::from).collect())
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
