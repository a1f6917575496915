//! The formula of one run: `psi` (its inputs), the steps with what they say, and `phi` (what should have held). `psi` and the steps hold together; with
//! `phi` they contradict each other if the run fails.

use crate::pinned;
use base::Budget;
use cfa::{AssumeRole, EdgeId, Op, Task};
use encode::{Encoder, Follow, Names, NoFormula, Origin, PathFormula, PathStep};
use evidence::Tape;
use logic::{Satisfiability, Solver, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Longer runs are given up.
const MAX_STEPS: usize = 500_000;

pub struct RunFormula<'p> {
    pub encoder: Encoder<'p>,
    pub formula: PathFormula,
    pub solver: Solver,
    /// What is known of the inputs, one term each.
    pub psi: Vec<TermId>,
    pub phi: TermId,
    /// Steps from here on are the assertion's own.
    pub end: usize,
    /// Steps whose guards stand for an assertion that fails for all values.
    pub deciding: Vec<usize>,
    /// The step that defines each name.
    pub defined_by: FxHashMap<TermId, usize>,
}

impl<'p> RunFormula<'p> {
    /// `None` if the run has no formula, or the budget ends.
    pub fn of(task: Task<'p>, tape: &Tape, names: Names, budget: &Budget) -> Option<Self> {
        let mut encoder = Encoder::new(task);
        let follow = Follow { inputs: &mut tape.play(), args: &tape.args, names, max_steps: MAX_STEPS };
        let mut formula = encoder.follow(follow, budget).ok()?;
        pinned::pin(&mut encoder, &mut formula);
        let mut psi = Vec::new();
        for input in &formula.inputs {
            let width = encoder.pool.width(input.term);
            let value = encoder.pool.bv(width, input.bits.get());
            psi.push(encoder.pool.eq(input.term, value));
        }
        for term in formula.fills.iter().flat_map(|fill| &fill.terms) {
            if let Some(logic::TermValue::Bits(bits)) = formula.values.get(*term) {
                let value = encoder.pool.bits(bits);
                psi.push(encoder.pool.eq(*term, value));
            }
        }
        let mut defined_by = FxHashMap::default();
        for (index, step) in formula.steps.iter().enumerate() {
            for definition in &step.definitions {
                defined_by.insert(definition.name, index);
            }
        }
        let (phi, end) = (formula.assertion, formula.steps.len());
        let deciding = Vec::new();
        let mut trace = RunFormula { encoder, formula, solver: Solver::new(), psi, phi, end, deciding, defined_by };
        trace.settle_assertion();
        Some(trace)
    }

    /// Why a run has no formula.
    pub fn why_none(task: Task<'p>, tape: &Tape, budget: &Budget) -> Option<NoFormula> {
        let mut encoder = Encoder::new(task);
        let follow = Follow { inputs: &mut tape.play(), args: &tape.args, names: Names::Fresh, max_steps: MAX_STEPS };
        encoder.follow(follow, budget).err()
    }

    /// A call of an error function fails for all values: what should have held is that its condition does not.
    fn settle_assertion(&mut self) {
        while self.encoder.pool.as_bool(self.phi) == Some(false) {
            let branch = |step: &PathStep| step.guard.filter(|_| !self.is_assumption(step));
            let found = self.formula.steps[..self.end].iter().rposition(|step| branch(step).is_some());
            let Some(index) = found else { return };
            let guard = self.formula.steps[index].guard.expect("found by it");
            self.phi = self.encoder.pool.not(guard);
            self.end = index;
            self.deciding.push(index);
        }
    }

    pub fn is_assumption(&self, step: &PathStep) -> bool {
        let Origin::Edge(edge) = step.origin else { return false };
        matches!(self.encoder.task.program.edges[edge].op, Op::Assume { role: AssumeRole::Assumption, .. })
    }

    pub fn edge(&self, step: usize) -> EdgeId {
        let (Origin::Edge(edge) | Origin::Frame(edge)) = self.formula.steps[step].origin;
        edge
    }

    /// What the definitions of a step say.
    pub fn equations(&mut self, step: usize) -> Vec<TermId> {
        let definitions = &self.formula.steps[step].definitions;
        definitions.iter().map(|one| self.encoder.pool.eq(one.name, one.value)).collect()
    }

    /// The conditions in whose scope something lies, innermost first.
    pub fn conditions_around(&self, scope: Option<u32>) -> Vec<u32> {
        let parent = |condition: &u32| self.formula.conditions[*condition as usize].parent;
        std::iter::successors(scope, parent).collect()
    }

    /// Whether terms contradict each other, with those that do. `None` at the end of the budget.
    pub fn contradiction(&mut self, terms: &[TermId], budget: &Budget) -> Option<Result<Vec<TermId>, ()>> {
        match self.solver.check(&self.encoder.pool, terms, budget) {
            Satisfiability::Unsat(core) => Some(Ok(core)),
            Satisfiability::Sat(_) => Some(Err(())),
            Satisfiability::Unknown => None,
        }
    }

    /// The names that occur in a term.
    pub fn names_in(&self, term: TermId) -> Vec<TermId> {
        self.names_in_all(&[term])
    }

    pub fn names_in_all(&self, terms: &[TermId]) -> Vec<TermId> {
        let mut names = Vec::new();
        let mut seen = FxHashSet::default();
        let mut open = terms.to_vec();
        while let Some(term) = open.pop() {
            if !seen.insert(term) {
                continue;
            }
            if self.encoder.pool.name(term).is_some() {
                names.push(term);
            }
            open.extend(self.encoder.pool.args(term).iter());
        }
        names
    }
}
