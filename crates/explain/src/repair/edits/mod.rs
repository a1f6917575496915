//! Edits of the text of a line, made of templates. A template is one file, and one line in [`TEMPLATES`].

mod assignments;
mod bounds;
mod comparisons;
mod conditions;
mod guarded;
mod jumps;
mod macros;
mod members;
mod numbers;
mod operators;
mod pairs;
mod parentheses;
mod reuse;
mod shape;
mod statements;
mod text;
mod updates;
mod variables;

use super::Workbench;
use super::shown::Hunk;
use crate::localize::declarations::declared_at;
use crate::localize::lines::{Line, Lines};
use base::SourceMap;
use cfa::walk;
use cfa::{EdgeId, ExprKind, Fault, LocId, Op, Program};
use frontend::{Frontend, Token, TokenKind};
pub(super) use jumps::places as jump_places;
use std::collections::BTreeSet;
use text::exprs_of;
pub(super) use text::whole_lines;

/// Replacements of pieces of text, ascending.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    pub parts: Vec<(u32, u32, String)>,
    /// What it does, in words.
    pub what: String,
    pub kind: Kind,
    /// Of a condition that it adds: the percentage of its tokens that the line already has. A forgotten condition is mostly about the same variables.
    pub shared_tokens: u32,
    /// Where it changes the text of a macro.
    pub definition: Option<Definition>,
}

/// The definition of a macro, with an edit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Definition {
    pub line: Line,
    pub hunk: Hunk,
    /// A use of the macro reads in another way than what it stands for.
    pub has_parameters: bool,
}

/// Kinds of edits, the simplest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// A limit that belongs to the range or does not: `<` and `<=`.
    Boundary,
    Operator,
    /// Another way to change a variable: `+=` for `-=`.
    Update,
    Constant,
    /// Operands or arms exchanged, a negation more or less.
    Shape,
    /// A jump to another place.
    Jump,
    /// One more assignment, in programs whose variables keep their values from cycle to cycle.
    Assignment,
    /// A variable begins with a value.
    Initialization,
    /// What belongs together.
    Parentheses,
    /// Another arithmetic operator, not the inverse.
    Arithmetic,
    Variable,
    /// One more or one less.
    OffByOne,
    /// A number at a round distance from the one that stands there.
    Number,
    /// A comparison that stands elsewhere and has one side in common with this one.
    Comparison,
    /// The same change of an operator on two lines.
    Twice,
    /// One more condition, which stands elsewhere.
    Condition,
    /// One more condition, synthesized.
    Guard,
    /// One more term, synthesized.
    Term,
    /// An expression that stands elsewhere in the program.
    Reuse,
    /// A statement that is carried out only where what it does is defined.
    Guarded,
    /// Two statements in the other order.
    Order,
    /// Two simple edits on one line.
    Pair,
    /// A statement less.
    Removal,
    /// A statement more.
    Addition,
    /// Edits of two lines, each of which makes other tests pass.
    Several,
}

impl Edit {
    pub(super) fn replace(kind: Kind, lo: u32, hi: u32, text: impl Into<String>, what: impl Into<String>) -> Self {
        Edit { parts: vec![(lo, hi, text.into())], what: what.into(), kind, shared_tokens: 0, definition: None }
    }

    /// Whether it changes something of a piece of text.
    pub fn touches(&self, span: base::Span) -> bool {
        self.parts.iter().any(|(lo, hi, _)| *lo <= span.hi && span.lo <= *hi)
    }

    /// The text of a file with the replacements that lie in it.
    pub fn apply(&self, text: &[u8], base: u32) -> Vec<u8> {
        let mut result = Vec::with_capacity(text.len() + 64);
        let mut done = 0;
        for (lo, hi, new) in &self.parts {
            let (Some(lo), Some(hi)) = (lo.checked_sub(base), hi.checked_sub(base)) else { continue };
            if hi as usize > text.len() || (lo as usize) < done {
                continue;
            }
            result.extend_from_slice(&text[done..lo as usize]);
            result.extend_from_slice(new.as_bytes());
            done = hi as usize;
        }
        result.extend_from_slice(&text[done..]);
        result
    }
}

/// Adds edits of a line to those that simpler templates gave.
type Template = fn(&Place<'_>, &mut Vec<Edit>);

/// The simple ones first.
static TEMPLATES: &[Template] = &[
    |place, edits| place.operators(edits),
    |place, edits| place.updates(edits),
    |place, edits| place.constants(edits),
    |place, edits| place.arms(edits),
    |place, edits| place.negations(edits),
    |place, edits| place.exchanges(edits),
    |place, edits| place.omissions(edits),
    |place, edits| place.jumps(edits),
    |place, edits| place.parentheses(edits),
    |place, edits| place.arithmetic(edits),
    |place, edits| place.variables(edits),
    |place, edits| place.members(edits),
    |place, edits| place.bounds(edits),
    |place, edits| place.comparisons(edits),
    |place, edits| place.conditions(edits),
    |place, edits| place.reuse(edits),
    |place, edits| place.assignments(edits),
    |place, edits| place.guarded(edits),
    |place, edits| place.statements_changed(edits),
    |place, edits| place.definitions(edits),
    |place, edits| place.pairs(edits),
];

/// At most so many other variables and constants are tried for one.
const MAX_OTHERS: usize = 16;
/// As many expressions that stand elsewhere.
pub(super) const MAX_REUSED: usize = 24;

pub(super) struct Place<'a> {
    pub(super) frontend: &'static Frontend,
    pub(super) program: &'a Program,
    pub(super) sources: &'a SourceMap,
    pub(super) edges: Vec<EdgeId>,
    /// Where names are looked up.
    pub(super) at: LocId,
    pub(super) tokens: Vec<Token>,
    /// Integer constants of the program that are not only in trusted functions, and numbers that tests have.
    pub(super) constants: Vec<i128>,
    pub(super) lines: &'a Lines<'a>,
    /// How an operation fails; none where a value is wrong.
    pub(super) fault: Option<Fault>,
}

