//! Bounded model checking (Groce and Kroening 2005, section 3). Bounds grow, the solver keeps what it learnt; the answer is a violation as soon as one is
//! reachable and replays, or a proof as soon as everything is unwound. [`checks`] keeps account of single assertions.

mod addresses;
mod checks;

use crate::{Answer, Options};
use base::Budget;
use base::ids::Id as _;
use cfa::interp::{self, Config, Limit, Outcome};
use cfa::{Bits, EdgeId, Fault, Property, Task};
use checks::Survey;
use encode::{
    Bounds, Deepening, Deeper, Encoder, Left, ModelInputs, Obligation, ObligationKind, POINTERS_APART, Prover,
    REPLAY_STEPS, Reachable, Unrolling, address_was_looked_at, on_large_stack,
};
use evidence::{Proof, Reason, Tape, TapeRecorder, Verdict, Violation};
use logic::{Model, TermId};

/// Which memory was ever written is not encoded.
pub fn supports(property: Property) -> bool {
    property != Property::Initialized
}

pub fn decide(task: Task<'_>, options: &Options, budget: &Budget) -> Answer {
    on_large_stack(|| deepen(task, options, budget))
}

/// Whether results of floating-point arithmetic are arbitrary.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Floats {
    Exact,
    Arbitrary,
}

/// Exact arithmetic is tried where arbitrary results took this much: about five seconds of a SAT search.
const ARBITRARY_EFFORT: u64 = 1_000_000;

/// Exact arithmetic may end a loop at this bound that arbitrary results never end.
const ARBITRARY_BOUND: u32 = 16;

/// A run that arbitrary results lead astray may take so many steps more.
const MISSED_STEPS: u64 = 1_000_000;

/// What is unrolled completely depends on which states are kept apart, so all questions about a bound are asked of encoders like this one.
fn encoder<'p>(task: Task<'p>, options: &Options, floats: Floats) -> Encoder<'p> {
    let mut encoder = Encoder::new(task).with_limits(options.limits.clone());
    encoder.keeps_apart = true;
    encoder.arbitrary_floats = floats == Floats::Arbitrary;
    encoder
}

/// Most questions, such as about memory, do not depend on what floating-point arithmetic computes, and the terms for it are large. So its results are
/// arbitrary first: what holds for them holds, and a violation counts if it replays. Otherwise the search goes on with exact arithmetic.
fn deepen(task: Task<'_>, options: &Options, budget: &Budget) -> Answer {
    let mut least = 0;
    if encode::computes_floats(task.program) && !options.all {
        match deepen_from(0, Floats::Arbitrary, task, options, &budget.with_effort(ARBITRARY_EFFORT)) {
            Ok(answer) => return answer,
            Err(_) if options.unwind.is_some() => {}
            Err(bound) => least = bound,
        }
    }
    deepen_from(least, Floats::Exact, task, options, budget).expect("exact arithmetic has an answer")
}

/// The answer, or the bound at which arbitrary results of floating-point arithmetic do not suffice.
fn deepen_from(least: u32, floats: Floats, task: Task<'_>, options: &Options, budget: &Budget) -> Result<Answer, u32> {
    let mut encoder = encoder(task, options, floats);
    encoder.note_assertions = options.all;
    let prover = Prover::new(encoder, budget);
    let (found, places, survey) = (Vec::new(), Vec::new(), Survey::default());
    let mut search = Search { task, options, floats, prover, found, places, survey };
    let mut deepening = Deepening::new().beginning_at(least).fixed(options.unwind);
    // Where runs go on beyond the last bound.
    let mut goes_on = EdgeId(0);
    loop {
        let (verdict, bound) = match deepening.deeper(&mut search.prover.encoder, budget) {
            Deeper::Unrolled(unrolling, bounds) => match search.round(&unrolling, bounds) {
                Round::Deeper(_, cond)
                    if bounds.unwind >= ARBITRARY_BOUND && search.prover.encoder.depends_on_floats(cond) =>
                {
                    return Err(bounds.unwind);
                }
                Round::Deeper(edge, _) => {
                    goes_on = edge;
                    budget.progress().set_explored(bounds.unwind, edge.index());
                    continue;
                }
                // What was unwound completely is so at the bound that this took.
                Round::Decided(verdict @ Verdict::Safe(Proof::Unwound { bound })) => (verdict, bound),
                Round::Decided(verdict) => (verdict, bounds.unwind),
            },
            Deeper::OutOfTime(bound) => (Verdict::Unknown(Reason::Budget { bound }), bound),
            Deeper::NoLargerBound(bound) => (Verdict::Unknown(Reason::Bound { bound, edge: goes_on }), bound),
        };
        let is_known = !matches!(verdict, Verdict::Unknown(_));
        if floats == Floats::Arbitrary && !is_known {
            return Err(bound);
        }
        return Ok(search.answer(verdict, bound));
    }
}

