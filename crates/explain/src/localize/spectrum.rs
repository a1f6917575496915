//! Spectrum scores: how often a line is executed by failing and by passing runs (Ochiai; Abreu et al. 2007).

use super::LocalizeOptions;
use super::diagnosis::covered;
use super::lines::{Line, Lines};
use super::rank::by_score;
use crate::Failure;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Default)]
pub struct Spectrum {
    scores: Vec<(Line, f64)>,
}

impl Spectrum {
    /// Empty without passing runs: it has nothing to say then.
    pub fn of(failures: &[Failure<'_>], options: &LocalizeOptions<'_>) -> Spectrum {
        let Some(first) = failures.first().filter(|_| !options.passing.is_empty()) else { return Spectrum::default() };
        let lines = Lines::new(options.sources, options.trusted);
        let executed = |failure: &Failure<'_>| -> BTreeSet<Line> {
            covered(failure).into_iter().filter_map(|edge| lines.of(first.task.program, edge)).collect()
        };
        let mut counts: BTreeMap<Line, (u32, u32)> = BTreeMap::new();
        for failure in failures {
            executed(failure).into_iter().for_each(|line| counts.entry(line).or_default().0 += 1);
        }
        for tape in options.passing {
            let run = first.with_tape(tape);
            executed(&run).into_iter().for_each(|line| counts.entry(line).or_default().1 += 1);
        }
        let all = failures.len() as f64;
        let ochiai = |(failed, passed): (u32, u32)| {
            let (failed, passed) = (failed as f64, passed as f64);
            if failed == 0.0 { 0.0 } else { failed / (all * (failed + passed)).sqrt() }
        };
        Spectrum { scores: counts.into_iter().map(|(line, count)| (line, ochiai(count))).collect() }
    }

    /// Lines with their scores.
    pub fn scores(&self) -> &[(Line, f64)] {
        &self.scores
    }

    pub fn ranks(&self) -> Vec<(Line, f64)> {
        by_score(self.scores.iter().filter(|(_, score)| *score > 0.0).cloned().collect())
    }
}
