//! Statements, labels, ACSL comments and spans.

use super::*;

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(body("", text), expected, "{text}");
}

#[test]
fn control_flow() {
    check("if (a) if (b) c; else d;", "(if a (if b c d))");
    check("if (a) b; else if (c) d; else if (e) g; else h;", "(if a b (if c d (if e g h)))");
    check("while (a) { b; continue; }", "(while a (block b (continue)))");
    check("do a; while (b);", "(do-while b a)");
    check("for (;;) break;", "(for (null) _ _ (break))");
    check("for (int i = 0, j; i < 3; i++) ;", "(for (var i <int> 0) (var j <int>) (< i 3) (post++ i) (null))");
    check(
        "switch (a) { case 1: case 2 ... 3: b; default: c; }",
        "(switch a (block (case 1 (case 2 3 b)) (default c)))",
    );
    check("return; return a + 1;", "(return) (return (+ a 1))");
    check("goto l; goto *p; l: ;", "(goto l) (goto p) (label l (null))");
}

#[test]
fn labels_before_declarations_and_ends() {
    check("l: int x; { m: n: }", "(label l (null)) (var x <int>) (block (label m (label n (null))))");
    check(
        "switch (a) { case 1: int y = 1; default: }",
        "(switch a (block (case 1 (null)) (var y <int> 1) (default (null))))",
    );
}

#[test]
fn extensions() {
    check("asm volatile goto (\"x\" : : \"r\"(a) : \"cc\" : l); l: asm(\"\");", "(asm) (label l (asm))");
    check("__label__ a, b; a: b: ;", "(local a (local b (null))) (label a (label b (null)))");
    check(
        "case_: __attribute__((unused)) ; __attribute__((fallthrough)); __attribute__((unused)) int x;",
        "(label case_ (null)) (null) (var x <int @unused>)",
    );
    check(
        "__extension__ int x; __extension__ y + 1; _Static_assert(1, \"\");",
        "(var x <int>) (+ y 1) (static-assert 1)",
    );
}

#[test]
fn acsl() {
    check("//@ assert x > 0;\n x = 1;", "(acsl-assert (> x 0)) (= x 1)");
    check("l: /*@ assert p: x; */ int y;", "(label l (acsl-assert x)) (var y <int>)");
    check("if (a) //@ assert b;\n c; else d;", "(if a (block (acsl-assert b) c) d)");
    check("x; //@ assert x;\n", "x (acsl-assert x)");
}

#[test]
fn spans() {
    let text = "void f(void) {\n  l: while (x) { y(1); }\n  if (a) b; else c;\n  /*@ assert q; */ }";
    let mut names = Interner::new();
    let parsed = parse(text.as_bytes(), 1, &mut names);
    let ast = &parsed.ast;
    let slice = |span: Span| &text[span.lo as usize - 1..span.hi as usize - 1];
    let of = |wanted: &dyn Fn(&StmtKind) -> bool| -> Vec<&str> {
        ast.stmts.values().filter(|stmt| wanted(&stmt.kind)).map(|stmt| slice(stmt.span)).collect()
    };
    assert_eq!(of(&|kind| matches!(kind, StmtKind::Label(..))), ["l: while (x) { y(1); }"]);
    assert_eq!(of(&|kind| matches!(kind, StmtKind::While(..))), ["while (x) { y(1); }"]);
    assert_eq!(of(&|kind| matches!(kind, StmtKind::Expr(..))), ["y(1);", "b;", "c;"]);
    assert_eq!(of(&|kind| matches!(kind, StmtKind::If(..))), ["if (a) b; else c;"]);
    assert_eq!(of(&|kind| matches!(kind, StmtKind::AcslAssert(..))), ["assert q;"]);
}
