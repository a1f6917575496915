//! Evidence that travels: witnesses that `verify` writes are flawless, are confirmed in every way there is, and stop being confirmed when they are
//! changed; tests made of counterexamples show the violation.

use crate::support::{in_parallel, none_failed, scratch};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use testkit::diff;
use testkit::project::{files_below, root};

fn whydunit(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_whydunit"));
    command.env("SOURCE_DATE_EPOCH", "0").args(args).current_dir(root()).output().expect("whydunit runs")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

const PROGRAM: &str = "tests/witnesses/own/inputs.c";
const FORMATS: [&str; 2] = ["yml", "graphml"];
const WAYS: [&str; 2] = ["interpret", "execute"];

/// Verifies, and gives the paths of the witnesses if there is a violation.
fn verify(name: &str, args: &[&str]) -> Option<Vec<String>> {
    let folder = scratch(&format!("evidence-{name}"));
    let paths: Vec<String> =
        FORMATS.iter().map(|format| folder.join(format!("w.{format}")).display().to_string()).collect();
    let mut all = vec!["verify"];
    paths.iter().for_each(|path| all.extend(["--witness", path]));
    all.extend(args);
    (whydunit(&all).status.code() == Some(10)).then_some(paths)
}

/// The text of a witness says what it said when it was looked at last.
#[test]
fn witnesses_are_written_as_before() {
    let paths = verify("text", &["--data-model", "ilp32", PROGRAM]).expect("the program is violated");
    let mut failures = Vec::new();
    for path in &paths {
        let got = std::fs::read_to_string(path).expect("it was written");
        let expected = root().join(PROGRAM).with_extension(Path::new(path).extension().expect("it has one"));
        if std::env::var_os("WHYDUNIT_BLESS").is_some() {
            std::fs::write(&expected, got).expect("expectations can be written");
        } else if let before = std::fs::read_to_string(&expected).unwrap_or_default()
            && before != got
        {
            failures.push(format!("{}\n{}", expected.display(), diff(&before, &got)));
        }
    }
    none_failed(&failures);
}

/// Runs whose inputs no witness can state, or whose violation no compiled code shows: way of validation (or `convert`, or all), file, options.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    // What a function of the library writes through a pointer, what memory from malloc holds, and what a function fails to return has no name.
    ("", "characters.c", "-DBUG=1"),
    ("execute", "characters.c", "-DBUG=3"),
    ("", "uninitialized_heap.c", ""),
    ("", "uninitialized_bits.c", ""),
    ("", "realloc_untouched.c", ""),
    ("", "unknown_record.c", ""),
    ("", "missing_return_run.c", ""),
    // What a function without a body writes is in the witness, and its definition is not there to be compiled.
    ("execute", "undefined_writes.c", ""),
    ("execute", "undefined_meaning.c", ""),
    ("execute", "const_members.c", "-DOUTSIDE_WRITES"),
    // What it writes is assumed between the operands of one condition.
    ("convert", "undefined_writes.c", "-DMEMBERS"),
    // Compiled code reuses the place of a variable of an earlier round, and sees nothing wrong.
    ("execute", "continue_array_length.c", ""),
    ("execute", "goto_redeclares.c", ""),
    ("execute", "declared_twice.c", ""),
    // The library of the system decides how large the result of a comparison is.
    ("", "sign_of_comparison.c", "-DBUG=1"),
    ("", "sign_of_comparison.c", "-DBUG=2"),
    ("", "sign_of_comparison.c", "-DBUG=3"),
    ("", "open_results.c", "-DDIGIT"),
    // The array of arguments is longer outside of the interpreter, memory of alloca is not watched, and at exit the stack is still there.
    ("execute", "exit_with_locals.c", ""),
    ("execute", "command_line.c", "-DBUG=3"),
    ("execute", "alloca_after_return.c", ""),
    // Witnesses do not state what library functions written in C read, and compiled code is not given it.
    ("interpret", "characters.c", "-DBUG=3"),
    ("execute", "characters.c", "-DBUG=3"),
];

