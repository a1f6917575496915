//! What the rows of a run add up to: counts and scores by folder and property, and the data of quantile plots.

use crate::outcome::Status;
use crate::reasons::{Reason, Reasons};
use crate::results::{Row, write_whole};
use crate::task::Task;
use anyhow::Result;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

/// Counts while a run goes on.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub all: usize,
    pub done: usize,
    /// Rows of an earlier run among those that are done.
    pub kept: usize,
    pub counts: BTreeMap<Status, usize>,
    pub holds: usize,
    pub violated: usize,
    /// Violations where no answer is expected.
    pub unexpected_violations: usize,
}

impl Tally {
    pub fn of(all: usize) -> Tally {
        Tally { all, ..Tally::default() }
    }

    pub fn add_kept(&mut self, row: &Row) {
        self.kept += 1;
        self.add(row);
    }

    pub fn add(&mut self, row: &Row) {
        self.done += 1;
        *self.counts.entry(row.status).or_default() += 1;
        self.holds += usize::from(row.answer() == Some(true));
        self.violated += usize::from(row.answer() == Some(false));
        self.unexpected_violations += usize::from(row.status == Status::Decided && row.answer() == Some(false));
    }

    pub fn count(&self, status: Status) -> usize {
        self.counts.get(&status).copied().unwrap_or(0)
    }
}

/// Points of the competition (SV-COMP 2024, rules, section "Scoring"): 2 for a proof, 1 for a violation, -32 and -16 for wrong ones.
pub fn score(row: &Row) -> i64 {
    match (row.status, row.answer()) {
        (Status::Correct, Some(true)) => 2,
        (Status::Correct, Some(false)) => 1,
        (Status::Wrong, Some(true)) => -32,
        (Status::Wrong, Some(false)) => -16,
        _ => 0,
    }
}

/// The points of a task that is answered rightly.
pub fn best_score(row: &Row) -> i64 {
    match row.expected.as_deref() {
        None => 0,
        Some("true") => 2,
        Some(_) => 1,
    }
}

/// A line of the table: a folder and a property, a property, or everything.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Group {
    pub folder: String,
    pub property: String,
    pub tasks: usize,
    pub correct_true: usize,
    pub correct_false: usize,
    pub wrong_true: usize,
    pub wrong_false: usize,
    /// Answers where none is expected.
    pub decided_true: usize,
    pub decided_false: usize,
    pub undecided: usize,
    pub error: usize,
    pub score: i64,
    pub best_score: i64,
    pub cpu_s: f64,
    pub wall_s: f64,
    /// The largest of one task.
    pub memory_mb: f64,
}

impl Group {
    fn add(&mut self, row: &Row) {
        let count = match (row.status, row.answer()) {
            (Status::Correct, Some(true)) => &mut self.correct_true,
            (Status::Correct, _) => &mut self.correct_false,
            (Status::Wrong, Some(true)) => &mut self.wrong_true,
            (Status::Wrong, _) => &mut self.wrong_false,
            (Status::Decided, Some(true)) => &mut self.decided_true,
            (Status::Decided, _) => &mut self.decided_false,
            (Status::Undecided, _) => &mut self.undecided,
            (Status::Error, _) => &mut self.error,
        };
        *count += 1;
        self.tasks += 1;
        self.score += score(row);
        self.best_score += best_score(row);
        self.cpu_s += row.cpu_s;
        self.wall_s += row.wall_s;
        self.memory_mb = self.memory_mb.max(row.memory_mb);
    }

    pub fn correct(&self) -> usize {
        self.correct_true + self.correct_false
    }

    pub fn wrong(&self) -> usize {
        self.wrong_true + self.wrong_false
    }

    pub fn decided(&self) -> usize {
        self.decided_true + self.decided_false
    }
}

/// One point of a quantile plot: so many answers, each within that time. The score starts at what wrong answers cost.
#[derive(Clone, Debug, Serialize)]
pub struct Quantile {
    pub answers: usize,
    pub score: i64,
    pub cpu_s: f64,
}

#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// By folder and property, sorted.
    pub groups: Vec<Group>,
    pub properties: Vec<Group>,
    pub total: Group,
    pub quantiles: Vec<Quantile>,
    /// Why tasks have no answer.
    pub reasons: Vec<Reason>,
}

