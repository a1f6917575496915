//! Nonsense: mutated, truncated, gigantic and deeply nested sources, and files that are no files. An error or a program, never a crash.

use crate::support::{compile_text, count, none_failed, scale, scratch};
use cfa::DataModel;
use cfa::interp::{self, Config, ListInputs, ProgramArgs, Uninitialized};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use testkit::project::{files_below, root};
use testkit::random::Random;

/// No test below may come near this, on any machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Compiles and, if there is a program, runs it a little. What panics is returned.
fn survives(text: &[u8]) -> Result<(), String> {
    let attempt = catch_unwind(AssertUnwindSafe(|| {
        let (_, compiled) = compile_text("test.c", text.to_vec(), DataModel::Lp64);
        if compiled.has_errors() {
            return;
        }
        let program = &compiled.program;
        let Some(entry) = program.function_named("main").filter(|main| program.automaton(*main).is_some()) else {
            return;
        };
        let mut config = Config { max_steps: 20_000, max_memory: 1 << 24, max_depth: 500, ..Config::default() };
        for uninitialized in [Uninitialized::Arbitrary, Uninitialized::Error] {
            config.uninitialized = uninitialized;
            interp::run(program, entry, &ProgramArgs::default(), &mut ListInputs::then_zero(Vec::new()), &config);
        }
    }));
    attempt.map_err(|panic| {
        let message = panic
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string()));
        message.unwrap_or_default().lines().take(12).collect::<Vec<_>>().join("\n")
    })
}

/// Test programs that need no preprocessor.
fn seeds() -> Vec<Vec<u8>> {
    let files = ["tests/programs", "tests/regressions"]
        .into_iter()
        .flat_map(|folder| files_below(&root().join(folder), &["c"]));
    let texts = files.map(|file| std::fs::read(&file).expect("the file was just listed"));
    let texts: Vec<Vec<u8>> =
        texts.filter(|text| !text.windows(8).any(|window| window == b"#include" || window == b"#define ")).collect();
    assert!(texts.len() > 30, "only {} programs to start from", texts.len());
    texts
}

#[track_caller]
fn report(failures: Vec<(String, Vec<u8>)>) {
    let folder = scratch("robustness");
    let mut messages = Vec::new();
    for (index, (message, text)) in failures.into_iter().take(20).enumerate() {
        let path = folder.join(format!("crash-{index}.c"));
        std::fs::write(&path, text).expect("the build folder can be written");
        messages.push(format!("{}: {message}", path.display()));
    }
    none_failed(&messages);
}

#[test]
fn every_prefix_of_a_program() {
    let mut failures = Vec::new();
    for text in seeds().iter().filter(|text| text.len() < 900).step_by(7).take(count(6)) {
        for end in 0..text.len() {
            failures.extend(survives(&text[..end]).err().map(|message| (message, text[..end].to_vec())));
        }
    }
    report(failures);
}

/// Pieces that go in between, as often as not where they make no sense.
const PIECES: &[&str] = &[
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    "*",
    "&",
    "&&",
    "=",
    "==",
    "?",
    ":",
    "...",
    ".",
    "->",
    "++",
    "--",
    "!",
    "~",
    "-",
    "int ",
    "struct s ",
    "struct { int x; } ",
    "static ",
    "extern ",
    "typedef ",
    "const ",
    "case 1:",
    "default:",
    "break;",
    "continue;",
    "goto x;",
    "x:",
    "return ",
    "if (1) ",
    "else ",
    "while (0) ",
    "for (;;) ",
    "do ",
    "switch (1) ",
    "sizeof ",
    "sizeof(int)",
    "_Alignof(int)",
    "typeof(x) ",
    "enum e ",
    "union ",
    "0",
    "1",
    "-1",
    "0x",
    "1e",
    "1.5",
    "'",
    "\"",
    "'a'",
    "\"s\"",
    "x",
    "main",
    "void ",
    "char ",
    "long ",
    "unsigned ",
    "_Bool ",
    "float ",
    "double ",
    "__int128 ",
    "_Complex ",
    "[3]",
    "[]",
    "[-1]",
    "[n]",
    "(int)",
    "(void)",
    "(char *)",
    "({ 1; })",
    "(int[]){1,2}",
    "{0}",
    "{}",
    ".x = ",
    "[2] = ",
    ": 3",
    "__attribute__((packed)) ",
    "asm(\"\");",
    "//@ assert 1;\n",
    "/*",
    "*/",
    "//",
    "#",
    "\n# 5 \"x.c\"\n",
    "\\\n",
    "\0",
    "\u{e9}",
    "__builtin_va_arg(x, int)",
    "&&x",
    "goto *x;",
    "_Generic(1, int: 2)",
    "_Static_assert(1, \"\");",
    "register ",
    "inline ",
    "...)",
    "__func__",
    "<<",
    ">>",
    "%",
    "/",
    "99999999999999999999",
];

