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
pub use edits::Edit;
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
    pub check: &'a dyn Fn(&Program) -> Checked,
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
}

const MAX_STEPS: u64 = 1_000_000;
/// Compilations; each takes as long as reading the program.
const MAX_EDITS: usize = 400;

impl Runs {
    /// Whether all known runs end regularly.
    fn pass(&self, program: &Program) -> bool {
        let Some(entry) = program.function_named(&self.entry) else { return false };
        let config = Config { properties: self.properties, max_steps: MAX_STEPS, ..Config::default() };
        self.failing.iter().all(|values| {
            let mut inputs = ListInputs::then_zero(values.clone());
            let run = interp::run(program, entry, &self.args, &mut inputs, &config);
            matches!(run.outcome, Outcome::Finished(_))
        })
    }
}

/// The inputs of a failure in the order in which the run asks for them.
fn inputs_of(failure: &Failure<'_>) -> Vec<Bits> {
    let config = Config { properties: failure.properties, ..Config::default() };
    let run = interp::run(failure.program, failure.entry, &failure.tape.args, &mut failure.tape.play(), &config);
    run.inputs.iter().map(|input| input.bits).collect()
}

/// Verified edits at lines, the first lines first.
pub fn repair(
    failures: &[Failure<'_>],
    suspects: &[Line],
    options: &Options<'_>,
    bench: &Workbench<'_>,
    budget: &Budget,
) -> Vec<Repair> {
    let Some(first) = failures.first() else { return Vec::new() };
    let mut runs = Runs {
        failing: failures.iter().map(inputs_of).collect(),
        entry: first.program.function_name(first.entry).to_string(),
        properties: first.properties,
        args: first.tape.args.clone(),
    };
    let lines = Lines::new(options.sources, options.trusted);
    let mut found = Vec::new();
    let mut tried = 0;
    for line in suspects {
        for edit in edits::at(first.program, bench, &lines, line) {
            if budget.expired() || tried >= MAX_EDITS {
                return found;
            }
            tried += 1;
            let Some(compiled) = compile(bench, &edit) else { continue };
            if !runs.pass(&compiled.program) {
                continue;
            }
            match (bench.check)(&compiled.program) {
                Checked::Holds { bound, complete } => {
                    let (before, after) = edits::as_lines(bench.sources, &edit, line);
                    found.push(Repair { line: line.clone(), edit, before, after, bound, complete });
                }
                Checked::Fails(inputs) => runs.failing.push(inputs),
                Checked::Unknown => {}
            }
        }
    }
    found
}

fn compile(bench: &Workbench<'_>, edit: &Edit) -> Option<Compiled> {
    let mut sources = SourceMap::new();
    let mut files = Vec::new();
    for unit in bench.units {
        let text = edit.apply(bench.sources.text(*unit), bench.sources.base(*unit));
        files.push(sources.add(bench.sources.name(*unit), text)?);
    }
    let compiled = frontend::c::compile(&mut sources, &files, bench.model);
    (!compiled.has_errors()).then_some(compiled)
}
