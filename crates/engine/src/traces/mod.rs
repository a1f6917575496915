//! Trace abstraction (Heizmann et al. 2013; Beyer et al. 2022, section 4.1.2): the traces of the program that end where something goes wrong are a
//! language over large blocks. A trace that is infeasible is generalized to a Floyd-Hoare automaton, whose states are the parts of its interpolants and
//! which accepts infeasible traces only; the search ends when the automata accept all traces. A large block is a bad letter where it has many paths, for
//! interpolants must exclude all of them at once: a path of an excluded trace becomes a block of its own.
//!
//! What comes out are candidates for invariants, no proof, as in [`crate::cegar`]: what holds at the states of the product of program and automata
//! (Beyer et al. 2022, Table 2). A trace that is feasible ends the search.

mod difference;
mod set;
mod straight;
#[cfg(test)]
mod tests;
mod triples;

use crate::blocks::interpolants::{Cube, excluded};
use crate::blocks::invariants::invariants;
use crate::blocks::path::{Path, Paths};
use crate::blocks::steps::{Block, Steps};
use crate::blocks::{self, Stop};
use crate::induction::{self, Goal};
use crate::system::{Told, support};
use crate::{Answer, Options};
use base::Budget;
use cfa::{Program, Task};
use difference::{Difference, State, Trace, difference};
use evidence::Invariant;
use logic::{Model, TermId};
use rustc_hash::{FxHashMap, FxHashSet};
use set::Set;
use straight::straight;
use triples::Triples;

const NAME: &str = "traces";
/// Blocks of one place are not split beyond this.
const MOST_BLOCKS: usize = 400;

pub fn decide(task: Task<'_>, _: &Options, budget: &Budget) -> Answer {
    induction::answer(NAME, blocks::prove(&begin, &Goal::PROPERTY, task, budget))
}

/// Begins a search; see [`blocks::Begin`].
pub fn begin<'p>(task: Task<'p>, told: Told<'_>, unwind: u32, budget: &Budget) -> Option<Box<dyn blocks::Search + 'p>> {
    Some(Box::new(TraceSearch::new(task, told, unwind, budget)?))
}

struct TraceSearch<'p> {
    steps: Steps<'p>,
    paths: Paths,
    triples: Triples,
    /// The product, when no trace is left in it.
    reachable: Vec<State>,
}

impl<'p> TraceSearch<'p> {
    /// The search, where the known invariants are taken for granted; `None` if the program cannot be made a transition system.
    fn new(task: Task<'p>, told: Told<'_>, unwind: u32, budget: &Budget) -> Option<Self> {
        let steps = Steps::new(task, told, unwind, budget)?;
        let mut triples = Triples::new(steps.places.len());
        for (number, place) in steps.places.iter().enumerate() {
            for seed in &place.seeds {
                triples.add(number, *seed);
            }
        }
        Some(TraceSearch { steps, paths: Paths::default(), triples, reachable: Vec::new() })
    }

    /// Excludes an infeasible trace. From its end to its start, one path is chosen through each block; the automaton has predicates that exclude the trace
    /// on these paths, given what is known at the states of the product.
    fn refine(&mut self, trace: &Trace, path: &Path, budget: &Budget) -> Result<(), Stop> {
        let mut has_more = false;
        let last = trace.blocks.len();
        let mut target = self.steps.places[path.positions[last].place].bad;
        for index in (1..=last).rev() {
            let at = &path.positions[index];
            let known = self.known(at.place, &trace.sets[index]);
            let cubes = excluded(&mut self.steps, &mut self.paths, at, (target, &known), budget)?;
            for cube in &cubes {
                let inside = self.steps.pool().and_all(cube);
                let outside = self.steps.pool().not(inside);
                has_more |= self.add(at.place, outside);
            }
            let (before, block) = (path.positions[index - 1].place, trace.blocks[index - 1]);
            target = self.leads_into(before, block, &cubes);
            let mut asked = self.known(before, &trace.sets[index - 1]);
            asked.push(target);
            // What is known before the block may exclude the rest of the trace.
            let Some(model) = self.steps.step(before, &asked, budget)? else { break };
            if let Some(part) = self.split(before, block, &cubes, &model, budget)? {
                target = self.leads_into(before, part, &cubes);
                has_more = true;
            }
        }
        // The same trace comes again if a triple of its automaton was too hard to decide.
        if has_more || self.triples.try_harder() { Ok(()) } else { Err(Stop::Stuck) }
    }

