//! Observer automata in product with symbolic execution. What an automaton knows about a state are marks, numbered conditions that travel
//! with the state and merge with it. Where all its marks are gone the runs are of no interest any more and end.

use crate::exec::Run;
use crate::state::State;
use crate::unrolling::{Obligation, ObligationKind};
use cfa::{EdgeId, ExprId, FuncId, Property};
use logic::{TermId, TermPool};
use std::rc::Rc;

/// The marks of a state in ascending order; a mark that is not there is false.
pub type Marks = Vec<(u32, TermId)>;

/// When a monitor is asked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Moment {
    /// Before the operation of an edge, of two branches before the condition: asked once, for the first one.
    Before(EdgeId),
    /// After the operation; of two branches, the one that is taken; of a call, once it is back.
    After(EdgeId),
    /// The arguments of a call of this function, which has a body, are evaluated; the variables are still the caller's.
    Enter(EdgeId, FuncId),
    /// The run begins.
    Start(FuncId),
}

pub trait Monitor {
    /// The marks at the start.
    fn marks(&mut self, pool: &TermPool) -> Marks;
    /// Replaces the marks.
    fn moment(&mut self, look: &mut Look<'_, '_, '_>, moment: Moment);
    /// When the violation of a property on an edge counts.
    fn accepts(&mut self, look: &mut Look<'_, '_, '_>, edge: EdgeId, property: Property) -> TermId;
}

/// What a monitor sees of a state.
pub struct Look<'a, 'e, 'p> {
    run: &'a mut Run<'e, 'p>,
    state: &'a mut State,
}

impl Look<'_, '_, '_> {
    pub fn pool(&mut self) -> &mut TermPool {
        self.run.pool()
    }

    pub fn marks(&self) -> Rc<Marks> {
        self.state.marks.clone()
    }

    pub fn set_marks(&mut self, marks: Marks) {
        self.state.marks = Rc::new(marks);
    }

    /// The function whose variables can be read.
    pub fn function(&self) -> Option<FuncId> {
        self.run.stack.last().map(|activation| activation.function)
    }

    /// Whether a scalar expression over the variables of the running function is not zero, and whether it has a value at all: one whose
    /// arithmetic overflows has none, also where overflow is not asked about.
    pub fn truth(&mut self, expr: ExprId) -> (TermId, TermId) {
        let (obligations, fills) = (self.run.out.obligations.len(), self.run.out.fills.len());
        let mut copy = self.state.clone();
        let asked = self.run.properties;
        self.run.properties = asked.with(Property::NoOverflow).with(Property::ShiftRange);
        let truth = self.run.condition(&mut copy, expr);
        self.run.properties = asked;
        let poison = self.run.out.obligations.split_off(obligations);
        for obligation in poison
            .into_iter()
            .filter(|found| matches!(found.kind, ObligationKind::Poison(_) | ObligationKind::LeftOpen(_)))
        {
            self.run.out.obligations.push(obligation);
        }
        if self.run.out.fills.len() > fills {
            // The program itself never looked at this memory, so no run would be given its contents.
            self.run.forget_fills(fills);
            self.unknown("memory that only the witness reads");
            let never = self.pool().bool(false);
            return (never, never);
        }
        // What a first look shows of an allocation stays.
        self.state.memory = copy.memory;
        let pool = self.run.pool();
        (truth, copy.guard.term(pool))
    }

    /// Notes that something about the state cannot be told: nothing is proved by what follows.
    pub fn unknown(&mut self, what: &str) {
        let always = self.pool().bool(true);
        self.unknown_where(what, always);
    }

    /// The same, of the runs on which a condition holds.
    pub fn unknown_where(&mut self, what: &str, cond: TermId) {
        let guard = self.state.guard.term(self.run.pool());
        let guard = self.pool().and(guard, cond);
        if self.run.assuming || self.pool().as_bool(guard) == Some(false) {
            return;
        }
        let (kind, edge) = (ObligationKind::Poison(what.into()), self.run.edge);
        self.run.out.obligations.push(Obligation { kind, edge, cond: guard, events_before: self.run.out.events.len() });
    }

    /// Notes that something numbered happens to this state where a condition holds.
    pub fn sighting(&mut self, what: u32, cond: TermId) {
        let guard = self.state.guard.term(self.run.pool());
        let cond = self.pool().and(guard, cond);
        if !self.run.assuming && self.pool().as_bool(cond) != Some(false) {
            self.run.out.sightings.push((what, cond));
        }
    }
}

impl Run<'_, '_> {
    /// Forgets memory that was looked at for the first time since there were so many fills.
    pub fn forget_fills(&mut self, fills: usize) {
        self.out.fills.truncate(fills);
        self.heap_fills.retain(|_, of| of.iter().all(|fill| fill.index < fills));
    }

    /// Asks the monitor, if there is one. Runs that it has given up end; whether others are left.
    pub fn watch(&mut self, state: &mut State, moment: Moment) -> bool {
        let Some(mut monitor) = self.encoder.monitor.take() else { return true };
        let before = state.marks.clone();
        monitor.moment(&mut Look { run: self, state }, moment);
        self.encoder.monitor = Some(monitor);
        if Rc::ptr_eq(&before, &state.marks) {
            return true;
        }
        let marks: Vec<TermId> = state.marks.iter().map(|(_, cond)| *cond).collect();
        let alive = self.pool().or_all(&marks);
        state.guard = state.guard.and(self.pool(), alive);
        !self.is_dead(state)
    }

    /// When the violation of a property on the present edge counts.
    pub fn accepted(&mut self, state: &mut State, property: Property) -> TermId {
        let Some(mut monitor) = self.encoder.monitor.take() else { return self.pool().bool(true) };
        let edge = self.edge;
        let accepted = monitor.accepts(&mut Look { run: self, state }, edge, property);
        self.encoder.monitor = Some(monitor);
        accepted
    }
}

/// The marks where either of two paths was taken.
pub fn merge(pool: &mut TermPool, tell: TermId, first: &Rc<Marks>, second: &Rc<Marks>) -> Rc<Marks> {
    if Rc::ptr_eq(first, second) {
        return first.clone();
    }
    let never = pool.bool(false);
    let (mut a, mut b) = (first.iter().peekable(), second.iter().peekable());
    let mut merged = Vec::with_capacity(first.len().max(second.len()));
    loop {
        let number = match (a.peek(), b.peek()) {
            (None, None) => break,
            (Some((number, _)), None) | (None, Some((number, _))) => *number,
            (Some((left, _)), Some((right, _))) => *left.min(right),
        };
        let left = a.next_if(|(found, _)| *found == number).map_or(never, |(_, cond)| *cond);
        let right = b.next_if(|(found, _)| *found == number).map_or(never, |(_, cond)| *cond);
        let both = if left == right { left } else { pool.ite(tell, left, right) };
        if pool.as_bool(both) != Some(false) {
            merged.push((number, both));
        }
    }
    Rc::new(merged)
}
