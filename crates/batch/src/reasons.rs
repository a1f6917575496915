//! Why tasks have no answer: one line for each reason, with the number of tasks and the first of them.

use crate::outcome::Status;
use crate::results::Row;
use serde::Serialize;
use std::collections::BTreeMap;

/// How many tasks of a reason are named.
const NAMED: usize = 3;

/// Tasks without an answer that have the same reason.
#[derive(Clone, Debug, Serialize)]
pub struct Reason {
    pub status: Status,
    pub verdict: String,
    /// As the first of the tasks has it.
    pub reason: Option<String>,
    pub tasks: usize,
    /// The first ones.
    pub names: Vec<String>,
}

#[derive(Default)]
pub struct Reasons(BTreeMap<(Status, String, String), Reason>);

impl Reasons {
    pub fn add(&mut self, row: &Row) {
        if !matches!(row.status, Status::Undecided | Status::Error) {
            return;
        }
        let key = (row.status, row.verdict.clone(), without_paths(row.reason.as_deref().unwrap_or("")));
        let found = self.0.entry(key).or_insert_with(|| Reason {
            status: row.status,
            verdict: row.verdict.clone(),
            reason: row.reason.clone(),
            tasks: 0,
            names: Vec::new(),
        });
        found.tasks += 1;
        if found.names.len() < NAMED {
            let property = if row.property.is_empty() { String::new() } else { format!(" ({})", row.property) };
            found.names.push(format!("{}{property}", row.task));
        }
    }

    /// By status, the most frequent ones first.
    pub fn sorted(self) -> Vec<Reason> {
        let mut all: Vec<Reason> = self.0.into_values().collect();
        all.sort_by_key(|reason| (reason.status, std::cmp::Reverse(reason.tasks)));
        all
    }
}

impl Reason {
    pub fn line(&self) -> String {
        let reason =
            self.reason.as_ref().map_or(String::new(), |reason| format!(": {}", reason.trim_start_matches("error: ")));
        let more = if self.tasks > self.names.len() { ", …" } else { "" };
        format!("{} × {}{reason} [{}{more}]", self.tasks, self.verdict, self.names.join(", "))
    }
}

/// The same reason names another file in every task.
fn without_paths(reason: &str) -> String {
    let word = |word: &str| if word.contains('/') { "…".to_string() } else { word.to_string() };
    reason.split(' ').map(word).collect::<Vec<String>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(task: &str, status: Status, verdict: &str, reason: Option<&str>) -> Row {
        Row {
            task: task.into(),
            property: "p".into(),
            expected: None,
            verdict: verdict.into(),
            status,
            reason: reason.map(String::from),
            cpu_s: 0.0,
            wall_s: 0.0,
            memory_mb: 0.0,
            exit_code: None,
            files: String::new(),
        }
    }

    #[test]
    fn tasks_with_the_same_reason_are_one_line() {
        let mut reasons = Reasons::default();
        for name in ["a", "b", "c", "d"] {
            reasons.add(&row(name, Status::Error, "error", Some(&format!("cannot read /x/{name}.c"))));
        }
        reasons.add(&row("e", Status::Undecided, "unknown(budget)", None));
        reasons.add(&row("f", Status::Correct, "true", None));
        let lines: Vec<String> = reasons.sorted().iter().map(Reason::line).collect();
        assert_eq!(lines, ["1 × unknown(budget) [e (p)]", "4 × error: cannot read /x/a.c [a (p), b (p), c (p), …]"]);
    }
}
