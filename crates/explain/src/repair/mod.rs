//! Repair hints: small edits at suspect lines after which the program is checked for all inputs. Edits are made to the text and compiled again,
//! so whatever C means stays the compiler's business; known runs sift them before the checker is asked, and every violation that it finds
//! becomes one of those runs.

mod edits;

use crate::Failure;
use crate::localize::Options;
use crate::localize::lines::{Line, Lines};
use base::{Budget, FileId, SourceMap};
use cfa::interp::{self, Config, ListInputs, Outcome, ProgramArgs};
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
}

/// Runs that are known: inputs in order.
struct Runs {
    failing: Vec<Vec<Bits>>,
    entry: String,
    properties: PropertySet,
    args: ProgramArgs,
    /// An edit after which a run takes more steps than this is taken for one that makes it endless.
    max_steps: u64,
}

/// How much longer a run may become by an edit.
const LONGER: u64 = 20;
const MIN_STEPS: u64 = 10_000;
/// Edits of one kind that are compiled; each takes as long as reading the program.
const MAX_OF_A_KIND: usize = 400;
const BATCH: usize = 32;

impl Runs {
    /// Whether all known runs end regularly.
    fn pass(&self, program: &Program) -> bool {
        let Some(entry) = program.function_named(&self.entry) else { return false };
        let config = Config { properties: self.properties, max_steps: self.max_steps, ..Config::default() };
        self.failing.iter().all(|values| {
            let mut inputs = ListInputs::then_zero(values.clone());
            let run = interp::run(program, entry, &self.args, &mut inputs, &config);
            matches!(run.outcome, Outcome::Finished(_))
        })
    }
}

fn run_of(failure: &Failure<'_>) -> interp::Run {
    let config = Config { properties: failure.properties, ..Config::default() };
    interp::run(failure.program, failure.entry, &failure.tape.args, &mut failure.tape.play(), &config)
}

/// Verified edits at lines, all of the same kind, the first lines first.
pub fn repair(
    failures: &[Failure<'_>],
    suspects: &[Line],
    options: &Options<'_>,
    bench: &Workbench<'_>,
    budget: &Budget,
) -> Vec<Repair> {
    let Some(first) = failures.first() else { return Vec::new() };
    let known: Vec<interp::Run> = failures.iter().map(run_of).collect();
    let longest = known.iter().map(|run| run.steps).max().unwrap_or(0);
    let mut runs = Runs {
        // In the order in which the run asks for them.
        failing: known.iter().map(|run| run.inputs.iter().map(|input| input.bits).collect()).collect(),
        max_steps: longest.saturating_mul(LONGER).max(MIN_STEPS),
        entry: first.program.function_name(first.entry).to_string(),
        properties: first.properties,
        args: first.tape.args.clone(),
    };
    let lines = Lines::new(options.sources, options.trusted);
    let judged = lines.of(first.program, first.edge).filter(|_| first.fault.is_none());
    let suspects = suspects.iter().filter(|line| Some(*line) != judged.as_ref());
    let mut edits: Vec<(usize, (&Line, Edit))> = Vec::new();
    for line in suspects {
        let of_line = edits::at(first.program, bench, &lines, line).into_iter().enumerate();
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
            for ((line, edit), compiled) in batch.iter().zip(sift(bench, &runs, batch)) {
                // Runs may have been added since it was sifted.
                let Some(compiled) = compiled.filter(|compiled| runs.pass(&compiled.program)) else { continue };
                match (bench.check)(&compiled.program) {
                    Checked::Holds { bound, complete } => {
                        let (before, after) = edits::as_lines(bench.sources, edit, line);
                        let (line, edit) = ((*line).clone(), edit.clone());
                        found.push(Repair { line, edit, before, after, bound, complete });
                    }
                    Checked::Fails(inputs) => runs.failing.push(inputs),
                    Checked::Unknown => {}
                }
            }
        }
        if !found.is_empty() {
            break;
        }
    }
    found
}

/// Compiles edits and runs them on the known runs, on two cores; those that pass.
fn sift(bench: &Workbench<'_>, runs: &Runs, edits: &[(&Line, Edit)]) -> Vec<Option<Compiled>> {
    let texts: Vec<(&str, &[u8], u32)> = bench.units.iter().map(|unit| bench.text(*unit)).collect();
    let model = bench.model;
    let one = |edit: &&Edit| compile(&texts, model, edit).filter(|compiled| runs.pass(&compiled.program));
    let edits: Vec<&Edit> = edits.iter().map(|(_, edit)| edit).collect();
    let (first, second) = edits.split_at(edits.len() / 2);
    std::thread::scope(|scope| {
        let other = scope.spawn(|| second.iter().map(one).collect::<Vec<_>>());
        let mut sifted: Vec<Option<Compiled>> = first.iter().map(one).collect();
        match other.join() {
            Ok(more) => sifted.extend(more),
            Err(panic) => std::panic::resume_unwind(panic),
        }
        sifted
    })
}

fn compile(texts: &[(&str, &[u8], u32)], model: DataModel, edit: &Edit) -> Option<Compiled> {
    let mut sources = SourceMap::new();
    let mut files = Vec::new();
    for (name, text, base) in texts {
        files.push(sources.add(*name, edit.apply(text, *base))?);
    }
    let compiled = frontend::c::compile(&mut sources, &files, model);
    (!compiled.has_errors()).then_some(compiled)
}
