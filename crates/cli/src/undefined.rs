//! `--undefined-functions`: what calls of functions without a body are taken for, and what the answer then rests on.

use crate::args::{Undefined, UndefinedArgs};
use crate::load::Loaded;
use cfa::undefined::{UndefinedFunctions, apply};
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

impl Loaded {
    /// Gives calls of functions without a body their meaning, and notes what is assumed about them.
    pub fn with_undefined_functions(mut self, meaning: UndefinedFunctions) -> Self {
        let called = apply(&mut self.compiled.program, &self.compiled.outside, meaning);
        let names = called.join(", ");
        self.undefined = meaning;
        self.caveats = match meaning {
            _ if called.is_empty() => Vec::new(),
            UndefinedFunctions::Pure => vec![format!(
                "undefined functions ({names}) are taken as pure: they return any value and change nothing"
            )],
            UndefinedFunctions::Havoc => vec![format!(
                "undefined functions ({names}) return any value and may write what their arguments and global variables \
                 lead to, except const; they always return and call no function of the program"
            )],
            // Where one is called, that is the answer.
            UndefinedFunctions::Error => Vec::new(),
        };
        self
    }
}
