//! The steps of a transition system, one formula for each pair of places that a step leads from and to (large blocks; Beyer et al. 2009), and the
//! questions that are asked about single steps.
//!
//! Abstract states are formulas over variables that stand for the cells of a place, its *state*; a formula is moved into a step by substitution.

use super::Stop;
use crate::system::{System, Told, support};
use base::Budget;
use cfa::{LocId, Task, VarId};
use logic::{Model, Satisfiability, Solver, Sort, TermId, TermPool};
use rustc_hash::FxHashMap;

/// The start of the program.
pub const START: usize = 0;

/// Where steps begin and end: the start of the program, or a loop head of one context.
pub struct Place {
    /// `None` is the start of the program.
    pub head: Option<LocId>,
    /// Variables that stand for the cells in formulas about this place.
    pub state: Vec<TermId>,
    /// The cells in the formulas of the steps that begin here.
    pub cells: Vec<TermId>,
    /// By cell: the variable of the program, the offset and the size, if the function of the head can name it.
    pub names: Vec<Option<(VarId, u64, u64)>>,
    /// That the known conditions hold where a step begins here.
    pub known: TermId,
    /// That something goes wrong on a step that begins here.
    pub bad: TermId,
    pub blocks: Vec<Block>,
    /// Conditions over the state that may be worth looking at.
    pub seeds: Vec<TermId>,
    /// All variables of the steps that begin here.
    pub support: Vec<TermId>,
}

/// The steps from one place to another.
pub struct Block {
    pub to: usize,
    pub guard: TermId,
    /// The cells at the end of the step.
    pub values: Vec<TermId>,
}

/// The answer to a question about a step.
pub enum Step {
    Found(Model),
    /// There is none; these of the conditions exclude each other.
    Never(Vec<TermId>),
}

pub struct Steps<'p> {
    pub system: System<'p>,
    pub places: Vec<Place>,
    /// Constants of the program and their neighbours, ascending.
    pub thresholds: Vec<i64>,
    /// Asked about single steps.
    solver: Solver,
    /// By place: what stands for the state where a step begins; by place and block: where it ends.
    here: Vec<FxHashMap<TermId, TermId>>,
    after: FxHashMap<(usize, usize), FxHashMap<TermId, TermId>>,
}

impl<'p> Steps<'p> {
    pub fn new(task: Task<'p>, told: Told<'_>, unwind: u32, budget: &Budget) -> Option<Self> {
        let mut system = System::new(task, told, unwind, budget)?;
        let begins = system.encoder.begins_at(0);
        let counter = support(&system.encoder.pool, &[begins]).into_iter().next()?;
        let mut places = Vec::new();
        for number in 0..=system.points.len() {
            places.push(place(&mut system, counter, number));
            if budget.expired() {
                return None;
            }
        }
        let here = places.iter().map(|place| place.state.iter().copied().zip(place.cells.iter().copied()).collect());
        let here = here.collect();
        let thresholds = crate::pdr::thresholds(task.program);
        let mut steps = Steps { system, places, thresholds, solver: Solver::new(), here, after: FxHashMap::default() };
        steps.move_seeds();
        Some(steps)
    }

    pub fn pool(&mut self) -> &mut TermPool {
        &mut self.system.encoder.pool
    }

    /// A formula over the state of a place where a step begins there.
    pub fn here(&mut self, place: usize, formula: TermId) -> TermId {
        self.system.encoder.pool.substitute(formula, &mut self.here[place])
    }

    /// A formula over the state of the place where a step ends.
    pub fn after(&mut self, place: usize, block: usize, formula: TermId) -> TermId {
        let Block { to, values, .. } = &self.places[place].blocks[block];
        let values = || self.places[*to].state.iter().copied().zip(values.iter().copied()).collect();
        let done = self.after.entry((place, block)).or_insert_with(values);
        self.system.encoder.pool.substitute(formula, done)
    }

    /// A formula of steps that begin at a place, with its state in place of the cells. What is no cell stays.
    pub fn over_state(&mut self, place: usize, formula: TermId) -> TermId {
        let Place { cells, state, .. } = &self.places[place];
        let mut done: FxHashMap<TermId, TermId> = cells.iter().copied().zip(state.iter().copied()).collect();
        self.system.encoder.pool.substitute(formula, &mut done)
    }

    /// A step that begins at a place and is so; `None` if there is none.
    pub fn step(&mut self, place: usize, asked: &[TermId], budget: &Budget) -> Result<Option<Model>, Stop> {
        let mut solver = std::mem::take(&mut self.solver);
        let answer = self.ask(&mut solver, place, asked, budget);
        self.solver = solver;
        Ok(match answer? {
            Step::Found(model) => Some(model),
            Step::Never(_) => None,
        })
    }

