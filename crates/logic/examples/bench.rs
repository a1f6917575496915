//! Times of the parts that decide how fast a question is answered. Run with `cargo run --release -p logic --example bench`.
#![allow(clippy::print_stdout)]

use base::Budget;
use logic::float::{Float, Rounding};
use logic::maxsat::minimize;
use logic::{Satisfiability, Solver, TermId, TermPool};
use std::hint::black_box;
use std::time::Instant;

fn report(name: &str, start: Instant, note: String) {
    println!("{name:<44} {:>9.3} ms  {note}", start.elapsed().as_secs_f64() * 1e3);
}

fn main() {
    construction();
    commutativity(6);
    commutativity(8);
    commutativity(10);
    factoring();
    chain();
    tiny();
    floats();
    values();
}

fn construction() {
    let start = Instant::now();
    let mut made = 0;
    for _ in 0..40 {
        let mut pool = TermPool::new();
        let vars: Vec<_> = (0..64).map(|_| pool.bv_var("v", 32)).collect();
        let mut term = vars[0];
        for i in 0..100_000 {
            let other = vars[i % 64];
            term = if i % 2 == 0 { pool.bv_xor(term, other) } else { pool.bv_add(term, other) };
        }
        made += pool.len();
    }
    let rate = made as f64 / start.elapsed().as_secs_f64() / 1e6;
    report("40 x 100k new symbolic terms", start, format!("{rate:.1} M/s"));

    let mut pool = TermPool::new();
    let x = pool.bv_var("x", 32);
    let vars: Vec<_> = (0..64).map(|_| pool.bv_var("v", 32)).collect();
    let start = Instant::now();
    let mut term = x;
    let count = 4_000_000;
    for i in 0..count {
        let other = vars[i % 64];
        term = if i % 2 == 0 { pool.bv_xor(term, other) } else { pool.bv_add(term, other) };
    }
    black_box(term);
    let rate = count as f64 / start.elapsed().as_secs_f64() / 1e6;
    report("4M new symbolic terms", start, format!("{rate:.1} M/s, {} terms", pool.len()));

    let start = Instant::now();
    for _ in 0..4 {
        let mut term = x;
        for i in 0..1_000_000 {
            let other = vars[i % 64];
            term = if i % 2 == 0 { pool.bv_xor(term, other) } else { pool.bv_add(term, other) };
        }
        black_box(term);
    }
    let rate = 4.0 / start.elapsed().as_secs_f64();
    report("4M known symbolic terms", start, format!("{rate:.1} M/s"));

    let start = Instant::now();
    let mut value = pool.bv(32, 1);
    let k = pool.bv(32, 1664525);
    for _ in 0..4_000_000 {
        let product = pool.bv_mul(value, k);
        value = pool.bv_add(product, k);
    }
    black_box(value);
    let rate = 8.0 / start.elapsed().as_secs_f64();
    report("8M folded constants", start, format!("{rate:.1} M/s"));
}

/// Two shift-and-add multipliers that go through the bits of different arguments.
fn commutativity(width: u32) {
    let start = Instant::now();
    let mut pool = TermPool::new();
    let (x, y) = (pool.bv_var("x", width), pool.bv_var("y", width));
    let zero = pool.bv(width, 0);
    let product = |pool: &mut TermPool, rows: TermId, other: TermId| {
        (0..width).fold(zero, |sum, i| {
            let (bit, amount) = (pool.bit(rows, i), pool.bv(width, i as u128));
            let shifted = pool.bv_shl(other, amount);
            let row = pool.ite(bit, shifted, zero);
            pool.bv_add(sum, row)
        })
    };
    let (left, right) = (product(&mut pool, x, y), product(&mut pool, y, x));
    let differ = pool.ne(left, right);
    let mut solver = Solver::new();
    let budget = Budget::unlimited().within(std::time::Duration::from_secs(60));
    let answer = match solver.check(&pool, &[differ], &budget) {
        Satisfiability::Sat(_) => "sat",
        Satisfiability::Unsat(_) => "unsat",
        Satisfiability::Unknown => "unknown",
    };
    report(&format!("commutativity of * at {width} bits"), start, format!("{answer} {:?}", solver.statistics()));
}

fn factoring() {
    let start = Instant::now();
    let mut pool = TermPool::new();
    let (a, b) = (pool.bv_var("a", 32), pool.bv_var("b", 32));
    let product = pool.bv_mul(a, b);
    let n = pool.bv(32, 65_521 * 65_479);
    let limit = pool.bv(32, 65_536);
    let one = pool.bv(32, 1);
    let question = [
        pool.eq(product, n),
        pool.ult(a, limit),
        pool.ult(b, limit),
        pool.ult(one, a),
        pool.ult(one, b),
        pool.ule(a, b),
    ];
    let mut solver = Solver::new();
    let Satisfiability::Sat(model) = solver.check(&pool, &question, &Budget::unlimited()) else {
        panic!("it has factors")
    };
    let factors = (model.bits(&pool, a).to_u64(), model.bits(&pool, b).to_u64());
    report("factoring a 32-bit semiprime", start, format!("{factors:?} {:?}", solver.statistics()));
}

