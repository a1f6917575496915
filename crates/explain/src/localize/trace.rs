//! The error trace that localizers on one run work on: the run as a formula, and the line of each step that can be a suspect.

use super::lines::{Line, Lines};
use crate::Failure;
use base::Budget;
use encode::{Names, NoFormula, Origin, PathStep};
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

    /// Why a failing run has no formula, in words; `None` if it has one.
    pub fn why_none(failure: &Failure<'p>, budget: &Budget) -> Option<String> {
        Some(match RunFormula::why_none(failure.task, &failure.tape, budget)? {
            NoFormula::NoViolation => "its formula does not follow the run to the failure".into(),
            NoFormula::AssumptionFailed(_) => "an assumption does not hold where its formula comes to it".into(),
            NoFormula::OutOfInputs(_) => "its formula asks for more inputs than the run".into(),
            NoFormula::Undefined(fault, _) => format!("its formula stops before the failure: {}", fault.describe()),
            NoFormula::Unsupported(construct, _) => format!("its formulas do not model this: {construct}"),
            NoFormula::TooLong => "the run is too long for it".into(),
            NoFormula::OutOfBudget => "time ran out".into(),
        })
    }
}
