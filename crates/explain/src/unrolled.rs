//! The failing run within the unrolled program. The bound is the smallest of 0, 1, 2, 4, … that the run fits in, so every other run that is
//! considered is about as long.

use crate::Failure;
use crate::replay;
use base::Budget;
use cfa::interp::Run;
use encode::{
    Deepening, Deeper, Encoder, EventKind, InputPlace, ModelInputs, Obligation, ObligationKind, SymbolicEvent,
    Unrolling,
};
use evidence::Tape;
use evidence::shown::{Gives, gives};
use logic::{Assignment, Model, Solver, TermId};

/// A run that was found fits in a smaller bound.
const LARGEST_BOUND: u32 = 1 << 16;

pub struct Unrolled<'f, 'p> {
    pub failure: &'f Failure<'p>,
    pub encoder: Encoder<'p>,
    pub unrolling: Unrolling,
    pub solver: Solver,
    pub bound: u32,
    /// A run fails in the same place for the same reason.
    pub fails: TermId,
    /// The failing run.
    pub run: Assignment,
}

/// An event that counts: it gives something of the user's a value.
#[derive(Clone, Copy, Debug)]
pub struct Giving {
    pub event: SymbolicEvent,
    pub gives: Gives,
}

impl<'f, 'p> Unrolled<'f, 'p> {
    /// `None` if the budget ends first, or the run cannot be found in any unrolling (it depends on what is not encoded).
    pub fn around(failure: &'f Failure<'p>, budget: &Budget) -> Option<Self> {
        Self::around_within(failure, 0, budget)
    }

    /// As [`Unrolled::around`], but with this bound at least.
    pub fn around_within(failure: &'f Failure<'p>, least: u32, budget: &Budget) -> Option<Self> {
        let mut encoder = Encoder::new(failure.task).with_room_for(&failure.tape.args);
        encoder.record_events = true;
        encoder.note_assertions = true;
        let FittingUnrolling { unrolling, bound, fails, run } = find_from(failure, &mut encoder, least, budget)?;
        Some(Unrolled { failure, encoder, unrolling, solver: Solver::new(), bound, fails, run })
    }

    /// Whether a larger bound allows more runs.
    pub fn is_cut(&self) -> bool {
        self.unrolling.obligations.iter().any(|obligation| obligation.kind == ObligationKind::Unwind)
    }

    /// Whether an obligation is the failure itself.
    pub fn is_same_failure(&self, obligation: &Obligation) -> bool {
        is_same_failure(self.failure, obligation)
    }

    /// What an event gives a value to, if it counts towards a run's length.
    pub fn gives(&self, event: &SymbolicEvent) -> Option<Gives> {
        let InputPlace::Edge(edge) = event.source else { return Some(Gives::Input) };
        let gives = gives(self.failure.task.program, edge)?;
        let matches = match event.kind {
            EventKind::Input => gives == Gives::Input,
            EventKind::Write => gives == Gives::Assignment,
            EventKind::Declaration => gives == Gives::Declaration,
            EventKind::Branch | EventKind::Call => false,
        };
        matches.then_some(gives)
    }

    /// The events that count towards a run's length.
    pub fn giving(&self) -> Vec<Giving> {
        let events = self.unrolling.events.iter();
        events.filter_map(|event| self.gives(event).map(|gives| Giving { event: *event, gives })).collect()
    }

    /// The failure that a model of `fails` describes, replayed.
    pub fn replay(&self, model: &Model) -> Option<Failure<'p>> {
        let mut inputs = ModelInputs::new(&self.encoder.pool, model, &self.unrolling);
        let args = inputs.program_args(self.failure.task);
        self.failure.with_inputs(args, &mut inputs)
    }

    /// The run of any model, and what it was given.
    pub fn run_of(&self, model: &Model) -> (Run, Tape) {
        let mut inputs = ModelInputs::new(&self.encoder.pool, model, &self.unrolling);
        let args = inputs.program_args(self.failure.task);
        replay::recorded(self.failure.task, args, &mut inputs)
    }

    /// The beginning of a run that goes on beyond the bound: it ends where it asks for more inputs than the model has.
    pub fn prefix_of(&self, model: &Model) -> (Run, Tape) {
        let mut inputs = ModelInputs::new(&self.encoder.pool, model, &self.unrolling);
        inputs.end_with_last = true;
        let args = inputs.program_args(self.failure.task);
        replay::recorded_prefix(self.failure.task, args, &mut inputs)
    }

    /// Runs that evaluate the assertion at least as often as the failing one, do not violate it, and go on beyond the bound.
    pub fn goes_on(&mut self) -> TermId {
        let edge = self.failure.edge;
        let guards: Vec<TermId> =
            self.unrolling.assertions.iter().filter(|(at, _)| *at == edge).map(|one| one.1).collect();
        let pool = &mut self.encoder.pool;
        let evaluated = |guard: &&TermId| logic::eval::eval(pool, &self.run, **guard).as_bool() == Some(true);
        let least = guards.iter().filter(evaluated).count();
        let mut sum = pool.bv(32, 0);
        for guard in guards {
            let one = pool.bool_to_bv(guard, 32);
            sum = pool.bv_add(sum, one);
        }
        let least = pool.bv(32, least as u128);
        let often = pool.ule(least, sum);
        let unwind = self.unrolling.obligations.iter().filter(|obligation| obligation.kind == ObligationKind::Unwind);
        let conds: Vec<TermId> = unwind.map(|obligation| obligation.cond).collect();
        let cut = pool.or_all(&conds);
        pool.and(often, cut)
    }
}

/// An unrolling that the failing run fits in.
pub struct FittingUnrolling {
    pub unrolling: Unrolling,
    pub bound: u32,
    pub fails: TermId,
    pub run: Assignment,
}

fn is_same_failure(failure: &Failure<'_>, obligation: &Obligation) -> bool {
    match obligation.kind {
        ObligationKind::Violation(property, fault) => {
            fault == failure.fault && failure.is_at(property, obligation.edge)
        }
        _ => false,
    }
}

/// Unrolls deeper and deeper until the failing run is found.
pub fn find(failure: &Failure<'_>, encoder: &mut Encoder<'_>, budget: &Budget) -> Option<FittingUnrolling> {
    find_from(failure, encoder, 0, budget)
}

/// As [`find`], at a bound that is not smaller than one.
pub fn find_from(
    failure: &Failure<'_>,
    encoder: &mut Encoder<'_>,
    least: u32,
    budget: &Budget,
) -> Option<FittingUnrolling> {
    let deepening = Deepening::new().beginning_at(least);
    let mut deepening = deepening.up_to(LARGEST_BOUND);
    while let Deeper::Unrolled(unrolling, bounds) = deepening.deeper(encoder, budget) {
        let wanted = unrolling.obligations.iter().filter(|obligation| is_same_failure(failure, obligation));
        let conds: Vec<TermId> = wanted.map(|obligation| obligation.cond).collect();
        let mut fails = encoder.pool.or_all(&conds);
        if let Some(replayable) = unrolling.replayable {
            fails = encoder.pool.and(fails, replayable);
        }
        let Tape { args, .. } = &failure.tape;
        let run = unrolling.assignment(failure.task.program, &encoder.pool, args, &mut failure.tape.play());
        // A run that passes is looked for by its end.
        let ends = encoder.pool.or_all(&unrolling.ends);
        let over = encoder.pool.or(fails, ends);
        if logic::eval::eval(&encoder.pool, &run, over).as_bool() == Some(true) {
            return Some(FittingUnrolling { unrolling: *unrolling, bound: bounds.unwind, fails, run });
        }
    }
    None
}
