//! How answers are printed: reports by a renderer of the table on standard output, what is said about the text of the program on standard error.

use crate::args::{ColorArg, FormatArgs, OutputArgs};
use crate::next_command;
use anyhow::{Context, Result, bail};
use report::check::DiagnosticView;
use report::next::{self, Next};
use report::render::terminal::Style;
use report::render::{RENDERERS, RenderOptions, Renderer, default_renderer, json, renderer};
use report::replay::Shown;
use report::{Command, Document, ErrorReport, Report};
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use workflow::Loaded;

/// Where the report of a command goes.
#[derive(Clone)]
pub struct Output {
    command: Command,
    /// The files that the command is about.
    subject: Vec<String>,
    start: Instant,
    renderer: &'static Renderer,
    shown: Shown,
    verbose: bool,
}

static REPORT_WAS_PRINTED: AtomicBool = AtomicBool::new(false);

impl Output {
    /// Refuses a format that there is not for the command.
    pub fn new(command: Command, args: &FormatArgs, shown: Shown, files: &[PathBuf]) -> Result<Self> {
        let name = if args.json { json::RENDERER.name } else { &args.format };
        let renderer = renderer(name).context("the format is in the table")?;
        if !(renderer.supports)(command) {
            let known = RENDERERS.iter().filter(|other| (other.supports)(command)).map(|other| other.name);
            let known = known.collect::<Vec<&str>>().join(", ");
            bail!("the command {} has no format `{}` (known: {known})", command.name(), renderer.name);
        }
        let subject = files.iter().map(|file| file.display().to_string()).collect();
        Ok(Output { command, subject, start: Instant::now(), renderer, shown, verbose: false })
    }

    /// For a command that finds out something about a program.
    pub fn of(command: Command, args: &OutputArgs, files: &[PathBuf]) -> Result<Self> {
        let verbose = args.verbose;
        Ok(Output { verbose, ..Output::new(command, &args.format, args.shown(), files)? })
    }

    /// For a command without a choice of formats.
    pub fn for_people(command: Command) -> Self {
        let renderer = default_renderer();
        Output { command, subject: Vec::new(), start: Instant::now(), renderer, shown: Shown::Folded, verbose: false }
    }

    pub fn start(&self) -> Instant {
        self.start
    }

    /// Whether a program reads it.
    pub fn is_for_programs(&self) -> bool {
        self.renderer.is_for_programs
    }

    /// Whether a person reads more than the place of a violation.
    pub fn tells_story(&self) -> bool {
        !self.renderer.is_for_programs && self.shown != Shown::End
    }

    /// The report with what is said about the command itself.
    pub fn document(&self, report: impl Into<Report>) -> Document {
        self.document_with(report.into(), None)
    }

    fn document_with(&self, report: Report, unfinished: Option<String>) -> Document {
        let time_ms = self.start.elapsed().as_secs_f64() * 1000.0;
        let next = match self.shown {
            Shown::Story if !self.renderer.is_for_programs => next::commands(&report),
            _ => &[],
        };
        let next = next.iter().filter_map(|(name, what)| Some(Next { line: next_command::line(name)?, what }));
        Document {
            command: self.command,
            subject: self.subject.clone(),
            time_ms,
            next: next.collect(),
            report,
            unfinished,
        }
    }

    pub fn print(&self, report: impl Into<Report>) -> Result<()> {
        self.print_document(&self.document(report))
    }

    /// The best so far, and why it is not the last word.
    pub fn print_unfinished(&self, report: impl Into<Report>, why: String) -> Result<()> {
        self.print_document(&self.document_with(report.into(), Some(why)))
    }

    /// For a command that ends with an error, which was said: programs that read the report get it there, unless a report was printed before.
    pub fn print_error(&self, error: &str) {
        if !REPORT_WAS_PRINTED.load(Ordering::SeqCst) {
            // If standard output is closed, the message is lost.
            self.print(ErrorReport { error: error.to_string() }).ok();
        }
    }

    pub fn print_document(&self, document: &Document) -> Result<()> {
        REPORT_WAS_PRINTED.store(true, Ordering::SeqCst);
        let is_terminal = std::io::stdout().is_terminal();
        let options = RenderOptions {
            shown: self.shown,
            verbose: self.verbose,
            style: style_of(is_terminal),
            width: width(is_terminal),
        };
        match (self.renderer.render)(document, options).trim_end() {
            "" => Ok(()),
            text => print(text),
        }
    }

    /// What is said about the text of the program.
    pub fn print_diagnostics(&self, loaded: &Loaded) {
        let style = style_of(std::io::stderr().is_terminal());
        for diagnostic in &loaded.compiled.diagnostics {
            eprint!("{}", (self.renderer.diagnostic)(&DiagnosticView::new(&loaded.sources, diagnostic), style));
        }
    }
}

/// Standard output that may be closed early, as by `head`: that is no error.
pub fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        result => Ok(result?),
    }
}

static COLOR: OnceLock<ColorArg> = OnceLock::new();

/// What the command line says about colours, for all streams.
pub fn set_color(color: ColorArg) {
    COLOR.get_or_init(|| color);
}

/// Colours are for terminals, each stream on its own; the command line decides before the environment (no-color.org, bixense.com/clicolors).
fn style_of(is_terminal: bool) -> Style {
    let variable = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0");
    let wanted = match COLOR.get() {
        Some(ColorArg::Always) => true,
        Some(ColorArg::Never) => false,
        Some(ColorArg::Auto) | None if std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()) => false,
        Some(ColorArg::Auto) | None => is_terminal || variable("CLICOLOR_FORCE"),
    };
    if wanted { Style::Coloured } else { Style::Plain }
}

/// Columns to wrap text at: those of the terminal, or what `COLUMNS` says; text that goes into a file is not wrapped.
fn width(is_terminal: bool) -> Option<usize> {
    let said = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    let known = || is_terminal.then(textwrap::termwidth);
    said.or_else(known).filter(|width| *width >= 20)
}
