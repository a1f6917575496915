//! Random conditions over floats: what a run of the intervals says must be true of every point in the box, by the value of the terms themselves; and a
//! refutation must agree with the SAT solver.

use super::*;
use crate::eval::Evaluator;
use crate::float::{Float, Rounding};

const CASES: u64 = 600;
const POINTS: usize = 20;
const NEAREST: Rounding = Rounding::NearestEven;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 33) as usize % limit
    }

    /// A float that often is a special one.
    fn encoding(&mut self, single: bool) -> u64 {
        let special = [0.0, -0.0, 1.0, -1.0, 0.5, 3.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e-310, 1e38];
        let value = match self.below(4) {
            0 => special[self.below(special.len())],
            1 => (self.below(2001) as f64 - 1000.0) / 100.0,
            2 => self.below(100) as f64,
            _ => f64::from_bits(self.next()),
        };
        if single { u64::from((value as f32).to_bits()) } else { value.to_bits() }
    }
}

/// A random condition over two variables of one format.
fn condition(random: &mut Random, pool: &mut TermPool, float: Float, variables: [TermId; 2]) -> TermId {
    let single = float == Float::F32;
    let width = float.format.width();
    let mut numbers = variables.to_vec();
    let mut truths = Vec::new();
    for _ in 0..2 {
        let constant = random.encoding(single);
        numbers.push(pool.bv(width, constant.into()));
    }
    for _ in 0..10 {
        let (a, b) = (numbers[random.below(numbers.len())], numbers[random.below(numbers.len())]);
        match random.below(16) {
            0 | 1 => numbers.push(float.add(pool, NEAREST, a, b)),
            2 => numbers.push(float.sub(pool, NEAREST, a, b)),
            3 => numbers.push(float.mul(pool, NEAREST, a, b)),
            4 => numbers.push(float.mul(pool, NEAREST, a, a)),
            5 => numbers.push(float.div(pool, NEAREST, a, b)),
            6 => numbers.push(float.sqrt(pool, NEAREST, a)),
            7 => numbers.push(float.neg(pool, a)),
            8 => numbers.push(float.abs(pool, a)),
            9 if !truths.is_empty() => {
                let chosen = truths[random.below(truths.len())];
                numbers.push(pool.ite(chosen, a, b));
            }
            10 => truths.push(float.eq(pool, a, b)),
            11 => truths.push(float.is_nan(pool, a)),
            12 => {
                let other = if single { Float::F64 } else { Float::F32 };
                let there = float.convert(pool, NEAREST, a, other);
                numbers.push(other.convert(pool, NEAREST, there, float));
            }
            13 | 14 => {
                // Limited to an interval, as programs do it.
                let limit = numbers[random.below(numbers.len())];
                let (below, above) = (float.lt(pool, a, b), float.lt(pool, limit, a));
                let inner = pool.ite(above, limit, a);
                numbers.push(pool.ite(below, b, inner));
            }
            _ => truths.push(float.lt(pool, a, b)),
        }
    }
    let last = *numbers.last().expect("there are variables");
    let limit = numbers[random.below(numbers.len())];
    truths.push(float.le(pool, last, limit));
    let mut result = truths[random.below(truths.len())];
    for truth in truths {
        let truth = if random.below(2) == 0 { pool.not(truth) } else { truth };
        result = match random.below(3) {
            0 => pool.or(result, truth),
            1 => pool.xor(result, truth),
            _ => pool.and(result, truth),
        };
    }
    result
}

