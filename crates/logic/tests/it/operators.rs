//! Every operator against native arithmetic: folded constants, and through gates, clauses and the SAT solver.

use crate::random::Random;
use base::Budget;
use logic::{Bits, Satisfiability, Solver, Sort, TermId, TermPool};

type Build = fn(&mut TermPool, TermId, TermId) -> TermId;
type Native = fn(u32, u128, u128) -> u128;

fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

fn signed(width: u32, value: u128) -> i128 {
    ((value << (128 - width)) as i128) >> (128 - width)
}

fn overflows(width: u32, exact: Option<i128>) -> u128 {
    exact.is_none_or(|exact| signed(width, exact as u128 & mask(width)) != exact) as u128
}

fn udiv(w: u32, a: u128, b: u128) -> u128 {
    a.checked_div(b).unwrap_or(mask(w))
}

fn urem(_: u32, a: u128, b: u128) -> u128 {
    a.checked_rem(b).unwrap_or(a)
}

fn sdiv(w: u32, a: u128, b: u128) -> u128 {
    let (x, y) = (signed(w, a), signed(w, b));
    if y == 0 { if x < 0 { 1 } else { mask(w) } } else { x.wrapping_div(y) as u128 }
}

fn srem(w: u32, a: u128, b: u128) -> u128 {
    let (x, y) = (signed(w, a), signed(w, b));
    if y == 0 { a } else { x.wrapping_rem(y) as u128 }
}

fn shl(w: u32, a: u128, b: u128) -> u128 {
    if b >= w as u128 { 0 } else { a << b }
}

fn lshr(w: u32, a: u128, b: u128) -> u128 {
    if b >= w as u128 { 0 } else { a >> b }
}

fn ashr(w: u32, a: u128, b: u128) -> u128 {
    (signed(w, a) >> b.min(w as u128 - 1)) as u128
}

fn rol(w: u32, a: u128, b: u128) -> u128 {
    let by = (b % w as u128) as u32;
    if by == 0 { a } else { a << by | a >> (w - by) }
}

fn ror(w: u32, a: u128, b: u128) -> u128 {
    let by = (b % w as u128) as u32;
    if by == 0 { a } else { a >> by | a << (w - by) }
}

pub const OPERATORS: &[(&str, Build, Native)] = &[
    ("not", |p, a, _| p.bv_not(a), |_, a, _| !a),
    ("neg", |p, a, _| p.bv_neg(a), |_, a, _| a.wrapping_neg()),
    ("abs", |p, a, _| p.bv_abs(a), |w, a, _| signed(w, a).unsigned_abs()),
    ("and", |p, a, b| p.bv_and(a, b), |_, a, b| a & b),
    ("or", |p, a, b| p.bv_or(a, b), |_, a, b| a | b),
    ("xor", |p, a, b| p.bv_xor(a, b), |_, a, b| a ^ b),
    ("add", |p, a, b| p.bv_add(a, b), |_, a, b| a.wrapping_add(b)),
    ("sub", |p, a, b| p.bv_sub(a, b), |_, a, b| a.wrapping_sub(b)),
    ("mul", |p, a, b| p.bv_mul(a, b), |_, a, b| a.wrapping_mul(b)),
    ("udiv", |p, a, b| p.bv_udiv(a, b), udiv),
    ("urem", |p, a, b| p.bv_urem(a, b), urem),
    ("sdiv", |p, a, b| p.bv_sdiv(a, b), sdiv),
    ("srem", |p, a, b| p.bv_srem(a, b), srem),
    ("shl", |p, a, b| p.bv_shl(a, b), shl),
    ("lshr", |p, a, b| p.bv_lshr(a, b), lshr),
    ("ashr", |p, a, b| p.bv_ashr(a, b), ashr),
    ("rol", |p, a, b| p.bv_rol(a, b), rol),
    ("ror", |p, a, b| p.bv_ror(a, b), ror),
    ("eq", |p, a, b| p.eq(a, b), |_, a, b| (a == b) as u128),
    ("ne", |p, a, b| p.ne(a, b), |_, a, b| (a != b) as u128),
    ("ult", |p, a, b| p.ult(a, b), |_, a, b| (a < b) as u128),
    ("ule", |p, a, b| p.ule(a, b), |_, a, b| (a <= b) as u128),
    ("ugt", |p, a, b| p.ugt(a, b), |_, a, b| (a > b) as u128),
    ("uge", |p, a, b| p.uge(a, b), |_, a, b| (a >= b) as u128),
    ("slt", |p, a, b| p.slt(a, b), |w, a, b| (signed(w, a) < signed(w, b)) as u128),
    ("sle", |p, a, b| p.sle(a, b), |w, a, b| (signed(w, a) <= signed(w, b)) as u128),
    ("sgt", |p, a, b| p.sgt(a, b), |w, a, b| (signed(w, a) > signed(w, b)) as u128),
    ("sge", |p, a, b| p.sge(a, b), |w, a, b| (signed(w, a) >= signed(w, b)) as u128),
    ("uaddo", |p, a, b| p.uadd_overflows(a, b), |w, a, b| a.checked_add(b).is_none_or(|s| s > mask(w)) as u128),
    ("usubo", |p, a, b| p.usub_overflows(a, b), |_, a, b| (a < b) as u128),
    ("umulo", |p, a, b| p.umul_overflows(a, b), |w, a, b| a.checked_mul(b).is_none_or(|s| s > mask(w)) as u128),
    ("saddo", |p, a, b| p.sadd_overflows(a, b), |w, a, b| overflows(w, signed(w, a).checked_add(signed(w, b)))),
    ("ssubo", |p, a, b| p.ssub_overflows(a, b), |w, a, b| overflows(w, signed(w, a).checked_sub(signed(w, b)))),
    ("smulo", |p, a, b| p.smul_overflows(a, b), |w, a, b| overflows(w, signed(w, a).checked_mul(signed(w, b)))),
    (
        "sdivo",
        |p, a, b| p.sdiv_overflows(a, b),
        |w, a, b| (signed(w, b) != 0 && overflows(w, signed(w, a).checked_div(signed(w, b))) == 1) as u128,
    ),
    ("nego", |p, a, _| p.neg_overflows(a), |w, a, _| overflows(w, signed(w, a).checked_neg())),
];

