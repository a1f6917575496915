//! `witness validate`: is what a witness claims true? `witness refine`: a run that it describes, with every input.

use crate::args::{WitnessArgs, WitnessRefineArgs, WitnessValidateArgs};
use crate::load::Loaded;
use crate::pipeline::{BAD_INPUT, OK, UNKNOWN, VIOLATED, entry_function, print, print_diagnostics, print_json};
use crate::question::budget;
use crate::witness::{file_name, parse, program};
use crate::{produce, property, undefined};
use anyhow::{Context, Result, bail};
use cfa::{Property, PropertySet};
use report::witness::{InvariantView, ProgressView, ValidationReport};
use std::time::Instant;
use validate::{Answer, Question, VALIDATORS, Validation, correctness, refine};
use witness::from_evidence::{self, Claim, Shape};
use witness::program::Source;
use witness::{Kind, Witness};

pub fn command(args: &WitnessValidateArgs) -> Result<u8> {
    let start = Instant::now();
    let way = match &args.how {
        None => validate::validate,
        Some(how) => match validate::validator(how) {
            Some(validator) => validator.validate,
            None => {
                let known: Vec<&str> = VALIDATORS.iter().map(|validator| validator.name).collect();
                bail!("unknown way to validate `{how}` (known: {})", known.join(", "));
            }
        },
    };
    let witness = parse(&args.witness.witness)?;
    let budget = budget(args.timeout)?;
    let Some(loaded) = compiled(&args.witness, &witness)? else { return Ok(BAD_INPUT) };
    let competition = undefined::is_competition(&[], &args.property);
    let loaded = loaded.with_undefined_functions(args.undefined.or_usual(competition));
    let file = file_name(&args.witness);
    let question = question(&witness, &loaded, &file, &args.property, &args.entry, &budget)?;
    // Only the static way has anything to say about all runs.
    let all_runs = args.how.as_deref().is_none_or(|how| how == validate::statics::NAME);
    let (validation, invariants) = match witness.kind() {
        Some(Kind::Correctness) if all_runs => correctness::check(&question),
        _ => (way(&question), Vec::new()),
    };
    report(start, args.json, "witness validate", validation, invariants)
}

pub fn refine_command(args: &WitnessRefineArgs) -> Result<u8> {
    let start = Instant::now();
    let witness = parse(&args.witness.witness)?;
    if witness.kind() == Some(Kind::Correctness) {
        bail!("{}: only violation witnesses can be refined", args.witness.witness.display());
    }
    let shape = match &args.output {
        Some(output) => produce::shape(output)?,
        None => match witness {
            Witness::Automaton(_) => Shape::Automaton,
            Witness::Entries(_) => Shape::Entries,
        },
    };
    let budget = budget(args.timeout)?;
    let Some(loaded) = compiled(&args.witness, &witness)? else { return Ok(BAD_INPUT) };
    let competition = undefined::is_competition(&[], &args.property);
    let loaded = loaded.with_undefined_functions(args.undefined.or_usual(competition));
    let file = file_name(&args.witness);
    let question = question(&witness, &loaded, &file, &args.property, &args.entry, &budget)?;
    let tape = match refine::refine(&question) {
        Ok(tape) => tape,
        Err(validation) => return report(start, false, "witness refine", validation, Vec::new()),
    };
    let source = Source::new(&loaded.sources, &file, Some(question.program)).context("the program is in no file")?;
    let (entry, properties) = (question.entry, question.properties);
    let time = produce::creation_time()?;
    let claim = Claim { source: &source, entry, properties, time: &time, version: env!("CARGO_PKG_VERSION") };
    let refined = from_evidence::violation(&claim, &tape, shape).and_then(|refined| witness::write(&refined));
    let text = refined.map_err(|reason| anyhow::anyhow!("{}: {reason}", args.witness.witness.display()))?;
    match &args.output {
        Some(output) => std::fs::write(output, text).with_context(|| format!("cannot write {}", output.display()))?,
        None => print(text.trim_end())?,
    }
    Ok(OK)
}

/// The program of a witness; `None` if it does not compile, which was said.
fn compiled(args: &WitnessArgs, witness: &Witness) -> Result<Option<Loaded>> {
    let Some(loaded) = program(args, Some(witness))? else { bail!("the program of the witness is needed") };
    print_diagnostics(&loaded);
    if loaded.compiled.has_errors() {
        return Ok(None);
    }
    let file = file_name(args);
    warn_of_hash(witness, Source::new(&loaded.sources, &file, Some(&loaded.compiled.program)).as_ref());
    Ok(Some(loaded))
}

fn question<'a>(
    witness: &'a Witness,
    loaded: &'a Loaded,
    file: &'a str,
    property: &[String],
    entry: &str,
    budget: &'a base::Budget,
) -> Result<Question<'a>> {
    let program = &loaded.compiled.program;
    let properties = if property.is_empty() { claimed(witness)? } else { property::set(property, &[])? };
    let entry = entry_function(program, entry)?;
    Ok(Question { witness, sources: &loaded.sources, file, program, entry, properties, budget })
}

fn report(
    start: Instant,
    json: bool,
    command: &str,
    validation: Validation,
    invariants: Vec<correctness::InvariantResult>,
) -> Result<u8> {
    let Validation { result, how, reason, progress } = validation;
    let view = |found: correctness::InvariantResult| InvariantView {
        line: found.line,
        expression: found.expression,
        result: found.result.name(),
    };
    let report = ValidationReport {
        result: result.name(),
        how,
        reason,
        progress: ProgressView { matched: progress.matched, total: progress.total },
        invariants: invariants.into_iter().map(view).collect(),
    };
    if json {
        print_json(command, start, &report)?;
    } else {
        print(report.to_text().trim_end())?;
    }
    Ok(match result {
        Answer::Confirmed => OK,
        Answer::Rejected => VIOLATED,
        Answer::Undecided => UNKNOWN,
    })
}

/// The properties that the witness says it is about.
fn claimed(witness: &Witness) -> Result<PropertySet> {
    let mut found: Vec<Property> = Vec::new();
    for specification in witness.specifications() {
        found.extend(witness::specification::properties(specification));
    }
    // Some tools write a word there that says nothing.
    if witness.specifications().iter().all(|text| !text.contains(['(', ' '])) {
        eprintln!("warning: the witness does not say what it is about; taken for unreach-call");
        found.push(Property::UnreachCall);
    }
    if found.is_empty() {
        let named = witness.specifications().join(" ");
        let named: String = named.chars().take(80).collect();
        bail!("the specification `{named}` of the witness is not supported; choose the property with --property");
    }
    Ok(PropertySet::of(&found))
}

/// A witness for another program is looked at all the same: the places may still fit.
fn warn_of_hash(witness: &Witness, source: Option<&Source<'_>>) {
    let Some(source) = source else { return };
    let differs = |(_, hash): &(&str, Option<&str>)| {
        hash.is_some_and(|hash| matches!(hash.len(), 40 | 64) && !source.hash(hash).eq_ignore_ascii_case(hash))
    };
    let files = witness.files();
    if !files.is_empty() && files.iter().all(differs) {
        eprintln!("warning: the witness is for another program: the hash of {} differs", source.name);
    }
}
