//! Dumps: the text is what it should be, and the DIMACS one has the same answer as the solver.

use crate::random::Random;
use base::Budget;
use logic::dump::{dimacs, smt2};
use logic::sat::cadical::Cadical;
use logic::sat::{ClauseSink, SatBackend, SatLit, SatResult};
use logic::{Solver, TermId, TermPool};

#[test]
fn smt2_is_readable() {
    let mut pool = TermPool::new();
    let (x, a) = (pool.bv_var("x", 8), pool.array_var("a|b", 8, 8));
    let one = pool.bv(8, 1);
    let sum = pool.bv_add(x, one);
    let read = pool.select(a, sum);
    let goal = pool.ult(read, x);
    let want = "\
(set-logic QF_ABV)
(declare-fun |x!2| () (_ BitVec 8))
(declare-fun |a_b!3| () (Array (_ BitVec 8) (_ BitVec 8)))
(define-fun t5 () (_ BitVec 8) (bvadd #x01 |x!2|))
(define-fun t6 () (_ BitVec 8) (select |a_b!3| t5))
(define-fun t7 () Bool (bvult t6 |x!2|))
(assert t7)
(check-sat)
";
    assert_eq!(smt2(&pool, &[goal]), want);
}

fn solve_dimacs(text: &str) -> SatResult {
    let mut solver = Cadical::new();
    let mut header = None;
    let mut clauses = 0;
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("c") => {}
            Some("p") => header = Some(words.map(str::to_string).collect::<Vec<_>>()),
            _ => {
                let lits: Vec<i32> = line.split_whitespace().map(|word| word.parse().expect("a number")).collect();
                let (end, clause) = lits.split_last().expect("a clause ends with 0");
                assert_eq!(*end, 0);
                solver.add_clause(&clause.iter().map(|lit| SatLit(*lit)).collect::<Vec<_>>());
                clauses += 1;
            }
        }
    }
    assert_eq!(header.expect("a header")[2], clauses.to_string());
    solver.solve(&[], &Budget::unlimited())
}

/// A random formula with arithmetic and arrays.
pub fn random_formula(pool: &mut TermPool, seed: u64) -> Vec<TermId> {
    let mut random = Random::new(seed);
    let mut scalars: Vec<TermId> = (0..3).map(|_| pool.bv_var("v", 3)).collect();
    let mut arrays: Vec<TermId> = (0..2).map(|_| pool.array_var("a", 3, 3)).collect();
    let mut assertions = Vec::new();
    scalars.push(pool.bv(3, random.value(3)));
    for _ in 0..25 {
        let [a, b, c] = [(); 3].map(|()| scalars[random.below(scalars.len())]);
        let array = arrays[random.below(arrays.len())];
        match random.below(10) {
            0 => scalars.push(pool.bv_add(a, b)),
            1 => scalars.push(pool.bv_mul(a, b)),
            2 => scalars.push(pool.bv_urem(a, b)),
            3 => scalars.push(pool.bv_ashr(a, b)),
            4 | 5 => scalars.push(pool.select(array, a)),
            6 | 7 => arrays.push(pool.store(array, a, b)),
            8 => {
                let condition = pool.slt(a, b);
                let other = arrays[random.below(arrays.len())];
                arrays.push(pool.ite(condition, array, other));
                scalars.push(pool.ite(condition, b, c));
            }
            _ => {
                let condition = pool.eq(a, b);
                assertions.push(if random.below(3) == 0 { condition } else { pool.not(condition) });
            }
        }
    }
    assertions
}

#[test]
fn dimacs_has_the_same_answer() {
    let mut answers = [0; 2];
    for seed in 0..600 {
        let mut pool = TermPool::new();
        let assertions = random_formula(&mut pool, seed + 1);
        let sat = Solver::new().check(&pool, &assertions, &Budget::unlimited()).is_sat();
        assert_eq!(solve_dimacs(&dimacs(&pool, &assertions)) == SatResult::Sat, sat, "seed {seed}");
        answers[sat as usize] += 1;
    }
    assert!(answers[0] > 20 && answers[1] > 20, "{answers:?}");
}
