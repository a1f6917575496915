//! A trace is the run that was executed, and says how much of it was left out.

use crate::{compile, recorded, traced};
use cfa::interp::ListInputs;
use evidence::{Measure, StepKind};
use testkit::programs;

#[test]
fn a_limited_trace_has_the_first_and_the_last_steps() {
    for seed in 0..20 {
        let (program, entry) = compile(&programs::random(seed));
        let (whole, tape) = recorded(&program, entry, seed, 100);
        for limit in [2, 5, 16, 1000] {
            let part = traced(&program, entry, &mut tape.play(), limit);
            assert_eq!(part.measure, whole.measure, "of the whole run");
            assert_eq!(part.steps.len() as u64 + part.skipped, whole.steps.len() as u64);
            assert!(part.steps.len() <= limit && (part.skipped == 0) == (whole.steps.len() <= limit));
            let (first, last) = part.steps.split_at(part.skipped_at);
            assert!(whole.steps.starts_with(first) && whole.steps.ends_with(last), "seed {seed}, limit {limit}");
        }
    }
}

#[test]
fn calls_are_nested() {
    let mut deepest = 0;
    for seed in 0..30 {
        let (program, entry) = compile(&programs::random(seed));
        let (trace, _) = recorded(&program, entry, seed, 100);
        let mut depth = 0;
        for step in &trace.steps {
            match step.kind {
                StepKind::Enter { call, .. } => {
                    assert_eq!(call.is_none(), depth == 0, "only the entry is not called");
                    assert_eq!(step.depth, depth);
                    depth += 1;
                    deepest = deepest.max(depth);
                }
                StepKind::Leave(_) => {
                    depth -= 1;
                    assert_eq!(step.depth, depth);
                }
                StepKind::Edge(_) | StepKind::Input(_) => assert_eq!(step.depth + 1, depth),
            }
        }
        let inputs = trace.steps.iter().filter(|step| matches!(step.kind, StepKind::Input(_)));
        assert_eq!(inputs.count(), trace.run.inputs.len());
    }
    assert!(deepest > 1, "some function is called");
}

/// Inputs, declarations without a value and assignments count, with the absolute values of integers; conditions, calls and what is the
/// frontend's own do not.
#[test]
fn measures_of_a_known_run() {
    let text = "extern int __VERIFIER_nondet_int(void);
static int twice(int v) { return 2 * v; }
int main(void) {
  int n = __VERIFIER_nondet_int(), m;
  float f = 2.5f;
  if (n < 0) m = twice(n);
  return m;
}
";
    let (program, entry) = compile(text);
    let mut inputs = ListInputs::new(vec![cfa::Bits::new(-7i32 as u32 as u128)]);
    let trace = traced(&program, entry, &mut inputs, usize::MAX);
    // n = -7 (input), int m, f = 2.5, m = -14.
    assert_eq!(trace.measure, Some(Measure { length: 4, sum: 21 }));
    assert!(Measure { length: 4, sum: 21 } < Measure { length: 5, sum: 0 }, "length counts first");
}
