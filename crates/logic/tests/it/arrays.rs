//! Arrays: the lemmas on demand against expansion element by element, and chains too long to expand.

use crate::random::Random;
use base::Budget;
use logic::{Bits, Satisfiability, Solver, Sort, TermId, TermPool};
use std::time::{Duration, Instant};

/// An array term and its elements as bit-vector terms: the brute-force expansion.
struct Pair {
    array: TermId,
    elements: Vec<TermId>,
}

const INDEX: u32 = 2;
const ELEMENT: u32 = 2;

fn read(pool: &mut TermPool, elements: &[TermId], index: TermId) -> TermId {
    let mut value = elements[0];
    for (i, element) in elements.iter().enumerate().skip(1) {
        let k = pool.bv(INDEX, i as u128);
        let here = pool.eq(index, k);
        value = pool.ite(here, *element, value);
    }
    value
}

fn write(pool: &mut TermPool, elements: &[TermId], index: TermId, value: TermId) -> Vec<TermId> {
    let written = |(i, old): (usize, &TermId)| {
        let k = pool.bv(INDEX, i as u128);
        let here = pool.eq(index, k);
        pool.ite(here, value, *old)
    };
    elements.iter().enumerate().map(written).collect()
}

/// Builds the same random formula with arrays and with their elements; both must have the same answer.
#[test]
fn lemmas_agree_with_expansion() {
    let mut answers = [0; 2];
    for seed in 0..3000 {
        let mut random = Random::new(seed + 1);
        let mut pool = TermPool::new();
        let size = 1usize << INDEX;
        let mut arrays: Vec<Pair> = Vec::new();
        let mut scalars: Vec<(TermId, TermId)> = Vec::new();
        for _ in 0..3 {
            let v = pool.bv_var("v", INDEX);
            scalars.push((v, v));
            let k = pool.bv(INDEX, random.value(INDEX));
            scalars.push((k, k));
        }
        for _ in 0..2 {
            let array = pool.array_var("a", INDEX, ELEMENT);
            let elements = (0..size).map(|_| pool.bv_var("e", ELEMENT)).collect();
            arrays.push(Pair { array, elements });
        }
        let k = pool.bv(ELEMENT, random.value(ELEMENT));
        arrays.push(Pair { array: pool.const_array(INDEX, k), elements: vec![k; size] });
        let mut with_arrays = Vec::new();
        let mut expanded = Vec::new();
        for _ in 0..3 + random.below(14) {
            let one = &arrays[random.below(arrays.len())];
            let (array, elements) = (one.array, one.elements.clone());
            let (index, index_x) = scalars[random.below(scalars.len())];
            let (value, value_x) = scalars[random.below(scalars.len())];
            match random.below(7) {
                0 | 1 => {
                    let array = pool.store(array, index, value);
                    let elements = write(&mut pool, &elements, index_x, value_x);
                    arrays.push(Pair { array, elements });
                }
                2 => {
                    let other = random.below(arrays.len());
                    let (c, c_x) = (pool.ult(index, value), pool.ult(index_x, value_x));
                    let array = pool.ite(c, array, arrays[other].array);
                    let other: Vec<TermId> = arrays[other].elements.clone();
                    let elements = elements.iter().zip(other).map(|(t, e)| pool.ite(c_x, *t, e)).collect();
                    arrays.push(Pair { array, elements });
                }
                3 | 4 => {
                    let element = pool.select(array, index);
                    let element_x = read(&mut pool, &elements, index_x);
                    scalars.push((element, element_x));
                }
                5 => {
                    let other = random.below(arrays.len());
                    if let Ok(same) = pool.array_eq(array, arrays[other].array) {
                        let others = arrays[other].elements.clone();
                        let parts: Vec<TermId> = elements.iter().zip(others).map(|(a, b)| pool.eq(*a, b)).collect();
                        let same_x = pool.and_all(&parts);
                        let flip = random.below(2) == 0;
                        with_arrays.push(if flip { pool.not(same) } else { same });
                        expanded.push(if flip { pool.not(same_x) } else { same_x });
                    }
                }
                _ => {
                    let differ = random.below(3) > 0;
                    let (same, same_x) = (pool.eq(index, value), pool.eq(index_x, value_x));
                    with_arrays.push(if differ { pool.not(same) } else { same });
                    expanded.push(if differ { pool.not(same_x) } else { same_x });
                }
            }
        }
        let mut lazy = Solver::new();
        let mut eager = Solver::new();
        // One conjunct after the other, so that the solver has to go on after both kinds of answers.
        for (i, (one, two)) in with_arrays.iter().zip(&expanded).enumerate() {
            let first = lazy.check(&pool, &[*one], &Budget::unlimited());
            let second = eager.check(&pool, &[*two], &Budget::unlimited());
            assert_eq!(first.is_sat(), second.is_sat(), "seed {seed}");
            answers[first.is_sat() as usize] += 1;
            lazy.assert(&pool, *one);
            eager.assert(&pool, *two);
            if let Satisfiability::Sat(model) = first {
                assert!(with_arrays[..=i].iter().all(|term| model.bool(&pool, *term)), "seed {seed}: not a model");
            }
        }
    }
    assert!(answers[0] > 300 && answers[1] > 1000, "{answers:?}");
}

