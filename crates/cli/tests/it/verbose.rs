//! `--verbose` says what each engine did; without it nothing of this is printed.

use std::process::Command;
use testkit::project::root;

fn verify(args: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_whydunit"));
    let output = command.arg("verify").args(args).current_dir(root()).output().expect("whydunit runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The engines, and how they ended.
fn turns(args: &[&str]) -> Vec<(String, String)> {
    let text = verify(&[args, &["--verbose", "--json"]].concat());
    let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let turns = report["turns"].as_array().cloned().unwrap_or_default();
    let text = |turn: &serde_json::Value, name: &str| turn[name].as_str().expect("text").to_string();
    turns.iter().map(|turn| (text(turn, "engine"), text(turn, "outcome"))).collect()
}

#[test]
fn engines_say_how_they_ended() {
    let found = turns(&["--engine", "bmc", "examples/sort.c"]);
    assert_eq!(found, [("bmc".to_string(), "found a violation of assertion".to_string())]);
    let proved = turns(&["--engine", "induction", "tests/programs/verify/unbounded_loop.c"]);
    let expected = [("induction", "proved"), ("check", "the proof passes")];
    assert_eq!(proved, expected.map(|(engine, outcome)| (engine.to_string(), outcome.to_string())));
    // The engine that chooses lists those it asked; bounded model checking of an endless loop is stopped by the proof.
    let both = turns(&["tests/programs/verify/unbounded_loop.c"]);
    assert!(both.contains(&("bmc".into(), "stopped, because another one had the answer".into())), "{both:?}");
    assert!(both.contains(&("induction".into(), "proved".into())), "{both:?}");
    let late = turns(&["--engine", "bmc", "--timeout", "0.3", "tests/programs/verify/unbounded_loop.c"]);
    assert!(late[0].1.contains("time"), "{late:?}");
}

#[test]
fn only_verbose_prints_engines() {
    let text = verify(&["--verbose", "examples/sort.c"]);
    assert!(text.contains("\nengines:\n") && text.contains("\n  bmc "), "{text}");
    assert!(!verify(&["examples/sort.c"]).contains("engines:"));
    assert!(!verify(&["--json", "examples/sort.c"]).contains("\"turns\""));
}
