//! The rewriter against the construction it was asked for: random expressions are evaluated as they were written, by
//! native arithmetic, and as the pool rebuilt them.

use crate::operators::OPERATORS;
use crate::random::Random;
use base::Budget;
use logic::eval::eval;
use logic::{Assignment, Bits, Satisfiability, Solver, Sort, TermId, TermPool};
use rustc_hash::FxHashMap;

/// A term, what it is worth, and its width; Booleans have width 0.
#[derive(Clone, Copy)]
struct Item {
    term: TermId,
    value: u128,
    width: u32,
}

fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// What a random graph is made of. Few operators and few items make it likely that rules for several levels apply.
struct Palette {
    operators: Vec<usize>,
    kinds: Vec<usize>,
    recent: usize,
}

const KINDS: usize = 7;

impl Palette {
    fn full() -> Self {
        let kinds = [0; 6].into_iter().chain(1..KINDS).collect();
        Palette { operators: (0..OPERATORS.len()).collect(), kinds, recent: 12 }
    }

    /// Three or four operators and one or two ways to combine.
    fn few(random: &mut Random) -> Self {
        let operators = (0..3 + random.below(2)).map(|_| random.below(OPERATORS.len())).collect();
        let kinds = vec![0, 0, 0, random.below(KINDS), random.below(KINDS)];
        Palette { operators, kinds, recent: 5 }
    }

    fn named(names: &[&str]) -> Self {
        let index = |name: &&str| OPERATORS.iter().position(|operator| operator.0 == *name).expect("an operator");
        Palette { operators: names.iter().map(index).collect(), kinds: vec![0], recent: 6 }
    }

    fn of(seed: u64, random: &mut Random) -> Self {
        match seed % 7 {
            0 | 1 => Palette::full(),
            2 => Palette::named(&["add", "sub", "neg", "eq"]),
            3 => Palette::named(&["udiv", "urem", "sdiv", "srem", "mul", "add", "sub", "ult"]),
            4 => Palette::named(&["and", "or", "not", "xor", "mul", "shl"]),
            _ => Palette::few(random),
        }
    }
}

/// Grows a random graph over a few variables; values are computed beside it.
fn grow(
    pool: &mut TermPool,
    random: &mut Random,
    palette: &Palette,
    widths: &[u32],
    steps: usize,
) -> (Assignment, Vec<Item>) {
    let mut assignment = Assignment::new();
    let mut items = Vec::new();
    for &width in widths {
        for _ in 0..2 {
            let term = pool.bv_var("v", width);
            let value = random.value(width);
            assignment.set_bits(term, Bits::new(width, value));
            items.push(Item { term, value, width });
        }
        let value = random.value(width);
        items.push(Item { term: pool.bv(width, value), value, width });
        items.push(Item { term: pool.bv(width, 0), value: 0, width });
        items.push(Item { term: pool.bv(width, 1), value: 1, width });
    }
    for _ in 0..2 {
        let (term, value) = (pool.bool_var("b"), random.below(2) == 1);
        assignment.set_bool(term, value);
        items.push(Item { term, value: value as u128, width: 0 });
    }
    for _ in 0..steps {
        if let Some(item) = step(pool, random, palette, &items) {
            items.push(item);
        }
    }
    (assignment, items)
}

/// Prefers recent items, so that terms get deep.
fn pick(random: &mut Random, recent: usize, items: &[Item], wanted: impl Fn(&Item) -> bool) -> Option<Item> {
    for _ in 0..30 {
        let recent = items.len().min(recent);
        let index =
            if random.below(2) == 0 { items.len() - 1 - random.below(recent) } else { random.below(items.len()) };
        if wanted(&items[index]) {
            return Some(items[index]);
        }
    }
    None
}

