//! The products of random programs with their automata, when no trace is left: nothing goes wrong at their states, and every step of the program, as it was
//! before blocks were split, leads from a state to a state.

use super::*;
use crate::blocks::Search as _;
use cfa::{DataModel, Property, PropertySet};
use encode::on_large_stack;
use logic::Solver;
use std::time::Duration;

const PROGRAMS: u64 = 100;

#[test]
fn products_have_all_runs() {
    let finished = (0..PROGRAMS).filter(|seed| check_program(&testkit::programs::random(*seed)).is_some()).count();
    assert!(finished as u64 >= PROGRAMS / 10, "only {finished} products");
}

#[test]
fn blocks_are_split() {
    let text = "int __VERIFIER_nondet_int(void);
        int main(void) {
            int state = 1, flag = 0, count = 0;
            while (state != 9) {
                int input = __VERIFIER_nondet_int();
                if (state == 1) { if (input > 3) { state = 2; flag = 1; } else state = 4; }
                else if (state == 2) { state = input ? 3 : 5; }
                else if (state == 3) { flag = flag + 1; state = 6; }
                else if (state == 4) { flag = 0; state = 1; }
                else if (state == 5) { state = 2; }
                else if (state == 6) {
                    //@ assert flag == 2;
                    flag = 0; state = input == 7 ? 9 : 1;
                }
            }
            return 0;
        }";
    let splits = check_program(text).expect("a proof");
    assert!(splits > 0);
}

/// How many blocks were split; `None` if the search found no proof.
fn check_program(text: &str) -> Option<usize> {
    let (_, compiled) = testkit::compile(text.as_bytes(), DataModel::Lp64);
    let program = &compiled.program;
    let entry = program.function_named("main").expect("main");
    let task = Task { program, entry, properties: PropertySet::of(&[Property::Assertion]) };
    let budget = Budget::for_duration(Duration::from_secs(2));
    on_large_stack(|| {
        let mut search = TraceSearch::new(task, Told::default(), 0, &budget)?;
        let blocks = |search: &TraceSearch<'_>| -> Vec<Vec<Block>> {
            let copy = |block: &Block| Block { to: block.to, guard: block.guard, values: block.values.clone() };
            search.steps.places.iter().map(|place| place.blocks.iter().map(copy).collect()).collect()
        };
        let whole = blocks(&search);
        search.run(&budget).ok()?;
        check_product(text, &mut search, &whole);
        let count = |blocks: &[Vec<Block>]| blocks.iter().map(Vec::len).sum::<usize>();
        Some(count(&blocks(&search)) - count(&whole))
    })
}

fn check_product(text: &str, search: &mut TraceSearch<'_>, whole: &[Vec<Block>]) {
    let mut solver = Solver::new();
    let mut excludes = |search: &TraceSearch<'_>, asked: &[TermId], what: &str| {
        let outcome = solver.check(&search.steps.system.encoder.pool, asked, &Budget::unlimited());
        assert!(outcome.is_unsat(), "{what}\n{text}");
    };
    let states = std::mem::take(&mut search.reachable);
    for state in &states {
        let mut asked = search.known(state.place, &state.set);
        asked.extend([search.steps.places[state.place].known, search.steps.places[state.place].bad]);
        excludes(search, &asked, "something goes wrong at a state");
        for block in &whole[state.place] {
            let cells = search.steps.places[block.to].state.iter().copied().zip(block.values.iter().copied());
            let mut done: FxHashMap<TermId, TermId> = cells.collect();
            *asked.last_mut().expect("two were added") = block.guard;
            let before = asked.len();
            for next in states.iter().filter(|next| next.place == block.to) {
                let formulas = search.triples.formulas(next.place, &next.set);
                let holds = search.steps.pool().and_all(&formulas);
                let holds = search.steps.pool().substitute(holds, &mut done);
                let outside = search.steps.pool().not(holds);
                asked.push(outside);
            }
            excludes(search, &asked, "a step leads out of the product");
            asked.truncate(before);
        }
    }
}