#[test]
fn witnesses_of_all_violations_are_confirmed() {
    let tests = root().join("tests");
    let mut files = files_below(&tests.join("programs/verify"), &["c"]);
    files.extend(files_below(&tests.join("regressions"), &["c"]));
    let commands: Vec<(PathBuf, String)> = files
        .into_iter()
        .flat_map(|file| {
            let text = String::from_utf8_lossy(&std::fs::read(&file).expect("it is there")).into_owned();
            let lines = text.lines().filter_map(|line| line.trim().strip_prefix("//~ run: verify").map(String::from));
            lines.map(|line| (file.clone(), line)).collect::<Vec<_>>()
        })
        .filter(|(_, line)| !line.contains("--dump") && !line.contains("%s") && !line.contains("--json"))
        .collect();
    assert!(commands.len() > 40, "only {} commands found", commands.len());
    let failures = in_parallel(&commands, |(file, line)| confirmed(file, line));
    none_failed(&failures);
}

fn confirmed(file: &Path, line: &str) -> Vec<String> {
    let name = file.strip_prefix(root()).expect("it is ours").display().to_string();
    let stem = file.file_name().expect("it has one").to_string_lossy().into_owned();
    let options: Vec<&str> = line.split_whitespace().collect();
    let folder = format!("{stem}{}", line.replace([' ', '/'], "_"));
    let mut args = options.clone();
    args.push(&name);
    let Some(paths) = verify(&folder, &args) else { return Vec::new() };
    let defines: Vec<&str> = options.iter().copied().filter(|option| option.starts_with("-D")).collect();
    let mut failures = Vec::new();
    for path in &paths {
        let mut lint = vec!["witness", "lint", "--strict"];
        lint.extend(&defines);
        lint.extend([path.as_str(), &name]);
        let output = whydunit(&lint);
        if output.status.code() != Some(0) {
            failures.push(format!("{name}{line}: {path}: {}", stdout(&output)));
        }
        for way in ["static", "interpret", "execute"] {
            let excepted = |(only, file, option): &&(&str, &str, &str)| {
                (only.is_empty() || *only == way) && *file == stem && line.contains(option)
            };
            if EXCEPTIONS.iter().any(|exception| excepted(&exception)) {
                continue;
            }
            let mut validate = vec!["witness", "validate", "--how", way];
            validate.extend(&defines);
            validate.extend([path.as_str(), &name]);
            let output = whydunit(&validate);
            if output.status.code() != Some(0) {
                failures.push(format!("{name}{line}: {path}: {}", stdout(&output)));
            }
        }
    }
    failures.extend(converted(
        &paths[1],
        &name,
        &defines,
        EXCEPTIONS.iter().any(|(way, file, option)| {
            *file == stem && (way.is_empty() || (*way == "convert" && line.contains(option)))
        }),
    ));
    failures
}

/// The automaton as a sequence: it is refused only where the run that it describes cannot be expressed.
fn converted(automaton: &str, program: &str, defines: &[&str], excepted: bool) -> Option<String> {
    let sequence = Path::new(automaton).with_file_name("converted.yml").display().to_string();
    let with_defines = |first: &[&str], last: &[&str]| whydunit(&[&["witness"], first, defines, last].concat());
    let output = with_defines(&["convert"], &["--output", &sequence, automaton, program]);
    if output.status.code() != Some(0) {
        let why = String::from_utf8_lossy(&output.stderr).into_owned();
        return (!excepted).then(|| format!("{program}: {automaton} is not converted: {why}"));
    }
    let output = with_defines(&["validate", "--how", "interpret"], &[&sequence, program]);
    (output.status.code() != Some(0) && !excepted).then(|| format!("{program}: {sequence}: {}", stdout(&output)))
}

/// The first line of what a validation says about a changed witness.
fn validated(path: &str, from: &str, to: &str, how: &str) -> String {
    let text = std::fs::read_to_string(path).expect("it was written");
    assert!(text.contains(from), "{path} has no {from}");
    let extension = Path::new(path).extension().expect("it has one").to_string_lossy().into_owned();
    let changed = Path::new(path).with_file_name(format!("changed.{extension}"));
    std::fs::write(&changed, text.replacen(from, to, 1)).expect("the build folder can be written");
    let output = whydunit(&["witness", "validate", "--how", how, &changed.display().to_string(), PROGRAM]);
    stdout(&output).lines().next().unwrap_or("").to_string()
}

