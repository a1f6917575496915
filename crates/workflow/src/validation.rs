//! What is done with witnesses: validated, refined, converted.

use crate::Loaded;
use crate::evidence_file::{IN_NO_FILE, VERSION};
use base::Budget;
use cfa::{Property, PropertySet, Task};
use report::witness::{InvariantView, ProgressView, UNDECIDED, ValidationReport};
use validate::correctness::{self, InvariantResult, Policy};
use validate::{Validation, ValidationResult, Validator, WitnessTask, refine};
use witness::convert::Target;
use witness::from_evidence::{self, Claim, Shape};
use witness::program::Source;
use witness::{Kind, Witness};

/// The name in the report where no validator was chosen and none was used.
const NO_VALIDATOR: &str = "none";

/// A witness, and the program that it is about.
#[derive(Clone, Copy)]
pub struct WitnessRequest<'a> {
    pub witness: &'a Witness,
    pub loaded: &'a Loaded,
    /// The file of the program that the witness is about.
    pub file: &'a str,
    /// What the witness claims to be violated, or to hold.
    pub task: Task<'a>,
    pub budget: &'a Budget,
}

impl<'a> WitnessRequest<'a> {
    /// What the run that the witness describes is given.
    pub(crate) fn tape(&self) -> Option<evidence::Tape> {
        refine::refine(&self.question()).ok()
    }

    fn question(&self) -> WitnessTask<'a> {
        let WitnessRequest { witness, loaded, file, task, budget } = *self;
        WitnessTask { witness, sources: &loaded.sources, file, task, budget }
    }
}

/// What was found out about a witness.
pub struct Validated {
    pub answer: ValidationResult,
    pub report: ValidationReport,
}

/// Validates in one way, or in those that fit the witness.
pub fn validate(request: &WitnessRequest<'_>, way: Option<&Validator>, policy: Policy) -> Validated {
    let question = request.question();
    // Only some ways have anything to say about all runs.
    let all_runs = way.is_none_or(|way| way.all_runs);
    let (validation, invariants) = match request.witness.kind() {
        Some(Kind::Correctness) if all_runs => correctness::check(&question, policy),
        _ => (
            way.map_or(validate::validate as fn(&WitnessTask<'_>) -> Validation, |way| way.validate)(&question),
            vec![],
        ),
    };
    validated(validation, invariants)
}

/// Nothing was found out, for a reason.
pub fn undecided(way: Option<&Validator>, reason: impl Into<String>) -> Validated {
    let how = way.map_or(NO_VALIDATOR, |way| way.name);
    let validation =
        Validation { result: ValidationResult::Undecided, how, reason: reason.into(), progress: Default::default() };
    validated(validation, Vec::new())
}

fn validated(validation: Validation, invariants: Vec<InvariantResult>) -> Validated {
    let Validation { result, how, reason, progress } = validation;
    let view = |found: InvariantResult| InvariantView {
        line: found.line,
        expression: found.expression,
        result: found.result.name(),
        used: found.used,
    };
    let report = ValidationReport {
        result: result.name(),
        how,
        reason,
        help: (result.name() == "undecided").then_some(UNDECIDED),
        progress: ProgressView { matched: progress.matched, total: progress.total },
        invariants: invariants.into_iter().map(view).collect(),
        witness: String::new(),
        file: String::new(),
    };
    Validated { answer: result, report }
}

/// Why there is no refined witness.
pub enum NotRefined {
    /// No run was found that the witness describes.
    NoRun(Box<Validated>),
    /// The run cannot be written down.
    NotWritten(String),
}

/// The text of a witness with every input, for a run that a less precise one describes.
pub fn refined(request: &WitnessRequest<'_>, shape: Shape, time: &str) -> Result<String, NotRefined> {
    let tape = refine::refine(&request.question())
        .map_err(|validation| NotRefined::NoRun(Box::new(validated(validation, Vec::new()))))?;
    let written = |reason: String| NotRefined::NotWritten(reason);
    let source = Source::new(&request.loaded.sources, request.file, Some(request.task.program));
    let source = source.ok_or_else(|| written(IN_NO_FILE.into()))?;
    let claim = Claim { source: &source, task: request.task, time, version: VERSION };
    let refined = from_evidence::violation(&claim, &tape, shape).map_err(written)?;
    witness::write(&refined).map_err(written)
}

/// A witness in another format, by way of the run that it describes; the error is why there is none.
pub fn converted(
    request: &WitnessRequest<'_>,
    to: Target<'_>,
    source: &Source<'_>,
    time: &str,
) -> Result<Witness, String> {
    let claim = Claim { source, task: request.task, time, version: VERSION };
    validate::conversion::converted(&request.question(), to, &claim)
}

/// The properties that a witness says it is about.
pub enum Claimed {
    Named(PropertySet),
    /// It says nothing; this is what such witnesses are about.
    Usual(PropertySet),
    /// It names something else.
    Unsupported(String),
}

pub fn claimed(witness: &Witness) -> Claimed {
    let mut found: Vec<Property> = Vec::new();
    for specification in witness.specifications() {
        found.extend(witness::specification::properties(specification));
    }
    // Some tools write a word there that says nothing.
    if witness.specifications().iter().all(|text| !text.contains(['(', ' '])) {
        found.push(Property::UnreachCall);
        return Claimed::Usual(PropertySet::of(&found));
    }
    match found.is_empty() {
        true => Claimed::Unsupported(witness.specifications().join(" ").chars().take(80).collect()),
        false => Claimed::Named(PropertySet::of(&found)),
    }
}

/// Whether a witness is for another text: it names hashes, and none is that of the file.
pub fn is_for_another_program(witness: &Witness, source: &Source<'_>) -> bool {
    let differs = |(_, hash): &(&str, Option<&str>)| {
        hash.is_some_and(|hash| matches!(hash.len(), 40 | 64) && !source.hash(hash).eq_ignore_ascii_case(hash))
    };
    let files = witness.files();
    !files.is_empty() && files.iter().all(differs)
}
