//! One task: a name, a question, and the command that answers it.

use serde::{Deserialize, Serialize};

/// A command of the tool, and what is known about its answer. Serialized into `tasks.jsonl`, which workers of a cluster read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// Unique together with the property; the same wherever the task is run.
    pub name: String,
    pub property: String,
    pub expected: Option<Expected>,
    /// Arguments of the tool. `%o` in them stands for a path that is the task's own: files that start with it belong to the task.
    pub args: Vec<String>,
    /// Why it cannot be run, if so.
    pub problem: Option<String>,
}

/// The answer that is known to be right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expected {
    pub holds: bool,
    /// Which part of a property that is several (`valid-memsafety`) is violated.
    pub subproperty: Option<String>,
}

impl Expected {
    /// As in the results: `true`, `false`, `false(valid-deref)`.
    pub fn text(&self) -> String {
        match &self.subproperty {
            Some(part) if !self.holds => format!("false({part})"),
            _ => self.holds.to_string(),
        }
    }
}

impl Task {
    /// A task that cannot be run is a row of the results all the same.
    pub fn unreadable(name: impl Into<String>, problem: impl Into<String>) -> Task {
        let (name, problem) = (name.into(), Some(problem.into()));
        Task { name, property: String::new(), expected: None, args: Vec::new(), problem }
    }

    /// The folder of a task in tables: what comes before the last slash.
    pub fn folder_of(name: &str) -> &str {
        name.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// A file name for what the task prints and writes; the number makes it unique.
    pub fn file_stem(&self, index: usize) -> String {
        let last = self.name.rsplit('/').next().unwrap_or("");
        let readable =
            |letter: char| if letter.is_ascii_alphanumeric() || "-_".contains(letter) { letter } else { '_' };
        let stem = last.rsplit_once('.').map_or(last, |(stem, _)| stem);
        let text = if self.property.is_empty() { stem.to_string() } else { format!("{stem}.{}", self.property) };
        let text: String =
            text.chars().map(|letter| if letter == '.' { '.' } else { readable(letter) }).take(120).collect();
        format!("{:05}-{text}", index + 1)
    }
}