#[test]
fn changed_witnesses_are_not_confirmed() {
    let paths = verify("changed", &[PROGRAM]).expect("the program is violated");
    let [sequence, automaton] = &paths[..] else { panic!("two formats") };
    for how in WAYS {
        assert_eq!(validated(automaton, "q1", "q1", how), format!("result: confirmed ({how})"));
        assert_eq!(validated(automaton, "n == 2", "n == 1", how), format!("result: rejected ({how})"));
        assert_eq!(
            validated(automaton, "n == 2", "n &gt;= 2 &amp;&amp; n &lt; 3", how),
            format!("result: confirmed ({how})")
        );
        assert_eq!(validated(automaton, "v == 200", "v == 199", how), format!("result: rejected ({how})"));
        assert_eq!(validated(sequence, "result == 2", "result == 1", how), format!("result: undecided ({how})"));
        assert_eq!(validated(sequence, "line: 19", "line: 22", how), format!("result: undecided ({how})"));
    }
    // What an uninitialized variable holds could be anything else.
    assert_eq!(validated(automaton, "unset == 7", "unset == 8", "interpret"), "result: undecided (interpret)");
}

#[test]
fn unknown_extensions_are_refused_before_work_is_done() {
    let output = whydunit(&["verify", "--witness", "w.txt", PROGRAM]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains(".graphml"));
}

#[test]
fn a_proof_gives_a_trivial_witness() {
    let folder = scratch("evidence-proof");
    for format in FORMATS {
        let path = folder.join(format!("w.{format}")).display().to_string();
        let program = "tests/programs/verify/bounded_loop.c";
        assert_eq!(whydunit(&["verify", "--witness", &path, program]).status.code(), Some(0));
        let output = whydunit(&["witness", "lint", "--strict", &path, program]);
        assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
        assert_eq!(whydunit(&["witness", "validate", &path, program]).status.code(), Some(0));
    }
}

/// Contracts that a proof rests on are in its YAML witness, and are confirmed unless they are changed; an automaton says nothing of them.
#[test]
fn contracts_of_a_proof_are_confirmed() {
    let folder = scratch("evidence-contracts");
    for name in ["mutual", "in_loops", "through_pointers"] {
        let program = format!("tests/programs/recursion/{name}.c");
        let [yaml, graphml] = FORMATS.map(|format| folder.join(format!("{name}.{format}")).display().to_string());
        let proved =
            whydunit(&["verify", "--engine", "induction", "--witness", &yaml, "--witness", &graphml, &program]);
        assert_eq!(proved.status.code(), Some(0), "{}", stdout(&proved));
        let text = std::fs::read_to_string(&yaml).expect("it was written");
        assert!(text.contains("function_contract") && text.contains("\"2.1\""), "{text}");
        for witness in [&yaml, &graphml] {
            let linted = whydunit(&["witness", "lint", "--strict", witness, &program]);
            assert_eq!(linted.status.code(), Some(0), "{}", stdout(&linted));
        }
        let checked = whydunit(&["witness", "validate", "--timeout", "60", &yaml, &program]);
        assert_eq!(checked.status.code(), Some(0), "{name}: {}", stdout(&checked));
        // The contract of a function that does something else.
        let changed = text
            .replace("\\\\result >= 0", "\\\\result >= 1")
            .replace("*x == n", "*x == n + 1")
            .replace(") == 0", ") == 1");
        assert_ne!(changed, text, "{name}");
        std::fs::write(&yaml, changed).expect("it can be written");
        let checked = whydunit(&["witness", "validate", "--timeout", "20", &yaml, &program]);
        assert_ne!(checked.status.code(), Some(0), "{name}: {}", stdout(&checked));
    }
}

