//! How answers are printed.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use report::render::{DEFAULT_RENDERER, RENDERERS};
use report::replay::Shown;
use std::path::PathBuf;

/// In which form a report is printed.
#[derive(Args)]
pub struct FormatArgs {
    /// Form of the report
    #[arg(long, value_name = "NAME", value_parser = formats(), default_value = DEFAULT_RENDERER)]
    pub format: String,
    /// Short for --format json
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
}

fn formats() -> PossibleValuesParser {
    PossibleValuesParser::new(RENDERERS.iter().map(|one| PossibleValue::new(one.name).help(one.about)))
}

/// How the answer is printed.
#[derive(Args)]
pub struct OutputArgs {
    /// Print at most so many steps of the run (the first and the last ones)
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub show_steps: usize,
    /// Print every step and every fact that was found, not only what matters
    #[arg(long)]
    pub full: bool,
    /// Print only the verdict and the place, and of localize the lines
    #[arg(long, short, conflicts_with_all = ["full", "verbose"])]
    pub quiet: bool,
    /// Say what each engine did, how long it took and why it stopped, and print all error invariants
    #[arg(long, short)]
    pub verbose: bool,
    /// Also write what was found out as an HTML page: one file that needs nothing else (docs/guide/src/report.md)
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    #[command(flatten)]
    pub format: FormatArgs,
}

impl OutputArgs {
    pub fn shown(&self) -> Shown {
        match (self.quiet, self.full) {
            (true, _) => Shown::End,
            (false, true) => Shown::Everything,
            (false, false) => Shown::Story,
        }
    }
}
