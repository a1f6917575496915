//! The files of our own that tests work on.

use base::SourceMap;
use cfa::DataModel;
use std::path::PathBuf;
use testkit::project::{files_below, root};
use witness::program::Source;
use witness::{Finding, Limits, Witness, lint};

const EXTENSIONS: &[&str] = &["graphml", "yml", "yaml"];

pub fn own() -> Vec<PathBuf> {
    let found = files_below(&root().join("tests/witnesses"), EXTENSIONS);
    assert!(!found.is_empty(), "our own witnesses are missing");
    found
}

pub fn load(name: &str) -> Witness {
    let path = root().join("tests/witnesses").join(name);
    let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    witness::parse(&text, &Limits::default()).unwrap_or_else(|finding| panic!("{name}: {finding:?}"))
}

/// A program of ours, compiled for the data model of the witnesses of our own.
pub struct Compiled {
    sources: SourceMap,
    compiled: frontend::Compiled,
    name: String,
}

pub fn program(name: &str) -> Compiled {
    let path = root().join("tests/witnesses").join(name);
    let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    compile(name, text)
}

pub fn compile(name: &str, text: Vec<u8>) -> Compiled {
    let (sources, compiled) = testkit::compile_file(name, text, DataModel::Ilp32);
    assert!(!compiled.has_errors(), "{name}: {:?}", compiled.diagnostics);
    Compiled { sources, compiled, name: name.into() }
}

impl Compiled {
    pub fn source(&self) -> Source<'_> {
        Source::new(&self.sources, &self.name, Some(&self.compiled.program)).expect("it is in the map")
    }
}

pub fn lint_own(witness: &str, name: &str) -> Vec<Finding> {
    let text = std::fs::read(root().join("tests/witnesses").join(witness)).expect("it can be read");
    let program = program(name);
    lint::lint(&text, Some(&program.source()), &Limits::default())
}
