//! Rounds through loops: when one more begins, which of them count against the bound, and what tells them apart.
//!
//! A round is free where its end needs no solver: some test that leaves the loop was decided by constants, and it was not the same test on the same
//! values as in the round before (which would be decided the same way in every round), nor a test of an allocation of this round (which is never null).

use crate::exec::Run;
use crate::order::{Order, Round};
use crate::state::State;
use crate::unrolling::ObligationKind;
use crate::value::SymbolicValue;
use cfa::{EdgeId, ExprId, ExprKind, LocId, UnOp};
use logic::TermId;
use smallvec::SmallVec;
use std::rc::Rc;

#[derive(Clone, Default)]
pub(crate) struct LoopCount {
    /// Rounds through the loop since it was entered, the present one included.
    pub iterations: u32,
    /// Of these, the ones that count against the bound.
    counted: u32,
    /// Whether a test of this round that leaves the loop was decided without the solver.
    pub decided: bool,
    /// The round in which the head was executed last, for the first time in that round.
    head: u32,
    /// How often paths had split when the head was last executed.
    splits: u64,
    /// How many allocations there were then.
    allocations: usize,
}

/// The operands of a test, as terms: equal constants are equal terms.
pub type Operands = SmallVec<[TermId; 4]>;

/// The last operands of each test of a loop that was decided without the solver, on the way to a state.
pub type Tests = SmallVec<[(LocId, Operands); 1]>;

/// Paths that came back to a loop and wait for its next round.
pub(crate) struct Waiting {
    pub target: LocId,
    pub round: Round,
    /// An edge that led back.
    pub edge: EdgeId,
    pub states: Vec<State>,
}

impl Run<'_, '_> {
    /// Begins to count the rounds of the loops that an edge enters.
    pub fn enter_loops(&mut self, order: &Order, around: &[LocId], target: LocId, state: &mut State) {
        for head in order.loops_around(target).iter().filter(|head| !around.contains(head)) {
            let count = LoopCount { iterations: 1, splits: self.splits, ..LoopCount::default() };
            self.activation().loops.insert(*head, count);
            if !state.tests.is_empty() {
                Rc::make_mut(&mut state.tests).retain(|(test, _)| !order.loops_around(*test).contains(head));
            }
        }
    }

    /// Begins one more round through a loop with the states that came back to it, if the bound allows.
    pub fn begin_round(&mut self, round: Round, begun: Vec<Waiting>) -> Vec<(LocId, Vec<State>)> {
        let (bounds, steps, splits) = (self.bounds, self.out.steps, self.splits);
        let limit = self.encoder.limits.loops.get(&round.head).copied();
        let activation = self.activation();
        activation.rounds += 1;
        let count = activation.loops.entry(round.head).or_default();
        let concrete = splits == count.splits && steps < bounds.steps;
        let free = count.decided && (concrete || count.iterations < bounds.decided);
        let exhausted = match limit {
            // The first round does not count.
            Some(limit) => (count.iterations > limit).then_some(ObligationKind::Limit(limit)),
            None => (!free && count.counted >= bounds.unwind).then_some(ObligationKind::Unwind),
        };
        if let Some(kind) = exhausted {
            for one in begun {
                self.edge = one.edge;
                let always = self.pool().bool(true);
                for mut state in one.states {
                    self.leave(&mut state, kind.clone(), always);
                }
            }
            return Vec::new();
        }
        let again = count.iterations;
        count.iterations += 1;
        count.counted += !free as u32;
        self.out.deepest = self.out.deepest.max(again);
        begun.into_iter().map(|one| (one.target, one.states)).collect()
    }

    pub fn head_executed(&mut self, location: LocId) {
        let (splits, allocations) = (self.splits, self.allocated.len());
        if let Some(count) = self.activation().loops.get_mut(&location) {
            // States that are kept apart execute it several times in a round.
            if std::mem::replace(&mut count.head, count.iterations) == count.iterations && count.iterations > 0 {
                return;
            }
            count.splits = splits;
            count.allocations = allocations;
            count.decided = false;
        }
    }

    /// A branch was decided without the solver: if the other edge leaves a loop, that loop's round may be free.
    pub fn decided(&mut self, state: &mut State, cond: ExprId, other: EdgeId) {
        let (location, target) = (self.program.edges[other].from, self.program.edges[other].to);
        let order = self.activation().order.clone();
        let outside = order.loops_around(target);
        let mut left = order.loops_around(location).iter().filter(|head| !outside.contains(head)).peekable();
        if left.peek().is_none() {
            return;
        }
        let values = self.operands(state, cond);
        let (mut last, mut new) = (None, false);
        for head in left {
            let Some(count) = self.activation().loops.get(head) else { continue };
            let allocations = count.allocations;
            if values.iter().any(|value| self.is_allocated_since(*value, allocations)) {
                continue;
            }
            let operands: Operands = values.iter().map(|value| value.pack(self.pool())).collect();
            new |= state.tests.iter().all(|(at, before)| *at != location || *before != operands);
            last = Some(operands);
            if let Some(count) = self.activation().loops.get_mut(head) {
                count.decided |= new;
            }
        }
        if let Some(operands) = last {
            let tests = Rc::make_mut(&mut state.tests);
            tests.retain(|(at, _)| *at != location);
            tests.push((location, operands));
        }
    }

    /// What a condition compares.
    fn operands(&mut self, state: &mut State, cond: ExprId) -> SmallVec<[SymbolicValue; 2]> {
        match self.program.exprs[cond].kind {
            ExprKind::Unary(UnOp::Not, operand) => self.operands(state, operand),
            ExprKind::Binary(op, left, right) if op.is_comparison() => {
                [self.value(state, left), self.value(state, right)].into_iter().collect()
            }
            _ => [self.value(state, cond)].into_iter().collect(),
        }
    }

    fn is_allocated_since(&mut self, value: SymbolicValue, allocations: usize) -> bool {
        let SymbolicValue::Pointer { object, .. } = value else { return false };
        let Some(id) = self.pool().as_u64(object) else { return false };
        self.allocated[allocations..].contains(&(id as u32))
    }
}
