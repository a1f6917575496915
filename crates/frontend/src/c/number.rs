//! Floating constants: spelling → bits, correctly rounded.

use cfa::{Bits, FloatKind};
use rustc_apfloat::ieee::{Double, Single, X87DoubleExtended};
use rustc_apfloat::{Float, Round};

/// The type and value of a floating constant, decimal or hexadecimal, with its suffix.
pub fn parse_float(text: &str) -> Option<(FloatKind, Bits)> {
    let hex = text.starts_with("0x") || text.starts_with("0X");
    let (digits, kind) = match text.as_bytes().last()? {
        b'f' | b'F' if !hex || text.contains(['p', 'P']) => (&text[..text.len() - 1], FloatKind::Float),
        b'l' | b'L' => (&text[..text.len() - 1], FloatKind::LongDouble),
        _ => (text, FloatKind::Double),
    };
    let bits = match kind {
        FloatKind::Float => value::<Single>(digits)?,
        FloatKind::Double => value::<Double>(digits)?,
        FloatKind::LongDouble => value::<X87DoubleExtended>(digits)?,
    };
    Some((kind, Bits::new(bits)))
}

fn value<F: Float>(digits: &str) -> Option<u128> {
    F::from_str_r(digits, Round::NearestTiesToEven).ok().map(|parsed| parsed.value.to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings() {
        let double = |text| parse_float(text).map(|(kind, bits)| (kind, f64::from_bits(bits.lo)));
        assert_eq!(double("1.5"), Some((FloatKind::Double, 1.5)));
        assert_eq!(double("1e400").unwrap().1, f64::INFINITY);
        assert_eq!(double("0x1.8p1"), Some((FloatKind::Double, 3.0)));
        assert_eq!(double(".1").unwrap().1, 0.1);
        assert_eq!(double("1.").unwrap().1, 1.0);
        assert_eq!(parse_float("0.1f"), Some((FloatKind::Float, Bits::new(0.1f32.to_bits() as u128))));
        assert_eq!(parse_float("0x1p-3f"), Some((FloatKind::Float, Bits::new(0.125f32.to_bits() as u128))));
        assert_eq!(parse_float("1.0L").unwrap().0, FloatKind::LongDouble);
    }
}