impl Summary {
    pub fn of(rows: impl Iterator<Item = Row>) -> Summary {
        let mut groups: BTreeMap<(String, String), Group> = BTreeMap::new();
        let mut properties: BTreeMap<String, Group> = BTreeMap::new();
        let (mut total, mut answers, mut lost) = (Group::default(), Vec::new(), 0);
        let mut reasons = Reasons::default();
        for row in rows {
            let folder = Task::folder_of(&row.task).to_string();
            let empty = Group { folder: folder.clone(), property: row.property.clone(), ..Group::default() };
            let whole = Group { property: row.property.clone(), ..Group::default() };
            groups.entry((folder, row.property.clone())).or_insert(empty).add(&row);
            properties.entry(row.property.clone()).or_insert(whole).add(&row);
            total.add(&row);
            reasons.add(&row);
            match row.status {
                Status::Correct | Status::Decided => answers.push((row.cpu_s, score(&row))),
                Status::Wrong => lost += score(&row),
                _ => {}
            }
        }
        answers.sort_by(|left, right| left.0.total_cmp(&right.0));
        let mut points = lost;
        let quantile = |(index, (cpu_s, score)): (usize, &(f64, i64))| {
            points += score;
            Quantile { answers: index + 1, score: points, cpu_s: *cpu_s }
        };
        let quantiles = answers.iter().enumerate().map(quantile).collect();
        Summary {
            groups: groups.into_values().collect(),
            properties: properties.into_values().collect(),
            total,
            quantiles,
            reasons: reasons.sorted(),
        }
    }

    pub fn write(&self, path: &Path) -> Result<()> {
        write_whole(path, |out| Ok(writeln!(out, "{}", serde_json::to_string_pretty(self)?)?))
    }

    /// The table for people.
    pub fn table(&self) -> String {
        let has_expected = self.total.best_score > 0;
        let mut lines: Vec<[String; 10]> = vec![
            ["folder", "property", "tasks", "correct", "wrong", "undecided", "error", "score", "cpu s", "MB"]
                .map(String::from),
        ];
        if !has_expected {
            lines[0][3] = "decided".into();
            lines[0][4] = "violated".into();
        }
        let named = self.groups.iter().map(|group| (if group.folder.is_empty() { "." } else { &group.folder }, group));
        let by_property = self
            .properties
            .iter()
            .map(|group| ("all", group))
            .filter(|_| self.properties.len() > 1 && self.groups.len() > self.properties.len());
        let total = Some(("total", &self.total)).filter(|_| self.groups.len() != 1);
        for (folder, group) in named.chain(by_property).chain(total) {
            let (good, bad) = match has_expected {
                true => (group.correct() + group.decided(), group.wrong()),
                false => (group.decided(), group.decided_false),
            };
            let score = if group.best_score > 0 { format!("{}/{}", group.score, group.best_score) } else { "-".into() };
            lines.push([
                folder.to_string(),
                group.property.clone(),
                group.tasks.to_string(),
                good.to_string(),
                bad.to_string(),
                group.undecided.to_string(),
                group.error.to_string(),
                score,
                format!("{:.1}", group.cpu_s),
                format!("{:.0}", group.memory_mb),
            ]);
        }
        aligned(&lines, 2)
    }
}

/// Columns side by side, the first ones to the left and the others to the right.
pub fn aligned<const N: usize>(lines: &[[String; N]], left: usize) -> String {
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..N).map(width).collect();
    let line = |line: &[String; N]| {
        let cell = |column: usize| match column < left {
            true => format!("{:<width$}", line[column], width = widths[column]),
            false => format!("{:>width$}", line[column], width = widths[column]),
        };
        (0..N).map(cell).collect::<Vec<String>>().join("  ").trim_end().to_string()
    };
    lines.iter().map(line).collect::<Vec<String>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(task: &str, expected: Option<&str>, verdict: &str, status: Status, cpu_s: f64) -> Row {
        Row {
            task: task.into(),
            property: "unreach-call".into(),
            expected: expected.map(String::from),
            verdict: verdict.into(),
            status,
            reason: None,
            cpu_s,
            wall_s: cpu_s,
            memory_mb: 1.0,
            exit_code: Some(0),
            files: String::new(),
        }
    }

    #[test]
    fn scores_are_those_of_the_competition() {
        let rows = [
            row("a/1.yml", Some("true"), "true", Status::Correct, 3.0),
            row("a/2.yml", Some("false"), "false(unreach-call)", Status::Correct, 1.0),
            row("b/3.yml", Some("false"), "true", Status::Wrong, 1.0),
            row("b/4.yml", Some("true"), "false(unreach-call)", Status::Wrong, 1.0),
            row("b/5.yml", Some("true"), "timeout", Status::Undecided, 9.0),
        ];
        let summary = Summary::of(rows.into_iter());
        assert_eq!((summary.total.score, summary.total.best_score), (2 + 1 - 32 - 16, 2 + 1 + 1 + 2 + 2));
        assert_eq!(summary.groups.len(), 2);
        let scores: Vec<(usize, i64, f64)> =
            summary.quantiles.iter().map(|at| (at.answers, at.score, at.cpu_s)).collect();
        assert_eq!(scores, [(1, -47, 1.0), (2, -45, 3.0)]);
        assert!(summary.table().contains("total"), "{}", summary.table());
    }
}
