//! Declarations as suspects. No run executes them, but they say how long an array is and what variables begin with.

use super::LocalizeOptions;
use super::lines::{Line, Lines};
use super::parts::whole;
use crate::Failure;
use base::SourceMap;
use cfa::walk::{self, Node};
use cfa::{EdgeId, ExprKind, Init, PlaceKind, Program, Type, Var, VarId, VarKind};
use std::collections::{BTreeMap, BTreeSet};

/// Why a declaration is a suspect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Declared {
    /// What a failing access is outside of.
    Object(String),
    /// What is read before it was written.
    Uninitialized(String),
    /// Its initial value is read by a suspect.
    Initial(String),
}

impl Declared {
    pub fn reason(&self) -> String {
        match self {
            Declared::Object(name) => format!("`{name}` has its size here, and the access is outside of it"),
            Declared::Uninitialized(name) => format!("`{name}` is declared here without a value"),
            Declared::Initial(name) => format!("`{name}` has its first value here, and a suspect reads it"),
        }
    }

    /// Whether the fault itself speaks of it.
    pub fn is_direct(&self) -> bool {
        !matches!(self, Declared::Initial(_))
    }
}

/// The line of a declaration.
pub fn declared_at(sources: &SourceMap, var: &Var) -> Option<Line> {
    let is_users = !var.span.is_none() && !matches!(var.kind, VarKind::Temp(_) | VarKind::Constant | VarKind::Param(_));
    if !is_users || sources.is_in_system_header(var.span.lo) {
        return None;
    }
    let place = sources.locate(var.span.lo)?;
    Some(Line { file: place.file.into(), line: place.line })
}

/// Declarations that the failure may come from: of what the failing operation accesses, and of what suspects read.
pub fn declarations<'l>(
    failure: &Failure<'_>,
    suspects: impl Iterator<Item = &'l Line>,
    options: &LocalizeOptions<'_>,
) -> BTreeMap<Line, Declared> {
    use cfa::Fault;
    let program = failure.task.program;
    let mut found = BTreeMap::new();
    let mut add = |var: VarId, declared: fn(String) -> Declared| {
        let name = program.name(program.vars[var].name).to_string();
        if let Some(line) = declared_at(options.sources, &program.vars[var]) {
            found.entry(line).or_insert_with(|| declared(name));
        }
    };
    match failure.fault {
        Some(Fault::OutOfBounds) => {
            let is_array = |var: &VarId| matches!(program.types.get(program.vars[*var].ty), Type::Array(..));
            accessed(program, failure.edge).into_iter().filter(is_array).for_each(|var| add(var, Declared::Object));
        }
        Some(Fault::Uninitialized) => {
            let is_automatic = |var: &VarId| matches!(program.vars[*var].kind, VarKind::Local(_));
            let read = accessed(program, failure.edge).into_iter().filter(is_automatic);
            read.for_each(|var| add(var, Declared::Uninitialized));
        }
        _ => {}
    }
    let lines = Lines::new(options.sources, options.trusted);
    let suspects: BTreeSet<&Line> = suspects.collect();
    for edge in program.edges.ids() {
        if lines.of(program, edge).is_some_and(|line| suspects.contains(&line)) {
            let has_value = |var: &VarId| matches!(program.vars[*var].init, Init::Static(_));
            let own = |var: &VarId| has_value(var) && program.vars[*var].kind == VarKind::Global;
            accessed(program, edge).into_iter().filter(own).for_each(|var| add(var, Declared::Initial));
        }
    }
    found
}

/// The variables that an edge mentions, by name or by a part.
fn accessed(program: &Program, edge: EdgeId) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    let mut open = Vec::new();
    walk::parts(program, &program.edges[edge].op, |node| open.push(node));
    while let Some(node) = open.pop() {
        match node {
            Node::Place(place) => match program.places[place].kind {
                PlaceKind::Var(var) => drop(found.insert(var)),
                _ => found.extend(whole(program, place)),
            },
            Node::Expr(expr) => {
                if let ExprKind::Read(place) | ExprKind::AddrOf(place) = program.exprs[expr].kind {
                    found.extend(whole(program, place));
                }
            }
        }
        open.extend(walk::children(program, node).into_iter().flatten());
    }
    found
}
