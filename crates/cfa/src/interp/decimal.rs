//! Exact decimal expansions of binary floating-point numbers, rounded half to even as glibc's `printf` does.

use crate::eval;
use crate::expr::Bits;
use crate::types::FloatKind;

/// A number as `printf` sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Number {
    Finite { negative: bool, value: Exact },
    Infinite { negative: bool },
    Nan { negative: bool },
}

/// `digits` times ten to the `-scale`; no leading zeros, zero has no digits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exact {
    digits: Vec<u8>,
    scale: i64,
}

const LIMB: u64 = 1_000_000_000;

/// Takes a floating-point value apart.
pub fn number(kind: FloatKind, bits: Bits) -> Number {
    let bits = match kind {
        FloatKind::Float => eval::from_f64(eval::to_f32(bits) as f64),
        _ => bits,
    };
    // Fraction, exponent field, its width and bias, and whether the leading one is written.
    let (negative, exponent, fraction) = if kind == FloatKind::LongDouble {
        (bits.hi >> 15 & 1 == 1, (bits.hi & 0x7fff) as i64, bits.lo)
    } else {
        (bits.lo >> 63 == 1, (bits.lo >> 52 & 0x7ff) as i64, bits.lo & ((1 << 52) - 1))
    };
    let (mantissa, power, special) = if kind == FloatKind::LongDouble {
        (fraction, exponent.max(1) - 16383 - 63, exponent == 0x7fff)
    } else {
        (fraction | ((exponent != 0) as u64) << 52, exponent.max(1) - 1023 - 52, exponent == 0x7ff)
    };
    if special {
        let payload = if kind == FloatKind::LongDouble { fraction << 1 } else { fraction };
        return if payload == 0 { Number::Infinite { negative } } else { Number::Nan { negative } };
    }
    Number::Finite { negative, value: expand(mantissa, power) }
}

/// The digits of `mantissa * 2^power`: a negative power is so many times 5/10.
fn expand(mantissa: u64, power: i64) -> Exact {
    if mantissa == 0 {
        return Exact { digits: Vec::new(), scale: 0 };
    }
    let shared = (mantissa.trailing_zeros() as i64).min((-power).max(0));
    let (mantissa, power) = (mantissa >> shared, power + shared);
    let mut limbs = vec![mantissa % LIMB, mantissa / LIMB % LIMB, mantissa / LIMB / LIMB];
    let (factor, most) = if power < 0 { (5u64, 13) } else { (2u64, 29) };
    let mut left = power.unsigned_abs();
    while left > 0 {
        let step = left.min(most);
        multiply(&mut limbs, factor.pow(step as u32));
        left -= step;
    }
    let mut digits = Vec::with_capacity(limbs.len() * 9);
    for limb in limbs.iter().rev() {
        digits.extend(format!("{limb:09}").bytes().map(|digit| digit - b'0'));
    }
    let zeros = digits.iter().take_while(|digit| **digit == 0).count();
    digits.drain(..zeros);
    Exact { digits, scale: (-power).max(0) }
}

fn multiply(limbs: &mut Vec<u64>, factor: u64) {
    let mut carry = 0;
    for limb in limbs.iter_mut() {
        let product = *limb * factor + carry;
        *limb = product % LIMB;
        carry = product / LIMB;
    }
    while carry > 0 {
        limbs.push(carry % LIMB);
        carry /= LIMB;
    }
}

/// The digits without the last `drop`, rounded.
fn round(digits: &[u8], drop: i64) -> Vec<u8> {
    if drop <= 0 {
        return digits.to_vec();
    }
    let drop = drop as usize;
    if drop > digits.len() {
        return Vec::new();
    }
    let (kept, rest) = digits.split_at(digits.len() - drop);
    let above = rest[0] > 5 || (rest[0] == 5 && rest[1..].iter().any(|digit| *digit != 0));
    let tie = rest[0] == 5 && !above;
    let mut kept = kept.to_vec();
    if above || (tie && kept.last().is_some_and(|digit| digit % 2 == 1)) {
        let mut at = kept.len();
        loop {
            if at == 0 {
                kept.insert(0, 1);
                break;
            }
            at -= 1;
            if kept[at] < 9 {
                kept[at] += 1;
                break;
            }
            kept[at] = 0;
        }
    }
    kept
}

