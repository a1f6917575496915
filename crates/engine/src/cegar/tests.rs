//! Interpolants of the paths of random programs: each holds on the path so far, leads to the next one, excludes what goes wrong, and is about the state
//! of its place only.

use super::*;
use crate::blocks::interpolants::{Cube, interpolants};
use crate::blocks::path::over_cells;
use crate::system::support;
use cfa::{DataModel, Property, PropertySet};
use encode::on_large_stack;
use logic::Solver;
use std::time::Duration;

const PROGRAMS: u64 = 40;
const REFINEMENTS: usize = 6;

#[test]
fn interpolants_are_interpolants() {
    let checked: usize = (0..PROGRAMS).map(check_program).sum();
    assert!(checked >= PROGRAMS as usize / 2, "only {checked} interpolants");
}

/// The paths of one program, as far as the search gets; how many interpolants there were.
fn check_program(seed: u64) -> usize {
    let text = testkit::programs::random(seed);
    let (_, compiled) = testkit::compile(text.as_bytes(), DataModel::Lp64);
    let program = &compiled.program;
    let entry = program.function_named("main").expect("main");
    let task = Task { program, entry, properties: PropertySet::of(&[Property::Assertion]) };
    let budget = Budget::for_duration(Duration::from_secs(2));
    on_large_stack(|| {
        let Some(mut search) = Refinement::new(DOMAINS[0], task, Told::default(), 0, &budget) else { return 0 };
        let mut checked = 0;
        for _ in 0..REFINEMENTS {
            let Ok(Some(node)) = search.graph.explore(&mut search.steps, &budget) else { break };
            let (blocks, nodes) = search.graph.path(node);
            let path = search.paths.path(&mut search.steps, &blocks);
            if search.paths.is_feasible(&search.steps, &path, &budget) != Ok(false) {
                break;
            }
            let found = interpolants(&mut search.steps, &mut search.paths, &path, &budget);
            let Ok(interpolants) = found else { break };
            check_sequence(seed, &mut search.steps, &path, &interpolants);
            checked += interpolants.len() - 1;
            let Ok(terms) = predicates::refine(&mut search.steps, &mut search.paths, &path, &budget) else { break };
            if search.graph.refine(&nodes, &terms).is_err() {
                break;
            }
        }
        checked
    })
}

fn check_sequence(seed: u64, steps: &mut Steps<'_>, path: &Path, interpolants: &[Vec<Cube>]) {
    let mut solver = Solver::new();
    let mut excludes = |steps: &Steps<'_>, asked: &[TermId], what: &str| {
        let outcome = solver.check(&steps.system.encoder.pool, asked, &Budget::unlimited());
        assert!(outcome.is_unsat(), "seed {seed}: {what}");
    };
    for (index, cubes) in interpolants.iter().enumerate() {
        let at = &path.positions[index];
        let inside: Vec<TermId> = cubes.iter().map(|cube| steps.pool().and_all(cube)).collect();
        let inside = steps.pool().or_all(&inside);
        for var in support(steps.pool(), &[inside]) {
            assert!(steps.places[at.place].state.contains(&var), "seed {seed}: not about the state");
        }
        let mut asked = at.taken.clone();
        asked.extend(over_cells(steps, at, &[inside]));
        excludes(steps, &asked, "a run on the path is outside of the interpolant");
        let here = steps.here(at.place, inside);
        let mut asked = vec![steps.places[at.place].known, steps.pool().not(here)];
        match path.blocks.get(index) {
            None => {
                asked.push(steps.places[at.place].bad);
                excludes(steps, &asked, "something goes wrong after the last interpolant");
            }
            Some(block) => {
                let next: Vec<TermId> = interpolants[index + 1].iter().map(|cube| steps.pool().and_all(cube)).collect();
                let next = steps.pool().or_all(&next);
                asked.push(steps.places[at.place].blocks[*block].guard);
                asked.push(steps.after(at.place, *block, next));
                excludes(steps, &asked, "a step leads out of the next interpolant");
            }
        }
    }
}

#[test]
fn a_precision_begins_with_what_is_given() {
    let text = "int main(void) { int i = 0, n = 9; while (i < n) i++; //@ assert i == n;\n return 0; }";
    let (_, compiled) = testkit::compile(text.as_bytes(), DataModel::Lp64);
    let mut program = compiled.program;
    let entry = program.function_named("main").expect("main");
    let head = cfa::loops::loops(&program, entry)[0].head;
    let mut builder = candidates::build::Builder::new(&mut program);
    let is_counter = |var: &cfa::VarId| builder.program().name(builder.program().vars[*var].name) == "i";
    let counter = builder.program().vars.ids().find(is_counter).expect("i");
    let place = builder.variable(counter);
    let read = builder.read(place);
    let expr = builder.compare_constant(cfa::BinOp::Le, read, 9);
    let given = [Invariant { anchor: cfa::Anchor::Head(head), expr }];
    assert_eq!(size_of_precision(&program, entry, &[]), 0);
    assert_eq!(size_of_precision(&program, entry, &given), 1);
}

/// How many predicates are tracked before anything is refined.
fn size_of_precision(program: &Program, entry: cfa::FuncId, seeds: &[Invariant]) -> usize {
    let task = Task { program, entry, properties: PropertySet::of(&[Property::Assertion]) };
    let budget = Budget::for_duration(Duration::from_secs(10));
    on_large_stack(|| {
        let search = Refinement::new(DOMAINS[0], task, Told { known: &[], seeds }, 0, &budget).expect("a loop");
        search.graph.precision.iter().map(Vec::len).sum()
    })
}
