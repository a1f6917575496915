//! The optimizer against brute force.

use crate::random::Random;
use base::Budget;
use logic::maxsat::{Optimization, minimize, minimize_lexicographic};
use logic::{Assignment, Solver, TermId, TermPool};
use std::time::Duration;

fn holds(pool: &TermPool, vars: &[TermId], values: u32, term: TermId) -> bool {
    let mut assignment = Assignment::new();
    for (i, var) in vars.iter().enumerate() {
        assignment.set_bool(*var, values >> i & 1 == 1);
    }
    logic::eval::eval(pool, &assignment, term).as_bool() == Some(true)
}

fn clause(pool: &mut TermPool, random: &mut Random, vars: &[TermId], size: usize) -> TermId {
    let lits: Vec<TermId> = (0..size)
        .map(|_| {
            let var = vars[random.below(vars.len())];
            if random.below(2) == 0 { pool.not(var) } else { var }
        })
        .collect();
    pool.or_all(&lits)
}

fn weight(random: &mut Random, kind: usize) -> u128 {
    match kind {
        0 => 1,
        1 => 1 + random.below(5) as u128,
        2 => 1 << random.below(12),
        _ => (random.next() as u128) << random.below(50),
    }
}

fn cost(pool: &TermPool, vars: &[TermId], values: u32, soft: &[(TermId, u128)]) -> u128 {
    soft.iter().filter(|(term, _)| !holds(pool, vars, values, *term)).map(|(_, weight)| weight).sum()
}

#[test]
fn optima_agree_with_brute_force() {
    let mut infeasible = 0;
    for seed in 0..1200 {
        let mut random = Random::new(seed + 1);
        let mut pool = TermPool::new();
        let count = 3 + random.below(6);
        let vars: Vec<TermId> = (0..count).map(|_| pool.bool_var("b")).collect();
        let mut solver = Solver::new();
        let asserted: Vec<TermId> =
            (0..random.below(3 * count)).map(|_| clause(&mut pool, &mut random, &vars, 3)).collect();
        for term in &asserted {
            solver.assert(&pool, *term);
        }
        // Several objectives on the same solver: nothing of one may be left in the next.
        for _ in 0..3 {
            let assumed = random.below(3);
            let hard: Vec<TermId> = (0..assumed).map(|_| clause(&mut pool, &mut random, &vars, 2)).collect();
            let kind = random.below(4);
            let soft: Vec<(TermId, u128)> = (0..2 + random.below(3 * count))
                .map(|_| {
                    let size = 1 + random.below(3);
                    (clause(&mut pool, &mut random, &vars, size), weight(&mut random, kind))
                })
                .collect();
            let feasible = |values: &u32| asserted.iter().chain(&hard).all(|term| holds(&pool, &vars, *values, *term));
            let all: Vec<u32> = (0..1u32 << count).filter(feasible).collect();
            let best = all.iter().map(|values| cost(&pool, &vars, *values, &soft)).min();
            match minimize(&pool, &mut solver, &hard, &soft, &Budget::unlimited()) {
                Optimization::Found(found) => {
                    assert_eq!(Some(found.cost), best, "seed {seed}");
                    assert!(found.proven && found.lower_bound == found.cost, "seed {seed}");
                    let values = (0..count).map(|i| (found.model.bool(&pool, vars[i]) as u32) << i).sum();
                    assert_eq!(cost(&pool, &vars, values, &soft), found.cost, "seed {seed}");
                    assert!(all.contains(&values), "seed {seed}");
                }
                Optimization::Infeasible(core) => {
                    assert_eq!(best, None, "seed {seed}");
                    assert!(core.iter().all(|term| hard.contains(term)));
                    infeasible += 1;
                }
                Optimization::Unknown { .. } => panic!("no budget, no excuse"),
            }
        }
    }
    assert!(infeasible > 20);
}

