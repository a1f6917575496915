//! Declarators, specifiers, initializers, attributes.

use super::*;

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(tree(text), expected, "{text}");
}

#[test]
fn declarators_are_read_from_the_name() {
    check("int *a[3];", "(var a <[3] * int>)");
    check("int (*a)[3];", "(var a <* [3] int>)");
    check("int (*f)(void);", "(var f <* () int>)");
    check("char *(*(*x[3])(int a, ...))[5];", "(var x <[3] * (a <int>, ...) * [5] * char>)");
    check("const int *volatile p, q;", "(var p <*volatile  const int>) (var q <const int>)");
    check("void (*signal(int s, void (*h)(int)))(int);", "(var signal <(s <int>, h <* (<int>) void>) * (<int>) void>)");
    check(
        "int f(int [static 3], int (*)[*], int (), char (x));",
        "(var f <(<[3] int>, <* [*] int>, <(?) int>, x <char>) int>)",
    );
    check("int (f)(int (int), void *restrict const);", "(var f <(<(<int>) int>, <*const restrict  void>) int>)");
}

#[test]
fn specifiers() {
    check("long unsigned int long x;", "(var x <ulonglong>)");
    check("static inline _Noreturn void f(void);", "(var f <() static inline noreturn void>)");
    check("extern _Thread_local signed char c; __thread int d;", "(var c <extern thread schar>)\n(var d <thread int>)");
    check(
        "long double a; unsigned __int128 b; __uint128_t c; _Float32 d;",
        "(var a <longdouble>)\n(var b <uint128>)\n(var c <uint128>)\n(var d <float>)",
    );
    check(
        "_Complex double z; _Float128 q; _Complex _Float64 w;",
        "(var z <unsupported _Complex double>)\n(var q <unsupported _Float128>)\n(var w <unsupported _Complex>)",
    );
    check("_Atomic int a; _Atomic(long *) b;", "(var a <atomic int>)\n(var b <atomic<* long>>)");
    check("_Alignas(16) char a; _Alignas(long) char b;", "(var a <char @(aligned 16)>)\n(var b <char @aligned<long>>)");
    check("__builtin_va_list v; __auto_type w = 3;", "(var v <va_list>)\n(var w <auto> 3)");
    check("typedef float _Float32; _Float32 x;", "(var _Float32 <typedef float>)\n(var x <_Float32>)");
}

#[test]
fn implicit_int_and_old_style() {
    check("main() {}", "(function main <(?) missing> (block))");
    check(
        "static x; const y = 3; z; *p, w[2];",
        "(var x <static missing>)\n(var y <const missing> 3)\n(var z <missing>)\n(var p <* missing>) (var w <[2] missing>)",
    );
    check(
        "f(a, b) int a; char *b, c; { }",
        "(function f <(names a b) missing> (var a <int>) (var b <* char>) (var c <char>) (block))",
    );
    check("f(a) {}", "(function f <(names a) missing> (block))");
    check("*f(a) T a; {}".replace("T", "long").as_str(), "(function f <(names a) * missing> (var a <long>) (block))");
    check("int (*f(a))() int a; {}", "(function f <(names a) * (?) int> (var a <int>) (block))");
}

#[test]
fn typedef_names_and_their_shadows() {
    check("typedef int T; T f(T T);", "(var T <typedef int>)\n(var f <(T <T>) T>)");
    check(
        "typedef int T; struct { T T; unsigned T : 2; T : 3; } x;",
        "(var T <typedef int>)\n(var x <struct {T <T>; T <uint>:2; <T>:3}>)",
    );
    check(
        "typedef int T; int f(T), g(int (T)), h(const T, unsigned T);",
        "(var T <typedef int>)\n(var f <(<T>) int>) (var g <(<(<T>) int>) int>) (var h <(<const T>, T <uint>) int>)",
    );
    check(
        "typedef int T; void f(int T) { T * T; } T *x;",
        "(var T <typedef int>)\n(function f <(T <int>) void> (block (* T T)))\n(var x <* T>)",
    );
    check("typedef int T; f(T) { }", "(var T <typedef int>)\n(function f <(<T>) missing> (block))");
    assert_eq!(body("typedef int T;", "int T = 3; T * T;"), "(var T <int> 3) (* T T)");
    assert_eq!(body("typedef int T;", "T T; T = 1;"), "(var T <T>) (= T 1)");
    assert_eq!(body("typedef int T;", "{ int T; T * x; } T * x;"), "(block (var T <int>) (* T x)) (var x <* T>)");
    assert_eq!(
        body("typedef int T;", "for (int T = 0; T; T++) T * 2; T * x;"),
        "(for (var T <int> 0) T (post++ T) (* T 2)) (var x <* T>)"
    );
    assert_eq!(body("typedef int T;", "enum { T }; T * x;"), "(declare <enum {T}>) (* T x)");
    assert_eq!(
        body("typedef int T;", "T: goto T; struct T { int T; } s; s.T = (T)1;"),
        "(label T (goto T)) (var s <struct T {T <int>}>) (= (. s T) (cast <T> 1))"
    );
    assert_eq!(
        body("typedef int T;", "int x = sizeof(T), T = sizeof(T);"),
        "(var x <int> (sizeof <T>)) (var T <int> (sizeof T))"
    );
    assert_eq!(
        body("", "typedef char U; U c; { typedef long U; U d; } U e;"),
        "(var U <typedef char>) (var c <U>) (block (var U <typedef long>) (var d <U>)) (var e <U>)"
    );
    assert_eq!(
        body("typedef int T;", "int (*p)(T T), y = (T)3;"),
        "(var p <* (T <T>) int>) (var y <int> (cast <T> 3))"
    );
}

