//! Lines of the source that can be suspects. Lines of trusted functions cannot.

use crate::Failure;
use base::SourceMap;
use cfa::walk::{self, Node};
use cfa::{AssumeRole, Callee, EdgeId, FuncId, Op, PlaceKind, Program, Property};
use evidence::shown::{Gives, gives};
use frontend::CALL_WITH_OBJECTS;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::sync::Arc;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Line {
    pub file: Arc<str>,
    pub line: u32,
}

/// Functions that state what should hold rather than compute anything.
const ASSERTIONS: &[&str] = &["__VERIFIER_assert", "assert", "__assert_fail", "reach_error", "__VERIFIER_error"];

/// Functions that end the program, as an assertion does that fails.
const ENDS: &[&str] = &["abort", "exit", "_Exit", "_exit"];

pub struct Lines<'a> {
    sources: &'a SourceMap,
    trusted: &'a [String],
    known: RefCell<FxHashMap<EdgeId, Option<Line>>>,
    given: RefCell<Option<FxHashSet<u32>>>,
}

/// Whether a function is one of those that patterns name.
pub fn is_named(patterns: &[String], function: &str) -> bool {
    patterns.iter().any(|pattern| matches(pattern, function))
}

impl<'a> Lines<'a> {
    pub fn new(sources: &'a SourceMap, trusted: &'a [String]) -> Self {
        Lines { sources, trusted, known: RefCell::default(), given: RefCell::default() }
    }

    /// The line of an edge, if it can be blamed.
    pub fn of(&self, program: &Program, edge: EdgeId) -> Option<Line> {
        if let Some(known) = self.known.borrow().get(&edge) {
            return known.clone();
        }
        let line = self.find(program, edge);
        self.known.borrow_mut().insert(edge, line.clone());
        line
    }

    /// Whether a function is never blamed.
    pub fn is_trusted(&self, name: &str) -> bool {
        ASSERTIONS.contains(&name) || name == CALL_WITH_OBJECTS || is_named(self.trusted, name)
    }

    fn find(&self, program: &Program, edge: EdgeId) -> Option<Line> {
        let function = program.locations[program.edges[edge].from].function;
        let name = program.function_name(function);
        if self.is_trusted(name) {
            return None;
        }
        let position = program.edges[edge].span.lo;
        if self.sources.is_in_system_header(position) {
            return None;
        }
        let place = self.sources.locate(position)?;
        Some(Line { file: place.file.into(), line: place.line })
    }
}

impl Lines<'_> {
    /// The line of an edge of a failing run, if it can be a suspect: not the evaluation of the violated assertion, nor inputs, nor
    /// assumptions about them. For properties other than assertions the failing edge itself can be one.
    pub fn suspect(&self, failure: &Failure<'_>, edge: EdgeId) -> Option<Line> {
        let (failing, one) = (&failure.task.program.edges[failure.edge], &failure.task.program.edges[edge]);
        let inside = failing.span.lo <= one.span.lo && one.span.hi <= failing.span.hi;
        // Edges of one statement begin where it does.
        let own = edge == failure.edge || inside || failing.anchor == one.anchor;
        let asserts = matches!(failure.property, Property::Assertion | Property::UnreachCall | Property::UnreachLabel);
        if (own && asserts) || self.given(failure.task.program).contains(&one.anchor) {
            return None;
        }
        self.of(failure.task.program, edge)
    }

    /// Text that no edit may change: statements that read inputs, assume something, or call a function that is trusted.
    pub fn untouchable(&self, program: &Program) -> Vec<base::Span> {
        let given = self.given(program);
        let calls_trusted = |data: &cfa::Edge| matches!(data.op, Op::Call { callee: Callee::Direct(called), .. } if self.is_trusted(program.function_name(called)));
        let edges = program.edges.values().filter(|data| given.contains(&data.anchor) || calls_trusted(data));
        edges.map(|data| data.span).filter(|span| span.lo < span.hi).collect()
    }

    /// The line of an edge, if it can be blamed for a wrong output: not inputs, nor assumptions and assertions about them.
    pub fn of_statement(&self, program: &Program, edge: EdgeId) -> Option<Line> {
        if self.given(program).contains(&program.edges[edge].anchor) {
            return None;
        }
        self.of(program, edge)
    }

    /// Where the statements begin that read inputs, or assume or assert something.
    fn given(&self, program: &Program) -> std::cell::Ref<'_, FxHashSet<u32>> {
        if self.given.borrow().is_none() {
            let asserting = asserting_calls(program);
            let is_given = |(edge, data): &(EdgeId, &cfa::Edge)| {
                let assumed = matches!(data.op, Op::Assume { role: AssumeRole::Assumption, .. });
                assumed
                    || converts_argument(program, *edge)
                    || gives(program, *edge) == Some(Gives::Input)
                    || asserting.contains(edge)
            };
            let anchors = program.edges.iter().filter(is_given).map(|(_, data)| data.anchor).collect();
            *self.given.borrow_mut() = Some(anchors);
        }
        std::cell::Ref::map(self.given.borrow(), |given| given.as_ref().expect("set above"))
    }
}