fn step(pool: &mut TermPool, random: &mut Random, palette: &Palette, items: &[Item]) -> Option<Item> {
    let recent = palette.recent;
    let vector = |item: &Item| item.width > 0;
    match palette.kinds[random.below(palette.kinds.len())] {
        0 => {
            let a = pick(random, recent, items, vector)?;
            let b = pick(random, recent, items, |item| item.width == a.width)?;
            let (_, build, native) = OPERATORS[palette.operators[random.below(palette.operators.len())]];
            let term = build(pool, a.term, b.term);
            let value = native(a.width, a.value, b.value);
            Some(match pool.sort(term) {
                Sort::Bool => Item { term, value: value & 1, width: 0 },
                _ => Item { term, value: value & mask(a.width), width: a.width },
            })
        }
        1 => {
            let c = pick(random, recent, items, |item| item.width == 0)?;
            let a = pick(random, recent, items, |_| true)?;
            let b = pick(random, recent, items, |item| item.width == a.width)?;
            let value = if c.value == 1 { a.value } else { b.value };
            Some(Item { term: pool.ite(c.term, a.term, b.term), value, width: a.width })
        }
        2 => {
            let a = pick(random, recent, items, |item| item.width == 0)?;
            let b = pick(random, recent, items, |item| item.width == 0)?;
            let (term, value) = match random.below(6) {
                0 => (pool.and(a.term, b.term), a.value & b.value),
                1 => (pool.or(a.term, b.term), a.value | b.value),
                2 => (pool.xor(a.term, b.term), a.value ^ b.value),
                3 => (pool.implies(a.term, b.term), (1 ^ a.value) | b.value),
                4 => (pool.iff(a.term, b.term), 1 ^ a.value ^ b.value),
                _ => (pool.not(a.term), 1 ^ a.value),
            };
            Some(Item { term, value, width: 0 })
        }
        3 => {
            let a = pick(random, recent, items, vector)?;
            let low = random.below(a.width as usize) as u32;
            let high = low + random.below((a.width - low) as usize) as u32;
            let value = a.value >> low & mask(high - low + 1);
            Some(Item { term: pool.extract(a.term, high, low), value, width: high - low + 1 })
        }
        4 => {
            let a = pick(random, recent, items, vector)?;
            let b = pick(random, recent, items, |item| item.width > 0 && item.width + a.width <= 64)?;
            let value = a.value << b.width | b.value;
            Some(Item { term: pool.concat(a.term, b.term), value, width: a.width + b.width })
        }
        5 => {
            let a = pick(random, recent, items, vector)?;
            let width = (a.width + random.below(9) as u32).min(64).max(a.width);
            if random.below(2) == 0 {
                return Some(Item { term: pool.zext(a.term, width), value: a.value, width });
            }
            let value = Bits::new(a.width, a.value).sign_extend(width).to_u128()?;
            Some(Item { term: pool.sext(a.term, width), value, width })
        }
        _ => {
            let a = pick(random, recent, items, |item| item.width == 0)?;
            let width = 1 + random.below(8) as u32;
            Some(Item { term: pool.bool_to_bv(a.term, width), value: a.value, width })
        }
    }
}

fn agree(pool: &TermPool, assignment: &Assignment, items: &[Item], seed: u64) {
    let mut evaluator = logic::eval::Evaluator::default();
    for item in items {
        let got = evaluator.scalar(pool, assignment, item.term);
        assert_eq!(got, Bits::new(item.width.max(1), item.value), "seed {seed}: {}", item.term);
    }
}

#[test]
fn rewritten_terms_keep_their_value() {
    for seed in 0..30_000 {
        let mut random = Random::new(seed + 10);
        let mut pool = TermPool::new();
        let widths: &[u32] = match seed % 4 {
            0 => &[1, 2, 3],
            1 => &[4, 8],
            2 => &[8, 16, 32],
            _ => &[32, 64],
        };
        let palette = Palette::of(seed / 4, &mut random);
        let (assignment, items) = grow(&mut pool, &mut random, &palette, widths, 60);
        agree(&pool, &assignment, &items, seed);
    }
}

