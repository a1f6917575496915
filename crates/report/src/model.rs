//! The one report model: what a command found out, with what is said about the command itself. Renderers read it and ask nothing back.

use crate::check::CheckReport;
use crate::entries::EntriesReport;
use crate::explain::ExplainReport;
use crate::localize::LocalizeReport;
use crate::minimize::MinimizeReport;
use crate::next::Next;
use crate::replay::ReplayReport;
use crate::test::TestReport;
use crate::verify::VerifyReport;
use crate::witness::{LintReport, ValidationReport};
use serde::Serialize;

/// The commands that have a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Command {
    Check,
    Replay,
    Verify,
    Entries,
    Minimize,
    Explain,
    Localize,
    Test,
    WitnessLint,
    WitnessValidate,
    WitnessRefine,
}

impl Command {
    /// As it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Command::Check => "check",
            Command::Replay => "replay",
            Command::Verify => "verify",
            Command::Entries => "verify --all-entries",
            Command::Minimize => "minimize",
            Command::Explain => "explain",
            Command::Localize => "localize",
            Command::Test => "test",
            Command::WitnessLint => "witness lint",
            Command::WitnessValidate => "witness validate",
            Command::WitnessRefine => "witness refine",
        }
    }
}

/// A report, and what is said about every one.
pub struct Document {
    pub command: Command,
    /// The files that it is about, as they were given.
    pub subject: Vec<String>,
    pub time_ms: f64,
    pub report: Report,
    /// The commands that go on from it, where a person reads it.
    pub next: Vec<Next>,
    /// Why it is not the last word.
    pub unfinished: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Report {
    Check(CheckReport),
    Replay(Box<ReplayReport>),
    Verify(Box<VerifyReport>),
    Entries(EntriesReport),
    Minimize(Box<MinimizeReport>),
    Explain(Box<ExplainReport>),
    Localize(Box<LocalizeReport>),
    Test(TestReport),
    Lint(LintReport),
    Validation(ValidationReport),
    /// There is no answer, and the message was printed.
    Error(ErrorReport),
}

#[derive(Debug, Serialize)]
pub struct ErrorReport {
    pub error: String,
}

/// `Report: From` each of the reports.
macro_rules! reports {
    ($($report:ident => $make:expr;)*) => {
        $(impl From<$report> for Report {
            fn from(report: $report) -> Self {
                $make(report)
            }
        })*
    };
}

reports! {
    CheckReport => Report::Check;
    EntriesReport => Report::Entries;
    ReplayReport => |report| Report::Replay(Box::new(report));
    VerifyReport => |report| Report::Verify(Box::new(report));
    MinimizeReport => |report| Report::Minimize(Box::new(report));
    ExplainReport => |report| Report::Explain(Box::new(report));
    LocalizeReport => |report| Report::Localize(Box::new(report));
    TestReport => Report::Test;
    LintReport => Report::Lint;
    ValidationReport => Report::Validation;
    ErrorReport => Report::Error;
}
