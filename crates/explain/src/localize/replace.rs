//! Value replacement and predicate switching (Jeffrey et al. 2008; Zhang et al. 2006): a line is a suspect if other values of what it computes, or
//! another outcome of its condition, make every failing run pass. Runs are carried out in the interpreter, with nothing but that line changed,
//! so their length matters little, and whatever tells failing runs from passing ones can be the oracle.
//!
//! Which values are tried is limited (those that runs, tests and the program know, and their neighbours): a line that is not found here may still be to blame.

use super::LocalizeOptions;
use super::diagnosis::{Diagnosis, covered};
use super::lines::{Line, Lines};
use crate::Failure;
use crate::suite::{Test, TestResult, Unobserved};
use base::Budget;
use cfa::environment::replacement::{Replaceable, replaceable};
use cfa::interp::{
    self, Config, Event, FillRequest, InputRequest, InputSource, Inputs, Limit, ListInputs, Observer, Outcome, View,
};
use cfa::{Bits, EdgeId, Op, Program, Task, eval};
use std::collections::{BTreeMap, BTreeSet};

/// Steps of the interpreter for one line, and for all of them.
const STEPS_OF_A_LINE: u64 = 10_000_000;
const ALL_STEPS: u64 = 400_000_000;
/// Runs with a changed line may take so many times the steps that they took.
const LONGER: u64 = 8;
const LEAST_STEPS: u64 = 2_000;
/// Executions of a line that are changed one at a time.
const INSTANCES: usize = 40;
/// Values that are tried.
const VALUES: usize = 64;
/// Sets of two lines that are listed.
const MAX_PAIRS: usize = 40;
/// Passing runs that show whether a line could compute something else.
const PASSING: usize = 10;

/// A run that is given, and whether another run of it is as it should be.
enum Known<'a> {
    Test(&'a Test),
    /// Inputs in order; it should violate nothing.
    Values(interp::ProgramArgs, Vec<Bits>),
}

/// Which executions of the line are changed, and what they give.
#[derive(Clone, Copy)]
struct Plan {
    which: Which,
    value: i128,
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
}

impl Observer for Given<'_> {
    fn step(&mut self, view: &View<'_, '_>, event: Event<'_>) {
        let Event::Edge { edge, value: Some((ty, bits)) } = event else { return };
        if self.at.assignments.contains(&edge) && self.values.len() < 100_000 {
            let is_float = ty.float_kind().is_some();
            self.values.push(if is_float { 0 } else { eval::to_i128(&view.program().types, ty, bits) });
        }
    }
}

/// The search at one line.
struct Search<'a> {
    at: &'a Replaceable,
    task: Task<'a>,
    constants: &'a [i128],
    steps: u64,
}

