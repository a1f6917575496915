//! k-induction with invariants (paper 2, section 4.2; Donaldson et al. 2011): loops are cut at their heads, and candidates for invariants are thrown out until
//! the rest is inductive (Houdini, Flanagan and Leino 2001). The number of rounds grows until nothing can go wrong, or the budget ends.
//!
//! Invariant: it never says that a property is violated: what can go wrong with loops cut need not go wrong in the program.

use crate::pdr::{self, clauses};
use crate::{Answer, Task};
use base::Budget;
use cfa::{EdgeId, Program};
use encode::{Bounds, Candidate, Cut, Encoder, Obligation, Unrolling, address_was_looked_at, on_large_stack};
use evidence::{Invariant, Invariants, Proof, Reason, Verdict};
use logic::{Model, Outcome, Solver, TermId};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// Loops that end by tests of constants within so many rounds are unwound.
const UNWIND: u32 = 64;
/// More rounds in a row are left to unwinding.
const MAX_ROUNDS: u32 = 64;
/// Conflicts of a SAT solver for one question about candidates, and for one about everything that can go wrong.
const EASY: u64 = 3_000;
const HARD: u64 = 100_000;
/// How long abstract interpretation may take; it says less when it is stopped.
const ABSTRACTION: Duration = Duration::from_millis(300);
/// How long property-directed reachability may search before what it found is tried; later searches may take longer.
const FIRST_SEARCH: Duration = Duration::from_millis(500);

pub fn decide(task: &Task<'_>, budget: &Budget) -> Answer {
    decide_unwinding(UNWIND, task, budget)
}

/// Cuts every loop: for tests of the cutting.
pub fn decide_without_unwinding(task: &Task<'_>, budget: &Budget) -> Answer {
    decide_unwinding(0, task, budget)
}

fn decide_unwinding(unwind: u32, task: &Task<'_>, budget: &Budget) -> Answer {
    let verdict = on_large_stack(|| prove(unwind, task, budget));
    let complete = matches!(verdict, Verdict::Safe(_));
    let engine = "induction";
    Answer { engine, verdict, bound: 0, violations: Vec::new(), complete, explored: None, checks: Vec::new() }
}

fn prove(unwind: u32, task: &Task<'_>, budget: &Budget) -> Verdict {
    let proved = |program: &Arc<Program>, conditions, rounds| {
        Verdict::Safe(Proof::Invariants(Invariants { program: program.clone(), conditions, rounds, unwind }))
    };
    // Many loops need no invariants, or none that is not in their own conditions.
    if let Attempt::Proved(_) = Search::new(task.program, &[], unwind, task, budget).attempt(0) {
        return proved(&Arc::new(task.program.clone()), Vec::new(), 0);
    }
    let mut program = task.program.clone();
    let mut proposed = propose(&mut program, task, budget);
    // With more rounds in a row each time, and with what property-directed reachability found so far.
    let first = Arc::new(program.clone());
    let (known, tried) = Search::new(&first, &proposed, unwind, task, budget).attempt_or_keep();
    match tried {
        Attempt::Proved(conditions) => return proved(&first, conditions, 0),
        Attempt::OutOfBudget => return Verdict::Unknown(Reason::Budget { bound: 0 }),
        Attempt::Failed(_) => {}
    }
    let mut reachability = pdr::Search::new(&first, &known, task, unwind, budget);
    let own = proposed.len();
    let mut time = FIRST_SEARCH;
    let mut rounds = 1;
    loop {
        let mut clauses = Vec::new();
        if let Some(search) = &mut reachability {
            match search.run(&budget.within(time)) {
                pdr::Found::Clauses(found) => {
                    clauses = found;
                    reachability = None;
                }
                pdr::Found::OutOfBudget => clauses = search.clauses(2),
                pdr::Found::Nothing => reachability = None,
            }
        }
        time *= 2;
        if !clauses.is_empty() {
            let found = clauses::invariants(&mut program, &clauses);
            let extended = Arc::new(program.clone());
            let all: Vec<Invariant> = known.iter().copied().chain(found.iter().copied()).collect();
            if let Attempt::Proved(conditions) = Search::new(&extended, &all, unwind, task, budget).attempt(0) {
                return proved(&extended, conditions, 0);
            }
            proposed.truncate(own);
            proposed.extend(found);
        }
        let extended = Arc::new(program.clone());
        match Search::new(&extended, &proposed, unwind, task, budget).attempt(rounds) {
            Attempt::Proved(conditions) => return proved(&extended, conditions, rounds),
            Attempt::OutOfBudget => return Verdict::Unknown(Reason::Budget { bound: rounds }),
            Attempt::Failed(edge) if rounds >= MAX_ROUNDS && reachability.is_none() => {
                return Verdict::Unknown(Reason::NotProved { edge });
            }
            Attempt::Failed(_) => rounds = (rounds * 2).min(MAX_ROUNDS),
        }
    }
}

