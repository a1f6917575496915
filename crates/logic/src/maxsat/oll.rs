//! The search of OLL.

use super::Optimum;
use super::totalizer::Totalizer;
use crate::model::Model;
use crate::pool::TermPool;
use crate::sat::{SatLit, SatResult};
use crate::solver::Solver;
use crate::term::TermId;
use base::Budget;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

pub enum End {
    Best(Optimum),
    Infeasible(Vec<SatLit>),
    Nothing { lower_bound: u128 },
}

pub struct OllSearch<'a> {
    pool: &'a TermPool,
    solver: &'a mut Solver,
    /// Assumed always: what the caller fixed, then soft literals that turned out too heavy to fail.
    fixed: Vec<SatLit>,
    /// How many the caller fixed.
    given: usize,
    /// The soft literals as given, for the cost of a model.
    original: Vec<(SatLit, u128)>,
    /// The weight of soft terms that are the constant `false`.
    unavoidable: u128,
    /// The soft literals as they are now. Ordered, so that the search is the same every time.
    weights: BTreeMap<SatLit, u128>,
    /// Outputs of counters: which counter, and for which bound.
    outputs: FxHashMap<SatLit, (usize, usize)>,
    counters: Vec<Totalizer>,
    /// Soft literals found since the last model; they wait so that one round finds disjoint cores.
    waiting: Vec<(SatLit, u128)>,
    lower_bound: u128,
    best: Option<(u128, Model)>,
}

/// Cores up to this size are minimized literal by literal.
const MINIMIZE_SIZE: usize = 40;
const MINIMIZE_CONFLICTS: u64 = 500;
const EXHAUST_CONFLICTS: u64 = 1000;

impl<'a> OllSearch<'a> {
    pub fn new(pool: &'a TermPool, solver: &'a mut Solver, fixed: Vec<SatLit>, soft: &[(TermId, u128)]) -> Self {
        let mut search = OllSearch {
            pool,
            solver,
            given: fixed.len(),
            fixed,
            original: Vec::new(),
            unavoidable: 0,
            weights: BTreeMap::new(),
            outputs: FxHashMap::default(),
            counters: Vec::new(),
            waiting: Vec::new(),
            lower_bound: 0,
            best: None,
        };
        let total = soft.iter().try_fold(0u128, |sum, (_, weight)| sum.checked_add(*weight));
        assert!(total.is_some(), "the weights add up to 2^128 or more");
        for &(term, weight) in soft.iter().filter(|(_, weight)| *weight > 0) {
            match pool.as_bool(term) {
                Some(true) => {}
                Some(false) => search.unavoidable += weight,
                None => {
                    let lit = search.solver.literal(pool, term);
                    search.original.push((lit, weight));
                }
            }
        }
        search.lower_bound = search.unavoidable;
        for (lit, weight) in search.original.clone() {
            search.add_soft(lit, weight);
        }
        search
    }

    /// Adds weight to a literal. A literal and its negation cancel: one of them fails anyway.
    fn add_soft(&mut self, lit: SatLit, weight: u128) {
        let opposite = self.weights.get(&!lit).copied().unwrap_or(0);
        let common = opposite.min(weight);
        if common > 0 {
            self.lower_bound += common;
            self.take_weight(!lit, common);
        }
        if weight > common {
            *self.weights.entry(lit).or_insert(0) += weight - common;
        }
    }

    fn take_weight(&mut self, lit: SatLit, weight: u128) {
        let rest = self.weights.get_mut(&lit).expect("a soft literal");
        *rest -= weight;
        if *rest == 0 {
            self.weights.remove(&lit);
        }
    }

    pub fn run(&mut self, budget: &Budget) -> End {
        let hints: Vec<SatLit> = self.weights.keys().copied().collect();
        for lit in &hints {
            self.solver.prefer(*lit);
        }
        let end = self.search(budget);
        for lit in &hints {
            self.solver.forget_preference(*lit);
        }
        match end {
            Some(infeasible) => infeasible,
            None => self.finish(),
        }
    }

