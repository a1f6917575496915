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
    extensions: &["st", "ST", "scl", "SCL", "EXP", "exp", "iecst"],
    preprocessing: None,
    compile,
    condition: expression::condition,
    clause: expression::condition,
    source_text: display::source_text,
    display: display::display,
    truth_values: Some(["FALSE", "TRUE"]),
    has_characters: false,
    names_cases: false,
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

const COUNTER_VARIABLES: &str =
    "VAR_INPUT CU, CD, R, LD, RESET, LOAD : BOOL; PV : INT; END_VAR VAR_OUTPUT Q, QU, QD : BOOL; CV : INT; END_VAR
VAR M, MU, MD, UP, DOWN : BOOL; END_VAR";
const TIMER_VARIABLES: &str = "VAR_INPUT IN : BOOL; PT : TIME; END_VAR VAR_OUTPUT Q : BOOL; ET : TIME; END_VAR
VAR RUNNING, M : BOOL; ELAPSED : TIME; END_VAR";

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
    let timers = &PRELUDE[end..];
    text.push_str(&long_timers(timers));
    for (name, ty) in [("IEC_COUNTER", "INT"), ("IEC_UCOUNTER", "UINT"), ("IEC_DCOUNTER", "DINT")] {
        text.push_str(
            &with_actions(name, COUNTER_VARIABLES, &["CTU", "CTD", "CTUD"], start)
                .replace(": INT;", &format!(": {ty};")),
        );
    }
    let timer = with_actions("IEC_TIMER", TIMER_VARIABLES, &["TON", "TOF", "TP"], end);
    text.push_str(&long_timers(&timer).replace("IEC_TIMER_LTIME", "IEC_LTIMER"));
    text.push_str(&timer);
    text
}

/// Timers that count nanoseconds.
fn long_timers(text: &str) -> String {
    let mut text = text.replace(": TIME;", ": LTIME;").replace("T#0s", "LT#0s");
    for name in ["TON", "TOF", "TP", "IEC_TIMER"] {
        text = text.replace(&format!("FUNCTION_BLOCK {name} "), &format!("FUNCTION_BLOCK {name}_LTIME "));
    }
    text
}

/// Siemens: one type for several blocks, whose bodies are its actions, as in `timer.TON(IN := start, PT := T#5s)`.
fn with_actions(name: &str, variables: &str, blocks: &[&str], from: usize) -> String {
    let mut text = format!("FUNCTION_BLOCK {name} {variables}\n");
    for block in blocks {
        let own = PRELUDE[from..].split(&format!("FUNCTION_BLOCK {block} ")).nth(1).unwrap_or_default();
        let own = own.split("END_FUNCTION_BLOCK").next().unwrap_or_default();
        let body = own.rsplit("END_VAR").next().unwrap_or_default();
        text.push_str(&format!("ACTION {block}: {body} END_ACTION\n"));
    }
    text + "END_FUNCTION_BLOCK\n"
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
        unit.programs.extend(parsed.unit.programs);
        unit.tasks.extend(parsed.unit.tasks);
        unit.interfaces.extend(parsed.unit.interfaces);
        unit.addresses.extend(parsed.unit.addresses);
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
