//! Floating point: the operations of C on encodings, by the translation of `logic::float`. The rounding mode is to nearest even, the only one
//! there is unless a program calls `fesetround`, which the library table does not support.

use crate::encoder::Encoder;
use crate::exec::Run;
use crate::state::State;
use crate::unrolling::ObligationKind;
use crate::value::SymbolicValue;
use cfa::library::{Classify, Compare, LibFn, Math};
use cfa::{BinOp, Expr, ExprKind, Fault, FloatKind, IntKind, Program, TypeId};
use logic::TermId;
use logic::float::{Float, Rounding};
use rustc_hash::FxHashSet;

const NEAREST: Rounding = Rounding::NearestEven;

pub(crate) fn float(kind: FloatKind) -> Float {
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
        if let Some(result) = self.arbitrary_result(op, format, a, b) {
            return result;
        }
        let pool = self.pool();
        let result = match op {
            BinOp::Add => format.add(pool, NEAREST, a, b),
            BinOp::Sub => format.sub(pool, NEAREST, a, b),
            BinOp::Mul => format.mul(pool, NEAREST, a, b),
            BinOp::Div => format.div(pool, NEAREST, a, b),
            _ => panic!("{op:?} is no operation on floats"),
        };
        self.any_nan(format, result)
    }

    /// Where results are arbitrary: the same one for the same operands.
    fn arbitrary_result(&mut self, op: BinOp, format: Float, a: TermId, b: TermId) -> Option<TermId> {
        let constant = self.encoder.pool.is_const(a) && self.encoder.pool.is_const(b);
        if !self.encoder.arbitrary_floats || constant {
            return None;
        }
        let width = format.format.width();
        let result = self.pool().bv_var(&format!("float:{op:?}:{width}:{}:{}", a.0, b.0), width);
        self.encoder.float_results.insert(result);
        Some(result)
    }

    /// Sign and payload of a NaN that is computed are open (IEEE 754 leaves them to the implementation): any, where the program can see them. A
    /// replay has those that the interpreter computes.
    fn any_nan(&mut self, format: Float, result: TermId) -> TermId {
        let (width, significand) = (format.format.width(), format.format.significand);
        if !self.mode.explores_open() || !self.encoder.facts.sees_float_bits(self.program) {
            return result;
        }
        let is_nan = format.is_nan(self.pool(), result);
        if self.pool().as_bool(is_nan) == Some(false) {
            return result;
        }
        let name = self.fresh_name("nan");
        let any = self.pool().bv_var(&name, width);
        // A quiet NaN: all bits of the exponent, and the first of the fraction. `long double` also stores the bit before it, which is set in every NaN.
        let fixed = (1u128 << (width - 1)) - (1 << (significand - 2));
        let fixed = self.pool().bv(width, fixed);
        let any = self.pool().bv_or(any, fixed);
        let open = self.pool().ite(is_nan, any, result);
        let same = self.pool().eq(open, result);
        self.require_for_replay(same);
        open
    }

    pub fn float_cast(&mut self, state: &mut State, term: TermId, from: TypeId, to: TypeId) -> TermId {
        match (from.float_kind(), to.float_kind()) {
            (Some(from), Some(to)) => {
                let result = float(from).convert(self.pool(), NEAREST, term, float(to));
                self.any_nan(float(to), result)
            }
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
                self.fault(state, Fault::FloatConversion, integer.invalid);
                integer.value
            }
            (None, None) => panic!("no float takes part"),
        }
    }

    /// Functions of `math.h` that are exact; `None` for others. What C leaves open is poison: the sign of a smallest or largest zero, the
    /// integer for a number that does not fit, and the number that `signbit` gives for a negative one.
    pub fn float_library(
        &mut self,
        state: &mut State,
        meaning: LibFn,
        values: &[SymbolicValue],
        types: &[TypeId],
    ) -> Option<SymbolicValue> {
        let number = |index: usize| match values.get(index) {
            Some(SymbolicValue::Bits(term)) => Some(*term),
            _ => None,
        };
        Some(SymbolicValue::Bits(match meaning {
            LibFn::Math(function, kind) => {
                let format = float(kind);
                let operands = [number(0)?, number(1).unwrap_or(number(0)?), number(2).unwrap_or(number(0)?)];
                // A float passed without prototype was widened; the table's own type decides then.
                if self.pool().width(operands[0]) != format.format.width() {
                    return None;
                }
                let result = self.math(state, function, format, operands)?;
                // What only moves the sign keeps the payload, and rounding to integers is no arithmetic of floats.
                let computes = matches!(function, Math::Sqrt | Math::Fmod | Math::Remainder | Math::Fma | Math::Fdim);
                if computes { self.any_nan(format, result) } else { result }
            }
            LibFn::Classify(class) => self.classify(class, float(types.first()?.float_kind()?), number(0)?)?,
            LibFn::BuiltinFpclassify => {
                let format = float(types.get(5)?.float_kind()?);
                // The order of the arguments: NaN, infinite, normal, subnormal, zero.
                let by_class = [number(0)?, number(1)?, number(4)?, number(3)?, number(2)?];
                self.class_of(format, number(5)?, by_class)
            }
            LibFn::Compare(relation) => {
                let mut widened = [number(0)?, number(1)?];
                for (operand, ty) in widened.iter_mut().zip(types) {
                    *operand = self.cast(state, SymbolicValue::Bits(*operand), *ty, TypeId::LONG_DOUBLE).bits();
                }
                self.compare_quietly(relation, widened)
            }
            _ => return None,
        }))
    }

    fn math(&mut self, state: &mut State, function: Math, format: Float, [a, b, c]: [TermId; 3]) -> Option<TermId> {
        let model = self.program.model();
        let pool = self.pool();
        Some(match function {
            Math::Fabs => format.abs(pool, a),
            Math::Sqrt => format.sqrt(pool, NEAREST, a),
            Math::Floor => format.round_to_integral(pool, Rounding::TowardNegative, a),
            Math::Ceil => format.round_to_integral(pool, Rounding::TowardPositive, a),
            Math::Trunc => format.round_to_integral(pool, Rounding::TowardZero, a),
            Math::Round => format.round_to_integral(pool, Rounding::NearestAway, a),
            Math::Roundeven | Math::Rint => format.round_to_integral(pool, NEAREST, a),
            Math::Fmod => format.fmod(pool, a, b),
            Math::Remainder => format.remainder(pool, a, b),
            Math::Copysign => format.copysign(pool, a, b),
            Math::Fma => format.fma(pool, NEAREST, a, b, c),
            Math::Fmin | Math::Fmax => {
                let equal = format.eq(pool, a, b);
                let same = pool.eq(a, b);
                let differ = pool.not(same);
                let open = pool.and(equal, differ);
                let result = match function {
                    Math::Fmin => format.min(pool, a, b),
                    _ => format.max(pool, a, b),
                };
                self.leave(state, ObligationKind::Poison("the smaller or larger of 0.0 and -0.0".into()), open);
                result
            }
            Math::Fdim => {
                let difference = format.sub(pool, NEAREST, a, b);
                let nothing = format.zero(pool, TermId::FALSE);
                let less = format.le(pool, a, b);
                pool.ite(less, nothing, difference)
            }
            Math::Lround | Math::Llround | Math::Lrint | Math::Llrint => {
                let mode =
                    if matches!(function, Math::Lround | Math::Llround) { Rounding::NearestAway } else { NEAREST };
                let long =
                    if matches!(function, Math::Lround | Math::Lrint) { IntKind::Long } else { IntKind::LongLong };
                let integer = format.to_signed(pool, mode, a, long.bits(model));
                let construct = "conversion of a float that does not fit the integer";
                self.leave(state, ObligationKind::Poison(construct.into()), integer.invalid);
                integer.value
            }
            _ => return None,
        })
    }

    fn classify(&mut self, class: Classify, format: Float, a: TermId) -> Option<TermId> {
        let pool = self.pool();
        let flag = match class {
            Classify::Nan => format.is_nan(pool, a),
            Classify::Infinite | Classify::InfiniteOpen => format.is_infinite(pool, a),
            Classify::Signbit => format.is_negative(pool, a),
            Classify::Finite => format.is_finite(pool, a),
            Classify::Normal => format.is_normal(pool, a),
            Classify::Fpclassify => {
                let numbers = [0, 1, 2, 3, 4].map(|number| pool.bv(32, number));
                return Some(self.class_of(format, a, numbers));
            }
            Classify::InfiniteSign => {
                let (infinite, negative) = (format.is_infinite(pool, a), format.is_negative(pool, a));
                let [zero, plus, minus] = [0, 1, u32::MAX as u128].map(|number| pool.bv(32, number));
                let sign = pool.ite(negative, minus, plus);
                return Some(pool.ite(infinite, sign, zero));
            }
        };
        Some(pool.bool_to_bv(flag, 32))
    }

    /// Chooses by class, in the order of glibc's numbers: NaN, infinite, zero, subnormal, normal.
    fn class_of(&mut self, format: Float, a: TermId, [nan, infinite, zero, subnormal, normal]: [TermId; 5]) -> TermId {
        let pool = self.pool();
        let classes = [
            (format.is_nan(pool, a), nan),
            (format.is_infinite(pool, a), infinite),
            (format.is_zero(pool, a), zero),
            (format.is_subnormal(pool, a), subnormal),
        ];
        classes.into_iter().fold(normal, |result, (flag, number)| pool.ite(flag, number, result))
    }

    /// The comparisons of `math.h`, which differ from the operators only in the exceptions that they do not raise.
    fn compare_quietly(&mut self, relation: Compare, [a, b]: [TermId; 2]) -> TermId {
        let (format, pool) = (Float::X87, self.pool());
        let holds = match relation {
            Compare::Less => format.lt(pool, a, b),
            Compare::LessEqual => format.le(pool, a, b),
            Compare::Greater => format.lt(pool, b, a),
            Compare::GreaterEqual => format.le(pool, b, a),
            Compare::LessGreater => {
                let (less, greater) = (format.lt(pool, a, b), format.lt(pool, b, a));
                pool.or(less, greater)
            }
            Compare::Unordered => {
                let (left, right) = (format.is_nan(pool, a), format.is_nan(pool, b));
                pool.or(left, right)
            }
        };
        pool.bool_to_bv(holds, 32)
    }
}

impl Encoder<'_> {
    /// Whether a term depends on an arbitrary result of floating-point arithmetic.
    pub fn depends_on_floats(&self, term: TermId) -> bool {
        let (mut seen, mut waiting) = (FxHashSet::default(), vec![term]);
        while let Some(term) = waiting.pop() {
            if self.float_results.contains(&term) {
                return true;
            }
            waiting.extend(self.pool.args(term).iter().copied().filter(|arg| seen.insert(*arg)));
        }
        false
    }
}

/// Whether the program has floating-point arithmetic.
pub fn computes_floats(program: &Program) -> bool {
    let is_arithmetic = |expr: &Expr| match expr.kind {
        ExprKind::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div, ..) => expr.ty.float_kind().is_some(),
        _ => false,
    };
    program.exprs.values().any(is_arithmetic)
}
