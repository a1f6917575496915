//! Random programs on random inputs: every fact holds whenever a run is at its loop head, and no run takes a dead edge.

use super::{compile, facts};
use base::Budget;
use cfa::interp::{Config, Event, FillRequest, InputRequest, Inputs, Observer, ProgramArgs, View, run_observed};
use cfa::{Bits, DataModel, EdgeId, ExprId, FuncId, LocId, Program, PropertySet};
use std::collections::{HashMap, HashSet};
use testkit::attack::{FLAVOURS, attack};
use testkit::random::Random;

struct RandomInputs(Random);

impl Inputs for RandomInputs {
    fn next(&mut self, _: &InputRequest) -> Option<Bits> {
        let word = self.0.word();
        // Mostly the small values that the programs branch on.
        Some(Bits::new(if self.0.below(3) == 0 { word as u128 } else { (word >> 20 & 15) as u128 }))
    }

    fn fill(&mut self, _: &FillRequest, bytes: &mut [u8]) {
        // An address would have to be guessed: see what `points_to` promises.
        bytes.iter_mut().for_each(|byte| *byte = self.0.below(3) as u8);
    }
}

struct Watch<'a> {
    program: &'a Program,
    facts: &'a HashMap<LocId, Vec<ExprId>>,
    dead: &'a HashSet<EdgeId>,
    held: u64,
    wrong: Vec<String>,
}

impl Watch<'_> {
    fn at(&mut self, view: &View<'_, '_>, location: LocId) {
        for fact in self.facts.get(&location).into_iter().flatten() {
            match view.strict().value(*fact) {
                Ok(bits) if !bits.is_zero() => self.held += 1,
                other => {
                    let text = cfa::display::expr_text(self.program, *fact);
                    self.wrong.push(format!("{location}: {text} is {other:?}"));
                }
            }
        }
    }
}

impl Observer for Watch<'_> {
    fn step(&mut self, view: &View<'_, '_>, event: Event<'_>) {
        match event {
            Event::Edge { edge, .. } => {
                if self.dead.contains(&edge) {
                    self.wrong.push(format!("the dead edge {edge} was taken"));
                }
                self.at(view, self.program.edges[edge].to);
            }
            Event::Enter { function, .. } => {
                if let Some(automaton) = self.program.automaton(function) {
                    self.at(view, automaton.entry);
                }
            }
            Event::Input(_) | Event::Leave { .. } => {}
        }
    }
}

#[derive(Default, Debug)]
struct Total {
    facts: usize,
    held: u64,
    dead: usize,
}

fn check(name: &str, text: &str, model: DataModel, runs: u64, total: &mut Total) {
    let (mut program, entry) = compile(name, text, model);
    let dead: HashSet<EdgeId> = abstraction::dead_edges(&program, entry, &Budget::unlimited()).into_iter().collect();
    let found = facts(&mut program, entry);
    for (location, fact) in &found {
        let text = cfa::display::expr_text(&program, *fact);
        assert!(cfa::display::expr_to_c(&program, *fact).is_some(), "{name}: {location} {text}");
    }
    total.facts += found.len();
    total.dead += dead.len();
    let mut by_location: HashMap<LocId, Vec<ExprId>> = HashMap::new();
    for (location, fact) in found {
        by_location.entry(location).or_default().push(fact);
    }
    for seed in 0..runs {
        total.held += run(name, text, &program, entry, &by_location, &dead, seed);
    }
}

fn run(
    name: &str,
    text: &str,
    program: &Program,
    entry: FuncId,
    facts: &HashMap<LocId, Vec<ExprId>>,
    dead: &HashSet<EdgeId>,
    seed: u64,
) -> u64 {
    let config = Config { properties: PropertySet::EMPTY, max_steps: 3000, ..Config::default() };
    let mut watch = Watch { program, facts, dead, held: 0, wrong: Vec::new() };
    let mut inputs = RandomInputs(Random::new(seed + 1));
    run_observed(program, entry, &ProgramArgs::default(), &mut inputs, &config, &mut watch);
    watch.wrong.truncate(10);
    assert!(watch.wrong.is_empty(), "{name}, run {seed}:\n{text}\n{}", watch.wrong.join("\n"));
    watch.held
}

#[test]
fn attack_programs() {
    let mut total = Total::default();
    for flavour in FLAVOURS {
        for seed in 0..40 {
            let text = attack(flavour, seed).with_checks();
            let text = format!("static void CHECK(int site, long value) {{ (void)site; (void)value; }}\n{text}\n");
            let model = if seed % 3 == 0 { DataModel::Ilp32 } else { DataModel::Lp64 };
            check(&format!("{} {seed}", flavour.name), &text, model, 6, &mut total);
        }
    }
    assert!(total.facts > 800 && total.held > 15_000 && total.dead > 100, "{total:?}");
}

#[test]
fn enumerable_programs() {
    let mut total = Total::default();
    for seed in 0..150 {
        let text = testkit::programs::random(seed);
        let model = if seed % 2 == 0 { DataModel::Lp64 } else { DataModel::Ilp32 };
        check(&format!("seed {seed}"), &text, model, 12, &mut total);
    }
    assert!(total.facts > 200 && total.held > 2_000, "{total:?}");
}
