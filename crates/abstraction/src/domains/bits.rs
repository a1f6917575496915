//! Known bits: for each bit of a machine integer whether it is surely 0, surely 1, or open. The arithmetic follows LLVM's `KnownBits`.

/// The masks do not overlap and have no bits beyond the width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KnownBits {
    pub zeros: u64,
    pub ones: u64,
}

pub fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

impl KnownBits {
    pub const TOP: KnownBits = KnownBits { zeros: 0, ones: 0 };

    pub fn constant(bits: u64, width: u32) -> KnownBits {
        KnownBits { zeros: !bits & mask(width), ones: bits }
    }

    pub fn known(self) -> u64 {
        self.zeros | self.ones
    }

    pub fn contains(self, bits: u64) -> bool {
        bits & self.zeros == 0 && bits & self.ones == self.ones
    }

    pub fn join(self, other: KnownBits) -> KnownBits {
        KnownBits { zeros: self.zeros & other.zeros, ones: self.ones & other.ones }
    }

    pub fn meet(self, other: KnownBits) -> Option<KnownBits> {
        let met = KnownBits { zeros: self.zeros | other.zeros, ones: self.ones | other.ones };
        (met.zeros & met.ones == 0).then_some(met)
    }

    pub fn inverted(self) -> KnownBits {
        KnownBits { zeros: self.ones, ones: self.zeros }
    }

    pub fn and(self, other: KnownBits) -> KnownBits {
        KnownBits { zeros: self.zeros | other.zeros, ones: self.ones & other.ones }
    }

    pub fn or(self, other: KnownBits) -> KnownBits {
        KnownBits { zeros: self.zeros & other.zeros, ones: self.ones | other.ones }
    }

    pub fn xor(self, other: KnownBits) -> KnownBits {
        KnownBits {
            zeros: (self.zeros & other.zeros) | (self.ones & other.ones),
            ones: (self.zeros & other.ones) | (self.ones & other.zeros),
        }
    }

    /// `self + other + carry`
    fn add_with(self, other: KnownBits, carry: u64, width: u32) -> KnownBits {
        let all = mask(width);
        let largest = (!self.zeros & all).wrapping_add(!other.zeros & all).wrapping_add(carry);
        let least = self.ones.wrapping_add(other.ones).wrapping_add(carry);
        let carry_zero = !(largest ^ self.zeros ^ other.zeros);
        let carry_one = least ^ self.ones ^ other.ones;
        let known = self.known() & other.known() & (carry_zero | carry_one) & all;
        KnownBits { zeros: !largest & known, ones: least & known }
    }

    pub fn plus(self, other: KnownBits, width: u32) -> KnownBits {
        self.add_with(other, 0, width)
    }

    pub fn minus(self, other: KnownBits, width: u32) -> KnownBits {
        self.add_with(other.inverted(), 1, width)
    }

    /// The low bits of a product depend on the low bits only; trailing zeros add up.
    pub fn times(self, other: KnownBits, width: u32) -> KnownBits {
        let low = |bits: KnownBits| bits.known().trailing_ones();
        let exact = low(self).min(low(other)).min(width);
        let product = self.ones.wrapping_mul(other.ones);
        let trailing = (self.zeros.trailing_ones() + other.zeros.trailing_ones()).min(width);
        let (exact_mask, zero_mask) = (low_bits(exact), low_bits(trailing));
        KnownBits { zeros: (!product & exact_mask) | zero_mask, ones: product & exact_mask & !zero_mask }
    }

    pub fn shifted_left(self, amount: u32, width: u32) -> KnownBits {
        let all = mask(width);
        if amount >= width {
            return KnownBits::constant(0, width);
        }
        KnownBits { zeros: (self.zeros << amount | low_bits(amount)) & all, ones: self.ones << amount & all }
    }

    pub fn shifted_right(self, amount: u32, width: u32, signed: bool) -> KnownBits {
        if signed {
            let extend = |bits: u64| ((bits << (64 - width)) as i64 >> (64 - width).min(63)) as u64;
            let amount = amount.min(width - 1);
            let shift = |bits: u64| (extend(bits) as i64 >> amount) as u64 & mask(width);
            return KnownBits { zeros: shift(self.zeros), ones: shift(self.ones) };
        }
        if amount >= width {
            return KnownBits::constant(0, width);
        }
        let new = mask(width) & !(mask(width) >> amount);
        KnownBits { zeros: self.zeros >> amount | new, ones: self.ones >> amount }
    }

    pub fn cast(self, from: u32, signed: bool, to: u32) -> KnownBits {
        if to <= from {
            return KnownBits { zeros: self.zeros & mask(to), ones: self.ones & mask(to) };
        }
        let new = mask(to) & !mask(from);
        let sign = 1 << (from - 1);
        match signed {
            false => KnownBits { zeros: self.zeros | new, ones: self.ones },
            true if self.zeros & sign != 0 => KnownBits { zeros: self.zeros | new, ones: self.ones },
            true if self.ones & sign != 0 => KnownBits { zeros: self.zeros, ones: self.ones | new },
            true => self,
        }
    }
}

fn low_bits(count: u32) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}
