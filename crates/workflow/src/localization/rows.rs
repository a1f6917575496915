//! Starts from a harness that goes over the rows of a table of inputs and expected values: each row is a test, so those that pass are evidence too.

use super::suite::TestRuns;
use super::{LocalizationOptions, localize_suite};
use crate::{Problem, Request};
use cfa::environment::rows::{Rows, one_at_a_time};
use cfa::interp::{Event, Observer, View};
use cfa::{EdgeId, FuncId, Program, Task};
use explain::localize::lines::asserting_functions;
use explain::suite::{Expected, InputNumber, Test, TestResult, Unobserved};
use report::localize::LocalizeReport;
use std::collections::BTreeSet;

/// A run of all rows that takes longer is none of a test.
const MAX_STEPS: u64 = 20_000_000;
/// More rows are no table that somebody wrote.
const MAX_ROWS: usize = 2_000;

/// Counts the rounds of the loops over tables.
struct Rounds<'a> {
    edges: &'a BTreeSet<EdgeId>,
    count: usize,
}

impl Observer for Rounds<'_> {
    fn step(&mut self, _: &View<'_, '_>, event: Event<'_>) {
        if let Event::Edge { edge, .. } = event {
            self.count += usize::from(self.edges.contains(&edge));
        }
    }
}

/// `None` where the program has no such harness. Unless the user asks for it (`wanted`), a harness is a program without inputs that violates a property, and
/// whose rows are given to functions of the program.
pub fn localize_rows(
    request: &Request<'_>,
    options: &LocalizationOptions<'_>,
    wanted: bool,
    so_far: &(dyn Fn(LocalizeReport) + Sync),
) -> Result<Option<LocalizeReport>, Problem> {
    let plain = request.task;
    let mut program = plain.program.clone();
    let none = || match wanted {
        true => Err(Problem::Refused("`main` has no loop over the rows of a table".into())),
        false => Ok(None),
    };
    let Some(rows) = one_at_a_time(&mut program) else { return none() };
    let tested = tested_functions(request, &program, &rows);
    let as_it_is = Test { stdin: Some(Vec::new()), ..Test::default() };
    let violates =
        matches!(as_it_is.result(&as_it_is.run(plain, MAX_STEPS, &mut Unobserved)), TestResult::Violates { .. });
    if !wanted && (tested.is_empty() || !violates) {
        return none();
    }
    let Some(entry) = program.function_named(plain.program.function_name(plain.entry)) else { return none() };
    let task = Task { program: &program, entry, ..plain };
    let row = |number: usize| Test {
        name: format!("row {number}"),
        inputs: vec![InputNumber::Int(number as i128)],
        stdin: Some(Vec::new()),
        // What says by its result that a row is wrong violates nothing.
        expected: Expected { result: (!violates).then_some(0), ..Expected::default() },
        ..Test::default()
    };
    let mut rounds = Rounds { edges: &rows.rounds, count: 0 };
    row(0).run(task, MAX_STEPS, &mut rounds);
    let tests: Vec<Test> = (1..=rounds.count.min(MAX_ROWS)).map(row).collect();
    let request = Request { task, ..*request };
    // The harness says what is expected, unless it is all there is.
    let mut trusted = options.trusted.to_vec();
    if !tested.is_empty() {
        trusted.extend(rows.harness.iter().map(|function| program.function_name(*function).to_string()));
    }
    let options = LocalizationOptions { trusted: &trusted, methods: options.methods.clone(), ..*options };
    match TestRuns::of(&request, &tests, &trusted) {
        // Rows that fail only after others are no tests of their own.
        Err(_) if !wanted => Ok(None),
        suite => localize_suite(&request, TestRuns { rows: true, ..suite? }, &options, so_far).map(Some),
    }
}

/// Functions of the user that rows are given to.
fn tested_functions(request: &Request<'_>, program: &Program, rows: &Rows) -> Vec<FuncId> {
    let asserting = asserting_functions(program);
    let is_users = |function: &&FuncId| {
        program
            .automaton(**function)
            .is_some_and(|automaton| !request.loaded.sources.is_in_system_header(automaton.span.lo))
    };
    rows.called.iter().filter(|one| !asserting.contains(one)).filter(is_users).copied().collect()
}
