//! The incremental solver: terms in, answers out. Everything it learns stays for the next question.
//!
//! Invariant: constants never reach the SAT solver. A question whose answer the rewriter or the gates already know
//! costs no solver at all; the SAT solver itself is only made when the first clause is.

use crate::aig::{Aig, Lit};
use crate::arrays::Arrays;
use crate::bits::Bits;
use crate::blast::Blaster;
use crate::cases::{self, Cases};
use crate::cnf::Cnf;
use crate::eval::{Assignment, TermValue};
use crate::model::Model;
use crate::pool::TermPool;
use crate::refute::{Refutation, refute};
use crate::sat::cadical::Cadical;
use crate::sat::{ClauseSink, SatBackend, SatLit, SatResult};
use crate::term::{Sort, TermId, TermOp};
use base::Budget;
use rustc_hash::FxHashSet;

/// The answer to [`Solver::check`].
#[derive(Debug)]
pub enum Satisfiability {
    Sat(Model),
    /// The assumptions that cannot hold together with the assertions; not necessarily a minimal set.
    Unsat(Vec<TermId>),
    Unknown,
}

impl Satisfiability {
    pub fn is_sat(&self) -> bool {
        matches!(self, Satisfiability::Sat(_))
    }

    pub fn is_unsat(&self) -> bool {
        matches!(self, Satisfiability::Unsat(_))
    }
}

#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Statistics {
    pub gates: usize,
    pub variables: usize,
    pub clauses: u64,
    pub conflicts: u64,
    /// Calls of the SAT solver.
    pub solves: u64,
    pub array_lemmas: u64,
}

/// Use one solver with one pool.
pub struct Solver {
    core: Core,
    arrays: Arrays,
    solves: u64,
    has_assertions: bool,
}

/// What interval arithmetic may do before the SAT solver is asked: hundredths of a second.
const FIRST_INSTRUCTIONS: u64 = 2_000_000;
/// Conflicts of the SAT solver before single cases are tried: hundredths of a second.
const CONFLICTS_BEFORE_CASES: u64 = 300;
/// Conflicts of the SAT solver before interval arithmetic may go on for longer: a second.
const CONFLICTS_BEFORE_INTERVALS: u64 = 5_000;
const MORE_INSTRUCTIONS: u64 = 100_000_000;
/// Gates that may be evaluated, each for 64 cases at once: a second.
const MOST_EVALUATED: u64 = 1_000_000_000;

/// The stack below the terms: gates, clauses, SAT.
pub(crate) struct Core {
    pub aig: Aig,
    pub blaster: Blaster,
    pub cnf: Cnf,
    sat: Option<Box<dyn SatBackend>>,
    /// The asserted formulas are known to be contradictory.
    contradiction: bool,
}

impl Core {
    pub fn new() -> Self {
        Core { aig: Aig::new(), blaster: Blaster::default(), cnf: Cnf::default(), sat: None, contradiction: false }
    }

    fn sat(&mut self) -> &mut dyn SatBackend {
        self.sat.get_or_insert_with(|| Box::new(Cadical::new())).as_mut()
    }

    pub fn blast(&mut self, pool: &TermPool, term: TermId) -> &[Lit] {
        self.blaster.blast(pool, &mut self.aig, term)
    }

    pub fn encode(&mut self, lit: Lit) -> SatLit {
        let sat = self.sat.get_or_insert_with(|| Box::new(Cadical::new()));
        self.cnf.encode(&self.aig, sat.as_mut() as &mut dyn ClauseSink, lit)
    }

    pub fn add_clause(&mut self, clause: &[SatLit]) {
        let sat = self.sat.get_or_insert_with(|| Box::new(Cadical::new()));
        self.cnf.add(sat.as_mut() as &mut dyn ClauseSink, clause);
    }

    /// A disjunction of gate literals; constants are resolved here.
    pub fn add_gate_clause(&mut self, lits: &[Lit]) {
        if lits.contains(&Lit::TRUE) {
            return;
        }
        let clause: Vec<SatLit> = lits.iter().filter(|lit| **lit != Lit::FALSE).map(|lit| self.encode(*lit)).collect();
        if clause.is_empty() {
            self.contradiction = true;
        } else {
            self.add_clause(&clause);
        }
    }

    /// A conjunction is asserted part by part, a disjunction as one clause: neither needs a variable.
    fn assert_lit(&mut self, lit: Lit) {
        let mut units = vec![lit];
        while let Some(lit) = units.pop() {
            match self.aig.gate(lit.node()) {
                Some((a, b)) if !lit.negated() && self.cnf.get(lit).is_none() => units.extend([b, a]),
                _ => self.assert_disjunction(lit),
            }
        }
    }

    fn assert_disjunction(&mut self, lit: Lit) {
        let mut leaves = Vec::new();
        let mut open = vec![lit];
        while let Some(lit) = open.pop() {
            match self.aig.gate(lit.node()) {
                Some((a, b)) if lit.negated() && self.cnf.get(lit).is_none() && !self.may_be_mux(a, b) => {
                    open.extend([!b, !a]);
                }
                _ => leaves.push(lit),
            }
        }
        self.add_gate_clause(&leaves);
    }