fn mutated(random: &mut Random, text: &[u8], other: &[u8]) -> Vec<u8> {
    let mut text = text.to_vec();
    for _ in 0..1 + random.below(4) {
        let at = random.below(text.len() + 1);
        let length = random.below(12).min(text.len() - at);
        match random.below(7) {
            0 if at < text.len() => text[at] = random.word() as u8,
            1 => drop(text.drain(at..at + length)),
            2 => {
                let piece = text[at..at + length].to_vec();
                let to = random.below(text.len() + 1);
                text.splice(to..to, piece);
            }
            3 => {
                let from = random.below(other.len().max(1));
                let piece = other[from.min(other.len())..(from + 30).min(other.len())].to_vec();
                text.splice(at..at, piece);
            }
            _ => {
                let piece = PIECES[random.below(PIECES.len())].bytes();
                // At the start of a word more often than inside one: the lexer alone is soon boring.
                let start = (at..text.len()).find(|at| text[*at] == b' ').unwrap_or(at);
                let end = if random.below(2) == 0 { (start + length).min(text.len()) } else { start };
                text.splice(start..end, piece);
            }
        }
        if text.is_empty() {
            break;
        }
    }
    text
}

#[test]
fn mutated_programs() {
    let seeds = seeds();
    let mut failures = Vec::new();
    // Another scale is another walk.
    let mut random = Random::new(4711 + scale() as u64);
    for _ in 0..count(4000) {
        let (one, other) = (&seeds[random.below(seeds.len())], &seeds[random.below(seeds.len())]);
        let text = mutated(&mut random, one, other);
        failures.extend(survives(&text).err().map(|message| (message, text)));
    }
    report(failures);
}

