//! Edits of a valid witness whose effect is known.

use crate::validation;
use testkit::project::root;
use validate::ValidationResult;

const PROGRAM: &str = "\
extern int __VERIFIER_nondet_int(void);
void reach_error(void) {}
int main(void) {
  int a = __VERIFIER_nondet_int();
  int b = 0;
  if (a > 10 && a < 20) {
    b = a * 2;
  } else {
    b = -1;
  }
  int c = __VERIFIER_nondet_int();
  if (b == 30 && c == 7) {
    reach_error();
  }
  return 0;
}
";

fn witness(first: &str, then: &str, last: &str) -> String {
    format!(
        "- entry_type: violation_sequence
  metadata:
    format_version: \"2.0\"
    uuid: \"123e4567-e89b-42d3-a456-426614174000\"
    creation_time: \"2026-01-01T00:00:00+00:00\"
    producer: {{name: \"x\", version: \"1\"}}
    task:
      input_files: [\"test.c\"]
      input_file_hashes: {{\"test.c\": \"00\"}}
      specification: \"G ! call(reach_error())\"
      data_model: ILP32
      language: C
  content:
{first}{then}{last}"
    )
}

fn waypoint(kind: &str, action: &str, line: u32, column: u32, constraint: &str) -> String {
    let constraint = match constraint {
        "" => String::new(),
        value if kind == "function_return" => {
            format!("        constraint: {{value: \"{}\", format: acsl_expression}}\n", value.replace('\\', "\\\\"))
        }
        value if kind == "assumption" => format!("        constraint: {{value: \"{value}\", format: c_expression}}\n"),
        value => format!("        constraint: {{value: \"{value}\"}}\n"),
    };
    format!(
        "    - waypoint:\n        type: {kind}\n        action: {action}\n{constraint}        location: {{file_name: \"test.c\", line: {line}, column: {column}, function: main}}\n"
    )
}

fn segment(waypoints: &[String]) -> String {
    format!("  - segment:\n{}", waypoints.concat())
}

fn follow(kind: &str, line: u32, column: u32, constraint: &str) -> String {
    segment(&[waypoint(kind, "follow", line, column, constraint)])
}

/// The column of the first thing of a text in a line.
fn column(line: usize, text: &str) -> u32 {
    let found = PROGRAM.lines().nth(line - 1).and_then(|content| content.find(text));
    found.expect("the text is there") as u32 + 1
}

#[track_caller]
fn expect(answer: ValidationResult, first: &str, then: &str, last: &str) {
    let found = validation(&witness(first, then, last), PROGRAM);
    assert_eq!(found.result, answer, "{}\n{first}{then}{last}", found.reason);
}

#[test]
fn widened_and_contradicted_constraints() {
    let target = follow("target", 13, 5, "");
    let call = column(4, ");");
    let branch = follow("branching", 6, 3, "true");
    for (constraint, answer) in [
        ("\\result == 15", ValidationResult::Confirmed),
        ("\\result >= 15", ValidationResult::Confirmed),
        ("\\result > 0", ValidationResult::Confirmed),
        ("\\result != 3", ValidationResult::Confirmed),
        ("\\result == 16", ValidationResult::Rejected),
        ("\\result < 15", ValidationResult::Rejected),
    ] {
        expect(answer, &follow("function_return", 4, call, constraint), &branch, &target);
    }
    for (constraint, answer) in [
        ("a == 15", ValidationResult::Confirmed),
        ("a > 3 && a < 100", ValidationResult::Confirmed),
        ("1", ValidationResult::Confirmed),
        ("a == 15 && b != 0", ValidationResult::Rejected),
        ("a < 0", ValidationResult::Rejected),
    ] {
        expect(answer, &follow("assumption", 6, 3, constraint), &branch, &target);
        expect(answer, &follow("assumption", 6, 3, constraint), "", &target);
    }
    expect(ValidationResult::Rejected, &follow("branching", 6, 3, "false"), "", &target);
    expect(ValidationResult::Rejected, &follow("assumption", 7, 5, "a == 16"), "", &target);
    expect(ValidationResult::Confirmed, &follow("assumption", 11, 3, "b == 30"), "", &target);
}

#[test]
fn segments_that_are_dropped_or_avoided() {
    let target = follow("target", 13, 5, "");
    expect(ValidationResult::Confirmed, "", "", &target);
    let avoided = |constraint: &str| {
        segment(&[waypoint("assumption", "avoid", 11, 3, constraint), waypoint("branching", "follow", 12, 3, "true")])
    };
    expect(ValidationResult::Confirmed, "", &avoided("b == 28"), &target);
    expect(ValidationResult::Rejected, "", &avoided("b == 30"), &target);
    let both = segment(&[waypoint("branching", "avoid", 6, 3, "true"), waypoint("branching", "follow", 6, 3, "true")]);
    expect(ValidationResult::Rejected, "", &both, &target);
    let entered = column(13, ");");
    expect(ValidationResult::Confirmed, "", &follow("function_enter", 4, column(4, ");"), ""), &target);
    expect(
        ValidationResult::Rejected,
        &follow("branching", 12, 3, "true"),
        &follow("branching", 6, 3, "true"),
        &target,
    );
    let avoid = segment(&[
        waypoint("function_enter", "avoid", 11, column(11, ");"), ""),
        waypoint("target", "follow", 13, 5, ""),
    ]);
    expect(ValidationResult::Rejected, "", "", &avoid);
    expect(
        ValidationResult::Rejected,
        &follow("function_enter", 13, entered, ""),
        &follow("assumption", 6, 3, "1"),
        &target,
    );
}

#[test]
fn places_off_by_one_line() {
    let target = |line, column| follow("target", line, column, "");
    expect(ValidationResult::Rejected, "", "", &target(12, 3));
    expect(ValidationResult::Rejected, "", "", &target(15, 3));
    let branch = |line| follow("branching", line, 3, "true");
    expect(ValidationResult::Confirmed, &branch(6), "", &target(13, 5));
    expect(ValidationResult::Rejected, &branch(5), "", &target(13, 5));
    expect(ValidationResult::Rejected, &follow("function_return", 5, 33, "\\result == 15"), "", &target(13, 5));
}

#[test]
fn what_does_not_matter() {
    let text = witness(&follow("branching", 6, 3, "true"), "", &follow("target", 13, 5, ""));
    let permuted = text.replace(
        "        type: branching\n        action: follow\n        constraint: {value: \"true\"}\n",
        "        constraint: {value: \"true\"}\n        action: follow\n        type: branching\n",
    );
    assert_ne!(text, permuted);
    assert_eq!(validation(&permuted, PROGRAM), validation(&text, PROGRAM));
    let figures = root().join("tests/witnesses/figures");
    let automaton = std::fs::read_to_string(figures.join("fig-9c.graphml")).expect("the figures are there");
    let program = std::fs::read_to_string(figures.join("linear-inequality-inv-b.c")).expect("the figures are there");
    let renamed = automaton.replace("\"q", "\"state-");
    let (first, second) = (validation(&automaton, &program), validation(&renamed, &program));
    assert_eq!(first, second);
    for (old, new, answer) in [
        ("n &gt;= 1 &amp;&amp; n &lt;= 255</data>", "n &gt;= 1</data>", ValidationResult::Confirmed),
        ("n &gt;= 1 &amp;&amp; n &lt;= 255</data>", "n == 2</data>", ValidationResult::Confirmed),
        ("i &lt;= 254", "i &lt; 0", ValidationResult::Rejected),
        (">16<", ">15<", ValidationResult::Rejected),
    ] {
        let edited = automaton.replacen(old, new, 1);
        assert_ne!(edited, automaton);
        let found = validation(&edited, &program);
        // Some edits leave more runs than can be looked at.
        let fits = found.result == answer
            || answer == ValidationResult::Rejected && found.result == ValidationResult::Undecided;
        assert!(fits, "{old} → {new}: {}", found.reason);
    }
}
