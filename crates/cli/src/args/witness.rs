//! Commands about witnesses.

use super::{FormatArgs, ReadingArgs, UndefinedArgs};
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Subcommand)]
pub enum WitnessCommand {
    /// Check that a witness follows its format and fits its program
    Lint(WitnessLintArgs),
    /// Find out whether what a witness claims is true
    Validate(WitnessValidateArgs),
    /// Write a witness with every input for a run that a less precise one describes
    Refine(WitnessRefineArgs),
    /// Translate a witness into another format, where the meaning is kept
    Convert(WitnessConvertArgs),
    /// Show a witness as text or as a graph
    Show(WitnessShowArgs),
}

/// The witness, and the program it is about.
#[derive(Args)]
pub struct WitnessArgs {
    /// GraphML or YAML, recognized by their content
    #[arg(value_name = "WITNESS")]
    pub witness: PathBuf,
    /// The program (.c, or preprocessed .i)
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub reading: ReadingArgs,
}

#[derive(Args)]
pub struct WitnessLintArgs {
    #[command(flatten)]
    pub witness: WitnessArgs,
    /// Take warnings for errors
    #[arg(long)]
    pub strict: bool,
    #[command(flatten)]
    pub format: FormatArgs,
}

#[derive(Args)]
pub struct WitnessValidateArgs {
    #[command(flatten)]
    pub witness: WitnessArgs,
    #[command(flatten)]
    pub undefined: UndefinedArgs,
    /// How: static (symbolic execution along the witness), interpret (the interpreter follows the witness), execute (the program is
    /// compiled and run on the inputs of the witness) (default: interpret if the witness gives the inputs, else static)
    #[arg(long, value_name = "NAME")]
    pub how: Option<String>,
    /// Of a correctness witness: the stated invariants have to be the proof, and no others may help
    #[arg(long)]
    pub strict: bool,
    /// Property name or .prp file, may be given several times (default: what the witness says)
    #[arg(short, long, value_name = "NAME|FILE.prp")]
    pub property: Vec<String>,
    /// Function to start at
    #[arg(long, value_name = "FUNCTION", default_value = "main")]
    pub entry: String,
    /// Give up after so many seconds
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub timeout: Option<f64>,
    /// Give up when more than so many megabytes are needed
    #[arg(long, value_name = "MB", default_value_t = 2000)]
    pub memory: u64,
    /// Also write what was found out as an HTML page: one file that needs nothing else (docs/guide/src/report.md)
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    #[command(flatten)]
    pub format: FormatArgs,
}

#[derive(Args)]
pub struct WitnessRefineArgs {
    #[command(flatten)]
    pub witness: WitnessArgs,
    #[command(flatten)]
    pub undefined: UndefinedArgs,
    /// File to write, its extension names the format (default: standard output, in the format of the witness)
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Property name or .prp file, may be given several times (default: what the witness says)
    #[arg(short, long, value_name = "NAME|FILE.prp")]
    pub property: Vec<String>,
    /// Function to start at
    #[arg(long, value_name = "FUNCTION", default_value = "main")]
    pub entry: String,
    /// Give up after so many seconds
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub timeout: Option<f64>,
    /// Give up when more than so many megabytes are needed
    #[arg(long, value_name = "MB", default_value_t = 2000)]
    pub memory: u64,
}

#[derive(Args)]
pub struct WitnessConvertArgs {
    #[command(flatten)]
    pub witness: WitnessArgs,
    /// Format to convert to: graphml, yaml-2.0, yaml-2.1 or yaml-2.2 (default: by the extension of --output)
    #[arg(long, value_name = "FORMAT")]
    pub to: Option<String>,
    /// File to write (default: standard output)
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Args)]
pub struct WitnessShowArgs {
    /// GraphML or YAML, recognized by their content
    #[arg(value_name = "WITNESS")]
    pub witness: PathBuf,
    /// As a graph for Graphviz
    #[arg(long)]
    pub dot: bool,
}
