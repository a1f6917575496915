//! Repair hints: small edits at suspect lines after which the program is checked for all inputs. Edits are made to the text and compiled again,
//! so the semantics of an edit is that of the frontend. An edit is checked only if all known failing runs pass with it; every violation that the
//! checker finds becomes one of the known runs.

mod difference;
mod edits;
mod guards;
mod several;
mod shown;
mod work;

use crate::Failure;
use crate::assertion_edge::{assertion_edge, is_condition};
use crate::localize::LocalizeOptions;
use crate::localize::lines::{Line, Lines, asserting_calls};
use crate::suite::{Test, TestResult, Unobserved};
use base::{Budget, FileId, SourceMap, Span};
use cfa::interp::{self, Config, Event, Limit, ListInputs, Observer, Outcome, ProgramArgs, View};
use cfa::undefined::UndefinedFunctions;
use cfa::{Bits, EdgeId, Op, Program, Property, PropertySet, Task};
use difference::OtherTests;
use edits::Place;
pub use edits::{Edit, Kind};
use evidence::shown::{Gives, gives};
use frontend::{Compiled, Frontend};
pub use shown::Hunk;
use std::collections::{BTreeMap, BTreeSet};
use work::Executed;

/// What the checker says of an edited program.
pub enum Checked {
    /// No violation up to this bound; `complete`: at all.
    Holds {
        bound: u32,
        complete: bool,
    },
    /// It fails on these inputs.
    Fails(Vec<Bits>),
    Unknown,
}

/// How to compile and check a program.
pub struct Workbench<'a> {
    /// The language of the program.
    pub frontend: &'static Frontend,
    pub sources: &'a SourceMap,
    /// The texts that make up the program.
    pub units: &'a [FileId],
    pub options: frontend::CompileOptions,
    pub environment: cfa::environment::Environment,
    /// What calls of functions without a body are taken for, in an edited program too.
    pub undefined: UndefinedFunctions,
    pub check: &'a (dyn Fn(&Program) -> Checked + Sync),
}

impl Workbench<'_> {
    /// How many inputs the text that is replaced reads.
    fn inputs_at(&self, parts: &[(u32, u32, String)]) -> usize {
        let old = |(lo, hi, _): &(u32, u32, String)| {
            self.sources.snippet(Span { lo: *lo, hi: *hi }).contains("__VERIFIER_nondet")
        };
        parts.iter().filter(|part| old(part)).count()
    }

    fn text(&self, unit: FileId) -> (&str, &[u8], u32) {
        (self.sources.name(unit), self.sources.text(unit), self.sources.base(unit))
    }
}

#[derive(Clone, Debug)]
pub struct Repair {
    pub line: Line,
    pub edit: Edit,
    /// What it replaces in the file of the user; empty if that cannot be said.
    pub hunks: Vec<Hunk>,
    pub known: Known,
    pub assertion: AssertionReached,
    /// Whether the program has inputs at all.
    pub has_inputs: bool,
    /// Of so many tests made by chance (the second number), how many come out otherwise with it.
    pub changes: Option<(usize, usize)>,
    /// Another edit speaks against it: both make all tests pass, and they do different things elsewhere, so at most one of them is right; or
    /// they stand in the same place and do the same.
    pub is_doubtful: bool,
    /// So many other edits make all tests pass as well, and do other things elsewhere.
    pub rivals: usize,
}

/// What is known of an edit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Known {
    /// No violation up to this bound; `complete`: at all.
    Holds { bound: u32, complete: bool },
    /// So many tests pass with it; it was not checked for all inputs, or that was too hard.
    Tests(usize),
    /// Of so many failing tests (the second number) these pass with it, and all that passed still do: there are more faults.
    Part(usize, usize),
    /// So many runs that were found pass with it; to check it for all inputs was too hard.
    Runs(usize),
}

impl Repair {
    /// The lines that it changes, as the list of suspects names them.
    pub fn lines(&self) -> Vec<Line> {
        let mut lines = vec![self.line.clone()];
        if matches!(self.edit.kind, Kind::Twice | Kind::Several) {
            let others = self.hunks.iter().map(|hunk| Line { line: hunk.line, ..self.line.clone() });
            lines.extend(others.filter(|line| *line != self.line));
        }
        lines
    }
}

/// How often the failing runs evaluate the assertion after an edit, the best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum AssertionReached {
    /// Some of them as often as before.
    AsBefore,
    /// Some of them, but not as often: a loop around the assertion may have fewer iterations now.
    LessOften,
    /// None of them: the edit may only prevent the assertion from being reached.
    Never,
}

