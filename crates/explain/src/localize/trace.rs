//! The error trace that localizers on one run work on: the run as a formula, and the line of each step that can be a suspect.

use super::lines::{Line, Lines};
use crate::Failure;
use base::Budget;
use encode::{Names, Origin, PathStep};
use interpolate::RunFormula;

pub struct ErrorTrace<'p> {
    pub run: RunFormula<'p>,
    /// Where each step can be blamed; `None` for the assertion's own evaluation and for functions that are trusted.
    pub lines: Vec<Option<Line>>,
}

impl<'p> ErrorTrace<'p> {
    pub fn of(failure: &Failure<'p>, names: Names, lines: &Lines<'_>, budget: &Budget) -> Option<Self> {
        let run = RunFormula::of(failure.task, &failure.tape, names, budget)?;
        let blamed = |step: &PathStep| {
            let (Origin::Edge(edge) | Origin::Frame(edge)) = step.origin;
            lines.suspect(failure, edge)
        };
        let mut lines: Vec<Option<Line>> = run.formula.steps.iter().map(blamed).collect();
        for step in &run.deciding {
            lines[*step] = None;
        }
        Some(ErrorTrace { run, lines })
    }
}
