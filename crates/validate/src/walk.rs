//! A table of rules along a run of the interpreter.

use crate::condition::{Check, OTHER_FUNCTION, UNDEFINED, concrete};
use crate::table::{Rule, Stays, Table};
use cfa::interp::View;
use cfa::{EdgeId, Property};
use encode::Moment;
use std::collections::{BTreeSet, HashSet};

/// Whether a check is passed; the error is why that is unknown here.
pub fn passes<'c>(check: &'c Check, view: &View<'_, '_>) -> Result<bool, &'c str> {
    match check {
        Check::Always => Ok(true),
        Check::Unknown(why) => Err(why),
        Check::When(_, Some(function)) if view.function() != Some(*function) => Err(OTHER_FUNCTION),
        Check::When(condition, _) => concrete(condition, view).ok_or(UNDEFINED),
    }
}

/// The states of a table along a run.
pub struct Walker<'t> {
    pub table: &'t Table,
    /// In the order in which rules lead to them.
    pub states: Vec<u32>,
    /// Why some check could not be decided; it was assumed to hold.
    pub unsure: Option<String>,
    /// How near to the violation it ever was.
    pub furthest: usize,
    /// Where and why no state is left.
    pub left: Option<String>,
    /// The edge that comes next, and the states from which its last rules may be passed at once.
    next: Option<(EdgeId, Vec<u32>)>,
    /// The states that have last rules.
    last: HashSet<u32>,
}

/// Whether a violation is one that the witness describes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Accepted {
    Yes,
    No,
    /// What the witness says about its last step could not be looked at.
    Unsure,
}

impl<'t> Walker<'t> {
    pub fn new(table: &'t Table) -> Self {
        let states = vec![table.start];
        let leads = |state: &u32| {
            table.leaving(*state).iter().filter_map(|rule| rule.to).any(|to| table.accepting.contains(&to))
        };
        let last = (0..table.depth.len() as u32).filter(leads).collect();
        Walker { table, states, unsure: None, furthest: 0, left: None, next: None, last }
    }

    /// Takes the steps of a moment; the states that a rule leads to.
    pub fn moment(&mut self, view: &View<'_, '_>, moment: Moment) -> BTreeSet<u32> {
        let starts = matches!(moment, Moment::Start(_));
        if starts {
            self.silent(view);
        }
        let entered = self.step(view, moment);
        if starts {
            self.silent(view);
        }
        // A look at every step would take long.
        if let Moment::Before(edge) = moment
            && self.states.iter().any(|state| self.last.contains(state))
        {
            let table = self.table;
            let passes = |state: &u32| table.last_rules(*state, edge).any(|rule| passes(&rule.check, view) == Ok(true));
            self.next = Some((edge, self.states.iter().copied().filter(passes).collect()));
        }
        entered
    }

    fn silent(&mut self, view: &View<'_, '_>) {
        let table = self.table;
        for _ in 0..table.silent.len() {
            let before = self.states.len();
            for (from, rule) in &table.silent {
                if let Some(to) = rule.to
                    && self.states.contains(from)
                    && !self.states.contains(&to)
                    && self.passes(rule, view)
                {
                    self.states.push(to);
                }
            }
            if self.states.len() == before {
                break;
            }
            self.note();
        }
    }

    fn step(&mut self, view: &View<'_, '_>, moment: Moment) -> BTreeSet<u32> {
        let table = self.table;
        let mut entered = BTreeSet::new();
        let Some(groups) = table.groups.get(&moment) else { return entered };
        if !self.states.iter().any(|state| groups.contains_key(state)) {
            return entered;
        }
        let (mut next, mut failed) = (Vec::new(), None);
        for state in std::mem::take(&mut self.states) {
            let Some(group) = groups.get(&state) else {
                next.push(state);
                continue;
            };
            let (passed, not): (Vec<&Rule>, Vec<&Rule>) = group.rules.iter().partition(|rule| self.passes(rule, view));
            let forbidden = passed.iter().find(|rule| rule.to.is_none());
            if let Some(rule) = forbidden.filter(|_| group.stays.forbids()) {
                failed.get_or_insert_with(|| format!("line {}: a waypoint to avoid is passed", rule.line));
                continue;
            }
            if let Some(rule) = not.first() {
                failed.get_or_insert_with(|| format!("line {}: `{}` does not hold", rule.line, rule.text));
            } else if let Some(rule) = forbidden {
                failed.get_or_insert_with(|| format!("line {}: it leads to a sink", rule.line));
            }
            let targets = passed.iter().filter_map(|rule| rule.to);
            entered.extend(targets.clone());
            next.extend(targets);
            if group.stays == Stays::Always || group.stays == Stays::Otherwise && passed.is_empty() {
                next.push(state);
            }
        }
        let mut seen = BTreeSet::new();
        next.retain(|state| seen.insert(*state));
        if next.is_empty() {
            self.left = failed;
        }
        self.states = next;
        self.note();
        entered
    }

    fn note(&mut self) {
        let depths = self.states.iter().filter_map(|state| self.table.depth.get(*state as usize));
        self.furthest = depths.fold(self.furthest, |most, depth| most.max(*depth));
    }

    fn passes(&mut self, rule: &Rule, view: &View<'_, '_>) -> bool {
        passes(&rule.check, view).unwrap_or_else(|why| {
            self.unsure.get_or_insert_with(|| why.to_string());
            true
        })
    }

    /// Whether a violation on an edge is one that the witness describes. At the very end there is no edge.
    pub fn accepts(&self, edge: Option<EdgeId>, property: Property) -> Accepted {
        if self.states.iter().any(|state| self.table.accepts(*state, edge, property)) {
            return Accepted::Yes;
        }
        let Some(edge) = edge else { return Accepted::No };
        // A violation ends the run, so the rules of its edge are looked at before it.
        match &self.next {
            Some((next, passing)) if *next == edge => {
                let passed = self.states.iter().any(|state| passing.contains(state));
                if passed { Accepted::Yes } else { Accepted::No }
            }
            _ => {
                let rules: Vec<&Rule> =
                    self.states.iter().flat_map(|state| self.table.last_rules(*state, edge)).collect();
                match rules.iter().any(|rule| matches!(rule.check, Check::Always)) {
                    true => Accepted::Yes,
                    false if rules.is_empty() => Accepted::No,
                    false => Accepted::Unsure,
                }
            }
        }
    }
}
