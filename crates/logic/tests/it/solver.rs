//! The incremental interface: assumptions, cores, budgets, models, depth.

use base::Budget;
use logic::{Bits, Satisfiability, Solver, TermId, TermPool};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

#[test]
fn constants_need_no_solver() {
    let pool = TermPool::new();
    let mut solver = Solver::new();
    assert!(solver.check(&pool, &[TermId::TRUE], &Budget::unlimited()).is_sat());
    let Satisfiability::Unsat(core) = solver.check(&pool, &[TermId::FALSE], &Budget::unlimited()) else { panic!() };
    assert_eq!(core, [TermId::FALSE]);
    solver.assert(&pool, TermId::FALSE);
    assert!(solver.check(&pool, &[], &Budget::unlimited()).is_unsat());
    assert_eq!(solver.statistics().solves, 0);
}

#[test]
fn cores_name_the_assumptions() {
    let mut pool = TermPool::new();
    let (x, y) = (pool.bv_var("x", 16), pool.bv_var("y", 16));
    let (three, nine) = (pool.bv(16, 3), pool.bv(16, 9));
    let small = pool.ult(x, three);
    let large = pool.ult(nine, x);
    let other = pool.ult(y, three);
    let mut solver = Solver::new();
    let Satisfiability::Unsat(core) = solver.check(&pool, &[other, small, large], &Budget::unlimited()) else {
        panic!()
    };
    assert_eq!(core, [small, large]);
    // The same solver goes on, with new terms.
    let Satisfiability::Sat(model) = solver.check(&pool, &[other, large], &Budget::unlimited()) else { panic!() };
    assert!(model.bits(&pool, x).to_u64() > Some(9) && model.bits(&pool, y).to_u64() < Some(3));
    let product = pool.bv_mul(x, x);
    let square = pool.bv(16, 1521);
    let is_square = pool.eq(product, square);
    solver.assert(&pool, is_square);
    let limit = pool.bv(16, 100);
    let bounded = pool.ult(x, limit);
    let Satisfiability::Sat(model) = solver.check(&pool, &[bounded], &Budget::unlimited()) else { panic!() };
    assert_eq!(model.bits(&pool, x), Bits::new(16, 39));
    // A term made after the check has a value too.
    let more = pool.bv_add(x, limit);
    assert_eq!(model.bits(&pool, more), Bits::new(16, 139));
}

/// Remainders of remainders of numbers up to 100: hard circuits, few cases.
#[test]
fn questions_about_few_values_are_decided_by_cases() {
    let mut pool = TermPool::new();
    let (mut a, mut b) = (pool.bv_var("a", 32), pool.bv_var("b", 32));
    let (one, limit) = (pool.bv(32, 1), pool.bv(32, 100));
    let mut conditions: Vec<TermId> = Vec::new();
    for number in [a, b] {
        conditions.extend([pool.ule(one, number), pool.ule(number, limit)]);
    }
    let zero = pool.bv(32, 0);
    let first = a;
    for _ in 0..12 {
        let rest = pool.bv_urem(a, b);
        let is_zero = pool.eq(b, zero);
        (a, b) = (pool.ite(is_zero, a, b), pool.ite(is_zero, zero, rest));
    }
    // After so many steps of Euclid's algorithm the second number is zero, and the first one divides both.
    let ends = pool.eq(b, zero);
    let rest = pool.bv_urem(first, a);
    let divides = pool.eq(rest, zero);
    let both = pool.and(ends, divides);
    let wrong = pool.not(both);
    let mut solver = Solver::new();
    let mut question = conditions.clone();
    question.push(wrong);
    assert!(solver.check(&pool, &question, &Budget::for_duration(Duration::from_secs(60))).is_unsat());
    let seven = pool.bv(32, 7);
    let is_seven = pool.eq(a, seven);
    conditions.push(is_seven);
    let Satisfiability::Sat(model) = solver.check(&pool, &conditions, &Budget::unlimited()) else { panic!() };
    let value = model.bits(&pool, first).to_u64().unwrap_or(0);
    assert!((1..=100).contains(&value) && value.is_multiple_of(7), "{value}");
}

/// `a * b == n` for a product of two large primes, which takes far longer than the budget.
fn hard(pool: &mut TermPool) -> TermId {
    let (a, b) = (pool.bv_var("a", 96), pool.bv_var("b", 96));
    let (wide_a, wide_b) = (pool.zext(a, 192), pool.zext(b, 192));
    let product = pool.bv_mul(wide_a, wide_b);
    let n = pool.bv(192, 18446744073709551557u128 * 18446744073709551533);
    let one = pool.bv(96, 1);
    let (proper_a, proper_b) = (pool.ult(one, a), pool.ult(one, b));
    let equal = pool.eq(product, n);
    pool.and_all(&[proper_a, proper_b, equal])
}

#[test]
fn a_deadline_is_kept() {
    let mut pool = TermPool::new();
    let question = hard(&mut pool);
    let mut solver = Solver::new();
    let start = Instant::now();
    let outcome = solver.check(&pool, &[question], &Budget::for_duration(Duration::from_millis(300)));
    assert!(matches!(outcome, Satisfiability::Unknown));
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
    let outcome = solver.check(&pool, &[question], &Budget::unlimited().with_conflicts(50));
    assert!(matches!(outcome, Satisfiability::Unknown));
    // It is still usable.
    let not = pool.not(question);
    assert!(solver.check(&pool, &[not], &Budget::unlimited()).is_sat());
}

#[test]
fn a_flag_cancels() {
    let mut pool = TermPool::new();
    let question = hard(&mut pool);
    let flag = Arc::new(AtomicBool::new(false));
    let budget = Budget::unlimited().with_cancel(flag.clone());
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        flag.store(true, Ordering::Relaxed);
    });
    let outcome = Solver::new().check(&pool, &[question], &budget);
    assert!(matches!(outcome, Satisfiability::Unknown));
    thread.join().expect("the thread only sleeps");
}

/// Three chains that the rewriter cannot flatten.
fn chains(pool: &mut TermPool, depth: u32) -> [TermId; 3] {
    let (mut sum, mut chain, mut choice) = (pool.bv_var("s", 8), pool.bool_var("c"), pool.bv_var("i", 8));
    let x = pool.bv_var("x", 8);
    let b = pool.bool_var("b");
    for i in 0..depth {
        let k = pool.bv(8, (i % 251) as u128);
        let mixed = pool.bv_xor(sum, x);
        sum = pool.bv_add(mixed, k);
        let set = pool.bit(x, i % 8);
        chain = pool.xor(chain, set);
        chain = pool.or(chain, b);
        let condition = pool.ult(choice, k);
        choice = pool.ite(condition, x, choice);
        choice = pool.bv_neg(choice);
    }
    let zero = pool.bv(8, 0);
    [pool.eq(sum, zero), chain, pool.ne(choice, zero)]
}

#[test]
fn deep_terms_do_not_overflow_the_stack() {
    let mut pool = TermPool::new();
    let goal = chains(&mut pool, 500_000);
    let model = logic::Model::default();
    for term in goal {
        model.value(&pool, term);
    }
    let mut pool = TermPool::new();
    let goal = chains(&mut pool, 30_000);
    let outcome = Solver::new().check(&pool, &goal, &Budget::unlimited().with_conflicts(10));
    if let Satisfiability::Sat(model) = outcome {
        assert!(goal.iter().all(|term| model.bool(&pool, *term)));
    }
}
