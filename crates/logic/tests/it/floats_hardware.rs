//! `float` and `double` bit for bit against this machine's SSE unit, in all four of its rounding modes, NaN payloads
//! included; `long double` against its x87 unit.
#![cfg(target_arch = "x86_64")]

use crate::random::Random;
use base::Budget;
use logic::float::{Float, Format, Rounding};
use logic::{Solver, TermId, TermPool};
use std::arch::asm;

/// The modes the hardware has, with their bits in MXCSR and in the x87 control word.
pub const MODES: [(Rounding, u32); 4] = [
    (Rounding::NearestEven, 0),
    (Rounding::TowardNegative, 1),
    (Rounding::TowardPositive, 2),
    (Rounding::TowardZero, 3),
];

/// All exceptions masked.
pub const MXCSR: u32 = 0x1f80;

/// An instruction on two registers under a rounding mode; the first is source and destination.
macro_rules! sse {
    ($name:ident, $type:ty, $instruction:literal) => {
        pub fn $name(mode: u32, a: u64, b: u64) -> u64 {
            let (x, y) = (<$type>::from_bits(a as _), <$type>::from_bits(b as _));
            let (control, normal) = (MXCSR | mode << 13, MXCSR);
            let mut result = x;
            // SAFETY: the control register is restored before the block ends, and only registers are touched.
            unsafe {
                asm!(
                    "ldmxcsr [{control}]",
                    concat!($instruction, " {result}, {y}"),
                    "ldmxcsr [{normal}]",
                    control = in(reg) &control,
                    normal = in(reg) &normal,
                    result = inout(xmm_reg) result,
                    y = in(xmm_reg) y,
                );
            }
            result.to_bits() as u64
        }
    };
}

sse!(addsd, f64, "addsd");
sse!(subsd, f64, "subsd");
sse!(mulsd, f64, "mulsd");
sse!(divsd, f64, "divsd");
sse!(sqrtsd, f64, "sqrtsd");
sse!(addss, f32, "addss");
sse!(subss, f32, "subss");
sse!(mulss, f32, "mulss");
sse!(divss, f32, "divss");
sse!(sqrtss, f32, "sqrtss");
sse!(cvtsd2ss, f64, "cvtsd2ss");
sse!(cvtss2sd, f64, "cvtss2sd");

pub type Hardware = fn(u32, u64, u64) -> u64;
pub type Build = fn(Float, &mut TermPool, Rounding, TermId, TermId) -> TermId;

pub const BINARY: [(&str, Build, Hardware, Hardware); 5] = [
    ("add", |f, p, m, a, b| f.add(p, m, a, b), addss, addsd),
    ("sub", |f, p, m, a, b| f.sub(p, m, a, b), subss, subsd),
    ("mul", |f, p, m, a, b| f.mul(p, m, a, b), mulss, mulsd),
    ("div", |f, p, m, a, b| f.div(p, m, a, b), divss, divsd),
    ("sqrt", |f, p, m, _, b| f.sqrt(p, m, b), sqrtss, sqrtsd),
];

/// Random bits, special values, and neighbours of the other operand, so that cancellation and ties happen.
pub fn operand(random: &mut Random, format: Format, other: u64) -> u64 {
    let width = format.width();
    let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
    let fraction = format.significand - 1;
    let infinity = ((1u64 << format.exponent) - 1) << fraction;
    let sign = (random.next() >> 40 & 1) << (width - 1);
    let one = (format.bias() as u64) << fraction;
    let bits = random.next();
    let value = match random.below(16) {
        0 => 0,
        1 => infinity,
        2 => infinity | bits & ((1 << fraction) - 1),
        3 => bits & ((1 << fraction) - 1),
        4 => 1 + random.below(3) as u64,
        5 => (1 << fraction) - 1 + random.below(3) as u64,
        6 => infinity - 1 - random.below(3) as u64,
        7 => one.wrapping_add(random.below(5) as u64).wrapping_sub(2),
        8 => other.wrapping_add(random.below(5) as u64).wrapping_sub(2),
        9 => other.wrapping_add((random.below(60) as u64) << fraction).wrapping_sub(30 << fraction),
        10 => one + ((random.below(70) as u64) << fraction) + (bits & 7),
        11 => (bits & ((1 << fraction) - 1)) | one.wrapping_add((random.below(9) as u64) << fraction),
        12 => (one + ((random.below(30) as u64) << fraction)) | (1 << random.below(fraction as usize)),
        _ => bits,
    };
    (value & (mask >> 1)) | sign
}

