//! Tests as evidence for `localize`: which of them fail, and the runs that the methods work on.

use crate::replay::not_as_expected;
use crate::{Problem, Request};
use cfa::interp::{Event, Limit, Observer, Outcome, View};
use cfa::{EdgeId, Op, Property, Task};
use evidence::Tape;
use explain::localize::lines::{Line, Lines};
use explain::localize::spectrum::Spectrum;
use explain::repair::Tested;
use explain::suite::expected::ExpectingProgram;
use explain::suite::{Stated, Test, TestResult};
use explain::{Failure, replay};
use report::localize::TestsView;
use std::collections::{BTreeMap, BTreeSet};

/// A test that runs longer is one that does not end.
const MAX_STEPS: u64 = 20_000_000;
/// Where some test does not end, runs on it that take so many times the steps of the longest test that ends do not end either; so many are always allowed.
const LONGER: u64 = 10;
const LEAST_STEPS: u64 = 20_000;

/// What is known of a suite before any method is used.
pub struct TestRuns<'t> {
    /// Failing tests with how they fail, and passing ones, the shortest runs first.
    pub failing: Vec<RunOfTest<'t>>,
    pub passing: Vec<RunOfTest<'t>>,
    /// Names of tests that say nothing, and why.
    pub left_out: Vec<String>,
    /// All tests that pass or fail.
    pub spectrum: Spectrum,
    /// Names of those that fail, in the order of the tests.
    pub failing_names: Vec<String>,
    /// They are the rows of a table in the program.
    pub rows: bool,
}

pub struct RunOfTest<'t> {
    pub test: &'t Test,
    pub result: TestResult,
    pub steps: u64,
    /// The output, and what it is not.
    pub complaint: Option<String>,
    covered: BTreeSet<EdgeId>,
}

/// Edges that a run carries out.
struct Covered(Vec<bool>);

impl Observer for Covered {
    fn step(&mut self, _: &View<'_, '_>, event: Event<'_>) {
        if let Event::Edge { edge, .. } | Event::Enter { edge: Some(edge), .. } = event {
            self.0[edge.0 as usize] = true;
        }
    }
}

impl<'t> TestRuns<'t> {
    /// Runs the tests.
    pub fn of(request: &Request<'_>, tests: &'t [Test], trusted: &[String]) -> Result<Self, Problem> {
        let task = request.task;
        let lines = Lines::new(&request.loaded.sources, trusted);
        let (failing, passing, left_out) = (Vec::new(), Vec::new(), Vec::new());
        let mut runs = TestRuns {
            failing,
            passing,
            left_out,
            spectrum: Spectrum::default(),
            failing_names: Vec::new(),
            rows: false,
        };
        for test in tests {
            let mut covered = Covered(vec![false; task.program.edges.len()]);
            let run = test.run(task, MAX_STEPS, &mut covered);
            let result = test.result(&run);
            let covered: BTreeSet<EdgeId> =
                covered.0.iter().enumerate().filter(|(_, taken)| **taken).map(|(at, _)| EdgeId(at as u32)).collect();
            let fails = match (&result, test.expected.stated) {
                (TestResult::Unknown(outcome), _) => {
                    let end = report::replay::outcome(task.program, outcome, test.inputs.len());
                    runs.left_out.push(format!("{}: {end}", test.name));
                    continue;
                }
                (TestResult::Passes, Some(Stated::Fails)) => {
                    return Err(Problem::Refused(format!(
                        "{} is said to fail, but its run violates nothing: say what is expected of it (stdout or result)",
                        test.name
                    )));
                }
                (result, Some(Stated::Passes)) if result.fails() => {
                    return Err(Problem::Refused(format!(
                        "{} is said to pass, but {}",
                        test.name,
                        failure_text(task, test, result)
                    )));
                }
                (result, _) => result.fails(),
            };
            let complaint = match &result {
                TestResult::NoEnd(Outcome::Limit(Limit::Steps)) => {
                    Some(format!("the run does not end (it was stopped after {} steps)", run.steps))
                }
                TestResult::NoEnd(outcome) => Some(report::replay::outcome(task.program, outcome, test.inputs.len())),
                TestResult::WrongOutput => not_as_expected(test, &result)
                    .map(|expected| format!("{expected}, and it is {:?}", String::from_utf8_lossy(&run.stdout))),
                other => not_as_expected(test, other),
            };
            let run = RunOfTest { test, result, steps: run.steps, complaint, covered };
            (if fails { &mut runs.failing } else { &mut runs.passing }).push(run);
        }
        if runs.failing.is_empty() {
            let left_out = if runs.left_out.is_empty() {
                String::new()
            } else {
                format!("; left out: {}", runs.left_out.join("; "))
            };
            return Err(Problem::Refused(format!("none of the {} tests fails{left_out}", tests.len())));
        }
        runs.keep_one_failure(task);
        runs.spectrum = Spectrum::default();
        for (run, fails) in
            runs.failing.iter().map(|run| (run, true)).chain(runs.passing.iter().map(|run| (run, false)))
        {
            let executed = run.covered.iter().filter_map(|edge| lines.of(task.program, *edge));
            runs.spectrum.add(executed.collect::<BTreeSet<Line>>(), fails);
        }
        for run in &runs.passing {
            runs.spectrum.add_passing_edges(run.covered.iter().copied());
        }
        runs.failing_names = runs.failing.iter().map(|run| run.test.name.clone()).collect();
        runs.failing.sort_by_key(|run| run.steps);
        runs.passing.sort_by_key(|run| run.steps);
        Ok(runs)
    }

