//! The union of all Floyd-Hoare automata, determinised: its states are sets of predicates, its letters are blocks, and its transitions are valid Hoare
//! triples, which the solver is asked for when they are needed (Heizmann et al. 2013). Answers are kept in a form that answers other
//! questions too: a valid triple with the part of its precondition that was used, an invalid one as a step with all that holds before and after it.
//!
//! Invariant: when all predicates of a set hold and a run takes a block, all predicates of the successor hold.

use super::set::Set;
use crate::blocks::Stop;
use crate::blocks::steps::{Step, Steps};
use base::Budget;
use logic::{Model, Solver, TermId};
use rustc_hash::FxHashMap;

/// Conflicts of a SAT solver for one question, at first.
const EASY: u64 = 1_000;

/// What a run may do at a place: take a block, or go wrong.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Letter {
    Block(usize),
    Wrong,
}

/// A step that is possible, by the predicates of the places where it begins and ends.
struct Witness {
    model: Model,
    before: Truth,
    after: Truth,
}

/// Which predicates of a place hold; those that were added later are not known.
#[derive(Default)]
struct Truth {
    holding: Set,
    known: usize,
}

/// What is known about a letter of a place.
#[derive(Default)]
struct Known {
    /// The preconditions with which a predicate holds after it; without one, with which the letter is impossible.
    valid: FxHashMap<Option<usize>, Vec<Set>>,
    witnesses: Vec<Witness>,
    /// Triples that are too hard to decide.
    hard: Vec<(Option<usize>, Set)>,
    /// Asked about this letter only, which is small if it is one path.
    solver: Solver,
}

pub struct Triples {
    /// Conflicts of a SAT solver for one question; a triple that is harder to decide is taken for invalid.
    patience: u64,
    /// By place: formulas over its state.
    predicates: Vec<Vec<TermId>>,
    known: FxHashMap<(usize, Letter), Known>,
}

impl Triples {
    pub fn new(places: usize) -> Self {
        Triples { patience: EASY, predicates: vec![Vec::new(); places], known: FxHashMap::default() }
    }

    /// Adds a predicate of a place; whether it is new.
    pub fn add(&mut self, place: usize, predicate: TermId) -> bool {
        let is_new = !self.predicates[place].contains(&predicate);
        if is_new {
            self.predicates[place].push(predicate);
        }
        is_new
    }

    /// The formulas of a set.
    pub fn formulas(&self, place: usize, set: &Set) -> Vec<TermId> {
        set.iter().map(|number| self.predicates[place][number]).collect()
    }

    /// A block was split: what is known about it is true of its parts, and its steps are in one of them.
    pub fn split(&mut self, steps: &Steps<'_>, place: usize, (block, part): (usize, usize)) {
        let whole = self.known.entry((place, Letter::Block(block))).or_default();
        let valid = whole.valid.clone();
        let guard = steps.places[place].blocks[part].guard;
        let pool = &steps.system.encoder.pool;
        let (inside, outside) =
            std::mem::take(&mut whole.witnesses).into_iter().partition(|witness| witness.model.bool(pool, guard));
        whole.witnesses = outside;
        self.known.insert((place, Letter::Block(part)), Known { valid, witnesses: inside, ..Known::default() });
    }

    /// What holds after a letter when a set of predicates holds before it; `None` if the letter is impossible then.
    pub fn successor(
        &mut self,
        steps: &mut Steps<'_>,
        (place, set): (usize, &Set),
        letter: Letter,
        budget: &Budget,
    ) -> Result<Option<Set>, Stop> {
        if self.is_valid(place, set, letter, None) {
            return Ok(None);
        }
        let mut open = match letter {
            Letter::Block(block) => (0..self.predicates[steps.places[place].blocks[block].to].len()).collect(),
            Letter::Wrong => Vec::new(),
        };
        let mut is_possible = false;
        for witness in &mut self.known.entry((place, letter)).or_default().witnesses {
            witness.learn(steps, &self.predicates, place, letter);
            if set.is_subset(&witness.before.holding) {
                is_possible = true;
                witness.refute(&mut open);
            }
        }
        if !is_possible
            && !self.is_hard(place, set, letter, None)
            && self.holds_after(steps, (place, set), letter, None, &mut open, budget)?
        {
            return Ok(None);
        }
        let mut successor = Set::default();
        open.reverse();
        while let Some(number) = open.pop() {
            if self.is_valid(place, set, letter, Some(number))
                || !self.is_hard(place, set, letter, Some(number))
                    && self.holds_after(steps, (place, set), letter, Some(number), &mut open, budget)?
            {
                successor.insert(number);
            }
        }
        Ok(Some(successor))
    }

