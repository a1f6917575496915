//! The worked examples of Dobos-Kovács 2021 and Christ et al. 2013, with the expected answer of each localizer.

mod oracles;

use explain::localize::Finding;
use explain::localize::invariants::{AbstractTrace, Item};
use oracles::{Example, Oracle};

trait Answers {
    fn lines(&self, method: &str) -> Vec<u32>;
    fn trace(&self, method: &str) -> AbstractTrace;
    fn scores(&self, method: &str) -> Vec<(u32, f64)>;
}

impl Answers for Example {
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

#[test]
fn x_zero_needs_its_condition() {
    let example = Example::new(&oracles::X_ZERO);
    assert_eq!(example.lines("errinv"), [5]);
    let flow = example.trace("flow");
    assert_eq!(example.lines("flow"), [3, 5]);
    assert_eq!(flow.conditions.iter().map(|line| line.line).collect::<Vec<_>>(), [4]);
    assert_eq!(flow.recursive.iter().flatten().map(|line| line.line).collect::<Vec<_>>(), [3, 5]);
}

#[test]
fn y_zero_needs_one_line() {
    for inputs in [&[41], &[50]] {
        let example = Example::new(&Oracle { inputs, ..oracles::Y_ZERO });
        assert_eq!(example.lines("errinv"), [2]);
        assert_eq!(example.lines("flow"), [2]);
    }
}

#[test]
fn faulty_locking() {
    let example = Example::new(&oracles::LOCKING);
    assert_eq!(example.lines("errinv"), [4]);
    let flow = example.trace("flow");
    assert_eq!(example.lines("flow"), [4, 10]);
    let frames = frames(&flow);
    assert!(frames.iter().any(|(_, text)| text.contains("lock")), "{:?}", flow.items);
    assert_eq!(invariants(&flow).last(), Some(&"lock >= 1"), "{:?}", flow.items);
}

#[test]
fn faulty_absolute_value() {
    let example = Example::new(&oracles::ABSOLUTE);
    assert_eq!(example.lines("errinv"), [3]);
    let flow = example.trace("flow");
    assert_eq!(example.lines("flow"), [3, 7]);
    assert_eq!(frames(&flow), [(13, "abs unchanged")]);
    let expected = ["input <= -1", "abs <= -1 && input <= -1", "abs <= -1 && sign == -1", "abs <= -1"];
    assert_eq!(invariants(&flow), expected, "{:?}", flow.items);
}

#[test]
fn compute_diff() {
    let example = Example::new(&oracles::COMPUTE_DIFF);
    assert_eq!(example.lines("whodunit"), [5]);
    let scores = example.scores("iterative");
    assert!(scores.contains(&(4, scores[0].1)) && scores.contains(&(5, scores[0].1)), "{scores:?}");
}

#[test]
fn missing_check_of_an_input() {
    let example = Example::new(&oracles::MISSING_CHECK);
    let scores = example.scores("iterative");
    assert_eq!(scores.first(), Some(&(6, 1.0)), "{scores:?}");
}

#[test]
fn explicit_assertion_flag() {
    let example = Example::new(&oracles::ASSERTION_FLAG);
    assert_eq!(example.lines("whodunit"), [13]);
    let lines = example.lines("iterative");
    assert!(lines.contains(&13) && lines.contains(&3), "{lines:?}");
}
