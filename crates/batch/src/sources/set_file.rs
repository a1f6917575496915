//! Set files of the competition: a pattern on each line, relative to the folder of the file; lines that start with `#` are comments.

use super::{Named, Question, matches, of_file};
use crate::task::Task;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

pub fn takes(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "set")
}

pub fn tasks(path: &Path, named: &Named, question: &Question) -> Result<Vec<Task>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
    let mut tasks = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let pattern = folder.join(line).display().to_string();
        let found: Vec<PathBuf> = matches(&pattern)?.into_iter().filter(|found| found != path).collect();
        if found.is_empty() {
            tasks
                .push(Task::unreadable(format!("{}:{line}", named.name(path)), "no file matches this line of the set"));
        }
        let inside = Named { base: folder.clone() };
        tasks.extend(found.iter().flat_map(|file| of_file(file, &inside, question)));
    }
    Ok(tasks)
}
