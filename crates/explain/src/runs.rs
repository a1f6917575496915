//! Further runs of the unrolled program: failing ones that take other paths, and passing ones.

use crate::Failure;
use crate::replay;
use crate::unrolled::Unrolled;
use base::Budget;
use cfa::interp::{Config, Event, Limit, ListInputs, Observer, Outcome, Runner, View};
use cfa::{Bits, EdgeId, ExprKind, Type};
use encode::EventKind;
use evidence::Tape;
use logic::{Model, Satisfiability, TermId};
use rustc_hash::FxHasher;
use std::collections::BTreeSet;
use std::hash::Hasher;

/// Runs on changed inputs, and the steps that they may take together.
const TRIES: usize = 1500;
const STEPS: u64 = 3_000_000;
/// A run on changed inputs may be so many times longer.
const LONGER: u64 = 8;

/// Runs near the failing one, by changes of some of its inputs in the interpreter: failing ones in the same place, the first being the one given, and passing
/// ones; those along other paths first. Nothing where hardly any input fails.
pub fn nearby<'p>(failure: &Failure<'p>, failing: usize, passing: usize) -> (Vec<Failure<'p>>, Vec<Tape>) {
    let program = failure.task.program;
    let own = failure.run_observed(&mut crate::suite::Unobserved);
    let types = &program.types;
    let integers: Vec<usize> =
        (0..own.inputs.len()).filter(|at| own.inputs[*at].request.ty.float_kind().is_none()).collect();
    let (mut found, mut tapes) = (vec![failure.clone()], Vec::new());
    if integers.is_empty() {
        return (found, tapes);
    }
    // Numbers that mean something: those of the run and of the program.
    let number = |at: &usize| cfa::eval::to_i128(types, own.inputs[*at].request.ty, own.inputs[*at].bits);
    let mut numbers: BTreeSet<i128> = integers.iter().map(number).collect();
    numbers.extend(program.exprs.values().filter_map(|expr| match expr.kind {
        ExprKind::Const(bits) if matches!(types.get(expr.ty), Type::Int(_)) => {
            Some(cfa::eval::to_i128(types, expr.ty, bits))
        }
        _ => None,
    }));
    let numbers: Vec<i128> = numbers.into_iter().collect();
    let mut runner = Runner::new(program, failure.task.entry, failure.tape.args.clone());
    let config = Config {
        properties: failure.task.properties,
        max_steps: own.steps.saturating_mul(LONGER).max(1000),
        ..Config::default()
    };
    let (mut random, mut steps) = (Random(0x2545_f491_4f6c_dd1d), 0);
    let mut paths = BTreeSet::new();
    let (mut same, mut same_passing): (Vec<Vec<Bits>>, Vec<Vec<Bits>>) = Default::default();
    let (mut other, mut other_passing): (Vec<Vec<Bits>>, Vec<Vec<Bits>>) = Default::default();
    for _ in 0..TRIES {
        if steps > STEPS || (other.len() + 1 >= failing && other_passing.len() >= passing) {
            break;
        }
        let mut values: Vec<Bits> = own.inputs.iter().map(|input| input.bits).collect();
        for _ in 0..=random.below(3) {
            let at = integers[random.below(integers.len())];
            let value = match random.below(6) {
                0 | 1 => number(&at) + random.below(9) as i128 - 4,
                2 | 3 => numbers[random.below(numbers.len())] + random.below(3) as i128 - 1,
                4 => random.below(2000) as i128,
                _ => (random.next() as i32 >> random.below(24)) as i128,
            };
            values[at] = cfa::eval::from_i128(types, own.inputs[at].request.ty, value);
        }
        let mut path = Path(FxHasher::default());
        let run = runner.run_observed(&mut ListInputs::then_zero(values.clone()), &config, &mut path);
        steps += run.steps;
        let fails = match run.outcome {
            Outcome::Violation { property, .. } if property == failure.property => run.end == Some(failure.edge),
            Outcome::Finished(_) => false,
            _ => continue,
        };
        if !fails && !matches!(run.outcome, Outcome::Finished(_)) {
            continue;
        }
        let new = paths.insert((fails, path.0.finish()));
        match (fails, new) {
            (true, true) => other.push(values),
            (true, false) => same.push(values),
            (false, true) => other_passing.push(values),
            (false, false) => same_passing.push(values),
        }
    }
    for values in other.into_iter().chain(same) {
        if found.len() >= failing {
            break;
        }
        found.extend(failure.with_inputs(failure.tape.args.clone(), &mut ListInputs::then_zero(values)));
    }
    for values in other_passing.into_iter().chain(same_passing).take(passing) {
        let (run, tape) = replay::recorded(failure.task, failure.tape.args.clone(), &mut ListInputs::then_zero(values));
        if matches!(run.outcome, Outcome::Finished(_)) {
            tapes.push(tape);
        }
    }
    (found, tapes)
}

