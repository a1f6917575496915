//! What is asked about a program, and the limits.

use super::failure::strategies;
use super::{EntryArgs, EnvironmentArgs, OutputArgs, SourceArgs, UndefinedArgs};
use clap::{Args, ValueEnum};
use explain::minimize::DEFAULT_MINIMIZER;
use std::path::PathBuf;

/// What is asked, and how much the answer may cost.
#[derive(Args)]
pub struct TaskArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub undefined: UndefinedArgs,
    /// Property name, group (default, memsafety, all) or .prp file, may be given several times: exactly these are checked (default:
    /// assertions, that is unreach-call and assertion; memory safety, that is valid-deref and valid-free; div-by-zero)
    #[arg(short, long, value_name = "NAME|FILE.prp")]
    pub property: Vec<String>,
    #[command(flatten)]
    pub entry: EntryArgs,
    #[command(flatten)]
    pub environment: EnvironmentArgs,
    /// How to decide
    #[arg(long, value_name = "NAME", default_value = engine::DEFAULT_ENGINE)]
    pub engine: String,
    /// Unwind loops and recursion so often, instead of as often as it takes
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub unwind: Option<u32>,
    /// Enter one loop again at most N times (the one whose statement starts there), or let one function call itself at most N deep,
    /// whatever the bound for the others is; may be given several times. If more is possible, the answer is not `true`
    #[arg(long, value_name = "FILE:LINE=N|LINE=N|FUNCTION=N")]
    pub unwind_loop: Vec<String>,
    /// Give up after so many seconds
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub timeout: Option<f64>,
    /// Give up when more than so many megabytes are needed
    #[arg(long, value_name = "MB", default_value_t = 2000)]
    pub memory: u64,
    #[command(flatten)]
    pub output: OutputArgs,
}

impl TaskArgs {
    /// The first option about the environment or the entry that a witness does not tell.
    pub fn unusual(&self) -> Option<&'static str> {
        let entry = [
            (!self.entry.entry_arrays.is_empty(), "--entry-arrays"),
            (self.entry.entry_depth.is_some(), "--entry-depth"),
            (!self.entry.assume.is_empty(), "--assume"),
        ];
        let entry = entry.into_iter().find_map(|(is, name)| is.then_some(name));
        self.environment.unusual().or(entry)
    }
}

#[derive(Args)]
pub struct TrustArgs {
    /// Functions that are never blamed, as a pattern with * and ?; may be given several times
    #[arg(long, value_name = "GLOB")]
    pub trust: Vec<String>,
}

/// When `verify` names the first suspects.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SuspectsArg {
    /// Where a person reads the answer, unless the question is a task file or a property file
    Auto,
    Always,
    Never,
}

/// Verify, minimize, explain and localize in one go.
#[derive(Args)]
pub struct ReportArgs {
    #[command(flatten)]
    pub question: TaskArgs,
    #[command(flatten)]
    pub trusted: TrustArgs,
}

#[derive(Args)]
pub struct VerifyArgs {
    #[command(flatten)]
    pub question: TaskArgs,
    /// Instead of deciding, print the question of the bound --unwind (default 1) for another solver
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub dump: Option<DumpFormat>,
    /// Find every place where a property is violated, not only one, and say of each assertion and call of an error function
    /// whether it is violated, holds, holds up to the bound, or is not reached within it (of other checks, only violated ones are listed)
    #[arg(long)]
    pub all: bool,
    /// Verify each function of the files as the one to start at, and print one line about each (--timeout is for each, default 10 s)
    #[arg(long, conflicts_with = "all")]
    pub all_entries: bool,
    /// With --all-entries: leave out functions of files that match a pattern with * and ?; may be given several times
    #[arg(long, value_name = "GLOB", requires = "all_entries")]
    pub exclude: Vec<String>,
    /// Write the evidence as a verification witness, in the format of the extension (.graphml, .yml); may be given several times
    #[arg(long, value_name = "FILE")]
    pub witness: Vec<PathBuf>,
    /// How much to simplify the run that shows a violation; optimal stops early where it is hard, the command minimize does not
    #[arg(long, value_name = "STRATEGY", value_parser = strategies(), default_value = DEFAULT_MINIMIZER)]
    pub minimize: String,
    /// Whether to name the first lines to suspect for a violation, with what costs little (localize does it thoroughly)
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = SuspectsArg::Auto)]
    pub suspects: SuspectsArg,
    #[command(flatten)]
    pub trusted: TrustArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DumpFormat {
    /// SMT-LIB 2
    Smt2,
    /// CNF after bit-blasting
    Dimacs,
}
