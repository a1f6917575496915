//! Where waypoints are, in statements of all kinds.

use validate::ValidationResult;
use witness::Witness;
use witness::model::*;

fn place(line: u32, column: Option<u32>) -> Location {
    Location { file_name: "test.c".into(), line, column, ..Location::default() }
}

pub fn waypoint(kind: WaypointKind, action: Action, line: u32, column: Option<u32>, value: &str) -> Waypoint {
    let constraint =
        (!value.is_empty()).then(|| Constraint { at: Position::default(), value: value.into(), format: None });
    Waypoint { at: Position::default(), kind, action, location: place(line, column), constraint, thread: None }
}

pub fn sequence(segments: Vec<Vec<Waypoint>>) -> Witness {
    let segments = segments.into_iter().map(|waypoints| Segment { at: Position::default(), waypoints }).collect();
    let entry = Entry { at: Position::default(), metadata: Metadata::default(), content: Content::Violation(segments) };
    Witness::Entries(vec![entry])
}

#[track_caller]
fn expect(answer: ValidationResult, program: &str, waypoints: &[(WaypointKind, u32, Option<u32>, &str)]) {
    let (sources, compiled) = testkit::compile(program.as_bytes(), cfa::DataModel::Lp64);
    assert!(!compiled.has_errors(), "{:?}", compiled.diagnostics);
    let follow = |(kind, line, column, value): &(WaypointKind, u32, Option<u32>, &str)| {
        vec![waypoint(*kind, Action::Follow, *line, *column, value)]
    };
    let witness = sequence(waypoints.iter().map(follow).collect());
    let properties = cfa::PropertySet::of(&[cfa::Property::UnreachCall]);
    let found = crate::ask(&witness, &sources, "test.c", &compiled.program, properties);
    assert_eq!(found.result, answer, "{}\n{waypoints:?}", found.reason);
}

const HEAD: &str = "extern int __VERIFIER_nondet_int(void); void reach_error(void) {}\n";

use WaypointKind::{Assumption, Branching, FunctionEnter, FunctionReturn, Target};

#[test]
fn conditions_are_judged_as_a_whole() {
    let program = format!(
        "{HEAD}int main(void) {{
  int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
  if (!(a == 1 && b == 2) || a == 5)
    return 0;
  reach_error();
}}
"
    );
    expect(ValidationResult::Confirmed, &program, &[(Branching, 4, Some(3), "false"), (Target, 6, Some(3), "")]);
    expect(ValidationResult::Rejected, &program, &[(Branching, 4, Some(3), "true"), (Target, 6, Some(3), "")]);
    expect(ValidationResult::Confirmed, &program, &[(Branching, 4, None, "false"), (Target, 6, None, "")]);
}

#[test]
fn loops_count_their_iterations() {
    let program = format!(
        "{HEAD}int main(void) {{
  int n = __VERIFIER_nondet_int(), s = 0;
  if (n < 0 || n > 3) return 0;
  for (int i = 0; i < n; i++)
    s += i;
  if (s == 1)
    reach_error();
  return 0;
}}
"
    );
    let target = (Target, 8, Some(5), "");
    let (again, out) = ((Branching, 5, Some(3), "true"), (Branching, 5, Some(3), "false"));
    expect(ValidationResult::Confirmed, &program, &[again, again, out, target]);
    expect(ValidationResult::Rejected, &program, &[again, again, again, out, target]);
    expect(ValidationResult::Confirmed, &program, &[(Assumption, 5, Some(3), "n == 2 && s == 0"), target]);
    expect(
        ValidationResult::Confirmed,
        &program,
        &[(Assumption, 6, Some(5), "i == 0"), (Assumption, 6, Some(5), "i == 1"), target],
    );
    expect(ValidationResult::Rejected, &program, &[(Assumption, 6, Some(5), "i == 2"), target]);
}

#[test]
fn cases_of_a_switch() {
    let program = format!(
        "{HEAD}int main(void) {{
  int a = __VERIFIER_nondet_int();
  switch (a) {{
  case 1: return 0;
  case 4 ... 6: reach_error(); return 0;
  default: if (a == -7) reach_error(); return 0;
  }}
}}
"
    );
    let target = (Target, 6, None, "");
    expect(ValidationResult::Confirmed, &program, &[(Branching, 4, Some(3), "5"), target]);
    expect(ValidationResult::Rejected, &program, &[(Branching, 4, Some(3), "1"), target]);
    expect(ValidationResult::Rejected, &program, &[(Branching, 4, Some(3), "default"), target]);
    expect(ValidationResult::Confirmed, &program, &[(Branching, 4, Some(3), "default"), (Target, 7, None, "")]);
    expect(ValidationResult::Confirmed, &program, &[(Branching, 4, Some(3), "-7"), (Target, 7, None, "")]);
}

#[test]
fn calls_and_what_they_return() {
    let program = format!(
        "{HEAD}int twice(int v) {{
  return v * 2;
}}
int main(void) {{
  int a = __VERIFIER_nondet_int();
  if (a < 0 || a > 50) return 0;
  int b = twice(a) + twice(a + 1);
  if (b == 42 + 44)
    reach_error();
  return 0;
}}
"
    );
    let line = "  int b = twice(a) + twice(a + 1);";
    let first = line.find("a)").map(|at| at as u32 + 2);
    let second = line.find("1)").map(|at| at as u32 + 2);
    let target = (Target, 10, Some(5), "");
    expect(ValidationResult::Confirmed, &program, &[(FunctionReturn, 8, first, "\\result == 42"), target]);
    expect(ValidationResult::Rejected, &program, &[(FunctionReturn, 8, first, "\\result == 44"), target]);
    expect(ValidationResult::Confirmed, &program, &[(FunctionReturn, 8, second, "\\result >= 43"), target]);
    expect(
        ValidationResult::Confirmed,
        &program,
        &[(FunctionEnter, 8, second, ""), (Assumption, 3, None, "v == 22"), target],
    );
    expect(
        ValidationResult::Rejected,
        &program,
        &[(FunctionEnter, 8, second, ""), (Assumption, 3, None, "v == 21"), target],
    );
    expect(
        ValidationResult::Confirmed,
        &program,
        &[(FunctionEnter, 8, None, ""), (Assumption, 3, None, "v == 21"), target],
    );
    expect(
        ValidationResult::Rejected,
        &program,
        &[(FunctionEnter, 10, None, ""), (FunctionEnter, 8, None, ""), target],
    );
}

#[test]
fn the_two_readings_are_told_apart() {
    let program = format!(
        "{HEAD}int main(void) {{
  int a = __VERIFIER_nondet_int();
  if (a < 0 || a > 3) return 0;
  while (a > 0) {{
    a--;
  }}
  reach_error();
}}
"
    );
    // The first time the place is reached `a` may be 1 or more; a later time it is 1 only after it was more.
    expect(ValidationResult::Confirmed, &program, &[(Assumption, 6, Some(5), "a == 1"), (Target, 8, None, "")]);
    let later = [(Assumption, 6, Some(5), "a == 3"), (Assumption, 6, Some(5), "a == 1"), (Target, 8, None, "")];
    expect(ValidationResult::Undecided, &program, &later);
    expect(ValidationResult::Rejected, &program, &[(Assumption, 6, Some(5), "a == 4"), (Target, 8, None, "")]);
}