    fn finish(&mut self) -> End {
        let Some((cost, model)) = self.best.take() else { return End::Nothing { lower_bound: self.lower_bound } };
        let proven = cost == self.lower_bound;
        let optimal = if proven { self.face() } else { Vec::new() };
        End::Best(Optimum { model, cost, lower_bound: self.lower_bound, proven, optimal })
    }

    /// With these assumed, the cost is the lower bound.
    fn face(&self) -> Vec<SatLit> {
        let mut face: Vec<SatLit> = self.weights.keys().copied().collect();
        face.extend(self.waiting.iter().map(|(lit, _)| *lit));
        face.extend(&self.fixed[self.given..]);
        face
    }

    /// `None` when the optimum is found or the budget has ended.
    fn search(&mut self, budget: &Budget) -> Option<End> {
        // A first model without soft literals: is there one at all?
        match self.solve(&[], budget) {
            SatResult::Unsat => return Some(End::Infeasible(self.core())),
            SatResult::Unknown => return None,
            SatResult::Sat => self.keep_model(),
        }
        let mut threshold = self.next_threshold(u128::MAX)?;
        while !self.done() {
            let assumed: Vec<SatLit> =
                self.weights.iter().filter(|(_, weight)| **weight >= threshold).map(|(lit, _)| *lit).collect();
            match self.solve(&assumed, budget) {
                SatResult::Unknown => return None,
                SatResult::Unsat => {
                    let core = self.core();
                    self.relax(core, budget);
                }
                SatResult::Sat => {
                    self.keep_model();
                    self.harden();
                    if self.waiting.is_empty() {
                        threshold = self.next_threshold(threshold)?;
                    }
                    for (lit, weight) in std::mem::take(&mut self.waiting) {
                        self.add_soft(lit, weight);
                    }
                }
            }
        }
        None
    }

    fn done(&self) -> bool {
        self.best.as_ref().is_some_and(|(cost, _)| *cost == self.lower_bound)
    }

    fn solve(&mut self, assumed: &[SatLit], budget: &Budget) -> SatResult {
        let assumptions: Vec<SatLit> = self.fixed.iter().chain(assumed).copied().collect();
        self.solver.solve(self.pool, &assumptions, budget)
    }

    /// The assumptions that failed; fixed ones only if there are no others.
    fn core(&mut self) -> Vec<SatLit> {
        let soft: Vec<SatLit> = self.weights.keys().copied().collect();
        let failed: Vec<SatLit> = soft.into_iter().filter(|lit| self.solver.failed(*lit)).collect();
        if !failed.is_empty() {
            return failed;
        }
        let fixed = self.fixed.clone();
        fixed.into_iter().filter(|lit| self.solver.failed(*lit)).collect()
    }

    /// The next lower weight at which enough new literals come in (Ansótegui et al. 2013: many literals for each
    /// new weight). `None` when all are in.
    fn next_threshold(&self, below: u128) -> Option<u128> {
        let mut lower: Vec<u128> = self.weights.values().copied().filter(|weight| *weight < below).collect();
        lower.sort_unstable_by(|a, b| b.cmp(a));
        let mut distinct = 0;
        for (i, weight) in lower.iter().enumerate() {
            let last = lower.get(i + 1) != Some(weight);
            distinct += last as usize;
            if last && (i + 1) * 4 >= distinct * 5 {
                return Some(*weight);
            }
        }
        lower.last().copied()
    }

    fn keep_model(&mut self) {
        let mut cost = self.unavoidable;
        for &(lit, weight) in &self.original {
            if !self.solver.literal_value(lit) {
                cost += weight;
            }
        }
        if self.best.as_ref().is_none_or(|(best, _)| cost < *best) {
            self.best = Some((cost, self.solver.model(self.pool)));
        }
    }

