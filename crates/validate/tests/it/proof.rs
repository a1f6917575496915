//! The check of proofs throws out what is no proof: invariants that are not inductive, that do not suffice, or that were weakened.

use base::Budget;
use cfa::{Anchor, DataModel, ExprId, ExprKind, Program, Property, PropertySet, Task, UnOp};
use engine::induction::{Goal, prove};
use evidence::{Invariant, Invariants, Proof, Verdict};
use frontend::{Condition, Site, condition};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use testkit::process::output_within;
use testkit::project::smt_solver;
use validate::proof::{Flaw, check, question};

const PROGRAMS: [&str; 4] = [
    "int x = 0, y = 0;\n  while (nondet()) { x = !x; y = !y; }\n  if (x != y) reach_error();",
    "int i = 0, s = 0, n = nondet() & 1023;\n  while (i < n) { i++; s += 2; }\n  if (s != 2 * n) reach_error();",
    "int st = 1, flag = 0;\n  while (nondet()) { if (st == 1) { st = 4; flag = 1; } else if (st == 4) st = 7; else if (flag != 1) reach_error(); }",
    "int a[8], i = 0;\n  while (i < 8) { if (nondet()) { a[i] = i; i++; } }\n  if (i > 8) reach_error();",
];

/// Programs whose recursion has no bound, with the function whose contract is needed.
const RECURSIVE: [&str; 3] = [
    "int f(int m, int n) { if (n == 0) return m; if (n > 0) return f(m + 1, n - 1); return f(m - 1, n + 1); }
int main(void) { int m = nondet() & 255, n = nondet() & 255; if (f(m, n) != m + n) reach_error(); return 0; }",
    "int f(int x) { if (x > 100) return x - 10; return f(f(x + 11)); }
int main(void) { int x = nondet(); if (x <= 100 && f(x) != 91) reach_error(); return 0; }",
    "int g;
void f(int *p, int n) { if (n <= 0) return; g++; *p = *p + 1; n--; f(p, n); }
int main(void) { int x = 0; f(&x, nondet()); if (x != g) reach_error(); return 0; }",
];

fn compile(body: &str) -> Program {
    compile_text(&format!("int main(void) {{\n  {body}\n  return 0;\n}}\n"))
}

fn compile_text(text: &str) -> Program {
    let text = format!("extern int nondet(void);\nextern void reach_error(void);\n{text}");
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
    let task = Task { program, entry, properties: properties() };
    match prove(&Goal { unwind: 0, ..Goal::PROPERTY }, task, &budget()) {
        Verdict::Safe(Proof::Invariants(proof)) => proof,
        verdict => panic!("{verdict:?}"),
    }
}

fn checked(proof: &Invariants) -> Result<(), Flaw> {
    let entry = proof.program.function_named("main").expect("main");
    check(proof, Task { program: &proof.program, entry, properties: properties() }, &budget())
}

