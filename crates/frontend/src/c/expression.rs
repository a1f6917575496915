//! Expressions of witnesses: C text that stands at a location of a finished program.
//!
//! Such an expression has no side effects and calls nothing, so it can be evaluated in any state of the program at that location. `&&`, `||`
//! and `?:` decide what is evaluated at all: `p && *p == 1` reads nothing when `p` is null. [`Condition`] keeps that; a single
//! [`cfa::ExprId`] has no such operators, and [`expression`] gives one only where it makes no difference.

use super::{STACK, lower, parse};
use crate::{Condition, Site};
use base::{Diagnostic, Severity, Span};
use cfa::{ExprId, Program};
use std::cell::RefCell;

/// Adds the expressions that a condition consists of to the program (use a clone: the automata do not change, but the address of a variable
/// may be taken now). The span of a diagnostic counts the bytes of the text, from 1.
pub fn condition(program: &mut Program, site: Site, text: &str) -> Result<Condition, Diagnostic> {
    with_room(text, || attempt(program, site, text, Shape::Condition))
}

/// A clause of the contract of a function whose entry is the site: `\old(x)` is what `x` was when the function was called.
pub fn clause(program: &mut Program, site: Site, text: &str) -> Result<Condition, Diagnostic> {
    let text = named_old_values(program, site, text)?;
    condition(program, site, &text)
}

/// A text in which each `\old(…)` has become the name of its variable.
fn named_old_values(program: &mut Program, site: Site, text: &str) -> Result<String, Diagnostic> {
    let mut found = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("\\old") {
        let error = || Diagnostic::error(Span::NONE, "`\\old` without what was");
        let inner = behind.trim_start().strip_prefix('(').ok_or_else(error)?;
        let mut depth = 1;
        let end = inner.find(|letter| {
            depth += i32::from(letter == '(') - i32::from(letter == ')');
            depth == 0
        });
        let (inner, after) = inner.split_at(end.ok_or_else(error)?);
        let expr = expression(program, Site { result: None, ..site }, inner)?;
        let var = program.old_name(expr);
        found.push_str(&format!("{before}{OLD}{}", var.0));
        rest = &after[1..];
    }
    Ok(found + rest)
}

/// The same as one expression; refused where `&&`, `||` or `?:` keep something from being evaluated that could fail.
pub fn expression(program: &mut Program, site: Site, text: &str) -> Result<ExprId, Diagnostic> {
    with_room(text, || match attempt(program, site, text, Shape::Expression)? {
        Condition::Atom(expr) => Ok(expr),
        _ => Err(Diagnostic::error(Span::NONE, "not one expression")),
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Condition,
    Expression,
}

/// Short texts cannot nest deep; for others there is the room that the parser's limit needs.
fn with_room<T: Send>(text: &str, work: impl FnOnce() -> T + Send) -> T {
    if text.len() < 200 {
        return work();
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        match thread.expect("a thread can be started").join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// The name that `\result` has for the parser; no program can have it.
pub(super) const RESULT: &str = "$result";
/// How the names of `\old(…)` begin; the number of the variable follows.
pub(super) const OLD: &str = "$old";

fn attempt(program: &mut Program, site: Site, text: &str, shape: Shape) -> Result<Condition, Diagnostic> {
    let text = text.replace("\\result", RESULT);
    let mut names = std::mem::take(&mut program.names);
    let words = RefCell::new(Vec::new());
    let (ast, expr, diagnostics) = parse::parse_expression(text.as_bytes(), 1, &mut names, &|word| {
        words.borrow_mut().push(word);
        matches!(program.lookup(site.at, word), Some(cfa::Binding::Type(_)))
    });
    program.names = names;
    let Some(expr) = expr else {
        let error = diagnostics.into_iter().find(|diagnostic| diagnostic.severity == Severity::Error);
        return Err(error.unwrap_or_else(|| Diagnostic::error(Span::NONE, "not an expression")));
    };
    lower::condition_at(program, site, &ast, expr, &words.into_inner(), shape)
}

#[cfg(test)]
mod tests;