/// A small tree over two 2-bit variables, checked for all their values: finds rules that are wrong for few values only.
#[test]
fn rewritten_terms_keep_all_their_values() {
    for seed in 0..12_000u64 {
        let mut pool = TermPool::new();
        let mut results: Vec<Vec<(TermId, u32)>> = Vec::new();
        for values in 0..16u128 {
            // The same choices each time; only the values beside the terms differ.
            let mut random = Random::new(seed + 99_000);
            let palette = Palette::of(seed, &mut random);
            let mut assignment = Assignment::new();
            let mut items = Vec::new();
            let fresh = results.is_empty();
            for i in 0..2u32 {
                let term = if fresh { pool.bv_var("v", 2) } else { results[0][i as usize].0 };
                let value = values >> (2 * i) & 3;
                assignment.set_bits(term, Bits::new(2, value));
                items.push(Item { term, value, width: 2 });
            }
            for value in 0..4 {
                items.push(Item { term: pool.bv(2, value), value, width: 2 });
            }
            let one = items[0];
            let bit = pool.bit(one.term, 0);
            items.push(Item { term: bit, value: one.value & 1, width: 0 });
            for _ in 0..14 {
                if let Some(item) = step(&mut pool, &mut random, &palette, &items) {
                    items.push(item);
                }
            }
            for item in &items {
                let got = eval(&pool, &assignment, item.term);
                let got = got.as_bits().cloned().unwrap_or_else(|| Bits::from_bool(got.as_bool() == Some(true)));
                assert_eq!(got, Bits::new(item.width.max(1), item.value), "seed {seed}, values {values:#x}");
            }
            results.push(items.iter().map(|item| (item.term, item.width)).collect());
        }
    }
}

#[test]
fn solver_agrees_with_random_graphs() {
    for seed in 0..300 {
        let mut random = Random::new(seed + 500_000);
        let mut pool = TermPool::new();
        let palette = Palette::of(seed, &mut random);
        let (assignment, items) = grow(&mut pool, &mut random, &palette, &[2, 5, 8], 40);
        let mut solver = Solver::new();
        let fixed: Vec<TermId> = items
            .iter()
            .filter(|item| assignment.get(item.term).is_some())
            .map(|item| match item.width {
                0 if item.value == 1 => item.term,
                0 => pool.not(item.term),
                width => {
                    let value = pool.bv(width, item.value);
                    pool.eq(item.term, value)
                }
            })
            .collect();
        for term in &fixed {
            solver.assert(&pool, *term);
        }
        let mut differences = Vec::new();
        for item in &items {
            let want = match item.width {
                0 => pool.bool(item.value == 1),
                width => pool.bv(width, item.value),
            };
            let same = pool.eq(item.term, want);
            differences.push(pool.not(same));
        }
        let any = pool.or_all(&differences);
        assert!(solver.check(&pool, &[any], &Budget::unlimited()).is_unsat(), "seed {seed}");
        let Satisfiability::Sat(model) = solver.check(&pool, &[], &Budget::unlimited()) else { panic!("seed {seed}") };
        for item in &items {
            assert_eq!(model.bits(&pool, item.term), Bits::new(item.width.max(1), item.value), "seed {seed}");
        }
    }
}

#[test]
fn known_forms_are_reached() {
    let mut pool = TermPool::new();
    let p = &mut pool;
    let (x, y) = (p.bv_var("x", 32), p.bv_var("y", 32));
    let (one, two, zero) = (p.bv(32, 1), p.bv(32, 2), p.bv(32, 0));
    let c = p.bool_var("c");
    let x1 = p.bv_add(x, one);
    let x2 = p.bv_add(x1, one);
    assert_eq!(x2, p.bv_add(two, x));
    assert_eq!(p.bv_sub(x2, x), two);
    assert_eq!(p.bv_sub(x, x), zero);
    let sum = p.bv_add(x, y);
    assert_eq!(p.bv_sub(sum, y), x);
    assert_eq!(p.eq(x1, x), TermId::FALSE);
    let flag = p.ite(c, one, zero);
    assert_eq!(p.bv_to_bool(flag), c);
    let byte = p.extract(x, 7, 0);
    let mask = p.bv(32, 0xff);
    let (masked, wide) = (p.bv_and(x, mask), p.zext(byte, 32));
    assert_eq!(masked, wide);
    // Bytes taken apart and put together again.
    let parts: Vec<TermId> = (0..4).map(|i| p.extract(x, 8 * i + 7, 8 * i)).collect();
    let joined = parts.iter().copied().reduce(|low, high| p.concat(high, low));
    assert_eq!(joined, Some(x));
    let (eight, sixteen) = (p.bv(32, 8), p.bv(32, 16));
    let up = p.bv_shl(x, sixteen);
    let up_again = p.bv_shl(x, eight);
    assert_eq!(p.bv_shl(up_again, eight), up);
    let both = p.and(c, c);
    assert_eq!(both, c);
    let nested = p.ite(c, x, y);
    assert_eq!(p.ite(c, nested, y), nested);
}