fn text(digits: &[u8]) -> String {
    digits.iter().map(|digit| (b'0' + digit) as char).collect()
}

impl Exact {
    /// As `%.{precision}f`.
    pub fn fixed(&self, precision: usize) -> String {
        let mut digits = round(&self.digits, self.scale - precision as i64);
        if !digits.is_empty() && self.scale < precision as i64 {
            digits.resize(digits.len() + (precision as i64 - self.scale) as usize, 0);
        }
        let missing = (precision + 1).saturating_sub(digits.len());
        let text = "0".repeat(missing) + &text(&digits);
        let (whole, fraction) = text.split_at(text.len() - precision);
        if precision == 0 { whole.to_string() } else { format!("{whole}.{fraction}") }
    }

    /// Leading digits, one and `precision` more, and the decimal exponent.
    fn leading(&self, precision: usize) -> (Vec<u8>, i64) {
        if self.digits.is_empty() {
            return (vec![0; precision + 1], 0);
        }
        let count = self.digits.len() as i64;
        let mut exponent = count - 1 - self.scale;
        let mut digits = round(&self.digits, count - 1 - precision as i64);
        if digits.len() > (precision + 1).min(count as usize) {
            digits.pop();
            exponent += 1;
        }
        digits.resize(precision + 1, 0);
        (digits, exponent)
    }

    /// As `%.{precision}e`.
    pub fn scientific(&self, precision: usize) -> String {
        let (digits, exponent) = self.leading(precision);
        let point = if precision == 0 { "" } else { "." };
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{}{point}{}e{sign}{:02}", digits[0], text(&digits[1..]), exponent.abs())
    }

    /// As `%.{precision}g`; `keep` is the flag `#`: trailing zeros stay.
    pub fn general(&self, precision: usize, keep: bool) -> String {
        let precision = precision.max(1);
        let (_, exponent) = self.leading(precision - 1);
        let text = if exponent < -4 || exponent >= precision as i64 {
            self.scientific(precision - 1)
        } else {
            self.fixed((precision as i64 - 1 - exponent) as usize)
        };
        if keep || !text.contains('.') {
            return text;
        }
        let (mantissa, exponent) = text.split_at(text.find('e').unwrap_or(text.len()));
        format!("{}{exponent}", mantissa.trim_end_matches('0').trim_end_matches('.'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(value: f64) -> Exact {
        match number(FloatKind::Double, eval::from_f64(value)) {
            Number::Finite { value, .. } => value,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn rounding_is_half_to_even_on_the_exact_value() {
        assert_eq!(exact(0.5).fixed(0), "0");
        assert_eq!(exact(1.5).fixed(0), "2");
        assert_eq!(exact(2.5).fixed(0), "2");
        assert_eq!(exact(0.125).fixed(2), "0.12");
        assert_eq!(exact(0.1).fixed(20), "0.10000000000000000555");
        assert_eq!(exact(9.9996).scientific(3), "1.000e+01");
        assert_eq!(exact(0.0).scientific(2), "0.00e+00");
        assert_eq!(exact(1e100).general(6, false), "1e+100");
        assert_eq!(exact(100000.0).general(6, false), "100000");
        assert_eq!(exact(1000000.0).general(6, false), "1e+06");
        assert_eq!(exact(0.0001).general(6, false), "0.0001");
        assert_eq!(exact(0.0).general(6, false), "0");
        assert_eq!(exact(0.0001).general(6, true), "0.000100000");
        assert_eq!(exact(5e-324).scientific(5), "4.94066e-324");
    }

    #[test]
    fn agrees_with_rust_on_random_values() {
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        for _ in 0..2000 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let value = f64::from_bits(state & !(1 << 63));
            if value.is_finite() {
                let (got, want) = (exact(value).scientific(16), format!("{value:.16e}"));
                assert_eq!(got.split('e').next(), want.split('e').next(), "{value:e}");
            }
        }
    }
}
