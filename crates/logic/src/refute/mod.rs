//! Conditions over floats, refuted by interval arithmetic: the values of float variables are divided into boxes until some condition fails in each of
//! them (D'Silva et al. 2012 search among such boxes and learn from each). Where a result is known to be in an interval, the circuit that computes it
//! need not be searched.
//!
//! Invariant: conditions are called contradictory only if they are for all values of all variables; what is no operation on floats may have any value.

mod interval;
mod program;
#[cfg(test)]
mod tests;

use crate::bits::Bits;
use crate::eval::{Assignment, TermValue};
use crate::float::origin::{Operation, Origin};
use crate::model::Model;
use crate::pool::TermPool;
use crate::term::{TermId, TermOp};
use base::Budget;
use interval::Interval;
use program::{Program, Variable};

/// Boxes in whose middle a solution is looked for.
const SAMPLED: usize = 4096;
/// A disjunction of more parts is one condition.
const MOST_ALTERNATIVES: usize = 500;
/// Boxes between two looks at the clock.
const BOXES_AT_ONCE: usize = 256;
/// Instructions for one unit of a budget's effort.
const INSTRUCTIONS_PER_EFFORT: u64 = 500;

pub enum Refutation {
    /// Some of the conditions, by number, that cannot hold together.
    Contradiction(Vec<usize>),
    /// All conditions hold.
    Solution(Model),
    Unknown,
}

/// Looks for a contradiction in conditions, with so many instructions at most. If one of them is a disjunction, its parts are refuted one by one: each
/// bounds other variables.
pub fn refute(pool: &TermPool, conditions: &[TermId], instructions: u64, budget: &Budget) -> Refutation {
    if !pool.has_floats() || conditions.is_empty() {
        return Refutation::Unknown;
    }
    let mut all: Vec<Literal> = conditions.iter().map(|term| Literal::of(pool, *term)).collect();
    let alternatives = all.iter().map(|literal| literal.alternatives(pool)).enumerate().find(|(_, all)| all.len() > 1);
    let (place, alternatives) = alternatives.unwrap_or_else(|| (0, all.first().copied().into_iter().collect()));
    let mut search = Search { used: vec![false; conditions.len()], instructions, looked_at: 0, budget };
    if alternatives.len() > 1 {
        search.used[place] = true;
    }
    for alternative in alternatives {
        all[place] = alternative;
        let Some(mut program) = Program::new(pool, &all) else { return Refutation::Unknown };
        let used = &mut search.used;
        let first = program.variables.iter().map(|variable| bounds(pool, &all, used, variable.term)).collect();
        match search.run(&mut program, first) {
            Found::Nothing => {}
            Found::Solution(model) => return Refutation::Solution(model),
            Found::OutOfBudget => return Refutation::Unknown,
        }
    }
    let used = search.used.iter().enumerate().filter(|(_, used)| **used);
    Refutation::Contradiction(used.map(|(number, _)| number).collect())
}

/// What a search for a solution finds.
enum Found {
    Nothing,
    Solution(Model),
    OutOfBudget,
}

struct Search<'b> {
    /// The conditions that fail in some box.
    used: Vec<bool>,
    /// How many are left.
    instructions: u64,
    looked_at: usize,
    budget: &'b Budget,
}

impl Search<'_> {
    /// Looks at all boxes in one.
    fn run(&mut self, program: &mut Program, first: Vec<Interval>) -> Found {
        let mut open = vec![first];
        while let Some(one) = open.pop() {
            self.looked_at += 1;
            let effort = program.len() as u64;
            if self.instructions < effort || self.looked_at.is_multiple_of(BOXES_AT_ONCE) && self.budget.expired() {
                return Found::OutOfBudget;
            }
            self.instructions -= effort;
            self.budget.spend(effort.div_ceil(INSTRUCTIONS_PER_EFFORT));
            program.run(&one);
            if self.fails(program) {
                continue;
            }
            if holds(program) || self.looked_at <= SAMPLED && has_solution(program, &one) {
                return Found::Solution(model(&program.variables, &one));
            }
            let Some(number) = widest(program, &one) else { return Found::OutOfBudget };
            let (first, second) = halves(one[number], program.variables[number].single);
            for half in [second, first] {
                let mut part = one.clone();
                part[number] = half;
                open.push(part);
            }
        }
        Found::Nothing
    }

    /// Whether some condition cannot hold; one that failed before is preferred.
    fn fails(&mut self, program: &Program) -> bool {
        let fails = |number: &usize| !program.truth(*number).can_hold;
        let failing = (0..self.used.len()).filter(fails).max_by_key(|number| self.used[*number]);
        failing.map(|number| self.used[number] = true).is_some()
    }
}

fn holds(program: &Program) -> bool {
    (0..program.conditions()).all(|number| !program.truth(number).can_fail)
}

fn has_solution(program: &mut Program, sets: &[Interval]) -> bool {
    let sets = sets.iter().zip(&program.variables);
    let point: Vec<Interval> = sets.map(|(set, variable)| Interval::point(middle(*set, variable.single))).collect();
    program.run(&point);
    holds(program)
}

