//! What in a witness contradicts the program.

use super::entries::same_file;
use super::{Finding, Rule, rules};
use crate::model::*;
use crate::program::Source;
use base::Span;
use cfa::{Bits, Expr, ExprKind, Program, TypeId};
use frontend::{Site, condition};
use std::collections::HashMap;

pub fn check(witness: &Witness, source: &Source<'_>, findings: &mut Vec<Finding>) {
    let mut checker =
        Checker { source, scratch: source.program.cloned(), known: HashMap::new(), ghosts: Vec::new(), findings };
    checker.hash(witness);
    match witness {
        Witness::Automaton(automaton) => checker.automaton(automaton),
        Witness::Entries(entries) => {
            for entry in entries {
                if let Content::Ghosts(ghosts) = &entry.content {
                    checker.ghosts.extend(ghosts.variables.iter().map(|variable| variable.name.clone()));
                }
            }
            entries.iter().for_each(|entry| checker.entry(entry));
        }
    }
}

struct Checker<'a> {
    source: &'a Source<'a>,
    /// A copy of the program that expressions are tried on.
    scratch: Option<Program>,
    /// Expressions that were tried: where, for which function, the text.
    known: HashMap<(Option<u32>, Option<u32>, Option<String>, String), Option<String>>,
    /// Names that only the witness knows.
    ghosts: Vec<String>,
    findings: &'a mut Vec<Finding>,
}

