//! Values of bit-vectors of any width, with the arithmetic of SMT-LIB. Constant folding and the evaluator share it.
//!
//! Up to 128 bits a value is one `u128` and nothing allocates. Unused high bits are always zero.

use std::cmp::Ordering;
use std::fmt;

/// A bit-vector value: a width (1 or more) and that many bits.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Bits {
    width: u32,
    repr: Repr,
}

/// `Wide` exactly when the width is above 128, so that derived equality is equality of values.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Small(u128),
    Wide(Box<[u64]>),
}

#[inline]
fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1u128 << width) - 1 }
}

fn limb_count(width: u32) -> usize {
    width.div_ceil(64) as usize
}

impl Bits {
    /// The low `width` bits of `value`.
    #[inline]
    pub fn new(width: u32, value: u128) -> Self {
        debug_assert!(width > 0);
        if width <= 128 {
            return Bits { width, repr: Repr::Small(value & mask(width)) };
        }
        let mut limbs = vec![0; limb_count(width)];
        limbs[0] = value as u64;
        limbs[1] = (value >> 64) as u64;
        Bits { width, repr: Repr::Wide(limbs.into()) }
    }

    /// The low `width` bits of the two's complement of `value`.
    pub fn from_i128(width: u32, value: i128) -> Self {
        let low = Bits::new(width.min(128), value as u128);
        if width <= 128 { low } else { low.sign_extend(width) }
    }

    pub fn from_bool(value: bool) -> Self {
        Bits { width: 1, repr: Repr::Small(value as u128) }
    }

    pub fn zero(width: u32) -> Self {
        Bits::new(width, 0)
    }

    pub fn one(width: u32) -> Self {
        Bits::new(width, 1)
    }

    pub fn ones(width: u32) -> Self {
        Bits::zero(width).not()
    }

    /// The most negative value: only the top bit is set.
    pub fn min_signed(width: u32) -> Self {
        Bits::one(width).shl_by(width - 1)
    }

    /// From little-endian limbs; missing limbs are zero, surplus bits are dropped.
    pub fn from_limbs(width: u32, limbs: &[u64]) -> Self {
        let limb = |i: usize| limbs.get(i).copied().unwrap_or(0);
        if width <= 128 {
            return Bits::new(width, limb(0) as u128 | (limb(1) as u128) << 64);
        }
        let mut out: Vec<u64> = (0..limb_count(width)).map(limb).collect();
        if !width.is_multiple_of(64) {
            *out.last_mut().expect("not empty") &= (1 << (width % 64)) - 1;
        }
        Bits { width, repr: Repr::Wide(out.into()) }
    }

    #[inline]
    pub fn width(&self) -> u32 {
        self.width
    }

    #[inline]
    fn limb(&self, index: usize) -> u64 {
        match &self.repr {
            Repr::Small(value) => match index {
                0 => *value as u64,
                1 => (*value >> 64) as u64,
                _ => 0,
            },
            Repr::Wide(limbs) => limbs.get(index).copied().unwrap_or(0),
        }
    }

