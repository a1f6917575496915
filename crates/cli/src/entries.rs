//! `verify --all-entries`: every function of the files as the one to start at, each in a process of its own with its own limits.

use crate::args::VerifyArgs;
use crate::load::load_with;
use crate::output::Output;
use crate::pipeline::{BAD_INPUT, OK, UNKNOWN, VIOLATED, own_functions};
use anyhow::{Context, Result, anyhow, bail};
use cfa::{FuncId, Program, Type};
use report::PlaceView;
use report::entries::{EntriesReport, EntryView};
use report::replay::Shown;
use serde_json::Value;
use std::ffi::OsString;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Of each function, unless `--timeout` says something else.
const SECONDS: f64 = 10.0;

pub fn command(args: &VerifyArgs) -> Result<u8> {
    let options = &args.question;
    if !args.witness.is_empty() || args.dump.is_some() || options.entry.entry != "main" {
        bail!("--all-entries has no meaning with --entry, --witness or --dump: each function is the one to start at");
    }
    let output = Output::new(report::Command::Entries, &options.output.format, Shown::Folded, &options.source.files)?;
    let compile_options = options.environment.compile_options(options.source.data_model(), &options.entry)?;
    let loaded = load_with(&options.source, &compile_options, None)?;
    output.print_diagnostics(&loaded);
    if loaded.compiled.has_errors() {
        return Ok(BAD_INPUT);
    }
    if loaded.compiled.entry.is_some() {
        bail!("--all-entries is for C: the blocks of a PLC program run in a cycle; choose one with --entry");
    }
    let excluded = patterns(&args.exclude)?;
    let program = &loaded.compiled.program;
    let has_objects = !options.entry.entry_arrays.is_empty() || options.entry.entry_depth.is_some();
    let mut open: Vec<(String, PlaceView, Option<String>)> = Vec::new();
    for function in own_functions(&loaded) {
        let place = PlaceView::of(&loaded.sources, program.functions[function].span).unwrap_or_default();
        if !is_excluded(&excluded, &place.file) {
            open.push((program.function_name(function).to_string(), place, harness(program, function, has_objects)));
        }
    }
    let words = own_words(args.question.timeout.is_none());
    let entries: Vec<Mutex<Option<EntryView>>> = open.iter().map(|_| Mutex::default()).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some((function, place, missing)) = open.get(next.fetch_add(1, Ordering::SeqCst)) {
            let entry = match missing {
                Some(reason) => entry(function, place, "skipped", Some(reason.clone())),
                None => verified(function, place, &words),
            };
            let slot = open.iter().position(|(other, ..)| other == function);
            if let Some(mut slot) = slot.and_then(|slot| entries[slot].lock().ok()) {
                *slot = Some(entry);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let entries = entries.into_iter().filter_map(|entry| entry.into_inner().ok().flatten());
    let report = EntriesReport { entries: entries.collect() };
    let code = match (report.count("false"), report.count("unknown")) {
        (0, 0) => OK,
        (0, _) => UNKNOWN,
        _ => VIOLATED,
    };
    output.print(report)?;
    Ok(code)
}

/// What keeps a function from being called without more being said about its parameters.
fn harness(program: &Program, function: FuncId, has_objects: bool) -> Option<String> {
    if has_objects || program.function_name(function) == "main" {
        return None;
    }
    let is_pointer =
        |variable: &&cfa::VarId| matches!(program.types.get(program.vars[**variable].ty), Type::Pointer(_));
    let pointer = program.functions[function].params.iter().find(is_pointer)?;
    let name = program.name(program.vars[*pointer].name);
    Some(format!(
        "the parameter {name} is a pointer; --entry-arrays {name}=N gives it an array, --entry-depth builds structures"
    ))
}

fn entry(function: &str, place: &PlaceView, verdict: &str, reason: Option<String>) -> EntryView {
    EntryView {
        function: function.to_string(),
        place: place.clone(),
        verdict: verdict.to_string(),
        property: None,
        reason,
        help: None,
        violation: None,
        time_ms: 0.0,
    }
}

fn verified(function: &str, place: &PlaceView, words: &[OsString]) -> EntryView {
    let start = Instant::now();
    let asked = ask(function, words);
    let time_ms = start.elapsed().as_secs_f64() * 1000.0;
    let report = match asked {
        Ok(report) => report,
        Err(error) => return EntryView { time_ms, ..entry(function, place, "unknown", Some(format!("{error:#}"))) },
    };
    let text = |value: &Value| value.as_str().map(String::from);
    let first = &report["violations"][0];
    let number = |name: &str| first[name].as_u64().and_then(|number| u32::try_from(number).ok());
    let violation = text(&first["file"]).map(|file| PlaceView {
        file,
        line: number("line").unwrap_or(0),
        column: number("column").unwrap_or(0),
        ..PlaceView::default()
    });
    EntryView {
        property: text(&first["property"]).or(text(&report["property"])),
        violation,
        help: text(&report["help"]),
        time_ms,
        ..entry(
            function,
            place,
            report["verdict"].as_str().unwrap_or("unknown"),
            text(&first["message"]).or(text(&report["reason"])).or(text(&report["error"])),
        )
    }
}

/// The JSON report of `verify` that starts at a function.
fn ask(function: &str, words: &[OsString]) -> Result<Value> {
    let program = std::env::current_exe().context("cannot find this program")?;
    let mut command = Command::new(program);
    command.args(words).args(["--json", "--entry", function]).stdin(Stdio::null());
    let output = command.output().context("cannot run this program again")?;
    serde_json::from_slice(&output.stdout).map_err(|_| {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let why = said.lines().find(|line| line.starts_with("error: ")).unwrap_or("nothing was said");
        anyhow!("it ended without an answer: {why}")
    })
}

/// The command line of this process, for one function: without what is about all of them and about the form of the report.
fn own_words(limited: bool) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut typed = std::env::args_os().skip(1);
    while let Some(word) = typed.next() {
        let text = word.to_string_lossy();
        match text.as_ref() {
            "--all-entries" | "--json" | "--quiet" | "-q" => {}
            "--format" | "--exclude" | "--color" => {
                typed.next();
            }
            _ if ["--format=", "--exclude=", "--color="].iter().any(|start| text.starts_with(start)) => {}
            _ => words.push(word),
        }
    }
    if limited {
        words.extend(["--timeout".into(), SECONDS.to_string().into()]);
    }
    words
}

/// Patterns are relative to this folder as file names are, or absolute, as those of a configuration in a folder above.
fn is_excluded(patterns: &[glob::Pattern], file: &str) -> bool {
    let whole = std::fs::canonicalize(file).ok();
    patterns
        .iter()
        .any(|pattern| pattern.matches(file) || whole.as_ref().is_some_and(|path| pattern.matches_path(path)))
}

fn patterns(texts: &[String]) -> Result<Vec<glob::Pattern>> {
    let pattern = |text: &String| glob::Pattern::new(text).with_context(|| format!("--exclude {text}: not a pattern"));
    texts.iter().map(pattern).collect()
}
