//! Value replacement and predicate switching (Jeffrey et al. 2008; Zhang et al. 2006): a line is a suspect if other values of what it computes, or
//! another outcome of its condition, make every failing run pass. Runs are carried out in the interpreter, with nothing but that line changed,
//! so their length matters little, and whatever tells failing runs from passing ones can be the oracle.
//!
//! Which values are tried is limited (those that runs, tests and the program know, and their neighbours): a line that is not found here may still be to blame.

mod combine;

use super::LocalizeOptions;
use super::diagnosis::{Diagnoses, covered};
use super::lines::{Line, Lines};
use super::reading::Readings;
use crate::Failure;
use crate::assertion_edge::{assertion_edge, is_condition};
use crate::repair::Tested;
use crate::suite::{Test, TestResult, Unobserved};
use base::Budget;
use cfa::environment::replacement::{Replaceable, replaceable};
use cfa::interp::{
    self, Config, Coverage, Event, FillRequest, InputRequest, InputSource, Inputs, Limit, ListInputs, Observer,
    Outcome, Runner, View,
};
use cfa::{Bits, EdgeId, Op, Program, Task, eval};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Steps of the interpreter for one line, and for all of them.
const STEPS_OF_A_LINE: u64 = 10_000_000;
const ALL_STEPS: u64 = 400_000_000;
/// Runs of more steps are judged by their first wrong line of output.
const LONG: u64 = 30_000;
/// Runs with a changed line may take so many times the steps that they took.
const LONGER: u64 = 8;
const LEAST_STEPS: u64 = 2_000;
/// Executions of a line that are changed one at a time.
const INSTANCES: usize = 40;
/// Values that are tried.
const VALUES: usize = 64;
/// Failing runs on which each line is tried, whatever it does on those before.
const DECIDING: usize = 16;
/// Passing runs that show whether a line could compute something else.
const PASSING: usize = 10;

/// A run that is given, and whether another run of it is as it should be.
enum Known<'a> {
    Test(&'a Test),
    /// One whose run does not end, and the steps after which no run does.
    Endless(&'a Test, u64),
    /// Inputs in order, and those that are integers; it should violate nothing.
    Values {
        words: interp::ProgramArgs,
        values: Vec<Bits>,
        numbers: Vec<i128>,
    },
}

/// What is known of each line: which failing runs some change of it makes pass, and how many passing runs let it do something else.
#[derive(Clone, Debug, Default)]
pub struct Replaced(BTreeMap<Line, LineResult>);

#[derive(Clone, Debug, Default)]
struct LineResult {
    /// By the number of the failing run.
    helped: Vec<bool>,
    flexible: (u32, u32),
    /// Not all was tried that there is.
    gave_up: bool,
    /// What makes all failing runs pass, and how many passing runs let that statement do something else.
    change: Option<(Change, (u32, u32))>,
}

/// A change of one statement of a line that makes every failing run pass.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Change {
    /// Its condition comes out so, each time or once; in the same way in all failing runs.
    Condition { edge: EdgeId, truth: bool },
    /// Its condition comes out otherwise, in some failing runs so and in others so.
    OtherCondition,
    /// It gives another value; which one in the first failing run, and instead of which, where it is executed once.
    Value { gives: i128, instead: Option<i128> },
    /// It is left out.
    LeftOut,
}

impl Replaced {
    /// Whether a run is known to pass when the line gives something else.
    pub fn helps(&self, line: &Line, run: usize) -> bool {
        self.0.get(line).is_some_and(|result| result.helped.get(run) == Some(&true))
    }

    pub fn flexibility(&self, line: &Line) -> Option<f64> {
        self.0.get(line).and_then(LineResult::flexibility)
    }

    /// The change of a line that makes every failing run pass.
    pub fn change(&self, line: &Line) -> Option<Change> {
        Some(self.0.get(line)?.change?.0)
    }

    /// Of so many passing runs that execute a line (the second number), how many stay so when it does something else.
    pub fn still_pass(&self, line: &Line) -> Option<(u32, u32)> {
        self.0.get(line)?.change.map(|(_, counts)| counts).filter(|counts| counts.1 > 0)
    }
}

impl LineResult {
    fn flexibility(&self) -> Option<f64> {
        (self.flexible.1 > 0).then(|| self.flexible.0 as f64 / self.flexible.1 as f64)
    }
}