/// Violations are asked about kind by kind: a question about assertions alone is often far smaller than one about every access to memory too.
const KINDS_OF_VIOLATIONS: [fn(&ObligationKind) -> bool; 2] = [
    |kind| matches!(kind, ObligationKind::Violation(_, None)),
    |kind| matches!(kind, ObligationKind::Violation(_, Some(_))),
];

enum Round {
    Decided(Verdict),
    /// Nothing (more) wrong within the bound, but there is more, behind this edge, under this condition.
    Deeper(EdgeId, TermId),
}

struct Search<'t, 'p> {
    task: Task<'p>,
    options: &'t Options,
    floats: Floats,
    prover: Prover<'t, 'p>,
    found: Vec<(Violation, Tape)>,
    /// Where violations were found: not looked for again.
    places: Vec<EdgeId>,
    survey: Survey,
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

    fn round(&mut self, unrolling: &Unrolling, bounds: Bounds) -> Round {
        let out_of_budget = Round::Decided(Verdict::Unknown(Reason::Budget { bound: bounds.unwind }));
        let mut undecided = None;
        for kind in KINDS_OF_VIOLATIONS {
            match self.violated(unrolling, kind, bounds) {
                Ok(None) => {}
                Ok(Some(violation)) => return Round::Decided(Verdict::Unsafe(violation)),
                Err(reason @ Reason::NotReplayed { .. }) => return Round::Decided(Verdict::Unknown(reason)),
                Err(reason) => undecided = undecided.or(Some(reason)),
            }
        }
        if let Some(reason) = undecided {
            return Round::Decided(Verdict::Unknown(reason));
        }
        if self.options.all && self.survey(unrolling, bounds.unwind).is_none() {
            return out_of_budget;
        }
        match self.prover.left(unrolling) {
            Left::Nothing => {}
            Left::Unknown => return out_of_budget,
            Left::Obligation(Obligation { kind, edge, cond, .. }) => {
                let (edge, cond) = (*edge, *cond);
                let reason = match kind {
                    ObligationKind::Unwind => return Round::Deeper(edge, cond),
                    ObligationKind::Limit(bound) => Reason::Bound { bound: *bound, edge },
                    ObligationKind::Poison(construct) => {
                        let construct = construct.clone();
                        if construct == POINTERS_APART
                            && let Some(found) = self.violated_later(unrolling, cond, edge)
                        {
                            let violation = found.0.clone();
                            self.found.push(found);
                            return Round::Decided(Verdict::Unsafe(violation));
                        }
                        Reason::Unsupported { construct, edge }
                    }
                    ObligationKind::LeftOpen(what) => Reason::LeftOpen { what: what.clone(), edge },
                    ObligationKind::Undefined(fault) => self.undefined(unrolling, *fault, edge, cond),
                    ObligationKind::Violation(..) => return out_of_budget,
                };
                return Round::Decided(Verdict::Unknown(reason));
            }
        }
        Round::Decided(match self.holds_at_any_address(bounds) {
            Ok(()) => Verdict::Safe(Proof::Unwound { bound: unrolling.deepest }),
            Err(reason) => Verdict::Unknown(reason),
        })
    }

