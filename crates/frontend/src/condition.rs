//! A condition over the states of a program at a location, the same for all languages.

use cfa::{ExprId, LocId};

/// What is true or not in a state. Parts are evaluated from the left, and only those that matter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Condition {
    /// True when the scalar is not zero.
    Atom(ExprId),
    Not(Box<Condition>),
    All(Vec<Condition>),
    Any(Vec<Condition>),
    /// Condition, then, otherwise.
    If(Box<[Condition; 3]>),
}

impl Condition {
    /// The expressions in it, from the left.
    pub fn atoms(&self) -> Vec<ExprId> {
        let mut found = Vec::new();
        let mut open = vec![self];
        while let Some(condition) = open.pop() {
            match condition {
                Condition::Atom(expr) => found.push(*expr),
                Condition::Not(inner) => open.push(inner),
                Condition::All(parts) | Condition::Any(parts) => open.extend(parts.iter().rev()),
                Condition::If(parts) => open.extend(parts.iter().rev()),
            }
        }
        found
    }
}

/// Where an expression stands.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    /// Names mean what they mean here.
    pub at: LocId,
    /// What `\result` stands for: an expression of the program, such as a read of the variable that a call's value went to.
    pub result: Option<ExprId>,
}
