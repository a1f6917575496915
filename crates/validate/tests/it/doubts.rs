//! Witnesses whose meaning is ambiguous: the result is `undecided`.

use crate::agree::{asked, automaton, edge, expect, follow};
use WaypointKind::{Assumption, Branching, FunctionReturn, Target};
use cfa::Property;
use validate::ValidationResult::{Confirmed, Rejected, Undecided};
use witness::Witness;
use witness::model::*;

const HEAD: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n";

fn in_main(body: &str) -> String {
    format!("{HEAD}int main(void) {{\n  int a = __VERIFIER_nondet_int();\n{body}  return 0;\n}}\n")
}

fn input(value: &str) -> Edge {
    Edge { result_function: Some("__VERIFIER_nondet_int".into()), ..edge(3, &format!("\\result == {value}")) }
}

#[test]
fn jumps_and_labels_are_no_reason_to_reject() {
    for (body, line) in [
        ("  if (a == 7)\n    goto out;\n  return 0;\n  out: reach_error();\n", 5),
        ("  while (1) {\n    if (a == 7)\n      break;\n    return 0;\n  }\n  reach_error();\n", 6),
        (
            "  for (int i = 0; i < 1; i++) {\n    if (a == 7)\n      continue;\n    return 0;\n  }\n  reach_error();\n",
            6,
        ),
        ("  switch (a) {\n    case 1: return 0;\n    default:\n      if (a == 7) reach_error();\n  }\n", 6),
        ("  if (a == 7) {\n    ;\n    reach_error();\n  }\n", 5),
        ("  if (a == 7)\n    goto out;\n  return 0;\n  out:\n  reach_error();\n", 7),
    ] {
        let program = in_main(body);
        let text = program.lines().nth(line as usize - 1).unwrap_or_default();
        let column = text.len() - text.trim_start().len() + 1;
        let error = program.lines().position(|line| line.contains("reach_error();")).unwrap_or_default() as u32 + 1;
        let path = automaton(vec![input("7"), edge(line, ""), edge(error, "")]);
        expect([Undecided, Undecided], &program, &path);
        let result = (FunctionReturn, 3, 33, "\\result == 7");
        let way = follow(&[result, (Assumption, line, column as u32, "a == 7"), (Target, error, 1, "")]);
        for (answer, reason) in asked(&program, &way, &[Property::UnreachCall], WAYS) {
            assert_ne!(answer, Rejected, "{text}: {reason}");
        }
    }
    // A branch is where a keyword stands, and nowhere else.
    let program = in_main("  if (a == 7)\n    reach_error();\n");
    let wrong = follow(&[(Branching, 3, 3, "true"), (Target, 5, 5, "")]);
    expect([Rejected, Undecided], &program, &wrong);
}

