//! Repair hints: small edits at suspect lines after which the program is checked for all inputs. Edits are made to the text and compiled again,
//! so whatever C means stays the compiler's business; known runs sift them before the checker is asked, and every violation that it finds
//! becomes one of those runs.

mod edits;

use crate::Failure;
use crate::judge::{decides, judge};
use crate::localize::Options;
use crate::localize::lines::{Line, Lines};
use base::{Budget, FileId, SourceMap};
use cfa::interp::{self, Config, Event, ListInputs, Observer, Outcome, ProgramArgs, View};
use cfa::{Bits, DataModel, Program, PropertySet};
pub use edits::{Edit, Kind};
use frontend::Compiled;

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
    pub sources: &'a SourceMap,
    /// The texts that make up the program.
    pub units: &'a [FileId],
    pub model: DataModel,
    pub check: &'a (dyn Fn(&Program) -> Checked + Sync),
}

impl Workbench<'_> {
    fn text(&self, unit: FileId) -> (&str, &[u8], u32) {
        (self.sources.name(unit), self.sources.text(unit), self.sources.base(unit))
    }
}

#[derive(Clone, Debug)]
pub struct Repair {
    pub line: Line,
    pub edit: Edit,
    /// The line before and after, as the source has it.
    pub before: String,
    pub after: String,
    pub bound: u32,
    pub complete: bool,
    /// Whether some run that failed still comes to what should hold: otherwise it may repair by keeping out what fails.
    pub still_judged: bool,
}

/// What a run is given: inputs in order.
struct Given {
    args: ProgramArgs,
    values: Vec<Bits>,
    /// How long the run is.
    steps: u64,
}

impl Given {
    fn of(failure: &Failure<'_>) -> Self {
        let config = Config { properties: failure.properties, ..Config::default() };
        let run = interp::run(failure.program, failure.entry, &failure.tape.args, &mut failure.tape.play(), &config);
        let values = run.inputs.iter().map(|input| input.bits).collect();
        Given { args: failure.tape.args.clone(), values, steps: run.steps }
    }
}

/// Runs that are known.
struct Runs {
    failing: Vec<Given>,
    passing: Vec<Given>,
    entry: String,
    properties: PropertySet,
    /// An edit after which a run takes more steps than this is taken for one that makes it endless.
    max_steps: u64,
}

/// A program with an edit.
struct Edited {
    compiled: Compiled,
    /// Where what should hold is evaluated.
    judge: Option<u32>,
}

/// How much longer a run may become by an edit.
const LONGER: u64 = 20;
const MIN_STEPS: u64 = 10_000;
/// Edits of one kind that are compiled; each takes as long as reading the program.
const MAX_OF_A_KIND: usize = 400;
const BATCH: usize = 32;

impl Runs {
    /// Whether all failing runs now end regularly, and what should hold is still evaluated on some known run: an edit that only keeps it
    /// from being evaluated repairs nothing.
    fn pass(&self, edited: &Edited) -> bool {
        let program = &edited.compiled.program;
        let Some(entry) = program.function_named(&self.entry) else { return false };
        let config = Config { properties: self.properties, max_steps: self.max_steps, ..Config::default() };
        let ends = |given: &Given| {
            let mut inputs = ListInputs::then_zero(given.values.clone());
            let run = interp::run(program, entry, &given.args, &mut inputs, &config);
            matches!(run.outcome, Outcome::Finished(_))
        };
        // To look at each step takes longer, and most edits do not come that far.
        self.failing.iter().all(ends) && (self.judged(edited, &self.failing) || self.judged(edited, &self.passing))
    }

    /// Whether what should hold is evaluated on some of these runs.
    fn judged(&self, edited: &Edited, runs: &[Given]) -> bool {
        let program = &edited.compiled.program;
        let (Some(_), Some(entry)) = (edited.judge, program.function_named(&self.entry)) else { return true };
        let config = Config { properties: self.properties, max_steps: self.max_steps, ..Config::default() };
        let mut judged = Judged { place: edited.judge, evaluated: false };
        runs.iter().any(|given| {
            let mut inputs = ListInputs::then_zero(given.values.clone());
            interp::run_observed(program, entry, &given.args, &mut inputs, &config, &mut judged);
            judged.evaluated
        })
    }
}

/// Whether a place is passed where something is decided.
struct Judged {
    place: Option<u32>,
    evaluated: bool,
}

impl Observer for Judged {
    fn step(&mut self, view: &View<'_, '_>, event: Event<'_>) {
        if let Event::Edge { edge, .. } = event
            && !self.evaluated
        {
            let program = view.program();
            self.evaluated = decides(program, edge) && Some(program.edges[edge].span.lo) == self.place;
        }
    }
}

/// A line to be edited.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub line: Line,
    /// Whether some change there makes the known runs pass, as far as is known: where none does, only the simplest edits are worth trying.
    pub can_help: bool,
}

