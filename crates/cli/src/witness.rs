//! The commands on witnesses: lint, convert, show.

use crate::args::{
    Model, ReadingArgs, SourceArgs, WitnessArgs, WitnessCommand, WitnessConvertArgs, WitnessLintArgs, WitnessShowArgs,
};
use crate::load::load;
use crate::output::{Output, print};
use crate::pipeline::{BAD_INPUT, NO_WITNESS, OK, VIOLATED};
use anyhow::{Context, Result, bail};
use frontend::{CompileOptions, Compiled};
use report::Command;
use report::replay::Shown;
use report::witness::LintReport;
use std::path::Path;
use witness::convert::{Target, convert};
use witness::from_evidence::Shape;
use witness::program::Source;
use witness::{FORMATS, Finding, Limits, Witness, lint};
use workflow::Loaded;

pub fn run(command: &WitnessCommand) -> Result<u8> {
    match command {
        WitnessCommand::Lint(args) => lint_command(args),
        WitnessCommand::Validate(args) => crate::validate::command(args),
        WitnessCommand::Refine(args) => crate::validate::refine_command(args),
        WitnessCommand::Convert(args) => convert_command(args),
        WitnessCommand::Show(args) => show_command(args),
    }
}

/// The text of a witness; a file beyond the limit is not even read.
fn bytes(path: &Path) -> Result<Vec<u8>> {
    let limits = Limits::default();
    let name = path.display();
    let size = std::fs::metadata(path).with_context(|| format!("cannot read {name}"))?.len();
    if size > limits.bytes as u64 {
        bail!("{name}: {size} bytes are more than the limit of {}", limits.bytes);
    }
    std::fs::read(path).with_context(|| format!("cannot read {name}"))
}

pub fn parse(path: &Path) -> Result<Witness> {
    let refused = |finding: Finding| {
        let (line, column) = (finding.at.line, finding.at.column);
        anyhow::anyhow!("{}:{line}:{column}: {} ({})", path.display(), finding.message, finding.rule.id)
    };
    witness::parse(&bytes(path)?, &Limits::default()).map_err(refused)
}

/// The program that a witness is about, in the data model that the witness names.
pub fn program(args: &WitnessArgs, witness: Option<&Witness>) -> Result<Option<Loaded>> {
    let Some(file) = &args.file else { return Ok(None) };
    let named =
        witness.and_then(Witness::data_model).map(|name| if name == "ILP32" { Model::Ilp32 } else { Model::Lp64 });
    let source = SourceArgs {
        files: vec![file.clone()],
        reading: ReadingArgs { data_model: args.reading.data_model.or(named), ..args.reading.clone() },
    };
    let loaded = load(&source)?;
    if loaded.compiled.entry.is_some() {
        bail!("{}: {NO_WITNESS}; `replay --test-cases` runs what `test` writes of a run", file.display());
    }
    Ok(Some(loaded))
}

/// The text of a program that cannot be compiled.
fn text_only(file: &Path) -> Result<Loaded> {
    let name = file.display().to_string();
    let text = std::fs::read(file).with_context(|| format!("cannot read {name}"))?;
    let mut sources = base::SourceMap::new();
    sources.add(&name, text).with_context(|| format!("{name}: the program is larger than 4 GiB"))?;
    let compiled = Compiled::failed("the program cannot be read", cfa::DataModel::Lp64);
    let options = CompileOptions::of(cfa::DataModel::Lp64);
    Ok(Loaded { files: 1, ..Loaded::new(sources, compiled, Vec::new(), options) })
}

fn source<'a>(loaded: &'a Loaded, name: &'a str) -> Option<Source<'a>> {
    let program = (!loaded.compiled.has_errors()).then_some(&loaded.compiled.program);
    Source::new(&loaded.sources, name, program)
}

pub fn file_name(args: &WitnessArgs) -> String {
    args.file.as_ref().map(|file| file.display().to_string()).unwrap_or_default()
}