#[test]
fn intervals_cover_every_point() {
    let mut decided = 0;
    for case in 1..=CASES {
        let mut random = Random(case.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let float = if case % 2 == 0 { Float::F32 } else { Float::F64 };
        let single = float == Float::F32;
        let mut pool = TermPool::new();
        let width = float.format.width();
        let variables = [pool.bv_var("x", width), pool.bv_var("y", width)];
        let condition = condition(&mut random, &mut pool, float, variables);
        let Some(mut program) = Program::new(&pool, &[Literal::of(&pool, condition)]) else { continue };
        let points: Vec<[u64; 2]> = (0..POINTS).map(|_| [random.encoding(single), random.encoding(single)]).collect();
        for size in [1, 2, POINTS] {
            let chosen = &points[..size];
            let sets: Vec<Interval> = program
                .variables
                .iter()
                .map(|variable| {
                    let index = variables.iter().position(|one| *one == variable.term).expect("one of the two");
                    let values = chosen.iter().map(|point| decode(point[index], single));
                    values.map(Interval::point).reduce(Interval::join).expect("there are points")
                })
                .collect();
            program.run(&sets);
            let truth = program.truth(0);
            decided += usize::from(truth != interval::Truth::OPEN);
            for point in chosen {
                let mut assignment = Assignment::new();
                for (variable, bits) in variables.iter().zip(point) {
                    assignment.set_bits(*variable, Bits::new(width, (*bits).into()));
                }
                let value = Evaluator::default().scalar(&pool, &assignment, condition).bit(0);
                let possible = if value { truth.can_hold } else { truth.can_fail };
                assert!(possible, "case {case}: {point:x?} in {sets:?} is {value}, not {truth:?}");
            }
        }
    }
    assert!(decided > CASES as usize, "only {decided} decided");
}

fn decode(bits: u64, single: bool) -> f64 {
    if single { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits) }
}

#[test]
fn halves_make_the_whole() {
    let mut random = Random(7);
    for case in 0..2000 {
        let single = case % 2 == 0;
        let (a, b) = (decode(random.encoding(single), single), decode(random.encoding(single), single));
        let set = Interval::point(a).join(Interval::point(b));
        let can_be_halved = set.low < set.high || (set.nan && set.has_numbers());
        if !can_be_halved {
            continue;
        }
        let (first, second) = halves(set, single);
        assert_eq!(first.join(second), set);
        if !set.nan {
            assert!(first.has_numbers() && second.has_numbers(), "{set:?}");
            assert_eq!(after(first.high, single), second.low, "nothing is between {first:?} and {second:?}");
            let between = middle(set, single);
            assert!(set.low <= between && between <= set.high);
            assert!(!single || f64::from(between as f32) == between);
        }
    }
}

#[test]
fn refutations_agree_with_the_sat_solver() {
    let (mut contradictions, mut solutions) = (0, 0);
    for case in 1..=60 {
        let mut random = Random(u64::wrapping_mul(case, 0x1234_5678_9abc_def1));
        let mut pool = TermPool::new();
        let variables = [pool.bv_var("x", 32), pool.bv_var("y", 32)];
        let conditions: Vec<TermId> =
            (0..3).map(|_| condition(&mut random, &mut pool, Float::F32, variables)).collect();
        match refute(&pool, &conditions, 200_000, &Budget::unlimited()) {
            Refutation::Contradiction(used) => {
                let used: Vec<TermId> = used.into_iter().map(|number| conditions[number]).collect();
                let budget = Budget::unlimited().with_conflicts(20_000);
                let outcome = crate::Solver::new().check_by_sat(&pool, &used, &budget);
                assert!(!outcome.is_sat(), "case {case}");
                contradictions += 1;
            }
            Refutation::Solution(model) => {
                for condition in &conditions {
                    assert!(model.bool(&pool, *condition), "case {case}");
                }
                solutions += 1;
            }
            Refutation::Unknown => {}
        }
    }
    let mut pool = TermPool::new();
    let x = pool.bv_var("x", 32);
    Float::F32.lt(&mut pool, x, x);
    assert!(crate::Solver::new().check(&pool, &[], &Budget::unlimited()).is_sat(), "nothing is no contradiction");
    assert!(contradictions > 5 && solutions > 5, "{contradictions} contradictions, {solutions} solutions");
}
