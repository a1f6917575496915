//! One ranked list from what the methods found, each suspect with a reason.
//!
//! Evidence comes in classes, and a better class always ranks before a worse one:
//! * an edit of the line was verified for all inputs,
//! * such an edit exists, but after it the failing runs evaluate the assertion less often or never,
//! * a change of the line alone can make every failing run pass (a single fault is always among these),
//! * the line belongs to a set of lines whose change can,
//! * some method names the line.
//!
//! Within a class the reciprocals of the ranks that the methods give are added up (Cormack et al. 2009), so that a method which names few lines
//! counts more for them than one which names many.

use super::declarations::{Declared, declarations, declared_at};
use super::diagnosis::Diagnoses;
use super::lines::{Line, Lines};
use super::parts::beside;
use super::reading::Readings;
use super::replace::Change;
use super::spectrum::FORMULAS;
use super::{Finding, LOCALIZERS, LocalizeOptions, Localizer};
use crate::Failure;
use crate::assertion_edge::{asserting_function, assertion_edge};
use crate::repair::{AssertionReached, Known, Repair, Repairs};
use base::Budget;
use cfa::walk::{self, Node};
use cfa::{AssumeRole, EdgeId, ExprKind, Op, PlaceKind, Program};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

#[derive(Clone, PartialEq, Debug)]
pub struct Suspect {
    pub line: Line,
    /// The function that the line belongs to.
    pub function: String,
    pub score: f64,
    pub reason: String,
    /// Methods that name the line.
    pub methods: Vec<&'static str>,
}

/// The finding of one method, and how long it took in milliseconds.
pub struct MethodResult {
    pub localizer: &'static Localizer,
    pub finding: Finding,
    pub time_ms: f64,
}

/// Runs methods by their names; the others are left out.
pub fn run_methods(
    failures: &[Failure<'_>],
    names: &[&str],
    options: &LocalizeOptions<'_>,
    budget: &Budget,
) -> Vec<MethodResult> {
    let wanted = LOCALIZERS.iter().filter(|localizer| names.contains(&localizer.name));
    let run = |localizer: &'static Localizer| {
        let start = std::time::Instant::now();
        let finding = (localizer.run)(failures, options, budget)?;
        Some(MethodResult { localizer, finding, time_ms: start.elapsed().as_secs_f64() * 1000.0 })
    };
    wanted.filter_map(run).collect()
}

/// The constant of reciprocal rank fusion; the usual 60 is for lists of thousands, these have tens.
const RANK_FUSION: f64 = 5.0;

/// Factor for lines of the function in which the violated assertion stands: that is the test, or the caller of the tested function, unless there is no
/// other function.
const ASSERTING_FUNCTION: f64 = 0.5;

/// Weight of the rank by spectrum score beside that of another method.
const SPECTRUM: f64 = 1.0;

/// Factor for lines that compute nothing.
const PLUMBING: f64 = 0.4;

/// What each operator, constant and index of a line adds to its factor.
const OPERATION: f64 = 0.2;

/// Bonus when an added condition uses tokens that are already on the line.
const SHARED_TOKENS: f64 = 0.3;

/// Bonus for an edit that makes all known runs pass but could not be verified.
const UNVERIFIED_REPAIR: f64 = 0.3;

/// Score of a line that only writes another part of an object that the failure reads.
const OTHER_PART: f64 = 0.01;

/// Fewer suspects than this are filled up by spectrum scores.
const FEW_SUSPECTS: usize = 10;

/// Bonus of the definition of a macro where an edit can only be made there.
const ONLY_THERE: f64 = 0.6;

/// What is written on a line, as far as it can be wrong: a fault needs something that could be written otherwise.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
struct Work {
    /// Operators, constants and indices.
    operations: u32,
    /// It decides which way a run goes.
    decides: bool,
    /// It reads what the program is given.
    reads: bool,
}

impl Work {
    /// A line that only passes on what another one computes (`return x;`, `x = f();`) is hardly where the fault is.
    fn factor(self) -> f64 {
        match self.operations {
            _ if self.reads => PLUMBING,
            0 => PLUMBING,
            operations => 1.0 + OPERATION * operations.min(6) as f64,
        }
    }
}