impl Search<'_> {
    /// A run with a plan; whether it is as it should be.
    fn passes(
        &mut self,
        known: &Known<'_>,
        plan: Plan,
        max_steps: u64,
        observer: Option<&mut dyn Observer>,
    ) -> (bool, u64, usize) {
        let program = &self.at.program;
        let name = program.function_name(self.task.entry);
        let (words, own): (_, Box<dyn Inputs>) = match known {
            Known::Test(test) => (test.words(name), Box::new(test.inputs(program))),
            Known::Values(words, values) => {
                let inputs = ListInputs { values: values.clone(), next: 0, then_zero: program.cycle.is_none() };
                (words.clone(), Box::new(inputs))
            }
        };
        let mut inputs = Planned { own, at: self.at, plan, seen: 0 };
        let config = Config { properties: self.task.properties, max_steps, ..Config::default() };
        let run = match observer {
            Some(observer) => interp::run_observed(program, self.task.entry, &words, &mut inputs, &config, observer),
            None => interp::run(program, self.task.entry, &words, &mut inputs, &config),
        };
        self.steps += run.steps;
        let passes = match known {
            Known::Test(test) => test.result(&run) == TestResult::Passes,
            // A program that runs in cycles goes on until there are no more inputs.
            Known::Values(..) => match run.outcome {
                Outcome::Limit(Limit::Inputs) => program.cycle.is_some(),
                outcome => matches!(outcome, Outcome::Finished(_)),
            },
        };
        (passes, run.steps, inputs.seen)
    }

    /// Of how many passing runs that execute the line some stay so when it gives something else, and how many execute it.
    fn flexibility(&mut self, passing: &[Known<'_>], budget: &Budget) -> (u32, u32) {
        let all_steps = std::mem::take(&mut self.steps);
        let mut counts = (0, 0);
        for known in passing {
            let (_, _, executions) = self.passes(known, Plan { which: Which::None, value: 0 }, STEPS_OF_A_LINE, None);
            if executions > 0 {
                counts.1 += 1;
                counts.0 += self.can_pass(known, budget) as u32;
            }
        }
        self.steps += all_steps;
        counts
    }

    /// Whether some change of the line makes a run pass (or keeps it passing, with something else computed).
    fn can_pass(&mut self, known: &Known<'_>, budget: &Budget) -> bool {
        let mut given = Given { at: self.at, values: Vec::new() };
        let (_, steps, executions) =
            self.passes(known, Plan { which: Which::None, value: 0 }, u64::MAX >> 1, Some(&mut given));
        let values = given.values;
        if executions == 0 {
            return false;
        }
        let max_steps = steps.saturating_mul(LONGER).max(LEAST_STEPS);
        let is_condition = self.at.values.values().all(|condition| *condition);
        let mut plans: Vec<Plan> = Vec::new();
        let tried = if is_condition { vec![0, 1] } else { candidates(&values, known, self.constants) };
        if executions == 1 || !is_condition {
            plans.extend(tried.iter().map(|value| Plan { which: Which::All, value: *value }));
        }
        if executions > 1 {
            // The last ones first: what is nearest to the failure explains it best.
            for number in (0..executions).rev().take(INSTANCES).chain((0..executions.min(INSTANCES / 4)).rev()) {
                let other = values.get(number).copied().unwrap_or(0);
                let near = [other + 1, other - 1, 0, 1, -other];
                let near = if is_condition { vec![(other == 0) as i128] } else { near.to_vec() };
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
            if same {
                continue;
            }
            if self.steps > STEPS_OF_A_LINE || budget.expired() {
                return false;
            }
            if self.passes(known, plan, max_steps, None).0 {
                return true;
            }
        }
        false
    }
}

/// Values to try: neighbours of what the line gives, numbers of the test and what is expected of it, and constants of the program.
fn candidates(values: &[i128], known: &Known<'_>, constants: &[i128]) -> Vec<i128> {
    let mut all: Vec<i128> = vec![0, 1, -1];
    let distinct: BTreeSet<i128> = values.iter().copied().collect();
    all.extend(distinct.iter().take(8).flat_map(|value| [value + 1, value - 1, -value]));
    if let Known::Test(test) = known {
        let numbers = test.numbers();
        all.extend(numbers.iter().take(VALUES / 2).flat_map(|value| [*value, value + 1, value - 1]));
    }
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
pub fn replace(failures: &[Failure<'_>], options: &LocalizeOptions<'_>, budget: &Budget) -> Option<Vec<Diagnosis>> {
    let first = failures.first()?;
    let task = options.tested.map_or(first.task, |tested| tested.task);
    let known = |failure: &Failure<'_>| {
        let run = failure.run_observed(&mut Unobserved);
        Known::Values(failure.tape.args.clone(), run.inputs.iter().map(|input| input.bits).collect())
    };
    let (failing, passing): (Vec<Known<'_>>, Vec<Known<'_>>) = match options.tested {
        Some(tested) => (
            tested.failing.iter().map(|test| Known::Test(test)).collect(),
            tested.passing.iter().take(PASSING).map(|test| Known::Test(test)).collect(),
        ),
        None => (
            failures.iter().map(known).collect(),
            options.passing.iter().map(|tape| known(&first.with_tape(tape))).collect(),
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
    let mut by_line: BTreeMap<Line, BTreeSet<EdgeId>> = BTreeMap::new();
    for (edge, data) in task.program.edges.iter() {
        if matches!(data.op, Op::Assign(..) | Op::Return(_) | Op::Assume { .. } | Op::Call { .. })
            && let Some(line) = plain(edge).filter(|line| executed.contains(line))
        {
            by_line.entry(line).or_default().insert(edge);
        }
    }
    let constants = constants(task.program);
    let mut found = Vec::new();
    // Lines that help some failing runs, and which.
    let mut partial: Vec<(Line, Vec<bool>)> = Vec::new();
    let mut all_steps = 0;
    for (line, edges) in by_line {
        if budget.expired() || all_steps > ALL_STEPS {
            break;
        }
        // One statement of the line at a time: the parts of a `for` are replaced by different values.
        let mut helped = vec![false; failing.len()];
        let mut flexible = (0u32, 0u32);
        for edge in edges {
            let at = replaceable(task.program, &BTreeSet::from([edge]));
            if at.values.is_empty() {
                continue;
            }
            let mut search =
                Search { at: &at, task: Task { program: &at.program, ..task }, constants: &constants, steps: 0 };
            let mut helps_all = true;
            for (known, helped) in failing.iter().zip(&mut helped) {
                let helps = search.can_pass(known, budget);
                *helped |= helps;
                helps_all &= helps;
            }
            if helps_all {
                let counts = search.flexibility(&passing, budget);
                flexible = (flexible.0 + counts.0, flexible.1 + counts.1);
            }
            all_steps += search.steps;
        }
        if helped.iter().all(|helped| *helped) {
            let flexibility = (flexible.1 > 0).then(|| flexible.0 as f64 / flexible.1 as f64);
            found.push(Diagnosis { lines: vec![line], cost: 1, flexibility });
        } else if helped.contains(&true) {
            partial.push((line, helped));
        }
    }
    if found.is_empty() {
        found = pairs(&partial);
    }
    (!found.is_empty() || !budget.expired()).then_some(found)
}

/// Two lines, one of which helps each failing run: there may be two faults.
fn pairs(partial: &[(Line, Vec<bool>)]) -> Vec<Diagnosis> {
    let mut found: Vec<(usize, Diagnosis)> = Vec::new();
    for (index, (first, helped)) in partial.iter().enumerate() {
        for (second, other) in &partial[index + 1..] {
            if helped.iter().zip(other).all(|(one, other)| *one || *other) {
                let both = helped.iter().chain(other).filter(|helped| **helped).count();
                let lines = vec![first.clone(), second.clone()];
                found.push((both, Diagnosis { lines, cost: 2, flexibility: None }));
            }
        }
    }
    // Those that help more runs first.
    found.sort_by_key(|(both, _)| std::cmp::Reverse(*both));
    found.truncate(MAX_PAIRS);
    found.into_iter().map(|(_, pair)| pair).collect()
}