/// Which executions of the line are changed, and what they give.
#[derive(Clone, Copy)]
struct Plan {
    which: Which,
    value: i128,
}

/// The value with which a line helps a run, and what it gives if it is executed once.
#[derive(Clone, Copy)]
struct Helps {
    value: i128,
    instead: Option<i128>,
}

#[derive(Clone, Copy)]
enum Which {
    None,
    All,
    Only(usize),
    From(usize),
}

/// The inputs of a known run, and the decisions of a plan.
struct Planned<'r> {
    own: Box<dyn Inputs + 'r>,
    at: &'r Replaceable,
    plan: Plan,
    seen: usize,
}

impl Inputs for Planned<'_> {
    fn next(&mut self, request: &InputRequest) -> Option<Bits> {
        let InputSource::Edge { edge, .. } = request.source else { return self.own.next(request) };
        if self.at.decisions.contains(&edge) {
            let number = self.seen;
            self.seen += 1;
            let replaces = match self.plan.which {
                Which::None => false,
                Which::All => true,
                Which::Only(one) => one == number,
                Which::From(first) => number >= first,
            };
            return Some(Bits::new(replaces as u128));
        }
        if self.at.values.contains_key(&edge) {
            let types = &self.at.program.types;
            return Some(match request.ty.float_kind() {
                Some(_) => eval::cast(types, cfa::TypeId::DOUBLE, request.ty, eval::from_f64(self.plan.value as f64)),
                None => eval::from_i128(types, request.ty, self.plan.value),
            });
        }
        self.own.next(request)
    }

    fn fill(&mut self, request: &FillRequest, bytes: &mut [u8]) {
        self.own.fill(request, bytes);
    }
}

/// What the line gives in a run, execution by execution.
struct Given<'r> {
    at: &'r Replaceable,
    values: Vec<i128>,
    /// The output that is expected.
    expected: &'r [u8],
    /// Steps so far, how much of the output is right, and when it was wrong for the first time.
    steps: u64,
    right: usize,
    wrong_at: Option<u64>,
    /// Nothing after that is of interest.
    until_wrong: bool,
}

impl Observer for Given<'_> {
    fn step(&mut self, view: &View<'_, '_>, event: Event<'_>) {
        if let Event::Edge { .. } = event {
            self.steps += 1;
            let output = view.stdout();
            if self.wrong_at.is_none() && output.len() > self.right {
                self.right += common(&output[self.right..], self.expected.get(self.right..).unwrap_or(&[]));
                self.wrong_at = (self.right < output.len()).then_some(self.steps);
            }
        }
        let Event::Edge { edge, value: Some((ty, bits)) } = event else { return };
        if self.at.assignments.contains(&edge) && self.values.len() < 100_000 {
            let is_float = ty.float_kind().is_some();
            self.values.push(if is_float { 0 } else { eval::to_i128(&view.program().types, ty, bits) });
        }
    }

    fn gives_up(&mut self) -> bool {
        self.until_wrong && self.wrong_at.is_some()
    }
}

/// Whether a run comes to the condition at a place of the text.
struct Evaluated {
    place: u32,
    is_evaluated: bool,
}

impl Observer for Evaluated {
    fn step(&mut self, view: &View<'_, '_>, event: Event<'_>) {
        if let Event::Edge { edge, .. } = event {
            let program = view.program();
            self.is_evaluated |= program.edges[edge].span.lo == self.place && is_condition(program, edge);
        }
    }
}

/// The search at one line.
struct Search<'a> {
    at: &'a Replaceable,
    task: Task<'a>,
    constants: &'a [i128],
    steps: u64,
    max_steps: u64,
    /// Only because runs that someone watches are slower.
    coverage: Coverage,
    /// A run that is right up to the end of its first wrong line of output will do.
    first_output: bool,
    /// Where the violated assertion is evaluated.
    assertion: Option<u32>,
    /// Ends runs too: a run with short inputs may be very long.
    budget: &'a Budget,
}

/// One run that is known, to be carried out many times.
struct Repeated<'a, 'k> {
    known: &'k Known<'k>,
    runner: Runner<'a>,
    /// So much of the expected output will do.
    enough: Option<usize>,
}

