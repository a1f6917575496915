//! A converted witness means the same: it is confirmed, or rejected, as the original is.

use crate::validation;
use cfa::DataModel;
use testkit::project::root;
use validate::ValidationResult;
use witness::convert::{Target, convert};
use witness::program::Source;
use witness::{Limits, Witness};

const PROGRAM: &str = "\
extern int __VERIFIER_nondet_int(void);
void reach_error(void) {}
int twice(int v) { return v * 2; }
int main(void) {
  int a = __VERIFIER_nondet_int();
  int b = 5;
  if (a > 10 && a < 20) {
    b = twice(a);
  }
  if (b == 30 || b == 5) {
    reach_error();
  }
  return 0;
}
";

/// A sequence of waypoints, each as (type, action, line, column, constraint), that ends at the error.
fn sequence(waypoints: &[(&str, &str, u32, u32, &str)]) -> String {
    let one = |(kind, action, line, column, value): &(&str, &str, u32, u32, &str)| {
        let format = match *kind {
            "function_return" => ", format: acsl_expression",
            "assumption" => ", format: c_expression",
            _ => "",
        };
        let constraint = match *value {
            "" => String::new(),
            value => format!("constraint: {{value: '{value}'{format}}}, "),
        };
        format!(
            "    - waypoint: {{type: {kind}, action: {action}, {constraint}location: {{file_name: test.c, line: {line}, column: {column}}}}}\n"
        )
    };
    let mut content = String::from("  - segment:\n");
    for waypoint in waypoints {
        content.push_str(&one(waypoint));
        if waypoint.1 == "follow" {
            content.push_str("  - segment:\n");
        }
    }
    content.push_str(&one(&("target", "follow", 11, 5, "")));
    format!(
        "- entry_type: violation_sequence
  metadata:
    format_version: '2.0'
    uuid: 123e4567-e89b-42d3-a456-426614174000
    creation_time: 2026-01-01T00:00:00Z
    producer: {{name: x, version: '1'}}
    task: {{input_files: [test.c], input_file_hashes: {{test.c: '00'}}, specification: G ! call(reach_error()), data_model: ILP32, language: C}}
  content:
{content}"
    )
}

/// A path through the nodes q0, q1, …, given by the data of its edges; the last node is the violation.
fn automaton(edges: &[&str]) -> String {
    let mut graph = String::from("<node id=\"q0\"><data key=\"entry\">true</data></node>");
    for (index, data) in edges.iter().enumerate() {
        let next = index + 1;
        let last = if next == edges.len() { "<data key=\"violation\">true</data>" } else { "" };
        let data: String = data
            .split(", ")
            .filter_map(|item| item.split_once('='))
            .map(|(key, value)| format!("<data key=\"{key}\">{value}</data>"))
            .collect();
        graph.push_str(&format!(
            "<node id=\"q{next}\">{last}</node><edge source=\"q{index}\" target=\"q{next}\">{data}</edge>"
        ));
    }
    format!(
        "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\"><graph edgedefault=\"directed\">\
         <data key=\"specification\">CHECK( init(main()), LTL(G ! call(reach_error())) )</data>{graph}</graph></graphml>"
    )
}

/// The witness in the other format; the reason if that is refused.
fn converted(text: &str, program: &str) -> Result<String, String> {
    let witness = witness::parse(text.as_bytes(), &Limits::default()).expect("it can be read");
    let (sources, compiled) = testkit::compile(program.as_bytes(), DataModel::Ilp32);
    let source = Source::new(&sources, "test.c", Some(&compiled.program)).expect("it is in the map");
    let target = match witness {
        Witness::Automaton(_) => Target::Yaml("2.0"),
        Witness::Entries(_) => Target::GraphMl,
    };
    witness::write(&convert(&witness, target, Some(&source))?)
}

#[track_caller]
fn alike(text: &str, program: &str, answer: ValidationResult) {
    let found = validation(text, program);
    assert_eq!(found.result, answer, "{}\n{text}", found.reason);
    let other = converted(text, program).expect("both formats can say this");
    let found = validation(&other, program);
    assert_eq!(found.result, answer, "{}\n{other}", found.reason);
    let back = converted(&other, program).expect("it came from there");
    let found = validation(&back, program);
    assert_eq!(found.result, answer, "{}\n{back}", found.reason);
}

