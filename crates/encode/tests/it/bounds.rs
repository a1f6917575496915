//! A run that needs more than the bound leaves the model there, and no other does.

use crate::{compile, inputs, unroll};
use cfa::Property;
use encode::ObligationKind;

const LOOP: &str = "extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uint() & 15, s = 0;
  for (unsigned i = 0; i < n; i++) s += i;
  return s;
}
";

const RECURSION: &str = "extern unsigned __VERIFIER_nondet_uint(void);
static unsigned sum(unsigned n) { return n ? n + sum(n - 1) : 0; }
int main(void) { return sum(__VERIFIER_nondet_uint() & 15); }
";

#[test]
fn runs_beyond_the_bound_are_those_that_need_more() {
    for text in [LOOP, RECURSION] {
        let program = compile(text);
        for unwind in [0, 1, 3, 7] {
            let unrolled = unroll(&program, unwind, &[Property::Assertion]);
            for number in 0..16 {
                let values = unrolled.on(&inputs(&[number]));
                let kinds: Vec<&ObligationKind> = values.left_by().into_iter().map(|found| &found.kind).collect();
                let (beyond, within): (&[&ObligationKind], usize) =
                    if number > unwind { (&[&ObligationKind::Unwind], 0) } else { (&[], 1) };
                assert_eq!((&kinds[..], values.ends_regularly()), (beyond, within), "{number} at {unwind}\n{text}");
            }
        }
    }
}

#[test]
fn a_bound_that_suffices_is_left_by_no_run() {
    for text in [LOOP, RECURSION] {
        let program = compile(text);
        let unrolled = unroll(&program, 15, &[Property::Assertion]);
        assert_eq!(unrolled.unrolling.deepest, 15, "{text}");
        let values = (0..16).map(|number| unrolled.on(&inputs(&[number])));
        assert!(values.into_iter().all(|values| values.left_by().is_empty() && values.ends_regularly() == 1), "{text}");
    }
}
