//! Fault localization: which lines to suspect, and why. Each method is one line in [`LOCALIZERS`]; [`rank`] merges what they find into one list.
//!
//! * [`parts`] assignments that may have the wrong target, [`declarations`] sizes and first values that may be wrong
//! * [`trace`] the error trace that they work on, [`lines`] the lines that can be suspects
//! * [`whodunit`] weakest preconditions (Dobos-Kovács 2021), [`invariants`] error invariants, [`flow`] flow-sensitive ones (Christ et al. 2013)
//! * [`diagnosis`] correction sets over the unrolled program (Jose and Majumdar 2011; Orvalho et al. 2024), within the limits of [`extent`]
//! * [`replace`] value replacement in the interpreter, for runs of any length
//! * [`reading`] statements that only read what the program is given
//! * [`spectrum`] how many failing and passing runs execute a line (Tarantula, Ochiai, DStar)

pub mod declarations;
pub mod diagnosis;
mod extent;
mod flow;
pub mod invariants;
pub mod lines;
mod parts;
pub mod rank;
mod reading;
pub mod replace;
pub mod spectrum;
pub mod trace;
pub mod whodunit;

use crate::Failure;
use crate::repair::Tested;
use base::{Budget, SourceMap};
use diagnosis::Diagnoses;
use encode::Names;
use invariants::AbstractTrace;
use lines::{Line, Lines};
use spectrum::Spectrum;
use trace::ErrorTrace;
use whodunit::Round;

/// A line with its score; higher is more suspect.
#[derive(Clone, PartialEq, Debug)]
pub struct Score {
    pub line: Line,
    pub score: f64,
}

/// Scored lines, the most suspect ones first, and the rounds that they come from.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Scores {
    pub lines: Vec<Score>,
    pub rounds: Vec<Round>,
}

/// How the score of a round falls with its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decay {
    /// 1/i
    Harmonic,
    /// e^-i
    Exponential,
}

impl Decay {
    pub fn at(self, round: u32) -> f64 {
        match self {
            Decay::Harmonic => 1.0 / round as f64,
            Decay::Exponential => (-(round as f64)).exp(),
        }
    }
}

pub struct LocalizeOptions<'a> {
    pub sources: &'a SourceMap,
    /// Patterns of functions that are never blamed.
    pub trusted: &'a [String],
    /// Rounds of the iterative method.
    pub rounds: u32,
    /// Whether its contradictions are made minimal.
    pub minimal: bool,
    pub decay: Decay,
    /// Runs of the same program that pass.
    pub passing: &'a [evidence::Tape],
    /// How often lines are executed, by all runs that are known.
    pub spectrum: &'a Spectrum,
    /// The tests that the runs come from, if they do.
    pub tested: Option<&'a Tested<'a>>,
    /// What value replacement found out, for methods after it.
    pub replaced: std::sync::OnceLock<replace::Replaced>,
    /// Edits that may be tried.
    pub most_edits: usize,
}

/// What a method finds, in its own terms.
pub enum Finding {
    Scores(Scores),
    Trace(AbstractTrace),
    Diagnoses(Diagnoses),
}

impl Finding {
    /// The lines that it names, the most suspect ones first.
    pub fn lines(&self) -> Vec<Line> {
        let mut lines: Vec<Line> = match self {
            Finding::Scores(scores) => scores.lines.iter().map(|score| score.line.clone()).collect(),
            Finding::Trace(trace) => trace.relevant.clone(),
            Finding::Diagnoses(found) => found.sets.iter().flat_map(|diagnosis| diagnosis.lines.clone()).collect(),
        };
        let mut seen = std::collections::BTreeSet::new();
        lines.retain(|line| seen.insert(line.clone()));
        lines
    }
}