    /// Splitting an exclusive or or a multiplexer would hide it from the clause generator.
    fn may_be_mux(&self, a: Lit, b: Lit) -> bool {
        a.negated() && b.negated() && self.aig.gate(a.node()).is_some() && self.aig.gate(b.node()).is_some()
    }

    /// The value of a SAT literal after `Sat`.
    pub fn value(&mut self, lit: SatLit) -> bool {
        self.sat().value(lit)
    }
}

impl Solver {
    pub fn new() -> Self {
        Solver { core: Core::new(), arrays: Arrays::default(), solves: 0, has_assertions: false }
    }

    /// With another SAT solver than CaDiCaL.
    pub fn with_backend(backend: Box<dyn SatBackend>) -> Self {
        let mut solver = Solver::new();
        solver.core.sat = Some(backend);
        solver
    }

    /// Adds a formula for good.
    pub fn assert(&mut self, pool: &TermPool, term: TermId) {
        debug_assert_eq!(pool.sort(term), Sort::Bool);
        self.has_assertions = true;
        let mut todo = vec![term];
        while let Some(term) = todo.pop() {
            if let Some((a, b)) = pool.binary(term, TermOp::And) {
                todo.extend([b, a]);
                continue;
            }
            let lit = self.core.blast(pool, term)[0];
            self.core.assert_lit(lit);
        }
    }

    /// Whether the assertions and the assumptions can hold together.
    pub fn check(&mut self, pool: &TermPool, assumptions: &[TermId], budget: &Budget) -> Satisfiability {
        // Circuits, intervals and single cases know different things quickly: each gets a little time before one gets much.
        if let Some(outcome) = self.check_by_intervals(pool, assumptions, FIRST_INSTRUCTIONS, budget) {
            return outcome;
        }
        let within = |few: u64| budget.conflicts().map_or(few, |conflicts| conflicts.min(few));
        let decides = |outcome: &Satisfiability, few: u64| {
            !matches!(outcome, Satisfiability::Unknown) || budget.expired() || budget.conflicts() == Some(few)
        };
        let few = within(CONFLICTS_BEFORE_CASES);
        let outcome = self.check_by_sat(pool, assumptions, &budget.with_conflicts(few));
        if decides(&outcome, few) {
            return outcome;
        }
        if let Some(outcome) = self.check_by_cases(pool, assumptions, budget) {
            return outcome;
        }
        if !pool.has_floats() {
            return self.check_by_sat(pool, assumptions, budget);
        }
        let few = within(CONFLICTS_BEFORE_INTERVALS);
        let outcome = self.check_by_sat(pool, assumptions, &budget.with_conflicts(few));
        if decides(&outcome, few) {
            return outcome;
        }
        if let Some(outcome) = self.check_by_intervals(pool, assumptions, MORE_INSTRUCTIONS, budget) {
            return outcome;
        }
        self.check_by_sat(pool, assumptions, budget)
    }

    fn check_by_intervals(
        &mut self,
        pool: &TermPool,
        assumptions: &[TermId],
        instructions: u64,
        budget: &Budget,
    ) -> Option<Satisfiability> {
        match refute(pool, assumptions, instructions, budget) {
            Refutation::Contradiction(used) => {
                Some(Satisfiability::Unsat(used.into_iter().map(|number| assumptions[number]).collect()))
            }
            // Assertions are not looked at: they may exclude it.
            Refutation::Solution(model) => (!self.has_assertions).then_some(Satisfiability::Sat(model)),
            Refutation::Unknown => None,
        }
    }

    /// To be asked after [`Solver::check_by_sat`], which makes the gates.
    fn check_by_cases(&mut self, pool: &TermPool, assumptions: &[TermId], budget: &Budget) -> Option<Satisfiability> {
        let Core { aig, blaster, .. } = &self.core;
        let conditions: Vec<Lit> =
            assumptions.iter().map(|term| Some(blaster.get(pool, *term)?[0])).collect::<Option<_>>()?;
        let bits = |var: &TermId| blaster.get(pool, *var).expect("a variable with bits");
        let numbers: Vec<Vec<usize>> =
            blaster.vars.iter().map(|var| bits(var).iter().rev().map(|lit| lit.node()).collect()).collect();
        match cases::try_all(aig, &conditions, &numbers, MOST_EVALUATED, budget) {
            Cases::None => Some(Satisfiability::Unsat(assumptions.to_vec())),
            // Assertions are not looked at: they may exclude it.
            Cases::Solution(_) if self.has_assertions => None,
            Cases::Solution(values) => {
                let ones: FxHashSet<usize> =
                    values.into_iter().filter(|(_, value)| *value).map(|(node, _)| node).collect();
                let mut assignment = Assignment::new();
                for var in &blaster.vars {
                    let mut limbs = vec![0u64; pool.width(*var).div_ceil(64) as usize];
                    for (bit, lit) in bits(var).iter().enumerate() {
                        limbs[bit / 64] |= u64::from(ones.contains(&lit.node())) << (bit % 64);
                    }
                    assignment.set(*var, scalar(pool, *var, &limbs));
                }
                Some(Satisfiability::Sat(Model::new(assignment)))
            }
            Cases::TooMany => None,
        }
    }

