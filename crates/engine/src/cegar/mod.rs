//! Counterexample-guided abstraction refinement (Clarke et al. 2003): an abstract reachability graph over loop heads is explored until nothing goes wrong
//! in it; where something does, the path is executed symbolically, and why it is infeasible becomes part of the precision. A domain is one file and one
//! line in [`DOMAINS`].
//!
//! What comes out are candidates for invariants, no proof: the inductiveness check of [`crate::induction`] decides. A path that is feasible ends the
//! search: other engines find violations.

mod graph;
mod predicates;
#[cfg(test)]
mod tests;
mod values;

use crate::blocks::invariants::invariants;
use crate::blocks::path::{Path, Paths};
use crate::blocks::steps::Steps;
use crate::blocks::{self, Stop};
use crate::induction::{self, Goal};
use crate::system::Told;
use crate::{Answer, Options};
use base::Budget;
use cfa::{Program, Task};
use evidence::{Invariant, Verdict};
use graph::Graph;
use logic::TermId;

/// How programs are abstracted.
pub struct Domain {
    pub name: &'static str,
    /// Abstract states that one block leads to; where there are more, they tell less.
    most_successors: usize,
    /// Conditions that are given with the task may be tracked from the start.
    takes_seeds: bool,
    /// Terms over the states at each position of an infeasible path whose values exclude it.
    refine: fn(&mut Steps<'_>, &mut Paths, &Path, &Budget) -> Result<Vec<Vec<TermId>>, Stop>,
}

pub static PREDICATES: Domain =
    Domain { name: "predicates", most_successors: 64, takes_seeds: true, refine: predicates::refine };
pub static VALUES: Domain = Domain { name: "values", most_successors: 256, takes_seeds: false, refine: values::refine };

pub static DOMAINS: &[&Domain] = &[&PREDICATES, &VALUES];

pub fn decide_predicates(task: Task<'_>, _: &Options, budget: &Budget) -> Answer {
    decide(&PREDICATES, task, budget)
}

pub fn decide_values(task: Task<'_>, _: &Options, budget: &Budget) -> Answer {
    decide(&VALUES, task, budget)
}

fn decide(domain: &'static Domain, task: Task<'_>, budget: &Budget) -> Answer {
    induction::answer(domain.name, prove(domain, &Goal::PROPERTY, task, budget))
}

/// Safe with a proof by invariants, among them all that are given; or unknown.
pub fn prove(domain: &'static Domain, goal: &Goal<'_>, task: Task<'_>, budget: &Budget) -> Verdict {
    let begin: &blocks::Begin = &move |task, told, unwind, budget| begin(domain, task, told, unwind, budget);
    blocks::prove(begin, goal, task, budget)
}

/// Begins a search in a domain; see [`blocks::Begin`].
pub fn begin<'p>(
    domain: &'static Domain,
    task: Task<'p>,
    told: Told<'_>,
    unwind: u32,
    budget: &Budget,
) -> Option<Box<dyn blocks::Search + 'p>> {
    Some(Box::new(Refinement::new(domain, task, told, unwind, budget)?))
}

struct Refinement<'p> {
    domain: &'static Domain,
    steps: Steps<'p>,
    paths: Paths,
    graph: Graph,
}

impl<'p> Refinement<'p> {
    /// The search, where the known invariants are taken for granted; `None` if the program cannot be made a transition system.
    fn new(domain: &'static Domain, task: Task<'p>, told: Told<'_>, unwind: u32, budget: &Budget) -> Option<Self> {
        let steps = Steps::new(task, told, unwind, budget)?;
        let mut graph = Graph::new(&steps, domain.most_successors);
        if domain.takes_seeds {
            for (precision, place) in graph.precision.iter_mut().zip(&steps.places) {
                precision.extend(&place.seeds);
            }
        }
        Some(Refinement { domain, steps, paths: Paths::default(), graph })
    }
}

impl blocks::Search for Refinement<'_> {
    fn run(&mut self, budget: &Budget) -> Result<(), Stop> {
        while let Some(node) = self.graph.explore(&mut self.steps, budget)? {
            let (blocks, nodes) = self.graph.path(node);
            let path = self.paths.path(&mut self.steps, &blocks);
            if self.paths.is_feasible(&self.steps, &path, budget)? {
                return Err(Stop::Feasible);
            }
            let terms = (self.domain.refine)(&mut self.steps, &mut self.paths, &path, budget)?;
            self.graph.refine(&nodes, &terms)?;
        }
        Ok(())
    }

    fn invariants(&self, program: &mut Program) -> Vec<Invariant> {
        let states: Vec<_> = self.graph.nodes().map(|node| (node.place, node.cube.as_slice())).collect();
        invariants(program, &self.steps, &states)
    }
}
