//! Every way in which a run leaves the model has its exact condition: it holds on the inputs that lead there, and on no others.

use crate::{compile, inputs, unroll};
use cfa::interp::Outcome;
use cfa::{Fault, Property};
use encode::ObligationKind;

const PRELUDE: &str = "extern unsigned __VERIFIER_nondet_uint(void);\nextern void abort(void);\n";

/// Checks on all eight-bit inputs which of them leave the model, and how.
fn check(body: &str, properties: &[Property], expected: impl Fn(u32) -> Option<ObligationKind>) {
    let text = format!("{PRELUDE}int main(void) {{ unsigned n = __VERIFIER_nondet_uint() & 255; {body} return 0; }}");
    let program = compile(&text);
    let unrolled = unroll(&program, 4, properties);
    for number in 0..256 {
        let values = unrolled.on(&inputs(&[number]));
        let left: Vec<ObligationKind> = values.left_by().into_iter().map(|found| found.kind.clone()).collect();
        let wanted: Vec<ObligationKind> = expected(number).into_iter().collect();
        assert_eq!(left, wanted, "{number}: {body}");
        assert_eq!(left.len() + values.ends_regularly(), 1, "{number}: {body}");
    }
}

fn violation(property: Property, fault: Option<Fault>) -> Option<ObligationKind> {
    Some(ObligationKind::Violation(property, fault))
}

#[test]
fn assertions() {
    let fails = |n: u32| (n > 3 && n % 7 == 2).then(|| violation(Property::Assertion, None)).flatten();
    check("if (n > 3) { //@ assert n % 7 != 2;\n }", &[Property::Assertion], fails);
    // The first one that fails ends the run.
    let body = "//@ assert n != 5;\n if (n == 5) abort(); //@ assert n < 200;\n";
    let fails = |n: u32| (n == 5 || n >= 200).then(|| violation(Property::Assertion, None)).flatten();
    check(body, &[Property::Assertion], fails);
}

#[test]
fn accesses_outside_of_objects() {
    let outside = |n: u32| (n > 9).then_some(Fault::OutOfBounds);
    let body = "int a[10]; a[n] = 3; int *p = a; if (p[n] != 3) abort();";
    check(body, &[Property::ValidDeref], |n| outside(n).and_then(|fault| violation(Property::ValidDeref, Some(fault))));
    // Undefined behaviour that is not asked about is no violation, and no proof either.
    check(body, &[Property::Assertion], |n| outside(n).map(ObligationKind::Undefined));
}

#[test]
fn faults_of_arithmetic() {
    let divides = |n: u32| (n == 17).then(|| violation(Property::DivByZero, Some(Fault::DivisionByZero))).flatten();
    check("unsigned q = 5 / (n - 17);", &[Property::DivByZero], divides);
    let overflows = |n: u32| (n > 100).then(|| violation(Property::NoOverflow, Some(Fault::SignedOverflow))).flatten();
    check("int s = (int)n + 2147483547;", &[Property::NoOverflow], overflows);
    let shifts = |n: u32| (n > 31).then(|| violation(Property::ShiftRange, Some(Fault::ShiftRange))).flatten();
    check("unsigned s = 1u << n;", &[Property::ShiftRange], shifts);
}

#[test]
fn unsupported_constructs() {
    let reached = |n: u32| (n == 4 || n == 6).then(|| ObligationKind::Poison("inline assembly".into()));
    check("if (n == 4 || n == 6) __asm__(\"nop\");", &[Property::Assertion], reached);
}

/// What C leaves open ends no run: each of them ends as the interpreter ends it.
#[test]
fn what_is_left_open_ends_no_run() {
    let text = format!(
        "{PRELUDE}int g; int set(int v) {{ g = v; return v; }}
         int main(void) {{ unsigned n = __VERIFIER_nondet_uint(); int s = set(1) + set(2); if (n == 3) abort(); return s; }}"
    );
    let program = compile(&text);
    let unrolled = unroll(&program, 4, &[Property::Assertion]);
    let open = unrolled.unrolling.obligations.iter().any(|found| matches!(found.kind, ObligationKind::LeftOpen(_)));
    assert!(open, "the order of the calls matters: {:?}", unrolled.unrolling.obligations);
    for number in [0, 3, 5] {
        let values = unrolled.on(&inputs(&[number]));
        assert_eq!((values.left_by().len(), values.ends_regularly()), (0, 1));
        let ended = if number == 3 { Outcome::Aborted } else { Outcome::Finished(3) };
        assert_eq!(unrolled.run(&inputs(&[number])).outcome, ended);
    }
}

#[test]
fn writes_of_const_objects() {
    let whole = |n: u32| (n > 200).then_some(ObligationKind::Undefined(Fault::ConstWrite));
    check("const int x = 3; int y, *p = n > 200 ? (int *)&x : &y; *p = 4;", &[Property::ValidDeref], whole);
    let member = |n: u32| (n & 7 & 1 == 1).then_some(ObligationKind::Undefined(Fault::ConstWrite));
    let body = "struct { int a; const int b; } x[4] = {{0}}; ((int *)x)[n & 7] = 1;";
    check(body, &[Property::ValidDeref], member);
}

#[test]
fn floats_without_an_integer() {
    let large = |n: u32| (n > 127).then_some(ObligationKind::Undefined(Fault::FloatConversion));
    check("double d = n * 16843010.0; int i = d;", &[Property::NoOverflow], large);
}