#[test]
fn lexicographic_optima_agree_with_brute_force() {
    for seed in 0..300 {
        let mut random = Random::new(seed + 70_000);
        let mut pool = TermPool::new();
        let count = 4 + random.below(4);
        let vars: Vec<TermId> = (0..count).map(|_| pool.bool_var("b")).collect();
        let hard: Vec<TermId> = (0..2 * count).map(|_| clause(&mut pool, &mut random, &vars, 3)).collect();
        let objectives: Vec<Vec<(TermId, u128)>> = (0..3)
            .map(|_| {
                let kind = random.below(4);
                let mut soft = Vec::new();
                for _ in 0..1 + random.below(count) {
                    soft.push((clause(&mut pool, &mut random, &vars, 1), weight(&mut random, kind)));
                }
                soft
            })
            .collect();
        let costs =
            |values: u32| -> Vec<u128> { objectives.iter().map(|soft| cost(&pool, &vars, values, soft)).collect() };
        let feasible = |values: &u32| hard.iter().all(|term| holds(&pool, &vars, *values, *term));
        let best = (0..1u32 << count).filter(feasible).map(costs).min();
        let mut solver = Solver::new();
        match minimize_lexicographic(&pool, &mut solver, &hard, &objectives, &Budget::unlimited()) {
            Ok(Some(found)) => {
                let levels: Vec<u128> = found.levels.iter().map(|level| level.cost).collect();
                assert_eq!(Some(levels), best, "seed {seed}");
                assert!(found.proven);
            }
            Ok(None) => panic!("no budget, no excuse"),
            Err(_) => assert_eq!(best, None, "seed {seed}"),
        }
    }
}

/// The values of two numbers, each bit with its weight: what the minimization of counterexamples asks.
#[test]
fn sums_of_values_are_minimized() {
    for (width, factor, target, want) in [(16u32, 7u128, 3000u128, None), (32, 3, 1_000_000, None), (8, 5, 0, Some(0))]
    {
        let mut pool = TermPool::new();
        let (x, y) = (pool.bv_var("x", width), pool.bv_var("y", width));
        let (k, t) = (pool.bv(width, factor), pool.bv(width, target));
        let scaled = pool.bv_mul(k, y);
        let sum = pool.bv_add(x, scaled);
        let goal = pool.eq(sum, t);
        let mut soft = Vec::new();
        for var in [x, y] {
            for i in 0..width {
                let bit = pool.bit(var, i);
                soft.push((pool.not(bit), 1u128 << i));
            }
        }
        let mut solver = Solver::new();
        let found = minimize(&pool, &mut solver, &[goal], &soft, &Budget::unlimited()).optimum().expect("feasible");
        assert!(found.proven);
        let (a, b) = (found.model.bits(&pool, x), found.model.bits(&pool, y));
        let (a, b) = (a.to_u128().expect("small"), b.to_u128().expect("small"));
        assert_eq!(a + b, found.cost);
        assert_eq!((a + factor * b) & ((1 << width) - 1), target);
        // As much as possible by the factor, unless wrapping around is cheaper.
        let direct = target / factor + target % factor;
        assert!(found.cost <= direct);
        if let Some(want) = want {
            assert_eq!(found.cost, want);
        }
        // The face: minimal models and no others.
        let again = solver.solve(&pool, &found.optimal, &Budget::unlimited());
        assert_eq!(again, logic::sat::SatResult::Sat);
    }
}

#[test]
fn the_budget_gives_bounds() {
    let mut pool = TermPool::new();
    let vars: Vec<TermId> = (0..220).map(|_| pool.bool_var("b")).collect();
    let mut random = Random::new(4);
    let soft: Vec<(TermId, u128)> =
        (0..1500).map(|_| (clause(&mut pool, &mut random, &vars, 2), 1 + random.below(1000) as u128)).collect();
    let mut solver = Solver::new();
    let budget = Budget::for_duration(Duration::from_millis(700));
    let found = minimize(&pool, &mut solver, &[], &soft, &budget).optimum().expect("anything is a model");
    assert!(found.lower_bound > 0 && found.lower_bound <= found.cost);
}
