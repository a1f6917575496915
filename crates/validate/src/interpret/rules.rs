//! What a violation witness says, as rules: in a state of the witness, at a moment of the run, under a condition, to another state.

use base::Span;
use cfa::{EdgeId, Expr, ExprId, ExprKind, LocId, Op, Program};
use frontend::c::expression::{Condition, Site, condition};
use std::collections::HashMap;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Moment {
    /// The entry function begins.
    Start,
    /// The statement that begins with the edge is about to be carried out.
    Before(EdgeId),
    /// The function that the edge calls begins.
    Enter(EdgeId),
    After(EdgeId),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Check {
    Always,
    When(Condition),
    /// It cannot be told, and why.
    Unknown(String),
}

pub struct Rule {
    /// `None`: runs that pass the rule are not meant.
    pub to: Option<usize>,
    pub check: Check,
    /// The expression as it is written: it tells which values to choose.
    pub text: String,
    /// Whether the state may also wait for a later match.
    pub lingers: bool,
    /// The line of the program, for people.
    pub line: u32,
}

/// What a state does when a rule's moment comes and the rule's condition does not hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Otherwise {
    Stay,
    /// The run is not one that the witness means.
    Die,
}

/// An expression that the run must satisfy later.
#[derive(Clone, Copy)]
pub struct Soon<'r> {
    pub text: &'r str,
    /// Whether that is when a statement, or the run, begins; otherwise it is after some operation.
    pub at_start: bool,
}

pub struct Rules {
    /// With the expressions of the witness; its automata are the original's.
    pub program: Program,
    pub start: Vec<usize>,
    pub otherwise: Otherwise,
    table: HashMap<(Moment, usize), Vec<Rule>>,
    /// The moments and targets of a state's rules, in the order of the witness.
    leaving: HashMap<usize, Vec<(Moment, Option<usize>, String)>>,
    /// Steps until the violation, by state; absent where it cannot be reached.
    pub distance: HashMap<usize, usize>,
    /// In these states any violation counts.
    pub accepting: Vec<usize>,
    /// In these states a violation on these edges counts.
    pub targets: HashMap<usize, Vec<EdgeId>>,
    /// Places that nothing in the program stands for.
    pub missing: Vec<String>,
    parsed: HashMap<(String, LocId, Option<EdgeId>), Check>,
}

impl Rules {
    pub fn new(program: &Program, otherwise: Otherwise) -> Self {
        Rules {
            program: program.clone(),
            start: Vec::new(),
            otherwise,
            table: HashMap::new(),
            leaving: HashMap::new(),
            distance: HashMap::new(),
            accepting: Vec::new(),
            targets: HashMap::new(),
            missing: Vec::new(),
            parsed: HashMap::new(),
        }
    }

    pub fn add(&mut self, moment: Moment, from: usize, rule: Rule) {
        let leaving = self.leaving.entry(from).or_default();
        if !leaving.iter().any(|(_, to, text)| *to == rule.to && *text == rule.text) || leaving.len() < 8 {
            leaving.push((moment, rule.to, rule.text.clone()));
        }
        self.table.entry((moment, from)).or_default().push(rule);
    }

    pub fn at(&self, moment: Moment, state: usize) -> &[Rule] {
        self.table.get(&(moment, state)).map_or(&[], Vec::as_slice)
    }

    /// Expressions that are going to be checked soon: those of the state's rules, and what statements are assumed to begin with after them.
    pub fn soon(&self, state: usize) -> Vec<Soon<'_>> {
        let mut found = Vec::new();
        let mut at = state;
        for _ in 0..64 {
            let Some(leaving) = self.leaving.get(&at) else { break };
            found.extend(
                leaving.iter().filter(|(_, to, _)| to.is_some()).map(|(moment, _, text)| Soon {
                    text,
                    at_start: matches!(moment, Moment::Before(_) | Moment::Start),
                }),
            );
            let before = |(moment, to, _): &&(Moment, Option<usize>, String)| {
                to.is_some() && matches!(moment, Moment::Before(_) | Moment::Start)
            };
            match leaving.iter().find(before) {
                Some((_, Some(next), _)) if *next != at => at = *next,
                _ => break,
            }
        }
        found
    }

    /// The condition that a text is at a location; `result`: the edge whose value `\result` is.
    pub fn check(&mut self, text: &str, at: LocId, result: Option<EdgeId>) -> Check {
        let result = result.filter(|_| text.contains("\\result"));
        let key = (text.to_string(), at, result);
        if let Some(known) = self.parsed.get(&key) {
            return known.clone();
        }
        let value = match result.map(|edge| self.result(edge)) {
            // A value that goes nowhere is not seen, and does not matter.
            Some(None) => return Check::Always,
            Some(value) => value,
            None => None,
        };
        let mut parts = Vec::new();
        let mut check = None;
        for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
            let site = Site { at, result: value };
            let found = condition(&mut self.program, site, part)
                .or_else(|error| condition(&mut self.program, site, &equation(part)).map_err(|_| error));
            match found {
                Ok(condition) => parts.push(condition),
                Err(error) => check = Some(Check::Unknown(format!("`{part}`: {}", error.message))),
            }
        }
        let check = check.unwrap_or(if parts.is_empty() { Check::Always } else { Check::When(Condition::All(parts)) });
        self.parsed.insert(key, check.clone());
        check
    }

    /// What a call's value went to.
    fn result(&mut self, edge: EdgeId) -> Option<ExprId> {
        let place = match self.program.edges[edge].op {
            Op::Call { dest, .. } => dest?,
            Op::Havoc(place, _) => place,
            _ => return None,
        };
        let ty = self.program.places[place].ty;
        Some(self.program.exprs.push(Expr { kind: ExprKind::Read(place), ty, span: Span::NONE }))
    }
}

/// An assignment that was meant as an equation.
fn equation(text: &str) -> String {
    let mut out = String::new();
    let bytes = text.as_bytes();
    for (index, letter) in text.char_indices() {
        out.push(letter);
        let before = index.checked_sub(1).map(|before| bytes[before]);
        let single = letter == '='
            && bytes.get(index + 1) != Some(&b'=')
            && !before.is_some_and(|byte| b"=!<>+-*/%&|^".contains(&byte));
        if single {
            out.push('=');
        }
    }
    out
}
