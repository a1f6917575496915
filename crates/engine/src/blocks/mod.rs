//! Programs as large blocks between loop heads, for searches that refine an abstraction by infeasible paths: `steps` are the blocks, `path` executes
//! sequences of them, `interpolants` (made of the `atoms` of steps) say why a path is infeasible, and `invariants` makes what is reachable in an abstraction
//! candidates for [`crate::induction`], written in C by `expression`.

pub mod atoms;
pub mod expression;
pub mod interpolants;
pub mod invariants;
pub mod path;
pub mod steps;

use crate::induction::{self, Begun, Found, Goal};
use crate::system::Told;
use base::Budget;
use cfa::{Program, Task};
use encode::on_large_stack;
use evidence::{Invariant, Reason, Verdict};
use std::sync::Arc;

/// Why a search ends without an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    OutOfBudget,
    /// A path on which something goes wrong is feasible, as far as the points show.
    Feasible,
    /// No precision excludes a path.
    Stuck,
}

/// A search in an abstraction that is refined.
pub trait Search {
    /// Goes on until nothing goes wrong in the abstraction; it can be asked again when the budget ended.
    fn run(&mut self, budget: &Budget) -> Result<(), Stop>;

    /// What is reachable in the abstraction, as candidates for invariants; their expressions are added to the program.
    fn invariants(&self, program: &mut Program) -> Vec<Invariant>;
}

/// Makes a search, where the known invariants are taken for granted; `None` if the program cannot be made a transition system.
pub type Begin = dyn for<'p> Fn(Task<'p>, Told<'_>, u32, &Budget) -> Option<Box<dyn Search + 'p>> + Sync;

/// Safe with a proof by invariants, among them all that are given; or unknown.
pub fn prove(begin: &Begin, goal: &Goal<'_>, task: Task<'_>, budget: &Budget) -> Verdict {
    on_large_stack(|| {
        let (program, known) = match induction::begin(goal, induction::facts, task, budget, || None) {
            Begun::Decided(verdict) => return verdict,
            Begun::Open { program, known, .. } => (program, known),
        };
        let told = Told { known: &known, seeds: goal.given };
        let Some(mut search) = begin(task.about(&program), told, goal.unwind, budget) else {
            return Verdict::Unknown(Reason::Budget { bound: 0 });
        };
        if let Err(stop) = search.run(budget) {
            return Verdict::Unknown(match stop {
                Stop::OutOfBudget => Reason::Budget { bound: 0 },
                Stop::Feasible | Stop::Stuck => Reason::NotProved { edge: cfa::EdgeId(0) },
            });
        }
        let mut extended = (*program).clone();
        let found = search.invariants(&mut extended);
        induction::check(goal, task, Arc::new(extended), &known, Found::AtTheEnd(&found), budget)
    })
}