fn constant(pool: &TermPool, term: TermId) -> u64 {
    pool.as_u64(term).expect("constants stay constant")
}

/// `f` sees so many pairs of operands, with a fresh pool now and then.
fn pairs(seed: u64, format: Format, count: usize, mut f: impl FnMut(&mut TermPool, u64, u64, u64)) {
    let mut random = Random::new(seed);
    let mut pool = TermPool::new();
    for i in 0..count {
        if i % 500 == 0 {
            pool = TermPool::new();
        }
        let a = operand(&mut random, format, 0);
        let b = operand(&mut random, format, a);
        let c = operand(&mut random, format, b);
        f(&mut pool, a, b, c);
    }
}

fn arithmetic(float: Float, seed: u64, count: usize) {
    let width = float.format.width();
    for (name, build, single, double) in BINARY {
        let hardware = if width == 32 { single } else { double };
        for (i, (mode, bits)) in MODES.into_iter().enumerate() {
            pairs(seed + i as u64, float.format, count, |pool, a, b, _| {
                let (x, y) = (pool.bv(width, a as u128), pool.bv(width, b as u128));
                let result = build(float, pool, mode, x, y);
                let want = hardware(bits, a, b);
                assert_eq!(constant(pool, result), want, "{name} {mode:?} {a:#x} {b:#x}: want {want:#x}");
            });
        }
    }
}

#[test]
fn single_precision() {
    arithmetic(Float::F32, 1000, 12_000);
}

#[test]
fn double_precision() {
    arithmetic(Float::F64, 2000, 8_000);
}

#[test]
fn fused_multiply_add() {
    if !std::arch::is_x86_feature_detected!("fma") {
        return;
    }
    for (i, (mode, bits)) in MODES.into_iter().enumerate() {
        pairs(3000 + i as u64, Format::F64, 6_000, |pool, a, b, c| {
            let [x, y, z] = [a, b, c].map(|v| pool.bv(64, v as u128));
            let result = Float::F64.fma(pool, mode, x, y, z);
            let want = fma_hardware(bits, a, b, c);
            assert_eq!(constant(pool, result), want, "{mode:?} {a:#x} {b:#x} {c:#x}: want {want:#x}");
        });
    }
}

/// `a · b + c` in the form that glibc uses; the form decides which of several NaN operands is the result.
pub fn fma_hardware(mode: u32, a: u64, b: u64, c: u64) -> u64 {
    let (control, normal) = (MXCSR | mode << 13, MXCSR);
    let mut result = f64::from_bits(a);
    // SAFETY: as above, and the caller has asked whether the instruction exists.
    unsafe {
        asm!(
            "ldmxcsr [{control}]",
            "vfmadd132sd {result}, {c}, {b}",
            "ldmxcsr [{normal}]",
            control = in(reg) &control,
            normal = in(reg) &normal,
            result = inout(xmm_reg) result,
            b = in(xmm_reg) f64::from_bits(b),
            c = in(xmm_reg) f64::from_bits(c),
        );
    }
    result.to_bits()
}

