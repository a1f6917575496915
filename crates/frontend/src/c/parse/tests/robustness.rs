//! Hostile texts end quickly, without a panic, on half the stack that the driver gives.

use super::*;
use std::time::{Duration, Instant};

/// Messages, from a thread with 128 MiB of stack.
fn run(text: Vec<u8>) -> Vec<String> {
    let parser = move || {
        let mut names = Interner::new();
        let start = Instant::now();
        let parsed = parse(&text, 1, &mut names);
        assert!(start.elapsed() < Duration::from_secs(20), "{} took {:?}", shown(&text), start.elapsed());
        parsed.diagnostics.into_iter().map(|diagnostic| diagnostic.message).collect()
    };
    std::thread::Builder::new().stack_size(128 << 20).spawn(parser).unwrap().join().unwrap()
}

fn shown(text: &[u8]) -> String {
    String::from_utf8_lossy(&text[..text.len().min(60)]).into_owned()
}

fn nest(before: &str, open: &str, inner: &str, close: &str, after: &str, levels: usize) -> Vec<u8> {
    format!("{before}{}{inner}{}{after}", open.repeat(levels), close.repeat(levels)).into_bytes()
}

/// What opens a level, what stands inside and what closes it; with the text around.
const NESTS: &[(&str, &str, &str, &str, &str)] = &[
    ("int x = ", "(", "1", ")", ";"),
    ("int x = ", "- ", "1", "", ";"),
    ("int x = ", "!", "1", "", ";"),
    ("int x = ", "(int)", "1", "", ";"),
    ("int x = ", "sizeof ", "1", "", ";"),
    ("int x = ", "sizeof(int[", "1", "])", ";"),
    ("int x = ", "f(", "1", ")", ";"),
    ("int x = ", "a[", "1", "]", ";"),
    ("int x = ", "a ? ", "1", " : 2", ";"),
    ("int x = ", "a ? 1 : ", "1", "", ";"),
    ("int x = ", "a = ", "1", "", ";"),
    ("int x = ", "({", "1;", "});", ";"),
    ("int x = ", "_Generic(1, int: ", "1", ")", ";"),
    ("int x = ", "(struct s){", "1", "}", ";"),
    ("int x = ", "{", "1", "}", ";"),
    ("int x = ", "__builtin_choose_expr(1, 2, ", "1", ")", ";"),
    ("int x = ", "__builtin_offsetof(struct s, a[", "1", "])", ";"),
    ("void f(void) ", "{", ";", "}", ""),
    ("void f(void) {", "if (1) ", ";", "", "}"),
    ("void f(void) {", "if (1) {} else { ", ";", "}", "}"),
    ("void f(void) {", "while (1) ", ";", "", "}"),
    ("void f(void) {", "do ", ";", " while (1);", "}"),
    ("void f(void) {", "for (;;) ", ";", "", "}"),
    ("void f(void) {", "switch (1) case 1: ", ";", "", "}"),
    ("int ", "(", "x", ")", ";"),
    ("int ", "*", "x", "", ";"),
    ("int x", "[1", "", "]", ";"),
    ("int x", "(*", ")(", "void", ");"),
    ("", "int f(", "void", ")", ";"),
    ("", "struct { ", "int x;", "};", ""),
    ("", "typeof(", "int", ")", " x;"),
    ("", "_Atomic(", "int", ")", " x;"),
    ("", "_Alignas(", "int", ") int", " x;"),
    ("enum {", "A = sizeof(enum {", "B", "})", "};"),
    ("int x", " __attribute__((aligned(sizeof(int", "", "))))", ";"),
];

#[test]
fn nesting_up_to_the_limit_fits_the_stack() {
    for (before, open, inner, close, after) in NESTS {
        run(nest(before, open, inner, close, after, MAX_DEPTH as usize));
    }
    for (before, open, inner, close, after) in NESTS.iter().take(8) {
        assert_eq!(run(nest(before, open, inner, close, after, 900)), Vec::<String>::new(), "{open}");
    }
}

#[test]
fn nesting_without_bounds_is_an_error() {
    for (before, open, inner, close, after) in NESTS {
        let levels = (1 << 20) / open.len();
        let whole = run(nest(before, open, inner, close, after, levels));
        assert!(!whole.is_empty(), "{open}");
        run(nest(before, open, "", "", "", levels));
        run(nest("", open, "", "", "", levels));
    }
    for byte in 1..=127u8 {
        run(vec![byte; 1 << 17]);
    }
    assert_eq!(run(nest("int x = ", "(", "", "", "", 1 << 20)), ["nested too deeply"]);
}

