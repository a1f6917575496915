//! What is asked: a program, where it starts, and which properties must hold. Engines, validators and explanations share it.

use crate::{FuncId, Program, PropertySet};

#[derive(Clone, Copy)]
pub struct Task<'p> {
    pub program: &'p Program,
    /// The function that runs begin in.
    pub entry: FuncId,
    /// A run violates the task if it violates one of them.
    pub properties: PropertySet,
}

impl<'p> Task<'p> {
    /// The same question about another form of the program, which has the same functions.
    pub fn about<'q>(self, program: &'q Program) -> Task<'q> {
        Task { program, entry: self.entry, properties: self.properties }
    }
}
