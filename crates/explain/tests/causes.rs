//! Explanations against brute force: of all inputs whose run passes within the bound none is closer to the failing run than the one found, and every
//! cause is one by its definition (Groce and Kroening 2005, definition 6.1), over all inputs.

use base::Budget;
use cfa::interp::{self, Config, Event, ListInputs, Observer, Outcome, ProgramArgs, View};
use cfa::{DataModel, EdgeId, Property, PropertySet, Task, eval};
use encode::ObligationKind;
use evidence::{Change, Operand, Predicate, Seen, ValueOf};
use explain::causes::distance::{self, Point};
use explain::causes::{self, CauseOptions, Explained};
use explain::unrolled::Unrolled;
use explain::{Failure, replay};
use logic::{Model, TermId};
use std::time::Duration;
use testkit::programs;

/// Some of the programs do not end on some inputs.
const MAX_STEPS: u64 = 10_000;

/// What is known of one run.
struct Run {
    model: Model,
    distance: u64,
    passes: bool,
    violates: bool,
    /// Inputs that are not as in the failing run, and how far they are from it together.
    input_change: (usize, u128),
}

/// Whether a run comes to where the failing run ends.
struct Reaches(EdgeId, bool);

impl Observer for Reaches {
    fn step(&mut self, _: &View<'_, '_>, event: Event<'_>) {
        self.1 |= matches!(event, Event::Edge { edge, .. } if edge == self.0);
    }
}

fn runs(failure: &Failure<'_>, unrolled: &Unrolled<'_, '_>, points: &[Point], seed: u64) -> Vec<Run> {
    let (program, pool) = (failure.task.program, &unrolled.encoder.pool);
    let config = Config { properties: failure.task.properties, max_steps: MAX_STEPS, ..Config::default() };
    let unrolling = &unrolled.unrolling;
    let point = distance::failure_point(unrolled);
    let violations: Vec<TermId> = unrolling
        .obligations
        .iter()
        .filter(|obligation| matches!(obligation.kind, ObligationKind::Violation(..)))
        .filter(|obligation| obligation.events_before <= point)
        .map(|obligation| obligation.cond)
        .collect();
    let mut runs: Vec<(Run, bool)> = programs::all_inputs()
        .map(|values| {
            let inputs = || ListInputs::new(values.clone());
            let model = Model::new(unrolling.assignment(program, pool, &ProgramArgs::default(), &mut inputs()));
            let any = |terms: &[TermId]| terms.iter().any(|term| model.bool(pool, *term));
            let (passes, violates) = (any(&unrolling.ends), any(&violations));
            let mut reaches = Reaches(failure.edge, false);
            let args = ProgramArgs::default();
            let run = interp::run_observed(program, failure.task.entry, &args, &mut inputs(), &config, &mut reaches);
            if passes {
                assert!(
                    matches!(run.outcome, Outcome::Finished(_)),
                    "seed {seed}: {values:?} end by {:?}",
                    run.outcome
                );
            }
            if violates {
                assert!(matches!(run.outcome, Outcome::Violation { .. }), "seed {seed}: {values:?}");
            }
            let distance = points.iter().filter(|point| !model.bool(pool, point.same)).count() as u64;
            let changed = points.iter().filter(|point| point.is_input && !model.bool(pool, point.same));
            let by = |point: &Point| match (point.failing, distance::seen(pool, &model, &point.event)) {
                (Seen::Value(ty, one), Seen::Value(_, other)) => {
                    let number = |bits| eval::to_i128(&program.types, ty, bits);
                    // Only the low four bits matter: the value may also become larger, or, if it has the room, smaller.
                    let (up, down) =
                        ((number(other) - number(one)).rem_euclid(16), (number(one) - number(other)).rem_euclid(16));
                    let has_room = program.types.is_signed(ty) || number(one) >= down;
                    (if has_room { up.min(down) } else { up }) as u128
                }
                _ => 0,
            };
            let input_change = changed.fold((0, 0), |(count, sum), point| (count + 1, sum + by(point)));
            (Run { model, distance, passes, violates, input_change }, reaches.1)
        })
        .collect();
    // Runs that leave before the assertion count only where no others pass.
    if runs.iter().any(|(run, reaches)| run.passes && *reaches) {
        runs.iter_mut().for_each(|(run, reaches)| run.passes &= *reaches);
    }
    runs.into_iter().map(|(run, _)| run).collect()
}

fn value(unrolled: &Unrolled<'_, '_>, points: &[Point], run: &Run, of: ValueOf) -> Seen {
    let point = points.iter().find(|point| point.value == of && point.failing != Seen::Not);
    distance::seen(&unrolled.encoder.pool, &run.model, &point.expect("a value of the failing run").event)
}

