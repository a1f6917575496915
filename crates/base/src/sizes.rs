//! How large the questions of a stage became: written by solvers, read when the stage is over.

use std::sync::atomic::{AtomicU64, Ordering};

/// Of all questions to a solver, the number; of the largest one, the size.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Size {
    pub questions: u64,
    pub terms: u64,
    pub variables: u64,
    pub clauses: u64,
}

/// Shared by all who work on one stage.
#[derive(Default, Debug)]
pub struct Sizes {
    questions: AtomicU64,
    terms: AtomicU64,
    variables: AtomicU64,
    clauses: AtomicU64,
}

impl Sizes {
    /// One more question.
    pub fn note(&self, terms: u64, variables: u64, clauses: u64) {
        self.questions.fetch_add(1, Ordering::Relaxed);
        self.terms.fetch_max(terms, Ordering::Relaxed);
        self.variables.fetch_max(variables, Ordering::Relaxed);
        self.clauses.fetch_max(clauses, Ordering::Relaxed);
    }

    pub fn get(&self) -> Size {
        let value = |number: &AtomicU64| number.load(Ordering::Relaxed);
        Size {
            questions: value(&self.questions),
            terms: value(&self.terms),
            variables: value(&self.variables),
            clauses: value(&self.clauses),
        }
    }
}
