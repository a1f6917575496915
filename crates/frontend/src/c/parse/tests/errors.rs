//! Messages, recovery, nesting limits and nonsense.

use super::*;

#[track_caller]
fn check(text: &str, expected: &[(&str, &str)]) {
    let found = errors(text);
    let found: Vec<(&str, &str)> = found.iter().map(|(message, at)| (message.as_str(), at.as_str())).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn messages_point_at_the_place() {
    check("int f(void) { x = 1 }", &[("expected `;` after expression", "")]);
    check("int x = 3\nint y;", &[("expected `;` after declaration", "")]);
    check("int f(void) { return x + ; }", &[("expected expression, found `;`", ";")]);
    check("int f(void) { g(1; }", &[("expected `)`, found `;`", ";")]);
    check("foo x; foo y;", &[("unknown type name `foo`", "foo")]);
    check("int f(foo *x, bar);", &[("unknown type name `foo`", "foo"), ("unknown type name `bar`", "bar")]);
    check("void f(void) { foo x; foo y; }", &[("unknown type name `foo`", "foo")]);
    check("struct s { foo x; int * };", &[("unknown type name `foo`", "foo"), ("expected identifier, found `}`", "}")]);
    check("int f(void) {", &[("expected `}`, found end of input", "")]);
    check("}", &[("unmatched `}`", "}")]);
    check("long char x;", &[("invalid combination of type specifiers", "long char")]);
    check("int struct s x;", &[("two or more data types in declaration", "struct")]);
    check("void f(void) { else x; }", &[("`else` without a previous `if`", "else")]);
    check("int x = ;", &[("expected expression, found `;`", ";")]);
    check("int a[3;", &[("expected `]`, found `;`", ";")]);
    check("extern \"C\" { int x; }", &[("expected identifier, found string literal", "\"C\"")]);
    check(
        "void f(void) { //@ assert (x;\n y = ; }",
        &[("expected `)`, found `;`", ";"), ("expected expression, found `;`", ";")],
    );
}

#[test]
fn several_errors_are_found_in_one_run() {
    let text = "int a = ;\nint f(void) {\n  x = (1;\n  if (a b) { y = 1 }\n  for (i = 0; i < ; i++) { z; }\n  return 0\n}\nint b = };\nint c;\nint d = +;\n";
    let found: Vec<String> = errors(text).into_iter().map(|(message, _)| message).collect();
    let expected = [
        "expected expression, found `;`",
        "expected `)`, found `;`",
        "expected `)`, found `b`",
        "expected `;` after expression",
        "expected expression, found `;`",
        "expected `;` after return statement",
        "expected expression, found `}`",
        "expected expression, found `;`",
    ];
    assert_eq!(found, expected);
}

#[test]
fn what_follows_an_error_is_parsed() {
    let mut names = Interner::new();
    let text = "typedef int T; int f(void) { T x = ; { int T; T = (; } T * y; } T z;";
    let parsed = parse(text.as_bytes(), 1, &mut names);
    let expected = "(var T <typedef int>)\n(function f <() int> (block (error) (block (var T <int>) (error)) (var y <* T>)))\n(var z <T>)\n";
    assert_eq!(dump(&parsed.ast, &names), expected);
    assert_eq!(parsed.diagnostics.len(), 2);
}

#[test]
fn errors_are_capped() {
    let text = "int f(void) {".to_string() + &"x = ;\n".repeat(10_000) + "}";
    let found = errors(&text);
    assert_eq!(found.len(), MAX_ERRORS + 1);
    assert_eq!(found[MAX_ERRORS].0, "too many errors");
}

#[test]
fn the_missing_brace_is_shown() {
    let mut names = Interner::new();
    let parsed = parse(b"int f(void) { if (x) {  }", 1, &mut names);
    assert_eq!(parsed.diagnostics[0].notes, [(Span { lo: 13, hi: 14 }, "to match this `{`".to_string())]);
}