/// With other variables of the same values in place of its own, a term keeps its value; with the values themselves, it is its value.
#[test]
fn substituted_terms_keep_their_value() {
    for seed in 0..2_000 {
        let mut random = Random::new(seed + 77);
        let mut pool = TermPool::new();
        let palette = Palette::of(seed, &mut random);
        let (assignment, items) = grow(&mut pool, &mut random, &palette, &[3, 8, 32], 25);
        let mut renamed = Assignment::new();
        let (mut others, mut values) = (FxHashMap::default(), FxHashMap::default());
        for item in &items {
            if pool.name(item.term).is_none() {
                continue;
            }
            let (other, value) = match item.width {
                0 => (pool.bool_var("other"), pool.bool(item.value == 1)),
                width => (pool.bv_var("other", width), pool.bv(width, item.value)),
            };
            match item.width {
                0 => renamed.set_bool(other, item.value == 1),
                width => renamed.set_bits(other, Bits::new(width, item.value)),
            }
            others.insert(item.term, other);
            values.insert(item.term, value);
        }
        agree(&pool, &assignment, &items, seed);
        let change = |pool: &mut TermPool, instead: &mut FxHashMap<TermId, TermId>| -> Vec<Item> {
            items.iter().map(|item| Item { term: pool.substitute(item.term, instead), ..*item }).collect()
        };
        let with_others = change(&mut pool, &mut others);
        agree(&pool, &renamed, &with_others, seed);
        let constants = change(&mut pool, &mut values);
        agree(&pool, &Assignment::new(), &constants, seed);
        assert!(constants.iter().all(|item| pool.is_const(item.term)), "seed {seed}");
    }
}

/// Identities between quotients and remainders are seen, and hold for all values, zero included.
#[test]
fn quotients_and_remainders_of_one_division() {
    for width in 1..=4 {
        let mut pool = TermPool::new();
        let (a, b) = (pool.bv_var("a", width), pool.bv_var("b", width));
        let (wide_a, wide_b) = (pool.zext(a, width + 3), pool.zext(b, width + 3));
        let constants = (0..1 << width).map(|value| pool.bv(width, value)).collect::<Vec<_>>();
        let mut pairs = vec![(a, b), (b, a), (wide_a, wide_b)];
        pairs.extend(constants.iter().map(|constant| (a, *constant)));
        for (a, b) in pairs {
            let (quotient, rest) = (pool.bv_udiv(a, b), pool.bv_urem(a, b));
            check_division(&mut pool, (a, b), (quotient, rest));
            let (quotient, rest) = (pool.bv_sdiv(a, b), pool.bv_srem(a, b));
            check_division(&mut pool, (a, b), (quotient, rest));
        }
        let rest = pool.bv_urem(a, b);
        let zero = pool.bv(width, 0);
        let (smaller, is_not_zero) = (pool.ult(rest, b), pool.ne(b, zero));
        assert_eq!(smaller, is_not_zero);
        assert_eq!(pool.ult(a, rest), TermId::FALSE);
    }
}

fn check_division(pool: &mut TermPool, (a, b): (TermId, TermId), (quotient, rest): (TermId, TermId)) {
    let is_constant = pool.as_bits(b).is_some();
    let product = pool.bv_mul(quotient, b);
    let sum = pool.bv_add(product, rest);
    let difference = pool.bv_sub(a, product);
    // What constants make of a division is often simpler than a division.
    if !is_constant {
        assert_eq!(sum, a);
        assert_eq!(difference, rest);
    }
    let (first, second) = (pool.ne(sum, a), pool.ne(difference, rest));
    let wrong = pool.or(first, second);
    let answer = Solver::new().check(pool, &[wrong], &Budget::unlimited());
    assert!(matches!(answer, Satisfiability::Unsat(_)));
}
