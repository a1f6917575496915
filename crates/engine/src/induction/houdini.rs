//! Which of some candidates are inductive, and whether they suffice (Houdini; Flanagan and Leino 2001). One formula has all candidates in it, each with
//! a variable that switches it on.

use super::Goal;
use base::Budget;
use cfa::acsl::has_acsl_form;
use cfa::{EdgeId, Task};
use encode::{Bounds, Cut, Encoder, GuardedCandidate, Obligation, Unrolling, address_was_looked_at};
use evidence::Invariant;
use logic::{Model, Satisfiability, Solver, TermId};
use std::collections::BTreeSet;

/// Conflicts of a SAT solver for one question about candidates, of which there are many, and for one about everything that can go wrong.
pub const EASY: u64 = 3_000;
/// The same of contracts: what a function does is said by few clauses, all of which are needed.
const EASY_CONTRACT: u64 = 30_000;
pub const HARD: u64 = 100_000;
/// Questions whether invariants can be left out; and with how many terms all questions together deal at most, so that there are fewer about large programs.
const SUPERFLUOUS: usize = 60;
const SUPERFLUOUS_TERMS: usize = 1_000_000;

pub enum Attempt {
    Proved(Vec<Invariant>),
    /// This could still go wrong.
    Failed(EdgeId),
    OutOfBudget,
}

pub struct Houdini<'t, 'p> {
    budget: &'t Budget,
    encoder: Encoder<'p>,
    solver: Solver,
    proposed: &'t [Invariant],
    /// So many of them, the first ones, are to be proved too.
    given: usize,
    /// Conflicts of a SAT solver for one question about candidates.
    pub patience: u64,
    selectors: Vec<TermId>,
    /// Which of them can be looked at.
    possible: Vec<bool>,
    /// What was unrolled, and which of them are left, when there was no time to throw out more.
    begun: Option<(Unrolling, Vec<bool>)>,
}

impl<'t, 'p> Houdini<'t, 'p> {
    pub fn new(task: Task<'p>, proposed: &'t [Invariant], goal: &Goal<'_>, budget: &'t Budget) -> Self {
        let mut encoder = Encoder::new(task);
        let mut cut = Cut { rounds: 0, unwind: goal.unwind, ..Cut::default() };
        let (mut selectors, mut possible) = (Vec::new(), Vec::new());
        for (number, one) in proposed.iter().enumerate() {
            let selector = encoder.pool.bool_var(&format!("candidate{number}"));
            selectors.push(selector);
            let candidate = GuardedCandidate { number: number as u32, expr: one.expr, selector };
            possible.push(cut.add(task.program, one.anchor, candidate));
        }
        encoder.cut = Some(cut);
        let given = goal.given.len();
        Houdini {
            budget,
            encoder,
            solver: Solver::new(),
            proposed,
            given,
            patience: EASY,
            selectors,
            possible,
            begun: None,
        }
    }

