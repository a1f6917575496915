//! Precedence, casts against typedef names, GNU expressions.

use super::*;

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(expression(text, &["T"]).as_deref(), Ok(expected), "{text}");
}

#[test]
fn precedence_and_associativity() {
    check("a = b += c ? d : e ? f : g", "(= a (+= b (? c d (? e f g))))");
    check(
        "a || b && c | d ^ e & f == g < h << i + j * k",
        "(|| a (&& b (| c (^ d (& e (== f (< g (<< h (+ i (* j k))))))))))",
    );
    check("a - b - c, d", "(, (- (- a b) c) d)");
    check("a * b / c % d", "(% (/ (* a b) c) d)");
    check("-a.b->c[1]++", "(- (post++ ([] (-> (. a b) c) 1)))");
    check("*p++ + ++*q", "(+ (* (post++ p)) (++ (* q)))");
    check("!~+-&*x", "(! (~ (+ (- (& (* x))))))");
    check("a ?: b", "(?: a b)");
    check("f(a, (b, c))(d)", "(call (call f a (, b c)) d)");
    check("c ? x = 1, y : z", "(? c (, (= x 1) y) z)");
}

#[test]
fn casts_depend_on_typedefs() {
    check("(T)(x)", "(cast <T> x)");
    check("(U)(x)", "(call U x)");
    check("(T)-x * y", "(* (cast <T> (- x)) y)");
    check("(U)-x", "(- U x)");
    check("(T *[3])x", "(cast <[3] * T> x)");
    check("sizeof(T) - 1", "(- (sizeof <T>) 1)");
    check("sizeof(U) - 1", "(- (sizeof U) 1)");
    check("sizeof (T){1}.a", "(sizeof (. (literal <T> {1}) a))");
    check("sizeof (x)[1]", "(sizeof ([] x 1))");
    check("(int[]){1, 2}[0]", "([] (literal <[] int> {1 2}) 0)");
    check("_Alignof(T) + __alignof__ x", "(+ (alignof <T>) (alignof x))");
    check("(__extension__ T)x", "(cast <T> x)");
    check("unsigned long", "(sizeof <ulong>)");
}

#[test]
fn literals() {
    check("1 + 2u + 0x3L + 4ull + 010", "(+ (+ (+ (+ 1 2u) 3xl) 4ull) 8x)");
    check("1.5f + 0x1p3", "(+ 1.5f 0x1p3)");
    check("'a' + L'\\xff'", "(+ (char 97) (charL 255))");
    check("\"a\" \"b\\n\" u8\"c\"", "u8\"ab\\nc\"");
    check("L\"a\" \"\\x100\"", "L[61, 100]");
    assert_eq!(expression("u\"a\" L\"b\"", &[]), Err(vec!["adjacent string literals of different prefixes".into()]));
    assert_eq!(expression("1 +", &[]), Err(vec!["expected expression, found end of input".into()]));
    assert_eq!(expression("1 2", &[]), Err(vec!["expected end of expression, found `2`".into()]));
    assert_eq!(expression("", &[]), Err(vec!["expected expression, found end of input".into()]));
}

#[test]
fn extensions() {
    check("&&out", "(&& out)");
    check("({ int x = 1; x; }) + 1", "(+ (block (var x <int> 1) x) 1)");
    check("_Generic(x, int: 1, T *: 2, default: 3)", "(generic x <int>=1 <* T>=2 default=3)");
    check("__builtin_va_arg(ap, T *)", "(va_arg <* T> ap)");
    check("__builtin_offsetof(struct s, a.b[2])", "(offsetof <struct s> .a.b[2])");
    check("__builtin_types_compatible_p(int, T[])", "(types-compatible <int> <[] T>)");
    check("__builtin_choose_expr(1, a, b)", "(choose 1 a b)");
    check("__extension__ (x)", "x");
    check("__real__ z", "(real z)");
    check("(typeof(x) *)p", "(cast <* (typeof x)> p)");
    check("(__typeof__(int[3]))p", "(cast <typeof<[3] int>> p)");
}

#[test]
fn spans() {
    let text = "int f(void) { return ((a) + b[1]) * g(x)(y) ? c : (d); }";
    let mut names = Interner::new();
    let parsed = parse(text.as_bytes(), 1, &mut names);
    let ast = &parsed.ast;
    let find = |wanted: &dyn Fn(&ExprKind) -> bool| {
        let found: Vec<&str> = ast
            .exprs
            .values()
            .filter(|expr| wanted(&expr.kind))
            .map(|expr| &text[expr.span.lo as usize - 1..expr.span.hi as usize - 1])
            .collect();
        found
    };
    assert_eq!(find(&|kind| matches!(kind, ExprKind::Call(..))), ["g(x)", "g(x)(y)"]);
    assert_eq!(find(&|kind| matches!(kind, ExprKind::Binary(..))), ["(a) + b[1]", "((a) + b[1]) * g(x)(y)"]);
    assert_eq!(find(&|kind| matches!(kind, ExprKind::Conditional { .. })), ["((a) + b[1]) * g(x)(y) ? c : (d)"]);
    let question = ast.exprs.values().find_map(|expr| match expr.kind {
        ExprKind::Conditional { question, .. } => Some(question),
        _ => None,
    });
    assert_eq!(question, Some(text.find('?').unwrap() as u32 + 1));
}