fn programs() -> Vec<Program> {
    PROGRAMS.iter().map(|body| compile(body)).chain(RECURSIVE.iter().map(|text| compile_text(text))).collect()
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

/// The question that decides is the same for another solver, for proofs and for what is left of them without one invariant.
#[test]
fn another_solver_agrees_about_proofs() {
    let solver = smt_solver();
    assert!(solver.exists(), "{} is missing: run `cargo xtask setup`", solver.display());
    let folder = tempfile::tempdir().expect("a folder");
    let mut asked = [0, 0];
    for program in programs() {
        let whole = proof(&program);
        let less = (0..whole.conditions.len()).map(|number| {
            let mut less = whole.clone();
            less.conditions.remove(number);
            less
        });
        for proof in less.chain([whole.clone()]) {
            let entry = proof.program.function_named("main").expect("main");
            let task = Task { program: &proof.program, entry, properties: properties() };
            let Ok((pool, any)) = question(&proof, task, &budget()) else { continue };
            let file = folder.path().join("question.smt2");
            std::fs::write(&file, logic::dump::smt2(&pool, &[any])).expect("written");
            let answer = output_within(Command::new(&solver).arg(&file), Duration::from_secs(20)).expect("it runs");
            // Another solver may need longer for a multiplication.
            let Some(answer) = answer else { continue };
            let ours = checked(&proof).is_err();
            let theirs = String::from_utf8_lossy(&answer);
            assert_eq!(theirs.trim(), if ours { "sat" } else { "unsat" }, "{proof:?}");
            asked[ours as usize] += 1;
        }
    }
    assert!(asked[0] >= 5 && asked[1] >= 5, "both answers occur: {asked:?}");
}

#[test]
fn proofs_by_contracts_pass_and_fewer_clauses_do_not() {
    for text in RECURSIVE {
        let proof = proof(&compile_text(text));
        assert_eq!(checked(&proof), Ok(()), "{text}");
        assert!(proof.conditions.iter().any(|one| one.anchor.head().is_none()), "{text}: no contract");
        let fails = |number: &usize| {
            let mut less = proof.clone();
            less.conditions.remove(*number);
            checked(&less).is_err()
        };
        let needed = (0..proof.conditions.len()).filter(fails).count();
        assert!(needed >= 1, "{text}: none of {} clauses is needed", proof.conditions.len());
    }
}

/// Clauses that are not true of all calls are no part of a proof, even if they are stated.
#[test]
fn a_wrong_contract_is_thrown_out() {
    for (text, anchor) in RECURSIVE.iter().flat_map(|text| [(*text, true), (*text, false)]) {
        let mut program = compile_text(text);
        let function = program.function_named("f").expect("f");
        let anchor = if anchor { Anchor::Requires(function) } else { Anchor::Ensures(function) };
        let var = *program.functions[function].params.last().expect("a parameter");
        let ty = program.vars[var].ty;
        let place = program.places.push(cfa::Place { kind: cfa::PlaceKind::Var(var), ty });
        let mut push = |kind, ty| program.exprs.push(cfa::Expr { kind, ty, span: base::Span::NONE });
        let read = push(ExprKind::Read(place), ty);
        let wrong = push(ExprKind::Unary(UnOp::Not, read), cfa::TypeId::INT);
        let given = [Invariant { anchor, expr: wrong }];
        let entry = program.function_named("main").expect("main");
        let task = Task { program: &program, entry, properties: properties() };
        let goal = Goal { given: &given, proposes: false, ..Goal::PROPERTY };
        let verdict = prove(&goal, task, &budget());
        assert!(matches!(verdict, Verdict::Unknown(_)), "{text}: {anchor:?}");
        let mut injected = proof(&program);
        injected.conditions.push(given[0]);
        assert_eq!(checked(&injected), Err(Flaw::NotInductive(injected.conditions.len() - 1)), "{text}: {anchor:?}");
    }
}

/// A clause about a variable that calls do not have cannot be checked, and so is none.
#[test]
fn a_clause_about_something_else_is_found_out() {
    let program = compile_text(RECURSIVE[0]);
    let mut proof = proof(&program);
    let function = program.function_named("f").expect("f");
    let head = proof.conditions[0];
    let other = Arc::make_mut(&mut proof.program);
    let entry = other.function_named("main").expect("main");
    let local = other.vars.iter().find(|(_, var)| var.kind == cfa::VarKind::Local(entry)).expect("a local").0;
    let ty = other.vars[local].ty;
    let place = other.places.push(cfa::Place { kind: cfa::PlaceKind::Var(local), ty });
    let expr = other.exprs.push(cfa::Expr { kind: ExprKind::Read(place), ty, span: base::Span::NONE });
    proof.conditions = vec![head, Invariant { anchor: Anchor::Requires(function), expr }];
    assert_eq!(checked(&proof), Err(Flaw::NotInductive(1)));
}

#[test]
fn the_opposite_of_an_invariant_is_found_out() {
    for program in programs() {
        let proof = proof(&program);
        for number in 0..proof.conditions.len() {
            let mut wrong = proof.clone();
            let program = Arc::make_mut(&mut wrong.program);
            let negated = negation(program, wrong.conditions[number].expr);
            wrong.conditions[number].expr = negated;
            assert!(checked(&wrong).is_err(), "invariant {number} of {proof:?}");
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
        proof.conditions.push(Invariant { anchor: Anchor::Head(head), expr: zero });
        assert_eq!(checked(&proof), Err(Flaw::NotInductive(proof.conditions.len() - 1)), "{body}");
    }
}

/// The arbitrary state at the head has no allocation of an earlier round, so the invariant cannot be evaluated there. It must not keep the check from
/// looking at such states.
#[test]
fn an_invariant_about_an_earlier_allocation_excludes_no_state() {
    let body = "int *q = __builtin_malloc(4);\n  *q = 1;\n  unsigned n = 0;\n  while (nondet()) { if (n > 3) reach_error(); q = __builtin_malloc(4); *q = 0; n++; }";
    let mut program = compile(body);
    let entry = program.function_named("main").expect("main");
    let head = cfa::loops::loops(&program, entry)[0].head;
    let site = Site { at: head, result: None };
    let Ok(Condition::Atom(expr)) = condition(&mut program, site, "(n == 0) | (*q == 0)") else {
        panic!("one expression");
    };
    let conditions = vec![Invariant { anchor: Anchor::Head(head), expr }];
    let proof = Invariants { program: Arc::new(program), conditions, rounds: 0, unwind: 0 };
    assert!(checked(&proof).is_err(), "the fifth round calls reach_error");
}

fn negation(program: &mut Program, expr: ExprId) -> ExprId {
    let kind = ExprKind::Unary(UnOp::Not, expr);
    program.exprs.push(cfa::Expr { kind, ty: cfa::TypeId::INT, span: base::Span::NONE })
}