    /// Tries to prove the property by plain induction; where that fails, the candidates that are inductive all the same.
    /// What is not inductive has to be thrown out within `soon`; the next call goes on where this one stopped.
    pub fn attempt_or_keep(&mut self, soon: &'t Budget) -> (Vec<Invariant>, Attempt) {
        let (unrolling, mut kept) = match self.begun.take() {
            Some(begun) => begun,
            None => match self.unroll(0) {
                Ok(unrolling) => (unrolling, self.possible.clone()),
                Err(attempt) => return (Vec::new(), attempt),
            },
        };
        let whole = std::mem::replace(&mut self.budget, soon);
        let is_done = self.drop_broken(&unrolling, &mut kept).is_ok();
        self.budget = whole;
        if !is_done {
            self.begun = Some((unrolling, kept));
            return (Vec::new(), Attempt::OutOfBudget);
        }
        let inductive = self.proposed.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(one, _)| *one).collect();
        (inductive, self.conclude(&unrolling, &kept))
    }

    /// Tries to prove the property with so many rounds in a row.
    pub fn attempt(&mut self, rounds: u32) -> Attempt {
        let unrolling = match self.unroll(rounds) {
            Ok(unrolling) => unrolling,
            Err(attempt) => return attempt,
        };
        let mut kept = self.possible.clone();
        // What goes wrong with all candidates assumed goes wrong with fewer.
        match self.goes_wrong(&unrolling, &kept) {
            Err(OutOfBudget) => return Attempt::OutOfBudget,
            Ok(Some(edge)) => return Attempt::Failed(edge),
            Ok(None) => {}
        }
        if self.drop_broken(&unrolling, &mut kept).is_err() {
            return Attempt::OutOfBudget;
        }
        self.conclude(&unrolling, &kept)
    }

    fn unroll(&mut self, rounds: u32) -> Result<Unrolling, Attempt> {
        if let Some(cut) = &mut self.encoder.cut {
            cut.rounds = rounds;
        }
        let bounds = Bounds { unwind: rounds, decided: 0, steps: 0 };
        let unrolling = self.encoder.unroll(bounds, self.budget);
        if unrolling.interrupted {
            return Err(Attempt::OutOfBudget);
        }
        if address_was_looked_at(&self.encoder.pool) {
            return Err(Attempt::Failed(EdgeId(0)));
        }
        Ok(unrolling)
    }

    /// Whether invariants that are inductive suffice.
    fn conclude(&mut self, unrolling: &Unrolling, kept: &[bool]) -> Attempt {
        if !kept[..self.given].iter().all(|kept| *kept) {
            return Attempt::Failed(EdgeId(0));
        }
        match self.goes_wrong(unrolling, kept) {
            Err(OutOfBudget) => Attempt::OutOfBudget,
            Ok(Some(edge)) => Attempt::Failed(edge),
            Ok(None) => match self.needed(unrolling, kept) {
                Err(OutOfBudget) => Attempt::OutOfBudget,
                Ok(needed) => {
                    let needed = self.in_acsl(unrolling, kept, &needed).unwrap_or(needed);
                    let fewest = self.without_superfluous(unrolling, needed);
                    Attempt::Proved(fewest.into_iter().map(|number| self.proposed[number]).collect())
                }
            },
        }
    }

    /// Invariants that suffice, and that witnesses can state: the same clauses are often proposed in exact and in wrapping arithmetic. `None` if all that are
    /// needed can be stated anyway, or if that is not easy to see.
    fn in_acsl(&mut self, unrolling: &Unrolling, kept: &[bool], needed: &BTreeSet<usize>) -> Option<BTreeSet<usize>> {
        let program = self.encoder.task.program;
        let states = |one: &Invariant| one.anchor.head().is_some() || has_acsl_form(program, one.expr);
        if needed.iter().all(|number| states(&self.proposed[*number])) {
            return None;
        }
        let given = self.given;
        let can = self.proposed.iter().enumerate().map(|(number, one)| number < given || states(one));
        let mut kept: Vec<bool> = kept.iter().zip(can).map(|(kept, can)| *kept && can).collect();
        let easy = self.budget.with_conflicts(EASY);
        let obligations: Vec<TermId> = unrolling.obligations.iter().map(|obligation| obligation.cond).collect();
        loop {
            let broken = unrolling.broken.iter().filter(|(number, _)| kept[*number as usize]);
            let conds: Vec<TermId> = broken.map(|(_, cond)| *cond).collect();
            let any = self.encoder.pool.or_all(&conds);
            match self.check(any, &kept, &easy) {
                Satisfiability::Unsat(_) => break,
                Satisfiability::Sat(model) => self.drop_all(unrolling, &mut kept, &model),
                Satisfiability::Unknown => return None,
            }
        }
        let any = self.encoder.pool.or_all(&obligations);
        let suffices = kept[..given].iter().all(|kept| *kept);
        match self.check(any, &kept, &easy) {
            Satisfiability::Unsat(_) if suffices => self.needed(unrolling, &kept).ok(),
            _ => None,
        }
    }

    /// Some of the invariants that suffice: those that the property rests on, those that these rest on, and so on.
    fn needed(&mut self, unrolling: &Unrolling, kept: &[bool]) -> Result<BTreeSet<usize>, OutOfBudget> {
        let mut needed: BTreeSet<usize> = (0..self.given).collect();
        let mut conds: Vec<TermId> = unrolling.obligations.iter().map(|obligation| obligation.cond).collect();
        let given = unrolling.broken.iter().filter(|(number, _)| (*number as usize) < self.given);
        conds.extend(given.map(|(_, cond)| *cond));
        loop {
            let any = self.encoder.pool.or_all(&conds);
            let Satisfiability::Unsat(core) = self.check(any, kept, self.budget) else { return Err(OutOfBudget) };
            let used = self.selectors.iter().enumerate().filter(|(_, selector)| core.contains(selector));
            let new: Vec<usize> = used.map(|(number, _)| number).filter(|number| needed.insert(*number)).collect();
            if new.is_empty() {
                return Ok(needed);
            }
            let rest = unrolling.broken.iter().filter(|(number, _)| new.contains(&(*number as usize)));
            conds = rest.map(|(_, cond)| *cond).collect();
        }
    }

    /// Leaves out invariants, many at once and then fewer, while the rest is still a proof that is easy to see.
    fn without_superfluous(&mut self, unrolling: &Unrolling, needed: BTreeSet<usize>) -> BTreeSet<usize> {
        let mut kept = vec![false; self.proposed.len()];
        needed.iter().for_each(|number| kept[*number] = true);
        // The last ones are the least natural.
        let mut rest: Vec<usize> = needed.iter().rev().copied().filter(|number| *number >= self.given).collect();
        let mut size = rest.len().div_ceil(2);
        // Questions about large programs take long, even if they are easy.
        let most = (SUPERFLUOUS_TERMS / self.encoder.pool.len().max(1)).clamp(SUPERFLUOUS / 6, SUPERFLUOUS);
        let mut tried = 0;
        while size > 0 {
            let mut at = 0;
            while at < rest.len() && tried < most {
                tried += 1;
                let end = (at + size).min(rest.len());
                rest[at..end].iter().for_each(|number| kept[*number] = false);
                if self.is_easy_proof(unrolling, &kept) {
                    rest.drain(at..end);
                } else {
                    rest[at..end].iter().for_each(|number| kept[*number] = true);
                    at = end;
                }
            }
            size = match size {
                1 => 0,
                2..=4 => 1,
                _ => size / 2,
            };
        }
        needed.into_iter().filter(|number| kept[*number]).collect()
    }

    /// Whether these candidates are easily seen to be inductive and to suffice.
    fn is_easy_proof(&mut self, unrolling: &Unrolling, kept: &[bool]) -> bool {
        let easy = self.budget.with_conflicts(EASY / 10);
        let mut conds: Vec<TermId> = unrolling.obligations.iter().map(|obligation| obligation.cond).collect();
        let rest = unrolling.broken.iter().filter(|(number, _)| kept[*number as usize]);
        conds.extend(rest.map(|(_, cond)| *cond));
        let any = self.encoder.pool.or_all(&conds);
        matches!(self.check(any, kept, &easy), Satisfiability::Unsat(_))
    }

    /// Whether runs leave the model while these candidates are assumed, and where.
    fn goes_wrong(&mut self, unrolling: &Unrolling, kept: &[bool]) -> Result<Option<EdgeId>, OutOfBudget> {
        let conds: Vec<TermId> = unrolling.obligations.iter().map(|obligation| obligation.cond).collect();
        let any = self.encoder.pool.or_all(&conds);
        let budget = self.budget.with_conflicts(HARD);
        match self.check(any, kept, &budget) {
            Satisfiability::Unsat(_) => Ok(None),
            Satisfiability::Unknown if self.budget.expired() => Err(OutOfBudget),
            Satisfiability::Unknown => Ok(Some(EdgeId(0))),
            Satisfiability::Sat(model) => {
                let holds = |obligation: &&Obligation| model.bool(&self.encoder.pool, obligation.cond);
                let first = unrolling.obligations.iter().find(holds);
                Ok(Some(first.map_or(EdgeId(0), |obligation| obligation.edge)))
            }
        }
    }

    /// Throws out candidates until the rest is inductive. A candidate that is hard to decide is thrown out too.
    fn drop_broken(&mut self, unrolling: &Unrolling, kept: &mut [bool]) -> Result<(), OutOfBudget> {
        let mut broken: Vec<Vec<TermId>> = vec![Vec::new(); kept.len()];
        for (number, cond) in &unrolling.broken {
            broken[*number as usize].push(*cond);
        }
        let easy = self.budget.with_conflicts(self.patience);
        loop {
            let conds: Vec<TermId> =
                (0..kept.len()).filter(|one| kept[*one]).flat_map(|one| broken[one].clone()).collect();
            let any = self.encoder.pool.or_all(&conds);
            match self.check(any, kept, &easy) {
                Satisfiability::Unsat(_) => return Ok(()),
                Satisfiability::Sat(model) => self.drop_all(unrolling, kept, &model),
                Satisfiability::Unknown if self.drop_one_by_one(unrolling, &broken, kept)? => {}
                Satisfiability::Unknown => return Ok(()),
            }
        }
    }

    /// Throws out what a model breaks.
    fn drop_all(&self, unrolling: &Unrolling, kept: &mut [bool], model: &Model) {
        for (number, cond) in &unrolling.broken {
            if kept[*number as usize] && model.bool(&self.encoder.pool, *cond) {
                kept[*number as usize] = false;
            }
        }
    }

    /// Asks about each candidate by itself; whether one had to go.
    fn drop_one_by_one(
        &mut self,
        unrolling: &Unrolling,
        broken: &[Vec<TermId>],
        kept: &mut [bool],
    ) -> Result<bool, OutOfBudget> {
        let mut dropped = false;
        for number in 0..kept.len() {
            if !kept[number] {
                continue;
            }
            if self.budget.expired() {
                return Err(OutOfBudget);
            }
            let any = self.encoder.pool.or_all(&broken[number]);
            let is_head = self.proposed[number].anchor.head().is_some();
            let easy =
                self.budget.with_conflicts(if is_head { self.patience } else { EASY_CONTRACT.max(self.patience) });
            match self.check(any, kept, &easy) {
                Satisfiability::Unsat(_) => continue,
                Satisfiability::Sat(model) => self.drop_all(unrolling, kept, &model),
                Satisfiability::Unknown if self.budget.expired() => return Err(OutOfBudget),
                Satisfiability::Unknown => kept[number] = false,
            }
            dropped = true;
        }
        Ok(dropped)
    }

    fn check(&mut self, cond: TermId, kept: &[bool], budget: &Budget) -> Satisfiability {
        if self.encoder.pool.as_bool(cond) == Some(false) {
            return Satisfiability::Unsat(Vec::new());
        }
        let mut asked = vec![cond];
        for (selector, kept) in self.selectors.iter().zip(kept) {
            asked.push(if *kept { *selector } else { self.encoder.pool.not(*selector) });
        }
        self.solver.check(&self.encoder.pool, &asked, budget)
    }
}

struct OutOfBudget;
