//! Random list programs: whenever a run of the interpreter is at a loop head, one of the states of the proof describes its memory; and no run
//! of a program that was proved goes wrong.

use crate::{budget, compile, memory_safety, task};
use cfa::interp::{
    Config, Event, FillRequest, InputRequest, Inputs, Observer, Outcome, ProgramArgs, View, run_observed,
};
use cfa::{Bits, DataModel, LocId, Property, PropertySet};
use shapes::{Shapes, analyze, check};
use testkit::random::Random;

const PROGRAMS: u64 = 40;
const RUNS: u64 = 12;

/// Some numbers that are not zero, so that loops go on for a while; then zeros.
struct Numbers {
    random: Random,
    left: u64,
}

impl Inputs for Numbers {
    fn next(&mut self, _: &InputRequest) -> Option<Bits> {
        let number = if self.left == 0 { 0 } else { [0, 1, 1, 1, 2, 3][self.random.below(6)] };
        self.left = self.left.saturating_sub(1);
        Some(Bits::new(number))
    }

    fn fill(&mut self, _: &FillRequest, bytes: &mut [u8]) {
        bytes.iter_mut().for_each(|byte| *byte = self.random.word() as u8 & 0x7f);
    }
}

struct Watch<'s> {
    shapes: Option<&'s Shapes>,
    undescribed: Option<LocId>,
    described: u64,
}

impl Observer for Watch<'_> {
    fn step(&mut self, view: &View<'_, '_>, event: Event<'_>) {
        let (Some(shapes), None) = (self.shapes, self.undescribed) else { return };
        let program = view.program();
        let at = match event {
            Event::Edge { edge, .. } => program.edges[edge].to,
            Event::Enter { function, .. } => program.automaton(function).expect("it runs").entry,
            Event::Input(_) | Event::Leave { .. } => return,
        };
        let location = &program.locations[at];
        if location.loop_head.is_none() || view.function() != Some(location.function) {
            return;
        }
        match shapes.describe(at, view) {
            true => self.described += 1,
            false => self.undescribed = Some(at),
        }
    }
}

#[test]
fn proofs_describe_all_runs() {
    let (mut proved, mut failed, mut described) = (0, 0, 0);
    for seed in 0..PROGRAMS {
        let text = testkit::lists::random(seed);
        let model = if seed % 2 == 0 { DataModel::Ilp32 } else { DataModel::Lp64 };
        let (_, program) = compile(&text, model);
        for properties in [memory_safety(), PropertySet::of(&[Property::UnreachCall])] {
            let task = task(&program, properties);
            let found = analyze(task, &budget()).ok();
            if let Some(shapes) = &found {
                assert_eq!(check(shapes, task, &budget()), Ok(()), "seed {seed}\n{text}");
                proved += 1;
            }
            for run in 0..RUNS {
                let mut inputs = Numbers { random: Random::new(seed * 1000 + run), left: 3 + 2 * run };
                let mut watch = Watch { shapes: found.as_ref(), undescribed: None, described: 0 };
                let config = Config { properties, max_steps: 20_000, ..Config::default() };
                let run = run_observed(&program, task.entry, &ProgramArgs::default(), &mut inputs, &config, &mut watch);
                let wrong =
                    matches!(run.outcome, Outcome::Violation { .. } | Outcome::Undefined(_) | Outcome::Poison(_));
                assert!(found.is_none() || !wrong, "seed {seed}: {:?}\n{text}", run.outcome);
                assert_eq!(watch.undescribed, None, "seed {seed}\n{text}");
                failed += wrong as u64;
                described += watch.described;
            }
        }
    }
    assert!(
        proved > 40 && failed > 50 && described > 10_000,
        "{proved} proved, {failed} runs fail, {described} states"
    );
}