/// The constant that a folded term is.
fn folded(pool: &TermPool, term: TermId) -> Bits {
    match pool.as_bool(term) {
        Some(value) => Bits::from_bool(value),
        None => pool.as_bits(term).expect("constants stay constant"),
    }
}

fn expected(pool: &TermPool, term: TermId, width: u32, native: Native, a: u128, b: u128) -> Bits {
    match pool.sort(term) {
        Sort::Bool => Bits::new(1, native(width, a, b)),
        _ => Bits::new(width, native(width, a, b)),
    }
}

#[test]
fn constants_fold_as_natively() {
    let mut random = Random::new(1);
    for &(name, build, native) in OPERATORS {
        for width in (1..=5).chain([8, 13, 16, 31, 32, 33, 63, 64, 65, 100, 127, 128]) {
            let mut pool = TermPool::new();
            let small = width <= 5;
            let count = if small { 1 << (2 * width) } else { 300 };
            for i in 0..count {
                let (a, b) = match small {
                    true => (i as u128 >> width, i as u128 & mask(width)),
                    false => (random.value(width), random.value(width)),
                };
                let (x, y) = (pool.bv(width, a), pool.bv(width, b));
                let term = build(&mut pool, x, y);
                let want = expected(&pool, term, width, native, a, b);
                assert_eq!(folded(&pool, term), want, "{name} at {width} of {a:#x}, {b:#x}");
            }
        }
    }
}

/// Solves for the result with both arguments fixed, and asks that no other result is possible.
fn through_the_solver(name: &str, width: u32, build: Build, native: Native, pairs: impl Iterator<Item = (u128, u128)>) {
    let mut pool = TermPool::new();
    let mut solver = Solver::new();
    let (x, y) = (pool.bv_var("x", width), pool.bv_var("y", width));
    let term = build(&mut pool, x, y);
    let budget = Budget::unlimited();
    for (a, b) in pairs {
        let (ka, kb) = (pool.bv(width, a), pool.bv(width, b));
        let fixed = [pool.eq(x, ka), pool.eq(y, kb)];
        let want = expected(&pool, term, width, native, a, b);
        let differs = match pool.sort(term) {
            Sort::Bool => {
                let want = pool.bool(want.bit(0));
                pool.xor(term, want)
            }
            _ => {
                let want = pool.bits(&want);
                pool.ne(term, want)
            }
        };
        let wrong = solver.check(&pool, &[fixed[0], fixed[1], differs], &budget);
        assert!(wrong.is_unsat(), "{name} at {width} of {a:#x}, {b:#x} should be {want}");
        let same = pool.not(differs);
        let Satisfiability::Sat(model) = solver.check(&pool, &[fixed[0], fixed[1], same], &budget) else {
            panic!("{name} at {width} of {a:#x}, {b:#x} is impossible");
        };
        assert_eq!(model.bits(&pool, term), want, "{name}: the model and the evaluator disagree");
    }
}