/// Candidates for invariants: what abstract interpretation knows, and what is true of some runs. The expressions are added to the program.
fn propose(program: &mut Program, task: &Task<'_>, budget: &Budget) -> Vec<Invariant> {
    let facts = abstraction::loop_facts(program, task.entry, &budget.within(ABSTRACTION));
    let guesses = candidates::propose(program, task.entry, budget, &candidates::Options::default());
    let facts = facts.into_iter().map(|(head, expr)| Invariant { head, expr });
    facts.chain(guesses.into_iter().map(|one| Invariant { head: one.head, expr: one.expr })).collect()
}

enum Attempt {
    Proved(Vec<Invariant>),
    /// This could still go wrong.
    Failed(EdgeId),
    OutOfBudget,
}

struct Search<'t, 'p> {
    task: &'t Task<'t>,
    budget: &'t Budget,
    encoder: Encoder<'p>,
    solver: Solver,
    proposed: &'t [Invariant],
    selectors: Vec<TermId>,
}

impl<'t, 'p> Search<'t, 'p> {
    fn new(
        program: &'p Program,
        proposed: &'t [Invariant],
        unwind: u32,
        task: &'t Task<'t>,
        budget: &'t Budget,
    ) -> Self {
        let mut encoder = Encoder::new(program);
        let mut cut = Cut { rounds: 0, unwind, ..Cut::default() };
        let mut selectors = Vec::new();
        for (number, one) in proposed.iter().enumerate() {
            let selector = encoder.pool.bool_var(&format!("candidate{number}"));
            selectors.push(selector);
            let candidate = Candidate { number: number as u32, expr: one.expr, selector };
            cut.candidates.entry(one.head).or_default().push(candidate);
        }
        encoder.cut = Some(cut);
        Search { task, budget, encoder, solver: Solver::new(), proposed, selectors }
    }

