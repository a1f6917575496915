//! The work of `localize`: failing runs in, suspects out. Each stage gets a share of the time that is left, and leaves some for those after it.

pub mod first;
mod rows;
mod suite;
mod view;

use crate::decide::checked;
use crate::failure::{FoundFailure, Origin, shown_run};
use crate::{Loaded, Problem, Request};
use base::Budget;
use cfa::environment::Environment;
use cfa::{Program, Task};
use encode::on_large_stack;
use evidence::{Reason, Verdict};
use explain::localize::lines::Line;
use explain::localize::rank::{MethodResult, rank, run_methods};
use explain::localize::spectrum::{FORMULAS, Spectrum};
use explain::localize::trace::ErrorTrace;
use explain::localize::{Decay, Finding, LocalizeOptions, Localizer};
use explain::minimize::{Objective, default_minimizer};
use explain::repair::{AssertionReached, Checked, EditableLine, Repairs, Workbench, repair};
use explain::suite::Test;

use explain::{Failure, runs};
use report::html::RunKind;
use report::localize::{LocalizeReport, NoAnswer};
pub use rows::localize_rows;
use std::collections::BTreeSet;
use std::time::Duration;
use suite::TestRuns;
use view::{Findings, LocalizeView};

/// Passing runs to compare with.
const PASSING: usize = 24;
/// Runs found by chance that make it needless to look for more by a formula.
const ENOUGH: usize = 6;
/// Failing runs that are looked for, or taken of the tests.
const RUNS: usize = 16;
/// Further lines that failing runs execute, where whole statements are added or exchanged.
const BESIDE: usize = 60;
/// What memory that was never written is filled with where no test fails with zeros.
const UNWRITTEN: u8 = 0xa5;
/// For each method where tests are given.
const EFFORT_WITH_TESTS: u64 = 20_000;
/// Steps of all failing tests together with which the exact method is used beside others.
const STEPS_OF_EXACT_METHODS: u64 = 1_000;
/// The run that everything starts from is made small first, as `verify` does.
const MINIMIZE_EFFORT: u64 = 20_000;
/// Further runs sharpen what one run says; they are not worth waiting long for.
const FURTHER_RUNS_EFFORT: u64 = 200_000;

/// How much is done for an answer.
#[derive(Clone, Copy, Debug)]
pub struct Thoroughness {
    /// Suspects at which edits are tried.
    repaired: usize,
    /// Edits that are tried.
    edits: usize,
    /// For checking edits, all of them together. Effort does not count all that a SAT solver does between searches, hence the time: it is so long that
    /// effort ends first on a loaded machine too.
    repair_effort: u64,
    repair_time: Duration,
    /// For checking one: an edit that makes the question hard is no hint.
    edit_effort: u64,
    edit_time: Duration,
    /// Whether formulas are asked for further runs where chance finds few.
    further_runs: bool,
    /// Whether edits are shown after which the failing runs come to the assertion less often, or not at all.
    evading_edits: bool,
}

impl Thoroughness {
    /// For those who ask for suspects.
    pub const FULL: Self = Thoroughness {
        repaired: 24,
        edits: usize::MAX,
        repair_effort: 400_000,
        repair_time: Duration::from_secs(120),
        edit_effort: 80_000,
        edit_time: Duration::from_secs(40),
        further_runs: true,
        evading_edits: true,
    };
    /// For those who ask for a verdict: what costs little.
    pub const FIRST: Self = Thoroughness {
        repaired: 10,
        edits: 96,
        repair_effort: 8_000,
        repair_time: Duration::from_secs(20),
        edit_effort: 6_000,
        edit_time: Duration::from_secs(10),
        further_runs: false,
        evading_edits: false,
    };
}

