//! The domains: what an abstract value can say. Each is one file, and one row of [`crate::DOMAINS`].
//!
//! Integers are a reduced product ([`number::Number`]) of intervals, known bits, congruences and finite sets; floating-point numbers are
//! intervals; relations between variables are octagons and affine equations.

pub mod affine;
pub mod bits;
pub mod congruence;
pub mod float;
pub mod interval;
pub mod number;
pub mod octagon;
pub mod values;

/// How an integer's bits are read. The width is from 1 to 64.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Shape {
    pub width: u32,
    pub signed: bool,
}

/// Numbers at which widening stops: constants of the program's text and their neighbours.
#[derive(Clone, Default, Debug)]
pub struct Thresholds {
    /// Ascending.
    numbers: Vec<i128>,
}

impl Thresholds {
    pub fn new(constants: impl IntoIterator<Item = i128>) -> Thresholds {
        let mut numbers: Vec<i128> = vec![-1, 0, 1];
        for constant in constants {
            numbers.extend([constant - 1, constant, constant + 1]);
        }
        for width in [8, 16, 32, 64] {
            let (unsigned, signed) = (interval::view(width, false), interval::view(width, true));
            numbers.extend([signed.lo, signed.hi, unsigned.hi]);
        }
        numbers.sort_unstable();
        numbers.dedup();
        Thresholds { numbers }
    }

    /// Ascending; those that a width does not have are skipped where they are used.
    pub fn numbers(&self) -> &[i128] {
        &self.numbers
    }
}