#[test]
fn between_single_and_double() {
    for (mode, bits) in MODES {
        pairs(4000, Format::F64, 10_000, |pool, a, _, _| {
            let x = pool.bv(64, a as u128);
            let narrow = Float::F64.convert(pool, mode, x, Float::F32);
            let want = cvtsd2ss(bits, 0, a) & 0xffff_ffff;
            assert_eq!(constant(pool, narrow), want, "to single {mode:?} {a:#x}");
        });
        pairs(4001, Format::F32, 10_000, |pool, a, _, _| {
            let x = pool.bv(32, a as u128);
            let wide = Float::F32.convert(pool, mode, x, Float::F64);
            assert_eq!(constant(pool, wide), cvtss2sd(bits, 0, a), "to double {mode:?} {a:#x}");
        });
    }
}

#[test]
fn integers() {
    let p = |random: &mut Random| random.value(64) as u64;
    let mut random = Random::new(5000);
    let mode = Rounding::NearestEven;
    for round in 0..20_000 {
        let mut pool = TermPool::new();
        let bits = p(&mut random);
        let (x64, x32) = (pool.bv(64, bits as u128), pool.bv(32, bits as u128));
        let cases = [
            (Float::F64.from_signed(&mut pool, mode, x64), (bits as i64 as f64).to_bits()),
            (Float::F64.from_unsigned(&mut pool, mode, x64), (bits as f64).to_bits()),
            (Float::F64.from_signed(&mut pool, mode, x32), (bits as i32 as f64).to_bits()),
            (Float::F32.from_signed(&mut pool, mode, x64), (bits as i64 as f32).to_bits() as u64),
            (Float::F32.from_unsigned(&mut pool, mode, x32), (bits as u32 as f32).to_bits() as u64),
        ];
        for (i, (term, want)) in cases.into_iter().enumerate() {
            assert_eq!(constant(&pool, term), want, "case {i} of {bits:#x}");
        }
        // Rust saturates; inside the range it truncates as C does.
        let f = f64::from_bits(operand(&mut random, Format::F64, (round as f64 * 1e5).to_bits()));
        let x = pool.bv(64, f.to_bits() as u128);
        let truncated = f.trunc();
        let signed = Float::F64.to_signed(&mut pool, Rounding::TowardZero, x, 32);
        let fits = (-2147483648.0..=2147483647.0).contains(&truncated);
        assert_eq!(pool.as_bool(signed.invalid), Some(!fits), "{f}");
        if fits {
            assert_eq!(constant(&pool, signed.value), f as i32 as u32 as u64, "{f}");
        }
        let unsigned = Float::F64.to_unsigned(&mut pool, Rounding::TowardZero, x, 64);
        let fits = (0.0..18446744073709551616.0).contains(&truncated);
        assert_eq!(pool.as_bool(unsigned.invalid), Some(!fits), "{f}");
        if fits {
            assert_eq!(constant(&pool, unsigned.value), f as u64, "{f}");
        }
        for (mode, want) in [
            (Rounding::TowardZero, f.trunc()),
            (Rounding::TowardNegative, f.floor()),
            (Rounding::TowardPositive, f.ceil()),
            (Rounding::NearestEven, f.round_ties_even()),
            (Rounding::NearestAway, f.round()),
        ] {
            let term = Float::F64.round_to_integral(&mut pool, mode, x);
            let got = f64::from_bits(constant(&pool, term));
            assert!(got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(), "{mode:?} {f}");
        }
    }
}