pub struct LocalizationOptions<'a> {
    /// The methods to use, in the order of their table.
    pub methods: Vec<&'static Localizer>,
    /// Patterns of functions that are never suspects.
    pub trusted: &'a [String],
    /// Use up to so many different failing runs; `None`: [`RUNS`] that are found, or those that are given.
    pub runs: Option<usize>,
    /// Rounds of the iterative method.
    pub rounds: u32,
    /// Whether its contradictions are made minimal.
    pub minimal: bool,
    pub decay: Decay,
    /// Whether edits are tried.
    pub repairs: bool,
    pub thoroughness: Thoroughness,
}

/// Failing runs of the program, and passing ones to compare with.
struct Runs<'a> {
    failing: Vec<Failure<'a>>,
    passing: Vec<evidence::Tape>,
    /// Where tests are given: what is known of all of them.
    suite: Option<&'a TestRuns<'a>>,
}

/// Starts from tests. `so_far` gets what is known after each stage.
pub fn localize_tests(
    request: &Request<'_>,
    tests: &[Test],
    options: &LocalizationOptions<'_>,
    so_far: &(dyn Fn(LocalizeReport) + Sync),
) -> Result<LocalizeReport, Problem> {
    let suite = TestRuns::of(request, tests, options.trusted);
    // What is read before it was written may happen to be right.
    let filled: Vec<Test> = tests.iter().map(|test| Test { unwritten: UNWRITTEN, ..test.clone() }).collect();
    let suite = suite.or_else(|none_fails| TestRuns::of(request, &filled, options.trusted).map_err(|_| none_fails));
    localize_suite(request, suite?, options, so_far)
}

fn localize_suite(
    request: &Request<'_>,
    suite: TestRuns<'_>,
    options: &LocalizationOptions<'_>,
    so_far: &(dyn Fn(LocalizeReport) + Sync),
) -> Result<LocalizeReport, Problem> {
    let task = request.task;
    let expecting = suite.expecting(task);
    let failing = suite.failures(task, expecting.as_ref(), options.runs.unwrap_or(RUNS));
    let passing = suite.tapes(task, expecting.as_ref(), PASSING);
    Ok(on_large_stack(|| work(request, Runs { failing, passing, suite: Some(&suite) }, options, so_far)))
}

/// `so_far` gets what is known after each stage.
pub fn localize(
    request: &Request<'_>,
    start: &FoundFailure<'_>,
    options: &LocalizationOptions<'_>,
    so_far: &(dyn Fn(LocalizeReport) + Sync),
) -> LocalizeReport {
    let (mut report, told) = blamed(request, start, options, so_far);
    report.run = Some(Box::new(shown_run(request, &told)));
    report.blame_inputs();
    report
}

/// The lines to suspect, and the failing run that the story is told of.
fn blamed<'a>(
    request: &Request<'_>,
    start: &FoundFailure<'a>,
    options: &LocalizationOptions<'_>,
    so_far: &(dyn Fn(LocalizeReport) + Sync),
) -> (LocalizeReport, Failure<'a>) {
    let unanswered = options.methods.iter().map(|method| method.name.to_string()).collect();
    let first = LocalizeView { loaded: request.loaded, failure: &start.failure };
    let nothing = Findings { runs: 1, suspects: &[], found: &[], repairs: &[], because: Vec::new(), tests: None };
    so_far(first.report(nothing, unanswered));
    on_large_stack(|| {
        let runs = collect(start, options, request.budget);
        request.keep_unless_known(RunKind::Original, &start.failure.tape);
        if start.origin == Origin::Search {
            request.keep_unless_known(RunKind::Minimized, &runs.failing[0].tape);
        }
        let told = runs.failing[0].clone();
        (work(request, runs, options, so_far), told)
    })
}

