//! Which local variables every run has declared when it comes to a point of its function. A witness may name one before its
//! declaration; its value is then undefined.

use cfa::{EdgeId, LocId, Op, Program, VarId, VarKind};
use std::collections::{HashMap, HashSet};

/// A point of a run inside a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Point {
    At(LocId),
    /// Directly after the operation of an edge; of one that returns, before the variables are gone.
    After(EdgeId),
}

#[derive(Default)]
pub struct Lifetimes {
    /// Per variable the locations that some path reaches without its declaration; `None` for those that need none.
    undeclared: HashMap<VarId, Option<HashSet<LocId>>>,
}

impl Lifetimes {
    /// Whether all paths to a point pass the declaration of a variable. Variables of other functions are not looked at here.
    pub fn is_declared(&mut self, program: &Program, var: VarId, point: Point) -> bool {
        let location = match point {
            Point::At(location) => location,
            Point::After(edge) if program.edges[edge].op == Op::Declare(var) => return true,
            Point::After(edge) => program.edges[edge].from,
        };
        if program.vars[var].kind.function() != Some(program.locations[location].function) {
            return true;
        }
        let undeclared = self.undeclared.entry(var).or_insert_with(|| reached_without(program, var));
        undeclared.as_ref().is_none_or(|locations| !locations.contains(&location))
    }
}

fn reached_without(program: &Program, var: VarId) -> Option<HashSet<LocId>> {
    let VarKind::Local(function) = program.vars[var].kind else { return None };
    let automaton = program.automaton(function)?;
    let declares = |edge: EdgeId| program.edges[edge].op == Op::Declare(var);
    if !automaton.edges.clone().map(EdgeId).any(declares) {
        return None;
    }
    let (mut open, mut seen) = (vec![automaton.entry], HashSet::from([automaton.entry]));
    while let Some(location) = open.pop() {
        for edge in program.successors(location).filter(|edge| !declares(*edge)) {
            let to = program.edges[edge].to;
            if seen.insert(to) {
                open.push(to);
            }
        }
    }
    Some(seen)
}