#[test]
fn a_counterexample_becomes_a_test() {
    for model in ["ilp32", "lp64"] {
        let folder = scratch(&format!("evidence-test-{model}"));
        let path = folder.display().to_string();
        let output = whydunit(&["test", "--run", "--out", &path, "--data-model", model, PROGRAM]);
        assert_eq!(output.status.code(), Some(10), "{}", stdout(&output));
        assert!(stdout(&output).contains("the violation was observed"), "{}", stdout(&output));
        assert!(!make_check(&folder), "the violation is there");
        let metadata = std::fs::read_to_string(folder.join("metadata.xml")).expect("it was written");
        assert!(metadata.contains("<creationtime>1970-01-01T00:00:00Z</creationtime>"), "{metadata}");
    }
}

/// Whether the test in a folder passes.
fn make_check(folder: &Path) -> bool {
    let made = Command::new("make").args(["-s", "check"]).current_dir(folder).output().expect("make runs");
    made.status.success()
}

/// A test is linked with the program itself, so that it passes when the program is fixed; inputs and witnesses make tests too.
#[test]
fn a_test_passes_when_the_program_is_fixed() {
    let folder = scratch("evidence-live");
    let source = folder.join("program.c");
    let text = "#include <assert.h>\n#include \"limit.h\"\nextern int __VERIFIER_nondet_int(void);\nint main(void) {\n  \
                int n = __VERIFIER_nondet_int();\n  if (n > 10 && n < LIMIT) assert(n != WRONG);\n  return 0;\n}\n";
    std::fs::create_dir_all(folder.join("include")).expect("the build folder can be written");
    std::fs::write(folder.join("include/limit.h"), "#define LIMIT 20\n").expect("the build folder can be written");
    let write = |text: &str| std::fs::write(&source, text).expect("the build folder can be written");
    write(text);
    let path = |name: &str| folder.join(name).display().to_string();
    let program = path("program.c");
    let include = path("include");
    let witness = path("w.yml");
    let reading = ["-DWRONG=12", "-I", &include];
    let verified = whydunit(&[&["verify", "--witness", &witness], &reading[..], &[&program]].concat());
    assert_eq!(verified.status.code(), Some(10), "{}", stdout(&verified));
    let starts: [(&str, &[&str]); 3] =
        [("searched", &[]), ("given", &["--inputs=12"]), ("witness", &["--witness", &witness])];
    for (name, start) in starts {
        write(text);
        let out = path(name);
        let made = whydunit(&[&["test", "--run", "--out", &out], start, &reading[..], &[&program]].concat());
        assert_eq!(made.status.code(), Some(10), "{name}: {}", stdout(&made));
        assert!(stdout(&made).contains("inputs: --inputs=12\n"), "{name}: {}", stdout(&made));
        assert!(!make_check(Path::new(&out)), "{name}: the violation is there");
        // Make compares times in full seconds on some file systems.
        std::fs::remove_file(Path::new(&out).join("run")).expect("it was built");
        write(&text.replace("n > 10", "n > 12"));
        assert!(make_check(Path::new(&out)), "{name}: the violation is gone");
    }
}

/// The line of inputs that reports begin with is what `replay` takes, also with characters as the steps show them.
#[test]
fn the_line_of_inputs_is_taken_back() {
    let folder = scratch("evidence-inputs");
    let source = folder.join("program.c");
    let text = "extern int i(void); extern unsigned char c(void); extern double d(void); extern unsigned long u(void);\n\
                extern int getchar(void);\nint main(void) {\n  int a = i(); unsigned char b = c(); double e = d(); unsigned long f = u();\n  \
                int g = getchar();\n  if (a < -7 && b == 'x' && e > 0.5 && f > 1UL << 63 && g == -1) return 1 / (a - a);\n  return 0;\n}\n";
    std::fs::write(&source, text).expect("the build folder can be written");
    let source = source.display().to_string();
    let found = stdout(&whydunit(&["verify", &source]));
    let line = found.lines().find_map(|line| line.strip_prefix("inputs: ")).expect("there are inputs");
    for inputs in [line.to_string(), line.replace(",120,", ",'x',")] {
        let replayed = whydunit(&["replay", "-p", "default", &inputs, &source]);
        assert_eq!(replayed.status.code(), Some(10), "{inputs}: {}", stdout(&replayed));
    }
    let letters = line.replace(",120,", ",'y',");
    assert_ne!(letters, line, "the character is among the inputs");
    assert_eq!(whydunit(&["replay", "-p", "default", &letters, &source]).status.code(), Some(0));
}