/// What a run is given: inputs in order.
struct Given {
    args: ProgramArgs,
    values: Vec<Bits>,
    /// How long the run is.
    steps: u64,
    /// How often the assertion is evaluated.
    evaluations: u64,
    /// The statements that it executes, unless it is long.
    executed: Executed,
}

impl Given {
    fn of(failure: &Failure<'_>, assertion_edge: Option<u32>) -> Self {
        let mut count = CountEvaluations { place: assertion_edge, times: 0 };
        let run = failure.run_observed(&mut count);
        let values = run.inputs.iter().map(|input| input.bits).collect();
        let mut given = Given {
            args: failure.tape.args.clone(),
            values,
            steps: run.steps,
            evaluations: count.times,
            executed: Executed::default(),
        };
        if given.steps <= STEPS_OF_WORK {
            failure.run_observed(&mut given.executed);
        }
        given
    }

    /// A program that runs in cycles ends with its inputs; others go on with zeros.
    fn inputs(&self, program: &Program) -> ListInputs {
        ListInputs { values: self.values.clone(), next: 0, then_zero: program.cycle.is_none() }
    }
}

/// Runs that are known.
struct Runs<'a> {
    /// Of the program as it is.
    sources: &'a SourceMap,
    /// Whether it is compared with trusted functions: then it holds only if it does its work.
    has_reference: bool,
    failing: Vec<Given>,
    passing: Vec<Given>,
    /// Runs on which some edit failed. Edits may read other inputs, so another one may well find that they are of no interest.
    refuting: Vec<Given>,
    /// What fails, if it is no assertion.
    failing_operation: Option<Span>,
    entry: String,
    properties: PropertySet,
    /// All tests, where the runs come from tests: those that fail first.
    tests: Vec<Test>,
    failing_tests: usize,
    /// Steps of those that pass, together.
    steps_of_passing: u64,
    /// An edit after which a run takes more steps than this is taken for one that makes it endless.
    max_steps: u64,
}

/// A program with an edit.
struct Edited {
    compiled: Compiled,
    /// Where the assertion is evaluated.
    assertion_edge: Option<u32>,
    /// Where texts that were put in lie now.
    put: Vec<Span>,
    /// Where they were put in.
    replaced: Vec<Span>,
    sources: SourceMap,
}

impl Edited {
    /// Whether a piece of text is one that was put in.
    fn holds_hole(&self, span: Span) -> bool {
        self.put.iter().any(|put| put.lo <= span.lo && span.hi <= put.hi && span.lo < span.hi)
    }
}

/// How much longer a run may become by an edit.
const LONGER: u64 = 20;
const MIN_STEPS: u64 = 10_000;
/// Edits of one kind that are compiled; each takes as long as reading the program.
const MAX_OF_A_KIND: usize = 400;
/// Edits of all kinds where tests decide.
const MAX_WITH_TESTS: usize = 1000;
const BATCH: usize = 32;
/// Edits that are kept though they could not be checked, and those of them that are shown.
const MAX_UNPROVEN: usize = 60;
/// After so many edits one after the other that were too hard to check, none is checked any more.
const TOO_HARD: usize = 8;
const HINTS: usize = 3;
/// Known runs with which pieces are synthesized.
const RUNS_FOR_SYNTHESIS: usize = 8;
/// Runs may become shorter by this factor.
const KEPT_WORK: u64 = 4;
/// Of longer runs, what they execute is not compared.
const STEPS_OF_WORK: u64 = 100_000;

