//! Edits that leave the meaning of a program alone: runs of the interpreter are the same before and after.

use cfa::edit::{Edit, Renumbering};
use cfa::interp::{Config, Event, ListInputs, Observer, Outcome, ProgramArgs, Run, View, run_observed};
use cfa::{Bits, DataModel, EdgeId, Op, Program, Property, PropertySet, TypeId};
use testkit::programs;
use testkit::random::Random;

/// The edges of a run, with what they assign.
#[derive(Default)]
struct Steps(Vec<(EdgeId, Option<(TypeId, Bits)>)>);

impl Observer for Steps {
    fn step(&mut self, _: &View<'_, '_>, event: Event<'_>) {
        if let Event::Edge { edge, value } = event {
            self.0.push((edge, value));
        }
    }
}

fn steps(program: &Program, inputs: &[Bits]) -> (Run, Steps) {
    let entry = program.function_named("main").expect("there is a main");
    let config = Config { properties: PropertySet::of(&[Property::Assertion]), max_steps: 20_000, ..Config::default() };
    let mut steps = Steps::default();
    let mut inputs = ListInputs::then_zero(inputs.to_vec());
    let run = run_observed(program, entry, &ProgramArgs::default(), &mut inputs, &config, &mut steps);
    (run, steps)
}

/// Edges that are put in, and code that nothing leads to.
fn edited(program: &mut Program, random: &mut Random) -> Renumbering {
    let edges: Vec<EdgeId> = program.edges.ids().collect();
    let mut edit = Edit::new(program);
    for edge in edges {
        match random.below(6) {
            0 => drop(edit.insert_behind(edge, Op::Skip)),
            1 => drop(edit.insert_before(edge, Op::Skip)),
            2 => {
                // Nothing leads there, so it does not matter what is done.
                let from = edit.edge(edge).from;
                edit.add_location(from);
            }
            _ => {}
        }
    }
    if random.below(2) == 0 {
        edit.remove_unreachable();
    }
    edit.finish().expect("nothing that is needed was removed")
}

#[test]
fn runs_are_the_same() {
    let (mut finished, mut failed) = (0, 0);
    for seed in 0..40 {
        let text = programs::random(seed);
        let (_, compiled) = testkit::compile(text.as_bytes(), DataModel::Lp64);
        let before = compiled.program;
        let mut after = before.clone();
        let numbers = edited(&mut after, &mut Random::new(seed + 1));
        if let Err(broken) = cfa::verify::verify(&after) {
            panic!("seed {seed}: {}\n{text}", broken[0]);
        }
        let printed = cfa::text::print(&after);
        let parsed = cfa::text::parse(&printed).unwrap_or_else(|error| panic!("seed {seed}: {error:?}\n{printed}"));
        assert_eq!(cfa::text::print(&parsed), printed, "seed {seed}");
        let known: std::collections::BTreeSet<EdgeId> =
            before.edges.ids().filter_map(|edge| numbers.edge(edge)).collect();
        for inputs in programs::all_inputs().skip(seed as usize).step_by(499) {
            let (run, old) = steps(&before, &inputs);
            let (again, new) = steps(&after, &inputs);
            if matches!(run.outcome, Outcome::Limit(_)) {
                continue;
            }
            let what = format!("seed {seed}, {inputs:?}\n{text}");
            assert_eq!(again.outcome, run.outcome, "{what}");
            assert_eq!(again.end, run.end.and_then(|end| numbers.edge(end)), "{what}");
            let old = old.0.into_iter().map(|(edge, value)| (numbers.edge(edge).expect("it was executed"), value));
            let new = new.0.into_iter().filter(|(edge, _)| known.contains(edge));
            assert!(old.eq(new), "{what}");
            match run.outcome {
                Outcome::Finished(_) => finished += 1,
                _ => failed += 1,
            }
        }
    }
    assert!(finished > 50 && failed > 50, "{finished} finished, {failed} failed");
}
