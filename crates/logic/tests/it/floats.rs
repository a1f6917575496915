//! Floats of tiny formats, exhaustively, against exact integer arithmetic; some of them through the SAT solver.

use crate::random::Random;
use base::Budget;
use logic::float::{Float, Format, NanPolicy, Rounding};
use logic::{Bits, Solver, TermId, TermPool};
use std::cmp::Ordering;

const MODES: [Rounding; 5] = [
    Rounding::NearestEven,
    Rounding::NearestAway,
    Rounding::TowardZero,
    Rounding::TowardPositive,
    Rounding::TowardNegative,
];

/// A number is an integer count of the smallest subnormal number.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Exact {
    Nan,
    Infinite(bool),
    Number(bool, i128),
}

use Exact::{Infinite, Nan, Number};

/// The reference for one format.
#[derive(Clone, Copy)]
struct Reference {
    format: Format,
}

impl Reference {
    fn bodies(self) -> u128 {
        ((1 << self.format.exponent) - 1) << (self.format.significand - 1)
    }

    /// Units in 1.
    fn one(self) -> i128 {
        1 << (self.format.bias() - 1 + self.format.significand as i128 - 1)
    }

    /// The magnitude of an encoding without its sign; of the infinite one: the next power of two.
    fn magnitude(self, body: u128) -> i128 {
        let bits = self.format.significand - 1;
        let (field, fraction) = (body >> bits, body & ((1 << bits) - 1));
        if field == 0 { fraction as i128 } else { ((1 << bits | fraction) << (field - 1)) as i128 }
    }

    fn decode(self, code: u128) -> Exact {
        let top = self.format.width() - 1;
        let (sign, body) = (code >> top == 1, code & ((1 << top) - 1));
        match body.cmp(&self.bodies()) {
            Ordering::Less => Number(sign, self.magnitude(body)),
            Ordering::Equal => Infinite(sign),
            Ordering::Greater => Nan,
        }
    }

    fn encode(self, sign: bool, body: u128) -> u128 {
        (sign as u128) << (self.format.width() - 1) | body
    }

    fn infinity(self, sign: bool) -> u128 {
        self.encode(sign, self.bodies())
    }

    fn nan(self) -> u128 {
        self.bodies() | 1 << (self.format.significand - 2)
    }

    /// Rounds a magnitude that is known by comparing it with half units.
    fn round(self, mode: Rounding, sign: bool, compare: impl Fn(i128) -> Ordering) -> u128 {
        let infinite = self.bodies();
        let below = (0..=infinite).rev().find(|body| compare(2 * self.magnitude(*body)).is_ge()).expect("0 is below");
        let away = match mode {
            Rounding::TowardPositive => !sign,
            Rounding::TowardNegative => sign,
            _ => false,
        };
        let nearest = matches!(mode, Rounding::NearestEven | Rounding::NearestAway);
        let body = if below == infinite {
            if nearest || away { infinite } else { infinite - 1 }
        } else if compare(2 * self.magnitude(below)).is_eq() {
            below
        } else if nearest {
            match compare(self.magnitude(below) + self.magnitude(below + 1)) {
                Ordering::Less => below,
                Ordering::Greater => below + 1,
                Ordering::Equal if mode == Rounding::NearestAway => below + 1,
                Ordering::Equal => below + (below & 1),
            }
        } else {
            below + away as u128
        };
        self.encode(sign, body)
    }

    fn signed_sum(self, mode: Rounding, left: (bool, i128), right: (bool, i128), unit: i128) -> u128 {
        let value = |(sign, m): (bool, i128)| if sign { -m } else { m };
        let sum = value(left) + value(right);
        if sum == 0 {
            let sign = if left.0 == right.0 { left.0 } else { mode == Rounding::TowardNegative };
            return self.encode(sign, 0);
        }
        self.round(mode, sum < 0, |c| (2 * sum.abs()).cmp(&(c * unit)))
    }

    fn add(self, mode: Rounding, a: u128, b: u128) -> u128 {
        match (self.decode(a), self.decode(b)) {
            (Nan, _) | (_, Nan) => self.nan(),
            (Infinite(x), Infinite(y)) if x != y => self.nan(),
            (Infinite(_), _) => a,
            (_, Infinite(_)) => b,
            (Number(s, m), Number(t, n)) => self.signed_sum(mode, (s, m), (t, n), 1),
        }
    }

