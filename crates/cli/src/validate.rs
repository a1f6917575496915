//! `witness validate`: is what a witness claims true?

use crate::args::WitnessValidateArgs;
use crate::pipeline::{
    BAD_INPUT, OK, UNKNOWN, VIOLATED, budget, entry_function, print, print_diagnostics, print_json, properties,
};
use crate::witness::{file_name, parse, program};
use anyhow::{Result, bail};
use cfa::{Property, PropertySet};
use report::witness::{ProgressView, ValidationReport};
use std::time::Instant;
use validate::{Answer, Question, VALIDATORS, Validation};
use witness::Witness;
use witness::program::Source;

pub fn command(args: &WitnessValidateArgs) -> Result<u8> {
    let start = Instant::now();
    let how = args.how.as_deref().unwrap_or(VALIDATORS[0].name);
    let Some(validator) = validate::validator(how) else {
        let known: Vec<&str> = VALIDATORS.iter().map(|validator| validator.name).collect();
        bail!("unknown way to validate `{how}` (known: {})", known.join(", "));
    };
    let witness = parse(&args.witness.witness)?;
    let budget = budget(args.timeout)?;
    let Some(loaded) = program(&args.witness, Some(&witness))? else { bail!("the program of the witness is needed") };
    print_diagnostics(&loaded);
    if loaded.compiled.has_errors() {
        return Ok(BAD_INPUT);
    }
    let program = &loaded.compiled.program;
    let file = file_name(&args.witness);
    warn_of_hash(&witness, Source::new(&loaded.sources, &file, Some(program)).as_ref());
    let asked = if args.property.is_empty() { claimed(&witness)? } else { properties(&args.property, &[])? };
    let question = Question {
        witness: &witness,
        sources: &loaded.sources,
        file: &file,
        program,
        entry: entry_function(program, &args.entry)?,
        properties: asked,
        budget: &budget,
    };
    let validation = (validator.validate)(&question);
    let Validation { result, how, reason, progress } = validation;
    let report = ValidationReport {
        result: result.name(),
        how,
        reason,
        progress: ProgressView { matched: progress.matched, total: progress.total },
        invariants: Vec::new(),
    };
    if args.json {
        print_json("witness validate", start, &report)?;
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