    fn is_valid(&self, place: usize, set: &Set, letter: Letter, after: Option<usize>) -> bool {
        let known = self.known.get(&(place, letter)).and_then(|known| known.valid.get(&after));
        known.is_some_and(|all| all.iter().any(|used| used.is_subset(set)))
    }

    fn is_hard(&self, place: usize, set: &Set, letter: Letter, after: Option<usize>) -> bool {
        let known = self.known.get(&(place, letter));
        known.is_some_and(|known| known.hard.iter().any(|(one, hard)| *one == after && set.is_subset(hard)))
    }

    /// Allows more for each question; whether there is one that was too hard.
    pub fn try_harder(&mut self) -> bool {
        self.patience *= 10;
        let mut is_there_one = false;
        for known in self.known.values_mut() {
            is_there_one |= !known.hard.is_empty();
            known.hard.clear();
        }
        is_there_one
    }

    /// Asks the solver about a triple. If it is invalid, predicates that its counterexample refutes too are no longer open.
    fn holds_after(
        &mut self,
        steps: &mut Steps<'_>,
        (place, set): (usize, &Set),
        letter: Letter,
        after: Option<usize>,
        open: &mut Vec<usize>,
        budget: &Budget,
    ) -> Result<bool, Stop> {
        let numbers: Vec<usize> = set.iter().collect();
        let assumed: Vec<TermId> =
            numbers.iter().map(|number| steps.here(place, self.predicates[place][*number])).collect();
        let mut asked = assumed.clone();
        match letter {
            Letter::Wrong => asked.push(steps.places[place].bad),
            Letter::Block(block) => {
                asked.push(steps.places[place].blocks[block].guard);
                if let Some(number) = after {
                    let to = steps.places[place].blocks[block].to;
                    let holds = steps.after(place, block, self.predicates[to][number]);
                    asked.push(steps.pool().not(holds));
                }
            }
        }
        let known = self.known.entry((place, letter)).or_default();
        match steps.ask(&mut known.solver, place, &asked, &budget.with_conflicts(self.patience)) {
            Err(Stop::OutOfBudget) if !budget.expired() => {
                known.hard.push((after, set.clone()));
                Ok(false)
            }
            Err(stop) => Err(stop),
            Ok(Step::Never(core)) => {
                let used = numbers.iter().zip(&assumed).filter(|(_, term)| core.contains(term));
                known.valid.entry(after).or_default().push(used.map(|(number, _)| *number).collect());
                Ok(true)
            }
            Ok(Step::Found(model)) => {
                let mut witness = Witness { model, before: Truth::default(), after: Truth::default() };
                witness.learn(steps, &self.predicates, place, letter);
                witness.refute(open);
                known.witnesses.push(witness);
                Ok(false)
            }
        }
    }
}

impl Witness {
    /// Evaluates predicates that are new.
    fn learn(&mut self, steps: &mut Steps<'_>, predicates: &[Vec<TermId>], place: usize, letter: Letter) {
        let Witness { model, before, after } = self;
        before.learn(&predicates[place], |predicate| {
            let holds = steps.here(place, predicate);
            model.bool(steps.pool(), holds)
        });
        if let Letter::Block(block) = letter {
            let to = steps.places[place].blocks[block].to;
            after.learn(&predicates[to], |predicate| {
                let holds = steps.after(place, block, predicate);
                model.bool(steps.pool(), holds)
            });
        }
    }

    /// Removes what does not hold after the step.
    fn refute(&self, open: &mut Vec<usize>) {
        open.retain(|number| self.after.holding.contains(*number));
    }
}

impl Truth {
    fn learn(&mut self, predicates: &[TermId], mut holds: impl FnMut(TermId) -> bool) {
        for (number, predicate) in predicates.iter().enumerate().skip(self.known) {
            if holds(*predicate) {
                self.holding.insert(number);
            }
        }
        self.known = predicates.len();
    }
}
