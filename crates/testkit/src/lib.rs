//! Development only: what tests of several crates and the chores of `xtask` share.

pub mod attack;
pub mod csmith;
pub mod data;
pub mod library;
pub mod lists;
pub mod mutants;
pub mod process;
pub mod programs;
pub mod project;
pub mod random;
pub mod recursive;

use base::SourceMap;
use cfa::DataModel;
use frontend::{CompileOptions, Compiled};

/// Compiles a C text that needs no preprocessor.
pub fn compile(text: &[u8], model: DataModel) -> (SourceMap, Compiled) {
    compile_file("test.c", text.to_vec(), model)
}

/// Compiles the text of one file, which needs no preprocessor, in the language of its extension; C if that is none.
pub fn compile_file(name: &str, text: Vec<u8>, model: DataModel) -> (SourceMap, Compiled) {
    let extension = std::path::Path::new(name).extension().and_then(|extension| extension.to_str());
    let language = extension.and_then(frontend::for_extension).or_else(|| frontend::for_extension("c"));
    let language = language.expect("C is in the table");
    let mut sources = SourceMap::new();
    let file = sources.add(name, text).expect("test programs are small");
    let compiled = (language.compile)(&mut sources, &[file], &CompileOptions::of(model));
    (sources, compiled)
}

/// The first lines that differ, side by side enough to be read.
pub fn diff(expected: &str, got: &str) -> String {
    let (expected, got): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), got.lines().collect());
    let mut lines = Vec::new();
    let mut number = 0;
    while number < expected.len().max(got.len()) && lines.len() < 60 {
        let (left, right) = (expected.get(number), got.get(number));
        if left != right {
            lines.extend(left.map(|line| format!("{:>5} - {line}", number + 1)));
            lines.extend(right.map(|line| format!("{:>5} + {line}", number + 1)));
        } else if let (Some(line), true) = (left, lines.len() < 59 && expected.len() < 100) {
            lines.push(format!("{:>5}   {line}", number + 1));
        }
        number += 1;
    }
    lines.join("\n")
}

/// Prints, parses and prints again; the failures are returned.
pub fn round_trip(program: &cfa::Program) -> Vec<String> {
    if let Err(violations) = cfa::verify::verify(program) {
        return violations.iter().map(|violation| format!("not well formed: {violation}")).collect();
    }
    let text = cfa::text::print(program);
    match cfa::text::parse(&text) {
        Err(error) => vec![format!("its text does not parse: {error}")],
        Ok(again) => {
            let mut failures = Vec::new();
            if cfa::text::print(&again) != text {
                failures.push("its text changes when parsed and printed".to_string());
            }
            if let Err(violations) = cfa::verify::verify(&again) {
                failures.push(format!("its text parses to something not well formed: {}", violations[0]));
            }
            failures
        }
    }
}
