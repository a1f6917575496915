//! Candidates of small programs: what each source must find, and what holds for all of them.

mod properties;
mod sources;

use base::Budget;
use candidates::{Candidate, SamplingOptions, propose};
use cfa::{Anchor, DataModel, Program, display};

/// The program and its candidates.
fn candidates(text: &str) -> (Program, Vec<Candidate>) {
    let declarations = "extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);
        extern long long __VERIFIER_nondet_longlong(void); extern void __VERIFIER_assume(int); extern void abort(void);
        void __VERIFIER_assert(int cond) { if (!cond) abort(); }";
    let text = format!("{declarations}\n{text}");
    let (_, compiled) = testkit::compile(text.as_bytes(), DataModel::Lp64);
    assert!(!compiled.has_errors(), "{:?}", compiled.diagnostics);
    let mut program = compiled.program;
    let entry = program.function_named("main").expect("there is a main");
    let found = propose(&mut program, entry, &Budget::unlimited(), &SamplingOptions::default());
    (program, found)
}

/// The texts of the candidates, by loop.
fn texts(text: &str) -> Vec<Vec<String>> {
    let (program, found) = candidates(text);
    let mut loops: Vec<(cfa::Anchor, Vec<String>)> = Vec::new();
    for candidate in found {
        let text = display::expr_to_c(&program, candidate.expr).expect("a candidate can be written as C");
        match loops.last_mut() {
            Some((anchor, texts)) if *anchor == candidate.anchor => texts.push(text),
            _ => loops.push((candidate.anchor, vec![text])),
        }
    }
    loops.into_iter().map(|(_, texts)| texts).collect()
}

/// Fails if the only loop of a program lacks one of the candidates.
#[track_caller]
fn expect(text: &str, wanted: &[&str]) {
    let found = texts(text);
    assert_eq!(found.len(), 1, "{found:#?}");
    for wanted in wanted {
        assert!(found[0].iter().any(|found| found == wanted), "`{wanted}` is missing in {:#?}", found[0]);
    }
}

/// Fails if the contract of a function lacks one of the clauses.
#[track_caller]
fn contract(text: &str, function: &str, requires: &[&str], ensures: &[&str]) {
    let (program, found) = candidates(text);
    let function = program.function_named(function).expect("the function is there");
    for (anchor, wanted) in [(Anchor::Requires(function), requires), (Anchor::Ensures(function), ensures)] {
        let own = found.iter().filter(|candidate| candidate.anchor == anchor);
        let texts: Vec<String> = own.map(|candidate| display::expr_text(&program, candidate.expr)).collect();
        for wanted in wanted {
            assert!(texts.iter().any(|found| found == wanted), "`{wanted}` is missing in {texts:#?}");
        }
    }
}