#[test]
fn comparisons_and_remainders() {
    pairs(6000, Format::F64, 3_000, |pool, a, b, _| {
        let (x, y) = (f64::from_bits(a), f64::from_bits(b));
        let (s, t) = (pool.bv(64, a as u128), pool.bv(64, b as u128));
        let f = Float::F64;
        let cases = [
            (f.lt(pool, s, t), x < y),
            (f.le(pool, s, t), x <= y),
            (f.eq(pool, s, t), x == y),
            (f.is_nan(pool, s), x.is_nan()),
            (f.is_infinite(pool, s), x.is_infinite()),
            (f.is_finite(pool, s), x.is_finite()),
            (f.is_normal(pool, s), x.is_normal()),
            (f.is_subnormal(pool, s), x.is_subnormal()),
            (f.is_negative(pool, s), x.is_sign_negative()),
            (f.is_zero(pool, s), x == 0.0),
        ];
        for (i, (term, want)) in cases.into_iter().enumerate() {
            assert_eq!(pool.as_bool(term), Some(want), "case {i} of {x:?} {y:?}");
        }
        let rest = f.fmod(pool, s, t);
        let (got, want) = (f64::from_bits(constant(pool, rest)), x % y);
        assert!(got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(), "{x:?} % {y:?}");
        for (term, want) in [(f.min(pool, s, t), x.min(y)), (f.max(pool, s, t), x.max(y))] {
            let got = f64::from_bits(constant(pool, term));
            assert!(got == want || got.is_nan() && want.is_nan(), "{x:?} {y:?}");
        }
        let (negated, copied) = (f.neg(pool, s), f.copysign(pool, s, t));
        assert_eq!(constant(pool, negated), (-x).to_bits());
        assert_eq!(constant(pool, copied), x.copysign(y).to_bits());
    });
    pairs(6001, Format::F32, 6_000, |pool, a, b, _| {
        let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
        let (s, t) = (pool.bv(32, a as u128), pool.bv(32, b as u128));
        let rest = Float::F32.fmod(pool, s, t);
        let (got, want) = (f32::from_bits(constant(pool, rest) as u32), x % y);
        assert!(got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(), "{x:?} % {y:?}");
        let rest = Float::F32.remainder(pool, s, t);
        let got = f32::from_bits(constant(pool, rest) as u32);
        let want = ieee_remainder(x, y);
        assert!(got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(), "remainder {x:?} {y:?}");
    });
}

pub fn ieee_remainder(x: f32, y: f32) -> f32 {
    use rustc_apfloat::Float as _;
    use rustc_apfloat::ieee::Single;
    let rest = Single::from_bits(x.to_bits() as u128).ieee_rem(Single::from_bits(y.to_bits() as u128));
    f32::from_bits(rest.value.to_bits() as u32)
}

/// 80-bit values through the x87 unit; NaN only as NaN, since it chooses among two of them by their payload.
#[test]
fn extended_precision() {
    let mut random = Random::new(7000);
    let mut pool = TermPool::new();
    for i in 0..12_000 {
        if i % 200 == 0 {
            pool = TermPool::new();
        }
        let a = extended(&mut random, None);
        let b = extended(&mut random, Some(a));
        let (x, y) = (pool.bv(80, a), pool.bv(80, b));
        let (mode, bits) = MODES[i % 4];
        let f = Float::X87;
        let results = [
            f.add(&mut pool, mode, x, y),
            f.sub(&mut pool, mode, x, y),
            f.mul(&mut pool, mode, x, y),
            f.div(&mut pool, mode, x, y),
            f.sqrt(&mut pool, mode, x),
        ];
        for (operation, result) in results.into_iter().enumerate() {
            let want = x87(bits, operation, a, b);
            let got = pool.as_bits(result).and_then(|bits| bits.to_u128()).expect("constant");
            let nan = |v: u128| v >> 64 & 0x7fff == 0x7fff && v << 65 != 0;
            assert!(
                got == want || nan(got) && nan(want),
                "{operation} {mode:?} {a:#x} {b:#x}: {got:#x}, not {want:#x}"
            );
        }
        let double = f.convert(&mut pool, mode, x, Float::F64);
        let want = x87_to_double(bits, a);
        let got = constant(&pool, double);
        assert!(got == want || f64::from_bits(got).is_nan() && f64::from_bits(want).is_nan(), "{a:#x} to double");
    }
}

