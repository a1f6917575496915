//! The commands on witnesses as a user meets them: exit codes, streams, files.

use crate::support::scratch;
use std::process::{Command, Output};

fn whydunit(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_whydunit"));
    command.arg("witness").args(args).current_dir(testkit::project::root()).output().expect("whydunit runs")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

const GOOD: &str = "tests/witnesses/figures/fig-9d.graphml";
const PROGRAM: &str = "tests/witnesses/figures/linear-inequality-inv-b.c";
const OTHER_PROGRAM: &str = "tests/witnesses/figures/linear-inequality-inv-a.c";

#[test]
fn lint_says_valid_or_invalid() {
    for (args, code) in [
        (&["lint", GOOD][..], 0),
        (&["lint", GOOD, PROGRAM], 0),
        // Another hash is worth a warning.
        (&["lint", GOOD, OTHER_PROGRAM], 0),
        (&["lint", "--strict", GOOD, OTHER_PROGRAM], 10),
        (&["lint", "tests/witnesses/broken.graphml"], 10),
        (&["lint", "examples/sort.c"], 10),
        (&["lint", "no-such-file.yml"], 2),
        (&["lint", GOOD, "no-such-file.c"], 2),
        (&["lint"], 2),
    ] {
        assert_eq!(whydunit(args).status.code(), Some(code), "{args:?}");
    }
    let broken = stdout(&whydunit(&["lint", "tests/witnesses/broken.graphml"]));
    assert!(broken.contains("tests/witnesses/broken.graphml:10:31: error: `maybe`"), "{broken}");
    assert!(broken.contains("[node-unknown]") && broken.contains("invalid: "), "{broken}");
}

#[test]
fn convert_writes_a_file_or_says_why_not() {
    let output = scratch("witness").join("converted.yml");
    let name = output.display().to_string();
    let done = whydunit(&["convert", GOOD, PROGRAM, "--output", &name]);
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    assert_eq!(whydunit(&["lint", "--strict", &name, PROGRAM]).status.code(), Some(0));
    let back = whydunit(&["convert", "--to", "graphml", &name, PROGRAM]);
    assert!(stdout(&back).contains("\\result == 224"), "{back:?}");
    let refused = whydunit(&["convert", "--to", "yaml", "tests/witnesses/figures/fig-9b.graphml", PROGRAM]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("ways on"), "{refused:?}");
    for args in [&["convert", GOOD][..], &["convert", "--to", "html", GOOD], &["convert", "--to", "yaml", GOOD]] {
        assert_eq!(whydunit(args).status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn show_draws_both_formats() {
    for witness in [GOOD, "tests/witnesses/everything.yml", "tests/witnesses/everything.graphml"] {
        let text = whydunit(&["show", witness]);
        assert_eq!(text.status.code(), Some(0), "{text:?}");
        assert!(stdout(&text).starts_with("violation witness"), "{text:?}");
        let graph = stdout(&whydunit(&["show", "--dot", witness]));
        assert!(graph.starts_with("digraph") && graph.ends_with("}\n") && graph.contains(" -> "), "{graph}");
    }
    let shown = stdout(&whydunit(&["show", GOOD]));
    assert!(shown.contains("→ q3: line 12, [\\result == 224] in main of __VERIFIER_nondet_char"), "{shown}");
    assert_eq!(whydunit(&["show", "examples/sort.c"]).status.code(), Some(2));
}

#[test]
fn validate_says_what_it_found() {
    for (args, code) in [
        (&["validate", "--how", "static", GOOD, PROGRAM][..], 0),
        (&["validate", GOOD, PROGRAM], 0),
        // Another hash is worth a warning only.
        (&["validate", "--how", "static", GOOD, OTHER_PROGRAM], 10),
        (&["validate", "tests/witnesses/figures/fig-13b.graphml", PROGRAM], 10),
        // The invariants of Beyer et al. 2022, figure 13, are needed: the loop cannot be unwound in this time, and the proof needs them or others.
        (&["validate", "--timeout", "20", "tests/witnesses/figures/fig-13b.graphml", OTHER_PROGRAM], 0),
        (&["validate", "--how", "guess", GOOD, PROGRAM], 2),
        (&["validate", GOOD], 2),
        (&["validate", GOOD, "no-such-file.c"], 2),
        (&["validate", "-p", "no-such-property", GOOD, PROGRAM], 2),
    ] {
        let output = whydunit(args);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {output:?}");
    }
    let output = whydunit(&["validate", "--how", "static", "--json", GOOD, OTHER_PROGRAM]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!(json["command"], "witness validate");
    assert_eq!((&json["result"], &json["how"]), (&"rejected".into(), &"static".into()));
    assert_eq!((&json["progress"]["matched"], &json["progress"]["total"]), (&4.into(), &5.into()));
    assert!(json["reason"].as_str().is_some_and(|reason| reason.contains("line 17")), "{json}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("hash"), "{output:?}");
    let output = whydunit(&["validate", "--json", "tests/witnesses/figures/fig-13b.graphml", PROGRAM]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!(json["invariants"][0]["line"], 10);
}

#[test]
fn refine_writes_every_input() {
    let folder = scratch("refine");
    for (figure, format) in [("9b", "graphml"), ("9b", "yml"), ("9c", "yml")] {
        let output = folder.join(format!("{figure}.{format}")).display().to_string();
        let abstract_one = format!("tests/witnesses/figures/fig-{figure}.graphml");
        let done = whydunit(&["refine", "-o", &output, &abstract_one, PROGRAM]);
        assert_eq!(done.status.code(), Some(0), "{done:?}");
        assert_eq!(whydunit(&["lint", "--strict", &output, PROGRAM]).status.code(), Some(0), "{output}");
        for how in ["static", "interpret"] {
            let validated = whydunit(&["validate", "--how", how, &output, PROGRAM]);
            assert_eq!(validated.status.code(), Some(0), "{output} {how}: {validated:?}");
        }
    }
    assert_eq!(whydunit(&["refine", "tests/witnesses/figures/fig-13b.graphml", PROGRAM]).status.code(), Some(2));
    assert_eq!(whydunit(&["refine", GOOD, OTHER_PROGRAM]).status.code(), Some(10));
}

/// `undecided` is no usage error.
#[test]
fn an_unknown_specification_is_undecided() {
    let text = std::fs::read_to_string(testkit::project::root().join(GOOD)).expect("the figure is there");
    let other = text.replace("LTL(G ! call(__VERIFIER_error()))", "LTL(F end)");
    assert_ne!(text, other);
    let path = scratch("specification").join("other.graphml");
    std::fs::write(&path, other).expect("a file can be written");
    let name = path.display().to_string();
    let output = whydunit(&["validate", "--json", &name, PROGRAM]);
    assert_eq!(output.status.code(), Some(30), "{output:?}");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!(json["result"], "undecided");
    assert!(json["reason"].as_str().is_some_and(|reason| reason.contains("LTL(F end)")), "{json}");
    assert_eq!(whydunit(&["refine", &name, PROGRAM]).status.code(), Some(30));
    assert_eq!(whydunit(&["validate", "-p", "unreach-call", &name, PROGRAM]).status.code(), Some(0));
}

/// Time and memory are kept to while the witness is read.
#[test]
fn limits_hold_for_large_witnesses() {
    let mut text = String::from(
        "<?xml version=\"1.0\"?><graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\"><graph edgedefault=\"directed\">\n\
         <data key=\"witness-type\">violation_witness</data>\n<node id=\"n0\"><data key=\"entry\">true</data></node>\n",
    );
    for node in 1..400_000 {
        let from = node - 1;
        text += &format!(
            "<node id=\"n{node}\"/><edge source=\"n{from}\" target=\"n{node}\"><data key=\"startline\">{node}</data></edge>\n"
        );
    }
    text += "</graph></graphml>\n";
    let path = scratch("large").join("large.graphml");
    std::fs::write(&path, text).expect("a file can be written");
    let name = path.display().to_string();
    for (limit, reason) in [(["--timeout", "0.2"], "out of time"), (["--memory", "40"], "out of memory")] {
        let start = std::time::Instant::now();
        let output = whydunit(&["validate", limit[0], limit[1], &name, PROGRAM]);
        assert_eq!(output.status.code(), Some(30), "{limit:?}: {output:?}");
        assert!(stdout(&output).contains(&format!("reason: {reason}")), "{limit:?}: {output:?}");
        // A busy machine starts processes late.
        assert!(start.elapsed().as_secs_f64() < 3.0, "{limit:?}: {:?}", start.elapsed());
    }
    std::fs::remove_file(path).ok();
}

/// The same limits for `test`.
#[test]
fn limits_hold_for_tests() {
    let folder = scratch("held");
    // Factors of a prime: nothing proves in this time that there are none.
    let hard = folder.join("factors.c");
    let text = "extern unsigned long long nondet(void);\nextern void reach_error(void);\nint main(void) {\n  \
                unsigned long long a = nondet(), b = nondet();\n  if (a > 1 && b > 1 && a < 4294967296 && b < 4294967296 && \
                a * b == 9223372036854775783ULL) reach_error();\n  return 0;\n}\n";
    std::fs::write(&hard, text).expect("the folder is there");
    for (limit, reason) in [(["--timeout", "0.3"], "out of time"), (["--memory", "1"], "out of memory")] {
        let output = Command::new(env!("CARGO_BIN_EXE_whydunit"))
            .args(["test", "--out"])
            .arg(folder.join("test"))
            .args(limit)
            .arg(&hard)
            .current_dir(testkit::project::root())
            .output()
            .expect("whydunit runs");
        assert_eq!(output.status.code(), Some(30), "{limit:?}: {output:?}");
        let text = stdout(&output);
        assert!(text.contains("verdict: unknown") && (reason == "out of time" || text.contains(reason)), "{text}");
    }
}
