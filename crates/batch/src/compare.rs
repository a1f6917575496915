//! Two runs side by side: answers that were gained, lost or changed, and how the times of what both answer relate.

use crate::outcome::Status;
use crate::results::Row;
use crate::summary::aligned;
use serde::Serialize;
use std::collections::BTreeMap;

/// How a task differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// It was answered, and is no more.
    Lost,
    /// Both answer, differently; or an answer became right or wrong.
    Changed,
    /// It was not answered, and is now.
    Gained,
    /// Neither answers, for different reasons.
    Undecided,
    Added,
    Removed,
}

impl Change {
    pub fn name(self) -> &'static str {
        match self {
            Change::Lost => "lost",
            Change::Changed => "changed",
            Change::Gained => "gained",
            Change::Undecided => "still undecided",
            Change::Added => "only in the new run",
            Change::Removed => "only in the old run",
        }
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct Difference {
    pub change: Change,
    pub task: String,
    pub property: String,
    pub old: Option<String>,
    pub new: Option<String>,
    pub status: Option<Status>,
}

/// A task that both runs have, for scatter plots.
#[derive(Clone, Debug, Serialize)]
pub struct Pair {
    pub task: String,
    pub property: String,
    pub old_cpu_s: f64,
    pub new_cpu_s: f64,
    pub both_answer: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    pub same: usize,
    pub differences: Vec<Difference>,
    pub pairs: Vec<Pair>,
    /// Geometric mean of new over old processor time, of what both answer.
    pub time_ratio: Option<f64>,
    /// New over old, of the sums.
    pub sum_ratio: Option<f64>,
}

/// Times below it are noise.
const SHORTEST: f64 = 0.001;

pub fn compare(old: &[Row], new: &[Row]) -> Comparison {
    fn key(row: &Row) -> (&str, &str) {
        (&row.task, &row.property)
    }
    let before: BTreeMap<(&str, &str), &Row> = old.iter().map(|row| (key(row), row)).collect();
    let after: BTreeMap<(&str, &str), &Row> = new.iter().map(|row| (key(row), row)).collect();
    let (mut same, mut differences, mut pairs) = (0, Vec::new(), Vec::new());
    // In the order of the new run; then what only the old one has.
    let gone = old.iter().filter(|row| !after.contains_key(&key(row))).map(|row| (Some(row), None));
    let pairs_of_rows = new.iter().map(|row| (before.get(&key(row)).copied(), Some(row)));
    for (left, right) in pairs_of_rows.chain(gone) {
        if let (Some(left), Some(right)) = (left, right) {
            let both_answer = left.answer().is_some() && right.answer().is_some();
            let (task, property) = (right.task.clone(), right.property.clone());
            pairs.push(Pair { task, property, old_cpu_s: left.cpu_s, new_cpu_s: right.cpu_s, both_answer });
        }
        match change(left, right) {
            None => same += 1,
            Some(change) => differences.extend(right.or(left).map(|row| Difference {
                change,
                task: row.task.clone(),
                property: row.property.clone(),
                old: left.map(|row| row.verdict.clone()),
                new: right.map(|row| row.verdict.clone()),
                status: right.map(|row| row.status),
            })),
        }
    }
    differences.sort_by_key(|difference| difference.change);
    let both: Vec<&Pair> = pairs.iter().filter(|pair| pair.both_answer).collect();
    let ratio = |pair: &&Pair| (pair.new_cpu_s.max(SHORTEST) / pair.old_cpu_s.max(SHORTEST)).ln();
    let time_ratio = (!both.is_empty()).then(|| (both.iter().map(ratio).sum::<f64>() / both.len() as f64).exp());
    let sum = |time: fn(&Pair) -> f64| both.iter().map(|pair| time(pair).max(SHORTEST)).sum::<f64>();
    let sum_ratio = (!both.is_empty()).then(|| sum(|pair| pair.new_cpu_s) / sum(|pair| pair.old_cpu_s));
    Comparison { same, differences, pairs, time_ratio, sum_ratio }
}

fn change(old: Option<&Row>, new: Option<&Row>) -> Option<Change> {
    let (Some(old), Some(new)) = (old, new) else {
        return Some(if old.is_none() { Change::Added } else { Change::Removed });
    };
    match (old.answer(), new.answer()) {
        (Some(_), None) => Some(Change::Lost),
        (None, Some(_)) => Some(Change::Gained),
        (Some(_), Some(_)) => (old.verdict != new.verdict || old.status != new.status).then_some(Change::Changed),
        (None, None) => (old.verdict != new.verdict).then_some(Change::Undecided),
    }
}

impl Comparison {
    pub fn count(&self, change: Change) -> usize {
        self.differences.iter().filter(|difference| difference.change == change).count()
    }

