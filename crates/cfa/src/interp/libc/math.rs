//! `math.h`, as far as results are exact. One generic implementation over software floats; square roots are the hardware's, or for
//! `long double` an integer square root.

use super::*;
use crate::library::{Approximate, Classify, Compare, Math};
use crate::types::{FloatKind, TypeTable};
use rustc_apfloat::ieee::{Double, Single, X87DoubleExtended};
use rustc_apfloat::{Category, Float, Round};
use std::cmp::Ordering;

impl Machine<'_> {
    pub(super) fn math(&mut self, call: &Invocation<'_>, function: Math, kind: FloatKind) -> Answer {
        match kind {
            FloatKind::Float => self.math_of::<Single>(call, function, kind),
            FloatKind::Double => self.math_of::<Double>(call, function, kind),
            FloatKind::LongDouble => self.math_of::<X87DoubleExtended>(call, function, kind),
        }
    }

    fn math_of<F: Float>(&mut self, call: &Invocation<'_>, function: Math, kind: FloatKind) -> Answer {
        // An argument of another floating type comes from a call without a prototype.
        let operand = |index: usize| -> Result<F, Stop> {
            let (ty, bits) = call.typed(index)?;
            let bits = if self.program.types.is_scalar(ty) {
                eval::cast(&self.program.types, ty, TypeId::float(kind), bits)
            } else {
                return Err(Stop::Fault(Fault::CallMismatch));
            };
            Ok(F::from_bits(bits.get()))
        };
        let float = |value: F| Ok(Some(Bits::new(value.to_bits())));
        match function {
            Math::Infinity => return float(F::INFINITY),
            Math::Nan => return float(F::NAN),
            _ => {}
        }
        let x = operand(0)?;
        match function {
            Math::Fabs => float(x.abs()),
            Math::Sqrt => Ok(Some(square_root(kind, Bits::new(x.to_bits())))),
            Math::Floor => float(integral(x, Round::TowardNegative)),
            Math::Ceil => float(integral(x, Round::TowardPositive)),
            Math::Trunc => float(integral(x, Round::TowardZero)),
            Math::Round => float(integral(x, Round::NearestTiesToAway)),
            Math::Roundeven | Math::Rint => float(integral(x, Round::NearestTiesToEven)),
            Math::Fmod => float(made(x.c_fmod(operand(1)?).value, &[x, operand(1)?])),
            Math::Remainder => float(made(x.ieee_rem(operand(1)?).value, &[x, operand(1)?])),
            Math::Copysign => float(x.copy_sign(operand(1)?)),
            // Of two zeros glibc takes the second, but `fminl` the first.
            Math::Fmin => float(choose(x, operand(1)?, Ordering::Less, kind == FloatKind::LongDouble)),
            Math::Fmax => float(choose(x, operand(1)?, Ordering::Greater, false)),
            Math::Fdim => float(positive_difference(x, operand(1)?)),
            Math::Nextafter => float(next_after(x, operand(1)?)),
            Math::Fma => {
                let (y, z) = (operand(1)?, operand(2)?);
                float(made(x.mul_add(y, z).value, &[x, y, z]))
            }
            Math::Ldexp => float(scaled(x, call.int(1)? as i64)),
            Math::Scalbln => {
                float(scaled(x, eval::to_i128(&self.program.types, TypeId::LONG, call.typed(1)?.1) as i64))
            }
            Math::Logb => float(exponent(x)),
            Math::Ilogb => int(integer_exponent(x)),
            Math::Lround => self.rounded(x, Round::NearestTiesToAway, IntKind::Long),
            Math::Llround => self.rounded(x, Round::NearestTiesToAway, IntKind::LongLong),
            Math::Lrint => self.rounded(x, Round::NearestTiesToEven, IntKind::Long),
            Math::Llrint => self.rounded(x, Round::NearestTiesToEven, IntKind::LongLong),
            Math::Modf => {
                let whole = integral(x, Round::TowardZero);
                let ty = TypeId::float(kind);
                self.memory.store_scalar(&self.program.types, call.arg(1)?, 0, ty, Bits::new(whole.to_bits()))?;
                let rest = if x.is_infinite() { F::ZERO } else { (x - whole).value };
                float(rest.copy_sign(x))
            }
            Math::Frexp => {
                let mut power = 0;
                let fraction = if x.is_finite_non_zero() { x.frexp(&mut power) } else { x };
                let bits = Bits { lo: power as u32 as u64, hi: 0 };
                self.memory.store_scalar(&self.program.types, call.arg(1)?, 0, TypeId::INT, bits)?;
                float(fraction)
            }
            Math::Infinity | Math::Nan => float(x),
        }
    }

    /// The result of the system's library.
    pub(super) fn approximate(&mut self, call: &Invocation<'_>, function: Approximate, kind: FloatKind) -> Answer {
        let (x, y) = (call.typed(0)?.1, if function.arity() > 1 { call.typed(1)?.1 } else { Bits::ZERO });
        match function.of_system(kind, x, y) {
            Some(result) => Ok(Some(result)),
            None => Err(self.unsupported(call, "a mathematical function of `long double`")),
        }
    }

    fn rounded<F: Float>(&self, x: F, round: Round, kind: IntKind) -> Answer {
        let width = kind.bits(self.program.model());
        let result = x.to_i128_r(width as usize, round, &mut false);
        if result.status.contains(rustc_apfloat::Status::INVALID_OP) {
            return word(1 << (width - 1));
        }
        word(result.value as u64)
    }
}

