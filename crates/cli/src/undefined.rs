//! `--undefined-functions`: what calls of functions without a body are taken for.

use crate::args::{Undefined, UndefinedArgs};
use cfa::undefined::UndefinedFunctions;
use std::path::PathBuf;

/// Whether a question is one of the competition, where functions without a body are pure: it comes from a task or property file.
pub fn is_competition(files: &[PathBuf], properties: &[String]) -> bool {
    let task = |file: &PathBuf| file.extension().is_some_and(|extension| extension == "yml" || extension == "yaml");
    files.iter().any(task) || properties.iter().any(|property| property.ends_with(".prp"))
}

impl UndefinedArgs {
    /// What was chosen; else what is usual.
    pub fn or_usual(&self, competition: bool) -> UndefinedFunctions {
        match (self.undefined_functions, competition) {
            (Some(Undefined::Pure), _) | (None, true) => UndefinedFunctions::Pure,
            (Some(Undefined::Havoc), _) | (None, false) => UndefinedFunctions::Havoc,
            (Some(Undefined::Error), _) => UndefinedFunctions::Error,
        }
    }
}
