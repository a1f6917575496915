//! IEEE 754 floats as bit-vector terms. A float is its encoding; every operation is a term over encodings.
//!
//! The rounding mode is a constant of each operation. What a NaN looks like is decided in one place, [`NanPolicy`]:
//! with [`NanPolicy::X86`] results are bit for bit those of SSE instructions (and, apart from the choice among two NaN
//! operands, of x87 ones). Exception flags and traps are not modelled.
//!
//! Numbers are unpacked into sign, unbiased exponent and significand (`unpack`), operated on exactly or with a sticky
//! bit, and rounded once (`round`).

mod add;
mod compare;
mod convert;
mod integral;
mod multiply;
pub(crate) mod origin;
mod remainder;
mod root;
mod round;
mod unpack;

pub use convert::Integer;

use crate::bits::Bits;
use crate::pool::TermPool;
use crate::term::TermId;

/// The sizes of an encoding.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Format {
    /// Bits of the exponent field, at least 2.
    pub exponent: u32,
    /// Bits of the significand with its integer bit, at least 2.
    pub significand: u32,
    /// Whether the integer bit is stored, as in the x87 format. There an encoding with a non-zero exponent and a clear
    /// integer bit is an invalid operand, which we treat as a NaN.
    pub explicit_bit: bool,
}

impl Format {
    pub const F16: Format = Format::ieee(5, 11);
    pub const F32: Format = Format::ieee(8, 24);
    pub const F64: Format = Format::ieee(11, 53);
    pub const F128: Format = Format::ieee(15, 113);
    /// The 80 bits of a `long double` on x86.
    pub const X87: Format = Format { exponent: 15, significand: 64, explicit_bit: true };

    pub const fn ieee(exponent: u32, significand: u32) -> Format {
        Format { exponent, significand, explicit_bit: false }
    }

    pub const fn width(self) -> u32 {
        self.exponent + self.significand + self.explicit_bit as u32
    }

    /// What is added to the exponent in the encoding.
    pub const fn bias(self) -> i128 {
        (1 << (self.exponent - 1)) - 1
    }

    const fn min_exponent(self) -> i128 {
        1 - self.bias()
    }

    /// The exponent of the smallest subnormal number.
    const fn least_exponent(self) -> i128 {
        self.min_exponent() - (self.significand as i128 - 1)
    }

    /// Bits for an unbiased exponent, of a subnormal number too, as a signed number.
    fn exponent_width(self) -> u32 {
        signed_width(self.least_exponent()).max(signed_width(self.bias() + 1))
    }
}

/// The width of a signed number that can hold the value.
fn signed_width(value: i128) -> u32 {
    let magnitude = if value < 0 { !value } else { value };
    129 - magnitude.leading_zeros()
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rounding {
    /// To nearest, ties to even.
    NearestEven,
    /// To nearest, ties away from zero.
    NearestAway,
    TowardZero,
    TowardPositive,
    TowardNegative,
}

/// What an operation gives when there is no number to give.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NanPolicy {
    /// Always the positive quiet NaN without payload (`0x7fc00000`).
    Canonical,
    /// The first operand that is a NaN, made quiet; otherwise the negative "real indefinite" (`0xffc00000`).
    X86,
}

/// A format and its NaN policy: the operations are methods of this.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Float {
    pub format: Format,
    pub nan: NanPolicy,
}

impl Float {
    pub const F32: Float = Float::x86(Format::F32);
    pub const F64: Float = Float::x86(Format::F64);
    pub const X87: Float = Float::x86(Format::X87);

    pub const fn x86(format: Format) -> Float {
        Float { format, nan: NanPolicy::X86 }
    }

    /// From exponent field and fraction, both as terms or constants of their width.
    fn assemble(self, pool: &mut TermPool, sign: TermId, body: TermId) -> TermId {
        let Format { exponent, significand, explicit_bit } = self.format;
        let sign = pool.bool_to_bv(sign, 1);
        if !explicit_bit {
            return pool.concat(sign, body);
        }
        let field = pool.extract(body, exponent + significand - 2, significand - 1);
        let fraction = pool.extract(body, significand - 2, 0);
        let normal = pool.bv_to_bool(field);
        let integer_bit = pool.bool_to_bv(normal, 1);
        let low = pool.concat(integer_bit, fraction);
        let high = pool.concat(sign, field);
        pool.concat(high, low)
    }

    fn body(self, pool: &mut TermPool, field: &Bits, fraction: &Bits) -> TermId {
        pool.bits(&field.concat(fraction))
    }

    pub fn zero(self, pool: &mut TermPool, sign: TermId) -> TermId {
        let body = pool.bv(self.format.exponent + self.format.significand - 1, 0);
        self.assemble(pool, sign, body)
    }

    pub fn infinity(self, pool: &mut TermPool, sign: TermId) -> TermId {
        let body = self.infinite_body(pool);
        self.assemble(pool, sign, body)
    }

    fn infinite_body(self, pool: &mut TermPool) -> TermId {
        self.body(pool, &Bits::ones(self.format.exponent), &Bits::zero(self.format.significand - 1))
    }

    fn largest_body(self, pool: &mut TermPool) -> TermId {
        let field = Bits::ones(self.format.exponent).sub(&Bits::one(self.format.exponent));
        self.body(pool, &field, &Bits::ones(self.format.significand - 1))
    }

    /// The NaN of an invalid operation.
    pub fn default_nan(self, pool: &mut TermPool) -> TermId {
        let body = self.body(pool, &Bits::ones(self.format.exponent), &Bits::min_signed(self.format.significand - 1));
        let sign = pool.bool(self.nan == NanPolicy::X86);
        self.assemble(pool, sign, body)
    }

    /// The result of an operation on these operands when one of them is a NaN or the operation is invalid.
    fn nan_result(self, pool: &mut TermPool, operands: &[TermId]) -> TermId {
        let mut result = self.default_nan(pool);
        if self.nan == NanPolicy::X86 {
            for operand in operands.iter().rev() {
                let is_nan = self.is_nan(pool, *operand);
                let quiet = self.quiet(pool, *operand);
                result = pool.ite(is_nan, quiet, result);
            }
        }
        result
    }

    /// A NaN with its quiet bit set.
    fn quiet(self, pool: &mut TermPool, a: TermId) -> TermId {
        let bit = Bits::one(self.format.width()).shl_by(self.format.significand - 2);
        let bit = pool.bits(&bit);
        pool.bv_or(a, bit)
    }
}

/// The first case whose condition holds.
fn first_of(pool: &mut TermPool, cases: &[(TermId, TermId)], otherwise: TermId) -> TermId {
    cases.iter().rev().fold(otherwise, |rest, (condition, value)| pool.ite(*condition, *value, rest))
}
