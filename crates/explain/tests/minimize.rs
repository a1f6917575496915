//! Minimization against brute force: of all inputs whose run fails within the bound, none gives a shorter run, or one as short with smaller values,
//! than the proven optimum; greedy is never below the optimum, and never above the run it began with.

use base::Budget;
use cfa::interp::{self, Config, Event, ListInputs, Observer, Outcome, ProgramArgs, View};
use cfa::{DataModel, EdgeId, Property, PropertySet, Task};
use evidence::Freedom;
use explain::minimize::{Objective, failing_box, minimizer};
use explain::unrolled::Unrolled;
use explain::{Failure, replay};
use std::time::Duration;
use testkit::programs;

fn failures<'p>(program: &'p cfa::Program) -> Vec<Failure<'p>> {
    let entry = program.function_named("main").expect("main");
    let properties = PropertySet::of(&[Property::Assertion]);
    // Some of the programs do not end on some inputs.
    let config = Config { properties, max_steps: 10_000, ..Config::default() };
    let args = ProgramArgs::default();
    let ends = |values: &Vec<cfa::Bits>| {
        let run = interp::run(program, entry, &args, &mut ListInputs::new(values.clone()), &config);
        matches!(run.outcome, Outcome::Violation { .. })
    };
    let fails =
        |values| replay::failure(Task { program, entry, properties }, args.clone(), &mut ListInputs::new(values)).ok();
    programs::all_inputs().filter(ends).filter_map(fails).collect()
}

fn check(seed: u64) -> bool {
    let text = programs::random(seed);
    let (_, compiled) = testkit::compile(text.as_bytes(), DataModel::Lp64);
    let failures = failures(&compiled.program);
    let budget = Budget::for_duration(Duration::from_secs(60));
    // A run that needs few iterations: the optimum is among all runs within its bound, and that should not take minutes.
    let shallow = |failure: &&Failure<'_>| {
        let unrolled = Unrolled::around(failure, &Budget::for_duration(Duration::from_millis(300)));
        unrolled.is_some_and(|unrolled| unrolled.bound <= 1)
    };
    let Some(start) = failures.iter().rev().step_by(failures.len() / 5 + 1).find(shallow) else { return false };
    let raw = start.measure();
    let run =
        |name: &str| (minimizer(name).expect("in the table").run)(start, Objective::usual(start.task.program), &budget);
    let (greedy, optimal) = (run("greedy"), run("optimal"));
    assert!(greedy.costs.measure <= raw, "seed {seed}: greedy {:?} above {raw:?}\n{text}", greedy.costs.measure);
    assert!(optimal.proven, "seed {seed}: {:?} of {raw:?} not proven\n{text}", optimal.reached);
    let reached = &optimal.reached;
    assert_eq!(
        (reached[0].cost, reached[1].cost),
        (optimal.costs.measure.length as u128, optimal.costs.measure.sum),
        "seed {seed}\n{text}"
    );
    assert!(
        optimal.costs.measure <= greedy.costs.measure,
        "seed {seed}: {:?} above {:?}\n{text}",
        optimal.costs.measure,
        greedy.costs.measure
    );
    let unrolled = Unrolled::around(start, &budget).expect("the run is in its unrolling");
    let within = |failure: &&Failure<'_>| {
        let pool = &unrolled.encoder.pool;
        let run =
            unrolled.unrolling.assignment(failure.task.program, pool, &failure.tape.args, &mut failure.tape.play());
        logic::eval::eval(pool, &run, unrolled.fails).as_bool() == Some(true)
    };
    // It takes tens of thousands of runs.
    if seed.is_multiple_of(4) {
        check_box(seed, &text, start, &budget);
    }
    let best = failures.iter().filter(within).map(Failure::measure).min().expect("the start itself");
    assert_eq!(optimal.costs.measure, best, "seed {seed}\n{text}");
    true
}

/// All inputs within the box fail on the same path, and no side of it can be one number wider.
fn check_box(seed: u64, text: &str, start: &Failure<'_>, budget: &Budget) {
    // Some need long.
    let Some(found) = failing_box::widest(start, &budget.with_effort(100_000)) else { return };
    let types = &start.task.program.types;
    let mut path = Path::default();
    let inputs = start.run_observed(&mut path).inputs;
    let side = |index: usize| match found[index] {
        Freedom::Range(from, to) => (from, to),
        Freedom::DontCare | Freedom::Unknown => {
            let own = cfa::eval::to_i128(types, inputs[index].request.ty, inputs[index].bits);
            (own, own)
        }
    };
    let sides: Vec<(i128, i128)> = (0..inputs.len()).map(side).collect();
    let same = |values: &Vec<i128>| {
        let bits =
            values.iter().zip(&inputs).map(|(value, input)| cfa::eval::from_i128(types, input.request.ty, *value));
        let (mut other, mut inputs) = (Path::default(), ListInputs::new(bits.collect()));
        let config = Config { properties: start.task.properties, ..Config::default() };
        let run = interp::run_observed(
            start.task.program,
            start.task.entry,
            &start.tape.args,
            &mut inputs,
            &config,
            &mut other,
        );
        matches!(run.outcome, Outcome::Violation { .. }) && other == path
    };
    assert!(inside(&sides).iter().all(same), "seed {seed}: {sides:?}\n{text}");
    for index in 0..sides.len() {
        let (from, to) = sides[index];
        for end in [from - 1, to + 1].into_iter().filter(|end| u8::try_from(*end).is_ok()) {
            let mut beyond = sides.clone();
            beyond[index] = (end, end);
            assert!(!inside(&beyond).iter().all(same), "seed {seed}: {sides:?} could reach {beyond:?}\n{text}");
        }
    }
}

/// The edges of a run.
#[derive(Default, PartialEq)]
struct Path(Vec<EdgeId>);

impl Observer for Path {
    fn step(&mut self, _: &View<'_, '_>, event: Event<'_>) {
        if let Event::Edge { edge, .. } = event {
            self.0.push(edge);
        }
    }
}

/// All combinations of values; only the low four bits of each matter.
fn inside(sides: &[(i128, i128)]) -> Vec<Vec<i128>> {
    sides.iter().fold(vec![Vec::new()], |all, (from, to)| {
        let values = *from..=(*to).min(from + 15);
        all.iter().flat_map(|first| values.clone().map(|last| [first.as_slice(), &[last]].concat())).collect()
    })
}

#[test]
fn optimum_is_the_best_of_all_inputs() {
    let scale = std::env::var("WHYDUNIT_FUZZ_SCALE").ok().and_then(|text| text.parse::<u64>().ok()).unwrap_or(1);
    let failing = (0..40 * scale).filter(|seed| check(*seed)).count();
    assert!(failing as u64 >= 10 * scale, "only {failing} programs fail");
}