/// What stands on a line, to be edited.
pub(super) fn place<'a>(
    program: &'a Program,
    bench: &'a Workbench<'_>,
    lines: &'a Lines<'a>,
    line: &Line,
    numbers: &[i128],
    fault: Option<Fault>,
) -> Option<Place<'a>> {
    // Edges that do nothing may span a whole loop, whose other lines are not this one.
    let says_something = |edge: &EdgeId| {
        let mut says = matches!(program.edges[*edge].op, Op::Call { .. });
        walk::parts(program, &program.edges[*edge].op, |_| says = true);
        says
    };
    let mine = |edge: &EdgeId| says_something(edge) && lines.of(program, *edge).as_ref() == Some(line);
    let edges: Vec<EdgeId> = (0..program.edges.len() as u32).map(EdgeId).filter(mine).collect();
    let (at, from, to) = match edges.first() {
        Some(first) => {
            let from = edges.iter().map(|edge| program.edges[*edge].span.lo).min().unwrap_or(0);
            let to = edges.iter().map(|edge| program.edges[*edge].span.hi).max().unwrap_or(0);
            (program.edges[*first].from, from, to)
        }
        None => declaration_at(program, bench.sources, line)?,
    };
    let file = bench.sources.file_at(from)?;
    let (from, to) = whole_lines(bench.sources, file, from, to);
    let base = bench.sources.base(file);
    let piece = &bench.sources.text(file)[(from - base) as usize..(to - base) as usize];
    let frontend = bench.frontend;
    let tokens = (frontend.tokens)(piece, from);
    let mut constants: Vec<i128> = constants(program, lines);
    constants.extend(defined(bench.sources, line));
    constants.extend(numbers);
    constants.sort_unstable();
    constants.dedup();
    Some(Place { frontend, program, sources: bench.sources, edges, at, tokens, constants, lines, fault })
}

/// A declaration that does nothing in a run: a location that sees its names, and where it stands.
fn declaration_at(program: &Program, sources: &SourceMap, line: &Line) -> Option<(LocId, u32, u32)> {
    let var = program.vars.values().find(|var| declared_at(sources, var).as_ref() == Some(line))?;
    let inside = |edge: &&cfa::Edge| match var.kind.function() {
        Some(function) => program.locations[edge.from].function == function && edge.span.lo > var.span.lo,
        None => true,
    };
    let edge = program.edges.values().find(inside)?;
    Some((edge.from, var.span.lo, var.span.hi))
}

/// Every edit of a line that is made from its text, the simple ones first.
pub(super) fn at(place: &Place<'_>) -> Vec<Edit> {
    let mut edits = Vec::new();
    for template in TEMPLATES {
        template(place, &mut edits);
    }
    edits
}

/// Constants of functions that can be blamed. What is trusted is no source of edits: it would only repeat what is expected.
fn constants(program: &Program, lines: &Lines<'_>) -> Vec<i128> {
    let own = program.edges.iter().filter(|(edge, _)| lines.of(program, *edge).is_some());
    let mut all = BTreeSet::new();
    for expr in exprs_of(program, own.map(|(_, edge)| &edge.op)) {
        let expr = &program.exprs[expr];
        if let ExprKind::Const(bits) = expr.kind
            && matches!(program.types.get(expr.ty), cfa::Type::Int(_))
        {
            all.insert(cfa::eval::to_i128(&program.types, expr.ty, bits));
        }
    }
    all.into_iter().collect()
}

/// Numbers that macros of the file of a line stand for, whether they are used or not.
fn defined(sources: &SourceMap, line: &Line) -> Vec<i128> {
    let text = |number: u32| {
        let place = base::Location { file: line.file.to_string(), line: number, column: 1, offset: None };
        sources.original_line(&place)
    };
    let lines = (1..).map_while(text);
    let number = |line: std::borrow::Cow<'_, str>| {
        let mut words = line.split_whitespace();
        (words.next() == Some("#define")).then(|| words.nth(1)?.parse().ok()).flatten()
    };
    lines.filter_map(number).collect()
}

impl Place<'_> {
    /// Another operator in place of one; nothing if the language has no such operator.
    pub(super) fn operator(&self, kind: Kind, old: Token, new: TokenKind) -> Option<Edit> {
        let text = (self.frontend.spelling)(new)?;
        let what = format!("`{text}` instead of `{}`", self.text(old));
        Some(Edit::replace(kind, old.span.lo, old.span.hi, text, what))
    }
}
