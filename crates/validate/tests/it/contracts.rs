//! Contracts of functions in correctness witnesses: confirmed where all calls keep them, rejected by a run that breaks one, and otherwise left open.

use super::ask_within;
use base::Budget;
use cfa::{DataModel, Property, PropertySet};
use std::time::Duration;
use validate::ValidationResult::{self, Confirmed, Rejected, Undecided};
use witness::Witness;
use witness::model::*;

/// Recursion without a bound; the function counts in a global what it does.
const RECURSIVE: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int calls;
int down(int n, int *p) {
  calls++;
  if (n <= 0) return n;
  *p = *p + 1;
  n--;
  return down(n, p);
}
int main(void) {
  int n = __VERIFIER_nondet_int(), x = 0;
  if (n < 0) return 0;
  if (down(n, &x) > 0) reach_error();
  return 0;
}
";

/// No recursion at all.
const PLAIN: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
unsigned u;
int half(int x) {
  return x / 2;
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 2 || n > 100) return 0;
  if (half(n) <= 0) reach_error();
  return 0;
}
";

fn answer(
    program: &str,
    function: &str,
    requires: &str,
    ensures: &str,
    format: ExpressionFormat,
) -> (ValidationResult, String) {
    let text = |text: &str| (!text.is_empty()).then(|| text.to_string());
    let location =
        Location { file_name: "test.c".into(), line: 4, function: Some(function.into()), ..Location::default() };
    let contract = Contract {
        at: Position::default(),
        location,
        requires: text(requires),
        ensures: text(ensures),
        format: Some(format),
        labels: Vec::new(),
    };
    let content = Content::Invariants(vec![Claim::Contract(contract)]);
    let witness = Witness::Entries(vec![Entry { at: Position::default(), metadata: Metadata::default(), content }]);
    let (sources, compiled) = testkit::compile(program.as_bytes(), DataModel::Lp64);
    assert!(!compiled.has_errors(), "{:?}", compiled.diagnostics);
    let budget = Budget::for_duration(Duration::from_secs(4));
    let properties = PropertySet::of(&[Property::UnreachCall]);
    let found = ask_within(&budget, &witness, &sources, "test.c", &compiled.program, properties);
    (found.result, found.reason)
}

#[track_caller]
fn expect(expected: ValidationResult, program: &str, function: &str, requires: &str, ensures: &str) {
    let (found, reason) = answer(program, function, requires, ensures, ExpressionFormat::Acsl);
    assert_eq!(found, expected, "{requires} / {ensures}: {reason}");
}

#[test]
fn contracts_of_recursive_functions_are_proved() {
    // Parameters are what they were at the call, though the function changes them.
    expect(Confirmed, RECURSIVE, "down", "n >= 0", "\\result <= n && \\result == 0");
    expect(Confirmed, RECURSIVE, "down", "n >= 0 && *p >= 0 || 1", "n < 0 || \\result == 0");
}

#[test]
fn a_run_that_breaks_a_contract_rejects_it() {
    expect(Rejected, RECURSIVE, "down", "", "\\result == n");
    expect(Rejected, RECURSIVE, "down", "n >= 0", "calls == \\old(calls)");
    expect(Rejected, RECURSIVE, "down", "", "*p == \\old(*p) + n - 1");
    expect(Rejected, PLAIN, "half", "x > 1", "\\result > 1");
}

#[test]
fn contracts_of_other_functions_are_checked_at_all_calls() {
    expect(Confirmed, PLAIN, "half", "x >= 2 && x <= 100", "\\result == x / 2 && u == \\old(u)");
    expect(Confirmed, PLAIN, "main", "", "\\result == 0");
    expect(Rejected, PLAIN, "main", "", "\\result == 1");
}

/// Whether a call that does not meet the requirements makes the witness wrong is not defined: the result is `undecided`.
#[test]
fn calls_that_do_not_meet_the_requirements_decide_nothing() {
    expect(Undecided, PLAIN, "half", "x > 2", "\\result > 0");
    expect(Undecided, PLAIN, "half", "x > 1000", "\\result > 500");
}

/// ACSL computes without overflow and chains comparisons; C does not.
#[test]
fn what_c_and_acsl_compute_differently_is_refused() {
    let wider = ["(long long)(u + 1U) >= 0", "(int)((u + 1U) / 2U) >= 0", "u == x + u - x"];
    for ensures in ["u + 1U > u", "2 <= x < 5", "-u <= 0", "x < u || u <= x"].iter().chain(&wider) {
        expect(Undecided, PLAIN, "half", "", ensures);
    }
    // Conversions to a signed type are modulo a power of two in both.
    for ensures in
        ["(int)(u + 1U) != (int)u", "(int)((unsigned)x + u) == (int)(u + x)", "(short)(~u) == (short)(-u - 1)"]
    {
        expect(Confirmed, PLAIN, "half", "", ensures);
    }
    expect(Rejected, PLAIN, "half", "", "(int)(u + 1U) == (int)u");
    let (found, reason) = answer(PLAIN, "half", "", "u - 1U > u || u != 0", ExpressionFormat::C);
    assert_eq!(found, Confirmed, "{reason}");
}

#[test]
fn what_a_contract_cannot_speak_of_is_refused() {
    for (requires, ensures) in
        [("n == 1", ""), ("\\result == 1", ""), ("\\old(x) == x", ""), ("", "\\old(n) == 1"), ("$old0 == 1", "")]
    {
        expect(Undecided, PLAIN, "half", requires, ensures);
    }
    expect(Undecided, PLAIN, "absent", "1", "");
    expect(Undecided, PLAIN, "half", "", "\\old(x == 1");
}
