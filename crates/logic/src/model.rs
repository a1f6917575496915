//! A satisfying assignment: a value for every term, also for terms that no question has reached.

use crate::bits::Bits;
use crate::eval::{Assignment, Evaluator, TermValue};
use crate::pool::TermPool;
use crate::term::TermId;
use std::cell::RefCell;

/// Values of the variables. Variables that the question did not mention are zero.
#[derive(Clone, Debug, Default)]
pub struct Model {
    assignment: Assignment,
    evaluator: RefCell<Evaluator>,
}

impl Model {
    pub fn new(assignment: Assignment) -> Self {
        Model { assignment, evaluator: RefCell::default() }
    }

    pub fn assignment(&self) -> &Assignment {
        &self.assignment
    }

    /// The value of any term of the pool.
    pub fn value(&self, pool: &TermPool, term: TermId) -> TermValue {
        self.evaluator.borrow_mut().eval(pool, &self.assignment, term)
    }

    pub fn bits(&self, pool: &TermPool, term: TermId) -> Bits {
        self.evaluator.borrow_mut().scalar(pool, &self.assignment, term)
    }

    pub fn bool(&self, pool: &TermPool, term: TermId) -> bool {
        self.bits(pool, term).bit(0)
    }
}