impl<'a> Search<'a> {
    fn repeated<'k>(&self, known: &'k Known<'k>) -> Repeated<'a, 'k> {
        let program = &self.at.program;
        let words = match known {
            Known::Test(test) | Known::Endless(test, _) => test.words(program.function_name(self.task.entry)),
            Known::Values { words, .. } => words.clone(),
        };
        Repeated { known, runner: Runner::new(program, self.task.entry, words), enough: None }
    }

    /// A run with a plan; whether it is as it should be.
    fn passes(
        &mut self,
        run: &mut Repeated<'a, '_>,
        plan: Plan,
        max_steps: u64,
        observer: Option<&mut dyn Observer>,
    ) -> (bool, u64, usize) {
        let program = &self.at.program;
        let own: Box<dyn Inputs> = match run.known {
            Known::Test(test) | Known::Endless(test, _) => Box::new(test.inputs(program)),
            Known::Values { values, .. } => {
                Box::new(ListInputs { values: values.clone(), next: 0, then_zero: program.cycle.is_none() })
            }
        };
        let mut inputs = Planned { own, at: self.at, plan, seen: 0 };
        let budget = self.budget.clone();
        let config = Config { properties: self.task.properties, max_steps, budget, ..Config::default() };
        let done = match observer {
            // Its code is another one.
            Some(observer) => {
                let words = match run.known {
                    Known::Test(test) | Known::Endless(test, _) => test.words(program.function_name(self.task.entry)),
                    Known::Values { words, .. } => words.clone(),
                };
                interp::run_observed(program, self.task.entry, &words, &mut inputs, &config, observer)
            }
            None => run.runner.run_covered(&mut inputs, &config, &mut self.coverage),
        };
        self.steps += done.steps;
        let passes = match run.known {
            Known::Test(test) => {
                let goes_on = matches!(done.outcome, Outcome::Finished(_) | Outcome::Limit(Limit::Steps));
                let enough = |least: usize| goes_on && common(&done.stdout, expected(test)) >= least;
                test.result(&done) == TestResult::Passes || run.enough.is_some_and(enough)
            }
            // That it goes on is what is wrong with it.
            Known::Endless(test, _) => test.result(&done) == TestResult::Passes,
            // A program that runs in cycles goes on until there are no more inputs.
            Known::Values { .. } => match done.outcome {
                Outcome::Limit(Limit::Inputs) => program.cycle.is_some(),
                outcome => matches!(outcome, Outcome::Finished(_)),
            },
        };
        (passes, done.steps, inputs.seen)
    }

    /// Of how many passing runs that execute the line some stay so when it gives something else, and how many execute it.
    fn flexibility(&mut self, passing: &[Known<'_>], budget: &Budget) -> (u32, u32) {
        let all_steps = std::mem::take(&mut self.steps);
        let mut counts = (0, 0);
        for known in passing {
            let mut run = self.repeated(known);
            let (_, _, executions) =
                self.passes(&mut run, Plan { which: Which::None, value: 0 }, STEPS_OF_A_LINE, None);
            if executions > 0 {
                counts.1 += 1;
                counts.0 += self.can_pass(known, budget).is_some() as u32;
            }
        }
        self.steps += all_steps;
        counts
    }

    /// The change of the line that makes a run pass (or keeps it passing, with something else computed).
    fn can_pass(&mut self, known: &Known<'_>, budget: &Budget) -> Option<Helps> {
        let output = match run_of_test(known) {
            Some(test) => expected(test),
            None => &[],
        };
        let until_wrong = self.first_output && !output.is_empty();
        let (at, values) = (self.at, Vec::new());
        let mut given = Given { at, values, expected: output, steps: 0, right: 0, wrong_at: None, until_wrong };
        let (mut run, before) = (self.repeated(known), self.steps);
        // A given test is followed to its end, if it has one; runs that were found by chance may loop for long.
        let most = match known {
            Known::Test(_) => u64::MAX >> 1,
            Known::Endless(_, most) => *most,
            Known::Values { .. } => STEPS_OF_A_LINE,
        };
        let (_, _, executions) = self.passes(&mut run, Plan { which: Which::None, value: 0 }, most, Some(&mut given));
        let Given { values, right, steps, .. } = given;
        // A run that is given up says that it took all the steps it had.
        self.steps = before + steps;
        if until_wrong {
            // Up to where the first wrong line ends.
            let rest = output.get(right..).unwrap_or(&[]);
            let line = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |end| end + 1);
            run.enough = Some(right + line);
        }
        if executions == 0 {
            return None;
        }
        let max_steps = steps.saturating_mul(LONGER).max(LEAST_STEPS).min(most);
        // What gives no number can only be left out.
        let is_left_out = self.at.values.is_empty();
        let is_condition = !is_left_out && self.at.values.values().all(|condition| *condition);
        let mut plans: Vec<Plan> = Vec::new();
        let tried = match (is_left_out, is_condition) {
            (true, _) => vec![0],
            (_, true) => vec![0, 1],
            _ => candidates(&values, known, self.constants),
        };
        if executions == 1 || !is_condition {
            plans.extend(tried.iter().map(|value| Plan { which: Which::All, value: *value }));
        }
        if executions > 1 {
            // The last ones first: what is nearest to the failure explains it best.
            for number in (0..executions).rev().take(INSTANCES).chain((0..executions.min(INSTANCES / 4)).rev()) {
                let other = values.get(number).copied().unwrap_or(0);
                let near = [other + 1, other - 1, 0, 1, -other];
                let near = match (is_left_out, is_condition) {
                    (true, _) => vec![0],
                    (_, true) => vec![(other == 0) as i128],
                    _ => near.to_vec(),
                };
                plans.extend(near.iter().map(|value| Plan { which: Which::Only(number), value: *value }));
            }
            plans.extend([0, 1].map(|value| Plan { which: Which::All, value }));
            let half = executions / 2;
            plans.extend(tried.iter().map(|value| Plan { which: Which::From(half), value: *value }));
            let last = executions - 1;
            plans.extend(tried.iter().map(|value| Plan { which: Which::Only(last), value: *value }));
        }
        for plan in plans {
            // What the line gives anyway is no change.
            let same = match plan.which {
                Which::Only(number) => values.get(number) == Some(&plan.value),
                _ => values.iter().all(|value| *value == plan.value),
            };
            if same && !is_left_out {
                continue;
            }
            if self.steps > self.max_steps || budget.expired() {
                return None;
            }
            if self.passes(&mut run, plan, max_steps, None).0
                && !(is_left_out && self.avoids(&mut run, plan, max_steps))
            {
                let instead = if executions == 1 { values.first().copied() } else { None };
                return Some(Helps { value: plan.value, instead });
            }
        }
        None
    }

    /// Whether a run does not come to the assertion any more: to leave out a call that leads to it helps nobody.
    fn avoids(&mut self, run: &mut Repeated<'a, '_>, plan: Plan, max_steps: u64) -> bool {
        let Some(place) = self.assertion else { return false };
        let mut evaluated = Evaluated { place, is_evaluated: false };
        self.passes(run, plan, max_steps, Some(&mut evaluated));
        !evaluated.is_evaluated
    }
}