#[derive(Default)]
struct Evidence {
    work: Work,
    fusion: f64,
    methods: Vec<&'static str>,
    class: u32,
    /// It only writes another part of something.
    beside: bool,
    declared: Option<Declared>,
    reason: String,
}

/// The merged list.
pub fn rank(
    failures: &[Failure<'_>],
    found: &[MethodResult],
    repairs: &Repairs,
    options: &LocalizeOptions<'_>,
) -> Vec<Suspect> {
    let mut all: BTreeMap<Line, Evidence> = BTreeMap::new();
    // Spectrum scores name every line that a failing run executes: they make suspects only where nothing else does.
    let is_spectrum = |one: &MethodResult| FORMULAS.iter().any(|formula| formula.name == one.localizer.name);
    let (spectra, others): (Vec<&MethodResult>, Vec<&MethodResult>) = found.iter().partition(|one| is_spectrum(one));
    // Where no change of lines is known to help, what methods on formulas name is little: executed lines count beside it.
    let only_spectra = others.iter().all(|one| match &one.finding {
        Finding::Diagnoses(found) => found.sets.is_empty() && found.partial.is_empty(),
        finding => options.tested.is_some() || finding.lines().is_empty(),
    });
    for one in others {
        for (line, rank) in ranks(&one.finding) {
            let evidence = all.entry(line).or_default();
            evidence.fusion += 1.0 / (RANK_FUSION + rank);
            evidence.methods.push(one.localizer.name);
        }
        if let Finding::Diagnoses(diagnoses) = &one.finding {
            for diagnosis in &diagnoses.sets {
                for line in &diagnosis.lines {
                    let class = if diagnosis.cost == 1 { 2 } else { 1 };
                    let evidence = all.entry(line.clone()).or_default();
                    evidence.class = evidence.class.max(class);
                }
            }
            for (line, _) in &diagnoses.partial {
                let evidence = all.entry(line.clone()).or_default();
                evidence.class = evidence.class.max(1);
            }
        }
    }
    for one in &spectra {
        for (line, rank) in ranks(&one.finding) {
            if only_spectra {
                all.entry(line.clone()).or_default().fusion += 1.0 / (RANK_FUSION + rank);
            }
            if let Some(evidence) = all.get_mut(&line) {
                evidence.methods.push(one.localizer.name);
            }
        }
    }
    for (line, rank) in options.spectrum.ranks() {
        if let Some(evidence) = all.get_mut(&line) {
            evidence.fusion += SPECTRUM / (RANK_FUSION + rank);
        }
    }
    let program =
        options.tested.map_or(failures.first().map(|first| first.task.program), |tested| Some(tested.task.program));
    let work = program.map_or(BTreeMap::new(), |program| work_of_lines(program, options));
    for (line, evidence) in &mut all {
        evidence.work = work.get(line).copied().unwrap_or_default();
        evidence.fusion *= evidence.work.factor();
    }
    // All wrong output passes through some lines that only pass it on; with several faults none of them is one.
    let has_sets = found.iter().any(|one| match &one.finding {
        Finding::Diagnoses(diagnoses) => diagnoses.sets.iter().any(|set| set.cost > 1),
        _ => false,
    });
    for evidence in all.values_mut().filter(|evidence| has_sets && evidence.work.operations == 0) {
        evidence.class = evidence.class.min(1);
    }
    // Lines with a verified edit come first, in the order in which edits at them were found to be simple.
    let edited = repairs.verified.iter().enumerate();
    for (position, repair, line) in
        edited.flat_map(|(at, one)| one.lines().into_iter().map(move |line| (at, one, line)))
    {
        let evidence = all.entry(line).or_default();
        if evidence.class < 3 {
            evidence.fusion +=
                1.0 / (RANK_FUSION + position as f64) + SHARED_TOKENS * repair.edit.shared_tokens as f64 / 100.0;
        }
        evidence.class = evidence.class.max(match repair.assertion {
            _ if matches!(repair.known, Known::Runs(_)) => 3,
            _ if matches!(repair.known, Known::Part(..)) => 2,
            AssertionReached::AsBefore => 4,
            AssertionReached::LessOften => 3,
            AssertionReached::Never => 2,
        });
    }
    // What a macro says is wrong where it is defined, and its uses show it.
    for (repair, definition) in repairs.verified.iter().filter_map(|one| Some((one, one.edit.definition.as_ref()?))) {
        let class = all.get(&repair.line).map_or(0, |evidence| evidence.class);
        let evidence = all.entry(definition.line.clone()).or_default();
        evidence.class = evidence.class.max(class);
        let is_there = |one: &Repair| {
            one.edit.definition.as_ref().is_some_and(|at| at.line.line == one.hunks.first().map_or(0, |hunk| hunk.line))
        };
        let is_only_there = repairs.verified.iter().all(is_there);
        evidence.fusion += if is_only_there { ONLY_THERE } else { OTHER_PART };
    }
    for line in &repairs.plausible {
        all.entry(line.clone()).or_default().fusion += UNVERIFIED_REPAIR;
    }
    // An assignment to the wrong part is nowhere on the way to the assertion.
    for line in failures.first().map_or(Vec::new(), |failure| beside(failure, all.keys(), options)) {
        all.entry(line).or_insert_with(|| Evidence { fusion: OTHER_PART, beside: true, ..Evidence::default() });
    }
    for (line, declared) in
        failures.first().map_or(BTreeMap::new(), |failure| declarations(failure, all.keys(), options))
    {
        let evidence = all.entry(line).or_default();
        evidence.fusion = evidence.fusion.max(OTHER_PART);
        if declared.is_direct() {
            evidence.class = evidence.class.max(2);
        }
        evidence.declared = Some(declared);
    }
    // What tests execute speaks where little else does.
    if options.tested.is_some() && repairs.verified.iter().all(|repair| matches!(repair.known, Known::Part(..))) {
        for (line, rank) in options.spectrum.ranks() {
            if all.len() >= FEW_SUSPECTS {
                break;
            }
            let methods = spectra.iter().map(|one| one.localizer.name).collect();
            all.entry(line).or_insert(Evidence { fusion: OTHER_PART / rank, methods, ..Evidence::default() });
        }
    }
    // Where a fault happens is a suspect by itself.
    let lines = Lines::new(options.sources, options.trusted);
    let here = failures.first().filter(|failure| failure.fault.is_some());
    let here = here.and_then(|failure| Some((lines.of(failure.task.program, failure.edge)?, failure.fault?)));
    if let Some((line, _)) = &here {
        let evidence = all.entry(line.clone()).or_default();
        evidence.class = evidence.class.max(2);
        evidence.fusion += 1.0 / (RANK_FUSION + 1.0);
    }
    for (line, evidence) in &mut all {
        if let Some((_, fault)) = here.as_ref().filter(|(place, _)| place == line)
            && evidence.class == 2
        {
            evidence.reason = format!("this is where it happens: {}", fault.describe());
            continue;
        }
        evidence.reason = reason(line, evidence, failures.len(), found, &repairs.verified, options, program);
    }
    // Lines that read inputs are none.
    if let Some(program) = program {
        let edges = program.edges.ids().filter_map(|edge| Some((lines.of(program, edge)?, edge)));
        let mut blamable: BTreeMap<Line, bool> = BTreeMap::new();
        for (line, edge) in edges {
            *blamable.entry(line).or_default() |= lines.of_statement(program, edge).is_some();
        }
        all.retain(|line, _| blamable.get(line).copied().unwrap_or(true));
    }
    // What should have held is never a suspect.
    let expected = options.tested.is_some_and(|tested| !tested.violates);
    if let Some(failure) = failures.first().filter(|failure| failure.fault.is_none() && !expected) {
        for edge in assertion_edge(failure).into_iter().chain([failure.edge]) {
            lines.of(failure.task.program, edge).inspect(|line| drop(all.remove(line)));
        }
    }
    let functions = functions(failures, options);
    // Who asks what should hold usually knows.
    let asserting_function = failures
        .first()
        .and_then(|failure| Some(failure.task.program.function_name(asserting_function(failure, &lines)?)));
    for (line, evidence) in &mut all {
        if asserting_function.is_some() && functions.get(line).map(String::as_str) == asserting_function {
            evidence.fusion *= ASSERTING_FUNCTION;
        }
    }
    let mut suspects: Vec<Suspect> = all
        .into_iter()
        .map(|(line, evidence)| Suspect {
            function: functions.get(&line).cloned().unwrap_or_default(),
            score: evidence.class as f64 + evidence.fusion.min(0.999),
            reason: evidence.reason,
            methods: evidence.methods,
            line,
        })
        .collect();
    suspects.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.line.cmp(&b.line)));
    suspects
}