    /// Little-endian limbs.
    pub fn limbs(&self) -> impl Iterator<Item = u64> + '_ {
        (0..limb_count(self.width)).map(|i| self.limb(i))
    }

    #[inline]
    pub fn bit(&self, index: u32) -> bool {
        self.limb((index / 64) as usize) >> (index % 64) & 1 == 1
    }

    #[inline]
    pub fn sign(&self) -> bool {
        self.bit(self.width - 1)
    }

    #[inline]
    pub fn is_zero(&self) -> bool {
        match &self.repr {
            Repr::Small(value) => *value == 0,
            Repr::Wide(limbs) => limbs.iter().all(|limb| *limb == 0),
        }
    }

    pub fn is_one(&self) -> bool {
        self.to_u128() == Some(1)
    }

    pub fn is_ones(&self) -> bool {
        match &self.repr {
            Repr::Small(value) => *value == mask(self.width),
            Repr::Wide(_) => self.not().is_zero(),
        }
    }

    /// The unsigned value if it fits.
    #[inline]
    pub fn to_u128(&self) -> Option<u128> {
        match &self.repr {
            Repr::Small(value) => Some(*value),
            Repr::Wide(limbs) => {
                limbs[2..].iter().all(|limb| *limb == 0).then(|| limbs[0] as u128 | (limbs[1] as u128) << 64)
            }
        }
    }

    pub fn to_u64(&self) -> Option<u64> {
        self.to_u128().and_then(|value| u64::try_from(value).ok())
    }

    /// The signed value if it fits.
    pub fn to_i128(&self) -> Option<i128> {
        match &self.repr {
            Repr::Small(value) => {
                let unused = 128 - self.width;
                Some(((*value << unused) as i128) >> unused)
            }
            Repr::Wide(_) => {
                let low = self.extract(127, 0);
                (low.sign_extend(self.width) == *self).then(|| low.to_i128()).flatten()
            }
        }
    }

    /// The exponent if the value is a power of two.
    pub fn power_of_two(&self) -> Option<u32> {
        (self.count_ones() == 1).then(|| self.trailing_zeros())
    }

    pub fn count_ones(&self) -> u32 {
        self.limbs().map(u64::count_ones).sum()
    }

    /// The width if the value is zero.
    pub fn trailing_zeros(&self) -> u32 {
        let mut count = 0;
        for limb in self.limbs() {
            if limb != 0 {
                return count + limb.trailing_zeros();
            }
            count += 64;
        }
        self.width
    }

    /// The number of bits up to the highest one that is set.
    pub fn bit_length(&self) -> u32 {
        for index in (0..limb_count(self.width)).rev() {
            let limb = self.limb(index);
            if limb != 0 {
                return index as u32 * 64 + 64 - limb.leading_zeros();
            }
        }
        0
    }

    #[inline]
    fn zip(&self, other: &Bits, small: impl Fn(u128, u128) -> u128, limb: impl Fn(u64, u64) -> u64) -> Bits {
        debug_assert_eq!(self.width, other.width);
        if let (Repr::Small(a), Repr::Small(b)) = (&self.repr, &other.repr) {
            return Bits::new(self.width, small(*a, *b));
        }
        let limbs: Vec<u64> = self.limbs().zip(other.limbs()).map(|(a, b)| limb(a, b)).collect();
        Bits::from_limbs(self.width, &limbs)
    }

    pub fn and(&self, other: &Bits) -> Bits {
        self.zip(other, |a, b| a & b, |a, b| a & b)
    }

    pub fn or(&self, other: &Bits) -> Bits {
        self.zip(other, |a, b| a | b, |a, b| a | b)
    }

    pub fn xor(&self, other: &Bits) -> Bits {
        self.zip(other, |a, b| a ^ b, |a, b| a ^ b)
    }

    pub fn not(&self) -> Bits {
        match &self.repr {
            Repr::Small(value) => Bits::new(self.width, !value),
            Repr::Wide(limbs) => Bits::from_limbs(self.width, &limbs.iter().map(|limb| !limb).collect::<Vec<_>>()),
        }
    }

    pub fn neg(&self) -> Bits {
        match &self.repr {
            Repr::Small(value) => Bits::new(self.width, value.wrapping_neg()),
            Repr::Wide(_) => self.not().add(&Bits::one(self.width)),
        }
    }

    pub fn add(&self, other: &Bits) -> Bits {
        if let (Repr::Small(a), Repr::Small(b)) = (&self.repr, &other.repr) {
            return Bits::new(self.width, a.wrapping_add(*b));
        }
        let mut carry = false;
        let mut limbs = Vec::with_capacity(limb_count(self.width));
        for (a, b) in self.limbs().zip(other.limbs()) {
            let (sum, first) = a.overflowing_add(b);
            let (sum, second) = sum.overflowing_add(carry as u64);
            carry = first | second;
            limbs.push(sum);
        }
        Bits::from_limbs(self.width, &limbs)
    }

    pub fn sub(&self, other: &Bits) -> Bits {
        if let (Repr::Small(a), Repr::Small(b)) = (&self.repr, &other.repr) {
            return Bits::new(self.width, a.wrapping_sub(*b));
        }
        self.add(&other.neg())
    }

    pub fn mul(&self, other: &Bits) -> Bits {
        if let (Repr::Small(a), Repr::Small(b)) = (&self.repr, &other.repr) {
            return Bits::new(self.width, a.wrapping_mul(*b));
        }
        let count = limb_count(self.width);
        let mut limbs = vec![0u64; count];
        for i in 0..count {
            let mut carry = 0u128;
            for j in 0..count - i {
                let sum = limbs[i + j] as u128 + self.limb(i) as u128 * other.limb(j) as u128 + carry;
                limbs[i + j] = sum as u64;
                carry = sum >> 64;
            }
        }
        Bits::from_limbs(self.width, &limbs)
    }

    /// Quotient and remainder; by zero: all ones and the dividend, as SMT-LIB says.
    pub fn udiv_rem(&self, other: &Bits) -> (Bits, Bits) {
        if other.is_zero() {
            return (Bits::ones(self.width), self.clone());
        }
        if let (Some(a), Some(b)) = (self.to_u128(), other.to_u128()) {
            if let (Ok(a), Ok(b)) = (u64::try_from(a), u64::try_from(b)) {
                return (Bits::new(self.width, (a / b) as u128), Bits::new(self.width, (a % b) as u128));
            }
            return (Bits::new(self.width, a / b), Bits::new(self.width, a % b));
        }
        let mut quotient = vec![0u64; limb_count(self.width)];
        let mut rest = Bits::zero(self.width + 1);
        let divisor = other.zero_extend(self.width + 1);
        for index in (0..self.bit_length()).rev() {
            rest = rest.shl_by(1).or(&Bits::new(self.width + 1, self.bit(index) as u128));
            if rest.ucmp(&divisor) != Ordering::Less {
                rest = rest.sub(&divisor);
                quotient[(index / 64) as usize] |= 1 << (index % 64);
            }
        }
        (Bits::from_limbs(self.width, &quotient), rest.extract(self.width - 1, 0))
    }

    pub fn udiv(&self, other: &Bits) -> Bits {
        self.udiv_rem(other).0
    }

    pub fn urem(&self, other: &Bits) -> Bits {
        self.udiv_rem(other).1
    }

    fn abs(&self) -> Bits {
        if self.sign() { self.neg() } else { self.clone() }
    }

    pub fn sdiv(&self, other: &Bits) -> Bits {
        let quotient = self.abs().udiv(&other.abs());
        if self.sign() != other.sign() { quotient.neg() } else { quotient }
    }

    pub fn srem(&self, other: &Bits) -> Bits {
        let rest = self.abs().urem(&other.abs());
        if self.sign() { rest.neg() } else { rest }
    }

    pub fn shl_by(&self, amount: u32) -> Bits {
        if amount >= self.width {
            return Bits::zero(self.width);
        }
        match &self.repr {
            Repr::Small(value) => Bits::new(self.width, value << amount),
            Repr::Wide(_) => {
                let (limbs, bits) = ((amount / 64) as usize, amount % 64);
                let shifted = |i: usize| {
                    let high = if i >= limbs { self.limb(i - limbs) << bits } else { 0 };
                    let low = if bits > 0 && i > limbs { self.limb(i - limbs - 1) >> (64 - bits) } else { 0 };
                    high | low
                };
                Bits::from_limbs(self.width, &(0..limb_count(self.width)).map(shifted).collect::<Vec<_>>())
            }
        }
    }

    pub fn lshr_by(&self, amount: u32) -> Bits {
        if amount >= self.width {
            return Bits::zero(self.width);
        }
        match &self.repr {
            Repr::Small(value) => Bits::new(self.width, value >> amount),
            Repr::Wide(_) => {
                let (limbs, bits) = ((amount / 64) as usize, amount % 64);
                let shifted = |i: usize| {
                    let low = self.limb(i + limbs) >> bits;
                    let high = if bits > 0 { self.limb(i + limbs + 1) << (64 - bits) } else { 0 };
                    low | high
                };
                Bits::from_limbs(self.width, &(0..limb_count(self.width)).map(shifted).collect::<Vec<_>>())
            }
        }
    }

    pub fn ashr_by(&self, amount: u32) -> Bits {
        let amount = amount.min(self.width);
        if !self.sign() {
            return self.lshr_by(amount);
        }
        self.not().lshr_by(amount).not()
    }

    fn shift_amount(&self) -> u32 {
        self.to_u128().map_or(u32::MAX, |value| value.min(u32::MAX as u128) as u32)
    }

    pub fn shl(&self, amount: &Bits) -> Bits {
        self.shl_by(amount.shift_amount())
    }

    pub fn lshr(&self, amount: &Bits) -> Bits {
        self.lshr_by(amount.shift_amount())
    }

    pub fn ashr(&self, amount: &Bits) -> Bits {
        self.ashr_by(amount.shift_amount())
    }

    /// Bits `high..=low`, both counted from the least significant one.
    pub fn extract(&self, high: u32, low: u32) -> Bits {
        debug_assert!(low <= high && high < self.width);
        let width = high - low + 1;
        match &self.repr {
            Repr::Small(value) => Bits::new(width, value >> low),
            Repr::Wide(_) => {
                let shifted = self.lshr_by(low);
                Bits::from_limbs(width, &shifted.limbs().take(limb_count(width)).collect::<Vec<_>>())
            }
        }
    }

    pub fn zero_extend(&self, width: u32) -> Bits {
        debug_assert!(width >= self.width);
        match &self.repr {
            Repr::Small(value) => Bits::new(width, *value),
            Repr::Wide(limbs) => Bits::from_limbs(width, limbs),
        }
    }

    pub fn sign_extend(&self, width: u32) -> Bits {
        if self.sign() { self.not().zero_extend(width).not() } else { self.zero_extend(width) }
    }

    /// `self` is the high part.
    pub fn concat(&self, low: &Bits) -> Bits {
        let width = self.width + low.width;
        self.zero_extend(width).shl_by(low.width).or(&low.zero_extend(width))
    }

    pub fn ucmp(&self, other: &Bits) -> Ordering {
        debug_assert_eq!(self.width, other.width);
        match (&self.repr, &other.repr) {
            (Repr::Small(a), Repr::Small(b)) => a.cmp(b),
            _ => {
                let order = |i: usize| self.limb(i).cmp(&other.limb(i));
                (0..limb_count(self.width)).rev().map(order).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
            }
        }
    }

    pub fn scmp(&self, other: &Bits) -> Ordering {
        match (self.sign(), other.sign()) {
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            _ => self.ucmp(other),
        }
    }

    pub fn ult(&self, other: &Bits) -> bool {
        self.ucmp(other).is_lt()
    }

    pub fn slt(&self, other: &Bits) -> bool {
        self.scmp(other).is_lt()
    }
}