/// The variable whose set has the most numbers; `None` if each has only one.
fn widest(program: &Program, sets: &[Interval]) -> Option<usize> {
    let size = |number: &usize| {
        let set = sets[*number];
        let numbers = position(set.high) - position(set.low);
        // A `float` has fewer numbers in the same interval.
        let numbers = if program.variables[*number].single { numbers >> 29 } else { numbers };
        numbers.max(0) + i128::from(set.nan && set.has_numbers())
    };
    let number = (0..sets.len()).max_by_key(size)?;
    (size(&number) > 0).then_some(number)
}

/// What conditions that compare a variable with a constant say about it; they are used by that.
fn bounds(pool: &TermPool, conditions: &[Literal], used: &mut [bool], variable: TermId) -> Interval {
    let mut set = Interval::ALL;
    for (condition, used) in conditions.iter().zip(used) {
        let mut open = vec![*condition];
        while let Some(Literal { term, negated }) = open.pop() {
            if negated {
                continue;
            }
            match pool.floats.get(&term) {
                Some(origin) => *used |= tighten(pool, origin, variable, &mut set),
                None => {
                    let parts = pool.binary(term, TermOp::And).map(|(a, b)| [a, b].map(|part| Literal::of(pool, part)));
                    open.extend(parts.into_iter().flatten());
                }
            }
        }
    }
    set
}

/// Bounds a variable by an operation that holds, if it compares it with a constant.
fn tighten(pool: &TermPool, origin: &Origin, variable: TermId, set: &mut Interval) -> bool {
    let Origin { operation: Operation::Less | Operation::LessEqual, single, operands: [a, b] } = *origin else {
        return false;
    };
    let bound = |term: TermId| program::constant(pool, term, single);
    match (bound(a), bound(b)) {
        (None, Some(value)) if a == variable => set.high = set.high.min(value),
        (Some(value), None) if b == variable => set.low = set.low.max(value),
        _ => return false,
    }
    set.nan = false;
    true
}

/// A condition or its negation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Literal {
    term: TermId,
    negated: bool,
}

impl Literal {
    fn of(pool: &TermPool, mut term: TermId) -> Literal {
        let mut negated = false;
        while let Some(inner) = pool.unary(term, TermOp::Not) {
            (term, negated) = (inner, !negated);
        }
        Literal { term, negated }
    }

    /// The parts of a disjunction; otherwise the condition itself.
    fn alternatives(self, pool: &TermPool) -> Vec<Literal> {
        let mut found = Vec::new();
        let mut open = vec![self];
        while let Some(one) = open.pop() {
            // A comparison of floats is one condition.
            let is_float = pool.floats.contains_key(&one.term);
            match pool.binary(one.term, TermOp::And) {
                Some((a, b)) if one.negated && !is_float => {
                    let parts = [b, a].map(|part| Literal::of(pool, part));
                    open.extend(parts.map(|part| Literal { negated: !part.negated, ..part }));
                }
                _ => found.push(one),
            }
            if found.len() + open.len() > MOST_ALTERNATIVES {
                return vec![self];
            }
        }
        found
    }
}

/// The place of a number in the order of all numbers of `double`.
fn position(value: f64) -> i128 {
    let bits = value.abs().to_bits() as i128;
    if value < 0.0 { -bits } else { bits }
}

fn number_at(position: i128) -> f64 {
    let magnitude = f64::from_bits(position.unsigned_abs() as u64);
    if position < 0 { -magnitude } else { magnitude }
}

/// A number of the set that the format has, or NaN if there is none.
fn middle(set: Interval, single: bool) -> f64 {
    if !set.has_numbers() {
        return f64::NAN;
    }
    let between = set.low / 2.0 + set.high / 2.0;
    let between = if single { f64::from(between as f32) } else { between };
    if set.low < between && between < set.high { between } else { set.low }
}

/// A set in two: NaN and the numbers, or the numbers up to one and those after it. Where the bounds are of different size, each half has as many numbers.
fn halves(set: Interval, single: bool) -> (Interval, Interval) {
    if set.nan {
        return (Interval { nan: false, ..set }, Interval::NAN);
    }
    let (low, high) = (set.low.abs().min(set.high.abs()), set.low.abs().max(set.high.abs()));
    let near = set.low.signum() == set.high.signum() && high <= 4.0 * low;
    let between = match near {
        true => middle(set, single),
        false => number_at((position(set.low) + position(set.high)).div_euclid(2)),
    };
    let below = if single { at_most(between, set) } else { between };
    // There are two numbers: the first one stays on its side.
    let below = if below >= set.high { set.low } else { below.max(set.low) };
    let above = after(below, single);
    (Interval { high: below, ..set }, Interval { low: above, ..set })
}

/// The largest `float` that is not above a number of a set.
fn at_most(value: f64, set: Interval) -> f64 {
    let rounded = value as f32;
    let rounded = if f64::from(rounded) > value { rounded.next_down() } else { rounded };
    f64::from(rounded).max(set.low)
}

/// The number after another one; the zeros are one number.
fn after(value: f64, single: bool) -> f64 {
    if single { f64::from((value as f32).next_up()) } else { value.next_up() }
}

/// The model with values of float variables from their sets.
fn model(variables: &[Variable], sets: &[Interval]) -> Model {
    let mut assignment = Assignment::new();
    for (variable, set) in variables.iter().zip(sets) {
        let value = middle(*set, variable.single);
        let bits = match variable.single {
            true => Bits::new(32, (value as f32).to_bits().into()),
            false => Bits::new(64, value.to_bits().into()),
        };
        assignment.set(variable.term, TermValue::Bits(bits));
    }
    Model::new(assignment)
}
