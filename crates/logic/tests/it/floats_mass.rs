//! Millions of float operations against this machine's SSE unit, bit for bit: the circuits that the SAT solver sees, simulated 64 cases at
//! a time.
#![cfg(target_arch = "x86_64")]

use crate::floats_hardware::{
    BINARY, Build, Hardware, MODES, MXCSR, cvtsd2ss, cvtss2sd, fma_hardware, ieee_remainder, operand,
};
use crate::random::Random;
use logic::float::{Float, Format, Rounding};
use logic::simulate::{Circuit, LANES};
use logic::{TermId, TermPool};
use std::arch::asm;

/// How to compare a result that is a NaN.
#[derive(Clone, Copy, PartialEq)]
enum Nan {
    Bits,
    Any,
}

/// A circuit over floats of one format, and the cases it is tried on.
struct Trial<'t> {
    name: &'t str,
    float: Float,
    arity: usize,
    cases: usize,
    /// The format of the result if it may be a NaN that is compared as [`Nan`] says.
    nan: (Nan, Format),
}

impl Trial<'_> {
    /// Runs random, special and neighbouring operands.
    fn run(&self, build: impl Fn(&mut TermPool, &[TermId]) -> TermId, hardware: impl Fn(&[u64]) -> u64) {
        let format = self.float.format;
        let numbers = |random: &mut Random| {
            let mut values = [0; 3];
            for at in 0..self.arity {
                values[at] = operand(random, format, if at == 0 { 0 } else { values[at - 1] });
            }
            values
        };
        self.run_on(format.width(), numbers, build, hardware);
    }

    fn run_on(
        &self,
        width: u32,
        values: impl Fn(&mut Random) -> [u64; 3],
        build: impl Fn(&mut TermPool, &[TermId]) -> TermId,
        hardware: impl Fn(&[u64]) -> u64,
    ) {
        let mut pool = TermPool::new();
        let inputs: Vec<TermId> = (0..self.arity).map(|at| pool.bv_var(&format!("x{at}"), width)).collect();
        let output = build(&mut pool, &inputs);
        let mut circuit = Circuit::new(&pool, &inputs, &[output]);
        let mut random = Random::new(9000 + self.name.len() as u64);
        for _ in 0..self.cases.div_ceil(LANES) {
            let mut lanes = vec![[0u128; LANES]; self.arity];
            let mut cases = [[0u64; 3]; LANES];
            for (lane, case) in cases.iter_mut().enumerate() {
                *case = values(&mut random);
                (0..self.arity).for_each(|at| lanes[at][lane] = case[at] as u128);
            }
            let results = circuit.run(&lanes);
            for (lane, case) in cases.iter().enumerate() {
                let (got, want) = (results[0][lane] as u64, hardware(&case[..self.arity]));
                let both_nan = self.nan.0 == Nan::Any && is_nan(self.nan.1, got) && is_nan(self.nan.1, want);
                assert!(got == want || both_nan, "{} {case:#x?}: {got:#x}, not {want:#x}", self.name);
            }
        }
    }
}

fn is_nan(format: Format, bits: u64) -> bool {
    let infinity = ((1u64 << format.exponent) - 1) << (format.significand - 1);
    bits & (infinity << 1 | infinity | (infinity - 1)) & !(1 << (format.width() - 1)) > infinity
}

const FORMATS: [(Float, usize); 2] = [(Float::F32, 0), (Float::F64, 1)];

/// What is compared bit for bit.
fn exact<'t>(name: &'t str, float: Float, arity: usize, cases: usize) -> Trial<'t> {
    Trial { name, float, arity, cases, nan: (Nan::Bits, float.format) }
}

#[test]
fn arithmetic() {
    for (name, build, single, double) in BINARY {
        for (float, precision) in FORMATS {
            let hardware: Hardware = [single, double][precision];
            let build: Build = build;
            for (mode, bits) in MODES {
                let name = format!("{name} {} {mode:?}", float.format.width());
                exact(&name, float, 2, 128_000)
                    .run(|pool, x| build(float, pool, mode, x[0], x[1]), |x| hardware(bits, x[0], x[1]));
            }
        }
    }
}

#[test]
fn fused() {
    if !std::arch::is_x86_feature_detected!("fma") {
        return;
    }
    for (mode, bits) in MODES {
        exact("fma 64", Float::F64, 3, 24_000)
            .run(|pool, x| Float::F64.fma(pool, mode, x[0], x[1], x[2]), |x| fma_hardware(bits, x[0], x[1], x[2]));
        exact("fma 32", Float::F32, 3, 64_000)
            .run(|pool, x| Float::F32.fma(pool, mode, x[0], x[1], x[2]), |x| fma_single(bits, x[0], x[1], x[2]));
    }
}

