//! Each rule's example breaks that rule and no other; the flawless witnesses break none.

use super::examples::{Base, PROGRAM, text};
use super::*;
use base::SourceMap;
use cfa::DataModel;

const PLACEHOLDER: &str = "1111111111111111111111111111111111111111111111111111111111111111";

fn found(witness: &str, program: &str) -> Vec<&'static str> {
    let (sources, compiled) = testkit::compile_file("p.c", program.as_bytes().to_vec(), DataModel::Lp64);
    assert!(!compiled.has_errors(), "{:?}", compiled.diagnostics);
    let mut hash = SourceMap::new();
    hash.add("p.c", PROGRAM.as_bytes().to_vec()).expect("small");
    let hash = Source::new(&hash, "p.c", None).expect("it is there").hash("");
    let source = Source::new(&sources, "p.c", Some(&compiled.program)).expect("it is there");
    let witness = witness.replace(PLACEHOLDER, &hash);
    let findings = lint(witness.as_bytes(), Some(&source), &Limits::default());
    let mut found: Vec<_> = findings.iter().map(|finding| finding.rule.id).collect();
    found.dedup();
    found
}

#[test]
fn flawless_witnesses_are_flawless() {
    for base in [Base::Violation, Base::Waypoints, Base::Invariants] {
        assert_eq!(found(&text(base), PROGRAM), [""; 0], "{base:?}");
    }
}

#[test]
fn each_example_breaks_its_rule() {
    let mut wrong = Vec::new();
    for rule in RULES {
        let example = &rule.example;
        let original = text(example.base);
        assert!(original.contains(example.from), "{}: nothing to replace", rule.id);
        let changed = original.replacen(example.from, example.to, 1);
        let found = match example.base {
            Base::Program => found(&text(Base::Violation), &changed),
            _ => found(&changed, PROGRAM),
        };
        if found != [rule.id] {
            wrong.push(format!("{}: {found:?}", rule.id));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn ids_are_unique() {
    let mut ids: Vec<_> = RULES.iter().map(|rule| rule.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), RULES.len());
}