    /// Tests that fail in different ways rarely have one cause: those that fail as most do are kept, a wrong output or result before a violation.
    fn keep_one_failure(&mut self, task: Task<'_>) {
        let kind = |run: &RunOfTest<'_>| match run.result {
            TestResult::Violates { edge, .. } => Some(edge),
            _ => None,
        };
        let mut counts: BTreeMap<Option<EdgeId>, usize> = BTreeMap::new();
        self.failing.iter().for_each(|run| *counts.entry(kind(run)).or_default() += 1);
        let most = counts.into_iter().max_by_key(|(kind, count)| (*count, kind.is_none())).map(|(kind, _)| kind);
        let (kept, others): (Vec<RunOfTest<'t>>, Vec<RunOfTest<'t>>) =
            std::mem::take(&mut self.failing).into_iter().partition(|run| Some(kind(run)) == most);
        self.failing = kept;
        for run in others {
            let how = failure_text(task, run.test, &run.result);
            self.left_out.push(format!("{}: it fails in another way: {how}", run.test.name));
        }
    }

    /// Whether some test fails by what it expects, and not by violating a property of the program.
    pub fn needs_expectations(&self) -> bool {
        self.failing.iter().any(|run| !matches!(run.result, TestResult::Violates { .. }))
    }

    /// The program with what the tests expect, where that is needed.
    pub fn expecting(&self, task: Task<'_>) -> Option<ExpectingProgram> {
        // A run that does not end has no last output.
        let failing: Vec<&Test> = self.failing.iter().filter(|run| !run.has_no_end()).map(|run| run.test).collect();
        (self.needs_expectations() && !failing.is_empty()).then(|| ExpectingProgram::of(task, &failing, MAX_STEPS))
    }

    /// For the report.
    pub fn view(&self) -> TestsView {
        let first = self.failing.first();
        let unwritten = match first.map_or(0, |run| run.test.unwritten) {
            0 => "",
            _ => " (with zeros in memory that was never written all tests pass; here there is something else)",
        };
        let complaint =
            first.and_then(|run| Some(format!("{}: {}{unwritten}", run.test.name, run.complaint.as_ref()?)));
        let (failing, passing) = (self.failing.len(), self.passing.len());
        let failing_names = self.failing_names.clone();
        TestsView { failing, passing, failing_names, left_out: self.left_out.clone(), complaint }
    }

    /// What edits have to keep.
    pub fn tested<'a>(&'a self, task: Task<'a>) -> Tested<'a> {
        Tested {
            task,
            failing: self.failing.iter().map(|run| run.test).collect(),
            passing: self.passing.iter().map(|run| run.test).collect(),
            steps_of_passing: self.passing.iter().map(|run| run.steps).sum(),
            violates: !self.needs_expectations(),
            rows: self.rows,
            endless: self.failing.iter().map(RunOfTest::has_no_end).collect(),
            most_steps: self.most_steps(),
        }
    }

    /// Up to so many failing runs, those that take other edges first.
    pub fn failures<'p>(
        &self,
        task: Task<'p>,
        expecting: Option<&'p ExpectingProgram>,
        count: usize,
    ) -> Vec<Failure<'p>> {
        let failure = |run: &&RunOfTest<'_>| match expecting {
            Some(program) => program.failure(run.test, task, MAX_STEPS),
            None => {
                let words = run.test.words(task.program.function_name(task.entry));
                replay::failure_within(MAX_STEPS, task, words, &mut run.test.inputs(task.program)).ok()
            }
        };
        let ending = varied(&self.failing, usize::MAX).into_iter().filter(|run| !run.has_no_end());
        let found: Vec<Failure<'p>> = ending.filter_map(|run| failure(&run)).take(count).collect();
        if found.is_empty() { self.failing.iter().take(count).map(|run| endless(run, task)).collect() } else { found }
    }

    /// Whether no failing test ends.
    pub fn has_no_end(&self) -> bool {
        self.failing.iter().all(RunOfTest::has_no_end)
    }

    /// Steps after which a run does not end.
    fn most_steps(&self) -> u64 {
        if !self.failing.iter().any(RunOfTest::has_no_end) {
            return MAX_STEPS;
        }
        let ending = self.failing.iter().chain(&self.passing).filter(|run| !run.has_no_end());
        let longest = ending.map(|run| run.steps).max().unwrap_or(0);
        longest.saturating_mul(LONGER).clamp(LEAST_STEPS, MAX_STEPS)
    }

    /// Up to so many passing runs, those that take other edges first.
    pub fn tapes(&self, task: Task<'_>, expecting: Option<&ExpectingProgram>, count: usize) -> Vec<Tape> {
        let tape = |run: &&RunOfTest<'_>| match expecting {
            Some(program) => program.passing(run.test, task, MAX_STEPS),
            None => {
                let words = run.test.words(task.program.function_name(task.entry));
                let (run, tape) = replay::recorded(task, words, &mut run.test.inputs(task.program));
                matches!(run.outcome, Outcome::Finished(_)).then_some(tape)
            }
        };
        varied(&self.passing, count).iter().filter_map(tape).collect()
    }
}

