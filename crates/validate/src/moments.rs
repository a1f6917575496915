//! The moments of a run of the interpreter, as the encoder's monitors know them.

use crate::condition::{Check, concrete};
use crate::statics::table::{Stays, Table};
use cfa::interp::{Event, Observer, View};
use cfa::{EdgeId, LocId, Op, Program};
use encode::Moment;
use std::collections::BTreeSet;

pub struct Moments<'p, F: FnMut(&View<'_, '_>, Moment)> {
    pub program: &'p Program,
    pub tell: F,
}

impl<F: FnMut(&View<'_, '_>, Moment)> Moments<'_, F> {
    fn arrive(&mut self, view: &View<'_, '_>, location: LocId) {
        if let Some(edge) = self.program.locations[location].out[0] {
            (self.tell)(view, Moment::Before(edge));
        }
    }
}

impl<F: FnMut(&View<'_, '_>, Moment)> Observer for Moments<'_, F> {
    fn step(&mut self, view: &View<'_, '_>, event: Event<'_>) {
        match event {
            Event::Edge { edge, .. } => {
                (self.tell)(view, Moment::After(edge));
                if !matches!(self.program.edges[edge].op, Op::Return(_)) {
                    self.arrive(view, self.program.edges[edge].to);
                }
            }
            Event::Enter { edge, function } => {
                (self.tell)(view, edge.map_or(Moment::Start(function), |edge| Moment::Enter(edge, function)));
                if let Some(automaton) = self.program.automaton(function) {
                    self.arrive(view, automaton.entry);
                }
            }
            Event::Input(_) | Event::Leave { .. } => {}
        }
    }
}

/// Whether a check is passed; `None`: it cannot be told here.
pub fn passes(check: &Check, view: &View<'_, '_>) -> Option<bool> {
    match check {
        Check::Always => Some(true),
        Check::Unknown(_) => None,
        Check::When(_, Some(function)) if view.function() != Some(*function) => None,
        Check::When(condition, _) => Some(concrete(condition, view).unwrap_or(false)),
    }
}

/// The states of a table along a run.
pub struct Walker<'t> {
    pub table: &'t Table,
    pub states: BTreeSet<u32>,
    /// Something could not be told.
    pub unsure: bool,
}

impl<'t> Walker<'t> {
    pub fn new(table: &'t Table) -> Self {
        Walker { table, states: BTreeSet::from([table.start]), unsure: false }
    }

    /// Takes the steps of a moment; the states that a rule leads to.
    pub fn moment(&mut self, view: &View<'_, '_>, moment: Moment) -> BTreeSet<u32> {
        if let Moment::Start(_) = moment {
            for _ in 0..self.table.silent.len() {
                for (from, rule) in &self.table.silent {
                    if self.states.contains(from) && self.passes(&rule.check, view) {
                        self.states.extend(rule.to);
                    }
                }
            }
        }
        let mut entered = BTreeSet::new();
        let Some(groups) = self.table.groups.get(&moment) else { return entered };
        let mut next = BTreeSet::new();
        for state in std::mem::take(&mut self.states) {
            let Some(group) = groups.get(&state) else {
                next.insert(state);
                continue;
            };
            let passed: Vec<&Option<u32>> =
                group.rules.iter().filter(|rule| self.passes(&rule.check, view)).map(|rule| &rule.to).collect();
            let strict = matches!(group.stays, Stays::Otherwise | Stays::Must);
            if strict && passed.contains(&&None) {
                continue;
            }
            if group.stays == Stays::Always || group.stays == Stays::Otherwise && passed.is_empty() {
                next.insert(state);
            }
            entered.extend(passed.into_iter().flatten());
        }
        next.extend(&entered);
        self.states = next;
        entered
    }

    fn passes(&mut self, check: &Check, view: &View<'_, '_>) -> bool {
        let passed = passes(check, view);
        self.unsure |= passed.is_none();
        passed.unwrap_or(false)
    }

    /// Whether a violation on an edge is one that the witness describes.
    pub fn accepts(&self, edge: EdgeId) -> bool {
        self.unsure || self.states.iter().any(|state| self.table.may_accept(*state, edge))
    }
}
