//! Expressions as C: parentheses, casts, what has no C form.

use super::*;
use crate::testing::{Builder, random_program, sample};
use crate::types::{Field, RecordKind};

/// Variables of several types, and the text of expressions over them.
struct Vars {
    b: Builder,
    i: ExprId,
    u: ExprId,
    l: ExprId,
    c: ExprId,
    d: ExprId,
    p: ExprId,
    q: ExprId,
}

fn vars(model: DataModel) -> Vars {
    let mut b = Builder::with_model(model);
    let int_pointer = b.program.types.pointer_to(TypeId::INT);
    let mut var = |name: &str, ty: TypeId| {
        let var = b.global(name, ty, Init::Zero);
        b.var(var)
    };
    let [i, u, l, c] = [("i", TypeId::INT), ("u", TypeId::UINT), ("l", TypeId::LONG), ("c", TypeId::CHAR)]
        .map(|(name, ty)| var(name, ty));
    let (d, p, q) = (var("d", TypeId::DOUBLE), var("p", int_pointer), var("q", TypeId::CHAR_POINTER));
    Vars { b, i, u, l, c, d, p, q }
}

#[track_caller]
fn shows(expected: &str, model: DataModel, build: impl FnOnce(&mut Vars) -> ExprId) {
    let mut v = vars(model);
    let expr = build(&mut v);
    assert_eq!(expr_to_c(&v.b.program, expr).as_deref(), Some(expected));
}

const LP64: DataModel = DataModel::Lp64;

#[test]
fn parentheses_follow_precedence() {
    shows("(i + 1) * i - (i - 2)", LP64, |v| {
        let (one, two) = (v.b.int(1), v.b.int(2));
        let (sum, difference) = (v.b.binary(BinOp::Add, v.i, one), v.b.binary(BinOp::Sub, v.i, two));
        let product = v.b.binary(BinOp::Mul, sum, v.i);
        v.b.binary(BinOp::Sub, product, difference)
    });
    shows("-(-1)", LP64, |v| {
        let minus = v.b.int(-1);
        v.b.unary(UnOp::Neg, minus)
    });
    shows("-i - -5", LP64, |v| {
        let (left, right) = (v.b.unary(UnOp::Neg, v.i), v.b.int(-5));
        v.b.binary(BinOp::Sub, left, right)
    });
    shows("!(i < 3 & ~i)", LP64, |v| {
        let three = v.b.int(3);
        let (less, not) = (v.b.binary(BinOp::Lt, v.i, three), v.b.unary(UnOp::BitNot, v.i));
        let both = v.b.binary(BinOp::And, less, not);
        v.b.unary(UnOp::Not, both)
    });
}

#[test]
fn conversions_that_c_does_itself_are_not_shown() {
    shows("i + l", LP64, |v| {
        let wide = v.b.cast(TypeId::LONG, v.i);
        v.b.binary(BinOp::Add, wide, v.l)
    });
    shows("c < 10", LP64, |v| {
        let (wide, ten) = (v.b.cast(TypeId::INT, v.c), v.b.int(10));
        v.b.binary(BinOp::Lt, wide, ten)
    });
    shows("i < u", LP64, |v| {
        let left = v.b.cast(TypeId::UINT, v.i);
        v.b.binary(BinOp::Lt, left, v.u)
    });
    shows("u > 10", LP64, |v| {
        let ten = v.b.constant(TypeId::UINT, 10);
        v.b.binary(BinOp::Gt, v.u, ten)
    });
    shows("i * d", LP64, |v| {
        let left = v.b.cast(TypeId::DOUBLE, v.i);
        v.b.binary(BinOp::Mul, left, v.d)
    });
    shows("i < 3", LP64, |v| {
        let three = v.b.int(3);
        let less = v.b.binary(BinOp::Lt, v.i, three);
        let truth = v.b.cast(TypeId::BOOL, less);
        v.b.cast(TypeId::LONG, truth)
    });
    shows("c", LP64, |v| v.b.cast(TypeId::LONG, v.c));
    // char, wrapped to its width after an addition that C does in int.
    shows("(char)(c + 1)", LP64, |v| {
        let (wide, one) = (v.b.cast(TypeId::INT, v.c), v.b.int(1));
        let sum = v.b.binary(BinOp::Add, wide, one);
        v.b.cast(TypeId::CHAR, sum)
    });
}