impl Runs<'_> {
    /// Whether all failing runs now end regularly, and the assertion is still evaluated on some known run: an edit that only prevents
    /// the evaluation repairs nothing.
    fn pass(&self, edited: &Edited) -> bool {
        let outcome = |given: &Given| self.outcome(edited, given);
        // A program that runs in cycles goes on until there are no more inputs.
        let ends = |given: &Given| match outcome(given) {
            Some(Outcome::Limit(Limit::Inputs)) => edited.compiled.program.cycle.is_some(),
            outcome => matches!(outcome, Some(Outcome::Finished(_))),
        };
        let harmless =
            |given: &Given| ends(given) || matches!(outcome(given), Some(Outcome::AssumptionFailed | Outcome::Aborted));
        if !self.tests.is_empty() {
            return self.tests_pass(edited) && self.refuting.iter().all(harmless);
        }
        // To look at each step takes longer, and most edits do not come that far.
        self.failing.iter().all(ends)
            && self.refuting.iter().all(harmless)
            && (self.assertion_reached(edited) != AssertionReached::Never
                || self.passing.iter().any(|given| self.assertion_evaluations(edited, given) > 0))
            && (self.has_reference || self.does_its_work(edited))
    }

    /// Whether runs that passed do as much as before: a program whose runs only do less holds because it is idle. Of the runs that executed something
    /// that some run does not execute any more, most still do.
    fn does_its_work(&self, edited: &Edited) -> bool {
        if self.passing.is_empty() {
            return !self.is_idle(edited);
        }
        let sets = self.passing.iter().map(|given| {
            let mut executed = Executed::default();
            self.run(edited, given, &mut executed);
            let now = executed.texts(&edited.sources, &edited.put);
            (given.executed.texts(self.sources, &edited.replaced), now)
        });
        let sets: Vec<(BTreeSet<String>, BTreeSet<String>)> =
            sets.filter(|(before, now)| !before.is_empty() && now.is_subset(before)).collect();
        let lost: BTreeSet<&String> = sets.iter().flat_map(|(before, now)| before.difference(now)).collect();
        let concerned = sets.iter().filter(|(before, _)| before.iter().any(|text| lost.contains(text)));
        let (kept, less): (Vec<_>, Vec<_>) = concerned.partition(|(before, now)| before == now);
        kept.len() >= less.len()
    }

    /// Whether a failing run does not do most of what it did any more, and little else: where no passing run is known, that is all that speaks against an edit.
    fn is_idle(&self, edited: &Edited) -> bool {
        let does_little = |given: &Given| {
            let mut executed = Executed::default();
            self.run(edited, given, &mut executed);
            let before = given.executed.texts(self.sources, &edited.replaced);
            let now = executed.texts(&edited.sources, &edited.put);
            let (lost, gained) = (before.difference(&now).count(), now.difference(&before).count());
            2 * lost > before.len() && gained < lost
        };
        self.failing.iter().any(does_little)
    }

    /// Whether the failing runs still come to the operation that fails; asked where nothing else speaks against an edit that only keeps them from it.
    fn operation_reached(&self, edited: &Edited) -> AssertionReached {
        let Some(span) = self.failing_operation.filter(|_| self.passing.is_empty()) else {
            return AssertionReached::AsBefore;
        };
        let is_edited = edited.replaced.iter().any(|other| other.lo < span.hi && span.lo < other.hi);
        let text = self.sources.snippet(span);
        let comes_there = |given: &Given| {
            let mut executed = Executed::default();
            self.run(edited, given, &mut executed);
            executed.texts(&edited.sources, &[]).contains(&*text)
        };
        match is_edited || self.failing.iter().any(comes_there) {
            true => AssertionReached::AsBefore,
            false => AssertionReached::Never,
        }
    }

    /// Whether the failing runs end regularly, at least; the rest is for edits that are made.
    fn may_pass(&self, edited: &Edited) -> bool {
        let program = &edited.compiled.program;
        let Some(entry) = program.function_named(&self.entry) else { return false };
        let task = Task { program, entry, properties: self.properties };
        let ends = |given: &Given| matches!(self.outcome(edited, given), Some(Outcome::Finished(_)));
        match self.tests.is_empty() {
            true => self.failing.iter().all(ends),
            false => self
                .tests
                .iter()
                .all(|test| test.result(&test.run(task, self.max_steps, &mut Unobserved)) == TestResult::Passes),
        }
    }

    /// Whether all tests pass, and the program still does its work: an edit with which those that passed are over at once repairs nothing.
    fn tests_pass(&self, edited: &Edited) -> bool {
        let program = &edited.compiled.program;
        let Some(entry) = program.function_named(&self.entry) else { return false };
        let task = Task { program, entry, properties: self.properties };
        let mut steps = 0;
        for test in &self.tests {
            let run = test.run(task, self.max_steps, &mut Unobserved);
            if test.result(&run) != TestResult::Passes {
                return false;
            }
            steps += run.steps;
        }
        steps.saturating_mul(KEPT_WORK) >= self.steps_of_passing
    }

    fn outcome(&self, edited: &Edited, given: &Given) -> Option<Outcome> {
        let program = &edited.compiled.program;
        let entry = program.function_named(&self.entry)?;
        let config = Config { properties: self.properties, max_steps: self.max_steps, ..Config::default() };
        Some(interp::run(program, entry, &given.args, &mut given.inputs(program), &config).outcome)
    }

    fn run(&self, edited: &Edited, given: &Given, observer: &mut dyn Observer) -> Option<interp::Run> {
        let program = &edited.compiled.program;
        let entry = program.function_named(&self.entry)?;
        let config = Config { properties: self.properties, max_steps: self.max_steps, ..Config::default() };
        Some(interp::run_observed(program, entry, &given.args, &mut given.inputs(program), &config, observer))
    }

    fn assertion_evaluations(&self, edited: &Edited, given: &Given) -> u64 {
        let mut count = CountEvaluations { place: edited.assertion_edge, times: 0 };
        self.run(edited, given, &mut count);
        count.times
    }

    /// How often the failing runs evaluate the assertion now.
    fn assertion_reached(&self, edited: &Edited) -> AssertionReached {
        if edited.assertion_edge.is_none() {
            return AssertionReached::AsBefore;
        }
        let reached = |given: &Given| match self.assertion_evaluations(edited, given) {
            0 => AssertionReached::Never,
            times if times < given.evaluations => AssertionReached::LessOften,
            _ => AssertionReached::AsBefore,
        };
        self.failing.iter().map(reached).min().unwrap_or(AssertionReached::Never)
    }
}

