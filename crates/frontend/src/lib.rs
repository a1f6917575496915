//! Layer 2: source text in, `(cfa::Program, diagnostics)` out. One folder a language, one line in [`FRONTENDS`].
//!
//! Other crates use a language through its [`Frontend`]: [`of`] finds that of a program, [`for_extension`] that of a file. The folders are public for the
//! examples of this crate; `cargo xtask tidy` checks that no other crate names one.

pub mod c;
mod condition;
mod options;
mod requirement;
pub mod st;
mod token;

pub use condition::{Condition, Site};
pub use options::{CompileOptions, CycleOptions, EntryObjects, Length, RegisterRange};
pub use requirement::{Pattern, Requirement};
pub use st::duration;
pub use token::{Token, TokenKind};

use base::{Diagnostic, FileId, Severity, SourceMap, Span};
use cfa::undefined::Outside;
use cfa::walk::Node;
use cfa::{DataModel, FuncId, Program};

/// The program and what there is to say about its text. With an error among the diagnostics the program is not to be used.
pub struct Compiled {
    pub program: Program,
    pub diagnostics: Vec<Diagnostic>,
    /// What functions without a body can reach by name.
    pub outside: Outside,
    /// Where runs begin, if the language says so, or why that is not clear; `None`: at the function that is asked for by name.
    pub entry: Option<Result<FuncId, String>>,
    /// Of a program that runs in cycles: the least and the greatest time that one takes, in milliseconds.
    pub cycle_time: Option<(u32, u32)>,
}

impl Compiled {
    /// Of a text that could not be read.
    pub fn failed(message: &str, model: DataModel) -> Self {
        let diagnostics = vec![Diagnostic::error(Span::NONE, message)];
        Compiled {
            program: Program::new(model),
            diagnostics,
            outside: Outside::default(),
            entry: None,
            cycle_time: None,
        }
    }

    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

/// What a language can do.
pub struct Frontend {
    pub language: &'static str,
    /// Of its files, without the dot.
    pub extensions: &'static [&'static str],
    /// `None` if its texts are compiled as they are.
    pub preprocessing: Option<Preprocessing>,
    /// Compiles files, preprocessed ones, into one program.
    pub compile: fn(&mut SourceMap, &[FileId], &CompileOptions) -> Compiled,
    /// A text as a condition at a location. Its expressions are added to the program (use a clone: the automata do not change, but the address
    /// of a variable may be taken now). The span of a diagnostic counts the bytes of the text, from 1.
    pub condition: fn(&mut Program, Site, &str) -> Result<Condition, Diagnostic>,
    /// The same for a clause of a contract: `\result` and `\old` have a meaning in it.
    pub clause: fn(&mut Program, Site, &str) -> Result<Condition, Diagnostic>,
    /// An expression or place as text that means the same where its names do; `None` if there is none.
    pub source_text: fn(&Program, Node) -> Option<String>,
    /// The same for messages: always a text, which need not be C.
    pub display: fn(&Program, Node) -> String,
    /// How the values false and true of type Bool are written, where that is not as numbers.
    pub truth_values: Option<[&'static str; 2]>,
    /// Whether numbers of one byte may be characters.
    pub has_characters: bool,
    /// Whether the label of a case says that it is one, as `case 3` does.
    pub names_cases: bool,
    /// The tokens of a text that begins at a position of the source map.
    pub tokens: fn(&[u8], u32) -> Vec<Token>,
    /// How an operator or a bracket is written.
    pub spelling: fn(TokenKind) -> Option<&'static str>,
    /// The text of a function with this name that calls another one: its pointers lead to objects, all contents are inputs, and conditions hold.
    pub call_with_objects: fn(&Program, FuncId, &EntryObjects, &str) -> Result<String, String>,
}

/// What a language wants of a preprocessor.
pub struct Preprocessing {
    /// Extensions of files that come preprocessed.
    pub done_in: &'static [&'static str],
    /// Whether a text changes by it.
    pub is_needed: fn(&[u8]) -> bool,
    /// Whether comments say something that the program means.
    pub keeps_comments: fn(&[u8]) -> bool,
}

/// The name of the function that is added where `call_with_objects` calls the one to start at. It is no text of the user's.
pub const CALL_WITH_OBJECTS: &str = "call_with_arrays";

pub static FRONTENDS: &[&Frontend] = &[&c::FRONTEND, &st::FRONTEND];

/// The name of the text of library functions that a frontend adds to a program.
pub(crate) const LIBRARY: &str = "<library>";

/// Whether a position lies in the text of such functions.
pub fn is_library_text(sources: &SourceMap, position: u32) -> bool {
    sources.file_at(position).is_some_and(|file| sources.name(file) == LIBRARY)
}

/// The frontend of files with an extension.
pub fn for_extension(extension: &str) -> Option<&'static Frontend> {
    FRONTENDS.iter().copied().find(|frontend| frontend.extensions.contains(&extension))
}

/// The frontend that a program comes from.
pub fn of(program: &Program) -> Option<&'static Frontend> {
    FRONTENDS.iter().copied().find(|frontend| Some(frontend.language) == program.language)
}

/// [`Frontend::condition`] in the language of the program.
pub fn condition(program: &mut Program, site: Site, text: &str) -> Result<Condition, Diagnostic> {
    match of(program) {
        Some(frontend) => (frontend.condition)(program, site, text),
        None => Err(Diagnostic::error(Span::NONE, "the program has no source language")),
    }
}

/// [`Frontend::clause`] in the language of the program.
pub fn clause(program: &mut Program, site: Site, text: &str) -> Result<Condition, Diagnostic> {
    match of(program) {
        Some(frontend) => (frontend.clause)(program, site, text),
        None => Err(Diagnostic::error(Span::NONE, "the program has no source language")),
    }
}

/// [`Frontend::source_text`] in the language of the program.
pub fn source_text(program: &Program, node: Node) -> Option<String> {
    (of(program)?.source_text)(program, node)
}

/// [`Frontend::display`] in the language of the program; a program without one looks like C.
pub fn display(program: &Program, node: Node) -> String {
    (of(program).unwrap_or(&c::FRONTEND).display)(program, node)
}
