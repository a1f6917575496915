//! Functions of `math.h` that libraries compute differently in the last places. A run of the interpreter has the result of the system's library; a
//! proof has to hold for all results near it. `cbrt` is not among them: Rust's own runtime defines a function of that name.

use crate::Bits;
use crate::types::FloatKind;

/// How far results may be from that of the system's library, in units in the last place. glibc documents errors of at most four for these
/// functions on x86-64, and so much is granted to others too.
const ERROR: i64 = 8;

macro_rules! functions {
    ($($variant:ident $name:literal $single:literal $double_fn:ident $float_fn:ident ($($argument:ident),*);)*) => {
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Approximate {
            $($variant,)*
        }

        impl Approximate {
            /// With the names that functions written in C call for `double` and `float`.
            pub const ALL: &[(Approximate, &'static str, &'static str)] =
                &[$((Approximate::$variant, concat!("__library_", $name), concat!("__library_", $single)),)*];

            /// The names that programs call.
            pub const NAMES: &[&'static str] = &[$($name, $single,)*];

            pub fn arity(self) -> usize {
                match self {
                    $(Approximate::$variant => [$(stringify!($argument)),*].len(),)*
                }
            }

            fn double(self, x: f64, y: f64) -> f64 {
                let _ = y;
                match self {
                    $(Approximate::$variant => system::$double_fn($($argument(x, y)),*),)*
                }
            }

            fn float(self, x: f32, y: f32) -> f32 {
                let _ = y;
                match self {
                    $(Approximate::$variant => system::$float_fn($($argument(x, y)),*),)*
                }
            }
        }

        mod system {
            // Functions of numbers: they have no other effect than `errno`, which Rust does not look at.
            unsafe extern "C" {
                $(
                    #[link_name = $name]
                    pub safe fn $double_fn($($argument: f64),*) -> f64;
                    #[link_name = $single]
                    pub safe fn $float_fn($($argument: f32),*) -> f32;
                )*
            }
        }
    };
}

fn first<T>(x: T, _: T) -> T {
    x
}

fn second<T>(_: T, y: T) -> T {
    y
}

functions! {
    Sin "sin" "sinf" sin sinf (first);
    Cos "cos" "cosf" cos cosf (first);
    Tan "tan" "tanf" tan tanf (first);
    Asin "asin" "asinf" asin asinf (first);
    Acos "acos" "acosf" acos acosf (first);
    Atan "atan" "atanf" atan atanf (first);
    Atan2 "atan2" "atan2f" atan2 atan2f (first, second);
    Sinh "sinh" "sinhf" sinh sinhf (first);
    Cosh "cosh" "coshf" cosh coshf (first);
    Tanh "tanh" "tanhf" tanh tanhf (first);
    Asinh "asinh" "asinhf" asinh asinhf (first);
    Acosh "acosh" "acoshf" acosh acoshf (first);
    Atanh "atanh" "atanhf" atanh atanhf (first);
    Exp "exp" "expf" exp expf (first);
    Exp2 "exp2" "exp2f" exp2 exp2f (first);
    Expm1 "expm1" "expm1f" expm1 expm1f (first);
    Log "log" "logf" log logf (first);
    Log2 "log2" "log2f" log2 log2f (first);
    Log10 "log10" "log10f" log10 log10f (first);
    Log1p "log1p" "log1pf" log1p log1pf (first);
    Pow "pow" "powf" pow powf (first, second);
    Hypot "hypot" "hypotf" hypot hypotf (first, second);
    Erf "erf" "erff" erf erff (first);
}

impl Approximate {
    /// What the system's library returns; `None` for `long double`.
    pub fn of_system(self, kind: FloatKind, x: Bits, y: Bits) -> Option<Bits> {
        match kind {
            FloatKind::Double => {
                Some(Bits::new(self.double(f64::from_bits(x.lo), f64::from_bits(y.lo)).to_bits() as u128))
            }
            FloatKind::Float => {
                let (x, y) = (f32::from_bits(x.lo as u32), f32::from_bits(y.lo as u32));
                Some(Bits::new(self.float(x, y).to_bits() as u128))
            }
            FloatKind::LongDouble => None,
        }
    }

    /// The least and the greatest number that a library may return instead. A NaN and an infinity stay.
    pub fn around(kind: FloatKind, result: Bits) -> (Bits, Bits) {
        let width = if kind == FloatKind::Float { 32 } else { 64 };
        let sign = 1i64 << (width - 1);
        let number = match kind {
            FloatKind::Float => f32::from_bits(result.lo as u32) as f64,
            _ => f64::from_bits(result.lo),
        };
        if !number.is_finite() {
            return (result, result);
        }
        // Encodings of one sign are ordered as the numbers are; those of negative numbers the other way round.
        let magnitude = (result.lo & !(sign as u64)) as i64;
        let place = if number.is_sign_negative() { -magnitude } else { magnitude };
        let most = match kind {
            FloatKind::Float => f32::MAX.to_bits() as i64,
            _ => f64::MAX.to_bits() as i64,
        };
        let at = |place: i64| {
            let place = place.clamp(-most, most);
            let bits = if place < 0 { (-place) as u64 | sign as u64 } else { place as u64 };
            Bits::new(if width == 32 { bits as u32 as u128 } else { bits as u128 })
        };
        (at(place - ERROR), at(place + ERROR))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_the_systems_and_bounds_enclose_them() {
        let bits = |x: f64| Bits::new(x.to_bits() as u128);
        let at = |bits: Bits| f64::from_bits(bits.lo);
        for (function, ..) in Approximate::ALL {
            for x in [-700.5, -1.0, -0.3, 0.0, 1e-310, 0.5, 1.0, 3.0, 709.0] {
                let result = function.of_system(FloatKind::Double, bits(x), bits(2.0)).unwrap();
                let (low, high) = Approximate::around(FloatKind::Double, result);
                let value = at(result);
                assert!(value.is_nan() || at(low) <= value && value <= at(high), "{function:?} {x}: {value}");
                assert!(!value.is_finite() || value == 0.0 || at(low) < value && value < at(high), "{function:?} {x}");
            }
        }
        assert_eq!(at(Approximate::Pow.of_system(FloatKind::Double, bits(2.0), bits(10.0)).unwrap()), 1024.0);
        let (low, high) = Approximate::around(FloatKind::Double, bits(0.0));
        assert!(at(low) < 0.0 && at(high) > 0.0);
    }
}
