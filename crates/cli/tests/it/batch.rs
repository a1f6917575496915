//! `whydunit batch` with real programs: rows follow their schema and are the same in every run; what they add up to; PLC programs.

use crate::json::check;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use testkit::project::root;

/// Tasks of every kind: two right answers, a wrong one, one without an expected answer, one that is not decided, and three that cannot be run.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("it can be written");
    let program = |condition: &str| {
        format!(
            "extern int __VERIFIER_nondet_int(void);\nvoid reach_error(void) {{}}\nint main(void) {{\n  int x = __VERIFIER_nondet_int();\n  if ({condition}) reach_error();\n}}\n"
        )
    };
    let task = |input: &str, expected: &str| {
        format!(
            "format_version: '2.0'\ninput_files: '{input}'\nproperties:\n  - property_file: unreach-call.prp\n{expected}"
        )
    };
    write("unreach-call.prp", "CHECK( init(main()), LTL(G ! call(reach_error())) )\n");
    write("safe.c", &program("x > 5 && x < 5"));
    write("unsafe.c", &program("x == 7"));
    write("asm.c", &program("({ int y; __asm__(\"\" : \"=r\"(y)); y; }) == 3"));
    write("broken.c", "int main(void) { return }\n");
    write("right_true.yml", &task("safe.c", "    expected_verdict: true\n"));
    write("right_false.yml", &task("unsafe.c", "    expected_verdict: false\n"));
    write("wrong.yml", &task("unsafe.c", "    expected_verdict: true\n"));
    write("without.yml", &task("unsafe.c", ""));
    write("undecided.yml", &task("asm.c", "    expected_verdict: true\n"));
    write("broken.yml", &task("broken.c", "    expected_verdict: true\n"));
    write("missing.yml", &task("nowhere.c", "    expected_verdict: true\n"));
    write("unreadable.yml", "input_files: [\n");
    folder
}

struct Ran {
    code: Option<i32>,
    text: String,
    rows: Vec<Value>,
    out: PathBuf,
}