    /// Looks for a violation of one kind within the bound, for all of them with `--all`; why it is not known whether there is one more.
    fn violated(
        &mut self,
        unrolling: &Unrolling,
        kind: fn(&ObligationKind) -> bool,
        bounds: Bounds,
    ) -> Result<Option<Violation>, Reason> {
        loop {
            let places = self.places.clone();
            let new = |obligation: &Obligation| kind(&obligation.kind) && !places.contains(&obligation.edge);
            let violations = self.prover.any(unrolling, new);
            match self.prover.reachable_by_replay(unrolling, violations) {
                Reachable::Yes(model) => {
                    let found = self.replay(unrolling, &model, new)?;
                    let violation = found.0.clone();
                    self.found.push(found);
                    if !self.options.all {
                        return Ok(Some(violation));
                    }
                }
                Reachable::OutOfReach => {
                    let edge = unrolling
                        .obligations
                        .iter()
                        .find(|obligation| new(obligation))
                        .map(|obligation| obligation.edge);
                    let construct = "a violation that only an unspecified value, a very long command line or a very \
                                     large allocation shows"
                        .to_string();
                    return Err(Reason::Unsupported { construct, edge: edge.unwrap_or(EdgeId(0)) });
                }
                Reachable::Unknown => return Err(Reason::Budget { bound: bounds.unwind }),
                Reachable::Never => return Ok(None),
            }
        }
    }

    /// Undefined behaviour that no property asks about, with the run that shows it.
    fn undefined(&mut self, unrolling: &Unrolling, fault: Fault, edge: EdgeId, cond: TermId) -> Reason {
        let Reachable::Yes(model) = self.prover.reachable_by_replay(unrolling, cond) else {
            return Reason::Undefined { fault, edge, tape: None };
        };
        let (run, tape) = self.run(unrolling, &model);
        match run.outcome {
            Outcome::Undefined(fault) => Reason::Undefined { fault, edge: end_of(&run, edge), tape: Some(tape) },
            // The interpreter has other addresses, or the run is too large.
            _ => Reason::Undefined { fault, edge, tape: None },
        }
    }

    /// The violation that a run comes to in the interpreter after it left the model, wherever its objects lie.
    fn violated_later(&mut self, unrolling: &Unrolling, cond: TermId, edge: EdgeId) -> Option<(Violation, Tape)> {
        let Reachable::Yes(model) = self.prover.reachable_by_replay(unrolling, cond) else { return None };
        let (run, tape) = self.run(unrolling, &model);
        let Outcome::Violation { property, fault } = run.outcome else { return None };
        let end = end_of(&run, edge);
        self.violated_with_objects_elsewhere(&tape, property, end).ok()?;
        let inputs = run.inputs.iter().map(|input| input.bits).collect();
        Some((Violation { property, fault, edge: end, inputs }, tape))
    }

    /// The run of a model in the interpreter.
    fn run(&self, unrolling: &Unrolling, model: &Model) -> (interp::Run, Tape) {
        // A run that arbitrary results do not lead to the violation may go on for ever. Those that they lead there are not much longer than what was unrolled.
        let max_steps = match self.floats {
            Floats::Exact => REPLAY_STEPS,
            Floats::Arbitrary => REPLAY_STEPS.min(unrolling.steps.saturating_mul(4).saturating_add(MISSED_STEPS)),
        };
        let config = Config { properties: self.task.properties, max_steps, ..Config::default() };
        let mut inputs = ModelInputs::new(&self.prover.encoder.pool, model, unrolling);
        let args = inputs.program_args(self.task);
        let mut recorder = TapeRecorder::new(args.clone(), &mut inputs);
        let run = interp::run(self.task.program, self.task.entry, &args, &mut recorder, &config);
        (run, recorder.tape)
    }

    /// A violation counts only once the interpreter has seen it too.
    fn replay(
        &mut self,
        unrolling: &Unrolling,
        model: &Model,
        wanted: impl Fn(&Obligation) -> bool,
    ) -> Result<(Violation, Tape), Reason> {
        let edge = self.prover.holding(unrolling, model, wanted).map_or(EdgeId(0), |obligation| obligation.edge);
        let (run, tape) = self.run(unrolling, model);
        let (property, fault) = match run.outcome {
            Outcome::Violation { property, fault } => (property, fault),
            // Nothing is wrong with such a run but its size.
            Outcome::Limit(Limit::Memory | Limit::Steps | Limit::Depth) => {
                let construct = "a violation on a run that is too large to replay".to_string();
                return Err(Reason::Unsupported { construct, edge });
            }
            // The interpreter has other addresses.
            _ if unrolling.numbers_as_pointers || address_was_looked_at(&self.prover.encoder.pool) => {
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