#[test]
fn conversions_that_matter_are_shown() {
    shows("(long)i * i", LP64, |v| {
        let (left, right) = (v.b.cast(TypeId::LONG, v.i), v.b.cast(TypeId::LONG, v.i));
        v.b.binary(BinOp::Mul, left, right)
    });
    shows("(int)u < i", LP64, |v| {
        let left = v.b.cast(TypeId::INT, v.u);
        v.b.binary(BinOp::Lt, left, v.i)
    });
    shows("(int)l / 3", LP64, |v| {
        let (left, three) = (v.b.cast(TypeId::INT, v.l), v.b.int(3));
        v.b.binary(BinOp::Div, left, three)
    });
    // On ILP32, int and long are the same.
    shows("l / 3", DataModel::Ilp32, |v| {
        let (left, three) = (v.b.cast(TypeId::INT, v.l), v.b.int(3));
        v.b.binary(BinOp::Div, left, three)
    });
    shows("(unsigned char)i", LP64, |v| {
        let narrow = v.b.cast(TypeId::UCHAR, v.i);
        v.b.cast(TypeId::INT, narrow)
    });
    shows("(_Bool)i", LP64, |v| {
        let truth = v.b.cast(TypeId::BOOL, v.i);
        v.b.cast(TypeId::INT, truth)
    });
    shows("(int)d + 1", LP64, |v| {
        let (left, one) = (v.b.cast(TypeId::INT, v.d), v.b.int(1));
        v.b.binary(BinOp::Add, left, one)
    });
    shows("(unsigned long)p & 7", LP64, |v| {
        let (left, seven) = (v.b.cast(TypeId::ULONG, v.p), v.b.constant(TypeId::ULONG, 7));
        v.b.binary(BinOp::And, left, seven)
    });
    shows("1U << i", LP64, |v| {
        let one = v.b.constant(TypeId::UINT, 1);
        v.b.binary(BinOp::Shl, one, v.i)
    });
    shows("i * 10L", LP64, |v| {
        let (left, ten) = (v.b.cast(TypeId::LONG, v.i), v.b.constant(TypeId::LONG, 10));
        v.b.binary(BinOp::Mul, left, ten)
    });
    shows("-(unsigned int)i", LP64, |v| {
        let left = v.b.cast(TypeId::UINT, v.i);
        v.b.unary(UnOp::Neg, left)
    });
}

#[test]
fn constants() {
    let constant = |ty: TypeId, value: i128| move |v: &mut Vars| v.b.constant(ty, value);
    shows("-2147483647 - 1", LP64, constant(TypeId::INT, i32::MIN.into()));
    shows("4294967295U", LP64, constant(TypeId::UINT, u32::MAX.into()));
    shows("-9223372036854775807L - 1", LP64, constant(TypeId::LONG, i64::MIN.into()));
    shows("18446744073709551615UL", LP64, constant(TypeId::ULONG, u64::MAX.into()));
    shows("5", LP64, constant(TypeId::ULONG, 5));
    shows("-128", LP64, constant(TypeId::CHAR, -128));
    shows("(void *)0", LP64, constant(TypeId::VOID_POINTER, 0));
    shows("(void *)16", LP64, constant(TypeId::VOID_POINTER, 16));
    shows("i - (-2147483647 - 1)", LP64, |v| {
        let lowest = v.b.int(i32::MIN);
        v.b.binary(BinOp::Sub, v.i, lowest)
    });
    let bits = |ty: TypeId, bits: u128| move |v: &mut Vars| v.b.expr(ExprKind::Const(Bits::new(bits)), ty);
    shows("0.5", LP64, bits(TypeId::DOUBLE, 0.5f64.to_bits().into()));
    shows("-1e300", LP64, bits(TypeId::DOUBLE, (-1e300f64).to_bits().into()));
    shows("0.1f", LP64, bits(TypeId::FLOAT, 0.1f32.to_bits().into()));
    shows("-__builtin_inf()", LP64, bits(TypeId::DOUBLE, f64::NEG_INFINITY.to_bits().into()));
    shows("0x8000000000000000p-62L", LP64, bits(TypeId::LONG_DOUBLE, 0x4000_8000_0000_0000_0000));
}

#[test]
fn pointers() {
    shows("p[i]", LP64, |v| {
        let moved = v.b.ptr_add(v.p, v.i);
        let place = v.b.deref(moved);
        v.b.read(place)
    });
    shows("*p", LP64, |v| {
        let place = v.b.deref(v.p);
        v.b.read(place)
    });
    shows("(char *)p + 1", LP64, |v| {
        let (bytes, one) = (v.b.cast(TypeId::CHAR_POINTER, v.p), v.b.int(1));
        v.b.ptr_add(bytes, one)
    });
    shows("*(int *)q", LP64, |v| {
        let place = v.b.place(PlaceKind::Deref(v.q), TypeId::INT);
        v.b.read(place)
    });
    shows("p != 0", LP64, |v| {
        let ty = v.b.ty(v.p);
        let null = v.b.constant(ty, 0);
        v.b.binary(BinOp::Ne, v.p, null)
    });
    shows("(char *)p == q", LP64, |v| {
        let bytes = v.b.cast(TypeId::CHAR_POINTER, v.p);
        v.b.binary(BinOp::Eq, bytes, v.q)
    });
    shows("p", LP64, |v| {
        let place = v.b.deref(v.p);
        v.b.address(place)
    });
    shows("&i", LP64, |v| {
        let ExprKind::Read(place) = v.b.program.exprs[v.i].kind else { unreachable!() };
        v.b.address(place)
    });
    shows("\"a\\\"\\001b\"[i]", LP64, |v| {
        let text = v.b.string("a\"\u{1}b");
        let place = v.b.var_place(text);
        let element = v.b.index(place, v.i);
        v.b.read(element)
    });
}