fn batch(folder: &Path, args: &[&str]) -> Ran {
    let out = folder.join("out");
    let output = Command::new(env!("CARGO_BIN_EXE_whydunit"))
        .args(["batch", "-j2", "--timeout", "20", "--out"])
        .arg(&out)
        .args(args)
        .current_dir(folder)
        .output()
        .expect("whydunit runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines = std::fs::read_to_string(out.join("results.jsonl")).unwrap_or_default();
    let rows = lines.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect();
    Ran { code: output.status.code(), text, rows, out }
}

fn cells(row: &Value, names: &[&str]) -> String {
    names
        .iter()
        .map(|name| row[*name].as_str().map_or(row[*name].to_string(), String::from))
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn rows_follow_their_schema() {
    let folder = folder();
    let Ran { code, text, rows, out } = batch(folder.path(), &["."]);
    let path = testkit::project::root().join("docs/batch-row.schema.json");
    let schema: Value =
        serde_json::from_str(&std::fs::read_to_string(path).expect("the schema is there")).expect("it is JSON");
    for row in &rows {
        check(row, &schema, "").unwrap_or_else(|problem| panic!("{problem}\n{row}"));
    }
    let names: Vec<&str> = schema["required"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    let csv = std::fs::read_to_string(out.join("results.csv")).expect("the table is there");
    assert_eq!(csv.lines().next().expect("a header"), names.join(","));
    assert_eq!(csv.lines().count(), rows.len() + 1);
    let got: Vec<String> = rows
        .iter()
        .map(|row| cells(row, &["task", "property", "expected", "verdict", "status", "exit_code", "files"]))
        .collect();
    let wanted = [
        "broken.yml unreach-call true error error 2 00001-broken.unreach-call",
        "missing.yml unreach-call true error error 2 00002-missing.unreach-call",
        "right_false.yml unreach-call false false(unreach-call) correct 10 00003-right_false.unreach-call",
        "right_true.yml unreach-call true true correct 0 00004-right_true.unreach-call",
        "undecided.yml unreach-call true unknown(unsupported) undecided 30 00005-undecided.unreach-call",
        "unreadable.yml  null error error null 00006-unreadable",
        "without.yml unreach-call null false(unreach-call) decided 10 00007-without.unreach-call",
        "wrong.yml unreach-call true false(unreach-call) wrong 10 00008-wrong.unreach-call",
    ];
    assert_eq!(got, wanted, "{text}");
    assert_eq!(code, Some(10), "a wrong answer");
    let used = rows.iter().filter(|row| !row["exit_code"].is_null());
    assert!(used.clone().count() == 7 && used.into_iter().all(|row| row["wall_s"].as_f64() > Some(0.0)));
    let xml = std::fs::read_to_string(out.join("results.xml")).expect("JUnit is there");
    assert!(xml.contains("tests=\"8\" failures=\"2\" errors=\"3\" skipped=\"1\""), "{xml}");
}

#[test]
fn the_summary_says_why_there_is_no_answer() {
    let folder = folder();
    let Ran { text, out, .. } = batch(folder.path(), &["."]);
    assert!(text.contains("wrong:\n  wrong.yml (unreach-call): false(unreach-call), expected true\n"), "{text}");
    assert!(text.contains("undecided:\n  1 × unknown(unsupported)"), "{text}");
    let errors = text.split("error:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).unwrap_or("");
    assert_eq!(errors.lines().filter(|line| line.starts_with("  1 × error: ")).count(), 3, "{text}");
    let summary = std::fs::read_to_string(out.join("summary.json")).expect("the summary is there");
    let summary: Value = serde_json::from_str(&summary).expect("it is JSON");
    assert_eq!(summary["total"]["tasks"], 8);
    assert_eq!(summary["total"]["score"], 2 + 1 - 16);
    assert_eq!(summary["reasons"].as_array().map(Vec::len), Some(4));
    let again =
        Command::new(env!("CARGO_BIN_EXE_whydunit")).args(["batch", "summary"]).arg(&out).output().expect("it runs");
    let again = String::from_utf8_lossy(&again.stdout).into_owned();
    assert!(text.starts_with(again.trim_end()), "{text}\n{again}");
}

#[test]
fn each_requirement_is_a_row() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["pump.st", "pump.json"] {
        std::fs::copy(testkit::project::root().join("examples").join(name), folder.path().join(name))
            .expect("it can be copied");
    }
    std::fs::write(
        folder.path().join("other.st"),
        "PROGRAM p VAR_INPUT a : BOOL; END_VAR VAR b : BOOL; END_VAR b := a; END_PROGRAM",
    )
    .expect("written");
    std::fs::write(folder.path().join("c.c"), "int main(void) {}").expect("written");
    let args = [
        "pump.st",
        "--require",
        "%s.json",
        "--require",
        "reachability: pump2",
        "--require",
        "reachability: pump1 AND low AND high",
    ];
    let ran = batch(folder.path(), &[&args[..], &["c.c", "other.st", "--", "--cycle-time", "500ms"]].concat());
    let got: Vec<String> = ran.rows.iter().map(|row| cells(row, &["task", "property", "verdict", "status"])).collect();
    assert_eq!(
        got,
        [
            "pump.st property_1 false(assertion) decided",
            "pump.st R2 true decided",
            "pump.st R3 true decided",
            "c.c  error error",
            "other.st  error error",
        ],
        "{}",
        ran.text
    );
    assert!(ran.rows[4]["reason"].as_str().is_some_and(|reason| reason.contains("other.json")), "{}", ran.rows[4]);
}

/// The tool-info module with the real BenchExec, and 24 tasks measured by it where control groups are permitted.
#[test]
fn benchexec_runs_tasks() {
    let output = Command::new("bash")
        .arg(root().join("contrib/benchexec/test.sh"))
        .arg(env!("CARGO_BIN_EXE_whydunit"))
        .output()
        .expect("bash runs");
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}");
    assert!(said.contains("36 (max: 36)") || said.contains("control groups are not permitted"), "{said}");
}