fn fma_single(mode: u32, a: u64, b: u64, c: u64) -> u64 {
    let (control, normal) = (MXCSR | mode << 13, MXCSR);
    let mut result = f32::from_bits(a as u32);
    // SAFETY: the control register is restored before the block ends, and the caller has asked whether the instruction exists.
    unsafe {
        asm!(
            "ldmxcsr [{control}]",
            "vfmadd132ss {result}, {c}, {b}",
            "ldmxcsr [{normal}]",
            control = in(reg) &control,
            normal = in(reg) &normal,
            result = inout(xmm_reg) result,
            b = in(xmm_reg) f32::from_bits(b as u32),
            c = in(xmm_reg) f32::from_bits(c as u32),
        );
    }
    result.to_bits() as u64
}

/// An instruction between a general and a vector register under a rounding mode.
macro_rules! convert {
    ($name:ident, $instruction:literal, from $from:ty, $in:ident, to $to:ty, $out:ident) => {
        fn $name(mode: u32, from: $from) -> $to {
            let (control, normal) = (MXCSR | mode << 13, MXCSR);
            let to: $to;
            // SAFETY: the control register is restored before the block ends, and only registers are touched.
            unsafe {
                asm!(
                    "ldmxcsr [{control}]",
                    $instruction,
                    "ldmxcsr [{normal}]",
                    control = in(reg) &control,
                    normal = in(reg) &normal,
                    from = in($in) from,
                    to = out($out) to,
                );
            }
            to
        }
    };
}

convert!(long_to_double, "cvtsi2sd {to}, {from}", from i64, reg, to f64, xmm_reg);
convert!(long_to_single, "cvtsi2ss {to}, {from}", from i64, reg, to f32, xmm_reg);
convert!(double_to_long, "cvtsd2si {to}, {from}", from f64, xmm_reg, to i64, reg);
convert!(single_to_long, "cvtss2si {to}, {from}", from f32, xmm_reg, to i64, reg);
convert!(double_to_int, "cvtsd2si {to:e}, {from}", from f64, xmm_reg, to i32, reg);
convert!(single_to_int, "cvtss2si {to:e}, {from}", from f32, xmm_reg, to i32, reg);
convert!(round_double, "roundsd {to}, {from}, 4", from f64, xmm_reg, to f64, xmm_reg);
convert!(round_single, "roundss {to}, {from}, 4", from f32, xmm_reg, to f32, xmm_reg);

#[test]
fn conversions() {
    for (mode, bits) in MODES {
        let narrow = Trial { nan: (Nan::Bits, Format::F32), ..exact("double to single", Float::F64, 1, 64_000) };
        narrow
            .run(|pool, x| Float::F64.convert(pool, mode, x[0], Float::F32), |x| cvtsd2ss(bits, 0, x[0]) & 0xffff_ffff);
        exact("single to double", Float::F32, 1, 64_000)
            .run(|pool, x| Float::F32.convert(pool, mode, x[0], Float::F64), |x| cvtss2sd(bits, 0, x[0]));

        let integers = |random: &mut Random| [random.value(64) as u64, 0, 0];
        exact("long to double", Float::F64, 1, 64_000).run_on(
            64,
            integers,
            |pool, x| Float::F64.from_signed(pool, mode, x[0]),
            |x| long_to_double(bits, x[0] as i64).to_bits(),
        );
        exact("long to single", Float::F32, 1, 64_000).run_on(
            64,
            integers,
            |pool, x| Float::F32.from_signed(pool, mode, x[0]),
            |x| long_to_single(bits, x[0] as i64).to_bits() as u64,
        );
        // What does not fit is the "integer indefinite", whose bits only the smallest number shares.
        let whole = |float: Float, width: u32| {
            move |pool: &mut TermPool, x: &[TermId]| {
                let result = float.to_signed(pool, mode, x[0], width);
                let indefinite = pool.bv(width, 1 << (width - 1));
                pool.ite(result.invalid, indefinite, result.value)
            }
        };
        let numbers = |format: Format, one: u64| {
            // Near the limits of integers more often than an arbitrary exponent would be.
            move |random: &mut Random| {
                let fraction = format.significand - 1;
                let near = one + ((random.below(68) as u64) << fraction) + (random.next() & ((1 << fraction) - 1));
                let sign = (random.next() & 1) << (format.width() - 1);
                [if random.below(2) == 0 { near | sign } else { operand(random, format, near) }, 0, 0]
            }
        };
        let (single, double) = (|x: u64| f32::from_bits(x as u32), f64::from_bits);
        let (ones, oned) = (1.0f32.to_bits() as u64, 1.0f64.to_bits());
        exact("double to long", Float::F64, 1, 64_000).run_on(
            64,
            numbers(Format::F64, oned),
            whole(Float::F64, 64),
            |x| double_to_long(bits, double(x[0])) as u64,
        );
        exact("double to int", Float::F64, 1, 64_000).run_on(
            64,
            numbers(Format::F64, oned),
            whole(Float::F64, 32),
            |x| double_to_int(bits, double(x[0])) as u32 as u64,
        );
        exact("single to long", Float::F32, 1, 64_000).run_on(
            32,
            numbers(Format::F32, ones),
            whole(Float::F32, 64),
            |x| single_to_long(bits, single(x[0])) as u64,
        );
        exact("single to int", Float::F32, 1, 64_000).run_on(
            32,
            numbers(Format::F32, ones),
            whole(Float::F32, 32),
            |x| single_to_int(bits, single(x[0])) as u32 as u64,
        );
        if std::arch::is_x86_feature_detected!("sse4.1") {
            exact("round double", Float::F64, 1, 64_000).run_on(
                64,
                numbers(Format::F64, oned),
                |pool, x| Float::F64.round_to_integral(pool, mode, x[0]),
                |x| round_double(bits, double(x[0])).to_bits(),
            );
            exact("round single", Float::F32, 1, 64_000).run_on(
                32,
                numbers(Format::F32, ones),
                |pool, x| Float::F32.round_to_integral(pool, mode, x[0]),
                |x| round_single(bits, single(x[0])).to_bits() as u64,
            );
        }
    }
    unsigned();
}

