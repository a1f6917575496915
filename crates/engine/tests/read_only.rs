//! Induction over a loop that makes an object read-only: what may be written is part of what a round changes. No C program ends the writes of
//! an object that lived before the loop, so a function of the program gets that meaning here.

use base::Budget;
use cfa::library::{Frozen, LibFn};
use cfa::{Body, DataModel, Property, PropertySet, Task};
use engine::Options;
use evidence::Verdict;
use std::time::Duration;

const PROGRAM: &str = "
extern int __VERIFIER_nondet_int(void);
extern void end_writes(void *);
struct pair { int v; const int c; };
int main(void) {
  struct pair x = {0, 0}, y = {0, 0};
  int *p = FIRST, *q = SECOND;
  while (__VERIFIER_nondet_int()) {
    *p = 3;
    end_writes(q);
  }
  return 0;
}
";

fn is_proved(written: &str, frozen_object: &str, frozen: Frozen) -> bool {
    let text = PROGRAM.replace("FIRST", written).replace("SECOND", frozen_object);
    let (_, mut compiled) = testkit::compile(text.as_bytes(), DataModel::Lp64);
    assert!(!compiled.has_errors(), "{:?}", compiled.diagnostics);
    let function = compiled.program.function_named("end_writes").expect("declared");
    compiled.program.functions[function].body = Body::Library(LibFn::EndWrites(frozen));
    let program = &compiled.program;
    let entry = program.function_named("main").expect("main");
    let properties = PropertySet::of(&[Property::Assertion]);
    let task = Task { program, entry, properties };
    let budget = Budget::for_duration(Duration::from_secs(20));
    let answer = engine::induction::decide(task, &Options::default(), &budget);
    matches!(answer.verdict, Verdict::Safe(_))
}

#[test]
fn a_round_that_makes_an_object_read_only_changes_it() {
    assert!(!is_proved("&x.v", "&x.v", Frozen::Whole), "the second round writes a read-only object");
    assert!(is_proved("&x.v", "&x.v", Frozen::Members), "the members that are written stay writable");
    assert!(is_proved("&y.v", "&x.v", Frozen::Whole), "another object is written");
}
