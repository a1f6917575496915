//! The worked examples of papers 3 and 4, with the answers that `ALGORITHMS.md` demands.

use base::{Budget, SourceMap};
use cfa::interp::{ListInputs, ProgramArgs};
use cfa::{Bits, DataModel, Property, PropertySet};
use explain::localize::invariants::{AbstractTrace, Item};
use explain::localize::{Decay, Finding, LOCALIZERS, Options};
use explain::{Failure, replay};
use frontend::Compiled;

struct Example {
    sources: SourceMap,
    compiled: Compiled,
    entry: &'static str,
    inputs: &'static [i64],
}

impl Example {
    fn new(text: &str, entry: &'static str, inputs: &'static [i64]) -> Self {
        let (sources, compiled) = testkit::compile(text.trim_start().as_bytes(), DataModel::Lp64);
        assert!(!compiled.has_errors(), "{:?}", compiled.diagnostics);
        Example { sources, compiled, entry, inputs }
    }

    fn failure(&self) -> Failure<'_> {
        let program = &self.compiled.program;
        let entry = program.function_named(self.entry).expect("the entry function");
        let properties = PropertySet::of(&[Property::Assertion, Property::UnreachCall]);
        let values = self.inputs.iter().map(|value| Bits::new(*value as u64 as u128)).collect();
        let failure = replay::failure(program, entry, properties, ProgramArgs::default(), &mut ListInputs::new(values));
        failure.unwrap_or_else(|outcome| panic!("{outcome:?}"))
    }

    fn find(&self, method: &str) -> Finding {
        let options = Options {
            sources: &self.sources,
            trusted: &[],
            rounds: 100,
            minimal: true,
            decay: Decay::Harmonic,
            passing: &[],
        };
        let localizer = LOCALIZERS.iter().find(|localizer| localizer.name == method).expect("in the table");
        (localizer.run)(&[self.failure()], &options, &Budget::unlimited()).expect("a finding")
    }

    fn lines(&self, method: &str) -> Vec<u32> {
        let mut lines: Vec<u32> = self.find(method).lines().iter().map(|line| line.line).collect();
        lines.sort_unstable();
        lines
    }

    fn trace(&self, method: &str) -> AbstractTrace {
        match self.find(method) {
            Finding::Trace(trace) => trace,
            _ => panic!("{method} gives a trace"),
        }
    }

    fn scores(&self, method: &str) -> Vec<(u32, f64)> {
        match self.find(method) {
            Finding::Scores(scores) => scores.lines.iter().map(|score| (score.line.line, score.score)).collect(),
            _ => panic!("{method} gives scores"),
        }
    }
}

fn frames(trace: &AbstractTrace) -> Vec<(u32, &str)> {
    let frames = trace.items.iter().filter_map(|item| match item {
        Item::Frame { line, text, .. } => Some((line.line, text.as_str())),
        _ => None,
    });
    frames.collect()
}

