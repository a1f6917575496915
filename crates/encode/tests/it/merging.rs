//! Paths are merged where they meet: the work grows with the program, not with the number of its paths.

use crate::{compile, inputs, unroll};
use cfa::Property;
use encode::EventKind;

/// A program with so many independent decisions in a row.
fn decisions(count: usize) -> String {
    let decision = |index: usize| format!("  if (n >> {index} & 1) s += {}; else t ^= s;\n", index + 1);
    let body: String = (0..count).map(decision).collect();
    format!(
        "extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {{
  unsigned n = __VERIFIER_nondet_uint(), s = 0, t = 0;
{body}  //@ assert s * 31 + t != 1000000;
  return 0;
}}
"
    )
}

#[test]
fn work_grows_with_the_program() {
    let steps = |count: usize| unroll(&compile(&decisions(count)), 1, &[Property::Assertion]).unrolling.steps;
    let (few, many) = (steps(8), steps(24));
    assert!(many < 4 * few, "{few} steps for 8 decisions, {many} for 24");
}

/// Each path has its own values behind the place where they meet.
#[test]
fn merged_values_are_those_of_the_paths() {
    let text = "extern unsigned __VERIFIER_nondet_uint(void);
struct pair { unsigned a, b; };
int main(void) {
  unsigned n = __VERIFIER_nondet_uint(), table[3] = {7, 8, 9}, *p = table;
  struct pair pair = {1, 2};
  if (n & 1) { pair.a = n; p = table + 1; } else pair.b = table[2];
  if (n & 2) table[n & 1] = 5;
  if (n & 4) p = &pair.b;
  *p = *p + pair.a;
  unsigned all = pair.a + 10 * pair.b + 100 * table[0] + 1000 * table[1];
  return all;
}
";
    let program = compile(text);
    let unrolled = unroll(&program, 1, &[Property::Assertion]);
    for n in 0..8u32 {
        let (mut a, mut b, mut table, mut p) = (1, 2, [7, 8, 9], 0);
        if n & 1 != 0 {
            (a, p) = (n, 1);
        } else {
            b = table[2];
        }
        if n & 2 != 0 {
            table[(n & 1) as usize] = 5;
        }
        match n & 4 != 0 {
            true => b += a,
            false => table[p] += a,
        }
        let expected = a + 10 * b + 100 * table[0] + 1000 * table[1];
        let run = unrolled.run(&inputs(&[n]));
        assert_eq!(run.outcome, cfa::interp::Outcome::Finished(expected as i32));
        let values = unrolled.on(&inputs(&[n]));
        let mut events = unrolled.unrolling.events.iter();
        let last = events.rfind(|event| event.kind == EventKind::Write && values.holds(event.guard));
        let (_, term) = last.and_then(|event| event.value).expect("something is written");
        assert_eq!(values.number(term), expected as u128, "{n}");
    }
}