    /// A literal that costs more than the gap cannot fail in a better model, nor in an equally good one.
    fn harden(&mut self) {
        let Some((cost, _)) = &self.best else { return };
        let gap = cost - self.lower_bound;
        let heavy: Vec<SatLit> =
            self.weights.iter().filter(|(_, weight)| **weight > gap).map(|(lit, _)| *lit).collect();
        for lit in heavy {
            self.weights.remove(&lit);
            self.fixed.push(lit);
        }
    }

    /// One of the core must fail: pay for it, and let a counter watch that no second one does.
    fn relax(&mut self, core: Vec<SatLit>, budget: &Budget) {
        let core = self.minimized(core, budget);
        let weight = core.iter().map(|lit| self.weights[lit]).min().expect("a core of soft literals");
        self.lower_bound += weight;
        for &lit in &core {
            self.take_weight(lit, weight);
            if let Some(&(counter, bound)) = self.outputs.get(&lit) {
                self.watch(counter, bound + 1, weight);
            }
        }
        if core.len() > 1 {
            let failing: Vec<SatLit> = core.iter().map(|lit| !*lit).collect();
            self.counters.push(Totalizer::new(&failing));
            let counter = self.counters.len() - 1;
            let bound = if self.done() { 2 } else { self.exhausted(counter, weight, budget) };
            self.watch(counter, bound, weight);
        }
    }

    /// A soft literal: fewer than `bound` inputs of the counter are true.
    fn watch(&mut self, counter: usize, bound: usize, weight: u128) {
        if bound <= self.counters[counter].inputs() {
            let output = self.counters[counter].output(self.solver, bound);
            self.outputs.insert(!output, (counter, bound));
            self.waiting.push((!output, weight));
        }
    }

    /// As long as it is cheap to see that even more must fail, pay for it at once.
    fn exhausted(&mut self, counter: usize, weight: u128, budget: &Budget) -> usize {
        let limited = budget.with_conflicts(EXHAUST_CONFLICTS);
        let mut bound = 2;
        while bound <= self.counters[counter].inputs() {
            let output = self.counters[counter].output(self.solver, bound);
            match self.solve(&[!output], &limited) {
                SatResult::Unsat => {}
                SatResult::Sat => {
                    self.keep_model();
                    break;
                }
                SatResult::Unknown => break,
            }
            self.lower_bound += weight;
            bound += 1;
            if self.done() {
                break;
            }
        }
        bound
    }

    /// Fewer literals: a core that is solved again is often smaller, and small ones are tried without each literal.
    fn minimized(&mut self, mut core: Vec<SatLit>, budget: &Budget) -> Vec<SatLit> {
        let limited = budget.with_conflicts(MINIMIZE_CONFLICTS);
        for _ in 0..2 {
            if core.len() <= 1 || self.solve(&core, &limited) != SatResult::Unsat {
                break;
            }
            let again = self.failed_of(&core);
            if again.len() == core.len() || again.is_empty() {
                break;
            }
            core = again;
        }
        if core.len() > MINIMIZE_SIZE {
            return core;
        }
        // Light literals first: what remains decides the weight of the whole core.
        core.sort_by_key(|lit| (self.weights[lit], *lit));
        let mut position = 0;
        while core.len() > 1 && position < core.len() {
            let mut without = core.clone();
            without.remove(position);
            let result = self.solve(&without, &limited);
            if result == SatResult::Sat {
                self.keep_model();
            }
            if result == SatResult::Unsat {
                let failed: FxHashSet<SatLit> = self.failed_of(&without).into_iter().collect();
                if failed.is_empty() {
                    break;
                }
                without.retain(|lit| failed.contains(lit));
                core = without;
            } else {
                position += 1;
            }
        }
        core
    }

    fn failed_of(&mut self, lits: &[SatLit]) -> Vec<SatLit> {
        lits.iter().copied().filter(|lit| self.solver.failed(*lit)).collect()
    }
}