/// Counts how often the condition at a place of the text is evaluated.
struct CountEvaluations {
    place: Option<u32>,
    times: u64,
}

impl Observer for CountEvaluations {
    fn step(&mut self, view: &View<'_, '_>, event: Event<'_>) {
        if let Event::Edge { edge, .. } = event {
            let program = view.program();
            let here = Some(program.edges[edge].span.lo) == self.place && is_condition(program, edge);
            self.times += here as u64;
        }
    }
}

/// A line to be edited.
#[derive(Clone, Debug)]
pub struct EditableLine {
    pub line: Line,
    /// Whether some change there makes the known runs pass, as far as is known: where none does, only the simplest edits are worth trying.
    pub can_help: bool,
    /// It is no suspect: statements beside it are added, or exchanged with it, and simple edits are tried where nothing else helps.
    pub is_beside: bool,
}

impl EditableLine {
    pub fn at(line: Line, can_help: bool) -> Self {
        EditableLine { line, can_help, is_beside: false }
    }

    pub fn beside(line: Line) -> Self {
        EditableLine { line, can_help: false, is_beside: true }
    }
}

/// What edits achieve.
#[derive(Default)]
pub struct Repairs {
    /// All of the same kind, the first lines first.
    pub verified: Vec<Repair>,
    /// Lines with an edit that makes every known run pass, and of which the checker could not say whether it does for all inputs.
    pub plausible: BTreeSet<Line>,
}

/// What the runs come from, where they come from tests.
pub struct Tested<'a> {
    /// The program as the user has it, and what is asked about it.
    pub task: Task<'a>,
    /// Tests that fail, and tests that pass.
    pub failing: Vec<&'a Test>,
    pub passing: Vec<&'a Test>,
    /// How many steps those that pass take together.
    pub steps_of_passing: u64,
    /// Whether some test violates a property of the program, which then should hold for all inputs.
    pub violates: bool,
    /// Each test is a row of a table in the program: all that can be asked of it.
    pub rows: bool,
    /// Which of those that fail do not end.
    pub endless: Vec<bool>,
    /// Steps after which a run does not end.
    pub most_steps: u64,
}

