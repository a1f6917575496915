//! Spectrum scores: how often a line is executed by failing and by passing runs. Each formula is one line in [`FORMULAS`], and a method of its own;
//! the merged list uses Ochiai.

use super::diagnosis::covered;
use super::lines::{Line, Lines};
use super::rank::by_score;
use super::{Score, Scores};
use crate::Failure;
use base::SourceMap;
use cfa::EdgeId;
use evidence::Tape;
use std::collections::{BTreeMap, BTreeSet};

/// How many runs execute a line, and how many there are.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Counts {
    pub failed: f64,
    pub passed: f64,
    pub all_failed: f64,
    pub all_passed: f64,
}

pub struct Formula {
    pub name: &'static str,
    pub score: fn(Counts) -> f64,
}

/// A line that all failing runs and no passing run execute: no other scores higher.
const CERTAIN: f64 = 1e9;

pub static FORMULAS: [Formula; 3] = [
    // Jones and Harrold 2005.
    Formula {
        name: "tarantula",
        score: |Counts { failed, passed, all_failed, all_passed }| {
            let (fails, passes) = (failed / all_failed, if all_passed > 0.0 { passed / all_passed } else { 0.0 });
            if fails == 0.0 { 0.0 } else { fails / (fails + passes) }
        },
    },
    // Abreu et al. 2007.
    Formula {
        name: "ochiai",
        score: |Counts { failed, passed, all_failed, .. }| {
            if failed == 0.0 { 0.0 } else { failed / (all_failed * (failed + passed)).sqrt() }
        },
    },
    // Wong et al. 2014, with the exponent 2.
    Formula {
        name: "dstar",
        score: |Counts { failed, passed, all_failed, .. }| {
            let others = passed + all_failed - failed;
            if others == 0.0 { CERTAIN } else { failed * failed / others }
        },
    },
];

#[derive(Clone, Default)]
pub struct Spectrum {
    counts: BTreeMap<Line, (u32, u32)>,
    /// How many passing runs take an edge.
    passing_edges: BTreeMap<EdgeId, u32>,
    pub failing: u32,
    pub passing: u32,
}

impl Spectrum {
    pub fn of(failures: &[Failure<'_>], passing: &[Tape], sources: &SourceMap, trusted: &[String]) -> Spectrum {
        let mut spectrum = Spectrum::default();
        let Some(first) = failures.first() else { return spectrum };
        let lines = Lines::new(sources, trusted);
        let executed = |run: &Failure<'_>| -> BTreeSet<Line> {
            covered(run).into_iter().filter_map(|edge| lines.of(first.task.program, edge)).collect()
        };
        failures.iter().for_each(|failure| spectrum.add(executed(failure), true));
        for tape in passing {
            let run = first.with_tape(tape);
            spectrum.add(executed(&run), false);
            spectrum.add_passing_edges(covered(&run));
        }
        spectrum
    }

    /// What one more passing run takes.
    pub fn add_passing_edges(&mut self, edges: impl IntoIterator<Item = EdgeId>) {
        for edge in edges {
            *self.passing_edges.entry(edge).or_default() += 1;
        }
    }

    /// How many passing runs take an edge.
    pub fn passing_through(&self, edge: EdgeId) -> u32 {
        self.passing_edges.get(&edge).copied().unwrap_or(0)
    }

    /// One more run, which executes these lines.
    pub fn add(&mut self, lines: BTreeSet<Line>, fails: bool) {
        *(if fails { &mut self.failing } else { &mut self.passing }) += 1;
        for line in lines {
            let counts = self.counts.entry(line).or_default();
            *(if fails { &mut counts.0 } else { &mut counts.1 }) += 1;
        }
    }

    /// How many failing and passing runs execute a line.
    pub fn of_line(&self, line: &Line) -> (u32, u32) {
        self.counts.get(line).copied().unwrap_or_default()
    }

    /// Lines that some failing run executes.
    pub fn failing_lines(&self) -> BTreeSet<Line> {
        self.counts.iter().filter(|(_, counts)| counts.0 > 0).map(|(line, _)| line.clone()).collect()
    }

    /// Lines with their scores; nothing without passing runs, with which all lines are alike.
    pub fn scores(&self, formula: &Formula) -> Vec<(Line, f64)> {
        if self.passing == 0 {
            return Vec::new();
        }
        let (all_failed, all_passed) = (self.failing as f64, self.passing as f64);
        let counts = |(failed, passed): (u32, u32)| Counts {
            failed: failed as f64,
            passed: passed as f64,
            all_failed,
            all_passed,
        };
        let scores = self.counts.iter().map(|(line, count)| (line.clone(), (formula.score)(counts(*count))));
        scores.filter(|(_, score)| *score > 0.0).collect()
    }

    /// The finding of the method of a name; `None` without passing runs.
    pub fn method(&self, name: &str) -> Option<Scores> {
        let formula = FORMULAS.iter().find(|formula| formula.name == name).filter(|_| self.passing > 0)?;
        let mut lines: Vec<Score> =
            self.scores(formula).into_iter().map(|(line, score)| Score { line, score }).collect();
        lines.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.line.cmp(&b.line)));
        Some(Scores { lines, rounds: Vec::new() })
    }

    pub fn ranks(&self) -> Vec<(Line, f64)> {
        by_score(self.scores(&FORMULAS[1]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas() {
        let line = |line| Line { file: "f.c".into(), line };
        let mut spectrum = Spectrum::default();
        spectrum.add([line(1), line(2), line(3)].into(), true);
        spectrum.add([line(1), line(2)].into(), true);
        spectrum.add([line(1), line(3)].into(), false);
        let score = |formula: &Formula, at: u32| {
            spectrum.scores(formula).into_iter().find(|(one, _)| one.line == at).map_or(0.0, |one| one.1)
        };
        let [tarantula, ochiai, dstar] = &FORMULAS;
        assert_eq!([score(tarantula, 1), score(tarantula, 2)], [0.5, 1.0]);
        assert!((score(ochiai, 3) - 0.5).abs() < 1e-9 && (score(ochiai, 2) - 1.0).abs() < 1e-9);
        assert_eq!([score(dstar, 1), score(dstar, 2), score(dstar, 3)], [4.0, CERTAIN, 0.5]);
    }
}
