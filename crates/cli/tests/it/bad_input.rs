//! What cannot be done as asked: exit code 2, nothing on standard output, and a message that says what to do.

use crate::support::scratch;
use std::path::Path;
use std::process::Command;

/// Files that the cases below name.
const FILES: &[(&str, &str)] = &[
    ("ok.c", "int main(void) { return 0; }\n"),
    ("part.c", "int start(void) { return 0; }\n"),
    ("wrong.c", "int main(void) { return x; }\n"),
    ("missing_header.c", "#include \"no_such_header.h\"\nint main(void) { return 0; }\n"),
    ("notes.txt", "not a program\n"),
    ("overflow.prp", "CHECK( init(main()), LTL(G ! overflow) )\n"),
    ("termination.prp", "CHECK( init(main()), LTL(F end) )\n"),
    ("garbage.prp", "overflow, please\n"),
    ("empty.prp", "\n"),
    ("syntax.yml", "format_version: \"2.0\"\ninput_files: [\n"),
    ("version.yml", "format_version: \"9.0\"\ninput_files: \"ok.c\"\nproperties: []\n"),
    ("no_input.yml", "format_version: \"2.0\"\nproperties: []\n"),
    ("no_property.yml", "format_version: \"2.0\"\ninput_files: \"ok.c\"\nproperties: []\n"),
    ("model.yml", "format_version: \"2.0\"\ninput_files: \"ok.c\"\noptions: {data_model: LLP64}\n"),
    ("gone.yml", "format_version: \"2.0\"\ninput_files: \"gone.c\"\nproperties: [{property_file: overflow.prp}]\n"),
];