#[test]
fn gigantic_programs() {
    let many = |text: &str, times: usize| text.repeat(times);
    let mega = 1 << 20;
    let in_main = |body: String| format!("int x; int main(void) {{ {body} }}");
    let cases: Vec<(&str, String)> = vec![
        ("parentheses", many("(", mega)),
        ("braces", many("{", mega)),
        ("brackets", many("[", mega)),
        ("stars", many("*", mega)),
        ("minuses", many("-", mega)),
        ("parentheses in code", in_main(many("(", mega))),
        ("braces in code", in_main(many("{", mega))),
        ("brackets in code", in_main(format!("x{}", many("[", mega)))),
        ("stars in code", in_main(format!("{}x;", many("*", mega)))),
        ("minuses in code", in_main(format!("x = {}x;", many("- ", mega)))),
        ("closed parentheses", in_main(format!("x = {}1{};", many("(", 100_000), many(")", 100_000)))),
        ("pointers", format!("int {}p;", many("*", mega))),
        ("arrays", format!("int a{};", many("[1]", 100_000))),
        ("functions", format!("int f{};", many("(", 100_000))),
        ("nested blocks", in_main(format!("{}x = 1;{}", many("{", 100_000), many("}", 100_000)))),
        ("nested ifs", in_main(format!("{}x = 1;", many("if (x) ", 100_000)))),
        ("nested loops", in_main(format!("{}x = 1;", many("while (x) ", 100_000)))),
        (
            "else-ifs",
            in_main(format!(
                "{}x = 1;",
                (0..100_000).map(|n| format!("if (x == {n}) x = 2; else ")).collect::<String>()
            )),
        ),
        ("sum", in_main(format!("x = {}1;", many("x + ", 100_000)))),
        ("conjunction", in_main(format!("x = {}1;", many("x && ", 100_000)))),
        ("commas", in_main(format!("x = ({}1);", many("x, ", 100_000)))),
        ("conditional", in_main(format!("x = {}1;", many("x ? 2 : ", 100_000)))),
        ("assignments", in_main(format!("{}1;", many("x = ", 100_000)))),
        ("casts", in_main(format!("x = {}1;", many("(int)", 100_000)))),
        ("sizeofs", in_main(format!("x = {}x;", many("sizeof ", 100_000)))),
        ("calls", format!("int f(int); {}", in_main(format!("x = {}1{};", many("f(", 100_000), many(")", 100_000))))),
        ("members", in_main(format!("x{};", many(".a", 100_000)))),
        ("elements", format!("int a[] = {{ {} }};", many("1, ", 100_000))),
        (
            "designators",
            format!(
                "int a[100000] = {{ {} }};",
                (0..100_000).rev().map(|n| format!("[{n}] = 1, ")).collect::<String>()
            ),
        ),
        ("repeated designators", format!("struct {{ int a; }} s = {{ {} }};", many(".a = 1, ", 20_000))),
        ("large range", "char a[1 << 28] = { [0 ... (1 << 28) - 1] = {} };".into()),
        ("local elements", in_main(format!("int a[] = {{ {} }};", many("x, ", 100_000)))),
        ("nested initializers", format!("int a = {}1{};", many("{", 100_000), many("}", 100_000))),
        ("declarations", (0..100_000).map(|n| format!("int v{n};")).collect()),
        ("functions defined", (0..50_000).map(|n| format!("int f{n}(void) {{ return {n}; }}")).collect()),
        ("structs", (0..50_000).map(|n| format!("struct s{n} {{ int a; }} v{n};")).collect()),
        ("nested structs", format!("{}int x;{}", many("struct { ", 100_000), many("};", 100_000))),
        (
            "struct chain",
            "struct s0 { char a; };".to_string()
                + &(1..20_000).map(|n| format!("struct s{n} {{ struct s{} a, b; }};", n - 1)).collect::<String>(),
        ),
        ("labels", in_main((0..50_000).map(|n| format!("l{n}: x++; goto l{};", 49_999 - n)).collect())),
        (
            "cases",
            in_main(format!("switch (x) {{ {} }}", (0..50_000).map(|n| format!("case {n}: x++;")).collect::<String>())),
        ),
        ("string", format!("char *s = \"{}\";", many("a", mega))),
        ("strings", format!("char *s = {};", many("\"a\" ", 100_000))),
        ("name", many("a", mega)),
        ("number", many("9", mega)),
        ("comment", format!("/*{}", many("*", mega))),
        ("line continuations", many("\\\n", mega)),
        ("empty lines", many("\n", mega)),
        ("markers", many("# 1 \"a\"\n", 100_000)),
        ("errors", many("int 1; ", 100_000)),
        ("unknown names", in_main(many("y; z++; ", 50_000))),
        ("statement expressions", in_main(format!("x = {}1{};", many("({ ", 50_000), many("; })", 50_000)))),
        (
            "typedef chain",
            "typedef int t0;".to_string()
                + &(1..50_000).map(|n| format!("typedef t{} *t{n};", n - 1)).collect::<String>(),
        ),
        ("generic", in_main(format!("x = {}1{};", many("_Generic(1, int: ", 50_000), many(")", 50_000)))),
        ("typeof", format!("{}int{} x;", many("typeof(", 50_000), many(")", 50_000))),
        ("annotations", in_main(many("//@ assert x;\n", 50_000))),
        ("non-UTF-8", String::new()),
    ];
    let mut failures = Vec::new();
    for (name, text) in cases {
        let start = Instant::now();
        let bytes = if name == "non-UTF-8" { (0..=255u8).cycle().take(mega).collect() } else { text.into_bytes() };
        failures.extend(survives(&bytes).err().map(|message| (format!("{name}: {message}"), bytes)));
        assert!(start.elapsed() < PATIENCE, "{name} takes {:?}", start.elapsed());
    }
    report(failures);
}