    /// As [`Steps::step`], with the reason if there is none. A solver that is asked about few formulas answers sooner.
    pub fn ask(&self, solver: &mut Solver, place: usize, asked: &[TermId], budget: &Budget) -> Result<Step, Stop> {
        let mut all = vec![self.places[place].known];
        all.extend(asked);
        match solver.check(&self.system.encoder.pool, &all, budget) {
            Satisfiability::Sat(model) => Ok(Step::Found(model)),
            Satisfiability::Unsat(core) => Ok(Step::Never(core)),
            Satisfiability::Unknown => Err(Stop::OutOfBudget),
        }
    }

    /// Makes some steps of a block a block of their own: those of a guard that implies its guard, with the values that they have at the end.
    pub fn split(&mut self, place: usize, block: usize, guard: TermId, values: Vec<TermId>) -> usize {
        let others = self.system.encoder.pool.not(guard);
        let blocks = &mut self.places[place].blocks;
        blocks[block].guard = self.system.encoder.pool.and(blocks[block].guard, others);
        blocks.push(Block { to: blocks[block].to, guard, values });
        blocks.len() - 1
    }

    /// Adds a formula about steps for good.
    pub fn assert(&mut self, formula: TermId) {
        self.solver.assert(&self.system.encoder.pool, formula);
    }

    /// That a term over a state has the value that another term has in a model.
    pub fn is_so(&mut self, term: TermId, model: &Model, meaning: TermId) -> TermId {
        let pool = &mut self.system.encoder.pool;
        match pool.sort(term) {
            Sort::Bool if model.bool(pool, meaning) => term,
            Sort::Bool => pool.not(term),
            _ => {
                let value = model.bits(pool, meaning);
                let value = pool.bits(&value);
                pool.eq(term, value)
            }
        }
    }

    fn move_seeds(&mut self) {
        for number in 0..self.places.len() {
            let seeds = std::mem::take(&mut self.places[number].seeds);
            let seeds: Vec<TermId> = seeds.into_iter().map(|seed| self.over_state(number, seed)).collect();
            let about_state = |seed: &TermId| {
                let variables = support(&self.system.encoder.pool, &[*seed]);
                !variables.is_empty() && variables.iter().all(|var| self.places[number].state.contains(var))
            };
            self.places[number].seeds = seeds.into_iter().filter(about_state).collect();
        }
    }
}

pub fn answer(outcome: Satisfiability) -> Result<Option<Model>, Stop> {
    match outcome {
        Satisfiability::Sat(model) => Ok(Some(model)),
        Satisfiability::Unsat(_) => Ok(None),
        Satisfiability::Unknown => Err(Stop::OutOfBudget),
    }
}

/// The place of a number, with the program counter set to it in all formulas.
fn place(system: &mut System<'_>, counter: TermId, number: usize) -> Place {
    let System { encoder, points, next, bad, known: known_ones } = system;
    let pool = &mut encoder.pool;
    let width = pool.width(counter);
    let mut done = FxHashMap::default();
    done.insert(counter, pool.bv(width, number as u128));
    let point = number.checked_sub(1).map(|index| &points[index]);
    let mut holds = Vec::new();
    let mut seeds = Vec::new();
    if let Some(point) = point {
        let conditions: Vec<TermId> = point.known.iter().map(|one| pool.substitute(*one, &mut done)).collect();
        let (true_ones, rest) = conditions.split_at(known_ones[number - 1].min(conditions.len()));
        holds.extend(true_ones);
        seeds.extend(rest);
    }
    let known = pool.and_all(&holds);
    let mut blocks = Vec::new();
    for (to, (guard, values)) in next.iter().enumerate() {
        let guard = pool.substitute(*guard, &mut done);
        if pool.as_bool(guard) == Some(false) {
            continue;
        }
        let values = values.iter().map(|value| pool.substitute(*value, &mut done)).collect();
        blocks.push(Block { to: to + 1, guard, values });
    }
    let bad = pool.substitute(*bad, &mut done);
    let cells: Vec<TermId> = point.map_or(Vec::new(), |point| point.cells.iter().map(|cell| cell.term).collect());
    let cells: Vec<TermId> = cells.into_iter().map(|cell| pool.substitute(cell, &mut done)).collect();
    let state = (0..cells.len()).map(|cell| pool.var(&format!("state{number}.{cell}"), pool.sort(cells[cell])));
    let state = state.collect();
    let mut all: Vec<TermId> = blocks.iter().flat_map(|block| block.values.iter().copied()).collect();
    all.extend(blocks.iter().map(|block| block.guard));
    all.extend(&cells);
    all.extend([known, bad]);
    let support = support(pool, &all);
    let names = point.map_or(Vec::new(), |point| point.cells.iter().map(|cell| cell.place).collect());
    Place { head: point.map(|point| point.head), state, cells, names, known, bad, blocks, seeds, support }
}