const WAYS: [fn(&validate::WitnessTask<'_>) -> validate::Validation; 3] =
    [validate::statics::validate, validate::interpret::validate, validate::execute::validate];

/// Compiled code does not show whether the witness describes a run.
#[track_caller]
fn not_executed(program: &str, witness: &Witness) {
    let [(answer, reason)] = asked(program, witness, &[Property::UnreachCall], [validate::execute::validate]);
    assert_eq!(answer, Undecided, "{reason}");
}

#[test]
fn offsets_are_trusted_together_or_not_at_all() {
    // Two statements of one line: only the offset decides between them.
    let program = in_main("  int b = 0; b = a; if (b == 7) b = 8;\n  if (b == 8)\n    reach_error();\n");
    let at = |text: &str| program.find(text).map(|at| at as u32);
    let with = |edge: Edge, offset: Option<u32>| {
        let guard = Guard { start_offset: offset, end_offset: offset, ..edge.guard };
        Edge { guard, ..edge }
    };
    let second = || with(edge(4, "b == 7"), at("b = a"));
    expect([Confirmed, Confirmed], &program, &automaton(vec![input("7"), second(), edge(6, "")]));
    // Of the line before: they count in another text, and the line alone has several operations, of which any may be described.
    let shifted = |edge: Edge| {
        let offset = edge.guard.start_offset.map(|offset| offset - 20);
        with(edge, offset)
    };
    let elsewhere = with(edge(6, ""), at("if (b == 7)"));
    let wrong = with(edge(4, "b == 7"), at("int b"));
    expect([Rejected, Rejected], &program, &automaton(vec![input("7"), wrong.clone(), edge(6, "")]));
    for last in [elsewhere, shifted(with(edge(6, ""), at("reach_error();\n")))] {
        for (answer, reason) in
            asked(&program, &automaton(vec![input("7"), wrong.clone(), last]), &[Property::UnreachCall], WAYS)
        {
            assert_ne!(answer, Rejected, "{reason}");
        }
    }
}

#[test]
fn variables_that_are_not_born_yet_have_no_value() {
    let program = in_main("  if (a == 7) {\n    a++;\n    int b = 0;\n    if (b == 0)\n      reach_error();\n  }\n");
    // By luck storage may hold what the witness says, and something else.
    for value in ["b == 0", "b == 1", "b != 0"] {
        expect([Undecided, Undecided], &program, &automaton(vec![input("7"), edge(5, value), edge(8, "")]));
        let result = (FunctionReturn, 3, 33, "\\result == 7");
        let sequence = follow(&[result, (Assumption, 5, 5, value), (Target, 8, 7, "")]);
        expect([Undecided, Undecided], &program, &sequence);
        not_executed(&program, &sequence);
    }
    // Once it is born it has.
    expect([Confirmed, Confirmed], &program, &automaton(vec![input("7"), edge(6, "b == 0"), edge(8, "")]));
    expect([Rejected, Rejected], &program, &automaton(vec![input("7"), edge(6, "b == 1"), edge(8, "")]));
}

#[test]
fn a_place_that_is_passed_several_times_gives_one_answer() {
    let program = in_main("  int b = 3;\n  while (b > 0) {\n    b--;\n  }\n  if (a == 7)\n    reach_error();\n");
    let result = (FunctionReturn, 3, 33, "\\result == 7");
    let target = (Target, 9, 5, "");
    expect([Confirmed, Confirmed], &program, &follow(&[result, (Assumption, 6, 5, "b == 3"), target]));
    // Two times the run comes to the place and does not pass it.
    let later = follow(&[result, (Assumption, 6, 5, "b == 1"), target]);
    expect([Undecided, Undecided], &program, &later);
    not_executed(&program, &later);
    let never =
        asked(&program, &follow(&[result, (Assumption, 6, 5, "b == 4"), target]), &[Property::UnreachCall], WAYS);
    assert_eq!(never[0].0, Rejected, "{never:?}");
    assert_ne!(never[1].0, Confirmed, "{never:?}");
}

fn invariants(kind: InvariantKind, line: u32, value: &str) -> Witness {
    let location = Location { file_name: "test.c".into(), line, ..Location::default() };
    let invariant = Invariant {
        at: Position::default(),
        kind,
        location: Some(location),
        value: value.into(),
        format: None,
        labels: Vec::new(),
    };
    let content = Content::Invariants(vec![Claim::Invariant(invariant)]);
    Witness::Entries(vec![Entry { at: Position::default(), metadata: Metadata::default(), content }])
}

#[test]
fn invariants_are_judged_as_c() {
    let program = in_main("  int b = a;\n  a = 0;\n");
    let of = |value: &str| {
        let witness = invariants(InvariantKind::Location, 5, value);
        let [found] = asked(&program, &witness, &[Property::UnreachCall], [validate::statics::validate]);
        found
    };
    assert_eq!(of("a == b").0, Confirmed);
    assert_eq!(of("a < b + 1LL").0, Confirmed);
    // Where `b` is the greatest number the sum is undefined, and the comparison neither true nor false.
    for undefined in ["a < b + 1", "-b == -a", "b * 2 == a + a", "(b << 1) == a * 2", "b / -1 == -a", "1 << b || 1"] {
        let (answer, reason) = of(undefined);
        assert_eq!(answer, Undecided, "{undefined}: {reason}");
        assert!(reason.contains(undefined) && reason.contains("undefined"), "{undefined}: {reason}");
    }
    assert_eq!(of("b == -2147483647 - 1 || -b == -a").0, Confirmed);
    // False where it is defined: the run says so, with the inputs as they are declared.
    let (answer, reason) = of("b + 1 > -5 && a > -2147483648LL || b == -2147483647 - 1");
    assert_eq!(answer, Rejected, "{reason}");
    assert!(reason.contains("(inputs -"), "{reason}");
}

#[test]
fn parameters_have_their_values_where_a_call_enters() {
    let program = format!(
        "{HEAD}void check(int ok, int b) {{\n  if (!ok)\n    reach_error();\n}}\nint main(void) {{\n  int a = __VERIFIER_nondet_int(), b = 5;\n  check(a != 7, 3);\n  return 0;\n}}\n"
    );
    let given = || Edge { result_function: Some("__VERIFIER_nondet_int".into()), ..edge(7, "\\result == 7") };
    let enters = |assumption: &str, scope: Option<&str>| {
        let call = edge(8, assumption);
        let guard = Guard { enter_function: Some("check".into()), ..call.guard };
        Edge { guard, assumption_scope: scope.map(String::from), ..call }
    };
    let way = |call: Edge| automaton(vec![given(), call, edge(4, "")]);
    expect([Confirmed, Confirmed], &program, &way(enters("ok == 0", Some("check"))));
    expect([Confirmed, Confirmed], &program, &way(enters("ok = 0; b = 3;", Some("check"))));
    expect([Confirmed, Confirmed], &program, &way(enters("ok == 0", None)));
    expect([Rejected, Rejected], &program, &way(enters("ok == 1", Some("check"))));
    // A variable of the caller, or a parameter.
    expect([Undecided, Undecided], &program, &way(enters("b == 3", None)));
}

#[test]
fn words_of_the_preprocessor_and_later_declarations_are_known() {
    let program = "extern float __VERIFIER_nondet_float(void); extern void reach_error(void);\nint main(void) {\n  float a = __VERIFIER_nondet_float();\n  int *p = 0;\n  if (a != a && !p)\n    reach_error();\n  return 0;\n}\nint later = 4;\nint (*last)(void) = main;\n";
    let of = |values: [&str; 3]| {
        let [input, pointer, global] = values;
        automaton(vec![edge(3, input), edge(4, pointer), edge(5, global), edge(6, "")])
    };
    let edges = |value: &str| of(["a = NAN;", "p = NULL;", value]);
    expect([Confirmed, Confirmed], program, &edges("later == 4"));
    for (answer, reason) in asked(program, &edges("later == 5"), &[Property::UnreachCall], WAYS) {
        assert_eq!(answer, Rejected, "{reason}");
    }
    let claim = invariants(InvariantKind::Location, 5, "later == 4 && p == NULL");
    let [found] = asked(
        &program.replace("reach_error()", "(void)0"),
        &claim,
        &[Property::UnreachCall],
        [validate::statics::validate],
    );
    assert_eq!(found.0, Confirmed, "{found:?}");
}

#[test]
fn what_producers_mean_by_their_edges() {
    let program = format!(
        "{HEAD}struct bits {{ int b : 2; }} s;\nvoid check(int ok) {{ if (!ok) {{ reach_error(); }} }}\nint main(void) {{\n  int a = __VERIFIER_nondet_int();\n  s.b = 3;\n  int (*f)(void) = __VERIFIER_nondet_int;\n  check(a != 7);\n  return 0;\n}}\n"
    );
    let given = || Edge { result_function: Some("__VERIFIER_nondet_int".into()), ..edge(5, "\\result == 7") };
    let scoped = |edge: Edge| Edge { assumption_scope: Some("main".into()), ..edge };
    // The scope of a parameter may be the caller, without a word about the call; what is assigned to a bit-field is cut off.
    let way = |field: &str, ok: &str| automaton(vec![given(), edge(6, field), scoped(edge(8, ok)), edge(3, "")]);
    expect([Confirmed, Confirmed], &program, &way("s.b = 3", "ok = 0"));
    expect([Rejected, Rejected], &program, &way("s.b == 3", "ok = 0"));
    expect([Rejected, Rejected], &program, &way("s.b = 1", "ok = 0"));
    expect([Rejected, Undecided], &program, &way("s.b = 3", "ok = 1"));
    // Nothing returns where a function is only named; and one operation is not two, though some say it twice.
    let named = automaton(vec![given(), edge(7, "\\result = __VERIFIER_nondet_int"), edge(8, ""), edge(3, "")]);
    expect([Undecided, Undecided], &program, &named);
    let branch = |assumption: &str| {
        let found = edge(3, assumption);
        Edge { guard: Guard { control: Some(true), ..found.guard }, ..found }
    };
    expect([Undecided, Undecided], &program, &automaton(vec![given(), edge(3, "ok == 0"), branch("")]));
}

#[test]
fn a_call_of_oneself_has_variables_of_its_own() {
    let program = format!(
        "{HEAD}int down(int n) {{\n  if (n == 0)\n    reach_error();\n  return down(n - 1);\n}}\nint main(void) {{ return down(2); }}\n"
    );
    let call = |value: &str| {
        let found = edge(5, value);
        Edge { guard: Guard { enter_function: Some("down".into()), ..found.guard }, ..found }
    };
    // `n` is the variable of the caller, or that of the function which is entered.
    for value in ["n == 2", "n == 1"] {
        expect([Undecided, Undecided], &program, &automaton(vec![call(value), edge(4, "")]));
    }
}