    /// For people.
    pub fn text(&self) -> String {
        let mut lines: Vec<[String; 5]> = Vec::new();
        for difference in &self.differences {
            let text = |verdict: &Option<String>| verdict.clone().unwrap_or("-".into());
            let wrong = if difference.status == Some(Status::Wrong) { "  WRONG" } else { "" };
            lines.push([
                difference.change.name().to_string(),
                difference.task.clone(),
                difference.property.clone(),
                text(&difference.old),
                format!("-> {}{wrong}", text(&difference.new)),
            ]);
        }
        let mut text = aligned(&lines, 5);
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        let changes =
            [Change::Gained, Change::Lost, Change::Changed, Change::Undecided, Change::Added, Change::Removed];
        let counts = changes.into_iter().map(|change| (self.count(change), change));
        let counts: Vec<String> = counts
            .filter(|(count, change)| *count > 0 || *change < Change::Undecided)
            .map(|(count, change)| format!("{count} {}", change.name()))
            .collect();
        text.push_str(&format!("{} the same, {}\n", self.same, counts.join(", ")));
        if let (Some(ratio), Some(sum)) = (self.time_ratio, self.sum_ratio) {
            let both = self.pairs.iter().filter(|pair| pair.both_answer).count();
            text.push_str(&format!("processor time of the {both} tasks that both answer: new/old {ratio:.3} (geometric mean), {sum:.3} (sums)\n"));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(task: &str, verdict: &str, cpu_s: f64) -> Row {
        let status = if verdict == "timeout" { Status::Undecided } else { Status::Decided };
        let (property, verdict) = ("p".to_string(), verdict.to_string());
        let (task, files) = (task.to_string(), String::new());
        Row {
            task,
            property,
            expected: None,
            verdict,
            status,
            reason: None,
            cpu_s,
            wall_s: cpu_s,
            memory_mb: 0.0,
            exit_code: None,
            files,
        }
    }

    #[test]
    fn gains_losses_and_times() {
        let old = [
            row("a", "true", 1.0),
            row("b", "timeout", 9.0),
            row("c", "true", 2.0),
            row("d", "false(p)", 1.0),
            row("e", "true", 1.0),
        ];
        let new = [
            row("a", "true", 2.0),
            row("b", "true", 1.0),
            row("c", "timeout", 9.0),
            row("d", "true", 2.0),
            row("f", "true", 1.0),
        ];
        let compared = compare(&old, &new);
        let changes: Vec<(Change, &str)> =
            compared.differences.iter().map(|one| (one.change, one.task.as_str())).collect();
        assert_eq!(
            changes,
            [
                (Change::Lost, "c"),
                (Change::Changed, "d"),
                (Change::Gained, "b"),
                (Change::Added, "f"),
                (Change::Removed, "e")
            ]
        );
        assert_eq!(compared.same, 1);
        assert!((compared.time_ratio.unwrap() - 2.0).abs() < 1e-9);
        assert!(compared.text().contains("1 gained, 1 lost, 1 changed"), "{}", compared.text());
    }
}
