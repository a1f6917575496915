//! What each command does, on one screen.

use crate::args::{CheckArgs, Cli, Command, DumpFormat, ReplayArgs, ShowArgs, ShowWhat, UninitializedArg, VerifyArgs};
use crate::inputs::TextInputs;
use crate::load::load;
use crate::question::Question;
use crate::watch::{GivenUp, Waiting};
use crate::{failure, produce, property, test_export, undefined, witness};
use anyhow::{Context, Result};
use cfa::Property;
use cfa::interp::{Config, ProgramArgs, Uninitialized};
use evidence::{Reason, Verdict};
use explain::minimize::minimizer;
use report::check::{CheckReport, DiagnosticView};
use report::replay::Shown;
use report::terminal::{self, Style};
use serde::Serialize;
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use workflow::{Loaded, bounded, verification};

pub const OK: u8 = 0;
pub const BAD_INPUT: u8 = 2;
pub const VIOLATED: u8 = 10;
pub const UNKNOWN: u8 = 30;
pub const INTERNAL: u8 = 70;

pub fn run(cli: &Cli) -> Result<u8> {
    match &cli.command {
        Command::Verify(args) => verify(args),
        Command::Minimize(args) => failure::minimize(args),
        Command::Localize(args) => failure::localize(args),
        Command::Explain(args) => failure::explain(args),
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

/// What `--json` prints where there is no answer but an error.
#[derive(Serialize)]
struct ErrorReport<'a> {
    error: &'a str,
}

static JSON_WAS_PRINTED: AtomicBool = AtomicBool::new(false);

/// For a command that ends with an error: who asked for JSON gets some, unless the command printed it already.
pub fn print_error_json(command: &str, start: Instant, error: &str) {
    if !JSON_WAS_PRINTED.load(Ordering::SeqCst) {
        // If standard output is closed, the message is lost.
        print_json(command, start, ErrorReport { error }).ok();
    }
}

pub fn print_json(command: &str, start: Instant, report: impl Serialize) -> Result<()> {
    JSON_WAS_PRINTED.store(true, Ordering::SeqCst);
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

/// How standard output is written.
pub fn style() -> Style {
    style_of(std::io::stdout().is_terminal())
}

/// Colours are for terminals, and only where the user does not object (`NO_COLOR`, see no-color.org).
fn style_of(is_terminal: bool) -> Style {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    if is_terminal && !refused { Style::Coloured } else { Style::Plain }
}

pub fn shown(full: bool) -> Shown {
    if full { Shown::Everything } else { Shown::Folded }
}

pub fn print_diagnostics(loaded: &Loaded) {
    for diagnostic in &loaded.compiled.diagnostics {
        let style = style_of(std::io::stderr().is_terminal());
        eprint!("{}", terminal::diagnostic(&DiagnosticView::new(&loaded.sources, diagnostic), style));
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
        properties: property::set(&args.property, REPLAY_PROPERTIES)?,
        max_steps: args.max_steps,
        max_memory: args.max_memory.saturating_mul(1 << 20),
        max_depth: args.max_depth,
        uninitialized: match args.uninitialized {
            UninitializedArg::Zero => Uninitialized::Arbitrary,
            UninitializedArg::Error => Uninitialized::Error,
        },
        ..Config::default()
    };
    let loaded = load(&args.source)?;
    print_diagnostics(&loaded);
    if loaded.compiled.has_errors() {
        return Ok(BAD_INPUT);
    }
    let competition = undefined::is_competition(&args.source.files, &args.property);
    let loaded = loaded.with_undefined_functions(args.undefined.or_usual(competition));
    let program = &loaded.compiled.program;
    let entry = entry_function(program, &args.entry)?;
    inputs.bind(program);
    let words = std::iter::once(args.entry.clone()).chain(args.args.iter().cloned());
    let words = ProgramArgs { words: words.map(String::into_bytes).collect() };
    let show_steps = (!args.quiet).then_some(args.show_steps);
    let report = workflow::replay::replay(&loaded, entry, &words, &mut inputs, &config, show_steps);
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

fn verify(args: &VerifyArgs) -> Result<u8> {
    let start = Instant::now();
    let options = &args.question;
    let minimizer = minimizer(&args.minimize).context("the strategy is in the table")?;
    produce::check(&args.witness)?;
    let Some(mut asked) = Question::of(options)?.about_program(options)? else { return Ok(BAD_INPUT) };
    asked.options.all = args.all;
    let request = asked.request();
    if let Some(format) = args.dump {
        let write = match format {
            DumpFormat::Smt2 => logic::dump::smt2,
            DumpFormat::Dimacs => logic::dump::dimacs,
        };
        print(bounded::dump(&request, options.unwind.unwrap_or(1), write).trim_end())?;
        return Ok(OK);
    }
    let question = verification::question(&request);
    let json = options.output.json;
    let give_up = move |given_up: GivenUp| {
        let report = report::verify::out_of_budget(question, given_up.reason, given_up.bound);
        match json {
            true => print_json("verify", start, &report)?,
            false => print(report.to_text(Shown::Folded, style()).trim_end())?,
        }
        Ok(UNKNOWN)
    };
    let waiting = Waiting::start(options, start, request.budget, request.engine.name, give_up);
    let answer = workflow::decide(&request)?;
    // From here on there is an answer, whatever time it takes to simplify it; that is little, by its own limit.
    drop(waiting);
    let verified = verification::report(&request, answer, minimizer)?;
    produce::write(&args.witness, &request, &verified)?;
    match json {
        true => print_json("verify", start, &verified.report)?,
        false => print(verified.report.to_text(shown(options.output.full), style()).trim_end())?,
    }
    Ok(match verified.verdict {
        Verdict::Safe(_) => OK,
        Verdict::Unsafe(_) => VIOLATED,
        Verdict::Unknown(Reason::NotReplayed { .. }) => INTERNAL,
        Verdict::Unknown(_) => UNKNOWN,
    })
}
