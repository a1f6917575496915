//! Counterexample minimization (paper 1, section 4): the shortest run that fails in the same place, then the one with the smallest values.
//! Each strategy is one file and one line in [`MINIMIZERS`].

pub mod freedom;
mod greedy;
mod locked;
mod optimal;
mod weights;

use crate::Failure;
use base::Budget;
use evidence::Measure;

/// What is to be small, in the order of importance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Objective {
    /// Steps that give something a value.
    Length,
    /// The absolute values of what they give, added up.
    Values,
    /// Inputs that are not zero.
    Inputs,
    /// Calls of functions of the program.
    Calls,
}

impl Objective {
    pub const ALL: [Objective; 4] = [Objective::Length, Objective::Values, Objective::Inputs, Objective::Calls];
    pub const DEFAULT: [Objective; 2] = [Objective::Length, Objective::Values];

    pub fn name(self) -> &'static str {
        match self {
            Objective::Length => "length",
            Objective::Values => "values",
            Objective::Inputs => "inputs",
            Objective::Calls => "calls",
        }
    }
}

/// What is known of one objective.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reached {
    pub objective: Objective,
    pub cost: u128,
    /// No run that is as good in the objectives before costs less.
    pub lower_bound: u128,
    pub proven: bool,
}

pub struct Minimized<'p> {
    pub failure: Failure<'p>,
    pub measure: Measure,
    /// As far as the budget went; only `optimal` proves anything.
    pub reached: Vec<Reached>,
    /// All objectives are at their minimum among all runs within the bound.
    pub proven: bool,
    /// The bound within which all runs were considered.
    pub bound: Option<u32>,
}

impl<'p> Minimized<'p> {
    fn unchanged(failure: &Failure<'p>) -> Self {
        let measure = failure.measure();
        Minimized { failure: failure.clone(), measure, reached: Vec::new(), proven: false, bound: None }
    }

    /// The lower bound of an objective.
    pub fn lower_bound(&self, objective: Objective) -> u128 {
        self.reached.iter().find(|reached| reached.objective == objective).map_or(0, |reached| reached.lower_bound)
    }
}

pub struct Minimizer {
    pub name: &'static str,
    pub about: &'static str,
    pub run: for<'p> fn(&Failure<'p>, &[Objective], &Budget) -> Minimized<'p>,
}

pub static MINIMIZERS: &[Minimizer] = &[
    Minimizer { name: "none", about: "the run as it was found", run: |failure, _, _| Minimized::unchanged(failure) },
    Minimizer { name: "greedy", about: "one guard and one bit after the other, quickly", run: greedy::minimize },
    Minimizer { name: "optimal", about: "the optimum over all runs within the bound, proven", run: optimal::minimize },
];

pub fn minimizer(name: &str) -> Option<&'static Minimizer> {
    MINIMIZERS.iter().find(|minimizer| minimizer.name == name)
}
