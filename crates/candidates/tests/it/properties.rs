//! What holds for the candidates of every program.

use super::candidates;
use base::Budget;
use candidates::{Candidate, SamplingOptions, propose};
use cfa::interp::{Config, Event, ListInputs, Observer, ProgramArgs, View, run_observed};
use cfa::{Anchor, Bits, DataModel, ExprId, ExprKind, LocId, PlaceId, Program, TypeId, eval};
use std::collections::BTreeMap;
use testkit::random::Random;

/// Checks candidates at the first visits of each head.
struct Check<'c> {
    candidates: &'c [Candidate],
    visits: Vec<u32>,
    checked: usize,
}

impl Check<'_> {
    fn at(&mut self, view: &View<'_, '_>, head: LocId) {
        let program = view.program();
        let visits = &mut self.visits[head.0 as usize];
        *visits += 1;
        if *visits > 4 {
            return;
        }
        for candidate in self.candidates.iter().filter(|candidate| candidate.anchor == Anchor::Head(head)) {
            let value = view.strict().value(candidate.expr).expect("a candidate has a value");
            let text = cfa::display::expr_text(program, candidate.expr);
            assert!(eval::truthy(&program.types, program.exprs[candidate.expr].ty, value), "{text} at {head}");
            self.checked += 1;
        }
    }
}

impl Observer for Check<'_> {
    fn step(&mut self, view: &View<'_, '_>, event: Event<'_>) {
        match event {
            Event::Edge { edge, .. } => self.at(view, view.program().edges[edge].to),
            Event::Enter { function, .. } => {
                let entry = view.program().automaton(function).expect("it runs").entry;
                self.at(view, entry);
            }
            Event::Input(_) | Event::Leave { .. } => {}
        }
    }
}

/// The run whose inputs are all zero is among those that were sampled.
fn check_first_run(program: &Program, candidates: &[Candidate]) -> usize {
    let mut check = Check { candidates, visits: vec![0; program.locations.len()], checked: 0 };
    let entry = program.function_named("main").expect("there is a main");
    let config = Config { max_steps: 5_000, ..Config::default() };
    let mut inputs = ListInputs::then_zero(Vec::new());
    run_observed(program, entry, &ProgramArgs::default(), &mut inputs, &config, &mut check);
    check.checked
}

#[test]
fn candidates_are_true_where_they_were_sampled() {
    let mut checked = 0;
    for seed in 0..60 {
        let text = testkit::programs::random(seed);
        let (_, compiled) = testkit::compile(text.as_bytes(), DataModel::Lp64);
        let mut program = compiled.program;
        let entry = program.function_named("main").expect("there is a main");
        let options = SamplingOptions { samples: 100_000, runs: 30, ..SamplingOptions::default() };
        let found = propose(&mut program, entry, &Budget::unlimited(), &options);
        cfa::verify::verify(&program).unwrap_or_else(|problems| panic!("seed {seed}: {problems:?}"));
        checked += check_first_run(&program, &found);
    }
    assert!(checked > 1_000, "only {checked} candidates were evaluated");
}

#[test]
fn equal_arguments_give_equal_candidates() {
    let text = "int main(void) { int n = __VERIFIER_nondet_int(), i = 0, s = 0; while (i < n) { s += i; i++; if (__VERIFIER_nondet_int()) s = 0; } return s; }";
    assert_eq!(candidates(text).1, candidates(text).1);
}

#[test]
fn an_expired_budget_ends_the_work() {
    let text = "int main(void) { int i = 0; while (i < 9) i++; return 0; }";
    let (_, compiled) = testkit::compile(text.as_bytes(), DataModel::Lp64);
    let mut program = compiled.program;
    let entry = program.function_named("main").expect("there is a main");
    let budget = Budget::for_duration(std::time::Duration::ZERO);
    assert_eq!(propose(&mut program, entry, &budget, &SamplingOptions::default()), []);
}

/// The value of an expression when places have these values; a fault is one of the expression's own arithmetic.
fn value(program: &Program, values: &mut impl FnMut(PlaceId, TypeId) -> Bits, expr: ExprId) -> Bits {
    let ty = |expr: ExprId| program.exprs[expr].ty;
    let text = || cfa::display::expr_text(program, expr);
    match program.exprs[expr].kind {
        ExprKind::Const(bits) => bits,
        ExprKind::Read(place) => values(place, ty(expr)),
        ExprKind::Unary(op, a) => {
            let result = eval::unary(&program.types, op, ty(a), value(program, values, a));
            assert_eq!(result.fault, None, "{}", text());
            result.bits
        }
        ExprKind::Binary(op, a, b) => {
            let (left, right) = (value(program, values, a), value(program, values, b));
            let result = eval::binary(&program.types, op, ty(a), left, right, ty(b));
            let result = result.unwrap_or_else(|fault| panic!("{fault:?} in {}", text()));
            assert_eq!(result.fault, None, "{}", text());
            result.bits
        }
        ExprKind::Cast(a) => eval::cast(&program.types, ty(a), ty(expr), value(program, values, a)),
        other => panic!("{other:?} in a candidate"),
    }
}

#[test]
fn candidates_have_a_value_whatever_the_variables_are() {
    let mut evaluated = 0;
    let arithmetic = "int main(void) { int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int(), i = 0, s = 0, k = n; long long l = 0; unsigned u = 3;
        while (i * 2 - m < n + m * 3 && -s <= m) { i++; k--; s += i; l += i * 2; u += 7; if (s / 3 + m % 7 > (i << 1) || l * 2 > 100) s -= 3; }
        __VERIFIER_assert(2 * s <= n * (n + 1)); return k + u + l; }";
    let (program, found) = candidates(arithmetic);
    let mut programs = vec![(program, found)];
    for seed in 100..130 {
        let (_, compiled) = testkit::compile(testkit::programs::random(seed).as_bytes(), DataModel::Ilp32);
        let mut program = compiled.program;
        let entry = program.function_named("main").expect("there is a main");
        let options = SamplingOptions { runs: 20, ..SamplingOptions::default() };
        let found = propose(&mut program, entry, &Budget::unlimited(), &options);
        programs.push((program, found));
    }
    let mut random = Random::new(5);
    for (program, found) in programs {
        for candidate in found {
            for _ in 0..12 {
                let mut chosen: BTreeMap<PlaceId, Bits> = BTreeMap::new();
                let mut values = |place: PlaceId, ty: TypeId| {
                    let width = program.types.scalar_bits(ty);
                    let limits = [0, 1, u128::MAX, 1 << (width - 1), (1 << (width - 1)) - 1, u128::from(random.word())];
                    let any = eval::truncate(limits[random.below(limits.len())], width);
                    *chosen.entry(place).or_insert(any)
                };
                value(&program, &mut values, candidate.expr);
                evaluated += 1;
            }
        }
    }
    assert!(evaluated > 5_000, "only {evaluated} evaluations");
}
