//! The textual form: round trips and nonsense.

use super::*;
use crate::testing::{Builder, Random, random_program, sample};
use crate::verify::verify;
use crate::*;
use base::Span;

fn round_trip(program: &Program) -> Program {
    let text = print(program);
    let parsed = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(print(&parsed), text);
    let bare = print_with(program, PrintOptions { spans: false });
    let parsed_bare = parse(&bare).unwrap_or_else(|error| panic!("{error}\n{bare}"));
    assert_eq!(print(&parsed_bare), bare);
    parsed
}

/// Everything but expressions, by id.
fn assert_same_tables(left: &Program, right: &Program) {
    let names = |program: &Program| -> Vec<String> {
        program.vars.values().map(|var| program.name(var.name).to_string()).collect()
    };
    assert_eq!(names(left), names(right));
    assert!(left.types.iter().eq(right.types.iter()));
    assert_eq!(left.locations, right.locations);
    for (id, var) in left.vars.iter() {
        let other = &right.vars[id];
        assert_eq!((var.ty, var.kind, &var.init), (other.ty, other.kind, &other.init));
        assert_eq!((var.address_taken, var.span), (other.address_taken, other.span));
    }
    for (id, edge) in left.edges.iter() {
        let other = &right.edges[id];
        assert_eq!((edge.from, edge.to, edge.span, edge.anchor), (other.from, other.to, other.span, other.anchor));
    }
    for (id, function) in left.functions.iter() {
        let other = &right.functions[id];
        assert_eq!((function.ty, &function.params, function.span), (other.ty, &other.params, other.span));
        let range = |body: &Body| match body {
            Body::Defined(automaton) => {
                // The position of an empty range has no meaning.
                let range = |range: &std::ops::Range<u32>| if range.start == range.end { 0..0 } else { range.clone() };
                let (edges, vars) = (range(&automaton.edges), range(&automaton.vars));
                Some((automaton.entry, automaton.exit, automaton.locations.clone(), edges, vars))
            }
            _ => None,
        };
        assert_eq!(range(&function.body), range(&other.body));
    }
}

#[test]
fn the_sample_goes_round_with_everything() {
    let program = sample().b.program;
    verify(&program).unwrap();
    let parsed = round_trip(&program);
    assert_same_tables(&program, &parsed);
    verify(&parsed).unwrap();
}

#[test]
fn the_text_reads_like_this() {
    let mut b = Builder::new();
    let f = b.begin("f", TypeId::INT, &[("n", TypeId::INT)]);
    let n = b.program.functions[f].params[0];
    let (head, body, done, exit) = (b.loc(), b.loc(), b.loc(), b.loc());
    b.program.locations[head].loop_head = Some(Span::new(40, 80));
    let (left, limit) = (b.var(n), b.int(10));
    let cond = b.binary(BinOp::Lt, left, limit);
    b.branch(head, cond, AssumeRole::Branch(Branch::While), body, done);
    let (place, one) = (b.var_place(n), b.constant(TypeId::LONG, -1));
    let wide = b.cast(TypeId::LONG, left);
    let sum = b.binary(BinOp::Add, wide, one);
    let sum = b.cast(TypeId::INT, sum);
    let edge = b.edge_at(body, Op::Assign(place, sum), head, Span::new(50, 54));
    b.program.edges[edge].anchor = 48;
    b.edge(done, Op::Return(Some(left)), exit);
    b.end(head, exit);
    let expected = "\
program lp64
type t20 = fn int (int)
scope s0
  name f = f0
scope s1 in s0/1 @5..500
  name n = v0
fn f0 f: t20 (v0) scope s1 entry L0 exit L3 @3..600
  param v0 n: int
  L0: s1/1 loop @40..80
    e0: assume while (v0 < 10:int) -> L1
    e1: assume not while same -> L2
  L1: s1/1
    e2: v0 = int((long(v0) + -1:long)) -> L0 @50..54^48
  L2: s1/1
    e3: return v0 -> L3
  L3: s1/1
";
    assert_eq!(print(&b.program), expected);
    round_trip(&b.program);
}

#[test]
fn deep_and_shared_expressions_are_cut_by_let() {
    let mut b = Builder::new();
    let mut value = b.global_int("g");
    for n in 0..10_000 {
        let one = b.int(n);
        value = b.binary(BinOp::Add, value, one);
    }
    let mut doubled = b.global_int("g");
    for _ in 0..100 {
        doubled = b.binary(BinOp::Mul, doubled, doubled);
    }
    b.begin_simple("f");
    let (start, exit) = (b.loc(), b.loc());
    let at = b.then(start, Op::Assert { cond: value, property: Property::Assertion });
    let at = b.then(at, Op::Assert { cond: doubled, property: Property::UnreachCall });
    b.edge(at, Op::Return(None), exit);
    b.end(start, exit);
    verify(&b.program).unwrap();
    let text = print(&b.program);
    assert!(text.len() < 1_000_000 && text.contains("let x0 = "));
    verify(&round_trip(&b.program)).unwrap();
}

