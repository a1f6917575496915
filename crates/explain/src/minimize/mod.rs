//! Counterexample minimization (Groce and Kroening 2005, section 4): the shortest run that fails in the same place, then the one with the smallest
//! values. Of a program that runs in cycles: the fewest cycles, then the fewest changes of inputs, then the smallest values. Each strategy is one file and one
//! line in [`MINIMIZERS`].

pub(crate) mod cycles;
pub mod failing_box;
mod floats;
pub mod freedom;
mod greedy;
mod locked;
mod optimal;
pub(crate) mod weights;

use crate::Failure;
use crate::replay::Costs;
use base::Budget;
use cfa::Program;
use cycles::CycleEdges;
use encode::on_large_stack;

/// The strategy that leaves a run as it is.
pub const NO_MINIMIZER: &str = "none";

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
    /// Iterations of the cycle of a reactive program; other programs have none.
    Cycles,
    /// Inputs that are not what they were one iteration of the cycle before.
    Changes,
}

impl Objective {
    pub const ALL: [Objective; 6] = [
        Objective::Length,
        Objective::Values,
        Objective::Inputs,
        Objective::Calls,
        Objective::Cycles,
        Objective::Changes,
    ];
    const DEFAULT: [Objective; 2] = [Objective::Length, Objective::Values];
    const OF_CYCLES: [Objective; 3] = [Objective::Cycles, Objective::Changes, Objective::Values];

    /// What is to be small unless something else is asked for.
    pub fn usual(program: &Program) -> &'static [Objective] {
        if CycleEdges::of(program).is_some() { &Objective::OF_CYCLES } else { &Objective::DEFAULT }
    }

    /// Objectives in the order of a list, without repetition; what it leaves open the usual ones decide.
    pub fn completed(list: &[Objective], program: &Program) -> Vec<Objective> {
        let mut all: Vec<Objective> = Vec::new();
        for objective in list.iter().chain(Objective::usual(program)) {
            if !all.contains(objective) {
                all.push(*objective);
            }
        }
        all
    }

    pub fn about(self) -> &'static str {
        match self {
            Objective::Length => "steps that give something a value",
            Objective::Values => "the sum of the absolute values that they give",
            Objective::Inputs => "inputs that are not zero",
            Objective::Calls => "calls of functions of the program",
            Objective::Cycles => "cycles of a program that runs in cycles",
            Objective::Changes => "changes of inputs from one cycle to the next",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Objective::ALL.into_iter().find(|objective| objective.name() == name)
    }

    fn of(self, costs: &Costs) -> u128 {
        match self {
            Objective::Length => costs.measure.length.into(),
            Objective::Values => costs.measure.sum,
            Objective::Inputs => costs.inputs.into(),
            Objective::Calls => costs.calls.into(),
            Objective::Cycles => costs.cycles.into(),
            Objective::Changes => costs.changes.into(),
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Objective::Length => "length",
            Objective::Values => "values",
            Objective::Inputs => "inputs",
            Objective::Calls => "calls",
            Objective::Cycles => "cycles",
            Objective::Changes => "changes",
        }
    }
}

/// What is known of one objective.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ObjectiveResult {
    pub objective: Objective,
    pub cost: u128,
    /// No run that is as good in the objectives before costs less.
    pub lower_bound: u128,
    pub proven: bool,
}

pub struct Minimized<'p> {
    pub failure: Failure<'p>,
    pub costs: Costs,
    /// As far as the budget went; only `optimal` proves anything.
    pub reached: Vec<ObjectiveResult>,
    /// All objectives are at their minimum among all runs within the bound.
    pub proven: bool,
    /// The bound within which all runs were considered.
    pub bound: Option<u32>,
}

impl<'p> Minimized<'p> {
    fn unchanged(failure: &Failure<'p>) -> Self {
        let costs = failure.costs();
        Minimized { failure: failure.clone(), costs, reached: Vec::new(), proven: false, bound: None }
    }

    fn take(&mut self, failure: Failure<'p>) {
        self.costs = failure.costs();
        self.failure = failure;
    }

    /// What the run costs, the most important objective first.
    pub fn costs_of(&self, objectives: &[Objective]) -> Vec<u128> {
        objectives.iter().map(|objective| objective.of(&self.costs)).collect()
    }

    /// The run of another result if that one is better: no strategy is worse than a simpler one.
    pub fn or_better(mut self, other: &Self, objectives: &[Objective]) -> Self {
        if other.costs_of(objectives) < self.costs_of(objectives) {
            (self.failure, self.costs, self.proven) = (other.failure.clone(), other.costs, false);
        }
        self
    }

    /// The lower bound of an objective, if it was looked at.
    pub fn lower_bound(&self, objective: Objective) -> Option<u128> {
        self.reached.iter().find(|reached| reached.objective == objective).map(|reached| reached.lower_bound)
    }
}

pub struct Minimizer {
    pub name: &'static str,
    pub about: &'static str,
    /// Whether it also says how good any other run can be at most.
    pub proves: bool,
    pub run: Strategy,
}

/// The strategy that is used unless another one is chosen.
pub const DEFAULT_MINIMIZER: &str = "optimal";

/// Each goes on from where the one before it stops being good enough.
pub static MINIMIZERS: &[Minimizer] = &[
    Minimizer {
        name: NO_MINIMIZER,
        about: "the run as it was found",
        proves: false,
        run: |failure, _, _| Minimized::unchanged(failure),
    },
    Minimizer {
        name: "greedy",
        about: "one guard and one bit after the other, quickly",
        proves: false,
        run: |failure, objectives, budget| simplest(greedy::minimize, failure, objectives, budget),
    },
    Minimizer {
        name: DEFAULT_MINIMIZER,
        about: "the optimum over all runs within the bound, proven",
        proves: true,
        run: |failure, objectives, budget| simplest(optimal::minimize, failure, objectives, budget),
    },
];

type Strategy = for<'p> fn(&Failure<'p>, &[Objective], &Budget) -> Minimized<'p>;

fn simplest<'p>(strategy: Strategy, failure: &Failure<'p>, objectives: &[Objective], budget: &Budget) -> Minimized<'p> {
    on_large_stack(|| {
        let mut result = strategy(failure, objectives, budget);
        floats::simplify(&mut result, budget);
        result
    })
}

pub fn default_minimizer() -> &'static Minimizer {
    minimizer(DEFAULT_MINIMIZER).expect("the default is in the table")
}

pub fn minimizer(name: &str) -> Option<&'static Minimizer> {
    MINIMIZERS.iter().find(|minimizer| minimizer.name == name)
}
