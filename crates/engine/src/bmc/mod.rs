//! Bounded model checking (paper 1, section 3). Bounds grow, the solver keeps what it learnt; the answer is a violation as soon as one is
//! reachable and replays, or a proof as soon as everything is unwound. [`checks`] keeps account of single assertions.

mod addresses;
mod checks;

use crate::{Answer, Options};
use base::Budget;
use cfa::interp::{self, Config, Limit, Outcome};
use cfa::{Bits, EdgeId, Property, Task};
use checks::Survey;
use encode::{
    Bounds, Encoder, ModelInputs, Obligation, ObligationKind, Unrolling, address_was_looked_at, on_large_stack,
};
use evidence::{Proof, Reason, Tape, TapeRecorder, Verdict, Violation};
use logic::{Model, Solver, TermId};

/// What the first round may do without counting; later rounds may do four times as much each.
const FIRST_STEPS: u64 = 50_000;
const FIRST_DECIDED: u32 = 8;
const MAX_BOUND: u32 = 1 << 20;

/// Steps of a replay: a violation found within the bounds is not far away.
const REPLAY_STEPS: u64 = 200_000_000;

/// Which memory was ever written is not encoded.
pub fn supports(property: Property) -> bool {
    property != Property::Initialized
}

pub fn decide(task: Task<'_>, options: &Options, budget: &Budget) -> Answer {
    on_large_stack(|| deepen(task, options, budget))
}

fn deepen(task: Task<'_>, options: &Options, budget: &Budget) -> Answer {
    let mut search = Search {
        task,
        options,
        budget,
        encoder: Encoder::new(task).with_limits(options.limits.clone()),
        solver: Solver::new(),
        found: Vec::new(),
        places: Vec::new(),
        survey: Survey::default(),
    };
    search.encoder.note_assertions = options.all;
    // Many bugs need no loop at all, and nested loops are cheap only at the smallest bound.
    let mut bound = options.unwind.unwrap_or(0);
    let (mut steps, mut decided) = (FIRST_STEPS, options.unwind.unwrap_or(FIRST_DECIDED));
    loop {
        budget.progress().set_bound(bound);
        let bounds = Bounds { unwind: bound, decided, steps };
        match search.round(bounds) {
            Round::Decided(verdict) => {
                // What was unwound completely is so at the bound that this took.
                let bound = if let Verdict::Safe(Proof::Unwound { bound }) = verdict { bound } else { bound };
                return search.answer(verdict, bound);
            }
            Round::Deeper(edge) if options.unwind.is_some() || bound >= MAX_BOUND => {
                return search.answer(Verdict::Unknown(Reason::Bound { bound, edge }), bound);
            }
            Round::Deeper(_) => {
                bound = (bound * 2).max(1);
                steps = steps.saturating_mul(4);
                decided = decided.saturating_mul(4);
            }
        }
    }
}

enum Round {
    Decided(Verdict),
    /// Nothing (more) wrong within the bound, but there is more, behind this edge.
    Deeper(EdgeId),
}

struct Search<'t, 'p> {
    task: Task<'p>,
    options: &'t Options,
    budget: &'t Budget,
    encoder: Encoder<'p>,
    solver: Solver,
    found: Vec<(Violation, Tape)>,
    /// Where violations were found: not looked for again.
    places: Vec<EdgeId>,
    survey: Survey,
}

/// Whether a condition can hold.
enum Reachable {
    Never,
    Yes(Model),
    /// It can, but on no run that could be replayed.
    OutOfReach,
    Unknown,
}

impl Search<'_, '_> {
    fn answer(self, verdict: Verdict, bound: u32) -> Answer {
        let complete = matches!(verdict, Verdict::Safe(_));
        let verdict = match (self.found.first(), verdict) {
            // Our own bug is said before anything else.
            (_, verdict @ Verdict::Unknown(Reason::NotReplayed { .. })) => verdict,
            (Some((violation, _)), _) => Verdict::Unsafe(violation.clone()),
            (None, verdict) => verdict,
        };
        let checks = if self.options.all { self.checks(complete) } else { Vec::new() };
        let explored = self.survey.explored();
        Answer { engine: "bmc", verdict, bound, explored, violations: self.found, complete, checks }
    }

