//! Floating point: the operations of C on encodings, by the translation of `logic::float`. The rounding mode is to nearest even, the only one
//! there is unless a program calls `fesetround`, which the library table does not support.

use crate::exec::Run;
use crate::state::State;
use crate::unrolling::ObligationKind;
use crate::value::Value;
use cfa::library::{Classify, LibFn, Math};
use cfa::{BinOp, FloatKind, TypeId};
use logic::TermId;
use logic::float::{Float, Rounding};

const NEAREST: Rounding = Rounding::NearestEven;

fn float(kind: FloatKind) -> Float {
    match kind {
        FloatKind::Float => Float::F32,
        FloatKind::Double => Float::F64,
        FloatKind::LongDouble => Float::X87,
    }
}

fn format_of(ty: TypeId) -> Float {
    float(ty.float_kind().expect("a floating type"))
}

impl Run<'_, '_> {
    pub fn float_is_zero(&mut self, term: TermId, ty: TypeId) -> TermId {
        format_of(ty).is_zero(self.pool(), term)
    }

    pub fn float_compare(&mut self, op: BinOp, ty: TypeId, a: TermId, b: TermId) -> TermId {
        let format = format_of(ty);
        let pool = self.pool();
        match op {
            BinOp::Eq => format.eq(pool, a, b),
            BinOp::Ne => {
                let equal = format.eq(pool, a, b);
                pool.not(equal)
            }
            BinOp::Lt => format.lt(pool, a, b),
            BinOp::Le => format.le(pool, a, b),
            BinOp::Gt => format.lt(pool, b, a),
            _ => format.le(pool, b, a),
        }
    }

    pub fn float_negate(&mut self, ty: TypeId, term: TermId) -> TermId {
        format_of(ty).neg(self.pool(), term)
    }

    pub fn float_arithmetic(&mut self, op: BinOp, ty: TypeId, a: TermId, b: TermId) -> TermId {
        let format = format_of(ty);
        let pool = self.pool();
        match op {
            BinOp::Add => format.add(pool, NEAREST, a, b),
            BinOp::Sub => format.sub(pool, NEAREST, a, b),
            BinOp::Mul => format.mul(pool, NEAREST, a, b),
            BinOp::Div => format.div(pool, NEAREST, a, b),
            _ => panic!("{op:?} is no operation on floats"),
        }
    }

    pub fn float_cast(&mut self, state: &mut State, term: TermId, from: TypeId, to: TypeId) -> TermId {
        match (from.float_kind(), to.float_kind()) {
            (Some(from), Some(to)) => float(from).convert(self.pool(), NEAREST, term, float(to)),
            (None, Some(to)) => {
                if self.program.types.is_signed(from) {
                    float(to).from_signed(self.pool(), NEAREST, term)
                } else {
                    float(to).from_unsigned(self.pool(), NEAREST, term)
                }
            }
            (Some(from), None) => {
                let width = self.program.types.scalar_bits(to);
                let signed = self.program.types.is_signed(to);
                let integer = match signed {
                    true => float(from).to_signed(self.pool(), Rounding::TowardZero, term, width),
                    false => float(from).to_unsigned(self.pool(), Rounding::TowardZero, term, width),
                };
                // C leaves the result open, and processors differ.
                let construct = "conversion of a float that does not fit the integer";
                self.leave(state, ObligationKind::Poison(construct.into()), integer.invalid);
                integer.value
            }
            (None, None) => panic!("no float takes part"),
        }
    }

    /// Functions of `math.h` that are exact; `None` for others.
    pub fn float_library(&mut self, meaning: LibFn, values: &[Value], types: &[TypeId]) -> Option<Value> {
        let number = |index: usize| match values.get(index) {
            Some(Value::Bits(term)) => Some(*term),
            _ => None,
        };
        let a = number(0)?;
        match meaning {
            LibFn::Math(function, kind) => {
                let format = float(kind);
                // A float passed without prototype was widened; the table's own type decides then.
                if self.pool().width(a) != format.format.width() {
                    return None;
                }
                let b = number(1);
                let pool = self.pool();
                Some(Value::Bits(match function {
                    Math::Fabs => format.abs(pool, a),
                    Math::Sqrt => format.sqrt(pool, NEAREST, a),
                    Math::Floor => format.round_to_integral(pool, Rounding::TowardNegative, a),
                    Math::Ceil => format.round_to_integral(pool, Rounding::TowardPositive, a),
                    Math::Trunc => format.round_to_integral(pool, Rounding::TowardZero, a),
                    Math::Round => format.round_to_integral(pool, Rounding::NearestAway, a),
                    Math::Roundeven | Math::Rint => format.round_to_integral(pool, NEAREST, a),
                    Math::Fmod => format.fmod(pool, a, b?),
                    Math::Remainder => format.remainder(pool, a, b?),
                    Math::Copysign => format.copysign(pool, a, b?),
                    Math::Fma => format.fma(pool, NEAREST, a, b?, number(2)?),
                    _ => return None,
                }))
            }
            LibFn::Classify(class) => {
                let format = float(types.first()?.float_kind()?);
                let pool = self.pool();
                let flag = match class {
                    Classify::Nan => format.is_nan(pool, a),
                    Classify::Infinite => format.is_infinite(pool, a),
                    Classify::Finite => format.is_finite(pool, a),
                    Classify::Normal => format.is_normal(pool, a),
                    Classify::Fpclassify => {
                        let classes = [
                            (format.is_nan(pool, a), 0),
                            (format.is_infinite(pool, a), 1),
                            (format.is_zero(pool, a), 2),
                            (format.is_subnormal(pool, a), 3),
                        ];
                        let normal = pool.bv(32, 4);
                        return Some(Value::Bits(classes.into_iter().fold(normal, |result, (flag, number)| {
                            let number = pool.bv(32, number);
                            pool.ite(flag, number, result)
                        })));
                    }
                    Classify::InfiniteSign | Classify::Signbit => return None,
                };
                Some(Value::Bits(pool.bool_to_bv(flag, 32)))
            }
            _ => None,
        }
    }
}