/// Lines with their ranks, from 1; lines that a method does not tell apart share the middle of their ranks.
fn ranks(finding: &Finding) -> Vec<(Line, f64)> {
    let scored: Vec<(Line, f64)> = match finding {
        Finding::Scores(scores) => scores.lines.iter().map(|score| (score.line.clone(), score.score)).collect(),
        Finding::Trace(_) => finding.lines().into_iter().map(|line| (line, 1.0)).collect(),
        Finding::Diagnoses(diagnoses) => {
            let mut best: BTreeMap<Line, f64> = BTreeMap::new();
            for diagnosis in &diagnoses.sets {
                for line in &diagnosis.lines {
                    let score = best.entry(line.clone()).or_insert(0.0);
                    // Lines that nothing is known about lie between the rigid and the flexible ones.
                    let flexibility = diagnosis.flexibility.unwrap_or(0.5);
                    *score = score.max((1.0 + flexibility) / diagnosis.cost as f64);
                }
            }
            for (line, helped) in &diagnoses.partial {
                best.insert(line.clone(), *helped as f64);
            }
            best.into_iter().collect()
        }
    };
    by_score(scored)
}

/// Ranks of scored lines, higher scores first.
pub(super) fn by_score(mut scored: Vec<(Line, f64)>) -> Vec<(Line, f64)> {
    scored.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let mut ranked = Vec::with_capacity(scored.len());
    let mut from = 0;
    while from < scored.len() {
        let same = scored[from..].iter().take_while(|one| (one.1 - scored[from].1).abs() < 1e-9).count();
        let middle = from as f64 + (same as f64 + 1.0) / 2.0;
        ranked.extend(scored[from..from + same].iter().map(|one| (one.0.clone(), middle)));
        from += same;
    }
    ranked
}

