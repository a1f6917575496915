//! `test`: writes the files of a test that shows the counterexample.

use crate::args::{EnvironmentArgs, OracleArgs, SourceArgs, TestArgs};
use crate::load::load_with;
use crate::loaded_task::budget;
use crate::output::Output;
use crate::pipeline::{BAD_INPUT, OK, UNKNOWN, VIOLATED, entry_function};
use crate::produce::creation_time;
use crate::watch::{Allowance, GivenUp, Waiting};
use crate::{cycle_tests, property, task, undefined};
use anyhow::{Context, Result, bail};
use cfa::Task;
use engine::{Options, default_engine};
use frontend::CompileOptions;
use report::Command;
use report::replay::Shown;
use report::test::TestReport;
use std::path::{Component, Path, PathBuf};
use workflow::Request;
use workflow::failure::Start;
use workflow::test_case::{self, LiveSources, TestCase, make};

pub fn command(args: &TestArgs) -> Result<u8> {
    let output = Output::new(Command::Test, &args.format, Shown::Folded, &args.source.files)?;
    let (source, names) = task::resolve(&args.source, &args.property)?;
    let properties = args.cycle.properties(EnvironmentArgs::default().with_limits(property::set(&names)?)?);
    let budget = budget(args.timeout)?;
    let allowance = Allowance { timeout: args.timeout, memory: args.memory };
    let late_output = output.clone();
    let give_up = move |given_up: GivenUp<'_>| {
        late_output.print(TestReport { reason: Some(given_up.reason.into()), ..TestReport::default() })?;
        Ok(UNKNOWN)
    };
    let engine = default_engine();
    let waiting = Waiting::within(allowance, &output, &budget, engine.name, give_up);
    let cycle = args.cycle.options(&args.entry, &[])?;
    let loaded = load_with(&source, &CompileOptions { cycle, ..CompileOptions::of(source.data_model()) }, None)?;
    output.print_diagnostics(&loaded);
    if loaded.compiled.has_errors() {
        return Ok(BAD_INPUT);
    }
    args.cycle.check(&loaded)?;
    let entry = match &loaded.compiled.entry {
        Some(Ok(entry)) => *entry,
        Some(Err(reason)) => bail!("{reason}"),
        None => entry_function(&loaded.compiled.program, &args.entry)?,
    };
    let competition = undefined::is_competition(&args.source.files, &names);
    let loaded = loaded.with_undefined_functions(args.undefined.or_usual(competition));
    let program = &loaded.compiled.program;
    let task = Task { program, entry, properties };
    let options = Options { unwind: args.unwind, ..Options::default() };
    let request =
        Request { loaded: &loaded, task, engine, options: &options, budget: &budget, show_steps: 0, kept: None };
    let folder = args.out.clone().unwrap_or_else(|| folder_for(&source.files));
    let live = live_sources(&source, &folder)?;
    let test = args.given.test(&OracleArgs::default())?;
    let mut inputs = test.as_ref().map(|test| test.inputs(program));
    let witness = args.witness.as_ref().map(|path| crate::witness::parse(path)).transpose()?;
    let name = args.witness.as_ref().map_or(String::new(), |path| path.display().to_string());
    let file = source.files.first().map_or(String::new(), |file| file.display().to_string());
    let start = match (&test, &mut inputs, &witness) {
        (Some(test), Some(inputs), _) => {
            Start::Inputs { args: test.words(&args.entry), inputs, count: test.inputs.len() }
        }
        (_, _, Some(witness)) => Start::Witness { witness, name: &name, file: &file },
        _ => Start::Search,
    };
    let TestCase { mut report, files } = match program.cycle {
        Some(_) => trace_files(&request, start, args, &source)?,
        None => make(&request, start, &live, args.run, &creation_time()?)?,
    };
    if !files.is_empty() {
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

/// The test of a program that runs in cycles: a table of the failing run, and a test case of it.
fn trace_files(request: &Request<'_>, start: Start<'_>, args: &TestArgs, source: &SourceArgs) -> Result<TestCase> {
    if args.run {
        bail!("--run compiles tests in C; `replay --test-cases` runs the test of a PLC program");
    }
    let (mut test, run) = test_case::of_cycles(request, start)?;
    let Some(table) = run.and_then(|run| run.cycles) else { return Ok(test) };
    let stem = source.files.first().and_then(|file| file.file_stem());
    let stem = stem.map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let mut requirements = args.cycle.requirements()?;
    requirements.retain(|one| one.pattern != frontend::Pattern::Assertions);
    let requirement = match &requirements[..] {
        [] => None,
        [one] => Some(one),
        // Which one is violated only its own run says.
        _ => bail!("there are several requirements; choose one with --requirement"),
    };
    let case = cycle_tests::of_run(&table, &stem, requirement, args.cycle.cycle_time.as_deref());
    let json = serde_json::to_string_pretty(&case).context("a test case is JSON")? + "\n";
    test.files = vec![("trace.csv".into(), table.to_csv().into_bytes()), ("test_cases.json".into(), json.into_bytes())];
    Ok(test)
}

/// Beside the current directory's files, named for the program.
fn folder_for(files: &[PathBuf]) -> PathBuf {
    let stem = files.first().and_then(|file| file.file_stem());
    PathBuf::from(format!("{}-test", stem.map(|stem| stem.to_string_lossy()).unwrap_or_default()))
}

/// The files of the program as seen from the folder of the test.
fn live_sources(source: &SourceArgs, folder: &Path) -> Result<LiveSources> {
    let folder = std::path::absolute(folder).context("the current directory is not known")?;
    let seen = |path: &PathBuf| -> Result<String> {
        let path = std::path::absolute(path).context("the current directory is not known")?;
        Ok(relative(&path, &folder).display().to_string())
    };
    let mut flags = Vec::new();
    for directory in &source.reading.include {
        flags.push(format!("-I{}", seen(directory)?));
    }
    flags.extend(source.reading.define.iter().map(|define| format!("-D{define}")));
    let unusable = (source.reading.cpp != "cc -E").then_some("it has a preprocessor of its own");
    Ok(LiveSources { files: source.files.iter().map(seen).collect::<Result<_>>()?, flags, unusable })
}

/// A path as seen from a folder; both are absolute. Folders that are links are not followed, so only what is near is named by `..`.
fn relative(path: &Path, folder: &Path) -> PathBuf {
    const FAR: usize = 6;
    let shared = path.components().zip(folder.components()).take_while(|(one, other)| one == other).count();
    let up = folder.components().count() - shared;
    let parts: Vec<_> = folder.components().chain(path.components()).collect();
    if up > FAR || shared <= 1 || parts.iter().any(|part| matches!(part, Component::ParentDir)) {
        return path.to_path_buf();
    }
    let ups = std::iter::repeat_n(Component::ParentDir, up);
    ups.chain(path.components().skip(shared)).collect()
}

fn write(folder: &Path, files: &[(String, Vec<u8>)]) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}