    /// That the predicates of a set hold where a step begins.
    fn known(&mut self, place: usize, set: &Set) -> Vec<TermId> {
        let formulas = self.triples.formulas(place, set);
        formulas.into_iter().map(|formula| self.steps.here(place, formula)).collect()
    }

    /// That a block is taken and ends in one of some cubes.
    fn leads_into(&mut self, place: usize, block: usize, cubes: &[Cube]) -> TermId {
        let mut parts = Vec::new();
        for cube in cubes {
            let literals: Vec<TermId> = cube.iter().map(|literal| self.steps.after(place, block, *literal)).collect();
            parts.push(self.steps.pool().and_all(&literals));
        }
        let any = self.steps.pool().or_all(&parts);
        let guard = self.steps.places[place].blocks[block].guard;
        self.steps.pool().and(guard, any)
    }

    /// Makes the path that a step takes through a block a block of its own. `None` if it is the only one.
    fn split(
        &mut self,
        place: usize,
        block: usize,
        cubes: &[Cube],
        model: &Model,
        budget: &Budget,
    ) -> Result<Option<usize>, Stop> {
        if self.steps.places[place].blocks.len() >= MOST_BLOCKS {
            return Ok(None);
        }
        let Block { to, guard, values } = &self.steps.places[place].blocks[block];
        let (to, whole, values) = (*to, *guard, values.clone());
        let used: FxHashSet<TermId> = support(self.steps.pool(), &cubes.concat()).into_iter().collect();
        let state = &self.steps.places[to].state;
        let matters = |cell: usize| used.contains(&state[cell]);
        let pool = &mut self.steps.system.encoder.pool;
        let (guard, values) = straight(pool, model, whole, &values, matters);
        let others = self.steps.pool().not(guard);
        if self.steps.step(place, &[whole, others], budget)?.is_none() {
            return Ok(None);
        }
        let part = self.steps.split(place, block, guard, values);
        self.triples.split(&self.steps, place, (block, part));
        Ok(Some(part))
    }

    /// Adds a predicate at its place, and at all others that have the variables of the program in it: an automaton knows no places. Whether it is new.
    fn add(&mut self, place: usize, predicate: TermId) -> bool {
        let is_new = self.triples.add(place, predicate);
        for to in 0..self.steps.places.len() {
            if to != place
                && let Some(predicate) = moved(&mut self.steps, place, to, predicate)
            {
                self.triples.add(to, predicate);
            }
        }
        is_new
    }
}

impl blocks::Search for TraceSearch<'_> {
    fn run(&mut self, budget: &Budget) -> Result<(), Stop> {
        loop {
            let trace = match difference(&mut self.steps, &mut self.triples, budget)? {
                Difference::Trace(trace) => trace,
                Difference::Empty(states) => {
                    self.reachable = states;
                    return Ok(());
                }
            };
            let path = self.paths.path(&mut self.steps, &trace.blocks);
            if self.paths.is_feasible(&self.steps, &path, budget)? {
                return Err(Stop::Feasible);
            }
            self.refine(&trace, &path, budget)?;
        }
    }

    fn invariants(&self, program: &mut Program) -> Vec<Invariant> {
        let formulas = |state: &State| (state.place, self.triples.formulas(state.place, &state.set));
        let states: Vec<(usize, Vec<TermId>)> = self.reachable.iter().map(formulas).collect();
        let states: Vec<_> = states.iter().map(|(place, formulas)| (*place, formulas.as_slice())).collect();
        invariants(program, &self.steps, &states)
    }
}

/// A formula over the state of a place as one over the state of another place; `None` if that one does not have its variables.
fn moved(steps: &mut Steps<'_>, from: usize, to: usize, formula: TermId) -> Option<TermId> {
    let pool = &steps.system.encoder.pool;
    let (from, to) = (&steps.places[from], &steps.places[to]);
    let mut done = FxHashMap::default();
    for var in support(pool, &[formula]) {
        let name = from.names[from.state.iter().position(|one| *one == var)?]?;
        let there = to.state[to.names.iter().position(|one| *one == Some(name))?];
        if pool.sort(there) != pool.sort(var) {
            return None;
        }
        done.insert(var, there);
    }
    Some(steps.pool().substitute(formula, &mut done))
}
