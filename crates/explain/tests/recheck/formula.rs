//! The trace formula of a failure once more, taken apart by position: what is known before a step, and what follows.

use base::Budget;
use cfa::{AssumeRole, Op};
use encode::{Encoder, Follow, Names, Origin, PathFormula};
use explain::Failure;
use explain::localize::invariants::{Invariant, Range};
use logic::{Solver, TermId};
use std::collections::BTreeMap;

pub struct Formula<'p> {
    pub encoder: Encoder<'p>,
    pub path: PathFormula,
    /// What is known of each input, with the step that reads it; of uninitialized memory: without one.
    pub psi: Vec<(Option<usize>, TermId)>,
    /// What should have held, and the position where.
    pub phi: TermId,
    pub end: usize,
    names: BTreeMap<String, TermId>,
    /// Whether each step counts only under the conditions around it.
    flow: bool,
}

impl<'p> Formula<'p> {
    pub fn of(failure: &Failure<'p>, names: Names) -> Self {
        let mut encoder = Encoder::new(failure.task);
        let follow = Follow { inputs: &mut failure.tape.play(), args: &failure.tape.args, names, max_steps: 500_000 };
        let path = encoder.follow(follow, &Budget::unlimited()).expect("the run fails");
        let pool = &mut encoder.pool;
        let mut psi = Vec::new();
        let mut all: Vec<TermId> = Vec::new();
        for input in &path.inputs {
            let width = pool.width(input.term);
            let value = pool.bv(width, input.bits.get());
            psi.push((input.step.map(|step| step as usize), pool.eq(input.term, value)));
            all.push(input.term);
        }
        for term in path.fills.iter().flat_map(|fill| &fill.terms) {
            if let Some(logic::TermValue::Bits(bits)) = path.values.get(*term) {
                let value = pool.bits(bits);
                psi.push((None, pool.eq(*term, value)));
                all.push(*term);
            }
        }
        all.extend(path.steps.iter().flat_map(|step| &step.definitions).map(|one| one.name));
        let names_of = all.into_iter().filter_map(|term| Some((pool.name(term)?.to_string(), term))).collect();
        let (phi, end) = (path.assertion, path.steps.len());
        let flow = names == Names::FreshWithFrames;
        let mut formula = Formula { encoder, path, psi, phi, end, names: names_of, flow };
        // An error function should not have been called: the last branch should have gone the other way.
        while formula.encoder.pool.as_bool(formula.phi) == Some(false) {
            let is_branch = |step: &usize| formula.path.steps[*step].guard.is_some() && !formula.is_assumption(*step);
            let Some(last) = (0..formula.end).rev().find(is_branch) else { break };
            let guard = formula.path.steps[last].guard.expect("a branch");
            (formula.phi, formula.end) = (formula.encoder.pool.not(guard), last);
        }
        formula
    }

    fn is_assumption(&self, step: usize) -> bool {
        let Origin::Edge(edge) = self.path.steps[step].origin else { return false };
        let op = &self.encoder.task.program.edges[edge].op;
        matches!(op, Op::Assume { role: AssumeRole::Assumption, .. })
    }

    /// What a step says of the values that it assigns.
    pub fn definitions(&mut self, step: usize) -> Vec<TermId> {
        let definitions = self.path.steps[step].definitions.iter();
        definitions.map(|one| self.encoder.pool.eq(one.name, one.value)).collect()
    }

    /// The conditions in whose scope a step lies.
    pub fn conditions(&self, step: usize) -> Vec<u32> {
        let parent = |number: &u32| self.path.conditions[*number as usize].parent;
        std::iter::successors(self.path.steps[step].scope, parent).collect()
    }

    /// All that holds of the conditions in whose scope a step lies.
    pub fn reached(&mut self, step: usize) -> TermId {
        let terms: Vec<TermId> =
            self.conditions(step).into_iter().map(|number| self.path.conditions[number as usize].term).collect();
        self.encoder.pool.and_all(&terms)
    }

    /// What a step contributes to the trace formula, or to the flow-sensitive one (Christ et al. 2013, algorithm 2).
    pub fn step(&mut self, step: usize) -> Vec<TermId> {
        let mut terms = self.definitions(step);
        let guard = self.path.steps[step].guard;
        if self.flow {
            let reached = self.reached(step);
            terms = terms.into_iter().map(|term| self.encoder.pool.implies(reached, term)).collect();
            terms.extend(guard.filter(|_| self.is_assumption(step)));
        } else {
            terms.extend(guard);
        }
        terms
    }

    /// `psi` and the steps before a position.
    pub fn prefix(&mut self, position: usize) -> Vec<TermId> {
        let known = self.psi.iter().filter(|(step, _)| step.is_none_or(|step| step < position));
        let mut terms: Vec<TermId> = known.map(|(_, term)| *term).collect();
        (0..position).for_each(|step| terms.extend(self.step(step)));
        terms
    }

    /// Whether a formula that holds at a position contradicts what is said at a later one, by the steps between them and the inputs that they
    /// read. Some of the steps are tried alone first: if they suffice, all of them do.
    pub fn contradicts(&mut self, term: TermId, position: usize, end: usize, goal: TermId, first: &[usize]) -> bool {
        let read = self.psi.iter().filter(|(step, _)| step.is_some_and(|step| step >= position && step < end));
        let read: Vec<TermId> = read.map(|(_, term)| *term).collect();
        let some = first.iter().filter(|step| **step >= position && **step < end);
        let some: Vec<TermId> = some.flat_map(|step| self.step(*step)).collect();
        self.is_contradiction(&[&[term, goal], &read, &some]) || {
            let all: Vec<TermId> = (position..end).flat_map(|step| self.step(step)).collect();
            self.is_contradiction(&[&[term, goal], &read, &all])
        }
    }

    pub fn all_inputs(&self) -> Vec<TermId> {
        self.psi.iter().map(|(_, term)| *term).collect()
    }

    /// An invariant as a term of this formula.
    pub fn invariant(&mut self, invariant: &Invariant) -> TermId {
        let terms: Vec<TermId> = invariant.ranges.iter().map(|range| self.range(range)).collect();
        self.encoder.pool.and_all(&terms)
    }

    fn range(&mut self, range: &Range) -> TermId {
        let name = *self.names.get(&range.name).unwrap_or_else(|| panic!("no value is named {}", range.name));
        let pool = &mut self.encoder.pool;
        let width = pool.width(name);
        let (low, high) = (pool.bv_signed(width, range.low), pool.bv_signed(width, range.high));
        if range.low == range.high {
            return pool.eq(name, low);
        }
        let (below, above) = match range.signed {
            true => (pool.slt(name, low), pool.slt(high, name)),
            false => (pool.ult(name, low), pool.ult(high, name)),
        };
        let outside = pool.or(below, above);
        pool.not(outside)
    }

    /// Whether terms contradict each other, by a solver that knows nothing yet.
    pub fn is_contradiction(&self, parts: &[&[TermId]]) -> bool {
        let terms: Vec<TermId> = parts.concat();
        let outcome = Solver::new().check(&self.encoder.pool, &terms, &Budget::unlimited());
        assert!(outcome.is_sat() || outcome.is_unsat(), "the solver decides");
        outcome.is_unsat()
    }
}
