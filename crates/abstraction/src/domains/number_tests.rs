//! Every operation against all concrete values at small widths.

use super::*;
use cfa::BinOp;

const OPS: [BinOp; 16] = BinOp::ALL;

/// A small deterministic generator.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }
}

fn shape(width: u32, signed: bool) -> Shape {
    Shape { width, signed }
}

fn held(number: &Number) -> Vec<u64> {
    (0..1 << number.shape.width).filter(|bits| number.contains(*bits)).collect()
}

/// Numbers of many forms. What they hold is what `contains` says.
fn some(random: &mut Random, shape: Shape) -> Number {
    let all = 1 << shape.width;
    let mut number = Number::constant(shape, random.below(all));
    match random.below(6) {
        0 => {}
        1 => {
            for _ in 0..random.below(6) {
                number = number.join(&Number::constant(shape, random.below(all)));
            }
        }
        2 => number = Number::top(shape),
        3 => {
            let (a, b) = (random.below(all) as i128, random.below(all) as i128);
            let base = view_of(shape).lo;
            let range = Range { lo: base + a.min(b), hi: base + a.max(b) };
            number = Number::in_range(shape, range).unwrap_or(number);
        }
        4 => {
            let known = KnownBits { zeros: random.below(all), ones: 0 };
            let number_with = Number { bits: known, ..Number::unreduced_top(shape) };
            number = number_with.reduced().unwrap_or(number);
        }
        _ => {
            let modulus = 2 + random.below(7) as i128;
            let congruence = Congruence::new(modulus, random.below(all) as i128);
            number = Number { congruence, ..Number::unreduced_top(shape) }.reduced().unwrap_or(number);
        }
    }
    // Without its set, so that the other domains do the work.
    if random.below(3) == 0 {
        number.values = None;
    }
    number
}

fn check(result: Option<&Number>, value: u64, what: impl Fn() -> String) {
    assert!(result.is_some_and(|result| result.contains(value)), "{value} is missing: {} gave {result:?}", what());
}

#[test]
fn operations_cover_all_results() {
    let mut random = Random(0x1234_5678_9abc_def1);
    for round in 0..6000 {
        let width = 3 + (round % 4) as u32;
        let left = shape(width, round & 4 == 0);
        let (a, b) = (some(&mut random, left), some(&mut random, left));
        let amount = some(&mut random, shape(4, round & 8 == 0));
        for op in OPS {
            let shift = matches!(op, BinOp::Shl | BinOp::Shr);
            let right = if shift { &amount } else { &b };
            let int = shape(6, true);
            let result = Number::binary(op, &a, right, if op.is_comparison() { int } else { left });
            for x in held(&a) {
                for y in held(right) {
                    if let Some(value) = concrete(op, left, x, right.shape, y) {
                        check(result.as_ref(), value, || format!("{x} {op:?} {y}, {a:?}, {right:?}"));
                    }
                }
            }
        }
        for x in held(&a) {
            let number = eval::extend(word(x), width, left.signed);
            for op in [UnOp::Neg, UnOp::BitNot] {
                let value = if op == UnOp::Neg { -number } else { !number } as u64 & mask(width);
                check(Number::unary(op, &a, left).as_ref(), value, || format!("{op:?} {x}, {a:?}"));
            }
            check(Number::unary(UnOp::Not, &a, left).as_ref(), (x == 0) as u64, || format!("! {x}, {a:?}"));
            for to in [shape(2, true), shape(4, false), shape(7, true), shape(8, false)] {
                let value = number as u64 & mask(to.width);
                check(a.cast(to).as_ref(), value, || format!("{x} as {to:?}, {a:?}"));
            }
            let gone = random.below(1 << width);
            if x != gone {
                check(a.without(gone).as_ref(), x, || format!("{a:?} without {gone}"));
            }
        }
    }
}

#[test]
fn lattice_operations_cover_their_arguments() {
    let mut random = Random(0x0bad_5eed_1234_5671);
    let thresholds = Thresholds::new([3, 5, 9]);
    for round in 0..20_000 {
        let both = shape(3 + (round % 4) as u32, round & 4 == 0);
        let (a, b) = (some(&mut random, both), some(&mut random, both));
        let (joined, met) = (a.join(&b), a.meet(&b));
        let widened = a.widen(&b, &thresholds);
        for value in 0..1 << both.width {
            let (in_a, in_b) = (a.contains(value), b.contains(value));
            assert!(!in_a || a.clone().reduced().is_some_and(|reduced| reduced.contains(value)), "{a:?}");
            assert!(!(in_a || in_b) || (joined.contains(value) && widened.contains(value)), "{a:?} {b:?}");
            assert!(!(in_a && in_b) || met.as_ref().is_some_and(|met| met.contains(value)), "{a:?} {b:?} {met:?}");
            assert!(!a.includes(&b) || !in_b || in_a, "{a:?} includes {b:?}");
        }
    }
}

#[test]
fn widening_ends() {
    let mut random = Random(0x5eed_5eed_1234_5671);
    let thresholds = Thresholds::new([17, 100]);
    for _ in 0..200 {
        let both = shape(8, random.below(2) == 0);
        let mut number = some(&mut random, both);
        let mut steps = 0;
        loop {
            let next = number.widen(&number.join(&some(&mut random, both)), &thresholds);
            steps += (next != number) as u32;
            assert!(steps < 60);
            if next.is_top() || random.below(300) == 0 {
                break;
            }
            number = next;
        }
    }
}

#[test]
fn precision_where_it_is_expected() {
    let int = shape(32, true);
    let range = |lo, hi| Number::in_range(int, Range { lo, hi }).unwrap();
    let constant = |value: i64| Number::constant(int, value as u64);
    let sum = Number::binary(BinOp::Add, &range(0, 100), &constant(-5), int).unwrap();
    assert_eq!(sum.range(), Range { lo: -5, hi: 95 });
    // Wraps as unsigned, but not as signed.
    let unsigned = shape(32, false);
    let down =
        Number::binary(BinOp::Sub, &range(0, 100).cast(unsigned).unwrap(), &Number::constant(unsigned, 1), unsigned);
    assert_eq!(down.unwrap().cast(int).unwrap().range(), Range { lo: -1, hi: 99 });
    let twice = Number::binary(BinOp::Mul, &range(0, 1000), &constant(6), int).unwrap();
    assert_eq!((twice.congruence.modulus, twice.range().hi), (6, 6000));
    let masked = Number::binary(BinOp::And, &Number::top(int), &constant(0xf0), int).unwrap();
    assert_eq!(masked.values.as_ref().map(|values| values.values.len()), Some(16));
    let remainder = Number::binary(BinOp::Rem, &twice, &constant(4), int).unwrap();
    assert_eq!(remainder.values.unwrap().values, [0, 2]);
}
