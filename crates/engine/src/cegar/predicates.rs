//! Predicate abstraction: a precision is a set of predicates. Those that refine it are the literals of the interpolants of a path.

use crate::blocks::Stop;
use crate::blocks::atoms::positive;
use crate::blocks::interpolants::{Cube, interpolants};
use crate::blocks::path::{Path, Paths};
use crate::blocks::steps::Steps;
use base::Budget;
use logic::TermId;

/// The predicates that exclude an infeasible path, by position.
pub fn refine(
    steps: &mut Steps<'_>,
    paths: &mut Paths,
    path: &Path,
    budget: &Budget,
) -> Result<Vec<Vec<TermId>>, Stop> {
    let interpolants = interpolants(steps, paths, path, budget)?;
    let predicates = |cubes: &Vec<Cube>| {
        let mut all: Vec<TermId> = Vec::new();
        for literal in cubes.iter().flatten() {
            let predicate = positive(&steps.system.encoder.pool, *literal);
            if !all.contains(&predicate) {
                all.push(predicate);
            }
        }
        all
    };
    Ok(interpolants.iter().map(predicates).collect())
}
