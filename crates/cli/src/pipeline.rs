//! What each command does, on one screen.

use crate::args::{CheckArgs, Cli, Command, DumpFormat, ReplayArgs, ShowArgs, ShowWhat, UninitializedArg, VerifyArgs};
use crate::inputs::TextInputs;
use crate::load::{Loaded, load};
use crate::watch::{self, Waiting};
use crate::{produce, property, task, test_export, unwind, witness};
use anyhow::{Context, Result, bail};
use cfa::interp::{self, Config, ProgramArgs, Uninitialized};
use cfa::{Property, PropertySet};
use engine::{ENGINES, Task};
use evidence::{Reason, Recorder, TapeRecorder, Trace, Verdict};
use report::check::{CheckReport, DiagnosticView};
use report::replay::Shown;
use report::terminal::{self, Style};
use serde::Serialize;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

pub const OK: u8 = 0;
pub const BAD_INPUT: u8 = 2;
pub const VIOLATED: u8 = 10;
pub const UNKNOWN: u8 = 30;
pub const INTERNAL: u8 = 70;

pub fn run(cli: &Cli) -> Result<u8> {
    match &cli.command {
        Command::Verify(args) => verify(args),
        Command::Check(args) => check(args),
        Command::Show(args) => show(args),
        Command::Replay(args) => replay(args),
        Command::Test(args) => test_export::command(args),
        Command::Witness(command) => witness::run(command),
    }
}

/// What every JSON object starts with.
#[derive(Serialize)]
struct Envelope<'a, T> {
    tool: Tool,
    command: &'a str,
    time_ms: f64,
    #[serde(flatten)]
    report: T,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

pub fn print_json(command: &str, start: Instant, report: impl Serialize) -> Result<()> {
    let tool = Tool { name: "whydunit", version: env!("CARGO_PKG_VERSION") };
    let time_ms = start.elapsed().as_secs_f64() * 1000.0;
    let text = serde_json::to_string_pretty(&Envelope { tool, command, time_ms, report })?;
    print(&text)
}

/// Standard output that may be closed early, as by `head`: that is no error.
pub fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        result => Ok(result?),
    }
}

pub fn style() -> Style {
    if std::io::stderr().is_terminal() { Style::Coloured } else { Style::Plain }
}

fn shown(full: bool) -> Shown {
    if full { Shown::Everything } else { Shown::Folded }
}

pub fn print_diagnostics(loaded: &Loaded) {
    for diagnostic in &loaded.compiled.diagnostics {
        eprint!("{}", terminal::diagnostic(&DiagnosticView::new(&loaded.sources, diagnostic), style()));
    }
}

fn check(args: &CheckArgs) -> Result<u8> {
    let start = Instant::now();
    let loaded = load(&args.source)?;
    let report = CheckReport::new(&loaded.sources, loaded.files, &loaded.compiled.diagnostics);
    let code = if report.errors > 0 { BAD_INPUT } else { OK };
    if args.json {
        print_json("check", start, &report)?;
    } else {
        print_diagnostics(&loaded);
        print(&format!("{} file(s), {} error(s), {} warning(s)", report.files, report.errors, report.warnings))?;
    }
    Ok(code)
}

fn show(args: &ShowArgs) -> Result<u8> {
    let loaded = load(&args.source)?;
    if loaded.compiled.has_errors() {
        print_diagnostics(&loaded);
        return Ok(BAD_INPUT);
    }
    let program = &loaded.compiled.program;
    let ShowWhat::Cfa = args.what;
    let text = if args.dot { cfa::dot::dot(program, Some(&loaded.sources)) } else { cfa::text::print(program) };
    print(text.trim_end())?;
    Ok(OK)
}

fn replay(args: &ReplayArgs) -> Result<u8> {
    let start = Instant::now();
    let mut inputs = match &args.test_xml {
        Some(file) => TextInputs::of_test_case(file)?,
        None => TextInputs::parse(&args.inputs)?,
    };
    let config = Config {
        properties: properties(&args.property, REPLAY_PROPERTIES)?,
        max_steps: args.max_steps,
        max_memory: args.max_memory.saturating_mul(1 << 20),
        max_depth: args.max_depth,
        uninitialized: match args.uninitialized {
            UninitializedArg::Zero => Uninitialized::Arbitrary,
            UninitializedArg::Error => Uninitialized::Error,
        },
    };
    let loaded = load(&args.source)?;
    print_diagnostics(&loaded);
    if loaded.compiled.has_errors() {
        return Ok(BAD_INPUT);
    }
    let program = &loaded.compiled.program;
    let entry = entry_function(program, &args.entry)?;
    inputs.bind(program);
    let words = std::iter::once(args.entry.clone()).chain(args.args.iter().cloned());
    let words = ProgramArgs { words: words.map(String::into_bytes).collect() };
    let mut recorder = Recorder::new(args.show_steps);
    // Recording costs time on long runs, so it is done only for who looks at it.
    let run = match args.quiet {
        true => interp::run(program, entry, &words, &mut inputs, &config),
        false => interp::run_observed(program, entry, &words, &mut inputs, &config, &mut recorder),
    };
    let report = report::replay::report(program, &loaded.sources, &recorder.finish(run, &words));
    let code = match report.outcome {
        "finished" => OK,
        "violation" => VIOLATED,
        _ => UNKNOWN,
    };
    if args.json {
        print_json("replay", start, &report)?;
    } else {
        let shown = if args.quiet { Shown::End } else { shown(args.full) };
        print(report.to_text(shown, style()).trim_end())?;
    }
    Ok(code)
}

