//! Bytecode against `eval`: operators, casts, branches.

use super::*;
use crate::eval::{self, Value};
use crate::testing::Random;
use crate::{AssumeRole, BinOp, Branch, DataModel, EdgeId, ExprKind, TypeTable, UnOp};
use rustc_hash::FxHashMap;

const SCALARS: [TypeId; 18] = [
    TypeId::BOOL,
    TypeId::CHAR,
    TypeId::SCHAR,
    TypeId::UCHAR,
    TypeId::SHORT,
    TypeId::USHORT,
    TypeId::INT,
    TypeId::UINT,
    TypeId::LONG,
    TypeId::ULONG,
    TypeId::LONG_LONG,
    TypeId::ULONG_LONG,
    TypeId::INT128,
    TypeId::UINT128,
    TypeId::FLOAT,
    TypeId::DOUBLE,
    TypeId::LONG_DOUBLE,
    TypeId::VOID_POINTER,
];

/// Interesting and arbitrary bits of a type. Long doubles are made from doubles: not all patterns of 80 bits are numbers.
fn arbitrary(random: &mut Random, types: &TypeTable, ty: TypeId) -> Bits {
    let small = [0, 1, -1i128, 2, 31, 32, 63, 64, 127, 128, -128, 255, 1 << 31, -(1 << 31), (1 << 31) - 1, 1 << 63];
    let floats =
        [0.0, -0.0, 1.0, -1.5, 2147483648.0, 1e10, -1e19, 1.8446744073709552e19, 1e300, f64::INFINITY, f64::NAN];
    match ty.float_kind() {
        Some(_) => {
            let value = match random.below(3) {
                0 => random.pick(&floats),
                1 => f64::from_bits(random.next()),
                _ => (random.next() as i64 >> random.below(63)) as f64 / 16.0,
            };
            eval::cast(types, TypeId::DOUBLE, ty, eval::from_f64(value))
        }
        None => {
            let value = match random.below(3) {
                0 => random.pick(&small),
                1 => (random.next() as i128) << 64 | random.next() as i128,
                _ => random.next() as i64 as i128 >> random.below(63),
            };
            eval::truncate(value as u128, types.scalar_bits(ty))
        }
    }
}

/// What an edge must assign, or whether it must be taken.
#[derive(Default)]
struct Expected {
    values: FxHashMap<EdgeId, (TypeId, Bits)>,
    taken: FxHashMap<EdgeId, bool>,
    seen: FxHashMap<EdgeId, u32>,
    wrong: Vec<String>,
}

impl Observer for Expected {
    fn step(&mut self, view: &View<'_, '_>, event: Event<'_>) {
        let Event::Edge { edge, value } = event else { return };
        *self.seen.entry(edge).or_default() += 1;
        if self.taken.get(&edge) == Some(&false) {
            self.wrong.push(format!("{edge} was taken"));
        }
        let Some((ty, bits)) = self.values.get(&edge).copied() else { return };
        if value.map(|(_, got)| got) != Some(bits) {
            let Op::Assign(_, expr) = view.program().edges[edge].op else { return };
            let kind = view.program().exprs[expr].kind;
            self.wrong.push(format!("{edge} {kind:?} of {ty}: got {value:?}, not {bits:?}"));
        }
        // The tree-walking evaluation agrees with the bytecode.
        if let Op::Assign(_, expr) = view.program().edges[edge].op
            && view.value(expr) != Ok(bits)
        {
            self.wrong.push(format!("{edge}: the view gives {:?}, not {bits:?}", view.value(expr)));
        }
    }
}

/// Operands as registers, memory and constants.
fn operand(b: &mut Builder, random: &mut Random, at: &mut LocId, ty: TypeId, bits: Bits) -> ExprId {
    let constant = b.expr(ExprKind::Const(bits), ty);
    if random.below(3) == 0 {
        return constant;
    }
    let var = b.local("x", ty);
    let place = b.var_place(var);
    b.program.vars[var].address_taken = random.below(3) == 0;
    *at = b.then(*at, Op::Declare(var));
    *at = assign(b, *at, place, constant);
    b.read(place)
}

fn assign_result(b: &mut Builder, random: &mut Random, at: &mut LocId, expr: ExprId) -> EdgeId {
    let ty = b.ty(expr);
    let var = b.local("r", ty);
    b.program.vars[var].address_taken = random.below(3) == 0;
    *at = b.then(*at, Op::Declare(var));
    let place = b.var_place(var);
    *at = assign(b, *at, place, expr);
    EdgeId(b.program.edges.len() as u32 - 1)
}