    fn round(&mut self, bounds: Bounds) -> Round {
        let out_of_budget = Round::Decided(Verdict::Unknown(Reason::Budget { bound: bounds.unwind }));
        let unrolling = self.encoder.unroll(bounds, self.budget);
        if unrolling.interrupted {
            return out_of_budget;
        }
        loop {
            let places = self.places.clone();
            let new = |obligation: &Obligation| {
                matches!(obligation.kind, ObligationKind::Violation(..)) && !places.contains(&obligation.edge)
            };
            let violations = self.any(&unrolling, new);
            match self.reachable_by_replay(violations, unrolling.replayable) {
                Reachable::Yes(model) => match self.replay(&unrolling, &model, new) {
                    Ok(found) => {
                        self.found.push(found);
                        if !self.options.all {
                            let violation = self.found[0].0.clone();
                            return Round::Decided(Verdict::Unsafe(violation));
                        }
                    }
                    Err(reason) => return Round::Decided(Verdict::Unknown(reason)),
                },
                Reachable::OutOfReach => {
                    let edge = unrolling
                        .obligations
                        .iter()
                        .find(|obligation| new(obligation))
                        .map(|obligation| obligation.edge);
                    let construct = "a violation that only an unspecified value, a very long command line or a very \
                                     large allocation shows"
                        .to_string();
                    let reason = Reason::Unsupported { construct, edge: edge.unwrap_or(EdgeId(0)) };
                    return Round::Decided(Verdict::Unknown(reason));
                }
                Reachable::Unknown => return out_of_budget,
                Reachable::Never => break,
            }
        }
        if self.options.all && self.survey(&unrolling, bounds.unwind).is_none() {
            return out_of_budget;
        }
        let unwind = |obligation: &Obligation| obligation.kind == ObligationKind::Unwind;
        let limit = |obligation: &Obligation| matches!(obligation.kind, ObligationKind::Limit(_));
        let poison = |obligation: &Obligation| matches!(obligation.kind, ObligationKind::Poison(_));
        let undefined = |obligation: &Obligation| matches!(obligation.kind, ObligationKind::Undefined(_));
        let left_open = |obligation: &Obligation| matches!(obligation.kind, ObligationKind::LeftOpen(_));
        for wanted in [&unwind as &dyn Fn(&Obligation) -> bool, &limit, &poison, &left_open, &undefined] {
            let cond = self.any(&unrolling, wanted);
            match self.reachable(cond) {
                Reachable::Yes(model) => {
                    let Some(obligation) = self.holding(&unrolling, &model, wanted) else { return out_of_budget };
                    let edge = obligation.edge;
                    let reason = match &obligation.kind {
                        ObligationKind::Unwind => return Round::Deeper(edge),
                        ObligationKind::Limit(bound) => Reason::Bound { bound: *bound, edge },
                        ObligationKind::Poison(construct) => Reason::Unsupported { construct: construct.clone(), edge },
                        ObligationKind::LeftOpen(what) => Reason::LeftOpen { what: what.clone(), edge },
                        ObligationKind::Undefined(fault) => Reason::Undefined { fault: *fault, edge },
                        ObligationKind::Violation(..) => return out_of_budget,
                    };
                    return Round::Decided(Verdict::Unknown(reason));
                }
                Reachable::Unknown | Reachable::OutOfReach => return out_of_budget,
                Reachable::Never => {}
            }
        }
        Round::Decided(match self.holds_at_any_address(bounds) {
            Ok(()) => Verdict::Safe(Proof::Unwound { bound: unrolling.deepest }),
            Err(reason) => Verdict::Unknown(reason),
        })
    }

    /// Whether one of the wanted obligations holds.
    fn any(&mut self, unrolling: &Unrolling, wanted: impl Fn(&Obligation) -> bool) -> TermId {
        let wanted = unrolling.obligations.iter().filter(|obligation| wanted(obligation));
        let conds: Vec<TermId> = wanted.map(|obligation| obligation.cond).collect();
        self.encoder.pool.or_all(&conds)
    }

    /// As [`Search::reachable`], by a run that can be replayed.
    fn reachable_by_replay(&mut self, cond: TermId, replayable: Option<TermId>) -> Reachable {
        let Some(replayable) = replayable else { return self.reachable(cond) };
        match self.reachable_with(&[cond, replayable]) {
            Reachable::Never => match self.reachable(cond) {
                Reachable::Yes(_) => Reachable::OutOfReach,
                other => other,
            },
            other => other,
        }
    }

    fn reachable(&mut self, cond: TermId) -> Reachable {
        self.reachable_with(&[cond])
    }

    fn reachable_with(&mut self, conds: &[TermId]) -> Reachable {
        if conds.iter().any(|cond| self.encoder.pool.as_bool(*cond) == Some(false)) {
            return Reachable::Never;
        }
        match self.solver.check(&self.encoder.pool, conds, self.budget) {
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
        wanted: impl Fn(&Obligation) -> bool,
    ) -> Option<&'u Obligation> {
        let holds = |obligation: &&Obligation| wanted(obligation) && model.bool(&self.encoder.pool, obligation.cond);
        unrolling.obligations.iter().find(holds)
    }

    /// A violation counts only once the interpreter has seen it too.
    fn replay(
        &mut self,
        unrolling: &Unrolling,
        model: &Model,
        wanted: impl Fn(&Obligation) -> bool,
    ) -> Result<(Violation, Tape), Reason> {
        let edge = self.holding(unrolling, model, wanted).map_or(EdgeId(0), |obligation| obligation.edge);
        let config = Config { properties: self.task.properties, max_steps: REPLAY_STEPS, ..Config::default() };
        let mut inputs = ModelInputs::new(&self.encoder.pool, model, unrolling);
        let args = inputs.program_args(self.task);
        let mut recorder = TapeRecorder::new(args.clone(), &mut inputs);
        let run = interp::run(self.task.program, self.task.entry, &args, &mut recorder, &config);
        let tape = recorder.tape;
        let (property, fault) = match run.outcome {
            Outcome::Violation { property, fault } => (property, fault),
            // Nothing is wrong with such a run but its size.
            Outcome::Limit(Limit::Memory | Limit::Steps | Limit::Depth) => {
                let construct = "a violation on a run that is too large to replay".to_string();
                return Err(Reason::Unsupported { construct, edge });
            }
            // The interpreter has other addresses.
            _ if unrolling.numbers_as_pointers || address_was_looked_at(&self.encoder.pool) => {
                let construct = "an arbitrary number that is used as an address".to_string();
                return Err(Reason::Unsupported { construct, edge });
            }
            outcome => return Err(Reason::NotReplayed { edge, outcome }),
        };
        self.violated_at_other_addresses(&tape, property, end_of(&run, edge))?;
        let values: Vec<Bits> = run.inputs.iter().map(|input| input.bits).collect();
        let end = end_of(&run, edge);
        self.places.extend([edge, end]);
        let violation = Violation { property, fault, edge: end, inputs: values };
        Ok((violation, tape))
    }
}

fn end_of(run: &interp::Run, otherwise: EdgeId) -> EdgeId {
    run.end.unwrap_or(otherwise)
}