pub fn entry_function(program: &cfa::Program, name: &str) -> Result<cfa::FuncId> {
    let entry = program.function_named(name).filter(|function| program.automaton(*function).is_some());
    entry.with_context(|| {
        let defined = program.functions.iter().filter(|(id, _)| program.automaton(*id).is_some());
        let names: Vec<&str> = defined.map(|(id, _)| program.function_name(id)).take(20).collect();
        let among = if names.is_empty() { String::new() } else { format!(" (defined: {})", names.join(", ")) };
        format!("the program defines no function `{name}`; choose where to start with --entry{among}")
    })
}

/// What every program should satisfy.
const REPLAY_PROPERTIES: &[Property] =
    &[Property::UnreachCall, Property::Assertion, Property::ValidDeref, Property::ValidFree, Property::DivByZero];

pub const VERIFY_PROPERTIES: &[Property] = &[Property::UnreachCall, Property::Assertion];

/// The properties asked for by name or by property file.
pub fn properties(names: &[String], default: &[Property]) -> Result<PropertySet> {
    if names.is_empty() {
        return Ok(PropertySet::of(default));
    }
    let mut set = PropertySet::EMPTY;
    for name in names {
        for property in property::parse(name)? {
            set = set.with(property);
        }
    }
    Ok(set)
}

/// As long as the user wants to wait.
pub fn budget(timeout: Option<f64>) -> Result<base::Budget> {
    let budget = match timeout {
        Some(seconds) if seconds > 0.0 && seconds < 1e9 => base::Budget::for_duration(Duration::from_secs_f64(seconds)),
        Some(seconds) => bail!("--timeout {seconds:e}: a positive number of seconds below 1e9 is needed"),
        None => base::Budget::unlimited(),
    };
    Ok(budget.with_cancel(watch::interrupt_flag()?))
}

fn verify(args: &VerifyArgs) -> Result<u8> {
    let start = Instant::now();
    let (source, names) = task::resolve(&args.source, &args.property)?;
    let properties = properties(&names, VERIFY_PROPERTIES)?;
    let Some(engine) = ENGINES.iter().find(|engine| engine.name == args.engine) else {
        let known: Vec<&str> = ENGINES.iter().map(|engine| engine.name).collect();
        bail!("unknown engine `{}` (known: {})", args.engine, known.join(", "));
    };
    if let Some(property) = properties.iter().find(|property| !(engine.supports)(*property)) {
        bail!(
            "`{}` cannot be decided by the engine {}; replay can check it on a single run",
            property.name(),
            engine.name
        );
    }
    let budget = budget(args.timeout)?;
    produce::check(&args.witness)?;
    let loaded = load(&source)?;
    if !args.json || loaded.compiled.has_errors() {
        print_diagnostics(&loaded);
    }
    if loaded.compiled.has_errors() {
        return Ok(BAD_INPUT);
    }
    let program = &loaded.compiled.program;
    let entry = entry_function(program, &args.entry)?;
    let limits = unwind::limits(&args.unwind_loop, program, &loaded.sources)?;
    let task = Task { program, entry, properties, unwind: args.unwind, limits: &limits, all: args.all };
    if let Some(format) = args.dump {
        let dump = match format {
            DumpFormat::Smt2 => logic::dump::smt2,
            DumpFormat::Dimacs => logic::dump::dimacs,
        };
        print(engine::bmc::question(&task, args.unwind.unwrap_or(1), dump).trim_end())?;
        return Ok(OK);
    }
    let question = report::verify::Question { properties, engine: engine.name, all: args.all };
    let waiting = Waiting::start(args, question, start, budget.progress().clone());
    let answer = (engine.decide)(&task, &budget);
    drop(waiting);
    // The runs that are shown are the interpreter's.
    let config = Config { properties, ..Config::default() };
    let mut tapes = Vec::new();
    let found = answer.violations.into_iter().map(|(violation, mut inputs)| {
        let mut recorder = Recorder::new(args.show_steps);
        let words = inputs.program_args(program, entry);
        let mut tape = TapeRecorder::new(words.clone(), &mut inputs);
        let run = interp::run_observed(program, entry, &words, &mut tape, &config, &mut recorder);
        tapes.push(tape.tape);
        let arguments_chosen = inputs.chooses_arguments(program, entry);
        let trace = Trace { arguments_chosen, ..recorder.finish(run, &words) };
        (violation, trace)
    });
    let found: Vec<_> = found.collect();
    produce::write(&args.witness, &loaded, entry, properties, &answer.verdict, tapes.first())?;
    let reached = report::verify::Reached {
        bound: answer.bound,
        complete: answer.complete,
        explored: answer.explored,
        checks: &answer.checks,
    };
    let report = report::verify::report(program, &loaded.sources, &answer.verdict, &found, question, reached);
    if args.json {
        print_json("verify", start, &report)?;
    } else {
        print(report.to_text(shown(args.full), style()).trim_end())?;
    }
    Ok(match answer.verdict {
        Verdict::Safe(_) => OK,
        Verdict::Unsafe(_) => VIOLATED,
        Verdict::Unknown(Reason::NotReplayed { .. }) => INTERNAL,
        Verdict::Unknown(_) => UNKNOWN,
    })
}
