//! With `--all`: what is known about each assertion by itself. After every bound at which no new violation is found, the solver is asked
//! which assertions some run reaches; the answer of the last such bound counts.

use super::Search;
use cfa::{EdgeId, Op};
use encode::{ObligationKind, Reachable, Unrolling};
use evidence::{Check, CheckVerdict};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Default)]
pub struct Survey {
    /// Assertions that some run reaches.
    reached: BTreeSet<EdgeId>,
    /// The last bound that was looked at completely.
    bound: Option<u32>,
    /// Whether no run within it leaves the model: what is not modelled may reach and violate anything.
    exact: bool,
}

impl Survey {
    /// The bound up to which nothing more is violated.
    pub fn explored(&self) -> Option<u32> {
        self.bound.filter(|_| self.exact)
    }
}

impl Search<'_, '_> {
    /// Looks at the assertions; `None` if the budget ran out.
    pub(super) fn survey(&mut self, unrolling: &Unrolling, bound: u32) -> Option<()> {
        let mut guards: BTreeMap<EdgeId, Vec<logic::TermId>> = BTreeMap::new();
        for (edge, guard) in &unrolling.assertions {
            guards.entry(*edge).or_default().push(*guard);
        }
        // What a smaller bound reaches a larger one does too.
        guards.retain(|edge, _| !self.survey.reached.contains(edge));
        for (edge, guards) in guards {
            let reached = self.prover.encoder.pool.or_all(&guards);
            if self.can_hold(reached)? {
                self.survey.reached.insert(edge);
            }
        }
        let left = self.prover.any(unrolling, |obligation| {
            use ObligationKind::{LeftOpen, Poison, Undefined};
            matches!(obligation.kind, Poison(_) | LeftOpen(_) | Undefined(_))
        });
        self.survey.exact = !self.can_hold(left)?;
        self.survey.bound = Some(bound);
        Some(())
    }

    fn can_hold(&mut self, cond: logic::TermId) -> Option<bool> {
        match self.prover.reachable(&[cond]) {
            Reachable::Yes(_) | Reachable::OutOfReach => Some(true),
            Reachable::Never => Some(false),
            Reachable::Unknown => None,
        }
    }

    /// A line for each assertion of an asked property, then one for each other place of a violation.
    pub(super) fn checks(&self, complete: bool) -> Vec<Check> {
        let violated = |edge: EdgeId| self.found.iter().any(|(violation, _)| violation.edge == edge);
        let asked = |op: &Op| match op {
            Op::Assert { property, .. } => Some(*property).filter(|property| self.task.properties.contains(*property)),
            _ => None,
        };
        let edges = self.task.program.edges.iter();
        let assertions = edges.filter_map(|(edge, data)| asked(&data.op).map(|property| (edge, property)));
        let mut checks: Vec<Check> = assertions
            .map(|(edge, property)| {
                let verdict = match self.survey.explored() {
                    _ if violated(edge) => CheckVerdict::Violated,
                    // A place that was not looked at any more without a violation that replays there.
                    _ if self.places.contains(&edge) => CheckVerdict::Unknown,
                    _ if complete => CheckVerdict::Holds,
                    Some(bound) if self.survey.reached.contains(&edge) => CheckVerdict::HoldsUpTo(bound),
                    Some(bound) => CheckVerdict::NotReached(bound),
                    None => CheckVerdict::Unknown,
                };
                Check { property, edge, verdict }
            })
            .collect();
        for (violation, _) in &self.found {
            if asked(&self.task.program.edges[violation.edge].op).is_none() {
                let (property, edge) = (violation.property, violation.edge);
                checks.push(Check { property, edge, verdict: CheckVerdict::Violated });
            }
        }
        checks
    }
}
