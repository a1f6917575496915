//! How answers are printed: reports by a renderer of the table on standard output, what is said about the text of the program on standard error.

use crate::args::FormatArgs;
use anyhow::{Context, Result, bail};
use report::check::DiagnosticView;
use report::render::terminal::Style;
use report::render::{RENDERERS, RenderOptions, Renderer, default_renderer, json, renderer};
use report::replay::Shown;
use report::{Command, Document, ErrorReport, Report};
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use workflow::Loaded;

/// Where the report of a command goes.
#[derive(Clone, Copy)]
pub struct Output {
    command: Command,
    start: Instant,
    renderer: &'static Renderer,
    shown: Shown,
}

static REPORT_WAS_PRINTED: AtomicBool = AtomicBool::new(false);

impl Output {
    /// Refuses a format that there is not for the command.
    pub fn new(command: Command, args: &FormatArgs, shown: Shown) -> Result<Self> {
        let name = if args.json { json::RENDERER.name } else { &args.format };
        let renderer = renderer(name).context("the format is in the table")?;
        if !(renderer.supports)(command) {
            let known = RENDERERS.iter().filter(|other| (other.supports)(command)).map(|other| other.name);
            let known = known.collect::<Vec<&str>>().join(", ");
            bail!("the command {} has no format `{}` (known: {known})", command.name(), renderer.name);
        }
        Ok(Output { command, start: Instant::now(), renderer, shown })
    }

    /// For a command without a choice of formats.
    pub fn for_people(command: Command) -> Self {
        Output { command, start: Instant::now(), renderer: default_renderer(), shown: Shown::Folded }
    }

    pub fn start(&self) -> Instant {
        self.start
    }

    /// Whether a program reads it.
    pub fn is_for_programs(&self) -> bool {
        self.renderer.is_for_programs
    }

    /// The report with what is said about the command itself.
    pub fn document(&self, report: impl Into<Report>) -> Document {
        self.document_with(report.into(), None)
    }

    fn document_with(&self, report: Report, unfinished: Option<String>) -> Document {
        let time_ms = self.start.elapsed().as_secs_f64() * 1000.0;
        Document { command: self.command, time_ms, report, unfinished }
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
        let options = RenderOptions { shown: self.shown, style: style_of(std::io::stdout().is_terminal()) };
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

/// Colours are for terminals, and only where the user does not object (`NO_COLOR`, see no-color.org).
fn style_of(is_terminal: bool) -> Style {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    if is_terminal && !refused { Style::Coloured } else { Style::Plain }
}

pub fn shown(full: bool) -> Shown {
    if full { Shown::Everything } else { Shown::Folded }
}