/// Edits at lines, the simple ones first.
pub fn repair(
    failures: &[Failure<'_>],
    tested: Option<&Tested<'_>>,
    candidates: &[EditableLine],
    options: &LocalizeOptions<'_>,
    bench: &Workbench<'_>,
    budget: &Budget,
) -> Repairs {
    let Some(first) = failures.first() else { return Repairs::default() };
    // What is expected is no part of the program.
    let stated = tested.is_some_and(|tested| !tested.violates);
    let rows = tested.is_some_and(|tested| tested.rows);
    let assertion_edge = assertion_edge(first).filter(|_| !stated);
    let task = tested.map_or(first.task, |tested| tested.task);
    let place = assertion_edge.map(|edge| first.task.program.edges[edge].span.lo);
    let passing = options.passing.iter().map(|tape| Given::of(&first.with_tape(tape), place));
    let failing: Vec<Given> = failures.iter().map(|failure| Given::of(failure, place)).collect();
    let longest = failing.iter().map(|given| given.steps).max().unwrap_or(0);
    let runs = Runs {
        sources: options.sources,
        has_reference: !options.trusted.is_empty(),
        failing,
        passing: passing.collect(),
        refuting: Vec::new(),
        failing_operation: first.fault.map(|_| task.program.edges[first.edge].span).filter(|_| tested.is_none()),
        max_steps: match tested.filter(|tested| tested.endless.contains(&true)) {
            Some(tested) => tested.most_steps,
            None => longest.saturating_mul(LONGER).max(MIN_STEPS),
        },
        entry: task.program.function_name(task.entry).to_string(),
        properties: task.properties,
        tests: tested.map_or(Vec::new(), |tested| {
            tested.failing.iter().chain(&tested.passing).map(|test| (*test).clone()).collect()
        }),
        failing_tests: tested.map_or(0, |tested| tested.failing.len()),
        steps_of_passing: tested.map_or(0, |tested| tested.steps_of_passing),
    };
    let lines = Lines::new(options.sources, options.trusted);
    let own = Some(first.edge).filter(|_| first.fault.is_none() && !stated);
    let own_lines: Vec<Line> =
        own.into_iter().chain(assertion_edge).filter_map(|edge| lines.of(first.task.program, edge)).collect();
    let candidates = candidates.iter().filter(|candidate| !own_lines.contains(&candidate.line));
    // What a constant should be is often a number of the tests that fail.
    let numbers: Vec<i128> =
        tested.map_or(Vec::new(), |tested| tested.failing.iter().flat_map(|test| test.numbers()).collect());
    let mut asserted = asserted(task.program, assertion_edge);
    asserted.extend(lines.untouchable(task.program));
    // Whatever does not divide divides by nothing: that repairs no division.
    let divides = first.fault == Some(cfa::Fault::DivisionByZero) && tested.is_none();
    let is_division = |text: &str| matches!(text.trim(), "/" | "%");
    let divides_no_more = |(lo, hi, new): &(u32, u32, String)| {
        is_division(&options.sources.snippet(Span { lo: *lo, hi: *hi })) && !is_division(new)
    };
    let allowed = |edit: &Edit| {
        !(asserted.iter().any(|span| edit.touches(*span)) || divides && edit.parts.iter().any(divides_no_more))
    };
    let places = candidates.filter_map(|candidate| {
        let place = edits::place(task.program, bench, &lines, &candidate.line, &numbers, first.fault)?;
        Some((candidate, place))
    });
    let mut places: Vec<(&EditableLine, Place<'_>)> = places.collect();
    let functions = places.iter().map(|(_, place)| task.program.locations[place.at].function).collect();
    let jumps: Vec<(EditableLine, Place<'_>)> = edits::jump_places(task.program, bench, &lines, &functions)
        .into_iter()
        .map(|(line, place)| (EditableLine::at(line, false), place))
        .collect();
    let (jumping, jumps): (Vec<EditableLine>, Vec<Place<'_>>) = jumps.into_iter().unzip();
    places.extend(jumping.iter().zip(jumps));
    let mut edits: Vec<(usize, (&Line, Edit))> = Vec::new();
    let mut beside: Vec<(usize, (&Line, Edit))> = Vec::new();
    let known_to_pass = !runs.passing.is_empty() || runs.tests.len() > runs.failing_tests;
    for (EditableLine { line, can_help, is_beside }, place) in &places {
        // What is added changes another variable than what stands there.
        let is_statement =
            |edit: &Edit| matches!(edit.kind, Kind::Assignment | Kind::Addition | Kind::Order | Kind::Guarded);
        let is_simple = |edit: &Edit| edit.kind <= Kind::Jump || edit.kind == Kind::Initialization;
        // Where nothing is known to work, whatever does nothing would do; what is freed too often or too early is another matter.
        let is_idle = |edit: &Edit| edit.kind == Kind::Removal && !known_to_pass && !edit.what.contains("free(");
        let worth = |edit: &Edit| !is_idle(edit) && (*can_help || is_statement(edit) || is_simple(edit));
        let of_line = edits::at(place).into_iter().filter(&worth);
        let mut turns: BTreeMap<Kind, usize> = BTreeMap::new();
        for edit in of_line.filter(allowed) {
            let turn = turns.entry(edit.kind).or_default();
            let all = if *is_beside && !is_statement(&edit) { &mut beside } else { &mut edits };
            all.push((*turn, (line, edit)));
            *turn += 1;
        }
    }
    let twice = twice(&edits);
    edits.extend(twice.into_iter().map(|edit| (0, edit)));
    // Simple kinds of edits at all lines before less simple ones at any, the lines taking turns; when one kind works, nothing less simple is tried.
    edits.sort_by_key(|(turn, (_, edit))| (edit.kind, *turn));
    let edits: Vec<(&Line, Edit)> = edits.into_iter().map(|(_, edit)| edit).collect();
    let has_inputs = !rows && has_inputs(task);
    let left = if runs.tests.is_empty() { options.most_edits } else { options.most_edits.min(MAX_WITH_TESTS) };
    let args = first.tape.args.clone();
    let known_runs =
        runs.failing.len().max(runs.failing_tests) + runs.passing.len().max(runs.tests.len() - runs.failing_tests);
    let mut search = Search {
        bench,
        shows_unproven: !runs.passing.is_empty() && options.most_edits == usize::MAX,
        runs,
        place,
        only_tests: stated || rows,
        has_inputs,
        task,
        args,
        left,
        found: Repairs::default(),
        too_hard: 0,
        unproven: Vec::new(),
        budget,
    };
    let synthesized = edits.partition_point(|(_, edit)| edit.kind < Kind::Guard);
    for same_kind in edits[..synthesized].chunk_by(|a, b| a.1.kind == b.1.kind) {
        if search.attempt(same_kind) {
            return search.finish();
        }
    }
    // What few runs ask for, too much gives.
    if known_runs >= RUNS_FOR_SYNTHESIS {
        search.left = search.left.max(MAX_OF_A_KIND.min(options.most_edits));
        let texts: Vec<(&str, &[u8], u32)> = bench.units.iter().map(|unit| bench.text(*unit)).collect();
        for missing in [Place::missing_conditions, Place::missing_terms] {
            let mut edits: Vec<(&Line, Edit)> = Vec::new();
            for (EditableLine { line, .. }, place) in places.iter().filter(|(candidate, _)| candidate.can_help) {
                if budget.expired() {
                    break;
                }
                let of_line = missing(place, bench, &texts, &search.runs).into_iter().filter(allowed);
                edits.extend(of_line.map(|edit| (line, edit)));
            }
            if search.attempt(&edits) {
                return search.finish();
            }
        }
    }
    for same_kind in edits[synthesized..].chunk_by(|a, b| a.1.kind == b.1.kind) {
        if search.attempt(same_kind) {
            return search.finish();
        }
    }
    if search.found.verified.is_empty() {
        search.several(&edits[..synthesized]);
    }
    // A loop that is never entered has no other value that would help, and still its condition can be wrong.
    if search.found.verified.is_empty() {
        beside.sort_by_key(|(turn, (_, edit))| (edit.kind, *turn));
        let beside: Vec<(&Line, Edit)> = beside.into_iter().map(|(_, edit)| edit).collect();
        search.left = search.left.max(MAX_OF_A_KIND.min(options.most_edits));
        for same_kind in beside.chunk_by(|a, b| a.1.kind == b.1.kind) {
            if search.attempt(same_kind) {
                break;
            }
        }
    }
    search.finish()
}

/// The same change of an operator on two lines: who makes a mistake once makes it again.
fn twice<'l>(edits: &[(usize, (&'l Line, Edit))]) -> Vec<(&'l Line, Edit)> {
    let mut found = Vec::new();
    for (index, (_, (line, edit))) in edits.iter().enumerate() {
        for (_, (other_line, other)) in &edits[index + 1..] {
            if edit.kind == Kind::Boundary && edit.kind == other.kind && edit.what == other.what && line != other_line {
                let mut parts: Vec<(u32, u32, String)> = edit.parts.iter().chain(&other.parts).cloned().collect();
                parts.sort();
                let what = format!("{}, here and in line {}", edit.what, other_line.line);
                found.push((*line, Edit { parts, what, kind: Kind::Twice, shared_tokens: 0, definition: None }));
            }
        }
    }
    found
}