#[test]
fn a_long_chain_is_read_fast() {
    let start = Instant::now();
    let mut pool = TermPool::new();
    let base = pool.array_var("a", 32, 32);
    let mut array = base;
    let mut versions = Vec::new();
    for i in 0..100_000u128 {
        let (index, value) = (pool.bv(32, i), pool.bv(32, i * 3));
        array = pool.store(array, index, value);
        versions.push(array);
    }
    for i in (0..100_000u128).rev() {
        let index = pool.bv(32, i);
        let value = pool.select(array, index);
        assert_eq!(pool.as_u64(value), Some(i as u64 * 3));
    }
    // Old versions, oldest last, and an index that none of them holds.
    let outside = pool.bv(32, 1 << 20);
    for (i, version) in versions.iter().enumerate().rev() {
        let index = pool.bv(32, i as u128 / 2);
        let value = pool.select(*version, index);
        assert_eq!(pool.as_u64(value), Some((i as u64 / 2) * 3));
        let missing = pool.select(*version, outside);
        assert_eq!(pool.args(missing)[0], base);
    }
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

/// Written and read in turn, as a loop does.
#[test]
fn interleaved_writes_and_reads_are_not_quadratic() {
    let start = Instant::now();
    let mut pool = TermPool::new();
    let zero = pool.bv(32, 0);
    let one = pool.bv(32, 1);
    let mut array = pool.const_array(64, zero);
    for i in 0..100_000u128 {
        let (index, previous) = (pool.bv(64, i + 1), pool.bv(64, i));
        let old = pool.select(array, previous);
        let value = pool.bv_add(old, one);
        array = pool.store(array, index, value);
    }
    let last = pool.bv(64, 100_000);
    let value = pool.select(array, last);
    assert_eq!(pool.as_u64(value), Some(100_000));
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[test]
fn a_symbolic_read_of_a_long_chain_is_not_expanded() {
    let mut pool = TermPool::new();
    let start = Instant::now();
    let mut array = pool.array_var("a", 32, 32);
    let zero = pool.bv(32, 0);
    for i in 0..100_000u128 {
        let index = pool.bv(32, i);
        array = pool.store(array, index, zero);
    }
    let five = pool.bv(32, 5);
    let k = pool.bv(32, 777);
    array = pool.store(array, k, five);
    let i = pool.bv_var("i", 32);
    let element = pool.select(array, i);
    let is_five = pool.eq(element, five);
    let limit = pool.bv(32, 100_000);
    let inside = pool.ult(i, limit);
    let mut solver = Solver::new();
    let Satisfiability::Sat(model) = solver.check(&pool, &[is_five, inside], &Budget::unlimited()) else { panic!() };
    assert_eq!(model.bits(&pool, i), Bits::new(32, 777));
    let elsewhere = pool.ne(i, k);
    assert!(solver.check(&pool, &[is_five, inside, elsewhere], &Budget::unlimited()).is_unsat());
    assert!(solver.statistics().array_lemmas < 20, "{:?}", solver.statistics());
    assert!(solver.statistics().clauses < 20_000, "{:?}", solver.statistics());
    // Outside there is the variable, which may hold anything.
    let outside = pool.not(inside);
    assert!(solver.check(&pool, &[is_five, outside], &Budget::unlimited()).is_sat());
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

/// A table with no two equal entries must be learned in a few rounds, not entry by entry.
#[test]
fn a_table_is_learned_in_few_rounds() {
    let mut pool = TermPool::new();
    let zero = pool.bv(32, 0);
    let mut table = pool.const_array(32, zero);
    let mut random = Random::new(5);
    for i in 0..2_000u128 {
        let (index, value) = (pool.bv(32, i), pool.bv(32, (random.next() as u128) << 1));
        table = pool.store(table, index, value);
    }
    let i = pool.bv_var("i", 32);
    let element = pool.select(table, i);
    let odd = pool.bit(element, 0);
    let mut solver = Solver::new();
    assert!(solver.check(&pool, &[odd], &Budget::unlimited()).is_unsat());
    assert!(solver.statistics().solves < 40, "{:?}", solver.statistics());
}

#[test]
fn branches_merge_into_chains() {
    let mut pool = TermPool::new();
    let base = pool.array_var("a", 32, 8);
    let c = pool.bool_var("c");
    let (i, j) = (pool.bv(32, 1), pool.bv(32, 2));
    let (x, y) = (pool.bv(8, 10), pool.bv(8, 20));
    let then = pool.store(base, i, x);
    let then = pool.store(then, j, y);
    let otherwise = pool.store(base, j, x);
    let merged = pool.ite(c, then, otherwise);
    assert_eq!(pool.op(merged), logic::TermOp::Store);
    let at_j = pool.select(merged, j);
    let want = pool.ite(c, y, x);
    assert_eq!(at_j, want);
    // Equality over different variables is refused, not guessed.
    let other = pool.array_var("b", 32, 8);
    assert!(pool.array_eq(base, other).is_err());
    assert_eq!(pool.sort(merged), Sort::Array { index: 32, element: 8 });
}
