//! Every format of the table, for every command that has a report: the exit code is the same in all, and lines for editors have the form of gcc's.

use report::render::RENDERERS;
use std::process::Command;
use testkit::project::root;

const RUNS: &[&[&str]] = &[
    &["check", "examples/sort.c"],
    &["check", "tests/programs/errors/several.c"],
    &["replay", "--inputs", "3,2,1", "examples/sort.c"],
    &["replay", "--inputs", "3", "examples/sort.c"],
    &["verify", "examples/sort.c"],
    &["verify", "no-such-file.c"],
    &["verify", "--all", "--unwind", "3", "tests/programs/verify/checks.c"],
    &["verify", "tests/programs/verify/unsupported.c"],
    &["minimize", "examples/sort.c"],
    &["minimize", "--unwind", "1", "tests/programs/verify/unbounded_loop.c"],
    &["explain", "examples/sort.c"],
    &["localize", "tests/programs/localize/difference.c"],
    &["localize", "tests/programs/localize/nothing.c"],
    &["witness", "lint", "tests/witnesses/broken.graphml"],
    &["witness", "validate", "tests/witnesses/own/inputs.yml", "tests/witnesses/own/inputs.c"],
];

struct Printed {
    out: String,
    code: Option<i32>,
}

fn run(args: &[&str], format: &str) -> Printed {
    let mut command = Command::new(env!("CARGO_BIN_EXE_whydunit"));
    let output = command.args(args).args(["--format", format]).current_dir(root()).output().expect("whydunit runs");
    Printed { out: String::from_utf8_lossy(&output.stdout).into_owned(), code: output.status.code() }
}

#[test]
fn exit_codes_do_not_depend_on_the_format() {
    for args in RUNS {
        let codes: Vec<Option<i32>> = RENDERERS.iter().map(|renderer| run(args, renderer.name).code).collect();
        assert!(codes.iter().all(|code| *code == codes[0] && code.is_some()), "{args:?}: {codes:?}");
    }
}

/// `file:line:column: severity: message`, or the tool's name for what is in no file.
fn is_diagnostic(line: &str) -> bool {
    let mut parts = line.splitn(3, ": ");
    let (Some(place), Some(severity), Some(message)) = (parts.next(), parts.next(), parts.next()) else { return false };
    let mut place = place.rsplitn(3, ':');
    let mut number = || place.next().and_then(|text| text.parse::<u32>().ok()).is_some_and(|number| number > 0);
    let is_place = line.starts_with("whydunit: ") || (number() && number());
    is_place && matches!(severity, "error" | "warning" | "note") && !message.is_empty()
}

#[test]
fn lines_for_editors_have_the_form_of_gcc() {
    let mut lines = 0;
    for args in RUNS {
        for line in run(args, "gcc").out.lines() {
            assert!(is_diagnostic(line), "{args:?}: {line}");
            lines += 1;
        }
    }
    assert!(lines > 40, "only {lines} lines");
    assert!(!is_diagnostic("a.c:3: error: no column") && !is_diagnostic("a.c:3:x: error: no number"));
}

#[test]
fn the_short_form_of_json_is_the_long_one() {
    let without_time =
        |text: &str| text.lines().filter(|line| !line.contains("time_ms")).collect::<Vec<_>>().join("\n");
    let short = Command::new(env!("CARGO_BIN_EXE_whydunit"))
        .args(["verify", "--json", "examples/sort.c"])
        .current_dir(root())
        .output()
        .expect("whydunit runs");
    let short = without_time(&String::from_utf8_lossy(&short.stdout));
    assert_eq!(short, without_time(&run(&["verify", "examples/sort.c"], "json").out));
    assert!(short.contains("\"verdict\": \"false\""));
}