/// Edits that are tried, and what came of it.
struct Search<'a> {
    bench: &'a Workbench<'a>,
    runs: Runs<'a>,
    place: Option<u32>,
    /// Only what tests expect is known.
    only_tests: bool,
    has_inputs: bool,
    /// The program without edits.
    task: Task<'a>,
    args: ProgramArgs,
    /// Edits that may still be tried.
    left: usize,
    found: Repairs,
    /// Edits one after the other that were too hard to check.
    too_hard: usize,
    /// Edits with which all known runs pass and that are too hard to check, with how many runs that passed come out otherwise.
    unproven: Vec<(usize, Repair)>,
    /// Whether they are worth showing: without a run that passes, whatever does nothing is one.
    shows_unproven: bool,
    budget: &'a Budget,
}

impl Search<'_> {
    /// Tries edits of one kind; whether nothing less simple is needed.
    fn attempt(&mut self, edits: &[(&Line, Edit)]) -> bool {
        let edits = guards::sieved(self.bench, &self.runs, edits);
        let count = edits.len().min(MAX_OF_A_KIND).min(self.left);
        self.left -= count;
        for batch in edits[..count].chunks(BATCH) {
            if self.budget.expired() {
                return true;
            }
            let passes = |edited: &Edited| self.runs.pass(edited).then_some(());
            for ((line, edit), edited) in batch.iter().zip(sift(self.bench, self.place, batch, passes)) {
                let edited = edited.map(|(edited, ())| edited);
                // Runs may have been added since it was sifted.
                let Some(edited) = edited.filter(|edited| self.runs.pass(edited)) else { continue };
                let gives_up = self.too_hard >= TOO_HARD;
                let checked = match self.only_tests || gives_up {
                    true => Checked::Unknown,
                    false => (self.bench.check)(&edited.compiled.program),
                };
                self.too_hard = if matches!(checked, Checked::Unknown) { self.too_hard + 1 } else { 0 };
                match checked {
                    Checked::Holds { bound, complete } => {
                        let repair = self.repair(line, edit, &edited, Known::Holds { bound, complete });
                        self.found.verified.push(repair);
                    }
                    // Where nothing more can be known, the tests count.
                    Checked::Unknown if !self.runs.tests.is_empty() => {
                        let repair = self.repair(line, edit, &edited, Known::Tests(self.runs.tests.len()));
                        self.found.verified.push(repair);
                    }
                    Checked::Fails(values) => {
                        let (args, executed) = (self.args.clone(), Executed::default());
                        self.runs.refuting.push(Given { args, values, steps: 0, evaluations: 0, executed });
                    }
                    Checked::Unknown => {
                        if !gives_up {
                            self.found.plausible.insert((*line).clone());
                        }
                        if self.shows_unproven && self.unproven.len() < MAX_UNPROVEN {
                            let known = Known::Runs(self.runs.failing.len() + self.runs.passing.len());
                            let repair = self.repair(line, edit, &edited, known);
                            self.unproven.push((self.differing(&edited), repair));
                        }
                    }
                }
            }
        }
        self.found.verified.iter().any(|repair| repair.assertion == AssertionReached::AsBefore)
    }

    /// How many of the runs that passed come out otherwise with an edit.
    fn differing(&self, edited: &Edited) -> usize {
        let program = &edited.compiled.program;
        let Some(entry) = program.function_named(&self.runs.entry) else { return usize::MAX };
        let config = Config { properties: self.runs.properties, max_steps: self.runs.max_steps, ..Config::default() };
        let seen = |program: &Program, entry, given: &Given| {
            let run = interp::run(program, entry, &given.args, &mut given.inputs(program), &config);
            (run.outcome, run.stdout)
        };
        let differs = |given: &&Given| seen(program, entry, given) != seen(self.task.program, self.task.entry, given);
        self.runs.passing.iter().filter(differs).count()
    }

    fn repair(&self, line: &Line, edit: &Edit, edited: &Edited, known: Known) -> Repair {
        let hunks = shown::hunks(self.bench.sources, self.bench.frontend, edit).unwrap_or_default();
        let assertion = self.runs.assertion_reached(edited).max(self.runs.operation_reached(edited));
        let has_inputs = self.has_inputs;
        let (line, edit) = (line.clone(), edit.clone());
        Repair { line, edit, hunks, known, assertion, has_inputs, changes: None, is_doubtful: false, rivals: 0 }
    }

    /// Edits that only tests speak for: those that change least come first, and of those that differ the first is the one to show.
    fn compare(&mut self) {
        let is_open = |repair: &Repair| matches!(repair.known, Known::Tests(_));
        if self.runs.tests.is_empty() || !self.has_inputs || !self.found.verified.iter().any(is_open) {
            return;
        }
        let others = OtherTests::of(self.task, &self.runs.tests, self.runs.max_steps);
        let texts: Vec<(&str, &[u8], u32)> = self.bench.units.iter().map(|unit| self.bench.text(*unit)).collect();
        let outcomes = |repair: &Repair| {
            let edited = compile(self.bench, &texts, &repair.edit, None)?;
            let program = &edited.compiled.program;
            let entry = program.function_named(&self.runs.entry)?;
            let task = Task { program, entry, properties: self.runs.properties };
            Some((others.differ(task), others.outcomes(task)))
        };
        let mut compared: Vec<_> = std::mem::take(&mut self.found.verified)
            .into_iter()
            .map(|repair| (outcomes(&repair).filter(|_| is_open(&repair)), repair))
            .collect();
        for (outcome, repair) in &mut compared {
            repair.changes =
                outcome.as_ref().map(|(differ, _)| (differ.iter().filter(|one| **one).count(), differ.len()));
        }
        compared.sort_by_key(|(_, repair)| (repair.assertion, repair.changes));
        let first = compared.first().and_then(|(outcome, _)| outcome.as_ref().map(|(_, outcomes)| outcomes.clone()));
        for (outcome, repair) in compared.iter_mut().skip(1) {
            repair.is_doubtful = outcome.as_ref().map(|(_, outcomes)| outcomes) != first.as_ref();
        }
        let rivals = compared.iter().filter(|(_, repair)| repair.is_doubtful).count();
        compared.iter_mut().for_each(|(_, repair)| repair.rivals = rivals);
        // Another number in the same place, which nothing tells apart, is no further hint.
        for index in 1..compared.len() {
            let place = |repair: &Repair| repair.edit.parts.iter().map(|(lo, hi, _)| (*lo, *hi)).collect::<Vec<_>>();
            let here = place(&compared[index].1);
            let known = compared[..index].iter().any(|(_, other)| !other.is_doubtful && place(other) == here);
            compared[index].1.is_doubtful |= known;
        }
        self.found.verified = compared.into_iter().map(|(_, repair)| repair).collect();
    }

    fn finish(mut self) -> Repairs {
        self.compare();
        // Of those that could not be checked, the ones that leave most as it was.
        if self.found.verified.is_empty() {
            self.unproven.sort_by_key(|(differing, repair)| (repair.assertion, *differing));
            self.found.verified.extend(self.unproven.drain(..).map(|(_, repair)| repair).take(HINTS));
        }
        // Those that only keep out what fails come last.
        self.found.verified.sort_by_key(|repair| repair.assertion);
        self.found
    }
}