fn holds(unrolled: &Unrolled<'_, '_>, points: &[Point], run: &Run, predicate: Predicate) -> bool {
    let types = &unrolled.failure.task.program.types;
    match predicate {
        Predicate::Branch(of, truth) => value(unrolled, points, run, of) == Seen::Branch(truth),
        Predicate::Compare(left, relation, right) => {
            let right = match right {
                Operand::Value(right) => value(unrolled, points, run, right),
                Operand::Constant(ty, bits) => Seen::Value(ty, bits),
            };
            match (value(unrolled, points, run, left), right) {
                (Seen::Value(ty, left), Seen::Value(_, right)) => {
                    relation.holds(eval::to_i128(types, ty, left).cmp(&eval::to_i128(types, ty, right)))
                }
                _ => false,
            }
        }
    }
}

fn check(seed: u64) -> Option<usize> {
    let text = programs::random(seed);
    let (_, compiled) = testkit::compile(text.as_bytes(), DataModel::Lp64);
    let program = &compiled.program;
    let entry = program.function_named("main").expect("main");
    let properties = PropertySet::of(&[Property::Assertion]);
    let config = Config { properties, max_steps: MAX_STEPS, ..Config::default() };
    let args = ProgramArgs::default();
    let fails = |values: &Vec<cfa::Bits>| {
        let run = interp::run(program, entry, &args, &mut ListInputs::new(values.clone()), &config);
        matches!(run.outcome, Outcome::Violation { .. })
    };
    let values = programs::all_inputs().step_by(37).find(fails)?;
    let failure =
        replay::failure(Task { program, entry, properties }, args.clone(), &mut ListInputs::new(values)).ok()?;
    let budget = Budget::for_duration(Duration::from_secs(20));
    let shallow = Unrolled::around(&failure, &Budget::for_duration(Duration::from_millis(300)))?;
    if shallow.bound > 1 {
        return None;
    }
    let explained = causes::explain(&failure, CauseOptions::default(), &budget);
    let bound = match &explained {
        Explained::Found(found) => found.bound,
        Explained::NoPassingRun { bound } => *bound,
        Explained::Unknown => panic!("seed {seed}: no answer\n{text}"),
    };
    let mut unrolled = Unrolled::around_within(&failure, bound, &budget)?;
    assert_eq!(unrolled.bound, bound);
    let points = distance::points(&mut unrolled);
    let runs = runs(&failure, &unrolled, &points, seed);
    let nearest = |wanted: &dyn Fn(&Run) -> bool| runs.iter().filter(|run| wanted(run)).map(|run| run.distance).min();
    let Explained::Found(found) = explained else {
        assert_eq!(nearest(&|run| run.passes), None, "seed {seed}: a run passes\n{text}");
        return Some(0);
    };
    assert!(found.proven, "seed {seed}\n{text}");
    assert_eq!(Some(found.distance), nearest(&|run| run.passes), "seed {seed}\n{text}");
    assert_eq!(found.changes.len() as u64, found.distance, "seed {seed}");
    let smallest = runs.iter().filter(|run| run.passes).map(|run| run.input_change).min();
    let change = found.input_change.as_ref().map_or(0, |change| change.inputs.len());
    assert_eq!(Some(change), smallest.map(|(count, _)| count), "seed {seed}\n{text}");
    if let Some(change) = &found.input_change {
        let by = |change: &Change| match (change.failing, change.passing) {
            (Seen::Value(ty, one), Seen::Value(_, other)) => {
                let number = |bits| eval::to_i128(&program.types, ty, bits);
                number(one).abs_diff(number(other))
            }
            _ => 0,
        };
        assert!(change.proven, "seed {seed}\n{text}");
        // The first one named is not the one that changes least, but the least for its size.
        let least =
            change.inputs.iter().map(by).sum::<u128>().min(change.others.iter().map(by).min().unwrap_or(u128::MAX));
        assert_eq!(Some(least), smallest.map(|(_, sum)| sum), "seed {seed}\n{text}");
    }
    let all = found.causes.iter().flat_map(|cause| std::iter::once(&cause.predicate).chain(&cause.subsumes));
    let mut count = 0;
    for predicate in all {
        let without = |run: &Run| !holds(&unrolled, &points, run, *predicate);
        let passing = nearest(&|run| run.passes && without(run));
        let failing = nearest(&|run| run.violates && without(run));
        assert!(passing.is_some(), "seed {seed}: nothing passes without {predicate:?}\n{text}");
        let closer = failing.is_none_or(|failing| passing.is_some_and(|passing| passing < failing));
        assert!(closer, "seed {seed}: {predicate:?} is no cause: {passing:?}, {failing:?}\n{text}");
        count += 1;
    }
    Some(count)
}

#[test]
fn closest_runs_and_causes() {
    let scale = std::env::var("WHYDUNIT_FUZZ_SCALE").ok().and_then(|text| text.parse::<u64>().ok()).unwrap_or(1);
    let counts: Vec<usize> = (0..60 * scale).filter_map(check).collect();
    assert!(counts.len() as u64 >= 12 * scale, "only {} programs fail", counts.len());
    assert!(counts.iter().sum::<usize>() > 20, "hardly any causes: {counts:?}");
}
