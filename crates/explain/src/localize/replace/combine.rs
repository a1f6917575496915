//! From what is known of single lines to sets of lines that explain all failing runs together.

use super::{Bench, LineResult};
use crate::localize::diagnosis::{Diagnoses, Diagnosis};
use crate::localize::lines::Line;
use cfa::EdgeId;
use std::collections::BTreeSet;

/// Sets of several lines that are listed, and those of which all runs are looked at.
const MAX_SETS: usize = 40;
/// Lines that sets are made of, those that help most runs.
const MAX_LINES_OF_SETS: usize = 40;

impl Bench<'_> {
    /// The sets of lines that follow from what is known of each line; where no set helps all failing runs, the lines that help some.
    pub(super) fn diagnoses(&self, lines: &[(Line, BTreeSet<EdgeId>)], results: &[(Line, LineResult)]) -> Diagnoses {
        let mut found = Diagnoses { first_output: self.first_output, ..Diagnoses::default() };
        // Lines that help some failing runs, and which.
        let mut partial: Vec<(Line, Vec<bool>)> = Vec::new();
        for (line, result) in results {
            let helps_all = result.helped.iter().all(|helped| *helped);
            if helps_all {
                let flexibility = result.flexibility();
                found.sets.push(Diagnosis { lines: vec![line.clone()], cost: 1, flexibility });
            } else if result.helped.contains(&true) {
                partial.push((line.clone(), result.helped.clone()));
            }
            if result.gave_up && !helps_all {
                found.unanswered.push(line.clone());
            }
        }
        // One line that everything wrong passes through hides several faults behind it.
        let is_rigid = |set: &Diagnosis| set.flexibility == Some(0.0);
        if found.first_output || found.sets.iter().all(is_rigid) {
            found.sets.extend(self.several(lines, partial.clone()));
        }
        // Some run needs changes of two lines at once.
        if found.sets.is_empty() {
            found.runs = self.failing.len().min(self.deciding);
            found.partial = partial.iter().map(|(line, helped)| (line.clone(), count(&helped[..found.runs]))).collect();
            found.partial.sort_by_key(|(_, helped)| std::cmp::Reverse(*helped));
        }
        found
    }

    /// The smallest sets of several lines of which one helps each failing run: there may be several faults.
    fn several(&self, lines: &[(Line, BTreeSet<EdgeId>)], mut partial: Vec<(Line, Vec<bool>)>) -> Vec<Diagnosis> {
        partial.sort_by_key(|(_, helped)| std::cmp::Reverse(count(helped)));
        partial.truncate(MAX_LINES_OF_SETS);
        let mut chosen = sets(&partial, self.failing.len().min(self.deciding));
        if self.deciding < self.failing.len() {
            let needed: BTreeSet<&Line> = chosen.iter().flatten().map(|index| &partial[*index].0).collect();
            let open: Vec<_> = lines.iter().filter(|(line, _)| needed.contains(line)).cloned().collect();
            let known = Bench { deciding: usize::MAX, ..*self }.all(&open);
            partial = known.into_iter().map(|(line, result)| (line, result.helped)).collect();
            chosen = sets(&partial, self.failing.len());
        }
        let cost = |set: &Vec<usize>| set.len() as u32;
        let lines = |set: &Vec<usize>| set.iter().map(|index| partial[*index].0.clone()).collect();
        chosen.iter().map(|set| Diagnosis { lines: lines(set), cost: cost(set), flexibility: None }).collect()
    }
}

/// The smallest sets of lines (two, or three) of which one helps each run, as indices. Those that help more runs come first, and of these those that share fewer.
fn sets(partial: &[(Line, Vec<bool>)], runs: usize) -> Vec<Vec<usize>> {
    let covers = |set: &[usize]| (0..runs).all(|run| set.iter().any(|line| partial[*line].1[run]));
    let helps = |set: &[usize]| -> usize { set.iter().map(|line| count(&partial[*line].1[..runs])).sum() };
    let mut found: Vec<Vec<usize>> = Vec::new();
    for first in 0..partial.len() {
        found.extend((first + 1..partial.len()).map(|second| vec![first, second]).filter(|set| covers(set)));
    }
    if found.is_empty() {
        for first in 0..partial.len() {
            for second in first + 1..partial.len() {
                let three = (second + 1..partial.len()).map(|third| vec![first, second, third]);
                found.extend(three.filter(|set| covers(set)));
            }
        }
    }
    found.sort_by_key(|set| std::cmp::Reverse(helps(set)));
    found.truncate(MAX_SETS);
    found
}

impl Diagnoses {
    /// How many failing runs one line helps at most, where none helps all.
    pub(super) fn best(&self) -> usize {
        self.partial.first().map_or(0, |(_, helped)| *helped)
    }
}

fn count(helped: &[bool]) -> usize {
    helped.iter().filter(|helped| **helped).count()
}
