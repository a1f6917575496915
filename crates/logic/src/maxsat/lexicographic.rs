//! Several objectives, the first one first.

use super::{Optimization, minimize_under};
use crate::model::Model;
use crate::pool::TermPool;
use crate::sat::SatLit;
use crate::solver::Solver;
use crate::term::TermId;
use base::Budget;

/// What is known of one objective.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Level {
    pub cost: u128,
    pub lower_bound: u128,
    pub proven: bool,
}

#[derive(Debug)]
pub struct Lexicographic {
    pub model: Model,
    /// For each objective that was reached; all but the last are proven.
    pub levels: Vec<Level>,
    /// All objectives were reached and are minimal, each among the models that are minimal for those before it.
    pub proven: bool,
    /// If proven: assumed together with the hard terms, these allow the optimal models and no others.
    pub optimal: Vec<SatLit>,
}

/// Minimizes the objectives in their order. `None` if the budget ended before the first model; `Err` with the hard terms
/// that cannot hold.
pub fn minimize_lexicographic(
    pool: &TermPool,
    solver: &mut Solver,
    hard: &[TermId],
    objectives: &[Vec<(TermId, u128)>],
    budget: &Budget,
) -> Result<Option<Lexicographic>, Vec<TermId>> {
    let mut result: Option<Lexicographic> = None;
    let mut face: Vec<SatLit> = Vec::new();
    let none = [Vec::new()];
    let objectives = if objectives.is_empty() { &none } else { objectives };
    for objective in objectives {
        match minimize_under(pool, solver, hard, &face, objective, budget) {
            Optimization::Infeasible(core) if result.is_none() => return Err(core),
            Optimization::Found(found) => {
                let level = Level { cost: found.cost, lower_bound: found.lower_bound, proven: found.proven };
                let mut levels = result.map_or(Vec::new(), |result| result.levels);
                levels.push(level);
                face.extend(found.optimal);
                let proven = found.proven;
                result = Some(Lexicographic { model: found.model, levels, proven, optimal: face.clone() });
                if !proven {
                    break;
                }
            }
            Optimization::Infeasible(_) => unreachable!("the model of the level before is one of this level"),
            Optimization::Unknown { .. } => {
                if let Some(result) = &mut result {
                    result.proven = false;
                }
                break;
            }
        }
    }
    if let Some(result) = &mut result
        && !result.proven
    {
        result.optimal.clear();
    }
    Ok(result)
}
