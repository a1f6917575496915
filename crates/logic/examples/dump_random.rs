//! Writes random questions with the answers we give, for checking by another SMT solver: `dump_random DIR COUNT`.

use base::Budget;
use logic::dump::smt2;
use logic::float::{Float, Format, Rounding};
use logic::{Solver, TermId, TermPool};
use std::path::Path;

fn main() -> std::io::Result<()> {
    let mut args = std::env::args().skip(1);
    let directory = args.next().unwrap_or_else(|| ".".into());
    let count: u64 = args.next().and_then(|count| count.parse().ok()).unwrap_or(100);
    for seed in 0..count {
        let mut pool = TermPool::new();
        let assertions = formula(&mut pool, seed);
        let sat = Solver::new().check(&pool, &assertions, &Budget::unlimited()).is_sat();
        let answer = if sat { "sat" } else { "unsat" };
        let text = format!("(set-info :status {answer})\n{}", smt2(&pool, &assertions));
        std::fs::write(Path::new(&directory).join(format!("q{seed}.smt2")), text)?;
    }
    Ok(())
}

/// Arithmetic, arrays, a little floating point.
fn formula(pool: &mut TermPool, seed: u64) -> Vec<TermId> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut below = |limit: usize| {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % limit
    };
    let width = [3, 5, 7, 8][seed as usize % 4];
    let mut scalars: Vec<TermId> = (0..3).map(|_| pool.bv_var("v", width)).collect();
    scalars.push(pool.bv(width, below(200) as u128));
    let mut arrays: Vec<TermId> = (0..2).map(|_| pool.array_var("a", width, width)).collect();
    arrays.push(pool.const_array(width, scalars[3]));
    let mut assertions = Vec::new();
    let float = Float::x86(Format::ieee(3, width.max(5) - 3));
    for _ in 0..30 {
        let [a, b] = [scalars[below(scalars.len())], scalars[below(scalars.len())]];
        let array = arrays[below(arrays.len())];
        match below(18) {
            0 => scalars.push(pool.bv_add(a, b)),
            1 => scalars.push(pool.bv_mul(a, b)),
            2 => scalars.push(pool.bv_srem(a, b)),
            3 => scalars.push(pool.bv_ashr(a, b)),
            4 => scalars.push(pool.bv_sdiv(a, b)),
            5 => scalars.push(pool.bv_rol(a, b)),
            6 => scalars.push(pool.bv_xor(a, b)),
            7 | 8 => scalars.push(pool.select(array, a)),
            9..=11 => arrays.push(pool.store(array, a, b)),
            12 => {
                let condition = pool.slt(a, b);
                let other = arrays[below(arrays.len())];
                arrays.push(pool.ite(condition, array, other));
            }
            13 if width >= 5 => scalars.push(float.add(pool, Rounding::NearestEven, a, b)),
            14 if width >= 5 => scalars.push(float.mul(pool, Rounding::TowardZero, a, b)),
            15 => {
                let condition = pool.smul_overflows(a, b);
                assertions.push(condition);
            }
            _ => {
                let condition = pool.eq(a, b);
                assertions.push(if below(4) == 0 { condition } else { pool.not(condition) });
            }
        }
    }
    assertions
}