/// Rust's conversions are the hardware's to nearest, and truncate and saturate.
fn unsigned() {
    let integers = |random: &mut Random| [random.value(64) as u64, 0, 0];
    let mode = Rounding::NearestEven;
    exact("unsigned to double", Float::F64, 1, 128_000).run_on(
        64,
        integers,
        |pool, x| Float::F64.from_unsigned(pool, mode, x[0]),
        |x| (x[0] as f64).to_bits(),
    );
    exact("unsigned to single", Float::F32, 1, 128_000).run_on(
        64,
        integers,
        |pool, x| Float::F32.from_unsigned(pool, mode, x[0]),
        |x| (x[0] as f32).to_bits() as u64,
    );
    exact("double to unsigned", Float::F64, 1, 128_000).run(
        |pool, x| {
            let result = Float::F64.to_unsigned(pool, Rounding::TowardZero, x[0], 64);
            let zero = pool.bv(64, 0);
            pool.ite(result.invalid, zero, result.value)
        },
        |x| {
            let value = f64::from_bits(x[0]);
            if (0.0..18446744073709551616.0).contains(&value.trunc()) { value as u64 } else { 0 }
        },
    );
}

#[test]
fn comparisons() {
    type Compare = fn(Float, &mut TermPool, TermId, TermId) -> TermId;
    type Holds = fn(f64, f64) -> bool;
    let relations: [(&str, Compare, Holds); 3] = [
        ("<", |f, p, a, b| f.lt(p, a, b), |a, b| a < b),
        ("<=", |f, p, a, b| f.le(p, a, b), |a, b| a <= b),
        ("==", |f, p, a, b| f.eq(p, a, b), |a, b| a == b),
    ];
    for (name, build, holds) in relations {
        for (float, precision) in FORMATS {
            let number = |bits: u64| match precision {
                0 => f64::from(f32::from_bits(bits as u32)),
                _ => f64::from_bits(bits),
            };
            exact(name, float, 2, 256_000).run(
                |pool, x| {
                    let holds = build(float, pool, x[0], x[1]);
                    pool.bool_to_bv(holds, 1)
                },
                |x| holds(number(x[0]), number(x[1])) as u64,
            );
        }
    }
}

#[test]
fn remainders() {
    let f = Float::F32;
    let number = |bits: u64| f32::from_bits(bits as u32);
    let loose = |name| Trial { nan: (Nan::Any, Format::F32), ..exact(name, f, 2, 128_000) };
    loose("fmod").run(|pool, x| f.fmod(pool, x[0], x[1]), |x| (number(x[0]) % number(x[1])).to_bits() as u64);
    loose("remainder")
        .run(|pool, x| f.remainder(pool, x[0], x[1]), |x| ieee_remainder(number(x[0]), number(x[1])).to_bits() as u64);
    let f = Float::F64;
    let loose = Trial { nan: (Nan::Any, Format::F64), ..exact("fmod 64", f, 2, 6_400) };
    loose.run(|pool, x| f.fmod(pool, x[0], x[1]), |x| (f64::from_bits(x[0]) % f64::from_bits(x[1])).to_bits());
}
