//! Sequences of blocks, executed symbolically from the start of the program: under which conditions a run takes them, and what the cells are at each
//! place on the way.

use super::Stop;
use super::steps::{START, Steps, answer};
use base::Budget;
use logic::{Satisfiability, Solver, TermId, TermOp};
use rustc_hash::{FxHashMap, FxHashSet};

/// Attempts to make an unsatisfiable set of literals smaller.
const ATTEMPTS: usize = 40;

/// A place on a path.
#[derive(Clone)]
pub struct Position {
    pub place: usize,
    /// That a run gets here on the path.
    pub taken: Vec<TermId>,
    /// The values of the cells then.
    pub cells: Vec<TermId>,
}

/// A path that ends where something may go wrong.
pub struct Path {
    /// The first one is the start of the program.
    pub positions: Vec<Position>,
    /// From each position but the last: the number of the block among those of its place.
    pub blocks: Vec<usize>,
    /// That something goes wrong on the step after the last position.
    pub wrong: Vec<TermId>,
}

/// What stays from one path to the next.
#[derive(Default)]
pub struct Paths {
    solver: Solver,
    /// Variables of steps, by their position on a path: paths that begin alike share terms.
    copies: FxHashMap<(usize, TermId), TermId>,
}

impl Paths {
    pub fn path(&mut self, steps: &mut Steps<'_>, blocks: &[usize]) -> Path {
        let mut positions = vec![Position { place: START, taken: Vec::new(), cells: Vec::new() }];
        for (depth, block) in blocks.iter().enumerate() {
            let at = &positions[depth];
            let (mut done, mut taken) = self.instance(steps, at, depth);
            let place = &steps.places[at.place];
            let block = &place.blocks[*block];
            let pool = &mut steps.system.encoder.pool;
            taken.push(pool.substitute(block.guard, &mut done));
            let cells = block.values.iter().map(|value| pool.substitute(*value, &mut done)).collect();
            positions.push(Position { place: block.to, taken, cells });
        }
        let last = &positions[blocks.len()];
        let (mut done, mut wrong) = self.instance(steps, last, blocks.len());
        wrong.push(steps.system.encoder.pool.substitute(steps.places[last.place].bad, &mut done));
        Path { positions, blocks: blocks.to_vec(), wrong }
    }

    /// What stands for the variables of a step at a position, and what holds there.
    fn instance(
        &mut self,
        steps: &mut Steps<'_>,
        at: &Position,
        depth: usize,
    ) -> (FxHashMap<TermId, TermId>, Vec<TermId>) {
        let place = &steps.places[at.place];
        let pool = &mut steps.system.encoder.pool;
        let mut done = FxHashMap::default();
        // A cell that is no variable of its own is connected by an equality.
        let mut connected = Vec::new();
        for (cell, value) in place.cells.iter().zip(&at.cells) {
            if pool.op(*cell) == TermOp::Var && !done.contains_key(cell) {
                done.insert(*cell, *value);
            } else {
                connected.push((*cell, *value));
            }
        }
        for var in &place.support {
            if !done.contains_key(var) {
                let copy = *self.copies.entry((depth, *var)).or_insert_with(|| {
                    let name = format!("{}@{depth}", pool.name(*var).unwrap_or(""));
                    pool.var(&name, pool.sort(*var))
                });
                done.insert(*var, copy);
            }
        }
        let mut taken = at.taken.clone();
        taken.push(pool.substitute(place.known, &mut done));
        for (cell, value) in connected {
            let cell = pool.substitute(cell, &mut done);
            taken.push(pool.eq(cell, value));
        }
        (done, taken)
    }

    /// Whether a run takes the path and something goes wrong at its end.
    pub fn is_feasible(&mut self, steps: &Steps<'_>, path: &Path, budget: &Budget) -> Result<bool, Stop> {
        Ok(answer(self.solver.check(&steps.system.encoder.pool, &path.wrong, budget))?.is_some())
    }

    /// Whether runs get to a position in a state where some literals hold; if not, those that exclude each other.
    fn excluded(
        &mut self,
        steps: &mut Steps<'_>,
        at: &Position,
        literals: &[TermId],
        budget: &Budget,
    ) -> Result<Option<Vec<TermId>>, Stop> {
        let meanings = over_cells(steps, at, literals);
        let mut asked = at.taken.clone();
        asked.extend(&meanings);
        match self.solver.check(&steps.system.encoder.pool, &asked, budget) {
            Satisfiability::Sat(_) => Ok(None),
            Satisfiability::Unknown => Err(Stop::OutOfBudget),
            Satisfiability::Unsat(core) => {
                let core: FxHashSet<TermId> = core.into_iter().collect();
                let used = literals.iter().zip(&meanings).filter(|(_, meaning)| core.contains(meaning));
                Ok(Some(used.map(|(literal, _)| *literal).collect()))
            }
        }
    }

    /// Few of some literals that no run which gets to a position satisfies; the first ones are left out first. `None` if some run satisfies all.
    pub fn core(
        &mut self,
        steps: &mut Steps<'_>,
        at: &Position,
        literals: &[TermId],
        budget: &Budget,
    ) -> Result<Option<Vec<TermId>>, Stop> {
        let Some(mut core) = self.excluded(steps, at, literals, budget)? else { return Ok(None) };
        let mut index = 0;
        let mut attempts = 0;
        while index < core.len() && attempts < ATTEMPTS {
            attempts += 1;
            let mut fewer = core.clone();
            fewer.remove(index);
            match self.excluded(steps, at, &fewer, budget)? {
                Some(smaller) => core = smaller,
                None => index += 1,
            }
        }
        Ok(Some(core))
    }

    /// All values that some terms over the state have when runs get to a position, each as literals; `None` if there are more than `most`.
    pub fn values(
        &mut self,
        steps: &mut Steps<'_>,
        at: &Position,
        terms: &[TermId],
        most: usize,
        budget: &Budget,
    ) -> Result<Option<Vec<Vec<TermId>>>, Stop> {
        let meanings = over_cells(steps, at, terms);
        let asked = steps.pool().bool_var("asked");
        let mut assumed = at.taken.clone();
        assumed.push(asked);
        let mut found = Vec::new();
        while let Some(model) = answer(self.solver.check(&steps.system.encoder.pool, &assumed, budget))? {
            if found.len() == most {
                return Ok(None);
            }
            let pairs = || terms.iter().zip(&meanings);
            found.push(pairs().map(|(term, meaning)| steps.is_so(*term, &model, *meaning)).collect());
            let same: Vec<TermId> = meanings.iter().map(|one| steps.is_so(*one, &model, *one)).collect();
            let same = steps.pool().and_all(&same);
            let other = steps.pool().not(same);
            let other = steps.pool().implies(asked, other);
            self.solver.assert(&steps.system.encoder.pool, other);
        }
        Ok(Some(found))
    }
}

/// Terms over the state of a place, with the values at a position of a path.
pub fn over_cells(steps: &mut Steps<'_>, at: &Position, terms: &[TermId]) -> Vec<TermId> {
    let state = steps.places[at.place].state.iter().copied();
    let mut done: FxHashMap<TermId, TermId> = state.zip(at.cells.iter().copied()).collect();
    terms.iter().map(|term| steps.system.encoder.pool.substitute(*term, &mut done)).collect()
}
