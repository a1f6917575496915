//! Layer 2: source text in, `(cfa::Program, diagnostics)` out. One folder a language, one line in [`FRONTENDS`].

pub mod c;

use base::{Diagnostic, FileId, Severity, SourceMap};
use cfa::undefined::Outside;
use cfa::{DataModel, Program};

/// The program and what there is to say about its text. With an error among the diagnostics the program is not to be used.
pub struct Compiled {
    pub program: Program,
    pub diagnostics: Vec<Diagnostic>,
    /// What functions without a body can reach by name.
    pub outside: Outside,
}

impl Compiled {
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

pub struct Frontend {
    pub language: &'static str,
    pub extensions: &'static [&'static str],
    pub compile: fn(&mut SourceMap, &[FileId], DataModel) -> Compiled,
}

pub static FRONTENDS: &[Frontend] = &[Frontend { language: "C", extensions: &["c", "i"], compile: c::compile }];