fn check(b: &Builder, main: FuncId, mut expected: Expected, noticed: usize) {
    crate::verify::verify(&b.program).unwrap_or_else(|wrong| panic!("{wrong:?}"));
    let config = Config::default();
    let inputs = &mut ListInputs::default();
    let run = run_observed(&b.program, main, &ProgramArgs::default(), inputs, &config, &mut expected);
    assert_eq!(run.outcome, Outcome::Finished(0));
    assert_eq!(expected.wrong, Vec::<String>::new());
    let _ = noticed;
    for edge in expected.values.keys() {
        assert_eq!(expected.seen.get(edge), Some(&1), "{edge}");
    }
    for (edge, taken) in &expected.taken {
        assert_eq!(expected.seen.contains_key(edge), *taken, "{edge}");
    }
}

fn is_defined(op: BinOp, ty: TypeId, types: &TypeTable) -> bool {
    match op {
        BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => true,
        _ if types.is_pointer(ty) => false,
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div => true,
        _ => ty.float_kind().is_none(),
    }
}

#[test]
fn operators_agree_with_the_reference() {
    for seed in 0..60 {
        let model = if seed % 3 == 0 { DataModel::Ilp32 } else { DataModel::Lp64 };
        let mut random = Random::new(seed + 1);
        let mut b = Builder::with_model(model);
        let mut expected = Expected::default();
        let main = main_of(&mut b, |b, mut at| {
            for _ in 0..150 {
                let ty = random.pick(&SCALARS);
                let op = random.pick(&BinOp::ALL);
                if !is_defined(op, ty, &b.program.types) {
                    continue;
                }
                let shift = matches!(op, BinOp::Shl | BinOp::Shr);
                let right = if shift { random.pick(&SCALARS[..14]) } else { ty };
                let x = arbitrary(&mut random, &b.program.types, ty);
                let mut y = arbitrary(&mut random, &b.program.types, right);
                if shift && random.below(2) == 0 {
                    y = eval::truncate(random.below(64) as u128, b.program.types.scalar_bits(right));
                }
                let Ok(Value { bits, .. }) = eval::binary(&b.program.types, op, ty, x, y, right) else { continue };
                let (left, amount) =
                    (operand(b, &mut random, &mut at, ty, x), operand(b, &mut random, &mut at, right, y));
                let expr = b.binary(op, left, amount);
                let edge = assign_result(b, &mut random, &mut at, expr);
                expected.values.insert(edge, (ty, bits));
                let truth = eval::truthy(&b.program.types, b.ty(expr), bits);
                let (yes, no, join) = (b.loc(), b.loc(), b.loc());
                let negate = random.below(4) == 0;
                let cond = if negate { b.unary(UnOp::Not, expr) } else { expr };
                b.branch(at, cond, AssumeRole::Branch(Branch::If), yes, no);
                let first = EdgeId(b.program.edges.len() as u32 - 2);
                expected.taken.insert(first, truth != negate);
                expected.taken.insert(EdgeId(first.0 + 1), truth == negate);
                b.edge(yes, Op::Skip, join);
                b.edge(no, Op::Skip, join);
                at = join;
            }
            at
        });
        check(&b, main, expected, 0);
    }
}

#[test]
fn casts_and_unary_operators_agree_with_the_reference() {
    for seed in 0..60 {
        let model = if seed % 3 == 0 { DataModel::Ilp32 } else { DataModel::Lp64 };
        let mut random = Random::new(seed + 1000);
        let mut b = Builder::with_model(model);
        let mut expected = Expected::default();
        let main = main_of(&mut b, |b, mut at| {
            for _ in 0..300 {
                let (from, to) = (random.pick(&SCALARS), random.pick(&SCALARS));
                let bits = arbitrary(&mut random, &b.program.types, from);
                let x = operand(b, &mut random, &mut at, from, bits);
                let pointer_and_float =
                    |one: TypeId, other: TypeId| one == TypeId::VOID_POINTER && other.float_kind().is_some();
                let fits = eval::fits(&b.program.types, from, to, bits);
                if fits && !pointer_and_float(from, to) && !pointer_and_float(to, from) {
                    let expr = b.cast(to, x);
                    let edge = assign_result(b, &mut random, &mut at, expr);
                    expected.values.insert(edge, (from, eval::cast(&b.program.types, from, to, bits)));
                }
                let op = random.pick(&[UnOp::Neg, UnOp::BitNot, UnOp::Not]);
                let floating = from.float_kind().is_some() && op == UnOp::BitNot;
                if !floating && (op == UnOp::Not || from != TypeId::VOID_POINTER) {
                    let expr = b.unary(op, x);
                    let edge = assign_result(b, &mut random, &mut at, expr);
                    expected.values.insert(edge, (from, eval::unary(&b.program.types, op, from, bits).bits));
                }
            }
            at
        });
        check(&b, main, expected, 0);
    }
}

