//! A program that was read, and what answers about it rest on.

use base::{FileId, SourceMap};
use cfa::FuncId;
use cfa::undefined::{UndefinedFunctions, apply};
use frontend::Compiled;

pub struct Loaded {
    pub sources: SourceMap,
    pub compiled: Compiled,
    /// How many files were read.
    pub files: usize,
    /// The texts that the program was compiled from.
    pub units: Vec<FileId>,
    /// What calls of functions without a body are taken for.
    pub undefined: UndefinedFunctions,
    /// What an answer rests on.
    pub caveats: Vec<String>,
}

impl Loaded {
    pub fn new(sources: SourceMap, compiled: Compiled, units: Vec<FileId>) -> Self {
        let files = units.len();
        Loaded { sources, compiled, files, units, undefined: UndefinedFunctions::Pure, caveats: Vec::new() }
    }

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

    /// The name of the file that a run begins in, as it was given. Line markers of a file that came preprocessed name others.
    pub fn file_of(&self, entry: FuncId) -> Option<&str> {
        let span = self.compiled.program.automaton(entry)?.span;
        Some(self.sources.name(self.sources.file_at(span.lo)?))
    }
}