fn invariants(trace: &AbstractTrace) -> Vec<&str> {
    let texts = trace.items.iter().filter_map(|item| match item {
        Item::Invariant(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

fn x_zero() -> Example {
    let text = "
void xZero(int input) {
  int x = 1;
  int y = input - 42;
  if (y < 0)
    x = 0;

  //@ assert x != 0;
}
";
    Example::new(text, "xZero", &[41])
}

#[test]
fn x_zero_needs_its_condition() {
    let example = x_zero();
    assert_eq!(example.lines("errinv"), [5]);
    let flow = example.trace("flow");
    assert_eq!(example.lines("flow"), [3, 5]);
    assert_eq!(flow.conditions.iter().map(|line| line.line).collect::<Vec<_>>(), [4]);
    assert_eq!(flow.recursive.iter().map(|line| line.line).collect::<Vec<_>>(), [3, 5]);
}

#[test]
fn y_zero_needs_one_line() {
    let text = "
void yZero(int input) {
  int x = 0;
  int y = input - 42;
  if (y < 0)
    y = 0;

  //@ assert x != 0;
}
";
    for inputs in [&[41], &[50]] {
        let example = Example::new(text, "yZero", inputs);
        assert_eq!(example.lines("errinv"), [2]);
        assert_eq!(example.lines("flow"), [2]);
    }
}

fn locking() -> Example {
    let text = "
int lock;
void process(int x, int y) { int z;
  z = 0;
  lock = 1;
  if (x == 0) {
    if (y == 0)
      z = 1;
  }
  if (y != 0) {
    z = y;
  }
  if (x != 0) {
    z = 2;
    lock = 0;
  } else if (z > 0) {
    z = 3;
    lock = 0;
  }
  //@ assert lock == 0;
}
";
    Example::new(text, "process", &[0, -1])
}

#[test]
fn faulty_locking() {
    let example = locking();
    assert_eq!(example.lines("errinv"), [4]);
    let flow = example.trace("flow");
    assert_eq!(example.lines("flow"), [4, 10]);
    let frames = frames(&flow);
    assert!(frames.iter().any(|(_, text)| text.contains("lock")), "{:?}", flow.items);
    assert_eq!(invariants(&flow).last(), Some(&"lock >= 1"), "{:?}", flow.items);
}

fn absolute() -> Example {
    let text = "
int absValue(int input) {
  int sign, abs;
  abs = input;
  if (input == 0)
    return 0;
  if (input < 0) {
    sign = -1;

  } else {
    sign = 1;

  }
  if (sign == -1) {
    sign = input * -1;
  } else {
    abs = input;
  }
  //@ assert abs >= 0;
  return abs;
}
";
    Example::new(text, "absValue", &[-1])
}

#[test]
fn faulty_absolute_value() {
    let example = absolute();
    assert_eq!(example.lines("errinv"), [3]);
    let flow = example.trace("flow");
    assert_eq!(example.lines("flow"), [3, 7]);
    assert_eq!(frames(&flow), [(13, "abs unchanged")]);
    let expected = ["input <= -1", "abs <= -1 && input <= -1", "abs <= -1 && sign == -1", "abs <= -1"];
    assert_eq!(invariants(&flow), expected, "{:?}", flow.items);
}

#[test]
fn compute_diff() {
    let text = "
int compute_diff(int x1, int x2) {
  int diff;
  if (x1 != x2) {
    if (x1 < x2) {
      diff = x1 - x2;
    }
    else {
      diff = x2 - x1;
    }
  }
  else {
    diff = 0;
  }
  //@ assert diff >= 0;
}
";
    let example = Example::new(text, "compute_diff", &[3, 4]);
    assert_eq!(example.lines("whodunit"), [5]);
    let scores = example.scores("iterative");
    assert!(scores.contains(&(4, scores[0].1)) && scores.contains(&(5, scores[0].1)), "{scores:?}");
}

#[test]
fn missing_check_of_an_input() {
    let text = "
extern int input(void);
void main() {
  int a;
  int b = 2;
  while (1) { a = input();
    if (a) {
      b = b * b;
      //@ assert !a && b;
    }
  }
}
";
    let example = Example::new(text, "main", &[1]);
    let scores = example.scores("iterative");
    assert_eq!(scores.first(), Some(&(6, 1.0)), "{scores:?}");
}

#[test]
fn explicit_assertion_flag() {
    let text = "
extern int input(void);
void main() { int n;
  int s = 1;
  int __assertion_failure = 0;

  n = input();

  for (int i = 0; i < n; i += 2) {
    s += 2;
  }

  if (s % 2 != 0) {
    __assertion_failure = 1;
  }

  //@ assert __assertion_failure == 0;
}
";
    let example = Example::new(text, "main", &[0]);
    assert_eq!(example.lines("whodunit"), [13]);
    let lines = example.lines("iterative");
    assert!(lines.contains(&13) && lines.contains(&3), "{lines:?}");
}