/// A command line and parts of the message.
const CASES: &[(&[&str], &[&str])] = &[
    (&["frobnicate"], &["unrecognized subcommand", "--help"]),
    (&["verify"], &["<FILE>", "--help"]),
    (&["verify", "gone.c"], &["cannot read gone.c", "No such file"]),
    (&["verify", "folder.c"], &["cannot read folder.c"]),
    (&["verify", "notes.txt"], &["notes.txt", "known: .c, .i"]),
    (&["verify", "wrong.c"], &["`x` is not declared", "wrong.c:1:25"]),
    (&["verify", "missing_header.c"], &["the preprocessor failed", "no_such_header.h"]),
    (&["verify", "--cpp", "no-such-command", "missing_header.c"], &["no-such-command", "choose another with --cpp"]),
    (&["verify", "part.c"], &["no function `main`", "--entry", "start"]),
    (&["verify", "--entry", "begin", "ok.c"], &["no function `begin`", "--entry", "main"]),
    (&["replay", "--entry", "begin", "ok.c"], &["no function `begin`", "--entry", "main"]),
    (&["verify", "-p", "no-bugs", "ok.c"], &["unknown property `no-bugs`", "unreach-call", ".prp"]),
    (&["verify", "-p", "initialized", "ok.c"], &["initialized", "replay"]),
    (&["verify", "-p", "gone.prp", "ok.c"], &["cannot read", "gone.prp"]),
    (&["verify", "-p", "termination.prp", "ok.c"], &["`F end` is not supported", "G ! overflow"]),
    (&["verify", "-p", "garbage.prp", "ok.c"], &["garbage.prp", "CHECK( init(main()), LTL(…) )"]),
    (&["verify", "-p", "empty.prp", "ok.c"], &["empty.prp", "names no property"]),
    (&["verify", "--engine", "magic", "ok.c"], &["unknown engine `magic`", "known: ", "bmc"]),
    (&["verify", "--unwind", "often", "ok.c"], &["'often' for '--unwind <N>'", "--help"]),
    (&["verify", "--unwind", "-1", "ok.c"], &["'-1' for '--unwind <N>'"]),
    (&["verify", "--unwind", "99999999999", "ok.c"], &["--unwind <N>", "4294967295"]),
    (&["verify", "--unwind-loop", "7=3", "ok.c"], &["no such loop", "has no loops"]),
    (&["verify", "--unwind-loop", "main", "ok.c"], &["FILE:LINE=N", "FUNCTION=N"]),
    (&["verify", "--timeout", "soon", "ok.c"], &["'soon' for '--timeout <S>'"]),
    (&["verify", "--timeout", "0", "ok.c"], &["--timeout 0", "positive number of seconds"]),
    (&["verify", "--timeout", "-3", "ok.c"], &["--timeout -3", "positive number of seconds"]),
    (&["verify", "--timeout", "nan", "ok.c"], &["--timeout NaN", "positive number of seconds"]),
    (&["verify", "--memory", "much", "ok.c"], &["'much' for '--memory <MB>'"]),
    (&["verify", "--dump", "pdf", "ok.c"], &["'pdf' for '--dump <FORMAT>'", "smt2, dimacs"]),
    (&["verify", "--data-model", "lp128", "ok.c"], &["lp128", "ilp32, lp64"]),
    (&["verify", "--mmio", "0x40000000", "ok.c"], &["--mmio 0x40000000", "FIRST..LAST:NAME"]),
    (&["verify", "--mmio", "0x5000000..0x4000000", "ok.c"], &["the last address comes before the first"]),
    (&["verify", "--mmio", "0..0xff", "ok.c"], &["addresses below 0x10000", "null pointers"]),
    (&["verify", "--volatile", "random", "ok.c"], &["'random' for '--volatile <WHAT>'", "memory, inputs"]),
    (&["verify", "--stack-limit", "much", "ok.c"], &["'much' for '--stack-limit <BYTES>'"]),
    (&["verify", "-p", "stack-limit", "ok.c"], &["stack-limit", "--stack-limit BYTES"]),
    (&["verify", "--entry-arrays", "many", "ok.c"], &["--entry-arrays many", "PARAMETER=LENGTH"]),
    (&["verify", "--char-unsigned", "--witness", "w.yml", "ok.c"], &["--witness w.yml", "--char-unsigned"]),
    (&["test", "--malloc-may-fail", "ok.c"], &["unexpected argument '--malloc-may-fail'"]),
    (&["verify", "syntax.yml"], &["syntax.yml", "line 2"]),
    (&["verify", "version.yml"], &["format version 9.0", "known: 1.0, 2.0"]),
    (&["verify", "no_input.yml"], &["no_input.yml", "input_files"]),
    (&["verify", "no_property.yml"], &["no_property.yml", "choose one with -p"]),
    (&["verify", "model.yml"], &["LLP64", "known: ILP32, LP64"]),
    (&["verify", "gone.yml"], &["cannot read gone.c"]),
    (&["verify", "ok.c", "gone.yml"], &["gone.yml", "known: .c, .i"]),
    (&["replay", "--inputs", "1,two", "ok.c"], &["`two` is not a number", "separated by commas"]),
];

#[test]
fn a_message_says_what_to_do() {
    let folder = scratch("bad_input");
    std::fs::create_dir_all(folder.join("folder.c")).expect("the build folder can be written");
    for (name, text) in FILES {
        std::fs::write(folder.join(name), text).expect("the build folder can be written");
    }
    let failures: Vec<String> = CASES.iter().filter_map(|(args, parts)| one(&folder, args, parts)).collect();
    crate::support::none_failed(&failures);
}

fn one(folder: &Path, args: &[&str], parts: &[&str]) -> Option<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_whydunit")).args(args).current_dir(folder).output();
    let output = output.expect("whydunit runs");
    let message = String::from_utf8_lossy(&output.stderr);
    let missing: Vec<&&str> = parts.iter().filter(|part| !message.contains(**part)).collect();
    let good = output.status.code() == Some(2) && output.stdout.is_empty() && missing.is_empty();
    (!good).then(|| format!("{args:?}: exit {:?}, missing {missing:?} in\n{message}", output.status.code()))
}