#[test]
fn records() {
    let mut b = Builder::new();
    let (_, node) = b.list_record("node");
    let list = b.global("list", node, Init::Zero);
    let place = b.var_place(list);
    let (next, flags) = (b.field(place, 1), b.field(place, 2));
    let next = b.read(next);
    let behind = b.deref(next);
    let next_x = b.field(behind, 0);
    let x = b.read(next_x);
    assert_eq!(expr_to_c(&b.program, x).unwrap(), "list.next->x");
    assert_eq!(place_to_c(&b.program, next_x).unwrap(), "list.next->x");
    // Five unsigned bits are promoted to int, so the other operand must make the operation unsigned.
    let (flags, minus) = (b.read(flags), b.constant(TypeId::UINT, -1));
    let less = b.binary(BinOp::Lt, flags, minus);
    assert_eq!(expr_to_c(&b.program, less).unwrap(), "list.flags < 4294967295U");
    let five = b.constant(TypeId::UINT, 5);
    let difference = b.binary(BinOp::Sub, flags, five);
    assert_eq!(expr_to_c(&b.program, difference).unwrap(), "list.flags - 5U");

    // A member of an unnamed member is reached without naming it; a pointer to an unnamed record by its typedef, or not at all.
    let name = b.symbol("a");
    let (outer, outer_ty) = b.program.types.new_record(RecordKind::Struct, None);
    let (inner, inner_ty) = b.program.types.new_record(RecordKind::Union, None);
    for (record, field, ty) in [(inner, Some(name), TypeId::INT), (outer, None, inner_ty)] {
        let record = &mut b.program.types.records[record];
        record.fields = vec![Field { name: field, ty, offset: 0, bits: None, is_const: false }];
        (record.size, record.align, record.complete) = (4, 4, true);
    }
    let raw = b.global("raw", TypeId::VOID_POINTER, Init::Zero);
    let raw = b.var(raw);
    let whole = b.place(PlaceKind::Deref(raw), outer_ty);
    let union = b.field(whole, 0);
    let a = b.field(union, 0);
    let a = b.read(a);
    assert_eq!(expr_to_c(&b.program, a), None);
    let alias = b.symbol("outer_t");
    b.program.scopes[ScopeId(0)].names.push((alias, Binding::Type(outer_ty)));
    assert_eq!(expr_to_c(&b.program, a).unwrap(), "((outer_t *)raw)->a");
    assert_eq!(place_to_c(&b.program, union), None);
}

#[test]
fn what_has_no_c_is_none_but_has_a_text() {
    let mut b = Builder::new();
    b.begin_simple("f");
    let temp = b.temp(TypeId::INT);
    let one = b.int(1);
    let temp = b.var(temp);
    let sum = b.binary(BinOp::Add, temp, one);
    assert_eq!(expr_to_c(&b.program, sum), None);
    assert_eq!(expr_text(&b.program, sum), "v0 + 1");
    assert!(mentions_temp(&b.program, sum) && !mentions_temp(&b.program, one));

    let mut deep = b.global_int("g");
    let mut doubled = deep;
    for _ in 0..100_000 {
        deep = b.binary(BinOp::Add, deep, one);
    }
    for _ in 0..60 {
        doubled = b.binary(BinOp::Add, doubled, doubled);
    }
    for expr in [deep, doubled] {
        assert_eq!(expr_to_c(&b.program, expr), None);
        assert!(expr_text(&b.program, expr).contains('…'));
        assert!(!mentions_temp(&b.program, expr));
    }
}

#[test]
fn operations() {
    let s = sample();
    let texts: Vec<String> = s.b.program.edges.values().map(|edge| op_to_c(&s.b.program, &edge.op)).collect();
    let expected = [
        "return a",
        "int x",
        "x = __VERIFIER_nondet_int()",
        "dynamic = alloca(24)",
        "v10 = items + 1",
        "p = &whole",
        "whole = *p",
        "items[x] = p->flags",
        "[x < 10]",
        "[!(x < 10)]",
        "x = other(x << 3, whole)",
        "sum(1, \"hi\\n\", 0.5)",
        "__VERIFIER_nondet_int()",
        "malloc(24)",
        "",
        "assert(-x >= (int)(items + 1 - items))",
        "[-x >= (int)(items + 1 - items)]",
        "end of x",
        "[!p]",
        "[!!p]",
        "unsupported: inline \"asm\"",
        "exit(0)",
        "return 0",
    ];
    let expected: Vec<String> = expected.map(String::from).to_vec();
    assert_eq!(texts, expected);
}

#[test]
fn random_programs_have_texts() {
    for seed in 0..100 {
        let program = random_program(seed);
        for edge in program.edges.values() {
            op_to_c(&program, &edge.op);
        }
    }
}