#[test]
fn records_and_enums() {
    check(
        "struct s { int a : 3, : 0, b; struct { int c; }; union u *d; char e[]; };",
        "(declare <struct s {a <int>:3; <int>:0; b <int>; <struct {c <int>}>; d <* union u>; e <[] char>}>)",
    );
    check(
        "enum e { A, B = 2, C, }; enum e; enum e x;",
        "(declare <enum e {A B=2 C}>)\n(declare <enum e>)\n(var x <enum e>)",
    );
    check("struct s { _Static_assert(1, \"m\"); ; int x; };", "(declare <struct s {(static-assert 1); x <int>}>)");
    check("struct {} e = {};", "(var e <struct {}> {})");
    check(
        "#pragma pack(push, 1)\nstruct a { int x; };\n#pragma pack(pop)\nstruct b { int x; };\n#pragma pack(2)\nstruct c { int x;\n#pragma pack()\n} d;",
        "(declare <struct a pack1 {x <int>}>)\n(declare <struct b {x <int>}>)\n(var d <struct c {x <int>}>)",
    );
}

#[test]
fn attributes_stand_everywhere() {
    check(
        "struct __attribute__((packed)) s { char c; int x __attribute__((aligned(8))); } __attribute__((aligned)) v;",
        "(var v <struct s {c <char>; x <int @(aligned 8)>} @packed @aligned>)",
    );
    check(
        "__attribute__((noreturn)) void f(void) __asm__(\"g\") __attribute__((__nothrow__, __nonnull__(1, 2)));",
        "(var f <() void @noreturn @__nothrow__ @__nonnull__>)",
    );
    check(
        "int __attribute__((mode(DI))) x, __attribute__((unused)) y;",
        "(var x <int @mode-DI>) (var y <int @mode-DI @unused>)",
    );
    check(
        "int (__attribute__((cdecl)) *f)(int a __attribute__((unused)));",
        "(var f <* (a <int @unused>) int @cdecl>)",
    );
    check("enum e { A __attribute__((deprecated)) = 1 } __attribute__((packed));", "(declare <enum e {A=1} @packed>)");
    check(
        "[[gnu::unused]] int x; __extension__ typedef long long q; __attribute__((const)) int g(int);",
        "(var x <int>)\n(var q <typedef longlong>)\n(var g <(<int>) int @const>)",
    );
    check(
        "void f(void) __attribute__((cold)) {} int * __attribute__((may_alias)) p;",
        "(function f <() void @cold> (block))\n(var p <* int @may_alias>)",
    );
}

#[test]
fn initializers() {
    check("int a[] = { 1, [3] = 2, [4 ... 5] = 3, [6] 4, };", "(var a <[] int> {1 [3]=2 [4...5]=3 [6]=4})");
    check("struct s x = { .a.b[1] = { 1 }, c: 2 };", "(var x <struct s> {.a.b[1]={1} .c=2})");
    check("int x = 1, *y = &x;", "(var x <int> 1) (var y <* int> (& x))");
}

#[test]
fn other_external_declarations() {
    check(
        "asm(\"nop\"); ; _Static_assert(sizeof(int) == 4);",
        "(ignored)\n(ignored)\n(static-assert (== (sizeof <int>) 4))",
    );
    check("_Pragma(\"GCC diagnostic push\") int x; //@ assert x;\n", "(var x <int>)");
}

#[test]
fn spans() {
    let text = "static int *a[2] = { 1 }, b; struct s { int x; } f(int q) { ; }";
    let mut names = Interner::new();
    let parsed = parse(text.as_bytes(), 1, &mut names);
    let slice = |span: Span| &text[span.lo as usize - 1..span.hi as usize - 1];
    let ast = &parsed.ast;
    assert_eq!(slice(ast.decls[ast.items[0]].span), "static int *a[2] = { 1 }, b;");
    assert_eq!(slice(ast.decls[ast.items[1]].span), "struct s { int x; } f(int q) { ; }");
    let DeclKind::Variables { specs, declarators } = ast.decls[ast.items[0]].kind else { panic!() };
    assert_eq!(slice(ast.specs[specs].span), "static int");
    let [a, b] = ast.get(declarators) else { panic!() };
    assert_eq!((slice(a.span), slice(b.span)), ("*a[2] = { 1 }", "b"));
    let declarator = ast.declarators[a.declarator];
    assert_eq!((slice(declarator.span), slice(declarator.name_span)), ("*a[2]", "a"));
    let DeclKind::Function { specs, declarator, .. } = ast.decls[ast.items[1]].kind else { panic!() };
    let TypeSpec::Record(record) = ast.specs[specs].base else { panic!() };
    assert_eq!(slice(record.span), "struct s { int x; }");
    assert_eq!(slice(ast.declarators[declarator].span), "f(int q)");
    let Some([Member::Field { span, .. }]) = record.members.map(|list| ast.get(list)) else { panic!() };
    assert_eq!(slice(*span), "int x");
}
