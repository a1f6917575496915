//! The optimizer: the cheapest way to satisfy the assertions, where every soft term that does not hold costs its weight.
//!
//! Core-guided search by OLL (Andres et al. 2012; Morgado et al. 2014): assume all soft literals; each core raises the lower bound and
//! is replaced by a counter that allows one of them to fail, then two, and so on. Heavy literals come first
//! (stratification), which also gives good models early; cores are minimized and their counters exhausted under small
//! budgets; literals too heavy to fail are fixed. It is anytime: at the end of the budget it returns the best model and
//! the lower bound proven so far.
//!
//! Everything is expressed by assumptions, so the solver can be used for other questions afterwards.

mod lexicographic;
mod oll;
mod totalizer;

pub use lexicographic::{Level, Lexicographic, minimize_lexicographic};

use crate::model::Model;
use crate::pool::TermPool;
use crate::sat::SatLit;
use crate::solver::Solver;
use crate::term::TermId;
use base::Budget;

/// The best model found.
#[derive(Debug)]
pub struct Optimum {
    pub model: Model,
    /// The weight of all soft terms that the model does not satisfy.
    pub cost: u128,
    /// No model is cheaper than this.
    pub lower_bound: u128,
    /// Whether `cost` is the minimum.
    pub proven: bool,
    /// If proven: assumed together with the hard terms, these allow the models of minimal cost and no others.
    pub optimal: Vec<SatLit>,
}

#[derive(Debug)]
pub enum Optimization {
    Found(Optimum),
    /// The hard terms cannot hold: those of them that contradict the assertions.
    Infeasible(Vec<TermId>),
    /// The budget ended before the first model.
    Unknown {
        lower_bound: u128,
    },
}

impl Optimization {
    pub fn optimum(self) -> Option<Optimum> {
        if let Optimization::Found(optimum) = self { Some(optimum) } else { None }
    }
}

/// Minimizes the weight of the soft terms that are false, while the hard ones hold.
///
/// Weights of one call must add up to less than 2^128.
pub fn minimize(
    pool: &TermPool,
    solver: &mut Solver,
    hard: &[TermId],
    soft: &[(TermId, u128)],
    budget: &Budget,
) -> Optimization {
    minimize_under(pool, solver, hard, &[], soft, budget)
}

/// As [`minimize`], also under literals that an earlier optimization returned.
pub fn minimize_under(
    pool: &TermPool,
    solver: &mut Solver,
    hard: &[TermId],
    face: &[SatLit],
    soft: &[(TermId, u128)],
    budget: &Budget,
) -> Optimization {
    let hard_lits: Vec<SatLit> = hard.iter().map(|term| solver.literal(pool, *term)).collect();
    let mut fixed = hard_lits.clone();
    fixed.extend(face);
    let mut search = oll::OllSearch::new(pool, solver, fixed, soft);
    match search.run(budget) {
        oll::End::Best(optimum) => Optimization::Found(optimum),
        oll::End::Infeasible(core) => {
            let blamed = hard.iter().zip(&hard_lits).filter(|(_, lit)| core.contains(lit));
            Optimization::Infeasible(blamed.map(|(term, _)| *term).collect())
        }
        oll::End::Nothing { lower_bound } => Optimization::Unknown { lower_bound },
    }
}