fn work(
    request: &Request<'_>,
    runs: Runs<'_>,
    options: &LocalizationOptions<'_>,
    so_far: &(dyn Fn(LocalizeReport) + Sync),
) -> LocalizeReport {
    let Request { loaded, budget, .. } = *request;
    let progress = budget.progress();
    // Each stage leaves time for those after it.
    let mut stages = options.methods.len() as u32 + 1;
    let mut share = |budget: &Budget| {
        stages -= 1;
        budget.share(stages + 1)
    };
    let Runs { failing, passing, suite } = runs;
    let spectrum = match suite {
        Some(suite) => suite.spectrum.clone(),
        None => Spectrum::of(&failing, &passing, &loaded.sources, options.trusted),
    };
    let tested = suite.map(|suite| suite.tested(request.task));
    let own = LocalizeOptions {
        sources: &loaded.sources,
        trusted: options.trusted,
        rounds: options.rounds,
        minimal: options.minimal,
        decay: options.decay,
        passing: &passing,
        spectrum: &spectrum,
        tested: tested.as_ref(),
        replaced: Default::default(),
        most_edits: options.thoroughness.edits,
    };
    let view = LocalizeView { loaded, failure: &failing[0] };
    let report = |found: &[MethodResult], because: &[NoAnswer], repairs: &Repairs| {
        let suspects = rank(&failing, found, repairs, &own);
        let answered = |method: &&Localizer| found.iter().any(|found| found.localizer.name == method.name);
        let unanswered =
            options.methods.iter().filter(|method| !answered(method) && !has_nothing_to_say(method, &spectrum));
        let unanswered = unanswered.map(|method| method.name.to_string()).collect();
        let repairs = &repairs.verified;
        let runs = suite.map_or(failing.len(), |suite| suite.failing.len());
        let (because, tests) = (because.to_vec(), suite.map(TestRuns::view));
        view.report(Findings { runs, suspects: &suspects, found, repairs, because, tests }, unanswered)
    };
    let none = Repairs::default();
    let (mut found, mut because) = (Vec::new(), Vec::<NoAnswer>::new());
    let mut methods = options.methods.clone();
    if suite.is_some() {
        // What the interpreter says makes formulas needless.
        methods.sort_by_key(|method| method.name != "replace");
    }
    for method in &methods {
        so_far(report(&found, &[], &none));
        progress.set_stage("localizing");
        let share = share(budget);
        // With tests, formulas are only one part of the evidence.
        let share = if suite.is_some() { share.with_effort(EFFORT_WITH_TESTS) } else { share };
        let method_name = method.name.to_string();
        if let Some(left_out) = is_left_out(method, options, suite, &found) {
            let ask = format!("ask with --method {}", method.name);
            because.push(match left_out {
                LeftOut::Needless => {
                    let why = "not asked, because `replace` names lines; ask with --method NAME".into();
                    NoAnswer { method: method_name, why, is_needless: true }
                }
                LeftOut::NoEnd => {
                    let why = "a run that does not end has no formula".into();
                    NoAnswer { method: method_name, why, is_needless: true }
                }
                LeftOut::TooLong => {
                    let why = format!("the failing runs are too long together; {ask}");
                    NoAnswer { method: method_name, why, is_needless: false }
                }
            });
            continue;
        }
        match run_methods(&failing, &[method.name], &own, &share).pop() {
            Some(result) => found.push(result),
            None => because.extend(no_answer(method, &own, &failing[0], &share).map(|why| NoAnswer {
                method: method_name,
                why,
                is_needless: false,
            })),
        }
    }
    found.sort_by_key(|one| options.methods.iter().position(|method| method.name == one.localizer.name));
    // Edits are tried where a method says that a change alone can help.
    let guided = options.methods.iter().any(|method| method.guides_repair);
    if !guided || !options.repairs {
        return report(&found, &because, &none);
    }
    so_far(report(&found, &because, &none));
    progress.set_stage("trying edits");
    let suspects = rank(&failing, &found, &none, &own);
    let alone = alone(&found);
    let can_help = |line: &Line| alone.is_empty() || alone.contains(line);
    let candidates = suspects.into_iter().enumerate();
    let candidates =
        candidates.filter(|(rank, suspect)| *rank < options.thoroughness.repaired || alone.contains(&suspect.line));
    let candidates = candidates.map(|(_, suspect)| EditableLine::at(suspect.line.clone(), can_help(&suspect.line)));
    let mut candidates: Vec<EditableLine> = candidates.collect();
    // What was forgotten, or stands too early, is beside lines that nothing is wrong with.
    let others: Vec<Line> =
        spectrum.failing_lines().into_iter().filter(|line| !candidates.iter().any(|one| one.line == *line)).collect();
    candidates.extend(others.into_iter().take(BESIDE).map(EditableLine::beside));
    let Thoroughness { repair_effort, repair_time, .. } = options.thoroughness;
    let budget = budget.with_effort(repair_effort).within(repair_time);
    let check = |program: &Program| check(request, program, options.thoroughness, &budget);
    let rows = suite.is_some_and(|suite| suite.rows);
    let environment = Environment { one_row: rows, ..loaded.environment };
    match workbench(loaded, environment, &check) {
        Some(bench) => {
            let mut repairs = repair(&failing, tested.as_ref(), &candidates, &own, &bench, &budget);
            if !options.thoroughness.evading_edits {
                repairs.verified.retain(|repair| repair.assertion == AssertionReached::AsBefore);
            }
            report(&found, &because, &repairs)
        }
        None => report(&found, &because, &none),
    }
}