#[test]
fn gates_agree_exhaustively_at_small_widths() {
    for &(name, build, native) in OPERATORS {
        for width in 1..=4u32 {
            let pairs = (0..1u128 << (2 * width)).map(|i| (i >> width, i & mask(width)));
            through_the_solver(name, width, build, native, pairs);
        }
    }
}

#[test]
fn gates_agree_at_random_at_large_widths() {
    let mut random = Random::new(2);
    for &(name, build, native) in OPERATORS {
        for (width, count) in [(5, 60), (8, 60), (16, 30), (24, 20), (32, 16), (33, 10), (64, 8), (128, 2)] {
            let pairs: Vec<_> = (0..count).map(|_| (random.value(width), random.value(width))).collect();
            through_the_solver(name, width, build, native, pairs.into_iter());
        }
    }
}

#[test]
fn one_constant_argument_agrees() {
    let mut random = Random::new(3);
    for &(name, build, native) in OPERATORS {
        for width in [3, 4, 8, 16, 32] {
            for _ in 0..6 {
                let k = random.value(width);
                let other: Vec<u128> = (0..6).map(|_| random.value(width)).collect();
                let mut pool = TermPool::new();
                let mut solver = Solver::new();
                let x = pool.bv_var("x", width);
                let constant = pool.bv(width, k);
                let terms = [build(&mut pool, constant, x), build(&mut pool, x, constant)];
                for a in other {
                    let ka = pool.bv(width, a);
                    let fixed = pool.eq(x, ka);
                    let Satisfiability::Sat(model) = solver.check(&pool, &[fixed], &Budget::unlimited()) else {
                        panic!("a variable can have any value")
                    };
                    for (term, (left, right)) in terms.iter().zip([(k, a), (a, k)]) {
                        let want = expected(&pool, *term, width, native, left, right);
                        assert_eq!(model.bits(&pool, *term), want, "evaluated {name} at {width}");
                        let equal = match pool.sort(*term) {
                            Sort::Bool => {
                                if want.bit(0) {
                                    *term
                                } else {
                                    pool.not(*term)
                                }
                            }
                            _ => {
                                let want = pool.bits(&want);
                                pool.eq(*term, want)
                            }
                        };
                        let wrong = pool.not(equal);
                        let outcome = solver.check(&pool, &[fixed, wrong], &Budget::unlimited());
                        assert!(outcome.is_unsat(), "{name} at {width} of {left:#x}, {right:#x}");
                    }
                }
            }
        }
    }
}

#[test]
fn shapes_move_bits() {
    let mut random = Random::new(4);
    for round in 0..400 {
        let mut pool = TermPool::new();
        let (w1, w2) = (1 + random.below(70) as u32, 1 + random.below(70) as u32);
        let (a, b) = (random.value(w1), random.value(w2));
        let (x, y) = (pool.bv_var("x", w1), pool.bv_var("y", w2));
        let joined = pool.concat(x, y);
        let low = random.below((w1 + w2) as usize) as u32;
        let high = low + random.below((w1 + w2 - low) as usize) as u32;
        let slice = pool.extract(joined, high, low);
        let wider = high - low + 1 + random.below(40) as u32;
        let terms = [slice, pool.zext(slice, wider), pool.sext(slice, wider), pool.rotate_left_const(joined, low)];
        let full = Bits::new(w1, a).concat(&Bits::new(w2, b));
        let cut = full.extract(high, low);
        let rotated = if low == 0 { full.clone() } else { full.shl_by(low).or(&full.lshr_by(w1 + w2 - low)) };
        let want = [cut.clone(), cut.zero_extend(wider), cut.sign_extend(wider), rotated];
        let mut solver = Solver::new();
        let (ka, kb) = (pool.bv(w1, a), pool.bv(w2, b));
        let fixed = [pool.eq(x, ka), pool.eq(y, kb)];
        let Satisfiability::Sat(model) = solver.check(&pool, &fixed, &Budget::unlimited()) else {
            panic!("round {round}")
        };
        for (term, want) in terms.iter().zip(want) {
            assert_eq!(model.bits(&pool, *term), want, "round {round}");
            let k = pool.bits(&want);
            let differs = pool.ne(*term, k);
            assert!(solver.check(&pool, &[fixed[0], fixed[1], differs], &Budget::unlimited()).is_unsat());
        }
    }
}