pub struct Localizer {
    pub name: &'static str,
    pub about: &'static str,
    /// What stands above an abstract trace that it finds.
    pub title: &'static str,
    /// Whether it uses further failing and passing runs.
    pub uses_more_runs: fn(&Failure<'_>) -> bool,
    /// Whether it says where a change alone can make the failing runs pass.
    pub guides_repair: bool,
    /// The first failure is the one to localize, the others are further failing runs of the same program.
    pub run: fn(&[Failure<'_>], &LocalizeOptions<'_>, &Budget) -> Option<Finding>,
}

pub static LOCALIZERS: &[Localizer] = &[
    Localizer {
        name: "whodunit",
        about: "statements that the weakest precondition of the assertion is made of",
        title: "weakest preconditions",
        uses_more_runs: |_| false,
        guides_repair: false,
        run: |failures, options, budget| {
            let mut trace = error_trace(failures, Names::Fresh, options, budget)?;
            said(whodunit::original(&mut trace, options, budget)?, options)
        },
    },
    Localizer {
        name: "iterative",
        about: "the same with guards, and again from each guard that the failure needs",
        title: "iterated weakest preconditions",
        uses_more_runs: |_| false,
        guides_repair: false,
        run: |failures, options, budget| {
            let mut trace = error_trace(failures, Names::Fresh, options, budget)?;
            said(whodunit::iterative(&mut trace, options, budget)?, options)
        },
    },
    Localizer {
        name: "errinv",
        about: "statements at which every error invariant changes",
        title: "error invariants",
        uses_more_runs: |_| false,
        guides_repair: false,
        run: |failures, options, budget| {
            let mut trace = error_trace(failures, Names::Fresh, options, budget)?;
            Some(Finding::Trace(invariants::flow_insensitive(&mut trace, budget)?))
        },
    },
    Localizer {
        name: "flow",
        about: "the same, and why the conditions around them hold",
        title: "flow-sensitive error invariants",
        uses_more_runs: |_| false,
        guides_repair: false,
        run: |failures, options, budget| {
            let mut trace = error_trace(failures, Names::FreshWithFrames, options, budget)?;
            Some(Finding::Trace(flow::flow_sensitive(&mut trace, budget)?))
        },
    },
    Localizer {
        name: "replace",
        about: "lines that make all failing runs pass when they compute something else, tried in the interpreter",
        title: "value replacement",
        uses_more_runs: |_| false,
        guides_repair: true,
        run: |failures, options, budget| Some(Finding::Diagnoses(replace::replace(failures, options, budget)?)),
    },
    Localizer {
        name: "maxsat",
        about: "smallest sets of lines whose change can make all failing runs pass",
        title: "diagnoses",
        uses_more_runs: diagnosis::fits,
        guides_repair: true,
        run: |failures, options, budget| Some(Finding::Diagnoses(diagnosis::diagnose(failures, options, budget)?)),
    },
    Localizer {
        name: "tarantula",
        about: "lines that failing runs execute more often than passing ones do, as Tarantula scores them",
        title: "spectrum scores (tarantula)",
        uses_more_runs: |_| false,
        guides_repair: false,
        run: |_, options, _| options.spectrum.method("tarantula").map(Finding::Scores),
    },
    Localizer {
        name: "ochiai",
        about: "the same, as Ochiai scores them",
        title: "spectrum scores (ochiai)",
        uses_more_runs: |_| false,
        guides_repair: false,
        run: |_, options, _| options.spectrum.method("ochiai").map(Finding::Scores),
    },
    Localizer {
        name: "dstar",
        about: "the same, as DStar scores them",
        title: "spectrum scores (dstar)",
        uses_more_runs: |_| false,
        guides_repair: false,
        run: |_, options, _| options.spectrum.method("dstar").map(Finding::Scores),
    },
];

/// Formulas do not follow how numbers become text: that they name no line of a wrong output says nothing.
fn said(scores: Scores, options: &LocalizeOptions<'_>) -> Option<Finding> {
    let is_output = options.tested.is_some_and(|tested| !tested.violates);
    (!scores.lines.is_empty() || !is_output).then_some(Finding::Scores(scores))
}

fn error_trace<'p>(
    failures: &[Failure<'p>],
    names: Names,
    options: &LocalizeOptions<'_>,
    budget: &Budget,
) -> Option<ErrorTrace<'p>> {
    let lines = Lines::new(options.sources, options.trusted);
    ErrorTrace::of(failures.first()?, names, &lines, budget)
}