fn chain() {
    let start = Instant::now();
    let mut pool = TermPool::new();
    let mut array = pool.array_var("a", 64, 32);
    let one = pool.bv(32, 1);
    for i in 0..100_000u128 {
        let (index, next) = (pool.bv(64, i), pool.bv(64, i + 1));
        let old = pool.select(array, index);
        let value = pool.bv_add(old, one);
        array = pool.store(array, next, value);
    }
    report("100k stores, each after a read", start, format!("{} terms", pool.len()));
    let start = Instant::now();
    let i = pool.bv_var("i", 64);
    let element = pool.select(array, i);
    let zero = pool.bv(32, 0);
    let question = [pool.eq(element, zero)];
    let mut solver = Solver::new();
    let sat = solver.check(&pool, &question, &Budget::unlimited()).is_sat();
    report("  a symbolic read of it", start, format!("sat {sat} {:?}", solver.statistics()));
}

fn tiny() {
    let start = Instant::now();
    for _ in 0..1000 {
        let mut pool = TermPool::new();
        let (x, y) = (pool.bv_var("x", 32), pool.bv_var("y", 32));
        let (sum, k) = (pool.bv_add(x, y), pool.bv(32, 77));
        let question = [pool.eq(sum, k), pool.ult(x, y)];
        black_box(Solver::new().check(&pool, &question, &Budget::unlimited()).is_sat());
    }
    report("1000 tiny questions, each a new solver", start, String::new());
    let start = Instant::now();
    let mut pool = TermPool::new();
    let mut solver = Solver::new();
    let (x, y) = (pool.bv_var("x", 32), pool.bv_var("y", 32));
    let sum = pool.bv_add(x, y);
    for i in 0..1000 {
        let k = pool.bv(32, i);
        let question = [pool.eq(sum, k), pool.ult(x, y)];
        black_box(solver.check(&pool, &question, &Budget::unlimited()).is_sat());
    }
    report("1000 tiny questions, one solver", start, String::new());
}

fn floats() {
    let start = Instant::now();
    let mut pool = TermPool::new();
    let mut value = pool.bv(64, 1.0f64.to_bits() as u128);
    let step = pool.bv(64, 0.1f64.to_bits() as u128);
    for _ in 0..10_000 {
        value = Float::F64.add(&mut pool, Rounding::NearestEven, value, step);
    }
    report("10k constant double additions", start, format!("{:?}", pool.as_u64(value).map(f64::from_bits)));
    let start = Instant::now();
    let mut pool = TermPool::new();
    let (x, y) = (pool.bv_var("x", 32), pool.bv_var("y", 32));
    let f = Float::F32;
    let (xy, yx) = (f.add(&mut pool, Rounding::NearestEven, x, y), f.add(&mut pool, Rounding::NearestEven, y, x));
    let same = f.eq(&mut pool, xy, yx);
    let nan = f.is_nan(&mut pool, xy);
    let question = [pool.not(same), pool.not(nan)];
    let mut solver = Solver::new();
    let unsat = solver.check(&pool, &question, &Budget::unlimited()).is_unsat();
    report("float addition commutes", start, format!("{unsat} {:?}", solver.statistics()));
}

fn values() {
    let start = Instant::now();
    let mut pool = TermPool::new();
    let vars: Vec<_> = (0..6).map(|_| pool.bv_var("v", 32)).collect();
    let mut sum = vars[0];
    for pair in vars.windows(2) {
        let product = pool.bv_mul(pair[0], pair[1]);
        sum = pool.bv_add(sum, product);
    }
    let target = pool.bv(32, 123_457);
    let goal = pool.eq(sum, target);
    let mut soft = Vec::new();
    for var in &vars {
        for i in 0..32 {
            let bit = pool.bit(*var, i);
            soft.push((pool.not(bit), 1u128 << i));
        }
    }
    let mut solver = Solver::new();
    let budget = Budget::for_duration(std::time::Duration::from_secs(20));
    let found = minimize(&pool, &mut solver, &[goal], &soft, &budget).optimum();
    let note = found.map(|found| (found.cost, found.lower_bound, found.proven));
    report("minimal values of six 32-bit numbers", start, format!("{note:?} {:?}", solver.statistics()));
}