fn lint_command(args: &WitnessLintArgs) -> Result<u8> {
    let output =
        Output::new(Command::WitnessLint, &args.format, Shown::Folded, std::slice::from_ref(&args.witness.witness))?;
    let text = bytes(&args.witness.witness)?;
    let limits = Limits::default();
    let loaded = match &args.witness.file {
        Some(file) => match program(&args.witness, witness::read(&text, &limits).witness.as_ref()) {
            Ok(loaded) => loaded,
            // Lines and columns can be checked all the same.
            Err(error) => {
                eprintln!("warning: {error:#}");
                Some(text_only(file)?)
            }
        },
        None => None,
    };
    let name = file_name(&args.witness);
    let source = loaded.as_ref().and_then(|loaded| source(loaded, &name));
    if source.as_ref().is_some_and(|source| source.program.is_none()) {
        eprintln!("warning: {name} does not compile, so functions and expressions are not checked");
    }
    let findings = lint::lint(&text, source.as_ref(), &limits);
    let report = LintReport::new(&args.witness.witness.display().to_string(), &findings, args.strict);
    let code = if report.valid { OK } else { VIOLATED };
    output.print(report)?;
    Ok(code)
}

fn convert_command(args: &WitnessConvertArgs) -> Result<u8> {
    let original = parse(&args.witness.witness)?;
    let format = match (&args.to, &args.output) {
        (Some(format), _) => format.clone(),
        (None, Some(output)) => {
            let extension = output.extension().and_then(|extension| extension.to_str()).unwrap_or("");
            let format = FORMATS.iter().find(|format| format.extensions.contains(&extension));
            format.with_context(|| format!("{}: choose the format with --to", output.display()))?.name.to_string()
        }
        (None, None) => bail!("choose the format with --to, or a file with --output"),
    };
    let target = target(&format)?;
    let loaded = program(&args.witness, Some(&original))?;
    let name = file_name(&args.witness);
    let source = loaded.as_ref().and_then(|loaded| source(loaded, &name));
    let converted = match (&loaded, &source) {
        (Some(loaded), Some(source)) if source.program.is_some() => {
            crate::validate::converted(&original, target, loaded, source)?
        }
        _ => convert(&original, target, source.as_ref()),
    };
    let converted = converted
        .and_then(|converted| witness::write(&converted))
        .map_err(|reason| anyhow::anyhow!("{}: {reason}", args.witness.witness.display()))?;
    match &args.output {
        Some(output) => {
            std::fs::write(output, converted).with_context(|| format!("cannot write {}", output.display()))?;
        }
        None => print(converted.trim_end())?,
    }
    Ok(OK)
}

/// `graphml`, `yaml` (its oldest version that is written), or a format with a version.
fn target(name: &str) -> Result<Target<'static>> {
    for format in FORMATS {
        for version in format.writes {
            let is_first = Some(version) == format.writes.first();
            if name == format!("{}-{version}", format.name) || (is_first && name == format.name) {
                return Ok(match format.shape {
                    Shape::Automaton => Target::GraphMl,
                    Shape::Entries => Target::Yaml(version),
                });
            }
        }
    }
    let known =
        FORMATS.iter().flat_map(|format| format.writes.iter().map(|version| format!("{}-{version}", format.name)));
    bail!("unknown format `{name}` (known: {})", known.collect::<Vec<_>>().join(", "))
}

fn show_command(args: &WitnessShowArgs) -> Result<u8> {
    let read = witness::read(&bytes(&args.witness)?, &Limits::default());
    let Some(found) = read.witness else {
        let finding = read.findings.last().context("the file holds no witness")?;
        let (line, column) = (finding.at.line, finding.at.column);
        eprintln!("error: {}:{line}:{column}: {}", args.witness.display(), finding.message);
        return Ok(BAD_INPUT);
    };
    let text = if args.dot { witness::show::dot(&found) } else { witness::show::text(&found) };
    print(text.trim_end())?;
    Ok(OK)
}
