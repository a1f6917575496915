//! `witness validate`: is what a witness claims true? `witness refine`: a run that it describes, with every input.

use crate::args::{EnvironmentArgs, WitnessArgs, WitnessRefineArgs, WitnessValidateArgs};
use crate::loaded_task::budget;
use crate::output::{Output, print};
use crate::pipeline::{BAD_INPUT, INTERNAL, OK, UNKNOWN, VIOLATED, entry_function};
use crate::watch::{Allowance, GivenUp, Waiting};
use crate::witness::{file_name, parse, program};
use crate::{html, produce, property, undefined};
use anyhow::{Context, Result, anyhow, bail};
use base::Budget;
use cfa::{PropertySet, Task};
use report::Command;
use report::replay::Shown;
use report::witness::ValidationReport;
use std::time::Duration;
use validate::correctness::Policy;
use validate::{VALIDATORS, ValidationResult, validator};
use witness::convert::{Target, convert};
use witness::from_evidence::Shape;
use witness::program::Source;
use witness::{Kind, Witness};
use workflow::validation::{self, Claimed, NotRefined, Validated, WitnessRequest, undecided};
use workflow::{Loaded, page};

pub fn command(args: &WitnessValidateArgs) -> Result<u8> {
    let output = Output::new(
        Command::WitnessValidate,
        &args.format,
        Shown::Folded,
        std::slice::from_ref(&args.witness.witness),
    )?;
    let names = Names::of(&args.witness);
    let way = args.how.as_deref().map(|how| {
        validator(how).with_context(|| {
            let known: Vec<&str> = VALIDATORS.iter().map(|validator| validator.name).collect();
            format!("unknown way to validate `{how}` (known: {})", known.join(", "))
        })
    });
    let way = way.transpose()?;
    html::check(args.html.as_deref())?;
    let budget = budget(args.timeout)?;
    let allowance = Allowance { timeout: args.timeout, memory: args.memory };
    let known = names.clone();
    let wants_page = args.html.is_some();
    let late_output = output.clone();
    let give_up = move |given_up: GivenUp<'_>| {
        html::say_not_written(wants_page);
        report(&late_output, &known, undecided(way, given_up.reason))
    };
    // To read a witness may take as long as to validate it.
    let waiting = Waiting::within(allowance, &output, &budget, "witness validate", give_up);
    let witness = parse(&args.witness.witness)?;
    let Some(loaded) = compiled(&args.witness, &witness, &output)? else { return Ok(BAD_INPUT) };
    let competition = undefined::is_competition(&[], &args.property);
    let loaded = loaded.with_undefined_functions(args.undefined.or_usual(competition));
    let file = file_name(&args.witness);
    let request = request(&witness, &loaded, &file, &args.property, &args.entry, &budget)?;
    let policy = if args.strict { Policy::Strict } else { Policy::Candidates };
    let mut validated = match &request {
        Ok(request) => validation::validate(request, way, policy),
        Err(reason) => undecided(way, reason.as_str()),
    };
    drop(waiting);
    if let Some(path) = &args.html {
        names.clone().put_into(&mut validated.report);
        let (code, document) = (exit_code(validated.answer), output.document(validated.report));
        output.print_document(&document)?;
        match &request {
            Ok(request) => html::write_page(path, &page::witness_page(request, validated.answer, &document))?,
            Err(_) => html::say_not_written(true),
        }
        return Ok(code);
    }
    report(&output, &names, validated)
}

