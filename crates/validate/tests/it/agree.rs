//! The validators read a witness alike: what the symbolic one rejects the interpreter does not confirm, and what gives all inputs both confirm.

use crate::waypoints::{sequence, waypoint};
use base::Budget;
use cfa::{DataModel, Property, PropertySet, Task};
use std::time::Duration;
use validate::{ValidationResult, WitnessTask};
use witness::model::{Action, Automaton, Edge, Guard, Node, Waypoint, WaypointKind};
use witness::{Witness, model};

/// What the symbolic validator and the interpreter say.
fn answers(program: &str, witness: &Witness, properties: &[Property]) -> [(ValidationResult, String); 2] {
    asked(program, witness, properties, [validate::statics::validate, validate::interpret::validate])
}

pub type Way = fn(&WitnessTask<'_>) -> validate::Validation;

pub fn asked<const N: usize>(
    program: &str,
    witness: &Witness,
    properties: &[Property],
    ways: [Way; N],
) -> [(ValidationResult, String); N] {
    let (sources, compiled) = testkit::compile(program.as_bytes(), DataModel::Lp64);
    assert!(!compiled.has_errors(), "{:?}", compiled.diagnostics);
    let entry = compiled.program.function_named("main").expect("the program has a main");
    let budget = Budget::for_duration(Duration::from_secs(5));
    let properties = PropertySet::of(properties);
    let witness_task = WitnessTask {
        witness,
        sources: &sources,
        file: "test.c",
        task: Task { program: &compiled.program, entry, properties },
        budget: &budget,
    };
    ways.map(|validate| {
        let found = validate(&witness_task);
        (found.result, found.reason)
    })
}

#[track_caller]
pub fn expect(expected: [ValidationResult; 2], program: &str, witness: &Witness) {
    let found = answers(program, witness, &[Property::UnreachCall]);
    assert_eq!([found[0].0, found[1].0], expected, "{found:?}");
}

pub fn follow(waypoints: &[(WaypointKind, u32, u32, &str)]) -> Witness {
    let one = |(kind, line, column, value): &(WaypointKind, u32, u32, &str)| -> Vec<Waypoint> {
        vec![waypoint(*kind, Action::Follow, *line, Some(*column), value)]
    };
    sequence(waypoints.iter().map(one).collect())
}

use ValidationResult::{Confirmed, Rejected, Undecided};
use WaypointKind::{Assumption, Branching, FunctionEnter, FunctionReturn, Target};

const HEAD: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n";

/// The only input, and its column.
const INPUT: &str = "  int a = __VERIFIER_nondet_int();\n";
const INPUT_END: u32 = 33;

#[test]
fn a_number_in_a_range_of_cases_is_a_value_of_the_switch() {
    let program = format!(
        "{HEAD}int main(void) {{\n{INPUT}  switch (a) {{\n  case 1: return 0;\n  case 4 ... 6: reach_error();\n  }}\n  return 0;\n}}\n"
    );
    let input = (FunctionReturn, 3, INPUT_END, "\\result == 5");
    let target = (Target, 6, 17, "");
    expect([Confirmed, Confirmed], &program, &follow(&[input, (Branching, 4, 3, "5"), target]));
    // The value is 5, and no other number of the same case.
    expect([Rejected, Undecided], &program, &follow(&[input, (Branching, 4, 3, "4"), target]));
}

#[test]
fn a_function_without_a_body_is_entered_before_its_call_is_the_violation() {
    let program = format!("{HEAD}int main(void) {{\n{INPUT}  if (a == 7)\n    reach_error();\n  return 0;\n}}\n");
    let input = (FunctionReturn, 3, INPUT_END, "\\result == 7");
    expect([Confirmed, Confirmed], &program, &follow(&[input, (FunctionEnter, 5, 17, ""), (Target, 5, 5, "")]));
}

#[test]
fn choices_that_a_witness_leaves_open_are_found() {
    let program = format!(
        "{HEAD}int main(void) {{\n  int n = 0;\n  for (int i = 0; i < 6; i++)\n    if (__VERIFIER_nondet_int())\n      n = n * 2 + i;\n  if (n == 14)\n    reach_error();\n  return 0;\n}}\n"
    );
    // 1, then 2 + 3, then 10 + 4: nothing says what the inputs are, only which way the run goes.
    let at = |value| (Branching, 5, 5, value);
    let way = [at("false"), at("true"), at("false"), at("true"), at("true"), at("false")];
    let target = (Target, 8, 5, "");
    expect([Confirmed, Confirmed], &program, &follow(&[&way[..], &[target]].concat()));
    // Another number is not reached by these choices.
    expect([Rejected, Undecided], &program.replace("n == 14", "n == 15"), &follow(&[&way[..], &[target]].concat()));
}

#[test]
fn a_segment_ends_where_it_is_passed() {
    let program = format!("{HEAD}int main(void) {{\n{INPUT}  if (a == 7)\n    reach_error();\n  return 0;\n}}\n");
    let input = (FunctionReturn, 3, INPUT_END, "\\result == 7");
    let assumed = (Assumption, 4, 3, "a == 7");
    let target = (Target, 5, 5, "");
    expect([Confirmed, Confirmed], &program, &follow(&[input, assumed, target]));
    // The run comes to the place only once.
    expect([Rejected, Undecided], &program, &follow(&[input, assumed, assumed, target]));
}

#[test]
fn a_returned_value_that_is_not_kept_is_not_taken_for_granted() {
    let program = format!(
        "{HEAD}int five(void) {{ return 5; }}\nint main(void) {{\n  five();\n  reach_error();\n  return 0;\n}}\n"
    );
    let target = (Target, 5, 3, "");
    let right = follow(&[(FunctionReturn, 4, 8, "\\result == 5"), target]);
    let wrong = follow(&[(FunctionReturn, 4, 8, "\\result == 6"), target]);
    expect([Undecided, Undecided], &program, &right);
    expect([Undecided, Undecided], &program, &wrong);
}

#[test]
fn a_target_is_a_place_unless_the_violation_has_none() {
    let text =
        "void *malloc(unsigned long);\nint main(void) {\n  int *p = malloc(4);\n  int *q = 0;\n  return *q;\n}\n";
    let at = |line, column| follow(&[(Target, line, column, "")]);
    let memory = [Property::ValidDeref, Property::ValidFree, Property::ValidMemtrack];
    let results = |witness: &Witness| answers(text, witness, &memory).map(|(answer, _)| answer);
    assert_eq!(results(&at(5, 3)), [Confirmed, Confirmed]);
    // The null pointer is read elsewhere, and the memory is still known then.
    let [symbolic, interpreted] = results(&at(4, 3));
    assert!(symbolic != Confirmed && interpreted != Confirmed, "{symbolic:?} {interpreted:?}");
    let leak = "void *malloc(unsigned long);\nint main(void) {\n  int *p = malloc(4);\n  p = 0;\n  return 0;\n}\n";
    for line in [3, 4, 5] {
        let found = answers(leak, &at(line, 3), &[Property::ValidMemtrack]);
        assert!(found.iter().all(|(answer, _)| *answer == Confirmed), "{line} {found:?}");
    }
}

pub fn automaton(edges: Vec<Edge>) -> Witness {
    let node = |index: usize, last: usize| Node {
        id: format!("n{index}"),
        entry: index == 0,
        violation: index == last,
        ..Node::default()
    };
    let nodes = (0..=edges.len()).map(|index| node(index, edges.len())).collect();
    let edges = edges.into_iter().enumerate().map(|(index, edge)| Edge {
        source: format!("n{index}"),
        target: format!("n{}", index + 1),
        ..edge
    });
    Witness::Automaton(Automaton {
        nodes,
        edges: edges.collect(),
        kind: Some(model::Kind::Violation),
        ..Automaton::default()
    })
}

pub fn edge(line: u32, assumption: &str) -> Edge {
    let guard = Guard { start_line: Some(line), ..Guard::default() };
    Edge { guard, assumption: (!assumption.is_empty()).then(|| assumption.into()), ..Edge::default() }
}

#[test]
fn the_result_is_that_of_the_call_among_the_operations_of_a_line() {
    let program = format!(
        "{HEAD}int twice[2];\nint main(void) {{\n  twice[1] = 2 * __VERIFIER_nondet_int();\n  if (twice[1] == 14)\n    reach_error();\n  return 0;\n}}\n"
    );
    // The assignment of the same line returns nothing; and the scope is about variables, not about the result.
    let of = |scope: Option<&str>, function: Option<&str>, value: &str| {
        let input = Edge {
            assumption_scope: scope.map(String::from),
            result_function: function.map(String::from),
            ..edge(4, &format!("\\result == {value}"))
        };
        automaton(vec![input, edge(6, "")])
    };
    let name = Some("__VERIFIER_nondet_int");
    expect([Confirmed, Confirmed], &program, &of(None, name, "7"));
    expect([Confirmed, Confirmed], &program, &of(None, None, "7"));
    expect([Confirmed, Confirmed], &program, &of(Some("reach_error"), name, "7"));
    expect([Rejected, Rejected], &program, &of(None, name, "8"));
}

#[test]
fn declarations_outside_of_functions_are_passed_before_or_after_the_start() {
    let program = format!("{HEAD}int g = 3;\nint main(void) {{\n  if (g == 3)\n    reach_error();\n  return 0;\n}}\n");
    let begin = || Edge { guard: Guard { enter_function: Some("main".into()), ..Guard::default() }, ..Edge::default() };
    expect([Confirmed, Confirmed], &program, &automaton(vec![edge(2, "g == 3"), begin(), edge(5, "")]));
    expect([Confirmed, Confirmed], &program, &automaton(vec![begin(), edge(2, "g == 3"), edge(5, "")]));
    expect([Rejected, Undecided], &program, &automaton(vec![begin(), edge(2, "g == 4"), edge(5, "")]));
}

#[test]
fn parameters_of_main_are_known_at_its_start() {
    let program =
        "extern void reach_error(void);\nint main(int argc, char **argv) {\n  if (argc == 3) reach_error();\n}\n";
    let start = |assumption: &str| {
        let mut start = edge(2, assumption);
        start.guard.enter_function = Some("main".into());
        start
    };
    expect([Confirmed, Confirmed], program, &automaton(vec![start("argc == 3"), edge(3, "")]));
    expect([Rejected, Rejected], program, &automaton(vec![start("argc == 2"), edge(3, "")]));
    // Other variables have no value yet, even if the witness states one.
    let program = "extern void reach_error(void);\nint main(void) {\n  int a = 1;\n  if (a) reach_error();\n}\n";
    let found = answers(program, &automaton(vec![start("a == 1"), edge(4, "")]), &[Property::UnreachCall]);
    assert!(found.iter().all(|(answer, _)| *answer == Undecided), "{found:?}");
}

#[test]
fn what_a_function_fails_to_return_is_open() {
    let program =
        format!("{HEAD}int none(void) {{ }}\nint main(void) {{\n  if (none() == 5)\n    reach_error();\n}}\n");
    expect([Confirmed, Undecided], &program, &follow(&[(Branching, 4, 3, "true"), (Target, 5, 5, "")]));
}

#[test]
fn old_producers_write_assignments() {
    let program =
        format!("{HEAD}int main(void) {{\n{INPUT}  int b = 1;\n  if (a == 7)\n    reach_error();\n  return 0;\n}}\n");
    let both = automaton(vec![edge(3, "a = 7;"), edge(4, "a = 7 && b = 1;"), edge(6, "")]);
    expect([Confirmed, Confirmed], &program, &both);
}

/// With one more variable that is 1, and an error where the input is 7.
fn simple() -> String {
    format!("{HEAD}int main(void) {{\n{INPUT}  int y = 1;\n  if (a == 7)\n    reach_error();\n  return 0;\n}}\n")
}

#[test]
fn what_the_last_step_assumes_counts() {
    let input = || Edge { assumption_scope: Some("main".into()), ..edge(3, "a == 7") };
    expect([Confirmed, Confirmed], &simple(), &automaton(vec![input(), edge(6, "")]));
    expect([Confirmed, Confirmed], &simple(), &automaton(vec![input(), edge(6, "y == 1")]));
    let found = answers(&simple(), &automaton(vec![input(), edge(6, "y == 99")]), &[Property::UnreachCall]);
    assert_eq!(found[0].0, Rejected, "{found:?}");
    assert_ne!(found[1].0, Confirmed, "{found:?}");
}

#[test]
fn what_is_to_be_avoided_and_cannot_be_read_is_not_absent() {
    let segments = |avoided: &str| {
        let target = waypoint(Target, Action::Follow, 6, Some(5), "");
        sequence(vec![vec![waypoint(Assumption, Action::Avoid, 5, Some(3), avoided), target]])
    };
    expect([Confirmed, Undecided], &simple(), &segments("y == 2"));
    expect([Rejected, Undecided], &simple(), &segments("y == 1"));
    expect([Undecided, Undecided], &simple(), &segments("f(y) == 1"));
}

#[test]
fn to_say_it_twice_does_not_make_it_the_only_value() {
    let program = format!(
        "{HEAD}int main(void) {{\n  for (int i = 0; i < 2; i++) {{\n  {INPUT}    if (i == 0 && a == 5)\n      return 0;\n    if (a == 5)\n      reach_error();\n  }}\n  return 0;\n}}\n"
    );
    for value in ["a == 5", "a == 5 && a == 5"] {
        let witness = follow(&[(Assumption, 5, 5, value), (Target, 8, 7, "")]);
        expect([Undecided, Undecided], &program, &witness);
    }
}

#[test]
fn expressions_may_be_as_deep_as_they_like() {
    for value in
        [format!("a == {}7", "-".repeat(50_000)), format!("{}a == 7{}", "(".repeat(60_000), ")".repeat(60_000))]
    {
        let witness = follow(&[(Assumption, 5, 3, &value), (Target, 6, 5, "")]);
        let found = answers(&simple(), &witness, &[Property::UnreachCall]);
        assert!(found.iter().all(|(answer, _)| *answer != Rejected), "{found:?}");
    }
}

#[test]
fn a_number_that_the_type_does_not_have_is_no_case() {
    let program =
        format!("{HEAD}int main(void) {{\n{INPUT}  switch (a) {{\n  case 5: reach_error();\n  }}\n  return 0;\n}}\n");
    let target = (Target, 5, 11, "");
    expect([Confirmed, Undecided], &program, &follow(&[(Branching, 4, 3, "5"), target]));
    expect([Rejected, Undecided], &program, &follow(&[(Branching, 4, 3, "4294967301"), target]));
}

#[test]
fn compiled_code_shows_what_the_program_does() {
    let executed = |program: &str, witness: &Witness, property: Property| {
        let [found] = asked(program, witness, &[property], [validate::execute::validate]);
        found
    };
    // The variable is given its value by the program, whatever is assumed of it.
    let witness = follow(&[(Assumption, 5, 3, "a == 7"), (Target, 6, 5, "")]);
    assert_eq!(executed(&simple(), &witness, Property::UnreachCall).0, Confirmed);
    // Another place than the one that fails.
    let found =
        executed(&simple(), &follow(&[(Assumption, 5, 3, "a == 7"), (Target, 7, 3, "")]), Property::UnreachCall);
    assert_ne!(found.0, Confirmed, "{found:?}");
    // There is more memory than a run without a library has.
    let program = format!(
        "{HEAD}void *malloc(unsigned long);\nint main(void) {{\n  char *p = malloc(300000000);\n  if (!p)\n    reach_error();\n  return 0;\n}}\n"
    );
    let found = executed(&program, &follow(&[(Target, 6, 5, "")]), Property::UnreachCall);
    assert_ne!(found.0, Confirmed, "{found:?}");
    // A division by zero is no overflow.
    let program = format!("{HEAD}int main(void) {{\n{INPUT}  unsigned y = 10u / a;\n  return y;\n}}\n");
    let found = executed(&program, &follow(&[(Target, 4, 3, "")]), Property::NoOverflow);
    assert_ne!(found.0, Confirmed, "{found:?}");
}