/// Whether runs can differ by what they are given.
fn has_inputs(task: Task<'_>) -> bool {
    let program = task.program;
    let reads = |edge: EdgeId| gives(program, edge) == Some(Gives::Input);
    !program.functions[task.entry].params.is_empty() || program.edges.ids().any(reads)
}

/// Whether operations themselves are asked for it: their text may be wrong.
fn is_check(property: Property) -> bool {
    matches!(property, Property::ValidDeref | Property::DivByZero | Property::Subrange)
}

/// The text of what should hold. To ask for less repairs nothing.
fn asserted(program: &Program, assertion_edge: Option<EdgeId>) -> Vec<Span> {
    let anchor = assertion_edge.map(|assertion_edge| program.edges[assertion_edge].anchor);
    let asserting = asserting_calls(program);
    let asks = |(edge, data): &(EdgeId, &cfa::Edge)| {
        matches!(data.op, Op::Assert { property, .. } if !is_check(property))
            || asserting.contains(edge)
            || (Some(data.anchor) == anchor && is_condition(program, *edge))
    };
    program.edges.iter().filter(asks).map(|(_, data)| data.span).collect()
}

/// Compiles edits and looks at their runs, on two cores; those of which there is something to say.
fn sift<T: Send>(
    bench: &Workbench<'_>,
    assertion_edge: Option<u32>,
    edits: &[(&Line, Edit)],
    look: impl Fn(&Edited) -> Option<T> + Sync,
) -> Vec<Option<(Edited, T)>> {
    let texts: Vec<(&str, &[u8], u32)> = bench.units.iter().map(|unit| bench.text(*unit)).collect();
    let one = |edit: &&Edit| {
        let edited = compile(bench, &texts, edit, assertion_edge)?;
        let said = look(&edited)?;
        Some((edited, said))
    };
    let edits: Vec<&Edit> = edits.iter().map(|(_, edit)| edit).collect();
    let (first, second) = edits.split_at(edits.len() / 2);
    std::thread::scope(|scope| {
        let other = scope.spawn(|| second.iter().map(one).collect::<Vec<_>>());
        let mut sifted: Vec<Option<(Edited, T)>> = first.iter().map(one).collect();
        match other.join() {
            Ok(more) => sifted.extend(more),
            Err(panic) => std::panic::resume_unwind(panic),
        }
        sifted
    })
}