#[test]
fn long_chains_are_no_nesting() {
    let chain = |link: &str, count: usize| run(nest("void f(void) { x = a", link, "", "", "; }", count));
    for link in [" + a", ", a", ".b", "[1]", "()", " && a", "++"] {
        assert_eq!(chain(link, MAX_CHAIN as usize), Vec::<String>::new(), "{link}");
        assert_eq!(chain(link, 100_000), ["nested too deeply"], "{link}");
    }
    let statements = |link: &str, count: usize| run(nest("void f(void) { ", link, ";", "", " }", count));
    for link in ["if (a) ; else ", "a: ", "case 1: "] {
        assert_eq!(statements(link, MAX_CHAIN as usize - 1), Vec::<String>::new(), "{link}");
        assert_eq!(statements(link, 100_000), ["nested too deeply"], "{link}");
    }
    // Long but flat.
    for link in ["a;", "{}", "int x;", "if (a) ;", "__extension__ int y;"] {
        assert_eq!(statements(link, 100_000), Vec::<String>::new(), "{link}");
    }
    // Chains in the first operand of chains add up.
    let inner = format!("({}a)", "a + ".repeat(17_000));
    let text = format!("int x = {}", inner.clone() + &" + a".repeat(17_000));
    assert_eq!(run(text.into_bytes()), ["nested too deeply"]);
}

const SAMPLE: &str = "# 1 \"a.c\"\ntypedef unsigned long T; struct s { T a : 3; union { int b[2]; }; } __attribute__((packed));\n\
    enum e { A = 'a', B = 0x1fUL, };\nextern int g(const char *restrict, ...);\nstatic T h(a, b) T a; char **b; { return a ? *b[0] : -1; }\n\
    #pragma pack(push, 1)\nint main(void) { int i = 3, x[] = { [1 ... 2] = 1, 2 }; struct s v = { .a = 1.5e3f }; /* c */\n\
    for (int j = 0; j < 3; ++j) { if (i) goto l; else i += sizeof(T) * 2; } // d\n l: switch (i) { case 1: default: break; }\n\
    //@ assert i > 0;\n do i--; while (i && (T)x[0] << 1); asm volatile(\"nop\" ::: \"memory\"); g(\"a\\n\" L\"b\\x41\", ({ i; }));\n\
    return _Generic(i, int: 1, default: (struct s){0}.a); }\n";

#[test]
fn every_prefix_ends() {
    assert_eq!(run(SAMPLE.as_bytes().to_vec()), Vec::<String>::new());
    for length in 0..SAMPLE.len() {
        let mut names = Interner::new();
        parse(&SAMPLE.as_bytes()[..length], 1, &mut names);
        parse_expression(&SAMPLE.as_bytes()[length..], 1, &mut names, &|_| false);
    }
}

#[test]
fn random_changes_do_no_harm() {
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut random = move |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % bound
    };
    let fragments = "{ } ( ) [ ] ; , * : = ? \" ' \\ \\\n # // /* */ //@ assert struct int T typedef if else case sizeof __attribute__(( ... 0x 'a \
        _Generic( goto && enum for( \n";
    let fragments: Vec<&str> = fragments.split(' ').collect();
    for _ in 0..4000 {
        let mut text = SAMPLE.as_bytes().to_vec();
        for _ in 0..1 + random(6) {
            let at = random(text.len());
            match random(4) {
                0 => text[at] = random(256) as u8,
                1 => drop(text.drain(at..(at + 1 + random(12)).min(text.len()))),
                2 => drop(text.splice(at..at, fragments[random(fragments.len())].bytes())),
                _ => {
                    let end = (at + random(80)).min(text.len());
                    let copy = text[at..end].to_vec();
                    let to = random(text.len());
                    text.splice(to..to, copy);
                }
            }
            if text.is_empty() {
                text.push(b'x');
            }
        }
        let mut names = Interner::new();
        let parsed = parse(&text, 1, &mut names);
        assert!(parsed.diagnostics.iter().all(|d| d.span.lo <= d.span.hi && d.span.hi as usize <= text.len() + 1));
        dump(&parsed.ast, &names);
    }
}