/// What stands on each line.
fn work_of_lines(program: &Program, options: &LocalizeOptions<'_>) -> BTreeMap<Line, Work> {
    let lines = Lines::new(options.sources, options.trusted);
    let readings = Readings::of(program);
    let mut all: BTreeMap<Line, Work> = BTreeMap::new();
    let mut seen = FxHashSet::default();
    for (edge, data) in program.edges.iter() {
        let Some(line) = lines.of(program, edge) else { continue };
        let work = all.entry(line).or_default();
        work.reads |= options.tested.is_some() && readings.calls_reader(edge);
        let mut open = Vec::new();
        match data.op {
            // Both edges of a branch have the same condition.
            Op::Assume { cond, role: AssumeRole::Branch(_), .. } => {
                work.decides = true;
                open.push(Node::Expr(cond));
            }
            _ => walk::parts(program, &data.op, |node| open.push(node)),
        }
        while let Some(node) = open.pop() {
            if !seen.insert(node) {
                continue;
            }
            work.operations += match node {
                Node::Expr(expr) => u32::from(matches!(
                    program.exprs[expr].kind,
                    ExprKind::Unary(..)
                        | ExprKind::Binary(..)
                        | ExprKind::Const(_)
                        | ExprKind::PtrAdd(..)
                        | ExprKind::PtrSub(..)
                )),
                Node::Place(place) => u32::from(matches!(program.places[place].kind, PlaceKind::Index(..))),
            };
            open.extend(walk::children(program, node).into_iter().flatten());
        }
    }
    all
}