fn run_of_test<'k>(known: &'k Known<'_>) -> Option<&'k Test> {
    match known {
        Known::Test(test) => Some(test),
        Known::Endless(..) | Known::Values { .. } => None,
    }
}

/// The output that a test expects.
fn expected(test: &Test) -> &[u8] {
    test.expected.stdout.as_deref().unwrap_or(&[])
}

/// How many bytes two texts have in common at their beginning.
fn common(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// Values to try: neighbours of what the line gives, numbers of the test and what is expected of it, and constants of the program.
fn candidates(values: &[i128], known: &Known<'_>, constants: &[i128]) -> Vec<i128> {
    let mut all: Vec<i128> = vec![0, 1, -1];
    let distinct: BTreeSet<i128> = values.iter().copied().collect();
    all.extend(distinct.iter().take(8).flat_map(|value| [value + 1, value - 1, -value]));
    let numbers = match known {
        Known::Test(test) | Known::Endless(test, _) => test.numbers(),
        Known::Values { numbers, .. } => numbers.clone(),
    };
    all.extend(numbers.iter().take(VALUES / 2).flat_map(|value| [*value, value + 1, value - 1]));
    all.extend(constants);
    let mut seen = BTreeSet::new();
    all.retain(|value| seen.insert(*value));
    all.truncate(VALUES);
    all
}

/// Small integer constants of the program, the most frequent kind of number that a value is wrong by.
fn constants(program: &Program) -> Vec<i128> {
    let all = program.exprs.values().filter_map(|expr| match expr.kind {
        cfa::ExprKind::Const(bits) if matches!(program.types.get(expr.ty), cfa::Type::Int(_)) => {
            Some(eval::to_i128(&program.types, expr.ty, bits))
        }
        _ => None,
    });
    let all: BTreeSet<i128> = all.filter(|value| value.abs() < 100_000).collect();
    let mut all: Vec<i128> = all.into_iter().collect();
    all.sort_by_key(|value| value.abs());
    all.truncate(VALUES / 2);
    all
}

/// The lines with which all failing runs can pass; `None` if there is no time for any.
pub fn replace(failures: &[Failure<'_>], options: &LocalizeOptions<'_>, budget: &Budget) -> Option<Diagnoses> {
    let first = failures.first()?;
    let task = options.tested.map_or(first.task, |tested| tested.task);
    let known = |failure: &Failure<'_>| {
        let run = failure.run_observed(&mut Unobserved);
        let types = &failure.task.program.types;
        let integers = run.inputs.iter().filter(|input| input.request.ty.float_kind().is_none());
        let numbers = integers.map(|input| eval::to_i128(types, input.request.ty, input.bits)).collect();
        let values = run.inputs.iter().map(|input| input.bits).collect();
        Known::Values { words: failure.tape.args.clone(), values, numbers }
    };
    let (failing, passing): (Vec<Known<'_>>, Vec<Known<'_>>) = match options.tested {
        Some(tested) => (
            tested
                .failing
                .iter()
                .zip(&tested.endless)
                .map(|(test, endless)| known_test(test, *endless, tested))
                .collect(),
            tested.passing.iter().take(PASSING).map(|test| Known::Test(test)).collect(),
        ),
        None => (
            failures.iter().map(known).collect(),
            options.passing.iter().take(PASSING).map(|tape| known(&first.with_tape(tape))).collect(),
        ),
    };
    let lines = Lines::new(options.sources, options.trusted);
    let plain = |edge: EdgeId| match options.tested {
        Some(_) => lines.of_statement(task.program, edge),
        None => lines.suspect(first, edge),
    };
    let executed: BTreeSet<Line> = match options.tested {
        Some(_) => options.spectrum.failing_lines(),
        None => failures.iter().flat_map(covered).filter_map(plain).collect(),
    };
    let readings = Readings::of(task.program);
    let mut by_line: BTreeMap<Line, BTreeSet<EdgeId>> = BTreeMap::new();
    for (edge, data) in task.program.edges.iter() {
        if matches!(data.op, Op::Assign(..) | Op::Return(_) | Op::Assume { .. } | Op::Call { .. })
            && !(options.tested.is_some() && readings.only_reads(edge))
            && let Some(line) = plain(edge).filter(|line| executed.contains(line) && is_users(options, line))
        {
            by_line.entry(line).or_default().insert(edge);
        }
    }
    let constants = constants(task.program);
    let by_line: Vec<(Line, BTreeSet<EdgeId>)> = by_line.into_iter().collect();
    // The same for each line, whatever the others need: what is found does not depend on which is looked at first.
    let max_steps = (ALL_STEPS / by_line.len().max(1) as u64).min(STEPS_OF_A_LINE);
    let stated = options.tested.is_some_and(|tested| !tested.violates);
    let place_of_assertion =
        assertion_edge(first).filter(|_| !stated).map(|edge| first.task.program.edges[edge].span.lo);
    let mut bench = Bench {
        task,
        failing: &failing,
        passing: &passing,
        constants: &constants,
        max_steps,
        budget,
        first_output: false,
        assertion: place_of_assertion,
        deciding: DECIDING,
    };
    // Long runs with much wrong output: one value never makes all of it right, but the first line of it.
    let has_output =
        options.tested.is_some_and(|tested| tested.failing.iter().any(|test| test.expected.stdout.is_some()));
    // The shortest are the first.
    let ending = |tested: &&Tested<'_>| tested.endless.iter().rposition(|endless| !endless);
    let longest = options.tested.and_then(|tested| tested.failing.get(ending(&tested)?));
    let is_long = |test: &&Test| test.run(task, LONG, &mut Unobserved).outcome == Outcome::Limit(interp::Limit::Steps);
    bench.first_output = has_output && longest.is_some_and(is_long);
    let mut results = bench.all(&by_line);
    let mut found = bench.diagnoses(&by_line, &results);
    let is_single = |found: &Diagnoses| found.sets.iter().any(|set| set.cost == 1);
    if has_output && !bench.first_output && !is_single(&found) {
        bench.first_output = true;
        let weaker = bench.all(&by_line);
        let other = bench.diagnoses(&by_line, &weaker);
        let explains_more = |found: &Diagnoses| (is_single(found), !found.sets.is_empty(), found.best());
        if explains_more(&other) > explains_more(&found) {
            (results, found) = (weaker, other);
        }
    }
    let answered = !found.sets.is_empty() || !budget.expired();
    // An earlier answer of the same method is the same.
    let _ = options.replaced.set(Replaced(results.into_iter().collect()));
    answered.then_some(found)
}

fn known_test<'a>(test: &'a Test, is_endless: bool, tested: &Tested<'_>) -> Known<'a> {
    if is_endless { Known::Endless(test, tested.most_steps) } else { Known::Test(test) }
}

/// Whether somebody wrote the line: calls that an entry function is given its arguments by have no text.
fn is_users(options: &LocalizeOptions<'_>, line: &Line) -> bool {
    let place = base::Location { file: line.file.to_string(), line: line.line, column: 1, offset: None };
    options.sources.original_line(&place).is_some_and(|text| !text.trim().is_empty())
}

/// What is tried, at whatever line.
struct Bench<'a> {
    task: Task<'a>,
    failing: &'a [Known<'a>],
    passing: &'a [Known<'a>],
    constants: &'a [i128],
    max_steps: u64,
    budget: &'a Budget,
    first_output: bool,
    assertion: Option<u32>,
    /// Failing runs on which each line is tried, whatever it does on those before.
    deciding: usize,
}