/// A valid encoding: the integer bit is set unless the exponent field is zero.
fn extended(random: &mut Random, near: Option<u128>) -> u128 {
    let sign = (random.next() >> 33 & 1) as u128;
    let field = match (random.below(8), near) {
        (0, _) => 0,
        (1, _) => 0x7fff,
        (2..=4, Some(other)) => (other >> 64 & 0x7fff).wrapping_add(random.below(9) as u128).wrapping_sub(4) & 0x7fff,
        (5, _) => 0x3fff,
        _ => (random.next() >> 20) as u128 & 0x7fff,
    };
    let fraction = match random.below(4) {
        0 => 0,
        1 => random.below(3) as u64,
        2 => u64::MAX - random.below(3) as u64,
        _ => random.next(),
    } & (u64::MAX >> 1);
    let integer = ((field != 0) as u128) << 63;
    sign << 79 | field << 64 | integer | fraction as u128
}

fn x87(mode: u32, operation: usize, a: u128, b: u128) -> u128 {
    let (left, right, mut result) = (a.to_le_bytes(), b.to_le_bytes(), [0u8; 16]);
    let (control, normal): (u16, u16) = (0x037f | (mode << 10) as u16, 0x037f);
    macro_rules! run {
        ($($line:literal),*) => {
            // SAFETY: reads ten bytes of each operand, writes ten of the result, leaves the x87 stack as it was.
            unsafe {
                asm!(
                    "fldcw word ptr [{control}]",
                    "fld tbyte ptr [{left}]",
                    $($line,)*
                    "fstp tbyte ptr [{result}]",
                    "fldcw word ptr [{normal}]",
                    control = in(reg) &control,
                    normal = in(reg) &normal,
                    left = in(reg) left.as_ptr(),
                    right = in(reg) right.as_ptr(),
                    result = in(reg) result.as_mut_ptr(),
                    out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                    out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
                )
            }
        };
    }
    match operation {
        0 => run!("fld tbyte ptr [{right}]", "faddp"),
        1 => run!("fld tbyte ptr [{right}]", "fsubp st(1), st(0)"),
        2 => run!("fld tbyte ptr [{right}]", "fmulp"),
        3 => run!("fld tbyte ptr [{right}]", "fdivp st(1), st(0)"),
        _ => run!("fld tbyte ptr [{right}]", "fstp st(0)", "fsqrt"),
    }
    u128::from_le_bytes(result)
}

fn x87_to_double(mode: u32, a: u128) -> u64 {
    let (bytes, mut result) = (a.to_le_bytes(), 0u64);
    let (control, normal): (u16, u16) = (0x037f | (mode << 10) as u16, 0x037f);
    // SAFETY: as above, with eight bytes of result.
    unsafe {
        asm!(
            "fldcw word ptr [{control}]",
            "fld tbyte ptr [{source}]",
            "fstp qword ptr [{result}]",
            "fldcw word ptr [{normal}]",
            control = in(reg) &control,
            normal = in(reg) &normal,
            source = in(reg) bytes.as_ptr(),
            result = in(reg) &mut result,
            out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
            out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
        );
    }
    result
}

/// Symbolic operands fixed by assumptions: gates, not folding.
#[test]
fn circuits_agree_with_the_hardware() {
    for (float, count) in [(Float::F32, 40), (Float::F64, 12)] {
        let width = float.format.width();
        let mut pool = TermPool::new();
        let (x, y) = (pool.bv_var("x", width), pool.bv_var("y", width));
        for (name, build, single, double) in BINARY {
            let hardware = if width == 32 { single } else { double };
            let term = build(float, &mut pool, Rounding::NearestEven, x, y);
            let mut solver = Solver::new();
            let mut random = Random::new(8000);
            for _ in 0..count {
                let a = operand(&mut random, float.format, 0);
                let b = operand(&mut random, float.format, a);
                let [ka, kb, want] = [a, b, hardware(0, a, b)].map(|v| pool.bv(width, v as u128));
                let question = [pool.eq(x, ka), pool.eq(y, kb), pool.ne(term, want)];
                let outcome = solver.check(&pool, &question, &Budget::unlimited());
                assert!(outcome.is_unsat(), "{name} {width} {a:#x} {b:#x}");
            }
        }
    }
}