#[test]
fn floats_without_an_integer_of_the_type_end_the_run() {
    for (from, to, value, fits) in [
        (TypeId::DOUBLE, TypeId::INT, 2147483647.5, true),
        (TypeId::DOUBLE, TypeId::INT, 2147483648.0, false),
        (TypeId::DOUBLE, TypeId::INT, -2147483648.5, true),
        (TypeId::DOUBLE, TypeId::INT, f64::NAN, false),
        (TypeId::FLOAT, TypeId::UCHAR, 255.5, true),
        (TypeId::FLOAT, TypeId::UCHAR, 256.0, false),
        (TypeId::FLOAT, TypeId::UCHAR, -0.5, true),
        (TypeId::DOUBLE, TypeId::ULONG, -1.0, false),
        (TypeId::DOUBLE, TypeId::ULONG, 18446744073709549568.0, true),
        (TypeId::LONG_DOUBLE, TypeId::LONG, 9223372036854775808.0, false),
        (TypeId::LONG_DOUBLE, TypeId::BOOL, f64::INFINITY, true),
        (TypeId::DOUBLE, TypeId::UINT128, 3e38, true),
        (TypeId::DOUBLE, TypeId::INT128, 3e38, false),
    ] {
        let mut b = Builder::new();
        let bits = eval::cast(&b.program.types, TypeId::DOUBLE, from, eval::from_f64(value));
        let main = main_of(&mut b, |b, start| {
            let (x, y) = (b.local("x", from), b.local("y", to));
            let (x, y, number) = (b.var_place(x), b.var_place(y), b.expr(ExprKind::Const(bits), from));
            let at = assign(b, start, x, number);
            let read = b.read(x);
            let converted = b.cast(to, read);
            assign(b, at, y, converted)
        });
        let run = run_with(&b, main, &Config::default());
        let expected = if fits { Outcome::Finished(0) } else { Outcome::Undefined(Fault::FloatConversion) };
        assert_eq!(run.outcome, expected, "{value} of {from} to {to}");
    }
}

#[test]
fn faults_of_arithmetic_are_noticed_or_violations() {
    for (op, ty, x, y, fault) in [
        (BinOp::Add, TypeId::INT, i32::MAX as i128, 1, Fault::SignedOverflow),
        (BinOp::Sub, TypeId::LONG, i64::MIN as i128, 1, Fault::SignedOverflow),
        (BinOp::Mul, TypeId::INT, 65536, 65536, Fault::SignedOverflow),
        (BinOp::Div, TypeId::INT, i32::MIN as i128, -1, Fault::DivisionOverflow),
        (BinOp::Rem, TypeId::LONG, i64::MIN as i128, -1, Fault::DivisionOverflow),
        (BinOp::Shl, TypeId::INT, 1, 31, Fault::SignedOverflow),
        (BinOp::Shl, TypeId::INT, 1, 32, Fault::ShiftRange),
        (BinOp::Shr, TypeId::UINT, 1, 40, Fault::ShiftRange),
        (BinOp::Add, TypeId::INT128, i128::MAX, 1, Fault::SignedOverflow),
        (BinOp::Div, TypeId::UINT, 1, 0, Fault::DivisionByZero),
        (BinOp::Rem, TypeId::INT, 1, 0, Fault::DivisionByZero),
        (BinOp::Div, TypeId::INT128, 1, 0, Fault::DivisionByZero),
    ] {
        for constant in [false, true] {
            let mut b = Builder::new();
            let mut edge = EdgeId(0);
            let main = main_of(&mut b, |b, start| {
                let v = b.local("v", ty);
                let (place, x, mut right) = (b.var_place(v), b.constant(ty, x), b.constant(ty, y));
                let mut at = assign(b, start, place, x);
                if !constant {
                    let w = b.local("w", ty);
                    let place = b.var_place(w);
                    at = assign(b, at, place, right);
                    right = b.var(w);
                }
                let left = b.read(place);
                let expr = b.binary(op, left, right);
                let end = assign(b, at, place, expr);
                edge = EdgeId(b.program.edges.len() as u32 - 1);
                end
            });
            let run = run_with(&b, main, &Config::default());
            if matches!(fault, Fault::DivisionByZero | Fault::DivisionOverflow) {
                assert_eq!(run.outcome, Outcome::Undefined(fault));
            } else {
                assert_eq!((run.outcome, run.noticed), (Outcome::Finished(0), vec![(edge, fault)]), "{op:?} {ty}");
            }
            let property = fault.property().unwrap();
            let asked = Config { properties: PropertySet::of(&[property]), ..Config::default() };
            let run = run_with(&b, main, &asked);
            assert_eq!(run.outcome, Outcome::Violation { property, fault: Some(fault) });
            assert_eq!(run.end, Some(edge));
        }
    }
}