/// NaNs that an operation makes out of numbers are negative on x86.
fn made<F: Float>(value: F, operands: &[F]) -> F {
    let fresh = value.is_nan() && operands.iter().all(|operand| !operand.is_nan());
    if fresh && !value.is_negative() { -value } else { value }
}

fn integral<F: Float>(x: F, round: Round) -> F {
    x.round_to_integral(round).value
}

fn choose<F: Float>(x: F, y: F, wanted: Ordering, first_of_equals: bool) -> F {
    let first = match x.partial_cmp(&y) {
        None => !x.is_nan(),
        Some(Ordering::Equal) => first_of_equals,
        Some(order) => order == wanted,
    };
    if first { x } else { y }
}

fn positive_difference<F: Float>(x: F, y: F) -> F {
    match x.partial_cmp(&y) {
        Some(Ordering::Less | Ordering::Equal) => F::ZERO,
        Some(Ordering::Greater) => (x - y).value,
        None => (x + y).value,
    }
}

fn next_after<F: Float>(x: F, y: F) -> F {
    match x.partial_cmp(&y) {
        None => (x + y).value,
        Some(Ordering::Equal) => y,
        Some(Ordering::Less) => x.next_up().value,
        Some(Ordering::Greater) => x.next_down().value,
    }
}

fn scaled<F: Float>(x: F, power: i64) -> F {
    x.scalbn(power.clamp(-100_000, 100_000) as i32)
}

fn exponent<F: Float>(x: F) -> F {
    match x.category() {
        Category::NaN => x,
        Category::Infinity => F::INFINITY,
        Category::Zero => -F::INFINITY,
        Category::Normal => F::from_i128(x.ilogb() as i128).value,
    }
}

fn integer_exponent<F: Float>(x: F) -> i32 {
    match x.category() {
        Category::NaN | Category::Zero => i32::MIN,
        Category::Infinity => i32::MAX,
        Category::Normal => x.ilogb(),
    }
}

fn square_root(kind: FloatKind, x: Bits) -> Bits {
    match kind {
        FloatKind::Float => eval::from_f32(eval::to_f32(x).sqrt()),
        FloatKind::Double => eval::from_f64(eval::to_f64(x).sqrt()),
        FloatKind::LongDouble => eval::from_x87(square_root_x87(eval::to_x87(x))),
    }
}