fn collect<'a>(start: &FoundFailure<'a>, options: &LocalizationOptions<'_>, budget: &Budget) -> Runs<'a> {
    // Inputs that the user gave are explained as they are; found ones are minimized first.
    let first = match start.origin {
        Origin::Search => {
            budget.progress().set_stage("minimizing the failing run");
            let small = budget.with_effort(MINIMIZE_EFFORT);
            (default_minimizer().run)(&start.failure, Objective::usual(start.failure.task.program), &small).failure
        }
        Origin::Inputs | Origin::Witness => start.failure.clone(),
    };
    budget.progress().set_stage("looking for further runs");
    let further = budget.with_effort(FURTHER_RUNS_EFFORT);
    let several = options.methods.iter().any(|method| (method.uses_more_runs)(&first));
    // A given test is that test: others are looked for only where the user says so.
    let usual = if start.origin == Origin::Inputs { 1 } else { RUNS };
    let count = options.runs.unwrap_or(usual);
    let further_runs = options.thoroughness.further_runs;
    // Runs by chance cost little, and without passing ones an edit that only makes the program idle looks good.
    let several = (several || !further_runs) && count > 1;
    // Time is left for the methods.
    if !several {
        return Runs { failing: vec![first], passing: Vec::new(), suite: None };
    }
    // By chance where that is enough, by formulas otherwise.
    let (mut failing, mut passing) = runs::nearby(&first, count, PASSING);
    if further_runs && failing.len() < count.min(ENOUGH) {
        let more = runs::failing(&first, count, &budget_share(&further, options));
        failing.extend(more.into_iter().skip(1).take(count - failing.len()));
    }
    if further_runs && passing.len() < ENOUGH {
        passing.extend(runs::passing(&first, ENOUGH, &budget_share(&further, options)));
    }
    Runs { failing, passing, suite: None }
}

/// Why a method gave no answer, in words.
fn no_answer(
    method: &Localizer,
    options: &LocalizeOptions<'_>,
    failure: &Failure<'_>,
    budget: &Budget,
) -> Option<String> {
    /// Formulas of longer runs are too large.
    const LONG: u64 = 3_000;
    if has_nothing_to_say(method, options.spectrum) {
        return None;
    }
    Some(match failure.steps {
        _ if budget.expired() => out_of(budget),
        LONG.. => format!("the run of {} steps is too long for it", failure.steps),
        _ => ErrorTrace::why_none(failure, budget).unwrap_or_else(|| match method.name {
            "maxsat" => "the unrolled program has no such run".into(),
            _ => "its formula does not say how the failure depends on the program".into(),
        }),
    })
}

/// What ended the work.
fn out_of(budget: &Budget) -> String {
    match budget.effort() {
        Some(0) => "its question is too hard for the effort that it is given".into(),
        _ => "time ran out".into(),
    }
}

