//! Minimization against brute force: of all inputs whose run fails within the bound, none gives a shorter run, or one as short with smaller values,
//! than the proven optimum; greedy is never below the optimum, and never above the run it began with.

use base::Budget;
use cfa::interp::{self, Config, ListInputs, Outcome, ProgramArgs};
use cfa::{DataModel, Property, PropertySet, Task};
use explain::minimize::{Objective, minimizer};
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
    let best = failures.iter().filter(within).map(Failure::measure).min().expect("the start itself");
    assert_eq!(optimal.costs.measure, best, "seed {seed}\n{text}");
    true
}

#[test]
fn optimum_is_the_best_of_all_inputs() {
    let scale = std::env::var("WHYDUNIT_FUZZ_SCALE").ok().and_then(|text| text.parse::<u64>().ok()).unwrap_or(1);
    let failing = (0..40 * scale).filter(|seed| check(*seed)).count();
    assert!(failing as u64 >= 10 * scale, "only {failing} programs fail");
}
