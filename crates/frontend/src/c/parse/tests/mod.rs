//! Trees are compared as s-expressions, see [`super::dump`].

mod declarations;
mod errors;
mod expressions;
mod robustness;
mod statements;

use super::dump::dump;
use super::*;

/// The tree of a text without errors.
#[track_caller]
fn tree(text: &str) -> String {
    let mut names = Interner::new();
    let parsed = parse(text.as_bytes(), 1, &mut names);
    let errors: Vec<_> = parsed.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:?}");
    dump(&parsed.ast, &names).trim_end().to_string()
}

/// The statements of a function body, after some declarations.
#[track_caller]
fn body(before: &str, text: &str) -> String {
    let tree = tree(&format!("{before} void f(void) {{ {text} }}"));
    let last = tree.lines().last().unwrap();
    let inner = last.strip_prefix("(function f <() void> (block").and_then(|rest| rest.strip_suffix("))")).unwrap();
    inner.trim_start().to_string()
}

/// Error messages with the text they point at.
fn errors(text: &str) -> Vec<(String, String)> {
    let mut names = Interner::new();
    let parsed = parse(text.as_bytes(), 1, &mut names);
    let slice = |span: Span| text[span.lo as usize - 1..span.hi as usize - 1].to_string();
    parsed.diagnostics.iter().map(|diagnostic| (diagnostic.message.clone(), slice(diagnostic.span))).collect()
}

fn expression(text: &str, types: &[&str]) -> Result<String, Vec<String>> {
    let mut names = Interner::new();
    let types: Vec<Symbol> = types.iter().map(|name| names.intern(name)).collect();
    let (ast, expr, diagnostics) = parse_expression(text.as_bytes(), 1, &mut names, &|name| types.contains(&name));
    match expr {
        Some(expr) => Ok(dump::dump_expression(&ast, &names, expr)),
        None => Err(diagnostics.into_iter().map(|diagnostic| diagnostic.message).collect()),
    }
}