/// Without passing runs all lines of a spectrum are alike.
fn has_nothing_to_say(method: &Localizer, spectrum: &Spectrum) -> bool {
    spectrum.passing == 0 && FORMULAS.iter().any(|formula| formula.name == method.name)
}

/// Why a method is not used.
enum LeftOut {
    /// It would only confirm at great cost what is known.
    Needless,
    TooLong,
    /// No failing test ends.
    NoEnd,
}

/// Why a method on formulas is not used with tests.
fn is_left_out(
    method: &Localizer,
    options: &LocalizationOptions<'_>,
    suite: Option<&TestRuns<'_>>,
    found: &[MethodResult],
) -> Option<LeftOut> {
    let on_formulas = method.name != "replace" && !FORMULAS.iter().any(|formula| formula.name == method.name);
    let suite = suite.filter(|_| on_formulas)?;
    if suite.has_no_end() {
        return Some(LeftOut::NoEnd);
    }
    if options.methods.len() <= 2 {
        return None;
    }
    let replaced = found.iter().find_map(|one| match &one.finding {
        Finding::Diagnoses(diagnoses) if one.localizer.name == "replace" => Some(diagnoses),
        _ => None,
    });
    let names_lines = replaced.is_some_and(|found| !found.sets.is_empty());
    // Sets of lines are what the exact method is about.
    if !alone(found).is_empty() || (names_lines && method.name != "maxsat") {
        return Some(LeftOut::Needless);
    }
    let steps: u64 = suite.failing.iter().map(|run| run.steps).sum();
    (method.name == "maxsat" && steps > STEPS_OF_EXACT_METHODS).then_some(LeftOut::TooLong)
}

fn budget_share(budget: &Budget, options: &LocalizationOptions<'_>) -> Budget {
    budget.share(options.methods.len() as u32 + 3)
}

/// What edits need; `None` for a program that no frontend made.
fn workbench<'a>(
    loaded: &'a Loaded,
    environment: Environment,
    check: &'a (dyn Fn(&Program) -> Checked + Sync),
) -> Option<Workbench<'a>> {
    let program = &loaded.compiled.program;
    let (sources, units, undefined) = (&loaded.sources, &loaded.units, loaded.undefined);
    let options = loaded.options.clone();
    Some(Workbench { frontend: frontend::of(program)?, sources, units, options, environment, undefined, check })
}

/// Lines that can make all known runs pass when nothing else is changed.
fn alone(found: &[MethodResult]) -> BTreeSet<Line> {
    let diagnoses = found.iter().filter_map(|one| match &one.finding {
        Finding::Diagnoses(diagnoses) => Some(diagnoses),
        _ => None,
    });
    let alone = diagnoses.flat_map(|diagnoses| &diagnoses.sets).filter(|diagnosis| diagnosis.cost == 1);
    alone.flat_map(|diagnosis| diagnosis.lines.iter().cloned()).collect()
}

/// Whether an edited program holds, for all inputs.
fn check(request: &Request<'_>, program: &Program, thoroughness: Thoroughness, budget: &Budget) -> Checked {
    let name = request.task.program.function_name(request.task.entry);
    let Some(entry) = program.function_named(name) else { return Checked::Unknown };
    let task = Task { program, entry, properties: request.task.properties };
    // Bounds of single loops are about the program as it was.
    let options = engine::Options { unwind: request.options.unwind, ..engine::Options::default() };
    let budget = budget.with_effort(thoroughness.edit_effort).within(thoroughness.edit_time);
    // An edit whose proof does not pass its check is not shown; the bug is found when the program itself is verified.
    let Ok(answer) = checked(request.engine, task, &options, &budget) else { return Checked::Unknown };
    match answer.verdict {
        Verdict::Safe(_) => Checked::Holds { bound: answer.bound, complete: true },
        Verdict::Unsafe(violation) => Checked::Fails(violation.inputs),
        Verdict::Unknown(Reason::Bound { bound, .. }) => Checked::Holds { bound, complete: false },
        Verdict::Unknown(_) => Checked::Unknown,
    }
}
