//! Layer 6: what each command does, from a program that was read to the data of its report. Nothing here reads files, looks at the command line or
//! prints; `cli` does, and another front end could.
//!
//! * [`Loaded`] a program that was read, [`Request`] what is asked about it, [`decide`] the answer of an engine with its proof checked
//! * [`verification`] the report of a verdict; [`evidence_file`] the witness of one
//! * [`failure`] the failing run that the commands after a failure start from; [`minimization`], [`explanation`] and [`localization`] work on it
//! * [`validation`] whether what a witness says is true, and other witnesses made of it
//! * [`page`] all that is known about a program, for an HTML page
//! * [`replay`] one run on given inputs; [`test_case`] the counterexample as a test; [`bounded`] questions about all runs within a bound

pub mod bounded;
mod decide;
pub mod evidence_file;
pub mod explanation;
pub mod failure;
mod loaded;
pub mod localization;
pub mod minimization;
pub mod page;
pub mod replay;
mod test_build;
pub mod test_case;
pub mod validation;
pub mod verification;

pub use decide::decide;
pub use loaded::Loaded;
/// Deletes what compiled programs left behind; for a process that is about to end.
pub use validate::execute::sandbox::discard as discard_temporary_files;

use base::Budget;
use cfa::Task;
use engine::Engine;
use std::fmt;

/// What is asked about a program, and what the answer may cost.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    pub loaded: &'a Loaded,
    pub task: Task<'a>,
    pub engine: &'static Engine,
    pub options: &'a engine::Options,
    pub budget: &'a Budget,
    /// At most so many steps of a run are recorded for the report.
    pub show_steps: usize,
    /// Where the runs that a report is about are kept, if a page is to show them.
    pub kept: Option<&'a page::KeptRuns>,
}

/// Why there is no report.
#[derive(Debug)]
pub enum Problem {
    /// What was given does not fit together.
    Refused(String),
    /// A bug of whydunit's.
    OwnBug(String),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Problem::Refused(message) | Problem::OwnBug(message)) = self;
        f.write_str(message)
    }
}

impl std::error::Error for Problem {}
