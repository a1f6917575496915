//! `test`: writes the files of a test that shows the counterexample.

use crate::args::{EnvironmentArgs, TestArgs};
use crate::load::load;
use crate::loaded_task::budget;
use crate::output::Output;
use crate::pipeline::{BAD_INPUT, OK, UNKNOWN, VIOLATED, entry_function};
use crate::produce::creation_time;
use crate::watch::{Allowance, GivenUp, Waiting};
use crate::{property, task, undefined};
use anyhow::{Context, Result};
use cfa::Task;
use engine::{Options, default_engine};
use report::Command;
use report::replay::Shown;
use report::test::TestReport;
use std::path::{Path, PathBuf};
use workflow::Request;
use workflow::test_case::{TestCase, make};

pub fn command(args: &TestArgs) -> Result<u8> {
    let output = Output::new(Command::Test, &args.format, Shown::Folded)?;
    let (source, names) = task::resolve(&args.source, &args.property)?;
    let properties = EnvironmentArgs::default().with_limits(property::set(&names)?)?;
    let budget = budget(args.timeout)?;
    let allowance = Allowance { timeout: args.timeout, memory: args.memory };
    let give_up = move |given_up: GivenUp| {
        output.print(TestReport { reason: Some(given_up.reason.into()), ..TestReport::default() })?;
        Ok(UNKNOWN)
    };
    let engine = default_engine();
    let waiting = Waiting::within(allowance, &output, &budget, engine.name, give_up);
    let loaded = load(&source)?;
    output.print_diagnostics(&loaded);
    if loaded.compiled.has_errors() {
        return Ok(BAD_INPUT);
    }
    let competition = undefined::is_competition(&args.source.files, &names);
    let loaded = loaded.with_undefined_functions(args.undefined.or_usual(competition));
    let program = &loaded.compiled.program;
    let task = Task { program, entry: entry_function(program, &args.entry)?, properties };
    let options = Options { unwind: args.unwind, ..Options::default() };
    let request = Request { loaded: &loaded, task, engine, options: &options, budget: &budget, show_steps: 0 };
    let TestCase { mut report, files } = make(&request, args.run, &creation_time()?)?;
    if !files.is_empty() {
        let folder = args.out.clone().unwrap_or_else(|| folder_for(&source.files));
        write(&folder, &files)?;
        report.directory = Some(folder.display().to_string());
        report.files = files.into_iter().map(|(name, _)| name).collect();
    }
    drop(waiting);
    let code = match (report.verdict, report.observed) {
        ("true", _) => OK,
        ("false", None | Some(true)) => VIOLATED,
        _ => UNKNOWN,
    };
    output.print(report)?;
    Ok(code)
}

/// Beside the current directory's files, named for the program.
fn folder_for(files: &[PathBuf]) -> PathBuf {
    let stem = files.first().and_then(|file| file.file_stem());
    PathBuf::from(format!("{}-test", stem.map(|stem| stem.to_string_lossy()).unwrap_or_default()))
}

fn write(folder: &Path, files: &[(String, Vec<u8>)]) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}