/// What the library gives a run reaches compiled tests.
#[test]
fn tests_are_given_what_the_library_reads() {
    let folder = scratch("evidence-library");
    let head = "#include <assert.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n";
    let cases = [
        ("getchar", "default", "int c = getchar(), d = getchar(); assert(!(c == 'a' && d == EOF));"),
        ("fgets", "default", "char s[8] = {0}; if (fgets(s, 8, stdin)) assert(strcmp(s, \"\\t-1\\n\"));"),
        ("rand", "default", "int r = rand(); assert(r != 77);"),
        ("scanf", "default", "int n, m; if (scanf(\"%d%d\", &n, &m) == 2) assert(n != 42 || m != -7);"),
        (
            "fopen",
            "default",
            "FILE *f = fopen(\"f\", \"r\"); if (!f) return 0; int c = fgetc(f); fclose(f); assert(c != 'q');",
        ),
        ("absent", "default", "FILE *f = fopen(\"f\", \"r\"); assert(f); fclose(f);"),
        ("heap", "default", "char *p = malloc(2); if (!p) return 0; char q = p[1]; free(p); assert(q != 'h');"),
        ("int128", "default", "extern __int128 wide(void); __int128 w = wide(); assert(w != ((__int128)5 << 70));"),
        (
            "record",
            "default",
            "struct s { int a; double d; char t[3]; }; extern struct s get(void); struct s s = get(); \
             assert(!(s.a == 3 && s.t[1] == 'x'));",
        ),
        ("shift", "no-overflow", "extern int get(void); int n = get(); if (n > 0 && n < 9) return n << 30;"),
        ("abs", "no-overflow", "extern int get(void); int n = get(); return abs(n) > 3;"),
        ("exit", "valid-memcleanup", "static char *p; p = malloc(3); exit(p == 0);"),
    ];
    let failures = in_parallel(&cases, |(name, property, body)| {
        let source = folder.join(format!("{name}.c"));
        let text = format!("{head}int main(void) {{ {body} return 0; }}\n");
        std::fs::write(&source, text).expect("the build folder can be written");
        let (source, out) = (source.display().to_string(), folder.join(name).display().to_string());
        let made = whydunit(&["test", "--run", "-p", property, "--out", &out, &source]);
        let mut failures = Vec::new();
        if made.status.code() != Some(10) {
            failures.push(format!("{name}: {}{}", stdout(&made), String::from_utf8_lossy(&made.stderr)));
        } else if make_check(Path::new(&out)) {
            failures.push(format!("{name}: make check passes"));
        }
        failures
    });
    none_failed(&failures);
}

#[test]
fn test_cases_are_replayed() {
    let folder = scratch("evidence-replay");
    let path = folder.display().to_string();
    let program = "tests/witnesses/figures/linear-inequality-inv-b.c";
    assert_eq!(whydunit(&["test", "--out", &path, program]).status.code(), Some(10));
    let case = folder.join("testcase.xml").display().to_string();
    let output = whydunit(&["replay", "--quiet", "--test-xml", &case, program]);
    assert_eq!(output.status.code(), Some(10), "{}", stdout(&output));
    assert_eq!(whydunit(&["replay", "--test-xml", "examples/sort.c", program]).status.code(), Some(2));
}

/// The commands after a failure start from a witness of any tool, also from one that leaves the inputs open.
#[test]
fn commands_start_from_a_witness() {
    let figures = "tests/witnesses/figures";
    let (vague, program) = (format!("{figures}/fig-9b.graphml"), format!("{figures}/linear-inequality-inv-b.c"));
    for command in ["minimize", "explain", "localize"] {
        let output = whydunit(&[command, "--witness", &vague, &program]);
        assert_eq!(output.status.code(), Some(10), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let safe = format!("{figures}/linear-inequality-inv-a.c");
    let output = whydunit(&["minimize", "--witness", &format!("{figures}/fig-9d.graphml"), &safe]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("leads to no failing run"));
}