fn reason(
    line: &Line,
    evidence: &Evidence,
    runs: usize,
    found: &[MethodResult],
    repairs: &[Repair],
    options: &LocalizeOptions<'_>,
    program: Option<&Program>,
) -> String {
    let runs = options.tested.map_or(runs, |tested| tested.failing.len());
    let defines = |repair: &&Repair| repair.edit.definition.as_ref().is_some_and(|definition| definition.line == *line);
    let edits = |repair: &&Repair| repair.lines().contains(line);
    if let Some(repair) = repairs.iter().find(edits).or_else(|| repairs.iter().find(defines)) {
        let but = match repair.assertion {
            AssertionReached::AsBefore => "",
            AssertionReached::LessOften => ", but the runs that failed come to it less often",
            AssertionReached::Never => ", but the runs that failed do not come to it any more",
        };
        let what = &repair.edit.what;
        return match repair.known {
            Known::Tests(1) => format!("with {what} the test passes"),
            Known::Tests(tests) => format!("with {what} all {tests} tests pass"),
            Known::Part(fixed, failing) => {
                format!("with {what} {fixed} of {failing} failing tests pass, and those that pass still do")
            }
            Known::Runs(runs) => format!("with {what} all {runs} known runs pass"),
            Known::Holds { .. } if !repair.has_inputs => format!("with {what} the property holds{but}"),
            Known::Holds { complete: true, .. } => format!("with {what} the property holds for all inputs{but}"),
            Known::Holds { bound, .. } => {
                format!("with {what} the property holds for all inputs up to bound {bound}{but}")
            }
        };
    }
    let would = if runs == 1 {
        "the failing run would pass".to_string()
    } else {
        format!("all {runs} failing runs would pass")
    };
    let runs = if runs == 1 { "the failing run pass".to_string() } else { format!("all {runs} failing runs pass") };
    let traces = found.iter().filter_map(|one| match &one.finding {
        Finding::Trace(trace) => Some(trace),
        _ => None,
    });
    let decides = traces.clone().any(|trace| trace.conditions.contains(line));
    let changes = traces.clone().any(|trace| trace.relevant.contains(line));
    let (failed, passed) = options.spectrum.of_line(line);
    let counted = match options.spectrum.passing {
        0 => String::new(),
        all => {
            format!("; {failed} of {} failing and {passed} of {all} passing runs execute it", options.spectrum.failing)
        }
    };
    let first_output = found.iter().any(|one| match &one.finding {
        Finding::Diagnoses(diagnoses) => {
            diagnoses.first_output && diagnoses.sets.iter().any(|set| set.cost == 1 && set.lines.contains(line))
        }
        _ => false,
    });
    if let Some(declared) = evidence.declared.as_ref().filter(|declared| declared.is_direct() && evidence.class == 2) {
        return declared.reason();
    }
    let replaced = options.replaced.get();
    let changed = replaced.and_then(|replaced| replaced.change(line)).filter(|_| evidence.class == 2 && !first_output);
    if let Some(changed) = changed {
        let still = match replaced.and_then(|replaced| replaced.still_pass(line)) {
            Some((0, _)) => ", but no passing run that executes it still would".to_string(),
            Some((still, of)) => format!(", and {still} of {of} passing runs that execute it still would"),
            None => counted,
        };
        return match changed {
            Change::Condition { edge, truth } => {
                let taken = taken_by_passing(edge, truth, program, options);
                let branch = match taken {
                    0 => still,
                    1 => ", and one passing run takes that branch".to_string(),
                    taken => format!(", and {taken} passing runs take that branch"),
                };
                format!("if this condition were {truth}, {would}{branch}")
            }
            Change::OtherCondition => format!("if this condition came out otherwise, {would}{still}"),
            Change::Value { gives, instead: Some(instead) } if gives != instead => {
                format!("if this gave another value ({gives} instead of {instead} in the shortest run), {would}{still}")
            }
            Change::Value { .. } => format!("if this gave another value, {would}{still}"),
            Change::LeftOut => format!("if this were left out, {would}{still}"),
        };
    }
    match evidence.class {
        2 if first_output => {
            format!("if it gave something else once, the first wrong line of output could be right{counted}")
        }
        2 if evidence.work.decides && evidence.work.operations > 0 => {
            format!("if its condition came out otherwise, that alone could make {runs}{counted}")
        }
        2 if changes => {
            format!(
                "changing this line alone can make {runs}, and every invariant of the failing run changes here{counted}"
            )
        }
        2 if decides => {
            format!("changing this line alone can make {runs}; it decides whether a relevant line is executed{counted}")
        }
        2 => format!("changing this line alone can make {runs}{counted}"),
        1 if let Some(partial) = partial(line, evidence, found) => format!("{partial}{counted}"),
        1 => {
            let others = together(line, found);
            let is_weak = |one: &MethodResult| matches!(&one.finding, Finding::Diagnoses(found) if found.first_output);
            match found.iter().any(is_weak) {
                true => {
                    format!("together with {others}, it can make the first wrong line of every output right{counted}")
                }
                false => format!("together with {others}, changing it can make {runs}{counted}"),
            }
        }
        _ if changes => "every invariant of the failing run changes here".into(),
        _ if decides => "it decides whether a relevant line is executed".into(),
        _ if evidence.declared.is_some() => evidence.declared.as_ref().map_or(String::new(), Declared::reason),
        _ if evidence.beside => "it writes another part of something that a suspect reads".into(),
        _ if evidence.methods.iter().all(|name| FORMULAS.iter().any(|formula| formula.name == *name)) => {
            format!(
                "{failed} of {} failing and {passed} of {} passing runs execute it",
                options.spectrum.failing, options.spectrum.passing
            )
        }
        _ => format!("the violated condition depends on it{counted}"),
    }
}

