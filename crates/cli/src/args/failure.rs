//! Commands that start from a failure.

use super::{GivenArgs, OracleArgs, TaskArgs, TrustArgs};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use explain::localize::LOCALIZERS;
use explain::minimize::{DEFAULT_MINIMIZER, MINIMIZERS, Objective};
use std::path::PathBuf;

/// A run that fails: found as by verify, or given.
#[derive(Args)]
pub struct FailureArgs {
    #[command(flatten)]
    pub question: TaskArgs,
    /// A failing test to start from
    #[command(flatten, next_help_heading = "A failing test to start from")]
    pub given: GivenArgs,
    /// Start from a violation witness of any tool (GraphML or YAML): from a run that it describes
    #[arg(long, value_name = "WITNESS", conflicts_with_all = ["inputs", "test_xml", "args", "stdin"])]
    pub witness: Option<PathBuf>,
    /// PLC programs: start from the first of the test cases of a file that fails
    #[arg(long, value_name = "FILE.json", conflicts_with_all = ["inputs", "test_xml", "args", "stdin", "witness"])]
    pub test_cases: Option<PathBuf>,
}

#[derive(Args)]
pub struct MinimizeArgs {
    #[command(flatten)]
    pub failure: FailureArgs,
    /// How far to go: each strategy also shows what the ones before it give
    #[arg(long, value_name = "STRATEGY", value_parser = strategies(), default_value = DEFAULT_MINIMIZER)]
    pub strategy: String,
    /// What is to be small, the most important first (default: length,values; of PLC programs cycles,changes,values); the default ones decide among what is equally good
    #[arg(long, value_name = "OBJECTIVE,…", value_delimiter = ',', value_parser = objectives())]
    pub objective: Vec<String>,
    /// Also find a box of inputs that fail on the same path in all combinations, as wide as possible
    #[arg(long = "box")]
    pub failing_box: bool,
}

#[derive(Args)]
pub struct LocalizeArgs {
    #[command(flatten)]
    pub failure: FailureArgs,
    #[command(flatten)]
    pub oracle: OracleArgs,
    /// Tests, some of which fail: a .csv or .json file, a folder of NAME.in, NAME.args and NAME.out files, or a test suite of Test-Comp
    /// (docs/guide/src/localize.md has the formats)
    #[arg(long, value_name = "FILE|FOLDER", conflicts_with_all = ["inputs", "test_xml", "args", "stdin", "witness", "expect_stdout", "expect_result"])]
    pub tests: Option<PathBuf>,
    /// Methods to use
    #[arg(long, value_name = "METHOD,…", value_delimiter = ',', value_parser = methods(), default_value = "all")]
    pub method: Vec<String>,
    #[command(flatten)]
    pub trusted: TrustArgs,
    /// Use up to so many different failing runs (default: 16 that are found, or those that are given and no others)
    #[arg(long, value_name = "N")]
    pub runs: Option<usize>,
    /// Rounds of the method iterative
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub rounds: u32,
    /// Make the contradictions of the method iterative minimal
    #[arg(long)]
    pub minimal: bool,
    /// Let the scores of the method iterative fall as e^-i instead of 1/i
    #[arg(long)]
    pub exponential: bool,
    /// Do not try edits
    #[arg(long)]
    pub no_repair: bool,
}

fn methods() -> PossibleValuesParser {
    let all = PossibleValue::new("all").help("all of them, merged into one list, and repair hints");
    let each = LOCALIZERS.iter().map(|one| PossibleValue::new(one.name).help(one.about));
    PossibleValuesParser::new(std::iter::once(all).chain(each))
}

#[derive(Args)]
pub struct ExplainArgs {
    #[command(flatten)]
    pub failure: FailureArgs,
    /// Look for causes among relations of inputs only
    #[arg(long)]
    pub inputs_only: bool,
    #[command(flatten)]
    pub trusted: TrustArgs,
}

pub(super) fn strategies() -> PossibleValuesParser {
    PossibleValuesParser::new(MINIMIZERS.iter().map(|one| PossibleValue::new(one.name).help(one.about)))
}

fn objectives() -> PossibleValuesParser {
    PossibleValuesParser::new(Objective::ALL.iter().map(|one| PossibleValue::new(one.name()).help(one.about())))
}
