//! The check of proofs throws out what is no proof: invariants that are not inductive, that do not suffice, or that were weakened.

use base::Budget;
use cfa::{DataModel, ExprId, ExprKind, Program, Property, PropertySet, UnOp};
use engine::induction::{Goal, prove};
use engine::{Limits, Task};
use evidence::{Invariants, Proof, Verdict};
use std::sync::Arc;
use std::time::Duration;
use validate::proof::{Flaw, check};

const PROGRAMS: [&str; 4] = [
    "int x = 0, y = 0;\n  while (nondet()) { x = !x; y = !y; }\n  if (x != y) reach_error();",
    "int i = 0, s = 0, n = nondet() & 1023;\n  while (i < n) { i++; s += 2; }\n  if (s != 2 * n) reach_error();",
    "int st = 1, flag = 0;\n  while (nondet()) { if (st == 1) { st = 4; flag = 1; } else if (st == 4) st = 7; else if (flag != 1) reach_error(); }",
    "int a[8], i = 0;\n  while (i < 8) { if (nondet()) { a[i] = i; i++; } }\n  if (i > 8) reach_error();",
];

fn compile(body: &str) -> Program {
    let text = format!(
        "extern int nondet(void);\nextern void reach_error(void);\nint main(void) {{\n  {body}\n  return 0;\n}}\n"
    );
    let (_, compiled) = testkit::compile(text.as_bytes(), DataModel::Lp64);
    assert!(!compiled.has_errors(), "{:?}\n{text}", compiled.diagnostics);
    compiled.program
}

fn budget() -> Budget {
    Budget::for_duration(Duration::from_secs(60))
}

fn properties() -> PropertySet {
    PropertySet::of(&[Property::UnreachCall])
}

/// The proof of a program that cuts every loop.
fn proof(program: &Program) -> Invariants {
    let entry = program.function_named("main").expect("main");
    let limits = Limits::default();
    let task = Task { program, entry, properties: properties(), unwind: None, limits: &limits, all: false };
    match prove(&Goal { unwind: 0, ..Goal::PROPERTY }, &task, &budget()) {
        Verdict::Safe(Proof::Invariants(proof)) => proof,
        verdict => panic!("{verdict:?}"),
    }
}

fn checked(proof: &Invariants) -> Result<(), Flaw> {
    let entry = proof.program.function_named("main").expect("main");
    check(proof, entry, properties(), &budget())
}

#[test]
fn proofs_pass_and_fewer_invariants_do_not() {
    let mut needed = 0;
    for body in PROGRAMS {
        let proof = proof(&compile(body));
        assert_eq!(checked(&proof), Ok(()), "{body}");
        // The engine leaves out what is superfluous, so each invariant that is left is needed, unless others follow from the rest.
        for number in 0..proof.conditions.len() {
            let mut less = proof.clone();
            less.conditions.remove(number);
            needed += checked(&less).is_err() as u32;
        }
    }
    assert!(needed >= 3, "only {needed} invariants are needed");
}

#[test]
fn the_opposite_of_an_invariant_is_found_out() {
    for body in PROGRAMS {
        let proof = proof(&compile(body));
        for number in 0..proof.conditions.len() {
            let mut wrong = proof.clone();
            let program = Arc::make_mut(&mut wrong.program);
            let negated = negation(program, wrong.conditions[number].expr);
            wrong.conditions[number].expr = negated;
            assert!(checked(&wrong).is_err(), "{body}: invariant {number}");
        }
    }
}

/// What holds nowhere cannot be assumed: entering the loop shows it.
#[test]
fn a_contradiction_is_no_invariant() {
    for body in PROGRAMS {
        let mut proof = proof(&compile(body));
        let program = Arc::make_mut(&mut proof.program);
        let entry = program.function_named("main").expect("main");
        let head = cfa::loops::loops(program, entry)[0].head;
        let zero = program.exprs.push(cfa::Expr {
            kind: ExprKind::Const(cfa::Bits::ZERO),
            ty: cfa::TypeId::INT,
            span: base::Span::NONE,
        });
        proof.conditions.push(evidence::Invariant { anchor: cfa::Anchor::Head(head), expr: zero });
        assert_eq!(checked(&proof), Err(Flaw::NotInductive(proof.conditions.len() - 1)), "{body}");
    }
}

fn negation(program: &mut Program, expr: ExprId) -> ExprId {
    let kind = ExprKind::Unary(UnOp::Not, expr);
    program.exprs.push(cfa::Expr { kind, ty: cfa::TypeId::INT, span: base::Span::NONE })
}