/// What a change of a line does where none helps all failing runs.
fn partial(line: &Line, evidence: &Evidence, found: &[MethodResult]) -> Option<String> {
    let diagnoses = found.iter().filter_map(|one| match &one.finding {
        Finding::Diagnoses(diagnoses) => Some(diagnoses),
        _ => None,
    });
    let known = |found: &Diagnoses| found.partial.iter().find(|(one, _)| one == line).map(|one| one.1);
    let (helped, found) = diagnoses.into_iter().find_map(|found| Some((known(found)?, found)))?;
    let cause = match evidence.work.decides && evidence.work.operations > 0 {
        true => "if its condition came out otherwise",
        false => "if it gave something else",
    };
    let runs = format!("{helped} of {} failing runs", found.runs);
    Some(match found.first_output {
        true => format!("{cause}, the first wrong line of output would be right in {runs}"),
        false => format!("{cause}, {runs} would pass"),
    })
}

/// The other lines of the first set that a line belongs to.
fn together(line: &Line, found: &[MethodResult]) -> String {
    let sets = found.iter().filter_map(|one| match &one.finding {
        Finding::Diagnoses(diagnoses) => Some(&diagnoses.sets),
        _ => None,
    });
    let set = sets.flatten().find(|set| set.cost > 1 && set.lines.contains(line));
    let others: Vec<String> = set.map_or(Vec::new(), |set| {
        set.lines.iter().filter(|other| *other != line).map(|other| other.line.to_string()).collect()
    });
    match &others[..] {
        [] => "other lines".into(),
        [other] => format!("line {other}"),
        _ => format!("lines {}", others.join(" and ")),
    }
}

/// How many passing runs go on as a failing run would if a condition came out so.
fn taken_by_passing(edge: EdgeId, truth: bool, program: Option<&Program>, options: &LocalizeOptions<'_>) -> u32 {
    let Some(program) = program else { return 0 };
    let branches = program.successors(program.edges[edge].from);
    let is_it = |edge: &EdgeId| matches!(program.edges[*edge].op, Op::Assume { truth: other, .. } if other == truth);
    branches.filter(is_it).map(|edge| options.spectrum.passing_through(edge)).sum()
}

/// The function of each line that the runs pass.
fn functions(failures: &[Failure<'_>], options: &LocalizeOptions<'_>) -> BTreeMap<Line, String> {
    let mut functions = BTreeMap::new();
    let Some(first) = failures.first() else { return functions };
    let lines = Lines::new(options.sources, options.trusted);
    for number in 0..first.task.program.edges.len() as u32 {
        let edge = cfa::EdgeId(number);
        if let Some(line) = lines.of(first.task.program, edge) {
            let function = first.task.program.locations[first.task.program.edges[edge].from].function;
            functions.entry(line).or_insert_with(|| first.task.program.function_name(function).to_string());
        }
    }
    for var in first.task.program.vars.values() {
        if let (Some(function), Some(line)) = (var.kind.function(), declared_at(options.sources, var)) {
            functions.entry(line).or_insert_with(|| first.task.program.function_name(function).to_string());
        }
    }
    functions
}