/// Verified edits at lines, all of the same kind, the first lines first.
pub fn repair(
    failures: &[Failure<'_>],
    candidates: &[Candidate],
    options: &Options<'_>,
    bench: &Workbench<'_>,
    budget: &Budget,
) -> Vec<Repair> {
    let Some(first) = failures.first() else { return Vec::new() };
    let passing = options.passing.iter().map(|tape| Given::of(&Failure { tape: tape.clone(), ..first.clone() }));
    let failing: Vec<Given> = failures.iter().map(Given::of).collect();
    let longest = failing.iter().map(|given| given.steps).max().unwrap_or(0);
    let mut runs = Runs {
        failing,
        passing: passing.collect(),
        max_steps: longest.saturating_mul(LONGER).max(MIN_STEPS),
        entry: first.program.function_name(first.entry).to_string(),
        properties: first.properties,
    };
    let lines = Lines::new(options.sources, options.trusted);
    let judge = judge(first);
    let own = Some(first.edge).filter(|_| first.fault.is_none());
    let judged: Vec<Line> = own.into_iter().chain(judge).filter_map(|edge| lines.of(first.program, edge)).collect();
    let candidates = candidates.iter().filter(|candidate| !judged.contains(&candidate.line));
    let judge = judge.map(|edge| first.program.edges[edge].span.lo);
    let mut edits: Vec<(usize, (&Line, Edit))> = Vec::new();
    for Candidate { line, can_help } in candidates {
        let of_line = edits::at(first.program, bench, &lines, line).into_iter().enumerate();
        let of_line = of_line.filter(|(_, edit)| *can_help || edit.kind <= Kind::Shape);
        edits.extend(of_line.map(|(index, edit)| (index, (line, edit))));
    }
    // Simple kinds of edits at all lines before less simple ones at any, the lines taking turns; when one kind works, nothing less simple is tried.
    edits.sort_by_key(|(index, (_, edit))| (edit.kind, *index));
    let edits: Vec<(&Line, Edit)> = edits.into_iter().map(|(_, edit)| edit).collect();
    let mut found: Vec<Repair> = Vec::new();
    for same_kind in edits.chunk_by(|a, b| a.1.kind == b.1.kind) {
        for batch in same_kind[..same_kind.len().min(MAX_OF_A_KIND)].chunks(BATCH) {
            if budget.expired() {
                return found;
            }
            for ((line, edit), edited) in batch.iter().zip(sift(bench, &runs, judge, batch)) {
                // Runs may have been added since it was sifted.
                let Some(edited) = edited.filter(|edited| runs.pass(edited)) else { continue };
                match (bench.check)(&edited.compiled.program) {
                    Checked::Holds { bound, complete } => {
                        let (before, after) = edits::as_lines(bench.sources, edit, line);
                        let still_judged = runs.judged(&edited, &runs.failing);
                        let (line, edit) = ((*line).clone(), edit.clone());
                        found.push(Repair { line, edit, before, after, bound, complete, still_judged });
                    }
                    Checked::Fails(values) => {
                        let args = first.tape.args.clone();
                        runs.failing.push(Given { args, values, steps: 0 });
                    }
                    Checked::Unknown => {}
                }
            }
        }
        if found.iter().any(|repair| repair.still_judged) {
            break;
        }
    }
    // Those that only keep out what fails come last.
    found.sort_by_key(|repair| !repair.still_judged);
    found
}

/// Compiles edits and runs them on the known runs, on two cores; those that pass.
fn sift(bench: &Workbench<'_>, runs: &Runs, judge: Option<u32>, edits: &[(&Line, Edit)]) -> Vec<Option<Edited>> {
    let texts: Vec<(&str, &[u8], u32)> = bench.units.iter().map(|unit| bench.text(*unit)).collect();
    let model = bench.model;
    let one = |edit: &&Edit| compile(&texts, model, edit, judge).filter(|edited| runs.pass(edited));
    let edits: Vec<&Edit> = edits.iter().map(|(_, edit)| edit).collect();
    let (first, second) = edits.split_at(edits.len() / 2);
    std::thread::scope(|scope| {
        let other = scope.spawn(|| second.iter().map(one).collect::<Vec<_>>());
        let mut sifted: Vec<Option<Edited>> = first.iter().map(one).collect();
        match other.join() {
            Ok(more) => sifted.extend(more),
            Err(panic) => std::panic::resume_unwind(panic),
        }
        sifted
    })
}

fn compile(texts: &[(&str, &[u8], u32)], model: DataModel, edit: &Edit, judge: Option<u32>) -> Option<Edited> {
    let mut sources = SourceMap::new();
    let mut files = Vec::new();
    let mut moved = None;
    for (name, text, base) in texts {
        let file = sources.add(*name, edit.apply(text, *base))?;
        files.push(file);
        // Where the judge is after the edit.
        if let Some(place) = judge.filter(|place| (*base..=base + text.len() as u32).contains(place)) {
            let offset = edit.apply(&text[..(place - base) as usize], *base).len() as u32;
            moved = Some(sources.base(file) + offset);
        }
    }
    let compiled = frontend::c::compile(&mut sources, &files, model);
    (!compiled.has_errors()).then_some(Edited { compiled, judge: moved })
}
