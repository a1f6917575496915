//! Congruences (Granger 1989): the number, read as its type reads it, is `residue` modulo `modulus`. A modulus of 0 means equality, of 1
//! that nothing is known. Where an operation may wrap around, only the part of the modulus that is a power of two survives.

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Congruence {
    pub modulus: i128,
    /// From 0 to below the modulus, unless that is 0.
    pub residue: i128,
}

/// Larger moduli say nothing that an interval does not say better.
const LARGEST: i128 = 1 << 62;

impl Congruence {
    pub const TOP: Congruence = Congruence { modulus: 1, residue: 0 };

    pub fn constant(value: i128) -> Congruence {
        Congruence { modulus: 0, residue: value }
    }

    pub fn new(modulus: i128, residue: i128) -> Congruence {
        match modulus.checked_abs() {
            Some(0) => Congruence::constant(residue),
            Some(modulus) if modulus < LARGEST => Congruence { modulus, residue: residue.rem_euclid(modulus) },
            _ => Congruence::TOP,
        }
    }

    pub fn contains(self, value: i128) -> bool {
        match self.modulus {
            0 => value == self.residue,
            modulus => value.rem_euclid(modulus) == self.residue,
        }
    }

    pub fn join(self, other: Congruence) -> Congruence {
        let modulus = gcd(gcd(self.modulus, other.modulus), (self.residue - other.residue).abs());
        Congruence::new(modulus, self.residue)
    }

    /// One of two that both hold; `None` if they contradict each other.
    pub fn meet(self, other: Congruence) -> Option<Congruence> {
        let common = gcd(self.modulus, other.modulus);
        let apart = self.residue - other.residue;
        if (common == 0 && apart != 0) || (common != 0 && apart.rem_euclid(common) != 0) {
            return None;
        }
        // The combination of two moduli would need the Chinese remainder theorem; keeping the stronger one is sound.
        let stronger = |a: Congruence, b: Congruence| a.modulus == 0 || (b.modulus != 0 && a.modulus >= b.modulus);
        let small = self.modulus > 0 && other.modulus > 0 && self.modulus < 1 << 16 && other.modulus < 1 << 16;
        if !small {
            return Some(if stronger(self, other) { self } else { other });
        }
        let product = self.modulus / common * other.modulus;
        let mut value = self.residue;
        while value.rem_euclid(other.modulus) != other.residue {
            value += self.modulus;
            if value > product + self.modulus {
                return Some(if stronger(self, other) { self } else { other });
            }
        }
        Some(Congruence::new(product, value))
    }

    /// What holds of the bits whichever way they are wrapped to the width.
    pub fn wrapped(self, width: u32) -> Congruence {
        Congruence::new(gcd(self.modulus, 1 << width), self.residue)
    }

    pub fn plus(self, other: Congruence) -> Congruence {
        Congruence::new(gcd(self.modulus, other.modulus), self.residue + other.residue)
    }

    pub fn minus(self, other: Congruence) -> Congruence {
        Congruence::new(gcd(self.modulus, other.modulus), self.residue - other.residue)
    }

    pub fn times(self, other: Congruence) -> Congruence {
        let product = |a: i128, b: i128| a.checked_mul(b);
        let parts = [
            product(self.modulus, other.modulus),
            product(self.modulus, other.residue),
            product(self.residue, other.modulus),
        ];
        let modulus = parts.into_iter().try_fold(0, |sum, part| Some(gcd(sum, part?.checked_abs()?)));
        match (modulus, product(self.residue, other.residue)) {
            (Some(modulus), Some(residue)) => Congruence::new(modulus, residue),
            _ => Congruence::TOP,
        }
    }

    /// Remainders by a constant: they differ from the dividend by a multiple of it.
    pub fn remainder_by(self, divisor: i128) -> Congruence {
        Congruence::new(gcd(self.modulus, divisor), self.residue)
    }
}

pub fn gcd(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.abs()
}
