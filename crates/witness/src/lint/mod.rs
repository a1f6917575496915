//! The linter: what is wrong with a witness, each finding with the rule it breaks and its position.
//!
//! The readers of [`crate::formats`] report what is wrong with the text; [`automaton`] and [`entries`] what is wrong with the witness as a whole;
//! [`against`] what contradicts the program. [`rules`] is the table of all rules.

mod against;
mod automaton;
mod entries;
pub mod examples;
pub(crate) mod forms;
pub mod rules;

use crate::formats::{self, Limits, Read};
use crate::model::{Position, Witness};
use crate::program::Source;
pub use base::Severity;
pub(crate) use entries::used;
pub use rules::{RULES, Rule};

/// A broken rule, where, and how.
#[derive(Clone, Debug)]
pub struct Finding {
    pub rule: &'static Rule,
    pub at: Position,
    pub message: String,
}

impl Finding {
    pub fn new(rule: &'static Rule, at: Position, message: String) -> Self {
        Finding { rule, at, message }
    }
}

/// All that is wrong with a witness, in the order of its text; checked against the program where one is given.
pub fn lint(bytes: &[u8], source: Option<&Source<'_>>, limits: &Limits) -> Vec<Finding> {
    let Read { witness, mut findings, .. } = formats::read(bytes, limits);
    if let Some(witness) = &witness {
        match witness {
            Witness::Automaton(automaton) => automaton::check(automaton, &mut findings),
            Witness::Entries(entries) => entries::check(entries, &mut findings),
        }
        if let Some(source) = source {
            against::check(witness, source, &mut findings);
        }
    }
    findings.sort_by_key(|finding| (finding.at.line, finding.at.column));
    findings
}

#[cfg(test)]
mod tests;