impl RunOfTest<'_> {
    fn has_no_end(&self) -> bool {
        matches!(self.result, TestResult::NoEnd(_))
    }
}

/// The beginning of a run that does not end, in the place of a failure: it is where it was given up.
fn endless<'p>(run: &RunOfTest<'_>, task: Task<'p>) -> Failure<'p> {
    let words = run.test.words(task.program.function_name(task.entry));
    let (_, tape) = replay::recorded_prefix(task, words, &mut run.test.inputs(task.program));
    let mut last = LastEdge(EdgeId(0));
    replay::observed(task, &tape, &mut last);
    Failure { task, tape, property: Property::Assertion, fault: None, edge: last.0, steps: run.steps }
}

/// The edge of a function of the user that a run came to last.
struct LastEdge(EdgeId);

impl Observer for LastEdge {
    fn step(&mut self, view: &View<'_, '_>, event: Event<'_>) {
        if let Event::Edge { edge, .. } = event
            && matches!(view.program().edges[edge].op, Op::Assume { .. })
        {
            self.0 = edge;
        }
    }
}

fn failure_text(task: Task<'_>, test: &Test, result: &TestResult) -> String {
    match result {
        TestResult::NoEnd(outcome) => report::replay::outcome(task.program, outcome, test.inputs.len()),
        TestResult::Violates { property, .. } => format!("it violates {}", property.name()),
        other => not_as_expected(test, other).unwrap_or_default(),
    }
}

/// Runs with edges that none before them takes, then the others.
fn varied<'a, 't>(runs: &'a [RunOfTest<'t>], count: usize) -> Vec<&'a RunOfTest<'t>> {
    let mut seen: BTreeSet<&BTreeSet<EdgeId>> = BTreeSet::new();
    let (new, old): (Vec<&RunOfTest<'t>>, Vec<&RunOfTest<'t>>) = runs.iter().partition(|run| seen.insert(&run.covered));
    new.into_iter().chain(old).take(count).collect()
}