fn tool(folder: &Path, args: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_whydunit"))
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .expect("the tool can be started");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn strange_files() {
    let folder = scratch("strange");
    let write =
        |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes).expect("the build folder can be written");
    std::fs::create_dir_all(folder.join("folder.c")).expect("the build folder can be written");
    write("empty.c", b"");
    write("with space.c", b"#define X 0\nint main(void) { return X; }\n");
    write("itself.c", b"#include \"itself.c\"\nint main(void) { return 0; }\n");
    write("a.c", b"#include \"b.c\"\n");
    write("b.c", b"#include \"a.c\"\n");
    write("lost.c", b"#include \"no such file.h\"\nint main(void) { return 0; }\n");
    write("binary.c", &(0..=255u8).cycle().take(5000).collect::<Vec<u8>>());
    write("wrong_bytes.c", b"int main(void) { char *s = \"\xff\xfe\"; return s[0] == '\xff'; } // \xc3\x28\n");
    write("program.txt", b"int main(void) { return 0; }\n");
    write("no_main.c", b"int f(void) { return 0; }\n");
    write("unfinished.c", b"#if 1\nint main(void) { return 0; }\n");
    write("ok.c", b"int main(void) { return 0; }\n");
    write("directive.i", b"#include <stdio.h>\nint main(void) { return 0; }\n");
    const GOOD: i32 = 0;
    const BAD: i32 = 2;
    let cases: &[(&[&str], i32)] = &[
        (&["check", "empty.c"], GOOD),
        (&["replay", "empty.c"], BAD),
        (&["show", "cfa", "empty.c"], GOOD),
        (&["replay", "with space.c"], GOOD),
        (&["check", "itself.c"], BAD),
        (&["check", "a.c"], BAD),
        (&["check", "lost.c"], BAD),
        (&["check", "binary.c"], BAD),
        (&["replay", "wrong_bytes.c"], GOOD),
        (&["check", "program.txt"], BAD),
        (&["check", "folder.c"], BAD),
        (&["check", "missing.c"], BAD),
        (&["check", ""], BAD),
        (&["check"], BAD),
        (&["replay", "no_main.c"], BAD),
        (&["check", "no_main.c"], GOOD),
        (&["check", "unfinished.c"], BAD),
        (&["check", "ok.c", "ok.c"], BAD),
        (&["check", "ok.c", "no_main.c"], GOOD),
        (&["check", "--cpp", "", "ok.c"], GOOD),
        (&["check", "--cpp", "", "with space.c"], BAD),
        (&["check", "--cpp", "no-such-command", "with space.c"], BAD),
        (&["check", "--cpp", "false", "with space.c"], BAD),
        (&["replay", "--inputs", "", "ok.c"], BAD),
        (&["replay", "--max-memory", "99999999999999999999", "ok.c"], BAD),
        (&["replay", "--max-memory", "18446744073709551615", "ok.c"], GOOD),
        (&["replay", "--max-steps", "0", "ok.c"], 30),
        (&["replay", "--show-steps", "0", "ok.c"], GOOD),
        (&["frobnicate"], BAD),
        (&["--version"], GOOD),
        (&["--help"], GOOD),
    ];
    let mut failures = Vec::new();
    for (args, expected) in cases {
        let (code, stderr) = tool(&folder, args);
        let says_why = *expected != BAD || !stderr.trim().is_empty() && !stderr.contains("panicked");
        if code != Some(*expected) || !says_why {
            failures.push(format!("{args:?}: {code:?} instead of {expected}\n{stderr}"));
        }
    }
    none_failed(&failures);
}