/// By width, then by unsigned value.
impl Ord for Bits {
    fn cmp(&self, other: &Bits) -> Ordering {
        self.width.cmp(&other.width).then_with(|| self.ucmp(other))
    }
}

impl PartialOrd for Bits {
    fn partial_cmp(&self, other: &Bits) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// SMT-LIB notation: `#b101` or `#x1f`.
impl fmt::Display for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.width.is_multiple_of(4) {
            f.write_str("#x")?;
            for digit in (0..self.width / 4).rev() {
                write!(f, "{:x}", self.extract(digit * 4 + 3, digit * 4).limb(0))?;
            }
        } else {
            f.write_str("#b")?;
            for index in (0..self.width).rev() {
                write!(f, "{}", self.bit(index) as u8)?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_arithmetic_agrees_with_two_halves() {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            state ^ state >> 29
        };
        for round in 0..2000u32 {
            let width = 129 + round % 130;
            let limbs = |next: &mut dyn FnMut() -> u64| (0..5).map(|_| next()).collect::<Vec<_>>();
            let a = Bits::from_limbs(width, &limbs(&mut next));
            let b = Bits::from_limbs(width, &limbs(&mut next)).lshr_by(round % width);
            let (quotient, rest) = a.udiv_rem(&b);
            if !b.is_zero() {
                assert_eq!(quotient.mul(&b).add(&rest), a);
                assert!(rest.ult(&b));
            }
            assert_eq!(a.sub(&b).add(&b), a);
            assert_eq!(a.add(&b).sub(&a), b);
            let cut = 1 + round % (width - 1);
            assert_eq!(a.extract(width - 1, cut).concat(&a.extract(cut - 1, 0)), a);
            assert_eq!(a.shl_by(cut).lshr_by(cut), a.extract(width - 1 - cut, 0).zero_extend(width));
            assert_eq!(a.ashr_by(cut), a.extract(width - 1, cut).sign_extend(width));
            assert_eq!(a.mul(&Bits::one(width).shl_by(cut)), a.shl_by(cut));
            assert_eq!(a.neg().neg(), a);
        }
    }

    #[test]
    fn small_values_agree_with_native_arithmetic() {
        for a in 0..32i128 {
            for b in 0..32i128 {
                let (x, y) = (Bits::new(5, a as u128), Bits::new(5, b as u128));
                let (sa, sb) = (x.to_i128().expect("fits"), y.to_i128().expect("fits"));
                assert_eq!(x.slt(&y), sa < sb);
                assert_eq!(x.mul(&y), Bits::from_i128(5, sa * sb));
                if b != 0 {
                    assert_eq!(x.sdiv(&y), Bits::from_i128(5, sa / sb));
                    assert_eq!(x.srem(&y), Bits::from_i128(5, sa % sb));
                }
                let wide = Bits::from_i128(200, sa).mul(&Bits::from_i128(200, sb));
                assert_eq!(wide, Bits::from_i128(200, sa * sb));
                assert_eq!(wide.to_i128(), Some(sa * sb));
            }
        }
        assert_eq!(Bits::new(8, 0x1f).to_string(), "#x1f");
        assert_eq!(Bits::new(3, 5).to_string(), "#b101");
    }
}
