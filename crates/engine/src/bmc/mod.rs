//! Bounded model checking (paper 1, section 3). Bounds grow, the solver keeps what it learnt; the answer is a violation as soon as one is
//! reachable and replays, or a proof as soon as everything is unwound.

use crate::{Answer, Task};
use base::Budget;
use cfa::Bits;
use cfa::interp::{self, Config, Outcome};
use encode::{Bounds, Encoder, ModelInputs, Obligation, ObligationKind, Unrolling};
use evidence::{Proof, Reason, Verdict, Violation};
use logic::{Model, Solver, TermId};

/// What the first round may do without counting; later rounds may do four times as much each.
const FIRST_STEPS: u64 = 50_000;
const FIRST_DECIDED: u32 = 8;
const MAX_BOUND: u32 = 1 << 20;

/// Steps of a replay: a violation found within the bounds is not far away.
const REPLAY_STEPS: u64 = 200_000_000;

/// Symbolic execution recurses with the calls and expressions of the program; [`encode`] limits how deep.
const STACK: usize = 1 << 30;

pub fn decide(task: &Task<'_>, budget: &Budget) -> Answer {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || deepen(task, budget));
        match thread.expect("a thread can be started").join() {
            Ok(answer) => answer,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

fn deepen(task: &Task<'_>, budget: &Budget) -> Answer {
    let mut search = Search { task, budget, encoder: Encoder::new(task.program), solver: Solver::new() };
    // Many bugs need no loop at all, and nested loops are cheap only at the smallest bound.
    let mut bound = task.unwind.unwrap_or(0);
    let (mut steps, mut decided) = (FIRST_STEPS, task.unwind.unwrap_or(FIRST_DECIDED));
    loop {
        let bounds = Bounds { unwind: bound, decided, steps, properties: task.properties };
        match search.round(bounds) {
            Round::Decided(verdict, inputs) => return Answer { verdict, bound, inputs },
            Round::Deeper if task.unwind.is_some() || bound >= MAX_BOUND => {
                return Answer { verdict: Verdict::Unknown(Reason::Bound { bound }), bound, inputs: None };
            }
            Round::Deeper => {
                bound = (bound * 2).max(1);
                steps = steps.saturating_mul(4);
                decided = decided.saturating_mul(4);
            }
        }
    }
}

enum Round {
    Decided(Verdict, Option<ModelInputs>),
    /// Nothing wrong within the bound, but there is more.
    Deeper,
}

struct Search<'t, 'p> {
    task: &'t Task<'p>,
    budget: &'t Budget,
    encoder: Encoder<'p>,
    solver: Solver,
}

/// Whether a condition can hold.
enum Reachable {
    Never,
    Yes(Model),
    Unknown,
}

impl Search<'_, '_> {
    fn round(&mut self, bounds: Bounds) -> Round {
        let out_of_budget = Round::Decided(Verdict::Unknown(Reason::Budget { bound: bounds.unwind }), None);
        let unrolling = self.encoder.unroll(self.task.entry, bounds, self.budget);
        if unrolling.interrupted {
            return out_of_budget;
        }
        let violations = self.any(&unrolling, |kind| matches!(kind, ObligationKind::Violation(..)));
        match self.reachable(violations) {
            Reachable::Yes(model) => return self.replay(&unrolling, &model),
            Reachable::Unknown => return out_of_budget,
            Reachable::Never => {}
        }
        let unwind = self.any(&unrolling, |kind| *kind == ObligationKind::Unwind);
        match self.reachable(unwind) {
            Reachable::Yes(_) => return Round::Deeper,
            Reachable::Unknown => return out_of_budget,
            Reachable::Never => {}
        }
        let poison = self.any(&unrolling, |kind| matches!(kind, ObligationKind::Poison(_)));
        match self.reachable(poison) {
            Reachable::Yes(model) => {
                let found = self.holding(&unrolling, &model, |kind| matches!(kind, ObligationKind::Poison(_)));
                let Some(Obligation { kind: ObligationKind::Poison(construct), edge, .. }) = found else {
                    return out_of_budget;
                };
                let reason = Reason::Unsupported { construct: construct.clone(), edge: *edge };
                return Round::Decided(Verdict::Unknown(reason), None);
            }
            Reachable::Unknown => return out_of_budget,
            Reachable::Never => {}
        }
        let undefined = self.any(&unrolling, |kind| matches!(kind, ObligationKind::Undefined(_)));
        match self.reachable(undefined) {
            Reachable::Yes(model) => {
                let found = self.holding(&unrolling, &model, |kind| matches!(kind, ObligationKind::Undefined(_)));
                let Some(Obligation { kind: ObligationKind::Undefined(fault), edge, .. }) = found else {
                    return out_of_budget;
                };
                Round::Decided(Verdict::Unknown(Reason::Undefined { fault: *fault, edge: *edge }), None)
            }
            Reachable::Unknown => out_of_budget,
            Reachable::Never => Round::Decided(Verdict::Safe(Proof { bound: bounds.unwind }), None),
        }
    }

    fn any(&mut self, unrolling: &Unrolling, wanted: impl Fn(&ObligationKind) -> bool) -> TermId {
        let conds: Vec<TermId> = unrolling
            .obligations
            .iter()
            .filter(|obligation| wanted(&obligation.kind))
            .map(|obligation| obligation.cond)
            .collect();
        self.encoder.pool.or_all(&conds)
    }

    fn reachable(&mut self, cond: TermId) -> Reachable {
        if self.encoder.pool.as_bool(cond) == Some(false) {
            return Reachable::Never;
        }
        match self.solver.check(&self.encoder.pool, &[cond], self.budget) {
            logic::Outcome::Sat(model) => Reachable::Yes(model),
            logic::Outcome::Unsat(_) => Reachable::Never,
            logic::Outcome::Unknown => Reachable::Unknown,
        }
    }

    /// The first obligation of a kind that holds in a model.
    fn holding<'u>(
        &self,
        unrolling: &'u Unrolling,
        model: &Model,
        wanted: impl Fn(&ObligationKind) -> bool,
    ) -> Option<&'u Obligation> {
        let holds =
            |obligation: &&Obligation| wanted(&obligation.kind) && model.bool(&self.encoder.pool, obligation.cond);
        unrolling.obligations.iter().find(holds)
    }

    /// A violation counts only once the interpreter has seen it too.
    fn replay(&mut self, unrolling: &Unrolling, model: &Model) -> Round {
        let violated = |kind: &ObligationKind| matches!(kind, ObligationKind::Violation(..));
        let edge = self.holding(unrolling, model, violated).map_or(cfa::EdgeId(0), |obligation| obligation.edge);
        let config = Config { properties: self.task.properties, max_steps: REPLAY_STEPS, ..Config::default() };
        let mut inputs = ModelInputs::new(&self.encoder.pool, model, unrolling);
        let args = inputs.program_args(self.task.program, self.task.entry);
        let run = interp::run(self.task.program, self.task.entry, &args, &mut inputs, &config);
        let Outcome::Violation { property, fault } = run.outcome else {
            let reason = Reason::NotReplayed { edge, outcome: run.outcome };
            return Round::Decided(Verdict::Unknown(reason), None);
        };
        let values: Vec<Bits> = run.inputs.iter().map(|input| input.bits).collect();
        let violation = Violation { property, fault, edge: run.end.unwrap_or(edge), inputs: values };
        let again = ModelInputs::new(&self.encoder.pool, model, unrolling);
        Round::Decided(Verdict::Unsafe(violation), Some(again))
    }
}