impl Bench<'_> {
    /// All lines, on two cores.
    fn all(&self, lines: &[(Line, BTreeSet<EdgeId>)]) -> Vec<(Line, LineResult)> {
        let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        let work = || {
            while let Some((line, edges)) = lines.get(next.fetch_add(1, Ordering::Relaxed)) {
                let result = self.line(edges);
                results.lock().unwrap_or_else(|error| error.into_inner()).push((line.clone(), result));
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(work);
            work();
        });
        let mut results = results.into_inner().unwrap_or_else(|error| error.into_inner());
        results.sort_by(|a, b| a.0.cmp(&b.0));
        results
    }

    fn line(&self, edges: &BTreeSet<EdgeId>) -> LineResult {
        let Bench { task, failing, passing, constants, max_steps, budget, first_output, assertion, deciding } = *self;
        let mut result = LineResult { helped: vec![false; failing.len()], ..LineResult::default() };
        // One statement of the line at a time: the parts of a `for` are replaced by different values.
        for edge in edges {
            if budget.expired() {
                result.gave_up = true;
                break;
            }
            let at = replaceable(task.program, &BTreeSet::from([*edge]));
            if at.decisions.is_empty() {
                continue;
            }
            let task = Task { program: &at.program, ..task };
            let coverage = Coverage::of(&at.program);
            let mut search =
                Search { at: &at, task, constants, steps: 0, max_steps, coverage, first_output, assertion, budget };
            let mut helps_all = true;
            let mut helping: Vec<Helps> = Vec::new();
            for (number, known) in failing.iter().enumerate() {
                // Of many tests, those after the first few only confirm.
                if number >= deciding && !helps_all {
                    break;
                }
                let helps = search.can_pass(known, budget);
                result.helped[number] |= helps.is_some();
                helps_all &= helps.is_some();
                helping.extend(helps);
            }
            if helps_all {
                search.first_output = false;
                let counts = search.flexibility(passing, budget);
                result.change = result.change.or_else(|| Some((change(*edge, &at, &helping)?, counts)));
                result.flexible = (result.flexible.0 + counts.0, result.flexible.1 + counts.1);
            }
            result.gave_up |= search.steps > max_steps;
        }
        result
    }
}

/// What the changes of a statement have in common that help each failing run.
fn change(edge: EdgeId, at: &Replaceable, helping: &[Helps]) -> Option<Change> {
    let first = helping.first()?;
    Some(match at.values.values().next() {
        None => Change::LeftOut,
        Some(true) if helping.iter().all(|one| (one.value != 0) == (first.value != 0)) => {
            Change::Condition { edge, truth: first.value != 0 }
        }
        Some(true) => Change::OtherCondition,
        Some(false) => Change::Value { gives: first.value, instead: first.instead },
    })
}
