//! An expression of a witness gives what the same expression gives in the program.

use super::*;
use base::SourceMap;
use cfa::interp::{self, Config, ListInputs, Outcome, ProgramArgs};
use cfa::{Bits, DataModel, EdgeId, Op};

const BEFORE: &str = "typedef unsigned char byte; struct s { int f; byte g; }; enum colour { SEVEN = 7 }; int global = 5;
    int main(void) { int a = 3; unsigned u = 4000000000u; byte c = 200; int *p = &a; int *null = 0; int z[3] = {1, 2, 3}; long l = -1;
    struct s s = {9, 8}; struct s *q = &s; double d = 1.5; { int a = 4; global += a; } ";

fn compile(body: &str) -> Program {
    let mut sources = SourceMap::new();
    let text = format!("{BEFORE} {body} }}");
    let file = sources.add("t.c", text.into_bytes()).expect("small");
    let compiled = crate::c::compile(&mut sources, &[file], &crate::CompileOptions::of(DataModel::Lp64));
    assert!(!compiled.has_errors(), "{body}: {:?}", compiled.diagnostics);
    compiled.program
}

fn run(program: &Program) -> Outcome {
    let main = program.function_named("main").expect("there is one");
    let words = ProgramArgs { words: vec![b"t".to_vec()] };
    interp::run(program, main, &words, &mut ListInputs::default(), &Config::default()).outcome
}

fn return_edge(program: &Program) -> EdgeId {
    let found = program.edges.iter().find(|(_, edge)| matches!(edge.op, Op::Return(_)));
    found.expect("main returns").0
}

/// The exit code when the program returns the value.
fn value(program: &mut Program, expr: ExprId) -> Option<bool> {
    let edge = return_edge(program);
    let ty = program.exprs[expr].ty;
    let zero = program.exprs.push(cfa::Expr { kind: cfa::ExprKind::Const(Bits::ZERO), ty, span: Span::NONE });
    let kind = cfa::ExprKind::Binary(cfa::BinOp::Ne, expr, zero);
    let truth = program.exprs.push(cfa::Expr { kind, ty: cfa::TypeId::INT, span: Span::NONE });
    program.edges[edge].op = Op::Return(Some(truth));
    cfa::verify::verify(program).expect("the program stays well-formed");
    match run(program) {
        Outcome::Finished(code) => Some(code != 0),
        _ => None,
    }
}

fn holds(program: &mut Program, condition: &Condition) -> Option<bool> {
    match condition {
        Condition::Atom(expr) => value(program, *expr),
        Condition::Not(inner) => Some(!holds(program, inner)?),
        Condition::All(parts) => {
            for part in parts {
                if !holds(program, part)? {
                    return Some(false);
                }
            }
            Some(true)
        }
        Condition::Any(parts) => {
            for part in parts {
                if holds(program, part)? {
                    return Some(true);
                }
            }
            Some(false)
        }
        Condition::If(parts) => {
            let chosen = if holds(program, &parts[0])? { 1 } else { 2 };
            holds(program, &parts[chosen])
        }
    }
}

const EXPRESSIONS: &[&str] = &[
    "a == 3 && u > 5",
    "a == 4 || c == 200",
    "!(a == 3) || !(c + 100 > 255)",
    "null && *null == 1",
    "!null || *null == 1",
    "p && *p == 3",
    "z[2] == 3 && z[a - 1] == 3 && a",
    "a > 5 ? z[a] : z[0] == 1",
    "(a == 3 && c) + (u == 0 || l < 0) == 2",
    "(a > 2 ? u : c) == 4000000000",
    "(a > 2 ? c : a) - (l ? -1 : 1) == 201",
    "(a ?: 7) == 3",
    "(byte)(c + 100) == 44",
    "s.f == 9 && q->g == 8 && (*q).f > q->g",
    "sizeof(struct s) == 8 && sizeof(byte) == 1 && sizeof a == 4",
    "SEVEN == 7 && global == 9",
    "d > 1.25 && d * 2 == 3.0",
    "((d != 0) && (l != 0)) == 1",
    "!(d && l) == 0",
    "-1 < l",
    "(enum colour)a == 3 && sizeof(enum colour) == 4",
    "((struct s *)(void *)q)->f == 9",
    "*(&a) == 3 && &z[1] == z + 1 && &s.f == (int *)q",
    "u + l < u",
    "l == -1 ? a == 3 ? c == 200 : c == 1 : 0",
];

#[test]
fn a_condition_gives_what_the_program_gives() {
    for text in EXPRESSIONS {
        let expected = match run(&compile(&format!("return ({text}) != 0;"))) {
            Outcome::Finished(code) => code != 0,
            other => panic!("{text}: {other:?}"),
        };
        let mut program = compile("return a;");
        let at = program.edges[return_edge(&program)].from;
        let site = Site { at, result: None };
        let condition = condition(&mut program, site, text).unwrap_or_else(|error| panic!("{text}: {}", error.message));
        assert_eq!(holds(&mut program, &condition), Some(expected), "{text}: {condition:?}");
        let mut program = compile("return a;");
        match expression(&mut program, site, text) {
            Ok(expr) => assert_eq!(value(&mut program, expr), Some(expected), "{text}"),
            Err(error) => assert!(error.message.contains("must not be evaluated always"), "{text}: {}", error.message),
        }
    }
}

#[test]
fn what_is_refused_changes_nothing() {
    let mut program = compile("return a;");
    let at = program.edges[return_edge(&program)].from;
    let before = cfa::text::print(&program);
    let refused = [
        ("a = 1", "assignment"),
        ("a++ > 1", "`++`"),
        ("main()", "call"),
        ("unknown == 1", "not declared"),
        ("a ==", "expected"),
        ("s", "scalar"),
        ("s.nothing", "member"),
        ("\"text\" == 0", "literal"),
        ("(int){1}", "literal"),
        ("null && *null == (null && *null)", "must not be evaluated"),
        ("\\result == 1", "not declared"),
        ("a; b", "expected"),
        ("", "expected"),
        ("({ 1; })", "statement"),
        ("a, 1", "comma"),
    ];
    for (text, reason) in refused {
        let error = condition(&mut program, Site { at, result: None }, text).expect_err(text);
        assert!(error.message.contains(reason), "{text}: {}", error.message);
        assert_eq!(cfa::text::print(&program), before, "{text}");
    }
}

#[test]
fn true_and_false_are_known() {
    let mut program = compile("return a;");
    let at = program.edges[return_edge(&program)].from;
    let expr = expression(&mut program, Site { at, result: None }, "true && !false").expect("good");
    assert_eq!(value(&mut program, expr), Some(true));
}

#[test]
fn result_is_what_the_caller_says() {
    let mut program = compile("return a;");
    let at = program.edges[return_edge(&program)].from;
    let Op::Return(Some(result)) = program.edges[return_edge(&program)].op else { panic!("it returns a value") };
    let site = Site { at, result: Some(result) };
    let expr = expression(&mut program, site, "\\result == 3 && \\result > -1").expect("good");
    assert_eq!(value(&mut program, expr), Some(true));
}

#[test]
fn deep_and_long_texts_do_not_overflow() {
    let mut program = compile("return a;");
    let at = program.edges[return_edge(&program)].from;
    let site = Site { at, result: None };
    let long = vec!["a == 3"; 10_000].join(" && ");
    assert!(matches!(condition(&mut program, site, &long), Ok(Condition::All(parts)) if parts.len() == 10_000));
    for depth in [3_000, 1_000_000] {
        let deep = format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
        let result = expression(&mut program, site, &deep);
        assert_eq!(result.is_ok(), depth == 3_000);
    }
}
