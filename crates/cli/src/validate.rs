//! `witness validate`: is what a witness claims true? `witness refine`: a run that it describes, with every input.

use crate::args::{WitnessArgs, WitnessRefineArgs, WitnessValidateArgs};
use crate::load::Loaded;
use crate::pipeline::{
    BAD_INPUT, INTERNAL, OK, UNKNOWN, VIOLATED, entry_function, print, print_diagnostics, print_json,
};
use crate::question::budget;
use crate::watch::{Allowance, GivenUp, Waiting};
use crate::witness::{file_name, parse, program};
use crate::{produce, property, undefined};
use anyhow::{Context, Result, bail};
use cfa::{Property, PropertySet, Task};
use report::witness::{InvariantView, ProgressView, ValidationReport};
use std::time::{Duration, Instant};
use validate::correctness::Policy;
use validate::{Answer, Question, VALIDATORS, Validation, correctness, refine};
use witness::convert::{Target, convert};
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
    let budget = budget(args.timeout)?;
    let (json, how) = (args.json, args.how.as_deref().and_then(validate::validator).map_or(NO_WAY, |way| way.name));
    let allowance = Allowance { timeout: args.timeout, memory: args.memory, shows_progress: !json };
    let give_up = move |given_up: GivenUp| report(start, json, "witness validate", given_up.answer(how), Vec::new());
    // To read a witness may take as long as to validate it.
    let waiting = Waiting::within(allowance, start, &budget, "witness validate", give_up);
    let witness = parse(&args.witness.witness)?;
    let Some(loaded) = compiled(&args.witness, &witness)? else { return Ok(BAD_INPUT) };
    let competition = undefined::is_competition(&[], &args.property);
    let loaded = loaded.with_undefined_functions(args.undefined.or_usual(competition));
    let file = file_name(&args.witness);
    let question = match question(&witness, &loaded, &file, &args.property, &args.entry, &budget)? {
        Ok(question) => question,
        Err(reason) => {
            drop(waiting);
            return report(start, json, "witness validate", undecided(how, reason), Vec::new());
        }
    };
    let policy = if args.strict { Policy::Strict } else { Policy::Candidates };
    // Only the static way has anything to say about all runs.
    let all_runs = args.how.as_deref().is_none_or(|how| how == validate::statics::NAME);
    let (validation, invariants) = match witness.kind() {
        Some(Kind::Correctness) if all_runs => correctness::check(&question, policy),
        _ => (way(&question), Vec::new()),
    };
    drop(waiting);
    report(start, args.json, "witness validate", validation, invariants)
}

/// What stands for the validator where none was chosen and none was asked.
const NO_WAY: &str = "none";

fn undecided(how: &'static str, reason: impl Into<String>) -> Validation {
    Validation { result: Answer::Undecided, how, reason: reason.into(), progress: Default::default() }
}

impl GivenUp {
    fn answer(self, how: &'static str) -> Validation {
        undecided(how, self.reason)
    }
}

pub fn refine_command(args: &WitnessRefineArgs) -> Result<u8> {
    let start = Instant::now();
    let budget = budget(args.timeout)?;
    let allowance = Allowance { timeout: args.timeout, memory: args.memory, shows_progress: true };
    let give_up = move |given_up: GivenUp| report(start, false, "witness refine", given_up.answer(NO_WAY), Vec::new());
    let waiting = Waiting::within(allowance, start, &budget, "witness refine", give_up);
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
    let Some(loaded) = compiled(&args.witness, &witness)? else { return Ok(BAD_INPUT) };
    let competition = undefined::is_competition(&[], &args.property);
    let loaded = loaded.with_undefined_functions(args.undefined.or_usual(competition));
    let file = file_name(&args.witness);
    let asked = question(&witness, &loaded, &file, &args.property, &args.entry, &budget)?;
    let refined = asked.map_err(|reason| undecided(NO_WAY, reason)).and_then(|asked| {
        let tape = refine::refine(&asked)?;
        Ok((asked, tape))
    });
    drop(waiting);
    let (question, tape) = match refined {
        Ok(found) => found,
        Err(validation) => return report(start, false, "witness refine", validation, Vec::new()),
    };
    let source =
        Source::new(&loaded.sources, &file, Some(question.task.program)).context("the program is in no file")?;
    let time = produce::creation_time()?;
    let claim = Claim { source: &source, task: question.task, time: &time, version: env!("CARGO_PKG_VERSION") };
    let refined = from_evidence::violation(&claim, &tape, shape).and_then(|refined| witness::write(&refined));
    let text = refined.map_err(|reason| anyhow::anyhow!("{}: {reason}", args.witness.witness.display()))?;
    match &args.output {
        Some(output) => std::fs::write(output, text).with_context(|| format!("cannot write {}", output.display()))?,
        None => print(text.trim_end())?,
    }
    Ok(OK)
}

/// How long the run that a witness describes is looked for when the witness is to be converted.
const CONVERSION_TIME: Duration = Duration::from_secs(20);

/// A witness in another format; the inner error is why there is none.
pub fn converted(
    witness: &Witness,
    to: Target<'_>,
    loaded: &Loaded,
    source: &Source<'_>,
) -> Result<Result<Witness, String>> {
    let budget = base::Budget::for_duration(CONVERSION_TIME);
    // Without a run there is still what the structure of the witness says.
    let Ok(Ok(question)) = question(witness, loaded, source.name, &[], "main", &budget) else {
        return Ok(convert(witness, to, Some(source)));
    };
    let time = produce::creation_time()?;
    let claim = Claim { source, task: question.task, time: &time, version: env!("CARGO_PKG_VERSION") };
    Ok(validate::conversion::converted(&question, to, &claim))
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

/// The inner error is why nothing can be said about the claim of the witness.
fn question<'a>(
    witness: &'a Witness,
    loaded: &'a Loaded,
    file: &'a str,
    property: &[String],
    entry: &str,
    budget: &'a base::Budget,
) -> Result<Result<Question<'a>, String>> {
    let program = &loaded.compiled.program;
    let entry = entry_function(program, entry)?;
    let properties = match property.is_empty() {
        true => claimed(witness),
        false => Ok(property::set(property, &[])?),
    };
    let task = |properties| Task { program, entry, properties };
    let sources = &loaded.sources;
    Ok(properties.map(|properties| Question { witness, sources, file, task: task(properties), budget }))
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
        Answer::OwnBug => INTERNAL,
    })
}

/// The properties that the witness says it is about, or why they are not known.
fn claimed(witness: &Witness) -> Result<PropertySet, String> {
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
        return Err(format!(
            "the specification `{named}` of the witness is not supported; choose the property with --property"
        ));
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