#[test]
fn odd_names_and_constants() {
    let mut b = Builder::new();
    for name in ["", "two words", "quote\"back\\slash\nline", "2x", "\u{e9}", "type", "v0"] {
        b.global(name, TypeId::INT, Init::Zero);
    }
    b.begin_simple("fn");
    let (start, exit) = (b.loc(), b.loc());
    let mut at = start;
    let floats =
        [0.1f64, -0.0, 1e300, f64::MIN_POSITIVE, f64::NAN, f64::NEG_INFINITY].map(|value| value.to_bits() as u128);
    for bits in floats {
        let cond = b.expr(ExprKind::Const(Bits::new(bits)), TypeId::DOUBLE);
        at = b.then(at, Op::Assert { cond, property: Property::Assertion });
    }
    for (ty, bits) in [
        (TypeId::FLOAT, (-1.5e-30f32).to_bits() as u128),
        (TypeId::LONG_DOUBLE, 0x4000_8000_0000_0000_0000),
        (TypeId::INT128, u128::MAX),
        (TypeId::INT128, 1 << 127),
        (TypeId::UINT128, u128::MAX),
        (TypeId::CHAR, 0x80),
        (TypeId::BOOL, 1),
        (TypeId::VOID_POINTER, 0xdead),
        // Too wide: the verifier objects, the text keeps it.
        (TypeId::CHAR, 0x1ff),
    ] {
        let cond = b.expr(ExprKind::Const(Bits::new(bits)), ty);
        at = b.then(at, Op::Assume { cond, truth: true, role: AssumeRole::Assumption });
    }
    b.edge(at, Op::Return(None), exit);
    b.end(start, exit);
    let parsed = round_trip(&b.program);
    let constants = |program: &Program| -> Vec<(TypeId, Option<Bits>)> {
        program.exprs.ids().map(|expr| (program.exprs[expr].ty, program.constant(expr))).collect()
    };
    assert_eq!(constants(&parsed), constants(&b.program));
    assert_eq!(parsed.name(parsed.vars[VarId(2)].name), "quote\"back\\slash\nline");
}

#[test]
fn types_that_the_parts_do_not_imply_are_kept() {
    let mut s = sample();
    // Read memory as another type, give an array's address its element's type, get types wrong: all of it is text.
    for expr in s.b.program.exprs.values_mut() {
        if matches!(expr.kind, ExprKind::PtrAdd(..) | ExprKind::Binary(..) | ExprKind::Unary(..)) {
            expr.ty = TypeId::SHORT;
        }
    }
    for place in s.b.program.places.values_mut() {
        if matches!(place.kind, PlaceKind::Deref(_) | PlaceKind::Index(..)) {
            place.ty = TypeId::UCHAR;
        }
    }
    let parsed = round_trip(&s.b.program);
    assert!(parsed.exprs.values().any(|e| matches!(e.kind, ExprKind::PtrAdd(..)) && e.ty == TypeId::SHORT));
}

#[test]
fn random_programs_go_round() {
    for seed in 0..300 {
        let program = random_program(seed);
        if let Err(violations) = verify(&program) {
            panic!("seed {seed}: {}\n{}", violations[0], print(&program));
        }
        let parsed = round_trip(&program);
        assert_same_tables(&program, &parsed);
        verify(&parsed).unwrap();
    }
}

#[test]
fn errors_name_line_and_column() {
    for (text, line, column, message) in [
        ("", 1, 1, "expected `program`"),
        ("program lp65", 1, 13, "expected `ilp32` or `lp64`"),
        ("program lp64\ntype t21 = ptr int", 2, 6, "expected a new type and its id t20"),
        ("program lp64\nglobal v0 x: t99 = zero", 2, 14, "`t99` is no type"),
        ("program lp64\nscope s0\n  name x = v7", 3, 12, "v7 is not defined"),
        ("program lp64\nglobal v0 \"\u{e9}\u{e9}\": nope", 2, 17, "`nope` is no type"),
        ("program lp64\n  bogus", 2, 3, "`bogus` starts no line"),
    ] {
        let error = parse(text).err().expect(text);
        assert_eq!((error.line, error.column, error.message.as_str()), (line, column, message), "{text}");
    }
    let deep = format!("{}e0: return {}", HEADER, "(- ".repeat(100_000));
    assert!(parse(&deep).err().unwrap().message.contains("nested too deep"));
}

const HEADER: &str =
    "program lp64\ntype t20 = fn void ()\nscope s0\nfn f0 f: t20 () scope s0 entry L0 exit L0\nL0: s0/0\n";

/// Neither the parser nor, on what it accepts, the verifier and the printers panic.
#[test]
fn mutated_text_never_panics() {
    let mut random = Random::new(42);
    let mut texts = vec![print(&sample().b.program)];
    texts.extend((0..4).map(|seed| print(&random_program(seed))));
    let snippets = [
        "t999",
        "v4294967295",
        "e0",
        "L0",
        "0x",
        "@9..1",
        "(",
        ")",
        "[",
        "-",
        ":",
        "\u{e9}",
        "#",
        "99999999999999999999",
        "same",
        "x0",
        "p0",
        "\n",
        "^",
        ".",
    ];
    let mut accepted = 0;
    for round in 0..6000 {
        let mut text = texts[round % texts.len()].clone();
        for _ in 0..1 + random.below(3) {
            let mut at = random.below(text.len());
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            match random.below(4) {
                0 => text.insert_str(at, random.pick(&snippets)),
                1 => drop(text.remove(at)),
                2 => {
                    let c = random.pick(&['0', '1', '7', 'v', 'e', ' ', 'f']);
                    text.remove(at);
                    text.insert(at, c);
                }
                _ => {
                    let mut lines: Vec<&str> = text.lines().collect();
                    let (from, to) = (random.below(lines.len()), random.below(lines.len()));
                    if random.below(2) == 0 {
                        lines.swap(from, to);
                    } else {
                        lines.remove(from);
                    }
                    text = lines.join("\n");
                }
            }
            if text.is_empty() {
                break;
            }
        }
        if let Ok(program) = parse(&text) {
            accepted += 1;
            let _ = verify(&program);
            print(&program);
            crate::dot::dot(&program, None);
        }
    }
    assert!(accepted > 100, "mutations are too wild to test anything: {accepted}");
}