fn compile(
    bench: &Workbench<'_>,
    texts: &[(&str, &[u8], u32)],
    edit: &Edit,
    assertion_edge: Option<u32>,
) -> Option<Edited> {
    let mut sources = SourceMap::new();
    let mut files = Vec::new();
    let mut moved = None;
    let mut put = Vec::new();
    for (name, text, base) in texts {
        let file = sources.add(*name, edit.apply(text, *base))?;
        files.push(file);
        let mut longer = 0;
        for (lo, hi, new) in edit.parts.iter().filter(|(lo, hi, _)| *lo >= *base && *hi <= base + text.len() as u32) {
            let at = (i64::from(sources.base(file) + (lo - base)) + longer) as u32;
            put.push(Span { lo: at, hi: at + new.len() as u32 });
            longer += new.len() as i64 - i64::from(hi - lo);
        }
        // Where the assertion is after the edit.
        if let Some(place) = assertion_edge.filter(|place| (*base..=base + text.len() as u32).contains(place)) {
            let offset = edit.apply(&text[..(place - base) as usize], *base).len() as u32;
            moved = Some(sources.base(file) + offset);
        }
    }
    let mut compiled = (bench.frontend.compile)(&mut sources, &files, &bench.options);
    if compiled.has_errors() {
        return None;
    }
    cfa::undefined::apply(&mut compiled.program, &compiled.outside, bench.undefined);
    cfa::environment::apply(&mut compiled.program, bench.environment);
    let replaced = edit.parts.iter().map(|(lo, hi, _)| Span { lo: *lo, hi: *hi }).collect();
    Some(Edited { compiled, assertion_edge: moved, put, replaced, sources })
}
