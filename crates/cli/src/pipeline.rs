//! What each command does, on one screen.

use crate::args::{CheckArgs, Cli, Command, ShowArgs, ShowWhat};
use crate::load::{Loaded, load};
use anyhow::Result;
use report::check::{CheckReport, DiagnosticView};
use report::terminal::{self, Style};
use serde::Serialize;
use std::io::{IsTerminal, Write};
use std::time::Instant;

pub const OK: u8 = 0;
pub const BAD_INPUT: u8 = 2;
pub const INTERNAL: u8 = 70;

pub fn run(cli: &Cli) -> Result<u8> {
    match &cli.command {
        Command::Check(args) => check(args),
        Command::Show(args) => show(args),
        Command::Replay(_) => Ok(OK),
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

fn print_json(command: &str, start: Instant, report: impl Serialize) -> Result<()> {
    let tool = Tool { name: "whydunit", version: env!("CARGO_PKG_VERSION") };
    let time_ms = start.elapsed().as_secs_f64() * 1000.0;
    let text = serde_json::to_string_pretty(&Envelope { tool, command, time_ms, report })?;
    print(&text)
}

/// Standard output that may be closed early, as by `head`: that is no error.
fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        result => Ok(result?),
    }
}

fn style() -> Style {
    if std::io::stderr().is_terminal() { Style::Coloured } else { Style::Plain }
}

fn print_diagnostics(loaded: &Loaded) {
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