    fn mul(self, mode: Rounding, a: u128, b: u128) -> u128 {
        match (self.decode(a), self.decode(b)) {
            (Nan, _) | (_, Nan) => self.nan(),
            (Infinite(_), Number(_, 0)) | (Number(_, 0), Infinite(_)) => self.nan(),
            (Infinite(s) | Number(s, _), Infinite(t)) | (Infinite(s), Number(t, _)) => self.infinity(s != t),
            (Number(s, m), Number(t, n)) => self.round(mode, s != t, |c| (2 * m * n).cmp(&(c * self.one()))),
        }
    }

    fn div(self, mode: Rounding, a: u128, b: u128) -> u128 {
        match (self.decode(a), self.decode(b)) {
            (Nan, _) | (_, Nan) | (Infinite(_), Infinite(_)) | (Number(_, 0), Number(_, 0)) => self.nan(),
            (Infinite(s) | Number(s, _), Number(t, 0)) | (Infinite(s), Number(t, _)) => self.infinity(s != t),
            (Number(s, _), Infinite(t)) => self.encode(s != t, 0),
            (Number(s, m), Number(t, n)) => self.round(mode, s != t, |c| (2 * m * self.one()).cmp(&(c * n))),
        }
    }

    fn fma(self, mode: Rounding, a: u128, b: u128, c: u128) -> u128 {
        let product = match (self.decode(a), self.decode(b)) {
            (Nan, _) | (_, Nan) => return self.nan(),
            (Infinite(_), Number(_, 0)) | (Number(_, 0), Infinite(_)) => return self.nan(),
            (Infinite(s) | Number(s, _), Infinite(t)) | (Infinite(s), Number(t, _)) => Infinite(s != t),
            (Number(s, m), Number(t, n)) => Number(s != t, m * n),
        };
        match (product, self.decode(c)) {
            (_, Nan) | (Nan, _) => self.nan(),
            (Infinite(s), Infinite(t)) if s != t => self.nan(),
            (Infinite(s), _) | (_, Infinite(s)) => self.infinity(s),
            (Number(s, m), Number(t, n)) => self.signed_sum(mode, (s, m), (t, n * self.one()), self.one()),
        }
    }

    fn sqrt(self, mode: Rounding, a: u128) -> u128 {
        match self.decode(a) {
            Number(_, 0) => a,
            Infinite(false) => a,
            Nan | Infinite(true) | Number(true, _) => self.nan(),
            Number(false, m) => self.round(mode, false, |c| (4 * m * self.one()).cmp(&(c * c))),
        }
    }

    fn remainder(self, a: u128, b: u128, nearest: bool) -> u128 {
        match (self.decode(a), self.decode(b)) {
            (Nan, _) | (_, Nan) | (Infinite(_), _) | (_, Number(_, 0)) => self.nan(),
            (_, Infinite(_)) | (Number(_, 0), _) => a,
            (Number(s, m), Number(_, n)) => {
                let (quotient, mut rest) = (m / n, m % n);
                let mut sign = s;
                if nearest && (2 * rest > n || 2 * rest == n && quotient % 2 == 1) {
                    rest = n - rest;
                    sign = !s;
                }
                if rest == 0 { self.encode(s, 0) } else { self.round(MODES[0], sign, |c| (2 * rest).cmp(&c)) }
            }
        }
    }

    /// The integer nearest to a magnitude given in units.
    fn integer(self, mode: Rounding, sign: bool, m: i128) -> i128 {
        let (floor, rest, one) = (m / self.one(), m % self.one(), self.one());
        floor
            + match mode {
                _ if rest == 0 => 0,
                Rounding::NearestEven => (2 * rest > one || 2 * rest == one && floor % 2 == 1) as i128,
                Rounding::NearestAway => (2 * rest >= one) as i128,
                Rounding::TowardZero => 0,
                Rounding::TowardPositive => !sign as i128,
                Rounding::TowardNegative => sign as i128,
            }
    }

    fn integral(self, mode: Rounding, a: u128) -> u128 {
        match self.decode(a) {
            Nan => self.nan(),
            Infinite(_) => a,
            Number(sign, m) => {
                let exact = self.integer(mode, sign, m) * self.one();
                self.round(mode, sign, |c| (2 * exact).cmp(&c))
            }
        }
    }
}

fn constant(pool: &TermPool, term: TermId) -> u128 {
    match pool.as_bool(term) {
        Some(value) => value as u128,
        None => pool.as_bits(term).and_then(|bits| bits.to_u128()).expect("constants stay constant"),
    }
}

const TINY: [Format; 6] = [
    Format::ieee(2, 2),
    Format::ieee(2, 3),
    Format::ieee(3, 3),
    Format::ieee(3, 4),
    Format::ieee(4, 3),
    Format::ieee(2, 5),
];

