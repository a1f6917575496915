//! Runs that the user gives, and what is expected of them.

use super::{CycleArgs, EntryArgs, EnvironmentArgs, FormatArgs, SourceArgs, UndefinedArgs};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// What a run is given.
#[derive(Args, Clone, Default)]
pub struct GivenArgs {
    /// Values of the inputs in the order the program asks for them, separated by commas
    #[arg(long, value_name = "V1,V2,…", value_delimiter = ',', allow_hyphen_values = true)]
    pub inputs: Option<Vec<String>>,
    /// Take the inputs from a test case of Test-Comp
    #[arg(long, value_name = "FILE", conflicts_with = "inputs")]
    pub test_xml: Option<PathBuf>,
    /// Command-line argument of the program, may be given several times
    #[arg(long = "arg", value_name = "TEXT", allow_hyphen_values = true)]
    pub args: Vec<String>,
    /// What the program reads from its standard input
    #[arg(long, value_name = "FILE")]
    pub stdin: Option<PathBuf>,
}

/// What is expected of a run.
#[derive(Args, Clone, Default)]
pub struct OracleArgs {
    /// The output that the run should have; line ends at its end do not count
    #[arg(long, value_name = "FILE")]
    pub expect_stdout: Option<PathBuf>,
    /// The exit code of the program, or the result of the function to start at, that the run should have
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub expect_result: Option<i32>,
}

#[derive(Args)]
pub struct ReplayArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub undefined: UndefinedArgs,
    #[command(flatten)]
    pub given: GivenArgs,
    /// PLC programs: run the test cases of a file (input_trace and expected_output_trace, values of each cycle) and say which ones pass
    #[arg(long, value_name = "FILE.json", conflicts_with_all = ["inputs", "test_xml"])]
    pub test_cases: Option<PathBuf>,
    #[command(flatten)]
    pub oracle: OracleArgs,
    #[command(flatten)]
    pub entry: EntryArgs,
    #[command(flatten)]
    pub environment: EnvironmentArgs,
    /// Property to check while running, may be given several times (default: assertions, memory safety, division by zero)
    #[arg(short, long, value_name = "NAME")]
    pub property: Vec<String>,
    /// Stop after so many steps
    #[arg(long, value_name = "N", default_value_t = 1_000_000_000)]
    pub max_steps: u64,
    /// Stop when the program's objects take more than so many megabytes
    #[arg(long, value_name = "MB", default_value_t = 1024)]
    pub max_memory: u64,
    /// Stop when calls nest deeper
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub max_depth: u32,
    /// Reading memory that was never written: take zero, or stop with an error
    #[arg(long, value_enum, default_value_t = UninitializedArg::Zero)]
    pub uninitialized: UninitializedArg,
    /// Print at most so many steps of the run (the first and the last ones)
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub show_steps: usize,
    /// Print every iteration of long loops, not only the first and the last two
    #[arg(long)]
    pub full: bool,
    /// Print only how the run ends
    #[arg(long, short)]
    pub quiet: bool,
    #[command(flatten)]
    pub format: FormatArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum UninitializedArg {
    Zero,
    Error,
}

#[derive(Args)]
pub struct TestArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub undefined: UndefinedArgs,
    /// Property name, group (default, memsafety, all) or .prp file, may be given several times (default: assertions, memory safety,
    /// division by zero)
    #[arg(short, long, value_name = "NAME|FILE.prp")]
    pub property: Vec<String>,
    /// Function to start at; of a PLC program, the block that runs in every cycle
    #[arg(long, value_name = "FUNCTION", default_value = "main")]
    pub entry: String,
    #[command(flatten)]
    pub cycle: CycleArgs,
    /// Unwind loops and recursion so often, instead of as often as it takes
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub unwind: Option<u32>,
    /// Give up after so many seconds
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub timeout: Option<f64>,
    /// Give up when more than so many megabytes are needed
    #[arg(long, value_name = "MB", default_value_t = 2000)]
    pub memory: u64,
    #[command(flatten, next_help_heading = "A failing run to make the test of")]
    pub given: GivenArgs,
    /// Make the test of a run that a violation witness of any tool describes (GraphML or YAML)
    #[arg(long, value_name = "WITNESS", conflicts_with_all = ["inputs", "test_xml", "args", "stdin"])]
    pub witness: Option<PathBuf>,
    /// Directory for the files (default: the name of the program, with `-test`)
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Compile the test with `cc` and run it under limits: the violation must be observed (of a PLC program, `replay --test-cases` does that)
    #[arg(long)]
    pub run: bool,
    #[command(flatten)]
    pub format: FormatArgs,
}