pub fn refine_command(args: &WitnessRefineArgs) -> Result<u8> {
    let output = Output::for_people(Command::WitnessRefine);
    let names = Names::of(&args.witness);
    let budget = budget(args.timeout)?;
    let allowance = Allowance { timeout: args.timeout, memory: args.memory };
    let known = names.clone();
    let late_output = output.clone();
    let give_up = move |given_up: GivenUp<'_>| report(&late_output, &known, undecided(None, given_up.reason));
    let waiting = Waiting::within(allowance, &output, &budget, "witness refine", give_up);
    let witness = parse(&args.witness.witness)?;
    if witness.kind() == Some(Kind::Correctness) {
        bail!(
            "{}: only violation witnesses can be refined; `witness validate` checks what this one claims",
            args.witness.witness.display()
        );
    }
    let shape = match &args.output {
        Some(output) => produce::shape(output)?,
        None => match witness {
            Witness::Automaton(_) => Shape::Automaton,
            Witness::Entries(_) => Shape::Entries,
        },
    };
    let Some(loaded) = compiled(&args.witness, &witness, &output)? else { return Ok(BAD_INPUT) };
    let competition = undefined::is_competition(&[], &args.property);
    let loaded = loaded.with_undefined_functions(args.undefined.or_usual(competition));
    let file = file_name(&args.witness);
    let time = produce::creation_time()?;
    let refined = match request(&witness, &loaded, &file, &args.property, &args.entry, &budget)? {
        Ok(request) => validation::refined(&request, shape, &time),
        Err(reason) => Err(NotRefined::NoRun(Box::new(undecided(None, reason)))),
    };
    drop(waiting);
    let text = match refined {
        Ok(text) => text,
        Err(NotRefined::NoRun(validated)) => return report(&output, &names, *validated),
        Err(NotRefined::NotWritten(reason)) => bail!("{}: {reason}", args.witness.witness.display()),
    };
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
    let budget = Budget::for_duration(CONVERSION_TIME);
    // Without a run there is still what the structure of the witness says.
    let Ok(Ok(request)) = request(witness, loaded, source.name, &[], "main", &budget) else {
        return Ok(convert(witness, to, Some(source)));
    };
    Ok(validation::converted(&request, to, source, &produce::creation_time()?))
}

/// The program of a witness; `None` if it does not compile, which was said.
fn compiled(args: &WitnessArgs, witness: &Witness, output: &Output) -> Result<Option<Loaded>> {
    let loaded = program(args, Some(witness))?.ok_or_else(|| anyhow!("the program of the witness is needed"))?;
    output.print_diagnostics(&loaded);
    if loaded.compiled.has_errors() {
        return Ok(None);
    }
    let file = file_name(args);
    // A witness for another program is looked at all the same: the places may still fit.
    if let Some(source) = Source::new(&loaded.sources, &file, Some(&loaded.compiled.program))
        && validation::is_for_another_program(witness, &source)
    {
        eprintln!("warning: the witness is for another program: the hash of {} differs", source.name);
    }
    Ok(Some(loaded))
}

/// The inner error is why nothing can be said about the claim of the witness.
fn request<'a>(
    witness: &'a Witness,
    loaded: &'a Loaded,
    file: &'a str,
    property: &[String],
    entry: &str,
    budget: &'a Budget,
) -> Result<Result<WitnessRequest<'a>, String>> {
    let program = &loaded.compiled.program;
    let entry = entry_function(program, entry)?;
    let properties = match property.is_empty() {
        true => claimed(witness),
        false => Ok(EnvironmentArgs::default().with_limits(property::set(property)?)?),
    };
    let task = |properties| Task { program, entry, properties };
    Ok(properties.map(|properties| WitnessRequest { witness, loaded, file, task: task(properties), budget }))
}

/// The properties that the witness says it is about, or why they are not known.
fn claimed(witness: &Witness) -> Result<PropertySet, String> {
    match validation::claimed(witness) {
        Claimed::Named(properties) => Ok(properties),
        Claimed::Usual(properties) => {
            eprintln!("warning: the witness does not say what it is about; taken for unreach-call");
            Ok(properties)
        }
        Claimed::Unsupported(named) => Err(format!(
            "the specification `{named}` of the witness is not supported; choose the property with --property"
        )),
    }
}

/// The names of the witness and of its program.
#[derive(Clone)]
struct Names {
    witness: String,
    file: String,
}

impl Names {
    fn of(args: &WitnessArgs) -> Self {
        Names { witness: args.witness.display().to_string(), file: file_name(args) }
    }

    fn put_into(self, report: &mut ValidationReport) {
        (report.witness, report.file) = (self.witness, self.file);
    }
}

fn report(output: &Output, names: &Names, validated: Validated) -> Result<u8> {
    let mut told = validated.report;
    names.clone().put_into(&mut told);
    output.print(told)?;
    Ok(exit_code(validated.answer))
}

fn exit_code(answer: ValidationResult) -> u8 {
    match answer {
        ValidationResult::Confirmed => OK,
        ValidationResult::Rejected => VIOLATED,
        ValidationResult::Undecided => UNKNOWN,
        ValidationResult::OwnBug => INTERNAL,
    }
}