    pub(crate) fn check_by_sat(&mut self, pool: &TermPool, assumptions: &[TermId], budget: &Budget) -> Satisfiability {
        let mut lits = Vec::with_capacity(assumptions.len());
        for term in assumptions {
            let Core { blaster, aig, .. } = &mut self.core;
            if !blaster.prepare(pool, aig, *term, budget) {
                return Satisfiability::Unknown;
            }
            match self.core.blast(pool, *term)[0] {
                Lit::TRUE => {}
                Lit::FALSE => return Satisfiability::Unsat(vec![*term]),
                lit => lits.push((*term, lit)),
            }
        }
        let lits: Vec<(TermId, SatLit)> = lits.into_iter().map(|(term, lit)| (term, self.core.encode(lit))).collect();
        let assumed: Vec<SatLit> = lits.iter().map(|(_, lit)| *lit).collect();
        match self.solve(pool, &assumed, budget) {
            SatResult::Sat => Satisfiability::Sat(self.model(pool)),
            SatResult::Unsat => Satisfiability::Unsat(
                lits.into_iter().filter(|(_, lit)| self.failed(*lit)).map(|(term, _)| term).collect(),
            ),
            SatResult::Unknown => Satisfiability::Unknown,
        }
    }

    /// As [`Solver::check`], on literals and without making a model: for algorithms that ask often.
    pub fn solve(&mut self, pool: &TermPool, assumptions: &[SatLit], budget: &Budget) -> SatResult {
        loop {
            if self.core.contradiction {
                return SatResult::Unsat;
            }
            if self.core.sat.is_some() {
                self.solves += 1;
                if let Some(sizes) = budget.sizes() {
                    sizes.note(pool.len() as u64, self.core.cnf.vars() as u64, self.core.cnf.clauses());
                }
                match self.core.sat().solve(assumptions, budget) {
                    SatResult::Sat => {}
                    other => return other,
                }
            }
            if !self.arrays.refine(pool, &mut self.core) {
                return SatResult::Sat;
            }
            if budget.expired() {
                return SatResult::Unknown;
            }
        }
    }

    /// The literal of a Boolean term; a constant gets one that is fixed.
    pub fn literal(&mut self, pool: &TermPool, term: TermId) -> SatLit {
        let lit = self.core.blast(pool, term)[0];
        self.core.encode(lit)
    }

    pub fn new_literal(&mut self) -> SatLit {
        self.core.cnf.new_var()
    }

    pub fn add_clause(&mut self, clause: &[SatLit]) {
        self.has_assertions = true;
        if clause.is_empty() {
            self.core.contradiction = true;
        } else {
            self.core.add_clause(clause);
        }
    }

    /// After [`SatResult::Sat`], until something is added.
    pub fn literal_value(&mut self, lit: SatLit) -> bool {
        self.core.value(lit)
    }

    /// After [`SatResult::Unsat`]: whether the assumption was needed.
    pub fn failed(&mut self, assumption: SatLit) -> bool {
        !self.core.contradiction && self.core.sat().failed(assumption)
    }

    /// Makes the search try this literal first.
    pub fn prefer(&mut self, lit: SatLit) {
        self.core.sat().prefer(lit);
    }

    pub fn forget_preference(&mut self, lit: SatLit) {
        self.core.sat().forget_preference(lit);
    }

    /// The model after [`SatResult::Sat`].
    pub fn model(&mut self, pool: &TermPool) -> Model {
        let mut assignment = Assignment::new();
        for position in 0..self.core.blaster.vars.len() {
            let var = self.core.blaster.vars[position];
            let width = pool.width(var);
            let mut limbs = vec![0u64; width.div_ceil(64) as usize];
            for i in 0..width {
                let lit = self.core.blaster.get(pool, var).expect("a variable with bits")[i as usize];
                if let Some(lit) = self.core.cnf.get(lit)
                    && self.core.value(lit)
                {
                    limbs[(i / 64) as usize] |= 1 << (i % 64);
                }
            }
            assignment.set(var, scalar(pool, var, &limbs));
        }
        for (var, value) in self.arrays.values(pool, &mut self.core) {
            assignment.set(var, TermValue::Array(value));
        }
        Model::new(assignment)
    }

    pub fn statistics(&self) -> Statistics {
        Statistics {
            gates: self.core.aig.gates(),
            variables: self.core.cnf.vars(),
            clauses: self.core.cnf.clauses(),
            conflicts: self.core.sat.as_ref().map_or(0, |sat| sat.conflicts()),
            solves: self.solves,
            array_lemmas: self.arrays.lemmas(),
        }
    }
}

/// The value of a variable with these bits.
fn scalar(pool: &TermPool, var: TermId, limbs: &[u64]) -> TermValue {
    let bits = Bits::from_limbs(pool.width(var), limbs);
    if pool.sort(var) == Sort::Bool { TermValue::Bool(bits.bit(0)) } else { TermValue::Bits(bits) }
}

impl Default for Solver {
    fn default() -> Self {
        Self::new()
    }
}
