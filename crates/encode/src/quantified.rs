//! Candidates that hold for all values of a variable, as `k < 0 | k >= i | a[k] == 0` ([`cfa::contract::bound_variable`]). Each is checked for one value
//! about which nothing is known. Where it is assumed, it is assumed for that value, and for the indices at which the execution reads arrays: which ones
//! these are is known when it is over (instances by the terms that are there; Bradley et al. 2006 show for which conditions they suffice).
//!
//! The parts of a disjunction are evaluated one by one: an element outside of an array need not have a value where another part holds.

use crate::exec::{Activation, Run};
use crate::state::State;
use crate::value::SymbolicValue;
use cfa::{Anchor, BinOp, ExprId, ExprKind, VarId};
use logic::{TermId, TermOp, TermPool};
use rustc_hash::FxHashSet;

/// Indices that conditions are assumed for, and such assumptions of one execution.
const MOST_INDICES: usize = 24;
const MOST_INSTANCES: usize = 4000;

/// A state in which conditions hold for all values.
pub(crate) struct Quantified {
    anchor: Anchor,
    state: State,
    stack: Vec<Activation>,
}

impl Run<'_, '_> {
    /// The variable that a candidate is about for all its values.
    pub fn bound_variable(&self, expr: ExprId) -> Option<VarId> {
        self.encoder.cut.as_ref()?.bound.get(&expr).copied()
    }

    /// A value about which nothing is known.
    pub fn any_value(&mut self, var: VarId) -> TermId {
        let width = self.program.types.scalar_bits(self.program.vars[var].ty);
        self.encoder.input_var("any index".into(), width)
    }

    /// Whether a candidate holds for one value of its variable, and when that is not known.
    pub fn holds_for(&mut self, state: &State, expr: ExprId, var: VarId, value: TermId) -> (TermId, TermId) {
        let always = self.pool().bool(true);
        let names = [(var, (SymbolicValue::Bits(value), always))].into_iter().collect();
        let outer = std::mem::replace(&mut self.names, names);
        let mut open = vec![expr];
        let (mut holds, mut unclear) = (self.pool().bool(false), self.pool().bool(false));
        while let Some(part) = open.pop() {
            if let ExprKind::Binary(BinOp::Or, left, right) = self.program.exprs[part].kind {
                open.extend([right, left]);
                continue;
            }
            let (part, open) = self.evaluation(state, part);
            holds = self.pool().or(holds, part);
            unclear = self.pool().or(unclear, open);
        }
        self.names = outer;
        (holds, unclear)
    }

    /// Remembers a state where candidates are assumed, if some of them are about all values of a variable.
    pub fn remember_quantified(&mut self, state: &State, anchor: Anchor) {
        let quantified = |run: &Self| {
            run.candidates_of(anchor).into_iter().flatten().any(|one| run.bound_variable(one.expr).is_some())
        };
        if quantified(self) {
            self.quantified.push(Quantified { anchor, state: state.clone(), stack: self.stack.clone() });
        }
    }

    /// Assumes candidates for the indices at which arrays were read.
    pub fn assume_instances(&mut self) {
        if self.quantified.is_empty() || self.out.interrupted {
            return;
        }
        let conds = self.out.obligations.iter().map(|obligation| obligation.cond);
        let conds: Vec<TermId> = conds.chain(self.out.broken.iter().map(|(_, cond)| *cond)).collect();
        let indices = indices(&self.encoder.pool, &conds);
        let mut facts = Vec::new();
        for Quantified { anchor, state, stack } in std::mem::take(&mut self.quantified) {
            let outer = std::mem::replace(&mut self.stack, stack);
            for candidate in self.candidates_at(anchor) {
                let Some(var) = self.bound_variable(candidate.expr) else { continue };
                let width = self.program.types.scalar_bits(self.program.vars[var].ty);
                let any = self.any_value(var);
                for index in &indices {
                    let value = resized(self.pool(), *index, width);
                    if value == any {
                        continue;
                    }
                    if facts.len() == MOST_INSTANCES || self.budget.expired() {
                        break;
                    }
                    let (holds, unclear) = self.holds_for(&state, candidate.expr, var, value);
                    let holds = self.pool().or(holds, unclear);
                    let guard = state.guard.term(self.pool());
                    let assumed = self.pool().and(guard, candidate.selector);
                    facts.push(self.pool().implies(assumed, holds));
                }
            }
            self.stack = outer;
        }
        let all = self.pool().and_all(&facts);
        for at in 0..self.out.obligations.len() {
            let cond = self.out.obligations[at].cond;
            self.out.obligations[at].cond = self.pool().and(cond, all);
        }
        for at in 0..self.out.broken.len() {
            let (number, cond) = self.out.broken[at];
            self.out.broken[at] = (number, self.pool().and(cond, all));
        }
        for at in 0..self.out.sightings.len() {
            let (what, cond) = self.out.sightings[at];
            self.out.sightings[at] = (what, self.pool().and(cond, all));
        }
    }
}

/// The indices at which arrays are read in some conditions, in the order in which they were made.
fn indices(pool: &TermPool, conds: &[TermId]) -> Vec<TermId> {
    let mut seen = FxHashSet::default();
    let mut open = conds.to_vec();
    let mut found = Vec::new();
    while let Some(term) = open.pop() {
        if !seen.insert(term) {
            continue;
        }
        if pool.op(term) == TermOp::Select {
            found.push(pool.arg(term, 1));
        }
        open.extend(pool.args(term).iter().copied());
    }
    found.sort_unstable();
    found.dedup();
    found.truncate(MOST_INDICES);
    found
}

/// The number of an element as a value of another width.
fn resized(pool: &mut TermPool, index: TermId, width: u32) -> TermId {
    let own = pool.width(index);
    match width < own {
        true => pool.extract(index, width - 1, 0),
        false => pool.zext(index, width),
    }
}