/// Functions that make a number of a word of the command line.
const CONVERSIONS: &[&str] = &["atoi", "atol", "atoll", "atof", "strtol", "strtoul", "strtoll", "strtoull", "strtod"];

/// Whether an edge reads an input from the command line: it converts one certain word of it.
fn converts_argument(program: &Program, edge: EdgeId) -> bool {
    let data = &program.edges[edge];
    let Op::Call { callee: Callee::Direct(called), args, .. } = data.op else { return false };
    let caller = program.locations[data.from].function;
    if program.function_name(caller) != "main" || !CONVERSIONS.contains(&program.function_name(called)) {
        return false;
    }
    let Some(argv) = program.functions[caller].params.get(1) else { return false };
    let mut open: Vec<Node> = program.call_args(args).iter().take(1).map(|arg| Node::Expr(*arg)).collect();
    let (mut reads, mut varies) = (false, false);
    while let Some(node) = open.pop() {
        if let Node::Place(place) = node
            && let PlaceKind::Var(var) = program.places[place].kind
        {
            reads |= var == *argv;
            varies |= var != *argv;
        }
        open.extend(walk::children(program, node).into_iter().flatten());
    }
    reads && !varies
}

/// Functions that only look at what they are given and report an error.
pub fn asserting_functions(program: &Program) -> FxHashSet<FuncId> {
    let mut reports: FxHashSet<FuncId> = FxHashSet::default();
    let mut does_more: FxHashSet<FuncId> = FxHashSet::default();
    for edge in program.edges.values() {
        let function = program.locations[edge.from].function;
        match edge.op {
            Op::Call { callee: Callee::Direct(called), .. } => match program.function_name(called) {
                name if ASSERTIONS.contains(&name) => drop(reports.insert(function)),
                name if ENDS.contains(&name) => {}
                _ => drop(does_more.insert(function)),
            },
            Op::Assert { .. } => drop(reports.insert(function)),
            Op::Assign(..) | Op::Havoc(..) | Op::Alloca(..) | Op::Call { .. } | Op::Return(Some(_)) => {
                does_more.insert(function);
            }
            _ => {}
        }
    }
    let by_name = ASSERTIONS.iter().filter_map(|name| program.function_named(name));
    reports.difference(&does_more).copied().chain(by_name).collect()
}

/// Their calls: such a call is an assertion.
pub fn asserting_calls(program: &Program) -> FxHashSet<EdgeId> {
    let asserting = asserting_functions(program);
    let is_assertion = |(_, data): &(EdgeId, &cfa::Edge)| matches!(data.op, Op::Call { dest: None, callee: Callee::Direct(called), .. } if asserting.contains(&called));
    program.edges.iter().filter(is_assertion).map(|(edge, _)| edge).collect()
}

/// Whether a name matches a pattern with `*` and `?`.
pub fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut from) = (0, 0);
    // Where the last star is, and how much of the name it has taken.
    let mut star = None;
    while from < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, from));
                at += 1;
            }
            Some(letter) if *letter == '?' || *letter == name[from] => (at, from) = (at + 1, from + 1),
            _ => match star {
                Some((position, taken)) => {
                    star = Some((position, taken + 1));
                    (at, from) = (position + 1, taken + 1);
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|letter| *letter == '*')
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns() {
        for (pattern, name, expected) in [
            ("main", "main", true),
            ("AllRepair_correct_*", "AllRepair_correct_ALIM", true),
            ("*_correct", "x_correct_y", false),
            ("a*b*c", "aXbYbc", true),
            ("?x", "ax", true),
            ("?x", "x", false),
            ("*", "", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
