//! Explicit values: a precision is a set of cells, and abstract states tell their values (Beyer and Löwe 2013). An interpolant is the set of all values
//! that some cells have on the path; cells are added while a state with such values goes on to something wrong, and left out again where the others
//! suffice.

use crate::blocks::Stop;
use crate::blocks::path::{Path, Paths, Position};
use crate::blocks::steps::Steps;
use crate::system::support;
use base::Budget;
use logic::TermId;
use rustc_hash::FxHashSet;

/// Values of the cells of an interpolant on one path, and of a single one of them.
const MOST_VALUES: usize = 256;
const MOST_OF_ONE: usize = 16;

/// The cells whose values exclude an infeasible path, by position.
pub fn refine(
    steps: &mut Steps<'_>,
    paths: &mut Paths,
    path: &Path,
    budget: &Budget,
) -> Result<Vec<Vec<TermId>>, Stop> {
    let count = path.positions.len();
    let mut all = vec![Vec::new(); count];
    let mut target = steps.places[path.positions[count - 1].place].bad;
    for index in (1..count).rev() {
        let at = &path.positions[index];
        let mut search = Search { steps, paths, at, target, budget };
        let cells = search.cells()?;
        let cells = search.without_superfluous(cells)?;
        let holds = search.values(&cells)?;
        let (before, block) = (path.positions[index - 1].place, path.blocks[index - 1]);
        let guard = steps.places[before].blocks[block].guard;
        let holds = steps.after(before, block, holds);
        let broken = steps.pool().not(holds);
        target = steps.pool().and(guard, broken);
        all[index] = cells;
    }
    Ok(all)
}

/// The search for the cells at one position.
struct Search<'s, 'p> {
    steps: &'s mut Steps<'p>,
    paths: &'s mut Paths,
    at: &'s Position,
    /// What no step from the interpolant may do.
    target: TermId,
    budget: &'s Budget,
}

impl Search<'_, '_> {
    /// Cells whose values on the path exclude the target.
    fn cells(&mut self) -> Result<Vec<TermId>, Stop> {
        let place = self.at.place;
        let trackable = self.trackable()?;
        let mut cells: Vec<TermId> = Vec::new();
        loop {
            let holds = self.values(&cells)?;
            let holds = self.steps.here(place, holds);
            let Some(model) = self.steps.step(self.at.place, &[self.target, holds], self.budget)? else {
                return Ok(cells);
            };
            let mut literals = Vec::new();
            for state in &trackable {
                let cell = self.steps.here(place, *state);
                literals.push(self.steps.is_so(*state, &model, cell));
            }
            let Some(core) = self.paths.core(self.steps, self.at, &literals, self.budget)? else {
                // Something decides that is no cell, or has too many values.
                return Err(Stop::Stuck);
            };
            let before = cells.len();
            for cell in support(self.steps.pool(), &core) {
                if !cells.contains(&cell) {
                    cells.push(cell);
                }
            }
            if cells.len() == before {
                return Err(Stop::Stuck);
            }
        }
    }

    /// The cells in the target that have few values on the path: inputs have too many.
    fn trackable(&mut self) -> Result<Vec<TermId>, Stop> {
        let used: FxHashSet<TermId> = support(self.steps.pool(), &[self.target]).into_iter().collect();
        let mut found = Vec::new();
        for index in 0..self.at.cells.len() {
            let place = &self.steps.places[self.at.place];
            let (cell, state) = (place.cells[index], place.state[index]);
            if support(self.steps.pool(), &[cell]).iter().any(|var| used.contains(var))
                && self.paths.values(self.steps, self.at, &[state], MOST_OF_ONE, self.budget)?.is_some()
            {
                found.push(state);
            }
        }
        Ok(found)
    }

    /// Leaves out cells while the others exclude the target.
    fn without_superfluous(&mut self, mut cells: Vec<TermId>) -> Result<Vec<TermId>, Stop> {
        let mut index = 0;
        while index < cells.len() && cells.len() > 1 {
            let mut fewer = cells.clone();
            fewer.remove(index);
            let holds = self.values(&fewer)?;
            let holds = self.steps.here(self.at.place, holds);
            if self.steps.step(self.at.place, &[self.target, holds], self.budget)?.is_none() {
                cells = fewer;
            } else {
                index += 1;
            }
        }
        Ok(cells)
    }

    /// That cells have values which they have on the path.
    fn values(&mut self, cells: &[TermId]) -> Result<TermId, Stop> {
        let Some(values) = self.paths.values(self.steps, self.at, cells, MOST_VALUES, self.budget)? else {
            return Err(Stop::Stuck);
        };
        let parts: Vec<TermId> = values.iter().map(|literals| self.steps.pool().and_all(literals)).collect();
        Ok(self.steps.pool().or_all(&parts))
    }
}