/// The path of a run, as a number.
struct Path(FxHasher);

impl Observer for Path {
    fn step(&mut self, _: &View<'_, '_>, event: Event<'_>) {
        if let Event::Edge { edge: EdgeId(edge), .. } = event {
            self.0.write_u32(edge);
        }
    }
}

/// Xorshift: the same runs every time.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 11
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.next() as usize % limit.max(1)
    }
}

/// Failures in the same place, each along another path than those before while there are any, then with other inputs. The first is the one given.
pub fn failing<'p>(failure: &Failure<'p>, count: usize, budget: &Budget) -> Vec<Failure<'p>> {
    let mut found = vec![failure.clone()];
    if count < 2 {
        return found;
    }
    let Some(mut unrolled) = Unrolled::around(failure, budget) else { return found };
    let mut models = vec![Model::new(unrolled.run.clone())];
    let mut blocked = vec![unrolled.fails];
    for by_path in [true, false] {
        blocked.truncate(1);
        for model in &models {
            let other = difference(&mut unrolled, model, by_path);
            blocked.push(other);
        }
        while found.len() < count {
            let Satisfiability::Sat(model) = unrolled.solver.check(&unrolled.encoder.pool, &blocked, budget) else {
                break;
            };
            let other = difference(&mut unrolled, &model, by_path);
            blocked.push(other);
            found.extend(unrolled.replay(&model));
            models.push(model);
        }
    }
    found
}

/// Runs that end regularly, each along another path; of a program that runs in cycles, beginnings of runs that violate nothing.
pub fn passing(failure: &Failure<'_>, count: usize, budget: &Budget) -> Vec<Tape> {
    let Some(mut unrolled) = Unrolled::around(failure, budget) else { return Vec::new() };
    let endless = failure.task.program.cycle.is_some();
    let ends = if endless { unrolled.goes_on() } else { unrolled.encoder.pool.or_all(&unrolled.unrolling.ends) };
    let mut blocked = vec![ends];
    blocked.extend(unrolled.unrolling.replayable);
    let mut tapes = Vec::new();
    while tapes.len() < count {
        let Satisfiability::Sat(model) = unrolled.solver.check(&unrolled.encoder.pool, &blocked, budget) else { break };
        let other = difference(&mut unrolled, &model, true);
        blocked.push(other);
        let (run, tape) = if endless { unrolled.prefix_of(&model) } else { unrolled.run_of(&model) };
        match run.outcome {
            Outcome::Finished(_) => tapes.push(tape),
            Outcome::Limit(Limit::Inputs | Limit::Steps) if endless => tapes.push(tape),
            _ => {}
        }
    }
    tapes
}

/// Another path, or other inputs, than in a model.
fn difference(unrolled: &mut Unrolled<'_, '_>, model: &Model, by_path: bool) -> TermId {
    let pool = &mut unrolled.encoder.pool;
    let mut changes = Vec::new();
    if by_path {
        for event in unrolled.unrolling.events.iter().filter(|event| event.kind == EventKind::Branch) {
            let Some((_, truth)) = event.value else { continue };
            if model.bool(pool, event.guard) {
                let held = model.bool(pool, truth);
                let other = if held { pool.not(truth) } else { truth };
                changes.push(pool.and(event.guard, other));
            }
        }
    } else {
        for input in unrolled.unrolling.inputs.iter() {
            let value = model.bits(pool, input.term);
            let value = pool.bits(&value);
            changes.push(pool.ne(input.term, value));
        }
    }
    pool.or_all(&changes)
}