/// The significand's root is an integer root: of 127 or 128 bits it has 64, and no tie is possible.
fn square_root_x87(x: X87DoubleExtended) -> X87DoubleExtended {
    if x.is_nan() || x.is_zero() {
        return x;
    }
    if x.is_negative() {
        return -X87DoubleExtended::NAN;
    }
    if x.is_infinite() {
        return x;
    }
    let mut power = 0;
    // x = fraction * 2^power, fraction in [1/2, 1): 64 bits of it are an integer.
    let fraction = x.frexp(&mut power).scalbn(64);
    let significand = fraction.to_u128(64).value;
    let odd = power.rem_euclid(2);
    let radicand = significand << (64 - odd);
    let root = radicand.isqrt();
    let root = root + (radicand - root * root > root) as u128;
    // sqrt(fraction * 2^power) = root * 2^((power + odd)/2 - 64)
    X87DoubleExtended::from_u128(root).value.scalbn((power + odd) / 2 - 64)
}

fn category<F: Float>(bits: Bits) -> (Category, bool, bool) {
    let x = F::from_bits(bits.get());
    (x.category(), x.is_negative(), x.is_denormal())
}

/// Class, sign, and whether it is subnormal.
fn class_of(ty: TypeId, bits: Bits) -> Result<(Category, bool, bool), Stop> {
    match ty.float_kind() {
        Some(FloatKind::Float) => Ok(category::<Single>(bits)),
        Some(FloatKind::Double) => Ok(category::<Double>(bits)),
        Some(FloatKind::LongDouble) => Ok(category::<X87DoubleExtended>(bits)),
        None => Err(Stop::Fault(Fault::LibraryMisuse)),
    }
}

pub(super) fn classify(call: &Invocation<'_>, class: Classify) -> Result<i32, Stop> {
    let (ty, bits) = call.typed(0)?;
    let (category, negative, subnormal) = class_of(ty, bits)?;
    Ok(match class {
        Classify::Nan => (category == Category::NaN) as i32,
        Classify::Infinite => (category == Category::Infinity) as i32,
        Classify::InfiniteSign if category != Category::Infinity => 0,
        Classify::InfiniteSign => 1 - 2 * negative as i32,
        Classify::InfiniteOpen => (category == Category::Infinity) as i32,
        Classify::Finite => matches!(category, Category::Zero | Category::Normal) as i32,
        Classify::Normal => (category == Category::Normal && !subnormal) as i32,
        Classify::Signbit => negative as i32,
        Classify::Fpclassify => standard_class(category, subnormal),
    })
}

fn standard_class(category: Category, subnormal: bool) -> i32 {
    match category {
        Category::NaN => 0,
        Category::Infinity => 1,
        Category::Zero => 2,
        Category::Normal if subnormal => 3,
        Category::Normal => 4,
    }
}

pub(super) fn builtin_fpclassify(call: &Invocation<'_>) -> Answer {
    let (ty, bits) = call.typed(5)?;
    let (category, _, subnormal) = class_of(ty, bits)?;
    // The order of the arguments: NaN, infinite, normal, subnormal, zero.
    let argument = [0, 1, 4, 3, 2][standard_class(category, subnormal) as usize];
    int(call.int(argument)?)
}

pub(super) fn compare(types: &TypeTable, call: &Invocation<'_>, relation: Compare) -> Answer {
    let wide = |index: usize| -> Result<X87DoubleExtended, Stop> {
        let (ty, bits) = call.typed(index)?;
        Ok(eval::to_x87(eval::cast(types, ty, TypeId::LONG_DOUBLE, bits)))
    };
    let order = wide(0)?.partial_cmp(&wide(1)?);
    int(match relation {
        Compare::Less => order == Some(Ordering::Less),
        Compare::LessEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        Compare::Greater => order == Some(Ordering::Greater),
        Compare::GreaterEqual => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        Compare::LessGreater => matches!(order, Some(Ordering::Less | Ordering::Greater)),
        Compare::Unordered => order.is_none(),
    } as i32)
}