    /// Tries to prove the property by plain induction; where that fails, the candidates that are inductive all the same.
    fn attempt_or_keep(&mut self) -> (Vec<Invariant>, Attempt) {
        let unrolling = match self.unroll(0) {
            Ok(unrolling) => unrolling,
            Err(attempt) => return (Vec::new(), attempt),
        };
        let mut kept = vec![true; self.proposed.len()];
        if self.drop_broken(&unrolling, &mut kept).is_err() {
            return (Vec::new(), Attempt::OutOfBudget);
        }
        let inductive = self.proposed.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(one, _)| *one).collect();
        (inductive, self.conclude(&unrolling, &kept))
    }

    /// Tries to prove the property with so many rounds in a row.
    fn attempt(&mut self, rounds: u32) -> Attempt {
        let unrolling = match self.unroll(rounds) {
            Ok(unrolling) => unrolling,
            Err(attempt) => return attempt,
        };
        let mut kept = vec![true; self.proposed.len()];
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
        let bounds = Bounds { unwind: rounds, decided: 0, steps: 0, properties: self.task.properties };
        let unrolling = self.encoder.unroll(self.task.entry, bounds, self.budget);
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
        match self.goes_wrong(unrolling, kept) {
            Err(OutOfBudget) => Attempt::OutOfBudget,
            Ok(Some(edge)) => Attempt::Failed(edge),
            Ok(None) => match self.needed(unrolling, kept) {
                Err(OutOfBudget) => Attempt::OutOfBudget,
                Ok(needed) => Attempt::Proved(needed.into_iter().map(|number| self.proposed[number]).collect()),
            },
        }
    }

    /// Some of the invariants that suffice: those that the property rests on, those that these rest on, and so on.
    fn needed(&mut self, unrolling: &Unrolling, kept: &[bool]) -> Result<BTreeSet<usize>, OutOfBudget> {
        let mut needed = BTreeSet::new();
        let mut conds: Vec<TermId> = unrolling.obligations.iter().map(|obligation| obligation.cond).collect();
        loop {
            let any = self.encoder.pool.or_all(&conds);
            let Outcome::Unsat(core) = self.check(any, kept, self.budget) else { return Err(OutOfBudget) };
            let used = self.selectors.iter().enumerate().filter(|(_, selector)| core.contains(selector));
            let new: Vec<usize> = used.map(|(number, _)| number).filter(|number| needed.insert(*number)).collect();
            if new.is_empty() {
                return Ok(needed);
            }
            let rest = unrolling.broken.iter().filter(|(number, _)| new.contains(&(*number as usize)));
            conds = rest.map(|(_, cond)| *cond).collect();
        }
    }

    /// Whether runs leave the model while these candidates are assumed, and where.
    fn goes_wrong(&mut self, unrolling: &Unrolling, kept: &[bool]) -> Result<Option<EdgeId>, OutOfBudget> {
        let conds: Vec<TermId> = unrolling.obligations.iter().map(|obligation| obligation.cond).collect();
        let any = self.encoder.pool.or_all(&conds);
        let budget = self.budget.with_conflicts(HARD);
        match self.check(any, kept, &budget) {
            Outcome::Unsat(_) => Ok(None),
            Outcome::Unknown if self.budget.expired() => Err(OutOfBudget),
            Outcome::Unknown => Ok(Some(EdgeId(0))),
            Outcome::Sat(model) => {
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
        let easy = self.budget.with_conflicts(EASY);
        loop {
            let conds: Vec<TermId> =
                (0..kept.len()).filter(|one| kept[*one]).flat_map(|one| broken[one].clone()).collect();
            let any = self.encoder.pool.or_all(&conds);
            match self.check(any, kept, &easy) {
                Outcome::Unsat(_) => return Ok(()),
                Outcome::Sat(model) => self.drop_all(unrolling, kept, &model),
                Outcome::Unknown if self.drop_one_by_one(unrolling, &broken, kept)? => {}
                Outcome::Unknown => return Ok(()),
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
        let easy = self.budget.with_conflicts(EASY);
        let mut dropped = false;
        for number in 0..kept.len() {
            if !kept[number] {
                continue;
            }
            if self.budget.expired() {
                return Err(OutOfBudget);
            }
            let any = self.encoder.pool.or_all(&broken[number]);
            match self.check(any, kept, &easy) {
                Outcome::Unsat(_) => continue,
                Outcome::Sat(model) => self.drop_all(unrolling, kept, &model),
                Outcome::Unknown => kept[number] = false,
            }
            dropped = true;
        }
        Ok(dropped)
    }

    fn check(&mut self, cond: TermId, kept: &[bool], budget: &Budget) -> Outcome {
        if self.encoder.pool.as_bool(cond) == Some(false) {
            return Outcome::Unsat(Vec::new());
        }
        let mut asked = vec![cond];
        for (selector, kept) in self.selectors.iter().zip(kept) {
            asked.push(if *kept { *selector } else { self.encoder.pool.not(*selector) });
        }
        self.solver.check(&self.encoder.pool, &asked, budget)
    }
}

struct OutOfBudget;