fn canonical(format: Format) -> Float {
    Float { format, nan: NanPolicy::Canonical }
}

#[test]
fn tiny_formats_exhaustively() {
    for format in TINY {
        let (float, reference) = (canonical(format), Reference { format });
        let mut pool = TermPool::new();
        let p = &mut pool;
        for a in 0..1u128 << format.width() {
            let x = p.bv(format.width(), a);
            for mode in MODES {
                let at = || format!("{format:?} {mode:?} {a:#b}");
                let root = float.sqrt(p, mode, x);
                assert_eq!(constant(p, root), reference.sqrt(mode, a), "sqrt {}", at());
                let integral = float.round_to_integral(p, mode, x);
                assert_eq!(constant(p, integral), reference.integral(mode, a), "integral {}", at());
                for b in 0..1u128 << format.width() {
                    let y = p.bv(format.width(), b);
                    let sum = float.add(p, mode, x, y);
                    assert_eq!(constant(p, sum), reference.add(mode, a, b), "add {} {b:#b}", at());
                    let product = float.mul(p, mode, x, y);
                    assert_eq!(constant(p, product), reference.mul(mode, a, b), "mul {} {b:#b}", at());
                    let quotient = float.div(p, mode, x, y);
                    assert_eq!(constant(p, quotient), reference.div(mode, a, b), "div {} {b:#b}", at());
                    let negated = b ^ 1 << (format.width() - 1);
                    let difference = float.sub(p, mode, x, y);
                    assert_eq!(constant(p, difference), reference.add(mode, a, negated), "sub {} {b:#b}", at());
                }
            }
            for b in 0..1u128 << format.width() {
                let y = p.bv(format.width(), b);
                for nearest in [false, true] {
                    let rest = if nearest { float.remainder(p, x, y) } else { float.fmod(p, x, y) };
                    let want = reference.remainder(a, b, nearest);
                    assert_eq!(constant(p, rest), want, "remainder {nearest} {format:?} {a:#b} {b:#b}");
                }
                let value = |e: Exact| match e {
                    Nan => None,
                    Infinite(s) => Some(if s { i128::MIN } else { i128::MAX }),
                    Number(s, m) => Some(if s { -m } else { m }),
                };
                let order = value(reference.decode(a)).zip(value(reference.decode(b))).map(|(l, r)| l.cmp(&r));
                let (lt, le, eq) = (float.lt(p, x, y), float.le(p, x, y), float.eq(p, x, y));
                assert_eq!(constant(p, lt) == 1, order == Some(Ordering::Less), "lt {a:#b} {b:#b}");
                assert_eq!(constant(p, le) == 1, order.is_some_and(Ordering::is_le), "le {a:#b} {b:#b}");
                assert_eq!(constant(p, eq) == 1, order == Some(Ordering::Equal), "eq {a:#b} {b:#b}");
            }
        }
    }
}

#[test]
fn fused_multiply_add_exhaustively() {
    for format in [Format::ieee(2, 2), Format::ieee(2, 3), Format::ieee(3, 2)] {
        let (float, reference) = (canonical(format), Reference { format });
        for mode in MODES {
            let mut pool = TermPool::new();
            let p = &mut pool;
            let codes = 1u128 << format.width();
            for i in 0..codes * codes * codes {
                let (a, b, c) = (i / codes / codes, i / codes % codes, i % codes);
                let (x, y, z) = (p.bv(format.width(), a), p.bv(format.width(), b), p.bv(format.width(), c));
                let result = float.fma(p, mode, x, y, z);
                let want = reference.fma(mode, a, b, c);
                assert_eq!(constant(p, result), want, "{format:?} {mode:?} {a:#b} {b:#b} {c:#b}");
            }
        }
    }
}

#[test]
fn fused_multiply_add_at_random() {
    let mut random = Random::new(77);
    let format = Format::ieee(4, 5);
    let (float, reference) = (canonical(format), Reference { format });
    let mut pool = TermPool::new();
    let p = &mut pool;
    for i in 0..40_000 {
        let mode = MODES[i % 5];
        let [a, b, c] = [(); 3].map(|()| (random.next() >> 20) as u128 & ((1 << format.width()) - 1));
        let [x, y, z] = [a, b, c].map(|v| p.bv(format.width(), v));
        let result = float.fma(p, mode, x, y, z);
        assert_eq!(constant(p, result), reference.fma(mode, a, b, c), "{mode:?} {a:#b} {b:#b} {c:#b}");
    }
}

