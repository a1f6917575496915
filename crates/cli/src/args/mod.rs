//! The command line: the table of commands. What several commands take is in the files beside it.

mod batch;
mod failure;
mod given;
mod output;
mod program;
mod question;
mod witness;

use crate::output::Output;
pub use batch::*;
use clap::{Args, Parser, Subcommand, ValueEnum};
pub use failure::*;
pub use given::*;
pub use output::*;
pub use program::*;
pub use question::*;
use report::replay::Shown;
use std::path::PathBuf;
pub use witness::*;

#[derive(Parser)]
#[command(
    name = "whydunit",
    version,
    about = "Finds the bug in a C program, proves it by replay, and says why",
    max_term_width = 120
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    /// When to use colours: on a terminal (auto; NO_COLOR and CLICOLOR_FORCE decide otherwise), always or never
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = ColorArg::Auto, hide_possible_values = true)]
    pub color: ColorArg,
    /// Take options from this file (default: whydunit.toml in this folder or the nearest one above it)
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Take options from no file
    #[arg(long, global = true, conflicts_with = "config")]
    pub no_config: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ColorArg {
    Auto,
    Always,
    Never,
}

impl Cli {
    /// The program that the command is about, and what it runs in.
    pub fn program(&mut self) -> Option<(&mut SourceArgs, Option<&mut EnvironmentArgs>)> {
        let task = match &mut self.command {
            Command::Verify(args) => &mut args.question,
            Command::Minimize(args) => &mut args.failure.question,
            Command::Localize(args) => &mut args.failure.question,
            Command::Explain(args) => &mut args.failure.question,
            Command::Report(args) => &mut args.question,
            Command::Check(args) => return Some((&mut args.source, None)),
            Command::Replay(args) => return Some((&mut args.source, Some(&mut args.environment))),
            Command::Test(args) => return Some((&mut args.source, None)),
            Command::Show(args) => return Some((&mut args.source, None)),
            Command::Witness(_) | Command::Batch(_) | Command::Lsp(_) | Command::Completions(_) | Command::Man(_) => {
                return None;
            }
        };
        Some((&mut task.source, Some(&mut task.environment)))
    }

    /// Where the command's report goes, if it has one.
    pub fn output(&self) -> Option<Output> {
        fn question(command: report::Command, args: &TaskArgs) -> (report::Command, &FormatArgs, Vec<PathBuf>) {
            (command, &args.output.format, args.source.files.clone())
        }
        let (command, format, files) = match &self.command {
            Command::Verify(args) => question(report::Command::Verify, &args.question),
            Command::Minimize(args) => question(report::Command::Minimize, &args.failure.question),
            Command::Localize(args) => question(report::Command::Localize, &args.failure.question),
            Command::Explain(args) => question(report::Command::Explain, &args.failure.question),
            Command::Report(args) => question(report::Command::Verify, &args.question),
            Command::Check(args) => (report::Command::Check, &args.format, args.source.files.clone()),
            Command::Replay(args) => (report::Command::Replay, &args.format, args.source.files.clone()),
            Command::Test(args) => (report::Command::Test, &args.format, args.source.files.clone()),
            Command::Witness(WitnessCommand::Lint(args)) => {
                (report::Command::WitnessLint, &args.format, vec![args.witness.witness.clone()])
            }
            Command::Witness(WitnessCommand::Validate(args)) => {
                (report::Command::WitnessValidate, &args.format, vec![args.witness.witness.clone()])
            }
            Command::Show(_)
            | Command::Witness(_)
            | Command::Batch(_)
            | Command::Lsp(_)
            | Command::Completions(_)
            | Command::Man(_) => {
                return None;
            }
        };
        Output::new(command, format, Shown::End, &files).ok()
    }
}

#[derive(Subcommand)]
pub enum Command {
    /// Decide whether a property holds
    Verify(VerifyArgs),
    /// The shortest run with the smallest values that shows a violation
    Minimize(MinimizeArgs),
    /// The lines to suspect for a violation, and why
    Localize(LocalizeArgs),
    /// The closest run that passes, what is different there, and what the failure depends on
    Explain(ExplainArgs),
    /// Verify; after a violation also minimize, explain and localize; write it all as an HTML page (default: report.html)
    Report(Box<ReportArgs>),
    /// Parse and type-check only
    Check(CheckArgs),
    /// Run the program in the interpreter on given inputs, step by step
    Replay(ReplayArgs),
    /// Make a test of the counterexample: C harness, Makefile, gdb script, Test-Comp test case
    Test(TestArgs),
    /// Show an internal form of the program
    Show(ShowArgs),
    /// Check, validate, convert or show a verification witness
    #[command(subcommand)]
    Witness(WitnessCommand),
    /// Many tasks, each as a process under limits: on this machine or a cluster, resumable, with tables
    Batch(Box<BatchArgs>),
    /// A language server on standard input and output, for editors
    Lsp(LspArgs),
    /// Print the completions of the command line for a shell
    Completions(CompletionsArgs),
    /// Print the manual page, or write one for each command into a folder
    Man(ManArgs),
}

#[derive(Args)]
pub struct LspArgs {
    /// Give up on a question after so many seconds
    #[arg(long, value_name = "S", default_value_t = 20.0)]
    pub timeout: f64,
    /// For clients that say so: standard input and output are always used
    #[arg(long, hide = true)]
    pub stdio: bool,
}

#[derive(Args)]
pub struct CompletionsArgs {
    /// The shell; for bash: whydunit completions bash > ~/.local/share/bash-completion/completions/whydunit
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

#[derive(Args)]
pub struct ManArgs {
    /// Write whydunit.1, whydunit-verify.1 and so on there, instead of the first one to standard output
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
}
