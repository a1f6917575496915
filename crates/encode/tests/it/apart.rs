//! States with different positions in their data stay apart, and what bytes can be is known on each path.

use crate::{compile, inputs, unroll_with};
use base::Budget;
use cfa::interp::Outcome;
use cfa::{Property, PropertySet, Task};
use encode::{Bounds, Encoder, ObligationKind};

/// Words are counted in a text of four characters; blanks and words have different lengths.
const WORDS: &str = "extern char __VERIFIER_nondet_char(void);
struct reader { int at; int words; };
static void word(struct reader *r, const char *text) {
  while (r->at < 4 && text[r->at] != ' ') r->at++;
  r->words++;
}
int main(void) {
  char text[4];
  struct reader r = {0, 0};
  for (int i = 0; i < 4; i++) text[i] = __VERIFIER_nondet_char();
  while (r.at < 4) {
    if (text[r.at] == ' ') r.at++;
    else word(&r, text);
  }
  //@ assert r.words < 3;
  return r.words;
}
";

#[test]
fn positions_stay_constants() {
    let program = compile(WORDS);
    let entry = program.function_named("main").expect("main");
    let unwinds = |keeps_apart: bool| {
        let properties = PropertySet::of(&[Property::Assertion, Property::ValidDeref]);
        let mut encoder = Encoder::new(Task { program: &program, entry, properties });
        encoder.keeps_apart = keeps_apart;
        let unrolling = encoder.unroll(Bounds { unwind: 0, decided: 8, steps: 0 }, &Budget::unlimited());
        unrolling.obligations.iter().filter(|found| found.kind == ObligationKind::Unwind).count()
    };
    // At known positions the loops end by tests of constants, so the bound does not matter.
    assert_eq!(unwinds(true), 0);
    assert!(unwinds(false) > 0);
}

/// A character that is no blank when the word begins is none when the word is read.
#[test]
fn branches_that_no_byte_takes_are_not_executed() {
    let program = compile(WORDS);
    let unrolled = unroll_with(&program, 4, &[Property::Assertion, Property::ValidDeref], true);
    let faults = unrolled.unrolling.obligations.iter().filter(|found| found.kind != ObligationKind::Unwind);
    assert!(faults.clone().count() > 0);
    for found in faults {
        assert!(matches!(found.kind, ObligationKind::Violation(Property::Assertion, None)), "{:?}", found.kind);
    }
    for text in ["    ", "a bc", "ab  ", " a b", "a b ", "abcd"] {
        let characters: Vec<u32> = text.bytes().map(u32::from).collect();
        let inputs = inputs(&characters);
        let words = text.split_whitespace().count() as i32;
        let expected = if words < 3 { Outcome::Finished(words) } else { panic!("two words at most") };
        assert_eq!(unrolled.run(&inputs).outcome, expected, "{text}");
        assert!(unrolled.on(&inputs).left_by().is_empty(), "{text}");
    }
}
