//! Structured Text (IEC 61131-3) and Siemens SCL: text → tokens ([`lex`]) → tree ([`parse`]) → automata ([`lower`]). Standard functions and function blocks that
//! the language itself can define are in `prelude.st`. Conditions on a finished program: [`expression`]; programs as text: [`display`].

pub mod ast;
mod display;
mod edit;
mod expression;
pub mod lex;
mod lower;
pub mod parse;

use crate::{CompileOptions, Compiled, EntryObjects, Frontend};
use base::{FileId, SourceMap, Span};
use cfa::{FuncId, Program};
use parse::Dialect;

pub(crate) const LANGUAGE: &str = "ST";

pub static FRONTEND: Frontend = Frontend {
    language: LANGUAGE,
    extensions: &["st", "scl", "EXP", "exp", "iecst"],
    preprocessing: None,
    compile,
    condition: expression::condition,
    clause: expression::condition,
    source_text: display::source_text,
    display: display::display,
    truth_values: Some(["FALSE", "TRUE"]),
    tokens: edit::tokens,
    spelling: edit::spelling,
    call_with_objects,
};

const PRELUDE: &str = include_str!("prelude.st");
/// Counters that count in other types than INT, with the limits of their types.
const COUNTERS: &[(&str, &str, &str)] = &[
    ("DINT", "2147483647", "-2147483648"),
    ("LINT", "9223372036854775807", "-9223372036854775808"),
    ("UDINT", "4294967295", "0"),
    ("ULINT", "18446744073709551615", "0"),
];

/// The text of the library. Counters of other types are made of those of INT.
fn prelude() -> String {
    let start = PRELUDE.find("FUNCTION_BLOCK CTU ").unwrap_or(PRELUDE.len());
    let end = PRELUDE.find("FUNCTION_BLOCK TON ").unwrap_or(PRELUDE.len());
    let mut text = PRELUDE.to_string();
    for (ty, most, least) in COUNTERS {
        let mut own = PRELUDE[start..end].replace(": INT;", &format!(": {ty};"));
        own = own.replace("32767", most).replace("-32768", least);
        for name in ["CTU", "CTD", "CTUD"] {
            own = own.replace(&format!("FUNCTION_BLOCK {name} "), &format!("FUNCTION_BLOCK {name}_{ty} "));
        }
        text.push_str(&own);
    }
    text
}

/// Parsing and lowering recurse with the nesting of the source, which the parser limits; this is room for that limit.
const STACK: usize = 256 << 20;

pub use lower::duration;

fn call_with_objects(_: &Program, _: FuncId, _: &EntryObjects, _: &str) -> Result<String, String> {
    Err("--entry-arrays, --entry-depth and --assume are about functions of C".into())
}

fn dialect(name: &str) -> Dialect {
    match name.rsplit('.').next() {
        Some(extension) if extension.eq_ignore_ascii_case("scl") => Dialect::Scl,
        Some(extension) if extension.eq_ignore_ascii_case("exp") => Dialect::Export,
        _ => Dialect::Standard,
    }
}

/// Compiles files into one program: the scan cycle of its entry block.
pub fn compile(sources: &mut SourceMap, files: &[FileId], options: &CompileOptions) -> Compiled {
    let library = sources.add(crate::LIBRARY, prelude().into_bytes());
    let mut placed = Vec::new();
    for requirement in &options.cycle.requirements {
        let (sentence, places) = requirement.sentence();
        let name = format!("requirement {}", requirement.name);
        let Some(file) = sources.add(name, sentence.clone().into_bytes()) else { continue };
        let base = sources.base(file);
        let parameters =
            requirement.parameters.iter().zip(places).map(|(text, at)| (text.clone(), base + at as u32)).collect();
        let sentence = Span::new(base, base + sentence.len() as u32);
        placed.push(lower::Placed { requirement, sentence, parameters });
    }
    let texts: Vec<(&[u8], u32, Dialect)> = files
        .iter()
        .map(|file| (sources.text(*file), sources.base(*file), dialect(sources.name(*file))))
        .chain(library.map(|file| (sources.text(file), sources.base(file), Dialect::Library)))
        .collect();
    let compiled = std::thread::scope(|scope| {
        let work = || compile_texts(&texts, options, &placed);
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        match thread.expect("a thread can be started").join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    });
    #[cfg(debug_assertions)]
    if !compiled.has_errors() {
        let verified = cfa::verify::verify(&compiled.program);
        assert!(verified.is_ok(), "lowering broke the program representation: {:#?}", verified.err());
    }
    compiled
}

#[cfg(test)]
mod tests;

fn compile_texts(texts: &[(&[u8], u32, Dialect)], options: &CompileOptions, placed: &[lower::Placed<'_>]) -> Compiled {
    let mut unit = ast::Unit::default();
    let mut diagnostics = Vec::new();
    for (text, base, dialect) in texts {
        let parsed = parse::parse(text, *base, *dialect);
        debug_assert!(*dialect != Dialect::Library || parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
        unit.pous.extend(parsed.unit.pous);
        unit.types.extend(parsed.unit.types);
        unit.globals.extend(parsed.unit.globals);
        unit.tasks.extend(parsed.unit.tasks);
        unit.classes.extend(parsed.unit.classes);
        diagnostics.extend(parsed.diagnostics);
    }
    let errors = diagnostics.iter().any(|one| one.severity == base::Severity::Error);
    let mut compiled = lower::lower(&unit, options, placed);
    if errors {
        // What was not read leads to names that are not declared: only the first cause is of interest.
        compiled.diagnostics = diagnostics;
    } else {
        compiled.diagnostics.extend(diagnostics);
    }
    compiled.diagnostics.sort_by_key(|diagnostic| diagnostic.span.lo);
    compiled
}
