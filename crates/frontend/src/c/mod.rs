//! C: text → tokens ([`lex`]) → tree ([`parse`]) → typed automata (`lower`). Expressions of witnesses go the same way: [`expression`]. What else others ask of
//! the language: [`preprocess`], [`edit`], [`objects`]. Library functions written in C are in [`prelude`].

pub mod ast;
mod edit;
mod effects;
pub mod expression;
pub mod lex;
mod lower;
pub mod number;
mod objects;
pub mod parse;
mod prelude;
mod preprocess;

use crate::{CompileOptions, Compiled, Frontend, Preprocessing};
use base::source::{LineMark, own_names};
use base::{Diagnostic, FileId, Interner, SourceMap, Span};
use cfa::library::LibFn;
use cfa::walk::Node;
use cfa::{Body, Program};
use rustc_hash::FxHashSet;

const LANGUAGE: &str = "C";

pub static FRONTEND: Frontend = Frontend {
    language: LANGUAGE,
    extensions: &["c", "i"],
    preprocessing: Some(Preprocessing {
        done_in: &["i"],
        is_needed: preprocess::is_needed,
        keeps_comments: preprocess::keeps_comments,
    }),
    compile,
    condition: expression::condition,
    clause: expression::clause,
    source_text,
    display,
    truth_values: None,
    has_characters: true,
    names_cases: true,
    tokens: edit::tokens,
    spelling: edit::spelling,
    call_with_objects: objects::call_with_objects,
};

fn source_text(program: &Program, node: Node) -> Option<String> {
    match node {
        Node::Expr(expr) => cfa::display::expr_to_c(program, expr),
        Node::Place(place) => cfa::display::place_to_c(program, place),
    }
}

fn display(program: &Program, node: Node) -> String {
    match node {
        Node::Expr(expr) => cfa::display::expr_text(program, expr),
        Node::Place(place) => cfa::display::place_text(program, place),
    }
}

/// Parsing and lowering recurse with the nesting of the source, which the parser limits; this is room for that limit.
const STACK: usize = 256 << 20;

/// A message about a system header and the user's own text points at the user's: that is what can be changed.
fn point_at_user(diagnostic: &mut Diagnostic, in_header: &dyn Fn(u32) -> bool) {
    if in_header(diagnostic.span.lo)
        && let Some((own, _)) = diagnostic.notes.iter().find(|(span, _)| !in_header(span.lo))
    {
        diagnostic.span = *own;
    }
    diagnostic.notes.retain(|(span, _)| !in_header(span.lo) && *span != diagnostic.span);
}

/// Compiles C files into one linked program, with the library functions written in C that it needs. The texts must be preprocessed.
pub fn compile(sources: &mut SourceMap, files: &[FileId], options: &CompileOptions) -> Compiled {
    let mut files = files.to_vec();
    let own_units = files.len();
    let texts = texts_of(sources, &files);
    let (mut units, mut names) = on_large_stack(|| {
        let mut names = Interner::new();
        let units: Vec<parse::Parsed> =
            texts.iter().map(|(text, base)| parse::parse(text, *base, &mut names)).collect();
        (units, names)
    });
    let wanted = prelude::wanted(&units, &mut names);
    if !wanted.is_empty()
        && let Some(file) = sources.add(crate::LIBRARY, prelude::text())
    {
        let mut library = parse::parse(sources.text(file), sources.base(file), &mut names);
        prelude::keep(&mut library.ast, &wanted);
        units.push(library);
        files.push(file);
    }
    let texts = texts_of(sources, &files);
    let marks: Vec<_> = units.iter_mut().map(|unit| std::mem::take(&mut unit.marks)).collect();
    let mut compiled = on_large_stack(|| lower_units(units, own_units, names, &texts, &marks, options));
    for (file, marks) in files.iter().zip(marks) {
        sources.set_marks(*file, marks);
    }
    compiled.program.language = Some(LANGUAGE);
    poison_unmodelled_system_functions(&mut compiled.program, sources);
    compiled
}

fn texts_of<'s>(sources: &'s SourceMap, files: &[FileId]) -> Vec<(&'s [u8], u32)> {
    files.iter().map(|file| (sources.text(*file), sources.base(*file))).collect()
}

fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        match thread.expect("a thread can be started").join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// Lowers the user's units and that of the library.
fn lower_units(
    units: Vec<parse::Parsed>,
    own_units: usize,
    names: Interner,
    texts: &[(&[u8], u32)],
    marks: &[Vec<LineMark>],
    options: &CompileOptions,
) -> Compiled {
    let trees: Vec<&ast::Ast> = units.iter().map(|unit| &unit.ast).collect();
    let own: Vec<FxHashSet<&str>> = marks.iter().map(|marks| own_names(marks).collect()).collect();
    let mark_of = |position: u32| {
        let before = |marks: &Vec<LineMark>| marks.partition_point(|mark| mark.position <= position);
        let unit = texts.iter().rposition(|(_, base)| *base <= position)?;
        Some((unit, marks[unit][..before(&marks[unit])].last()?))
    };
    let is_system = |position: u32| mark_of(position).is_some_and(|(_, mark)| mark.system);
    // The text of a header's macro is where the user wrote its name.
    let in_header = |position: u32| {
        mark_of(position).is_some_and(|(unit, mark)| mark.system && !own[unit].contains(mark.name.as_str()))
    };
    let piece = |span: Span| {
        let (text, base) = texts.iter().rev().find(|(_, base)| *base <= span.lo)?;
        text.get((span.lo - base) as usize..(span.hi - base) as usize)
    };
    let without_spaces = |span| {
        let text: &[u8] = piece(span).unwrap_or_default();
        text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect::<Vec<u8>>()
    };
    let same_text = |a: Span, b: Span| without_spaces(a) == without_spaces(b);
    let asked = lower::Texts { is_system: &is_system, same_text: &same_text };
    let (own_trees, library) = trees.split_at(own_units);
    let (program, found, outside) = lower::lower(own_trees, library, names, options, &asked);
    let mut diagnostics: Vec<_> = units.into_iter().flat_map(|unit| unit.diagnostics).collect();
    diagnostics.extend(found);
    diagnostics.iter_mut().for_each(|diagnostic| point_at_user(diagnostic, &in_header));
    diagnostics.sort_by_key(|diagnostic| diagnostic.span.lo);
    let compiled = Compiled { program, diagnostics, outside, entry: None, cycle_time: None };
    // Lowering promises a well-formed program; development builds hold it to that on everything they compile.
    #[cfg(debug_assertions)]
    if !compiled.has_errors() {
        let verified = cfa::verify::verify(&compiled.program);
        assert!(verified.is_ok(), "lowering broke the program representation: {:#?}", verified.err());
    }
    compiled
}

/// A function that a system header declares and that is not modelled is poison, not a nondeterministic function: its result is not arbitrary.
fn poison_unmodelled_system_functions(program: &mut Program, sources: &SourceMap) {
    for function in program.functions.values_mut() {
        if function.body == Body::Undefined && sources.is_system_text(function.span.lo) {
            function.body = Body::Library(LibFn::UNMODELLED_SYSTEM_FUNCTION);
        }
    }
}