#[test]
fn conversions_exhaustively() {
    for from in TINY {
        let (source, exact) = (canonical(from), Reference { format: from });
        let mut pool = TermPool::new();
        let p = &mut pool;
        for a in 0..1u128 << from.width() {
            let x = p.bv(from.width(), a);
            for mode in MODES {
                for to in TINY {
                    let (target, reference) = (canonical(to), Reference { format: to });
                    let want = match exact.decode(a) {
                        Nan => reference.nan(),
                        Infinite(s) => reference.infinity(s),
                        Number(s, 0) => reference.encode(s, 0),
                        Number(s, m) => reference.round(mode, s, |c| (2 * m * reference.one()).cmp(&(c * exact.one()))),
                    };
                    let result = source.convert(p, mode, x, target);
                    if from == to && exact.decode(a) != Nan {
                        assert_eq!(constant(p, result), a);
                    } else {
                        assert_eq!(constant(p, result), want, "{from:?} to {to:?} {mode:?} {a:#b}");
                    }
                }
                for width in 1..=9u32 {
                    let (signed, unsigned) =
                        (source.to_signed(p, mode, x, width), source.to_unsigned(p, mode, x, width));
                    let integer = match exact.decode(a) {
                        Number(s, m) => Some(if s { -exact.integer(mode, s, m) } else { exact.integer(mode, s, m) }),
                        _ => None,
                    };
                    let ranges = [(-(1 << (width - 1)), 1 << (width - 1)), (0, 1 << width)];
                    for (result, (low, high)) in [signed, unsigned].into_iter().zip(ranges) {
                        let fits = integer.filter(|i| (low..high).contains(i));
                        let at = format!("{from:?} {mode:?} {a:#b} to {width} bits from {low}");
                        assert_eq!(constant(p, result.invalid) == 0, fits.is_some(), "{at}");
                        if let Some(integer) = fits {
                            assert_eq!(constant(p, result.value), integer as u128 & ((1 << width) - 1), "{at}");
                        }
                    }
                }
            }
        }
        for width in 1..=7u32 {
            for i in 0..1i128 << width {
                let x = p.bv(width, i as u128);
                for mode in MODES {
                    let value = if i >> (width - 1) & 1 == 1 { i - (1 << width) } else { i };
                    for (result, value) in
                        [(source.from_signed(p, mode, x), value), (source.from_unsigned(p, mode, x), i)]
                    {
                        let want = exact.round(mode, value < 0, |c| (2 * value.abs() * exact.one()).cmp(&c));
                        assert_eq!(constant(p, result), want, "{from:?} {mode:?} from {value} of {width} bits");
                    }
                }
            }
        }
    }
}

/// The same circuits with nothing known in advance: the solver must not find a different result.
#[test]
fn circuits_agree_with_the_reference() {
    let format = Format::ieee(3, 3);
    let (float, reference) = (canonical(format), Reference { format });
    let mut pool = TermPool::new();
    let p = &mut pool;
    let (x, y) = (p.bv_var("x", format.width()), p.bv_var("y", format.width()));
    for mode in MODES {
        let terms = [
            float.add(p, mode, x, y),
            float.mul(p, mode, x, y),
            float.div(p, mode, x, y),
            float.fmod(p, x, y),
            float.remainder(p, x, y),
            float.sqrt(p, mode, x),
            float.fma(p, mode, x, y, x),
            float.round_to_integral(p, mode, x),
        ];
        let mut solver = Solver::new();
        for i in (0..1u128 << (2 * format.width())).step_by(3) {
            let (a, b) = (i >> format.width(), i & ((1 << format.width()) - 1));
            let want = [
                reference.add(mode, a, b),
                reference.mul(mode, a, b),
                reference.div(mode, a, b),
                reference.remainder(a, b, false),
                reference.remainder(a, b, true),
                reference.sqrt(mode, a),
                reference.fma(mode, a, b, a),
                reference.integral(mode, a),
            ];
            let (ka, kb) = (p.bv(format.width(), a), p.bv(format.width(), b));
            let (fix_a, fix_b) = (p.eq(x, ka), p.eq(y, kb));
            let wrong: Vec<TermId> = terms
                .iter()
                .zip(want)
                .map(|(term, want)| {
                    let want = p.bits(&Bits::new(format.width(), want));
                    p.ne(*term, want)
                })
                .collect();
            let any = p.or_all(&wrong);
            let outcome = solver.check(p, &[fix_a, fix_b, any], &Budget::unlimited());
            assert!(outcome.is_unsat(), "{mode:?} {a:#b} {b:#b}");
        }
    }
}