impl Checker<'_> {
    fn report(&mut self, rule: &'static Rule, at: Position, message: impl Into<String>) {
        self.findings.push(Finding::new(rule, at, message.into()));
    }

    fn hash(&mut self, witness: &Witness) {
        let at = match witness {
            Witness::Automaton(automaton) => automaton.at,
            Witness::Entries(entries) => entries.first().map(|entry| entry.metadata.task.at).unwrap_or_default(),
        };
        let files = witness.files();
        let own_hash = files.iter().find(|(file, _)| same_file(file, self.source.name)).or(files.first());
        if let Some((_, Some(hash))) = own_hash {
            let ours = self.source.hash(hash);
            if matches!(hash.len(), 40 | 64) && !hash.eq_ignore_ascii_case(&ours) {
                self.report(&rules::HASH, at, format!("the hash of {} is {ours}", self.source.name));
            }
        }
    }

    fn automaton(&mut self, automaton: &Automaton) {
        let (lines, characters) = (self.source.lines(), self.source.characters());
        for edge in &automaton.edges {
            let guard = &edge.guard;
            let elsewhere = guard.origin_file.as_ref().is_some_and(|file| !same_file(file, self.source.name));
            if elsewhere {
                continue;
            }
            for line in [guard.start_line, guard.end_line].into_iter().flatten().filter(|line| *line > lines) {
                self.report(&rules::LINE, edge.at, format!("the program has no line {line}, only {lines}"));
            }
            let offsets = [guard.start_offset, guard.end_offset].into_iter().flatten();
            for offset in offsets.filter(|offset| *offset > characters) {
                let message = format!("offset {offset} is beyond the end of the program, {characters}");
                self.report(&rules::OFFSET, edge.at, message);
            }
            for name in [&guard.enter_function, &guard.return_from, &edge.assumption_scope, &edge.result_function]
                .into_iter()
                .flatten()
            {
                self.function(name, edge.at);
            }
            if let Some(text) = &edge.assumption {
                // Without the function, which is reported elsewhere, `\result` is taken for an int.
                let result = Some(edge.result_function.as_deref().unwrap_or(""));
                self.assumptions(text, guard.start_line, edge.assumption_scope.as_deref(), result, edge.at);
            }
        }
        for node in &automaton.nodes {
            if let Some(scope) = &node.invariant_scope {
                self.function(scope, node.at);
            }
            if let Some(text) = &node.invariant {
                let mut entering = automaton.edges.iter().filter(|edge| edge.target == node.id);
                let line = entering.find_map(|edge| edge.guard.start_line);
                self.assumptions(text, line, node.invariant_scope.as_deref(), None, node.at);
            }
        }
    }

    /// Old producers write several expressions, each with a semicolon.
    fn assumptions(&mut self, text: &str, line: Option<u32>, scope: Option<&str>, result: Option<&str>, at: Position) {
        for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
            self.expression(part, line, None, scope, result, at);
        }
    }

    fn function(&mut self, name: &str, at: Position) {
        // A thread's start is an enterFunction too; casts and pointers are spelled by no producer.
        if self.source.program.is_some() && self.source.function(name).is_none() {
            self.report(&rules::FUNCTION, at, format!("the program has no function `{name}`"));
        }
    }

    fn entry(&mut self, entry: &Entry) {
        match &entry.content {
            Content::Violation(segments) => {
                for waypoint in segments.iter().flat_map(|segment| &segment.waypoints) {
                    self.waypoint(waypoint);
                }
            }
            Content::Invariants(claims) => {
                for claim in claims {
                    match claim {
                        Claim::Invariant(invariant) => self.invariant(invariant),
                        Claim::Contract(contract) => {
                            self.location(&contract.location);
                        }
                    }
                }
            }
            Content::Ghosts(ghosts) => ghosts.updates.iter().for_each(|update| {
                self.location(&update.location);
            }),
        }
    }

    /// Whether the location is a place of this program that can be looked at further.
    fn location(&mut self, location: &Location) -> bool {
        if !same_file(&location.file_name, self.source.name) {
            return false;
        }
        let Some(line) = self.source.line(location.line).filter(|_| location.line <= self.source.lines()) else {
            let message = format!("the program has no line {}, only {}", location.line, self.source.lines());
            self.report(&rules::LINE, location.at, message);
            return false;
        };
        let length = line.chars().count() as u32;
        if let Some(column) = location.column.filter(|column| *column > length) {
            let message = format!("line {} has no column {column}, only {length}", location.line);
            self.report(&rules::COLUMN, location.at, message);
            return false;
        }
        if let (Some(name), Some(program)) = (&location.function, self.source.program) {
            match self.source.function_at(location.line) {
                Some(function) if program.function_name(function) == name => {}
                _ if self.source.function(name).is_none() => self.function(name, location.at),
                Some(_) | None => {
                    let message = format!("line {} is not inside of `{name}`", location.line);
                    self.report(&rules::FUNCTION, location.at, message);
                }
            }
        }
        true
    }

    /// What must stand at a location with a column.
    fn place(&mut self, location: &Location, what: &str, starts: &[&str]) {
        let Some(rest) = location.column.and_then(|column| self.source.rest(location.line, column)) else { return };
        let word = |rest: &str, start: &str| {
            let after = rest.strip_prefix(start).and_then(|after| after.chars().next());
            rest.starts_with(start)
                && !after.is_some_and(|after| start.len() > 1 && (after.is_alphanumeric() || after == '_'))
        };
        let hidden = location.column.is_some_and(|column| self.source.may_be_macro(location.line, column));
        if !hidden && !starts.iter().any(|start| word(&rest, start)) {
            let found: String = rest.chars().take(12).collect();
            self.report(&rules::PLACE, location.at, format!("`{found}` is not {what}"));
        }
    }

    fn waypoint(&mut self, waypoint: &Waypoint) {
        let location = &waypoint.location;
        if !self.location(location) {
            return;
        }
        match waypoint.kind {
            WaypointKind::Branching => {
                self.place(location, "a branch", &["if", "while", "for", "do", "switch", "?"]);
            }
            WaypointKind::FunctionEnter | WaypointKind::FunctionReturn => {
                self.place(location, "the closing parenthesis of a call", &[")"]);
            }
            WaypointKind::Assumption | WaypointKind::Target => {}
        }
        let Some(constraint) = &waypoint.constraint else { return };
        let function = location.function.as_deref();
        let (line, column) = (Some(location.line), location.column);
        match waypoint.kind {
            WaypointKind::Assumption => {
                self.expression(&constraint.value, line, column, function, None, constraint.at);
            }
            WaypointKind::FunctionReturn => {
                self.expression(&constraint.value, line, column, function, Some(""), constraint.at);
            }
            _ => {}
        }
    }

    fn invariant(&mut self, invariant: &Invariant) {
        let Some(location) = &invariant.location else { return };
        if !self.location(location) {
            return;
        }
        if invariant.kind == InvariantKind::Loop {
            self.place(location, "a loop", &["for", "while", "do"]);
        }
        // Transition invariants and extended C use earlier values, which C cannot express.
        let plain = matches!(invariant.kind, InvariantKind::Loop | InvariantKind::Location);
        if plain && invariant.format.is_none_or(|format| format == ExpressionFormat::C) {
            let (line, column) = (Some(location.line), location.column);
            self.expression(&invariant.value, line, column, location.function.as_deref(), None, invariant.at);
        }
    }

    /// Tries an expression wherever it may stand; the first reason is reported if it fits nowhere.
    fn expression(
        &mut self,
        text: &str,
        line: Option<u32>,
        column: Option<u32>,
        function: Option<&str>,
        result: Option<&str>,
        at: Position,
    ) {
        let mut words = text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
        if words.any(|word| self.ghosts.iter().any(|ghost| ghost == word)) {
            return;
        }
        let Some(scratch) = &mut self.scratch else { return };
        let key = (line, column, function.map(String::from), text.to_string());
        let known = self.known.get(&key).cloned();
        let problem = known.unwrap_or_else(|| {
            let ty = result.map(|name| result_type(scratch, name));
            let zero = ExprKind::Const(Bits::ZERO);
            let result = ty.map(|ty| scratch.exprs.push(Expr { kind: zero, ty, span: Span::NONE }));
            let mut problem = None;
            for at in self.source.sites(line, column, function).into_iter().take(40) {
                match condition(scratch, Site { at, result }, text) {
                    Ok(_) => return None,
                    Err(error) => {
                        problem.get_or_insert(error.message);
                    }
                }
            }
            problem
        });
        self.known.insert(key, problem.clone());
        if let Some(problem) = problem {
            let rule = if problem.starts_with("an assignment") { &rules::ASSIGNMENT } else { &rules::EXPRESSION };
            self.report(rule, at, format!("`{text}`: {problem}"));
        }
    }
}

/// The type that a function returns; `int` for one that is not known.
fn result_type(program: &Program, name: &str) -> TypeId {
    let function = program.function_named(name).map(|id| program.functions[id].ty);
    match function.map(|ty| program.types.get(ty)) {
        Some(cfa::Type::Function(signature)) if program.types.is_scalar(signature.result) => signature.result,
        _ => TypeId::INT,
    }
}
