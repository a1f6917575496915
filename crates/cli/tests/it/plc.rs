//! Programs in Structured Text against another compiler. The programs in `tests/plc/compared` are random ones; what they are expected to put out is what the C program
//! puts out that iec2c of MATIEC makes of them, with a clock that is set by hand. Left out are FOR loops (its last version misses rounds), REPLACE (the same), the
//! values of counters (there they end at PV), and what the standard leaves open.

use crate::support::{in_parallel, none_failed, scratch};
use std::path::{Path, PathBuf};
use std::process::Command;
use testkit::project::root;

/// Whether all test cases of a file pass, with what was printed.
fn replayed(cases: &Path, program: &Path) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_whydunit"));
    let output = command.args(["replay", "--test-cases"]).arg(cases).arg(program).output().expect("whydunit runs");
    (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
}

fn programs() -> Vec<PathBuf> {
    let folder = std::fs::read_dir(root().join("tests/plc/compared")).expect("the folder is there");
    let mut found: Vec<PathBuf> = folder.map(|entry| entry.expect("an entry").path()).collect();
    found.retain(|path| path.extension().is_some_and(|extension| extension == "st"));
    found.sort();
    found
}

#[test]
fn programs_put_out_what_another_compiler_says() {
    let programs = programs();
    assert!(programs.len() >= 40, "{} programs", programs.len());
    let failures = in_parallel(&programs, |program| {
        let (passes, text) = replayed(&program.with_extension("json"), program);
        if passes { Vec::new() } else { vec![format!("{}:\n{text}", program.display())] }
    });
    none_failed(&failures);
}

/// The comparison notices one wrong value.
#[test]
fn another_value_fails() {
    let program = &programs()[0];
    let text = std::fs::read_to_string(program.with_extension("json")).expect("the file is there");
    let at = text.find("\"p0\":[").expect("an output") + "\"p0\":[".len();
    let (old, new) = if text[at..].starts_with("true") { ("true", "false") } else { ("false", "true") };
    let changed = format!("{}{new}{}", &text[..at], &text[at + old.len()..]);
    let file = scratch("plc_compared").join("changed.json");
    std::fs::write(&file, changed).expect("a file is written");
    assert!(!replayed(&file, program).0);
}

/// The worked example of the guide: an output that one of the cases forgets. Runs of a repaired controller never end by themselves.
#[test]
fn a_forgotten_output_is_repaired() {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_whydunit"));
    command.args([
        "localize",
        "--json",
        "--cycle-time",
        "500ms",
        "--require",
        "examples/pump.json",
        "examples/pump.st",
    ]);
    let output = command.current_dir(root()).output().expect("whydunit runs");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a report");
    let diff = report["repairs"][0]["diff"].as_str().expect("a repair");
    assert!(diff.contains("\n+  pump2 := FALSE;"), "{diff}");
    assert_eq!(report["suspects"][0]["line"], 24);
}