#[test]
fn sequences_with_conditions_of_several_branches() {
    let (first, second) = (("branching", "follow", 7, 3), ("branching", "follow", 10, 3));
    for (outer, inner, answer) in [
        ("true", "true", ValidationResult::Confirmed),
        ("false", "true", ValidationResult::Confirmed),
        ("true", "false", ValidationResult::Rejected),
    ] {
        let outer = (first.0, first.1, first.2, first.3, outer);
        let inner = (second.0, second.1, second.2, second.3, inner);
        let other = converted(&sequence(&[outer, inner]), PROGRAM).expect("an automaton has a branch for each operand");
        assert_eq!(validation(&sequence(&[outer, inner]), PROGRAM).result, answer);
        assert_eq!(validation(&other, PROGRAM).result, answer, "{other}");
    }
}

#[test]
fn sequences_with_values_of_calls() {
    for (value, answer) in
        [("30", ValidationResult::Confirmed), ("28", ValidationResult::Rejected), ("5", ValidationResult::Rejected)]
    {
        let returned = format!("\\result == {value}");
        alike(&sequence(&[("function_return", "follow", 8, 16, &returned)]), PROGRAM, answer);
    }
}

#[test]
fn a_value_is_returned_after_the_call() {
    // Before the call `b` is 5: that is not what it returns.
    for (value, answer) in [("30", ValidationResult::Confirmed), ("5", ValidationResult::Rejected)] {
        let edge = format!(
            "startline=8, assumption=\\result == {value}, assumption.scope=main, assumption.resultfunction=twice"
        );
        let found = validation(&automaton(&[&edge, "startline=11"]), PROGRAM);
        assert_eq!(found.result, answer, "{value}: {}", found.reason);
    }
}

#[test]
fn automata_that_name_statements() {
    // The second edge is about the statement that the assumption of the first one comes before.
    let run = ["startline=5, assumption=a == 3, assumption.scope=main", "startline=6", "startline=11"];
    alike(&automaton(&run), PROGRAM, ValidationResult::Confirmed);
    let run = ["startline=6, assumption=a = 12, assumption.scope=main", "startline=11"];
    alike(&automaton(&run), PROGRAM, ValidationResult::Rejected);
    // In the middle of the declaration `a` is anything.
    let run = ["startline=5, assumption=a == 12, assumption.scope=main", "startline=11"];
    alike(&automaton(&run), PROGRAM, ValidationResult::Rejected);
    // The violation is wherever the only error is.
    let run = ["startline=5, assumption=a == 15, assumption.scope=main", "startline=6"];
    alike(&automaton(&run), PROGRAM, ValidationResult::Confirmed);
}

#[test]
fn what_a_sequence_cannot_say() {
    for (edges, reason) in [
        // One operand of the condition.
        (
            vec!["startline=7, startoffset=176, endoffset=181, control=condition-true", "startline=11"],
            "part of the condition",
        ),
        (vec!["startline=8, assumption=b == 30, assumption.scope=main", "startline=11"], "begin of a call"),
        (vec!["startline=5, threadId=1", "startline=11"], "threads"),
    ] {
        let found = converted(&automaton(&edges), PROGRAM).expect_err("it is refused");
        assert!(found.contains(reason), "{found}");
    }
}

#[test]
fn the_figures() {
    let file = |name: &str| {
        std::fs::read_to_string(root().join("tests/witnesses/figures").join(name)).expect("the figures are there")
    };
    alike(&file("fig-9d.graphml"), &file("linear-inequality-inv-b.c"), ValidationResult::Confirmed);
    alike(&file("fig-9d.graphml"), &file("linear-inequality-inv-a.c"), ValidationResult::Rejected);
    let small = file("linear-inequality-inv-a.c").replace("if (n == 0)", "if (n == 0 || n > 5)");
    alike(&file("fig-13b.graphml"), &small, ValidationResult::Confirmed);
    let wrong = file("fig-13b.graphml").replace("s &lt;= i * 255", "s &lt;= i * 254");
    alike(&wrong, &small, ValidationResult::Rejected);
}
